#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The parts of the survey that read what others wrote: each rule with a text that it must catch and
one that looks alike."""

import platform
import re
import shutil
import signal
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common/survey"))

import absent  # noqa: E402
import building  # noqa: E402
import fence  # noqa: E402
import outcomes  # noqa: E402
import system_calls  # noqa: E402
import tables  # noqa: E402
import work  # noqa: E402


class Verdicts(unittest.TestCase):
    def test_verdicts_that_programs_print(self):
        good = ["Test PASSED", "Success!", "Arrays match.", "0 errors: results are correct",
                "Max error: 0.0\nOK", "no mismatches found, verified", "errors = 0, passed",
                "Failed: 0 Passed: 10", "match: no error", "Match: true",
                "Forward pass matches: yes", "Finished successfully: all correct",
                "Assert failed as expected, CUDA error message is: device-side assert"]
        bad = ["Test FAILED", "3 mismatches", "result is incorrect", "Arrays do not match!",
               "CPU and GPU results don't agree", "verification failed", "1 error; FAIL",
               "failed, not as expected", "GPU impl match: false", "same (all): ok\nequal (a): No",
               "Got error while running it"]
        for text in good:
            self.assertIs(outcomes.verdict_in(text), True, text)
        for text in bad:
            self.assertIs(outcomes.verdict_in(text), False, text)
        assertion = "a.cu:9: void f(): block: [0,0,0], thread: [3,0,0] Assertion `x < 3` failed.\n"
        self.assertIs(outcomes.verdict_in(assertion + "Assert failed as expected: OK"), True)
        self.assertIs(outcomes.verdict_in(assertion + "Test FAILED"), False)
        self.assertIs(outcomes.verdict_in("Assertion `x` failed.\nOK"), False)
        for text in ("\u2705 \u901a\u8fc7", "\u7ed3\u679c\u6b63\u786e", "\u6d4b\u8bd5\u901a\u8fc7",
                     "\u5931\u8d25: 0, \u9a8c\u8bc1\u901a\u8fc7"):
            self.assertIs(outcomes.verdict_in(text), True, text)
        for text in ("\u7ed3\u679c\u4e0d\u6b63\u786e, "
                     "\u6d4b\u8bd5\u901a\u8fc7", "\u6d4b\u8bd5\u5931\u8d25"):
            self.assertIs(outcomes.verdict_in(text), False, text)
        # a test of correctness; by means of; a test ended
        for text in ("\u7ed3\u679c\u6b63\u786e\u6027",
                     "\u901a\u8fc7 x", "\u2705 \u6d4b\u8bd5\u5b8c\u6210"):
            self.assertIsNone(outcomes.verdict_in(text), text)
        own = "simt: cudaErrorAssert: assertion `x < 3' failed at a.cu:9\n  in kernel k\n"
        self.assertIs(outcomes.verdict_in(own + "Launch it to generate assertion failures\nOK"),
                      True)
        for text in ["--- Running Forward Pass ---", "sort (single pass)", "Pass 1: 3 ms",
                     "16 identical iterations", "Example finished successfully.",
                     "Successfully generated the image"]:
            self.assertIsNone(outcomes.verdict_in(text), text)
            self.assertIs(outcomes.verdict_in(text + "\nPASSED"), True, text)
        for text in ["sum = 4096", "the impact of assertions on performance", "Max error: 0.000000",
                     "bandwidth 12 GB/s", ""]:
            self.assertIsNone(outcomes.verdict_in(text), text)

    def test_how_a_run_ends(self):
        def of(output="", status=0, number=0, late=False, report=None):
            return outcomes.of_run(fence.Run(status, number, late, 1.0, output), report)[0]
        self.assertEqual(of(), "ran")
        self.assertEqual(of("passed"), "right")
        self.assertEqual(of("passed", 1), "wrong")
        self.assertEqual(of("", None, 11), "wrong")
        self.assertEqual(of("", None, 24, True), "slow")
        self.assertEqual(of("passed", 0, 0, False, {"refusal": "ldmatrix"}), "refused")
        self.assertEqual(of("cannot open the input", 1), "input")
        self.assertEqual(of("cannot open input.txt", 1), "needs")
        self.assertEqual(of("usage: x", 0, 0, False, {"launched": 0}), "input")
        self.assertEqual(of("Two or more GPUs wanted.\nWaiving test.", 2), "needs")
        self.assertEqual(of("No CUDA devices support this", 2), "needs")
        self.assertEqual(of("Waiving test.", 1), "wrong")
        self.assertEqual(of("waived 2 of 3, passed", 0, 0, False, {"launched": 1}), "right")
        self.assertEqual(of("usage: x", 0, 0, False, {"launched": 3}), "ran")
        self.assertEqual(of("usage: x", 1, 0, False, {"launched": 3}), "wrong")
        self.assertEqual(of("Usage: a [pattern]\n  -f FILE to be matched\n"), "input")
        self.assertEqual(of("Usage: a [pattern]\nno pattern: 3 lines, matched"), "right")
        self.assertEqual(of("A toolkit\n\nOptions:\n\t-n <int>\n"), "input")
        self.assertEqual(of("Options: n = 3", 0, 0, False, {"launched": 1}), "ran")
        self.assertEqual(of("wrong number of arguments", 0, 0, False, {"launched": 0}), "input")
        self.assertEqual(of("1 is the incorrect number of arguments"), "input")
        self.assertEqual(of("wrong number of rows"), "wrong")
        self.assertEqual(of("No input data\n"), "input")
        self.assertEqual(of("No input data\n", 0, 0, False, {"launched": 1}), "ran")
        self.assertEqual(of("NCCL: invalid usage", 1), "wrong")
        self.assertEqual(of("Please give two sizes\n", 1), "input")
        self.assertEqual(of("./bench [grid size] <file>\n", 1), "input")
        self.assertEqual(of("./bench [grid size] differs\n", 1), "wrong")
        fault = {"device_fault": {"error": "cudaErrorIllegalAddress", "message": "m"}}
        self.assertEqual(of("", 1, 0, False, fault), "wrong")
        self.assertEqual(of("", 0, 0, False, fault), "wrong") # it did not look
        self.assertEqual(of("passed", 0, 0, False, fault), "right") # it dealt with it
        self.assertEqual(outcomes.of_run(fence.Run(0, 0, False, 1.0, "Test FAILED"), fault)[:2],
                         ("wrong", "m"))
        lacking = "simt: note: cudaMalloc: the host cannot provide 800000000 bytes\n"
        self.assertEqual(of(lacking, 0, 0, False, fault), "slow")
        self.assertEqual(of(lacking, 1), "slow")
        self.assertEqual(of(lacking + "passed"), "right") # a smaller problem did
        self.assertEqual(of("  what():  std::bad_alloc", None, 6), "slow")
        hung = {"device_fault": {"error": "cudaErrorLaunchTimeout", "message": "m"}}
        self.assertEqual(of("", 1, 0, False, hung), "slow")
        found = {"findings": [{"kind": "deadlock", "message": "d"}]}
        self.assertEqual(of("", 1, 0, False, {**hung, **found}), "wrong")
        self.assertEqual(of("", None, 24, True, found), "wrong")
        beside = "simt: note: a kernel is carried out before it; a wait does not end here\n"
        self.assertEqual(of(beside, 1, 0, False, {**hung, **found}), "refused")
        self.assertEqual(of("passed", 0, 0, False, found), "right") # it came to an end
        noted = "simt: note: cudaIpcGetMemHandle: it belongs to its process\nnot supported\n"
        for output, reason in (("not supported", "a call that the software GPU does not have"),
                               (noted, "cudaIpcGetMemHandle: it belongs to its process")):
            self.assertEqual(outcomes.of_run(fence.Run(1, 0, False, 1.0, output),
                                             {"not_supported": 1}), ("refused", reason, ""))


class Absent(unittest.TestCase):
    """What a program lacks: what it says counts only where there is no such file."""

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        Path(self.place.name, "there.txt").write_text("1", encoding="utf-8")

    def tearDown(self):
        self.place.cleanup()

    def of(self, output, *given, status=1, launched=0):
        number = 0 if status >= 0 else -status
        run = fence.Run(None if number else status, number, False, 1.0, output)
        return outcomes.of_run(run, {"launched": launched}, absent.Asked(given, [self.place.name]))

    def test_what_programs_say_of_a_file(self):
        for text in ("File in.hpp cannot be opened for read.", "Failed to import file in.hpp.",
                     "File in.hpp not found", "Error: Could not stat in.hpp",
                     "No such folder: in.hpp",
                     "not able to open the file  in.hpp", "fail to open in.hpp",
                     "terminate called\n  what():  Bad file: in.hpp"):
            self.assertEqual(self.of(text)[0], "needs", text)
            self.assertIn("the file in.hpp", self.of(text)[1])
        self.assertEqual(self.of("could not open in.hpp", status=0)[0], "needs")
        self.assertEqual(self.of("could not open in.hpp\nSegmentation fault", status=-11)[0],
                         "needs")
        self.assertEqual(self.of("main: need to set environment variable $TABLES")[0], "needs")
        self.assertEqual(self.of("environment variables: none")[0], "wrong")
        for said, outcome in (("\u65e0\u6cd5\u52a0\u8f7d in.jpg", "needs"), # cannot load
                              ("\u52a0\u8f7d in.jpg", "wrong")):
            self.assertEqual(self.of(f"{said}\n\u6d4b\u8bd5\u5931\u8d25")[0], outcome)

    def test_a_file_that_is_there_is_not_needed(self):
        self.assertEqual(self.of("could not open there.txt")[0], "input")
        self.assertEqual(self.of("could not open there.txt", status=-11)[0], "wrong")
        self.assertEqual(self.of("", "there.txt")[0], "wrong")

    def test_what_it_is_run_with_names_the_file(self):
        self.assertEqual(self.of("inputs not found", "data/a.bin", "7")[1],
                         "needs the file data/a.bin: inputs not found")
        self.assertEqual(self.of("Failed to open file data", "data")[1][:19], "needs the file data")
        assertion = "p: p.cu:3: int f(): Assertion `{}' failed.\nAborted"
        for text in ("file", "f != NULL", "std::filesystem::exists(path)"):
            self.assertEqual(self.of(assertion.format(text), "a.bin", status=-6)[0], "needs", text)
        self.assertEqual(self.of(assertion.format("f"), "trace.out", status=-6)[0], "needs")
        self.assertEqual(self.of("file not found", "-t", "x", "-output", "a.bin")[0], "input")
        self.assertEqual(self.of("file not found", "there.txt", "result.bin")[0], "input")
        self.assertEqual(self.of(assertion.format("n > 3"), "a.bin", status=-6)[0], "wrong")
        self.assertEqual(self.of(assertion.format("file"), status=-6)[0], "wrong")
        self.assertIn("exit status 255", self.of("version 3", "-grid", "a.grd", status=255)[1])
        self.assertIn("SIGSEGV", self.of("", "a.grd", status=-11)[1])
        self.assertEqual(self.of("Invalid input.\nUsage: a N FILE", "5", "a.txt")[0], "needs")
        self.assertEqual(self.of("Usage: a N FILE", "5")[0], "input")
        for given in (("64", "0.5"), ("-o", "a.bin"), ("result.bin",), ("there.txt", "b.bin")):
            self.assertEqual(self.of("", *given, status=-11)[0], "wrong", given)

    def test_nothing_is_launched_without_its_file(self):
        self.assertEqual(self.of("0 places read", "in.txt", "100", status=0)[0], "needs")
        self.assertEqual(self.of("0 places read", "in.txt", status=0, launched=1)[0], "ran")
        self.assertEqual(self.of("passed", "in.txt", status=0)[0], "right")
        self.assertEqual(self.of("copied", "there.txt", "7", status=0)[0], "ran")

    def test_what_failed_by_itself_stays_wrong(self):
        self.assertEqual(self.of("Test FAILED", "a.bin")[0], "wrong")
        self.assertEqual(self.of("", "a.bin", launched=1)[0], "wrong")
        self.assertEqual(self.of("could not open c.txt\nTest FAILED", launched=1)[0], "wrong")
        self.assertEqual(self.of("could not open c.txt", launched=1)[0], "needs")
        self.assertEqual(self.of("no file\nTest FAILED", "a.bin", status=0, launched=1)[0], "wrong")
        self.assertEqual(self.of("passed", "a.bin", status=0, launched=1)[0], "right")


class Reads(unittest.TestCase):
    """A program that failed before it launched a kernel, by what its text reads."""

    def of(self, reads="", opened=(), given=(), output="", status=1, launched=0):
        number = 0 if status >= 0 else -status
        run = fence.Run(None if number else status, number, False, 1.0, output)
        with tempfile.TemporaryDirectory() as place:
            Path(place, "there.txt").write_text("1", encoding="utf-8")
            asked = absent.Asked(given, [place], reads, opened)
            return outcomes.of_run(run, {"launched": launched}, asked)

    def test_arguments_that_it_reads_and_does_not_get(self):
        crash = "Segmentation fault\n"
        self.assertEqual(self.of("unasked", output=crash, status=-11)[0], "input")
        self.assertEqual(self.of("unasked", output="0 rows", status=1)[0], "input")
        self.assertEqual(self.of("asked", status=1)[0], "input") # it says nothing
        self.assertEqual(self.of("unasked", output="passed", status=0)[0], "right")
        for lacks_none in ({"given": ["7"]}, {"launched": 1}, {"reads": "asked"}, {"reads": ""}):
            asked = {"reads": "unasked", "output": crash, "status": -11, **lacks_none}
            self.assertEqual(self.of(**asked)[0], "wrong", lacks_none)
        self.assertEqual(self.of("asked", output="CUDA error: 2", status=1)[0], "wrong")

    def test_a_null_pointer_as_a_files_name(self):
        for output in ("Error! opening file (null)", "Error opening file (null)"):
            self.assertEqual(self.of(output=output)[0], "input", output)
        self.assertEqual(self.of(output="Error! opening (null)", launched=1)[0], "wrong")
        self.assertEqual(self.of(output="Error! It is (null)")[0], "wrong")

    def test_a_file_that_its_text_opens(self):
        for opened, status, launched, outcome in (
                (["data/a.wav"], -11, 0, "needs"), (["there.txt", "b.txt"], -11, 0, "needs"),
                (["there.txt"], -11, 0, "wrong"), (["data/a.wav"], -11, 1, "wrong"),
                (["data/a.wav"], -6, 0, "wrong"), (["data/a.wav"], 1, 0, "wrong"),
                ([], -11, 0, "wrong")):
            row = self.of(opened=opened, status=status, launched=launched)
            self.assertEqual(row[0], outcome, (opened, status, launched))
            self.assertEqual(row[1].startswith(f"needs the file {(opened or [''])[-1]}:"),
                             outcome == "needs")

    def test_a_file_that_is_not_available(self):
        self.assertEqual(self.of(output="File cat.pgm is not available - check")[0], "needs")
        self.assertEqual(self.of(output="The device is not available - check")[0], "wrong")

    def test_a_child_process_that_is_refused(self):
        note = "simt: note: cudaIpcOpenMemHandle: a software GPU belongs to its process; use MPI\n"
        self.assertEqual(self.of(output=note + "Process 0 failed!"),
                         ("refused", note[12:].strip(), ""))
        self.assertEqual(self.of(output=note[12:] + "Process 0 failed!")[0], "wrong")

    def test_memory_of_the_host(self):
        said = "simt: ncclSystemError: no host memory left for a collective\n"
        self.assertEqual(self.of(output=said + "invalid usage")[0], "slow")
        self.assertEqual(self.of(output="no host memory left for a collective")[0], "wrong")
        self.assertEqual(self.of(output=said + "passed", status=0)[0], "right")


PROBE = r"""
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def refused(number, *arguments):
    ctypes.set_errno(0)
    return libc.syscall(number, *arguments) < 0 and ctypes.get_errno() == 1
numbers = map(int, sys.argv[1:])
print(*[number for number in numbers if not refused(number, -1, 0, 0, 0, 0)])
libc.syscall(-1)
import socket
one, other = socket.socketpair()
one.send(b"x")
"""


class Fence(unittest.TestCase):
    def test_the_filter_refuses_what_it_lists_and_nothing_else(self):
        column = system_calls.ARCHITECTURES[platform.machine()][0]
        numbers = [str(one[column]) for one in system_calls.REFUSED.values()]
        box = fence.Fence([])
        if not box.works():
            self.skipTest("bubblewrap does not work here")
        command = [shutil.which("python3", path="/usr/bin:/bin"), "-S", "-c", PROBE]
        limits = fence.Limits(20, 4096, 64)
        run = box.run([*command, *numbers], None, [], {}, limits)
        self.assertEqual((run.status, run.output), (0, "\n"))
        with unittest.mock.patch.object(system_calls, "REFUSED", {}):
            run = box.run([*command, *numbers], None, [], {}, limits)
        # Without a name space's rights the kernel refuses most by itself, but not these.
        for name in ("process_vm_readv", "keyctl", "add_key"):
            self.assertIn(str(system_calls.REFUSED[name][column]), run.output.split())

    def test_a_name_space_of_its_own_is_refused(self):
        box = fence.Fence([])
        if not box.works():
            self.skipTest("bubblewrap does not work here")
        script = "unshare --user true 2>/dev/null && echo made; true"
        self.assertEqual(box.run(["/bin/sh", "-c", script], None, [], {},
                                 fence.Limits(20, 4096, 64)).output, "")

    def test_what_computes_may_take_longer_on_a_busy_machine(self):
        box = fence.Fence([], False)
        with unittest.mock.patch.object(fence.Limits, "wall_s", 0.5), \
                unittest.mock.patch.object(fence, "MOST_TURNS", 80):
            idle = box.run(["/bin/sh", "-c", "sleep 20"], "/", [], {}, fence.Limits(20, 512, 16))
            busy = box.run(["/bin/sh", "-c", "while :; do :; done"], "/", [], {},
                           fence.Limits(1, 512, 16))
            done = box.run(["/bin/sh", "-c", "echo done"], "/", [], {}, fence.Limits(1, 512, 16))
        self.assertTrue(idle.out_of_time)
        self.assertEqual((busy.out_of_time, busy.signal), (True, signal.SIGXCPU))
        self.assertEqual((done.good, done.output), (True, "done\n"))

    def test_numbers_of_system_calls(self):
        self.assertEqual(system_calls.program("pdp11"), b"")
        for machine in system_calls.ARCHITECTURES:
            self.assertEqual(len(system_calls.program(machine)),
                             8 * (2 * len(system_calls.REFUSED) + 7))
        listed = (ROOT / "common/grade/fence.c").read_text(encoding="utf-8")
        table = listed[listed.index("refused_calls[] = {"):listed.index("N_REFUSED")]
        self.assertEqual(set(re.findall(r"SYS_(\w+)", table)) ^ set(system_calls.REFUSED),
                         {"socket", "socketpair", "personality"})


class Rows(unittest.TestCase):
    """What a program's row shows of its two fronts."""

    def concluded(self, **fronts):
        keys = ("outcome", "reason", "place", "feature")
        result = {"program": "a.cu", "fronts": {
            name: {"change": "", **dict(zip(keys, values))} for name, values in fronts.items()}}
        work.conclude(result, {name: ("", "", None) for name in fronts})
        return result

    def test_without_checkers_a_difference_is_looked_at_twice(self):
        for again, outcome in (("sum 3", "ran"), ("sum 1", "wrong")):
            ran = {"outcome": "ran", "reason": "", "change": "", "feature": ""}
            result = {"program": "a.cu", "fronts": {"simtcc": ran, "nvcc": ran}}
            work.conclude(result, {"simtcc": ("sum 1", "", lambda text=again: text),
                                   "nvcc": ("sum 2", "", None)})
            self.assertEqual(result["outcome"], outcome)

    def test_what_is_wrong_already_keeps_its_reason(self):
        for reason, outcome in (("Test FAILED", "wrong"), ("", "ran")):
            fronts = {name: {"outcome": outcome, "reason": reason, "change": "", "feature": ""}
                      for name in ("simtcc", "nvcc")}
            result = {"program": "a.cu", "fronts": fronts}
            work.conclude(result, {"simtcc": ("sum 1", "sum 1", None), "nvcc": ("sum 2", "", None)})
            self.assertEqual((result["outcome"], result["agree"]), ("wrong", False))
            self.assertEqual(result["reason"], reason or "simtcc and nvcc print different values")

    def test_what_no_compiler_takes_is_no_lack_of_the_software_gpu(self):
        one = ("refused", "a.cu:3: undeclared 'HERE'", "a.cu:3", "")
        same = ("refused", 'a.cu:3: "HERE" is undefined', "a.cu:3", "")
        other = ("refused", "a.cu:9: no texture references", "a.cu:9", "")
        run = ("refused", "ldmatrix", None, "")
        self.assertEqual(self.concluded(simtcc=one, nvcc=same)["outcome"], "invalid")
        self.assertEqual(self.concluded(simtcc=one, nvcc=other)["outcome"], "refused")
        self.assertEqual(self.concluded(simtcc=run, nvcc=run)["outcome"], "refused")
        self.assertEqual(self.concluded(simtcc=one)["outcome"], "refused")
        for file, name, outcome in (("a.cu", "OLD", "invalid"), ("b.cu", "OLD", "refused"),
                                    ("a.cu", "NEW", "refused"), ("a.cu", "", "refused")):
            row = self.concluded(simtcc=("refused", "", "a.cu:3", name and "OLD"),
                                 nvcc=("refused", "", f"{file}:4", name))
            self.assertEqual(row["outcome"], outcome)
        linked = ("refused", "'cudaNone' is not defined", "", "cudaNone") # it may be the GPU's lack
        self.assertEqual(self.concluded(simtcc=("refused", "", "a.cu:3", "cudaNone"),
                                        nvcc=linked)["outcome"], "refused")
        self.assertEqual(list(tables.others(self.concluded(simtcc=one, nvcc=same))), [])

    def test_the_toolkits_own_headers_do_not_hide_what_nvcc_says(self):
        lacks = ("needs", "needs Thrust", "", "Thrust")
        wrong = ("refused", "a.cu:3: undeclared 'HERE'", "a.cu:3", "")
        row = self.concluded(simtcc=lacks, nvcc=wrong)
        self.assertEqual((row["outcome"], row["reason"]), ("invalid", wrong[1]))
        lacks_feature = ("refused", "a.cu:3: undeclared 'HERE'", "", "")
        row = self.concluded(simtcc=lacks, nvcc=lacks_feature)
        self.assertEqual((row["outcome"], row["reason"]), lacks_feature[:2])
        self.assertEqual(list(tables.others(row)), ["simtcc: needs: needs Thrust"])
        row = self.concluded(simtcc=("needs", "needs MPI", "", "MPI"), nvcc=wrong)
        self.assertEqual(row["outcome"], "needs")

    def test_a_finding_says_where_only_once(self):
        message = "a.cu:3 (inlined at a.cu:9): out-of-bounds store\n  in kernel k"
        place = {"file": "/there/a.cu", "line": 3}
        report = {"findings": [{"kind": "out_of_bounds", "severity": "error", "first": None,
                                "second": place, "message": message, "advice": "Check it."}]}
        self.assertEqual(outcomes.findings_of(report, "/there"), [
            {"kind": "out_of_bounds", "severity": "error", "place": "a.cu:3",
             "text": "out-of-bounds store in kernel k", "advice": "Check it."}])

    def tried(self, outcome_of, makefile="", text=""):
        """(outcome, reason) of a program whose runs are what `outcome_of` makes of their command
        and environment: (status, late, what it prints, kernels launched)."""
        def run(command, _, __, environment, ____):
            status, late, output, launched = outcome_of(command[1:], environment)
            number = -min(status, 0)
            return fence.Run(None if number else status, number, late, 1.0, output), \
                {"launched": launched}
        build = building.Build()
        build.good, build.path = True, "program"
        worker = work.Worker(Path("/nowhere"), [], fence.Fence([], False), fence.Limits(9, 9, 9),
                             False)
        worker.builder = SimpleNamespace(build=lambda *_: build)
        with unittest.mock.patch.object(worker, "run", run), \
                tempfile.TemporaryDirectory() as folder:
            worker.root = Path(folder).resolve()
            (worker.root / "Makefile").write_text(makefile, encoding="utf-8")
            (worker.root / "a.cu").write_text(text, encoding="utf-8")
            record, _ = worker.try_front(SimpleNamespace(command="simtcc"), worker.root / "a.cu",
                                         folder)
        return record["outcome"], record["reason"]

    def test_a_slow_program_is_run_without_modelled_times(self):
        def outcome(late):
            """Of a program that is too late where `late` says so of its environment."""
            return self.tried(lambda _, environment: (0, late(environment), "passed", 1))
        self.assertEqual(outcome(lambda environment: False), ("right", ""))
        self.assertEqual(outcome(lambda environment: environment.get("SIMT_COUNTERS") != "0"),
                         ("right", "without counters and times (SIMT_COUNTERS=0)"))
        self.assertEqual(outcome(lambda environment: True)[0], "slow")

    def test_what_a_program_reads_is_looked_for_in_its_text(self):
        for text, makefile, outcome in (
                ("int main(int n, char **a) { f(a[1]); }", "", "input"),
                ("int main(int n, char **a) { f(a[1]); }", "run:\n\t./a 5\n", "wrong"),
                ("int main(int n, char **a) { f(n, a[1]); }", "", "wrong"),
                ('int main() { fopen("a.wav", "rb"); }', "", "needs"),
                ('int main() { fopen("Makefile", "rb"); }', "", "wrong")):
            said = self.tried(lambda _, __: (-11, False, "Segmentation fault", 0), makefile, text)
            self.assertEqual(said[0], outcome, text)

    def test_smaller_arguments_must_launch_something(self):
        makefile = "run:\n\t./a 10 262144\n"
        self.assertEqual(self.tried(lambda given, _: (0, int(given[1]) > 5, "passed", 1), makefile),
                         ("right", "with smaller arguments: 10 1"))
        self.assertEqual(self.tried(lambda given, _: (0, given[1] == "262144", "passed",
                                                      given[1] != "1"), makefile),
                         ("right", "with smaller arguments: 10 4096"))
        self.assertEqual(self.tried(lambda given, _: (0, given[1] == "262144", "passed", 0),
                                    makefile)[0], "slow")

    def test_a_program_that_is_too_large(self):
        makefile = "run:\n\t./a 4096\n"
        crash = (-11, False, "", 0)
        self.assertEqual(self.tried(lambda given, _: (0, False, "passed", 1) if given == ["64"]
                                    else crash, makefile),
                         ("right", "with smaller arguments: 64 (SIGSEGV with 4096)"))
        self.assertEqual(self.tried(lambda given, _: (0, False, "passed", 1) if given == ["64"]
                                    else (-11, False, "", 2), makefile), ("wrong", "SIGSEGV"))
        self.assertEqual(self.tried(lambda given, _: crash, makefile), ("wrong", "SIGSEGV"))
        outcome, reason = self.tried(lambda given, _: (-24, True, "", 0) if given == ["64"]
                                     else crash, makefile)
        self.assertEqual((outcome, reason[:35]), ("slow", "SIGSEGV before a kernel is launched"))
        lacking = "simt: note: cudaMalloc: the host cannot provide 800000000 bytes\n"
        self.assertEqual(self.tried(lambda given, _: (0, False, "passed", 1) if given == ["64"]
                                    else (1, False, lacking, 0), makefile),
                         ("right", "with smaller arguments: 64"))

    def test_a_second_way_to_run_it(self):
        makefile = "run:\n\t./a gone.txt 1\n\t./a 2\n"
        self.assertEqual(self.tried(lambda given, _: (0, False, "passed", 1) if given == ["2"]
                                    else (1, False, "cannot open gone.txt", 0), makefile),
                         ("right", ""))
        self.assertEqual(self.tried(lambda *_: (1, False, "cannot open gone.txt", 0), makefile),
                         ("needs", "needs the file gone.txt: cannot open gone.txt"))

    def test_who_asks_for_more_devices(self):
        for text in ("Found one CUDA device, this program requires two", "at least 2 GPUs wanted",
                     "two or more CUDA devices", "there is only one GPU", "needs 2 devices"):
            self.assertTrue(outcomes.MORE_DEVICES.search(text), text)
        for text in ("requires 2.0 or newer", "needs two arguments", "one GPU", "2 devices"):
            self.assertFalse(outcomes.MORE_DEVICES.search(text), text)

    def test_a_program_for_several_devices_gets_them(self):
        def devices(*takes):
            """What a program is run with that asks for more than one and takes some numbers."""
            def run(_, __, ___, environment, ____):
                n = environment.get("SIMT_DEVICES", "1")
                said = "invalid device ordinal" if n == "1" else f"{n} are there"
                return SimpleNamespace(output=said, status=0 if n in takes else 1,
                                       out_of_time=False), {"launched": int(n)}
            worker = work.Worker(Path("/nowhere"), [], None, None, True)
            with unittest.mock.patch.object(worker, "run", run):
                return worker.run_plain([], None, None)[1:]
        self.assertEqual(devices("4", "2"), ({"launched": 4}, {"SIMT_DEVICES": "4"}))
        self.assertEqual(devices("2"), ({"launched": 2}, {"SIMT_DEVICES": "2"}))
        self.assertEqual(devices(), ({"launched": 4}, {"SIMT_DEVICES": "4"}))


class Agreement(unittest.TestCase):
    def test_outputs_of_two_compilers(self):
        def agree(one, other, again=None):
            return outcomes.agree(one, other, one if again is None else again)
        self.assertIs(agree("sum 12\n", "sum 12\n"), True)
        self.assertIs(agree("sum 12\n", "sum 13\n"), False)
        self.assertIs(agree("x 0.1234567\n", "x 0.12345671\n"), True)
        self.assertIs(agree("x 0.1234\n", "x 0.1235\n"), False)
        self.assertIs(agree("sum 12\ntook 3 ms\n", "sum 12\ntook 4 ms\n"), True)
        self.assertIs(agree("seed 4\nsum 1\n", "seed 5\nsum 1\n", "seed 6\nsum 1\n"), True)
        self.assertIs(agree("seed 4\nsum 1\n", "seed 5\nsum 2\n", "seed 6\nsum 1\n"), False)
        self.assertIs(agree("nan\n", "1\n"), False)
        ours = "simt: cudaErrorAssert: {}: assertion failed\n  in kernel k\n"
        self.assertIs(agree(ours.format("a.cu:9") + "sum 1\n", ours.format("PTX:4") + "sum 1\n"),
                      True)
        self.assertIsNone(agree("took 3 ms\n", "took 4 ms\n"))
        self.assertIs(agree("sum 12\ngain: 1.01x\n", "sum 12\ngain: 1.02x\n"), True)
        self.assertIs(agree("sum 12\ngain: 1.01\n", "sum 12\ngain: 1.02\n"), False)
        self.assertIs(agree("sum 12\nn: 1x\n", "sum 12\nn: 2x\n"), False)
        self.assertIs(agree("sum 12\nKernelTime: 3\n", "sum 12\nKernelTime: 4\n"), True)

    def test_tables_of_times_are_not_compared(self):
        table = "sum 12\n{}\n  copy {}\n  transpose {}\n\nsum {}\n"

        def agree(head, last):
            return outcomes.agree(table.format(head, 3063.3, 5.1, 12),
                                  table.format(head, 3063.4, 5.2, last), "")
        self.assertIs(agree("P2P copies (GB/s)", 12), True)
        self.assertIs(agree("P2P copies (GB/s)", 13), False) # behind the table
        two = ["copies (us)", " GPU 1", "", " CPU 2", "", "n 3"]
        self.assertEqual(outcomes.comparable(two)[3:], [False, False, True])
        self.assertIs(agree("copies (bytes)", 12), False)
        self.assertIs(agree("(GB/s) of 12 copies", 12), False) # no head

    def test_small_deviations_are_the_same(self):
        def agree(one, other):
            return outcomes.agree(one + "\n", other + "\n", "")
        self.assertIs(agree("max error: 5.960464e-08", "max error: 1.192093e-07"), True)
        self.assertIs(agree("max error: 5.960464e-08", "max error: 1.1e-04"), False)
        self.assertIs(agree("mass: 5.960464e-08", "mass: 1.192093e-07"), False)


if __name__ == "__main__":
    unittest.main()
