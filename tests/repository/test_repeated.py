#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_repeated.py finds the lesson whose copy of a kernel was changed, and only that one."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import check_repeated  # noqa: E402
from device_text import device_code  # noqa: E402

TREE = """// A tree.
extern "C" __global__ void tree(const float *in, float *out, unsigned n) {
  __shared__ float tile[256]; // one } per thread
  if (threadIdx.x < n) { tile[threadIdx.x] = in[threadIdx.x]; }
  __syncthreads(); // the tile is complete
}
"""
HELPER = """template <unsigned k, float (*f)(float)>
static __device__ inline float {prefix}helper(float x) {{
  return k * f(x);
}}
"""


class Repeated(unittest.TestCase):
    def complaints(self, files, different=None):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return list(check_repeated.complaints(Path(folder), different or {}))

    def pair(self, again, different=None):
        return self.complaints({"lessons/01_tree/tree.cu": TREE, "lessons/02_more/more.cu": again},
                               different)

    def test_the_same_text(self):
        self.assertEqual(self.pair(TREE), [])
        self.assertEqual(self.pair(TREE.replace("  if", "    if").replace("// the", "// now the")),
                         [])

    def test_another_text(self):
        for old, new in (("256", "512"), ("  __syncthreads(); // the tile is complete\n", ""),
                         ("threadIdx.x < n", "threadIdx.x <= n"), ("float *out", "int *out"),
                         ("extern \"C\" ", "")):
            found = self.pair(TREE.replace(old, new))
            self.assertEqual(len([line for line in found if line.startswith("tree: ")]), 1,
                             f"{old} -> {new}: {found}")

    def test_a_reason_excuses_and_goes_stale(self):
        reason = {("tree", "lessons/01_tree", "lessons/02_more"): "another size"}
        changed = TREE.replace("256", "512") + HELPER.format(prefix="")
        same = HELPER.format(prefix="")
        files = {"lessons/01_tree/tree.cu": TREE + same, "lessons/02_more/more.cu": changed}
        self.assertEqual(self.complaints(files, reason), [])
        files["lessons/02_more/more.cu"] = TREE + same
        self.assertEqual(len(self.complaints(files, reason)), 1)

    def test_headers_of_the_harness(self):
        files = {"lessons/05_a/a.cu": HELPER.format(prefix="").replace("inline ", ""),
                 "common/workbook/passes.h": HELPER.format(prefix="wb_")}
        self.assertEqual(self.complaints(files), [])
        files["common/workbook/passes.h"] = HELPER.format(prefix="wb_").replace("k *", "k +")
        self.assertIn("helper: ", self.complaints(files)[0])

    def test_a_solution_is_another_program(self):
        files = {"lessons/01_a/a.cu": TREE, "lessons/02_b/b.cu": TREE,
                 "solutions/01_a.cu": TREE.replace("256", "512")}
        self.assertEqual(self.complaints(files), [])
        files["solutions/02_b.cu"] = TREE
        self.assertEqual(len(self.complaints(files)), 1)

    def test_nothing_found_is_a_complaint(self):
        self.assertEqual(len(self.complaints({"lessons/01_a/a.cu": TREE})), 1)

    def test_names(self):
        code = device_code(TREE + HELPER.format(prefix="") + "static __device__ unsigned n_done;\n"
                           "enum { A, B };\nstatic void host() { tree<<<1, 1>>>(0, 0, 0); }\n"
                           "template <unsigned n>\n"
                           "__global__ void __launch_bounds__(n) k(int *a) {}\n")
        self.assertEqual(list(code), ["tree", "helper", "n_done", "k"])


if __name__ == "__main__":
    unittest.main()
