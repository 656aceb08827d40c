# SPDX-License-Identifier: MIT
"""Tables about what bounds each task and how near the stored runs come, for the page on limits.

  {{target_overview}}       a line for each task: its bytes, the ceiling's time, ours, CUB's
  {{target_sizes KIND}}     CUB's time over ours by n, a column for each regime
  {{target_wanted KIND}}    what is wanted at those sizes, in words
                            ({{target_sizes KIND copy}}, {{target_wanted KIND copy}}: beside a copy)
  {{target_rows KIND}}      the other targets of a kind, one line each
  {{target_arguments KIND}} for what is not met: the argument, and the numbers it rests on
  {{target_number WHAT}}    a number: held, met, ties, refused, elsewhere, missed; cub_ahead,
                            cub_ties, cub_behind

KIND is one of targets.KINDS. Verdicts are those of the measuring program; an argument is shown only
where this run needs it. `ties` in a cell means that the spread of the ratio reaches over 1.
"""

from macros import grouped, powers
from tables import cell, code, table
from target_reasons import (BEYOND, ELSEWHERE, REACHABLE, REASONS, TIED, is_beyond,
                            kernel_that_meets,
                            reason_for, wanted_us)
from targets import CEILINGS, KINDS, REGIMES, Targets, bytes_of

MANY_SIZES = 4  # from here on a target is shown by size
HEADINGS = {BEYOND: "Beyond the ceiling", TIED: "No significant difference",
            ELSEWHERE: "Met by another kernel",
            REACHABLE: "Not reached, though the hardware would allow it"}


def size(n):
    """2^28 with a raised 28; other numbers grouped."""
    return powers(f"2^{n.bit_length() - 1}") if n & (n - 1) == 0 else grouped(n)


def microseconds(us):
    return grouped(us, 2 if us < 100 else 1)


def speed(n_bytes, us):
    return grouped(n_bytes / (us * 1e3), 0)


def with_spread(row):
    return f"{row.ratio:.2f}&nbsp;({row.ratio_p10:.2f}&nbsp;to&nbsp;{row.ratio_p90:.2f})"


def kernel(row):
    return f"{code(row.kernel)}, {row.block}" if row.block else code(row.kernel)


def where(row):
    return f"{row.target}, {size(row.n)}, {row.regime}, {kernel(row)}"


def outcome(row, targets):
    """The verdict in the page's words: not simply missed is what lies beyond the ceiling, and what
    another kernel of ours meets."""
    if row.verdict == "missed" and is_beyond(row, targets):
        return "refused"
    if row.verdict == "missed" and kernel_that_meets(row, targets):
        return "met elsewhere"
    return row.verdict


# --- one line a task ------------------------------------------------------------------------------

def largest(rows):
    """The row that stands for a task: largest n, one launch that was enqueued ahead, our
    fastest."""
    order = ("queued", "graph", "lone")
    return min(rows, key=lambda row: (-row.n, order.index(row.regime), row.median_us))


def against_cub(row, targets):
    """CUB's time over ours; with the spread where it is stored."""
    cub = min((one for one in targets.contest(row) if one.is_cub()),
              key=lambda one: one.median_us, default=None)
    if cub is None:
        return "–"
    held = next((one for one in targets.contest(row) if one.verdict and one.is_beside_cub()
                 and (one.kernel, one.block) == (row.kernel, row.block)), None)
    return with_spread(held) if held else f"{cub.median_us / row.median_us:.2f}"


def overview_line(target, rows, targets):
    best = targets.best_of_ours(largest(rows))
    ceiling = targets.ceiling(best)
    least = microseconds(ceiling.median_us) if ceiling else "–"
    share = f"{100 * ceiling.median_us / best.median_us:.0f} %" if ceiling else "–"
    return [f"{target}, {size(best.n)}", f"{bytes_of(best) / 2**30:.2g}", least, code(best.kernel),
            microseconds(best.median_us), share, against_cub(best, targets)]


def target_overview(targets):
    """Tasks in the order of KINDS; within a kind in the order of the stored table."""
    lines = []
    for kind in KINDS:
        names = dict.fromkeys(row.target for row in targets.held(kind.name))
        for target in names:
            rows = [row for row in targets.held(kind.name) if row.target == target]
            lines.append(overview_line(target, rows, targets))
    return table(["Task, elements", "GiB", "Only moved, µs", "Ours", "µs", "Of the ceiling",
                  "CUB's time over ours"], lines, ["---", "--:", "--:", "---", "--:", "--:", "---"])


# --- the targets of a kind ------------------------------------------------------------------------

def by_size(targets, kind_name, reference="cub"):
    """The rows held against CUB, or a ceiling, of those targets that have many sizes."""
    rows = [row for row in targets.held(kind_name) if row.reference.startswith(reference)]
    n_sizes = {row.target: len({r.n for r in rows if r.target == row.target}) for row in rows}
    return [row for row in rows if n_sizes[row.target] >= MANY_SIZES]


def target_wanted(targets, kind_name, reference="cub"):
    """The ratio that is wanted at most sizes, and where it is another: "1 (1.3 lone from 2^14
    …)"."""
    places = {}
    for row in by_size(targets, kind_name, reference):
        places.setdefault(row.wanted, []).append((row.n, row.regime))
    if not places:
        return "nothing"
    usual = max(places, key=lambda wanted: len(places[wanted]))
    others = []
    for wanted, found in places.items():
        if wanted != usual:
            sizes, regimes = {n for n, _ in found}, {regime for _, regime in found}
            how = "" if len(regimes) == len(REGIMES) else " " + ", ".join(sorted(regimes))
            others.append(f"{wanted:g}{how} from {size(min(sizes))} to {size(max(sizes))}")
    return f"{usual:g}" + (f" ({'; '.join(others)})" if others else "")


def size_cell(row):
    if row is None:
        return "–"
    note = row.verdict if row.verdict == "ties" else ""
    if row.is_beside_cub():  # said even where the target is met: a lead can be no lead
        note = "" if row.standing() == "ahead" else row.standing()
    text = f"{row.ratio:.2f} {note}".rstrip()
    return f"**{text}**" if row.verdict == "missed" else text


def target_sizes(targets, kind_name, reference="cub"):
    """The reference's time over ours, by n; bold where the target is missed."""
    rows = by_size(targets, kind_name, reference)
    if not rows:
        return "No stored run has these yet."
    found = {(row.target, row.kernel, row.block, row.regime, row.n): row for row in rows}
    columns = [(*name, regime) for name in dict.fromkeys(key[:3] for key in found)
               for regime in REGIMES if any(key[:4] == (*name, regime) for key in found)]
    kernels = {column[:3] for column in columns}
    heads = [column[3] if len(kernels) == 1 else f"{code(column[1])} {column[2]}, {column[3]}"
             for column in columns]
    lines = [[size(n)] + [size_cell(found.get((*column, n))) for column in columns]
             for n in sorted({row.n for row in rows})]
    return table(["Elements", *heads], lines, ["--:"] * (len(heads) + 1))


def target_rows(targets, kind_name):
    shown = [row for reference in ("cub", *CEILINGS)
             for row in by_size(targets, kind_name, reference)]
    rows = [row for row in targets.held(kind_name) if row not in shown]
    if not rows:
        return "" if shown else "No stored run has these yet."
    lines = [[where(row), grouped(row.gb_per_s, 0), cell(row.reference), with_spread(row),
              f"{row.wanted:g}", outcome(row, targets)] for row in rows]
    return table(["Where", "GB/s", "Beside", "Ratio", "Wanted", ""], lines,
                 ["---", "--:", "---", "---", "--:", "---"])


# --- arguments ------------------------------------------------------------------------------------

def worst_of_each(rows):
    """Of the sizes of one kernel, held against one reference in one regime, the one that is
    furthest from its target: [(row, how it is called)]. All of them stand in the table by size."""
    groups = {}
    for row in rows:
        reference = row.reference.split()[0]  # "copy" may be "copy (memcpy)" at another size
        name = (row.target, row.regime, row.kernel, row.block, reference)
        groups.setdefault(name, []).append(row)
    worst = []
    for group in groups.values():
        row = min(group, key=lambda one: one.ratio / one.wanted)
        more = f" (the worst of {len(group)} sizes)" if len(group) > 1 else ""
        worst.append((row, where(row) + more))
    return worst


def tried(row, targets):
    """Our other kernels of the row's contest with their times, the fastest three."""
    return ", ".join(f"{code(one.kernel)} {microseconds(one.median_us)}"
                     for one in targets.others_of_ours(row)[:3]) or "–"


def lines_beyond(rows, targets):
    lines = []
    for row, place in rows:
        asked, ceiling = wanted_us(row, targets), targets.ceiling(row)
        reference = targets.reference(row)
        lines.append([place, f"{microseconds(reference.median_us)} / {row.wanted:g}",
                      f"{microseconds(asked)} ({speed(bytes_of(row), asked)} GB/s)",
                      f"{microseconds(ceiling.p10_us)} ({speed(bytes_of(row), ceiling.p10_us)} "
                      f"GB/s)",
                      f"{microseconds(row.median_us)} ({row.ratio:.2f} ×)", tried(row, targets)])
    return table(["Where", "The reference's µs, divided", "Asked for, µs", "Only moved, µs (p10)",
                  "Reached, µs", "Our others there, µs"], lines)


def lines_tied(rows, _targets):
    return table(["Where", "Beside", "Ratio", "Wanted"],
                 [[place, cell(row.reference), with_spread(row), f"{row.wanted:g}"]
                  for row, place in rows])


def lines_elsewhere(rows, targets):
    lines = []
    for row, place in rows:
        other, reference = kernel_that_meets(row, targets), targets.reference(row)
        lines.append([place, cell(row.reference), f"{row.wanted:g}", f"{row.ratio:.2f}",
                      kernel(other),
                      f"{reference.median_us / other.median_us:.2f}"])
    return table(["Where", "Beside", "Wanted", "Ratio", "Met by", "Ratio there"], lines)


def lines_reachable(rows, targets):
    lines = [[place, microseconds(row.median_us),
              microseconds(targets.reference(row).median_us),
              microseconds(targets.ceiling(row).median_us), tried(row, targets)]
             for row, place in rows]
    return table(["Where", "Ours, µs", "Reference, µs", "Only moved, µs",
                  "Our others there, µs"], lines)


LINES = {BEYOND: lines_beyond, TIED: lines_tied, ELSEWHERE: lines_elsewhere,
         REACHABLE: lines_reachable}


def target_arguments(targets, kind_name):
    """A paragraph for each argument that this run needs, with its numbers in a table."""
    rows_of = {}
    for row in targets.held(kind_name):
        if row.verdict != "met":
            reason = reason_for(row, targets, REASONS)
            rows_of.setdefault(id(reason), (reason, []))[1].append(row)
    if not rows_of:
        return "Every target of this section is met." if targets.held(kind_name) else ""
    pieces = []
    for reason, rows in rows_of.values():
        if reason is None:  # the test of the stored data fails then; the page must not hide it
            pieces.append("**No argument.** " + "; ".join(where(row) for row in rows))
            continue
        lines = LINES[reason.claim](worst_of_each(rows), targets)
        pieces.append(f"**{HEADINGS[reason.claim]}.** {reason.text}\n\n{lines}")
    return "\n\n".join(pieces)


def target_number(targets, what):
    held = targets.held()
    outcomes = [outcome(row, targets) for row in held]
    numbers = {"held": len(held), "elsewhere": outcomes.count("met elsewhere")}
    numbers |= {verdict: outcomes.count(verdict)
                for verdict in ("met", "ties", "refused", "missed")}
    for standing in ("ahead", "ties", "behind"):
        numbers["cub_" + standing] = sum(row.is_beside_cub() and row.standing() == standing
                                         for row in held)
    return str(numbers[what])


def pieces(data):
    """What a page may ask for, by name."""
    makers = (target_overview, target_sizes, target_wanted, target_rows, target_arguments,
              target_number)

    def bind(maker):
        def make(*words):
            if words and maker is not target_number and words[0] not in [k.name for k in KINDS]:
                raise KeyError(f"no targets of a kind '{words[0]}'")
            return maker(Targets(data), *words)
        return make

    return {maker.__name__: bind(maker) for maker in makers}
