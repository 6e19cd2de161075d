# SPDX-License-Identifier: Apache-2.0
"""scripts/record-figures measures the sweeps of figures in pieces."""

import os
import re
import subprocess
import sys

import program_test
from program_test import ProgramTest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/record-figures")


class FigureRecord(ProgramTest):
    def record(self, *arguments):
        """Runs the script on the simulator. Returns its exit status, output and errors."""
        run = subprocess.run([sys.executable, SCRIPT, program_test.PROGRAM, *arguments, "--db", "f.sqlite", "--device",
                              "simt:1x32"], cwd=self.folder, env={**os.environ, "MLMQ_CACHE": program_test.CACHE},
                             capture_output=True, text=True, timeout=program_test.TIME_LIMIT_S, check=False)
        return run.returncode, run.stdout, run.stderr

    def test_pieces(self):
        code, output, _ = self.record("mlmq/table4", "--dry-run")
        self.assertEqual(code, 0)
        self.assertRegex(output, r"(?m)^mlmq_table4 +4 +0 +\d+  mlmq/table4$")
        self.assertFalse(os.path.exists(self.path("f.sqlite")))
        # A budget that is too short for anything, then shards, which together are all.
        code, output, _ = self.record("mlmq/table4", "--budget", "0.5s")
        self.assertEqual((code, output), (3, "left, run again: mlmq_table4\n"))
        measured = []
        for shard in ("1/2", "2/2"):
            code, output, errors = self.record("mlmq/table4", "--shard", shard)
            self.assertEqual(code, 0, output + errors)
            measured.append(int(re.search(r"trials done, (\d+) in this run", output)[1]))
        self.assertEqual(sum(measured), 4)
        self.assertGreater(min(measured), 0)
        _, output, _ = self.record("mlmq/table4", "--dry-run")
        self.assertRegex(output, r"(?m)^mlmq_table4 +4 +4 +0  mlmq/table4$")
        code, output, _ = self.record("mlmq/table4")
        self.assertIn("4 of 4 trials done, 0 in this run", output)

    def test_a_sweep_of_several_figures_is_measured_once(self):
        _, output, _ = self.record("adds", "--dry-run")
        (figures,) = re.findall(r"(?m)^adds_collection +\d+ +0 +\d+  (.*)$", output)
        self.assertEqual(len(figures.split(", ")), 7)
        self.assertNotIn("adds_collection_cpu", output)  # its times are measured, and not modelled

    def test_order(self):
        # Options may stand before figures.
        run = subprocess.run([sys.executable, SCRIPT, program_test.PROGRAM, "--device", "simt:1x32", "--dry-run",
                              "mlmq/fig4", "adds/fig4", "mlmq/fig3"], cwd=self.folder, capture_output=True, text=True,
                             timeout=program_test.TIME_LIMIT_S, check=True)
        self.assertEqual(re.findall(r"(?m)^([a-z]+_fig\d+) ", run.stdout), ["mlmq_fig4", "adds_fig7", "mlmq_fig3"])

    def test_mistakes(self):
        code, _, errors = self.record("mlmq/fig99", "--dry-run")
        self.assertEqual((code, errors), (1, "record-figures: there is no figure 'mlmq/fig99'\n"))
        code, _, errors = self.record("--budget", "soon")
        self.assertEqual(code, 2)
        self.assertIn("'soon' is not a duration", errors)


if __name__ == "__main__":
    program_test.main()
