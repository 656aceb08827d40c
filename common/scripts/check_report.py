#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The end of `make check`: which tests were not run, and why.

    check_report.py JUNIT.xml BUILD [--nightly]

Skipped tests with their reasons, skipped parts of Python tests, tests of other configurations,
which this build does not have (tests/repository/inventory.py), and with --nightly those that were
left to the nightly run (tests/nightly.txt).
"""

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INVENTORY = ROOT / "tests/repository/inventory.py"
SKIPPED_PART = re.compile(r"^(\w+) \(.*\.\.\. skipped ['\"](.*)['\"]$", re.MULTILINE)
MOST = 300  # characters of a reason


def not_run(junit):
    """Pairs (test, reason) in the order of the file."""
    found = []
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        name, said = case.get("name"), (case.findtext("system-out") or "").strip()
        skipped = case.find("skipped")
        if skipped is not None:
            reason = " ".join(said.split()) or skipped.get("message") or "no reason given"
            found.append((name, reason if len(reason) <= MOST else reason[:MOST] + " ..."))
        parts = SKIPPED_PART.findall(said)  # matching: ctest's log
        found += [(f"{name}, {part}", reason) for part, reason in parts]
    return found


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--nightly"]):
        sys.exit(__doc__)
    skipped = not_run(sys.argv[1])
    print(f"Skipped: {len(skipped) or 'nothing'}")
    for name, reason in skipped:
        print(f"  {name}: {reason}")
    sys.stdout.flush()
    for question in ["--absent", *sys.argv[3:]]:
        subprocess.run([sys.executable, "-B", INVENTORY, question, sys.argv[2]], check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
