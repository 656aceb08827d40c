#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The book's figures, from a stored sweep of a GPU: `make figures`.

    plot_measured.py [--out build/figures] [--data figures/data] [--gpu h200]

figures/draw.py says what each shows. Device, toolkit and date come from the data and stand under
each figure; nothing is typed here.
"""

import argparse
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import draw  # noqa: E402
import style  # noqa: E402


def read(path):
    """(provenance, rows) of a stored sweep; its short field names as the programs spell them."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return lines[0]["provenance"], lines[1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=Path("build/figures"))
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parent / "data")
    parser.add_argument("--gpu", default="h200")
    arguments = parser.parse_args()
    path = arguments.data / f"{arguments.gpu}-sweep.jsonl"
    if not path.exists():
        print(f"There is no stored sweep {path.name}: make measure GPU={arguments.gpu}",
              file=sys.stderr)
        return 1
    about, rows = read(path)
    drawn = draw.draw_all(rows, about, arguments.out)
    if not drawn:
        print(style.WITHOUT_MATPLOTLIB, file=sys.stderr)
        return 1
    print("\n".join(str(path) for path in drawn))
    return 0


if __name__ == "__main__":
    sys.exit(main())
