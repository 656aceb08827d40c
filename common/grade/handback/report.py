# SPDX-License-Identifier: MIT
"""The class on one page: how points are distributed, which checks it fails most, what took longest,
and what needs a person. It needs nothing but itself, has a light and a dark form, and prints."""

from html import escape

from .formats import number

STYLE = """
:root { color-scheme: light dark; --ink: #1d1d1f; --paper: #fff; --line: #d0d0d6; --bar: #2f6fb0;
  --bad: #a40000; --soft: #5c5c66 }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e4e8; --paper: #17171a; --line: #3d3d45;
  --bar: #6ea8e0; --bad: #ff8a80; --soft: #a0a0aa } }
@media print { :root { --ink: #000; --paper: #fff; --line: #bbb; --bar: #555; --bad: #000;
  --soft: #333 } h2 { break-after: avoid } tr, figure { break-inside: avoid } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 62em; padding: 0 1em;
  color: var(--ink); background: var(--paper) }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .25em .6em;
  border-bottom: 1px solid var(--line) }
h1, p, li, td { overflow-wrap: anywhere } td { min-width: 9em } .n { min-width: 0 }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
.bad { color: var(--bad) } .soft { color: var(--soft) }
figure { margin: 0 } svg { width: 100%; height: auto; max-width: 46em }
svg text { fill: var(--ink); font: 11px system-ui, sans-serif; text-anchor: middle }
svg rect { fill: var(--bar) } svg line { stroke: var(--line) }
"""


def _table(heads, rows, numbers=()):
    """rows: cells that are escaped already."""
    mark = [' class="n"' if i in numbers else "" for i in range(len(heads))]
    head = "".join(f"<th{m}>{h}</th>" for m, h in zip(mark, heads))
    body = "".join("<tr>" + "".join(f"<td{m}>{c}</td>" for m, c in zip(mark, row)) + "</tr>\n"
                   for row in rows)
    return f'<div class="wide"><table><tr>{head}</tr>\n{body}</table></div>\n'


def _histogram(shares):
    """Ten bars: students by the share of points that they have."""
    bins = [0] * 10
    for share in shares:
        bins[min(9, int(10 * share))] += 1
    most, parts = max(bins), []
    for i, n in enumerate(bins):
        height = 120 * n / most if most else 0
        parts.append(f'<rect x="{20 + 44 * i}" y="{150 - height:.1f}" width="40" '
                     f'height="{height:.1f}"><title>{10 * i} to {10 * i + 10} %: {n}</title></rect>'
                     f'<text x="{40 + 44 * i}" y="{144 - height:.1f}">{n or ""}</text>'
                     f'<text x="{40 + 44 * i}" y="168">{10 * i}–{10 * i + 10}</text>')
    return ('<figure><svg viewBox="0 0 480 180" role="img" aria-label="students by per cent of the '
            f'points">{"".join(parts)}<line x1="14" y1="150" x2="470" y2="150"/></svg>'
            '<figcaption class="soft">students by per cent of the final points</figcaption>'
            "</figure>\n")


def _exercises(students):
    rows = []
    for i, one in enumerate(students[0].exercises):
        all_of = [student.exercises[i] for student in students]
        judged = [exercise for exercise in all_of if not exercise.grader_error]
        handed_in = [exercise for exercise in judged if exercise.state != "missing"]
        mean = sum(exercise.points for exercise in judged) / len(judged) if judged else 0
        full = sum(exercise.points == exercise.max_points for exercise in judged)
        rows.append([escape(one.name), len(handed_in), number(mean), one.max_points, full,
                     sum(exercise.state == "not_compiled" for exercise in all_of),
                     len(all_of) - len(judged)])
    return _table(["Exercise", "handed in", "mean", "of", "all points", "does not compile",
                   "not judged"], rows, range(1, 7))


def hardest(students, most=12):
    """(share that failed, failed, judged, exercise, check) of the checks that fail most, of what
    was judged."""
    counts = {}
    for student in students:
        for exercise in student.exercises:
            for check in exercise.checks if exercise.state == "judged" else []:
                if check.status != "grader_error":
                    entry = counts.setdefault((exercise.name, check.name, check.about), [0, 0])
                    entry[0] += check.status == "fail"
                    entry[1] += 1
    rows = [(failed / judged, failed, judged, *key) for key, (failed, judged) in counts.items()
            if failed]
    return sorted(rows, key=lambda row: (-row[0], row[3], row[4]))[:most]


def _errors(graded):
    rows = []
    for row in graded:
        for exercise in row.student.exercises:
            if exercise.grader_error:
                why = exercise.message or next(
                    (c.reason for c in exercise.checks if c.status == "grader_error"), "")
                rows.append([escape(row.student.name), escape(exercise.name), escape(why)])
    if not rows:
        return ""
    return ('<h2 class="bad">Not judged: the grader\'s matter, not the students\'</h2>\n' +
            _table(["Student", "Exercise", "Why"], rows))


def _slowest(students, most=10):
    rows = sorted(((exercise.cpu_s, student.name, exercise.name) for student in students
                   for exercise in student.exercises if exercise.cpu_s > 0), reverse=True)
    if not rows:
        return ""
    total = sum(row[0] for row in rows)
    return ("<h2>What took longest</h2>\n<p>Processor time of compiling and judging; "
            f"{total:.0f} s for all.</p>\n" +
            _table(["Student", "Exercise", "CPU seconds"],
                   [[escape(name), escape(exercise), f"{cpu_s:.2f}"]
                    for cpu_s, name, exercise in rows[:most]], [2]))


def _students(graded):
    rows = []
    for row in graded:
        final = "open" if row.final is None else number(row.final)
        notes = "; ".join(filter(None, [row.student.note, *row.reasons]))
        name, status = escape(row.student.name), escape(row.student.status.replace("_", " "))
        rows.append([f'<a href="feedback/{escape(row.student.id)}.html">{name}</a>', status,
                     row.student.points, final, number(row.final_max),
                     f'<span class="soft">{escape(notes)}</span>'])
    return _table(["Student", "Status", "points", "final", "of", "Notes"], rows, [2, 3, 4])


def page(members, graded, similar=""):
    """The page's text. `similar`: a section made elsewhere, of escaped HTML."""
    students = members.students
    shares = [row.final / row.final_max for row in graded
              if row.final is not None and row.final_max and row.student.status != "missing"]
    checks = [[escape(exercise), escape(check), f"{failed} of {judged}", f"{100 * share:.0f} %",
               escape(about)]
              for share, failed, judged, exercise, check, about in hardest(students)]
    remarks = [[escape(name), escape(path), escape(what)] for name, path, what in members.remarks]
    mean = 100 * sum(shares) / len(shares) if shares else 0
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        f"style-src 'unsafe-inline'\">\n<title>The class</title>\n<style>{STYLE}</style></head>\n"
        "<body>\n<h1>The class</h1>\n"
        f"<p>{len(students)} student{'s' * (len(students) != 1)}, {len(shares)} with final points, "
        f"{sum(s.status == 'missing' for s in students)} without a submission; "
        f"mean {mean:.0f} %.</p>\n",
        _histogram(shares), _errors(graded),
        "<h2>Exercises</h2>\n", _exercises(students),
        "<h2>The hardest checks</h2>\n",
        _table(["Exercise", "Check", "failed", "share", "What holds"], checks, [2, 3])
        if checks else "<p>No check failed.</p>\n",
        similar, _slowest(students),
        "<h2>Students</h2>\n", _students(graded)]
    if remarks:
        parts += ["<h2>Not taken, or taken with a remark</h2>\n",
                  _table(["Student", "File", "What"], remarks)]
    return "".join(parts) + "</body></html>\n"
