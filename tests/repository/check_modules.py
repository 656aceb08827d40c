#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Includes run one way. The rooms of the software GPU have a test of their own
(tests/simt/check_includes.py); this one is for what is inside a folder.

    check_modules.py [ROOT]

- No header includes itself, directly or through others: in common/, tests/, bench/ and lessons/.
- In the folders of APART no two modules need each other. A module is a .c file with the header of
  its name; what two of them share belongs in a header of its own.

Prints one line per complaint and exits 1 when there is any.
"""

import posixpath
import re
import sys
from pathlib import Path

from tracked import ROOT, files_of

APART = ("common/grade", "common/tutor")
WHERE = ("common/", "tests/", "bench/", "lessons/")
HEADERS = {".h", ".cuh", ".inc", ".def"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def included(root, name, known):
    """The files of `known` that a file includes, by any of the folders that our builds search."""
    text = (root / name).read_text(encoding="utf-8", errors="replace")
    for path in INCLUDE.findall(text):
        for folder in (str(Path(name).parent), "common", "common/simt", "common/workbook", "tests"):
            found = posixpath.normpath(f"{folder}/{path}")
            if found in known:
                yield found
                break


def circles(graph):
    """The sets of more than one node, or of one that leads to itself, that lead to each other."""
    def reach(start):
        seen, waiting = set(), list(graph[start])
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                waiting += graph.get(node, ())
        return seen

    reached = {node: reach(node) for node in graph}
    found = {frozenset(other for other in reached[node] if node in reached[other])
             for node in graph if node in reached[node]}
    return sorted(sorted(circle) for circle in found)


def check(root, names):
    sources = [n for n in names if n.startswith(WHERE) and Path(n).suffix in HEADERS | {".c"}]
    known = set(sources)
    edges = {name: set(included(root, name, known)) for name in sources}
    headers = {a: {b for b in edges[a] if Path(b).suffix in HEADERS}
               for a in sources if Path(a).suffix in HEADERS}
    for circle in circles(headers):
        yield f"headers that include each other: {', '.join(circle)}"
    for folder in APART:
        def module(name):
            return str(Path(name).with_suffix(""))

        inside = [name for name in sources if str(Path(name).parent) == folder]
        graph = {module(name): set() for name in inside}
        for name in inside:
            graph[module(name)] |= {module(other) for other in edges[name]
                                    if other in inside and module(other) != module(name)}
        for circle in circles(graph):
            yield f"modules that need each other: {', '.join(circle)}"


def main():
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    names = files_of(root)
    complaints = list(check(root, names))
    for complaint in complaints:
        print(complaint)
    print(f"{len(complaints)} complaints")
    return 1 if complaints or not names else 0


if __name__ == "__main__":
    sys.exit(main())
