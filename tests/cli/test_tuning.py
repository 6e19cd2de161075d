# SPDX-License-Identifier: Apache-2.0
"""'mlmq tune': from graphs to a selector for one device."""

import contextlib
import json
import math
import os
import re
import signal
import sqlite3
import time

from program_test import main
from tune_test import DEVICE, DEVICE_NAME, GRAPHS, SPACE, TuneTest


class Tuning(TuneTest):
    """What a run measures, writes and says."""

    def test_on_the_simulator(self):
        # This run also learns from the shipped record, which takes seconds.
        output = self.tune("--space", "space.yaml", "--device", DEVICE, "--folder", "o", "--sample", "0", *GRAPHS)
        self.assertIn("12 of 12 trials done", output)
        self.assertIn("Learned from 4 graphs, modelled times of simt", output)
        # What the sweep varies is shown, even at its default.
        self.assertRegex(output, r"\nbest fixed configuration: (?=.*l1=)(?=.*l2=)(?=.*threads=)")
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
        self.solve("road7", "--model", "o/model.json", "--check")

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
        # The second run measures nothing, not even counters, and writes the same model.
        model = self.read("o/model.json")
        again = self.small(*GRAPHS)
        self.assertIn("12 of 12 trials done, 0 in this run", again)
        self.assertNotRegex(again, r"[1-9]\d* in this run")
        self.assertEqual(self.read("o/model.json"), model)
        self.assertIn("keeps using the", again)

    def test_the_first_line_says_what_takes_additional_time(self):
        output = self.small("--budget", "90s")
        self.assertRegex(output,
                         r"\Ameasuring for up to 1 min 30 s; [^\n]*learning from the results, take additional time")


class TunedInputs(TuneTest):
    """Graphs, configurations, problems and devices."""

    def test_graphs_with_negative_weights_are_left_out(self):
        os.mkdir(self.path("g"))
        for graph in GRAPHS:
            self.succeed("graph", "generate", graph, f"g/{graph}.wel")
        self.write("g/bad.wel", "1 2 3\n2 3 -4\n3 1 5\n")
        code, output, errors = self.run_program("tune", "g", "--space", "space.yaml", "--device", DEVICE,
                                                "--folder", "o", "--sample", "0", "--record", "none")
        self.assertEqual(code, 0, errors)
        message = (f"1 file cannot be used and is left out: {self.path('g/bad.wel')}:2: weight '-4' is negative; "
                   "--negative-weights absolute (negative_weights: absolute in an experiment file) takes absolute "
                   "values\n")
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

    def test_few_graphs_have_no_selector_but_a_best_configuration(self):
        output = self.small("road5", "rmat5")
        self.assertIn("2 graphs are too few to judge a selector", output)
        self.assertEqual(len(self.check_model("o", {1})["candidates"]), 1)
        self.assertEqual(self.installed(), [])

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

    def test_what_a_search_finds_is_measured_with_every_graph(self):
        # The space has only a bad configuration; the search has a better one.
        self.write("space.yaml", re.sub(r"  - \{l1: none, l2: bucket.*\n", "", SPACE))
        self.write("search.yaml", """\
name: wide
problem: sssp
parameters: {l1: none, l2: [vector, bucket], delta: [1, 8], threads: 64}
strategy: {name: model, budget: 3, warm_start: selector}
workloads:
  - {generate: road5}
queries: {count: 1, choose: max_degree}
measurement: {warmup: 0, repeats: 2, time_limit_ms: 1000, counters: false, seed: 1}
""")
        arguments = ("--space", "space.yaml", "--search", "search.yaml", "--device", DEVICE, "--folder", "o",
                     "--record", "none", *GRAPHS)
        output = self.tune(*arguments)
        self.assertIn("Searching for the fastest configurations of each workload", output)
        self.assertRegex(output, r"[1-3] configurations? that the search found:")
        with contextlib.closing(sqlite3.connect(self.path("o/results.sqlite"))) as record:
            by_experiment = dict(record.execute("SELECT e.name, count(*) FROM experiment e JOIN experiment_trial t ON "
                                                "t.experiment = e.id GROUP BY e.name").fetchall())
        searched = by_experiment["wide"]
        self.assertEqual(searched, 3 * 4, by_experiment)
        found = by_experiment["tiny-found"]
        self.assertEqual(found % 4, 0, by_experiment)
        # The selector can choose what the search found.
        labels = {candidate["label"] for candidate in json.loads(self.read("o/model.json"))["candidates"]}
        with contextlib.closing(sqlite3.connect(self.path("o/results.sqlite"))) as record:
            found_labels = {label for label, in record.execute(
                "SELECT c.label FROM experiment e JOIN experiment_trial x ON x.experiment = e.id JOIN trial t ON "
                "t.id = x.trial JOIN configuration c ON c.id = t.configuration WHERE e.name = 'tiny-found'")}
        self.assertTrue(labels & found_labels, (labels, found_labels))
        # A second run measures nothing new.
        again = self.tune(*arguments)
        self.assertNotRegex(again, r"\b[1-9]\d* in this run")

    def test_processors(self):
        output = self.tune("road8", "del8", "rmat8", "power8", "--device", "cpu:1", "--folder", "o", "--sample", "0")
        self.assertIn("Learned from 4 graphs, measured times of", output)
        self.assertIn("default configuration", self.ways(output))
        # "candidates" is the standard space, so nothing is left to measure.
        again = self.tune("road8", "del8", "rmat8", "power8", "--device", "cpu:1", "--folder", "o", "--sample", "0",
                          "--space", "candidates")
        self.assertIn(" 0 in this run", again)
        # Measured times decide how many configurations the model keeps: at most one per graph, and the best fixed one.
        self.check_model("o", {1, 2, 3, 4, 5})
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

    def test_mistakes(self):
        self.write("file", "")
        self.refuse("tune", "road5", "--device", DEVICE, "--folder", "file", says="file")
        self.refuse("tune", "none.gr", "--device", DEVICE, "--folder", "o", says="none.gr")
        for budget in ("0", "x", "-1", "1d", "1e400"):
            self.refuse("tune", "road5", "--device", DEVICE, "--folder", "o", "--budget", budget, says="duration")
        self.refuse("tune", "road5", "--device", DEVICE, "--space", "none.yaml", says="none.yaml")
        searched = ("tune", "road5", "--device", DEVICE, "--folder", "o", "--space", "space.yaml", "--search")
        self.refuse(*searched, "none.yaml", says="none.yaml")
        self.refuse(*searched, "none.yaml", "--sample", "3", says="--sample")
        self.refuse(*searched, "space.yaml", says="needs a strategy that learns")
        self.write("other.yaml", SPACE.replace("problem: sssp", "problem: bfs"))
        self.refuse(*searched, "other.yaml", says=("other.yaml:2: ", "'bfs'", "'sssp'"))
        self.assertFalse(os.path.exists(self.path("o/results.sqlite")))
        self.refuse("tune", "road5", "--device", DEVICE, "--system", "--folder", "o", says="not installed")
        self.refuse("tune", "road5", "--device", DEVICE, "--folder", "o", says="MLMQ_SELECTORS",
                    environment={"MLMQ_SELECTORS": "", "XDG_DATA_HOME": "", "HOME": ""})
        self.refuse("tune", "road5", "--device", DEVICE, "--system", "--output", "x", says="--output")


class InterruptedTuning(TuneTest):
    """Runs that do not end by themselves, or at the same time as others."""

    def test_a_budget_that_is_too_short_says_how_to_go_on(self):
        arguments = ("--space", "space.yaml", "--device", DEVICE, "--folder", "o")
        code, output, errors = self.run_program("tune", *arguments, "--budget", "0.001s")
        self.assertEqual(code, 1, output)
        self.assertIn("rerun this command", errors)
        self.assertFalse(os.path.exists(self.path("o/model.json")))
        self.assertEqual(self.installed(), [])
        self.assertIn("12 of 12 trials done", self.small())

    def test_an_interrupted_one_goes_on(self):
        process = self.start("tune", "road8", *GRAPHS, "--space", "space.yaml", "--device", DEVICE, "--folder", "o",
                             "--sample", "0", "--record", "none")
        while not os.path.exists(self.path("o/results.sqlite")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=240)
        self.assertEqual(process.returncode, 1, output + errors)
        self.assertIn(b"rerun this command to continue", output)
        self.assertEqual(self.installed(), [])
        self.assertIn("15 of 15 trials done", self.small("road8", *GRAPHS))

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


if __name__ == "__main__":
    main()
