#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rules by which verdicts are rated can fail: each rating has a case, and so has the generator.

    test_expect.py
"""

import unittest

import expect
import judge_wrong
import mutate


def mutant(kind, line, before="", lesson=""):
    return mutate.Mutant("m", kind, line, before, "", "", lesson)


class Ratings(unittest.TestCase):
    def rate(self, kind, changed, **record):
        return expect.rate(mutant(kind, changed), record)

    def test_passes(self):
        self.assertEqual(self.rate("bound", 10), "passes")

    def test_named_by_place_and_kind(self):
        self.assertEqual(self.rate("barrier", 10, line=11, cause="checkers",
                                   hint="Likely missing: __syncthreads()"), "named")
        self.assertEqual(self.rate("mask", 10, line=8, explanation="the mask must name"), "named")

    def test_a_pair_of_lines_around_it(self):
        hint = "Likely missing: __syncthreads() between line 5 and line 15."
        self.assertEqual(self.rate("barrier", 10, line=15, hint=hint), "named")
        self.assertEqual(self.rate("barrier", 30, line=15, hint=hint), "vague")

    def test_the_end_of_a_loop(self):
        hint = "Likely missing: __syncthreads() at the end of the loop body, after line 15."
        self.assertEqual(self.rate("barrier", 18, line=9, hint=hint), "named")
        self.assertEqual(self.rate("barrier", 30, line=9, hint=hint), "vague")

    def test_a_wait_on_the_way_from_one_access_to_the_other(self):
        said = "thread 0 read values[32], and thread 32 wrote it (line 20)"
        hint = "likely missing: wave::sync() between line 13 and line 14: with it the check passes"
        self.assertEqual(self.rate("barrier", 21, line=16, explanation=said, hint=hint), "named")
        self.assertEqual(self.rate("barrier", 30, line=16, explanation=said, hint=hint), "misled")
        self.assertEqual(self.rate("index", 21, line=16, explanation=said, hint=hint), "misled")

    def test_a_missing_store_shows_elsewhere(self):
        self.assertEqual(self.rate("order", 10, line=30, cause="uninitialised_shared"), "named")
        self.assertEqual(self.rate("index", 10, line=30, cause="uninitialised_shared"), "vague")

    def test_an_array_in_which_nothing_is_stored(self):
        self.assertEqual(self.rate("order", 10, line=30, cause="never_written"), "named")
        self.assertEqual(self.rate("index", 10, line=30, cause="never_written"), "vague")

    def test_the_suite_says_it(self):
        said = {"cause": "lesson", "explanation": "there is no element: the index of nothing is n"}
        for lesson, before, rating in (("05_shuffle", "unsigned index = n;", "named"),
                                       ("05_shuffle", "unsigned index = 7;", "vague"),
                                       ("04_warp_sync", "unsigned index = n;", "vague")):
            self.assertEqual(expect.rate(mutant("index", 10, before, lesson), said), rating)

    def test_the_right_place_and_the_wrong_kind(self):
        self.assertEqual(self.rate("bound", 10, line=10, hint="Likely missing: __syncthreads()"),
                         "misled")
        self.assertEqual(self.rate("mask", 10, line=10, explanation="an index past the end"),
                         "vague")

    def test_the_wrong_place(self):
        self.assertEqual(self.rate("index", 10, line=40,
                                   explanation="of all lines only this one is wrong: the index"),
                         "misled")
        self.assertEqual(self.rate("index", 10, line=40, explanation="index 7 is past the end"),
                         "vague")

    def test_a_change_that_was_tried_claims_its_line(self):
        said = "with one change in this line the check passes: the number is not the right one: 31"
        self.assertEqual(self.rate("constant", 10, line=10, explanation=said), "named")
        self.assertEqual(self.rate("constant", 30, line=10, explanation=said), "misled")

    def test_causes_without_a_place(self):
        self.assertEqual(self.rate("bound", 10, cause="last_lost"), "named")
        self.assertEqual(self.rate("barrier", 10, cause="last_lost"), "vague")
        self.assertEqual(self.rate("barrier", 10, cause="x", hint="wrong identity"), "misled")


class Generator(unittest.TestCase):
    def test_every_lesson_has_enough(self):
        for lesson in judge_wrong.lessons():
            made = mutate.mutants(lesson)
            self.assertEqual(made, mutate.mutants(lesson))
            self.assertEqual(len({m.name for m in made}), len(made))
            self.assertTrue(all(m.before != m.after for m in made))
            if lesson[0].isdigit():
                self.assertGreaterEqual(len(made), judge_wrong.LEAST_MUTANTS, lesson)


class Complaints(unittest.TestCase):
    def setUp(self):
        self.rows = judge_wrong.read_stored()

    def test_what_is_stored_holds(self):
        self.assertEqual(list(judge_wrong.complaints(self.rows)), [])

    def test_each_is_noticed(self):
        for change, n in (({"after": "i < 7"}, 1), ({"rating": "misled"}, 2),
                          ({"rating": "vague"}, 1), ({"rating": "passes"}, 2)):
            rows = [dict(self.rows[0], **change)] + self.rows[1:]
            self.assertEqual(len(list(judge_wrong.complaints(rows))), n, change)

    def test_too_few_named(self):
        lesson = self.rows[0]["lesson"]
        rows = [dict(row, rating="vague") if row["lesson"] == lesson and i % 2 else row
                for i, row in enumerate(self.rows)]
        self.assertIn("are named, fewer than", "".join(judge_wrong.complaints(rows)))


if __name__ == "__main__":
    unittest.main()
