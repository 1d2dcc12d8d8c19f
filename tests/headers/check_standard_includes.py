#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a file that uses a name of the standard library includes its header, itself or through the project's own headers.

Standard libraries differ in what their headers bring along: a file that compiles with one release of libstdc++ by luck fails
with the next. Only names with one obvious header are looked at.

Usage: check_standard_includes.py ROOT      exit status 1 and a line for each finding
"""
import os
import re
import sys

ALGORITHMS = (r"(?:ranges::)?(?:sort|stable_sort|nth_element|partial_sort|min|max|minmax|clamp|copy|copy_n|fill|fill_n|find|find_if|"
              r"any_of|all_of|none_of|transform|equal|count_if|max_element|min_element|reverse|replace|rotate|shuffle|lower_bound|"
              r"upper_bound|unique|remove_if)")
NAMES = {
    "algorithm": rf"std::{ALGORITHMS}\b",
    "array": r"std::array\b",
    "cmath": r"std::(?:sqrt|exp|log|abs|fabs|isnan|isinf|tanh|ldexp|exp2|pow|floor|ceil|isfinite)\b",
    "cstdint": r"std::u?int(?:8|16|32|64|ptr)_t\b",
    "cstring": r"std::(?:memcpy|memset|memcmp|strlen|strcmp)\b",
    "functional": r"std::function\b",
    "memory": r"std::(?:unique_ptr|shared_ptr|make_unique|make_shared)\b",
    "optional": r"std::(?:optional|nullopt)\b",
    "stdexcept": r"std::(?:runtime_error|invalid_argument|out_of_range|logic_error)\b",
}
BASES = ("", "include", "kernels", "tests", "tests/grid", "src", "tools/kittens")
SKIPPED = {"build", ".toolchain", ".git", "freestanding"}  # freestanding: the xe target's own standard headers


def sources(root):
    for directory, below, files in os.walk(root):
        below[:] = [d for d in below if d not in SKIPPED]
        for name in files:
            if name.endswith((".hpp", ".cpp")):
                yield os.path.join(directory, name)


class Includes:
    """What files include, followed through the project's own headers."""

    def __init__(self, root):
        self.root = root
        self.known = {}

    def text(self, path):
        if path not in self.known:
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"//[^\n]*", "", file.read())
            self.known[path] = (text, re.findall(r'#\s*include\s*[<"]([^>"]+)[>"]', text))
        return self.known[path]

    def of(self, path):
        standard, todo, seen = set(), [path], {path}
        while todo:
            current = todo.pop()
            for name in self.text(current)[1]:
                standard.add(name)
                for base in (os.path.dirname(current), *(os.path.join(self.root, b) for b in BASES)):
                    candidate = os.path.normpath(os.path.join(base, name))
                    if os.path.isfile(candidate):
                        if candidate not in seen:
                            seen.add(candidate)
                            todo.append(candidate)
                        break
        return standard


def main():
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        sys.exit(__doc__)
    root = os.path.abspath(sys.argv[1])
    includes = Includes(root)
    missing, looked_at = [], 0
    for path in sorted(sources(root)):
        looked_at += 1
        have = includes.of(path)
        for header, names in NAMES.items():
            used = re.search(names, includes.text(path)[0])
            if used and header not in have:
                missing.append(f"{os.path.relpath(path, root)}: uses {used.group()} without #include <{header}>")
    if looked_at == 0:
        sys.exit(f"no source below {root}")
    print("\n".join(missing) if missing else f"{looked_at} files include what they use")
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
