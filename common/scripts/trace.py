#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records what the lanes of an exercise's first block do, step by step, as one page.

    trace.py NN_name [--n 64] [--block 32] [--steps 2000] [--source exercises/NN_name.cu]
             [--out FILE]

The page (BUILD/trace/NN_name.html) is the player of the book's chapters. It needs no network and
nothing beside it; without scripts there is a table. The data are in it as well, as JSON:
common/tutor/README.md has the format.
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

FORMAT = 2
LANES = 32
MOST_STEPS = 20000
PAGE = ROOT / "book" / "lab" / "page"  # the player of the book's chapters

STYLE = """
html { --page-foreground-color: #1b1f24; --page-background-color: #fff; --separator-color: #d0d7de;
  --page-secondary-foreground-color: #57606a; --font-family-monospace: ui-monospace, monospace; }
html.dark-mode { --page-foreground-color: #e6edf3; --page-background-color: #0f1419;
  --separator-color: #30363d; --page-secondary-foreground-color: #9aa4ae; color-scheme: dark; }
body { color: var(--page-foreground-color); background: var(--page-background-color);
  font: 15px/1.45 system-ui, sans-serif; margin: 1rem; }
h1 { font-size: 1.3rem; } p { max-width: 50rem; margin: .3rem 0; } .bad { color: #b3261e; }
section.lab pre.player-code { height: 70vh; }
table { border-collapse: collapse; font: .75rem ui-monospace, monospace; }
th, td { padding: .1rem .35rem; text-align: right; white-space: nowrap; }
"""

SCRIPT = """
const data = JSON.parse(document.getElementById("trace").textContent);
if (matchMedia("(prefers-color-scheme: dark)").matches)
  document.documentElement.classList.add("dark-mode");
const lines = data.recorded.map((entry) => JSON.stringify(entry)).join("\\n");
const place = document.querySelector("section.lab");
new labPlayer.Player(place, data.file, lines, data.sources).root.focus();
"""


def steps_of(trace):
    """The steps, each with its PTX as "ptx" and its line in the exercise as "line", or 0."""
    texts, own = {}, Path(trace["file"]).name
    for step in trace["recorded"]:
        if "w" in step:
            texts.setdefault(step["p"], " ".join(step.get("x", "").split()))
            line = step["l"] if Path(step["file"]).name == own else 0
            yield {**step, "ptx": texts[step["p"]], "line": line}


def row(number, step):
    """A step as text, for readers without JavaScript."""
    _, _, values = step.get("r", ("", "", []))
    cells = "".join(f"<td>{'' if v is None else escape(str(v))}</td>" for v in values)
    return (f'<tr data-line="{step["line"]}"><td>{number}</td><td>{step["w"]}</td>'
            f'<td>{step["line"] or ""}</td><td>{escape(step["ptx"])}</td>{cells}</tr>\n')


def page(trace):
    """The player of the book's chapters, with the recorded steps; all of it in one file."""
    steps = list(steps_of(trace))
    rows = "".join(row(number, step) for number, step in enumerate(steps, 1))
    ended = "It stops there: more steps were not recorded." if trace["cut"] else ""
    fault = f'<p class="bad">{escape(trace["fault"])}</p>' if trace["fault"] else ""
    data = json.dumps(trace, separators=(",", ":")).replace("<", "\\u003c")
    scripts = "".join(f"<script>{(PAGE / name).read_text('utf-8')}</script>\n"
                      for name in ("trace.js", "player.js"))
    title = f"Trace of {trace['kernel']}"
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}{(PAGE / "lab.css").read_text("utf-8")}</style></head><body>
<h1>{escape(title)}</h1>
<p>{escape(trace["file"])}: block 0 of {trace["grid"]}, {trace["block"]} threads per block,
n = {trace["n"]}. {len(steps)} steps of the software GPU. {ended}</p>
{fault}
<section class="lab"></section>
<noscript><p>The player needs JavaScript. Each step as text: its number, the warp, the line of the
source, the PTX instruction, and what it left in each lane's register.</p><table>
<tbody>
{rows}</tbody></table></noscript>
<script type="application/json" id="trace">{data}</script>
{scripts}<script>{SCRIPT}</script></body></html>
"""


def record(lesson, source, n, block, steps):
    practice = read_practice(lesson)
    block = block or practice.get("trace_block", 32)
    _, names = launch_words(practice, n, block)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "trace.jsonl"
        found = run_kernels(source, practice, "--trace", str(out), "--steps", str(steps), n=n,
                            block=block)
        recorded = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    text = Path(source).read_text(encoding="utf-8", errors="replace")
    return {"format": FORMAT, "lesson": lesson, "file": str(source),
            "kernel": practice["launches"][0].split()[0], "n": n, "block": block,
            "grid": names["grid"], "cut": sum("w" in entry for entry in recorded) == steps,
            "fault": found["fault"]["text"] if found["fault"] else None,
            "sources": {Path(source).name: text}, "recorded": recorded}


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
    parser.add_argument("--block", type=number(1, 1024),
                        help="default: 32, or trace_block of the lesson's practice.json")
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
    n_steps = len(list(steps_of(trace)))
    print(f"{n_steps} step{'' if n_steps == 1 else 's'} of {source}. The page:")
    print(f"  {out.relative_to(ROOT) if out.is_relative_to(ROOT) else out}")
    if trace["fault"]:
        print(trace["fault"])
    return 1 if trace["fault"] else 0


if __name__ == "__main__":
    sys.exit(main())
