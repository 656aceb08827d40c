# SPDX-License-Identifier: MIT
"""What `make compare` knows of each variant: this machine's row, the row that was measured on a GPU
and stored, and how each compares with the variant before.

A row is the JSON object that a lesson program prints, plus

    times_before     how many times as fast as the variant before; None where that does another task
    stored           the stored measurement of the same variant at the nearest n, or None
    stored_before    times_before of the stored measurements
    disagrees        the stored step is clear (over a tenth), and this machine's goes the other way

Times measured and times modelled are never put into one column.
"""

import csv
import json
import math
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "figures/data"
CLEAR = 1.1  # a step of a tenth or less is no contradiction

# compare.csv: a column, what it holds.
COLUMNS = {
    "lesson": "folder under lessons/",
    "variant": "as `--list` names it",
    "group": "task or data that differ from the lesson's first; empty for most",
    "input": "type of the input's elements: float or int",
    "n": "elements",
    "block": "threads per block",
    "grid": "blocks of the first launch",
    "backend": "simt (the software GPU) or cuda",
    "device": "what ran, or what was modelled",
    "devices": "how many GPUs the lesson uses, with n elements on all of them together; empty: one",
    "time_ms": "milliseconds; empty where a launch is beyond the model: see basis",
    "time_kind": "measured or modelled: of time_ms and what follows from it",
    "basis": "of a modelled time: exact, sampled (some blocks or lines of memory stand for all), "
             "not judged (no time: blocks wait for each other), not run (the same, and at this n "
             "no counters either), or not modelled (no time: blocks of a cluster use each other's "
             "shared memory)",
    "bound": "of a modelled time: what holds the longest launch up (launch, latency, dram, l2, l1, "
             "shared, issue, lanes, barrier, block, atomic, link), as `make explain` names it",
    "blocks_run_percent": "of the blocks of all launches; below 100 the others were not run, and "
                          "sums are extrapolated; empty where all were run in any case",
    "verified_n": "elements at which the result was verified; empty: n",
    "gb_per_s": "GB/s of the data that the task must move",
    "percent_of_peak": "gb_per_s as a percentage of the device's peak",
    "times_before": "how many times as fast as the row before; empty where that does another task",
    "error_over_bound": "largest error as a fraction of what the method may have",
    "correct": "True if the result was verified",
    "label_1": "name of the number that explains the step",
    "value_1": "that number",
    "label_2": "name of a second one",
    "value_2": "that number",
    "stored_device": "GPU of the stored measurement; empty where there is none",
    "stored_n": "its elements: the nearest size that was measured",
    "stored_ms": "milliseconds, measured",
    "stored_gb_per_s": "GB/s, measured",
    "stored_percent_of_ceiling": "percentage of the fastest plain read (of scans: copy) beside it",
    "stored_before": "times_before of the stored measurements",
}
TEXTS = ("lesson", "variant", "group", "input", "backend", "device", "time_kind", "label_1",
         "label_2", "stored_device", "basis", "bound")
WHOLE = ("n", "block", "grid", "devices", "stored_n", "verified_n")


def gpus_of(row):
    return row.get("devices") or 1


class Stored:
    """Measurements of one GPU, as `make measure` stored them: of its sweep, and of later ones of
    some lessons, whose names have their numbers and whose rows take the place of earlier ones on
    as many GPUs: h200-sweep.jsonl, h200-11-12-sweep.jsonl."""

    def __init__(self, paths):
        self.name = gpu_of(paths[0]).upper()  # "H200"
        self.rows, self.device, self.date = {}, "", ""
        for path in paths:
            self.read(path)

    def read(self, path):
        found = {}
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if "provenance" in row:
                    self.device = self.device or row["provenance"]["device"]
                    self.date = self.date or row["provenance"]["date"]
                elif row.get("parameter") is None and row.get("correct") and row.get("time_ms"):
                    key = row["lesson"], row["variant"], row["block"]
                    found.setdefault(key, []).append(row)
        anew = {(key[0], gpus_of(row)) for key, rows in found.items() for row in rows}
        for key, rows in self.rows.items():
            kept = [row for row in rows if (key[0], gpus_of(row)) not in anew]
            found[key] = kept + found.get(key, [])
        self.rows = {key: rows for key, rows in found.items() if rows}

    def most_gpus(self, lesson):
        """The largest number of GPUs on which the lesson was measured together; 1 if on none."""
        return max((gpus_of(row) for key, rows in self.rows.items() if key[0] == lesson
                    for row in rows), default=1)

    def nearest(self, row):
        """The measurement of the same variant and block, and on as many GPUs, whose size is
        nearest, or None."""
        found = [other for other in
                 self.rows.get((row["lesson"], row["variant"], row["block"]), ())
                 if gpus_of(other) == gpus_of(row)]
        if not found or not row["n"]:
            return None
        return min(found, key=lambda other: (abs(math.log(other["n"] / row["n"])), -other["n"]))


def gpu_of(path):
    return Path(path).name.split("-")[0]


def stored_for(device, folder=DATA):
    """Stored measurements of the device that `device` models or is ("modelled H200", "NVIDIA H100
    80GB HBM3"), or None."""
    words = device.lower().split()
    found = [path for path in sorted(Path(folder).glob("*-sweep.jsonl"))
             if gpu_of(path).lower() in words]
    found.sort(key=lambda path: path.name != f"{gpu_of(path)}-sweep.jsonl")  # the whole one first
    return Stored(found) if found else None


def is_yardstick(row):
    return row["variant"].startswith("cub")


def same_task(a, b):
    return all(a.get(key) == b.get(key) for key in ("lesson", "group", "input"))


def ratio(before, after):
    """How many times as fast `after` is; both are times, or None."""
    return before / after if before and after else None


def stored_time(row):
    return row["stored"]["time_ms"] if row.get("stored") else None


def compare_rungs(rows, stored=None):
    """Fills in what the head of this file lists."""
    before = None
    for row in rows:
        row["stored"] = stored.nearest(row) if stored else row.get("stored")
        row["times_before"] = row["stored_before"] = None
        if before and same_task(before, row):
            row["times_before"] = ratio(before["time_ms"], row["time_ms"])
            row["stored_before"] = ratio(stored_time(before), stored_time(row))
        row["disagrees"] = contradicts(row["stored_before"], row["times_before"])
        before = row
    return rows


def contradicts(stored, here):
    if not stored or not here or 1 / CLEAR <= stored <= CLEAR:
        return False
    return (stored > 1) != (here > 1)


def percent_of_ceiling(row):
    """Of the stored measurement."""
    stored = row.get("stored") or {}
    ceiling = stored.get("ceiling_gb_per_s")
    return 100 * stored["gb_per_s"] / ceiling if ceiling and stored.get("gb_per_s") else None


def steps(rows):
    """(first, best) of each lesson: its first variant, and the fastest that does the same task on
    the same data; fastest by the stored measurements where the first and another have one: a
    variant that is newer than these is left out."""
    for lesson in dict.fromkeys(row["lesson"] for row in rows):
        own = [row for row in rows if row["lesson"] == lesson
               and (row["time_ms"] or stored_time(row))
               and not row.get("demonstration") and not is_yardstick(row)]
        own = [row for row in own if same_task(own[0], row)]
        if not own:
            continue
        measured = [row for row in own if stored_time(row)]
        if len(measured) > 1 and measured[0] is own[0]:
            yield own[0], min(measured, key=stored_time)
        else:
            timed = [row for row in own if row["time_ms"]]  # the model cannot time the others
            yield own[0], min(timed or own, key=lambda row: row["time_ms"] or math.inf)


# --- compare.csv ----------------------------------------------------------------------------------

def flat(row):
    """One value per column."""
    stored = row.get("stored") or {}
    values = {name: row.get(name) for name in COLUMNS}
    for i, (label, value) in enumerate((row.get("explains") or {}).items(), 1):
        values |= {f"label_{i}": label, f"value_{i}": value}
    return values | {"stored_device": stored.get("stored_device", stored.get("device")),
                     "stored_n": stored.get("n"), "stored_ms": stored.get("time_ms"),
                     "stored_gb_per_s": stored.get("gb_per_s"),
                     "stored_percent_of_ceiling": percent_of_ceiling(row)}


def write_csv(path, rows, stored=None):
    counters = list(rows[0].get("counters") or {})
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*COLUMNS, *counters])
        for row in rows:
            values = flat(row)
            if row.get("stored") and stored:
                values["stored_device"] = stored.device
            cells = [*(values[name] for name in COLUMNS),
                     *((row.get("counters") or {}).get(name) for name in counters)]
            writer.writerow(["" if cell is None else cell for cell in cells])


def read_csv(path):
    """Rows as write_csv was given them, without counters and stored measurements."""
    rows = []
    with open(path, newline="", encoding="utf-8") as file:
        for raw in csv.DictReader(file):
            row = {}
            for name in COLUMNS:
                text = raw.get(name) or ""  # files of before a column came lack it
                if name in TEXTS:
                    row[name] = text or None
                elif name in WHOLE:
                    row[name] = int(text) if text else None
                elif name != "correct":
                    row[name] = float(text) if text else None
            row["correct"] = raw["correct"] == "True"
            row["explains"] = {row[f"label_{i}"]: row[f"value_{i}"]
                               for i in (1, 2) if row[f"label_{i}"]}
            rows.append(row)
    return rows
