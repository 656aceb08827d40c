# SPDX-License-Identifier: MIT
"""How much one program is like another: of the class, and like the solution.

Three measures from 0 to 100 %, each the share of runs of tokens that two programs have in common of
all that either has; what the exercise's stub has is left out of all three.

  text    words as they stand, names and comments too: what a copied file has
  tokens  names, numbers and comments replaced or left out: what a copy with other names has
  code    the compiled instructions, registers and labels renumbered: what is left when statements
          are written in another way

Exercises are short, and a natural solution is found by many. So this never costs points; it says
where a person may look. How many of a class are alike stands beside it: a form that many have says
nothing, and neither does a program of fewer than LEAST runs. Not found: a program that was
thought through again, or whose copy was taken from another class.
"""

import itertools
import json
import re
import subprocess
from collections import namedtuple
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SOLUTION = "solutions/"  # stands for the solution among the students' names
WINDOW = {"text": 5, "tokens": 8, "code": 6}  # length of a run
LEAST = 12  # runs of its own: a program with fewer is not compared
LISTED = {"text": 80, "tokens": 90, "code": 95}  # alike: any of them reached, in per cent

WORD = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|"
                  r"[A-Za-z_]\w*|(?:\d|\.\d)[\w.]*|<<=|>>=|[-+*/%&|^<>=!]=|&&|\|\||<<|>>|->|"
                  r"\+\+|--|::|\S", re.DOTALL)
OPERAND = re.compile(r"%[a-z]+\d*(?:\.[xyz])?|0[fd][0-9A-F]+|-?\d+|[A-Za-z_$][\w$]*|\S")
# What says what is done, where names are left out.
KEPT = frozenset("""
    if else for while do return break continue switch case default unsigned int float double
    bool const static struct sizeof true false threadIdx blockIdx blockDim gridDim x y z
    __shared__ __syncthreads __syncwarp __shfl_down_sync __shfl_up_sync __shfl_xor_sync
    __shfl_sync __ballot_sync __activemask atomicAdd atomicCAS atomicMax atomicMin atomicExch
    fmaxf fminf __threadfence __device__ __global__ volatile extern""".split())

Program = namedtuple("Program", "student measures")  # measures: {name: frozenset of runs}
Pair = namedtuple("Pair", "exercise first second text tokens code")


# --- from a program to sets ----------------------------------------------------------------------

def words(source):
    """The words as they stand; a comment gives its own words."""
    out = []
    for word in WORD.findall(source):
        out += re.findall(r"\w+", word) if word[:2] in ("//", "/*") else [word]
    return out


def shape(source):
    """The words without what a copy changes: names, numbers, comments."""
    out = []
    for word in WORD.findall(source):
        if word[:2] in ("//", "/*"):
            continue
        if word[0].isalpha() or word[0] == "_":
            out.append(word if word in KEPT else "n")
        else:
            out.append("0" if word[0].isdigit() else word)
    return out


def instructions(ptx):
    """Opcodes and operands; registers, labels and variables lose their names."""
    out = []
    for line in ptx.splitlines():
        line = line.split("//")[0].strip()
        opcode = re.match(r"(?:@!?%\w+\s+)?([a-z][\w.]*)", line)
        if not opcode or line[0] == "." or line.endswith(":"):
            continue
        out.append(opcode.group(1))
        for word in OPERAND.findall(line[opcode.end():]):
            out.append(re.sub(r"\d+$", "", word) if word[0] == "%" else
                       "s" if word[0].isalpha() or word[0] in "_$" else word)
    return out


def runs(items, length):
    return frozenset(hash(run) for run in zip(*(items[i:] for i in range(length))))


def measure(source, ptx):
    return {"text": runs(words(source), WINDOW["text"]),
            "tokens": runs(shape(source), WINDOW["tokens"]),
            "code": runs(instructions(ptx or ""), WINDOW["code"])}


def share(one, other):
    """Per cent of the runs of either that both have; 0 where there are too few to say."""
    if min(len(one), len(other)) < LEAST:
        return 0
    common = len(one & other)
    return int(100 * common / (len(one) + len(other) - common))


# --- who is like whom ----------------------------------------------------------------------------

def compare(exercise, programs, stub):
    """The pairs that are alike. Programs that are the same in all measures are compared once."""
    kinds = {}
    for program in programs:
        own = tuple(program.measures[name] - stub.get(name, frozenset()) for name in WINDOW)
        kinds.setdefault(own, []).append(program.student)
    pairs = []
    for own, students in kinds.items():
        values = [share(sets, sets) for sets in own]
        if is_alike(values):
            pairs += [Pair(exercise, *two, *values) for two in itertools.combinations(students, 2)]
    for (own, some), (others, more) in itertools.combinations(kinds.items(), 2):
        values = [share(a, b) for a, b in zip(own, others)]
        if is_alike(values):
            pairs += [Pair(exercise, one, two, *values) for one in some for two in more]
    return pairs


def is_alike(values):
    return any(value >= LISTED[name] for name, value in zip(WINDOW, values))


def stub_of(exercise):
    """The stub's source, which no student wrote; "" for an exercise without a solution."""
    done = subprocess.run([ROOT / "common/scripts/make_exercise", "--stdout", exercise],
                          capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def read(path):
    """{exercise: [Program]} of the file that the grader has written, a line for each program."""
    found = {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            row = json.loads(line)
            program = Program(row["student"], measure(row["source"], row.get("ptx")))
            found.setdefault(row["exercise"], []).append(program)
    return found


def of_class(out):
    """All pairs of the class whose results are in `out`, exercise by exercise."""
    path = Path(out) / "programs.jsonl"
    if not path.exists():
        return []
    pairs = []
    for exercise, programs in sorted(read(path).items()):
        mine = [program for program in programs if program.student != SOLUTION]
        of_solution = [program for program in programs if program.student == SOLUTION]
        source = ROOT / "solutions" / f"{exercise}.cu"
        if not of_solution and source.exists():
            text = source.read_text(encoding="utf-8")
            of_solution = [Program(SOLUTION, measure(text, None))]
        pairs += compare(exercise, mine + of_solution, measure(stub_of(exercise), None))
    return pairs


# --- what is reported ----------------------------------------------------------------------------

Likeness = namedtuple("Likeness", "exercise student other text tokens code alike")


def strongest(pairs):
    """For each student and exercise the other that is most alike, and how many are."""
    found = {}
    for pair in pairs:
        for student, other in ((pair.first, pair.second), (pair.second, pair.first)):
            entry = found.setdefault((student, pair.exercise), [])
            entry.append((pair[3:], other))
    rows = []
    for (student, exercise), others in sorted(found.items()):
        if student == SOLUTION:
            continue
        values, other = min(others, key=lambda one: (tuple(-v for v in one[0]), one[1]))
        rows.append(Likeness(exercise, student, other, *values, len(others)))
    return rows


def cell(student, rows):
    """What the table of grades says of a student: "01: ben (text 97 %), and 2 more"."""
    parts = []
    for row in rows:
        if row.student == student:
            more = f", and {row.alike - 1} more" if row.alike > 1 else ""
            best = next(name for name, value in zip(WINDOW, row[3:6]) if value >= LISTED[name])
            parts.append(f"{row.exercise[:2]}: {row.other} ({best} "
                         f"{getattr(row, best)} %){more}")
    return "; ".join(parts)


def groups(pairs):
    """Students who are alike, directly or through others: (exercise, students, strongest pair)."""
    parent, best = {}, {}

    def root(one):
        while parent.setdefault(one, one) != one:
            one = parent[one]
        return one

    for pair in pairs:
        parent[root((pair.exercise, pair.first))] = root((pair.exercise, pair.second))
    for pair in pairs:
        key = root((pair.exercise, pair.first))
        if key not in best or pair[3:] > best[key][3:]:
            best[key] = pair
    members = {}
    for one in sorted(parent):
        members.setdefault(root(one), []).append(one[1])
    rows = [(key[0], names, best[key]) for key, names in members.items()]
    return sorted(rows, key=lambda row: (row[0], tuple(-v for v in row[2][3:]), row[1]))


def _who(names, most=12):
    text = ", ".join(escape(name) for name in names[:most])
    return text + (f" and {len(names) - most} more" if len(names) > most else "")


def section(pairs):
    """The class's page about it, of escaped HTML."""
    rows = []
    for exercise, names, pair in groups(pairs):
        between = f"{escape(pair.first)}, {escape(pair.second)}"
        cells = [escape(exercise), str(len([n for n in names if n != SOLUTION])), _who(names),
                 between, *(f"{value} %" for value in pair[3:])]
        numbers = (1, 4, 5, 6)
        rows.append("<tr>" + "".join(f'<td class="n">{cell}</td>' if i in numbers else
                                     f"<td>{cell}</td>" for i, cell in enumerate(cells))
                    + "</tr>\n")
    if not rows:
        return "<h2>Similar programs</h2>\n<p>No two programs are alike.</p>\n"
    heads = "".join(f"<th>{head}</th>" for head in
                    ("Exercise", "students", "Who", "most alike", "text", "tokens", "code"))
    limits = ", ".join(f"{name} {LISTED[name]} %" for name in WINDOW)
    return ("<h2>Similar programs</h2>\n<p>Alike, directly or through others, by at least one of "
            f"these: {limits}. <em>Text</em>: names and comments as they stand; <em>tokens</em>: "
            "without names, numbers and comments; <em>code</em>: the compiled instructions. The "
            "exercise's stub is left out, and solutions/ is the published solution. The exercises "
            "are short and have natural solutions, which many find: this costs no points and "
            "proves nothing; look at the programs. Each one's nearest: similar.csv.</p>\n"
            f'<div class="wide"><table><tr>{heads}</tr>\n{"".join(rows)}</table></div>\n')
