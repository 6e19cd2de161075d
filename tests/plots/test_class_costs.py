#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the picture of scripts/class-costs; `scripts/class-costs --check` compares the coefficients."""

from __future__ import annotations

import subprocess
import sys
import unittest

# This import must come first: it adds plots/ to the path.
from plots_test import DRAWN_WITH, Files, ROOT

import matplotlib

PICTURE = ROOT / "docs" / "figures" / "class-costs.svg"


class ClassCosts(Files):
    @unittest.skipUnless(matplotlib.__version__ == DRAWN_WITH, f"matplotlib is not {DRAWN_WITH}")
    def test_picture_is_current(self) -> None:
        drawn = self.folder / "class-costs.svg"
        run = subprocess.run([sys.executable, "-B", ROOT / "scripts" / "class-costs", "--figure", drawn], text=True,
                             capture_output=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(drawn.read_bytes(), PICTURE.read_bytes(),
                         "docs/figures/class-costs.svg is out of date: make it again with scripts/class-costs --figure")


if __name__ == "__main__":
    unittest.main()
