# SPDX-License-Identifier: Apache-2.0
"""'mlmq tune': from graphs to a selector for one device."""

import json
import os
import re

from program_test import ProgramTest, main

# What is measured on graphs that are solved in microseconds: two kernels at most, and a clear difference between them.
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
  - {generate: [road5, rmat5]}
"""


class Tuning(ProgramTest):
    def tune(self, *arguments):
        code, output, errors = self.run_program("tune", *arguments)
        self.assertEqual(code, 0, errors)
        return output

    def check_model(self, folder, candidates):
        model = json.loads(self.read(f"{folder}/model.json"))
        self.assertIn(len(model["candidates"]), candidates)
        header = self.read(f"{folder}/model.hpp").decode()
        for label in {candidate["label"] for candidate in model["candidates"]}:
            self.assertIn(label, header)
        return model

    def test_on_the_simulator(self):
        self.write("space.yaml", SPACE)
        arguments = ("road5", "road6", "rmat5", "rmat6", "--space", "space.yaml", "--device", "simt", "--output", "a/b")
        output = self.tune(*arguments)
        self.assertIn("12 of 12 trials done", output)
        self.assertIn("Learned from 4 graphs, modelled times of simt", output)
        ways = dict(re.findall(r"^(new selector|best fixed configuration) +(\d\.\d+)", output, re.MULTILINE))
        self.assertEqual(set(ways), {"new selector", "best fixed configuration"})
        # The shipped selector chooses from other configurations than were measured: nothing is said of it.
        self.assertNotIn("shipped selector", output)
        better = ways["new selector"] > ways["best fixed configuration"]
        self.assertIn("The model is the " + ("new selector" if better else "best fixed configuration"), output)
        self.check_model("a/b", {2, 3} if better else {1})
        model = self.read("a/b/model.json")
        self.assertIn("--model a/b/model.json", output)
        self.solve("road7", "--model", "a/b/model.json", "--check")
        # Once more: nothing is measured, and the model is the same.
        self.assertIn("12 of 12 trials done, 0 in this run", self.tune(*arguments))
        self.assertEqual(self.read("a/b/model.json"), model)

    def test_one_graph_has_no_selector_but_a_best_configuration(self):
        self.write("space.yaml", SPACE)
        output = self.tune("road5", "--space", "space.yaml", "--device", "simt", "--output", "o")
        self.assertIn("too few graphs to judge", output)
        self.assertEqual(len(self.check_model("o", {1})["candidates"]), 1)

    def test_processors(self):
        output = self.tune("road8", "del8", "rmat8", "--device", "cpu", "--output", "o")
        self.assertIn("Learned from 3 graphs, measured times of", output)
        self.check_model("o", {1, 2, 3})
        self.succeed("solve", "del9", "--device", "cpu", "--model", "o/model.json", "--check")

    def test_a_budget_that_is_too_short_says_how_to_go_on(self):
        self.write("space.yaml", SPACE)
        arguments = ("--space", "space.yaml", "--device", "simt", "--output", "o")
        code, output, errors = self.run_program("tune", *arguments, "--budget", "0.000001")
        self.assertEqual(code, 1, output)
        self.assertIn("run the same command again", errors)
        self.assertFalse(os.path.exists(self.path("o/model.json")))
        self.assertIn("6 of 6 trials done", self.tune(*arguments))

    def test_mistakes(self):
        self.write("file", "")
        self.refuse("tune", "road5", "--device", "simt", "--output", "file", says="file")
        self.refuse("tune", "none.gr", "--device", "simt", "--output", "o", says="none.gr")
        self.refuse("tune", "road5", "--device", "simt", "--budget", "0", says="--budget")
        self.refuse("tune", "road5", "--device", "simt", "--space", "none.yaml", says="none.yaml")


if __name__ == "__main__":
    main()
