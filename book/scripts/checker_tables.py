# SPDX-License-Identifier: MIT
"""Tables about the checkers, from what their tests store in figures/data/: the corpus of wrong and
mended programs, the lessons with one synchronisation taken out, and compute-sanitizer beside our
own.

  {{checker_corpus}}      a row for each kind of finding: how many pairs, and when the mistake shows
  {{checker_pairs RACE}}  a row for each pair whose name begins with `race_`
  {{corpus pairs}}        a number: pairs, schedules, shows_lockstep, shows_sometimes, never_shows
  {{removals}}            a row for each program: synchronisations taken out, and who finds that
  {{removals_not_found}}  those that no checker finds, and why
  {{removal removals}}    a number: removals, found, racecheck, initcheck, synccheck, lockstep,
                          wrong, not_found
  {{sanitizer}}           by checker: found by compute-sanitizer too, by ours alone
  {{sanitizer_missed}}    the programs in which compute-sanitizer finds nothing
  {{checker_kinds}}       a row for each kind of finding there is, from findings.def
  {{checker_report}}      a stored report, as people see it; {{checker_report NAME 1}}:
                          figures/data/NAME.txt, the first finding alone
  {{checker_errors NAME}} how many errors it ends with
  {{sanitized both}}      a number: both, ours_only, pairs, alarms
"""

import re

from tables import cell, code, table

CORPUS, REMOVALS, SANITIZER = "checks-corpus", "checks-mutations", "h200-sanitizer-corpus"
SCHEDULES = ("lockstep", "reverse", "lane-serial", "random:1", "random:2", "random:3",
             "delayed-stores")
CHECKERS = ("memcheck", "initcheck", "synccheck", "racecheck", "schedule", "core")
RIGHT = "---", "--:", "--:", "--:", "--:"


def rows_of(data, name):
    return list(data.table(name).values.values())


def shows(row):
    """The schedules under which a wrong program's result is wrong, or it comes to no result."""
    return [s for s in SCHEDULES if row[s] not in ("right", "-")]


def checker_corpus(data):
    by_kind = {}
    for row in rows_of(data, CORPUS):
        for kind in row["finds"].split():
            by_kind.setdefault(kind, []).append(row)
    lines = []
    for kind in sorted(by_kind,
                       key=lambda k: (CHECKERS.index(by_kind[k][0]["checkers"].split()[0]), k)):
        rows = by_kind[kind]
        lines.append([code(kind), rows[0]["checkers"].split()[0], str(len(rows)),
                      str(sum("lockstep" in shows(row) for row in rows)),
                      str(sum(bool(shows(row)) for row in rows))])
    return table(["Finding", "Checker", "Pairs", "Result wrong in lockstep", "Under some schedule"],
                 lines,
                 ["---", "---", "--:", "--:", "--:"])


def checker_pairs(data, family):
    rows = [row for row in rows_of(data, CORPUS) if row["program"].startswith(family.lower() + "_")]
    if not rows:
        raise ValueError(f"no pair is called {family.lower()}_…")
    lines = [[code(row["program"]), cell(row["about"]), ", ".join(map(code, row["finds"].split())),
              ", ".join(shows(row)) or ("in a sweep" if row["lockstep"] == "-"
                                        else "-")] for row in rows]
    return table(["Program", "What is wrong", "Must be found", "Result wrong under"], lines)


def corpus(data, what):
    rows = rows_of(data, CORPUS)
    return str({"pairs": len(rows), "schedules": len(SCHEDULES),
                "shows_lockstep": sum("lockstep" in shows(row) for row in rows),
                "shows_sometimes": sum(bool(shows(row)) for row in rows),
                "never_shows": sum(not shows(row) for row in rows)}[what])


def removals(data):
    by_program = {}
    for row in rows_of(data, REMOVALS):
        by_program.setdefault(row["program"], []).append(row)
    lines = []
    for program, rows in by_program.items():
        found = [sum(checker in row["found_by"].split() for row in rows)
                 for checker in ("racecheck", "initcheck", "synccheck")]
        lines.append([code(program), str(len(rows)), *map(str, found),
                      str(sum(not row["found_by"] for row in rows)),
                      str(sum("lockstep" in row["wrong_under"].split() for row in rows)),
                      str(sum(bool(row["wrong_under"]) for row in rows))])
    return table(["Program", "Taken out", "racecheck", "initcheck", "synccheck", "Not found",
                  "Wrong in lockstep", "Wrong under some schedule"], lines, ["---"] + ["--:"] * 7)


def removals_not_found(data):
    lines = [[code(row["program"]), code(row["function"]), code(row["call"]), cell(row["why"])]
             for row in rows_of(data, REMOVALS) if not row["found_by"]]
    return table(["Program", "Function", "Taken out", "Why nothing is found"],
                 lines) if lines else \
        "Every removal is found."


def removal(data, what):
    rows = rows_of(data, REMOVALS)
    numbers = {"removals": len(rows), "found": sum(bool(row["found_by"]) for row in rows),
               "not_found": sum(not row["found_by"] for row in rows),
               "lockstep": sum("lockstep" in row["wrong_under"].split() for row in rows),
               "wrong": sum(bool(row["wrong_under"]) for row in rows)}
    for checker in ("racecheck", "initcheck", "synccheck"):
        numbers[checker] = sum(checker in row["found_by"].split() for row in rows)
    return str(numbers[what])


def checkers_of(data):
    """{program: the checker of ours that finds its mistake}; the first, where several do."""
    return {row["program"]: row["checkers"].split()[0] for row in rows_of(data, CORPUS)}


def sanitizer(data):
    ours, rows = checkers_of(data), rows_of(data, SANITIZER)
    lines = []
    for checker in CHECKERS:
        mine = [row for row in rows if ours[row["program"]] == checker]
        if mine:
            both = [row for row in mine if row["verdict"] == "both"]
            lines.append([checker, str(len(mine)), str(len(both)),
                          str(sum(row["theirs"] == "warning"
                                  for row in both)), str(len(mine) - len(both))])
    return table(["Our checker", "Pairs", "Found by compute-sanitizer too",
                  "of these, as a warning only",
                  "By ours alone"], lines, RIGHT)


def sanitizer_missed(data):
    about = {row["program"]: row for row in rows_of(data, CORPUS)}
    lines = [[code(row["program"]), cell(about[row["program"]]["about"]),
              ", ".join(map(code, row["finds"].split()))]
             for row in rows_of(data, SANITIZER) if row["verdict"] != "both"]
    return table(["Program", "What is wrong", "Ours finds"], lines)


def sanitized(data, what):
    rows = rows_of(data, SANITIZER)
    return str({"pairs": len(rows), "both": sum(row["verdict"] == "both" for row in rows),
                "ours_only": sum(row["verdict"] == "ours only" for row in rows),
                "alarms": sum(row["mended"] != "-" for row in rows)}[what])


FINDING = re.compile(r'^SIMT_FINDING\((\w+), (\w+), (\w+), "(.*)"\)$', re.MULTILINE)


def checker_kinds(definition):
    """The kinds of findings.def, which is also what the program says."""
    rows = FINDING.findall(definition)
    if not rows:
        raise ValueError("findings.def has no SIMT_FINDING rows")
    lines = [[code(name), checker.lower() if checker != "CORE" else "always", severity.lower(),
              cell(title)]
             for name, checker, severity, title in rows]
    return table(["Name in JSON", "Checker", "", "What the report says"], lines)


def checker_report(text, shown=None):
    """A stored report without its head, which says how it was made; of its findings the first
    `shown`."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    if shown:
        starts = [i for i, line in enumerate(lines) if line.startswith("simt: ")]
        if not 0 < int(shown) < len(starts):
            raise ValueError(f"the report has no {shown} findings with more after them")
        lines = lines[:starts[int(shown)]] + ["…"]
    return "```\n" + "".join(line + "\n" for line in lines) + "```"


def checker_errors(text):
    found = re.search(r"^simt: (\d+) errors? and", text, re.MULTILINE)
    if not found:
        raise ValueError("the report does not end with a number of errors")
    return found[1]


def pieces(data):
    """What a page may ask for, by name."""
    makers = (checker_corpus, checker_pairs, corpus, removals, removals_not_found, removal,
              sanitizer,
              sanitizer_missed, sanitized)

    def bind(maker):
        return lambda *words: maker(data, *words)

    return {maker.__name__: bind(maker) for maker in makers}
