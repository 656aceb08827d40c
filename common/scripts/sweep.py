#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every lesson's variants (and CUB) over sizes: make compare SWEEP=1 [SIZES=10..30] [LESSONS=06,08].

    sweep.py [--build build] [--sizes LOW..HIGH] [--lessons 06,08] [--out build/compare] [--fresh]

Sizes are exponents of 2; without --sizes 10..30 on a GPU and 10..20 on the software GPU, whose times
are modelled. Besides: lessons 01 to 05 with blocks of 128, 512 and 1,024 threads at the largest size up
to 2^28, and the contention sweep of lesson 00 at the largest size up to 2^26.

OUT/sweep.jsonl grows by a line a result, so that Ctrl-C loses nothing: the same command goes on where
it stopped (--fresh begins again; another device, build or set of programs begins a new file and keeps
the old one). At the end, and on Ctrl-C, OUT/sweep.csv and the plots are made from it.

A variant whose single run would take more than 300 ms is left out from that size on; what is left out
is listed. Exit: 0 every result was verified, 1 one was wrong or a program failed, 2 wrong use, 130
interrupted.
"""

import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "figures"))
import compare  # noqa: E402
import provenance  # noqa: E402

DEFAULT_SIZES = {"cuda": (10, 30), "simt": (10, 20)}
BLOCK = 256
LADDER, LADDER_BLOCKS, LADDER_SIZE = ("01", "02", "03", "04", "05"), (128, 512, 1024), 28
CONTENTION_SIZE = 26
FIELDS = ["lesson", "variant", "group", "parameter", "n", "block", "grid", "backend", "device",
          "regime", "time_kind", "time_ms", "time_p10_ms", "time_p90_ms", "repeats", "batch",
          "time_graph_ms", "time_graph_p10_ms", "time_graph_p90_ms", "gb_per_s", "ceiling",
          "ceiling_gb_per_s", "percent_of_peak", "times_before", "ties_before", "times_cub",
          "ties_cub", "times_cub_graph", "error_over_bound", "correct"]


class Task:
    """One program with one block size and variant, at several sizes."""

    def __init__(self, program, sizes, block=BLOCK, variant="all"):
        self.program, self.sizes, self.block, self.variant = program, sizes, block, variant

    def key(self, n):
        return f"{self.program.name}/{self.variant}/{self.block}/{n}"

    def command(self, sizes):
        return [str(self.program), "--json", "--n", ",".join(map(str, sizes)), "--block",
                str(self.block), "--variant", self.variant]


def tasks_for(programs, sizes):
    largest = sizes[-1]
    tasks = []
    for program in programs:
        tasks.append(Task(program, sizes))
        if program.name[:2] in LADDER:
            tasks += [Task(program, [min(largest, 1 << LADDER_SIZE)], block)
                      for block in LADDER_BLOCKS]
        if program.name[:2] == "00":
            tasks.append(Task(program, [min(largest, 1 << CONTENTION_SIZE)], variant="contention"))
    return tasks


def sizes_of(text, backend):
    low, high = DEFAULT_SIZES[backend]
    if text:
        match = re.fullmatch(r"(\d{1,2})(?:\.\.(\d{1,2}))?", text)
        if not match:
            raise compare.Refusal(f"SIZES is '{text}': it takes exponents of 2, as 10..30 or 24")
        low, high = int(match[1]), int(match[2] or match[1])
    if not 0 <= low <= high <= 30:
        raise compare.Refusal(f"SIZES is '{text}': from 0 to 30, the smaller one first")
    return [1 << power for power in range(low, high + 1)]


def chosen(programs, text):
    if not text:
        return programs
    wanted = [word for word in re.split(r"[,\s]+", text) if word]
    found = [p for p in programs
             if any(w in (p.name, p.name[:2], p.name[3:]) or w.zfill(2) == p.name[:2]
                    for w in wanted)]
    if len(found) < len(set(wanted)):
        names = ", ".join(p.name for p in programs)
        raise compare.Refusal(f"LESSONS is '{text}': not all of them are there; there are {names}")
    return found


# --- the growing file -----------------------------------------------------------------------------

class Store:
    """sweep.jsonl: a provenance line, then results and "done" marks. What has no mark is run again,
    and its lines, if any, do not count."""

    def __init__(self, path, about, fresh):
        self.path, self.about = path, about
        self.done, self.results = set(), {}
        if path.exists() and (fresh or not self.read()):
            path.rename(path.with_name(f"sweep-before-{time.strftime('%Y%m%d-%H%M%S')}.jsonl"))
            self.done, self.results = set(), {}
        if not path.exists():
            path.write_text(json.dumps({"provenance": about}) + "\n", encoding="utf-8")
        self.file = open(path, "a", encoding="utf-8")

    def read(self):
        """True when the file is of this device and of these programs."""
        lines = self.path.read_text(encoding="utf-8").splitlines()
        try:
            entries = [json.loads(line) for line in lines]
        except json.JSONDecodeError:
            entries = [json.loads(line) for line in lines[:-1]]  # the last one was cut off
            self.path.write_text("".join(line + "\n" for line in lines[:-1]), encoding="utf-8")
        before = entries[0].get("provenance", {}) if entries else {}
        if any(before.get(k) != self.about.get(k) for k in ("device", "toolkit", "programs")):
            return False
        self.about = before
        for entry in entries[1:]:
            if "done" in entry:
                self.done.add(entry["done"])
            elif "task" in entry:
                self.results.setdefault(entry.pop("task"), []).append(entry)
        self.results = {key: rows for key, rows in self.results.items() if key in self.done}
        return True

    def add(self, key, row):
        self.results.setdefault(key, []).append(row)
        self.write({**row, "task": key, "counters": {}})

    def mark(self, key):
        if key not in self.done:
            self.done.add(key)
            self.write({"done": key})

    def write(self, entry):
        self.file.write(json.dumps(entry) + "\n")
        self.file.flush()

    def rows(self):
        return [row for rows in self.results.values() for row in rows]


def programs_mark(programs):
    """Changes when a program was built anew with another outcome."""
    import hashlib
    digest = hashlib.sha256()
    for program in programs:
        digest.update(program.read_bytes())
    return digest.hexdigest()[:16]


# --- running --------------------------------------------------------------------------------------

class Progress:
    """How far, how long, how much longer. Work is taken to grow with n beyond a fixed part."""

    def __init__(self, stream, tasks, store):
        self.stream, self.live = stream, stream.isatty()
        self.total = sum(self.weight(n) for t in tasks for n in t.sizes)
        self.before = self.spent = sum(self.weight(n) for t in tasks for n in t.sizes
                                       if t.key(n) in store.done)
        self.start = time.monotonic()

    @staticmethod
    def weight(n):
        return 1.0 + n / (1 << 25)

    def show(self, task, n, finished=False):
        self.spent += self.weight(n) if finished else 0.0
        elapsed = time.monotonic() - self.start
        share = self.spent / self.total
        text = f"{100 * share:3.0f} %  {task.program.name} n = {compare.sizes(n).split(' ')[0]}"
        if self.spent > self.before:
            left = elapsed * (self.total - self.spent) / (self.spent - self.before)
            text += f"  {elapsed:.0f} s gone, about {left:.0f} s left"
        if self.live:
            self.stream.write(f"\r\033[K{text[:79]}")
        elif finished and n == task.sizes[-1]:
            self.stream.write(text + "\n")
        self.stream.flush()

    def end(self):
        if self.live:
            self.stream.write("\r\033[K")


def run_task(task, store, progress):
    """Runs the sizes that are not done. What it said about variants it left out, and its failure."""
    sizes = [n for n in task.sizes if task.key(n) not in store.done]
    if not sizes:
        return [], None
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        process = subprocess.Popen(task.command(sizes), stdout=subprocess.PIPE, stderr=said,
                                   stdin=subprocess.DEVNULL, text=True)
        at = 0
        try:
            for line in process.stdout:
                row = json.loads(line)
                while row["n"] != sizes[at]:  # the next size has begun: this one is complete
                    store.mark(task.key(sizes[at]))
                    progress.show(task, sizes[at], finished=True)
                    at += 1
                store.add(task.key(row["n"]), row)
                progress.show(task, row["n"])
            status = process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise
        said.seek(0)
        notes = said.read().splitlines()
    wrong = any(not row["correct"] for n in sizes for row in store.results.get(task.key(n), []))
    if status == 0 or (status == 1 and wrong and at == len(sizes) - 1):
        for n in sizes[at:]:
            store.mark(task.key(n))
            progress.show(task, n, finished=True)
        return notes, None
    said = [line for line in notes if "not run: " not in line]
    return notes, "\n".join(said[-3:]) or f"ended with status {status}"


# --- what comes out -------------------------------------------------------------------------------

def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for row in rows:
            writer.writerow(["" if row.get(name) is None else row[name] for name in FIELDS])


def best_lines(rows):
    """For each task the fastest variant at the largest size, beside CUB and the ceiling."""
    lines = [f"  {'lesson':24} {'n':>5} {'fastest':16} {'GB/s':>8} {'% ceil':>6} {'vs CUB':>8}"]
    tasks = {}
    for row in rows:
        same = row["block"] == BLOCK and row.get("parameter") is None and row["gb_per_s"]
        if same and not row["variant"].startswith("cub"):
            tasks.setdefault((row["lesson"], row.get("group") or ""), []).append(row)
    for (lesson, _), found in tasks.items():
        largest = max(row["n"] for row in found)
        best = min((row for row in found if row["n"] == largest), key=lambda row: row["time_ms"])
        against = "ties" if best.get("ties_cub") else compare.fixed(best.get("times_cub"), 2, "x")
        lines.append(f"  {lesson[:24]:24} {compare.sizes(largest).split(' ')[0]:>5} "
                     f"{best['variant'][:16]:16} {best['gb_per_s']:8.1f} "
                     f"{best['percent_of_peak']:6.1f} {against:>8}")
    return lines


def finish(store, out, plots):
    """CSV and plots of what there is."""
    rows = store.rows()
    if not rows:
        return
    kind = rows[0]["time_kind"]
    write_csv(out / "sweep.csv", rows)
    print(f"{len(rows)} results on: {store.about['device']}; times {kind}"
          + (" (not measured)" if kind == "modelled" else ""))
    print("\n".join(best_lines(rows)))
    print(f"Table: {out / 'sweep.csv'}")
    if not plots:
        return
    import draw
    drawn = draw.draw_all(rows, store.about, out)
    print("Plots: " + (", ".join(str(path) for path in drawn)
                       if drawn else "not drawn, python3-matplotlib is missing"))


def sweep(build, sizes_text, lessons, out, fresh, plots):
    programs = compare.programs_of(build)
    backend = compare.backend_of(build)
    sizes = sizes_of(sizes_text, backend)
    programs = chosen(programs, lessons)
    command = "make compare SWEEP=1" + (f" SIZES={sizes_text}" if sizes_text else "")
    about = (provenance.of_gpu(build, command) if backend == "cuda"
             else provenance.of_software_gpu("software GPU", command))
    about["programs"] = programs_mark(compare.programs_of(build))
    out.mkdir(parents=True, exist_ok=True)
    store = Store(out / "sweep.jsonl", about, fresh)
    tasks = tasks_for(programs, sizes)
    progress, failures, notes = Progress(sys.stderr, tasks, store), [], []
    try:
        for task in tasks:
            said, failure = run_task(task, store, progress)
            notes += [line for line in said if "not run: " in line]
            if backend == "cuda":  # under load; before the first program they are idle
                store.write({"clocks": provenance.clocks()})
            if failure:
                failures.append(f"{task.program.name} failed: {failure}")
    except KeyboardInterrupt:
        progress.end()
        finish(store, out, plots)
        print("Interrupted; the same command goes on from here.", file=sys.stderr)
        return 130
    progress.end()
    finish(store, out, plots)
    slow = sorted({line for line in notes if "would take" in line})
    if slow:
        print("Left out from some size on, because one run takes too long:")
        print("\n".join("  " + line for line in slow))
    wrong = [row for row in store.rows() if not row["correct"]]
    for row in wrong:
        print(f"WRONG: {row['lesson']}/{row['variant']}: {row.get('message')}", file=sys.stderr)
    print("\n".join(failures), file=sys.stderr, end="\n" if failures else "")
    return 1 if failures or wrong or not store.rows() else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--sizes", help="exponents of 2, e.g. 10..30")
    parser.add_argument("--lessons", help="e.g. 06,08 (default: all)")
    parser.add_argument("--out", type=Path, help="default: BUILD/compare")
    parser.add_argument("--fresh", action="store_true", help="begin again")
    parser.add_argument("--no-plots", action="store_true", help="the table only")
    arguments = parser.parse_args()
    try:
        return sweep(arguments.build, arguments.sizes, arguments.lessons,
                     arguments.out or arguments.build / "compare", arguments.fresh,
                     not arguments.no_plots)
    except compare.Refusal as refusal:
        print(f"compare: {refusal}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
