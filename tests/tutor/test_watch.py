#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`make watch` in a pseudo-terminal, with a stand-in for the grader: what is on the screen after
each key, save and signal, and that the terminal is as before however it ends.

    test_watch.py PATH/TO/workbook [0|1 [BUILD_DIR]]

0: it was built without ncurses (exit 77). BUILD_DIR: one test is with the real grader.
"""

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

from vt100 import Screen

ROOT = Path(__file__).resolve().parents[2]
WORKBOOK = os.path.abspath(sys.argv[1])
PATIENCE_S = 150
NAME = "01_shared_tree"
CHECKS = ("one_block", "sizes")

# What decides is a word in the file: RIGHT, BROKEN (does not compile), SLOW (never ends by itself).
GRADER = r"""#!/usr/bin/env python3
import json, os, sys, time
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
text = open(given["--source"]).read()
name = given["--try"]
print("the grader was asked", flush=True)
os.write(int(given["--stages"]), b"compiling\n") if "--stages" in given else None
time.sleep(0.1)
if "SLOW" in text:
    open(os.path.join(os.environ["TMPDIR"], "left behind"), "w").close()
    open("slow.pid", "w").write(str(os.getpid()))
os.write(int(given["--stages"]), b"judging\n") if "--stages" in given else None
time.sleep(600 if "SLOW" in text else 0)
right, broken = "RIGHT" in text, "BROKEN" in text
checks = [{"exercise": name, "check": check, "status": "pass" if right else "fail",
           "points": 5 if right else 0, "max_points": 5, "about": "it holds",
           "reason": "" if right else "expected 1\x1b[2J, got 2",
           "explanation": "" if right else "the step is missing"}
          for check in CHECKS]
print("error: here is the compiler" if broken else "judged")
points = sum(check["points"] for check in checks)
json.dump({"exercises": [{"exercise": name, "state": "not_compiled" if broken else "judged",
                          "points": points, "max_points": 10, "grader_error": False,
                          "message": "does not compile: error" if broken else "",
                          "checks": checks}]}, open(given["--results"], "w"))
sys.exit(0 if right else 1)
""".replace("CHECKS", repr(CHECKS))


def make_copy(folder):
    for item in ("CMakeLists.txt", "common/scripts", "solutions", "lessons", "book/lab/page"):
        source, target = ROOT / item, folder / item
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    (folder / "exercises").mkdir()
    for source in (ROOT / "solutions").glob("*.cu"):
        stub = subprocess.run([folder / "common/scripts/make_exercise", "--stdout", source.stem],
                              capture_output=True, check=True)
        (folder / "exercises" / source.name).write_bytes(stub.stdout)
    grader = folder / "build/common/grade/grade"
    grader.parent.mkdir(parents=True)
    grader.write_text(GRADER, encoding="utf-8")
    grader.chmod(0o755)
    (folder / "build/workbook").symlink_to(WORKBOOK)
    (folder / "tmp").mkdir()


class Watch:
    """One run of `lesson.sh watch`, the leader of a session on a terminal of its own."""

    def __init__(self, folder, rows=24, columns=80, before="", **more):
        self.folder = folder
        self.screen = Screen(rows, columns)
        self.seen = b""
        self.master, self.slave = pty.openpty()
        self.resize(rows, columns, draw=False)
        self.modes = termios.tcgetattr(self.slave)
        environment = {**os.environ, "TERM": "vt100", "LESSON": NAME, "BUILD": "build",
                       "TMPDIR": str(folder / "tmp"), "LC_ALL": "C.UTF-8", **more}
        for name in ("LINES", "COLUMNS", "NO_COLOR", "WORKBOOK_PROGRESS", "CHECK", "SCHEDULE"):
            if name not in more:
                environment.pop(name, None)
        self.process = subprocess.Popen(
            ["sh", "-c", f"{before} exec common/scripts/lesson.sh watch"], cwd=folder,
            stdin=self.slave, stdout=self.slave, stderr=self.slave, env=environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def resize(self, rows, columns, draw=True):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if draw:
            self.screen.resize(rows, columns)
            os.killpg(self.process.pid, signal.SIGWINCH)

    def read(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return
        self.seen += data
        self.screen.feed(data)

    def wait_for(self, condition, what):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"{what} did not come; the screen:\n{self.screen.text()}")
            self.read(0.05)

    def shows(self, text):
        self.wait_for(lambda: text in self.screen.text(), repr(text))

    def lacks(self, text):
        self.wait_for(lambda: text not in self.screen.text(), f"the end of {text!r}")

    def type(self, keys):
        os.write(self.master, keys.encode())

    def send(self, number):
        os.kill(self.process.pid, number)

    def end(self):
        """The exit status once it has ended; everything it wrote has been read."""
        self.wait_for(lambda: self.process.poll() is not None, "the end")
        for _ in range(3):
            self.read(0.02)
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for fd in (self.master, self.slave):
            if fd >= 0:
                os.close(fd)


class Case(unittest.TestCase):
    def setUp(self):
        # A blank and a quote in the name of the folder.
        self.work = Path(tempfile.mkdtemp(suffix=" it's"))
        self.addCleanup(shutil.rmtree, self.work)
        make_copy(self.work)
        self.file = self.work / "exercises" / f"{NAME}.cu"

    def start(self, text=None, verdict="First failure", **more):
        if text is not None:
            self.file.write_text(text, encoding="utf-8")
        watch = Watch(self.work, **more)
        self.addCleanup(watch.close)
        if verdict:
            watch.shows(verdict)
            watch.shows("waiting for a save")
        return watch

    def wait_until(self, condition):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def judging_has_ended(self):
        """The grader that would never end by itself; one that no parent has waited for counts."""
        stat = Path("/proc", (self.work / "slow.pid").read_text(encoding="utf-8"), "stat")

        def is_gone():
            try:
                return stat.read_text(encoding="utf-8").rsplit(") ", 1)[1][0] in "ZX"
            except OSError:
                return True
        self.wait_until(is_gone)

    def put_back(self, watch):
        """The terminal is as it was, and nothing is left behind."""
        self.assertEqual(termios.tcgetattr(watch.slave), watch.modes)
        self.assertEqual(list((self.work / "tmp").iterdir()), [])


class Keys(Case):
    def test_break_and_fix(self):
        watch = self.start()
        watch.shows("FAIL  one_block")
        watch.shows("expected 1?[2J, got 2")  # no control character of a message reaches a terminal
        watch.shows("likely cause: the step is missing")
        self.file.write_text("BROKEN", encoding="utf-8")
        watch.shows("does not compile: error")
        watch.shows("error: here is the compiler")
        self.file.write_text("RIGHT", encoding="utf-8")
        watch.shows("2 of 2 checks passed, 10 of 10 points: all is right")
        watch.shows("Next: warm_up")
        watch.shows(f"{NAME}  waiting for a save, passed")  # and it stays here
        progress = (self.work / "exercises/progress.txt").read_text(encoding="utf-8")
        self.assertIn(f"lesson {NAME} 10 of 10 passed ", progress)
        self.file.write_text("wrong again", encoding="utf-8")
        watch.shows("First failure")
        watch.type("q")
        self.assertEqual(watch.end(), 0)
        self.put_back(watch)

    def test_hints(self):
        watch = self.start()
        for number in (1, 2, 3, 3):
            watch.type("h")
            watch.shows(f"hint {number} of 3")
            if number < 3:
                watch.shows("More: h again")
        watch.type("v")
        watch.shows("First failure")
        watch.type("z")
        watch.shows("? shows the keys.")
        watch.type("?")
        watch.shows("Your file is judged whenever you save it.")

    def test_lessons(self):
        watch = self.start()
        watch.type("p")
        watch.shows("00_naive_atomic  waiting")
        watch.type("p")
        watch.shows("warm_up  waiting")
        watch.type("p")
        watch.shows("This is the first lesson.")
        watch.type("n")
        watch.shows("00_naive_atomic  waiting")
        watch.type("l")
        watch.shows("Enter opens the lesson")
        watch.type("\x1bOB\x1bOB\r")  # down, down, Enter
        watch.shows("02_bank_conflicts  waiting")
        watch.type("nn")
        watch.shows("04_warp_sync  waiting")

    def test_reset(self):
        watch = self.start("mine")
        watch.type("r")
        watch.shows(f"Start exercises/{NAME}.cu again?")
        watch.type("n")
        watch.shows("Nothing was changed.")
        self.assertEqual(self.file.read_text(encoding="utf-8"), "mine")
        watch.type("ry")
        watch.shows("Your file is kept as exercises/backup/")
        self.wait_until(lambda: "TODO 1" in self.file.read_text(encoding="utf-8"))
        kept = list((self.work / "exercises/backup").iterdir())
        self.assertEqual([copy.read_text(encoding="utf-8") for copy in kept], ["mine"])

    def test_solution(self):
        watch = self.start()
        watch.type("s")
        watch.shows("before you have passed?")
        watch.type("x")
        watch.shows("Nothing was changed.")
        watch.type("sy")
        watch.shows("The solution")
        watch.shows("SPDX-License-Identifier")
        self.file.write_text("RIGHT", encoding="utf-8")
        watch.shows("all is right")
        watch.type("s")  # no question after a pass
        watch.shows("The solution")

    def test_one_check(self):
        watch = self.start()
        watch.type("c")
        watch.shows("Judge which check?")
        watch.type("\x1bOB\x1bOB\r")
        watch.shows("only sizes")
        watch.type("c\x1bOA\x1bOA\r")
        watch.lacks("only sizes")


class Saves(Case):
    def test_replaced_and_deleted(self):
        watch = self.start()
        other = self.file.with_suffix(".new")
        other.write_text("RIGHT", encoding="utf-8")
        other.rename(self.file)
        watch.shows("all is right")
        self.file.unlink()
        watch.shows("is gone")
        self.file.write_text("wrong", encoding="utf-8")
        watch.shows("First failure")
        watch.lacks("is gone")

    def test_deleted_and_at_once_written_anew(self):
        watch = self.start()
        self.file.unlink()
        self.file.write_text("RIGHT", encoding="utf-8")
        watch.shows("all is right")
        self.assertNotIn(b"is gone", watch.seen)

    def test_saved_while_judging(self):
        watch = self.start("SLOW", verdict=None)
        watch.shows("judging")
        self.file.write_text("RIGHT", encoding="utf-8")
        watch.shows("all is right")
        self.judging_has_ended()
        watch.type("q")
        self.assertEqual(watch.end(), 0)
        self.put_back(watch)

    def test_no_notices(self):
        watch = self.start(WORKBOOK_POLL="1", verdict=None)
        watch.shows("Looking at the file every half second")
        watch.shows("First failure")
        self.file.write_text("RIGHT", encoding="utf-8")
        watch.shows("all is right")

    def test_full_disk(self):
        watch = self.start("RIGHT", verdict=None, before="ulimit -f 0;")
        watch.shows("waiting for a save")
        self.assertNotIn("all is right", watch.screen.text())
        watch.type("q")
        self.assertEqual(watch.end(), 0)
        self.put_back(watch)

    def test_a_pass_that_cannot_be_recorded(self):
        watch = self.start("RIGHT", verdict="all is right", WORKBOOK_PROGRESS="/nonexistent/file")
        watch.shows("could not be recorded in /nonexistent/file")


class Signals(Case):
    def ended_by(self, number, text=None, verdict="First failure"):
        watch = self.start(text, verdict=verdict)
        if not verdict:
            watch.shows("judging")
        self.assertNotEqual(termios.tcgetattr(watch.slave), watch.modes)
        watch.send(number)
        self.assertEqual(watch.end(), -number)
        return watch

    def test_ended(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(number=number):
                self.put_back(self.ended_by(number))

    def test_ended_while_judging(self):
        self.put_back(self.ended_by(signal.SIGTERM, "SLOW", None))
        self.judging_has_ended()

    def test_crash(self):
        for number in (signal.SIGSEGV, signal.SIGABRT):
            with self.subTest(number=number):
                watch = self.ended_by(number)
                self.assertEqual(termios.tcgetattr(watch.slave), watch.modes)

    def test_ctrl_c(self):
        watch = self.start()
        watch.type("\x03")
        self.assertEqual(watch.end(), -signal.SIGINT)
        self.put_back(watch)

    def test_stopped_and_continued(self):
        watch = self.start()
        watch.send(signal.SIGTSTP)
        end = time.monotonic() + PATIENCE_S
        while True:
            watch.read(0.05)
            pid, status = os.waitpid(watch.process.pid, os.WUNTRACED | os.WNOHANG)
            if pid:
                break
            self.assertLess(time.monotonic(), end)
        self.assertTrue(os.WIFSTOPPED(status))
        self.assertEqual(termios.tcgetattr(watch.slave), watch.modes)
        self.file.write_text("RIGHT", encoding="utf-8")
        watch.screen.resize(24, 80)
        watch.send(signal.SIGCONT)
        watch.shows("all is right")

    def test_closed_terminal(self):
        watch = self.start("SLOW", verdict=None)
        watch.shows("judging")
        os.close(watch.slave)
        watch.slave = -1
        os.close(watch.master)
        watch.master = -1
        watch.process.wait(PATIENCE_S)
        self.judging_has_ended()
        self.assertEqual(list((self.work / "tmp").iterdir()), [])

    def test_resize(self):
        watch = self.start()
        for rows, columns in ((50, 132), (3, 10), (1, 1), (24, 80)):
            watch.resize(rows, columns)
            if columns >= 80:
                watch.shows("First failure")
            else:
                watch.shows(NAME[:columns])


class NoScreen(Case):
    def test_plain_lines(self):
        for kind in ("dumb", "a-kind-that-is-not-known"):
            with self.subTest(kind=kind):
                self.file.write_text("wrong", encoding="utf-8")
                watch = self.start(verdict=None, TERM=kind)
                watch.shows("Plain lines: this kind of terminal")
                watch.shows("judged")
                self.file.write_text("BROKEN", encoding="utf-8")
                watch.shows("here is the compiler")
                watch.type("\x03")
                self.assertEqual(watch.end(), -signal.SIGINT)
                self.put_back(watch)

    def test_closed_terminal(self):
        # The leader of the session does not pass on that the terminal is gone; nor does make.
        watch = self.start(verdict=None, TERM="dumb",
                           before="trap '' HUP; common/scripts/lesson.sh watch; exit;")
        watch.shows("judged")
        os.close(watch.slave)
        watch.slave = -1
        os.close(watch.master)
        watch.master = -1
        watch.process.wait(PATIENCE_S)

    def test_no_terminal(self):
        log = self.work / "log"
        with open(log, "wb") as out:
            process = subprocess.Popen(["common/scripts/lesson.sh", "watch"], cwd=self.work,
                                       stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.STDOUT,
                                       env={**os.environ, "LESSON": NAME, "BUILD": "build",
                                            "TMPDIR": str(self.work / "tmp")})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        end = time.monotonic() + PATIENCE_S
        while b"judged" not in log.read_bytes():
            self.assertLess(time.monotonic(), end, log.read_bytes())
            time.sleep(0.05)
        process.terminate()
        self.assertEqual(process.wait(PATIENCE_S), -signal.SIGTERM)
        self.assertIn(b"Plain lines: input or output is no terminal", log.read_bytes())
        self.assertNotIn(b"\x1b", log.read_bytes())

    def test_no_color(self):
        watch = self.start(NO_COLOR="1", TERM="xterm-256color", verdict=None)
        watch.wait_for(lambda: b"First failure" in watch.seen, "the verdict")
        self.assertNotRegex(watch.seen, rb"\x1b\[[0-9;]*3[0-7][;m]")
        watch = self.start(TERM="xterm-256color", verdict=None)  # its twin
        watch.wait_for(lambda: b"First failure" in watch.seen, "the verdict")
        self.assertRegex(watch.seen, rb"\x1b\[[0-9;]*3[0-7][;m]")

    def test_ascii(self):
        watch = self.start(LC_ALL="C")
        watch.type("l")
        watch.shows("Enter opens the lesson")
        self.assertTrue(watch.screen.text().isascii())


@unittest.skipUnless(sys.argv[3:], "no software GPU in this build")
class Real(Case):
    def test_real_grader(self):
        for name in ("common/workbook", "tests"):
            (self.work / name).symlink_to(ROOT / name)
        stub = self.file.read_text(encoding="utf-8")
        # Without checkers and other schedules, which have a limit of time per check.
        watch = self.start(verdict=None, BUILD=os.path.abspath(sys.argv[3]), CHECK="none",
                           SCHEDULE="lockstep")
        watch.shows("First failure: one_block")
        watch.shows("Is the blank filled in yet?")
        self.file.write_text(stub + "mistake\n", encoding="utf-8")
        watch.shows("does not compile")
        solution = (ROOT / "solutions" / f"{NAME}.cu").read_text(encoding="utf-8")
        self.file.write_text(solution, encoding="utf-8")
        watch.shows("all is right")
        watch.shows("modelled time, us")
        watch.type("\x1bOB" * 20)
        watch.shows("Next: ")
        watch.type("t")
        watch.shows(f"steps of exercises/{NAME}.cu. The page:")
        watch.type("e")
        watch.shows("What each line costs")
        watch.type("q")
        self.assertEqual(watch.end(), 0)
        self.put_back(watch)


if __name__ == "__main__":
    if sys.argv[2:] == ["0"]:
        print("skipped: the program was built without ncurses (libncurses-dev)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
