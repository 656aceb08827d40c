#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What accompanies an exercise's verdict; all numbers are counted by the software GPU.

    practice.py after NN_name      what was learnt, costs beside the solution's, the challenge
    practice.py predict NN_name    asks the lesson's questions and checks the answers
    practice.py review             two questions of lessons that were passed before
    practice.py due                is there anything to review? Exit 0: yes, 3: no
    practice.py challenge NN_name  whether the exercise meets its challenge

Data: lessons/NN_name/practice.json (common/tutor/README.md says what is in it). Environment: BUILD;
WORKBOOK_PROGRESS, the file of progress, which build/workbook writes. Exit: 0 done (challenge: met),
1 challenge not met, 2 it cannot be done.
"""

import ast
import concurrent.futures
import datetime
import functools
import json
import operator
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD") or "build")
PROGRESS = Path(os.environ.get("WORKBOOK_PROGRESS") or "exercises/progress.txt")
WIDTH = 80
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
             ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv}


class Refusal(Exception):
    """It cannot be done, in a sentence for the user."""


def value_of(expression, names):
    """The value of arithmetic on numbers and names: + - * / // and round()."""
    def visit(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.Name):
            return names[node.id]
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](visit(node.left), visit(node.right))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "round":
            return round(visit(node.args[0]))
        raise ValueError(f"'{expression}' is no arithmetic")
    return visit(ast.parse(expression, mode="eval").body)


def read_practice(lesson):
    path = ROOT / "lessons" / lesson / "practice.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Refusal(f"{lesson} has no {path.name} yet.") from None
    except ValueError as error:
        raise Refusal(f"lessons/{lesson}/{path.name}: {error}") from None


def require_software_gpu():
    cache = BUILD / "CMakeCache.txt"
    if cache.exists() and re.search(r"^WORKBOOK_BACKEND_RESOLVED:\w+=CUDA$",
                                    cache.read_text(encoding="utf-8"), re.MULTILINE):
        raise Refusal("Counters come from the software GPU: BACKEND=SIMT BUILD=build-simt")


# --- running --------------------------------------------------------------------------------------

def launch_words(practice, n=None, block=None):
    n, block = n or practice["n"], block or practice["block"]
    grid = max(1, -(-n // (block * practice["per_thread"])))
    names = {"n": n, "block": block, "grid": grid}
    words = []
    for launch in practice["launches"]:
        filled = re.sub(r"\{([^}]*)\}", lambda found: str(value_of(found[1], names)), launch)
        words += ["--", *filled.split()]
    return words[1:], names


def require_built(program):
    if not os.access(program, os.X_OK):
        raise Refusal(f"{program} is not there: make try builds it")


def compile_module(source, module, *flags):
    require_built(BUILD / "common/simt/simtcc")
    done = subprocess.run([BUILD / "common/simt/simtcc", "-ptx", "-O3", "--maths=own", *flags,
                           source, "-o", module, "-I", ROOT / "common/workbook", "-DWORKBOOK_SIMT"],
                          capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise Refusal(f"{source} does not compile:\n{done.stderr.strip()}")


def run_kernels(source, practice, *options, n=None, block=None):
    """Totals of the counters, and the modelled time, of the exercise's kernels in `source`."""
    require_software_gpu()
    require_built(BUILD / "common/tutor/run_kernel")
    with tempfile.TemporaryDirectory() as folder:
        module = Path(folder) / "module.ptx"
        compile_module(source, module, *(["-g"] if options else []))
        words, _ = launch_words(practice, n, block)
        done = subprocess.run([BUILD / "common/tutor/run_kernel", module, *options, *words],
                              capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 2:
        raise Refusal(done.stderr.strip())
    found = json.loads(done.stdout)
    if found["fault"] and not options:
        raise Refusal(f"{source}: {found['fault']['text']}")
    total = {"modelled_ms": 0.0}
    for launch in found["launches"]:
        total["modelled_ms"] += launch["modelled_ms"]
        for name, value in launch["counters"].items():
            take = max if name.endswith(("_degree", "_addresses")) else operator.add
            total[name] = take(total.get(name, 0), value)
    total["fault"] = found["fault"]
    return total


def run_variant(lesson, variant, n, block):
    require_software_gpu()
    program = BUILD / "lessons" / lesson
    if not os.access(program, os.X_OK):
        raise Refusal(f"{program} is not there: make programs builds it")
    done = subprocess.run([program, "--variant", variant, "--n", str(n), "--block", str(block),
                           "--json"], capture_output=True, text=True, check=False)
    try:
        found = json.loads(done.stdout.splitlines()[0])
    except (IndexError, ValueError):
        raise Refusal(done.stderr.strip() or f"{program} said nothing") from None
    return {**found["counters"], "modelled_ms": found["time_ms"]}


# --- progress -------------------------------------------------------------------------------------

def read_progress():
    """{(kind, key): rest}"""
    facts = {}
    try:
        lines = PROGRESS.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        lines = []
    for line in lines:
        kind, _, rest = line.partition(" ")
        key, _, rest = rest.partition(" ")
        facts[kind, key] = rest
    return facts


def note(kind, key, rest):
    """Where it cannot be kept, build/workbook says so; the answer does not depend on it."""
    subprocess.run([BUILD / "workbook", "note", kind, key, rest], check=False)


def today():
    return datetime.date.today().isoformat()


# --- after a pass ---------------------------------------------------------------------------------

def shown(value):
    return f"{value:,.2f}".rstrip("0").rstrip(".") if value % 1 else f"{int(value):,}"


def kept_costs(lesson, name, program, count):
    """What count() returns, counted again only after a change of a source, a build, or `program`.

    build.sh's stamp is as old as the last build that had something to do. Without it, nothing is
    kept.
    """
    path = BUILD / "try" / f"costs_{lesson}_{name}.json"
    sources = [ROOT / f"solutions/{lesson}.cu", ROOT / f"lessons/{lesson}/practice.json"]
    built, made = (file.stat().st_mtime_ns if file.exists() else None
                   for file in (BUILD / ".built-judge", program))
    key = [built, made, *(source.read_text(encoding="utf-8") for source in sources)]
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if built and kept["key"] == key:
            return kept["costs"]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    costs = count()
    if built:
        keep(path, {"key": key, "costs": costs})
    return costs


def keep(path, data):
    """Whole or not at all. Where it cannot be kept, it is counted again next time."""
    temporary = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(data), encoding="utf-8")
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)


def costs_of_all(lesson, practice):
    """{column: costs}, all at the same time."""
    _, names = launch_words(practice)
    fastest = practice["fastest"]
    solution = functools.partial(run_kernels, f"solutions/{lesson}.cu", practice)
    variant = functools.partial(run_variant, lesson, fastest, names["n"], names["block"])
    with concurrent.futures.ThreadPoolExecutor() as pool:
        runs = {"yours": pool.submit(run_kernels, f"exercises/{lesson}.cu", practice),
                "solution": pool.submit(kept_costs, lesson, "solution",
                                        BUILD / "common/tutor/run_kernel", solution),
                fastest: pool.submit(kept_costs, lesson, fastest, BUILD / "lessons" / lesson,
                                     variant)}
        columns = {name: runs[name].result() for name in ("yours", "solution")}
        try:
            columns[fastest] = runs[fastest].result()
        except Refusal:
            pass  # the lesson's programs are not built by make try
    return columns


def shown_time(modelled_ms):
    return "-" if modelled_ms is None else f"{1e3 * modelled_ms:.2f}"


def cost_table(practice, columns):
    _, names = launch_words(practice)
    yield f"What it costs: {names['n']:,} elements, {names['block']} threads per block"
    yield f"{'':26}" + "".join(f"{name:>18}" for name in columns)
    for counter in practice["compare"]:
        yield f"  {counter:24}" + "".join(f"{shown(costs[counter]):>18}"
                                          for costs in columns.values())
    yield f"  {'modelled time, us':24}" + "".join(f"{shown_time(costs['modelled_ms']):>18}"
                                                  for costs in columns.values())
    if practice["fastest"] in columns:
        yield f"  ({practice['fastest']} is the lesson's fastest variant, of the lesson's own sum)"
    if any(costs["modelled_ms"] is None for costs in columns.values()):
        yield "  (-: the model gives no time where what a block does depends on other blocks)"


def wrap(text, indent=""):
    line = indent
    for word in text.split():
        if len(line) + len(word) + 1 > WIDTH and line.strip():
            yield line.rstrip()
            line = indent
        line += word + " "
    yield line.rstrip()


def meets_challenge(practice, costs):
    """(whether it is met, the number that was counted)"""
    challenge = practice["challenge"]
    value = value_of(challenge["count"], {**costs, "n": practice["n"]})
    return value <= challenge["at_most"], value


def challenge_lines(lesson, practice, facts, costs):
    if "challenge" not in practice:
        return
    challenge = practice["challenge"]
    met, value = meets_challenge(practice, costs)
    yield ""
    yield from wrap(f"Challenge, if you like: {challenge['task']}")
    state = "met" if met else "met before" if ("challenge", lesson) in facts else "not met yet"
    yield from wrap(f"{challenge['count']} = {shown(value)}, wanted at most "
                    f"{shown(challenge['at_most'])}: {state}", "  ")
    if met and ("challenge", lesson) not in facts:
        note("challenge", lesson, f"met {today()}")


def after(lesson):
    facts, practice = read_progress(), read_practice(lesson)
    for line in practice["learnt"]:
        print("\n".join(wrap(line)))
    print()
    columns = costs_of_all(lesson, practice)
    print("\n".join(cost_table(practice, columns)))
    print("\n".join(challenge_lines(lesson, practice, facts, columns["yours"])))
    if any(("question", f"{lesson}/{q['id']}") not in facts for q in practice["questions"]):
        print(f"\nPredict, then run: make predict LESSON={lesson}")


def challenge(lesson):
    facts, practice = read_progress(), read_practice(lesson)
    if "challenge" not in practice:
        raise Refusal(f"{lesson} has no challenge.")
    if " passed " not in f" {facts.get(('lesson', lesson), '')} ":
        raise Refusal(f"The challenge comes after a pass: make try LESSON={lesson}")
    costs = run_kernels(f"exercises/{lesson}.cu", practice)
    print("\n".join(challenge_lines(lesson, practice, facts, costs)).strip())
    return 0 if meets_challenge(practice, costs)[0] else 1


# --- questions ------------------------------------------------------------------------------------

def read_number(text):
    try:
        return float(text.replace(",", "").replace("_", "").strip())
    except ValueError:
        return None


def right_answer(lesson, question):
    counters = run_variant(lesson, question["variant"], question["n"], question["block"])
    return value_of(question["count"], {**counters, "n": question["n"]})


def ask(lesson, question):
    """False: there is no more input."""
    print("\n".join(wrap(f"{lesson}: {question['ask']}")))
    while True:
        print("  your prediction (a number, or Enter to pass it over): ", end="", flush=True)
        typed = sys.stdin.readline()
        if not typed:
            print()
            return False
        if not typed.strip():
            print()
            return True
        answer = read_number(typed)
        if answer is not None:
            break
        print("  That is no number.")
    right = right_answer(lesson, question)
    is_right = abs(answer - right) <= 1e-6 * max(1, abs(right))
    because = question["because"].replace("{answer}", shown(right))
    command = (f"{BUILD}/lessons/{lesson} --variant {question['variant']} --n {question['n']} "
               f"--block {question['block']} --json")
    print(f"  run: {'right' if is_right else 'no'}, it is {shown(right)}.")
    print("\n".join(wrap(because, "  ")))
    print("\n".join(wrap(f"({question['count']}, from {command})", "  ")) + "\n")
    note("question", f"{lesson}/{question['id']}", f"{'right' if is_right else 'wrong'} {today()}")
    return True


def predict(lesson):
    require_software_gpu()
    for question in read_practice(lesson)["questions"]:
        if not ask(lesson, question):
            break


def to_review(facts, day):
    """Two questions of passed lessons that were not asked today: those answered wrongly first,
    then those never asked, then the ones asked longest ago."""
    found = []
    for (kind, lesson), rest in facts.items():
        if kind != "lesson" or "passed" not in rest.split():
            continue
        try:
            questions = read_practice(lesson)["questions"]
        except Refusal:
            continue
        for question in questions:
            state, _, asked = facts.get(("question", f"{lesson}/{question['id']}"),
                                        "never ").partition(" ")
            if asked != day:
                order = ("wrong", "never", "right").index(state)
                found.append(((order, asked), lesson, question))
    found.sort(key=lambda item: item[0])
    return [(lesson, question) for _, lesson, question in found[:2]]


def due():  # needs nothing that is built
    if to_review(read_progress(), today()):
        return 0
    print("Nothing to review: pass a lesson first, or come back tomorrow.")
    return 3


def review():
    if due():
        return
    require_software_gpu()
    for lesson, question in to_review(read_progress(), today()):
        if not ask(lesson, question):
            break


def main():
    os.chdir(ROOT)
    commands = {"after": after, "predict": predict, "challenge": challenge, "review": review,
                "due": due}
    if len(sys.argv) < 2 or sys.argv[1] not in commands \
            or len(sys.argv) != (2 if sys.argv[1] in ("review", "due") else 3):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return commands[sys.argv[1]](*sys.argv[2:]) or 0
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
