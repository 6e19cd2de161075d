# SPDX-License-Identifier: Apache-2.0
"""Results for programs: --format json, --quiet, --output -."""

import json
import sqlite3

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

    def test_solve_to_targets(self):
        found = self.document("solve-bounded", "solve", "a.wel", "--source", "7", "--targets", "900,5", "--cutoff", "9",
                              "--device", "cpu", "--check")
        self.assertEqual((found["source"], found["cutoff"], found["searched"], found["reached"], found["checked"]),
                         (7, 9, 2, 1, True))
        self.assertEqual(found["targets"], [{"vertex": 900, "distance": 7}, {"vertex": 5, "distance": None}])
        arguments = ("solve", "a.wel", "--source", "7", "--targets", "900,5", "--device", "cpu")
        self.assertEqual(self.succeed(*arguments, "--output", "-").splitlines()[1:], ["900 7", "5 inf"])
        self.assertEqual(self.succeed(*arguments, "--quiet"), "")
        # Without targets the distances are for a file.
        found = self.document("solve-bounded", "solve", "a.wel", "--source", "7", "--cutoff", "5", "--device", "cpu",
                              "--output", "d.txt")
        self.assertNotIn("targets", found)
        self.assertEqual((found["searched"], found["reached"]), (4, 2))
        self.assertEqual(self.by_vertex("d.txt"), {5: None, 7: 0, 20: 3, 900: None})

    def test_solve_from_many(self):
        arguments = ("solve", "a.wel", "--sources", "all", "--device", "cpu:1")
        found = self.document("solve-many", *arguments, "--check", "--targets", "900")
        self.assertEqual((found["targets"], found["checked"], found["shard"], found["already_written"]),
                         (1, True, {"index": 1, "count": 1}, 0))
        (device,) = found["devices"]
        self.assertEqual((device["selector"], device["searches"], device["modelled"]), ("cpu:1", 4, False))
        self.assertAlmostEqual(device["searches_per_s"], 4e3 / device["time_ms"])
        self.succeed(*arguments, "--config", device["configuration"])
        self.document("solve-many", *arguments, "--output", "d")
        self.assertEqual(self.document("solve-many", *arguments, "--output", "d")["already_written"], 4)
        self.assertEqual(self.succeed(*arguments, "--quiet"), "")
        self.refuse(*arguments, "--output", "-", says="NAME.npy or a folder")

    def test_solve_of_another_problem(self):
        arguments = ("solve", "phold:entities=20:events=16:rate=0.1", "--device", "simt", "--problem", "phold")
        found = self.document("solve-workload", *arguments, "--query", "until=5000", "--check", "--counters")
        self.assertEqual((found["problem"], found["workload"], found["modelled"], found["checked"]),
                         ("phold", "phold:entities=20:events=16:rate=0.1", True, True))
        self.assertTrue(found["answer"] and found["counters"])
        again = self.document("solve-workload", *arguments, "--query", found["query"], "--config", found["configuration"])
        events = [one["answer"].pop("executed").split(",")[0] for one in (again, found)]  # without the rate
        self.assertRegex(events[0], r"^\d{4,} events$")
        self.assertEqual((again["answer"], again["counters"], events[0]), (found["answer"], {}, events[1]))

    def test_centrality(self):
        arguments = ("centrality", "a.wel", "--device", "cpu")
        found = self.document("centrality", *arguments, "--top", "2", "--check")
        self.assertEqual((found["exact"], found["sources"], found["population"], found["checked"]), (True, 3, 3, True))
        self.assertEqual(found["highest"], [{"vertex": 7, "score": 2}, {"vertex": 20, "score": 2}])
        self.succeed(*arguments, "--output", "s.txt")
        self.assertEqual(self.succeed(*arguments, "--output", "-"), self.read("s.txt").decode())
        self.assertEqual(self.succeed(*arguments, "--quiet"), "")
        self.refuse(*arguments, "--format", "json", "--output", "-", says="standard output")

    def test_doctor(self):
        found = self.document("doctor", "doctor")
        program = found["program"]
        told = self.succeed("--version")
        self.assertTrue(told.startswith(f"mlmq {program['version']} (commit {program['commit'] or 'unknown'}, "), told)
        self.assertIn(program["cuda_toolkit"] or "without CUDA", told)
        self.assertTrue(found["kernels"]["found"] and found["cache"]["used"])
        usable = {one["name"]: one["usable"] for one in found["backends"]}
        self.assertTrue(usable["simt"] and usable["cpu"] and "cuda" in usable)
        self.assertEqual(found["selector"]["trained_on"]["problem"], "sssp")
        trained = found["selector"]["trained_on"]
        text = self.succeed("doctor")
        self.assertIn(f"selector  {found['selector']['configurations']} configurations, learned from {trained['workloads']} "
                      f"graphs on {trained['device_name']} ({trained['times']} times)\n", text)
        self.assertNotIn("{", text)
        self.assertEqual(found["selector"]["installed"], [])
        self.assertIn("none is installed for a device", text)
        self.assertEqual(self.document("selector-list", "selector", "list")["selectors"], [])

    def test_problems(self):
        listed = {one["name"]: one["description"] for one in self.document("problems", "problems")["problems"]}
        for name, description in listed.items():
            self.assertEqual(self.document("problem", "problems", name)["description"], description)
        found = self.document("problem", "problems", "sssp")
        parameters = {one["name"]: one for one in found["parameters"]}
        self.assertEqual((parameters["nf"]["type"], parameters["nf"]["default"], parameters["nf"]["binding"],
                          parameters["nf"]["when"], parameters["nf"]["unit"], parameters["nf"]["symbol"]),
                         ("real", 4, "launch", "l1 == near_far", "average_weight", "NF"))
        self.assertIn("vector", parameters["l1"]["allowed"])
        self.assertLessEqual(parameters["threads"]["minimum"], parameters["threads"]["default"])
        for preset in found["presets"]:
            self.succeed("solve", "a.wel", "--device", "simt:4x32", "--config", preset["configuration"])
        self.assertIn("pops", [one["name"] for one in found["counters"]])
        self.refuse("problems", "--markdown", "--format", "json", says=["--markdown", "json"])

    def test_predict(self):
        found = self.document("predict", "selector", "predict", "road10", "--device", "simt", "--count", "3", "--time")
        self.assertEqual((found["graph"]["name"], found["graph"]["vertices"], found["model"]), ("road10", 1011, None))
        predicted = [one["predicted"] for one in found["ranking"]]
        self.assertEqual((len(predicted), predicted), (3, sorted(predicted, reverse=True)))
        self.assertGreater(found["choosing_us"], 0)
        self.assertTrue(found["features"])
        # In full for programs, and for people who ask; else what differs from the defaults.
        labels = [one["configuration"] for one in found["ranking"]]
        in_full = self.succeed("selector", "predict", "road10", "--device", "simt", "--count", "3", "--verbose").splitlines()
        self.assertEqual([line.split()[1] for line in in_full], labels)
        in_short = [line.split()[1] for line in self.succeed("selector", "predict", "road10", "--device", "simt",
                                                             "--count", "3").splitlines()]
        for label, short in zip(labels, in_short):
            self.assertLess(len(short), len(label))
            said = self.succeed("solve", "road6", "--device", "simt:4x32", "--config", short, "--verbose")
            self.assertIn(f"configuration  {label}\n", said)
            self.assertIn(f"configuration  {short}\n", self.succeed("solve", "road6", "--device", "simt:4x32", "--config", label))

    def test_verify(self):
        self.write("s.yaml", SMALL_SPACE.replace("counters: true", "counters: false"))
        self.sweeps("s.yaml", "--db", "r.sqlite", "--workloads", "road6")
        found = self.document("verify", "verify", "r.sqlite", "--sample", "2")
        self.assertEqual((found["same"], found["wrong_answers"], found["compared_times"], found["interrupted"]),
                         (True, 0, 2, False))
        self.assertEqual([(one["ratio"], one["differs"], one["outcome"]) for one in found["trials"]], [(1, [], "ok")] * 2)
        # What differs is told in the document, and by the status.
        connection = sqlite3.connect(self.path("r.sqlite"))
        with connection:
            connection.execute("UPDATE sample SET milliseconds = 2 * milliseconds")
            connection.execute("UPDATE trial SET median_ms = 2 * median_ms")
        connection.close()
        code, output, _ = self.run_program("verify", "r.sqlite", "--sample", "2", "--format", "json")
        found = json.loads(output)
        self.assertEqual((code, found["same"], found["different_times"]), (1, False, 2))
        self.assertEqual([one["differs"] for one in found["trials"]], [["time"]] * 2)

    def test_quiet_and_standard_output(self):
        arguments = ("solve", "a.wel", "--source", "7", "--device", "cpu", "--check")
        self.assertEqual(self.succeed(*arguments, "--quiet"), "")
        self.succeed(*arguments, "--output", "d.txt")
        self.assertEqual(self.succeed(*arguments, "--output", "-"), self.read("d.txt").decode())
        self.assertEqual(self.names(), ["a.wel", "d.txt"])
        self.succeed("solve", "a.wel", "--source", "7", "--device", "cpu", "--predecessors", "p.txt")
        self.assertEqual(self.succeed("solve", "a.wel", "--source", "7", "--device", "cpu", "--predecessors", "-"),
                         self.read("p.txt").decode())
        self.refuse("solve", "a.wel", "--device", "cpu", "--output", "-", "--predecessors", "-", says="would write to the same file")
        for command in (["tune", "a.wel", "--output", "-"], ["db", "compact", "-", "r.sqlite"]):
            self.refuse(*command)
        self.assertEqual(self.names(), ["a.wel", "d.txt", "p.txt"])

    def test_quiet_sweeps_and_standard_output_of_what_is_recorded(self):
        self.write("s.yaml", SMALL_SPACE)
        sweep = ("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt")
        self.assertEqual(self.succeed(*sweep, "--quiet"), "")
        self.refuse(*sweep, "--quiet", "--dry-run", says=["--quiet", "--dry-run"])
        self.assertEqual(self.succeed("db", "export", "r.sqlite", "--output", "-"), self.succeed("db", "export", "r.sqlite"))
        self.assertEqual(self.succeed("db", "export", "r.sqlite", "--output", "e.csv", "--quiet"), "")
        code, output, errors = self.run_program("report", "r.sqlite", "--quiet", "--no-selectors", "-o", "p.html")
        self.assertEqual((code, output), (0, ""), errors)
        self.assertIn("modelled by the simulator", errors)  # a warning is no report
        page = self.succeed("report", "r.sqlite", "--no-selectors", "-o", "-")
        self.assertTrue(page.lower().startswith("<!doctype html") and page.rstrip().endswith("</html>"), page[:40])
        train = ("selector", "train", "r.sqlite")
        self.succeed(*train, "--output", "m.json")
        self.assertEqual(self.succeed(*train, "--output", "-"), self.read("m.json").decode())
        self.succeed("selector", "export", "m.json", "--output", "m.hpp")
        self.assertEqual(self.succeed("selector", "export", "m.json", "--output", "-"), self.read("m.hpp").decode())
        files = [name for name in self.names() if not name.startswith("r.sqlite-")]
        self.assertEqual(files, ["a.wel", "e.csv", "m.hpp", "m.json", "p.html", "r.sqlite", "s.yaml"])
        # Full labels are those of the record.
        recorded = self.succeed("db", "query", "SELECT DISTINCT configuration FROM result", "r.sqlite", "--format", "csv")
        labels = [line.strip('"') for line in recorded.splitlines()[1:]]
        self.assertTrue(any(label in self.succeed("db", "status", "r.sqlite", "--verbose") for label in labels))
        self.assertFalse(any(label in self.succeed("db", "status", "r.sqlite") for label in labels))
        for command in (["picks", "--model", "m.json"], ["candidates"]):
            self.assertTrue(any(label in self.succeed("selector", command[0], "r.sqlite", *command[1:], "--verbose") for label in labels))
            self.assertFalse(any(label in self.succeed("selector", command[0], "r.sqlite", *command[1:]) for label in labels))

    def test_graph_info(self):
        found = self.document("graph-info", "graph", "info", "a.wel")
        self.assertEqual((found["vertices"], found["edges"], found["ids"], found["negated_weights"]),
                         (4, 3, {"first": 5, "last": 900, "gaps": True}, 0))
        self.assertEqual((found["weights"]["type"], found["weights"]["smallest"], found["weights"]["largest"]),
                         ("uint32", 1, 4))
        self.assertIn(found["hash"], self.succeed("graph", "info", "a.wel"))

    def test_sweep(self):
        self.write("s.yaml", SMALL_SPACE)
        sweep = ("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt")
        found = self.document("sweep", *sweep)
        self.assertEqual((found["experiment"], found["problem"], found["database"]), ("small", "sssp", "r.sqlite"))
        self.assertEqual((found["trials"], found["done"], found["failed"], found["outcomes"], found["interrupted"]),
                         (SMALL_TRIALS, SMALL_TRIALS, 0, {"ok": SMALL_TRIALS}, False))
        self.assertEqual((found["this_run"]["done"], found["this_run"]["outcomes"], found["this_run"]["retried"]),
                         (SMALL_TRIALS, {"ok": SMALL_TRIALS}, 0))
        self.assertGreater(found["this_run"]["seconds"], 0)
        (device,) = found["devices"]
        self.assertEqual((device["selector"], device["modelled"]), ("simt", True))
        # What has been measured is not measured again; failures are told by their kind, and tried again when asked.
        connection = sqlite3.connect(self.path("r.sqlite"))
        with connection:
            connection.execute("UPDATE trial SET outcome = 'crashed', median_ms = NULL WHERE id = (SELECT min(id) FROM trial)")
        connection.close()
        again = self.document("sweep", *sweep, "--quiet")
        self.assertEqual((again["done"], again["this_run"]["done"], again["failed"], again["outcomes"]),
                         (SMALL_TRIALS, 0, 1, {"ok": SMALL_TRIALS - 1, "crashed": 1}))
        retried = self.document("sweep", *sweep, "--retry", "crashed")
        self.assertEqual((retried["this_run"]["retried"], retried["this_run"]["done"], retried["failed"]), (1, 1, 0))
        self.refuse(*sweep, "--dry-run", "--format", "json", says=["--dry-run", "--format json"])
        self.refuse(*sweep, "--format", "xml", says="--format")

    def test_sweep_whose_trials_all_fail(self):
        self.write("s.yaml", SMALL_SPACE)
        self.document("sweep", "sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt")
        connection = sqlite3.connect(self.path("r.sqlite"))
        with connection:
            connection.execute("UPDATE trial SET outcome = 'crashed', median_ms = NULL")
        connection.close()
        code, output, errors = self.run_program("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt", "--format", "json")
        found = json.loads(output)
        self.assertEqual((code, found["failed"]), (1, SMALL_TRIALS), errors)
        self.assertIn("finished trials of the experiment failed", errors)

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
