#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles each public header alone: nothing but the header itself may be needed before it.

Headers below target/ are for their own target; runtime/ and inspect/ for host programs; everything else for every target.
"""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys

MODES = {
    "host": [],
    "cpu": ["-DKITTENS_TARGET_CPU", "-march=x86-64-v3"],
    "cpu_amx": ["-DKITTENS_TARGET_CPU", "-march=sapphirerapids"],
    "emulated": ["-DKITTENS_TARGET_EMULATED"],
    "xe": ["-DKITTENS_TARGET_XE", "--target=spirv64-unknown-unknown", "-fno-exceptions", "-fno-rtti"],
    "xe_software": ["-DKITTENS_TARGET_XE", "-DKITTENS_XE_SOFTWARE", "--target=spirv64-unknown-unknown", "-fno-exceptions", "-fno-rtti"],
    "xe_host_pass": ["-DKITTENS_TARGET_XE", '-DKITTENS_MODULE="none"'],
}
HOST_ONLY = ("runtime/", "inspect/")
# These need a SYCL compiler; the tests of the SYCL back end compile them.
ELSEWHERE = ("runtime/sycl",)
BY_TARGET = {"target/xe/software.hpp": ["xe_software"], "target/cpu/": ["cpu", "cpu_amx"], "target/xe/": ["emulated", "xe", "xe_software"], "target/host/": ["host", "xe_host_pass"]}
# Instruction model and emulator: host code, with no target of its own.
EMULATOR = ("target/emulated/",)


def modes_of(header):
    if header.startswith(ELSEWHERE):
        return []
    if header.startswith(HOST_ONLY):
        return ["host"]
    if header.startswith(EMULATOR):
        return ["host", "emulated"]
    for folder, modes in BY_TARGET.items():
        if header.startswith(folder):
            return modes
    return list(MODES)


def check(compiler, include, header, mode):
    flags = list(MODES[mode])
    if mode.startswith("xe") and mode != "xe_host_pass":
        flags += ["-isystem", str(include / "kittens/target/xe/freestanding")]
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-pragma-once-outside-header",
               "-x", "c++", *flags, "-I", str(include), "-"]
    text = f"#include <kittens/{header}>\n#include <kittens/{header}>\n"
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return None if done.returncode == 0 else f"{header} for {mode}:\n{done.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True, type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="headers with this in their path")
    options = parser.parse_args()
    root = options.include / "kittens"
    headers = sorted(str(p.relative_to(root)) for p in root.rglob("*.hpp"))
    headers = [h for h in headers if options.only in h]
    if not headers:
        sys.exit(f"no headers below {root}")
    has_spirv = "clang" in pathlib.Path(options.compiler).name
    work = [(h, m) for h in headers for m in modes_of(h) if has_spirv or m not in ("xe", "xe_software")]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        failures = [f for f in pool.map(lambda w: check(options.compiler, options.include, *w), work) if f]
    for failure in failures:
        print(failure)
    print(f"{len(headers)} headers, {len(work)} compilations, {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
