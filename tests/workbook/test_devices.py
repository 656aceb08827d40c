#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every lesson's program runs on every GPU that the software GPU can be: variants that ask for more
than a device has are left out with a reason, and all others are right.

    test_devices.py BUILD
"""

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else ROOT / "build"
N = 4099
NEWEST = "h200"  # has all that a variant may ask for


def devices():
    text = (ROOT / "common/simt/profile/devices.def").read_text(encoding="utf-8")
    return re.findall(r'devices/(\w+)\.def"', text)


def run(lesson, device, *more):
    environment = {name: text for name, text in os.environ.items() if not name.startswith("SIMT_")}
    return subprocess.run([BUILD / "lessons" / lesson, "--n", str(N), *more], check=False,
                          capture_output=True, text=True, timeout=120,
                          env={**environment, "SIMT_DEVICE": device})


class Devices(unittest.TestCase):
    def rows(self, lesson, device):
        done = run(lesson, device, "--json")
        self.assertEqual(done.returncode, 0, done.stdout[-500:] + done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_every_lesson_on_every_device(self):
        for folder in sorted((ROOT / "lessons").glob("[0-9][0-9]_*")):
            for device in devices():
                with self.subTest(lesson=folder.name, device=device):
                    rows = self.rows(folder.name, device)
                    self.assertTrue(rows)
                    self.assertTrue(all(row["correct"] for row in rows))

    def test_what_a_device_lacks_is_said(self):
        table = run("12_many_bins", "t4").stdout
        self.assertRegex(table, r"folded +not run: needs a GPU with clusters")
        self.assertRegex(table, r"partition_20 +not run: needs more shared memory")
        self.assertNotIn("not run", run("12_many_bins", NEWEST).stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
