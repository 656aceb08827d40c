#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures of what was measured on a GPU, from the stored runs in figures/data.

    plot_h200.py [--out build/figures] [--data figures/data]

ladder.svg      the rungs of a block reduction, by block size
contention.svg  atomic additions per second against the number of addresses
Device, driver, toolkit and date come from the data files and stand under each figure.
"""

import argparse
import csv
import sys
from pathlib import Path

RUNGS = ["divergent", "bankconf", "sequential", "firstadd", "warpsync", "warpfirst"]


def read(path):
    """(provenance, rows): the `# key: value` lines, and the table below them."""
    with open(path, newline="", encoding="utf-8") as file:
        lines = file.readlines()
    provenance = dict(line[2:].strip().split(": ", 1) for line in lines if line.startswith("# "))
    return provenance, list(csv.DictReader(line for line in lines if not line.startswith("#")))


def addresses(text):
    """The number in "addresses_32"; 2^n may stand for it."""
    base, _, exponent = text.removeprefix("addresses_").partition("^")
    return int(base) ** int(exponent) if exponent else int(text.removeprefix("addresses_"))


def finish(figure, axes, provenance, path):
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.text(0.01, 0.01, ", ".join(provenance[key] for key in ("device", "toolkit", "date")),
                fontsize=7, color="0.4")
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    figure.savefig(path, metadata={"Date": None})
    print(path)


def plot_ladder(pyplot, data, out):
    provenance, rows = read(data / "h200-ladder.csv")
    rows = [row for row in rows
            if row["experiment"] == "partials" and row["quantity"] == "gb_per_s"]
    blocks = sorted({int(row["setting"]) for row in rows})
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for place, block in enumerate(blocks):
        speed = {row["case"]: float(row["value"]) for row in rows if int(row["setting"]) == block}
        axes.plot(range(len(RUNGS)), [speed[rung] for rung in RUNGS], marker="o",
                  color=pyplot.get_cmap("viridis")(0.1 + 0.75 * place / max(1, len(blocks) - 1)),
                  label=f"{block} threads a block")
    axes.set_xticks(range(len(RUNGS)), RUNGS)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("GB/s, measured")
    axes.legend(frameon=False)
    finish(figure, axes, provenance, out / "ladder.svg")


def plot_contention(pyplot, data, out):
    provenance, rows = read(data / "h200-baseline.csv")
    rows = [row for row in rows if row["experiment"] == "contention" and row["unit"] == "G/s"]
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for case in dict.fromkeys(row["case"] for row in rows):
        points = sorted((addresses(row["setting"]), float(row["value"])) for row in rows
                        if row["case"] == case and row["n"] == rows[0]["n"])
        axes.plot(*zip(*points), marker="o", markersize=3, label=case)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("addresses")
    axes.set_ylabel("additions per second (G/s), measured")
    axes.legend(frameon=False)
    finish(figure, axes, provenance, out / "contention.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=Path("build/figures"))
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parent / "data")
    arguments = parser.parse_args()
    try:
        import matplotlib
    except ImportError:
        print("The figures need matplotlib. Debian/Ubuntu: apt install python3-matplotlib",
              file=sys.stderr)
        return 1
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "workbook", "font.size": 9})
    from matplotlib import pyplot
    arguments.out.mkdir(parents=True, exist_ok=True)
    plot_ladder(pyplot, arguments.data, arguments.out)
    plot_contention(pyplot, arguments.data, arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
