#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The figure of the book's page on limits: CUB's time divided by ours, and the best that this
ratio could be.

    plot_limits.py [--out build/figures] [--data figures/data]

From the stored targets (book/scripts/targets.py). For each task that was measured over many sizes a
row of panels, one a regime: the ratio with its p10 to p90, and above it, dashed, the ratio of a
kernel that only moves the bytes, launched in the plain way. The grey is what it leaves no room for.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "figures"), str(ROOT / "book/scripts")]
import style  # noqa: E402
from stored_data import StoredData, UnknownKey  # noqa: E402
from target_tables import by_size  # noqa: E402
from targets import REGIMES, TABLE, Targets  # noqa: E402

KINDS = ("sum", "scan")
HIGHEST = 3.0  # of the axis: some microseconds of host work make larger ratios of little interest


def panel(axes, rows, targets):
    """One regime of one task: a line for each kernel of ours, the ceiling, and CUB's own 1."""
    kernels = list(dict.fromkeys((row.kernel, row.block) for row in rows))
    for place, (kernel, block) in enumerate(kernels):
        mine = sorted((row for row in rows if (row.kernel, row.block) == (kernel, block)),
                      key=lambda row: row.n)
        sizes = [row.n for row in mine]
        colour = style.HUES[place % len(style.HUES)]
        axes.fill_between(sizes, [row.ratio_p10 for row in mine], [row.ratio_p90 for row in mine],
                          color=colour, alpha=0.2, linewidth=0)
        axes.plot(sizes, [row.ratio for row in mine], marker="o", markersize=2.5, linewidth=1.4,
                  color=colour, label=f"{kernel}, {block} threads")
    best = {row.n: targets.reference(row).median_us / targets.ceiling(row).median_us
            for row in rows if targets.ceiling(row)}
    sizes = sorted(best)
    limits = [best[n] for n in sizes]
    axes.plot(sizes, limits, linestyle="--", linewidth=1, color=style.DIM, label="only moved")
    axes.fill_between(sizes, limits, [HIGHEST] * len(sizes), color=style.FAINT, alpha=0.5,
                      linewidth=0)
    axes.axhline(1.0, color=style.CUB, linewidth=1, label="CUB")
    style.powers_of_two(axes, 1 << 10, 1 << 30, 4)
    axes.set_ylim(0.5, HIGHEST)


def limits(pyplot, targets, about, path):
    """The figure; None when no task has many sizes."""
    tasks = [(name, rows) for name in KINDS if (rows := by_size(targets, name))]
    if not tasks:
        return None
    figure, grid = pyplot.subplots(len(tasks), len(REGIMES),
                                   figsize=(style.WIDTH, 0.6 + 2.4 * len(tasks)),
                                   sharex=True, sharey=True, squeeze=False)
    for line, (name, rows) in zip(grid, tasks):
        for axes, regime in zip(line, REGIMES):
            found = [row for row in rows if row.regime == regime]
            if found:
                panel(axes, found, targets)
            axes.set_title(f"{name}, {regime}", fontsize=9, loc="left")
        line[0].set_ylabel("CUB's time over ours")
        line[0].legend(fontsize=7, loc="upper right")
    for axes in grid[-1]:
        axes.set_xlabel("n")
    style.settle(figure)
    return style.finish(pyplot, figure, style.where_from(about, "times measured"), path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=Path("build/figures"))
    parser.add_argument("--data", type=Path, default=ROOT / "figures/data")
    arguments = parser.parse_args()
    try:
        data = StoredData(arguments.data)
        targets, about = Targets(data), data.table(TABLE).provenance
    except UnknownKey as error:
        print(f"There are no stored targets: {error}", file=sys.stderr)
        return 1
    pyplot = style.pyplot_for_files()
    if pyplot is None:
        print(style.WITHOUT_MATPLOTLIB, file=sys.stderr)
        return 1
    arguments.out.mkdir(parents=True, exist_ok=True)
    drawn = limits(pyplot, targets, about, arguments.out / "limits.svg")
    if drawn:
        print(drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
