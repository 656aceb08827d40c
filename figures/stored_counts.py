#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Says whether this build's clang is the one whose counts are stored.

    stored_counts.py BUILD

PTX is what the software GPU counts, so counts depend on the compiler's version; results do not. The
tests that read the files below compare counts only with the clang that made them, and results (and
what must be found) with every clang. Exit 0: all counts are compared; 77: some are not, listed;
1: a file does not name its compiler.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "common/scripts"))
import provenance  # noqa: E402

STORED = {  # file: the test that compares it
    "simt-lessons.jsonl": "book_numbers",
    "checks-corpus.csv": "simt_checks_simtcc",
    "checks-mutations.csv": "simt_removals",
}


def made_by(path):
    """The compiler that a stored file names, or ""."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix == ".jsonl":
        return json.loads(lines[0])["provenance"].get("toolkit", "")
    named = [line for line in lines if line.startswith("# toolkit: ")]
    return named[0].removeprefix("# toolkit: ") if named else ""


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    here = provenance.clang_of_build(sys.argv[1])
    compilers = {name: made_by(ROOT / "figures/data" / name) for name in STORED}
    if "" in compilers.values():
        print(f"a stored file does not name its compiler: {compilers}; make store makes it anew")
        return 1
    others = [name for name, compiler in compilers.items() if compiler != here]
    for name in others:
        print(f"{name} was made with {compilers[name]}, this build with {here}: "
              f"{STORED[name]} compares results, not counts")
    print(f"{len(compilers) - len(others)} of {len(compilers)} stored files have their counts "
          f"compared")
    return 77 if others else 0


if __name__ == "__main__":
    sys.exit(main())
