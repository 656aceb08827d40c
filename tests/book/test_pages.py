#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The built book in a browser, opened from disk: no error, nothing asked of the network, search
that finds, a lab that counts what the native programs count, a player that walks both ways.

    test_pages.py BUILD     BUILD/book and the lessons' programs have been built
    EVERY_PAGE=1 test_pages.py BUILD Pages.test_pages_open_on_a_phone    no page is left out
    EVERY_PAGE=1 test_pages.py BUILD Predictions    and no lesson's counts at any size

Exit 77, with the reason, where there is no Chromium: the test counts as skipped.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

ROOT = Path(__file__).resolve().parents[2]
sys.path[1:1] = [str(ROOT / "common" / "scripts"), str(ROOT / "book" / "scripts")]

import alike  # noqa: E402
import book_pdf  # noqa: E402
import practice  # noqa: E402
from browser import Browser, chromium  # noqa: E402
from in_browser import InBrowser, open_lab, set_control, watch  # noqa: E402
from looks import CONTRAST, TOO_WIDE  # noqa: E402

BUILD = Path()
SETS = (("--n", "1000"), ("--n", "4096", "--block", "128"),
        ("--n", "65536", "--block", "512", "--seed", "3"))
SOME = ("05_shuffle", "10_single_pass_scan", "13_many_gpus")  # lessons: all with EVERY_PAGE
PHONE = 375
SMALLEST_CONTRAST = 4.5


def html():
    return BUILD / "book" / "html"


def lessons():
    return sorted(path.stem for path in (html() / "lab").glob("[0-9][0-9]_*.js"))


def every():
    return bool(os.environ.get("EVERY_PAGE"))


def chapter(lesson):
    return html() / f"lesson_{lesson[:2]}.html"


def snippet_lines(path):
    """The lines of the pieces of programs that a chapter shows."""
    number = re.search(r"\d\d", path.stem)
    text = next(ROOT.glob(f"lessons/{number[0]}_*/chapter.md")).read_text("utf-8") if number else ""
    for piece in re.findall(r"^```cuda\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from filter(None, piece.splitlines())


def setUpModule():
    InBrowser.browser, InBrowser.html = Browser(), html()


def tearDownModule():
    InBrowser.browser.__exit__()


class Pages(InBrowser):
    def test_pages_open_on_a_phone(self):
        """Without an error or a request; chapters on paper as well, and for those who do not see
        them. One tab for all: a new one takes longer than the page."""
        paths = list(alike.pages(html(), every()))
        self.assertGreater(len(paths), 100 if every() else 20)
        chapters = {html() / "index.html", *map(chapter, lessons())}
        self.assertGreaterEqual(len(chapters & {*paths}), len(chapters) if every() else 5)
        page = self.open(paths[0], width=PHONE, height=800)
        for path in paths:
            with self.subTest(path.name):
                page.go(path, width=PHONE, height=800)
                self.assert_quiet(page)
                self.assertLessEqual(page.run(TOO_WIDE), 0)
                if path in chapters:
                    self.assert_chapter_is_for_all(page, path)

    def assert_chapter_is_for_all(self, page, path):
        page.run("document.querySelectorAll('details').forEach((at) => at.open = true)")
        self.assertLessEqual(page.run(TOO_WIDE), 0)
        page.run("document.querySelectorAll('details').forEach((at) => at.open = false)")
        self.assertEqual(page.run(
            "[...document.querySelectorAll('div.contents img, div.contents svg')]"
            ".filter((at) => !(at.getAttribute('alt') ||"
            " at.closest('[aria-label], [title]'))).map((at) =>"
            " at.outerHTML.slice(0, 200))"), [])
        self.assert_paper_has_all_code(page, path)

    def test_an_error_and_a_request_are_noticed(self):
        bad = html().parent / "bad.html"
        bad.write_text("<!doctype html><title>x</title><script>nothing.at.all()</script>"
                       "<img src='http://127.0.0.1:9/x.png'>")
        self.addCleanup(bad.unlink)
        page = self.open(bad)
        page.until("document.readyState === 'complete'")
        self.assertTrue(page.errors)
        self.assertEqual(page.requests, ["http://127.0.0.1:9/x.png"])

    def assert_paper_has_all_code(self, page, path):
        page.size(720, 900)
        page.print_media()
        self.assertEqual(page.run("[...document.querySelectorAll('div.fragment')].filter((at) =>"
                                  " at.scrollWidth > at.clientWidth + 1 ||"
                                  " getComputedStyle(at).overflowX !== 'visible').length"), 0)
        page.run("window.dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(page.run("document.querySelectorAll('details:not([open])').length"), 0)
        shown = "".join(page.run("document.querySelector('div.contents').innerText").split())
        for line in snippet_lines(path):
            self.assertIn("".join(line.split()), shown)

    def test_code_that_does_not_show_is_noticed(self):
        page = self.open(chapter(lessons()[1]), width=720)
        page.run("document.querySelectorAll('div.line').forEach((at) => at.style.display = 'none')")
        with self.assertRaises(AssertionError):
            self.assert_paper_has_all_code(page, chapter(lessons()[1]))

    def test_contrast_in_both_modes(self):
        script = CONTRAST.replace("LEAST", str(SMALLEST_CONTRAST)).replace(
            "SELECTOR", "'div.contents p, div.contents td, div.contents a, section.lab *, summary,"
            " div.line, div.line span'")
        for dark in False, True:
            page = self.open(chapter(lessons()[1]), dark=dark)
            open_lab(page)
            with self.subTest(dark=dark):
                self.assertEqual(page.run(script), [])
        page.run("document.querySelector('div.contents p').style.color = '#777a'")
        self.assertNotEqual(page.run(script.replace("4.5", "12")), [])  # it can be too low

    def test_tables_stand_one_below_the_other(self):
        page = self.open(chapter("12_many_bins"))
        self.assertEqual(page.run(
            "(() => { const at = [...document.querySelectorAll('table.markdownTable')]"
            ".filter((one) => one.checkVisibility({contentVisibilityAuto: true}) &&"
            " !one.closest('details:not([open])')).map((one) => one.getBoundingClientRect());"
            " let beside = 0;"
            " at.forEach((a, i) => at.slice(i + 1).forEach((b) => {"
            " if (b.top < a.bottom && a.top < b.bottom) beside++; })); return beside; })()"), 0)

    def test_code_has_its_place_and_what_is_new_is_marked(self):
        page = self.open(chapter("04_warp_sync"))
        self.assertGreater(page.run("document.querySelectorAll('div.line.new').length"), 3)
        self.assertGreater(page.run("document.querySelectorAll('div.line:not(.new)').length"), 20)
        place = page.run("(() => { const at = document.querySelector('.snippet-from a');"
                         " return [at.getAttribute('href'), at.textContent]; })()")
        self.assertRegex(place[1], r"^lessons/04_warp_sync/warp_sync.cu, lines \d+ to \d+$")
        program, _, anchor = place[0].partition("#")
        self.assertIn(f'id="{anchor}"', (html() / program).read_text("utf-8"))

    def test_the_whole_book_is_one_page_with_links_of_its_own(self):
        path = html() / "whole_book_test.html"
        path.write_text(book_pdf.whole(html()), encoding="utf-8")
        self.addCleanup(path.unlink)
        page = self.open(path)
        self.assertEqual(page.run("document.querySelectorAll('h1.part').length"),
                         len(book_pdf.pages_of(html())) + 2)  # contents and hints
        self.assertEqual(page.run(
            "(() => { const ids = [...document.querySelectorAll('.contents [id], h1.part')]"
            ".map((at) => at.id); return ids.filter((id, i) => ids.indexOf(id) !== i); })()"), [])
        self.assertEqual(page.run(
            "[...document.querySelectorAll('.contents a[href^=\"#\"]')].filter((at) =>"
            " !document.getElementById(decodeURIComponent(at.getAttribute('href').slice(1))))"
            ".map((at) => at.getAttribute('href')).slice(0, 5)"), [])


class Search(InBrowser):
    def page(self):
        """One for all questions: its index takes seconds to build."""
        if "search" not in self.kept:
            self.kept["search"] = self.browser.open(html() / "lesson_04.html")
            self.kept["search"].run("bookFind.ready()")
        return self.kept["search"]

    def found(self, words):
        page = self.page()
        found = page.run(f"bookFind.find({json.dumps(words)})")
        self.assert_quiet(page)
        return [one["page"] + ": " + one["title"] for one in found], [one["at"] for one in found]

    def test_words_of_the_field(self):
        for words, place in (("bank conflict", "lesson_02.html"), ("coalescing", "lesson_06.html"),
                             ("race", "lesson_00.html"), ("wavefront", "glossary.html")):
            titles, places = self.found(words)
            self.assertTrue(any(at.startswith(place) for at in places), (words, titles))

    def test_what_a_newcomer_types(self):
        for words, place in (("race condition", "glossary.html#race-data-race"),
                             ("out of bounds", "glossary.html#out-of-bounds"),
                             ("__syncthreads", "glossary.html#barrier"),
                             ("atomic add", "glossary.html#atomic"),
                             ("prefix sum", "glossary.html#scan-prefix-sum"),
                             ("what is a warp", "glossary.html#warp"),
                             ("histogram", "glossary.html#histogram"),
                             ("shared memory", "glossary.html#shared-memory"),
                             ("deadlock", "glossary.html#deadlock"),
                             ("why is my kernel slow", "debugging.html#right-but-slow")):
            self.assertEqual(self.found(words)[1][0], place, words)

    def test_questions_lead_to_a_page_that_answers_them(self):
        for words, place in (("multi gpu", "lesson_13"), ("why is my result wrong", "debugging"),
                             ("float precision", "lesson_11"), ("how to install", "index"),
                             ("without gpu", "index"), ("sync threads", "glossary")):
            self.assertTrue(any(at.startswith(place) for at in self.found(words)[1][:8]), words)

    def test_code_and_titles(self):
        self.assertTrue(any("lesson_05" in at for at in self.found("__shfl_down_sync")[1]))
        self.assertIn("lesson_08.html", [at.split("#")[0] for at in self.found("fifty-six")[1]])

    def test_nonsense_is_not_found(self):
        self.assertEqual(self.found("xyzzyq")[1], [])
        self.assertEqual(self.found("  ")[1], [])

    def test_a_letter_wrong_is_found(self):
        for words, place in (("bnak conflict", "glossary.html#bank-conflict"),
                             ("coalesing", "glossary.html#coalesced"),
                             ("histgram", "glossary.html#histogram"),
                             ("shufle", "glossary.html#shuffle")):
            self.assertEqual(self.found(words)[1][0], place)
        self.assertIn("glossary.html#shared-memory", self.found("sharred memory")[1][:2])

    def test_places_exist(self):
        for at in self.page().run("findDocuments.map((one) => one.at)"):
            name, _, anchor = at.partition("#")
            self.assertTrue((html() / name).is_file(), at)
            if anchor:
                self.assertIn(f'id="{anchor}"', (html() / name).read_text("utf-8"), at)


class Lab(InBrowser):
    def test_findings_are_shown(self):
        page = self.lab("04_warp_sync")
        said = page.run("labRun('04_warp_sync', ['--n', '1024', '--variant', 'volatile_fold',"
                        " '--check=racecheck'])")
        self.assertIn("racecheck: race", said["err"])
        self.assertIn("warp_sync.cu:", said["err"])
        quiet = page.run("labRun('04_warp_sync', ['--n', '1024', '--variant', 'unrolled',"
                         " '--check=racecheck'])")
        self.assertNotIn("race:", quiet["err"])

    def test_bad_arguments_are_explained(self):
        page = self.lab("04_warp_sync")
        said = page.run("labRun('04_warp_sync', ['--variant', 'unrold'])")
        self.assertEqual(said["status"], 2)
        self.assertIn("unrolled", said["err"])

    def said_by(self, page, **typed):
        """What the lab shows after a run with these elements and block."""
        for label, value in ("elements", "4096"), ("block size", "256"):
            set_control(page, label, typed.get(label.partition(" ")[0], value))
        page.run("document.querySelector('.lab-result').replaceChildren()")
        page.run("document.querySelector('.lab-run').click()")
        page.until("document.querySelector('.lab-result').innerText")
        return page.run("document.querySelector('.lab-result').innerText")

    def test_odd_numbers_run_or_are_explained(self):
        page = self.lab("01_shared_tree")
        for good in "0", "1", "1,000", "2^10", "1M":
            self.assertIn("right\tright", self.said_by(page, elements=good), good)
        for bad in "", "many", "-5":
            self.assertIn("01_shared_tree: --n: ", self.said_by(page, elements=bad), bad)
        self.assertIn("One number", self.said_by(page, elements="1000,4096"))
        for huge in "1e9", "2^23", "99,999,999,999", "1G":
            self.assertIn("In a terminal for more: make run LESSON=01_shared_tree N=",
                          self.said_by(page, elements=huge), huge)
        self.assertIn("it needs whole warps", self.said_by(page, block="7"))
        self.assertIn("--block: '2000' is not allowed", self.said_by(page, block="2000"))
        self.assert_quiet(page)

    def test_what_has_no_number_shows_a_dash(self):
        page = self.open(chapter("10_single_pass_scan"))
        open_lab(page)
        times = self.said_by(page, elements="1000").split("modelled time, µs")[1].split("\n")[0]
        self.assertRegex(times, r"^\t[1-9][\d.]*(\t–)+$")  # three_phases alone does not wait

    def test_nothing_is_loaded_before_it_is_used(self):
        page = self.open(chapter("01_shared_tree"))
        loaded = ("[...document.scripts].map((at) => at.src)"
                  ".filter((at) => /lab.\\d\\d_|lunr/.test(at))")
        self.assertEqual(page.run(loaded), [])
        open_lab(page)
        self.assertEqual(len(page.run(loaded)), 1)

    def test_the_lab_says_what_is_missing(self):
        page = self.open(chapter("01_shared_tree"))
        page.run("document.querySelector('section.lab').dataset.lesson = '99_none'")
        page.run("document.querySelector('.lab-open').remove()")
        self.assertIn("99_none.js is missing", page.run(
            "labRun('99_none', []).then(() => '', (error) => error.message)"))


class Predictions(InBrowser):
    def test_counts_are_the_native_ones(self):
        folders = (ROOT / "lessons").glob("[0-9][0-9]_*")
        self.assertEqual(lessons(), sorted(path.name for path in folders))
        page = self.lab("05_shuffle")  # it runs the others' programs as well
        for lesson in lessons():
            for args in SETS if every() or lesson in SOME else SETS[:1]:
                native = subprocess.run([BUILD / "lessons" / lesson, *args, "--json"], check=True,
                                        capture_output=True, text=True).stdout
                wanted = [json.loads(line) for line in native.splitlines()]
                got = page.run(f"labRun({json.dumps(lesson)}, {json.dumps(args)})")
                with self.subTest(lesson=lesson, args=args):
                    self.assertGreater(len(wanted), 1)
                    self.assertEqual(got["rows"], wanted)
        self.assert_quiet(page)

    def test_answers_are_the_native_ones(self):
        tried = lessons() if every() else SOME
        page = self.open(chapter(tried[0]))
        questions = 0
        for lesson in tried:
            page.go(chapter(lesson))
            asked = practice.read_practice(lesson)["questions"]
            self.assertEqual(page.run("[...document.querySelectorAll('section.predict li')]"
                                      ".map((at) => at.querySelector('span').textContent)"),
                             [question["ask"].replace("`", "") for question in asked])
            for index, question in enumerate(asked):
                with self.subTest(lesson=lesson, question=question["id"]):
                    got = page.run(f"labPredict.rightAnswer('{lesson}', document.querySelectorAll("
                                   f"'section.predict li')[{index}].dataset)")
                    self.assertAlmostEqual(got, practice.right_answer(lesson, question), places=9)
                    questions += 1
            self.assert_quiet(page)
        self.assertGreater(questions, 2 * len(tried))

    def test_a_right_and_a_wrong_answer(self):
        page = self.open(chapter("05_shuffle"))
        verdict = "document.querySelector('.predict-verdict').textContent"
        answer = ("(() => { const form = document.querySelector('section.predict form');"
                  " form.querySelector('input').value = '%s'; form.requestSubmit(); })()")
        for typed, wanted in (("a few", "First write a number"), ("44", "No, it is 45."),
                              ("45", "Right, it is 45.")):
            page.run(answer % typed)
            page.until(f"{verdict}.startsWith('{wanted}')")
        self.assertIn("5 in each of 8 warps", page.run(verdict))
        self.assert_quiet(page)

    def test_arithmetic_and_numbers_are_read_as_in_python(self):
        page = self.lab("05_shuffle")
        names = {"a": 7, "b": 2}
        for text in ("a // b * b", "a / b - 1", "round(a / b) + round(5 / b)", "(a + b) * 3 - 2",
                     "2 - 1 - 1"):
            got = page.run(f"labPredict.valueOf({json.dumps(text)}, {json.dumps(names)})")
            self.assertEqual(got, practice.value_of(text, names), text)
        for text in "a b", "a +", "c", "(a", "a ** b":
            self.assertTrue(page.run(f"(() => {{ try {{ labPredict.valueOf({json.dumps(text)},"
                                     f" {json.dumps(names)}); return false; }}"
                                     " catch (error) { return true; } })()"), text)
        for text in "1,024", " 3.5", "1e3", "-2", "4_096", "x", "", "1 2x":
            self.assertEqual(page.run(f"labPredict.readNumber({json.dumps(text)})"),
                             practice.read_number(text), text)


class Player(InBrowser):
    def setUp(self):
        self.page = self.lab("02_bank_conflicts")
        self.page.run(
            "window.trace || labRun('02_bank_conflicts', ['--variant', 'strided',"
            " '--n', '256', '--block', '256'], ['LAB_TRACE=1:0']).then((done) => {"
            " window.trace = new labTrace.Trace(done.out, new Set(['bank_conflicts.cu']));"
            " window.counters = done.rows[0].counters; })")

    def test_what_is_shown_is_what_the_engine_counted(self):
        counted = self.page.run("counters")
        self.assertEqual(counted["launches"], 1)
        shown = self.page.run(
            "(() => { const of = (space, kind) => trace.steps.filter((s) => s.a &&"
            " s.a.space === space && s.a.kind === kind);"
            " const sum = (kind) => of('shared', kind).reduce((n, s) =>"
            " n + labTrace.wavefronts(s.a), 0); const loads = of('global', 'load');"
            " return {load: sum('load'), store: sum('store'), steps: trace.steps.length,"
            " sectors: loads.reduce((n, s) => n + labTrace.sectors(s.a).length, 0)}; })()")
        self.assertEqual(shown["load"], counted["shared_load_wavefronts"])
        self.assertEqual(shown["store"], counted["shared_store_wavefronts"])
        self.assertEqual(shown["sectors"], counted["global_load_sectors"])
        self.assertEqual(shown["steps"], counted["warp_instructions"])

    def test_both_ways_lead_to_the_same_place(self):
        self.assertTrue(self.page.run(
            "(() => { const at = [3, 0.7, 40, 0.999, 0.5, 0, 0.9, 0.51].map((part) =>"
            " part < 1 ? Math.floor(part * trace.steps.length) : part);"
            " const seen = new Map();"
            " for (let i = 0; i < trace.steps.length; i++) { trace.goTo(i);"
            "   if (at.includes(i)) seen.set(i, [...trace.words].join()); }"
            " return at.every((i) => { trace.goTo(i);"
            "   return [...trace.words].join() === seen.get(i); })"
            " && new Set(seen.values()).size > 3; })()"))

    def test_the_sum_stands_in_place_0_at_the_end(self):
        self.page.run("trace.goTo(trace.steps.length)")
        wanted = self.page.run("(() => { const first = trace.steps.filter((s) => s.a &&"
                               " s.a.space === 'global' && s.a.kind === 'load')"
                               ".flatMap((s) => s.r[2]);"
                               " return first.reduce((a, b) => a + b, 0); })()")
        self.assertEqual(self.page.run("Number(new Float32Array(trace.words.buffer)[0])"), wanted)

    def test_keys_and_buttons(self):
        watch(self.page, "strided", 64, 64)
        count = "parseInt(document.querySelector('.player-count').textContent)"
        press = ("document.querySelector('.player').dispatchEvent(new KeyboardEvent('keydown',"
                 "{key: '%s', bubbles: true}))")
        self.assertEqual(self.page.run(count), 1)
        for key, wanted in (("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("Home", 1)):
            self.page.run(press % key)
            self.assertEqual(self.page.run(count), wanted, key)
        self.page.run(press % "End")
        self.assertEqual(self.page.run(count), self.page.run(
            "parseInt(document.querySelector('.player-count').textContent.split('of')[1])"))
        line = self.page.run("document.querySelector('.player-line.now').textContent")
        program = Path(__file__).parents[2] / "lessons/02_bank_conflicts/bank_conflicts.cu"
        self.assertIn(line.strip(), program.read_text("utf-8"))
        self.assert_quiet(self.page)

    def test_no_word_is_cut(self):
        cut = ("[...document.querySelectorAll('.banks .word')].filter((at) =>"
               " at.scrollWidth > at.clientWidth).map((at) => at.textContent)")
        for width in 390, 1280:
            page = self.open(chapter("02_bank_conflicts"), width=width)
            open_lab(page)
            watch(page, "strided", 256, 256)
            page.run("for (let i = 0; i < 80; i++) document.querySelector('.player').dispatchEvent("
                     "new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))")
            self.assertRegex(page.run("document.querySelector('.banks').textContent"), r"-\d{3}")
            self.assertEqual(page.run(cut), [], width)
        page.run("document.querySelector('.banks').style.fontSize = '15px'")
        self.assertNotEqual(page.run(cut), [])  # they can be


class Keyboard(InBrowser):
    def press(self, page, key, code, text=""):
        for kind in "keyDown", "keyUp":
            page.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def test_the_first_tab_leads_to_the_text(self):
        page = self.open(chapter("05_shuffle"))
        self.press(page, "Tab", 9)
        self.assertEqual(page.run("document.activeElement.textContent"), "To the text")
        self.press(page, "Enter", 13, "\r")
        self.press(page, "Tab", 9)
        self.assertTrue(page.run("!!document.activeElement.closest('#doc-content')"))

    def test_the_lab_is_opened_and_run_without_losing_the_place(self):
        page = self.open(chapter("05_shuffle"))
        page.run("document.querySelector('.lab-open').focus()")
        self.press(page, "Enter", 13, "\r")
        page.until("document.activeElement.closest('.lab-controls')")
        page.run("document.querySelector('.lab-run').focus()")
        self.press(page, "Enter", 13, "\r")
        page.until("document.querySelector('.lab-result table')")
        page.until("document.activeElement.matches('.lab-run')")

    def test_nothing_moves_for_those_who_asked_for_that(self):
        page = self.open(chapter("05_shuffle"))
        moving = ("[...document.querySelectorAll('*')].filter((at) => getComputedStyle(at)"
                  ".transitionDuration.split(',').some((s) => parseFloat(s) > 0)).length")
        self.assertGreater(page.run(moving), 0)
        page.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        self.assertEqual(page.run(moving), 0)


class PlayersOfLaterLessons(InBrowser):
    def watched(self, lesson, variant, n=256, block=256):
        page = self.lab(lesson)
        watch(page, variant, n, block)
        return page, page.run("document.querySelector('.player h4').textContent")

    def test_kernels_have_the_names_of_their_source(self):
        for lesson, variant, name in (("14_portable", "fold_32", "fold<32>"),
                                      ("11_exact_sum", "neumaier", "sum_blocks<neumaier_sum>"),
                                      ("05_shuffle", "unrolled", "unrolled<256>")):
            self.assertIn(f": {name}, ", self.watched(lesson, variant)[1])

    def test_doubles_are_shown_whole_and_take_no_conflict(self):
        page, _ = self.watched("11_exact_sum", "columns", 64, 32)
        page.run("document.querySelector('.player').dispatchEvent("
                 "new KeyboardEvent('keydown', {key: 'End', bubbles: true}))")
        held = page.run("[...document.querySelectorAll('.word.wide')].map((at) => at.textContent)")
        self.assertTrue(set(held) - {"0", "?"})
        self.assertTrue(all(len(text) < 9 for text in held), held)
        self.assertNotIn("bank conflict",  # 32 doubles take two words of each bank in any order
                         page.run("document.querySelector('.player-bar').textContent"))
        self.assert_quiet(page)

    def test_of_many_words_those_in_use_are_shown_and_a_cut_is_named(self):
        page, title = self.watched("12_many_bins", "plain", 64, 64)
        self.assertRegex(title, "its first 20,000 steps$")
        self.assertLess(page.run("document.querySelectorAll('.word').length"), 1000)
        press = ("document.querySelector('.player').dispatchEvent("
                 "new KeyboardEvent('keydown', {key: '%s', bubbles: true}))")
        page.run(press % "End")
        self.assertTrue(page.run(
            "(() => { for (let i = 0; i < 200; i++) { %s;"
            " if (document.querySelector('.word.asked')) return true; } return false; })()"
            % (press % "ArrowLeft")))

    def test_what_launches_no_kernel_says_so(self):
        page = self.open(chapter("13_many_gpus"))
        open_lab(page)
        set_control(page, "variant", "nccl")
        page.run("document.querySelector('.lab-watch').click()")
        page.until("(document.querySelector('.lab-error') || {textContent: ''}).textContent"
                   ".includes('nccl launches no kernel of this lesson')")


class Races(InBrowser):
    def watched(self, variant):
        page = self.lab("04_warp_sync")
        set_control(page, "checkers", "racecheck")
        watch(page, variant, 256, 64)
        return page

    def test_a_race_leads_to_its_two_accesses(self):
        page = self.watched("volatile_fold")
        pairs = page.run("document.querySelector('.player-pairs').textContent")
        self.assertRegex(pairs, r"race.* on .*thread \d+, (read|write), line \d+"
                                r" and thread \d+, (read|write), line \d+")
        steps = []
        for index in 0, 1:
            page.run(f"document.querySelectorAll('.player-pair')[{index}].click()")
            steps.append(page.run("parseInt(document.querySelector('.player-count').textContent)"))
            line = page.run("document.querySelector('.player-line.now').dataset.line")
            said = page.run(f"document.querySelectorAll('.player-pair')[{index}].textContent")
            self.assertTrue(said.endswith(f"line {line}"), (said, line))
            self.assertTrue(page.run("document.querySelector('.player-line.pair')"
                                     ".classList.contains('pair')"))
        self.assertLessEqual(steps[0], steps[1])
        self.assert_quiet(page)

    def test_without_a_race_there_is_no_list(self):
        page = self.watched("unrolled")
        self.assertEqual(page.run("document.querySelectorAll('.player-pairs').length"), 0)


class Traced(InBrowser):
    def test_make_trace_opens_the_same_player(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "trace.html"
            subprocess.run([sys.executable, "-B", ROOT / "common/scripts/trace.py",
                            "01_shared_tree", "--source", ROOT / "solutions/01_shared_tree.cu",
                            "--out", page], check=True, env={**os.environ, "BUILD": str(BUILD)},
                           stdout=subprocess.DEVNULL)
            page = self.open(page)
            page.run("document.querySelector('.player').dispatchEvent("
                     "new KeyboardEvent('keydown', {key: 'End', bubbles: true}))")
            self.assertRegex(page.run("document.querySelector('.player-count').textContent"),
                             r"^(\d{2,3}) of \1$")
            line = page.run("document.querySelector('.player-line.now').textContent").strip()
            self.assertIn(line, (ROOT / "solutions/01_shared_tree.cu").read_text("utf-8"))
            self.assert_quiet(page)


def main():
    global BUILD
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    BUILD = practice.BUILD = Path(sys.argv.pop(1)).resolve()
    if not chromium():
        print("skipped: there is no Chromium (apt install chromium)")
        return 77
    if not (html() / "lab").is_dir():
        print("skipped: the book was built without its lab (apt install clang-19 lld-19 wasi-libc "
              "libclang-rt-19-dev-wasm32 libc++-19-dev-wasm32)")
        return 77
    unittest.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
