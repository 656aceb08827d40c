#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every lesson's variants (and CUB) over sizes: make compare SWEEP=1 [SIZES=10..30]
[LESSONS=06,08].

    sweep.py [--build build] [--sizes LOW..HIGH] [--lessons 06,08] [--out build/compare] [--fresh]

Sizes are exponents of 2; without --sizes 10..30 on a GPU and 10..20 on the software GPU, whose
times are modelled. In addition: lessons 01 to 05 with blocks of 128, 512 and 1,024 threads at the
largest size up to 2^28, lesson 10 with 512 at 2^26 to 2^28, and lesson 00's contention sweep
(bench/contention) at the largest size up to 2^26.

OUT/sweep.jsonl grows by one line per result, so that Ctrl-C loses nothing: the same command
continues where it stopped (--fresh starts again; another device, build or set of programs begins a
new file and keeps the old one). At the end, and on Ctrl-C, OUT/sweep.csv and the plots are made
from it.

A variant whose single run would take more than 5 s is left out from that size on; what is left out
is listed. What takes longer than 0.2 s per run is repeated three times only (timing.h). Exit: 0
every result was verified, 1 one was wrong or a program failed, 2 wrong use, 130 interrupted.
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
import compare_text  # noqa: E402
import provenance  # noqa: E402

DEFAULT_SIZES = {"cuda": (10, 30), "simt": (10, 20)}
BLOCK = 256
# Lessons that are measured with other blocks too: which, and at sizes from 2^what up to 2^28 (the
# largest size, where the sweep ends below).
OTHER_BLOCKS = {**{lesson: ((128, 512, 1024), 28) for lesson in ("01", "02", "03", "04", "05")},
                "10": ((512,), 26)}
OTHER_SIZE = 28
CONTENTION_SIZE = 26
FIELDS = ["lesson", "variant", "group", "parameter", "n", "block", "grid", "backend", "device",
          "regime", "time_kind", "time_ms", "time_p10_ms", "time_p90_ms", "repeats", "batch",
          "time_graph_ms", "time_graph_p10_ms", "time_graph_p90_ms", "gb_per_s", "ceiling",
          "ceiling_gb_per_s", "percent_of_peak", "times_before", "ties_before", "times_cub",
          "ties_cub", "times_cub_graph", "error_over_bound", "correct"]


class Task:
    """One program with one block size and variant, at several sizes. `lesson`: the one that its
    rows belong to, when the program is not the lesson's own."""

    def __init__(self, program, sizes, block=BLOCK, variant="all", lesson=None):
        self.program, self.sizes, self.block, self.variant = program, sizes, block, variant
        self.lesson = lesson or program.name

    def key(self, n):
        return f"{self.lesson}/{self.variant}/{self.block}/{n}"

    def name(self):
        """The whole of it, for the record: 06_grid_stride/all/256/2^10..2^30."""
        powers = [f"2^{n.bit_length() - 1}" for n in (self.sizes[0], self.sizes[-1])]
        return f"{self.lesson}/{self.variant}/{self.block}/{'..'.join(dict.fromkeys(powers))}"

    def command(self, sizes):
        return [str(self.program), "--json", "--n", ",".join(map(str, sizes)), "--block",
                str(self.block), "--variant", self.variant]


def contention_of(program):
    """The program of lesson 00's contention sweep, built beside the lesson's own."""
    path = program.parents[1] / "bench" / "contention"
    if not path.is_file():
        raise compare.Refusal(f"there is no {path}: make programs builds it")
    return path


def tasks_for(programs, sizes):
    largest = sizes[-1]
    tasks = []
    for program in programs:
        tasks.append(Task(program, sizes))
        blocks, low = OTHER_BLOCKS.get(program.name[:2], ((), 0))
        others = [n for n in sizes if 1 << low <= n <= 1 << OTHER_SIZE]
        tasks += [Task(program, others or [min(largest, 1 << OTHER_SIZE)], block)
                  for block in blocks]
        if program.name[:2] == "00":
            tasks.append(Task(contention_of(program), [min(largest, 1 << CONTENTION_SIZE)],
                              variant="contention", lesson=program.name))
    return tasks


def sizes_of(text, backend):
    low, high = DEFAULT_SIZES[backend]
    if text:
        match = re.fullmatch(r"(\d{1,2})(?:\.\.(\d{1,2}))?", text)
        if not match:
            raise compare.Refusal(f"SIZES is '{text}': it takes exponents of 2, as 10..30 or 24")
        low, high = int(match[1]), int(match[2] or match[1])
    if max(low, high) > 30:
        raise compare.Refusal(f"SIZES is '{text}': the largest exponent is 30")
    if low > high:
        raise compare.Refusal(f"SIZES is '{text}': the smaller one comes first, {high}..{low}")
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
    """sweep.jsonl: a provenance line, then results, "done" marks, clocks and what was left out.
    What has no mark is run again, and its lines, if any, do not count. A sweep that came to its end
    says so with a list of its tasks."""

    def __init__(self, path, about, fresh):
        self.path, self.about = path, about
        self.done, self.results, self.left_out = set(), {}, []
        if path.exists() and (fresh or not self.read()):
            path.rename(path.with_name(f"sweep-before-{time.strftime('%Y%m%d-%H%M%S')}.jsonl"))
            self.done, self.results, self.left_out = set(), {}, []
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
        self.left_out = [entry["left_out"] for entry in entries[1:] if "left_out" in entry]
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

    def leave_out(self, lesson, notes):
        """Notes as a program writes them: "one_address        not run: one run of n = ..."."""
        for note in notes:
            if ": " not in note or f"{lesson}/{note}" in self.left_out:
                continue
            self.left_out.append(f"{lesson}/{note}")
            self.write({"left_out": self.left_out[-1]})

    def write(self, entry):
        self.file.write(json.dumps(entry) + "\n")
        self.file.flush()

    def rows(self, tasks, complete=False):
        """Results of these tasks; only of sizes that came to their end, if so wished."""
        keys = [task.key(n) for task in tasks for n in task.sizes]
        return [row for key in keys if key in self.done or not complete
                for row in self.results.get(key, [])]


def programs_mark(build):
    """Changes when a program was built anew with another outcome."""
    import hashlib
    digest = hashlib.sha256()
    programs = compare.programs_of(build)
    for program in programs + [build / "bench" / "contention"]:
        digest.update(program.read_bytes() if program.is_file() else b"")
    return digest.hexdigest()[:16]


# --- running --------------------------------------------------------------------------------------

class Progress:
    """How far, how long, how much longer. Work is taken to grow with n beyond a fixed part, by
    lesson: single atomics are slow on the GPU, and every element of a scan is verified on the
    host."""

    SECONDS = {"00": 16.0, "06": 3.5, "08": 10.0, "09": 17.0, "10": 23.0}  # for 2^29, on an H200

    def __init__(self, stream, tasks, store):
        self.stream, self.live = stream, stream.isatty()
        self.total = sum(self.weight(t, n) for t in tasks for n in t.sizes)
        self.before = self.spent = sum(self.weight(t, n) for t in tasks for n in t.sizes
                                       if t.key(n) in store.done)
        self.start = time.monotonic()

    @classmethod
    def weight(cls, task, n):
        return 0.35 + cls.SECONDS.get(task.lesson[:2], 1.7) * n / (1 << 29)

    def show(self, task, n, finished=False):
        self.spent += self.weight(task, n) if finished else 0.0
        elapsed = time.monotonic() - self.start
        share = self.spent / self.total
        text = f"{100 * share:3.0f} %  {task.lesson} n = {compare_text.sizes(n).split(' ')[0]}"
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
    """Runs the sizes that are not done. What it said about variants it left out, and its
    failure."""
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
        against = "ties" if best.get("ties_cub") else compare_text.fixed(best.get("times_cub"), 2,
                                                                         "x")
        lines.append(f"  {lesson[:24]:24} {compare_text.sizes(largest).split(' ')[0]:>5} "
                     f"{best['variant'][:16]:16} {best['gb_per_s']:8.1f} "
                     f"{best['percent_of_peak']:6.1f} {against:>8}")
    return lines


def finish(store, tasks, out, plots):
    """CSV and plots of what there is."""
    rows = store.rows(tasks)
    if not rows:
        return
    kind = rows[0]["time_kind"]
    write_csv(out / "sweep.csv", rows)
    print(f"{len(rows)} results on: {rows[0]['device']}; times {kind}"
          + (" (not measured)" if kind == "modelled" else ""))
    print("\n".join(best_lines(store.rows(tasks, complete=True))))
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
    command = "".join(["make compare SWEEP=1", f" SIZES={sizes_text}" if sizes_text else "",
                       f" LESSONS={lessons}" if lessons else ""])
    about = (provenance.of_gpu(build, command) if backend == "cuda"
             else provenance.of_software_gpu(build, "software GPU", command))
    about["programs"] = programs_mark(build)
    out.mkdir(parents=True, exist_ok=True)
    store = Store(out / "sweep.jsonl", about, fresh)
    tasks = tasks_for(programs, sizes)
    progress, failures = Progress(sys.stderr, tasks, store), []
    try:
        for task in tasks:
            said, failure = run_task(task, store, progress)
            store.leave_out(task.lesson, [line for line in said if "not run: " in line])
            if backend == "cuda":  # under load; before the first program they are idle
                store.write({"clocks": provenance.clocks()})
            if failure:
                failures.append(f"{task.program.name} failed: {failure}")
    except KeyboardInterrupt:
        progress.end()
        finish(store, tasks, out, plots)
        print("Interrupted; the same command goes on from here.", file=sys.stderr)
        return 130
    progress.end()
    if not failures:
        store.write({"tasks": [task.name() for task in tasks]})
    finish(store, tasks, out, plots)
    asked = {task.lesson for task in tasks}
    slow = sorted(line for line in store.left_out
                  if "would take" in line and line.split("/")[0] in asked)
    if slow:
        print("Left out from some size on, because one run takes too long:")
        print("\n".join("  " + re.sub(" +", " ", line) for line in slow))
    wrong = [row for row in store.rows(tasks) if not row["correct"]]
    for row in wrong:
        print(f"WRONG: {row['lesson']}/{row['variant']}: {row.get('message')}", file=sys.stderr)
    print("\n".join(failures), file=sys.stderr, end="\n" if failures else "")
    return 1 if failures or wrong or not store.rows(tasks) else 0


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
