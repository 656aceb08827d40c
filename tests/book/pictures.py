#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Screenshots of the built book's chapters, to be looked at: light, dark, on a phone, and as a PDF.

    pictures.py BUILD DIR

Exit: 0 they are in DIR, 77 there is no Chromium or no book.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from browser import Browser, chromium  # noqa: E402

MODES = (("light", {}), ("dark", {"dark": True}), ("phone", {"width": 375, "height": 800}))
WHOLE = ("(() => { const style = document.createElement('style'); style.textContent ="
         " '#doc-content { height: auto !important; overflow: visible !important; }';"
         " document.head.append(style); })()")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    html, folder = Path(sys.argv[1]) / "book" / "html", Path(sys.argv[2])
    pages = [html / "index.html", *sorted(html.glob("lesson_??.html"))]
    if not chromium() or not pages[0].is_file():
        print("skipped: make book first, and apt install chromium")
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    with Browser() as browser:
        for path in pages:
            for name, settings in MODES:
                page = browser.open(path, **settings)
                page.run(WHOLE)
                page.picture(folder / f"{path.stem}-{name}.png", whole=True)
                page.close()
            page = browser.open(path)
            page.pdf(folder / f"{path.stem}.pdf")
            page.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
