# SPDX-License-Identifier: MIT
"""What one run of a program says: right, ran, wrong, refused, needs something, too slow.

The programs are not ours: whether one found its own result right is read out of the words it
prints, and out of its exit status. What the software GPU refused or found is in its report.
"""

import json
import os
import re
import signal

import absent

# In the order of a table; each with what it means.
OUTCOMES = {
    "right": "its own check of its results passed",
    "ran": "it ran to its end; it does not check its results",
    "wrong": "its own check failed, it crashed, or a call of CUDA failed",
    "refused": "it uses what the software GPU or the compiler does not have",
    "invalid": "no compiler takes it, for the same line: unfinished, or older than CUDA 12",
    "needs": "it needs a library or a file that is not there",
    "input": "it wants arguments or input",
    "slow": "it did not end within the limits of time or memory",
}

LONGEST_REASON = 300

HARMLESS = re.compile(
    r"\b(?:no|0|zero|without(?: any)?)\s+(?:\w+\s+)?(?:errors?|mismatch(?:es)?|failures?|"
    r"differences?)\b|"
    r"\b(?:errors?|mismatch(?:es)?|failures?|failed|differences?)\s*[:=]\s*0\b(?![.])|"
    r"^.*(?<!not )\bas expected\b.*$|"
    r"\b(?:generate|cause|provoke|trigger|force|inject)\w*\s+(?:\w+\s+){0,2}"
    r"(?:failures?|errors?)\b|"
    r"errors?\s+(?:check\w*|bound|tolerance|threshold)|no error\b|cudaSuccess",
    re.IGNORECASE | re.MULTILINE)
FAILED = re.compile(
    r"\b(?:fail(?:ed|ure|ures|s)?|mismatch(?:ed|es)?|incorrect(?:ly)?|wrong|invalid|"
    r"do(?:es)?(?:\s+not|n['o]?t)\s+(?:match|agree)|not\s+(?:the\s+same|equal|correct|matching)|"
    r"unequal|differs?|CUDA (?:runtime )?error|got (?:an )?error)\b|"
    r"\b(?:match(?:es|ed)?|equal|correct|pass(?:ed)?|valid|identical|verified|the same|success)\b"
    r"[^\n:=]{0,30}[:=]\s*(?:false|no)\b(?![ \t]*\w)|"
    # Chinese: incorrect, does not match, differs; failed, but for "failed: 0"
    r"\u4e0d(?:\u6b63\u786e|\u5339\u914d|\u4e00\u81f4)|\u5931\u8d25(?!\s*[:\uff1a]\s*0)",
    re.IGNORECASE)
PASSED = re.compile(
    r"\b(?:pass(?:ed|es)?|success(?:ful(?:ly)?)?|succeeded|correct(?:ly)?|okay|ok|match(?:es|ed)?|"
    r"verified|identical|equal|agree|the same|test passed)\b|"
    # Chinese: test or check passed; the result is correct, agrees, matches
    r"(?:\u6d4b\u8bd5|\u9a8c\u8bc1|\u6821\u9a8c|\u2705\s*)\u901a\u8fc7|\u9a8c\u8bc1\u6210\u529f|"
    r"(?:\u7ed3\u679c|\u2705)\s*(?:\u6b63\u786e|\u4e00\u81f4|\u5339\u914d)(?!\u6027)",
    re.IGNORECASE)
# Words of PASSED that are no verdict: a pass over data, a step that came to its end.
ENDED = (r"(?:finished|completed|executed|ended|exited|terminated|created|generated|allocated|"
         r"copied|loaded|read|opened|saved|written|wrote|launched|initiali[sz]ed)")
NO_VERDICT = re.compile(
    r"\b(?:forward|backward|single|first|second|third|last|final|next|render|each|this|one|two|"
    r"three|multi|per|\d+\w\w)[- ]pass(?:es)?\b|\bpass(?:es)?\s*#?\d|"
    r"\bidentical\s+(?:iterations|runs|copies)|"
    rf"\b{ENDED}\s+successfully\b|\bsuccessfully\s+{ENDED}\b", re.IGNORECASE)
WANTS = re.compile(
    r"(?<!invalid )\busage\b|not enough (?:arguments|parameters)|"
    r"missing (?:argument|parameter)|\bno input (?:data|files?)\b|"
    r"(?:enter|specify|provide) (?:a|the|an)\b|"
    r"\b(?:wrong|incorrect|invalid) number of (?:input )?arg|number of arguments must|"
    r"expected \d+ arg|^\s*(?:\w+ )?options\s*:|\bplease (?:put|give|enter|pass|specify)\b|"
    r"^[\w./-]+(?: [\[<][\w .:|-]+[\]>])+\s*$", re.IGNORECASE | re.MULTILINE)
OPTION = re.compile(r"^\s*[\[<]?-.*$|^.*\busage\b.*$", re.IGNORECASE | re.MULTILINE)
# What a device's assert prints: whether it was meant to is for the program's own words to say.
ASSERTED = re.compile(r"^.*: block: \[.*\], thread: \[.*\] Assertion `.*` failed\.$", re.MULTILINE)
# What NVIDIA's samples and their like say when the device lacks what they show, with status 2 or 0.
WAIVED = re.compile(r"\bwaiv(?:e|ed|ing)\b|\bwill not run\b|\bdo(?:es)?(?: not|n['o]?t) support\b|"
                    r"\bno (?:\w+ )?devices? (?:that )?supports?\b|"
                    r"(?:two|2) or more GPUs|at least (?:two|2) (?:GPUs|devices)", re.IGNORECASE)


# What the software GPU prints of a kernel that it cannot load: a program that aborts at once leaves
# no report.
UNLOADED = re.compile(r"^simt: cudaErrorInvalidPtx: (.*)$", re.MULTILINE)

# What it prints of an allocation for which the host has no memory within the limit.
NO_MEMORY = re.compile(r"^simt: note: (\w+: the host cannot provide \d+ bytes)|"
                       r"^simt: \w+: (no host memory left .*)$|"
                       r"what\(\): *(std::bad_alloc)", re.MULTILINE)
NOTE = re.compile(r"^simt: note: (.*)$", re.MULTILINE)  # why a call is refused
# The same of a process that the program began, whose report is not kept.
OF_A_CHILD = re.compile(r"^simt: note: (\w+: a software GPU belongs to its process.*)$",
                        re.MULTILINE)
# A deadlock that may be none on a GPU, where the host or another kernel runs beside the kernel.
BESIDE = re.compile(r"^simt: note: (a kernel is carried out before .* does not end here)$",
                    re.MULTILINE)
# What programs print that ask for more devices than there are.
MORE_DEVICES = re.compile(r"invalid device ordinal|cudaErrorInvalidDevice\b|"
                          r"\b(?:two|2) or more (?:CUDA )?(?:GPU|device)s|"
                          r"\b(?:at least|requires?|needs?|more than) (?:one|two|1|2)\b"
                          r"(?!\.\d| (?:arg|file|param|input|thread|block))|"
                          r"\b(?:only|just) (?:one|1) (?:CUDA )?(?:GPU|device)\b",
                          re.IGNORECASE)


def read_report(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def one_line(text):
    return " ".join(text.split())[:LONGEST_REASON]


# The software GPU's own messages, which are not the program's words.
OWN = re.compile(r"^simt: .*\n?(?:  .*\n?)*", re.MULTILINE)


def verdict_in(output):
    """True: it says that its results are right; False: that they are not; None: neither."""
    text = HARMLESS.sub(" ok ", ASSERTED.sub("", OWN.sub("", output)))
    if FAILED.search(text):
        return False
    return True if PASSED.search(NO_VERDICT.sub("", text)) else None


def line_with(pattern, output):
    text = HARMLESS.sub(" ok ", OWN.sub("", output))
    match = pattern.search(text)
    if not match:
        return ""
    start = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    return text[start:end if end >= 0 else len(text)].strip()[:LONGEST_REASON]


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def of_run(run, report, asked=None):
    """(outcome, reason, what to change) of a finished run. report: the software GPU's, or None;
    asked: what it was run with (absent.Asked)."""
    report, asked = report or {}, asked or absent.Asked()
    if report.get("refusal"):
        return "refused", report["refusal"], ""
    fault = report.get("device_fault")
    stuck = [x for x in report.get("findings", []) if x["kind"] == "deadlock"]
    if stuck and (beside := BESIDE.search(run.output)):
        return "refused", beside.group(1), ""
    if stuck and (run.out_of_time or fault):
        return "wrong", stuck[0]["message"] or "deadlock", "see the finding"
    if run.out_of_time:
        return "slow", "it did not end within the limits of time", "use a smaller problem, or --cpu"
    if fault and fault["error"] == "cudaErrorLaunchTimeout":
        return "slow", one_line(fault["message"]), "use a smaller problem, or --cpu"
    if (fault or run.status != 0) and (lacking := NO_MEMORY.search(run.output)):
        return "slow", f"{next(filter(None, lacking.groups()))}, within the limit of memory", \
            "use a smaller problem, or --memory"
    if fault and run.status != 0:
        return "wrong", one_line(fault["message"]), "make sanitize shows where"
    if run.status in (0, 2) and WAIVED.search(run.output) and not report.get("launched"):
        return "needs", line_with(WAIVED, run.output), "SIMT_DEVICES=4, or another SIMT_DEVICE"
    if run.status != 0:
        return of_failure(run, report, asked)
    return of_end(run, report, asked, fault)


def of_end(run, report, asked, fault):
    """Of a program that ended with status 0. What an option is for is no verdict."""
    idle = not report.get("launched")
    helps = idle and WANTS.search(OWN.sub("", run.output))
    said = verdict_in(OPTION.sub("", run.output) if helps else run.output)
    if not said and idle:
        lacks = of_lack(run, report, asked)
        if lacks:
            return lacks
    message = one_line(fault["message"]) if fault else ""
    if fault and not said:
        return "wrong", message, "make sanitize shows where"
    if said is False:
        return "wrong", line_with(FAILED, run.output), ""
    return ("right" if said else "ran"), f"it dealt with a fault: {message}" if fault else "", ""


def of_lack(run, report, asked):
    """The outcome of a program that lacks something from outside; None: it is no matter of that."""
    lines, rest = absent.split(OWN.sub("", run.output))
    launched, failing = bool(report.get("launched")), run.status != 0
    failed = verdict_in(rest) is False
    if launched and (failed or not failing):
        return None
    silent = not failed or bool(WANTS.search(rest))  # of its usage a failure is a part
    found = absent.needed(lines, asked, launched, silent)
    if found:
        said = found[1] or f"{how_it_ended(run)}, no kernel launched, and it is run with it"
        return "needs", f"needs the file {found[0]}: {said}"[:LONGEST_REASON], \
            "put it there: the folder has no such file"
    variable = failing and absent.VARIABLE.search(rest)
    if variable:
        return "needs", variable.group(0).strip()[:LONGEST_REASON], "set it, and run it by hand"
    if run.status is None: # a crash is no answer to missing arguments
        return None
    if WANTS.search(rest) and not launched:
        return "input", line_with(WANTS, rest), "run it by hand, with its arguments"
    if lines and not launched:
        return "input", lines[0][:LONGEST_REASON], "run it by hand, with what it reads"
    return None


def how_it_ended(run):
    return f"exit status {run.status}" if run.status is not None else signal_name(run.signal)


def of_failure(run, report, asked):
    lacks = of_lack(run, report, asked)
    if lacks:
        return lacks
    child = OF_A_CHILD.search(run.output)
    if child:
        return "refused", child.group(1)[:LONGEST_REASON], ""
    if report.get("not_supported"):
        said = NOTE.findall(run.output)
        return "refused", said[-1] if said else "a call that the software GPU does not have", ""
    unloaded = UNLOADED.search(run.output)
    if unloaded:
        return "refused", unloaded.group(1)[:LONGEST_REASON], ""
    if not report.get("launched"):
        lacks = of_start(run, asked)
        if lacks:
            return lacks
    last = [line for line in run.output.strip().splitlines() if line.strip()]
    said = line_with(FAILED, run.output) or (last[-1].strip()[:LONGEST_REASON] if last else "")
    return "wrong", f"{how_it_ended(run)}{': ' + said if said else ''}", ""


def of_start(run, asked):
    """The outcome of a program that failed before it launched a kernel, by what its text reads."""
    absent_file = run.signal == signal.SIGSEGV and next(
        (name for name in asked.opened if not asked.there(name)), None)
    if absent_file:
        return "needs", f"needs the file {absent_file}: {how_it_ended(run)}, no kernel launched, " \
            "and its text opens it", "put it there: the folder has no such file"
    if asked.lacks_arguments(run.status is not None and not run.output.strip()):
        return "input", f"{how_it_ended(run)} before it launches a kernel: it reads arguments " \
            "and is run without", "run it by hand, with its arguments"
    return None


PLACE = re.compile(r"^[^\s:]+:\d+(?: \(inlined at [^)]*\))?: ")  # which the row has already


def findings_of(report, root):
    """[{kind, severity, place, text, advice}] of a report; places in the surveyed folder are
    relative."""
    found = []
    for finding in (report or {}).get("findings", []):
        places = [place_of(finding[one], root) for one in ("second", "first") if finding.get(one)]
        found.append({"kind": finding["kind"], "severity": finding["severity"],
                      "place": " and ".join(dict.fromkeys(places)) or "host code",
                      "text": PLACE.sub("", one_line(finding["message"] or "")).replace(
                          f"{root}/", ""),
                      "advice": one_line(finding.get("advice") or "")})
    return found


def place_of(at, root):
    file = at["file"]
    if os.path.isabs(file) and file.startswith(f"{root}/"):
        file = os.path.relpath(file, root)
    return f"{file}:{at['line']}"


# ---- Do two front ends print the same?

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
TIMED = re.compile(r"\b(?:m?s|us|sec\w*|msec|ms|\w*time\w*|took|elapsed|[GMk]B/s|[GM]?FLOPS?|"
                   r"bandwidth|speed-?up|throughput|clock\w*|fps|duration|latency|date|cycles?)\b|"
                   r"(?<=\d)m?s\b|(?<=\d\.\d)\d*x\b|0x[0-9a-f]{6}", re.IGNORECASE)


ALONE = re.compile(r"(?<![\w.])[-+]?\d[\d.]*(?:[eE][-+]?\d+)?(?![\w])")
HEAD = re.compile(r"\((?:[GMk]i?B/s|[GM]?FLOPS?|m?s|us|msec|usec|sec\w*|cycles)\)\W*$",
                  re.IGNORECASE)
DEVIATES = re.compile(r"\b(?:err(?:or)?s?|diff(?:erence)?s?|deviations?|residuals?|l2|norm)\b",
                      re.IGNORECASE)
SMALL = 1e-5 # two deviations below it say the same: the results are as good as equal


def comparable(lines):
    """Which lines say nothing of time: neither those with a word or a unit of it, nor the rows of a
    table whose head ends with such a unit. Behind an empty line only rows that are indented go
    on with it."""
    found, table, gap = [], False, False
    for line in lines:
        if HEAD.search(line):
            table = True
        elif table and line.strip():
            table = bool(ALONE.search(line)) and (not gap or line[0].isspace())
        gap = not line.strip()
        found.append(not table and not TIMED.search(line))
    return found


def agree(first, second, again):
    """Whether two outputs say the same, but for lines about time and addresses, and for those that
    differ between two runs of one program (`again`: the first once more). Numbers may differ in
    the seventh digit. None: nothing comparable."""
    lines, others, repeats = (OWN.sub("", text).splitlines() for text in (first, second, again))
    if len(lines) != len(others):
        return len([x for x in lines if not TIMED.search(x)]) == \
            len([x for x in others if not TIMED.search(x)]) and None
    compared, said = 0, comparable(lines)
    for at, (one, other) in enumerate(zip(lines, others)):
        if not said[at] or (at < len(repeats) and repeats[at] != one):
            continue
        compared += 1
        if not same_line(one, other):
            return False
    return True if compared else None


def same_line(one, other):
    if one == other:
        return True
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    small = SMALL if DEVIATES.search(one) else 0
    for a, b in zip(NUMBER.findall(one), NUMBER.findall(other)):
        x, y = float(a), float(b)
        if max(abs(x), abs(y)) < small:
            continue
        if not abs(x - y) <= 1e-6 * max(abs(x), abs(y), 1e-30):
            return False
    return True
