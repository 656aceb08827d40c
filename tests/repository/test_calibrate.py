#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calibrate.py: every number of a modelled device has a source that its file explains; what lacks
one is refused."""

import contextlib
import io
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "common/scripts"))
import calibrate  # noqa: E402

A100 = (ROOT / "common/simt/profile/devices/a100.def").read_text(encoding="utf-8")


class Sources(unittest.TestCase):

    def test_every_stored_description_is_whole(self):
        files = sorted((ROOT / "common/simt/profile/devices").glob("*.def"))
        self.assertEqual({path.stem for path in files}, set(calibrate.KNOWN))
        for path in files:
            text = path.read_text(encoding="utf-8")
            self.assertEqual(calibrate.complaints(text), [], path.name)
            self.assertGreater(text.count("// ["), 90, path.name)

    def test_a_number_without_a_source_is_refused(self):
        said = calibrate.complaints(A100.replace(".l2_bytes = 41943040, // [sheet]",
                                                 ".l2_bytes = 41943040,"))
        self.assertEqual(len(said), 1)
        self.assertIn(".l2_bytes has no source", said[0])

    def test_a_table_without_a_source_is_refused(self):
        said = calibrate.complaints(A100.replace(".atomic_far_int = { // [h200-size]",
                                                 ".atomic_far_int = {"))
        self.assertIn(".atomic_far_int has no source", "\n".join(said))

    def test_a_source_that_the_head_does_not_explain_is_refused(self):
        said = calibrate.complaints(A100.replace(".l2_bytes = 41943040, // [sheet]",
                                                 ".l2_bytes = 41943040, // [hearsay]"))
        self.assertIn("hearsay", said[0])

    def test_a_new_number_in_the_table_needs_one(self):
        known = {**calibrate.KNOWN["t4"], "latency_atomic": 200}
        said = io.StringIO()
        with mock.patch.dict(calibrate.KNOWN, t4=known), contextlib.redirect_stderr(said):
            with self.assertRaises(SystemExit) as refused:
                calibrate.describe(check=True)
        self.assertIn("t4.def", str(refused.exception))
        self.assertIn(".latency_atomic has no source", str(refused.exception))

    def test_a_cost_that_is_none_is_refused(self):
        for nonsense in ("-0.000444", "0", "0.0"):
            said = calibrate.complaints(A100.replace(".l1_next_line_cycles = 0.235,",
                                                     f".l1_next_line_cycles = {nonsense},"))
            self.assertEqual(len(said), 1, nonsense)
            self.assertIn(f".l1_next_line_cycles is {nonsense}", said[0])
        self.assertEqual(calibrate.complaints(A100), [])

    def test_a_device_says_how_much_is_its_own(self):
        for key in calibrate.KNOWN:
            text = (ROOT / f"common/simt/profile/devices/{key}.def").read_text(encoding="utf-8")
            source = [line for line in text.splitlines() if line.startswith("// Source: ")][0]
            own = (ROOT / f"figures/data/{key}-calibration.csv").is_file()
            self.assertIn(f"calibrated on the card: figures/data/{key}-calibration.csv" if own else
                          "are an H200's", source)

    def test_a_calibrated_device_takes_nothing_from_another(self):
        values = {"h200": calibrate.stored_values()["h200"]}
        borrowed = calibrate.text_of("rtx4090", values)
        self.assertIn("[h200-size]", borrowed)
        own = {name: 1.25 * value for name, value in values["h200"].items()}
        own |= {f"interval_l1_load_{what}": cycles for what, cycles in
                (("1_line", 1.0), ("33_lines", 9.0), ("32_way", 32.0))}
        text = calibrate.text_of("rtx4090", {**values, "rtx4090": own})
        self.assertNotIn("[h200", text)
        self.assertIn("figures/data/rtx4090-calibration.csv: micro-benchmarks", text)
        self.assertIn(" .l1_next_line_cycles = 0.25, // [run]", text)
        self.assertIn(" .latency_l1 = 52.461, // [run]", text)
        self.assertIn(f" .signal_ns = {own['links_signals_0'] / 128 * 1e3:.6g}, // [links]", text)

    def test_one_card_alone_takes_the_links_from_another(self):
        h200 = calibrate.stored_values()["h200"]
        own = calibrate.read_values(calibrate.DATA / "h200-calibration.csv")
        own |= {f"interval_l1_load_{what}": 1.0 for what in ("1_line", "33_lines", "32_way")}
        text = calibrate.text_of("a100", {"h200": h200, "a100": own})
        self.assertEqual(text.count(", // [h200-link]"), 3)
        self.assertEqual(text.count("// [h200"), 5)
        rate = 2**30 / h200["links_copy_1073741824"] * 1e-3 * 300 / 450
        self.assertIn(f" .link_copy_gb_per_s = {rate:.6g}, // [h200-link]", text)


class Script(unittest.TestCase):
    """calibrate.sh looks for the GPU's row in calibrate_devices.py with grep."""

    def run_script(self, gpu):
        """Without a GPU's tools on the path: it ends before it compiles."""
        with tempfile.TemporaryDirectory() as folder:
            for tool in ("dirname", "grep", "sed", "sh", "tr"):
                (Path(folder) / tool).symlink_to(shutil.which(tool))
            return subprocess.run([Path(folder) / "sh", ROOT / "common/scripts/calibrate.sh"],
                                  env={"PATH": folder, "GPU": gpu, "BUILD": folder},
                                  capture_output=True, text=True, check=False)

    def test_every_known_device_is_found(self):
        for key in calibrate.KNOWN:
            done = self.run_script(key)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("it measures a GPU, and none can be used here", done.stderr)

    def test_others_are_refused_with_what_to_do(self):
        for gpu in ("h900", "h20", "200"):
            done = self.run_script(gpu)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f'knows no "{gpu}": add what its data sheet says to KNOWN', done.stderr)
        self.assertIn("GPU=name is missing", self.run_script("").stderr)


if __name__ == "__main__":
    unittest.main()
