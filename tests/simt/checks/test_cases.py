#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The judge of the corpus can fail: every rule of it has a report that must be refused and its
twin."""

import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import remove_syncs
from cases import Case, CaseError, batch_source, judge, read_cases

TEXT = """// SPDX-License-Identifier: MIT
// What is wrong here.
//
// FINDS: race_read_after_write @store @load
// FINDS (reverse): deadlock @wait
// MAY FIND: uninitialised_shared @load
// SHOWS: lane-serial
int a; // @store
int b; // @load
int c; // @wait
int d; // @load
"""


def finding(kind, *lines, file="case.cu"):
    keys = dict(zip(("first", "second"),
                    ({"file": f"/somewhere/{file}", "line": line} for line in lines)))
    return {"kind": kind, **keys}


RACE = finding("race_read_after_write", 8, 9)
TURNED = finding("race_write_after_read", 9, 8)


def make_case(text=TEXT, name="case.cu"):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        return Case(path)


class Judgement(unittest.TestCase):
    def complaints(self, findings, version="wrong", schedule="lockstep", result="wrong",
                   strict=True):
        return judge(make_case(), version, schedule, findings, result, strict)

    def test_expected(self):
        self.assertEqual(self.complaints([RACE]), [])
        self.assertEqual(self.complaints([finding("race_read_after_write", 8, 11)]), [])
        self.assertEqual(self.complaints([RACE, finding("uninitialised_shared", 9)]), [])

    def test_missing(self):
        self.assertEqual(len(self.complaints([])), 1)
        self.assertEqual(len(self.complaints([finding("uninitialised_shared", 9)])), 1)

    def test_wrong_line(self):
        self.assertEqual(len(self.complaints([finding("race_read_after_write", 8, 10)])), 2)
        self.assertEqual(len(self.complaints([finding("race_read_after_write", 8)])), 2)
        self.assertEqual(len(self.complaints([finding("race_read_after_write", 8, 9,
                                                      file="case.h")])), 2)

    def test_inlined(self):
        inner = finding("race_read_after_write", 300, 9, file="atomics.h")
        self.assertEqual(len(self.complaints([inner])), 2)
        for key in ("first", "second"):
            inner[key]["inlined_at"] = [{"file": "here/case.cu",
                                         "line": 8 if key == "first" else 9}]
        self.assertEqual(self.complaints([inner]), [])

    def test_unexpected(self):
        self.assertEqual(len(self.complaints([RACE, finding("leak")])), 1)
        self.assertEqual(len(self.complaints([RACE, finding("uninitialised_shared", 8)])), 1)

    def test_order(self):
        self.assertEqual(len(self.complaints([TURNED])), 1)
        self.assertEqual(self.complaints([TURNED], strict=False), [])
        self.assertEqual(self.complaints([RACE, TURNED]), [])
        self.assertEqual(len(self.complaints([finding("race_write_after_read", 8, 9)],
                                             strict=False)), 2)

    def test_schedules(self):
        self.assertEqual(len(self.complaints([RACE], schedule="reverse")), 1)
        self.assertEqual(self.complaints([RACE, finding("deadlock", 10)], schedule="reverse"), [])
        self.assertEqual(len(self.complaints([RACE, finding("deadlock", 10)])), 1)

    def test_shows(self):
        self.assertEqual(len(self.complaints([RACE], schedule="lane-serial", result="right")), 1)
        self.assertEqual(self.complaints([RACE], schedule="lane-serial", result="wrong"), [])
        self.assertEqual(self.complaints([RACE], result="right"), [])

    def test_mended(self):
        self.assertEqual(self.complaints([], version="mended", result="right"), [])
        self.assertEqual(len(self.complaints([RACE], version="mended", result="right")), 1)
        self.assertEqual(len(self.complaints([finding("uninitialised_shared", 9)], version="mended",
                                             result="right")), 1)
        self.assertEqual(len(self.complaints([], version="mended", result="wrong")), 1)


class Files(unittest.TestCase):
    def test_what_a_case_must_say(self):
        for text in (TEXT.replace("@store @load", "@store @nowhere"),
                     TEXT.replace("race_read_after_write", "race_of_cars"),
                     "// SPDX-License-Identifier: MIT\n// Nothing is found here.\n"):
            self.assertRaises(CaseError, make_case, text)

    def test_corpus_can_be_read(self):
        cases = read_cases()
        self.assertGreaterEqual(len(cases), 60)
        self.assertTrue(all(len(case.description) > 20 for case in cases))
        self.assertIn("race_tree_load_mended", batch_source(read_cases(only=["race_tree_load"])))


class Removals(unittest.TestCase):
    CODE = """// __syncthreads(); in a comment
static __device__ void wait(int x) {
  puts("__syncwarp()");
  __syncwarp(mask(1, 2)); __syncthreads();
  /* block.sync(); */ block.sync();
}
extern "C" __global__ void kernel(const int *in) {
  if (in) __threadfence();
  __shfl_sync(0, 1, 2);
  __syncthreads();
  __syncthreads();
}
"""

    def sites(self):
        path = remove_syncs.ROOT / "tests/simt/checks/for_a_test.cu"
        original, remove_syncs.Path.read_text = Path.read_text, lambda *_, **__: self.CODE
        try:
            return remove_syncs.sites_of(path)
        finally:
            remove_syncs.Path.read_text = original

    def test_sites(self):
        self.assertEqual([(s.function, s.call, s.number) for s in self.sites()], [
            ("wait", "__syncwarp(mask(1,2))", 1), ("wait", "__syncthreads()", 1),
            ("wait", "block.sync()", 1), ("kernel", "__threadfence()", 1),
            ("kernel", "__syncthreads()", 1), ("kernel", "__syncthreads()", 2)])

    def test_only_the_call_goes(self):
        mutant = self.sites()[3].mutant
        self.assertIn("if (in) ((void)0);\n", mutant)
        self.assertEqual(mutant.replace("((void)0)", "__threadfence()"), self.CODE)

    def test_explanations_are_needed_and_must_fit(self):
        row = {"program": "p", "file": "f", "function": "g", "number": 1, "call": "c()",
               "kinds": "",
               "wrong_under": "", "why": ""}
        reasons = {"p: f g c() 1": "cannot change a result"}
        self.assertEqual(len(remove_syncs.explain([dict(row)], {})), 1)
        self.assertEqual(remove_syncs.explain([dict(row)], reasons), [])
        self.assertEqual(len(remove_syncs.explain([dict(row, kinds="race_atomic")], reasons)), 1)
        self.assertEqual(remove_syncs.explain([dict(row, kinds="race_atomic")], {}), [])
        self.assertEqual(len(remove_syncs.explain([dict(row, wrong_under="reverse")], reasons)), 1)

    def test_an_explanation_without_its_removal_is_stale(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "one.cu"
            path.write_text("__global__ void f() { __syncthreads(); }\n")
            unit = SimpleNamespace(name="a", path=path, own_headers=lambda: [])
            with mock.patch.object(remove_syncs, "ROOT", Path(folder)):
                self.assertEqual(remove_syncs.stale([unit], {
                    "a: one.cu f __syncthreads() 1": "x"}), [])
                self.assertEqual(len(remove_syncs.stale([unit], {
                    "a: one.cu f __syncthreads() 2": "x"})), 1)

    def test_comparison(self):
        row = {"program": "p", "file": "f", "function": "g", "number": 1, "call": "c()",
               "found_by": "racecheck", "kinds": "race_atomic", "wrong_under": "", "why": ""}
        by_another = dict(row, found_by="initcheck")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "stored.csv"
            remove_syncs.write(path, [row], "clang 19")
            self.assertEqual(remove_syncs.compare(path, [row], "clang 19"), [])
            self.assertEqual(len(remove_syncs.compare(path, [by_another], "clang 19")), 1)
            self.assertEqual(len(remove_syncs.compare(path, [dict(row, number=2)], "clang 19")), 1)
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace("# toolkit: ", "# toolkit: another "), encoding="utf-8")
            self.assertEqual(remove_syncs.compare(path, [by_another], "clang 19"), [])
            found_by_none = dict(row, found_by="")
            self.assertEqual(len(remove_syncs.compare(path, [found_by_none], "clang 19")), 1)

    def test_programs_as_they_are(self):
        class Unit:
            name, on_purpose, is_lesson = "p", ["broken"], False

            def make(self, _work, _site):
                pass

            def wrong_on_purpose(self):
                return self.on_purpose

            def run(self, _work, _check, schedule, variant="all"):
                return self.reported.get((schedule, variant), ([], True))

        unit, race = Unit(), [{"kind": "race_atomic", "checker": "racecheck"}]
        unit.reported = {("lockstep", "broken"): (race, True)}
        self.assertEqual(remove_syncs.try_as_it_is(unit, None, False), [])
        unit.reported["reverse", "all"] = (race, True)
        unit.reported["random:2", "all"] = ([], False)
        self.assertEqual(len(remove_syncs.try_as_it_is(unit, None, False)), 2)
        self.assertEqual(len(remove_syncs.try_as_it_is(unit, None, True)), 0)
        unit.reported = {}
        self.assertEqual(len(remove_syncs.try_as_it_is(unit, None, False)), 1)

    def test_what_a_suite_tells(self):
        records = [{"status": "fail", "findings": ["race_write_after_write", "deadlock"]},
                   {"status": "fail", "reason": "simt: racecheck: race: two writes"},
                   {"status": "pass"}]
        self.assertEqual(remove_syncs.findings_of(records),
                         [{"checker": "racecheck", "kind": "race_write_after_write"},
                          {"checker": "synccheck", "kind": "deadlock"}])
        for record in ({"status": "fail", "cause": "unknown", "wrong_results": True},
                       {"status": "fail", "cause": "checkers", "wrong_results": True},
                       {"status": "error", "cause": "device_call"}):
            self.assertFalse(remove_syncs.is_right(record), record)
        for record in ({"status": "fail", "cause": "cost"}, {"status": "pass"},
                       {"status": "fail", "cause": "checkers"}):
            self.assertTrue(remove_syncs.is_right(record), record)


if __name__ == "__main__":
    unittest.main()
