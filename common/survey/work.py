# SPDX-License-Identifier: MIT
"""All that is done with one program: build with each compiler, run plain and checked, judge."""

import os
import shutil
import tempfile

import building
import compilers
import fence
import outcomes
import sources
from foreign import TOOLKIT

CHECKED_TIMES = 4  # how much longer a run with all checkers may take
# Which front's result a program's row shows: the better one.
BETTER = ["right", "ran", "wrong", "slow", "input", "needs", "refused"]
# Faster, but for a program that waits for time to pass.
UNTIMED = {"SIMT_MODEL": "0"}
UNCOUNTED = {"SIMT_COUNTERS": "0"}  # and no times either
DEVICES = ("4", "2")  # for a program that asks for more than one: some take no more than two


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
               f"{limits.disk_mib} {self.checks} {self.fence.fenced} {self.folders}"

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
        given = sources.arguments(path, self.root)
        run, report, devices = self.run_plain([build.path, *given], path, place)
        outcome, reason, change = outcomes.of_run(run, report)
        hints = sources.hinted_arguments(path, self.root, run.output) if outcome == "input" else []
        for hint in hints:
            again = self.run_plain([build.path, *hint], path, place)
            if outcomes.of_run(*again[:2])[0] != "input":
                given, (run, report, devices) = hint, again
                outcome, reason, change = outcomes.of_run(run, report)
                break
        for less in [given, *sources.smaller_arguments(given)] if run.out_of_time else []:
            again = self.run_plain([build.path, *less], path, place, UNCOUNTED)
            if outcomes.of_run(*again[:2])[0] in ("right", "ran"):
                outcome, change = outcomes.of_run(*again[:2])[0], ""
                reason = "without counters and times (SIMT_COUNTERS=0)" if less == given else \
                    f"with smaller arguments: {' '.join(less)}"
                given, (run, report, devices) = less, again
                break
        command = [build.path, *given]
        reason = reason.replace(f"{self.root}/", "")
        if devices and outcome in ("right", "ran"):
            reason = f"with {' '.join(f'{name}={n}' for name, n in devices.items())}"
        record |= {"outcome": outcome, "reason": reason, "change": change, "feature": "",
                   "cpu_s": round(run.cpu_s, 3), "launched": (report or {}).get("launched", 0),
                   "arguments": given, "tail": run.output[-2000:]}
        executed = (report or {}).get("counters", {}).get("warp_instructions", 0)
        if executed and run.cpu_s > 0.05:
            record["warp_instructions_per_s"] = round(executed / run.cpu_s)
        checked = ""
        if self.checks and outcome in ("right", "ran", "wrong"):
            checked = self.run_checked(record, command, path, place, devices)
        return record, (run.output, checked,
                        lambda: self.run_plain(command, path, place)[0].output)

    def run_plain(self, command, path, place, environment=None):
        """(run, report, what it asks for of the environment): a program for several GPUs gets
        them."""
        environment = environment or {}
        run, report = self.run(command, path, place, environment, 1)
        if run.out_of_time or not outcomes.MORE_DEVICES.search(run.output):
            return run, report, {}
        found = run, report, {}
        for n in DEVICES:
            devices = {"SIMT_DEVICES": n}
            more, report_of_more = self.run(command, path, place, {**environment, **devices}, 1)
            if outcomes.MORE_DEVICES.search(more.output):
                continue
            if more.status == 0 or not found[2]:
                found = more, report_of_more, devices
            if more.status == 0:
                break
        return found

    def run_checked(self, record, command, path, place, environment):
        run, report = self.run(command, path, place,
                               {"SIMT_CHECK": "all", **UNTIMED, **environment}, CHECKED_TIMES)
        record["checked"] = "slow" if run.out_of_time else "done" if report else "no report"
        record["findings"] = outcomes.findings_of(report, self.root)
        return run.output

    def run(self, command, path, place, environment, times):
        report = os.path.join(place, "report.json")
        with open(report, "w", encoding="utf-8"):
            pass
        limits = self.limits
        run = self.fence.run(command, str(path.parent), [report, command[0]],
                             {"SIMT_REPORT": report, "SIMT_THREADS": "1", **environment},
                             fence.Limits(times * limits.cpu_s, limits.memory_mib, limits.disk_mib))
        for there, here in ((command[0], path.stem), (f"{place}/", ""), (f"{self.root}/", "")):
            run.output = run.output.replace(there, here)  # a row says where in the folder
        return run, outcomes.read_report(report)


def rank(record):
    """Of two fronts' results the smaller is shown. What a program needs of the toolkit for simtcc
    alone says less than why nvcc, which has it, does not take the program."""
    if record["outcome"] == "needs" and record["feature"] in TOOLKIT:
        return len(BETTER)
    return BETTER.index(record["outcome"])


def is_invalid(fronts):
    """No compiler takes it: all for the same line, or nvcc's front end for one and simtcc for want
    of Thrust and CUB."""
    if len(fronts) < 2 or not all(one["outcome"] == "refused" or rank(one) == len(BETTER)
                                  for one in fronts.values()):
        return False
    places = {one.get("place") for one in fronts.values() if one["outcome"] == "refused"}
    return len(places) == 1 and places.isdisjoint({"", None})


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
        if result["agree"] is False:
            result["outcome"] = "wrong"
            result["reason"] = f"{ran[0]} and {ran[1]} print different values"
            result["change"] = "a race or an uninitialised value is likely: see the findings"
