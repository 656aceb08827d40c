#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts what was measured on a GPU into figures/data, and checks what is there.

    store_measured.py --gpu NAME SWEEP.jsonl    stores a sweep (common/scripts/sweep.py writes it)
                                                as figures/data/NAME-sweep.jsonl; `make measure
                                                GPU=NAME` measures and does this
    store_measured.py --gpu NAME --lessons 11,12 SWEEP.jsonl
                                                stores these lessons of a sweep, which need not have
                                                ended, as figures/data/NAME-11-12-sweep.jsonl: for
                                                lessons that are newer than the whole sweep, or have
                                                changed since
    store_measured.py --gpu NAME --kind KIND TABLE.csv
                                                stores another table as figures/data/NAME-KIND.csv:
                                                targets, look-back, exact-sum, many-bins,
                                                many-gpus, ncu, ncu-caches or sanitizer-lessons
                                                (measured_tables.py)
    store_measured.py --check [DATA]            every stored file of measured lessons is as it must
    be

Only results are stored that are measured, verified, in the cold regime, from one sweep that
completed on one device, and consistent with each other; otherwise nothing is. What a file must be
like is the list of rules in complaints_about(), for a sweep: among them that every task of the
sweep is there, that a variant has every size or a reason why not, and that the rows are those that
were counted and hashed when the file was written, so that a file cut short or put together from two
runs is found.
"""

import argparse
import hashlib
import json
import re
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import measured_tables  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "figures/data"
KEY = ("lesson", "variant", "parameter", "n", "block")
ABOUT = ("device", "driver", "toolkit", "date", "commit", "clocks", "command", "method", "key",
         "tasks",
         "ceilings", "rows", "digest")
METHOD = ("the lessons' own programs, variants in turns; medians of batches timed by CUDA events, "
          "inputs rotated over more memory than the L2 holds; verified before and after")
TASK = re.compile(r"(\w+)/(\w+)/(\d+)/2\^(\d+)(?:\.\.2\^(\d+))?")  # lesson/variants/block/sizes
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
    kept |= {name: row[name] for name in ("group", "regime", "ceiling", "devices")
             if row.get(name)}
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
    bad += [name for name in ("n", "block", "grid", "repeats")
            if not isinstance(row.get(name), int)]
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


def digest_of(rows):
    """A hash of the rows as they are stored, in their order."""
    return hashlib.sha256("\n".join(map(json.dumps, rows)).encode()).hexdigest()[:16]


def complaints_about_provenance(about, rows):
    missing = [name for name in ABOUT if about.get(name) in (None, "", "unknown", [], {})]
    if missing:
        yield f"the provenance does not say: {', '.join(missing)}"
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", about.get("date", "")):
        yield "the date is not of the form 2026-01-31"
    if about.get("rows") != len(rows):
        yield f"{len(rows)} rows; written were {about.get('rows')}"
    elif about.get("digest") != digest_of(rows):
        yield "the rows are not those that were written: of another run, or changed by hand"
    bad = [name for name, value in about.get("ceilings", {}).items() if not is_number(value)]
    if bad:
        yield f"no sensible ceiling: {', '.join(bad)}"


def sizes_by_variant(rows, lesson, variant, block):
    """{variant: sizes} of a task; `variant` is one's or a group's name, or all."""
    found = {}
    for row in rows:
        swept = row.get("parameter") is not None
        if row["lesson"] == lesson and row["block"] == block and swept == (variant == "contention"):
            found.setdefault(row["variant"], set()).add(row["n"])
    return found


def complaints_about_wholeness(about, rows):
    """Every lesson, every task, and of each task every variant at every size: or why not."""
    tasks = [TASK.fullmatch(text) for text in about.get("tasks", [])]
    if None in tasks:
        yield f"not a task: {about['tasks'][tasks.index(None)]}"
        return
    for lesson in sorted(set(measured_tables.lessons_of(about)) - {task[1] for task in tasks}):
        yield f"nothing of lesson {lesson}"
    excused = {"/".join(text.split()[0].split("/")[:2]) for text in about.get("left_out", [])}
    for task in tasks:
        wanted = {1 << power for power in range(int(task[4]), int(task[5] or task[4]) + 1)}
        found = sizes_by_variant(rows, task[1], task[2], int(task[3]))
        if not found:
            yield f"nothing of {task[0]}"
        for variant, sizes in found.items():
            gaps = wanted - sizes
            if gaps and f"{task[1]}/{variant}" not in excused:
                yield (f"{task[1]}/{variant}, blocks of {task[3]}: n = {min(gaps)} is missing, "
                       "no reason given")


def complaints_about(path):
    """What is wrong with one stored file, one line each."""
    try:
        entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        about, rows = entries[0]["provenance"], entries[1:]
    except (json.JSONDecodeError, IndexError, KeyError, TypeError):
        yield "not JSON lines that begin with a provenance object"
        return
    yield from complaints_about_provenance(about, rows)
    seen = set()
    for number, row in enumerate(rows, 2):
        for complaint in complaints_about_row(row):
            yield f"line {number}: {complaint}"
        if key_of(row) in seen:
            yield f"line {number}: the same run twice"
        seen.add(key_of(row))
    if not seen:
        yield "no rows"
    yield from complaints_about_wholeness(about, rows)


def check(data):
    found = [(path, list(complaints_about(path))) for path in sorted(data.glob("*-sweep.jsonl"))]
    for path, kind in measured_tables.stored(data):
        table = measured_tables.read(path)
        found.append((path, list(measured_tables.complaints(kind, table))))
        if table.about.get("incomplete"):
            print(f"{path.name} is incomplete: {table.about['incomplete']}")
    for path, complaints in found:
        for complaint in complaints[:20]:
            print(f"{path.name}: {complaint}")
    n_bad = sum(len(complaints) for _, complaints in found)
    print(f"{len(found)} files of what was measured, {n_bad} complaints")
    return 1 if n_bad or not found else 0


# --- storing --------------------------------------------------------------------------------------

def only(lessons, about, results, done):
    """The part of a sweep that is of some lessons. Its tasks are what was done of them."""
    names = [name for name in measured_tables.lessons() if name[:2] in lessons]
    parts = sorted((text.rsplit("/", 1) for text in done if text.split("/")[0] in names),
                   key=lambda part: (part[0], int(part[1])))
    about = {**about, "lessons": names,
             "tasks": [f"{task}/2^{int(n).bit_length() - 1}" for task, n in parts],
             "left_out": [text for text in about["left_out"] if text.split("/")[0] in names]}
    return about, [row for row in results if row["lesson"] in names]


def read_sweep(path, lessons=None):
    """(provenance, results) of a finished sweep; no tasks in it when the sweep did not end. With
    `lessons` (["11", "12"]): of these, whether or not the sweep ended."""
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    done = {entry["done"] for entry in entries if "done" in entry}
    rows = [row for row in entries[1:] if row.get("task") in done]
    clocks = [entry["clocks"] for entry in entries if "clocks" in entry]
    tasks = [entry["tasks"] for entry in entries if "tasks" in entry]
    about = entries[0]["provenance"] | ({"clocks": f"{clocks[-1]}, under load"} if clocks else {})
    about |= {"tasks": tasks[-1] if tasks else [],
              "left_out": sorted({entry["left_out"] for entry in entries if "left_out" in entry})}
    results = list({key_of(row): row for row in rows}.values())
    return only(lessons, about, results, done) if lessons else (about, results)


def ceilings_of(rows):
    """{read, copy}: each program measures them anew; the median of all of them."""
    found = {}
    for row in rows:
        if row.get("ceiling") and row.get("ceiling_gb_per_s"):
            found.setdefault(row["ceiling"], {})[row["lesson"],
                                                 row["block"]] = row["ceiling_gb_per_s"]
    return {kind: rounded(statistics.median(values.values())) for kind, values in found.items()}


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


def store(gpu, path, data, lessons=None):
    about, results = read_sweep(path, lessons)
    if any(row.get("device") not in (None, about.get("device")) for row in results):
        print("rows of different devices; nothing was stored", file=sys.stderr)
        return 1
    rows = [stored_form(row) for row in results if row.get("time_ms") and row.get("gb_per_s")]
    about = {name: text for name, text in about.items() if name != "programs"}
    about |= {"method": METHOD, "key": "/".join(KEY), "ceilings": ceilings_of(rows),
              "lessons": about.get("lessons", measured_tables.lessons()), "rows": len(rows),
              "digest": digest_of(rows)}
    name = "-".join([gpu, *(lessons or [])])
    return 0 if write(data / f"{name}-sweep.jsonl", about, rows) else 1


def store_table(gpu, kind, path, data, incomplete):
    """Seals a table, and writes it if it is as it must be."""
    table = measured_tables.read(path)
    if kind in measured_tables.OF_LESSONS:
        table.about["lessons"] = " ".join(measured_tables.lessons())
    if incomplete:
        table.about["incomplete"] = incomplete
    found = list(measured_tables.complaints(kind, table.seal()))
    if found:
        print("\n".join(f"{path.name}: {line}" for line in found[:20]), file=sys.stderr)
        print(f"{len(found)} complaints; nothing was stored", file=sys.stderr)
        return 1
    stored = data / f"{gpu}-{kind}.csv"
    stored.write_text(table.text(), encoding="utf-8")
    print(f"{stored.name}: {len(table.lines)} rows")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("sweep", nargs="?", type=Path, metavar="FILE",
                        help="build/measure/sweep.jsonl, or a table")
    parser.add_argument("--gpu", help="short name of the GPU, as in h200-sweep.jsonl")
    parser.add_argument("--lessons", help="of a sweep, e.g. 11,12 (default: all)")
    parser.add_argument("--kind", choices=["sweep", *measured_tables.RULES], default="sweep")
    parser.add_argument("--incomplete", help="why the table lacks something: stored all the same")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--data", type=Path, default=DATA)
    arguments = parser.parse_args()
    if arguments.check:
        return check(arguments.sweep or arguments.data)
    if not arguments.sweep or not re.fullmatch(r"[a-z0-9_]+", arguments.gpu or ""):
        parser.error("--gpu takes a short name of a-z, 0-9 and _, and a file to store is needed")
    if arguments.kind != "sweep":
        return store_table(arguments.gpu, arguments.kind, arguments.sweep, arguments.data,
                           arguments.incomplete)
    lessons = [word for word in (arguments.lessons or "").split(",") if word]
    known = {name[:2] for name in measured_tables.lessons()}
    if not set(lessons) <= known:
        parser.error(f"--lessons: there is no lesson {min(set(lessons) - known)}")
    return store(arguments.gpu, arguments.sweep, arguments.data, lessons)


if __name__ == "__main__":
    sys.exit(main())
