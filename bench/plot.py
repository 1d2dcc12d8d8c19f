# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of `kittens bench` as bars: one group for each shape, one bar for each peer; those of `kittens bench all`: one
group for each kernel; and those of `kittens tune`: every policy's speed relative to the default, so that it shows what each choice
is worth.

Usage: plot.py FIGURES.json OUTPUT.{png,svg} [PEER...]

Called by `kittens plot`, which has checked the arguments. Exit status 3: matplotlib is not installed.
"""
import json
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import matplotlib.ticker
except ImportError:
    sys.exit(3)

# Distinguishable without colour vision, and in print.
COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"]


def shape_label(entry):
    s = entry["shape"]
    return f"{s['m']}\u00b3" if s["m"] == s["n"] == s["k"] else f"{s['m']}\u00d7{s['k']}\u00d7{s['n']}"


def circumstances(figures):
    cap = f", all capped to {figures['isa_cap']}" if figures["isa_cap"] else ""
    threads = figures["threads"]
    return f"{figures['device']} ({figures['isa']}{cap}), {threads} thread{'' if threads == 1 else 's'}"


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
    axes.set_title(f"{figures['kernel']} {figures['dtype']}, suite {figures['suite']}, {circumstances(figures)}", fontsize=9)
    axes.legend(fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def sideways_bars(axes, groups, series, label_of, start=0.0):
    """Bars from `start`. groups: names from top to bottom; series: for each, a mapping of group to (value, below, above)."""
    most = max([1] + [sum(group in values for values in series.values()) for group in groups])
    height = 0.8 / most
    for i, (name, values) in enumerate(series.items()):
        present = [(y, group) for y, group in enumerate(groups) if group in values]
        if not present:
            continue
        # A group's bars are side by side, whoever is missing in it.
        others = [[n for n, v in series.items() if group in v] for _, group in present]
        at = [y + (names.index(name) - (len(names) - 1) / 2) * height for (y, _), names in zip(present, others)]
        chosen = [values[group] for _, group in present]
        axes.barh(at, [v[0] - start for v in chosen], height, left=start, color=COLOURS[i % len(COLOURS)], label=label_of(name))
        axes.errorbar([v[0] for v in chosen], at, xerr=[[v[1] for v in chosen], [v[2] for v in chosen]], fmt="none", ecolor="black", elinewidth=0.8, capsize=1.5)
    axes.axvline(1.0, color="black", linewidth=1.0, linestyle="--")
    axes.set_yticks(range(len(groups)), groups, fontsize=8)
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.spines[["top", "right"]].set_visible(False)


def speeds(axes, groups, series, label_of):
    """Ratios on a logarithmic axis: to the right of 1 we are faster."""
    sideways_bars(axes, groups, series, label_of, start=1.0)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(matplotlib.ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 0.5), max(high, 2.0))
    axes.legend(fontsize=8, frameon=False)


def draw_operators(figures, peers):
    """Left: speed relative to each peer. Right: what part of the bandwidth of a plain copy, where memory is what takes the time."""
    entries = [e for e in figures["entries"] if e["passed"]]

    def name(e):
        return ", ".join(filter(None, (e["text"], e["workload"], e["cache"])))

    groups = list(dict.fromkeys(name(e) for e in entries))
    peers = [p for p in peers if any(p in e["peers"] for e in entries)]
    ratios = {p: {} for p in peers}
    for e in entries:
        for p in peers:
            if p in e["peers"]:
                found = e["peers"][p]
                low, high = found["ratio_quartiles"]
                ratios[p][name(e)] = (found["ratio"], max(0.0, found["ratio"] - low), max(0.0, high - found["ratio"]))
    parts = {name(e): (e["of_bandwidth"], 0, 0) for e in entries if e["of_bandwidth"] is not None}
    panels = 2 if parts else 1
    figure, axes = plt.subplots(1, panels, squeeze=False, sharey=True, figsize=(9.5 if parts else 8.0, 1.6 + (0.16 + 0.1 * len(peers)) * len(groups)),
                                layout="constrained", width_ratios=[2, 1][:panels])

    def label(peer):
        mean = figures["geomean"].get(peer)
        return peer + (f", geometric mean {mean:.3g}" if mean is not None else "")

    speeds(axes[0][0], groups, ratios, label)
    axes[0][0].set_xlabel("speed relative to the peer")
    if parts:
        sideways_bars(axes[0][1], groups, {"": parts}, lambda _: None)
        axes[0][1].set_xlabel("of bandwidth")
    figure.suptitle(f"{figures['kernel']} {figures['dtype']}, suite {figures['suite']}, {circumstances(figures)}", fontsize=9)
    return figure


def draw_all(document, peers):
    """A group for each kernel: geometric mean over its suite of the speed relative to each peer."""
    reports = document["reports"]
    names = list(dict.fromkeys(p for r in reports for p in r["peers"] if (not peers or p in peers) and r["geomean"].get(p) is not None))
    means = {p: {r["kernel"]: (r["geomean"][p], 0, 0) for r in reports if r["geomean"].get(p) is not None} for p in names}
    groups = [r["kernel"] for r in reports if any(r["kernel"] in m for m in means.values())]
    figure, axes = plt.subplots(figsize=(8.0, 1.4 + (0.12 + 0.08 * len(names)) * len(groups)), layout="constrained")
    speeds(axes, groups, means, lambda name: name)
    axes.set_xlabel("speed relative to the peer, geometric mean of the suite")
    axes.set_title(f"suite {document['suite']}, {circumstances(reports[0])}", fontsize=9)
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
    peers = sys.argv[3:]
    if "left" in figures:
        drawn = draw_policies(figures)
    elif "reports" in figures:
        drawn = draw_all(figures, peers)
    elif all("text" in e for e in figures["entries"]):
        drawn = draw_operators(figures, peers or list(figures["peers"]))
    else:
        drawn = draw(figures, peers or list(figures["peers"]))
    drawn.savefig(sys.argv[2], dpi=160)


if __name__ == "__main__":
    main()
