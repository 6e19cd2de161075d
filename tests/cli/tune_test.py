# SPDX-License-Identifier: Apache-2.0
"""Base of the tests of 'mlmq tune'."""

import contextlib
import json
import os
import re
import sqlite3

from program_test import ProgramTest

# Space for graphs that are solved in microseconds: at most two kernels, with clearly different times.
SPACE = """\
name: tiny
problem: sssp
configurations:
  - {l1: none, l2: vector, threads: 64}
  - {l1: none, l2: bucket, delta: 4, threads: 64}
  - {l1: none, l2: bucket, delta: 16, threads: 64}
queries: {count: 1, choose: max_degree}
measurement: {warmup: 0, repeats: 2, time_limit_ms: 1000, counters: false, seed: 1}
workloads:
  - {generate: [road5, road6, rmat5, rmat6]}
"""
GRAPHS = ("road5", "road6", "rmat5", "rmat6")
# A device wide enough for the choices of the shipped selector.
# It is small because the simulator takes time for each warp, even for those that wait.
DEVICE = "simt:2x16"
DEVICE_NAME = "simt 2x16 warps"
NAMES = "shipped selector|new selector|best fixed configuration|best measured|default configuration|selector of [0-9-]+"


class TuneTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("space.yaml", SPACE)

    def tune(self, *arguments, **settings):
        code, output, errors = self.run_program("tune", *arguments, **settings)
        self.assertEqual(code, 0, errors)
        return output

    def solve(self, graph, *arguments, **settings):
        return self.succeed("solve", graph, "--device", DEVICE, *arguments, **settings)

    def small(self, *arguments, **settings):
        # Without the shipped record: learning from it takes several seconds, and few tests need it.
        record = () if "--record" in arguments else ("--record", "none")
        return self.tune("--space", "space.yaml", "--device", DEVICE, "--folder", "o", "--sample", "0", *record,
                         *arguments, **settings)

    def installed(self):
        folder = self.path("selectors")
        names = os.listdir(folder) if os.path.exists(folder) else []
        return sorted(os.path.join(folder, name) for name in names if name.endswith(".json"))

    def ways(self, output):
        return {name: float(mean) for name, mean in re.findall(rf"^({NAMES}) +(\d\.\d+)", output, re.MULTILINE)}

    def check_model(self, folder, candidates):
        model = json.loads(self.read(f"{folder}/model.json"))
        self.assertIn(len(model["candidates"]), candidates)
        header = self.read(f"{folder}/model.hpp").decode()
        for label in {candidate["label"] for candidate in model["candidates"]}:
            self.assertIn(label, header)
        return model

    def plant(self, database, milliseconds):
        """Replaces the times of a record by milliseconds(workload's name, configuration's label)."""
        with contextlib.closing(sqlite3.connect(self.path(database))) as opened, opened:
            rows = opened.execute("SELECT t.id, w.name, c.label FROM trial t JOIN workload w ON w.id = t.workload "
                                  "JOIN configuration c ON c.id = t.configuration WHERE t.outcome = 'ok'").fetchall()
            self.assertTrue(rows)
            for trial, workload, label in rows:
                planted = milliseconds(workload, label)
                opened.execute("UPDATE trial SET median_ms = ? WHERE id = ?", (planted, trial))
                opened.execute("UPDATE sample SET milliseconds = ? WHERE trial = ?", (planted, trial))
