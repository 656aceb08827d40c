# SPDX-License-Identifier: MIT
"""Small parts of pictures: SVG whose colours follow light and dark, on the page and alone."""

from html import escape

STYLE = """
.i-text { font: 12px system-ui, sans-serif; fill: #24313d; }
.i-small { font-size: 9.5px; } .i-tiny { font-size: 7px; }
.i-bold { font-weight: 600; } .i-dim { fill: #5b6772; }
.i-cell { fill: #eef2f6; stroke: #a9b6c2; } .i-on { fill: #1565c0; stroke: #1565c0; }
.i-a { fill: #1565c0; stroke: #0d4a8f; } .i-b { fill: #2e7d32; stroke: #1d5a22; }
.i-c { fill: #b26a00; stroke: #8a5200; } .i-d { fill: #7b3fa0; stroke: #5c2c7a; }
.i-bad { fill: #c62828; stroke: #8f1d1d; } .i-white { fill: #ffffff; }
.i-line { stroke: #5b6772; fill: none; } .i-arrow { stroke: #1565c0; fill: none; }
.i-wrong { fill: #c62828; } .i-faint { stroke-opacity: 0.3; }
.i-to-b { stroke: #2e7d32; fill: none; } .i-to-c { stroke: #b26a00; fill: none; }
@media (prefers-color-scheme: dark) {
.i-text { fill: #dfe6ec; } .i-dim { fill: #a9b3bd; } .i-cell { fill: #2a3138; stroke: #55616c; }
.i-on, .i-a { fill: #64a8f0; stroke: #64a8f0; } .i-b { fill: #7bc47f; stroke: #7bc47f; }
.i-c { fill: #e0a030; stroke: #e0a030; } .i-d { fill: #c39be0; stroke: #c39be0; }
.i-bad { fill: #ef6f6c; stroke: #ef6f6c; } .i-white { fill: #14181c; }
.i-line { stroke: #a9b3bd; } .i-arrow { stroke: #64a8f0; } .i-wrong { fill: #ef6f6c; }
.i-to-b { stroke: #7bc47f; } .i-to-c { stroke: #e0a030; } }
"""
FOUR = ("i-a", "i-b", "i-c", "i-d")


class Picture:
    """Collects parts; text() is the file."""

    def __init__(self, width, alt):
        self.width, self.height, self.alt, self.parts = width, 0, alt, []

    def reach(self, y):
        self.height = max(self.height, y)

    def rect(self, x, y, width, height, kind="i-cell", title=""):
        self.reach(y + height)
        inner = f"<title>{escape(title)}</title></rect>" if title else "</rect>"
        self.parts.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" '
                          f'height="{height:g}" rx="2">{inner}')

    def text(self, x, y, words, kind="", anchor="start"):
        self.reach(y + 4)
        self.parts.append(f'<text class="i-text {kind}" x="{x:g}" y="{y:g}" '
                          f'text-anchor="{anchor}">{escape(str(words))}</text>')

    def line(self, x1, y1, x2, y2, kind="i-line"):
        self.reach(max(y1, y2))
        self.parts.append(f'<line class="{kind}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>')

    def dot(self, x, y, radius, kind, title=""):
        self.reach(y + radius)
        inner = f"<title>{escape(title)}</title></circle>" if title else "</circle>"
        self.parts.append(f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="{radius:g}">{inner}')

    def curve(self, x1, y1, x2, y2, kind="i-arrow"):
        self.reach(max(y1, y2))
        middle = (y1 + y2) / 2
        self.parts.append(f'<path class="{kind}" d="M{x1:g},{y1:g} C{x1:g},{middle:g} {x2:g},'
                          f'{middle:g} {x2:g},{y2:g}"/>')

    def cells(self, x, y, size, kinds, values=None, height=None):
        """A row of cells; `values` are written into them."""
        height = height or size
        tiny = size < 24 and any(len(str(value)) > 3 for value in values or ())
        for i, kind in enumerate(kinds):
            self.rect(x + i * size, y, size - 1.5, height - 1.5, kind)
            if values and values[i] not in (None, ""):
                ink = ("i-tiny" if tiny else "i-small") + ("" if kind == "i-cell" else " i-white")
                middle = x + i * size + (size - 1.5) / 2
                self.text(middle, y + height / 2 + 3, values[i], ink, "middle")

    def save(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} '
                f'{self.height + 6:g}" role="img" aria-label="{escape(self.alt)}">'
                f"<style>{STYLE}</style>\n" + "\n".join(self.parts) + "\n</svg>\n")


def number(value):
    if value is None:
        return ""
    return str(int(value)) if float(value).is_integer() else f"{value:.3g}"
