# SPDX-License-Identifier: MIT
"""What the tests of the grader as a program share: a class in a temporary folder.

A stand-in compiler and a stand-in suite, both shell scripts, make every behaviour of theirs easy to
provoke; that the real ones fit is tested by test_grade_real.py.
"""

import contextlib
import csv
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

NAMES = ("01_one", "02_two")

COMPILER = r"""#!/bin/sh
[ "$1" = --version ] && { cat "$(dirname "$0")/version" 2>/dev/null; exit; }
src=$2
[ -e "$(dirname "$0")/compiler-is-broken" ] && { echo 'no clang'; exit 1; }
case $(cat "$src") in
  *BROKEN*) echo "$src:3:7: error: expected ';' after expression"; exit 1 ;;
  *ENDLESS_COMPILE*) sleep 600 ;;
  *BUSY_COMPILE*) # as a shell whose compiler was killed for its time
    python3 -S -c 'import time
while time.process_time() < 0.6: pass'
    case $(cat "$src") in *WRAPPED*) echo "simtcc: error: $src: clang breaks down" ;; esac
    exit 1 ;;
  *WRAPPED*) echo "simtcc: error: $src: clang breaks down"; exit 1 ;;
  *FLOOD*) yes 'warning: much ado' | head -c 3000000; echo "$src:9:9: error: enough"; exit 1 ;;
  *FULL_DISK*) echo "error: unable to open /secret/place: No space left on device"; exit 1 ;;
  *COMPILER_CRASH*) kill -SEGV $$ ;;
esac
echo "$4: $src $(sed -n 's/^INCLUDES //p' "$src")" > "$7"
cp "$src" "$4"
"""

SUITE = r"""#!/bin/sh
name=$(basename "$0")
record() { # check status points max
  { printf '{"exercise": "%s", "check": "%s", "status": "%s", ' "$name" "$1" "$2"
    printf '"points": %s, "max_points": %s, "reason": "%s"}\n' "$3" "$4" "$5"; } >>"$WB_RESULTS"
}
case $* in *--plan*)
  printf '{"exercise": "%s", "check": "small", "max_points": 2, "about": "small arrays", ' "$name"
  [ "$name" = 02_two ] && echo '"visibility": "hidden"}' || echo '"visibility": "shown"}'
  printf '{"exercise": "%s", "check": "large", "max_points": 3, "about": "large arrays"}\n' "$name"
  exit ;;
esac
echo "judging: $WB_SOURCE"
echo "$WB_SOURCE $WB_SEED" >>"$(dirname "$0")/../log"
case $(cat "$WB_MODULE") in
  *SOLUTION*) record small pass 2 2; record large pass 3 3; exit 0 ;;
  *HALF*) record small pass 2 2; record large fail 0 3 'n = 257: the tail is lost'; exit 1 ;;
  *SUITE_HANGS*) record small pass 2 2; sleep 600 ;;
  *SUITE_CRASHES*) record small pass 2 2; kill -KILL $$ ;;
  *BUSY*) python3 -S -c 'import time
while time.process_time() < 1.5: pass'
          record small pass 2 2; record large pass 3 3; exit 0 ;;
  *NO_RECORDS*) exit 0 ;;
  *CANNOT_LOAD*) record small pass 2 2; record large error 0 3 'cannot be loaded'; exit 3 ;;
  *HIDDEN*) record small fail 0 2 'secret reason'; record large fail 0 3 x; exit 1 ;;
  *UNREADABLE*) echo '{"exercise": "01_one", "chec' >>"$WB_RESULTS"; exit 1 ;;
  *TWICE*) record small pass 2 2; record small pass 2 2; record large pass 3 3; exit 0 ;;
  *FOREIGN*) record small pass 2 2; record large pass 3 3; record extra pass 9 9; exit 0 ;;
  *PRINTS*) echo '{"exercise": "01_one", "check": "small", "status": "pass", "points": 2}'
            record small fail 0 2 no; record large fail 0 3 no; exit 0 ;;
  *BOM*) od -An -tx1 "$WB_MODULE" | grep -qE 'ef bb|0d' && s=fail || s=pass
         [ $s = pass ] && { record small pass 2 2; record large pass 3 3; exit 0; }
         record small fail 0 2; record large fail 0 3; exit 1 ;;
  *) record small fail 0 2 'not done'; record large fail 0 3 'not done'; exit 1 ;;
esac
"""


class Workplace(unittest.TestCase):
    """A folder with stand-ins, submissions and a place for results."""

    grader = None  # path of the program under test
    rung = "limits"  # of its sandbox: the stand-ins look around, which a fence would not let them

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = Path(holder.name)
        for name, text in [("compiler", COMPILER)] + [("suites/" + n, SUITE) for n in NAMES]:
            path = self.root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        (self.root / "class").mkdir()
        (self.root / "out").mkdir()

    def command(self, *arguments):
        """The grader's command line; a later argument replaces one of these."""
        return [self.grader, "--compiler", self.root / "compiler", "--compiler-arguments", "-ptx",
                "--suites", self.root / "suites", "--out", self.root / "out",
                "--compile-s", "0.4", "--suite-s", "0.4", "--names", " ".join(NAMES),
                "--sandbox", self.rung, "--allow-unsafe", "yes", *arguments]

    def grade(self, *arguments, **options):
        return subprocess.run(self.command(*arguments), cwd=self.root, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=600, check=False, **options)

    @contextlib.contextmanager
    def start(self, *arguments, **options):
        """The grader at work on the class; killed at the end, whatever happens."""
        command = self.command("--submissions", self.root / "class", *arguments)
        process = subprocess.Popen(command, cwd=self.root, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def submit(self, student, *texts):
        """texts: bytes of 01_one.cu, 02_two.cu; None for a missing file."""
        folder = os.path.join(os.fsencode(self.root / "class"), os.fsencode(student))
        os.mkdir(folder)
        for name, text in zip(NAMES, texts):
            if text is not None:
                with open(os.path.join(folder, name.encode() + b".cu"), "wb") as file:
                    file.write(text)
        return folder

    def grade_class(self, *arguments):
        done = self.grade("--submissions", self.root / "class", *arguments)
        with open(self.root / "out/grades.csv", newline="", encoding="utf-8") as file:
            rows = {row["student"]: row for row in csv.DictReader(file)}
        return done, rows

    @staticmethod
    def wait_for(condition):
        """Whether the condition holds, at the latest after two minutes of a busy machine."""
        end = time.monotonic() + 120
        while not condition(): # once it held, it is not asked again: what runs may have gone on
            if time.monotonic() >= end:
                return False
            time.sleep(0.02)
        return True


def main():
    """Runs the tests of the calling file with the grader whose path is its first argument."""
    Workplace.grader = os.path.abspath(sys.argv.pop(1))
    unittest.main()
