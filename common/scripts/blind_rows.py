# SPDX-License-Identifier: MIT
"""Rows of modelled beside measured times: reading what bench/blind prints, and how far off they
are.

A row is a dict with kernel, kind, half, n, measured_ms, bound, and modelled times by name.
"""

import math
import re
import statistics
from pathlib import Path

CLEAR = 1.1


def rows_of(path):
    """{(kernel, n): row} of what `blind` printed, with --parts or on a GPU."""
    rows, last = {}, None
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line.startswith("#   "):
            parts = {name: float(value)
                     for name, value in re.findall(r"(\w+) ([0-9.]+)", line.split(";")[0])}
            busy = max(value for name, value in parts.items() if name not in ("latency", "launch"))
            last |= {"work_ms": max(parts["latency"] + busy, parts["atomic"]),
                     "bound": line[4:].split(":")[0], "judged": "not judged" not in line}
        elif line and not line.startswith(("#", "kernel,")):
            name, kind, half, n, median, p10, p90, _ = line.split(",")
            last = rows[name, int(n)] = {"kind": kind, "half": half, "ms": float(median),
                                         "p10": p10, "p90": p90}
    return rows


def in_order(rows):
    """Their keys by half, kind, kernel and size, without the empty kernel."""
    return sorted((key for key in rows if key[0] != "empty"),
                  key=lambda key: (rows[key]["half"], rows[key]["kind"], key))


def best_of(runs, key):
    """The run whose median is the shortest."""
    return min((run[key] for run in runs), key=lambda row: row["ms"])


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    return [rank for _, rank in sorted(zip(order, range(len(values))))]


def pairs(rows, column):
    """(pairs whose measured times differ clearly, those that the model orders wrongly)."""
    clear = wrong = 0
    for i, a in enumerate(rows):
        for b in rows[:i]:
            slower = a["measured_ms"] / b["measured_ms"]
            if 1 / CLEAR <= slower <= CLEAR:
                continue
            clear += 1
            wrong += (a[column] > b[column]) != (slower > 1)
    return clear, wrong


def summary(rows, column):
    errors = sorted(abs(row[column] / row["measured_ms"] - 1) for row in rows)
    clear, wrong = pairs(rows, column)
    x, y = (ranks([row[name] for row in rows]) for name in ("measured_ms", column))
    n = len(rows)
    spearman = 1 - 6 * sum((a - b) ** 2 for a, b in zip(x, y)) / (n * (n * n - 1))
    return {"rows": f"{n}", "mean": f"{100 * statistics.mean(errors):.1f} %",
            "median": f"{100 * statistics.median(errors):.1f} %",
            "p90": f"{100 * errors[math.ceil(0.9 * n) - 1]:.0f} %",
            "worst": f"{100 * errors[-1]:.0f} %",
            "within 20 %": f"{100 * sum(error <= 0.2 for error in errors) / n:.0f} %",
            "Spearman": f"{spearman:.3f}",
            "pairs in order": f"{100 * (1 - wrong / clear):.1f} %"}


def table(named):
    head = list(next(iter(named.values())))
    lines = ["| | " + " | ".join(head) + " |", "|---|" + "--:|" * len(head)]
    return "\n".join(lines + ["| " + name + " | " + " | ".join(row.values()) + " |"
                              for name, row in named.items()])


def details(rows):
    """Row by row: what was measured, what is modelled now, and what was when the model was
    frozen."""
    lines = ["| kernel | n | measured µs | modelled µs | error | frozen | bound |",
             "|---|--:|--:|--:|--:|--:|---|"]
    for row in rows:
        error, frozen = (100 * (row[name] / row["measured_ms"] - 1)
                         for name in ("modelled_ms", "frozen_ms"))
        lines.append(f"| {row['kernel']} | 2^{int(row['n']).bit_length() - 1} | "
                     f"{1e3 * row['measured_ms']:.1f} | {1e3 * row['modelled_ms']:.1f} | "
                     f"{error:+.0f} % | {frozen:+.0f} % | {row['bound']} |")
    return "\n".join(lines)
