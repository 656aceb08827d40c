#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Why a stored target is not met: an argument for every row that is missed or tied.

    target_reasons.py --check [figures/data]    exit 1 when a row has none, or one that is not true

Each reason is for targets, regimes and verdicts that match, and makes a *claim* that the stored
numbers must bear out:

  BEYOND      the target asks for less time than a kernel takes that only moves the bytes
  TIED        the target lies within the spread of the ratio, p10 to p90
  ELSEWHERE   another kernel of ours, or block size, is fast enough in the same contest
  REACHABLE   no kernel of ours is, but the hardware would allow it, as the ceiling shows. The
              honest one: `text` says what was tried, or what stands in the way

A row has the first reason that matches and whose claim is true. The last three exclude each other,
so none can be claimed for convenience. A reason that no row needs is only named, since another run
may need it.
"""

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from stored_data import StoredData, UnknownKey  # noqa: E402
from targets import Targets, kind_of  # noqa: E402

BEYOND, TIED, ELSEWHERE, REACHABLE = "beyond", "tied", "elsewhere", "reachable"


class Reason:
    """An argument for the rows that match: of which target, regime and verdict."""

    def __init__(self, target, claim, text, regime="", verdict=""):
        self.target, self.claim, self.text = target, claim, text
        self.regime, self.verdict = regime, verdict

    def fits(self, row):
        asked = ((self.target, row.target), (self.regime, row.regime), (self.verdict, row.verdict))
        return all(not pattern or re.fullmatch(pattern, text) for pattern, text in asked)

    def name(self):
        return " ".join(filter(None, (self.target, self.regime, self.verdict, self.claim)))


REASONS = [
    Reason(".*", TIED, "The medians differ by less than the rounds do among each other.",
           verdict="ties"),
    Reason(".*", ELSEWHERE, "The target stands for the task, and one of the kernels is enough."),

    Reason("sum misaligned", BEYOND,
           "Ours reads all but a few elements at the ends with aligned loads of 16 bytes. CUB, "
           "which "
           "looks at the pointer, goes over to loads of 4 bytes, so many of them under way at once "
           "that it hardly suffers. What it loses is all that there is to be won."),

    Reason("histogram equal", BEYOND,
           "Equal samples are the library's best case: it counts a run of equal neighbours as one "
           "addition. Its time, divided by the target, is less than reading takes."),

    Reason("bytes (skewed|equal)", BEYOND,
           "A byte each: four times as many samples to count in the same bytes. On uniform ones "
           "that "
           "holds CUB up, and leaves room. On skewed and equal ones it counts runs of equal "
           "neighbours as one, and is so near the ceiling that the target lies beyond."),

    Reason("histogram (uniform|skewed)", REACHABLE,
           "What is left is the begin and the end: counters set to zero, and added up."),
    Reason("bytes .*", REACHABLE,
           "An addition to shared memory for every byte is the next thing after memory to run out; "
           "the more threads share a block's copies of the counters, the better it is hidden."),

    Reason("sum", REACHABLE,
           "What is left is not memory but the way there and to the end: begin, read, hand the sum "
           "to "
           "one block, let it add and write. From a graph even a second launch, as CUB has it, "
           "costs "
           "little. Our other ways to finish took part in the same contest."),

    Reason("scan.*", REACHABLE,
           "A tile cannot be written before the sum of all tiles before it is known. Leaving the "
           "next "
           "tile's sum before looking back hides most of that wait. A resident block's first tile "
           "and its last hide nothing, and weigh the more, the fewer tiles it has."),
]


# --- claims ---------------------------------------------------------------------------------------

def is_beyond(row, targets):
    """Does the target ask for less time than the ceiling's fastest rounds took (p10), and than any
    kernel of ours? (A launch that overlaps the one before may hide more than the ceiling's.)"""
    ceiling = targets.ceiling(row)
    return (ceiling is not None and wanted_us(row, targets) < ceiling.p10_us
            and kernel_that_meets(row, targets) is None)


def wanted_us(row, targets):
    """The time that would meet the target."""
    return targets.reference(row).median_us / row.wanted


def kernel_that_meets(row, targets):
    """Our fastest other kernel, if it takes no more time than would meet the row's target; else
    None."""
    others = targets.others_of_ours(row)
    return others[0] if others and others[0].median_us <= wanted_us(row, targets) else None


def holds(reason, row, targets):
    """Whether what the reason claims of this row is so."""
    if reason.claim == BEYOND:
        return is_beyond(row, targets)
    if reason.claim == TIED:
        return row.ratio_p10 <= row.wanted <= row.ratio_p90
    if reason.claim == ELSEWHERE:
        return kernel_that_meets(row, targets) is not None
    return (targets.ceiling(row) is not None and not is_beyond(row, targets)
            and kernel_that_meets(row, targets) is None)


def reason_for(row, targets, reasons):
    """The first reason that matches and whose claim is true; None if there is none."""
    return next((reason for reason in reasons
                 if reason.fits(row) and holds(reason, row, targets)), None)


# --- the check ------------------------------------------------------------------------------------

def complaint_about(row, targets, reasons):
    """What is wrong with a row that is held against something; "" when nothing is."""
    if kind_of(row.target) is None:
        return "the page has no section for this target (KINDS in targets.py)"
    if row.verdict == "met" or reason_for(row, targets, reasons):
        return ""
    claims = [reason.claim for reason in reasons if reason.fits(row)]
    unproved = f"; the stored numbers do not bear out: {', '.join(claims)}" if claims else ""
    return f"{row.verdict} ({row.ratio} of {row.wanted}), and no argument{unproved}"


def complaints(targets, reasons):
    """One line each; nothing when every row is met or has a true argument."""
    found = ((row, complaint_about(row, targets, reasons)) for row in targets.held())
    return [f"{row.place()}: {complaint}" for row, complaint in found if complaint]


def leftovers(targets, reasons):
    """Reasons that no row of this run needs."""
    used = {id(reason_for(row, targets, reasons)) for row in targets.held()
            if row.verdict != "met" and kind_of(row.target)}
    return [reason for reason in reasons if id(reason) not in used]


def check(folder):
    try:
        targets = Targets(StoredData(folder))
    except (UnknownKey, ValueError, KeyError) as error:
        print(f"target_reasons: {error}", file=sys.stderr)
        return 1
    found = complaints(targets, REASONS)
    print("".join(line + "\n" for line in found), end="")
    for reason in leftovers(targets, REASONS):
        print(f"not needed by this run: {reason.name()}")
    n_open = sum(row.verdict != "met" for row in targets.held())
    print(f"{len(targets.held())} targets, {n_open} missed or tied, {len(found)} complaints")
    return 1 if found or not targets.held() else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", required=True)
    parser.add_argument("data", nargs="?", type=Path,
                        default=Path(__file__).resolve().parents[2] / "figures/data")
    return check(parser.parse_args().data)


if __name__ == "__main__":
    sys.exit(main())
