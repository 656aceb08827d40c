#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The trace of an exercise: what is recorded is what the lanes did, and the page stands alone.

    test_trace.py BUILD_DIR
"""

import html.parser
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv[1]).resolve()
os.environ["BUILD"] = str(BUILD)
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "common/scripts"))
import trace as trace_module  # noqa: E402  (Python's own module of that name is not used)

LESSONS = sorted(path.parent.name for path in ROOT.glob("lessons/*/practice.json"))
KERNEL = """#include <cuda_runtime.h>
extern "C" __global__ void block_max(const float *in, float *maxima, unsigned n) {
  unsigned i = threadIdx.x;
  if (i < 3) maxima[0] = in[i%s];  // <script>
}
"""


def steps_of(trace):
    return list(trace_module.steps_of(trace))


class Reader(html.parser.HTMLParser):
    """Tags that are open, the data, and whether anything is fetched from elsewhere."""

    def __init__(self):
        super().__init__()
        self.rows, self.elsewhere, self.inside, self.data = 0, [], [], ""

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "br"):
            self.inside.append(tag)
        self.rows += tag == "tr"
        self.elsewhere += [value for name, value in attributes if name in ("src", "href")]
        self.is_data = dict(attributes).get("id") == "trace"

    def handle_endtag(self, tag):
        assert self.inside.pop() == tag, tag
        self.is_data = False

    def handle_data(self, data):
        if self.inside and self.inside[-1] == "script" and self.is_data:
            self.data += data


class Trace(unittest.TestCase):
    def record(self, text, n=64, block=32, steps=2000):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "own.cu"
            source.write_text(text, encoding="utf-8")
            return trace_module.record("01_shared_tree", source, n, block, steps)

    def test_shared_memory_stays_as_the_block_left_it(self):
        text = KERNEL.replace("  if (i < 3) maxima[0] = in[i%s];",
                              "  __shared__ volatile unsigned kept[32];\n  kept[i] = i + 7;\n"
                              "  if (i < 3) maxima[blockIdx.x] = in[kept[i] - 7];")
        words = {}
        for step in steps_of(self.record(text, n=128)):  # several blocks, one after the other
            for word, _, after in step.get("s", ()):
                words[word] = after
        self.assertEqual(words, {i: i + 7 for i in range(32)})

    def test_values_and_masks(self):
        found = self.record(KERNEL % "")
        steps = steps_of(found)
        self.assertEqual((found["format"], found["kernel"], found["fault"], found["cut"]),
                         (2, "block_max", None, False))
        self.assertTrue([step for step in steps if step["line"] == 4])
        own = [step for step in steps if step.get("r", [0, 0, 0])[2] == list(range(32))]
        self.assertTrue(own, "no step left 0 ... 31, the threads' own numbers")
        stores = [step for step in steps if "st.global" in step["ptx"]]
        self.assertEqual([step["m"] for step in stores], [7])
        self.assertEqual([sum(at is not None for at in step["a"]["at"]) for step in stores], [3])
        for step in steps:
            for lane, value in enumerate(step.get("r", [0, 0, []])[2]):
                self.assertTrue(value is None or step["m"] >> lane & 1)

    def test_fault_and_limit(self):
        found = self.record(KERNEL % " + 1000000")
        self.assertIn("out-of-bounds", found["fault"])
        found = self.record(KERNEL % "", steps=5)
        self.assertEqual((len(steps_of(found)), found["cut"]), (5, True))
        self.assertEqual(found["recorded"][-1]["recorded"], 5)

    def test_first_block_alone(self):
        solution = (ROOT / "solutions/01_shared_tree.cu").read_text(encoding="utf-8")
        one, four = self.record(solution, n=32), self.record(solution, n=128)
        self.assertEqual(four["grid"], 4)
        self.assertEqual([step["ptx"] for step in steps_of(one)],
                         [step["ptx"] for step in steps_of(four)])

    def test_page(self):
        found = self.record(KERNEL % "")
        page = trace_module.page(found)
        reader = Reader()
        reader.feed(page)
        self.assertEqual(reader.inside, [])
        self.assertEqual(reader.elsewhere, [])
        self.assertEqual(reader.rows, len(steps_of(found)))
        self.assertEqual(json.loads(reader.data), found)
        self.assertNotIn("// <script>", page)  # of the source, which is not markup
        for name in ("trace.js", "player.js", "lab.css"):  # the book's own player
            self.assertIn((ROOT / "book/lab/page" / name).read_text(encoding="utf-8"), page)

    def test_every_lesson(self):
        for lesson in LESSONS:
            with self.subTest(lesson=lesson), tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "page.html"
                done = subprocess.run([sys.executable, "-B", ROOT / "common/scripts/trace.py",
                                       lesson, "--source", ROOT / f"solutions/{lesson}.cu",
                                       "--steps", "300", "--out", out], capture_output=True,
                                      text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                text = out.read_text(encoding="utf-8")
                self.assertRegex(text, r'<tr data-line="[1-9]')  # lines of the source are known

    def test_refusals(self):
        for words in (["99_none"], ["01_shared_tree", "--block", "0"],
                      ["01_shared_tree", "--n", "x"],
                      ["01_shared_tree", "--source", "/nonexistent.cu"]):
            done = subprocess.run([sys.executable, "-B", ROOT / "common/scripts/trace.py", *words],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertTrue(done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
