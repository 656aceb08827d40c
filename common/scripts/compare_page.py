# SPDX-License-Identifier: MIT
"""index.html of `make compare`: every variant on one self-contained page, for screen and paper.

The page needs no network and no script to be read; its script only sorts. It lies in
BUILD/compare, from where its links lead to the chapters and programs of this checkout.
"""

import re
from html import escape
from pathlib import Path

import bounds
from compare_rows import is_yardstick, percent_of_ceiling, ratio, steps, stored_time
from compare_text import (counter, fixed, head, here_name, number, sizes, stored_name, summary,
                          times)

ROOT = Path(__file__).resolve().parents[2]

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #57606a; --paper: #ffffff;
  --line: #d0d7de; --here: #0072b2; --stored: #e69f00; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --dim: #9aa4ae; --paper: #0f1419;
  --line: #30363d; --here: #56b4e9; --stored: #e69f00; --bad: #ff8a80; } }
body { color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, sans-serif;
  max-width: 84rem; margin: 2rem auto; padding: 0 1rem; }
sup { font-size: .7em; line-height: 0; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .2rem; }
p { margin: .3rem 0; max-width: 46rem; } header p { margin: .1rem 0; }
header ul { margin: .6rem 0; padding: 0; list-style: none; } header li { font-weight: 600; }
.keys { margin: .8rem 0; font-size: .92rem; }
.dim { color: var(--dim); } .bad { color: var(--bad); }
a { color: inherit; } code { font-size: .92em; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums;
  font-size: .92rem; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th { font-weight: 600; }
td.text, th.text { text-align: left; white-space: normal; min-width: 15rem; }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0;
  cursor: pointer; }
th[aria-sort=ascending] button::after { content: " \\25b2"; }
th[aria-sort=descending] button::after { content: " \\25bc"; }
th.bars, td.bars { min-width: 14rem; text-align: left; padding-right: 3.2rem; }
#steps .bars { width: 40%; }
.limit { border-right: 1px dashed var(--dim); margin: -.25rem 0; padding: .25rem 0; }
.bar { position: relative; height: .55rem; margin: .2rem 0; }
.bar i { position: absolute; inset: 0 auto 0 0; background: var(--here);
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.bar b { position: absolute; left: 100%; top: 0; margin-left: .3rem; font: .7rem/.6rem system-ui,
  sans-serif; color: var(--dim); white-space: nowrap; }
.bar.stored i { background: var(--stored); }
.key { display: inline-block; width: .8rem; height: .8rem; margin: 0 .4rem 0 0;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
@media (max-width: 90rem) { th, td { padding: .25rem .4rem; }
  th.bars, td.bars { min-width: 10rem; } }
@media (max-width: 40rem) { body { margin: .6rem auto; padding: 0 .6rem; }
  td.text, th.text { min-width: 7rem; } #steps td.text:first-child { min-width: 0; }
  #steps th.bars, #steps td.bars { min-width: 4.5rem; padding-right: .3rem; }
  #steps .bar b, #steps .dim { display: none; } table { font-size: .8rem; }
  th, td { padding: .2rem .3rem; } th { white-space: normal; } }
@media print { body { margin: 0; max-width: none; font-size: 11px; } .scroll { overflow: visible; }
  th button { cursor: auto; } section { break-inside: avoid; } }
"""

SCRIPT = """
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector("button")?.addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const value = (row) => {
      const cell = row.cells[column];
      return "value" in cell.dataset ? (cell.dataset.value === "" ? NaN : +cell.dataset.value)
                                     : cell.textContent;
    };
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((one, other) => {
      const a = value(one), b = value(other);
      if (typeof a === "string") return a.localeCompare(b) * (up ? 1 : -1);
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
      return (a - b) * (up ? 1 : -1);
    });
    body.append(...rows);
  }));
}
"""


def powers(text):
    """2^22 with its exponent raised."""
    return re.sub(r"\^(\d+)", r"<sup>\1</sup>", escape(text))


def cell(value, text):
    return f'<td data-value="{"" if value is None else value}">{escape(text)}</td>'


def bar(percent, kind, what):
    if percent is None:
        return ""
    width = min(100.0, percent)
    return (f'<div class="bar {kind}" role="img" aria-label="{escape(what)}: {percent:.1f} %">'
            f'<i style="width:{width:.2f}%"><b>{percent:.1f} %</b></i></div>')


def bars_cell(bars):
    """Bars of one row, up to the line that is the limit."""
    return f'<td class="bars"><div class="limit">{bars}</div></td>' if bars else "<td></td>"


def breakable(name):
    """A long name may go on in the next line behind each underscore."""
    return escape(name).replace("_", "_<wbr>")


def heading(name, kind=""):
    return f'<th scope="col" class="{kind}"><button type="button">{escape(name)}</button></th>'


def headings(rows, stored):
    name = here_name(rows)
    found = [heading("variant", "text"), heading(f"{name} ms"), heading("× before"),
             heading("% of peak")]
    if stored:
        found += [heading(f"{stored_name(stored)} ms"), heading("× before"),
                  heading("% of ceiling")]
    if has_bounds(rows):
        found.append(heading("bound by"))
    found.append('<th scope="col" class="bars">share of the limit</th>')
    labels = list(dict.fromkeys(label for row in rows for label, value in
                                (row.get("explains") or {}).items() if value is not None))
    return found + [heading(label) for label in labels], labels


def has_bounds(rows):
    """A GPU does not say what bounds a kernel; the model does."""
    return any(row.get("bound") for row in rows)


def bound_cell(row):
    """The short name; the sentence that `make explain` would say of it is shown by the pointer."""
    bound = row.get("bound")
    return f'<td title="{escape(bounds.sentence(bound))}">{escape(bounds.name(bound))}</td>'


def variant_cells(row, stored, labels, about, with_bounds):
    summary_text = (about.get("variants") or {}).get(row["variant"], "")
    wrong = "" if row["correct"] else ' <strong class="bad">wrong result</strong>'
    mark = ' <span title="the model points the other way than the measurement">!</span>'
    cells = [f'<td class="text"><code>{escape(row["variant"])}</code>{wrong}'
             f'{mark if row.get("disagrees") else ""}'
             f'<br><span class="dim">{escape(summary_text)}</span></td>',
             cell(row["time_ms"], fixed(row["time_ms"], 4)),
             cell(row["times_before"], times(row["times_before"])),
             cell(row["percent_of_peak"], fixed(row["percent_of_peak"], 1))]
    ceiling = percent_of_ceiling(row)
    if stored:
        cells += [cell(stored_time(row), fixed(stored_time(row), 4)),
                  cell(row["stored_before"], times(row["stored_before"])),
                  cell(ceiling, fixed(ceiling, 1))]
    if with_bounds:
        cells.append(bound_cell(row))
    bars = bar(row["percent_of_peak"], "", row["time_kind"])
    bars += bar(ceiling, "stored", "measured") if stored else ""
    cells.append(bars_cell(bars))
    explains = row.get("explains") or {}
    return cells + [cell(explains.get(label), number(explains.get(label))) for label in labels]


def links(lesson):
    """To the chapter and the program, from BUILD/compare."""
    folder = ROOT / "lessons" / lesson
    program = folder / f"{lesson.partition('_')[2]}.cu"
    found = [f'<a href="{path.as_uri()}">{name}</a>'
             for name, path in (("chapter", folder / "chapter.md"), ("program", program))
             if path.exists()]
    return " · ".join(found)


def gained(first, best, stored):
    if first is best:
        return ""
    said = []
    if stored and ratio(stored_time(first), stored_time(best)):
        said.append(f"{times(ratio(stored_time(first), stored_time(best)))} on the "
                    f"{stored_name(stored)}")
    said.append(f"{times(ratio(first['time_ms'], best['time_ms']))} {first['time_kind']}")
    why = counter(first, best)
    return (f"<code>{escape(first['variant'])}</code> → <code>{escape(best['variant'])}</code>: "
            f"{escape(', '.join(said))}" + (f"; {escape(why)}" if why else "") + ".")


def section(lesson, rows, stored, about, step):
    about = about.get(lesson) or {}
    names, labels = headings(rows, stored)
    with_bounds = has_bounds(rows)
    body = "\n".join("<tr>" + "".join(variant_cells(row, stored, labels, about, with_bounds)) +
                     "</tr>"
                     for row in rows)
    taught = escape(about.get("taught", ""))
    return (f'<section id="{escape(lesson)}"><h2>{escape(lesson)}'
            f'{": " + escape(about["title"]) if about.get("title") else ""}</h2>\n'
            f'<p>{taught} {gained(*step, stored) if step else ""} '
            f'<span class="dim">{links(lesson)}</span></p>\n'
            f'<div class="scroll"><table><thead><tr>{"".join(names)}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody></table></div></section>")


def step_of(first, best):
    if first is best:
        return f'<code>{escape(first["variant"])}</code>: none is faster'
    return f'<code>{escape(first["variant"])}</code> → <code>{escape(best["variant"])}</code>'


def overview(rows, stored, about):
    """One line per lesson: the step from its first variant to its best, with bars."""
    name = here_name(rows)
    names = [heading("lesson", "text"), '<th scope="col" class="text">what its step shows</th>']
    names += [heading(f"× on the {stored_name(stored)}")] if stored else []
    names += [heading(f"× {name}"), '<th scope="col" class="bars">best: share of the limit</th>']
    lines = []
    for first, best in steps(rows):
        lesson, ceiling = best["lesson"], percent_of_ceiling(best)
        gains = [ratio(stored_time(first), stored_time(best))] if stored else []
        gains = [None if first is best else gain
                 for gain in [*gains, ratio(first["time_ms"], best["time_ms"])]]
        bars = bar(best["percent_of_peak"], "", best["time_kind"])
        bars += bar(ceiling, "stored", "measured") if stored else ""
        said = escape((about.get(lesson) or {}).get("taught", ""))
        link = f'<a href="#{escape(lesson)}">{breakable(lesson)}</a>'
        lines.append(f'<tr><td class="text">{link}</td>'
                     f'<td class="text">{step_of(first, best)}<br><span class="dim">{said}</span>'
                     f'</td>{"".join(cell(gain, times(gain)) for gain in gains)}'
                     f'{bars_cell(bars)}</tr>')
    return (f'<div class="scroll" id="steps"><table><thead><tr>{"".join(names)}</tr></thead>\n'
            "<tbody>\n" + "\n".join(lines) + "\n</tbody></table></div>")


def key(rows, stored):
    """What the bars are."""
    lines = [("here", f"{here_name(rows)}: percentage of the peak of "
                      f"{rows[0]['device'].removeprefix('modelled ')}")]
    if stored:
        lines.append(("stored", f"measured on an {stored.device}, {stored.date}: percentage of the "
                                "fastest plain read (of scans: copy) in the same run"))
    text = "".join(f'<p><span class="key" style="background:var(--{name})"></span>{escape(said)}'
                   "</p>" for name, said in lines)
    text += "<p>Dashed: the limit, which is 100 %.</p>"
    if any(is_yardstick(row) for row in rows):
        text += "<p><code>cub</code>: NVIDIA's library.</p>"
    if any(row.get("disagrees") for row in rows):
        text += "<p>!: the model points the other way than the measurement.</p>"
    return f'<div class="keys">{text}</div>'


def page(rows, stored, about):
    """The page as text; rows as compare_rows.compare_rungs left them."""
    steps_by_lesson = {pair[0]["lesson"]: pair for pair in steps(rows)}
    lessons = list(dict.fromkeys(row["lesson"] for row in rows))
    sections = [section(lesson, [row for row in rows if row["lesson"] == lesson], stored, about,
                        steps_by_lesson.get(lesson)) for lesson in lessons]
    title = f"The ladder: {sizes(rows[0]['n'])} elements"
    intro = "".join(f'<p class="dim">{escape(line)}</p>' for line in head(rows, stored)[1:])
    intro += "<ul>" + "".join(f"<li>{escape(line.replace('->', '→'))}</li>"
                              for line in summary(rows, stored)) + "</ul>"
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body>"
            f"<header><h1>{powers(title)}</h1>\n{intro}\n{key(rows, stored)}</header>\n"
            f"{overview(rows, stored, about)}\n"
            + "\n".join(sections) + f"\n<script>{SCRIPT}</script></body></html>\n")
