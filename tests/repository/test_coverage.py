#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coverage.py counts what ran and names what did not, for a program of which both is known."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common/scripts"))
import coverage  # noqa: E402

LIBRARY = """int taken(int n) {
  if (n > 0)
    return 1;
  return 2;
}
int never(void) {
  return 3;
}
"""
PROGRAM = "int taken(int);\nint main(void) { return taken(1) - 1; }\n"


class Coverage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(os.path.realpath(folder.name))
        self.build = self.root / "build"
        self.build.mkdir()
        for name, text in (("common/room/a.c", LIBRARY), ("common/room/b.c", "int b(void) {\n"
                           "  return 1;\n}\n"), ("main.c", PROGRAM)):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")

    def compile_and_run(self):
        for name in ("common/room/a.c", "common/room/b.c", "main.c"):
            subprocess.run(["gcc", "--coverage", "-O0", "-c", self.root / name], cwd=self.build,
                           check=True)
        subprocess.run(["gcc", "--coverage", "a.o", "main.o", "-o", "main"], cwd=self.build,
                       check=True)
        subprocess.run([self.build / "main"], check=True)

    def test_lines(self):
        self.compile_and_run()
        lines = coverage.gather(self.build, self.root)
        self.assertEqual(sorted(lines), ["room/a.c", "room/b.c"])
        self.assertEqual({line for line, n in lines["room/a.c"].items() if n}, {1, 2, 3})
        self.assertEqual({line for line, n in lines["room/a.c"].items() if not n}, {4, 6, 7})
        self.assertFalse(any(lines["room/b.c"].values()))
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            coverage.report(self.build, lines)
        self.assertRegex(said.getvalue(), r"room +2 +8 +37\.5 %\nall +2 +8 +37\.5 %")
        self.assertIn("common/room/a.c: 4 6-7\n", (self.build / "missed.txt").read_text())
        self.assertIn("common/room/a.c,6,3,50.0\n", (self.build / "coverage.csv").read_text())

    def test_nothing_run_is_an_error(self):
        with self.assertRaises(SystemExit):
            coverage.report(self.build, coverage.gather(self.build, self.root))


if __name__ == "__main__":
    if len(sys.argv) > 1 and (compiler := sys.argv.pop()) != "GNU":
        print(f"make coverage is for GCC's counts; the C compiler is {compiler}")
        sys.exit(77)
    unittest.main()
