# SPDX-License-Identifier: Apache-2.0
"""scripts/scaling measures the same work on 1, 2, … devices."""

import csv
import json
import os
import subprocess
import sys

import program_test
from program_test import ProgramTest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/scaling")


class Scaling(ProgramTest):
    def scaling(self, *arguments):
        """Runs the script on two small graphs. Returns its exit status, output and errors."""
        run = subprocess.run([sys.executable, SCRIPT, program_test.PROGRAM, "--device", "simt", "--counts", "1", "2",
                              "--graphs", "road5", "rmat5", "--searches", "20", *arguments], cwd=self.folder,
                             env={**os.environ, "MLMQ_CACHE": program_test.CACHE}, capture_output=True, text=True,
                             timeout=program_test.TIME_LIMIT_S, check=False)
        return run.returncode, run.stdout, run.stderr

    def rows(self):
        lines = self.read("scaling/scaling.csv").decode().splitlines()
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))

    def test_all_parts(self):
        code, output, errors = self.scaling()
        self.assertEqual(code, 0, output + errors)
        rows = self.rows()
        parts = ["sweep cold", "sweep warm", "searches block", "searches hierarchy", "record", "tuning"]
        self.assertEqual(sorted((row["part"], row["devices"]) for row in rows),
                         sorted((part, count) for part in parts for count in ("1", "2")))
        for row in rows:
            self.assertEqual(row["lost"], "0", row)
            self.assertEqual(row["equal"], "yes" if row["devices"] == "2" else "", row)
            self.assertGreater(float(row["seconds"]), 0, row)
        work = {(row["part"], row["devices"]): int(row["work"]) for row in rows}
        self.assertEqual(work["searches block", "1"], 20)
        self.assertEqual(work["tuning", "1"], 2 * 5)
        table = self.read("scaling/scaling.md").decode().splitlines()
        self.assertEqual(len([line for line in table if line.startswith("| sweep warm | ")]), 2)
        # Everything has been measured.
        code, output, errors = self.scaling()
        self.assertEqual((code, output), (0, ""), errors)

    def test_other_results_are_not_equal(self):
        code, output, errors = self.scaling("--parts", "searches")
        self.assertEqual(code, 0, output + errors)
        results = json.loads(self.read("scaling/scaling.json"))
        results["steps"][-1]["results"] = results["steps"][-1]["trials"] = "other"
        self.write("scaling/scaling.json", json.dumps(results))
        self.assertEqual(self.scaling("--parts", "searches")[0], 1)
        self.assertEqual([row["equal"] for row in self.rows()], ["", "yes", "", "no"])
        results["machine"]["name"] = "elsewhere"
        self.write("scaling/scaling.json", json.dumps(results))
        code, _, errors = self.scaling("--parts", "searches")
        self.assertEqual(code, 1)
        self.assertIn("was measured elsewhere or by another version; name another --folder", errors)

    def test_budget_and_mistakes(self):
        code, output, _ = self.scaling("--budget", "0.5s")
        self.assertEqual((code, output), (3, "scaling: the budget is spent; the same command measures the rest\n"))
        for arguments in (["--counts", "0"], ["--budget", "soon"], ["--parts", "all"]):
            self.assertEqual(self.scaling(*arguments)[0], 2, arguments)


if __name__ == "__main__":
    program_test.main()
