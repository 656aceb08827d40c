#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Both sets of bench/blind on a GPU that the timing model was never compared with: what it says of
that GPU, from micro-benchmarks alone, and what was measured.

    blind_device.py freeze GPU COMMIT FIRST.csv SECOND.csv
                                       -> figures/data/simt-GPU-blind.csv: both sets as the model
                                       gives them, before the measurements are read; COMMIT measured
                                       the constants of common/simt/profile/devices/GPU.def
    blind_device.py store GPU NOW_1.csv NOW_2.csv ABOUT MEASURED...
                                       -> figures/data/GPU-blind.csv; MEASURED: files of both sets
    blind_device.py again GPU NOW_1.csv NOW_2.csv
                                       the same file with the model as it is now

FIRST.csv, SECOND.csv and NOW_*.csv are what `blind --parts` and `blind --second --parts` print on
the software GPU with SIMT_DEVICE=GPU, MEASURED what `blind` and `blind --second` print on the GPU;
of several runs the shortest median counts. ABOUT holds lines such as "driver: 580.1", for the
file's head. A modelled time is that of a single launch between two events: what the empty kernel
took, measured, and the launch's work, modelled. Frozen times are never stored a second time.
"""

import datetime
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from blind_rows import best_of, in_order, rows_of  # noqa: E402
from blind_second import empty_ms, read_table, write  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "figures/data"
SETS = ("first", "second")
COLUMNS = ("set", "kernel", "n", "measured_ms", "p10_ms", "p90_ms", "modelled_ms", "bound")


def frozen_of(gpu):
    return DATA / f"simt-{gpu}-blind.csv"


def store_of(gpu):
    return DATA / f"{gpu}-blind.csv"


def freeze(gpu, commit, paths):
    """Stores what the model says, and by which sources of the model: those that git would commit
    now."""
    subprocess.run(["git", "add", "common/simt/profile"], cwd=ROOT, check=True)
    model = subprocess.run(["git", "write-tree", "--prefix=common/simt/profile/"], cwd=ROOT,
                           check=True, capture_output=True, text=True).stdout.strip()
    head = [f"device: modelled {gpu.upper()}, the software GPU", f"date: {datetime.date.today()}",
            f"commit: {commit}", f"model: common/simt/profile as of git tree {model}",
            "method: bench/blind, both sets, single launches with a cold L2; without what an empty "
            "kernel takes", "command: bench/blind/blind.cu; blind_device.py freeze",
            "key: set/kernel/n"]
    rows = []
    for name, path in zip(SETS, paths):
        now = rows_of(path)
        rows += [(name, key[0], now[key]["kind"], now[key]["half"], key[1],
                  f"{now[key]['work_ms']:.6f}", now[key]["bound"],
                  "yes" if now[key]["judged"] else "no") for key in in_order(now)]
    write(frozen_of(gpu), head,
          ("set", "kernel", "kind", "half", "n", "work_ms", "bound", "judged"), rows)


def store(gpu, now_paths, about_path, measured_paths):
    """A file of measurements is of the set whose kernels it has."""
    about = Path(about_path).read_text(encoding="utf-8").splitlines()
    runs = [rows_of(path) for path in measured_paths]
    empty = best_of(runs, ("empty", 4096))["ms"]
    rows, counts = [], []
    for name, path in zip(SETS, now_paths):
        now = rows_of(path)
        of_set = [run for run in runs if in_order(now)[0] in run]
        counts.append(len(of_set))
        for key in in_order(now):
            best = best_of(of_set, key)
            rows.append((name, *key, f"{best['ms']:.6f}", best["p10"], best["p90"],
                         f"{empty + now[key]['work_ms']:.6f}", now[key]["bound"]))
    head = [*about, "method: bench/blind, both sets, single launches with a cold L2, best median "
            f"of {min(counts)} runs of 15, results of the second set checked; an empty kernel "
            f"{empty * 1e3:.3f} us",
            "command: bench/blind/blind.cu; blind_device.py store", "key: set/kernel/n"]
    write(store_of(gpu), head, COLUMNS, rows)


def read(gpu):
    """(the head of the measurements, rows with numbers): frozen_ms is of the file that was written
    before they were read."""
    about, rows = read_table(store_of(gpu))
    frozen = {(row["set"], row["kernel"], row["n"]): row
              for row in read_table(frozen_of(gpu))[1]}
    if sorted(frozen) != sorted((row["set"], row["kernel"], row["n"]) for row in rows):
        raise SystemExit(f"{store_of(gpu).name} and {frozen_of(gpu).name} do not hold the same "
                         "rows")
    for row in rows:
        before = frozen[row["set"], row["kernel"], row["n"]]
        row |= {"kind": before["kind"], "half": before["half"],
                "frozen_ms": empty_ms(about) + float(before["work_ms"])}
        for name in ("measured_ms", "modelled_ms"):
            row[name] = float(row[name])
    return about, rows


def again(gpu, now_paths):
    """Stores what the model says now; what was measured stays."""
    about, rows = read_table(store_of(gpu))
    now = {(name, *key): row for name, path in zip(SETS, now_paths)
           for key, row in rows_of(path).items()}
    for row in rows:
        found = now[row["set"], row["kernel"], int(row["n"])]
        row |= {"modelled_ms": f"{empty_ms(about) + found['work_ms']:.6f}", "bound": found["bound"]}
    write(store_of(gpu), [f"{name}: {text}" for name, text in about.items()], COLUMNS,
          [[row[name] for name in COLUMNS] for row in rows])


def main(arguments):
    if arguments[:1] == ["freeze"] and len(arguments) == 5:
        freeze(*arguments[1:3], arguments[3:])
    elif arguments[:1] == ["store"] and len(arguments) > 6:
        store(arguments[1], arguments[2:4], arguments[4], arguments[5:])
    elif arguments[:1] == ["again"] and len(arguments) == 4:
        again(arguments[1], arguments[2:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
