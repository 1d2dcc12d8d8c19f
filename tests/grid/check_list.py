#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_list.py KITTENS-GRID FAMILY...: the grid is as large as it says, the same on all targets, and bad options are errors."""
import collections
import json
import subprocess
import sys

program, families = sys.argv[1], set(sys.argv[2:])
TARGETS = ["cpu", "emulated", "xe"]


def run(*words):
    return subprocess.run([program, *words], capture_output=True, text=True)


def expect(condition, message):
    if not condition:
        sys.exit(f"check_list: {message}")


cases = json.loads(run("--list", "--json", "-").stdout)["cases"]
names = collections.defaultdict(list)
for case in cases:
    names[case["target"]].append(case["name"])
    expect(case["name"].startswith(case["family"] + "/"), f"{case['name']} is not named after its family {case['family']}")
expect(sorted(names) == TARGETS, f"targets are {sorted(names)}")
for target in TARGETS:
    expect(len(set(names[target])) == len(names[target]), f"names on {target} are not unique")
    expect(names[target] == names["cpu"], f"{target} has other cases than cpu")
    expect(len(names[target]) >= 1435, f"only {len(names[target])} cases on {target}")
found = {case["family"] for case in cases}
expect(found == families, f"families without a test, or the reverse: {sorted(found ^ families)}")
paper = json.loads(run("--list", "--paper", "--target", "cpu", "--json", "-").stdout)["cases"]
expect(len(paper) == 1032, f"--paper chooses {len(paper)} cases, not 1032")

for words, text in [
    (["--filter", "no such case"], "no case matches"),
    (["--target", "gpu"], "the targets are cpu, emulated, xe"),
    (["--seed", "-1", "--list"], "seed"),
    (["--list", "--json", "/nonexistent/file"], "cannot write"),
    (["--no-such-option"], "--help"),
]:
    result = run(*words)
    expect(result.returncode == 2 and text in result.stderr and result.stderr.count("\n") == 1, f"{words}: status {result.returncode}, {result.stderr!r}")
print(f"{len(names['cpu'])} cases on each target, {len(paper)} of them with --paper")
