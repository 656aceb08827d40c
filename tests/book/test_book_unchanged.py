#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A book of which nothing has changed is not made again, and one of which anything has is.

    test_book_unchanged.py BUILD     BUILD/book has just been built
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "scripts"))

import build_book  # noqa: E402

BUILD = Path(sys.argv.pop()) if len(sys.argv) > 1 else None


class Made(unittest.TestCase):
    """A small project, with stand-ins for Doxygen and for what prepares its input."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.output = self.root / "build" / "book"
        for name in ("book/index.md", "exercises/a.cu", "figures/data/a.csv",
                     "lessons/a/chapter.md", "common/simt/isa/a.def", "common/simt/isa/a.c",
                     "build/book/Doxyfile", "build/book/header.html", "book/theme/pages.js"):
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(name)
        self.doxygen = self.root / "doxygen"
        self.stand_in(0)
        self.whole = True

    def stand_in(self, status):
        self.doxygen.write_text(f"#!/bin/sh\nmkdir -p {self.output}/html\n"
                                f"echo >{self.output}/html/index.html\nexit {status}\n")
        self.doxygen.chmod(0o755)

    def build(self):
        """The exit status, and whether the book was made."""
        arguments = ["build_book.py", "--source", str(self.root), "--output", str(self.output),
                     "--doxygen", str(self.doxygen)]
        prepare = mock.patch.object(build_book.prepare_book, "prepare", return_value=self.whole)
        with prepare as made, mock.patch.object(sys, "argv", arguments), \
                mock.patch("builtins.print"):
            status = build_book.main()
        return status, made.called

    def test_once(self):
        self.assertEqual(self.build(), (0, True))
        self.assertEqual(self.build(), (0, False))

    def test_anything_that_is_read(self):
        self.build()
        for name in ("book/index.md", "exercises/a.cu", "figures/data/a.csv",
                     "lessons/a/chapter.md", "common/simt/isa/a.def", "build/book/Doxyfile"):
            (self.root / name).write_text("changed")
            self.assertEqual(self.build(), (0, True), name)
            self.assertEqual(self.build(), (0, False), name)
        (self.root / "lessons/a/new.cu").write_text("new")
        self.assertEqual(self.build(), (0, True))
        (self.root / "lessons/a/new.cu").unlink()
        self.assertEqual(self.build(), (0, True))

    def test_what_is_not_read(self):
        self.build()
        (self.root / "common/simt/isa/a.c").write_text("changed")
        self.assertEqual(self.build(), (0, False))

    def test_another_doxygen(self):
        self.build()
        self.doxygen.write_text(self.doxygen.read_text() + "\n")
        self.assertEqual(self.build(), (0, True))

    def test_pages_that_are_gone(self):
        self.build()
        (self.output / "html/index.html").unlink()
        self.assertEqual(self.build(), (0, True))

    def test_failure_is_not_remembered(self):
        self.build()
        self.stand_in(1)
        self.assertEqual(self.build(), (1, True))
        self.assertEqual(self.build(), (1, True))

    def test_without_figures(self):
        self.whole = False
        self.build()
        self.assertEqual(self.build(), (0, True))


class Real(unittest.TestCase):
    def test_the_book(self):
        index = BUILD / "book/html/index.html"
        before = index.stat().st_mtime_ns
        subprocess.run(["cmake", "--build", BUILD, "--target", "book"], check=True,
                       capture_output=True)
        if (BUILD / "book/made_of").exists():
            self.assertEqual(index.stat().st_mtime_ns, before)
        else:  # the figures could not be drawn: prepare_book has said so
            self.assertNotEqual(index.stat().st_mtime_ns, before)


if __name__ == "__main__":
    if BUILD is None:
        sys.exit("test_book_unchanged.py: name the build folder")
    unittest.main()
