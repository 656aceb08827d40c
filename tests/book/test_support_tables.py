#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The book's lists of what the software GPU offers: all of it, nothing else, and no silence where a
source is not understood."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book/scripts"))

import support_tables  # noqa: E402

SIMT = ROOT / "common/simt"


class Support(unittest.TestCase):
    def setUp(self):
        self.pieces = support_tables.pieces(SIMT)

    def test_functions_of_a_header(self):
        text = ("cudaError_t cudaOne(int a);\n// cudaError_t cudaNot(int a);\n"
                "const char *cudaTwo(\n    int b);\n#define cudaThree(x) x\n"
                "cudaError_t cudaOne(int a, int b);\ncudaError_t\ncudaFour(int a);\n")
        self.assertEqual(support_tables.functions_of(text), ["cudaOne", "cudaTwo", "cudaFour"])
        with self.assertRaises(ValueError):
            support_tables.functions_of("int unrelated(void);\n")

    def test_every_declared_function_is_listed_once(self):
        for header in ("cuda_runtime_api.h", "cuda.h"):
            text = (SIMT / "include" / header).read_text(encoding="utf-8")
            declared = set(re.findall(r"\n(?:cudaError_t|CUresult)\s+(cu\w+)\(", text))
            listed = re.findall(r"`(cu\w+)`", self.pieces["api_functions"](header))
            self.assertEqual(len(listed), len(set(listed)))
            self.assertEqual(declared - set(listed), set())
            self.assertGreater(len(listed), 50)

    def test_names_of_hip(self):
        names = ("// Errors.\n#define hipSuccess cudaSuccess\n\n// Types.\n#define hipX_t cudaX_t\n"
                 "\n// Memory.\n#define hipFree cudaFree\n")
        own = ("static inline hipError_t hipInit(int a) {\n"
               "static inline hipError_t\nhipLong(int a) {\n")
        self.assertEqual(support_tables.hip_names(names, own),
                         "`hipFree` `hipInit` `hipLong` `hipSuccess`")
        for empty in (("", own), (names, "")):
            with self.assertRaises(ValueError):
                support_tables.hip_names(*empty)
        self.assertIn("`hipLaunchCooperativeKernel`", self.pieces["hip_names"]())

    def test_every_header_says_what_it_is(self):
        listed = self.pieces["public_headers"]()
        for name in ("cuda_runtime.h", "cuda/barrier", "cuda/std/array", "curand_kernel.h"):
            self.assertIn(f"`{name}`", listed)
        self.assertNotIn("simt_cuda", listed)
        text = "// L\n// a.h - one thing\n// or two. More.\n"
        self.assertEqual(support_tables.first_sentence(text), "one thing or two")
        with self.assertRaises(ValueError):
            support_tables.first_sentence("// L\n// says nothing\n")

    def test_refusals_and_old_names(self):
        self.assertIn("`ldmatrix`", self.pieces["left_out"]())
        self.assertIn("| `cudaThreadSynchronize` | `cudaDeviceSynchronize` |",
                      self.pieces["old_names"]())
        self.assertIn("| `__ballot` | `__ballot_sync` |", self.pieces["old_names"]())
        for piece in (support_tables.left_out, support_tables.old_names):
            with self.assertRaises(ValueError):
                piece("nothing of the kind\n")


if __name__ == "__main__":
    unittest.main()
