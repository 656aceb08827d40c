#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts what was measured on a GPU into figures/data, and checks what is there.

    store_measured.py --gpu NAME SWEEP.jsonl    stores a sweep (common/scripts/sweep.py writes it) as
                                                figures/data/NAME-sweep.jsonl; `make measure GPU=NAME`
                                                measures and does this
    store_measured.py --check [DATA]            every stored file of measured lessons is as it must be

Stored are only results that are measured, verified, in the cold regime, of one device, and whose
numbers fit each other; otherwise nothing is. Where NAME-lessons.jsonl exists, from which the chapters
quote, its rows are renewed from the sweep. What a file must be like is the list of rules in
complaints_about().
"""

import argparse
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "figures/data"
KEY = ("lesson", "variant", "parameter", "n", "block")
ABOUT = ("device", "driver", "toolkit", "date", "command", "key", "method")  # every stored file
ABOUT_SWEEP = ABOUT + ("commit", "clocks")
METHOD = ("the lessons' own programs, variants in turns; medians of batches timed by CUDA events, "
          "inputs rotated over more memory than the L2 holds; verified before and after")
NUMBERS = ("time_ms", "time_p10_ms", "time_p90_ms", "gb_per_s", "gops_per_s")
OPTIONAL = ("time_graph_ms", "time_graph_p10_ms", "time_graph_p90_ms", "times_cub",
            "times_cub_graph", "ceiling_gb_per_s")


def key_of(row):
    return tuple(row.get(name) for name in KEY)


def rounded(value):
    """What a repetition reproduces."""
    return float(f"{value:.5g}")


def stored_form(row):
    """What the book needs of a program's line."""
    kept = {name: row.get(name) for name in KEY}
    kept |= {name: row[name] for name in ("grid", "backend", "time_kind", "repeats")}
    for name in ("time_ms", "time_p10_ms", "time_p90_ms", "gb_per_s"):
        kept[name] = rounded(row[name])
    kept["correct"] = row["correct"]
    kept["gops_per_s"] = rounded(row["n"] / (row["time_ms"] * 1e6))
    kept |= {name: rounded(row[name]) for name in OPTIONAL if row.get(name) is not None}
    kept |= {name: row[name] for name in ("group", "regime", "ceiling") if row.get(name)}
    kept |= {name: True for name in ("ties_before", "ties_cub") if row.get(name)}
    return kept


# --- rules ----------------------------------------------------------------------------------------

def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e12


def complaints_about_row(row):
    if row.get("time_kind") != "measured" or row.get("backend") != "cuda":
        yield "not measured on a GPU"
        return
    if row.get("correct") is not True:
        yield "not verified"
    if row.get("regime", "cold") != "cold":
        yield f"of the {row['regime']} regime; stored are cold ones"
    if not (ROOT / "lessons" / str(row.get("lesson"))).is_dir():
        yield f"there is no lesson {row.get('lesson')}"
    bad = [name for name in NUMBERS if not is_number(row.get(name))]
    bad += [name for name in OPTIONAL if name in row and not is_number(row[name])]
    bad += [name for name in ("n", "block", "grid", "repeats") if not isinstance(row.get(name), int)]
    if bad:
        yield f"no sensible {', '.join(bad)}"
        return
    if not row["time_p10_ms"] <= row["time_ms"] <= row["time_p90_ms"]:
        yield "the median does not lie between p10 and p90"
    passes = 2 if "09" <= row["lesson"][:2] and row.get("ceiling", "copy") == "copy" else 1
    expected = passes * 4e-6 * row["n"] / row["time_ms"]
    if not abs(row["gb_per_s"] / expected - 1) <= 0.01:
        yield f"{row['gb_per_s']} GB/s do not fit n and the time, which give {expected:.4g}"
    if row["gb_per_s"] > 1.1 * row.get("ceiling_gb_per_s", 1e9):
        yield "faster than the ceiling measured beside it"


def complaints_about(path):
    """What is wrong with one stored file, one line each."""
    try:
        entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        about = entries[0]["provenance"]
    except (json.JSONDecodeError, IndexError, KeyError, TypeError):
        yield "not JSON lines that begin with a provenance object"
        return
    wanted = ABOUT_SWEEP if path.stem.endswith("-sweep") else ABOUT
    missing = [name for name in wanted if about.get(name) in (None, "", "unknown")]
    if missing:
        yield f"the provenance does not say: {', '.join(missing)}"
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", about.get("date", "")):
        yield "the date is not of the form 2026-01-31"
    seen = set()
    for number, row in enumerate(entries[1:], 2):
        for complaint in complaints_about_row(row):
            yield f"line {number}: {complaint}"
        if key_of(row) in seen:
            yield f"line {number}: the same run twice"
        seen.add(key_of(row))
    if not seen:
        yield "no rows"


def check(data):
    paths = sorted(data.glob("*-sweep.jsonl")) + sorted(
        path for path in data.glob("*-lessons.jsonl") if path.name != "simt-lessons.jsonl")
    n_bad = 0
    for path in paths:
        for complaint in complaints_about(path):
            print(f"{path.name}: {complaint}")
            n_bad += 1
    print(f"{len(paths)} files of measured lessons, {n_bad} complaints")
    return 1 if n_bad or not paths else 0


# --- storing --------------------------------------------------------------------------------------

def read_sweep(path):
    """(provenance, results) of a finished sweep."""
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    done = {entry["done"] for entry in entries if "done" in entry}
    rows = [row for row in entries[1:] if row.get("task") in done]
    clocks = [entry["clocks"] for entry in entries[1:] if "clocks" in entry]
    about = entries[0]["provenance"] | ({"clocks": f"{clocks[-1]}, under load"} if clocks else {})
    return about, list({key_of(row): row for row in rows}.values())


def write(path, about, rows):
    """Writes the file, if it is as it must be; else says what is wrong and leaves the old one."""
    named = path.parent / f"draft-of-{path.name}"
    named.write_text("".join(json.dumps(line) + "\n" for line in [{"provenance": about}, *rows]),
                     encoding="utf-8")
    found = list(complaints_about(named))
    if found:
        named.unlink()
        print("\n".join(f"{path.name}: {line}" for line in found[:20]), file=sys.stderr)
        print(f"{len(found)} complaints; nothing was stored", file=sys.stderr)
        return False
    named.rename(path)
    print(f"{path.name}: {len(rows)} rows")
    return True


def renewed(old, fresh):
    """The rows of NAME-lessons.jsonl: those of the sweep with a lesson, n and block it has already,
    and the old ones that the sweep does not have."""
    places = {(row["lesson"], row["n"], row["block"], row.get("parameter") is None) for row in old}
    table = {key_of(row): row for row in old}
    table |= {key_of(row): row for row in fresh
              if (row["lesson"], row["n"], row["block"], row.get("parameter") is None) in places}
    return sorted(table.values(), key=lambda row: row["lesson"])  # stable: runs stay together


def store(gpu, path, data):
    about, results = read_sweep(path)
    if any(row.get("device") not in (None, about.get("device")) for row in results):
        print("rows of different devices; nothing was stored", file=sys.stderr)
        return 1
    rows = [stored_form(row) for row in results if row.get("time_ms") and row.get("gb_per_s")]
    about = {name: text for name, text in about.items() if name != "programs"}
    about |= {"method": METHOD, "key": "/".join(KEY)}
    if not write(data / f"{gpu}-sweep.jsonl", about, rows):
        return 1
    lessons = data / f"{gpu}-lessons.jsonl"
    if not lessons.exists():
        return 0
    old_about, *old = [json.loads(line) for line in lessons.read_text("utf-8").splitlines()]
    about |= {"device": old_about["provenance"]["device"]}
    return 0 if write(lessons, about, renewed(old, rows)) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("sweep", nargs="?", type=Path, help="build/measure/sweep.jsonl")
    parser.add_argument("--gpu", help="short name of the GPU, as in h200-sweep.jsonl")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--data", type=Path, default=DATA)
    arguments = parser.parse_args()
    if arguments.check:
        return check(arguments.sweep or arguments.data)
    if not arguments.sweep or not re.fullmatch(r"[a-z0-9_]+", arguments.gpu or ""):
        parser.error("--gpu takes a short name of a-z, 0-9 and _, and a sweep is needed")
    return store(arguments.gpu, arguments.sweep, arguments.data)


if __name__ == "__main__":
    sys.exit(main())
