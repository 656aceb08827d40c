#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The figures about the timing model, about what bounds a kernel, and about rounding, from stored
data.

    plot_model.py [--out build/figures] [--data figures/data]

blind: modelled beside measured times; parts: what the modelled time of each rung consists of;
roofline: instructions and bytes of each rung; caches: a stretch per thread beside the grid-stride
loop; errors: how far float sums are from the correctly rounded one. A figure whose data are missing
is not drawn.
"""

import argparse
import csv
import json
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "figures"), str(ROOT / "common/scripts")]
import style  # noqa: E402
from simt_tables import PARTS  # noqa: E402

MODELLED, MEASURED = "modelled", "measured"


def table(path):
    """(provenance, rows) of a stored CSV."""
    lines = path.read_text(encoding="utf-8").splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    return about, list(csv.DictReader(line for line in lines if not line.startswith("#")))


def sweep(data):
    """(provenance, {(lesson, variant, n): row}) of the H200's sweep, 256 threads per block."""
    lines = [json.loads(line)
             for line in (data / "h200-sweep.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = {(row["lesson"], row["variant"], row["n"]): row for row in lines[1:]
            if row["block"] == 256 and row.get("parameter") is None}
    return lines[0]["provenance"], rows


# --- modelled beside measured ---------------------------------------------------------------------

def points_panel(axes, title, points, colour):
    axes.set_xscale("log")
    axes.set_yscale("log")
    span = (2, 2000)
    axes.fill_between(span, [0.8 * x for x in span], [1.2 * x for x in span], color=style.FAINT,
                      linewidth=0)
    axes.plot(span, span, color=style.DIM, linewidth=0.8)
    axes.plot(*zip(*points), linestyle="none", marker="o", markersize=3.2, markerfacecolor="none",
              markeredgewidth=0.9, color=colour)
    marks = (2, 10, 100, 1000)
    axes.set_xticks(marks, [f"{mark:,}" for mark in marks])
    axes.set_yticks(marks, [f"{mark:,}" for mark in marks])
    axes.set_xlim(span)
    axes.set_ylim(span)
    axes.set_aspect("equal")
    axes.set_title(title, fontsize=9, loc="left")
    axes.set_xlabel("measured, µs")


def blind(pyplot, data, path):
    about, rows = table(data / "h200-blind.csv")
    lessons = []
    for name in ("compare.csv", "compare-2-26.csv"):
        lessons += [row for row in table(data / name)[1] if row["stored_ms"] and row["time_ms"]
                    and row["stored_n"] == row["n"]]
    figure, panels = style.start(pyplot, 3.0, columns=3, sharey=True)
    second = frozen_rows(data)
    points_panel(panels[0], "second set, model frozen:\nblind",
                 [(1e3 * row["measured_ms"], 1e3 * row["frozen_ms"]) for row in second], style.BLUE)
    points_panel(panels[1], "first set, as it is now:\nlooked at", pairs(rows, "modelled_ms"),
                 style.OCHRE)
    points_panel(panels[2], "the lessons:\nseen while building",
                 [(1e3 * float(row["stored_ms"]), 1e3 * float(row["time_ms"])) for row in lessons],
                 style.GREEN)
    panels[0].set_ylabel("modelled, µs")
    style.settle(figure)
    note = style.where_from(about, "modelled beside measured times; grey: within 20 %")
    return style.finish(pyplot, figure, note, path)


def frozen_rows(data):
    """The second blind set: measured times, and those of the model that was frozen before."""
    about, measured = table(data / "h200-blind-second.csv")
    empty_ms = 1e-3 * float(re.search(r"an empty kernel ([0-9.]+) us", about["method"])[1])
    work = {(row["kernel"], row["n"]): float(row["work_ms"])
            for row in table(data / "simt-blind-second.csv")[1]}
    return [{"measured_ms": float(row["measured_ms"]),
             "frozen_ms": empty_ms + work[row["kernel"], row["n"]]} for row in measured]


def pairs(rows, column):
    return [(1e3 * float(row["measured_ms"]), 1e3 * float(row[column])) for row in rows]


# --- where the time goes --------------------------------------------------------------------------

PART_NAMES = {"launch": "launch", "latency": "waiting", "dram": "DRAM", "l2": "L2", "l1": "L1",
              "shared": "shared", "issue": "issue", "lanes": "units", "block": "blocks",
              "atomic": "atomics"}
SHORT = {"one_address": "one address", "spread_1024": "1,024 addresses"}


def short(row):
    return f"{row['lesson'][:2]} {SHORT.get(row['variant'], row['variant'].replace('_', ' '))}"


def parts(pyplot, data, path):
    about, rows = table(data / "simt-parts.csv")
    rows = [row for row in rows if row["n"] == str(1 << 22)]
    figure, axes = style.start(pyplot, 0.9 + 0.29 * len(rows))
    for line, row in enumerate(rows):
        for column, part in enumerate(PARTS):
            share = float(row[f"{part}_share"])
            if share < 0.005:
                continue
            width = 0.86 * min(1.0, share)
            axes.barh(line + 0.27, 0.86, left=column, height=0.09, color=style.FAINT)
            axes.barh(line + 0.27, width, left=column, height=0.09,
                      color=style.RED if part == row["bound"] or share > 0.75 else style.BLUE)
            axes.text(column, line + 0.13, f"{100 * share:.0f}", fontsize=8, va="bottom")
    axes.set_yticks(range(len(rows)), [short(row) for row in rows])
    axes.set_xticks([column + 0.43 for column in range(len(PARTS))],
                    [PART_NAMES[part] for part in PARTS])
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_xlim(-0.1, len(PARTS))
    axes.set_ylim(len(rows) - 0.4, -0.5)
    for side in ("bottom", "left"):
        axes.spines[side].set_visible(False)
    style.settle(figure)
    note = (f"{about['device']}, n = {style.power(1 << 22)}; % of the modelled time that each part "
            "is busy; parts overlap")
    return style.finish(pyplot, figure, note, path)


# --- roofline -------------------------------------------------------------------------------------

# A rung, and on which side of its point the name stands.
ROOF = (("01_shared_tree", "modulo", "below"), ("01_shared_tree", "strided", "right"),
        ("02_bank_conflicts", "sequential", "above"), ("03_upper_half", "items_4", "right"),
        ("03_upper_half", "items_8", "right"), ("05_shuffle", "warp_first", "below"),
        ("06_grid_stride", "grid_stride", "right"), ("06_grid_stride", "unroll_8", "right"),
        ("06_grid_stride", "vectors", "right"))
SIDES = {"right": {"xytext": (6, -3), "ha": "left"},
         "above": {"xytext": (0, 6), "ha": "center"}, "below": {"xytext": (0, -13), "ha": "center"}}
SMS, SCHEDULERS = 132, 4  # of an H200


def roofline(pyplot, data, path):
    about, measured = sweep(data)
    n = 1 << 26
    counted = {(row["lesson"], row["variant"]): row for row in table(data / "compare-2-26.csv")[1]}
    ghz = float(about["clocks"].split()[1]) / 1e3
    issue, sectors = SMS * SCHEDULERS * ghz, about["ceilings"]["read"] / 32
    figure, axes = style.start(pyplot, 4.6)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    knee = issue / sectors
    axes.plot((0.25, knee, 64), (0.25 * sectors, issue, issue), color=style.DIM, linewidth=1.4)
    axes.annotate(f"memory: {sectors * 32:,.0f} GB/s", (1.1, 1.1 * sectors), rotation=36,
                  fontsize=8,
                  color=style.DIM, ha="right", xytext=(-4, 8), textcoords="offset points")
    axes.annotate(f"issue: {issue:,.0f} G warp instructions/s", (64, issue), fontsize=8,
                  color=style.DIM,
                  ha="right", xytext=(0, 4), textcoords="offset points")
    for lesson, variant, side in ROOF:
        count, row = counted[lesson, variant], measured[lesson, variant, n]
        instructions = float(count["warp_instructions"])
        x, y = instructions / (4 * n / 32), instructions / row["time_ms"] * 1e-6
        axes.plot([x], [y], marker="o", markersize=5, color=style.BLUE)
        axes.annotate(f"{lesson[:2]} {variant.replace('_', ' ')}", (x, y), fontsize=8,
                      color=style.BLUE,
                      textcoords="offset points", **SIDES[side])
    axes.set_xlim(0.25, 64)
    axes.set_ylim(32, 2048)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlabel("warp instructions per 32 bytes that must move")
    axes.set_ylabel("G warp instructions per second")
    axes.grid(True)
    style.settle(figure)
    said = f"n = {style.power(n)}; times measured, PTX instructions counted on the software GPU"
    note = style.where_from(about, said)
    return style.finish(pyplot, figure, note, path)


# --- a stretch per thread beside the grid-stride loop ---------------------------------------------

def caches(pyplot, data, path):
    about, measured = sweep(data)
    _, rows = table(data / "simt-parts.csv")
    walks = ("chunked", "grid_stride")
    figure, (left, right) = style.start(pyplot, 3.6, columns=2)
    for walk, colour in zip(walks, (style.OCHRE, style.BLUE)):
        points = sorted((n, row["gb_per_s"]) for (lesson, variant, n), row in measured.items()
                        if variant == walk and n >= 1 << 16)
        left.plot(*zip(*points), marker="o", color=colour)
        left.annotate(walk.replace("_", " "), points[-1], xytext=(-2, 7),
                      textcoords="offset points", fontsize=8,
                      ha="right", color=colour)
    style.powers_of_two(left, 1 << 16, 1 << 30, 4)
    left.set_ylim(0, 3000)
    left.set_xlabel("n")
    left.set_ylabel("GB/s, measured")
    left.grid(axis="y")
    found = [row for row in rows if row["variant"] in walks and int(row["n"]) >= 1 << 20]
    found.sort(key=lambda row: (int(row["n"]), row["variant"]))
    for line, row in enumerate(found):
        start = 0.0
        for share, colour in zip(answered(row), (style.GREEN, style.SKY, style.VIOLET)):
            right.barh(line, 100 * share, left=start, height=0.66, color=colour)
            start += 100 * share
    right.set_yticks(range(len(found)),
                     [f"{row['variant'].replace('_', ' ')}, {style.power(int(row['n']))}"
                                         for row in found])
    right.invert_yaxis()
    right.set_xlim(0, 100)
    right.set_xlabel("% of the sectors that loads ask for")
    for name, colour, place in (("from L1", style.GREEN, 0.0), ("from L2", style.SKY, 0.4),
                                ("from DRAM", style.VIOLET, 0.75)):
        right.text(place, 1.03, name, color=colour, fontsize=8, transform=right.transAxes)
    style.settle(figure)
    note = style.where_from(about,
                            "left: times measured; right: caches simulated by the software GPU")
    return style.finish(pyplot, figure, note, path)


def answered(row):
    """Shares of the sectors that loads ask for, by what answers: L1, L2, DRAM."""
    l1 = float(row["l1_hits"]) / max(1.0, float(row["l1_sectors"]))
    dram = min(1.0 - l1, float(row["dram_read_bytes"]) / 32 / float(row["l2_sectors"]))
    return l1, 1.0 - l1 - dram, dram


# --- rounding -------------------------------------------------------------------------------------

METHODS = (("00_naive_atomic", "one_address", "one after another", style.RED),
           ("06_grid_stride", "chunked", "a stretch per thread", style.OCHRE),
           ("06_grid_stride", "vectors", "grid-stride loop", style.BLUE),
           ("02_bank_conflicts", "sequential", "tree", style.GREEN),
           ("11_exact_sum", "neumaier", "compensated", style.VIOLET))


def errors(pyplot, data, path):
    about, rows = table(data / "simt-errors.csv")
    figure, axes = style.start(pyplot, 4.0)
    axes.set_yscale("symlog", linthresh=1e-7, linscale=0.4)
    labels = []
    for lesson, variant, name, colour in METHODS:
        points = sorted((int(row["n"]), float(row["error"])) for row in rows
                        if (row["lesson"], row["variant"]) == (lesson, variant))
        axes.plot(*zip(*points), marker="o", color=colour)
        labels.append((*points[-1], name, colour))
    sizes = sorted({int(row["n"]) for row in rows})
    style.powers_of_two(axes, sizes[0], sizes[-1])
    axes.set_ylim(-4e-8, 0.1)
    axes.set_yticks((0, 1e-6, 1e-4, 1e-2), ("0", "$10^{-6}$", "$10^{-4}$", "$10^{-2}$"))
    axes.minorticks_off()
    axes.set_xlabel("n")
    axes.set_ylabel("distance from the correctly rounded sum")
    axes.grid(axis="y")
    style.settle(figure, 0.8)
    style.end_labels(figure, axes, labels)
    note = f"largest error of four inputs; {about['toolkit']}, {about['device']}"
    return style.finish(pyplot, figure, note, path)


FIGURES = {"blind": (blind, ("h200-blind.csv", "h200-blind-second.csv", "simt-blind-second.csv",
                             "compare.csv", "compare-2-26.csv")),
           "parts": (parts, ("simt-parts.csv",)),
           "roofline": (roofline, ("h200-sweep.jsonl", "compare-2-26.csv")),
           "caches": (caches, ("h200-sweep.jsonl", "simt-parts.csv")),
           "errors": (errors, ("simt-errors.csv",))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=Path("build/figures"))
    parser.add_argument("--data", type=Path, default=ROOT / "figures/data")
    arguments = parser.parse_args()
    pyplot = style.pyplot_for_files()
    if pyplot is None:
        print(style.WITHOUT_MATPLOTLIB, file=sys.stderr)
        return 1
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, (draw, files) in FIGURES.items():
        if all((arguments.data / file).is_file() for file in files):
            print(draw(pyplot, arguments.data, arguments.out / f"{name}.svg"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
