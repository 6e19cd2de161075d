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
        parts = ["searches block", "searches hierarchy", "sweep warm", "sweep cold", "record", "tuning"]
        # All numbers of devices of a part before the next part, the largest first.
        self.assertEqual([tuple(line.split("  ")[:2]) for line in output.splitlines()],
                         [(f"part {part}", f"devices {count}") for part in parts for count in (2, 1)])
        rows = self.rows()
        self.assertEqual(sorted((row["part"], row["devices"]) for row in rows),
                         sorted((part, count) for part in parts for count in ("1", "2")))
        for row in rows:
            self.assertEqual(row["lost"], "0", row)
            self.assertEqual(row["equal"], "yes" if row["devices"] == "2" else "", row)
            self.assertGreater(float(row["seconds"]), 0, row)
        work = {(row["part"], row["devices"]): int(row["work"]) for row in rows}
        self.assertEqual(work["searches block", "1"], 20)
        self.assertEqual(work["tuning", "1"], 2 * 5)
        table, _, shares = self.read("scaling/scaling.md").decode().partition("Shares of the time of each device:")
        self.assertEqual(table.count("| sweep warm | "), 2)
        of_sweeps = [line.split(" | ")[1:] for line in shares.splitlines() if line.startswith("| sweep ")]
        self.assertEqual([cells[:2] for cells in of_sweeps], 2 * [["1", "0"], ["2", "0"], ["2", "1"]])
        for cells in of_sweeps:
            self.assertAlmostEqual(sum(float(cell.strip(" |%")) for cell in cells[2:]), 100, delta=1)
        cold, warm = (next(row for row in rows if (row["part"], row["devices"]) == (part, "1"))
                      for part in ("sweep cold", "sweep warm"))
        self.assertGreater(float(cold["compile_share"]), float(warm["compile_share"]))
        # Everything has been measured.
        code, output, errors = self.scaling()
        self.assertEqual((code, output), (0, ""), errors)

    def test_other_results_are_not_equal(self):
        code, output, errors = self.scaling("--parts", "searches")
        self.assertEqual(code, 0, output + errors)
        results = json.loads(self.read("scaling/scaling.json"))
        results["steps"][-1]["results"] = results["steps"][-1]["trials"] = "other"  # hierarchy, one device
        self.write("scaling/scaling.json", json.dumps(results))
        self.assertEqual(self.scaling("--parts", "searches")[0], 1)
        self.assertEqual([row["equal"] for row in self.rows()], ["", "yes", "", "no"])
        results["machine"]["name"] = "elsewhere"
        self.write("scaling/scaling.json", json.dumps(results))
        code, _, errors = self.scaling("--parts", "searches")
        self.assertEqual(code, 1)
        self.assertIn("was measured elsewhere or by another version; name another --folder", errors)

    def test_a_budget_leaves_what_takes_too_long(self):
        searches = ["--parts", "searches"]
        code, output, errors = self.scaling(*searches, "--counts", "2")
        self.assertEqual(code, 0, output + errors)
        results = json.loads(self.read("scaling/scaling.json"))
        results["steps"][0] |= {"command_seconds": 510, "fixed_seconds": 10}
        self.write("scaling/scaling.json", json.dumps(results))
        code, output, errors = self.scaling(*searches, "--budget", "10min")
        self.assertEqual(code, 3, output + errors)
        plan, measured, left = output.splitlines()
        self.assertRegex(plan, r"^planned, about \d+ s: searches hierarchy on 1 \(\d+ s\)$")
        self.assertTrue(measured.startswith("part searches hierarchy  devices 1  "), measured)
        self.assertEqual(left, "left, run the same command again: searches block on 1 (1010 s)")
        self.assertEqual(self.scaling(*searches)[0], 0)
        self.assertEqual([row["equal"] for row in self.rows()], ["", "yes", "", "yes"])

    def test_budget_and_mistakes(self):
        code, output, _ = self.scaling("--budget", "0.5s", "--parts", "tuning")
        self.assertEqual((code, output), (3, "left, run the same command again: tuning on 2 (5 s), 1 (10 s)\n"))
        for arguments in (["--counts", "0"], ["--budget", "soon"], ["--parts", "all"]):
            self.assertEqual(self.scaling(*arguments)[0], 2, arguments)


if __name__ == "__main__":
    program_test.main()
