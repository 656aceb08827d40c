#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The figure of lesson 13: what a second GPU gains, and how fast vectors are added across two.

    plot_links.py [--out build/figures] [--data figures/data]

From figures/data/h200-many-gpus.csv. On the left the time on one GPU over the time on two, for the
same numbers; on the right the bytes that each GPU has to send for an all-reduce of two, those of
one vector, per time, and the rate at which a copy goes through the link.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "figures")]
import measured_tables  # noqa: E402
import style  # noqa: E402

TABLE = "h200-many-gpus.csv"
SUMS = (("peer_reads", style.BLUE), ("exact", style.GREEN), ("one_gpu", style.OCHRE))
VECTORS = (("ring", style.BLUE), ("nccl", style.CUB), ("tree", style.OCHRE), ("star", style.VIOLET))


def times(rows, experiment, what, devices):
    """{bytes: us} of what is measured while the host waits for nothing."""
    return {int(row["bytes"]): float(row["queued_us"]) for row in rows
            if (row["experiment"], row["what"], int(row["devices"])) == (experiment, what, devices)}


def speed_up(axes, rows):
    for what, colour in SUMS:
        one, two = (times(rows, "sums", what, devices) for devices in (1, 2))
        one = one if what != "one_gpu" else times(rows, "sums", "peer_reads", 1)
        sizes = sorted(one.keys() & two.keys())
        axes.plot([size // 4 for size in sizes], [one[size] / two[size] for size in sizes],
                  marker="o", color=colour, label=what)
    axes.axhline(1.0, color=style.DIM, linewidth=1)
    axes.axhline(2.0, color=style.DIM, linewidth=1, linestyle="--")
    axes.set_ylim(0, 2.1)
    style.powers_of_two(axes, 1 << 16, 1 << 30, 4)
    axes.set_xlabel("numbers in all")
    axes.set_title("One GPU's time over that of two", fontsize=9, loc="left")
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(0.0, 0.94))


def across(axes, rows):
    for what, colour in VECTORS:
        found = times(rows, "across", what, 2)
        sizes = sorted(found)
        axes.plot(sizes, [1e-3 * size / found[size] for size in sizes], marker="o", color=colour,
                  label=what)
    copied = times(rows, "links", "copy", 2)
    axes.axhline(1e-3 * max(copied) / copied[max(copied)], color=style.DIM, linewidth=1,
                 linestyle="--", label="a copy")
    axes.set_ylim(0, 420)
    style.powers_of_two(axes, 1 << 10, 1 << 30, 4)
    axes.set_xlabel("bytes of a vector")
    axes.set_title("Two vectors added on two GPUs: GB/s", fontsize=9, loc="left")
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(0.0, 0.94))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=Path("build/figures"))
    parser.add_argument("--data", type=Path, default=ROOT / "figures/data")
    arguments = parser.parse_args()
    path = arguments.data / TABLE
    if not path.exists():
        print(f"There is no stored {TABLE}: make measure PARTS=many-gpus", file=sys.stderr)
        return 1
    table = measured_tables.read(path)
    pyplot = style.pyplot_for_files()
    if pyplot is None:
        print(style.WITHOUT_MATPLOTLIB, file=sys.stderr)
        return 1
    arguments.out.mkdir(parents=True, exist_ok=True)
    figure, (left, right) = style.start(pyplot, height=3.0, columns=2)
    speed_up(left, table.rows())
    across(right, table.rows())
    style.settle(figure)
    print(style.finish(pyplot, figure, style.where_from(table.about, "times measured"),
                       arguments.out / "links.svg"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
