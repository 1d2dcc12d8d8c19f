# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of `kittens bench` as bars: one group for each shape, one bar for each peer; and those of `kittens tune`:
every policy's speed relative to the default, so that it shows what each choice is worth.

Usage: plot.py FIGURES.json OUTPUT.{png,svg} [PEER...]

Called by `kittens plot`, which has checked the arguments. Exit status 3: matplotlib is not installed.
"""
import json
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit(3)

# Distinguishable without colour vision, and in print.
COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"]


def shape_label(entry):
    s = entry["shape"]
    return f"{s['m']}\u00b3" if s["m"] == s["n"] == s["k"] else f"{s['m']}\u00d7{s['k']}\u00d7{s['n']}"


def draw(figures, peers):
    entries = [e for e in figures["entries"] if e["passed"]]
    entries.sort(key=lambda e: e["half"] != "square")  # stable: squares first, otherwise as measured
    figure, axes = plt.subplots(figsize=(max(6.0, 1.5 + 0.42 * len(entries)), 4.2), layout="constrained")
    width = 0.8 / len(peers)
    for i, peer in enumerate(peers):
        at, height, below, above = [], [], [], []
        for x, entry in enumerate(entries):
            if peer not in entry["peers"]:
                continue
            found = entry["peers"][peer]
            at.append(x + (i - (len(peers) - 1) / 2) * width)
            height.append(found["ratio"])
            below.append(max(0.0, found["ratio"] - found["ratio_quartiles"][0]))
            above.append(max(0.0, found["ratio_quartiles"][1] - found["ratio"]))
        mean = figures["geomean"].get(peer)
        kinds = {e["peers"][peer]["dtype"] for e in entries if peer in e["peers"]}
        label = peer + ("" if kinds <= {figures["dtype"]} else f" ({', '.join(sorted(kinds))})")
        label += f", geometric mean {mean:.3f}" if mean is not None else ""
        axes.bar(at, height, width, color=COLOURS[i % len(COLOURS)], label=label, yerr=[below, above],
                 error_kw={"linewidth": 0.8, "capsize": 1.5})
    axes.axhline(1.0, color="black", linewidth=1.0, linestyle="--")
    squares = sum(e["half"] == "square" for e in entries)
    if 0 < squares < len(entries):
        axes.axvline(squares - 0.5, color="grey", linewidth=0.8, linestyle=":")
    axes.set_xticks(range(len(entries)), [shape_label(e) for e in entries], rotation=60, ha="right", fontsize=8)
    axes.set_xlim(-0.6, len(entries) - 0.4)
    axes.set_xlabel("M\u00d7K\u00d7N")
    axes.set_ylabel("speed relative to the peer")
    cap = f", all capped to {figures['isa_cap']}" if figures["isa_cap"] else ""
    threads = figures["threads"]
    axes.set_title(f"{figures['kernel']} {figures['dtype']}, suite {figures['suite']}, {figures['device']} ({figures['isa']}{cap}), "
                   f"{threads} thread{'' if threads == 1 else 's'}", fontsize=9)
    axes.legend(fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def draw_policies(figures):
    entries = figures["entries"]
    policies = sorted({p for e in entries for p in e["us"]}, key=lambda p: (p != "default", p))
    figure, axes = plt.subplots(figsize=(max(6.0, 1.5 + 0.55 * len(entries)), 4.2), layout="constrained")
    width = 0.85 / len(policies)
    colours = plt.get_cmap("viridis", len(policies))
    for i, policy in enumerate(policies):
        at = [x for x, e in enumerate(entries) if policy in e["us"] and "default" in e["us"]]
        height = [entries[x]["us"]["default"] / entries[x]["us"][policy] for x in at]
        axes.bar([x + (i - (len(policies) - 1) / 2) * width for x in at], height, width, color=colours(i), label=policy)
    axes.axhline(1.0, color="black", linewidth=1.0, linestyle="--")
    axes.set_xticks(range(len(entries)), [shape_label(e) for e in entries], rotation=60, ha="right", fontsize=8)
    axes.set_xlim(-0.6, len(entries) - 0.4)
    axes.set_xlabel("M\u00d7K\u00d7N")
    axes.set_ylabel("speed relative to the default policy")
    threads = figures["threads"]
    axes.set_title(f"{figures['kernel']} {figures['dtype']}, policies, {figures['device']} ({figures['isa']}), {threads} thread{'' if threads == 1 else 's'}", fontsize=9)
    axes.legend(fontsize=7, frameon=False, ncols=3)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        figures = json.load(f)
    matplotlib.rcParams["svg.fonttype"] = "none"
    drawn = draw_policies(figures) if "left" in figures else draw(figures, sys.argv[3:] or list(figures["peers"]))
    drawn.savefig(sys.argv[2], dpi=160)


if __name__ == "__main__":
    main()
