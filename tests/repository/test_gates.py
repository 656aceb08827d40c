#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every gate of gate.py has a twin: a small file that it must catch and a clean one that it must
not. So does the width of check_style.py, and a missing tool is an error, never a pass."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent

# gate: (file name, bad text, what must be said, clean text)
TWINS = {
    "format": ("a.c", "int  twice( int x ){return 2*x;}\n", "code should be clang-formatted",
               "int twice(int x) { return 2 * x; }\n"),
    "format a kernel": ("a.cu", "__global__ void k(int*a){a[0]=1;}\n",
                        "code should be clang-formatted",
                        "__global__ void k(int *a) { a[0] = 1; }\n"),
    "shell": ("a.sh", "#!/bin/sh\nrm $1/*\ncd \"$2\"\n", "SC2164",
              "#!/bin/sh\nrm \"$1\"/*\ncd \"$2\" || exit 1\n"),
    "python": ("a.py", "import os\nprint(\"hello\")\n", "'os' imported but unused",
               "import os\nprint(os.sep)\n"),
    "spelling": ("a.md", "A thread recieves a word.\n", "receives", "A thread receives a word.\n"),
    "spelling by the project's list": ("a.md", "Two milliard additions.\n", "billion",
                                       "Two billion additions.\n"),
    "cppcheck": ("a.c",
                 "#include <stdlib.h>\nint f(int n) {\n  int *p = malloc(4);\n  if (!p) return 0;\n"
                 "  if (n) return 1;\n  free(p);\n  return 2;\n}\n", "memleak",
                 "#include <stdlib.h>\nint f(void) {\n  int *p = malloc(4);\n  if (!p) return 0;\n"
                 "  free(p);\n  return 2;\n}\n"),
    "tidy": ("a.c", "void f(int);\nvoid g(int n) {\n  for (signed char i = 0; i < n; i++) "
             "f(i);\n}\n",
             "bugprone-too-small-loop-variable",
             "void f(int);\nvoid g(int n) {\n  for (int i = 0; i < n; i++) f(i);\n}\n"),
    "analyze": ("a.c", "int f(int n) {\n  int *p = 0;\n  if (n) p = &n;\n  return *p;\n}\n",
                "clang-analyzer-core.NullDereference",
                "int f(int n) {\n  int *p = &n;\n  return *p;\n}\n"),
}


def call(script, *arguments, **environment):
    result = subprocess.run([sys.executable, "-B", HERE / script, *arguments], text=True,
                            capture_output=True, env={**os.environ, **environment}, check=False)
    return result.returncode, result.stdout + result.stderr


class Gates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def test_twins(self):
        for title, (name, bad, said, clean) in TWINS.items():
            gate = title.split()[0]
            with self.subTest(gate=title):
                status, text = call("gate.py", gate, self.file(name, bad))
                self.assertEqual(status, 1, text)
                self.assertIn(said, text)
                status, text = call("gate.py", gate, self.file(name, clean))
                self.assertEqual(status, 0, text)

    def test_a_part_is_looked_at_with_its_script(self):
        head = "#!/bin/bash\n# shellcheck source-path=SCRIPTDIR\nset -u\n"
        self.file("part.sh", "# shellcheck shell=bash\nsay() { echo \"$word\"; }\n")
        for said, status_wanted in (("word=hello\n", 0), ("wrod=hello\n", 1)):
            with self.subTest(said=said):
                script = self.file("script", f'{head}. "$1/part.sh"\n{said}say\n')
                status, text = call("gate.py", "shell", script)
                self.assertEqual(status, status_wanted, text)

    def test_a_missing_tool_is_an_error_with_the_way_out(self):
        for gate in ("format", "shell", "spelling", "cppcheck", "tidy"):
            with self.subTest(gate=gate):
                status, text = call("gate.py", gate, self.file("a.c", "int x;\n"),
                                    PATH=str(self.folder))
                self.assertEqual(status, 2, text)
                self.assertIn("apt install", text)

    def test_another_version_of_clang_format_is_refused(self):
        tool = Path(self.file("clang-format", "#!/bin/sh\necho clang-format version 19.1.7\n"))
        tool.chmod(0o755)
        status, text = call("gate.py", "format", self.file("a.c", "int x;\n"),
                            PATH=str(self.folder))
        self.assertEqual(status, 2, text)
        self.assertIn("clang-format-14", text)

    def test_a_wide_line_is_caught(self):
        head = "# SPDX-License-Identifier: MIT\n"
        self.file("a.py", head + "x = 1  #" + 92 * "-" + "\n")
        self.assertEqual(call("check_style.py", str(self.folder))[0], 0)
        self.file("b.sh", head + "x=1  #" + 95 * "-" + "\n")
        status, text = call("check_style.py", str(self.folder))
        self.assertEqual(status, 1, text)
        self.assertIn("b.sh:2: 101 columns; at most 100", text)


if __name__ == "__main__":
    unittest.main()
