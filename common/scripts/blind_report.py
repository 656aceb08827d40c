#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How good the timing model is: the stored measurements of bench/blind beside modelled times.

    blind_report.py store FROZEN.csv REPAIRED.csv NOW.csv MEASURED.csv...   -> figures/data/h200-blind.csv
    blind_report.py again NOW.csv      the same file with the model as it is now; what was measured stays
    blind_report.py freeze COMMIT PARTS.csv   -> figures/data/simt-blind-second.csv: the second set as
                                       the model of that commit gives it, before it is measured
    blind_report.py page [--check]     -> bench/blind/README.md, from stored data alone

FROZEN.csv, REPAIRED.csv and NOW.csv are what `blind --parts` prints on the software GPU: of the model as it
was when the measurements were read for the first time, after the repairs that the open half led to, and as
it is. MEASURED.csv is what `blind` prints on the GPU; of several runs the shortest median counts. A modelled
time here is that of a single launch between two events: what the empty kernel took, measured, and the
launch's work, modelled.
"""

import csv
import datetime
import math
import re
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import compare_rows  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
STORE, PAGE = ROOT / "figures/data/h200-blind.csv", ROOT / "bench/blind/README.md"
FROZEN = ROOT / "figures/data/simt-blind-second.csv"
COLUMNS = ("kernel", "kind", "half", "n", "measured_ms", "p10_ms", "p90_ms", "frozen_ms",
           "repaired_ms", "modelled_ms", "bound")
CLEAR = 1.1


def rows_of(path):
    rows, last = {}, None
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line.startswith("#   "):
            parts = {name: float(value) for name, value in re.findall(r"(\w+) ([0-9.]+)", line.split(";")[0])}
            busy = max(value for name, value in parts.items() if name not in ("latency", "launch"))
            last |= {"work_ms": max(parts["latency"] + busy, parts["atomic"]), "bound": line[4:].split(":")[0],
                     "judged": "not judged" not in line}
        elif line and not line.startswith(("#", "kernel,")):
            name, kind, half, n, median, p10, p90, _ = line.split(",")
            last = rows[name, int(n)] = {"kind": kind, "half": half, "ms": float(median), "p10": p10, "p90": p90}
    return rows


def store(frozen_path, repaired_path, now_path, measured_paths):
    frozen, repaired, now = (rows_of(path) for path in (frozen_path, repaired_path, now_path))
    runs = [rows_of(path) for path in measured_paths]
    empty = min(run["empty", 4096]["ms"] for run in runs)
    with open(STORE, "w", encoding="utf-8", newline="") as file:
        for line in ("device: NVIDIA H200", "driver: 580.159.04", "toolkit: nvcc 13.0.88", "date: 2026-11-22",
                     "clocks: not locked, at most 1980 MHz; memory 3201 MHz",
                     f"method: bench/blind, single launches with a cold L2, best median of {len(runs)} runs of 15; "
                     f"an empty kernel {empty * 1e3:.3f} us",
                     "command: bench/blind/blind.cu; blind_report.py store", "key: kernel/n"):
            file.write(f"# {line}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for key in sorted(now, key=lambda key: (now[key]["half"], now[key]["kind"], key)):
            if key[0] == "empty":
                continue
            best = min((run[key] for run in runs), key=lambda row: row["ms"])
            writer.writerow((key[0], now[key]["kind"], now[key]["half"], key[1], f"{best['ms']:.6f}", best["p10"],
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


def freeze(commit, parts_path):
    """Stores what the model says of the second set, and by which sources of the model."""
    model = subprocess.run(["git", "rev-parse", f"{commit}:common/simt/profile"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.strip()
    now = rows_of(parts_path)
    with open(FROZEN, "w", encoding="utf-8", newline="") as file:
        for line in ("device: modelled H200, the software GPU", f"date: {datetime.date.today()}",
                     f"commit: {commit}", f"model: common/simt/profile of that commit, git tree {model}",
                     "method: bench/blind --second, single launches with a cold L2; without what an empty kernel takes",
                     "command: bench/blind/blind.cu; blind_report.py freeze", "key: kernel/n"):
            file.write(f"# {line}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("kernel", "kind", "half", "n", "work_ms", "bound", "judged"))
        for key in sorted(now, key=lambda key: (now[key]["half"], now[key]["kind"], key)):
            if key[0] != "empty":
                writer.writerow((key[0], now[key]["kind"], now[key]["half"], key[1], f"{now[key]['work_ms']:.6f}",
                                 now[key]["bound"], "yes" if now[key]["judged"] else "no"))


def read_store(as_text=False):
    with open(STORE, encoding="utf-8") as file:
        lines = file.read().splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    for row in rows if not as_text else ():
        for name in ("measured_ms", "frozen_ms", "repaired_ms", "modelled_ms"):
            row[name] = float(row[name])
    return about, rows


LADDERS = {"2^22": ROOT / "figures/data/compare.csv", "2^26": ROOT / "figures/data/compare-2-26.csv"}


def directions(path):
    """The steps of a stored ladder that the GPU separates clearly: (how many, those that the model
    sends the other way)."""
    rows = compare_rows.read_csv(path)
    compare_rows.compare_rungs(rows, compare_rows.stored_for(rows[0]["device"]))
    clear = [row for row in rows if row["stored_before"] and row["times_before"] and
             not 1 / CLEAR <= row["stored_before"] <= CLEAR]
    return len(clear), [f"{row['lesson'][:2]} {row['variant']}" for row in clear if row["disagrees"]]


def ladders():
    lines = []
    for n, path in LADDERS.items():
        clear, wrong = directions(path)
        against = f"against it: {', '.join(wrong)}" if wrong else "none against it"
        lines.append(f"At {n} the H200 separates {clear} steps of the lessons' ladder by more than a tenth; the model "
                     f"has {clear - len(wrong)} in\nits direction, {against}.")
    return "\n".join(lines)


def lessons(path):
    """The lessons' variants at the size of a stored comparison, as rows of the same form."""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [{"kernel": row["lesson"] + "/" + row["variant"], "measured_ms": float(row["stored_ms"]),
             "modelled_ms": float(row["time_ms"])} for row in rows
            if row["stored_ms"] and row["time_ms"] and row["stored_n"] == row["n"]]


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    return [rank for _, rank in sorted(zip(order, range(len(values))))]


def summary(rows, column):
    errors = sorted(abs(row[column] / row["measured_ms"] - 1) for row in rows)
    clear = wrong = 0
    for i, a in enumerate(rows):
        for b in rows[:i]:
            slower = a["measured_ms"] / b["measured_ms"]
            if 1 / CLEAR <= slower <= CLEAR:
                continue
            clear += 1
            wrong += (a[column] > b[column]) != (slower > 1)
    x, y = (ranks([row[name] for row in rows]) for name in ("measured_ms", column))
    n = len(rows)
    spearman = 1 - 6 * sum((a - b) ** 2 for a, b in zip(x, y)) / (n * (n * n - 1))
    return {"rows": f"{n}", "mean": f"{100 * statistics.mean(errors):.1f} %",
            "median": f"{100 * statistics.median(errors):.1f} %",
            "p90": f"{100 * errors[math.ceil(0.9 * n) - 1]:.0f} %",
            "worst": f"{100 * errors[-1]:.0f} %",
            "within 20 %": f"{100 * sum(error <= 0.2 for error in errors) / n:.0f} %", "Spearman": f"{spearman:.3f}",
            "pairs in order": f"{100 * (1 - wrong / clear):.1f} %"}


def table(named):
    head = list(next(iter(named.values())))
    lines = ["| | " + " | ".join(head) + " |", "|---|" + "--:|" * len(head)]
    return "\n".join(lines + ["| " + name + " | " + " | ".join(row.values()) + " |" for name, row in named.items()])


def details(rows):
    lines = ["| kernel | n | measured µs | modelled µs | error | frozen | bound |", "|---|--:|--:|--:|--:|--:|---|"]
    for row in rows:
        error, frozen = (100 * (row[name] / row["measured_ms"] - 1) for name in ("modelled_ms", "frozen_ms"))
        lines.append(f"| {row['kernel']} | 2^{int(row['n']).bit_length() - 1} | {1e3 * row['measured_ms']:.1f} | "
                     f"{1e3 * row['modelled_ms']:.1f} | {error:+.0f} % | {frozen:+.0f} % | {row['bound']} |")
    return "\n".join(lines)


def caches():
    """What a profiler counted beside what the simulated caches did, in a sentence."""
    with open(ROOT / "figures/data/h200-blind-caches.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    hits = [abs(float(row["l1_hit_rate_ncu"]) - float(row["l1_hit_rate"])) for row in rows if row["l1_hit_rate_ncu"]]
    reads = [float(row["dram_read_bytes"]) / float(row["dram_read_bytes_ncu"]) for row in rows
             if float(row["dram_read_bytes_ncu"]) > 1e5]
    return (f"Bytes read from DRAM, modelled over counted: {statistics.median(reads):.2f} in the median of "
            f"{len(reads)} kernels,\n{min(reads):.2f} to {max(reads):.2f}. Hit rates of L1: within 0.1 of the "
            f"counted ones for {sum(hit <= 0.1 for hit in hits)} of {len(hits)} kernels.")


def summaries():
    """The table of all sets of rows, by what was known of them."""
    _, rows = read_store()
    kept, opened = ([row for row in rows if row["half"] == half] for half in ("kept", "open"))
    return table({"kept half, model frozen: blind": summary(kept, "frozen_ms"),
                  "open half, model frozen: blind": summary(opened, "frozen_ms"),
                  "kept half, after the open half's repairs": summary(kept, "repaired_ms"),
                  "open half, after its repairs": summary(opened, "repaired_ms"),
                  "kept half, as it is now": summary(kept, "modelled_ms"),
                  "open half, as it is now": summary(opened, "modelled_ms"),
                  **{f"the lessons at {n}, as it is now": summary(lessons(path), "modelled_ms")
                     for n, path in LADDERS.items()}})


def page():
    about, rows = read_store()
    kept, opened = ([row for row in rows if row["half"] == half] for half in ("kept", "open"))
    kernels = len({row["kernel"] for row in rows})
    text = (ROOT / "bench/blind/README.md.in").read_text(encoding="utf-8")
    for name, value in (("KERNELS", str(kernels)), ("ROWS", str(len(rows))), ("SUMMARY", summaries()),
                        ("LADDERS", ladders()), ("KEPT", details(kept)), ("OPEN", details(opened)),
                        ("DEVICE", about["device"]), ("DRIVER", about["driver"]),
                        ("TOOLKIT", about["toolkit"]), ("DATE", about["date"])):
        text = text.replace(f"@{name}@", value)
    return "<!-- Made by common/scripts/blind_report.py from README.md.in and figures/data: edit that. -->\n" + text


def main(arguments):
    if arguments[:1] == ["store"] and len(arguments) > 4:
        store(*arguments[1:4], arguments[4:])
    elif arguments[:1] == ["again"] and len(arguments) == 2:
        again(arguments[1])
    elif arguments[:1] == ["freeze"] and len(arguments) == 3:
        freeze(*arguments[1:])
    elif arguments == ["page"]:
        PAGE.write_text(page(), encoding="utf-8")
    elif arguments == ["page", "--check"]:
        if PAGE.read_text(encoding="utf-8") != page():
            sys.exit("bench/blind/README.md is not what the stored data give: common/scripts/blind_report.py page")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
