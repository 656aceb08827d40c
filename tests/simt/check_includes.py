#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rooms of the software GPU: a file includes only its own room and those that MAY_INCLUDE
lists for it, directly or through one of those. There are no exceptions.

    check_includes.py [common/simt]

Prints one line per offence and exits 1 when there is any. An include that does not name its room
("base/arena.h") and a file outside every room are offences too.
"""

import re
import sys
from pathlib import Path

# What each room may include besides itself and what those may include in turn. The table is also
# in common/simt/README.md.
MAY_INCLUDE = {
    "include": [],           # the headers that user code sees
    "base": [],
    "ptx": ["base"],
    "isa": ["ptx", "include"],
    "device": ["isa"],
    "lanes": ["device"],
    "decode": ["lanes"],
    "core": ["decode"],
    "profile": ["device"],
    "findings": ["device"],
    "check": ["findings"],
    "engine": ["core", "profile", "check"],
    "runtime": ["engine"],
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def reachable(room):
    """The rooms whose headers `room` may include, itself among them."""
    rooms, waiting = set(), [room]
    while waiting:
        one = waiting.pop()
        if one not in rooms:
            rooms.add(one)
            waiting += MAY_INCLUDE[one]
    return rooms


def check_file(root, path, complaints):
    name = path.relative_to(root)
    room = name.parts[0] if len(name.parts) > 1 else None
    if room not in MAY_INCLUDE:
        complaints.append(f"{name}: in no room; the rooms are {', '.join(MAY_INCLUDE)}")
        return
    if room == "include":
        return  # includes as user code does
    allowed = reachable(room)
    for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
        other = include.split("/")[0]
        if "/" not in include or not (root / include).is_file():
            complaints.append(f'{name}: "{include}" does not name a file of a room')
        elif other not in allowed:
            complaints.append(f"{name}: {room}/ may not include {include}; it may include "
                              + ", ".join(sorted(allowed - {room})))


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
