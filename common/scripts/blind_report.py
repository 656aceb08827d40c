#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How good the timing model is: the stored measurements of bench/blind beside modelled times. This
is the first set; the second is blind_second.py's.

    blind_report.py store FROZEN.csv REPAIRED.csv NOW.csv MEASURED.csv...
                                       -> figures/data/h200-blind.csv
    blind_report.py again NOW.csv      the same file with the model as it is now; what was measured
                                       stays
    blind_report.py page [--check]     -> bench/blind/README.md, from stored data alone

FROZEN.csv, REPAIRED.csv and NOW.csv are what `blind --parts` prints on the software GPU: of the
model as it was when the measurements were read for the first time, after the repairs that the open
half led to, and as it is. MEASURED.csv is what `blind` prints on the GPU; of several runs the
shortest median counts. A modelled time here is that of a single launch between two events: what the
empty kernel took, measured, and the launch's work, modelled.
"""

import csv
import re
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import blind_device  # noqa: E402
import blind_second  # noqa: E402
import compare_rows  # noqa: E402
from blind_rows import CLEAR, details, rows_of, summary, table  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
STORE, PAGE = ROOT / "figures/data/h200-blind.csv", ROOT / "bench/blind/README.md"
COLUMNS = ("kernel", "kind", "half", "n", "measured_ms", "p10_ms", "p90_ms", "frozen_ms",
           "repaired_ms", "modelled_ms", "bound")

def store(frozen_path, repaired_path, now_path, measured_paths):
    frozen, repaired, now = (rows_of(path) for path in (frozen_path, repaired_path, now_path))
    runs = [rows_of(path) for path in measured_paths]
    empty = min(run["empty", 4096]["ms"] for run in runs)
    with open(STORE, "w", encoding="utf-8", newline="") as file:
        for line in ("device: NVIDIA H200", "driver: 580.159.04", "toolkit: nvcc 13.0.88",
                     "date: 2026-11-22",
                     "clocks: not locked, at most 1980 MHz; memory 3201 MHz",
                     "method: bench/blind, single launches with a cold L2, best median of "
                     f"{len(runs)} runs of 15; an empty kernel {empty * 1e3:.3f} us",
                     "command: bench/blind/blind.cu; blind_report.py store", "key: kernel/n"):
            file.write(f"# {line}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for key in sorted(now, key=lambda key: (now[key]["half"], now[key]["kind"], key)):
            if key[0] == "empty":
                continue
            best = min((run[key] for run in runs), key=lambda row: row["ms"])
            writer.writerow((key[0], now[key]["kind"], now[key]["half"], key[1],
                             f"{best['ms']:.6f}", best["p10"],
                             best["p90"], f"{empty + frozen[key]['work_ms']:.6f}",
                             f"{empty + repaired[key]['work_ms']:.6f}",
                             f"{empty + now[key]['work_ms']:.6f}", now[key]["bound"]))


def again(now_path):
    """Stores what the model says now; measured and earlier times stay."""
    now = rows_of(now_path)
    head = [line for line in STORE.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    empty_ms = 1e-3 * float(re.search(r"an empty kernel ([0-9.]+) us", "\n".join(head))[1])
    _, rows = read_store(as_text=True)
    for row in rows:
        found = now[row["kernel"], int(row["n"])]
        row |= {"modelled_ms": f"{empty_ms + found['work_ms']:.6f}", "bound": found["bound"]}
    with open(STORE, "w", encoding="utf-8", newline="") as file:
        file.writelines(f"{line}\n" for line in head)
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_store(as_text=False):
    with open(STORE, encoding="utf-8") as file:
        lines = file.read().splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    for row in rows if not as_text else ():
        for name in ("measured_ms", "frozen_ms", "repaired_ms", "modelled_ms"):
            row[name] = float(row[name])
    return about, rows


CALIBRATED = "h100"  # the GPU of blind_device.py: no kernel of it was looked at for the model
LADDERS = {"2^22": ROOT / "figures/data/compare.csv",
           "2^26": ROOT / "figures/data/compare-2-26.csv"}


LADDER_CALIBRATED = ROOT / "figures/data/compare-h100.csv"  # of 2^22 elements, modelled H100


def directions(path):
    """The steps of a stored ladder that its GPU separates clearly: (how many, those that the model
    sends the other way)."""
    rows = compare_rows.read_csv(path)
    compare_rows.compare_rungs(rows, compare_rows.stored_for(rows[0]["device"]))
    clear = [row for row in rows if row["stored_before"] and row["times_before"] and
             not 1 / CLEAR <= row["stored_before"] <= CLEAR]
    return len(clear), [f"{row['lesson'][:2]} {row['variant']}" for row in clear
                        if row["disagrees"]]


def ladders():
    lines = []
    for n, path in LADDERS.items():
        clear, wrong = directions(path)
        against = f"against it: {', '.join(wrong)}" if wrong else "none against it"
        lines.append(f"At {n} the H200 separates {clear} steps of the lessons' ladder by more than "
                     f"a tenth; the model has {clear - len(wrong)} in\nits direction, {against}.")
    return "\n".join(lines)


def lessons(path):
    """The lessons' variants at the size of a stored comparison, as rows of the same form."""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [{"kernel": row["lesson"] + "/" + row["variant"], "measured_ms": float(row["stored_ms"]),
             "modelled_ms": float(row["time_ms"])} for row in rows
            if row["stored_ms"] and row["time_ms"] and row["stored_n"] == row["n"]]


def caches():
    """What a profiler counted beside what the simulated caches did, in a sentence."""
    with open(ROOT / "figures/data/h200-blind-caches.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    hits = [abs(float(row["l1_hit_rate_ncu"]) - float(row["l1_hit_rate"])) for row in rows
            if row["l1_hit_rate_ncu"]]
    reads = [float(row["dram_read_bytes"]) / float(row["dram_read_bytes_ncu"]) for row in rows
             if float(row["dram_read_bytes_ncu"]) > 1e5]
    return (f"Bytes read from DRAM, modelled over counted: {statistics.median(reads):.2f} in the "
            f"median of {len(reads)} kernels,\n{min(reads):.2f} to {max(reads):.2f}. Hit rates of "
            f"L1: within 0.1 of the counted ones for {sum(hit <= 0.1 for hit in hits)} of "
            f"{len(hits)} kernels.")


def of_device(of_set, half):
    return [row for row in blind_device.read(CALIBRATED)[1]
            if row["set"] == of_set and row["half"] == half]


def summaries():
    """The table of all sets of rows, by what was known of them."""
    _, rows = read_store()
    kept, opened = ([row for row in rows if row["half"] == half] for half in ("kept", "open"))
    return table({**{f"second set, {half} half, model frozen: blind":
                     summary(blind_second.half(half), "frozen_ms") for half in ("kept", "open")},
                  "second set, kept half, as it is now":
                  summary(blind_second.half("kept"), "modelled_ms"),
                  "second set, open half, as it is now: looked at":
                  summary(blind_second.half("open"), "modelled_ms"),
                  "first set, kept half, model frozen: blind then": summary(kept, "frozen_ms"),
                  "first set, open half, model frozen: blind then": summary(opened, "frozen_ms"),
                  "first set, kept half, after the open half's repairs":
                  summary(kept, "repaired_ms"),
                  "first set, open half, after its repairs": summary(opened, "repaired_ms"),
                  "first set, kept half, as it is now: looked at": summary(kept, "modelled_ms"),
                  "first set, open half, as it is now: looked at": summary(opened, "modelled_ms"),
                  **{f"the lessons at {n}, as it is now: in sample":
                     summary(lessons(path), "modelled_ms") for n, path in LADDERS.items()},
                  **{f"{CALIBRATED.upper()}, {of_set} set, {half} half, model frozen: blind":
                     summary(of_device(of_set, half), "frozen_ms")
                     for of_set in reversed(blind_device.SETS) for half in ("kept", "open")}})


def page():
    about, rows = read_store()
    kept, opened = ([row for row in rows if row["half"] == half] for half in ("kept", "open"))
    about_second, second = blind_second.read()
    about_device, of_both = blind_device.read(CALIBRATED)
    text = (ROOT / "bench/blind/README.md.in").read_text(encoding="utf-8")
    for name, value in (("KERNELS", str(len({row["kernel"] for row in rows}))),
                        ("ROWS", str(len(rows))),
                        ("KERNELS_2", str(len({row["kernel"] for row in second}))),
                        ("ROWS_2", str(len(second))),
                        ("SECOND_KEPT", details(blind_second.half("kept"))),
                        ("SECOND_OPEN", details(blind_second.half("open"))),
                        ("DATE_2", about_second["date"]), ("DEVICE_3", about_device["device"]),
                        ("DATE_3", about_device["date"]), ("ROWS_3", str(len(of_both))),
                        ("OF_DEVICE", details(of_both)), ("SUMMARY", summaries()),
                        ("LADDERS", ladders()), ("KEPT", details(kept)), ("OPEN", details(opened)),
                        ("DEVICE", about["device"]), ("DRIVER", about["driver"]),
                        ("TOOLKIT", about["toolkit"]), ("DATE", about["date"])):
        text = text.replace(f"@{name}@", value)
    return ("<!-- Made by common/scripts/blind_report.py from README.md.in and figures/data: edit "
            "that. -->\n" + text)


def main(arguments):
    if arguments[:1] == ["store"] and len(arguments) > 4:
        store(*arguments[1:4], arguments[4:])
    elif arguments[:1] == ["again"] and len(arguments) == 2:
        again(arguments[1])
    elif arguments == ["page"]:
        PAGE.write_text(page(), encoding="utf-8")
    elif arguments == ["page", "--check"]:
        if PAGE.read_text(encoding="utf-8") != page():
            sys.exit("bench/blind/README.md is not what the stored data give: "
                     "common/scripts/blind_report.py page")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
