#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Dependencies inside the software GPU point one way: a file includes only its own layer or one
above it in LAYERS, and the core and those who observe it never include each other.

    check_includes.py [common/simt]

Prints one line per offence and exits 1 when there is any. A file that no layer names is one.
"""

import fnmatch
import re
import sys
from pathlib import Path

# From the bottom of the dependency graph upwards; the first pattern that fits a file counts.
LAYERS = [
    ("status and arenas", ["status.*", "arena.*", "names.*", "text.*"]),
    ("public names", ["include/simt.h", "include/simt_counters.def"]),
    ("the module, as parsed", ["ptx.h"]),
    ("opcodes", ["isa.h", "isa.def", "isa_*.h", "isa_*.c"]),
    ("the dense instruction", ["exec.h"]),
    ("opcode lookup", ["isa.c"]),
    ("parser", ["ptx_lex.*", "ptx_*.h", "ptx_*.c"]),
    ("control flow", ["cfg.*"]),
    ("address spaces", ["memory.*", "speculate.*"]),
    ("events", ["observer.h"]),
    ("launch interface", ["grid.h"]),
    ("decoder", ["decode*", "slots.*", "link.*", "homes.*"]),
    ("lane semantics", ["exec_address.*", "lanes.h", "half.*", "approx.*", "rounding.*"]),
    ("warps", ["warp.h"]),
    ("execution", ["exec_*", "collective.*", "deadlock.*", "fill.*", "schedule.*", "splits.*",
                   "store_buffer.*", "sync.*",
                   "undefined.*", "warp*.c"]),
    ("grids", ["grid.c", "threads.*", "launch.*"]),
    ("observers", ["counters.*", "atomic_map.*", "check*", "findings*", "model*"]),
    ("CUDA runtime", ["cudart*", "include/*"]),
]
OBSERVERS = "observers"
CORE = {"decoder", "lane semantics", "warps", "execution", "grids", "address spaces"}
# What an observer may know of the core: its events and what they are made of.
OBSERVERS_MAY_SEE = {"status and arenas", "public names", "the module, as parsed", "opcodes",
                     "events", "address spaces", OBSERVERS}
# lanes.h is made of opcode rows and isa.c knows the functions it declares: one table, two readers.
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def layer_of(name):
    for rank, (title, patterns) in enumerate(LAYERS):
        if any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            return rank, title
    return None, None


def relative_to(root, folder, include):
    """The included file's name inside `root`, or None for one that lies elsewhere."""
    for base in (folder, root, root / "include"):
        path = (base / include).resolve()
        if path.is_file() and root in path.parents:
            return path.relative_to(root).as_posix()
    return None


def check_file(root, path, complaints):
    name = path.relative_to(root).as_posix()
    rank, title = layer_of(name)
    if rank is None:
        complaints.append(f"{name}: belongs to no layer; add it to LAYERS in {Path(__file__).name}")
        return
    for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
        other = relative_to(root, path.parent, include)
        other_rank, other_title = layer_of(other) if other else (None, None)
        if other_rank is None or other == name:
            continue
        if other_rank > rank:
            complaints.append(f"{name} ({title}) includes {other} ({other_title}), "
                              "which stands on it")
        elif title == OBSERVERS and other_title not in OBSERVERS_MAY_SEE:
            complaints.append(f"{name} observes, so it must not include {other} ({other_title})")
        elif title in CORE and other_title == OBSERVERS:
            complaints.append(f"{name} is core, so it must not include the observer {other}")


def check(root):
    root = root.resolve()
    files = [p for p in sorted(root.rglob("*")) if p.suffix in (".c", ".h", ".def")]
    complaints = []
    for path in files:
        check_file(root, path, complaints)
    return files, complaints


def main():
    default = Path(__file__).resolve().parents[2] / "common/simt"
    files, complaints = check(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
    for complaint in complaints:
        print(complaint)
    print(f"{len(files)} files, {len(complaints)} offences")
    return 1 if complaints or not files else 0


if __name__ == "__main__":
    sys.exit(main())
