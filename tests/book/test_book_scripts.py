#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the scripts that prepare and check the book. No Doxygen is needed."""

import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "book" / "scripts"), str(ROOT / "tests" / "book"),
                str(ROOT / "figures")]

import book_pdf  # noqa: E402
import check_links  # noqa: E402
import checker_tables  # noqa: E402
import finish_pages  # noqa: E402
import header_filter  # noqa: E402
import opcodes  # noqa: E402
import page_sources  # noqa: E402
import prepare_book  # noqa: E402
import readme  # noqa: E402
import rungs  # noqa: E402
import style  # noqa: E402
import tables  # noqa: E402
from macros import MacroError, expand  # noqa: E402
from stored_data import StoredData, UnknownKey  # noqa: E402

CSV = """# device: Test GPU
# date: 2000-01-02
# key: experiment/n
experiment,n,quantity,value,unit
sum,8,gb_per_s,1234.50,GB/s
sum,8,time_ms,2,ms
sum,16,gb_per_s,500,GB/s
"""
JSONL = ('{"provenance": {"device": "modelled", "key": "lesson/variant"}}\n'
         '{"lesson": "00", "variant": "a", "correct": true, "counters": {"launches": 3}}\n')


STORED_WHY = rungs.WHY


def words_to_read(chapter):
    """How many words there are in prose, tables and captions; code and provenance do not count."""
    for aside in (r"^```.*?^```", r'<div class="source">.*?</div>', r"<!--.*?-->",
                  r"<sub>\[.*?</sub>", r"\]\(\S*\)", r"</?\w[^>]*>"):
        chapter = re.sub(aside, "", chapter, flags=re.MULTILINE | re.DOTALL)
    return sum(any(letter.isalnum() for letter in word) for word in chapter.split())


class Directory(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.path = Path(self.temporary.name)

    def write(self, name, text):
        (self.path / name).write_text(text, encoding="utf-8")
        return self.path / name


class StoredNumbers(Directory):
    def setUp(self):
        super().setUp()
        self.write("gpu.csv", CSV)
        self.write("sim.jsonl", JSONL)
        self.data = StoredData(self.path)

    def expand(self, text):
        return expand(text, self.data, {"piece": lambda: "made"}, "chapter.md")

    def test_value_keeps_its_decimals_and_groups_thousands(self):
        self.assertEqual(self.expand("{{gpu:sum/8:gb_per_s}} GB/s"), "1,234.50 GB/s")

    def test_rounding_and_arithmetic(self):
        self.assertEqual(self.expand("{{gpu:sum/8:gb_per_s | 0}}"), "1,234")
        self.assertEqual(self.expand("{{[gpu:sum/8:gb_per_s] / [gpu:sum/16:gb_per_s] | 2}}"),
                         "2.47")
        self.assertEqual(self.expand("{{100 * ([gpu:sum/8:time_ms] + 1) | 0}}"), "300")

    def test_nested_counter(self):
        self.assertEqual(self.expand("{{sim:00/a:counters.launches}}"), "3")

    def test_pieces_and_source(self):
        self.assertEqual(self.expand("{{piece}}, {{source gpu}}"), "made, Test GPU, 2000-01-02")

    def test_table_per_block(self):
        self.write("simt-lessons.jsonl", '{"provenance": {"key": "lesson/variant"}}\n' + "\n".join(
            '{"lesson": "01", "variant": "%s", "counters": {"divergent_branches": %d, "blocks": 4, '
            '"shared_load_requests": 6, "shared_store_requests": 2, "shared_load_wavefronts": 15, '
            '"shared_store_wavefronts": 5}}' % pair for pair in (("a", 192), ("b", 26))))
        rows = tables.per_block(StoredData(self.path), "01", "a,b",
                                "diverging,wavefronts_per_request")
        self.assertEqual(rows.splitlines()[2:], ["| Branches that diverge | 48.0 | 6.5 |",
                                                 "| Wavefronts per request | 2.50 | 2.50 |"])
        with self.assertRaises(UnknownKey):
            tables.per_block(StoredData(self.path), "01", "a,c", "diverging")

    def test_report_of_the_checkers(self):
        text = ("# made so\nsimt: racecheck: one\n  more\nsimt: racecheck: two\n"
                "simt: 2 errors and 0 notes\n")
        report = checker_tables.checker_report
        self.assertEqual(report(text), "```\n" + text.partition("\n")[2] + "```")
        self.assertEqual(report(text, "1"), "```\nsimt: racecheck: one\n  more\n…\n```")
        self.assertEqual(checker_tables.checker_errors(text), "2")
        for shown in "0", "3":
            with self.assertRaises(ValueError):
                report(text, shown)
        with self.assertRaises(ValueError):
            checker_tables.checker_errors("# nothing\n")

    def test_figures_have_names(self):
        self.assertIn('id="figure_rungs_01"', tables.figure("rungs_01"))
        shown = tables.figure("rungs_01", {"rungs_01"})
        self.assertIn('class="light" src="figures/rungs_01.svg"', shown)
        self.assertIn('class="dark" src="figures/rungs_01-dark.svg"', shown)
        missing = tables.figure("scan", {"rungs_01"})
        self.assertNotIn("<img", missing)  # not drawn: no broken picture
        self.assertIn("<code>make figures</code>", missing)
        with self.assertRaises(KeyError):
            tables.figure("laddder")

    def test_figures_can_be_read_on_light_and_dark_pages(self):
        def light(colour):
            parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
            parts = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

        def contrast(one, other):
            low, high = sorted((light(one), light(other)))
            return (high + 0.05) / (low + 0.05)

        self.assertLess(contrast("#999999", "#ffffff"), 4.5)  # what must not pass
        for on_light, on_dark in style.DARK.items():
            if on_light == style.FAINT:  # lines of a grid
                continue
            self.assertGreaterEqual(contrast(on_light, "#ffffff"), 4.5, on_light)
            self.assertGreaterEqual(contrast(on_dark, "#14181c"), 4.5, on_dark)
        self.assertFalse(set(style.DARK) & set(style.DARK.values()))  # none is replaced twice

    def test_names_at_the_ends_of_lines_keep_apart(self):
        moved = style.spread([10, 11, 50], 5, 0, 100)
        self.assertTrue(all(b - a >= 4.99 for a, b in zip(moved, moved[1:])), moved)
        self.assertEqual(style.spread([10, 50], 5, 0, 100), [10, 50])

    def test_table_of_profiled_counts(self):
        head = "# device: x\nlesson,variant,n,block,quantity,software,gpu,ratio,reason\n"
        rows = ["01,a,8,32,loads,4,4,1.0000,", "01,b,8,32,loads,4,2,0.5000,Joined.",
                "01,c,8,32,loads,4,8,2.0000,Split.", "01,c,8,32,votes,0,8,,The compiler."]
        lines = tables.profiled(head + "\n".join(rows)).splitlines()
        self.assertEqual(lines[2], "| loads | 1 | 2 | 0.50 to 2.00 | Joined.<br/>Split. |")
        self.assertEqual(lines[3], "| votes | 0 | 1 |  | The compiler. |")

    def test_table_of_methods(self):
        lines = tables.methods(StoredData(ROOT / "figures" / "data"), {"00"}).splitlines()
        self.assertEqual(len(lines), 2 + len(tables.METHOD_SIZES))
        self.assertIn('\\ref lesson_00 "an atomic each"', lines[0])
        self.assertNotIn("lesson_02", lines[0])
        for line in lines[2:]:  # one shortest time, or several of the same length
            cells = line.strip("| ").split(" | ")
            times = {float(cell.strip("*").replace(",", "")): "*" in cell
                     for cell in cells[1:] if cell != "-"}
            self.assertTrue(times.pop(min(times)))
            self.assertFalse(any(times.values()))

    def test_unknown_things_name_file_and_line(self):
        for text in ("{{gpu:sum/9:gb_per_s}}", "{{gpu:sum/8:speed}}", "{{unknown:sum/8:gb_per_s}}",
                     "{{nonsense}}", "{{[gpu:sum/8:gb_per_s] / 0 | 1}}", "{{[gpu:sum/8:time_ms]}}",
                     "{{__import__('os') [gpu:sum/8:time_ms] | 1}}", "{{source unknown}}"):
            with self.subTest(text), self.assertRaisesRegex(MacroError, "^chapter.md:2: "):
                self.expand("first line\n" + text)

    def test_the_largest_and_the_smallest_of_some_values(self):
        values = "[gpu:sum/8:gb_per_s], [gpu:sum/16:gb_per_s], [gpu:sum/8:time_ms]"
        self.assertEqual(self.expand(f"{{{{max({values}) / min({values}) | 2}}}}"), "617.25")
        with self.assertRaises(MacroError):
            self.expand(f"{{{{sum({values}) | 2}}}}")

    def test_value_that_would_become_a_list_is_refused(self):
        for text in ("takes\n{{sim:00/a:counters.launches}}. More",
                     "> takes\n>   {{gpu:sum/8:time_ms}}.\n"):
            with self.subTest(text), self.assertRaisesRegex(MacroError, "^chapter.md:2: .*list"):
                self.expand(text)
        self.assertEqual(self.expand("is\n{{gpu:sum/8:gb_per_s}}. More"), "is\n1,234.50. More")

    def test_complaint_suggests_what_there_is(self):
        with self.assertRaisesRegex(UnknownKey, "sum/16"):
            self.data.value("gpu:sum/32:gb_per_s")

    def test_same_quantity_twice_is_refused(self):
        self.write("twice.csv", CSV + "sum,8,time_ms,3,ms\n")
        with self.assertRaises(ValueError):
            self.data.table("twice")

    def test_provenance_is_required(self):
        self.write("bare.csv", "experiment,n,quantity,value,unit\nsum,8,time_ms,3,ms\n")
        with self.assertRaises(ValueError):
            self.data.table("bare")


class Pages(unittest.TestCase):
    def test_counters_of_the_project(self):
        definition = (ROOT / "common/simt/include/simt_counters.def").read_text("utf-8")
        rows = tables.counter_rows(definition)
        written = [line for line in definition.splitlines() if line.startswith("SIMT_COUNTER(")]
        self.assertEqual(len(rows), len(written))
        self.assertEqual(tables.counters(definition).count("\n"), len(rows) + 1)

    def test_opcodes_of_the_project(self):
        definition = opcodes.definition(ROOT / "common/simt/isa/isa.def")
        rows = opcodes.opcode_rows(definition)
        written = [line for line in definition.splitlines() if line.startswith("ISA_ROW(")]
        self.assertEqual(len(rows), len(written))
        self.assertGreater(len(rows), 700)
        self.assertEqual(len({row["id"] for row in rows}), len(rows))

    def test_table_cells_are_safe(self):
        self.assertEqual(tables.cell("`@p bra` | <x> @y"), "`@p bra` \\| &lt;x&gt; \\@y")

    def test_harden_leaves_code_alone(self):
        text = prepare_book.harden("# T {#x}\na <b> @c \\d `@e <f>`\n```\n@g <h>\n```\n")
        self.assertIn("`@e <f>`", text)
        self.assertIn("@g <h>", text)
        self.assertIn("&lt;b", text)
        self.assertIn("\\@c \\\\d", text)

    def test_a_readme_becomes_a_page_without_its_links(self):
        readme = ROOT / "common/simt/README.md"
        page = prepare_book.folder_page(readme, "architecture")
        self.assertIn("{#architecture}", page.text)
        self.assertIn("`core/`", page.text)
        self.assertNotIn("](core)", page.text)

    def test_hints_stand_at_the_end_of_the_exercise(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "hints.md").write_text("# Hints\n\n## Hint 1\n\nThink.\n", "utf-8")
            for after in ("## Further reading\n", "## The end\n\nIt.\n\n## Further reading\n"):
                text = prepare_book.with_hints(f"# 00\n\n## Your exercise\n\nDo.\n\n{after}",
                                               Path(folder))
                self.assertRegex(text, r"(?s)Do\..*Hint 1.*Think\..*</details>\S*\s*\n## ")
                self.assertTrue(text.endswith(after))

    def test_only_bare_fences_become_pictures(self):
        text = prepare_book.plain_fences("```\nx\n```\n\n```c\ny\n```\n")
        self.assertEqual(text, "```{.unparsed}\nx\n```\n\n```c\ny\n```\n")

    def test_header_comments_become_documentation(self):
        lines = ["// SPDX-License-Identifier: MIT", "// a.h - things <x>.", "#ifndef A",
                 "// Does it @p.", "int f(int x); // the result", "int y;"]
        self.assertEqual(list(header_filter.filtered(lines)),
                         ["/** @file", "Things &lt;x&gt;.", "*/ #ifndef A", "/// Does it \\@p.",
                          "int f(int x); ///< the result", "int y;"])


class ManyGpus(Directory):
    """Modelled times of lesson 13 beside those that two GPUs took."""

    def stored(self, **modelled):
        measured = "experiment,what,devices,bytes,lone_us,queued_us,best_us\n"
        table = "# device: x\nlesson,variant,n,experiment,bytes,time_us\n"
        for name, time_us in modelled.items():
            measured += f"sums,{name},1,64,1,1,1\nsums,{name},2,64,90,100,80\n"
            table += f"13_many_gpus,{name},16,sums,64,{time_us}\n"
        self.write("h200-many-gpus.csv", measured)
        self.write("simt-links.csv", table)

    def test_what_is_said_is_the_median_and_the_range(self):
        self.stored(ring=90, tree=120, star=130, one_gpu=10, nccl=500)
        said = tables.links_modelled(self.path)
        self.assertIn("the other 3 variants", said)
        self.assertIn("off by 20 % in the median: 0.90 to 1.30 of", said)

    def test_the_stored_model_is_near_what_was_measured(self):
        ratios = tables.link_ratios(ROOT / "figures/data")
        self.assertEqual(len(ratios), 40)
        self.assertEqual(self.far_off(ratios), [])

    def test_the_rates_of_a_data_sheet_alone_are_found_out(self):
        ratios = tables.link_ratios(ROOT / "figures/data")
        # Without signals, and with no time for a copy but its bytes, everything was half as long.
        for factor, least in ((0.5, 20), (1.7, 5)):
            wrong = {key: factor * ratio for key, ratio in ratios.items()}
            self.assertGreater(len(self.far_off(wrong)), least)

    def far_off(self, ratios):
        return [key for key, ratio in ratios.items()
                if key[0] not in tables.LEFT_OUT and not 0.65 <= ratio <= 1.6]

    def test_the_chapter_says_from_where_on_a_second_gpu_pays(self):
        times = {(row["devices"], int(row["bytes"])): float(row["queued_us"])
                 for row in tables.rows_of(ROOT / "figures/data/h200-many-gpus.csv")
                 if row["what"] == "peer_reads"}
        chapter = (ROOT / "lessons/13_many_gpus/chapter.md.in").read_text(encoding="utf-8")
        power = int(re.search(r"Below some 2<sup>(\d+)</sup> numbers the second GPU", chapter)[1])
        self.assertLess(times["1", 4 << (power - 1)], times["2", 4 << (power - 1)])
        self.assertGreater(times["1", 4 << (power + 1)], times["2", 4 << (power + 1)])

    def test_nccl_takes_about_what_was_measured_though_a_number_is_its_own(self):
        ratios = tables.link_ratios(ROOT / "figures/data")
        self.assertEqual([key for key, ratio in ratios.items()
                          if key[0] == "nccl" and not 0.65 <= ratio <= 1.6], [])

    def test_a_host_function_takes_what_was_measured(self):
        model = (ROOT / "common/simt/profile/links.c").read_text(encoding="utf-8")
        row = [row for row in tables.rows_of(ROOT / "figures/data/h200-many-gpus.csv")
               if row["what"] == "host_function"][0]
        constant = re.search(r"HOST_FUNCTION_NS = (\d+)", model)
        self.assertEqual(int(constant[1]), round(1000 * float(row["lone_us"])))

    def test_ranks_on_gpus_had_the_same_exact_sum(self):
        text = (ROOT / "figures/data/h100-ranks.txt").read_text(encoding="utf-8")
        runs = re.findall(r"^(\d) ranks, \d+ elements: floats (\S+), .* once, (\S+): right$", text,
                          re.MULTILINE)
        self.assertEqual([ranks for ranks, _, _ in runs], ["1", "2"])
        self.assertEqual(len({floats for _, floats, _ in runs}), 2)
        self.assertEqual(len({exact for _, _, exact in runs}), 1)


class Lessons(unittest.TestCase):
    """What every lesson's prose must have."""

    def lessons(self):
        found = sorted(path.parent for path in ROOT.glob("lessons/[0-9][0-9]_*/chapter.md.in"))
        self.assertGreaterEqual(len(found), 3)
        return found

    def test_three_hints_in_order(self):
        for lesson in self.lessons():
            text = (lesson / "hints.md").read_text("utf-8")
            with self.subTest(lesson.name):
                self.assertEqual(re.findall(r"^## (.*)$", text, re.MULTILINE),
                                 ["Hint 1", "Hint 2", "Hint 3"])
                lengths = [len(part) for part in text.split("\n## Hint ")[1:]]
                self.assertTrue(all(length > 100 for length in lengths), lengths)

    def test_chapter_has_its_parts(self):
        for lesson in self.lessons():
            text = (lesson / "chapter.md.in").read_text("utf-8")
            with self.subTest(lesson.name):
                for part in ("Predict", "What the counters say", "Claim and measurement",
                             "Your exercise",
                             "Further reading"):
                    self.assertIn(f"\n## {part}\n", text)
                self.assertIn("> **Your turn.**", text)
                self.assertIn("\\snippet", text)
                self.assertLess(text.index("\n## Predict"),
                                text.index("\n## What the counters say"))

    def test_a_chapter_is_read_at_one_sitting(self):
        for lesson in self.lessons():
            text = (lesson / "chapter.md").read_text("utf-8")
            with self.subTest(lesson.name):
                self.assertLessEqual(words_to_read(text), 2200)

    def test_words_of_tables_and_captions_are_read_and_code_is_not(self):
        self.assertEqual(words_to_read("# Two words\n| a | 1,024 |\n|---|--:|\n```\nint x;\n```\n"
                                       "![of a picture](x.svg)\n<sub>[f](f.cu)</sub>\n"
                                       '<div class="source">An H200.</div>\n'), 7)

    def test_the_first_page_leads_to_every_page(self):
        labels = [*page_sources.pages_of(ROOT), "architecture"]
        self.assertGreater(len(labels), 11)
        text = (ROOT / "book/index.md.in").read_text("utf-8")
        missing = [label for label in labels if label != "index" and not re.search(
            rf"\\ref {label}\b", text)]
        self.assertEqual(missing, [])
        self.assertIn("{{chapters}}", text)
        self.assertIn("](book/index.md)", (ROOT / "README.md").read_text("utf-8"))

    def test_every_term_is_in_the_glossary(self):
        explained = {form for name in re.findall(r"<dt>(.*?)</dt>", (
            ROOT / "book/glossary.md.in").read_text("utf-8"))
            for form in re.sub(r"[()]", ",", name.lower()).split(",")}
        explained = {form.strip() for form in explained}

        def missing(terms):
            return [term for term in terms if not {
                term, term.removesuffix("s"), term.removesuffix("es")} & explained]

        self.assertEqual(missing(["lanes", "launches", "sectorial"]), ["sectorial"])
        contributing = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("\n## Terms")[2]
        rows = re.findall(r"^\| ([a-z][^|]*) \|", contributing, re.MULTILINE)
        terms = [term.strip() for row in rows for term in re.sub(r"\(.*?\)", "", row).split(",")
                 if row not in ("we say", "per warp, per block", "no thread, every lane")]
        self.assertIn("provenance", terms)
        self.assertEqual(missing(terms), [])
        for lesson in self.lessons():
            text = (lesson / "chapter.md.in").read_text("utf-8").partition("\n## Your exercise")[0]
            bold = re.findall(r"\*\*([a-z][^*]*[^.*])\*\*", text)
            with self.subTest(lesson.name):
                self.assertEqual(missing(" ".join(term.split()) for term in bold), [])

    def test_no_year_becomes_an_item_of_a_list(self):
        number = re.compile(r"^\s*\d{3,}\. ", re.MULTILINE)
        self.assertTrue(number.search("- one,\n  2007. Two"))
        for page in [*ROOT.glob("book/*.md.in"), *ROOT.glob("lessons/*/chapter.md.in")]:
            with self.subTest(page.name):
                self.assertEqual(number.findall(page.read_text("utf-8")), [])

    def test_no_measurement_is_typed_by_hand(self):
        typed = re.compile(r"\d[\d.,]*\s*(?:GB/s|ms\b|µs|ns\b|cycles|Gop|× as fast|times as fast)")
        for page in [*(lesson / "chapter.md.in" for lesson in self.lessons()),
                     ROOT / "book/index.md.in", ROOT / "book/limits.md.in"]:
            prose = re.sub(r"\{\{.*?\}\}", "X", page.read_text("utf-8"), flags=re.DOTALL)
            with self.subTest(page):
                self.assertEqual(typed.findall(prose), [])


class ReadmePictures(Directory):
    def test_they_show_what_is_stored(self):
        for name, text in readme.pictures().items():
            self.assertEqual((ROOT / f"figures/readme/{name}.svg").read_text("utf-8"), text,
                             "python3 -B figures/readme.py --write")

    def test_another_measurement_and_another_verdict_are_other_pictures(self):
        stored = readme.pictures()
        data = StoredData(ROOT / "figures" / "data")
        row = data.table("h200-sweep").values["05_shuffle/warp_first/-/2^28/256"]
        row["gb_per_s"] = "1111"
        self.assertIn(">1,111<", readme.ladder(data))
        self.assertNotEqual(readme.ladder(data), stored["ladder"])
        session = self.write("session.txt", "# note\n$ make try\npassed 1 of 2 checks <0>\n")
        was, readme.SESSION = readme.SESSION, session
        self.addCleanup(setattr, readme, "SESSION", was)
        self.assertIn('class="bad"', readme.session())
        self.assertIn("&lt;0&gt;", readme.session())
        self.assertNotIn("note", readme.session())


class Rungs(Directory):
    """A stored run of stand-ins: times of every rung, each a third less than the one before it."""

    def sweep(self, **times):
        names = dict.fromkeys(name for pair in rungs.PAIRS for name in reversed(pair))
        lines = [{"provenance": {"key": "lesson/variant/parameter/n/block",
                                 "left_out": self.left_out}}]
        ms = 100.0
        for name in names:
            ms *= 0.67
            p10, median, p90 = times.get(name.split("/")[1], (0.99 * ms, ms, 1.01 * ms))
            lesson, variant = name.split("/")
            lines.append({"lesson": lesson, "variant": variant, "parameter": None, "n": 1 << 28,
                          "block": 256,
                          "time_p10_ms": p10, "time_ms": median, "time_p90_ms": p90})
        lines = [line for line in lines if line.get("variant") not in self.absent]
        self.write("h200-sweep.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        return StoredData(self.path)

    def setUp(self):
        super().setUp()
        self.left_out, self.absent = [], []
        why, rungs.WHY = rungs.WHY, {}
        self.addCleanup(setattr, rungs, "WHY", why)

    def test_every_rung_is_a_step(self):
        data = self.sweep()
        self.assertEqual(list(rungs.complaints(data)), [])
        self.assertEqual(rungs.table(data).count("| apart |"), len(rungs.PAIRS))
        self.assertEqual(rungs.of_lesson(data, "03"),
                         "Compared with `sequential`, `first_add` is 1.49 times as fast.")

    def test_a_tie_is_reported_and_needs_a_reason(self):
        data = self.sweep(sequential=(10.0, 10.1, 10.2), first_add=(9.9, 10.0, 10.1))
        self.assertIn("03_upper_half/first_add ties", " ".join(rungs.complaints(data)))
        self.assertIn("we do not know why", rungs.of_lesson(data, "03"))
        rungs.WHY = {"03_upper_half/first_add": "it rained"}
        self.assertEqual(list(rungs.complaints(data)), [])
        self.assertIn("it rained", rungs.of_lesson(data, "03"))
        self.assertNotIn("times as fast", rungs.of_lesson(data, "03"))

    def test_a_rung_that_is_slower_is_no_step(self):
        data = self.sweep(sequential=(1.0, 1.1, 1.2), first_add=(9.9, 10.0, 10.1))
        self.assertIn("03_upper_half/first_add slower", " ".join(rungs.complaints(data)))

    def test_a_reason_without_a_tie_is_a_leftover(self):
        rungs.WHY = {"03_upper_half/first_add": "it rained"}
        self.assertIn("leftover", " ".join(rungs.complaints(self.sweep())))

    def test_a_rung_that_was_not_measured_is_missed(self):
        self.absent = ["warp_first"]
        self.assertIn("not measured", " ".join(rungs.complaints(self.sweep())))
        self.left_out = ["05_shuffle/warp_first not run: too slow"]
        self.assertEqual(list(rungs.complaints(self.sweep())), [])

    def test_the_stored_run_and_the_reasons_agree(self):
        rungs.WHY = STORED_WHY
        self.assertEqual(list(rungs.complaints(StoredData(ROOT / "figures" / "data"))), [])


class Links(Directory):
    def complaints(self, **pages):
        for name, text in pages.items():
            self.write(name + ".html", text)
        return check_links.check(self.path.resolve())[1]

    def test_good_book(self):
        self.assertEqual(self.complaints(index='<a href="b.html#x">b</a><a '
                                         'href="https://example.org">e</a>',
                                         b='<p id="x"/>'), [])

    def test_missing_file_anchor_and_index(self):
        found = self.complaints(a='<a href="gone.html">1</a><a href="a.html#gone">2</a>')
        self.assertEqual(len(found), 3, found)

    def test_network_is_not_needed(self):
        self.assertEqual(len(self.complaints(index='<script '
                                             'src="https://example.org/x.js"></script>')), 1)

    def test_left_over_macro_and_empty_chapter(self):
        self.assertEqual(len(self.complaints(index="{{gpu:x:y}} \\ref z", lesson__00="<p>")), 3)

    def test_asterisks_and_backticks_of_markdown(self):
        for text in ("the |*x*| there", "is *not smaller*\"", "<p>**a() is b.** c", "*so* it is",
                     "<td>\"Make it `volatile`.\"</td>"):
            self.assertEqual(len(self.complaints(index=text)), 1, text)
        for text in ("<em>x</em> 2 * s * t", "<code>*out = *in</code>", "<code>`</code>",
                     '<div class="fragment">*a = b*c</div><!-- fragment -->'):
            self.assertEqual(self.complaints(index=text), [], text)

    def test_braces_of_a_program_are_c(self):
        self.assertEqual(self.complaints(index="", lesson_00_program="return {{1, 2}};"), [])
        self.assertEqual(len(self.complaints(index="", lesson_00_program="{{1, 2}} \\ref z")), 1)


class OnPaper(Directory):
    def page(self, name, title, body):
        self.write(name, f'<head></head><div class="title">{title}</div>\n'
                         f'<div class="contents">{body}</div><!-- contents -->')

    def test_the_hints_stand_apart_and_the_contents_have_numbers(self):
        self.page("index.html", "The book", "Begin.")
        self.page("lesson_01.html", "01 · A tree", '<h1 id="a">A</h1><details class="hint">'
                  '<summary>Hint 1</summary>Think.</details><hr  />\n<p >← <a href="x">00</a></p>')
        self.page("glossary.html", "Glossary", '<a href="lesson_01.html#a">a</a>')
        text = book_pdf.whole(self.path, {"lesson_01": 7})
        self.assertLess(text.index('href="#hints--lesson_01"'), text.index('id="hints--"'))
        self.assertLess(text.index('id="hints--lesson_01"'), text.index("Think."))
        self.assertLess(text.index("Think."), text.index('id="glossary--"'))
        self.assertIn("<span>01 · A tree</span><i></i><span>7</span>", text)
        self.assertIn('href="#lesson_01--a"', text)
        self.assertNotIn("←", text)

    def test_a_long_table_has_its_head_on_every_page(self):
        self.page("index.html", "The book", '<table class="markdownTable">\n<tr class='
                  '"markdownTableHead"><th>n</th></tr>\n<tr><td>1</td></tr></table>')
        self.page("glossary.html", "Glossary", "")
        self.assertIn('<thead><tr class="markdownTableHead"><th>n</th></tr></thead>',
                      book_pdf.whole(self.path))

    def test_further_reading_is_not_torn_from_the_exercise(self):
        head, commands = '<h1 id="a">Yours</h1>\n', '<div class="fragment">make</div><p>Hints.</p>'
        reading = '<h1 id="b"><a></a>Further reading <a>#</a></h1>\n<ul>\n<li>x</li></ul>'
        for before, kept in ((head, '<p >One.</p> '), ("<p >One.</p>", "<p >Two.</p> ")):
            kept = (head if before == head else "") + kept + commands + reading
            before = "" if before == head else head + before
            self.assertEqual(book_pdf.end_together(f"{before}{kept}\nafter"),
                             f'{before}<div class="chapter-end">{kept}</div>\nafter')
        for other in (head + commands, head + reading, "<p >Further reading</p>"):
            self.assertEqual(book_pdf.end_together(other), other)

    def test_a_browser_that_prints_nothing_or_never_ends_is_named(self):
        page, out = self.write("page.html", "x"), self.path / "book.pdf"
        self.addCleanup(setattr, book_pdf, "PRINTED_S", book_pdf.PRINTED_S)
        for said, limit, wanted in (("exit 3", 60, "printed nothing (exit status 3)"),
                                    ("exit 0", 60, "printed nothing (exit status 0)"),
                                    ("exec sleep 60", 0.2, "did not finish in 0.2 s"),
                                    (f"echo %PDF > '{out}'", 60, None)):
            browser = self.write("browser", f"#!/bin/sh\n{said}\n")
            browser.chmod(0o700)
            book_pdf.PRINTED_S = limit
            failed = book_pdf.print_page(str(browser), page, out)
            self.assertEqual(failed, wanted and f"{browser} {wanted}", said)

    def test_where_parts_begin(self):
        pdf = (b"%PDF\n3 0 obj\n<</Type /Page\n>>endobj\n9 0 obj\n<</Type /Page\n>>endobj\n"
               b"10 0 obj\n<</Type /Pages\n>>\n/index-- [3 0 R /XYZ 1 2 0]\n"
               b"/lesson_01-- [9 0 R /XYZ 1 2 0]\n/lesson_01--a [9 0 R /XYZ 1 2 0]")
        self.assertEqual(book_pdf.first_pages(pdf), {"index": 1, "lesson_01": 2})


class Finished(unittest.TestCase):
    def test_a_caption_follows_its_program_and_long_names_may_break(self):
        body = '</div><!-- fragment --><p > <div class="snippet-from">x</div></p><p>text</p>'
        self.assertEqual(finish_pages.without_empty_paragraphs(body),
                         '</div><!-- fragment --><div class="snippet-from">x</div><p>text</p>')
        self.assertEqual(finish_pages.with_breaks("<td><code>a_bc</code></td><p><code>a_b</code>"),
                         "<td><code>a_<wbr>bc</code></td><p><code>a_b</code>")
        self.assertEqual(finish_pages.with_breaks("<td><code>__syncwarp</code></td>"),
                         "<td><code>__syncwarp</code></td>")


if __name__ == "__main__":
    unittest.main()
