# SPDX-License-Identifier: Apache-2.0
"""'mlmq tune': from graphs to a selector for one device, which is used from then on if it is better."""

import contextlib
import json
import math
import os
import re
import shutil
import signal
import sqlite3
import time

from program_test import ProgramTest, main

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


class Tuning(TuneTest):
    def check_model(self, folder, candidates):
        model = json.loads(self.read(f"{folder}/model.json"))
        self.assertIn(len(model["candidates"]), candidates)
        header = self.read(f"{folder}/model.hpp").decode()
        for label in {candidate["label"] for candidate in model["candidates"]}:
            self.assertIn(label, header)
        return model

    def test_on_the_simulator(self):
        with_the_record = ("--space", "space.yaml", "--device", DEVICE, "--folder", "o", "--sample", "0", *GRAPHS)
        output = self.tune(*with_the_record)
        self.assertIn("12 of 12 trials done", output)
        self.assertIn("Learned from 4 graphs, modelled times of simt", output)
        ways = self.ways(output)
        # The shipped selector's choice was measured, too, although it is outside the space.
        self.assertEqual(set(ways), {"shipped selector", "new selector", "best fixed configuration", "best measured"})
        self.assertEqual(ways["best measured"], 1)
        fresh = max(ways["new selector"], ways["best fixed configuration"])
        keeps_shipped = "keeps using the shipped selector" in output
        self.assertEqual(keeps_shipped, fresh <= ways["shipped selector"], output)
        self.assertEqual(len(self.installed()), 0 if keeps_shipped else 1)
        self.assertIn("All times are modelled for a simulated GPU, " + DEVICE_NAME, output)
        self.assertEqual(self.read("o/summary.txt").decode(), output[output.index("Learned from"):])
        model = self.read("o/model.json")
        self.solve("road7", "--model", "o/model.json", "--check")
        # The second run measures nothing and writes the same model.
        again = self.tune(*with_the_record)
        self.assertIn("12 of 12 trials done, 0 in this run", again)
        self.assertEqual(self.read("o/model.json"), model)
        self.assertIn("keeps using the", again)

    def test_for_programs(self):
        text = self.small(*GRAPHS)
        ways = self.ways(text)
        for file in self.installed():
            os.remove(file)
        document = json.loads(self.small("--format", "json", *GRAPHS))
        self.assertEqual((document["schema"], document["version"], document["problem"], document["times"]),
                         ("mlmq/tune", 1, "sssp", "modelled"))
        self.assertEqual((document["graphs"]["given"], document["graphs"]["learned_from"]), (4, 4))
        strategies = {strategy["name"]: strategy for strategy in document["strategies"]}
        self.assertEqual({name: round(one["mean_relative"], 3) for name, one in strategies.items()}, ways)
        for strategy in strategies.values():
            self.assertLessEqual(strategy["worst"], strategy["mean_relative"])
            self.assertTrue(0 <= strategy["near_best"] <= 1)
        # The reported selector is the one that searches use, with the same reason as in the summary.
        self.assertIn(document["selector"]["reason"], self.read("o/summary.txt").decode())
        if document["selector"]["outcome"] == "installed":
            self.assertEqual((document["selector"]["used"], [document["selector"]["file"]]),
                             (document["made"]["name"], self.installed()))
        else:
            self.assertEqual((document["selector"]["outcome"], document["selector"]["used"], self.installed()),
                             ("kept", "shipped selector", []))
        for file in document["files"].values():
            self.assertTrue(os.path.exists(self.path(file)), file)
        self.solve("road7", "--config", document["best_fixed"])
        shared = json.loads(self.small("--format", "json", "--output", "s.json", *GRAPHS))["selector"]
        self.assertEqual((shared["outcome"], shared["file"]), ("written", "s.json"))
        self.assertTrue(os.path.exists(self.path("s.json")))

    def test_configurations_around_the_best_are_tried_and_tried_again_by_the_next_command(self):
        arguments = ("--space", "space.yaml", "--device", DEVICE, "--folder", "o", "--sample", "2", "--record", "none",
                     *GRAPHS)
        output = self.tune(*arguments)
        self.assertIn("2 configurations around the best ones:", output)
        self.assertIn("(2 tried around the best ones)", output)
        sampled = self.read("o/around-1.yaml")
        again = self.tune(*arguments)
        self.assertEqual(self.read("o/around-1.yaml"), sampled)
        self.assertNotRegex(again, r"[1-9]\d* in this run")
        # The file is a valid experiment file.
        self.assertIn("of 8 trials done",
                      self.succeed("sweep", "o/around-1.yaml", "--db", "other.sqlite", "--device", DEVICE))

    def test_graphs_with_negative_weights_are_left_out(self):
        os.mkdir(self.path("g"))
        for graph in GRAPHS:
            self.succeed("graph", "generate", graph, f"g/{graph}.wel")
        self.write("g/bad.wel", "1 2 3\n2 3 -4\n3 1 5\n")
        code, output, errors = self.run_program("tune", "g", "--space", "space.yaml", "--device", DEVICE,
                                                "--folder", "o", "--sample", "0", "--record", "none")
        self.assertEqual(code, 0, errors)
        message = (f"1 graph has negative weights and is left out: {self.path('g/bad.wel')}; --negative-weights "
                   f"absolute "
                f"takes absolute values\n")
        self.assertEqual(errors.count("mlmq: note: " + message), 1, errors)
        self.assertEqual(errors.count("does not say whether edges are directed"), 1, errors)
        self.assertIn("12 of 12 trials done", output)
        self.assertIn("Learned from 4 graphs", output)
        self.assertIn(message, self.read("o/summary.txt").decode())
        # The JSON document also reports it, exactly once.
        code, output, errors = self.run_program("tune", "g", "--space", "space.yaml", "--device", DEVICE,
                                                "--folder", "o", "--sample", "0", "--record", "none",
                                                "--format", "json")
        self.assertEqual((code, errors.count("left out")), (0, 1), errors)
        graphs = json.loads(output)["graphs"]
        self.assertEqual((graphs["given"], graphs["learned_from"], graphs["left_out"]),
                         (4, 4, [self.path("g/bad.wel")]))
        # An option makes the weights positive, or makes the command refuse all graphs.
        absolute = self.small("g", "--negative-weights", "absolute")
        self.assertIn("15 of 15 trials done", absolute)
        self.assertNotIn("negative weights", absolute)
        self.refuse("tune", "g", "--space", "space.yaml", "--device", DEVICE, "--folder", "n",
                    "--negative-weights", "refuse",
                    says=["g/bad.wel:2: weight '-4' is negative", "--negative-weights absolute"])

    def test_no_graph_is_left(self):
        self.write("a.wel", "1 2 -3\n")
        self.write("b.csv", "1,2,-3\n")
        tune = ("tune", "--space", "space.yaml", "--device", DEVICE, "--folder", "o")
        self.refuse(*tune, "a.wel", says="a.wel:1: weight '-3' is negative")
        self.refuse(*tune, "a.wel", "b.csv", says=["none of the 2 workloads can be used", "a.wel:1"])
        # Another error in a file is reported.
        self.write("c.wel", "1 2 x\n")
        self.refuse(*tune, "road5", "c.wel", says="c.wel:1")
        self.refuse(*tune, "road5", "--negative-weights", "absolute",
                    says=["negative_weights", "no workload is a file"])
        self.refuse(*tune, "road5", "--negative-weights", "none", says="--negative-weights")

    def test_one_evaluation_is_stored_and_shown_everywhere(self):
        strategies = json.loads(self.small("--format", "json", *GRAPHS))["strategies"]
        self.assertEqual(len(strategies), 4)
        stored = json.loads(self.read("o/selector.json").split(b"\n")[0])["about"]["evaluation"]
        scores = ("name", "mean_relative", "near_best", "worst")
        self.assertEqual([{key: way[key] for key in scores} for way in stored["ways"]], strategies)
        self.assertEqual(len(stored["workloads"]), 4)
        for way in stored["ways"]:
            if way["choices"]:
                self.assertAlmostEqual(sum(way["relative"]) / 4, way["mean_relative"])
                self.assertAlmostEqual(sum(relative >= 0.9 for relative in way["relative"]) / 4, way["near_best"])
                self.assertEqual(min(way["relative"]), way["worst"])
        text = self.read("o/summary.txt").decode()
        for strategy in strategies:
            self.assertRegex(text, rf"(?m)^{strategy['name']} +{strategy['mean_relative']:.3f} ")
        self.succeed("selector", "install", "o/selector.json")
        new_way = next(strategy for strategy in strategies if strategy["name"] == stored["selector_way"])
        self.assertRegex(self.succeed("selector", "list"), rf"sssp.* 4 +{new_way['mean_relative']:.3f} ")
        (entry,) = json.loads(self.succeed("selector", "list", "--format", "json"))["selectors"]
        self.assertEqual(entry["strategies"], strategies)
        # The report on the results finds the file in their folder.
        self.write("charts.js", "!function(t,e){e((t=self).echarts={})}(this,function(){})")
        self.succeed("report", "o/results.sqlite", "--charts", "charts.js")
        page = re.search(r'<script id="data" type="application/json">(.*?)</script>', self.read("report.html").decode(),
                         re.DOTALL)
        [shown] = [result_set["selector"] for result_set in json.loads(page[1])["sets"]]
        self.assertEqual(len(shown["workloads"]), 4)
        self.assertEqual([selector["name"] for selector in shown["selectors"]],
                         [strategy["name"] for strategy in strategies if strategy["name"] != "best measured"])
        for selector, way in zip(shown["selectors"], strategies):
            self.assertAlmostEqual(sum(selector["relative"]) / 4, way["mean_relative"], places=3)
        # Without the file, the report evaluates selectors itself.
        os.remove(self.path("o/selector.json"))
        self.succeed("report", "o/results.sqlite", "--charts", "charts.js")
        self.assertIn("learned here, cross-validated", self.read("report.html").decode())

    def test_what_cannot_run_is_left_out_before_it_is_measured(self):
        # A multiprocessor of the device holds 16 warps.
        self.write("large.yaml", SPACE.replace("queries:", "  - {l1: none, l2: vector, threads: 1024}\nqueries:"))
        code, output, errors = self.run_program("tune", *GRAPHS, "--space", "large.yaml", "--device", DEVICE,
                                                "--folder", "o", "--sample", "4", "--record", "none")
        self.assertEqual(code, 0, errors)
        self.assertIn("mlmq: note: 1 configuration cannot run on this device and is left out; the first: threads=1024: "
                      "a "
                      f"multiprocessor of {DEVICE_NAME} holds 512 threads\n", errors)
        self.assertIn("12 of 12 trials done", output)
        self.assertRegex(output, rf"\d+ configurations? cannot run on {DEVICE_NAME} and (is|are) left out")
        with contextlib.closing(sqlite3.connect(self.path("o/results.sqlite"))) as opened:
            self.assertEqual(opened.execute("SELECT count(*) FROM trial WHERE outcome = 'constraint'").fetchone(), (0,))
        self.write("none.yaml", SPACE.replace("threads: 64", "threads: 1024"))
        self.refuse("tune", *GRAPHS, "--space", "none.yaml", "--device", DEVICE, "--folder", "n",
                    says=["none of the 3 configurations can run", "holds 512 threads"])

    def test_the_work_of_finalists_is_counted(self):
        output = self.small(*GRAPHS)
        self.assertRegex(output, r"Counting the work of \d+ of the fastest configurations:\n")
        with contextlib.closing(sqlite3.connect(self.path("o/results.sqlite"))) as opened:
            opened.create_function("ln", 1, math.log, deterministic=True)
            # The fastest configuration of each class and kind of queues.
            rows = opened.execute("""
                WITH time AS (SELECT w.class AS class, w.name AS workload, c.label AS configuration,
                                     coalesce(json_extract(c.parameters, '$.l1'), '') ||
                                     coalesce(json_extract(c.parameters, '$.l2'), '') AS kind,
                                     t.median_ms AS ms
                              FROM trial t JOIN workload w ON w.id = t.workload
                              JOIN configuration c ON c.id = t.configuration
                              WHERE t.measurement = 'time' AND t.outcome = 'ok'),
                     best AS (SELECT workload, min(ms) AS ms FROM time GROUP BY 1)
                SELECT class, kind, configuration, count(*), sum(ln(time.ms / best.ms))
                FROM time JOIN best USING (workload) GROUP BY 1, 2, 3""").fetchall()
            chosen = {}
            for class_, kind, configuration, solved, slowness in rows:
                key = (-solved, round(slowness, 9), configuration)
                chosen[class_, kind] = min(key, chosen.get((class_, kind), key))
            counted = {one for (one,) in opened.execute("SELECT label FROM trial JOIN configuration c ON c.id = "
                                                        "configuration "
                                                         "WHERE measurement = 'counters' AND outcome = 'ok'")}
            self.assertGreaterEqual(len(chosen), 4)
            self.assertLessEqual({configuration for _, _, configuration in chosen.values()}, counted)
        # A second run of this command repeats no counters.
        self.assertNotRegex(self.small(*GRAPHS), r"[1-9]\d* in this run")

    def test_few_graphs_have_no_selector_but_a_best_configuration(self):
        output = self.small("road5", "rmat5")
        self.assertIn("2 graphs are too few to judge a selector", output)
        self.assertEqual(len(self.check_model("o", {1})["candidates"]), 1)
        self.assertEqual(self.installed(), [])

    def test_processors(self):
        output = self.tune("road8", "del8", "rmat8", "power8", "--device", "cpu:1", "--folder", "o", "--sample", "0")
        self.assertIn("Learned from 4 graphs, measured times of", output)
        self.assertIn("default configuration", self.ways(output))
        # Measured times decide how many configurations the model keeps: at most one per graph.
        self.check_model("o", {1, 2, 3, 4})
        self.succeed("solve", "del9", "--device", "cpu:1", "--model", "o/model.json", "--check")

    def test_without_a_gpu_what_solve_uses_is_tuned(self):
        without = {"CUDA_VISIBLE_DEVICES": ""}
        graphs = ("road6", "del6", "rmat6", "power6")
        arguments = (*graphs, "--folder", "o", "--sample", "0", "--record", "none")
        output = self.tune(*arguments, environment=without)
        code, solved, errors = self.run_program("solve", "road7", "--format", "json", environment=without)
        self.assertEqual(code, 0, errors)
        device = json.loads(solved)["device"]
        self.assertIn(f"measured times of {device['name']}", output)
        self.assertRegex(output, rf"'mlmq solve' (uses|keeps using) the [a-z ]+ on {re.escape(device['name'])}: |"
                                 rf"From now on 'mlmq solve' uses the [a-z ]+ on {re.escape(device['name'])}: ")
        # A configuration that is the best everywhere, but not the default choice, is used by the next search.
        for file in self.installed():
            os.remove(file)
        self.plant("o/results.sqlite", lambda workload, label: 1 if "cpu_delta=8," in label else 3)
        output = self.tune(*arguments, environment=without)
        self.assertIn(f"From now on 'mlmq solve' uses the best fixed configuration on {device['name']}: it is better",
                      output)
        code, solved, errors = self.run_program("solve", "road7", "--check", environment=without)
        self.assertEqual(code, 0, errors)
        self.assertRegex(solved, r"configuration .*cpu_delta=8\b.*\(chosen by the selector tuned on this device")
        self.assertRegex(solved, r"device +" + re.escape(device["name"]))

    def test_on_processors_the_size_of_a_graph_decides(self):
        small, large = (tuple(f"{kind}{scale}" for kind in ("road", "del", "rmat") for scale in scales)
                        for scales in ((5, 6), (11, 12)))
        arguments = (*small, *large, "--device", "cpu:1", "--folder", "o", "--sample", "0", "--record", "none")
        self.tune(*arguments)
        for file in self.installed():
            os.remove(file)

        def by_size(workload, label):
            return 1 if ("dijkstra" if workload in small else "cpu_delta=8,") in label else 4
        self.plant("o/results.sqlite", by_size)
        output = self.tune(*arguments)
        self.assertIn("From now on 'mlmq solve --device cpu:1' uses the new selector", output)
        model = json.loads(self.read("o/model.json"))
        self.assertTrue(model["inputs"]["features"])
        self.assertLessEqual(set(model["inputs"]["features"]), {"m", "nnz", "avg_nnz"})
        for graph, chosen in (("road4", "solver=dijkstra"), ("rmat11:seed=2", "cpu_delta=8")):
            solved = self.succeed("solve", graph, "--device", "cpu:1")
            self.assertRegex(solved, rf"configuration .*{chosen}\b.*\(chosen by the selector tuned on this device")
            self.assertNotIn("features       0", solved)

    def test_another_problem(self):
        space = """\
name: tiny-phold
problem: phold
configurations:
  - {solver: one_block, threads: 64, near_events: 64}
  - {solver: queues, queue: heap, arity: 2, lanes: 1, threads: 64}
workloads:
  - {generate: phold, entities: [16, 24], events: [4, 8], queries: {events: 200}}
measurement: {warmup: 0, repeats: 1, time_limit_ms: 2000, counters: false, seed: 1}
"""
        self.write("phold.yaml", space)
        output = self.tune("--space", "phold.yaml", "--device", DEVICE, "--folder", "o", "--sample", "0")
        self.assertIn("Learned from 4 graphs", output.replace("workloads", "graphs"))
        self.assertEqual(set(self.ways(output)) - {"shipped selector", "default configuration"},
                         {"new selector", "best fixed configuration", "best measured"})

    def test_the_first_line_says_what_takes_additional_time(self):
        output = self.small("--budget", "90s")
        self.assertRegex(output,
                         r"\Ameasuring for up to 1 min 30 s; [^\n]*learning from the results, take additional time")

    def test_a_budget_that_is_too_short_says_how_to_go_on(self):
        arguments = ("--space", "space.yaml", "--device", DEVICE, "--folder", "o")
        code, output, errors = self.run_program("tune", *arguments, "--budget", "0.001s")
        self.assertEqual(code, 1, output)
        self.assertIn("rerun this command", errors)
        self.assertFalse(os.path.exists(self.path("o/model.json")))
        self.assertEqual(self.installed(), [])
        self.assertIn("12 of 12 trials done", self.small())

    def test_an_interrupted_one_goes_on(self):
        process = self.start("tune", "road9", *GRAPHS, "--space", "space.yaml", "--device", DEVICE, "--folder", "o",
                             "--sample", "0", "--record", "none")
        while not os.path.exists(self.path("o/results.sqlite")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=240)
        self.assertEqual(process.returncode, 1, output + errors)
        self.assertIn(b"rerun this command to continue", output)
        self.assertEqual(self.installed(), [])
        self.assertIn("15 of 15 trials done", self.small("road9", *GRAPHS))

    def test_an_interrupted_one_has_no_document(self):
        process = self.start("tune", "road9", *GRAPHS, "--space", "space.yaml", "--device", DEVICE, "--folder", "o",
                             "--sample", "0", "--record", "none", "--format", "json")
        while not os.path.exists(self.path("o/results.sqlite")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=240)
        self.assertEqual((process.returncode, output), (1, b""), errors)
        self.assertIn(b"rerun this command to continue", errors)

    def test_one_at_a_time_in_a_folder(self):
        process = self.start("tune", "road9", *GRAPHS, "--space", "space.yaml", "--device", DEVICE, "--folder", "o",
                             "--sample", "0", "--record", "none")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        while not os.path.exists(self.path("o/results.sqlite")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)
        try:
            self.refuse("tune", *GRAPHS, "--space", "space.yaml", "--device", DEVICE, "--folder", "o",
                        says="another 'mlmq tune' is at work there")
        finally:
            process.send_signal(signal.SIGCONT)

    def test_two_at_the_same_time_in_two_folders(self):
        running = [self.start("tune", *GRAPHS, "--space", "space.yaml", "--device", DEVICE, "--folder", folder,
                              "--sample", "0", "--record", "none")
                   for folder in ("a", "b")]
        for process in running:
            output, errors = process.communicate(timeout=240)
            self.assertEqual(process.returncode, 0, errors)
        self.assertLessEqual(len(self.installed()), 1)
        self.assertNotIn("damaged", self.succeed("selector", "list"))
        self.solve("road6", "--check")

    def test_mistakes(self):
        self.write("file", "")
        self.refuse("tune", "road5", "--device", DEVICE, "--folder", "file", says="file")
        self.refuse("tune", "none.gr", "--device", DEVICE, "--folder", "o", says="none.gr")
        for budget in ("0", "x", "-1", "1d", "1e400"):
            self.refuse("tune", "road5", "--device", DEVICE, "--folder", "o", "--budget", budget, says="duration")
        self.refuse("tune", "road5", "--device", DEVICE, "--space", "none.yaml", says="none.yaml")
        self.refuse("tune", "road5", "--device", DEVICE, "--system", "--folder", "o", says="not installed")
        self.refuse("tune", "road5", "--device", DEVICE, "--folder", "o", says="MLMQ_SELECTORS",
                    environment={"MLMQ_SELECTORS": "", "XDG_DATA_HOME": "", "HOME": ""})
        self.refuse("tune", "road5", "--device", DEVICE, "--system", "--output", "x", says="--output")


class PlantedTuning(TuneTest):
    """Times that a test has written into the record, so that the best way to choose is known."""

    def measured(self):
        """Measures everything that the commands below need, so that they only learn."""
        self.small(*GRAPHS)
        for file in self.installed():
            os.remove(file)

    def planted(self, milliseconds):
        self.measured()
        self.plant("o/results.sqlite", milliseconds)
        return self.small(*GRAPHS)

    def test_a_better_one_is_installed_and_used(self):
        # One configuration is the best everywhere, and the shipped selector does not know this.
        output = self.planted(lambda workload, label: 1 if "delta=16" in label and "l1=none" in label else 3)
        self.assertIn(f"From now on 'mlmq solve --device {DEVICE}' uses the best fixed configuration on {DEVICE_NAME}: "
                      f"it is better", output)
        self.assertEqual(len(self.installed()), 1)
        self.assertIn(self.installed()[0], output)
        solved = self.solve("road7", "--check")
        self.assertRegex(solved, r"configuration .*delta=16.*\(chosen by the selector tuned on this device")
        self.assertIn("chosen by the selector)", self.solve("road7", "--model", "shipped"))
        listed = self.succeed("selector", "list")
        self.assertRegex(listed, DEVICE_NAME + r".*sssp.*4.*this user.*used")
        (entry,) = json.loads(self.succeed("selector", "list", "--format", "json"))["selectors"]
        self.assertEqual((entry["problem"], entry["graphs"], entry["for"], entry["state"], entry["file"]),
                         ("sssp", 4, "user", "used", self.installed()[0]))
        self.assertEqual(json.loads(self.succeed("doctor", "--format", "json"))["selector"]["installed"], [entry])
        self.assertIn(f"installed for {entry['device']} (sssp, made {entry['made']}, used): {entry['file']}\n",
                      self.succeed("doctor"))
        # The selector does not apply to another device.
        self.assertNotIn("tuned", self.succeed("solve", "road7", "--device", "simt:2x32"))
        # The next selector is compared with this one by its choice without features, and does not replace it.
        before = self.read(self.installed()[0])
        again = self.small(*GRAPHS)
        self.assertRegex(again, r"keeps using the selector of [0-9-]+ on simt")
        self.assertEqual(self.read(self.installed()[0]), before)
        self.assertIn("removed", self.succeed("selector", "remove", DEVICE_NAME))
        self.assertIn("chosen by the selector)", self.solve("road7"))
        self.assertIn("no selector is installed", self.succeed("selector", "list"))
        self.refuse("selector", "remove", DEVICE_NAME, says="no selector is installed")

    def test_one_that_is_as_good_is_not_installed(self):
        output = self.planted(lambda workload, label: 2)
        ways = self.ways(output)
        self.assertEqual(ways["shipped selector"], 1)
        self.assertIn("keeps using the shipped selector", output)
        self.assertEqual(self.installed(), [])

    def test_a_worse_one_is_not_installed(self):
        # The shipped selector's choice is the best, a different configuration for each graph.
        chosen = {graph: json.loads(self.solve(graph, "--format", "json"))["configuration"] for graph in GRAPHS}
        output = self.planted(lambda workload, label: 1 if label == chosen[workload] else 5)
        ways = self.ways(output)
        self.assertEqual(ways["shipped selector"], 1)
        if len(set(chosen.values())) > 1:
            self.assertLess(max(ways["new selector"], ways["best fixed configuration"]), 1)
        self.assertIn("keeps using the shipped selector", output)
        self.assertEqual(self.installed(), [])

    def test_an_installed_one_that_has_become_worse_is_replaced(self):
        self.planted(lambda workload, label: 1 if "delta=16" in label and "l1=none" in label else 3)
        before = self.read(self.installed()[0])
        self.plant("o/results.sqlite", lambda workload, label: 1 if "delta=4," in label and "l1=none" in label else 3)
        output = self.small(*GRAPHS)
        self.assertRegex(output, r"From now on 'mlmq solve --device \S+' uses the best fixed configuration .* better "
                                 r"than the selector of")
        self.assertNotEqual(self.read(self.installed()[0]), before)
        self.assertRegex(self.solve("road7"), r"configuration .*delta=4[,\s]")

    def test_a_damaged_one_does_not_break_a_solve(self):
        self.planted(lambda workload, label: 1 if "delta=16" in label and "l1=none" in label else 3)
        file = self.installed()[0]
        whole = self.read(file)
        for damaged in (b"", whole[:len(whole) // 2], whole.replace(b"delta=16", b"delta=17"), b"\0" * 100):
            self.write(file, damaged)
            code, output, errors = self.run_program("solve", "road7", "--device", DEVICE, "--check", "--repeat", "3")
            self.assertEqual(code, 0, errors)
            self.assertIn("every distance is right", output)
            self.assertIn("(chosen by the selector)", output)
            self.assertRegex(errors, r"\Amlmq: warning: the installed selector cannot be used[^\n]+\n\Z")
            self.assertIn(os.path.basename(file), errors)
            self.assertIn("damaged", self.succeed("selector", "list"))
            self.assertIn(f"damaged, not used: {file}\n", self.succeed("doctor"))
            (entry,) = json.loads(self.succeed("selector", "list", "--format", "json"))["selectors"]
            self.assertEqual((entry["device"], entry["state"], entry["file"]), (None, "damaged", file))
            self.assertTrue(entry["damage"])
        # Tuning again replaces the damaged selector.
        code, output, errors = self.run_program("tune", "--space", "space.yaml", "--device", DEVICE, "--folder", "o",
                                                "--sample", "0", "--record", "none", *GRAPHS)
        self.assertEqual(code, 0, errors)
        self.assertIn("the installed selector cannot be used", errors)
        self.assertRegex(self.solve("road7"), "tuned on this device")

    def test_one_for_a_file_that_is_shared(self):
        self.measured()
        self.plant("o/results.sqlite", lambda workload, label: 1 if "delta=16" in label and "l1=none" in label else 3)
        output = self.small("--output", "shared.json", *GRAPHS)
        self.assertIn("shared.json has the best fixed configuration", output)
        self.assertEqual(self.installed(), [])
        self.assertRegex(self.solve("road7", "--model", "shared.json"), "delta=16")
        self.succeed("selector", "install", "shared.json")
        self.assertRegex(self.solve("road7"), r"delta=16.*tuned on this device")
        self.refuse("selector", "install", "o/model.json", says="not a tuned selector")
        # Removal by file name also works for a damaged selector.
        self.write(self.installed()[0], b"x")
        self.succeed("selector", "remove", os.path.basename(self.installed()[0]))
        self.assertEqual(self.installed(), [])

    def test_a_record_of_the_same_device_and_of_another(self):
        # The record has twenty-four graphs on this device: vectors are best on one class, buckets on the other.
        names = [f"{kind}:seed={seed}" for kind in ("road4", "rmat4") for seed in range(1, 13)]
        self.succeed("sweep", "space.yaml", "--db", "record.sqlite", "--device", DEVICE, "--workloads", *names)

        def by_class(workload, label):
            fast_part = "l2=vector" if workload.startswith("road") else "delta=4,"
            return 1 if fast_part in label and "l1=none" in label else 4
        self.plant("record.sqlite", by_class)
        self.measured()
        self.plant("o/results.sqlite", by_class)
        output = self.small("--record", "record.sqlite", *GRAPHS)
        self.assertIn("and from 24 graphs on record, of this device", output)
        ways = self.ways(output)
        self.assertGreater(ways["new selector"], ways["best fixed configuration"])
        self.assertIn("uses the new selector", output)
        # The same record has no effect when it holds measured times of another device.
        with contextlib.closing(sqlite3.connect(self.path("record.sqlite"))) as opened, opened:
            opened.execute("UPDATE device SET name = 'another', kind = 'cuda', modelled = 0")
        for file in self.installed():
            os.remove(file)
        self.refuse("tune", "--record", "record.sqlite", "--space", "space.yaml", "--device", DEVICE, "--folder", "o",
                    "--sample", "0", *GRAPHS, says="record.sqlite", prints=True)
        self.assertNotIn("on record", self.small("--record", "none", *GRAPHS))
        shutil.rmtree(self.path("o"))


if __name__ == "__main__":
    main()
