#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The sweep, the store of measurements and the profile, with stand-ins for programs and for ncu:
what they write, what they refuse, and that an interrupted sweep loses nothing."""

import json
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from stand_ins import LESSONS, ROOT, SCRIPTS, Machine, python_that_draws  # noqa: E402

sys.path.insert(0, str(SCRIPTS))
sys.path.insert(0, str(ROOT / "figures"))
import profile_reasons  # noqa: E402
import store_measured  # noqa: E402


class Sweep(Machine):
    def test_plots(self):
        self.script("sweep.py", "--build", self.build, "--out", self.out, "--sizes", "12..14",
                    python=python_that_draws())
        drawn = {path.name for path in self.out.glob("*.svg")}
        # The stand-ins' variants are in no other figure, and they measure no ceiling.
        self.assertEqual(drawn, {"contention.svg", "contention-dark.svg",
                                 "launches.svg", "launches-dark.svg"})

    def test_all_sizes_and_contention(self):
        done = self.sweep()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls(), ["00_naive_atomic 4096,8192,16384 256 all",
                                        "contention 16384 256 contention",
                                        "06_grid_stride 4096,8192,16384 256 all"])
        self.assertEqual(len(self.table()), 2 * 3 * 3 + 1)
        self.assertIn("would take about 900 ms", done.stdout)
        about = json.loads((self.out / "sweep.jsonl").read_text().splitlines()[0])["provenance"]
        self.assertEqual((about["device"], about["driver"], about["toolkit"]),
                         ("NVIDIA Test", "580.1", "CUDA 13.0"))
        self.assertIn("1980 MHz", about["clocks"])

    def test_the_gpu_is_the_one_that_is_visible(self):
        self.environment["CUDA_VISIBLE_DEVICES"] = "1,0"
        self.sweep("--lessons", "6")
        about = json.loads((self.out / "sweep.jsonl").read_text().splitlines()[0])["provenance"]
        self.assertEqual(about["device"], "NVIDIA Second")

    def test_a_table_shows_what_was_asked_for(self):
        self.sweep("--lessons", "0")
        self.assertNotIn("00_naive", self.sweep("--lessons", "6").stdout)
        self.assertEqual({row["lesson"] for row in self.table()}, {"06_grid_stride"})

    def test_lessons_1_to_5_also_with_other_blocks(self):
        self.program("03_upper_half")
        self.sweep("--lessons", "3")
        self.assertEqual(self.calls(), ["03_upper_half 4096,8192,16384 256 all",
                                        "03_upper_half 16384 128 all",
                                        "03_upper_half 16384 512 all",
                                        "03_upper_half 16384 1024 all"])

    def test_what_is_done_is_not_done_again(self):
        self.sweep()
        self.calls()
        self.sweep()
        self.assertFalse((self.here / "calls").exists())
        self.assertEqual(len(self.table()), 19)
        self.sweep("--fresh")
        self.assertEqual(len(self.calls()), 3)

    def test_other_programs_begin_a_new_file(self):
        self.sweep()
        self.calls()
        with open(self.build / "lessons/06_grid_stride", "a", encoding="utf-8") as file:
            file.write("# built anew\n")
        self.sweep()
        self.assertEqual(len(self.calls()), 3)
        self.assertEqual(len(list(self.out.glob("sweep-before-*.jsonl"))), 1)

    def test_interrupted_it_keeps_its_rows_and_goes_on(self):
        (self.here / "delay").write_text("0.3")
        process = subprocess.Popen(
            [sys.executable, "-B", SCRIPTS / "sweep.py", "--build", self.build, "--out", self.out,
             "--sizes", "12..14", "--no-plots"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
             text=True,
            env=self.environment)
        store = self.out / "sweep.jsonl"
        while not (store.exists() and "done" in store.read_text()):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("goes on from here", said)
        kept = len(self.table())
        self.assertTrue(3 <= kept < 19, kept)
        with open(store, "a", encoding="utf-8") as file:
            file.write('{"lesson": "cut of')  # as a power cut leaves it
        (self.here / "delay").unlink()
        self.calls()
        done = self.sweep()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(" 4096,", self.calls()[0])  # the first size is not run again
        keys = [(r["lesson"], r["variant"], r["parameter"], r["n"]) for r in self.table()]
        self.assertEqual(len(keys), 19)
        self.assertEqual(len(set(keys)), 19)

    def test_a_wrong_result_fails_and_is_named(self):
        (self.here / "mistake").write_text("wrong")
        done = self.sweep()
        self.assertEqual(done.returncode, 1)
        self.assertIn("WRONG: 06_grid_stride/fast: bad", done.stderr)

    def test_a_failing_program_keeps_what_it_had_and_the_others_run(self):
        (self.here / "mistake").write_text("fails")
        done = self.sweep()
        self.assertEqual(done.returncode, 1)
        self.assertIn("00_naive_atomic failed: out of memory", done.stderr)
        self.assertEqual({r["n"] for r in self.table() if r["lesson"] == "06_grid_stride"},
                         {"4096"})
        (self.here / "mistake").unlink()
        self.calls()
        self.assertEqual(self.sweep().returncode, 0)
        # which of the last size's variants had run before the failure, is not known: again
        self.assertIn("06_grid_stride 4096,8192,16384 256 all", self.calls())
        self.assertEqual(len(self.table()), 19)

    def test_bad_wishes_are_refused(self):
        for wish in (["--sizes", "10..31"], ["--sizes", "14..10"], ["--sizes", "x"],
                     ["--lessons", "77"]):
            self.assertEqual(self.sweep(*wish).returncode, 2, wish)


class Store(Machine):
    """A file is stored only of a whole sweep: here of stand-ins for all lessons, run once."""

    whole = None  # what the sweep wrote

    def whole_sweep(self):
        if Store.whole is None:
            for lesson in LESSONS:
                self.program(lesson)
            done = self.sweep()
            self.assertEqual(done.returncode, 0, done.stderr)
            Store.whole = (self.out / "sweep.jsonl").read_text()
        return Store.whole.splitlines()

    def store(self, *arguments):
        return subprocess.run([sys.executable, "-B", ROOT / "figures/store_measured.py",
                               *arguments],
                              capture_output=True, text=True, check=False)

    def stored(self, change=None, about=None):
        """Stores a sweep in which `change` was done to every row; (what happened, folder)."""
        lines = [json.loads(line) for line in self.whole_sweep()]
        lines[0]["provenance"] |= {"commit": "0123456789ab"} | (about or {})
        if about and "clocks" in about:
            lines = [line for line in lines if "clocks" not in line]
        for line in lines[1:]:
            if "lesson" in line:
                line.update(change or {})
        path, data = self.here / "measured.jsonl", self.here / "data"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        data.mkdir(exist_ok=True)
        return self.store("--gpu", "test", str(path), "--data", str(data)), data

    def test_a_good_sweep_is_stored_and_passes_the_check(self):
        done, data = self.stored()
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = (data / "test-sweep.jsonl").read_text().splitlines()
        about = json.loads(lines[0])["provenance"]
        # three variants at three sizes each, and 16 times at another block; the contention sweep
        self.assertEqual(len(lines) - 1, 9 * len(LESSONS) + 3 * 16 + 1)
        self.assertEqual(about["key"], "lesson/variant/parameter/n/block")
        self.assertEqual(about["rows"], len(lines) - 1)
        self.assertEqual(about["ceilings"], {"read": 20.0})
        self.assertIn("06_grid_stride/all/256/2^12..2^14", about["tasks"])
        self.assertEqual(self.store("--check", str(data)).returncode, 0)

    def test_what_is_not_as_it_must_be_is_not_stored(self):
        cases = [({"time_kind": "modelled"}, "not measured"), ({"correct": False}, "not verified"),
                 ({"regime": "warm"}, "regime"), ({"gb_per_s": 9.0}, "do not fit"),
                 ({"time_p10_ms": 1e9}, "between p10 and p90"),
                 ({"ceiling_gb_per_s": 1.0}, "faster than the ceiling"),
                 ({"lesson": "77_unknown"}, "no lesson"), ({"grid": None}, "no sensible grid"),
                 ({"times_cub": float("nan")}, "no sensible times_cub"),
                 ({"device": "another"}, "different devices")]
        for change, complaint in cases:
            done, data = self.stored(change)
            self.assertEqual(done.returncode, 1, change)
            self.assertIn(complaint, done.stderr)
            self.assertEqual(list(data.iterdir()), [], change)

    def test_provenance_must_be_whole(self):
        for field in ("device", "driver", "toolkit", "date", "commit", "clocks", "command"):
            change = {"device": None} if field == "device" else None
            done, data = self.stored(change, {field: "unknown" if field != "date" else "today"})
            self.assertEqual(done.returncode, 1, field)
            self.assertEqual(list(data.iterdir()), [], field)

    def test_a_sweep_that_did_not_end_is_not_stored(self):
        path = self.here / "sweep.jsonl"
        lines = [line for line in self.whole_sweep() if '"tasks"' not in line]
        path.write_text("\n".join(lines) + "\n")
        done = self.store("--gpu", "test", str(path), "--data", str(self.here))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"does not say: .*tasks")

    def test_a_sweep_of_some_lessons_is_not_stored(self):
        self.sweep("--lessons", "06")
        done = self.store("--gpu", "test", str(self.out / "sweep.jsonl"), "--data", str(self.here))
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing of lesson 08_histogram", done.stderr)

    def test_some_lessons_of_a_sweep_are_stored_as_such(self):
        path, data = self.here / "sweep.jsonl", self.here / "some"
        data.mkdir()
        ended = self.whole_sweep()
        for lines in (ended, [line for line in ended if '"tasks"' not in line]):  # cut off
            path.write_text("\n".join(lines) + "\n")
            done = self.store("--gpu", "test", str(path), "--lessons", "06,08", "--data", str(data))
            self.assertEqual(done.returncode, 0, done.stderr)
            text = (data / "test-06-08-sweep.jsonl").read_text().splitlines()
            self.assertEqual({json.loads(line)["lesson"] for line in text[1:]},
                             {"06_grid_stride", "08_histogram"})
            self.assertIn("08_histogram/all/256/2^14", json.loads(text[0])["provenance"]["tasks"])
            self.assertEqual(self.store("--check", str(data)).returncode, 0)

    def test_some_lessons_need_all_that_was_done_of_them(self):
        lines = [line for line in self.whole_sweep()
                 if '"tasks"' not in line and '"lesson": "08_histogram"' not in line]
        path = self.here / "sweep.jsonl"
        path.write_text("\n".join(lines) + "\n")
        done = self.store("--gpu", "test", str(path), "--lessons", "06,08", "--data",
                          str(self.here))
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing of 08_histogram", done.stderr)
        done = self.store("--gpu", "test", str(path), "--lessons", "06,77")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no lesson 77", done.stderr)

    def spoilt(self, spoil):
        """What --check says after `spoil` was done to (provenance, rows) of a good file."""
        _, data = self.stored()
        path = data / "test-sweep.jsonl"
        head, *rows = [json.loads(line) for line in path.read_text().splitlines()]
        rows = spoil(head["provenance"], rows) or rows
        path.write_text("".join(json.dumps(line) + "\n" for line in [head, *rows]))
        done = self.store("--check", str(data))
        self.assertEqual(done.returncode, 1, done.stdout)
        return done.stdout

    def test_a_file_cut_short_is_found(self):
        self.assertIn("written were", self.spoilt(lambda about, rows: rows[:-1]))

    def test_a_file_of_two_runs_is_found(self):
        def mix(_, rows):
            rows[5] |= {name: rows[5][name] * 1.001 for name in
                        ("time_ms", "time_p10_ms", "time_p90_ms")}
            rows[5]["gb_per_s"] /= 1.001
        self.assertIn("not those that were written", self.spoilt(mix))

    def test_a_gap_needs_a_reason(self):
        def without_a_size(variant):
            def spoil(about, rows):
                left = [row for row in rows
                        if (row["lesson"], row["variant"], row["n"], row["block"]) !=
                        ("08_histogram", variant, 8192, 256)]
                about |= {"rows": len(left), "digest": store_measured.digest_of(left)}
                return left
            return spoil
        said = self.spoilt(without_a_size("fast"))
        self.assertIn("08_histogram/fast, blocks of 256: n = 8192 is missing", said)
        with self.assertRaises(AssertionError):  # `slow` said why it was not run
            self.spoilt(without_a_size("slow"))

    def test_a_task_without_rows_is_found(self):
        def spoil(about, _):
            about["tasks"].append("08_histogram/all/64/2^12")
        self.assertIn("nothing of 08_histogram/all/64", self.spoilt(spoil))

    def test_a_stored_file_that_was_spoilt_is_found(self):
        _, data = self.stored()
        path = data / "test-sweep.jsonl"
        lines = path.read_text().splitlines()
        for spoilt, complaint in (([*lines, lines[-1]], "the same run twice"),
                                  (lines[:1], "no rows"),
                                  (lines[1:], "provenance object"), ([*lines, "{"], "JSON lines")):
            path.write_text("\n".join(spoilt) + "\n")
            done = self.store("--check", str(data))
            self.assertEqual(done.returncode, 1)
            self.assertIn(complaint, done.stdout)


# ncu as profile.py calls it: runs the program, and leaves a table with the kernels of row 1.
NCU = """#!{python}
import csv, re, subprocess, sys
words = sys.argv[1:]
log, metrics = words[words.index("--log-file") + 1], words[words.index("--metrics") + 1].split(",")
program = words[words.index("--metrics") + 2:]
subprocess.run(program, check=True)
out = open(log, "w", newline="")
print("==PROF== Connected", file=out)
table = csv.writer(out, quoting=csv.QUOTE_ALL)
table.writerow(["ID", "Kernel Name", "Grid Size", *metrics])
table.writerow(["", "", "block", *["inst" for _ in metrics]])
table.writerow(["0", "profiled_row_follows()", "(1, 1, 1)", *["7" for _ in metrics]])
for kernel, count in (("1", "{first}"), ("2", "100")):
    table.writerow([kernel, "vectors", "(128, 1, 1)",
                    *["1,343 (BAR: 1,032; SHFL: 5,160)" if "opcode" in name else count
                      for name in metrics]])
"""
PROFILED = """#!/bin/sh
echo '{"variant": "vectors", "row": 1}'
"""


class Profile(Machine):
    def setUp(self):
        super().setUp()
        self.write("build/lessons/06_grid_stride", PROFILED)

    def profile(self, *arguments):
        return self.script("profile.py", "--build", self.build, "--simt-build", self.here / "none",
                           "--lesson", "06_grid_stride", "--variant", "vectors", *arguments)

    def ncu(self, first="8,093"):
        self.write("bin/ncu", NCU.format(python=sys.executable, first=first))

    def test_both_gpus_side_by_side(self):
        self.ncu()
        done = self.profile()
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = {line[2:32].strip(): line[32:].split() for line in done.stdout.splitlines()}
        self.assertEqual(lines["kernel launches"], ["2", "2", "1.000"])
        self.assertEqual(lines["barriers (warps at them)"][1], "2,064")  # of both kernels
        self.assertEqual(lines["global load requests"][:2], ["8,193", "8,193"])

    def test_without_ncu_the_counters_stand_alone(self):
        if shutil.which("ncu") or Path("/usr/local/cuda/bin/ncu").exists():
            self.skipTest("this machine has ncu")
        done = self.profile()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ncu was not found", done.stderr)
        self.assertIn("8,193", done.stdout)

    def test_counters_that_may_not_be_read(self):
        self.write("bin/ncu", "#!/bin/sh\necho 'ERR_NVGPUCTRPERM: no' >&2\nexit 1\n")
        done = self.profile()
        self.assertEqual(done.returncode, 2)
        self.assertIn("administrator", done.stderr)

    def test_a_gpu_without_a_metric(self):
        self.ncu(first="n/a")
        done = self.profile()
        self.assertEqual(done.returncode, 2)
        self.assertIn("on this GPU", done.stderr)

    def test_unknown_variants_and_sizes(self):
        self.ncu()
        self.assertEqual(self.profile("--variant", "vektors").returncode, 2)
        self.assertEqual(self.profile("--n", "2^19").returncode, 2)
        self.assertEqual(self.profile("--n", "lots").returncode, 2)

    def check(self, *rows):
        path = self.write("ncu.csv", "# device: x\n" + "lesson,variant,n,block,quantity,software,"
                          "gpu,ratio,reason\n" + "".join(row + "\n" for row in rows))
        return self.script("profile.py", "--check", path)

    def test_ratios_need_reasons(self):
        equal = "06_grid_stride,vectors,1048576,256,shuffles,100,100,1.0000,"
        self.assertEqual(self.check(equal).returncode, 0)
        done = self.check(equal, "06_grid_stride,vectors,1048576,256,moon phases,100,90,0.9000,")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no reason", done.stdout)
        done = self.check("06_grid_stride,vectors,1048576,256,shuffles,100,100,0.9000,")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ratio", done.stdout)
        done = self.check(equal + "invented")
        self.assertEqual(done.returncode, 1)

    def test_reasons_have_a_direction(self):
        for metric, pattern, way, text in profile_reasons.REASONS:
            self.assertIn(way, ("more", "fewer", "any"), metric)
            self.assertGreater(len(text), 20, pattern)


# A program of the software GPU: 1,000 sectors are loaded, 800 get past the L1, 600 come from DRAM.
SIMULATED = """#!/bin/sh
cat >"$SIMT_REPORT" <<'END'
{"kernels": [{"l1_sectors": 70, "l1_hits": 10, "dram_read_bytes": 19200, "dram_write_bytes": 0},
             {"l1_sectors": 30, "l1_hits": 10, "dram_read_bytes": 0, "dram_write_bytes": 64}]}
END
echo '{"variant": "vectors", "counters": {"global_load_sectors": 1000}}'
"""


class Caches(Machine):
    def setUp(self):
        super().setUp()
        for program in (self.build / "lessons").iterdir():
            program.unlink()
        self.write("build/lessons/06_grid_stride", PROFILED)
        self.write("simt/lessons/06_grid_stride", SIMULATED)
        self.write("bin/ncu", NCU.format(python=sys.executable, first="8,093"))

    def caches(self, *arguments):
        return self.script("caches.py", *arguments, "--build", self.build)

    def table(self, name, columns, *rows):
        """A stored table of these rows."""
        return self.write(name, "# device: x\n" + "".join(row + "\n" for row in (columns, *rows)))

    def beside(self, *simulated):
        raw = self.table("raw.csv", "lesson,variant,l1_sectors,l1_hits,l2_sectors,l2_hits,"
                         "dram_read_bytes,dram_write_bytes",
                         "06_grid_stride,chunked,1000,800,200,0,6400000,0")
        stored = self.table("simulated.csv", "lesson,variant,n,l1_hit_rate,l2_hit_rate,"
                            "dram_read_bytes,dram_write_bytes", *simulated)
        return self.script("caches.py", "beside", raw, "--simulated", stored, "--out",
                           self.here / "table.csv")

    def test_a_gpu_is_measured(self):
        done = self.caches("measure", "--out", self.here / "raw.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        raw = (self.here / "raw.csv").read_text()
        self.assertIn("# device: NVIDIA Test\n", raw)
        self.assertIn("06_grid_stride,vectors,8193,8193,8193,8193,8193,8193\n", raw)

    def test_one_is_simulated(self):
        sys.path.insert(0, str(SCRIPTS))
        import caches
        self.assertEqual(caches.simulated(self.here / "simt", "06_grid_stride", "vectors"),
                         {"l1_hit_rate": 0.2, "l2_hit_rate": 0.25, "dram_read_bytes": 19200,
                          "dram_write_bytes": 64})
        self.write("simt/lessons/06_grid_stride", "#!/bin/sh\necho broken >&2\nexit 3\n")
        with self.assertRaisesRegex(caches.compare.Refusal, "vectors failed: broken"):
            caches.simulated(self.here / "simt", "06_grid_stride", "vectors")

    def test_both_sides_in_one_table(self):
        done = self.beside("06_grid_stride,chunked,1048576,0.82,0,6600000,100000")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = (self.here / "table.csv").read_text().splitlines()
        self.assertIn("06_grid_stride,chunked,1048576,256,hit rate of L1,0.82,0.8,0.9756,", lines)
        self.assertIn("06_grid_stride,chunked,1048576,256,bytes written to DRAM,1e+05,0,0,", lines)
        self.assertIn("4 rows, 4 alike, 0 complaints", done.stdout)

    def test_a_difference_needs_a_reason(self):
        done = self.beside("06_grid_stride,chunked,1048576,0.2,0,6400000,0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("06_grid_stride/chunked: hit rate of L1: 0.2 and 0.8, and no reason",
                      done.stdout)
        table = self.here / "table.csv"
        table.write_text(table.read_text().replace("0.2,0.8,4,", "0.2,0.8,4,the moon"))
        self.assertIn("the stored reason is not that", self.caches("check", table).stdout)

    def test_what_cannot_be_measured(self):
        self.write("bin/ncu", NCU.format(python=sys.executable, first="n/a"))
        done = self.caches("measure", "--out", self.here / "raw.csv")
        self.assertEqual(done.returncode, 1)
        self.assertIn("06_grid_stride: ncu has no l1tex", done.stderr)
        (self.build / "CMakeCache.txt").unlink()
        done = self.caches("measure", "--out", self.here / "raw.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("needs programs built for a GPU", done.stderr)
        self.assertEqual(self.caches("beside").returncode, 2)
        done = self.caches("check", self.here / "nothing.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing.csv", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # names what is skipped, for check_report.py
