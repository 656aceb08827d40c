#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long a chapter takes from being asked for to its first paint, from disk, in Chromium: a
measurement, no test. (That the engine is loaded only when it is used, test_pages.py tests.)

    first_paint.py BUILD [TIMES]      the median of TIMES (5) openings of each chapter, in ms

Exit: 0 measured, 77 there is no Chromium or no book.
"""

import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from browser import Browser, chromium  # noqa: E402

PAINT = ("new Promise((done) => { const look = () => { const at = performance"
         ".getEntriesByName('first-contentful-paint')[0];"
         " if (at) done(at.startTime); else requestAnimationFrame(look); }; look(); })")


def first_paint_ms(browser, path):
    page = browser.open(path)
    took = page.run(PAINT)
    page.close()
    return took


def main():
    html = Path(sys.argv[1]) / "book" / "html"
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    pages = sorted(html.glob("lesson_??.html"))
    if not chromium() or not pages:
        print("skipped: make book first, and apt install chromium")
        return 77
    with Browser() as browser:
        for path in pages:
            median = statistics.median(first_paint_ms(browser, path) for _ in range(times))
            print(f"{path.stem}  {median:6.0f} ms  {path.stat().st_size / 1000:5.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
