#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The second set of bench/blind: what the frozen model says of it, and what was measured
afterwards.

    blind_second.py freeze COMMIT PARTS.csv      -> figures/data/simt-blind-second.csv: the second
                                       set as the model of that commit gives it, before it is
                                       measured
    blind_second.py store NOW.csv ABOUT MEASURED.csv...   -> figures/data/h200-blind-second.csv
    blind_second.py again NOW.csv      the same file with the model as it is now

PARTS.csv and NOW.csv are what `blind --second --parts` prints on the software GPU, MEASURED.csv
what `blind --second` prints on the GPU; of several runs the shortest median counts. ABOUT holds
lines such as "driver: 580.1", for the file's head. A modelled time is that of a single launch
between two events: what the empty kernel took, measured, and the launch's work, modelled. Frozen
times are never stored a second time: they are those of simt-blind-second.csv.
"""

import csv
import datetime
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from blind_rows import best_of, in_order, rows_of  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FROZEN = ROOT / "figures/data/simt-blind-second.csv"
STORE = ROOT / "figures/data/h200-blind-second.csv"
COLUMNS = ("kernel", "n", "measured_ms", "p10_ms", "p90_ms", "modelled_ms", "bound")


def write(path, head, columns, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {line}\n" for line in head)
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def freeze(commit, parts_path):
    """Stores what the model says of the second set, and by which sources of the model."""
    model = subprocess.run(["git", "rev-parse", f"{commit}:common/simt/profile"], cwd=ROOT,
                           check=True, capture_output=True, text=True).stdout.strip()
    now = rows_of(parts_path)
    head = ["device: modelled H200, the software GPU", f"date: {datetime.date.today()}",
            f"commit: {commit}", f"model: common/simt/profile of that commit, git tree {model}",
            "method: bench/blind --second, single launches with a cold L2; without what an empty "
            "kernel takes", "command: bench/blind/blind.cu; blind_second.py freeze",
            "key: kernel/n"]
    write(FROZEN, head, ("kernel", "kind", "half", "n", "work_ms", "bound", "judged"),
          [(key[0], now[key]["kind"], now[key]["half"], key[1], f"{now[key]['work_ms']:.6f}",
            now[key]["bound"], "yes" if now[key]["judged"] else "no") for key in in_order(now)])


def store(now_path, about_path, measured_paths):
    now, runs = rows_of(now_path), [rows_of(path) for path in measured_paths]
    empty = best_of(runs, ("empty", 4096))["ms"]
    about = Path(about_path).read_text(encoding="utf-8").splitlines()
    head = [*about, f"method: bench/blind --second, single launches with a cold L2, best median of "
            f"{len(runs)} runs of 15, results checked; an empty kernel {empty * 1e3:.3f} us",
            "command: bench/blind/blind.cu; blind_second.py store", "key: kernel/n"]
    rows = []
    for key in in_order(now):
        best = best_of(runs, key)
        rows.append((*key, f"{best['ms']:.6f}", best["p10"], best["p90"],
                     f"{empty + now[key]['work_ms']:.6f}", now[key]["bound"]))
    write(STORE, head, COLUMNS, rows)


def read_table(path):
    """(the head as a dict, rows as dicts of text)."""
    lines = path.read_text(encoding="utf-8").splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    return about, list(csv.DictReader(line for line in lines if not line.startswith("#")))


def empty_ms(about):
    return 1e-3 * float(re.search(r"an empty kernel ([0-9.]+) us", about["method"])[1])


def read():
    """(the head of the measurements, rows with numbers): frozen_ms is of the file that was written
    before they were."""
    about, rows = read_table(STORE)
    frozen = {(row["kernel"], row["n"]): row for row in read_table(FROZEN)[1]}
    if sorted(frozen) != sorted((row["kernel"], row["n"]) for row in rows):
        raise SystemExit(f"{STORE.name} and {FROZEN.name} do not hold the same rows")
    for row in rows:
        before = frozen[row["kernel"], row["n"]]
        row |= {"kind": before["kind"], "half": before["half"], "frozen_bound": before["bound"],
                "frozen_ms": empty_ms(about) + float(before["work_ms"])}
        for name in ("measured_ms", "modelled_ms"):
            row[name] = float(row[name])
    return about, rows


def half(name):
    return [row for row in read()[1] if row["half"] == name]


def again(now_path):
    """Stores what the model says now; what was measured stays."""
    now, (about, rows) = rows_of(now_path), read_table(STORE)
    for row in rows:
        found = now[row["kernel"], int(row["n"])]
        row |= {"modelled_ms": f"{empty_ms(about) + found['work_ms']:.6f}", "bound": found["bound"]}
    write(STORE, [f"{name}: {text}" for name, text in about.items()], COLUMNS,
          [[row[name] for name in COLUMNS] for row in rows])


def main(arguments):
    if arguments[:1] == ["freeze"] and len(arguments) == 3:
        freeze(*arguments[1:])
    elif arguments[:1] == ["store"] and len(arguments) > 3:
        store(*arguments[1:3], arguments[3:])
    elif arguments[:1] == ["again"] and len(arguments) == 2:
        again(arguments[1])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
