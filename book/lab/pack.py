#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What goes into a page's lab.

    pack.py ptx IN OUT --root DIR            PTX as a C string, its paths relative to DIR
    pack.py module IN OUT --name NAME --source FILE.cu
                                             a script that hands a compressed program, and the
                                             text of the lesson's own sources, to lab.js

The same input gives the same bytes.
"""

import argparse
import base64
import gzip
import json
import re
import sys
from pathlib import Path


def ptx(source, target, root):
    text = source.read_bytes().rstrip(b"\0").replace(f"{root}/".encode(), b"")
    target.write_bytes(text + b"\0")


def sources_of(program):
    """{name: text} of a lesson's program and the files of its own that it includes."""
    found, todo = {}, [program]
    while todo:
        path = todo.pop()
        if path.name in found or not path.is_file():
            continue
        found[path.name] = path.read_text("utf-8")
        todo += [path.parent / name
                 for name in re.findall(r'^#include "([\w.]+)"', found[path.name], re.MULTILINE)]
    shared = program.parents[2] / "common" / "workbook"
    for name in ("block_reduce.h", "passes.h", "warp.h"):
        if any(f'"{name}"' in text for text in found.values()):
            found[name] = (shared / name).read_text("utf-8")
    return found


def module(source, target, name, program):
    packed = base64.b64encode(gzip.compress(source.read_bytes(), 9, mtime=0)).decode()
    said = json.dumps({"name": name, "sources": sources_of(program), "program": packed},
                      ensure_ascii=False)
    target.write_text("// Made by book/lab/pack.py.\n(window.labModules = window.labModules || {})"
                      f"[{json.dumps(name)}] = {said};\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("ptx", "module"))
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--root", default="")
    parser.add_argument("--name", default="")
    parser.add_argument("--source", type=Path)
    options = parser.parse_args()
    if options.what == "ptx":
        ptx(options.input, options.output, options.root)
    else:
        module(options.input, options.output, options.name, options.source)
    return 0


if __name__ == "__main__":
    sys.exit(main())
