# SPDX-License-Identifier: Apache-2.0
"""Output for other programs: --format json, --quiet, --output -."""

import json
import sqlite3

from program_test import SMALL_SPACE, SMALL_TRIALS, STUB_CHARTS, ProgramTest, main


class Json(ProgramTest):
    def document(self, schema, *arguments):
        document = json.loads(self.succeed(*arguments, "--format", "json"))
        self.assertEqual((document["schema"], document["version"]), (f"mlmq/{schema}", 1))
        return document

    def setUp(self):
        super().setUp()
        self.write("a.wel", "7 20 3\n20 900 4\n5 7 1\n")

    def test_solve(self):
        document = self.document("solve", "solve", "a.wel", "--source", "7", "--device", "cpu", "--check",
                                 "--repeat", "3")
        self.assertEqual(document["graph"], {"name": document["graph"]["name"], "vertices": 4, "edges": 3})
        self.assertEqual((document["source"], document["reached"], document["longest_distance"], document["checked"],
                          document["modelled"]),
                         (7, 3, 7, True, False))
        self.assertEqual(len(document["times_ms"]), 3)
        self.assertEqual(document["time_ms"], sorted(document["times_ms"])[1])
        # The reported configuration can be passed to --config.
        again = self.document("solve", "solve", "a.wel", "--device", document["device"]["selector"], "--config",
                              document["configuration"])
        self.assertEqual((again["configuration"], again["checked"]), (document["configuration"], False))
        simulated = self.document("solve", "solve", "a.wel", "--device", "simt", "--counters", "--source", "5")
        self.assertTrue(simulated["modelled"])
        self.assertTrue(simulated["counters"])
        self.refuse("solve", "a.wel", "--device", "cpu", "--format", "json", "--output", "-", says="standard output")
        self.refuse("solve", "a.wel", "--device", "cpu", "--format", "xml", says="--format")
        self.refuse("solve", "a.wel", "--device", "cpu", "--format", "json", "--source", "1", says="no vertex 1")

    def test_solve_to_targets(self):
        document = self.document("solve-bounded", "solve", "a.wel", "--source", "7", "--targets", "900,5",
                                 "--cutoff", "9",
                              "--device", "cpu", "--check")
        self.assertEqual((document["source"], document["cutoff"], document["searched"], document["reached"],
                          document["checked"]),
                         (7, 9, 2, 1, True))
        self.assertEqual(document["targets"], [{"vertex": 900, "distance": 7}, {"vertex": 5, "distance": None}])
        arguments = ("solve", "a.wel", "--source", "7", "--targets", "900,5", "--device", "cpu")
        self.assertEqual(self.succeed(*arguments, "--output", "-").splitlines()[1:], ["900 7", "5 inf"])
        self.assertEqual(self.succeed(*arguments, "--quiet"), "")
        # Without targets, distances are only written to files.
        document = self.document("solve-bounded", "solve", "a.wel", "--source", "7", "--cutoff", "5", "--device", "cpu",
                              "--output", "d.txt")
        self.assertNotIn("targets", document)
        self.assertEqual((document["searched"], document["reached"]), (4, 2))
        self.assertEqual(self.by_vertex("d.txt"), {5: None, 7: 0, 20: 3, 900: None})

    def test_solve_from_many(self):
        arguments = ("solve", "a.wel", "--sources", "all", "--device", "cpu:1")
        document = self.document("solve-many", *arguments, "--check", "--targets", "900")
        self.assertEqual((document["targets"], document["checked"], document["shard"], document["already_written"]),
                         (1, True, {"index": 1, "count": 1}, 0))
        (device,) = document["devices"]
        self.assertEqual((device["selector"], device["searches"], device["modelled"]), ("cpu:1", 4, False))
        self.assertAlmostEqual(device["searches_per_s"], 4e3 / device["time_ms"])
        self.succeed(*arguments, "--config", device["configuration"])
        self.document("solve-many", *arguments, "--output", "d/")
        self.assertEqual(self.document("solve-many", *arguments, "--output", "d/")["already_written"], 4)
        self.assertEqual(self.succeed(*arguments, "--quiet"), "")
        self.refuse(*arguments, "--output", "-", says="NAME.npy or a folder")

    def test_solve_of_another_problem(self):
        arguments = ("solve", "phold:entities=20:events=16:rate=0.1", "--device", "simt", "--problem", "phold")
        document = self.document("solve-workload", *arguments, "--query", "until=5000", "--check", "--counters")
        self.assertEqual((document["problem"], document["workload"], document["modelled"], document["checked"]),
                         ("phold", "phold:entities=20:events=16:rate=0.1", True, True))
        self.assertTrue(document["answer"] and document["counters"])
        again = self.document("solve-workload", *arguments, "--query", document["query"],
                              "--config", document["configuration"])
        # the count without the rate
        events = [answer["answer"].pop("executed").split(",")[0] for answer in (again, document)]
        self.assertRegex(events[0], r"^\d{4,} events$")
        self.assertEqual((again["answer"], again["counters"], events[0]), (document["answer"], {}, events[1]))

    def test_centrality(self):
        arguments = ("centrality", "a.wel", "--device", "cpu")
        document = self.document("centrality", *arguments, "--top", "2", "--check")
        self.assertEqual((document["exact"], document["sources"], document["population"], document["checked"]),
                         (True, 3, 3, True))
        self.assertEqual(document["highest"], [{"vertex": 7, "score": 2}, {"vertex": 20, "score": 2}])
        self.succeed(*arguments, "--output", "s.txt")
        self.assertEqual(self.succeed(*arguments, "--output", "-"), self.read("s.txt").decode())
        self.assertEqual(self.succeed(*arguments, "--quiet"), "")
        self.refuse(*arguments, "--format", "json", "--output", "-", says="standard output")

    def test_doctor(self):
        document = self.document("doctor", "doctor")
        program = document["program"]
        version = self.succeed("--version")
        self.assertTrue(version.startswith(f"mlmq {program['version']} (commit {program['commit'] or 'unknown'}, "),
                        version)
        self.assertIn(program["cuda_toolkit"] or "without CUDA", version)
        self.assertTrue(document["kernels"]["found"] and document["cache"]["used"])
        usable = {backend["name"]: backend["usable"] for backend in document["backends"]}
        self.assertTrue(usable["simt"] and usable["cpu"] and "cuda" in usable)
        self.assertEqual(document["selector"]["trained_on"]["problem"], "sssp")
        trained = document["selector"]["trained_on"]
        text = self.succeed("doctor")
        self.assertIn(f"selector  {document['selector']['configurations']} configurations, learned from "
                      f"{trained['workloads']} graphs on {trained['device_name']} ({trained['times']} times)\n", text)
        self.assertNotIn("{", text)
        counters = document["hardware_counters"]
        self.assertEqual(counters["readable"], "problem" not in counters)
        state = (f"can be read through {counters['library']}" if counters["readable"] else
                 f"cannot be read: {counters['problem']}")
        self.assertIn(f"\ncounters  hardware counters {state}\n", text)
        with_message = self.succeed("doctor", environment={"MLMQ_CUPTI": "/nowhere/libcupti.so"})
        self.assertIn("counters  hardware counters cannot be read: CUPTI cannot be opened; install", with_message)
        self.assertEqual(document["selector"]["installed"], [])
        self.assertIn("none is installed for a device", text)
        self.assertEqual(self.document("selector-list", "selector", "list")["selectors"], [])

    def test_problems(self):
        listed = {problem["name"]: problem["description"] for problem in self.document("problems",
                                                                                       "problems")["problems"]}
        for name, description in listed.items():
            self.assertEqual(self.document("problem", "problems", name)["description"], description)
        document = self.document("problem", "problems", "sssp")
        parameters = {parameter["name"]: parameter for parameter in document["parameters"]}
        self.assertEqual((parameters["nf"]["type"], parameters["nf"]["default"], parameters["nf"]["binding"],
                          parameters["nf"]["when"], parameters["nf"]["unit"], parameters["nf"]["symbol"]),
                         ("real", 4, "launch", "l1 == near_far", "average_weight", "NF"))
        self.assertIn("vector", parameters["l1"]["allowed"])
        self.assertLessEqual(parameters["threads"]["minimum"], parameters["threads"]["default"])
        for preset in document["presets"]:
            self.succeed("solve", "a.wel", "--device", "simt:4x32", "--config", preset["configuration"])
        self.assertIn("pops", [counter["name"] for counter in document["counters"]])
        self.refuse("problems", "--markdown", "--format", "json", says=["--markdown", "json"])

    def test_predict(self):
        document = self.document("predict", "selector", "predict", "road10", "--device", "simt", "--count", "3",
                                 "--time")
        self.assertEqual((document["graph"]["name"], document["graph"]["vertices"], document["model"]),
                         ("road10", 1011, None))
        predicted = [entry["predicted"] for entry in document["ranking"]]
        self.assertEqual((len(predicted), predicted), (3, sorted(predicted, reverse=True)))
        self.assertGreater(document["choosing_us"], 0)
        self.assertTrue(document["features"])
        # JSON documents and --verbose show complete labels; other output shows differences from the defaults.
        labels = [entry["configuration"] for entry in document["ranking"]]
        in_full = self.succeed("selector", "predict", "road10", "--device", "simt", "--count", "3",
                               "--verbose").splitlines()
        self.assertEqual([line.split()[1] for line in in_full], labels)
        in_short = [line.split()[1] for line in self.succeed("selector", "predict", "road10", "--device", "simt",
                                                             "--count", "3").splitlines()]
        for label, short in zip(labels, in_short):
            self.assertLess(len(short), len(label))
            output = self.succeed("solve", "road6", "--device", "simt:4x32", "--config", short, "--verbose")
            self.assertIn(f"configuration  {label}\n", output)
            self.assertIn(f"configuration  {short}\n",
                          self.succeed("solve", "road6", "--device", "simt:4x32", "--config", label))

    def test_verify(self):
        self.write("s.yaml", SMALL_SPACE.replace("counters: true", "counters: false"))
        self.sweeps("s.yaml", "--db", "r.sqlite", "--workloads", "road6")
        document = self.document("verify", "verify", "r.sqlite", "--sample", "2")
        self.assertEqual((document["same"], document["wrong_answers"], document["compared_times"],
                          document["interrupted"]),
                         (True, 0, 2, False))
        self.assertEqual([(trial["ratio"], trial["differs"], trial["outcome"]) for trial in document["trials"]],
                         [(1, [], "ok")] * 2)
        # The document lists the differences, and the exit status reports them.
        connection = sqlite3.connect(self.path("r.sqlite"))
        with connection:
            connection.execute("UPDATE sample SET milliseconds = 2 * milliseconds")
            connection.execute("UPDATE trial SET median_ms = 2 * median_ms")
        connection.close()
        code, output, _ = self.run_program("verify", "r.sqlite", "--sample", "2", "--format", "json")
        document = json.loads(output)
        self.assertEqual((code, document["same"], document["different_times"]), (1, False, 2))
        self.assertEqual([trial["differs"] for trial in document["trials"]], [["time"]] * 2)

    def test_quiet_and_standard_output(self):
        arguments = ("solve", "a.wel", "--source", "7", "--device", "cpu", "--check")
        self.assertEqual(self.succeed(*arguments, "--quiet"), "")
        self.succeed(*arguments, "--output", "d.txt")
        self.assertEqual(self.succeed(*arguments, "--output", "-"), self.read("d.txt").decode())
        self.assertEqual(self.names(), ["a.wel", "d.txt"])
        self.succeed("solve", "a.wel", "--source", "7", "--device", "cpu", "--predecessors", "p.txt")
        self.assertEqual(self.succeed("solve", "a.wel", "--source", "7", "--device", "cpu", "--predecessors", "-"),
                         self.read("p.txt").decode())
        self.refuse("solve", "a.wel", "--device", "cpu", "--output", "-", "--predecessors",
                    "-", says="would write to the same file")
        for command in (["tune", "a.wel", "--output", "-"], ["db", "compact", "-", "r.sqlite"]):
            self.refuse(*command)
        self.assertEqual(self.names(), ["a.wel", "d.txt", "p.txt"])

    def test_quiet_sweeps_and_standard_output_of_what_is_recorded(self):
        self.write("s.yaml", SMALL_SPACE)
        sweep = ("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt")
        self.assertEqual(self.succeed(*sweep, "--quiet"), "")
        self.refuse(*sweep, "--quiet", "--dry-run", says=["--quiet", "--dry-run"])
        self.assertEqual(self.succeed("db", "export", "r.sqlite", "--output", "-"),
                         self.succeed("db", "export", "r.sqlite"))
        self.assertEqual(self.succeed("db", "export", "r.sqlite", "--output", "e.csv", "--quiet"), "")
        charts = "--charts", self.write("charts.js", STUB_CHARTS)
        code, output, errors = self.run_program("report", "r.sqlite", "--quiet", "--no-selectors", "-o", "p.html",
                                                *charts)
        self.assertEqual((code, output), (0, ""), errors)
        self.assertIn("modelled by the simulator", errors)  # a warning is printed in spite of --quiet
        page = self.succeed("report", "r.sqlite", "--no-selectors", "-o", "-", *charts)
        self.assertTrue(page.lower().startswith("<!doctype html") and page.rstrip().endswith("</html>"), page[:40])
        train = ("selector", "train", "r.sqlite")
        self.succeed(*train, "--output", "m.json")
        self.assertEqual(self.succeed(*train, "--output", "-"), self.read("m.json").decode())
        self.succeed("selector", "export", "m.json", "--output", "m.hpp")
        self.assertEqual(self.succeed("selector", "export", "m.json", "--output", "-"), self.read("m.hpp").decode())
        files = [name for name in self.names() if not name.startswith("r.sqlite-")]
        self.assertEqual(files, ["a.wel", "charts.js", "e.csv", "m.hpp", "m.json", "p.html", "r.sqlite", "s.yaml"])
        # Full labels are the same as in the record.
        recorded = self.succeed("db", "query", "SELECT DISTINCT configuration FROM result", "r.sqlite",
                                "--format", "csv")
        labels = [line.strip('"') for line in recorded.splitlines()[1:]]
        self.assertTrue(any(label in self.succeed("db", "status", "r.sqlite", "--verbose") for label in labels))
        self.assertFalse(any(label in self.succeed("db", "status", "r.sqlite") for label in labels))
        for command in (["picks", "--model", "m.json"], ["candidates"]):
            self.assertTrue(any(label in self.succeed("selector", command[0], "r.sqlite", *command[1:], "--verbose")
                                for label in labels))
            self.assertFalse(any(label in self.succeed("selector", command[0], "r.sqlite", *command[1:])
                                 for label in labels))

    def test_graph_info(self):
        document = self.document("graph-info", "graph", "info", "a.wel")
        self.assertEqual((document["vertices"], document["edges"], document["ids"], document["negated_weights"]),
                         (4, 3, {"first": 5, "last": 900, "gaps": True}, 0))
        self.assertEqual((document["weights"]["type"], document["weights"]["smallest"], document["weights"]["largest"]),
                         ("uint32", 1, 4))
        self.assertIn(document["hash"], self.succeed("graph", "info", "a.wel"))
        self.assertNotIn("arc_bound", document)
        # A path, which is a tree.
        self.assertEqual((document["reduced"]["vertices"], document["reduced"]["edges"]), (0, 0))
        reduced = self.document("graph-info", "graph", "info", "road10")["reduced"]
        self.assertLess(reduced["vertices"], reduced["vertices_without_leaves"])
        self.assertLess(reduced["core"]["vertices"], reduced["vertices"])
        self.assertLess(reduced["core"]["edges"], reduced["edges"])
        self.assertGreater(reduced["vertices"], 100)
        self.assertEqual(self.document("graph-info", "graph", "info", "star100", "--elimination")["arc_bound"], 0.99)
        self.assertIn("elimination     at most 0.99 arcs per vertex\n",
                      self.succeed("graph", "info", "star100", "--elimination"))
        self.assertNotIn("elimination", self.succeed("graph", "info", "star100"))

    def test_sweep(self):
        self.write("s.yaml", SMALL_SPACE)
        sweep = ("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt")
        document = self.document("sweep", *sweep)
        self.assertEqual((document["experiment"], document["problem"], document["database"]),
                         ("small", "sssp", "r.sqlite"))
        self.assertEqual((document["trials"], document["done"], document["failed"], document["outcomes"],
                          document["interrupted"]),
                         (SMALL_TRIALS, SMALL_TRIALS, 0, {"ok": SMALL_TRIALS}, False))
        self.assertEqual((document["this_run"]["done"], document["this_run"]["outcomes"],
                          document["this_run"]["retried"]),
                         (SMALL_TRIALS, {"ok": SMALL_TRIALS}, 0))
        self.assertGreater(document["this_run"]["seconds"], 0)
        (device,) = document["devices"]
        self.assertEqual((device["selector"], device["modelled"]), ("simt", True))
        # Measured trials are not repeated; failures are listed by kind, and retried on request.
        connection = sqlite3.connect(self.path("r.sqlite"))
        with connection:
            connection.execute("UPDATE trial SET outcome = 'crashed', median_ms = NULL WHERE id = (SELECT min(id) FROM "
                               "trial)")
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
        code, output, errors = self.run_program("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt",
                                                "--format", "json")
        document = json.loads(output)
        self.assertEqual((code, document["failed"]), (1, SMALL_TRIALS), errors)
        self.assertIn("finished trials of the experiment failed", errors)

    def test_database_status(self):
        self.write("s.yaml", SMALL_SPACE.replace("counters: true", "counters: false"))
        self.sweeps("s.yaml", "--db", "r.sqlite", "--workloads", "road6")
        document = self.document("db-status", "db", "status", "r.sqlite")
        (experiment,) = document["experiments"]
        self.assertLess(experiment["trials"], SMALL_TRIALS)
        self.assertEqual((experiment["name"], experiment["done"], experiment["outcomes"]),
                         ("small", experiment["trials"], {"ok": experiment["trials"]}))
        (best,) = document["best"]
        self.assertEqual((best["workload"], best["configurations_ok"]), ("road6", experiment["trials"]))
        self.assertEqual((document["running"], document["failures"]), ([], []))


if __name__ == "__main__":
    main()
