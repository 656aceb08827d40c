#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_style.py and lengths.py: a wrong file of every kind is named with its line, and a right one
that looks alike is not."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import lengths

CHECK = Path(__file__).resolve().parent / "check_style.py"
SPDX = "// SPDX-License-Identifier: MIT\n"


def complaints(name, text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        done = subprocess.run([sys.executable, "-B", CHECK, folder], capture_output=True, text=True,
                              check=False)
    found = done.stdout.splitlines()[:-1]
    assert done.returncode == (1 if found else 0), done.stdout + done.stderr
    return found


def function(n_lines, head="static int f(int x) {"):
    return head + "\n" + "  x++;\n" * (n_lines - 2) + "}\n"


class Style(unittest.TestCase):
    def test_a_clean_file(self):
        self.assertEqual(complaints("a.c", SPDX + "int x;\n"), [])
        self.assertEqual(complaints("a.md", "x" * 300 + "\n"), [])
        self.assertEqual(complaints("exercises/a.cu", "no licence, \t tabs"), [])

    def test_each_kind_is_named_with_its_line(self):
        for name, text, where in [
                ("a.c", "int x;\n", "a.c:1: no SPDX"),
                ("a.c", SPDX + "int x;", "a.c:2: no newline"),
                ("a.c", SPDX + "int x; \n", "a.c:2: blanks"),
                ("a.c", SPDX + "\tint x;\n", "a.c:2: a tab"),
                ("a.c", SPDX + "int x;\r\n", "a.c:2: a carriage return"),
                ("a.c", SPDX + "//" + "x" * 99 + "\n", "a.c:2: 101 columns"),
                ("a.c", SPDX.encode() + b"// \xff\n", "a.c:1: not UTF-8"),
                ("a.md", "see /ho" "me/ada/x\n", "a.md:1: a path of one machine"),
                ("a.md", "at 10." "1.2.3\n", "a.md:1: an address of a private"),
                ("a.md", "a\n<<<<" "<<< x\n", "a.md:2: a merge conflict"),
                ("a.md", "FIX" "ME\n", "a.md:1: a note to be dealt with"),
        ]:
            with self.subTest(where):
                found = complaints(name, text)
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(where), found)

    def test_files_have_a_length(self):
        for name, limit in (("common/a.c", lengths.FILE_LINES), ("tests/a.c", lengths.TEST_LINES)):
            text = SPDX + "int x;\n" * (limit - 1)
            self.assertEqual(complaints(name, text), [])
            self.assertEqual(complaints(name, text + "int x;\n"),
                             [f"{name}:{limit}: {limit + 1} lines; at most {limit} (lengths.py)"])


class Functions(unittest.TestCase):
    def found(self, text, name="common/a.c"):
        return list(lengths.check(name, text))

    def test_a_function_has_a_length(self):
        limit = lengths.FUNCTION_LINES
        heads = ["static int f(int x) {", "int f(int x,\n      int y) {",
                 "template <class T>\n__global__ void f(T x) {",
                 'extern "C" __global__ void f(int x) {']
        for head in heads:
            extra = 1 if head.startswith("int") else 0  # a head of two lines counts both
            self.assertEqual(self.found(function(limit - extra, head)), [], head)
            line, text = self.found("int y;\n" + function(limit + 1, head))[0]
            self.assertIn("f() has", text)
            self.assertIn(line, (2, 3), head)

    def test_what_is_no_function(self):
        rows = "    {1, 2},\n" * 100
        self.assertEqual(self.found("static const row rows[] = {\n" + rows + "};\n"), [])
        self.assertEqual(self.found("ROWS(a)\n" + "int x;\n" * 100 + function(9)), [])
        self.assertEqual(self.found("int f(int);\nstruct s {\n" + "  int x;\n" * 99 + "};\n"), [])

    def test_python(self):
        body = "    pass\n" * lengths.FUNCTION_LINES
        self.assertEqual(self.found("def f():\n" + body[9:], "a.py"), [])
        self.assertEqual(self.found("x = 1\ndef f():\n" + body, "a.py")[0][0], 2)

    def test_exceptions(self):
        name = next(iter(lengths.LONG_FILES))
        self.assertEqual(self.found("#\n" * 450, name), [])
        self.assertIn("LONG_FILES", self.found("#\n" * 9, name)[0][1])
        name, long_one = next(iter(lengths.LONG_FUNCTIONS))
        self.assertEqual(self.found(f"def {long_one}():\n" + "    pass\n" * 90, name), [])
        self.assertIn("short now", self.found(f"def {long_one}():\n    pass\n", name)[0][1])
        self.assertEqual(self.found(function(90), lengths.PROGRAMS + "a.cu"), [])
        names = [*lengths.LONG_FILES, *(name for name, _ in lengths.LONG_FUNCTIONS)]
        self.assertEqual(lengths.gone(names), [])
        self.assertIn("common/scripts/lesson.sh", lengths.gone([]))


if __name__ == "__main__":
    unittest.main()
