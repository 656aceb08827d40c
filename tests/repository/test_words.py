#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_words.py: every pattern catches the sentence it was made for and leaves alone a plain one
that only looks like it."""

import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "check_words.py"

BAD = [
    "nobody wrote it", "waits for somebody", "Everybody arrives.", "whoever comes last",
    "one of them himself", "a thread who waits", "the host's doings", "typedef struct {} doing;",
    "at the meeting of the lanes", "int32_t new_meeting(void);", "w->meetings[0]",
    "the home of an access", "int home_of(int);", "simt_find_homes(m);", "const char *teller;",
    "herald first;", "check hears the accesses", "if (w->nap) w->nap--;", "a location is told once",
    "is_told(r)", "where none is to be had",
    "a lonely warp", "arrays are put away", "no end in sight", "two thousand million instructions",
    "an unwritten cell", "reads an absent lane", "8 requests a warp.", "two barriers a block,",
    "words a tile and", "256 a block",
]
CLEAN = [
    "threads meet at the barrier", "getenv(\"HOME\")", "CUDA_HOME=/opt/cuda", "a homepage",
    "they had to be equal", "they cannot be told apart",
    "unless told otherwise", "a thread whose value is lost",
    "doing no more than it must",
    "the words a block stores", "the elements a thread takes", "8 requests per warp.",
    "It has 1024. A block of 32 has one warp.", "a snapshot of napkins", "everything is written",
    "<!-- words: off -->\nnobody\n<!-- words: on -->",
]


def run(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.md"
        path.write_text(text + "\n", encoding="utf-8")
        return subprocess.run([sys.executable, "-B", SCRIPT, path], capture_output=True,
                              text=True, check=False)


def main():
    failures = 0
    for text in BAD:
        result = run(text)
        if result.returncode != 1 or "a.md:1: " not in result.stdout:
            print(f"FAIL: passed: {text}\n{result.stdout}{result.stderr}")
            failures += 1
    for text in CLEAN:
        result = run(text)
        if result.returncode != 0:
            print(f"FAIL: refused: {text}\n{result.stdout}{result.stderr}")
            failures += 1
    print(f"{len(BAD)} wrong, {len(CLEAN)} right, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
