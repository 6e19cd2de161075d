# SPDX-License-Identifier: Apache-2.0
"""Results for programs: --format json, --quiet, --output -."""

import json

from program_test import SMALL_SPACE, SMALL_TRIALS, ProgramTest, main


class Json(ProgramTest):
    def document(self, schema, *arguments):
        document = json.loads(self.succeed(*arguments, "--format", "json"))
        self.assertEqual((document["schema"], document["version"]), (f"mlmq/{schema}", 1))
        return document

    def setUp(self):
        super().setUp()
        self.write("a.wel", "7 20 3\n20 900 4\n5 7 1\n")

    def test_solve(self):
        found = self.document("solve", "solve", "a.wel", "--source", "7", "--device", "cpu", "--check", "--repeat", "3")
        self.assertEqual(found["graph"], {"name": found["graph"]["name"], "vertices": 4, "edges": 3})
        self.assertEqual((found["source"], found["reached"], found["longest_distance"], found["checked"], found["modelled"]),
                         (7, 3, 7, True, False))
        self.assertEqual(len(found["times_ms"]), 3)
        self.assertEqual(found["time_ms"], sorted(found["times_ms"])[1])
        # What it says can be asked for again.
        again = self.document("solve", "solve", "a.wel", "--device", found["device"]["selector"], "--config",
                              found["configuration"])
        self.assertEqual((again["configuration"], again["checked"]), (found["configuration"], False))
        simulated = self.document("solve", "solve", "a.wel", "--device", "simt", "--counters", "--source", "5")
        self.assertTrue(simulated["modelled"])
        self.assertTrue(simulated["counters"])
        self.refuse("solve", "a.wel", "--device", "cpu", "--format", "json", "--output", "-", says="standard output")
        self.refuse("solve", "a.wel", "--device", "cpu", "--format", "xml", says="--format")
        self.refuse("solve", "a.wel", "--device", "cpu", "--format", "json", "--source", "1", says="no vertex 1")
        for arguments in (["--sources", "2:random"], ["--targets", "7"]):
            self.refuse("solve", "a.wel", "--device", "cpu", "--format", "json", *arguments, says="--format")

    def test_quiet_and_standard_output(self):
        arguments = ("solve", "a.wel", "--source", "7", "--device", "cpu", "--check")
        self.assertEqual(self.succeed(*arguments, "--quiet"), "")
        self.succeed(*arguments, "--output", "d.txt")
        self.assertEqual(self.succeed(*arguments, "--output", "-"), self.read("d.txt").decode())
        self.assertEqual(self.names(), ["a.wel", "d.txt"])

    def test_graph_info(self):
        found = self.document("graph-info", "graph", "info", "a.wel")
        self.assertEqual((found["vertices"], found["edges"], found["ids"], found["negated_weights"]),
                         (4, 3, {"first": 5, "last": 900, "gaps": True}, 0))
        self.assertEqual((found["weights"]["type"], found["weights"]["smallest"], found["weights"]["largest"]),
                         ("uint32", 1, 4))
        self.assertIn(found["hash"], self.succeed("graph", "info", "a.wel"))

    def test_database_status(self):
        self.write("s.yaml", SMALL_SPACE.replace("counters: true", "counters: false"))
        self.sweeps("s.yaml", "--db", "r.sqlite", "--workloads", "road6")
        found = self.document("db-status", "db", "status", "r.sqlite")
        (experiment,) = found["experiments"]
        self.assertLess(experiment["trials"], SMALL_TRIALS)
        self.assertEqual((experiment["name"], experiment["done"], experiment["outcomes"]),
                         ("small", experiment["trials"], {"ok": experiment["trials"]}))
        (best,) = found["best"]
        self.assertEqual((best["workload"], best["configurations_ok"]), ("road6", experiment["trials"]))
        self.assertEqual((found["running"], found["failures"]), ([], []))


if __name__ == "__main__":
    main()
