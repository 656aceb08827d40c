#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernels that may begin before the launch in front of them has ended touch no memory until then.

    check_overlap.py --nvcc NVCC --include DIR FILE.cu...

Reads the PTX that nvcc makes for sm_90. Says, and exits 1, when
  - a kernel given to wb_launch_overlapped does not wait (griddepcontrol.wait), or
  - a kernel that waits loads, stores or adds in global memory before it, in the order of the text;
and when no kernel waits at all: then there was nothing to look at.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

WAIT = "griddepcontrol.wait"
ACCESS = re.compile(r"^(?:@!?%\w+\s+)?(ld|st|atom|red|ldu|cp|prefetch)\b\.?(\S*)")
PRIVATE = ("param", "shared", "local", "const")  # no other thread's, or never written


def kernels_of(ptx):
    """{name: [statement, …]} of the entries."""
    found = {}
    for entry in re.finditer(r"\.entry (\w+)\(.*?\)[^{]*\{(.*?)\n\}", ptx, re.DOTALL):
        found[entry[1]] = [line.strip() for line in entry[2].splitlines()]
    return found


def early_access(statements):
    """The first access before the wait, or None."""
    for statement in statements:
        if statement.startswith(WAIT):
            return None
        access = ACCESS.match(statement)
        if access and not set(access[2].split(".")) & set(PRIVATE):
            return statement
    return None


def complaints_about(source, text, ptx):
    kernels = kernels_of(ptx)
    waiting = {name for name, statements in kernels.items()
               if any(s.startswith(WAIT) for s in statements)}
    for chosen in re.findall(r"wb_launch_overlapped\(([^,]+),", text):
        launched = set(re.findall(r"\w+", chosen)) & set(kernels)
        if not launched:
            yield f"{source}: which kernel is launched by ({chosen}, ...)?"
        for name in sorted(launched - waiting):
            yield f"{source}: {name} is launched overlapped and does not wait"
    for name in sorted(waiting):
        access = early_access(kernels[name])
        if access:
            yield f"{source}: {name} touches memory before it has waited: {access}"
    if not waiting:
        yield f"{source}: no kernel waits"


def ptx_of(nvcc, include, source):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.ptx"
        command = [nvcc, "-ptx", "-O3", "-arch=sm_90", "-I" + include, source, "-o", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"nvcc failed: {' '.join(command)}\n{done.stdout}{done.stderr}")
        return out.read_text(encoding="utf-8")


def whole_text(source):
    """The source and the .cuh files that it includes from its own folder."""
    text = Path(source).read_text(encoding="utf-8")
    for name in re.findall(r'#include "(\w+\.cuh)"', text):
        text += (Path(source).parent / name).read_text(encoding="utf-8")
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("sources", nargs="+")
    arguments = parser.parse_args()
    complaints = []
    for source in arguments.sources:
        ptx = ptx_of(arguments.nvcc, arguments.include, source)
        complaints += complaints_about(Path(source).name, whole_text(source), ptx)
    print("\n".join(complaints) or "nothing is touched before the wait")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
