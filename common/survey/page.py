# SPDX-License-Identifier: MIT
"""The survey's result as one HTML page without scripts or files beside it."""

import html
import os

import tables
from outcomes import OUTCOMES

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8884; padding: .3em .6em; text-align: left;
  vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
code { font-size: 13px; } small { opacity: .75; }
.right, .ran { color: #1a7f37; } .wrong { color: #cf222e; }
.refused, .slow, .invalid { color: #9a6700; }
@media (prefers-color-scheme: dark) { body { background: #111; color: #ddd; } }
"""


def escaped(text):
    return html.escape(str(text))


def finding_lines(result):
    for finding in tables.errors(result):
        place, text = escaped(finding["place"]), escaped(finding["text"])
        advice = escaped(finding.get("advice", ""))
        yield f"<br><small><code>{place}</code> {text}<br>{advice}</small>"


def row(result, fronts):
    outcome = result["outcome"]
    cells = [f'<td class="{outcome}">{outcome}</td>',
             f"<td><code>{escaped(result['program'])}</code></td>"]
    for front in fronts:
        one = result["fronts"].get(front, {}).get("outcome", "-")
        cells.append(f'<td class="{one}">{one}</td>')
    cells.append(f'<td class="number">{tables.checks(result)}</td>')
    cells.append(f'<td class="number">{tables.rate(result)}</td>')
    why = escaped(result["reason"])
    if result["change"]:
        why += f"<br><small>to change: {escaped(result['change'])}</small>"
    why += "".join(f"<br><small>{escaped(line)}</small>" for line in tables.others(result))
    cells.append(f"<td>{why}{''.join(finding_lines(result))}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def write(path, about, results):
    fronts = about["fronts"]
    heads = ["outcome", "program", *fronts, "errors found", "Minst/s", "why"]
    counts = [(sum(r["outcome"] == o for r in results), o, text) for o, text in OUTCOMES.items()]
    parts = ["<!DOCTYPE html><html lang='en'><meta charset='utf-8'>",
             f"<title>Survey of {escaped(about['folder'])}</title><style>{STYLE}</style>",
             f"<h1>Survey of {escaped(about['folder'])}</h1><ul>"]
    parts += [f"<li>{n} <b class='{o}'>{o}</b>: {escaped(text)}</li>" for n, o, text in counts if n]
    parts += ["</ul>"] + [f"<p>{escaped(line)}</p>" for line in tables.shares(about, results)]
    if about["done"] < about["programs"]:
        parts.append(f"<p>{about['programs'] - about['done']} programs are not done yet.</p>")
    parts.append("<table><tr>" + "".join(f"<th>{escaped(h)}</th>" for h in heads) + "</tr>")
    parts += [row(result, fronts) for result in tables.in_order(results)]
    parts.append("</table></html>\n")
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write("\n".join(parts))
    os.replace(f"{path}.new", path)
