# SPDX-License-Identifier: Apache-2.0
"""Validates JSON against the part of JSON Schema that docs/schema uses. A keyword it does not know is an error, so that
a schema cannot promise what is not checked."""
import json
import math
import re

ANNOTATIONS = {"$schema", "$defs", "title", "description"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def has_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(value, TYPES[name])


def errors(value, schema, root, where="$"):
    """Yields one line for each thing that is wrong."""
    for keyword, rule in schema.items():
        if keyword in ANNOTATIONS or keyword in ("additionalProperties",):
            continue
        if keyword == "$ref":
            target = root
            for part in rule.removeprefix("#/").split("/"):
                target = target[part]
            yield from errors(value, target, root, where)
        elif keyword == "type":
            names = [rule] if isinstance(rule, str) else rule
            if not any(has_type(value, n) for n in names):
                yield f"{where}: {value!r} is not of type {rule}"
        elif keyword == "enum":
            if value not in rule:
                yield f"{where}: {value!r} is none of {rule}"
        elif keyword == "anyOf":
            if not any(not list(errors(value, s, root, where)) for s in rule):
                yield f"{where}: fits none of the alternatives"
        elif keyword == "required":
            if isinstance(value, dict):
                yield from (f"{where}: {name} is missing" for name in rule if name not in value)
        elif keyword == "properties":
            if isinstance(value, dict):
                for name, sub in rule.items():
                    if name in value:
                        yield from errors(value[name], sub, root, f"{where}.{name}")
        elif keyword == "items":
            if isinstance(value, list):
                for i, item in enumerate(value):
                    yield from errors(item, rule, root, f"{where}[{i}]")
        elif keyword in ("minimum", "maximum"):
            if has_type(value, "number") and (value < rule if keyword == "minimum" else value > rule):
                yield f"{where}: {value} is beyond the {keyword} {rule}"
        elif keyword in ("minLength", "minItems"):
            if isinstance(value, (str, list)) and len(value) < rule:
                yield f"{where}: shorter than {rule}"
        elif keyword == "pattern":
            if isinstance(value, str) and not re.search(rule, value):
                yield f"{where}: {value!r} does not match {rule}"
        else:
            raise ValueError(f"{where}: schema keyword {keyword} is not known to this validator")
    if "additionalProperties" in schema and isinstance(value, dict):
        rule = schema["additionalProperties"]
        for name in value.keys() - schema.get("properties", {}).keys():
            if rule is False:
                yield f"{where}: {name} is not in the schema"
            elif isinstance(rule, dict):
                yield from errors(value[name], rule, root, f"{where}.{name}")


def validate(value, path):
    """Returns a list of errors, empty if the value fits the schema in the file."""
    with open(path, encoding="utf-8") as f:
        schema = json.load(f)
    return list(errors(value, schema, schema))
