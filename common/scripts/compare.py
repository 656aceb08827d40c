#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The ladder: runs every lesson's variants at one size and prints them one under the other.

    compare.py [--build build] [--n N] [--device NAME] [--out build/compare]

Writes OUT/compare.csv and, where matplotlib is installed, OUT/compare.png. Every time is labelled
as measured (a GPU) or modelled (the software GPU), and the two are never put into one table.
Exit: 0 every result was verified, 1 one was wrong or a program failed, 2 wrong use.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

DEFAULT_N = {"simt": "2^22", "cuda": "2^26"}  # under a minute on two cores; some L2s on a GPU
COLUMNS = 80
FIELDS = ["lesson", "variant", "n", "block", "grid", "backend", "device", "time_ms", "time_kind",
          "gb_per_s", "percent_of_peak", "times_before", "error_over_bound", "correct", "explains"]


class Refusal(Exception):
    """Nothing sensible can be shown; the text says why."""


# --- running -------------------------------------------------------------------------------------

def programs_of(build):
    """Lesson programs in the lessons' order."""
    folder = build / "lessons"
    found = sorted(p for p in folder.glob("[0-9][0-9]_*") if os.access(p, os.X_OK) and p.is_file())
    if not found:
        raise Refusal(f"there are no lesson programs in {folder}: make programs builds them")
    return found


def backend_of(build):
    """What the programs were built for."""
    try:
        cache = (build / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "simt"
    return "cuda" if re.search(r"^WORKBOOK_BACKEND_RESOLVED:\w+=CUDA$", cache, re.MULTILINE) else "simt"


class Progress:
    """One line on a terminal that keeps changing; elsewhere one line per lesson."""

    def __init__(self, stream, n_programs):
        self.stream, self.n_programs, self.start = stream, n_programs, time.monotonic()
        self.live = stream.isatty()

    def show(self, index, lesson, variant=None):
        if self.live:
            text = f"[{index + 1}/{self.n_programs}] {lesson}" + (f": {variant}" if variant else "")
            elapsed = time.monotonic() - self.start
            self.stream.write(f"\r\033[K{text[:60]}  {elapsed:.0f} s")
        elif variant is None:
            self.stream.write(f"[{index + 1}/{self.n_programs}] {lesson}\n")
        self.stream.flush()

    def done(self):
        if self.live:
            self.stream.write("\r\033[K")
            self.stream.flush()


def run_program(program, n, device, on_row):
    """Rows of one program; (rows, exit status, what it said on stderr)."""
    environment = dict(os.environ)
    if device:
        environment["SIMT_DEVICE"] = device
    process = subprocess.Popen([program, "--json", "--n", n], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                               encoding="utf-8", errors="replace", env=environment)
    rows = []
    for line in process.stdout:
        if line.startswith("{"):
            rows.append(json.loads(line))
            on_row(rows[-1])
    said = process.stderr.read()
    return rows, process.wait(), said.strip()


def run_all(programs, n, device, progress):
    rows, failures = [], []
    for index, program in enumerate(programs):
        progress.show(index, program.name)
        def on_row(row, i=index):
            progress.show(i, row["lesson"], row["variant"])

        found, status, said = run_program(program, n, device, on_row)
        if status == 2:
            progress.done()
            raise Refusal(said)  # begins with the program's name
        if status != 0 and device and "SIMT_DEVICE=" in said and not found:
            progress.done()
            raise Refusal(said.splitlines()[0].partition("SIMT_")[2])
        if status != 0 or not found:
            failures.append((program.name, said or f"ended with status {status}"))
        rows += found
    progress.done()
    return rows, failures


# --- the table -----------------------------------------------------------------------------------

def refuse_to_mix(rows):
    kinds = sorted({row["time_kind"] for row in rows})
    devices = sorted({row["device"] for row in rows})
    if len(kinds) > 1:
        raise Refusal(f"times of different kinds ({', '.join(kinds)}) do not belong into one "
                      "table; rebuild: make clean && make compare")
    if len(devices) > 1:
        raise Refusal(f"results of different devices ({', '.join(devices)}) are not comparable")


def compare_rungs(rows):
    """Sets times_before: how many times faster than the variant before it in the same lesson. Not
    across groups, which do another task or see other data."""
    before = None
    for row in rows:
        row["times_before"] = None
        same_task = before and all(before.get(k) == row.get(k) for k in ("lesson", "group"))
        if same_task and before["time_ms"] and row["time_ms"]:
            row["times_before"] = before["time_ms"] / row["time_ms"]
        before = row
    return rows


def fixed(value, decimals, unit=""):
    if value is None:
        return "-"
    if value and abs(value) < 0.5 * 10 ** -decimals:
        return f"{value:.1g}{unit}"
    return f"{value:.{decimals}f}{unit}"


def number(value):
    if value is None:
        return "-"
    if float(value).is_integer() and abs(value) < 1e10:
        return f"{int(value):,}"
    if abs(value) >= 1e7:
        return f"{value:.3g}"
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def explanation(row):
    """The first counter that explains the rung, e.g. "conflicts 1.0"; on a GPU, which does not count,
    what CUB says."""
    if row.get("times_cub") and not row["variant"].startswith("cub"):
        return "ties with CUB" if row.get("ties_cub") else f"{row['times_cub']:.2f} x CUB"
    for label, value in (row.get("explains") or {}).items():
        if value is not None:
            return f"{label} {number(value)}"
    return ""


def sizes(value):
    power = value.bit_length() - 1
    return f"2^{power} = {value:,}" if value and value == 1 << power else f"{value:,}"


def table(rows, bold=lambda text: text, dim=lambda text: text, bad=lambda text: text):
    """The ladder as lines of at most 80 columns."""
    first = rows[0]
    kind = first["time_kind"]
    lines = [f"{sizes(first['n'])} elements, {first['device']}, times {kind}"
             + (" (not measured)" if kind == "modelled" else ""),
             bold(f"  {'variant':18} {kind + ' ms':>11} {'GB/s':>8} {'% peak':>6} "
                  f"{'x before':>8} "
                  + ("counter that explains" if kind == "modelled" else "beside CUB"))]
    lesson = None
    for row in rows:
        if row["lesson"] != lesson:
            lesson = row["lesson"]
            lines.append(bold(lesson))
        text = (f"  {row['variant'][:18]:18} {fixed(row['time_ms'], 4):>11} "
                f"{fixed(row['gb_per_s'], 1):>8} {fixed(row['percent_of_peak'], 2):>6} "
                f"{'ties' if row.get('ties_before') else fixed(row['times_before'], 2, 'x'):>8} ")
        why = explanation(row) if row["correct"] else "WRONG RESULT"
        lines.append(text + (dim(why[:COLUMNS - len(text)]) if row["correct"] else bad(why)))
    # The float sum of lessons 00 to 07; what follows does something else with the same array.
    timed = [row for row in rows
             if row["time_ms"] and not row.get("group") and row["lesson"] < "08"]
    if len(timed) > 1:
        slow, fast = max(timed, key=lambda r: r["time_ms"]), min(timed, key=lambda r: r["time_ms"])
        lines.append(f"From {slow['variant']} to {fast['variant']}: "
                     f"{slow['time_ms'] / fast['time_ms']:,.0f} times faster ({kind}).")
    return lines


def styles(stream):
    if not stream.isatty() or os.environ.get("NO_COLOR"):
        return {}
    return {"bold": lambda text: f"\033[1m{text}\033[0m",
            "dim": lambda text: f"\033[36m{text}\033[0m",
            "bad": lambda text: f"\033[1;31m{text}\033[0m"}


# --- files ---------------------------------------------------------------------------------------

def write_csv(path, rows):
    counters = list(rows[0].get("counters") or {})
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS + counters)
        for row in rows:
            explains = json.dumps(row.get("explains") or {})
            values = [explains if name == "explains" else row.get(name) for name in FIELDS]
            values += [(row.get("counters") or {}).get(name) for name in counters]
            writer.writerow(["" if value is None else value for value in values])


def read_csv(path):
    """Rows as write_csv was given them, without the counters."""
    numbers = {"time_ms", "gb_per_s", "percent_of_peak", "times_before", "error_over_bound"}
    rows = []
    with open(path, newline="", encoding="utf-8") as file:
        for raw in csv.DictReader(file):
            row = {name: raw[name] for name in FIELDS}
            row.update({name: float(raw[name]) if raw[name] else None for name in numbers})
            row.update({name: int(raw[name]) for name in ("n", "block", "grid")})
            row["correct"] = raw["correct"] == "True"
            row["explains"] = json.loads(raw["explains"])
            rows.append(row)
    return rows


def plot(path, rows):
    """False where matplotlib is missing."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot
    shown = [row for row in rows if row["gb_per_s"]]
    lessons = list(dict.fromkeys(row["lesson"] for row in shown))
    colours = pyplot.get_cmap("viridis")
    figure, axes = pyplot.subplots(figsize=(8, 1.2 + 0.28 * len(shown)))
    for place, row in enumerate(shown):
        at = lessons.index(row["lesson"]) / max(1, len(lessons) - 1)
        axes.barh(place, row["gb_per_s"], color=colours(0.15 + 0.7 * at))
        axes.text(row["gb_per_s"], place, f" {fixed(row['gb_per_s'], 1)}", va="center", fontsize=7)
    axes.set_yticks(range(len(shown)), [f"{row['lesson'][:2]} {row['variant']}" for row in shown],
                    fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.margins(x=0.15)
    axes.set_xlabel(f"GB/s, {rows[0]['time_kind']}, on: {rows[0]['device']}")
    axes.set_title(f"{sizes(rows[0]['n'])} elements", fontsize=10)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=144)
    return True


# --- main ----------------------------------------------------------------------------------------

def compare(build, n, device, out):
    programs = programs_of(build)
    backend = backend_of(build)
    if device and backend == "cuda":
        raise Refusal("DEVICE chooses the device that the software GPU models; these programs run "
                      "on a real GPU (CUDA_VISIBLE_DEVICES chooses among several)")
    rows, failures = run_all(programs, n or DEFAULT_N[backend], device,
                             Progress(sys.stderr, len(programs)))
    if rows:
        refuse_to_mix(rows)
        compare_rungs(rows)
        print("\n".join(table(rows, **styles(sys.stdout))))
        out.mkdir(parents=True, exist_ok=True)
        write_csv(out / "compare.csv", rows)
        drawn = plot(out / "compare.png", rows)
        print(f"Table: {out / 'compare.csv'}")
        print(f"Plot:  {out / 'compare.png'}" if drawn
              else "Plot:  not drawn, python3-matplotlib is missing")
    for name, said in failures:
        print(f"{name} failed: {said}", file=sys.stderr)
    n_wrong = sum(not row["correct"] for row in rows)
    if n_wrong:
        print(f"{n_wrong} of {len(rows)} results are wrong", file=sys.stderr)
    return 1 if failures or n_wrong or not rows else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--n", help="elements: 1000000, 2^20, 1M (default 2^22; on a GPU 2^26)")
    parser.add_argument("--device", help="what the software GPU models, e.g. h200 or a100")
    parser.add_argument("--out", type=Path, help="default: BUILD/compare")
    arguments = parser.parse_args()
    try:
        return compare(arguments.build, arguments.n, arguments.device,
                       arguments.out or arguments.build / "compare")
    except Refusal as refusal:
        print(f"compare: {refusal}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
