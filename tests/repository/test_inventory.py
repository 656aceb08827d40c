#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""inventory.py notices a test that is gone or new; check_report.py names what was not run."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/repository"), str(ROOT / "common/scripts")]

import check_report  # noqa: E402
import inventory  # noqa: E402

TESTS = {"both": {"simt", "nvcc"}, "compiled": {"nvcc"}, "on_a_gpu": {"cuda"}}


class Inventory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def parse(self, text):
        (self.path / "inventory.txt").write_text(text)
        return inventory.stored(self.path / "inventory.txt")

    def cache(self, *lines):
        (self.path / "CMakeCache.txt").write_text("\n".join(lines) + "\n")
        return inventory.configuration(self.path)

    def test_as_written(self):
        self.assertEqual(inventory.complaints(TESTS, "simt", {"both"}), [])
        self.assertEqual(inventory.complaints(TESTS, "nvcc", {"both", "compiled"}), [])

    def test_gone(self):
        self.assertEqual(inventory.complaints(TESTS, "nvcc", {"both"}), ["missing: compiled"])

    def test_new(self):
        self.assertEqual(inventory.complaints(TESTS, "simt", {"both", "compiled"}),
                         ["not in inventory.txt: compiled"])

    def test_file(self):
        self.assertEqual(self.parse("# head\na: simt nvcc\n"), {"a": {"simt", "nvcc"}})
        for wrong in ("a\n", "a: simt\na: simt\n", "a: everywhere\n"):
            with self.assertRaises(ValueError):
                self.parse(wrong)

    def test_configurations(self):
        simt, nvcc = "WORKBOOK_BACKEND_RESOLVED:INTERNAL=SIMT", f"WORKBOOK_NVCC:FILEPATH={__file__}"
        self.assertEqual(self.cache(simt, "WORKBOOK_NVCC:FILEPATH="), "simt")
        self.assertEqual(self.cache(simt, "WORKBOOK_NVCC:FILEPATH=WORKBOOK_NVCC-NOTFOUND"), "simt")
        self.assertEqual(self.cache(simt, nvcc), "nvcc")
        self.assertEqual(self.cache(simt, nvcc, "WORKBOOK_SANITIZE:BOOL=ON"), "asan")
        self.assertEqual(self.cache("WORKBOOK_BACKEND_RESOLVED:INTERNAL=CUDA", nvcc), "cuda")

    def test_merged(self):
        found = {"simt": {"both", "new"}, "asan": set()}
        tests = inventory.merged({**TESTS, "gone": {"simt"}}, found)
        self.assertEqual(tests, {**TESTS, "new": {"simt", "nvcc", "cuda"}})

    def test_absent(self):
        self.cache("WORKBOOK_BACKEND_RESOLVED:INTERNAL=SIMT")
        lines = inventory.absent(self.path)
        self.assertTrue(any("nvcc is not installed" in line for line in lines), lines)
        self.assertFalse(any("a GPU runs the lessons" in line for line in lines), lines)

    def test_nightly(self):
        every, patterns = inventory.stored(), inventory.nightly_patterns()
        left = {name for name in every for pattern in patterns if re.fullmatch(pattern, name)}
        for pattern in patterns:
            self.assertTrue(any(re.fullmatch(pattern, name) for name in every), pattern)
            self.assertLessEqual(pattern.count("("), 1, pattern)  # check.sh writes one out
        # Something of each kind is always run.
        for kind in (r"sanitizers\w*", r"nvcc_.*_(compiles|results|cub)", r"minimal_.*_nvcc",
                     r"simt_program_.*_simt-nvcc", r"simt_program_(driver|fault|graph)_.*-nvcc",
                     r"simt_checks_.*", r"simt_removals\w*", r"grade_(twenty|real|serial)"):
            of_kind = {name for name in every if re.fullmatch(kind, name)}
            self.assertTrue(of_kind & left, kind)
            self.assertTrue(of_kind - left, kind)
        self.cache("WORKBOOK_BACKEND_RESOLVED:INTERNAL=CUDA", "WORKBOOK_NVCC:FILEPATH=")
        here = [name for name in left if "cuda" in every[name]]
        self.assertTrue(inventory.nightly(self.path).startswith(f"{len(here)} tests are left"))


REPORT = """<?xml version="1.0"?>
<testsuite name="t" tests="4" failures="1" skipped="2">
<testcase name="right" status="run"><system-out>fine</system-out></testcase>
<testcase name="wrong" status="fail"><failure/><system-out>skipped</system-out></testcase>
<testcase name="dist" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
<system-out>This is no clone.
It is a tarball.
</system-out></testcase>
<testcase name="off" status="disabled"><skipped message="Disabled"/><system-out/></testcase>
<testcase name="parts" status="run"><system-out>test_a (__main__.A.test_a) ... ok
test_b (__main__.A.test_b) ... skipped 'no matplotlib'
</system-out></testcase>
</testsuite>
"""


class Report(unittest.TestCase):
    def report(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "junit.xml"
            path.write_text(text)
            return check_report.not_run(path)

    def test_reasons(self):
        self.assertEqual(self.report(REPORT), [
            ("dist", "This is no clone. It is a tarball."), ("off", "Disabled"),
            ("parts, test_b", "no matplotlib")])

    def test_nothing_left_out(self):
        self.assertEqual(self.report('<suite><testcase name="a" status="run"/></suite>'), [])


if __name__ == "__main__":
    unittest.main()
