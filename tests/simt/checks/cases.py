# SPDX-License-Identifier: MIT
"""The corpus of wrong and mended programs: what each file says about itself, how many of them
become one program, and the judgement of what a run found.

A case is NAME.cu: wrong with MENDED = 0, right with MENDED = 1. In its comments:

    FINDS: KIND @mark [@mark]      must be found, at the lines that end with these marks
    FINDS (SCHEDULE...): ...       likewise, but under these schedules only
    MAY FIND: KIND @mark [@mark]   may be found besides: what follows from the same mistake
    SHOWS: SCHEDULE...             under these the result is visibly wrong
    SCHEDULES: SCHEDULE...         run under these instead of the usual ones

The schedule and the compiler decide which of two unordered accesses runs first. KIND itself must be
found in a clang build under `lockstep`; elsewhere the read and the write may be swapped. The pair
may always be found in swapped order as well.
"""

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCHEDULES = ("lockstep", "reverse", "lane-serial", "random:1", "random:2", "random:3",
             "delayed-stores")
DIRECTIVE = re.compile(r"^// (FINDS|MAY FIND|SHOWS|SCHEDULES)(?: \(([^)]*)\))?: *(.*)$")
MARK = re.compile(r"// ?@(\w+)\s*$")
KIND = re.compile(r"^SIMT_FINDING\((\w+), (\w+), (\w+)", re.MULTILINE)

# Many programs are built as one file, because headers take most of a compiler's time.
PREAMBLE = """#include <cooperative_groups.h>
#include <cuda_fp16.h>

#include <cassert>

#include "case.h"
#define main case_main
"""


MAIN = """#undef main
int main(int argc, char **argv) {
  static const struct {
    const char *name;
    int (*run)();
  } all[] = {
ROWS  };
  int status = argc > 1 ? 0 : 2;
  for (int i = 1; i < argc; i++)
    for (const auto &one : all)
      if (!strcmp(argv[i], one.name)) status |= one.run();
  return status;
}
"""


class CaseError(Exception):
    """A case says something about itself that cannot be."""


class Expected:
    """One finding that must or may be there: kind, and the lines of its one or two places."""

    def __init__(self, kind, lines, schedules):
        self.kind, self.lines, self.schedules = kind, lines, schedules

    def under(self, schedule):
        return not self.schedules or schedule in self.schedules

    def __str__(self):
        return f"{self.kind} at line{'s' * (len(self.lines) > 1)} " + \
            " and ".join(map(str, self.lines)) if self.lines else self.kind


class Case:
    """One file of the corpus."""

    def __init__(self, path):
        self.path, self.name = path, path.stem
        self.finds, self.may_find, self.shows, self.schedules = [], [], [], SCHEDULES
        self.text = path.read_text(encoding="utf-8")
        self.marks = {}
        for number, line in enumerate(self.text.split("\n"), 1):
            mark = MARK.search(line)
            if mark and not DIRECTIVE.match(line):
                self.marks.setdefault(mark[1], []).append(number)
        for line in self.text.split("\n"):
            match = DIRECTIVE.match(line)
            if match:
                self.direct(*match.groups())
        if not self.finds:
            raise CaseError(f"{path.name}: no FINDS line")

    def direct(self, what, schedules, rest):
        words = rest.split()
        if what == "SHOWS":
            self.shows = words
        elif what == "SCHEDULES":
            self.schedules = tuple(words)
        else:
            to = self.finds if what == "FINDS" else self.may_find
            to += self.expected(words, (schedules or "").split())

    def expected(self, words, schedules):
        """A mark may stand at several lines: the finding is then at one of them."""
        kind, marks = words[0], words[1:]
        if kind not in kinds():
            raise CaseError(f"{self.path.name}: no kind of finding is called {kind}")
        for mark in marks:
            if mark[0] != "@" or mark[1:] not in self.marks:
                raise CaseError(f"{self.path.name}: no line is marked {mark}")
        lines = tuple(tuple(self.marks[mark[1:]]) for mark in marks)
        return [Expected(kind, lines, schedules)]

    @property
    def description(self):
        """The comment at the top, without the directives."""
        lines = []
        for line in self.text.split("\n")[1:]:
            if not line.startswith("// "):
                break
            lines.append(line[3:])
        return " ".join(lines)


def kinds():
    """{kind: (checker, severity)} of findings.def."""
    if not kinds.known:
        text = (HERE.parents[2] / "common/simt/findings/findings.def").read_text(encoding="utf-8")
        kinds.known = {name: (checker.lower(), severity.lower())
                       for name, checker, severity in KIND.findall(text)}
    return kinds.known


kinds.known = {}


def read_cases(folder=HERE, only=None):
    cases = [Case(path) for path in sorted(folder.glob("*.cu"))]
    return [case for case in cases if not only or any(re.search(word, case.name) for word in only)]


def batch_source(cases):
    """One program of several cases, each in both versions; arguments: NAME/wrong or NAME/mended."""
    parts, rows = [PREAMBLE], []
    for case in cases:
        for mended, version in enumerate(("wrong", "mended")):
            space = f"{case.name}_{version}"
            parts.append(f"#undef MENDED\n#define MENDED {mended}\nnamespace {space} {{\n"
                         f"#include \"{case.path.name}\"\n}}\n")
            rows.append(f"    {{\"{case.name}/{version}\", {space}::case_main}},\n")
    return "".join(parts) + MAIN.replace("ROWS", "".join(rows))


# ---- judgement -----------------------------------------------------------------------------------

TURNED = {"race_read_after_write": "race_write_after_read",
          "race_write_after_read": "race_read_after_write"}
EITHER_WAY = {"race_write_after_write", "race_atomic", "race_scope", "race_same_value",
              "divergent_barrier", "divergent_collective", "barrier_lines"}


def places(finding, own=None):
    """The lines of a finding's one or two places: [(file name, line)]. Of a place in a function
    that was inlined from another file, such as a header, the innermost line in the file `own`."""
    found = []
    for place in filter(None, (finding.get("first"), finding.get("second"))):
        frames = [(Path(frame["file"]).name, frame["line"])
                  for frame in [place] + place.get("inlined_at", [])]
        found.append(next((frame for frame in frames if frame[0] == own), frames[0]))
    return found


def fits_lines(case, places_found, lines):
    return len(places_found) == len(lines) and all(
        name == case.path.name and line in allowed
        for (name, line), allowed in zip(places_found, lines))


def fits(case, finding, expected, strict):
    """Whether a finding is the expected one; `strict`: in the order that stands in the case."""
    found = places(finding, case.path.name)
    if not expected.lines:
        return finding["kind"] == expected.kind
    if finding["kind"] == expected.kind and fits_lines(case, found, expected.lines):
        return True
    turned = fits_lines(case, found[::-1], expected.lines)
    if expected.kind in EITHER_WAY:
        return finding["kind"] == expected.kind and turned
    return not strict and turned and finding["kind"] == TURNED.get(expected.kind)


def say(finding):
    where = " and ".join(f"{name}:{line}" for name, line in places(finding))
    return finding["kind"] + (f" at {where}" if where else "")


def judge(case, version, schedule, findings, result, strict):
    """What is not as it must be, as a list of sentences."""
    if version == "mended":
        wrong = [f"mended, but finds {say(f)}" for f in findings]
        return wrong + ([f"mended, but the result is {result}"] if result != "right" else [])
    complaints = []
    wanted = [e for e in case.finds if e.under(schedule)]
    for e in wanted:
        if not any(fits(case, f, e, strict) for f in findings):
            complaints.append(f"does not find {e}")
    # A required finding must be found as written; it may also be found the other way round.
    may = wanted + [e for e in case.may_find if e.under(schedule)]
    complaints += [f"finds {say(f)}, which is not expected" for f in findings
                   if not any(fits(case, f, e, False) for e in may)]
    if schedule in case.shows and result == "right":
        complaints.append("the result is right, but should show the mistake")
    return complaints
