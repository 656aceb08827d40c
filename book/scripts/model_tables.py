# SPDX-License-Identifier: MIT
"""Tables of the page on the timing model, from stored data and the devices' descriptions.

  {{model_summary}}      how far off modelled times are, by what was known of the rows
  {{model_number WHAT}}  a number of it: SET:kernels, SET:rows, or SET:HALF:COLUMN:QUANTITY as in
                         second:kept:frozen:median
  {{model_targets}}      what was aimed at, and what the blind rows show
  {{model_calibrated}}   the same of a GPU that the model knows from micro-benchmarks alone
  {{model_worst SET:HALF}}  the kernels of a half that are off most, one row each
  {{model_reasons}}      why kernels of the second set's open half are off
  {{model_off_h100}}     the kernels that are off most there, with what they are off on the H200
  {{model_directions}}   how many clear steps of the ladders point the right way
  {{model_directions_h100}}  the same on the H100
  {{model_constants}}    every number of the H200's description, with its source
  {{model_sources}}      what the sources' short names stand for
  {{model_devices}}      the devices: how many of their numbers are their own
  {{model_caches}}       the simulated caches beside a profiler's counts
  {{model_sampling}}     how far a sample of the blocks is off
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common/scripts"))

import blind_device  # noqa: E402
import blind_reasons  # noqa: E402
import blind_report  # noqa: E402
import blind_rows  # noqa: E402
import blind_second  # noqa: E402
import calibrate  # noqa: E402
import sampling  # noqa: E402
from macros import powers  # noqa: E402
from tables import cell, code, table  # noqa: E402

MANY = 8  # rows of a table of worst ones


SETS = {"first": blind_report.read_store, "second": blind_second.read}


def half(of_set, name):
    return [row for row in SETS[of_set]()[1] if row["half"] == name]


def model_number(what):
    of_set, what, *rest = what.split(":")
    rows = SETS[of_set]()[1]
    if what == "kernels":
        return str(len({row["kernel"] for row in rows}))
    if what == "rows":
        return str(len(rows))
    column, quantity = rest
    return blind_rows.summary(half(of_set, what), f"{column}_ms")[quantity.replace("_", " ")]


# What was aimed at on the blind half of an H200: words, quantity of the summary, bound, whether
# above is good.
TARGETS = (("median error at most 12 %", "median", 12, False),
           ("mean error at most 20 %", "mean", 20, False),
           ("at least 95 % of clear pairs in order", "pairs in order", 95, True))


# The columns of the table of targets: heading, set, half, what the model was.
JUDGED = (("Second set, kept half, model frozen: blind", "second", "kept", "frozen"),
          ("Second set, open half, model frozen: blind", "second", "open", "frozen"),
          ("First set, kept half, model frozen: blind then", "first", "kept", "frozen"))


def model_targets():
    lines = []
    for words, quantity, bound, above in TARGETS:
        row = [words]
        for _, of_set, name, column in JUDGED:
            text = blind_rows.summary(half(of_set, name), f"{column}_ms")[quantity]
            value = float(text.rstrip(" %"))
            met = value >= bound if above else value <= bound
            row.append(f"{text}, {'met' if met else 'missed'}")
        lines.append(row)
    return table(["Wanted of kernels that the model has not seen", *(one[0] for one in JUDGED)],
                 lines)


MOST_ON_THE_H100 = 25  # percent of mean error, over a set's half


def model_calibrated():
    lines = []
    for of_set in reversed(blind_device.SETS):
        for name in ("kept", "open"):
            found = blind_rows.summary(blind_report.of_device(of_set, name), "frozen_ms")
            met = float(found["mean"].rstrip(" %")) <= MOST_ON_THE_H100
            lines.append([f"{of_set} set, {name} half", found["rows"], found["median"],
                          f"{found['mean']}, {'met' if met else 'missed'}", found["p90"],
                          found["within 20 %"], found["pairs in order"]])
    return table(["Rows", "Number", "Median", f"Mean (wanted: at most {MOST_ON_THE_H100} %)", "p90",
                  "Within 20 %", "Pairs in order"], lines, ["---"] + ["--:"] * 6)


def model_off_h100():
    here = blind_device.read(blind_report.CALIBRATED)[1]
    there = {(name, row["kernel"], int(row["n"])): row["modelled_ms"] / row["measured_ms"] - 1
             for name, read in SETS.items() for row in read()[1]}
    worst = {}
    for row in here:
        error = row["frozen_ms"] / row["measured_ms"] - 1
        if abs(error) > abs(worst.get(row["kernel"], (0, None))[0]):
            worst[row["kernel"]] = (error, row)
    rows = sorted(worst.values(), key=lambda one: -abs(one[0]))[:MANY]
    lines = [[code(row["kernel"]), f"2<sup>{int(row['n']).bit_length() - 1}</sup>",
              f"{1e3 * row['measured_ms']:,.1f}", f"{1e3 * row['frozen_ms']:,.1f}",
              f"{100 * error:+.0f} %",
              f"{100 * there[row['set'], row['kernel'], int(row['n'])]:+.0f} %", row["bound"]]
             for error, row in rows]
    return table(["Kernel", "n", "Measured, µs", "Modelled, µs", "Error", "On the H200",
                  "Bound by"], lines, ["---", "--:", "--:", "--:", "--:", "--:", "---"])


def model_worst(what):
    of_set, name = what.split(":")
    column = "frozen_ms" if of_set == "second" else "modelled_ms"
    bound = "frozen_bound" if of_set == "second" else "bound"
    worst = {}
    for row in half(of_set, name):
        error = row[column] / row["measured_ms"] - 1
        if abs(error) > abs(worst.get(row["kernel"], (0, None))[0]):
            worst[row["kernel"]] = (error, row)
    rows = sorted(worst.values(), key=lambda one: -abs(one[0]))[:MANY]
    lines = [[code(row["kernel"]), f"2<sup>{int(row['n']).bit_length() - 1}</sup>",
              f"{1e3 * row['measured_ms']:,.1f}", f"{1e3 * row[column]:,.1f}",
              f"{100 * error:+.0f} %", row[bound]] for error, row in rows]
    return table(["Kernel", "n", "Measured, µs", "Modelled, µs", "Error", "Bound by"], lines,
                 ["---", "--:", "--:", "--:", "--:", "---"])


def model_reasons():
    lines = [[code(name), errors, cell(reason)]
             for name, errors, reason in blind_reasons.explained()]
    return table(["Kernel", "Errors, by size", "Why"], lines)


def model_directions():
    said = []
    for n, path in blind_report.LADDERS.items():
        clear, wrong = blind_report.directions(path)
        against = f"; against it: {', '.join(map(code, wrong))}" if wrong else ""
        said.append(f"At {powers(n)} elements the H200 separates {clear} steps of the ladder by "
                    f"more than a tenth; the model has {clear - len(wrong)} in its direction"
                    f"{against}.")
    return " ".join(said)


def model_directions_h100():
    clear, wrong = blind_report.directions(blind_report.LADDER_CALIBRATED)
    against = f"; against it: {', '.join(map(code, wrong))}" if wrong else ""
    return (f"At {powers('2^22')} elements the H100 separates {clear} steps of the lessons' ladder "
            f"by more than a tenth; the model has {clear - len(wrong)} in its direction{against}.")


UNITS = (("_gb_per_s", "GB/s"), ("_g_per_s", "10<sup>9</sup>/s"), ("_ns", "ns"), ("_hz", "Hz"),
         ("_bytes", "bytes"))


def unit_of(name):
    if "latency" in name or name.endswith("_cycles"):
        return "cycles"
    return next((unit for end, unit in UNITS if name.endswith(end)), "")


def shown(value):
    if isinstance(value, (list, tuple)):
        return " / ".join(f"{one:.3g}" for one in value)
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def model_constants():
    values = calibrate.stored_values()
    ops, fields, rates, sources = calibrate.fields_of("h200", values)
    lines = [[code(name), shown(value), unit_of(name), sources[name]] for name,
             value in fields.items()]
    lines += [[code("op " + name), shown(cost), "cycles: latency / interval", sources[name]]
              for name, cost in ops.items()]
    lines += [[code(name), f"{rate[0]:.3g} to {max(rate):.3g}", "lanes per ns, by addresses",
               sources[name]]
              for name, rate in rates.items()]
    return table(["Constant", "H200", "Unit", "Source"], lines, ["---", "--:", "---", "---"])


def model_sources():
    used = {"run", "clusters", "card", "benches", "guide", "pcie"}
    texts = {**calibrate.CITATIONS,
             **{tag: calibrate.CITATIONS[tag].format(key="h200", name="H200")
                for tag in ("run", "clusters")}}
    return "\n".join(f"- *{name}*: {cell(text)}" for name, text in texts.items() if name in used)


def model_devices():
    values = calibrate.stored_values()
    lines = []
    for key, known in calibrate.KNOWN.items():
        sources = {name: known["cites"].get(name, tag) for name, tag in calibrate.USUAL.items()}
        sources |= calibrate.fields_of(key, values)[3]
        total, borrowed = calibrate.counted(sources)
        lines.append([code(key), known["name"].removeprefix("modelled "), str(total - borrowed),
                      str(borrowed),
                      "yes" if not borrowed else "no"])
    return table(["DEVICE=", "GPU", "Own numbers", "An H200's", "Compared with a real one"], lines,
                 ["---", "---", "--:", "--:", "---"])


def model_sampling():
    return sampling.table(sampling.read(calibrate.DATA / "simt-sampling.csv"))


def pieces():
    """What a page may ask for, by name."""
    return {"model_summary": lambda: powers(blind_report.summaries()),
            "model_caches": blind_report.caches,
            **{maker.__name__: maker for maker in (
                model_number, model_targets, model_calibrated, model_off_h100, model_worst,
                model_reasons, model_directions, model_directions_h100, model_constants,
                model_sources, model_devices,
                model_sampling)}}
