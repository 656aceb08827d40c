#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_matching.py: catches every way in which the judge, the grader and the findings once decided
by the words of a message, and leaves alone code that compares names, options and records."""

import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "check_matching.py"

BAD = [
    'char *count = strstr(brief, " (seen ");',
    "if (rule->error == error && strstr(diagnostic, rule->mention)) return rule->cause;",
    'bool ran = failed && strncmp(record->reason, "launched ", 9) == 0;',
    'return !strstr(record->reason, "Is the blank filled in yet?");',
    'if (strstr(message, "imeout")) fail();',
    'for (at = reason; (at = strstr(at_reason, words_of));) if (strcmp(why, "x")) {}',
    'return strstr(r->text, "shared") ? 1 : 2;',
    'if (\n  strcmp(tr_msg(result), "x") == 0) {}',
    "if (strstr(last_diagnostic, DEADLOCK_WORDS)) {}",
    'if (simt_str_contains(diag->text, "deadlock")) {}',
    'x = memmem(check->explanation, n, "tail", 4);',
    'if (regexec(&hint, "a", 0, NULL, 0)) {}',
]
CLEAN = [
    'if (strcmp(name, "lesson") == 0) {}', 'if (strncmp(text, "sweep", 5) != 0) return false;',
    'if (strcmp(a->explanation, b->explanation) == 0) {}', 'if (strcmp(r->text, text) != 0) {}',
    'simt_str_is(p->token.text, "inlined_at")', '// strstr(message, "imeout")',
    'puts("strstr(message, \\"x\\")");', "if (verdict->cause == WB_CAUSE_TIME_LIMIT) {}",
    'if (memcmp(text, "\\xef\\xbb\\xbf", 3) == 0) {}', 'strcmp(tr_tcname(result), check->name)',
    'snprintf(reason, sizeof reason, "%s", "x");', 'if (strstr(line, "+=")) {}',
]
PYTHON_BAD = [
    'if "limit" in said: pass', 'if "x" not in done.stderr: pass', 'kind = re.search("a", reason)',
    'rows = FOUND.findall(record["reason"])', 'if message.startswith("simt"): pass',
    'if "ERR" in said + done.stderr: pass',
]
PYTHON_CLEAN = [
    'if "ERR" in said:  # matching: ncu says it no other way\n    pass', 'print("limit in said")',
    'if record["cause"] == "cost": pass', 'if "x" in names: pass', 'if word in said: pass',
    'rows = FOUND.findall(text)', 'first = said.splitlines()[0]',
]


def run(text, name="a.c"):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text + "\n", encoding="utf-8")
        return subprocess.run([sys.executable, "-B", SCRIPT, path], capture_output=True,
                              text=True, check=False)


def main():
    failures = 0
    cases = [(text, "a.c", 1) for text in BAD] + [(text, "a.c", 0) for text in CLEAN] + \
        [(text, "a.py", 1) for text in PYTHON_BAD] + [(text, "a.py", 0) for text in PYTHON_CLEAN]
    for text, name, status in cases:
        result = run(text, name)
        if result.returncode != status:
            print(f"FAIL: {'passed' if status else 'refused'}: {text}\n"
                  f"{result.stdout}{result.stderr}")
            failures += 1
    print(f"{len(cases)} cases, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
