#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stores what the software GPU counts for every lesson, so that the book can quote it.

    figures/regenerate_simt.py [--build build]          writes figures/data/simt-lessons.jsonl
    figures/regenerate_simt.py [--build build] --check  runs again and compares; exit 1 on a change

Counts are exact and the same on every machine, so a difference means that a lesson, the compiler's
output or the simulator has changed: look at it, then regenerate and read the chapters again. Times
are left out: on the software GPU they are modelled, and no chapter quotes one.

The compiler takes part in the counts (PTX is what is counted), so its version is stored. With
another one --check compares results and the counters in STABLE, and says so; the test stored_counts
shows as skipped then.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "common/scripts"))
import provenance as origin  # noqa: E402
from compare_results import ORDER_IS_FREE  # noqa: E402

STORE = ROOT / "figures" / "data" / "simt-lessons.jsonl"
N, BLOCK = 1 << 20, 256
KEPT = ("lesson", "variant", "parameter", "n", "block", "grid", "correct", "result", "counters")
EXACT = ("parameter", "n", "block", "grid", "correct", "result")  # the same by every compiler

# What a lesson's source alone decides, whichever compiler made the PTX.
STABLE = ("launches", "blocks", "warps", "threads", "block_barriers", "global_load_bytes",
          "global_atomic_lanes", "global_atomic_max_degree", "shared_store_words")


def run_lesson(program):
    command = [str(program), "--n", str(N), "--block", str(BLOCK), "--json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if result.returncode != 0:
        raise RuntimeError(f"{program.name} failed ({result.returncode}): {result.stderr.strip()}")
    entries = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    if not entries or any(entry["backend"] != "simt" for entry in entries):
        raise RuntimeError(f"{program.name}: not a run on the software GPU")
    return [{name: entry[name] for name in KEPT if name in entry} for entry in entries]


def run_all(build):
    entries = []
    for directory in sorted(ROOT.glob("lessons/[0-9][0-9]_*")):
        program = build / "lessons" / directory.name
        if not program.is_file():
            raise RuntimeError(f"{program} is not built (make)")
        entries += run_lesson(program)
    return entries


def provenance(entries, compiler):
    lessons = ", ".join(dict.fromkeys(entry["lesson"] for entry in entries))
    return {"device": "the software GPU", "toolkit": compiler,
            "method": f"counted, n = 2^{N.bit_length() - 1}, blocks of {BLOCK} threads",
            "command": f"figures/regenerate_simt.py (--n {N} --block {BLOCK} --json)",
            "lessons": lessons, "key": "lesson/variant"}


def name_of(entry):
    return entry["lesson"] + "/" + entry["variant"]


def differences(stored, entries, same_compiler):
    """One line per counter that is not what was stored."""
    now = {name_of(entry): entry for entry in entries}
    lines = [f"{name}: no longer there" for name in map(name_of, stored) if name not in now]
    known = {name_of(entry): entry for entry in stored}
    for name, entry in now.items():
        if name not in known:
            lines.append(f"{name}: not stored yet")
            continue
        free = not same_compiler and (entry["lesson"], entry["variant"]) in ORDER_IS_FREE
        lines += [f"{name}: {field} was {known[name].get(field)}, is {entry.get(field)}"
                  for field in EXACT if known[name].get(field) != entry.get(field)
                  and not (free and field == "result")]
        before, after = known[name]["counters"], entry["counters"]
        for counter in sorted(set(before) | set(after)):
            compared = same_compiler or counter in STABLE
            if compared and before.get(counter) != after.get(counter):
                lines.append(f"{name}: {counter} was {before.get(counter)}, is "
                             f"{after.get(counter)}")
    return lines


def check(entries, compiler):
    lines = [json.loads(line) for line in STORE.read_text("utf-8").splitlines()]
    made_by = lines[0]["provenance"]["toolkit"]
    same = made_by == compiler
    found = differences(lines[1:], entries, same)
    for line in found:
        print(line)
    kind = ("results and all counters" if same else
            f"results and the {len(STABLE)} counters that do not depend on the compiler (stored by "
            f"{made_by}, these by {compiler})")
    print(f"{len(entries)} stored runs, {kind} compared, {len(found)} differences")
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="build directory")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    try:
        entries = run_all(arguments.build.resolve())
        compiler = origin.clang_of_build(arguments.build)
        if arguments.check:
            return check(entries, compiler)
    except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
        print(f"regenerate_simt: {error}", file=sys.stderr)
        return 1
    lines = [{"provenance": provenance(entries, compiler)}] + entries
    STORE.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    print(f"{STORE.relative_to(ROOT)}: {len(entries)} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
