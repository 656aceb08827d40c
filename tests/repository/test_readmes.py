#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_readmes.py: each rule catches what it is for, and leaves alone a right one like it."""

import tempfile
import unittest
from pathlib import Path

import check_readmes

MAKEFILE = "check:\n\t@true\nrun try:\n\ttrue\ntry:\n\ttrue\n"
ROOMS = """| room | holds | may include |
|---|---|---|
| [`base/`](base) | text | |
| [`core/`](core) | warps, `ptx` | base, ptx |
"""
INCLUDES = 'MAY_INCLUDE = {"base": [], "core": ["ptx", "base"]}\n'


class Repository(unittest.TestCase):
    """A repository without a complaint; each test makes one mistake."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("Makefile", MAKEFILE)
        self.write("README.md",
                   "`make check`, `common/simt/`, `build/none.c`, `lessons/NN_name/`\n")
        for room in ("base", "core", "isa"):
            self.write(f"common/simt/{room}/a.c", "")
        self.write("common/simt/README.md", ROOMS)
        self.write("tests/simt/check_includes.py", INCLUDES)
        self.write("tests/repository/inventory.txt", "# head\nsimt_ptx: simt\n")
        self.write("book/decisions/0001-first.md", "# 0001 First\n")
        self.write("lessons/05_shuffle/shuffle.cu", "")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def found(self):
        return list(check_readmes.complaints(self.root))

    def readme(self, text):
        self.write("tests/README.md", text + "\n")
        return self.found()

    def test_clean(self):
        self.assertEqual(self.found(), [])

    def test_paths(self):
        for wrong in ("`no/such.c`", "`missing.sh`", "[its map](simt/README.md)", "`core/`",
                      "    python3 tests/simt/gone.py --option", "```sh\ntests/gone.sh\n```",
                      "`lessons/NN_name/name.cuh`", "`tests/simt/*.h`"):
            self.assertEqual(len(self.readme(wrong)), 1, wrong)
        for right in ("`simt/check_includes.py`", "`check_includes.py`", "`shuffle.cu`",
                      "[rooms](../common/simt/README.md)", "`results.json`", "`build/x/y.csv`",
                      "and/or no/such.c", "`tests/simt/*.py`", "`lessons/NN_name/name.cu`",
                      "`N/A`", "    python3 tests/simt/check_includes.py FILE.cu",
                      "`figures/data/NAME.csv`", "`float2`", "`a / b`"):
            self.assertEqual(self.readme(right), [], right)

    def test_targets(self):
        self.assertEqual(len(self.readme("`make chekc ARGS=1`")), 1)
        self.assertEqual(self.readme("`make try LESSON=01`, make peace"), [])

    def test_tests(self):
        self.assertEqual(len(self.readme("    ctest --test-dir build -R simt_ptz")), 1)
        self.assertEqual(self.readme("    ctest --test-dir build -R 'simt_p'"), [])

    def fill(self, folder, n):
        for i in range(n):
            self.write(f"{folder}/f{i}.c", "")

    def test_folders(self):
        self.fill("tests/fuzz", 9)
        self.assertEqual(self.found(),
                         ["tests/fuzz: more than 8 files, and no README describes it"])
        self.write("tests/fuzz/README.md", "What lives here.\n")
        self.assertEqual(self.found(), [])

    def test_every_file(self):
        for name in ("CMakeLists.txt", "fast.c", "fast.h", "plot_a.py", "plot_b.py", "deep/x.c"):
            self.write(f"bench/{name}", "")
        self.write("bench/README.md", "`fast.h`, `plot_*.py`\n")
        self.assertEqual(self.found(), [])
        self.write("bench/README.md", "fast.c as text only, `plot_a.py`\n")
        self.assertEqual(self.found(), [f"bench/README.md: does not name bench/{name}"
                                        for name in ("fast.c", "fast.h", "plot_b.py")])

    def test_every_file_of_a_room(self):
        for name in ("warp.c", "warp.h", "state.h", "deep/old.c"):
            self.write(f"common/simt/core/{name}", "")
        self.write("common/simt/README.md", ROOMS + "\n| `core/` | `a`, `warp`; `old` |\n")
        self.assertEqual(self.found(), [])
        self.write("common/simt/README.md", ROOMS + "\n| `core/` | `a`, `old` |\n")
        self.assertEqual(self.found(),
                         ["common/simt/README.md: does not name common/simt/core/warp.c"])

    def test_folders_described_above(self):
        self.fill("common/simt/core", 9)
        self.fill("lessons/06_grid_stride", 9)
        self.fill("figures", 8)
        self.assertEqual(self.found(), [])
        self.fill("common/simt/core/deep", 9)
        self.assertEqual(len(self.found()), 1)

    def test_rooms(self):
        for wrong in (ROOMS.replace("base, ptx", "base"), ROOMS.replace("| base, ptx", "| "),
                      ROOMS + "| [`isa/`](isa) | x | base |\n", ROOMS.split("| [`core")[0]):
            self.write("common/simt/README.md", wrong)
            self.assertEqual(len(self.found()), 1, wrong)

    def test_decisions(self):
        for name, title in (("0001-second.md", "# 0001 Second"),
                            ("0002-second.md", "# 0003 Second"), ("second.md", "# Second")):
            self.write(f"book/decisions/{name}", title + "\n")
            self.assertEqual(len(self.found()), 1, name)
            (self.root / "book/decisions" / name).unlink()
        self.write("book/decisions/0002-second.md", "# 0002 Second\n")
        self.assertEqual(self.found(), [])


if __name__ == "__main__":
    unittest.main()
