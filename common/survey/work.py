# SPDX-License-Identifier: MIT
"""All that is done with one program: build with each compiler, run plain and checked, judge."""

import os
import shutil
import tempfile

import absent
import building
import compilers
import fence
import makefiles
import outcomes
import recipes
import sources
from foreign import TOOLKIT, installed

CHECKED_TIMES = 4  # how much longer a run with all checkers may take
# Which front's result a program's row shows: the better one.
BETTER = ["right", "ran", "wrong", "slow", "input", "needs", "refused"]
# Faster, but for a program that waits for time to pass.
UNTIMED = {"SIMT_MODEL": "0"}
UNCOUNTED = {"SIMT_COUNTERS": "0"}  # and no times either
AT_ONCE = {"SIMT_MAX_WARP_INSTRUCTIONS": "1"}
DEVICES = ("4", "2")  # for a program that asks for more than one: some take no more than two


class Attempt:
    """One way to run a program (recipes.Call) and what came of it. devices: what it asked for of
    the environment; environment: what it was given besides."""

    def __init__(self, call, environment, done, asked):
        self.call, self.environment = call, environment
        self.run, self.report, self.devices = done
        self.outcome, self.reason, self.change = outcomes.of_run(self.run, self.report, asked)

    @property
    def launched(self):
        return (self.report or {}).get("launched", 0)

    @property
    def crashed_first(self):
        return self.outcome == "wrong" and self.run.status is None and not self.launched


class Worker:
    def __init__(self, root, fronts, box, limits, checks, folders=()):
        self.root, self.fronts, self.fence = root, fronts, box
        self.limits, self.checks = limits, checks
        self.folders = folders
        self.builder = building.Builder(root, box, fence.Limits(300, 8192, 2048), folders,
                                        compilers.toolkit_headers())

    def key(self):
        limits = self.limits
        return f"{compilers.version(self.fronts)} {limits.cpu_s} {limits.memory_mib} " \
               f"{limits.disk_mib} {self.checks} {self.fence.fenced} {self.folders} {installed()}"

    def survey(self, path):
        out = tempfile.mkdtemp(prefix="simt-survey.")
        try:
            return self.survey_in(path, out)
        finally:
            shutil.rmtree(out, ignore_errors=True)

    def survey_in(self, path, out):
        result = {"program": str(path.relative_to(self.root)), "fronts": {}}
        texts = {}
        for front in self.fronts:
            place = os.path.join(out, front.name)
            os.mkdir(place)
            record, texts[front.name] = self.try_front(front, path, place)
            result["fronts"][front.name] = record
        conclude(result, texts)
        return result

    def try_front(self, front, path, place):
        """(record, (output, that of the checked run, a function that runs it once more for one))"""
        build = self.builder.build(front.command, path, place)
        record = build.record()
        if not build.good:
            record |= {"outcome": build.outcome, "reason": build.reason, "change": build.change,
                       "feature": build.feature, "place": build.place}
            return record, ("", "", None)
        calls = self.calls_of(path)
        tried = self.attempt(build.path, calls[0], path, place)
        tried = self.with_other_arguments(tried, build.path, calls[1:], path, place)
        tried = self.with_less(tried, build.path, path, place)
        command = [build.path, *tried.call.arguments]
        record |= {"outcome": tried.outcome, "reason": tried.reason.replace(f"{self.root}/", ""),
                   "change": tried.change, "feature": "", "cpu_s": round(tried.run.cpu_s, 3),
                   "launched": tried.launched, "arguments": tried.call.arguments,
                   "tail": tried.run.output[-2000:]}
        executed = (tried.report or {}).get("counters", {}).get("warp_instructions", 0)
        if executed and tried.run.cpu_s > 0.05:
            record["warp_instructions_per_s"] = round(executed / tried.run.cpu_s)
        checked = ""
        if self.checks and tried.outcome in ("right", "ran", "wrong"):
            checked = self.run_checked(record, command, tried.call, place, tried.devices)
        return record, (tried.run.output, checked,
                        lambda: self.run_plain(command, tried.call, place)[0].output)

    def calls_of(self, path):
        """How to run a program: as its Makefile does, in a copy of the Makefile's folder."""
        makefile = makefiles.nearest(path, self.root)
        calls = recipes.calls(path, makefile) if makefile else []
        base = path.parent
        if calls and makefile.folder in path.parents and \
                self.fence.takes(makefile.folder, self.limits.disk_mib):
            base = makefile.folder
        for call in calls:
            call.base, call.name = base, path.stem
            if not call.folder.is_dir() or (call.folder == makefile.folder != base):
                call.folder = base
        return calls or [recipes.Call([], base, name=path.stem)]

    def attempt(self, program, call, path, place, environment=None):
        command = [program, *call.arguments]
        done = self.run_plain(command, call, place, environment)
        if done[0].status is None and not done[1] and not done[0].out_of_time:
            done = done[0], {"launched": self.launches(command, call, place, environment)}, done[2]
        asked = absent.Asked(call.arguments, [call.folder, path.parent, self.root],
                             sources.reads_arguments(path), sources.opened(path))
        tried = Attempt(call, environment or {}, done, asked)
        if tried.devices and tried.outcome in ("right", "ran"):
            tried.reason = f"with {' '.join(f'{name}={n}' for name, n in tried.devices.items())}"
        return tried

    def launches(self, command, call, place, environment):
        """Whether a program that crashed, and so left no report, had launched a kernel: with hardly
        an instruction for each, the software GPU says so of the first."""
        run, _ = self.run(command, call, place, {**(environment or {}), **AT_ONCE}, 1)
        return int("cudaErrorLaunchTimeout" in run.output)

    def with_other_arguments(self, tried, program, calls, path, place):
        """Of a program that lacks arguments or a file, as the Makefile runs it a second time, as
        notes say, or with the arguments of the program beside it."""
        if tried.outcome not in ("input", "needs"):
            return tried
        more = [call.arguments for call in calls]
        if tried.outcome == "input":
            more += sources.hinted_arguments(path, self.root, tried.run.output)
            makefile = makefiles.nearest(path, self.root)
            more += [call.arguments for call in
                     (recipes.calls_beside(path, makefile) if makefile else [])]
        for given in more:
            again = self.attempt(program, tried.call.other(given), path, place)
            if again.outcome not in ("input", "needs"):
                return again
        return tried

    def with_less(self, tried, program, path, place):
        """Of a program that is too slow or too large: without counters, with smaller arguments; the
        latter also where the host's code crashes before a kernel is launched, as it does when a
        malloc() fails that it does not look at. A size with which nothing is launched says
        nothing."""
        if tried.outcome != "slow" and not tried.crashed_first:
            return tried
        given, ended, best = tried.call.arguments, outcomes.how_it_ended(tried.run), tried
        for less in [*([given] if tried.run.out_of_time else []),
                     *sources.smaller_arguments(given)]:
            again = self.attempt(program, tried.call.other(less), path, place, UNCOUNTED)
            if again.outcome in ("right", "ran") and (again.launched or less == given):
                reason = "without counters and times (SIMT_COUNTERS=0)" if less == given else \
                    f"with smaller arguments: {' '.join(less)}"
                reason += f" ({ended} with {' '.join(given)})" if tried.crashed_first else ""
                again.reason = "; ".join(filter(None, [reason, again.reason]))
                return again
            if tried.crashed_first and again.outcome == "slow":
                again.reason = f"{ended} before a kernel is launched; with smaller arguments " \
                               f"({' '.join(less)}) {again.reason}"
                best = again
        return best

    def run_plain(self, command, call, place, environment=None):
        """(run, report, what it asks for of the environment): a program for several GPUs gets
        them."""
        environment = environment or {}
        run, report = self.run(command, call, place, environment, 1)
        if run.out_of_time or not outcomes.MORE_DEVICES.search(run.output):
            return run, report, {}
        found = run, report, {}
        for n in DEVICES:
            devices = {"SIMT_DEVICES": n}
            more, report_of_more = self.run(command, call, place, {**environment, **devices}, 1)
            if outcomes.MORE_DEVICES.search(more.output):
                continue
            if more.status == 0 or not found[2]:
                found = more, report_of_more, devices
            if more.status == 0:
                break
        return found

    def run_checked(self, record, command, call, place, environment):
        run, report = self.run(command, call, place,
                               {"SIMT_CHECK": "all", **UNTIMED, **environment}, CHECKED_TIMES)
        record["checked"] = "slow" if run.out_of_time else "done" if report else "no report"
        record["findings"] = outcomes.findings_of(report, self.root)
        return run.output

    def run(self, command, call, place, environment, times):
        report = os.path.join(place, "report.json")
        with open(report, "w", encoding="utf-8"):
            pass
        limits = self.limits
        started = command
        if call.folder != call.base:
            started = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', str(call.folder), *command]
        run = self.fence.run(started, str(call.base), [report, command[0]],
                             {**call.environment, "SIMT_REPORT": report, "SIMT_THREADS": "1",
                              **environment},
                             fence.Limits(times * limits.cpu_s, limits.memory_mib, limits.disk_mib))
        for there, here in ((command[0], call.name), (f"{place}/", ""), (f"{self.root}/", "")):
            run.output = run.output.replace(there, here)  # a row says where in the folder
        return run, outcomes.read_report(report)


def rank(record):
    """Of two fronts' results the smaller is shown. What a program needs of the toolkit for simtcc
    alone says less than why nvcc, which has it, does not take the program."""
    if record["outcome"] == "needs" and record["feature"] in TOOLKIT:
        return len(BETTER)
    return BETTER.index(record["outcome"])


def is_invalid(fronts):
    """No compiler takes it: all for the same line, or the same unknown name in one file, or nvcc's
    front end for one and simtcc for want of Thrust and CUB."""
    if len(fronts) < 2 or not all(one["outcome"] == "refused" or rank(one) == len(BETTER)
                                  for one in fronts.values()):
        return False
    refused = [one for one in fronts.values() if one["outcome"] == "refused"]
    places = {one.get("place") or "" for one in refused}
    names = {((one.get("place") or "").partition(":")[0], one.get("feature") or "")
             for one in refused}
    return (len(places) == 1 and "" not in places) or \
        (len(names) == 1 and all(next(iter(names))))


def conclude(result, texts):
    """The program's row: the better front's outcome, the checkers' findings, agreement."""
    fronts = result["fronts"]
    best = min(fronts, key=lambda name: rank(fronts[name]))
    for key in ("outcome", "reason", "change", "feature"):
        result[key] = fronts[best][key]
    if is_invalid(fronts):
        result["outcome"] = "invalid"
    result["best"] = best
    result["findings"] = fronts[best].get("findings", [])
    result["checked"] = fronts[best].get("checked", "")
    result["warp_instructions_per_s"] = fronts[best].get("warp_instructions_per_s")
    ran = [name for name in fronts if fronts[name]["outcome"] in ("right", "ran", "wrong")]
    result["agree"] = None
    if len(ran) == 2:
        (one, checked, run_again), (other, *_) = texts[ran[0]], texts[ran[1]]
        result["agree"] = outcomes.agree(one, other, checked or one)
        if result["agree"] is False and not checked:
            result["agree"] = outcomes.agree(one, other, run_again())
        if result["agree"] is False and result["outcome"] != "wrong": # whose reason says more
            result["outcome"] = "wrong"
            result["reason"] = f"{ran[0]} and {ran[1]} print different values"
            result["change"] = "a race or an uninitialised value is likely: see the findings"
