# SPDX-License-Identifier: MIT
"""The survey's command: arguments, work on several processors, what is done already, progress."""

import argparse
import concurrent.futures
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import compilers
import fence
import page
import sources
import store
import tables
import work

WRONG_USE = 2


def arguments(about):
    parser = argparse.ArgumentParser(prog="simt-survey", description=about,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER", help="any folder of CUDA programs")
    parser.add_argument("--out", metavar="DIR", default="simt-survey.out",
                        help="where results, pages and programs go (default: %(default)s)")
    parser.add_argument("--front", choices=["both", "simtcc", "nvcc"], default="both",
                        help="the compiler; both: nvcc only where it is installed")
    parser.add_argument("--only", metavar="TEXT", help="programs with TEXT in their path")
    parser.add_argument("--headers", metavar="DIR", action="append", default=[],
                        help="where headers lie that the folder has not; may be given again")
    parser.add_argument("--cpu", type=int, default=60, metavar="S",
                        help="processor time of a run (default: %(default)s s)")
    parser.add_argument("--memory", type=int, default=8192, metavar="MIB",
                        help="memory of a run (default: %(default)s MiB)")
    parser.add_argument("--disk", type=int, default=512, metavar="MIB",
                        help="what a run may write (default: %(default)s MiB)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="programs at a time (default: %(default)s)")
    parser.add_argument("--no-checks", action="store_true", help="leave the checkers out")
    parser.add_argument("--fresh", action="store_true", help="forget what was done before")
    parser.add_argument("--allow-unsafe", action="store_true",
                        help="run without bubblewrap: programs can do what you can do")
    parser.add_argument("--simtcc", help=argparse.SUPPRESS)
    return parser.parse_args()


def fail(text):
    print(f"simt-survey: {text}", file=sys.stderr)
    return WRONG_USE


class Progress:
    """One line on a terminal, rewritten; elsewhere one line per program."""

    def __init__(self, n):
        self.n, self.done, self.started, self.tty = n, 0, time.monotonic(), sys.stderr.isatty()
        self.running, self.lock = [], threading.Lock()

    def begin(self, program):
        with self.lock:
            self.running.append(program)
            self.show()

    def step(self, result):
        with self.lock:
            self.done += 1
            self.running.remove(result["program"])
            text = f"[{self.done}/{self.n}] {self.left()}  {result['outcome']:7} " \
                   f"{result['program']}"
            if not self.tty:
                print(text, file=sys.stderr, flush=True)
            self.show()

    def left(self):
        if not self.done:
            return "time left: not known yet"
        spent = time.monotonic() - self.started
        return f"{tables.duration(spent / self.done * (self.n - self.done))} left"

    def show(self):
        if not self.tty:
            return
        text = f"[{self.done}/{self.n}] {self.left()}  now: {', '.join(self.running)}"
        columns = shutil.get_terminal_size().columns - 1  # a line that wraps is not rewritten
        print(f"\r\033[K{text[:columns]}", end="", file=sys.stderr, flush=True)

    def end(self):
        if self.tty:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def carry_out(worker, paths, kept, jobs):
    """Surveys what is not in the store. Interrupted: ends the programs and says so."""
    progress = Progress(len(paths))
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=max(1, jobs))

    def survey(path):
        progress.begin(str(path.relative_to(worker.root)))
        return worker.survey(path)

    running = [pool.submit(survey, path) for path in paths]
    try:
        for one in concurrent.futures.as_completed(running):
            result = one.result()
            kept.add(result)
            progress.step(result)
        return True
    except KeyboardInterrupt:
        return False
    finally:
        progress.end()
        for one in running:
            one.cancel()
        worker.fence.end()
        pool.shutdown(wait=True)


def programs_of(options, root):
    found = list(sources.programs(root))
    if options.only:
        found = [path for path in found if options.only in str(path.relative_to(root))]
    return found


def prepare(options, root):
    """(worker, message): the message says why there is none."""
    fronts = compilers.find(options.front, options.simtcc)
    if not fronts:
        return None, "no compiler: neither simtcc nor nvcc was found"
    folders = [Path(folder).resolve() for folder in options.headers]
    missing = next((folder for folder in folders if not folder.is_dir()), None)
    if missing:
        return None, f"--headers {missing}: there is no such folder"
    box = fence.Fence([*map(str, [root, *folders]), *compilers.readable(fronts)],
                      not options.allow_unsafe)
    if box.fenced and not box.works():
        return None, ("programs are run in bubblewrap, which does not work here: install "
                      "bubblewrap, or give --allow-unsafe for programs that you trust")
    limits = fence.Limits(options.cpu, options.memory, options.disk)
    return work.Worker(root, fronts, box, limits, not options.no_checks, folders), None


def main(about):
    signal.signal(signal.SIGTERM, signal.default_int_handler) # as Ctrl-C: what there is, is printed
    options = arguments(about)
    root = Path(options.folder).resolve()
    if not root.is_dir():
        return fail(f"{options.folder}: there is no such folder")
    paths = programs_of(options, root)
    if not paths:
        return fail(f"{options.folder}: no .cu file with a main"
                    + (f", and '{options.only}' in its path" if options.only else ""))
    worker, why = prepare(options, root)
    if not worker:
        return fail(why)
    out = Path(options.out).resolve()
    kept = store.Store(out, root, worker.key(), options.fresh)
    left = [path for path in paths if not kept.has(path)]
    if len(left) < len(paths):
        done = len(paths) - len(left)
        print(f"{done} of {len(paths)} programs are done already (--fresh: again)",
              file=sys.stderr)
    whole = carry_out(worker, left, kept, options.jobs)
    results = kept.of(paths)
    about_run = {"folder": root.name, "programs": len(paths), "done": len(results),
                 "fronts": [front.name for front in worker.fronts]}
    tables.write_json(out / "survey.json", about_run, results)
    page.write(out / "survey.html", about_run, results)
    print(tables.text(about_run, results))
    print(f"\nAll of it: {os.path.relpath(out / 'survey.html')} and survey.json beside it")
    return 0 if whole else 130
