#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From micro-benchmarks to a device's description for the timing model.

    calibrate.py describe [--check]     figures/data/*-calibration.csv, *-clusters.csv and
                                        *-many-gpus.csv -> common/simt/profile/devices/*.def
    calibrate.py store GPU RAW.csv...   what bench/calibrate printed
                                        -> figures/data/GPU-calibration.csv

`make calibrate GPU=h200` on that GPU compiles and runs bench/calibrate, stores and describes. Of
several runs the best counts: the shortest time, the highest rate. Every field of a description is a
formula over measured values (calibrate_formulas.py) or a number with a source (KNOWN, in
calibrate_devices.py). A device that was not calibrated takes the costs per cycle of the one that
its `like` names; one that was calibrated takes nothing. Every number stands in its file with its
source; one without is refused. Nothing is fitted to a lesson or to a kernel of bench/blind.
"""

import argparse
import csv
import math
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from calibrate_devices import BORROWED, CITATIONS, H200_PEAK_GB_PER_S, KNOWN, USUAL  # noqa: E402
from calibrate_formulas import (  # noqa: E402
    CITED_FIELDS, CLUSTER_FIELDS, FIELDS, LINK_FIELDS, OPS, SCALED_BY_CLOCK, SCALED_BY_DRAM,
    SCALED_BY_LINK, SCALED_BY_SIZE)

DATA, DEVICES = ROOT / "figures" / "data", ROOT / "common" / "simt" / "profile" / "devices"


def read_values(path):
    with open(path, encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {row["name"]: float(row["value"]) for row in rows}


def read_links(path):
    """What links took, by what went over them and how many bytes: links_copy_1024, in us."""
    with open(path, encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {f"links_{row['what']}_{row['bytes']}": float(row["queued_us"])
                for row in rows if row["experiment"] == "links"}


def by_addresses(v, kind):
    """Rates over 2^0 ... 2^27 addresses, between measured ones by the logarithm."""
    prefix = f"atomic_{kind}_2^"
    known = sorted((int(name.removeprefix(prefix)), value) for name, value in v.items()
                   if name.startswith(prefix))
    rates = []
    for i in range(28):
        below = max(k for k in known if k[0] <= i)
        above = min((k for k in known if k[0] >= i), default=below)
        t = (i - below[0]) / (above[0] - below[0]) if above[0] > below[0] else 0.0
        rates.append(math.exp((1 - t) * math.log(below[1]) + t * math.log(above[1])))
    return rates


ATOMICS = {"atomic_near_int": "u32_neighbours", "atomic_near_float": "f32_neighbours",
           "atomic_far_int": "u32_scattered", "atomic_far_float": "f32_scattered"}


def of_a_smaller_l2(rates, clock, size):
    """Rates by addresses with fewer slices: few addresses do not need them all."""
    peak = rates.index(max(rates))
    most = size * rates[peak]
    return [min(clock * rate, most) if i <= peak else size * rate for i, rate in enumerate(rates)]


def base_of(key, values):
    """Whose measured values count: a device's own, where it was calibrated."""
    return key if key in values else KNOWN[key].get("like", key)


def links_of(key, values):
    """The fields of links, and the source of each: the device's own, where two of them were there
    to be measured; else an H200's."""
    is_measured = "links_signals_0" in values.get(key, {})
    base = key if is_measured else "h200"
    share = KNOWN[key]["link_gb_per_s"] / KNOWN[base]["link_gb_per_s"]
    fields = {name: formula(values[base]) * (share if name in SCALED_BY_LINK else 1)
              for name, formula in LINK_FIELDS.items()}
    sources = {name: "links" if is_measured else "h200-link" if name in SCALED_BY_LINK else "h200"
               for name in LINK_FIELDS}
    return fields, sources


def fields_of(key, values):
    """(ops, fields, rates by addresses), each of this device or taken over from the one it is like;
    and the source of each, by its name."""
    known = KNOWN[key]
    base = base_of(key, values)
    v = values[base]
    ops = {name: formula(v) for name, formula in OPS.items()}
    fields = {name: formula(v) for name, formula in FIELDS.items()}
    is_measured = {name: "interval_l1_load_1_line" in v for name in CITED_FIELDS}
    fields.update({name: formula(v) if is_measured[name] else KNOWN[base][name]
                   for name, formula in CITED_FIELDS.items()})
    fields["latency_barrier"] = [v[f"latency_barrier_{n}_warps"] for n in (1, 2, 4, 8, 16, 32)]
    rates = {name: by_addresses(v, kind) for name, kind in ATOMICS.items()}
    sources = dict.fromkeys([*ops, *fields, *rates], "run" if base == key else "h200")
    if "latency_load_2" in v and base == key: # else times with clusters are not judged
        fields |= {name: formula(v) for name, formula in CLUSTER_FIELDS.items()}
        sources |= dict.fromkeys(CLUSTER_FIELDS, "clusters")
    links, link_sources = links_of(key, values)
    fields |= links
    sources |= link_sources
    sources |= {name: tag for name, tag in KNOWN[base]["cites"].items()
                if base == key and not is_measured.get(name)}
    if base == key:
        return ops, fields, rates, sources
    clock = known["clock_hz"] / KNOWN[base]["clock_hz"]
    dram = known.get("dram_read_gb_per_s", fields["dram_read_gb_per_s"] *
                     known.get("peak_gb_per_s", 0) / H200_PEAK_GB_PER_S)
    dram /= fields["dram_read_gb_per_s"]
    size = clock * min(1.0, known["n_sms"] / KNOWN[base]["n_sms"])
    for names, factor, tag in ((SCALED_BY_DRAM, dram, "h200-peak"),
                               (SCALED_BY_CLOCK, clock, "h200-clock"),
                               (SCALED_BY_SIZE, size, "h200-size")):
        for name in names:
            fields[name] *= factor
            sources[name] = tag
    sources.update(dict.fromkeys(rates, "h200-size"))
    fields.update({name: known[name] for name in fields if name in known})
    sources.update({name: known["cites"].get(name) for name in fields if name in known})
    for op, at in (("fp32", 0), ("fp64", 1)):
        if known["lanes"][at] < KNOWN[base]["lanes"][at]:
            ops[op] = (ops[op][0], 32.0 / known["lanes"][at])
            sources[op] = "h200+guide"  # the latency, and the interval
    rates = {name: of_a_smaller_l2(row, clock, size) for name, row in rates.items()}
    return ops, fields, rates, sources


NUMBER = re.compile(r"^ \.(\S+) = \{?([^,}]*)")
MAY_BE_NONE = "shared_bytes_reserved"
TAGS = re.compile(r"// \[([\w+-]+)\]$")


def complaints(text):
    """What is wrong with a description: each number needs a source, which the file's head must
    name, and none is a cost or a rate of 0 or less, which is what comes out of a micro-benchmark
    that the compiler has emptied."""
    named = set(re.findall(r"^//   (\S+): \S", text, re.MULTILINE))
    said = []
    for number, line in enumerate(text.splitlines(), 1):
        field = NUMBER.match(line)
        if not field or field[1].startswith(("key", "name")):
            continue
        if re.fullmatch(r"-.*|0*\.?0*", field[2]) and field[2] and field[1] != MAY_BE_NONE:
            said.append(f"line {number}: .{field[1]} is {field[2]}: no cost, and no rate")
        tags = TAGS.search(line)
        if not tags:
            said.append(f"line {number}: .{field[1]} has no source: end the line with // [SOURCE]")
        elif missing := set(tags[1].split("+")) - named:
            said.append(f"line {number}: .{field[1]} names {', '.join(sorted(missing))}, which the "
                        "head does not explain")
    return said


def counted(sources):
    """(numbers, those that are another device's)."""
    return len(sources), sum(tag.split("+")[0] in BORROWED for tag in sources.values() if tag)


def in_words(key, sources):
    """The line that `make compare` shows of a device that was not calibrated."""
    total, borrowed = counted(sources)
    if not borrowed:
        return f"calibrated on the card: figures/data/{key}-calibration.csv"
    return (f"{total - borrowed} of its {total} numbers are published ones of this device, "
            f"{borrowed} are an H200's per cycle; never compared with a real one")


def text_of(key, values):
    known = KNOWN[key]
    ops, fields, rates, sources = fields_of(key, values)
    sources = {name: known["cites"].get(name, tag) for name, tag in USUAL.items()} | sources
    number = lambda x: f"{x:.6g}"  # noqa: E731
    tag = lambda name: f" // [{sources[name]}]" if sources.get(name) else ""  # noqa: E731
    lines = [f'{{.key = "{key}", .name = "{known["name"]}",',
             f" .capability_major = {known['capability'][0]},"
             f" .capability_minor = {known['capability'][1]},"
             + tag("capability")]
    for name in ("n_sms", "clock_hz", "memory_clock_hz", "memory_bus_bits", "max_threads_per_sm",
                 "max_blocks_per_sm", "shared_bytes_per_sm", "shared_bytes_opt_in",
                 "shared_bytes_reserved",
                 "l1_shared_bytes", "l2_bytes", "dram_bytes"):
        lines.append(f" .{name} = {known[name]},{tag(name)}")
    lines += [" .registers_per_sm = 65536, .shared_bytes_per_block = 49152,"
              f"{tag('registers_per_sm')}",
              f" .lanes_fp32 = {known['lanes'][0]}, .lanes_fp64 = {known['lanes'][1]},"
              f"{tag('lanes')}",
              f" .host_gb_per_s = {known['host_gb_per_s']},{tag('host_gb_per_s')}"]
    lines += [f" .op[SIMT_OP_{name}] = {{{number(cost[0])}, {number(cost[1])}}},{tag(name)}"
              for name, cost in ops.items()]
    for name, value in fields.items():
        shown = ("{" + ", ".join(map(number, value)) + "}" if isinstance(value, list)
                 else number(value))
        lines.append(f" .{name} = {shown},{tag(name)}")
    for name, row in rates.items():
        lines.append(f" .{name} = {{{tag(name)}")
        lines += ["  " + ", ".join(number(rate) for rate in row[i:i + 7]) + ","
                  for i in range(0, 28, 7)]
        lines.append(" },")
    used = {one for found in sources.values() if found for one in found.split("+")}
    cited = {"sheet": known["sheet"], **CITATIONS,
             **{tag: CITATIONS[tag].format(key=key, name=key.upper())
                for tag in ("run", "clusters", "links")}}
    head = ["// SPDX-License-Identifier: MIT",
            f"// profile/devices/{key}.def - made by common/scripts/calibrate.py describe; not "
            "edited.",
            f"// Source: {in_words(key, sources)}.", "// Where each number comes from:",
            *(f"//   {name}: {text}" for name, text in cited.items() if name in used), ""]
    return "\n".join(head + lines + ["},"]) + "\n"


def stored_values():
    """The measured values of each device that was calibrated, by its name."""
    values = {path.name.split("-")[0]: read_values(path) for path in DATA.glob("*-calibration.csv")}
    for key in values:
        if (path := DATA / f"{key}-clusters.csv").is_file():
            values[key] |= read_values(path)
        if (path := DATA / f"{key}-many-gpus.csv").is_file():
            values[key] |= read_links(path)
    return values


def describe(check):
    values, wrong = stored_values(), []
    for key in KNOWN:
        if base_of(key, values) not in values:
            sys.exit(f"calibrate.py: {key} needs "
                     f"figures/data/{base_of(key, values)}-calibration.csv")
        path, text = DEVICES / f"{key}.def", text_of(key, values)
        if said := complaints(text):
            sys.exit("\n".join(f"calibrate.py: {path.name}, {line}" for line in said))
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            wrong.append(path.name)
    for name in wrong:
        print(f"calibrate.py: {name} is not what the stored calibration gives: calibrate.py "
              "describe", file=sys.stderr)
    return 1 if wrong else 0


# Of several runs: the highest rate, otherwise the shortest time.
def best(name, values, units):
    largest = "/s" in units or name in ("n_sms", "l2_bytes", "shared_bytes_per_sm")
    return max(values) if largest else min(values)


def store(gpu, paths, about):
    runs, rows = [], []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith("#")]
        runs.append({row["name"]: row for row in csv.DictReader(lines)})
    for name, row in runs[0].items():
        values = [float(run[name]["value"]) for run in runs if name in run]
        spread = (max(values) - min(values)) / max(values) if max(values) > 0 else 0.0
        rows.append((name, f"{best(name, values, row['unit']):.6g}", row["unit"], f"{spread:.3f}"))
    out = DATA / f"{gpu}-calibration.csv"
    with open(out, "w", encoding="utf-8", newline="") as file:
        for line in about:
            file.write(f"# {line}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("name", "value", "unit", "spread"))
        writer.writerows(rows)
    print(f"{out.relative_to(ROOT)}: {len(rows)} values of {len(runs)} runs")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("describe", "store"))
    parser.add_argument("arguments", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--about", action="append", default=[], help="a line of provenance (store)")
    options = parser.parse_args()
    if options.what == "describe":
        return describe(options.check)
    if len(options.arguments) < 2:
        parser.error("store needs the GPU's short name and at least one run's output")
    return store(options.arguments[0], options.arguments[1:], options.about)


if __name__ == "__main__":
    sys.exit(main())
