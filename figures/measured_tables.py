# SPDX-License-Identifier: MIT
"""Tables measured on a GPU other than sweeps: targets, look-back, many bins, many GPUs, a
profiler's counts, compute-sanitizer.

Each is a CSV under figures/data, NAME-KIND.csv, whose first lines (`# field: text`) say where it
comes from. Two of these lines serve the check: the number of rows and a digest of them, so that a
file cut short or put together from two runs is found. RULES lists what else must hold for a
kind; a table whose head says `# incomplete: why` is exempt.

Not here: the sweep (store_measured.py), and whether a profiler's ratio has its reason (profile.py).
"""

import csv
import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ABOUT = ("device", "driver", "toolkit", "date", "commit", "clocks", "command", "method", "key",
         "rows",
         "digest")
TOOLS = ("initcheck", "memcheck", "racecheck", "synccheck")
REGIMES = ("lone", "queued", "graph")
SIZES = tuple(1 << power for power in range(10, 31))


class Table:
    """Provenance, the line of column names and the lines of rows, as they are in the file."""

    def __init__(self, about, columns, lines):
        self.about, self.columns, self.lines = about, columns, lines

    def rows(self):
        return list(csv.DictReader([self.columns, *self.lines]))

    def seal(self):
        self.about |= {"rows": str(len(self.lines)), "digest": self.digest()}
        return self

    def digest(self):
        return hashlib.sha256("\n".join([self.columns, *self.lines]).encode()).hexdigest()[:16]

    def text(self):
        head = [f"# {field}: {text}" for field, text in self.about.items()]
        return "\n".join([*head, self.columns, *self.lines]) + "\n"


def read(path):
    about, lines = {}, []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            field, _, text = line[1:].partition(":")
            about[field.strip()] = text.strip()
        elif line.strip():
            lines.append(line)
    return Table(about, lines[0] if lines else "", lines[1:])


# --- rules by kind --------------------------------------------------------------------------------

# The last lesson of which a file must have something when it does not say itself of which: files
# that were stored before the lessons 11 to 14 were there.
EARLIER = "10"


def lessons():
    """All there are: what a file that is stored now must have, and says that it has."""
    return sorted(path.name for path in (ROOT / "lessons").iterdir() if path.is_dir())


def lessons_of(about):
    """Those that a stored file must have, by its head."""
    named = about.get("lessons")
    if named is None:
        return [name for name in lessons() if name[:2] <= EARLIER]
    return named.split() if isinstance(named, str) else list(named)


TARGETS = ("sum", "sum misaligned", "histogram uniform", "histogram skewed", "histogram equal",
           "bytes uniform", "bytes skewed", "bytes equal", "row sums", "rms_norm", "softmax_rows",
           "scan")


NUMBERS = ("uniform", "normal", "log-normal", "any exponent", "one large in 32", "large and small",
           "subnormal", "zeros")  # of bench/gpu_exact_sum.cu


def verdict_of(row):
    ratio, wanted, p90 = (float(row[name]) for name in ("ratio", "wanted", "ratio_p90"))
    return "met" if ratio >= wanted else "ties" if p90 >= wanted else "missed"


def about_targets(rows, _):
    judged = [row for row in rows if row["verdict"]]
    for name in TARGETS:
        if not any(row["target"] == name for row in judged):
            yield f"no verdict on {name}"
    for name in ("sum", "scan"):
        found = {(int(row["n"]), row["regime"]) for row in judged if row["target"] == name}
        missing = sorted({(n, how) for n in SIZES for how in REGIMES} - found)
        if found and missing:
            first = f"n = {missing[0][0]}, {missing[0][1]}"
            yield f"{name}: no verdict for {first} ({len(missing)} missing)"
    for row in rows:
        where = f"{row['target']}, n = {row['n']}, {row['regime']}, {row['kernel']}"
        if not float(row["p10_us"]) <= float(row["median_us"]) <= float(row["p90_us"]):
            yield f"{where}: the median does not lie between p10 and p90"
        near = any(abs(float(row[name]) - float(row["wanted"])) < 1e-3
                   for name in ("ratio", "ratio_p90")
                   ) if row["verdict"] else True  # three decimals are stored
        if not near and row["verdict"] != verdict_of(row):
            yield f"{where}: {row['verdict']}, the numbers say {verdict_of(row)}"


def about_look_back(rows, _):
    quantities = ("ticket_us", "fetch_us", "slowest_us", "messages_us", "store_us", "all_us")
    wanted = {(f"{kind}", str(block), "gb_per_s") for kind in ("scan", "no_look_back")
              for block in (256, 512, 1024)}
    wanted |= {("trace", str(block), name) for block in (256, 512, 1024) for name in quantities}
    found = {(row["experiment"], row["block"], row["quantity"]) for row in rows}
    for experiment, block, quantity in sorted(wanted - found):
        yield f"no {quantity} of {experiment} with blocks of {block}"
    for row in rows:
        if not float(row["value"]) > 0:
            yield f"{row['experiment']}/{row['block']}: {row['quantity']} is {row['value']}"


def about_exact_sum(rows, _):
    wanted = {(numbers, n, kernel) for numbers in NUMBERS for n in ("4194304", "268435456")
              for kernel in ("cub", "columns", "vectors", "window")}
    found = {(row["numbers"], row["n"], row["kernel"]) for row in rows}
    for numbers, n, kernel in sorted(wanted - found):
        yield f"no {kernel} of {n} numbers of the kind {numbers}"
    for row in rows:
        where = f"{row['numbers']}, n = {row['n']}, {row['kernel']}"
        if not float(row["p10_us"]) <= float(row["median_us"]) <= float(row["p90_us"]):
            yield f"{where}: the median does not lie between p10 and p90"
        if not 0 < float(row["of_cub"]) < 10 or row["kernel"] == "cub" and row["of_cub"] != "1.000":
            yield f"{where}: {row['of_cub']} is no ratio to CUB's time"


MANY_BINS = ("2^8", "2^12", "2^15", "2^16", "2^17", "2^18", "2^20", "2^22", "2^24")


def about_many_bins(rows, _):
    found = {(row["way"], row["samples"], row["bins"], int(row["n"])) for row in rows}
    for bins in MANY_BINS:
        # CUB does not count 2^24 bins: bench/gpu_many_bins.cu.
        ways = ("chosen", "global", *(["cub"] if bins != "2^24" else []))
        missing = [f"{way} on {samples} samples, n = {n}" for way in ways
                   for samples in ("uniform", "skewed", "zipf", "equal")
                   for n in (1 << 20, 1 << 24, 1 << 28) if (way, samples, bins, n) not in found]
        if missing:
            yield f"{bins} bins: no {missing[0]} ({len(missing)} missing)"
    if not any(row["way"] == "many" and int(row["n"]) > 1 << 32 for row in rows):
        yield "nothing of more than 2^32 samples"
    for row in rows:
        if not 0 < float(row["best_us"]) <= float(row["median_us"]):
            yield (f"{row['way']}, {row['samples']}, {row['bins']} bins, n = {row['n']}: "
                   "the best time is above the median")


def about_many_gpus(rows, _):
    most = max(int(row["devices"]) for row in rows)
    found = {(row["experiment"], row["what"], int(row["devices"]), int(row["bytes"]))
             for row in rows}
    wanted = {("links", what, 2, 4 << shift) for what in ("copy", "copies", "read", "reads")
              for shift in range(0, 29, 4)} | {("links", "signals", 2, 0)}
    wanted |= {("sums", what, n_gpus, 4 << shift) for n_gpus in range(1, most + 1)
               for what in ("one_gpu", "host_adds", "peer_copies", "peer_reads", "exact")
               for shift in range(16, 31)}
    wanted |= {("across", what, most, 4 << shift) for what in ("star", "tree", "ring")
               for shift in range(8, 29, 2)}
    wanted |= {("from_host", what, n_gpus, 4 << shift) for n_gpus in range(1, most + 1)
               for what in ("whole", "chunks") for shift in range(20, 29, 4)}
    missing = sorted(wanted - found)
    if missing:
        experiment, what, n_gpus, size = missing[0]
        yield (f"{experiment}: no {what} for devices = {n_gpus}, bytes = {size} "
               f"({len(missing)} missing)")
    for row in rows:
        if not 0 < float(row["best_us"]) <= float(row["queued_us"]):
            yield (f"{row['experiment']}, {row['what']}, devices = {row['devices']}, "
                   f"bytes = {row['bytes']}: the best time is above the median")


def about_sanitizer(rows, about):
    wanted = {f"{kind}/{name}" for kind in ("lessons", "solutions") for name in lessons_of(about)}
    found = {(row["program"], row["tool"]) for row in rows}
    for program, tool in sorted({(p, t) for p in wanted for t in TOOLS} - found):
        yield f"{program} was not run under {tool}"
    for row in rows:
        if row["first"] == "stopped":
            yield f"{row['program']} under {row['tool']} was stopped: says nothing"
        elif row["findings"] != "0" or row["exit_status"] != "0":
            yield (f"{row['program']} under {row['tool']}: {row['findings']} findings, exit status "
                   f"{row['exit_status']}: {row['first']}")


def about_ncu(rows, about):
    """A lesson may have nothing but variants of which the profiler saw no kernel: `unseen`."""
    found = {row["lesson"] for row in rows}
    found |= {variant.partition("/")[0] for variant in about.get("unseen", "").split(", ")}
    for lesson in lessons_of(about):
        if lesson not in found:
            yield f"nothing of lesson {lesson}"


OF_LESSONS = ("sanitizer-lessons", "ncu")  # kinds that have something of every lesson
RULES = {"targets": about_targets, "look-back": about_look_back, "exact-sum": about_exact_sum,
         "many-bins": about_many_bins, "many-gpus": about_many_gpus,
         "sanitizer-lessons": about_sanitizer, "ncu": about_ncu,
         "ncu-caches": about_ncu}


def complaints(kind, table):
    """What is wrong with a table, one line each."""
    missing = [name for name in ABOUT if table.about.get(name) in (None, "", "unknown")]
    if missing:
        yield f"its head does not say: {', '.join(missing)}"
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", table.about.get("date", "")):
        yield "the date is not of the form 2026-01-31"
    if table.about.get("rows") != str(len(table.lines)):
        yield f"{len(table.lines)} rows; written were {table.about.get('rows')}"
    elif table.about.get("digest") != table.digest():
        yield "the rows are not those that were written: of another run, or changed by hand"
    keys = [tuple(row.get(name) for name in table.about.get("key", "").split("/"))
            for row in table.rows()]
    if "quantity" in table.columns.split(","):
        keys = [(*key, row["quantity"]) for key, row in zip(keys, table.rows())]
    if len(set(keys)) < len(keys):
        yield "a row is there twice"
    if table.about.get("incomplete"):
        return
    try:
        yield from RULES[kind](table.rows(), table.about)
    except (KeyError, TypeError, ValueError) as error:
        yield f"not a table of this kind: {type(error).__name__}: {error}"


def stored(data):
    """[(path, kind)] of the tables in a folder."""
    return [(path, kind) for kind in RULES for path in sorted(data.glob(f"*-{kind}.csv"))]
