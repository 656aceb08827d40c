#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records what the lanes of an exercise's first block do, step by step, as one page.

    trace.py NN_name [--n 64] [--block 32] [--steps 2000] [--source exercises/NN_name.cu] [--out FILE]

The page (BUILD/trace/NN_name.html) needs no network and nothing beside it; its table can be read
without its script. The data are in it as well, as JSON: common/tutor/README.md has the format.
Environment: BUILD. Exit: 0 recorded, 1 recorded and the kernel failed, 2 it cannot be done.
"""

import argparse
import json
import sys
import tempfile
from html import escape
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from practice import (BUILD, ROOT, Refusal, launch_words, read_practice,  # noqa: E402
                      run_kernels)

FORMAT = 1
LANES = 32
MOST_STEPS = 20000

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #57606a; --paper: #fff; --line: #d0d7de;
  --here: #fff3c4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --dim: #9aa4ae; --paper: #0f1419;
  --line: #30363d; --here: #4a3f12; } }
body { color: var(--ink); background: var(--paper); font: 15px/1.45 system-ui, sans-serif;
  margin: 1rem; }
h1 { font-size: 1.3rem; } p { max-width: 50rem; margin: .3rem 0; } .dim { color: var(--dim); }
.bad { color: #b3261e; }
main { display: grid; grid-template-columns: minmax(20rem, 34rem) 1fr; gap: 1rem; }
pre { margin: 0; font-size: .8rem; overflow: auto; max-height: 82vh; }
pre span { display: block; } pre .here { background: var(--here); }
.scroll { overflow: auto; max-height: 82vh; }
table { border-collapse: collapse; font: .75rem ui-monospace, monospace; }
th, td { padding: .1rem .35rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
thead th { position: sticky; top: 0; background: var(--paper); }
td.ptx { text-align: left; } td.off { background: var(--line); } tr.here td { background: var(--here); }
@media (max-width: 60rem) { main { grid-template-columns: 1fr; } pre { max-height: 30vh; } }
"""

SCRIPT = """
const lines = document.querySelectorAll("pre span");
const rows = [...document.querySelectorAll("tbody tr")];
let at = -1;
function show(step) {
  if (step < 0 || step >= rows.length) return;
  rows[at]?.classList.remove("here");
  lines.forEach((line) => line.classList.remove("here"));
  at = step;
  rows[at].classList.add("here");
  rows[at].scrollIntoView({ block: "nearest" });
  const line = lines[+rows[at].dataset.line - 1];
  line?.classList.add("here");
  line?.scrollIntoView({ block: "nearest" });
}
rows.forEach((row, step) => row.addEventListener("click", () => show(step)));
addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "j") { show(at + 1); event.preventDefault(); }
  if (event.key === "ArrowUp" || event.key === "k") { show(at - 1); event.preventDefault(); }
});
show(0);
"""


def steps_of(text, source):
    """The steps as they were written, with lines of this source alone."""
    steps = []
    for line in text.splitlines():
        step = json.loads(line)
        is_own = Path(step.pop("file", "")).name == Path(source).name
        step["line"] = step["line"] if is_own else 0
        step["ptx"] = " ".join(step["ptx"].split())
        steps.append(step)
    return steps


def cell(step, lane):
    if not step["mask"] >> lane & 1:
        return '<td class="off"></td>'
    value = step.get("values", [None] * LANES)[lane]
    shown = "" if value is None else f"{value:.6g}" if isinstance(value, float) else value
    return f"<td>{escape(str(shown))}</td>"


def row(number, step):
    cells = "".join(cell(step, lane) for lane in range(LANES))
    return (f'<tr data-line="{step["line"]}"><td>{number}</td><td>{step["warp"]}</td>'
            f'<td>{step["line"] or ""}</td><td class="ptx">{escape(step["ptx"])}</td>'
            f'<td>{escape(step.get("register", ""))}</td>{cells}</tr>\n')


def page(trace):
    source = "".join(f"<span>{number:4}  {escape(line)}</span>"
                     for number, line in enumerate(trace["source"], 1))
    lanes = "".join(f"<th>{lane}</th>" for lane in range(LANES))
    rows = "".join(row(number, step) for number, step in enumerate(trace["steps"], 1))
    ended = "It stops there: more steps were not recorded." if trace["cut"] else ""
    fault = f'<p class="bad">{escape(trace["fault"])}</p>' if trace["fault"] else ""
    data = json.dumps(trace, separators=(",", ":")).replace("<", "\\u003c")
    title = f"Trace of {trace['kernel']}"
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><style>{STYLE}</style></head><body>
<h1>{escape(title)}</h1>
<p>{escape(trace["file"])}: block 0 of {trace["grid"]}, {trace["block"]} threads per block,
n = {trace["n"]}. {len(trace["steps"])} steps of the software GPU. {ended}</p>
<p class="dim">One row per PTX instruction of a warp: the line of the source, the instruction, and what it
left in each lane's register. Grey: the lane is inactive. Click a row, or use the arrow keys.</p>
{fault}
<main><pre>{source}</pre><div class="scroll"><table>
<thead><tr><th>step</th><th>warp</th><th>line</th><th>PTX</th><th>register</th>{lanes}</tr></thead>
<tbody>
{rows}</tbody></table></div></main>
<script type="application/json" id="trace">{data}</script>
<script>{SCRIPT}</script></body></html>
"""


def record(lesson, source, n, block, steps):
    practice = read_practice(lesson)
    _, names = launch_words(practice, n, block)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "trace.jsonl"
        found = run_kernels(source, practice, "--trace", str(out), "--steps", str(steps), n=n,
                            block=block)
        recorded = steps_of(out.read_text(encoding="utf-8"), source)
    return {"format": FORMAT, "lesson": lesson, "file": str(source),
            "kernel": practice["launches"][0].split()[0], "n": n, "block": block,
            "grid": names["grid"], "cut": len(recorded) == steps,
            "fault": found["fault"]["text"] if found["fault"] else None,
            "source": Path(source).read_text(encoding="utf-8", errors="replace").splitlines(),
            "steps": recorded}


def number(least, most):
    def read(text):
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"'{text}': a number from {least} to {most} is needed")
        return value
    return read


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("lesson")
    parser.add_argument("--n", type=number(0, 65536), default=64)
    parser.add_argument("--block", type=number(1, 1024), default=32)
    parser.add_argument("--steps", type=number(1, MOST_STEPS), default=2000)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    source = options.source or Path(f"exercises/{options.lesson}.cu")
    out = options.out or ROOT / BUILD / "trace" / f"{options.lesson}.html"
    try:
        trace = record(options.lesson, source, options.n, options.block, options.steps)
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(page(trace), encoding="utf-8")
    except (Refusal, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{len(trace['steps'])} steps of {source}. The page:")
    print(f"  {out.relative_to(ROOT) if out.is_relative_to(ROOT) else out}")
    if trace["fault"]:
        print(trace["fault"])
    return 1 if trace["fault"] else 0


if __name__ == "__main__":
    sys.exit(main())
