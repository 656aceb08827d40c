# SPDX-License-Identifier: MIT
"""The survey's result as text for a terminal and as JSON."""

import json
import os
import shutil
import textwrap

from outcomes import OUTCOMES

SHOWN_FINDINGS, INDENT = 3, 11


def duration(seconds):
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def rate(result):
    value = result.get("warp_instructions_per_s")
    return f"{value / 1e6:.1f}" if value else "-"


def errors(result):
    return [f for f in result.get("findings", []) if f["severity"] == "error"]


def checks(result):
    """One word or number for the checkers' column."""
    if result.get("checked") == "slow":
        return "slow"
    return str(len(errors(result))) if result.get("checked") == "done" else "-"


def in_order(results):
    order = list(OUTCOMES)
    return sorted(results, key=lambda r: (order.index(r["outcome"]), r["program"]))


def shares(about, results):
    """Lines that sum up: of programs that need nothing from outside, how many run right."""
    judged = [r for r in results if r["outcome"] not in ("needs", "input", "invalid")]
    lines = []
    for front in about["fronts"]:
        of = [r["fronts"][front]["outcome"] for r in judged if front in r["fronts"]]
        good = sum(outcome in ("right", "ran") for outcome in of)
        lines.append(f"{front}: {good} of {len(of)} programs that need nothing from outside are "
                     f"right or ran ({100 * good / max(1, len(of)):.0f} %)")
    if len(about["fronts"]) > 1:
        good = sum(r["outcome"] in ("right", "ran") for r in judged)
        compared = [r for r in results if r["agree"] is not None]
        lines.append(f"at least one compiler: {good} of {len(judged)}; both print the same "
                     f"values in {sum(r['agree'] for r in compared)} of {len(compared)} compared")
    return lines


def others(result):
    """Lines about the fronts that did worse than the row says."""
    for name, one in result["fronts"].items():
        if result["outcome"] != "invalid" and one["outcome"] not in ("right", "ran") and \
                (one["outcome"], one["reason"]) != (result["outcome"], result["reason"]):
            yield f"{name}: {one['outcome']}: {one['reason']}"


def below(text):
    """A line below a row, on several lines of the terminal where it is longer."""
    width = max(60, shutil.get_terminal_size((120, 24)).columns)
    return textwrap.wrap(text, width - 1, initial_indent=" " * INDENT, break_on_hyphens=False,
                         subsequent_indent=" " * (INDENT + 2), break_long_words=False)


def row_lines(result, widths):
    fronts = " ".join(f"{one['outcome']:7}" for one in result["fronts"].values())
    yield (f"{result['outcome']:7}  {result['program']:{widths}}  {fronts}  {checks(result):>6}  "
           f"{rate(result):>7}").rstrip()
    lines = ["; to change: ".join(filter(None, [result["reason"], result["change"]]))]
    lines += others(result)
    found = errors(result)
    for finding in found[:SHOWN_FINDINGS]:
        lines.append(f"{finding['place']}: {finding['text']}")
    if len(found) > SHOWN_FINDINGS:
        lines.append(f"and {len(found) - SHOWN_FINDINGS} more findings")
    for line in filter(None, lines):
        yield from below(line)


def text(about, results):
    room = shutil.get_terminal_size((120, 24)).columns - 28 - 8 * len(about["fronts"])
    width = min(max(40, room), max([len(r["program"]) for r in results] + [7]))
    fronts = " ".join(f"{name:7}" for name in about["fronts"])
    lines = [f"{'outcome':7}  {'program':{width}}  {fronts}  errors  Minst/s"]
    for result in in_order(results):
        lines += row_lines(result, width)
    lines.append("")
    for outcome, meaning in OUTCOMES.items():
        n = sum(r["outcome"] == outcome for r in results)
        if n:
            lines.append(f"{n:5} {outcome:7} {meaning}")
    if about["done"] < about["programs"]:
        left = about["programs"] - about["done"]
        lines.append(f"{left:5} not done yet: the same command goes on")
    lines += shares(about, results)
    lines.append("errors: what the checkers found. Minst/s: million warp instructions per second "
                 "of processor time, plain.")
    return "\n".join(lines)


def write_json(path, about, results):
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        json.dump({**about, "outcomes": OUTCOMES, "results": in_order(results)}, file, indent=1)
        file.write("\n")
    os.replace(f"{path}.new", path)
