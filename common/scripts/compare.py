#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The ladder: runs every lesson's variants at one size and shows what each step gained.

    compare.py [--all] [--build build] [--n N] [--device NAME] [--exact] [--lesson NAME]
               [--variant NAME] [--out build/compare]

By default one screen: per lesson its first and its best variant. --all: every variant. --lesson:
every variant of that lesson, --variant: of the lessons that have one of that name; then no file is
written. Beside the times of this machine (measured on a GPU, or modelled by the software GPU) stand
those that were measured on such a GPU and stored, at the nearest size. Writes to OUT: compare.csv
(compare_rows.py lists its columns), index.html with every variant, and compare.png where matplotlib
is installed. Exit: 0 every result was verified, 1 one was wrong or a program failed, 2 wrong use,
130 interrupted: what was done by then is shown, no file is written.
"""

import argparse
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import compare_page  # noqa: E402
import compare_plot  # noqa: E402
import compare_rows  # noqa: E402
import compare_text  # noqa: E402

DEFAULT_N = {"simt": "2^22", "cuda": "2^26"}  # half a minute on two cores; some L2s on a GPU
DEFAULT_DEVICE = "h200"  # what the software GPU models unless it is asked for another
MOST_ON_SEVERAL = 2 ** 24  # elements on several software GPUs together
SAMPLED_ABOVE = 2 ** 22  # elements: then some blocks of a launch stand for all, where they may


class Refusal(Exception):
    """Nothing sensible can be shown; the text says why."""


# --- running -------------------------------------------------------------------------------------

def programs_of(build):
    """Lesson programs in the lessons' order."""
    folder = build / "lessons"
    found = sorted(p for p in folder.glob("[0-9][0-9]_*") if os.access(p, os.X_OK) and p.is_file())
    if not found:
        raise Refusal(f"there are no lesson programs in {folder}: make programs builds them")
    return found


def backend_of(build):
    """What the programs were built for."""
    try:
        cache = (build / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "simt"
    is_cuda = re.search(r"^WORKBOOK_BACKEND_RESOLVED:\w+=CUDA$", cache, re.MULTILINE)
    return "cuda" if is_cuda else "simt"


class Progress:
    """One line on a terminal that keeps changing; elsewhere one line per lesson. The time left is
    what the lessons still to come took the last time, scaled by how long those done took now."""

    def __init__(self, stream, names, durations_path=None):
        self.stream, self.names, self.start = stream, names, time.monotonic()
        self.live = stream.isatty() and os.environ.get("TERM") != "dumb"
        self.path, self.took, self.begun = durations_path, {}, None
        try:
            self.before = {name: float(text) for name, text in
                           json.loads(durations_path.read_text("utf-8")).items()}
        except (AttributeError, OSError, TypeError, ValueError):
            self.before = {}

    def left_s(self, now):
        """Seconds left, or None before there is anything to go by."""
        spent = sum(self.took.values())
        ahead = [name for name in self.names if name not in self.took]
        if not self.took or not spent:
            return None
        if all(name in self.before for name in self.names):
            scale = spent / max(1e-9, sum(self.before[name] for name in self.took))
            left = scale * sum(self.before[name] for name in ahead)
        else:
            left = spent / len(self.took) * len(ahead)
        return max(0.0, left - (now - self.start - spent))

    def show(self, index, lesson, variant=None):
        now = time.monotonic()
        if variant is None:
            self.finish(now)
            self.begun = lesson, now
        left = self.left_s(now)
        ahead = "" if left is None else f", about {left:.0f} s left"
        place = f"[{index + 1}/{len(self.names)}] {lesson}"
        if self.live:
            text = place + (f": {variant}" if variant else "")
            self.stream.write("\r\033[K" + self.fitted(text, f"  {now - self.start:.0f} s{ahead}"))
        elif variant is None:
            self.stream.write(f"{place}{ahead}\n")
        self.stream.flush()

    def fitted(self, text, times):
        """One line of the terminal, which could not be cleared if it went on to a second."""
        try:
            columns = os.get_terminal_size(self.stream.fileno()).columns or compare_text.WIDTH
        except (OSError, ValueError):
            columns = compare_text.WIDTH
        room = max(0, min(columns, compare_text.WIDTH) - 1)
        return (text[:max(0, room - len(times))] + times)[:room]

    def finish(self, now):
        if self.begun:
            self.took[self.begun[0]] = now - self.begun[1]
            self.begun = None

    def done(self):
        """The last lesson has ended: how long each took is kept for the next time."""
        self.finish(time.monotonic())
        self.clear()
        if self.path and len(self.took) == len(self.names):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(self.before | self.took), encoding="utf-8")

    def clear(self):
        if self.live:
            self.stream.write("\r\033[K")
            self.stream.flush()


def count_of(text):
    """A number of elements as lesson programs take it; 0 where they are the ones to refuse it."""
    found = re.fullmatch(r"([\d_]+)(?:\^(\d+)|[eE]\+?(\d+)|([kKmMgG]))?", text)
    if not found:
        return 0
    value, power, ten, letter = int(found[1].replace("_", "") or 0), found[2], found[3], found[4]
    if power is not None:
        return value ** min(int(power), 64)
    if ten is not None:
        return value * 10 ** min(int(ten), 64)
    return value << {"K": 10, "M": 20, "G": 30}.get((letter or "").upper(), 0)


def gpus_for(lesson, said, stored):
    """How many software GPUs a lesson on several gets: as many as it was measured on, so that there
    is something to compare with; else as many as it asks for, or SIMT_DEVICES says."""
    asked = said.get("devices", 1)
    measured = stored.most_gpus(lesson) if stored and not os.environ.get("SIMT_DEVICES") else 1
    return measured if asked > 1 and measured > 1 else asked


def elements_for(n, devices):
    """What a lesson on several GPUs is given: n for each of them, so that each has as much to do as
    the one GPU of the others. Only on the software GPU, whose number of devices is known, and as
    far as it is quick."""
    count = count_of(n)
    return str(count * devices) if 0 < count * devices <= MOST_ON_SEVERAL else n


def run_program(program, n, device, devices, exact, samples, on_row):
    """Calls on_row for each row of one program; (exit status, what it said on stderr)."""
    environment = dict(os.environ)
    command = [program, "--json", "--n", n, *(["--sample"] if samples else [])]
    if device:
        environment["SIMT_DEVICE"] = device
    if devices > 1:
        environment["SIMT_DEVICES"] = str(devices)
    if exact:
        environment["SIMT_EXACT"] = "1"
    with tempfile.TemporaryFile() as said:  # a pipe that is not read could fill up
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said,
                              stdin=subprocess.DEVNULL, text=True, encoding="utf-8",
                              errors="replace", env=environment) as process:
            try:
                for line in process.stdout:
                    if line.startswith("{"):
                        on_row(json.loads(line))
            except BaseException:
                process.kill()
                raise
        said.seek(0)
        return process.returncode, said.read().decode("utf-8", "replace").strip()


def run_all(programs, n, backend, about, arguments, progress):
    """(rows, failures, whether it was interrupted)."""
    rows, failures, device = [], [], arguments.device
    stored = compare_rows.stored_for(f"modelled {device or DEFAULT_DEVICE}")
    for index, program in enumerate(programs):
        progress.show(index, program.name)
        found = []

        def on_row(row, i=index, found=found):
            found.append(row)
            progress.show(i, row["lesson"], row["variant"])

        try:
            simulated = backend == "simt"
            devices = (gpus_for(program.name, about.get(program.name, {}), stored) if simulated
                       else 1)
            mine = elements_for(n, devices) if simulated else n
            samples = simulated and not arguments.exact and count_of(mine) > SAMPLED_ABOVE
            status, said = run_program(program, mine, device, devices, arguments.exact, samples,
                                       on_row)
        except KeyboardInterrupt:
            progress.clear()
            return rows + found, failures, True
        if status == 2:
            progress.clear()
            raise Refusal(said)  # begins with the program's name
        if status != 0 and device and said and not rows + found + failures:
            progress.clear() # the first program has no row: the device is refused
            raise Refusal(said.splitlines()[0].partition("SIMT_")[2] or said)
        if status != 0 or not found:
            failures.append((program.name, said or f"ended with status {status}"))
        rows += found
    progress.done()
    return rows, failures, False


def about_lessons(programs):
    """What each program says of itself, by the lesson's name."""
    about = {}
    for program in programs:
        done = subprocess.run([program, "--list", "--json"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, encoding="utf-8", errors="replace",
                              check=False)
        try:
            about[program.name] = json.loads(done.stdout)
        except ValueError:
            continue  # an older program: no sentence
    return about


def with_variant(programs, wanted):
    """The programs that have a variant of this name."""
    names = {program: list(about.get("variants") or {}) for program in programs
             for about in about_lessons([program]).values()}
    found = [program for program in programs if wanted in names.get(program, ())]
    if found:
        return found
    known = list(dict.fromkeys(name for of_one in names.values() for name in of_one))
    near = difflib.get_close_matches(wanted, known, n=1, cutoff=0.0)
    if not near:
        raise Refusal(f"no lesson names its variants: there is none called '{wanted}'")
    owner = next(program.name for program in programs if near[0] in names.get(program, ()))
    raise Refusal(f"no lesson has a variant '{wanted}'; did you mean '{near[0]}', of lesson "
                  f"{owner[:2]}? make run LESSON={owner[:2]} ARGS=--list shows all of a lesson")


def refuse_to_mix(rows):
    kinds = sorted({row["time_kind"] for row in rows})
    devices = sorted({row["device"] for row in rows})
    if len(kinds) > 1:
        raise Refusal(f"times of different kinds ({', '.join(kinds)}) do not belong into one "
                      "table; rebuild: make clean && make compare")
    if len(devices) > 1:
        raise Refusal(f"results of different devices ({', '.join(devices)}) are not comparable")


# --- main ----------------------------------------------------------------------------------------

def write_files(out, rows, stored, about):
    out.mkdir(parents=True, exist_ok=True)
    compare_rows.write_csv(out / "compare.csv", rows, stored)
    (out / "index.html").write_text(compare_page.page(rows, stored, about), encoding="utf-8")
    drawn = compare_plot.plot(out / "compare.png", rows, stored)
    print(f"Page:  {out / 'index.html'}")
    print(f"Table: {out / 'compare.csv'}")
    print(f"Plot:  {out / 'compare.png'}" if drawn
          else "Plot:  not drawn, python3-matplotlib is missing")


def is_part(arguments):
    """Some lessons only: every variant of them is shown, and no file says that these are all."""
    return bool(arguments.lesson or arguments.variant)


def compare(arguments):
    build, device = arguments.build, arguments.device
    out = arguments.out or build / "compare"
    programs = [program for program in programs_of(build)
                if arguments.lesson in (None, program.name)]
    if not programs:
        raise Refusal(f"there is no lesson program {build / 'lessons' / arguments.lesson}: "
                      "make programs builds it")
    if arguments.variant:
        programs = with_variant(programs, arguments.variant)
    backend = backend_of(build)
    if device and backend == "cuda":
        raise Refusal("DEVICE chooses the device that the software GPU models; these programs run "
                      "on a real GPU (CUDA_VISIBLE_DEVICES chooses among several)")
    if arguments.exact and backend == "cuda":
        raise Refusal("EXACT is for modelled times; these programs run on a real GPU")
    n = arguments.n or DEFAULT_N[backend]
    progress = Progress(sys.stderr, [program.name for program in programs],
                        out / "durations.json")
    about = about_lessons(programs)
    rows, failures, interrupted = run_all(programs, n, backend, about, arguments, progress)
    if rows:
        refuse_to_mix(rows)
        stored = compare_rows.stored_for(rows[0]["device"])
        compare_rows.compare_rungs(rows, stored)
        one_screen = not (arguments.all or is_part(arguments))
        view = compare_text.screen if one_screen else compare_text.every_variant
        print("\n".join(view(rows, stored, about, compare_text.Style(sys.stdout))))
        if not interrupted and not is_part(arguments):
            write_files(out, rows, stored, about)
    if interrupted:
        print(f"Interrupted: {len(rows)} variants were run, and no file was written",
              file=sys.stderr)
        return 130
    for name, said in failures:
        print(f"{name} failed: {said}", file=sys.stderr)
    n_wrong = sum(not row["correct"] for row in rows)
    if n_wrong:
        print(f"{n_wrong} of {len(rows)} results are wrong", file=sys.stderr)
    return 1 if failures or n_wrong or not rows else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--all", action="store_true", help="every variant, not one screen")
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--n", help="elements: 1000000, 2^20, 1M (default 2^22; on a GPU 2^26)")
    parser.add_argument("--device", help="what the software GPU models, e.g. h200 or a100")
    parser.add_argument("--exact", action="store_true",
                        help="every block and line of memory counts; slow")
    parser.add_argument("--lesson", help="only this one, e.g. 06_grid_stride")
    parser.add_argument("--variant", help="only lessons with a variant of this name, e.g. vectors")
    parser.add_argument("--out", type=Path, help="default: BUILD/compare")
    try:
        return compare(parser.parse_args())
    except Refusal as refusal:
        print(f"compare: {refusal}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
