# SPDX-License-Identifier: Apache-2.0
"""The first configuration of `mlmq selector predict` is the one that `mlmq solve` runs, for every problem."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program_test  # in this folder
import share  # noqa: E402
from program_test import ProgramTest

GRAPHS = ["path5", "cycle30", "star64", "grid5", "grid12", "road6", "road8", "road10", "road11", "road12",
          "del6", "del7", "del8", "del9", "del10", "rmat6", "rmat7", "rmat8", "rmat9", "rmat10"]
MODELS = [f"phold:entities={32 << i % 5}:events={4 << i // 5}:seed={i}" for i in range(20)]
MAPS = [f"grid{8 + 8 * (i % 10)}:density={0.05 if i < 10 else 0.2}" for i in range(20)]

# A simulated GPU whose multiprocessors have room for every configuration.
SIMULATOR = "simt:2x32"


class Recommended(ProgramTest):
    def check(self, problem, workloads, device, *arguments):
        for workload in workloads:
            with self.subTest(problem=problem, workload=workload, device=device):
                options = workload, "--problem", problem, "--device", device, "--format", "json"
                ranking = json.loads(self.succeed("selector", "predict", *options))["ranking"]
                solved = json.loads(self.succeed("solve", *options, *arguments))
                self.assertEqual(solved["configuration"], ranking[0]["configuration"])

    def test_on_processors(self):
        for problem, workloads in (("sssp", GRAPHS), ("bfs", GRAPHS), ("phold", MODELS), ("astar", MAPS)):
            self.assertEqual(len(set(workloads)), 20)
            self.check(problem, share.share_of(workloads), "cpu:2")

    def test_on_the_simulator(self):
        # PHOLD models take 25 s each here; test_recommendation runs the library's choices for them on the simulator.
        for problem, workloads in (("sssp", GRAPHS[::6]), ("bfs", GRAPHS[::6]), ("astar", MAPS[:1])):
            self.check(problem, workloads, SIMULATOR)

    def test_levels_of_a_graph_with_hubs(self):
        options = "rmat9", "--problem", "bfs", "--device", SIMULATOR
        line = self.succeed("selector", "predict", *options, "--count", "1")
        self.assertRegex(line, r"^rule    (\S+,)?solver=push_pull(,|$)")
        document = json.loads(self.succeed("selector", "predict", *options, "--format", "json"))
        self.assertEqual((document["problem"], document["ranking"][0]["by"], document["ranking"][0]["predicted"]),
                         ("bfs", "rule", None))

    def test_mistakes(self):
        self.refuse("selector", "predict", "rmat6", "--problem", "sspp", says=["'sspp'", "sssp"])
        self.refuse("selector", "predict", "rmat6", "--device", "gpu", says="gpu")


if __name__ == "__main__":
    program_test.main()
