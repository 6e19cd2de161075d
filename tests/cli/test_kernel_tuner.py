# SPDX-License-Identifier: Apache-2.0
"""Exports read by Kernel Tuner itself. Skipped unless MLMQ_KERNEL_TUNER names its source tree (and, after ":", those
of its imports that are not installed); MLMQ_KERNEL_TUNER_DASHBOARD names that of its dashboard, and
MLMQ_KERNEL_TUNER_PYTHON a Python that has numpy, scipy, pandas and jsonschema."""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys

from program_test import TIME_LIMIT_S, ProgramTest, SMALL_SPACE, main, with_deltas

FOLDERS = os.environ.get("MLMQ_KERNEL_TUNER", "")
DASHBOARD = os.environ.get("MLMQ_KERNEL_TUNER_DASHBOARD", "")
PYTHON = os.environ.get("MLMQ_KERNEL_TUNER_PYTHON", sys.executable)
READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel_tuner_reader.py")


class ReadByKernelTuner(ProgramTest):
    def setUp(self):
        if not FOLDERS:
            self.skipTest("MLMQ_KERNEL_TUNER names no source tree")
        super().setUp()

    def export(self, form):
        self.succeed("db", "export", "r.sqlite", "--format", form, "--output", form + "/")
        return sorted(os.path.join(self.folder, form, name) for name in os.listdir(self.path(form))
                      if name.endswith(".json"))

    def read_by_kernel_tuner(self, *files):
        process = subprocess.run([PYTHON, "-B", READER, FOLDERS, DASHBOARD, *files], capture_output=True, text=True,
                                 timeout=TIME_LIMIT_S, cwd=self.folder, check=False)
        self.assertEqual(process.returncode, 0, process.stderr)
        return json.loads(process.stdout)

    def check(self, parameters):
        """Checks that every strategy ends and finds recorded times; brute force finds all, and the best."""
        files = self.export("kernel-tuner-cache")
        self.assertTrue(files)
        results = self.read_by_kernel_tuner(*files, *self.export("t4"))
        for file in files:
            with open(file, encoding="utf-8") as opened:
                cache = json.load(opened)
            self.assertEqual(cache["tune_params_keys"], parameters)
            times = [entry["time"] for entry in cache["cache"].values() if "__error__" not in entry]
            everything = results[file]["brute_force"]
            self.assertEqual((everything["results"], everything["best_ms"]), (len(times), min(times)))
            dashboard = results[file].pop("dashboard", None)
            for strategy, result in results[file].items():
                self.assertIn(result["best_ms"], times, strategy)
            if dashboard:
                self.assertEqual((dashboard["rows"], dashboard["parameters"]), (len(times), parameters))
        return results

    def test_a_space_of_parameters(self):
        self.write("s.yaml", SMALL_SPACE.replace("  threads:", "  l2: [bucket]\n  delta: [1, 2, 4, 8, 16]\n  threads:"))
        self.sweeps("s.yaml", "--db", "r.sqlite", "--workloads", "road6")
        self.check(["delta", "l1"])

    def test_a_space_of_conditional_parameters_with_failures(self):
        # Changing one parameter at a time does not connect the remaining configurations.
        self.write("s.yaml", with_deltas("[1, 2, 4, 8, 16, 32, 64, 128]"))
        self.sweeps("s.yaml", "--db", "r.sqlite", "--workloads", "road6")
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            database.execute("UPDATE trial SET outcome = 'timeout', message = 'late', median_ms = NULL, spread = NULL "
                             "WHERE configuration IN (SELECT id FROM configuration WHERE "
                             "(parameters ->> 'l1' = 'none') = (parameters ->> 'l2' = 'bucket'))")
            database.commit()
        self.check(["configuration"])


if __name__ == "__main__":
    main()
