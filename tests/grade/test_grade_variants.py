#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Variants of exercises: with the real compiler and suites, a variant's own solution has all points
and the published one has at most half; a mistake is explained in the variant's words; what cannot
be made into a variant is refused by name.

    test_grade_variants.py PATH/TO/grade BUILD_DIR
"""

import csv
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "common/scripts"))
import make_variants  # noqa: E402

SCRIPT = ROOT / "common/scripts/make_variants.py"

# {(exercise, variant): [(what stands in its solution, a mistake in its place, what is then said)]}.
# The first is the published exercise's way.
MISTAKES = {
    ("04_warp_sync", "magnitudes"): [
        ("fabsf(x)", "x * x", "in place of |x|"),
        ("blockDim.x > 32 ? 64 : 32", "32", "32 of the last 64 values were left out"),
    ],
    ("06_grid_stride", "length"): [
        ("block_sum(squares)", "block_sum(squares) / (float)columns",
         "the sum of squares is divided by the number of columns, and is to be taken as it is"),
        ("rsqrtf(sum + epsilon)", "1.0f / (sum + epsilon)", "divide by sqrt(sum + epsilon)"),
    ],
    ("07_cooperative_groups", "base_two"): [
        ("exp2f", "expf", "shares of powers of 2 are asked for"),
        ("a.sum * exp2f(a.max - max)", "a.sum", "multiply each by exp2(its own maximum"),
    ],
    ("09_scan", "below"): [("x < t", "!(x >= t)", "!(x >= t) is true for them, x < t is not")],
    ("08_histogram", "negative"): [
        ("bins[BINS - 1 - v]", "bins[v]", "byte v belongs in bin 255 - v"),
        ("for (unsigned v = threadIdx.x; v < BINS; v += blockDim.x)",
         "for (unsigned v = threadIdx.x; v < BINS; v += BINS)", "the bins below 224 got nothing"),
    ],
    ("11_exact_sum", "magnitudes"): [
        ("+= shifted;", "+= bits >> 31 ? -shifted : shifted;",
         "negative elements are subtracted; their magnitudes are to be added"),
        ("if (lane == 0) atomicAdd", "atomicAdd", "every lane of the warp adds the sum"),
    ],
    ("12_many_bins", "mirrored"): [
        ("n_bins - 1 - in[i]", "in[i]", "sample s belongs to bin n_bins - 1 - s"),
        ("n_bins - 1 - in[i]", "n_bins - in[i]", "each sample is counted one bin too high"),
        ("settle(old, v, bins, n_bins);", ";", "a counter that overflows loses 256 samples"),
    ],
    ("13_many_gpus", "maximum"): [
        ("fmaxf(mine[i], other[i])", "mine[i] + other[i]",
         "the partner's elements are added to this GPU's own; of each two the larger is to stay"),
        ("halving ? fmaxf(mine[i], other[i]) : other[i]", "fmaxf(mine[i], other[i])",
         "on the way back, too, the larger of two elements stays"),
        ("halving ? fmaxf(mine[i], other[i]) : other[i]", "mine[i] + other[i]",
         "the partner's elements are added in every step"),
        ("halving ? fmaxf(mine[i], other[i]) : other[i]", "other[i]",
         "while the parts are halved, of each two the larger is to stay"),
        ("halving ? rank : rank ^ 1u << k", "rank ^ 1u << k",
         "the larger elements are kept in the partner's half"),
        ("fmaxf(", "fminf(", "of each two elements the smaller stays"),
    ],
    ("14_portable", "magnitudes"): [
        ("fabsf(x)", "x", "the numbers are added with their signs"),
        ("isnan(x) ? 0.0f : fabsf(x));", "isnan(x) ? 0.0f : x);\n  sum = fabsf(sum);",
         "it is the magnitude of a sum"),
        ("lane < n_waves ? wave_sums[lane] : 0.0f", "lane < 1 ? wave_sums[lane] : 0.0f",
         "got the sum of |x| of the first wave only"),
    ],
}


def names_of_variants():
    """{exercise: [names of its variants]}"""
    paths = sorted((ROOT / "solutions").glob("*.variants"))
    return {path.stem: [name for name, _ in make_variants.read_variants(path)] for path in paths}


def seeds_for_all(variants):
    """Few seeds under which every variant is chosen at least once."""
    missing = {(name, one) for name, all_of in variants.items() for one in all_of}
    seeds = []
    for seed in range(1000):
        chosen = {(name, make_variants.choose(seed, name, [(one, []) for one in all_of])[0])
                  for name, all_of in variants.items()}
        if chosen & missing:
            seeds.append(seed)
            missing -= chosen
        if not missing:
            return seeds
    raise SystemExit(f"no seed chooses {missing}")


def make(*arguments):
    return subprocess.run([sys.executable, "-B", SCRIPT, *map(str, arguments)],
                          capture_output=True, text=True, check=False)


def grade(program, build, folder, rubrics, names, kinds):
    """{student: row}, and the results of each; kinds: {student: folder of some of the files}."""
    for kind, source in kinds.items():
        (folder / "class" / kind).mkdir(parents=True)
        for name in names:
            if (source / f"{name}.cu").exists():
                shutil.copy(source / f"{name}.cu", folder / "class" / kind)
    (folder / "out").mkdir()
    done = subprocess.run([program, "--build", build, "--submissions", "class", "--out", "out",
                           "--rubrics", rubrics.relative_to(folder), "--names", " ".join(names)],
                          cwd=folder, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise SystemExit(f"exit status {done.returncode}: {done.stdout}{done.stderr}")
    with open(folder / "out/grades.csv", newline="", encoding="utf-8") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    return rows, {kind: json.loads((folder / f"out/students/{kind}.json").read_text())
                  for kind in kinds}


def make_mistakes(made, chosen):
    """Files with a mistake each. {student: folder of its files}, {(student, exercise): words}."""
    kinds, expected = {}, {}
    for variant in chosen.items():
        text = (made / f"solutions/{variant[0]}.cu").read_text(encoding="utf-8")
        for number, (right, wrong, words) in enumerate(MISTAKES.get(variant, [])):
            kind = f"mistaken_{number}"
            if right not in text:
                raise SystemExit(f"{variant}: '{right}' does not stand in the solution")
            kinds[kind] = made / kind
            kinds[kind].mkdir(exist_ok=True)
            (kinds[kind] / f"{variant[0]}.cu").write_text(text.replace(right, wrong),
                                                          encoding="utf-8")
            expected[kind, variant[0]] = words
    return kinds, expected


def judge_mistakes(rows, results, expected):
    """Mistakes that pass, or that are explained in other words."""
    complaints = []
    for (kind, name), words in expected.items():
        checks = [check for exercise in results[kind]["exercises"] if exercise["exercise"] == name
                  for check in exercise["checks"]]
        said = [check.get("explanation", "") for check in checks]
        if int(rows[kind][name]) == 100 or not any(words in text for text in said):
            complaints.append(f"{name}, {kind}: {rows[kind][name]} points, and not '{words}' is "
                              f"said, but {said}")
    return complaints


def judge_seed(program, build, folder, seed, variants, judged):
    """What is wrong with the variants of a seed that are not in `judged`, {(exercise, variant)},
    yet; it gets them."""
    made = folder / "made"
    done = make(seed, made)
    if done.returncode != 0:
        return [f"seed {seed}: {done.stderr}"]
    chosen = {name: make_variants.choose(seed, name, make_variants.read_variants(
        ROOT / f"solutions/{name}.variants"))[0] for name in variants}
    complaints = [f"seed {seed}: {name}: {one} is not named: {done.stdout}"
                  for name, one in chosen.items() if f"{name}: {one}" not in done.stdout]
    chosen = {name: one for name, one in chosen.items() if (name, one) not in judged}
    judged.update(chosen.items())
    mistakes, expected = make_mistakes(made, chosen)
    rows, results = grade(program, build, folder, made / "solutions", sorted(chosen),
                          {"variant": made / "solutions", "published": ROOT / "solutions",
                           "stub": made / "exercises", **mistakes})
    complaints += judge_mistakes(rows, results, expected)
    for name, one in chosen.items():
        points = {kind: int(row[name]) for kind, row in rows.items() if kind not in mistakes}
        if not points["variant"] == 100 or points["published"] > 50 or points["stub"] > 0:
            complaints.append(f"seed {seed}: {name}, {one}: {points}: "
                              + "; ".join(check["reason"] for result in results["variant"]
                                          ["exercises"] if result["exercise"] == name
                                          for check in result["checks"] if check["reason"]))
    about = json.dumps(results["variant"])
    if chosen.get("00_naive_atomic") == "min" and ("raise the maximum" in about
                                               or "lower the minimum" not in about):
        complaints.append(f"seed {seed}: a check of the variant speaks of the maximum")
    return complaints


def refusals(program, build, folder):
    """What is accepted that must not be."""
    complaints = []
    source = folder / "source"
    source.mkdir()
    for end in ("cu", "rubric"):
        shutil.copy(ROOT / f"solutions/01_shared_tree.{end}", source)
    file = source / "01_shared_tree.variants"
    for text, words in (("say a => b\n", "comes before any variant"),
                        ("variant min\nsay maximum = minimum\n", ":2: the line cannot be read"),
                        ("variant min\nsay no such words => x\n", "'no such words' stands neither"),
                        ("variant min\nsay " + 96 * "m" + " => x\n", ":2: the line cannot be read"),
                        ("variant min\n" + 49 * "say maximum => x\n", "at most 48")):
        file.write_text(text)
        done = make(1, folder / "refused", "--from", source)
        if done.returncode != 2 or words not in done.stderr:
            complaints.append(f"{text!r} gives {done.returncode}: {done.stderr}")
    if make("x", folder / "refused").returncode != 2:
        complaints.append("a seed that is no number is accepted")
    file.write_text("variant median\nsay maximum => median\n")
    if make(1, folder / "unknown", "--from", source).returncode != 0:
        complaints.append("a variant that is well-formed is refused")
    done = subprocess.run([program, "--build", build, "--submissions", folder / "unknown", "--out",
                           folder / "nothing", "--rubrics", folder / "unknown/solutions",
                           "--names", "01_shared_tree"], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 2 or "does not know the rubric's variant" not in done.stderr:
        complaints.append(f"the suite judges an unknown variant: {done.returncode}, {done.stderr}")
    return complaints


def main():
    program, build = (Path(one).resolve() for one in sys.argv[1:3])
    variants, complaints = names_of_variants(), []
    seeds, judged = seeds_for_all(variants), set()
    with tempfile.TemporaryDirectory() as name:
        for seed in seeds:
            folder = Path(name) / str(seed)
            folder.mkdir()
            complaints += judge_seed(program, build, folder, seed, variants, judged)
        complaints += refusals(program, build, Path(name))
    n_variants = sum(map(len, variants.values()))
    print("\n".join(complaints) or
          f"{n_variants} variants of {len(variants)} exercises, with seeds {seeds}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
