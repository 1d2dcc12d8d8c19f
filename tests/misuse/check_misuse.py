#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles misuses of the tile interface and reads the first line of the error: it must name what is wrong and what is legal.

A case is (name, text that the first error line must contain, kernel body or declaration). Every body is compiled a second time in
its corrected form where one is given, so that a case cannot fail for another reason than the one it is about.
"""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys

# name, expected text, wrong body, right body
CASES = [
    ("barrier number", "named_barrier: the number (first parameter) must be from 0 to 30",
     "const named_barrier<31, 0, 4> b(sg); sync(b);", "const named_barrier<30, 0, 4> b(sg); sync(b);"),
    ("barrier of no subgroups", "must be one or more of subgroups 0 to 63",
     "const named_barrier<0, 60, 8> b(sg); sync(b);", "const named_barrier<0, 56, 8> b(sg); sync(b);"),
    ("barrier numbers of groups", "group_barriers: the numbers, from the first (third parameter) on, must be from 0 to 30",
     "const group_barriers<2, 16, 16> b(sg); group<2>(sg).sync(b);", "const group_barriers<2, 16, 15> b(sg); group<2>(sg).sync(b);"),
    ("tile rows", "rows (second parameter) must be a positive multiple of the base shape's rows",
     "rt_fl<24, 32, row, rt_16x16> t; zero(t);", "rt_fl<32, 32, row, rt_16x16> t; zero(t);"),
    ("tile columns", "columns (third parameter) must be a positive multiple of the base shape's columns",
     "rt_fl<32, 40, row, rt_16x16> t; zero(t);", "rt_fl<32, 48, row, rt_16x16> t; zero(t);"),
    ("tile element", "the element type must be one of float, bf16, half",
     "rt<double, 32, 32> t;", "rt<float, 32, 32> t;"),
    ("byte base shape", "illegal base shape (fifth parameter)",
     "rt<int8, 32, 32, row, rt_16x16> t; zero(t);", "rt<int8, 32, 32, row, rt_16x32> t; zero(t);"),
    ("packed base shape", "illegal base shape (fifth parameter)",
     "rt<bf16, 32, 32, col, rt_8x16> t; zero(t);", "rt<bf16, 32, 32, col, rt_16x16> t; zero(t);"),
    ("tile too large", "exceeds the 16384 bytes of a subgroup's 256 registers",
     "rt_fl<128, 64> t; zero(t);", "rt_fl<64, 64> t; zero(t);"),
    ("vector length", "the length (second parameter) must be a positive multiple of 8",
     "rv<float, 20> v; zero(v);", "rv<float, 24> v; zero(v);"),
    ("wide vector length", "of a wide vector must be a multiple of 128",
     "rv<float, 64, wide> v; zero(v);", "rv<float, 128, wide> v; zero(v);"),
    ("product layout of b", "mma_AB: b (third argument) must have col layout",
     "rt_fl<32, 32> c; rt_bf<32, 32> a, b; zero(c); zero(a); zero(b); mma_AB(c, a, b, c);",
     "rt_fl<32, 32> c; rt_bf<32, 32> a; rt_bf<32, 32, col> b; zero(c); zero(a); zero(b); mma_AB(c, a, b, c);"),
    ("product layout of a", "mma_AB: a (second argument) must have row layout",
     "rt_fl<32, 32> c; rt_bf<32, 32, col> a, b; zero(c); zero(a); zero(b); mma_AB(c, a, b, c);", None),
    ("product depth", "disagree on the inner dimension K",
     "rt_fl<32, 32> c; rt_bf<32, 32> a; rt_bf<64, 32, col> b; zero(c); zero(a); zero(b); mma_AB(c, a, b, c);", None),
    ("product types", "must be both bf16, both half, both tf32, 8-bit integers, or 8-bit floats",
     "rt_fl<32, 32> c; rt_bf<32, 32> a; rt_hf<32, 32, col> b; zero(c); zero(a); zero(b); mma_AB(c, a, b, c);", None),
    ("product accumulator", "the accumulator must be float, or int32 for 8-bit integer operands",
     "rt_bf<32, 32> c, a; rt_bf<32, 32, col> b; zero(c); zero(a); zero(b); mma_AB(c, a, b, c);", None),
    ("product shape", "must be M x N where a is M x K and b is K x N",
     "rt_fl<16, 32> c; rt_bf<32, 32> a; rt_bf<32, 32, col> b; zero(c); zero(a); zero(b); mma_AB(c, a, b, c);", None),
    ("transposed product", "mma_ABt: b (third argument) must have row layout",
     "rt_fl<32, 32> c; rt_bf<32, 32> a; rt_bf<32, 32, col> b; zero(c); zero(a); zero(b); mma_ABt(c, a, b, c);", None),
    ("packing into row layout", "load_transform: the tile (first argument) is the B operand of a product and must have col layout",
     "rt_bf<32, 32> t; load_transform(t, g.a, {0, 0});", "rt_bf<32, 32, col> t; load_transform(t, g.a, {0, 0});"),
    ("packing floats", "packing exists for 8-bit and 16-bit elements",
     "rt<float, 32, 32, col> t; load_transform(t, g.f, {0, 0});", "rt<float, 32, 32, col> t; load(t, g.f, {0, 0});"),
    ("packing with conversion", "tile and global layout must have the same element type",
     "rt_hf<32, 32, col> t; load_transform(t, g.a, {0, 0});", "rt_hf<32, 32, col> t; load(t, g.a, {0, 0});"),
    ("transposing with conversion", "load_transpose: tile and global layout must have the same element type",
     "rt_hf<32, 32, col> t; load_transpose(t, g.a, {0, 0});", "rt_bf<32, 32, col> t; load_transpose(t, g.a, {0, 0});"),
    ("store to const", "the global layout (first argument) holds const elements",
     "rt_bf<32, 32> t; zero(t); store(g.a, t, {0, 0});", "rt_bf<32, 32> t; zero(t); store(g.o, t, {0, 0});"),
    ("prefetch block rows", "a block has 1, 2, 4, 8, 16 or 32 rows",
     "rt_bf<32, 32> t; prefetch_load_coop<base_shape{12, 32}>(t, g.a, {0, 0}, {0, 0});",
     "rt_bf<32, 32> t; prefetch_load_coop<base_shape{16, 32}>(t, g.a, {0, 0}, {0, 0});"),
    ("prefetch block columns", "a block's row is at most 64 bytes",
     "rt_bf<32, 64> t; prefetch_load_coop<base_shape{8, 64}>(t, g.a, {0, 0}, {0, 0});", None),
    ("row map vector", "one element per row of the tile",
     "rt_fl<32, 64> t; rv<float, 64> v; zero(t); zero(v); add_row(t, t, v);",
     "rt_fl<32, 64> t; rv<float, 32> v; zero(t); zero(v); add_row(t, t, v);"),
    ("column map vector", "one element per column of the tile",
     "rt_fl<32, 64> t; rv<float, 32> v; zero(t); zero(v); add_col(t, t, v);", None),
    ("row reduction vector", "one element per row of the tile",
     "rt_fl<32, 64> t; rv<float, 64> v; zero(t); row_sum(v, t);", None),
    ("integer reduction", "must both hold integers, or both floats",
     "rt_i32<32, 64> t; rv<float, 32> v; zero(t); row_sum(v, t);",
     "rt_i32<32, 64> t; rv<int32, 32> v; zero(t); row_sum(v, t);"),
    ("copy shapes", "copy: both tiles must have the same rows and columns",
     "rt_fl<32, 32> t; rt_bf<32, 64> u; zero(t); copy(u, t);", None),
    ("copy layouts", "use swap_layout to change it",
     "rt_bf<32, 32> t; rt_bf<32, 32, col> u; zero(t); copy(u, t);",
     "rt_bf<32, 32> t; rt_bf<32, 32, col> u; zero(t); swap_layout(u, t);"),
    ("swap layout types", "use copy to convert",
     "rt_fl<32, 32> t; rt_bf<32, 32, col> u; zero(t); swap_layout(u, t);", None),
    ("transpose shapes", "dst (first argument) must be N x M where src is M x N",
     "rt_bf<32, 64> t, u; zero(t); transpose(u, t);", "rt_bf<32, 64> t; rt_bf<64, 32> u; zero(t); transpose(u, t);"),
    ("subtile", "the tile must divide into M x N parts",
     "rt_fl<32, 64> t; zero(t); auto p = subtile<32, 48>(t, 0, 0); (void)p;",
     "rt_fl<32, 64> t; zero(t); auto p = subtile<32, 32>(t, 0, 0); (void)p;"),
    ("wide load of a narrow vector", "must have wide form",
     "rv<bf16, 128> v; load_wide(v, g.a, {0, 0});", "rv<bf16, 128, wide> v; load_wide(v, g.a, {0, 0});"),
    ("shared tile columns", "columns (third parameter) a positive multiple of 16",
     "st_bf<32, 24> s{}; (void)s;", "st_bf<32, 32> s{}; (void)s;"),
    ("shared tile shape", "must have the same rows and columns; use subtile for a part",
     "st_bf<64, 32> s; rt_bf<32, 32> t; load(t, s);", "st_bf<64, 32> s; rt_bf<32, 32> t; load(t, subtile<32, 32>(s, 1, 0));"),
    ("group load", "the shared tile must have N times the register tile's rows",
     "st_bf<64, 32> s; rt_bf<64, 32> t; group<2>(sg).load(t, s);", "st_bf<64, 32> s; rt_bf<32, 32> t; group<2>(sg).load(t, s);"),
]
# What the xe registers hold is no limit of the cpu target.
XE_ONLY = {"tile too large"}

PROGRAM = """
#include <kittens/kittens.hpp>
namespace kernels::inline KITTENS_NS {{
using namespace kittens;
struct k {{
    struct globals {{ gl<const bf16> a; gl<const float> f; gl<bf16> o; }};
    static launch_shape geometry(const globals&) {{ return {{}}; }}
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {{ (void)g, (void)sg; {body} }}
}};
}}
KITTENS_KERNEL(misuse, kernels::k)
"""
TARGETS = {"emulated": ["-DKITTENS_TARGET_EMULATED"], "cpu": ["-DKITTENS_TARGET_CPU", "-march=x86-64-v3"]}


def compile_body(options, target, body):
    command = [options.compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", *TARGETS[target], "-I", str(options.include), "-"]
    return subprocess.run(command, input=PROGRAM.format(body=body), capture_output=True, text=True)


def check(options, target, name, expected, wrong, right):
    done = compile_body(options, target, wrong)
    if done.returncode == 0:
        return f"{name} ({target}): compiled, but must not"
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    if not errors or expected not in errors[0]:
        return f"{name} ({target}): the first error is\n    {errors[0] if errors else done.stderr[:400]}\n  and does not say\n    {expected}"
    if right is not None:
        done = compile_body(options, target, right)
        if done.returncode != 0:
            return f"{name} ({target}): the corrected form does not compile:\n{done.stderr[:1500]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="", help="cases with this in their name")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    work = [(target, *case) for case in CASES for target in TARGETS
            if options.only in case[0] and not (target == "cpu" and case[0] in XE_ONLY)]
    if not work:
        sys.exit(f"no case has '{options.only}' in its name")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda w: check(options, *w), work))
    failures = [r for r in results if r]
    print("\n".join(failures))
    print(f"{len(work) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
