#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/operations.md, the reference of the tile operations, from the headers and the cost table.

    scripts/operations.py            write it
    scripts/operations.py --check    exit with 1 and a line for each difference where it is not up to date

Meaning and rules are the doc comments and static_asserts of include/kittens/ops/*.hpp and include/kittens/tile/*.hpp. Costs
are docs/operations-pvc.json, written by `kittens inspect --ops --device pvc --json docs/operations-pvc.json`.
"""
import difflib
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/operations.md"
COSTS = ROOT / "docs/operations-pvc.json"
HEADERS = ["movement", "shared", "maps", "conversions", "masks", "reductions", "softmax", "mma", "sync"]

# Header and operation: how it is done on xe (and emulated, which is the same code answered by the model), and on cpu.
# "*" is for the header's operations that have no entry.
LOWERING = {
    "movement": {
        "load": ("the fewest 2-D block loads that the shape allows; another element type is converted in registers; access `plain`: a load per lane and element; vectors: a load per lane and register",
                 "rows are copied or converted by SIMD loads; edges by masks or element loops"),
        "load_transform": ("2-D block load fused with VNNI packing (`d16v`, `d8v`)", "as `load`; packing is part of the product's engine"),
        "load_packed": ("2-D block loads of four-byte elements, 16 to a row: words of memory are words of the tile; `plain`: a load per lane and element",
                        "AMX reads it in place; elsewhere it is taken apart when packed"),
        "load_transpose": ("2-D block loads transposed in units of four bytes (`d32t`), which is the packed form of a col tile; 8-bit row tiles: element by element", "transposed in registers or element by element"),
        "store": ("2-D block stores of 8 rows; converts first; `plain`: a store per lane and element", "SIMD stores, converting"),
        "store_add": ("an atomic addition per lane and element (`atomic_fadd`, `atomic_iadd`), no 2-D blocks", "an atomic addition per element"),
        "prefetch_load": ("2-D block prefetches", "nothing, or a software prefetch"),
        "prefetch_load_coop": ("one 2-D block prefetch", "nothing, or a software prefetch"),
        "load_wide": ("one message of 128 bits a lane (`d32x4`) for each 128 elements of 16 bits, two for 32 bits; where the number of columns is known at run time alone, also an element-by-element case for a last odd chunk", "SIMD loads"),
        "store_wide": ("as `load_wide`", "SIMD stores"),
    },
    "shared": {"*": ("one message of 16 consecutive elements per row and column block in shared local memory", "plain memory of the workgroup, vectorised by the compiler"),
               "group": ("the subgroups of the group take rows in turn", "the same")},
    "maps": {"*": ("per element in its lane, 16-bit elements widened and rounded once; a per-row value is broadcast by a register region", "SIMD over rows"),
             "copy": ("equal base shapes: conversions in the lane; else through the elements' bits", "SIMD conversions")},
    "conversions": {"swap_layout": ("16-bit: rows are paired in the lane, nothing crosses lanes", "a copy"),
                    "transpose": ("16 x 16 blocks by a four-stage butterfly across the lanes", "in registers or element by element"),
                    "*": ("base tiles are renamed or loaded; nothing is computed", "a copy of the part")},
    "masks": {"*": ("a selection per element; the comparison uses its row and column in the tile", "a selection per element, vectorised")},
    "reductions": {"row_reduce": ("in the lane over column blocks, then butterflies of 15 exchanges for 16 rows (8 exchanges for 8)", "SIMD along the row"),
                   "col_reduce": ("in the lane: nothing crosses lanes", "SIMD across columns"),
                   "*": ("in the lane, then a butterfly of four stages", "SIMD")},
    "softmax": {"*": ("made of maps, masks, reductions and products", "one pass over the scores, which reads and computes only what the band holds"),
                "keep_band": ("as a mask", "as a mask"),
                "exp2_scaled": ("as a map with a per-row value", "SIMD over rows"),
                "band_weights_AB": ("a product, then `band_weights`", "AMX, 32 rows: blocks of 32 x 32 scores, worked on while the next are multiplied; 16 rows: transposed, without what rows there are not; else a product, then `band_weights`"),
                "band_row_max_AB": ("a product, then `band_row_max`", "as `band_weights_AB`")},
    "mma": {"mma_AB": ("one `dpas` for 8 x 16 results and 32 bytes of K; tf32 operands are re-arranged across lanes first", "AMX tiles, AVX-512 bf16/VNNI or FMA, by instruction set"),
            "*": ("an operand is transposed in registers, then `mma_AB`", "the panel is packed transposed")},
    "sync": {"sync": ("workgroup or named barrier, before it fences of local and global memory", "barrier of the workgroup's fibers"),
             "named_barrier": ("one of the 31 named barriers that a workgroup has in hardware (Intel's compiler numbers them); on an OpenCL device that is no GPU the kernel is refused", "a barrier of those fibers"),
             "group_barriers": ("a named barrier for each group", "a barrier of the group's fibers"),
             "*": ("split barrier", "barrier of the workgroup's fibers")},
}


class Operation:
    def __init__(self, name, doc):
        self.name, self.doc, self.forms, self.rules = name, doc, [], []


def split_strings(text):
    """The text of adjacent string literals."""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))


def assert_texts(code):
    """Messages of the static_asserts in a piece of code."""
    return [split_strings(m.group(1)) for m in re.finditer(r'static_assert\([^;]*?,\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\);', code, re.S)]


def purpose(text):
    """The comment at the top of a header, after the licence."""
    lines = text.split("\n")[1:]
    out = []
    for line in lines:
        if not line.startswith("//"):
            break
        out.append(line[2:].strip())
    return " ".join(out)


def parse(text):
    """Operations of a header, in order, and the rules of its namespace `lower`."""
    common = []
    for block in re.findall(r"^namespace lower \{(.*?)^\}  // namespace lower$", text, re.S | re.M):
        common += assert_texts(block)
    text = re.sub(r"^namespace lower \{(.*?)^\}  // namespace lower$", "", text, flags=re.S | re.M)

    found, doc, fresh, group = {}, "", False, None
    pieces = re.split(r"(?m)^(?=[ ]*///|[ ]*template|KITTENS_INLINE|class |#define|KITTENS_[A-Z_]+\()", text)
    for piece in pieces:
        if piece.lstrip().startswith("///"):
            words = " ".join(l.strip()[3:].strip() for l in piece.split("\n") if l.strip().startswith("///"))
            doc = (doc + " " + words) if fresh else words
            fresh = True
            piece = "\n".join(l for l in piece.split("\n") if not l.strip().startswith("///"))
        if re.match(r"\s*#define", piece):
            continue
        macro = re.match(r"KITTENS_([A-Z_]+)\((\w+)(?:, (\w+))?\)", piece)
        if macro and macro.group(1) in ("UNARY", "SHARED_UNARY", "BINARY", "SHARED_BINARY", "REDUCTION", "SHARED_REDUCTION"):
            kind, name = macro.group(1), macro.group(2)
            key = {"UNARY": "unary", "BINARY": "binary", "REDUCTION": "reduction"}[kind.replace("SHARED_", "")]
            found.setdefault(("macro", key), []).append(name)
            fresh = False
            continue
        if re.match(r"class group\b", piece.strip()):
            found["group"] = Operation("group", doc)
            found["group"].rules += assert_texts(piece)
            group, fresh = "group", False
            continue
        other = re.match(r"class (\w+)", re.sub(r"^template <[^\n]*>\n", "", piece.strip()))
        if other and "{" in piece:  # a handle that is made once: its constructor is what is called
            name = other.group(1)
            found[name] = Operation(name, doc)
            found[name].rules += assert_texts(piece)
            constructor = re.search(rf"explicit KITTENS_INLINE {name}\(([^)]*)\)", piece)
            found[name].forms.append(f"{name}({constructor.group(1) if constructor else ''})")
            fresh = False
            continue
        function = re.search(r"KITTENS_INLINE (?:static )?[\w:<>& ]+? (\w+)\(([^{]*?)\)\s*(?:const\s*)?\{", piece, re.S)
        if not function or piece.startswith("  ") and group is None:
            if piece.strip():
                fresh = False
            continue
        name, parameters = function.group(1), re.sub(r"\s+", " ", function.group(2))
        if group and piece.startswith("    "):
            if name in ("group", "id", "rank"):
                fresh = False
                continue
            op = found["group"]
        else:
            op = found.setdefault(name, Operation(name, doc))
            if fresh and doc not in op.doc:
                op.doc += " " + doc
        op.forms.append(f"{name}({parameters})")
        op.rules += [rule for rule in assert_texts(piece) if rule not in op.rules]
        fresh = False
        if piece.endswith("\n\n"):  # a comment speaks for the functions that follow it without a blank line
            doc = ""
    return found, common


def short_form(form):
    name, parameters = form.split("(", 1)
    names = []
    for p in re.split(r",\s*(?![^<]*>)", parameters.rstrip(")")):
        p = p.strip()
        default = " = " + p.split("=")[1].strip() if "=" in p else ""
        p = p.split("=")[0].strip()
        kind = "coord " if p.startswith("coord") else ""
        names.append(kind + p.split()[-1].lstrip("&") + default if p else "")
    return f"`{name}({', '.join(n for n in names if n)})`"


def lowering_of(header, name):
    table = LOWERING[header]
    return table.get(name) or table.get("*")


def cost_lines(costs, names):
    rows = []
    for o in costs["operations"]:
        if o["operation"].split(" ")[0].rstrip(",") not in names:
            continue
        own = o["own"]
        sends = ", ".join(f"{n} {kind}" for kind, n in o["sends"].items()) or "none"
        rows.append(f"| `{o['name']}` | {o['operands']} | {o['kernel']['instructions']} | {own['instructions'] if own else ''} | {o['kernel']['dpas'] or ''} | {sends} |")
    return rows


def tile_rules():
    out = ["## Legal tiles", "", "From `include/kittens/tile/`; the compiler says these lines first where a type breaks one.", ""]
    for header in ("rt", "st", "gl"):
        for rule in assert_texts((ROOT / f"include/kittens/tile/{header}.hpp").read_text()):
            line = f"- {rule}"
            if line not in out:
                out.append(line)
    return out


def generate():
    costs = json.loads(COSTS.read_text())
    compiler = ", ".join(f"{tool} {version}" for tool, version in costs["compiler"].items())
    out = ["<!-- Written by scripts/operations.py from the headers and docs/operations-pvc.json. Do not edit. -->", "# Operations", "",
           "Every tile operation: what it means, what it takes, how each target does it, and what it costs on pvc. A call is made by",
           "one subgroup; `dst` comes first, and may be a source. The rules are the texts with which the compiler rejects a misuse.", "",
           "Lowering: *xe* is the code for Intel GPUs; `emulated` runs the same code with the instructions answered by the model, and",
           "*cpu* is native SIMD code.", "",
           f"Cost is *compiled*, not measured: pvc, {costs['grf']} registers, {compiler}. It is that of a kernel that loads its operands, does",
           "the operation once and stores the result (`tools/kittens/ops/operation_kernels.cpp`); *own* is what it has more than the same",
           "kernel without the operation. Sends leave out the kernel's own arguments and end. `kittens inspect --ops --device pvc|bmg|cri`",
           "prints the table for each GPU.", ""]
    out += tile_rules()
    used = set()
    for header in HEADERS:
        text = (ROOT / f"include/kittens/ops/{header}.hpp").read_text()
        operations, common = parse(text)
        out += ["", f"## {header}.hpp", "", purpose(text), ""]
        macros = {key[1]: names for key, names in operations.items() if isinstance(key, tuple)}
        for kind, names in macros.items():
            forms = {"unary": "`f(dst, src)`",
                     "binary": "`f(dst, a, b)`, `f(dst, a, scalar)`, and `f_row(dst, src, per_row)`, `f_col(dst, src, per_col)`",
                     "reduction": "`row_f(dst, src)`, `col_f(dst, src)` (for register tiles also with a start value, third), and `f(src)` over all elements"}[kind]
            out += [f"Named {kind} operations, {forms}: " + ", ".join(f"`{n}`" for n in names) + ".", ""]
        for key, op in operations.items():
            if isinstance(key, tuple):
                continue
            entry = lowering_of(header, op.name)
            if not entry:
                raise SystemExit(f"operations.py: {header}.hpp has {op.name}, for which LOWERING says nothing; add how each target does it")
            used.add((header, op.name if op.name in LOWERING[header] else "*"))
            forms = list(dict.fromkeys(short_form(f) for f in op.forms))
            out += [f"### {op.name}", "", op.doc.strip() or "As its name says.", "", "- forms: " + ", ".join(forms)]
            for rule in op.rules + (common if header == "mma" else []):
                out.append(f"- rule: {rule}")
            out += [f"- xe: {entry[0]}", f"- cpu: {entry[1]}", ""]
        names = {op.name for key, op in operations.items() if not isinstance(key, tuple)}
        for kind, list_ in macros.items():
            for n in list_:
                names |= {n, f"row_{n}", f"col_{n}"} if kind == "reduction" else {n, f"{n}_row", f"{n}_col"}
        rows = cost_lines(costs, names) if header != "shared" else []
        if header == "shared":
            rows = [r for r in cost_lines(costs, {"load", "store"}) if "shared" in r]
        else:
            rows = [r for r in rows if "shared" not in r]
        if rows:
            out += ["| one-operation kernel on pvc | operands | instructions | own | dpas | sends |", "|---|---|---|---|---|---|", *rows, ""]
    for header, table in LOWERING.items():
        for name in table:
            if (header, name) not in used:
                raise SystemExit(f"operations.py: LOWERING[{header}][{name}] is for no operation of {header}.hpp")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip() + "\n"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        raise SystemExit(__doc__)
    text = generate()
    if not sys.argv[1:]:
        DOCUMENT.write_text(text)
        return 0
    old = DOCUMENT.read_text() if DOCUMENT.exists() else ""
    if old == text:
        return 0
    print("docs/operations.md is not what the headers say; run scripts/operations.py")
    for line in list(difflib.unified_diff(old.splitlines(), text.splitlines(), "docs/operations.md", "headers", lineterm="", n=0))[:40]:
        print(line)
    return 1


if __name__ == "__main__":
    sys.exit(main())
