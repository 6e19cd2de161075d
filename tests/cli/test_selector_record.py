# SPDX-License-Identifier: Apache-2.0
"""scripts/record-selector measures the record of a selector in pieces."""

import csv
import os
import re
import subprocess
import sys

import program_test
from program_test import SMALL_SPACE, ProgramTest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/record-selector")
GRAPHS = ["road6", "rmat6", "del6", "lattice6"]


class SelectorRecord(ProgramTest):
    def record(self, *arguments):
        """Runs the script on the simulator. Returns its exit status, output and errors."""
        run = subprocess.run([sys.executable, SCRIPT, program_test.PROGRAM, *GRAPHS, *arguments, "--candidates",
                              "s.yaml", "--folder", "record", "--pieces", "3", "--device", "simt:1x32"],
                             cwd=self.folder, env={**os.environ, "MLMQ_CACHE": program_test.CACHE},
                             capture_output=True, text=True, timeout=program_test.TIME_LIMIT_S, check=False)
        return run.returncode, run.stdout, run.stderr

    def test_pieces(self):
        self.write("s.yaml", SMALL_SPACE.replace("counters: true", "counters: false"))
        code, output, errors = self.record("--dry-run")
        self.assertEqual(code, 0, errors)
        trials = int(re.search(r"^(\d+) trials in 3 pieces; of 3 pieces of this machine 0 are finished$", output)[1])
        # A budget that is too short for anything.
        code, output, _ = self.record("--budget", "0.5s")
        self.assertEqual((code, output), (3, "left, run again: 3 of 3 pieces\n"))
        # Two machines, whose pieces are together all.
        measured = 0
        for machine in ("1/2", "2/2"):
            code, output, errors = self.record("--machine", machine)
            self.assertEqual(code, 0, output + errors)
            measured += int(re.search(r"(?m)^(\d+) trials in \d+ s, \d+ per minute, \d+ % of the time in runs$",
                                      output)[1])
        self.assertEqual(measured, trials)
        code, output, errors = self.record("--output", "r.sqlite.gz")
        self.assertEqual(code, 0, errors)
        self.assertIn(f"r.sqlite.gz: {trials} finished trials", output)
        code, _, errors = self.record("--output", "means.sqlite.gz", "--means")
        self.assertEqual(code, 0, errors)
        whole, means = (self.succeed("db", "query", "SELECT workload, configuration, group_concat(query, ' '), "
                                     "avg(median_ms), min(outcome) FROM result GROUP BY 1, 2 ORDER BY 1, 2", file,
                                     "--format", "csv").splitlines()[1:] for file in ("r.sqlite.gz", "means.sqlite.gz"))
        self.assertEqual(len(whole), len(means))
        for one, mean in zip(csv.reader(whole), csv.reader(means), strict=True):
            self.assertEqual(one[:2], mean[:2])
            self.assertEqual(mean[2], f"mean_of={len(one[2].split())}")
            self.assertAlmostEqual(float(one[3]), float(mean[3]))
            self.assertEqual((one[4], mean[4]), ("ok", "ok"))
        _, output, _ = self.record("--dry-run")
        self.assertIn("of 3 pieces of this machine 3 are finished", output)

    def test_mistakes(self):
        code, _, errors = self.record("--dry-run")
        self.assertEqual(code, 1)
        self.assertIn("record-selector: ", errors)
        self.assertEqual(self.record("--machine", "3/2")[0], 2)
        self.assertEqual(self.record("--budget", "soon")[0], 2)


if __name__ == "__main__":
    program_test.main()
