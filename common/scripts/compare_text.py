# SPDX-License-Identifier: MIT
"""`make compare` on a terminal: one screen of steps, or with ALL=1 every variant. At most 80
columns."""

import os
import re
import textwrap
from pathlib import Path

from compare_rows import is_yardstick, percent_of_ceiling, ratio, same_task, steps, stored_time

WIDTH = 80
DEVICES = Path(__file__).resolve().parents[1] / "simt/profile/devices"
BAR = 16
WAITING, BEYOND = ("not judged", "not run"), ("not modelled",)
UNTIMED = WAITING + BEYOND


def fixed(value, decimals, unit=""):
    if value is None:
        return "-"
    if value and abs(value) < 0.5 * 10 ** -decimals:
        return f"{value:.1g}{unit}"
    return f"{value:.{decimals}f}{unit}"


def number(value):
    if value is None:
        return "-"
    if float(value).is_integer() and abs(value) < 1e10:
        return f"{int(value):,}"
    if abs(value) >= 1e7:
        return f"{value:.3g}"
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def times(value):
    """A ratio of times, with three digits."""
    if value is None:
        return "-"
    return (f"{value:,.0f}x" if value >= 99.5 else f"{value:.1f}x" if value >= 9.95
            else f"{value:.2f}x")


def sizes(value):
    power = value.bit_length() - 1
    return f"2^{power} = {value:,}" if value and value == 1 << power else f"{value:,}"


def power(value):
    exponent = value.bit_length() - 1
    return f"2^{exponent}" if value == 1 << exponent else f"{value:,}"


class Style:
    """Colours on a terminal that wants them."""

    def __init__(self, stream=None):
        self.on = bool(stream and stream.isatty() and not os.environ.get("NO_COLOR")
                       and os.environ.get("TERM") != "dumb")

    def _wrap(self, code, text):
        return f"\033[{code}m{text}\033[0m" if self.on else text

    def bold(self, text):
        return self._wrap("1", text)

    def dim(self, text):
        return self._wrap("36", text)

    def bad(self, text):
        return self._wrap("1;31", text)


# --- what both views begin and end with -----------------------------------------------------------

def here_name(rows):
    """The name of this machine's column."""
    return "modelled" if rows[0]["time_kind"] == "modelled" else "here"


def stored_name(stored):
    """"H200", or "" without stored measurements."""
    return stored.name if stored else ""


def source_of_model(device):
    """Where the numbers of a modelled device come from, as its description says; "" of a GPU."""
    for path in sorted(DEVICES.glob("*.def")):
        text = path.read_text(encoding="utf-8")
        if f'.name = "{device}"' in text:
            return re.search(r"^// Source: (.*)$", text, re.MULTILINE).group(1)
    return ""


def wrapped(text):
    return textwrap.wrap(text, WIDTH) if not text.endswith(": ") else []


def sampled(rows):
    """How much was run, where some blocks stand for all."""
    some = [row["blocks_run_percent"] for row in rows
            if row.get("blocks_run_percent") and row["blocks_run_percent"] < 100]
    if not some:
        return []
    at = sorted({row["verified_n"] for row in rows if row.get("verified_n") and
                 row["verified_n"] != row["n"]})
    return wrapped(f"In {len(some)} of {len(rows)} variants {min(some):.2g} to {max(some):.2g} % "
                   "of the blocks stand for all; their results were verified at n = "
                   f"{', '.join(map(power, at))}. EXACT=1 runs all of them.")


def on_several(rows):
    """What a lesson on several GPUs was given, where that is not what the others were."""
    several = {row["lesson"]: row for row in rows if (row.get("devices") or 1) > 1}
    return [f"{lesson}: {power(row['n'])} in all, on {row['devices']} GPUs"
            for lesson, row in several.items() if row["lesson"] != rows[0]["lesson"]]


def article(device):
    """"an" before H100, RTX 4090 and NVIDIA, "a" before T4 and V100."""
    return "an" if device[:1] in "AEFHILMNORSX8" else "a"


def head(rows, stored):
    """What each column of times is."""
    first = rows[0]
    device = first["device"].removeprefix("modelled ")
    lines = [f"{sizes(first['n'])} elements", *on_several(rows)]
    if first["time_kind"] == "modelled":
        lines.append(f"modelled: what {article(device)} {device} would take, as the software GPU "
                     "estimates it")
        lines += sampled(rows)
    else:
        lines.append(f"here: measured on this machine, {device}")
    if stored:
        used = sorted({row["stored"]["n"] for row in rows if row.get("stored")})
        at = f" at n = {', '.join(map(power, used))}" if used and used != [first["n"]] else ""
        lines.append(f"{stored_name(stored)}: measured on an {stored.device}{at}, {stored.date}")
    else:
        lines.append(f"No times measured on {article(device)} {device[:40]} are stored")
        lines += wrapped(f"Its model: {source_of_model(first['device'])}")
    return [line[:WIDTH] for line in lines]


def sum_step(rows, time):
    """(first, fastest) of the float sums, by `time`: the ladder up to lesson 07."""
    timed = [row for row in rows
             if same_task({**rows[0], "lesson": row["lesson"]}, row) and row["lesson"] < "08"
             and not row.get("demonstration") and not is_yardstick(row) and time(row)]
    return (timed[0], min(timed, key=time)) if len(timed) > 1 else None


def summary(rows, stored):
    """What the ladder gained, and which step most."""
    views = [(lambda row: row["time_ms"], here_name(rows))]
    if stored:
        views.insert(0, (stored_time, f"on the {stored_name(stored)}"))
    lines = []
    for time, name in views:
        found = sum_step(rows, time)
        if found:
            first, best = found
            lines.append(f"{first['variant']} -> {best['variant']}, {name}: "
                         f"{times(time(first) / time(best))}")
    gains = [(ratio(time(first), time(best)) or 0, best["lesson"][:2])
             for time, _ in views[:1] for first, best in steps(rows)]
    if gains and max(gains)[0] > 1:
        lines.append(f"largest step, {views[0][1]}: lesson {max(gains)[1]}, {times(max(gains)[0])}")
    return lines


# --- one screen -----------------------------------------------------------------------------------

def bar(percent):
    if percent is None:
        return " " * BAR
    full = min(BAR, max(1 if percent > 0 else 0, round(BAR * percent / 100)))
    return "#" * full + "." * (BAR - full)


def counter(first, best):
    """The first number that explains the step: "barriers 8 -> 1"."""
    for label, value in (first.get("explains") or {}).items():
        other = (best.get("explains") or {}).get(label)
        if value is not None and other is not None:
            return f"{label} {number(value)} -> {number(other)}"
    return ""


def step_lines(first, best, about, has_stored, style):
    name = f"{best['lesson'][:2]} {first['variant']}"
    stored = here = None
    if first is not best:
        name += f" -> {best['variant']}"
        stored = ratio(stored_time(first), stored_time(best))
        here = ratio(first["time_ms"], best["time_ms"])
    percent = percent_of_ceiling(best) if has_stored else best["percent_of_peak"]
    columns = [f"{times(stored):>8}"] if has_stored else []
    columns.append(f"{times(here):>9}")
    wrong = [row for row in (first, best) if not row["correct"]]
    shown = f"{bar(percent)} {fixed(percent, 1):>5} %" if percent is not None else ""
    line = f"{name:38.38}{''.join(columns)}  {shown}".rstrip()
    if wrong:
        return [line, style.bad(f"   {wrong[0]['variant']}: WRONG RESULT")]
    said = [text for text in ((about.get(best["lesson"]) or {}).get("taught"),
                              counter(first, best)) if text]
    return [line, style.dim("   " + "  ".join(said)[:WIDTH - 3])]


def screen(rows, stored, about, style):
    """Per lesson: its first and its best variant, and what the step between them taught."""
    columns = [f"{stored_name(stored):>8}"] if stored else []
    columns.append(f"{here_name(rows):>9}")
    where = f"best, % of {stored_name(stored)} ceiling" if stored else "best, % of peak"
    lines = [*head(rows, stored), style.bold(f"{'':38}{'times as fast':>17}" if stored
                                             else f"{'':38}{'times as fast':>9}").rstrip(),
             style.bold(f"{'lesson: first -> best variant':38}{''.join(columns)}  {where}")]
    for first, best in steps(rows):
        lines += step_lines(first, best, about, bool(stored), style)
    lines += wrong_lines(rows, style)
    return [*lines, *summary(rows, stored), "All variants: make compare ALL=1"]


def wrong_lines(rows, style):
    """Wrong results that no step shows."""
    shown = {id(row) for pair in steps(rows) for row in pair}
    return [style.bad(f"{row['lesson']} {row['variant']}: WRONG RESULT")
            for row in rows if not row["correct"] and id(row) not in shown]


# --- every variant --------------------------------------------------------------------------------

def beside_cub(row):
    if not row.get("times_cub") or is_yardstick(row):
        return None
    return "ties with CUB" if row.get("ties_cub") else f"{row['times_cub']:.2f} x CUB"


def value_of(row, label):
    """What the last column says: the counter that heads the lesson's rows, a dash where a variant
    has none to count, or on a GPU, which does not count, CUB's ratio."""
    return beside_cub(row) or (number((row.get("explains") or {}).get(label)) if label else "")


def label_of(rows):
    for row in rows:
        for label, value in (row.get("explains") or {}).items():
            if value is not None:
                return label
    return ""


def variant_line(row, label, has_stored, style):
    mark = "!" if row.get("disagrees") else " "
    before = "ties" if row.get("ties_before") else times(row["times_before"])
    basis = row.get("basis")
    here = ("no time" if basis in WAITING else "beyond" if basis in BEYOND else
            fixed(row["time_ms"], 4))
    text = (f"  {row['variant'][:18]:18} {here:>9} {before:>7}{mark}"
            f"{fixed(row['percent_of_peak'], 1):>6}")
    if has_stored:
        text += (f" {fixed(stored_time(row), 4):>9} {times(row['stored_before']):>7}"
                 f"{fixed(percent_of_ceiling(row), 1):>6} ")
    if not row["correct"]:
        return text + style.bad(" WRONG RESULT")
    why = value_of(row, label)
    return text + style.dim(f"{why:>{min(14, WIDTH - len(text))}}" if why else "")


def every_variant(rows, stored, _about, style):
    name = here_name(rows)
    heading = f"  {'variant':18} {name + ' ms':>11} {'before':>5} {'% peak':>6}"
    if stored:
        heading += f" {stored_name(stored) + ' ms':>9} {'before':>7} {'% ceil':>6}"
    lines = [*head(rows, stored), style.bold(f"{heading:66}{'explained by':>14}")]
    lesson, label = None, ""
    for row in rows:
        if row["lesson"] != lesson:
            lesson = row["lesson"]
            label = label_of([other for other in rows if other["lesson"] == lesson])
            lines.append(style.bold(f"{lesson:66}{label:>14}".rstrip()))
        lines.append(variant_line(row, label, bool(stored), style).rstrip())
    if any(row.get("basis") in WAITING for row in rows):
        lines.append("no time: its blocks wait for each other, which the model cannot judge")
    if any(row.get("basis") in BEYOND for row in rows):
        lines.append("beyond: its blocks use each other's shared memory, whose cost the model does "
                     "not know")
    if any(row.get("disagrees") for row in rows):
        lines.append(f"! the model points the other way than the {stored_name(stored)}: believe "
                     "what was measured")
    return lines + summary(rows, stored)
