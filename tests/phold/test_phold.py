# SPDX-License-Identifier: Apache-2.0
"""Every command on PHOLD: from a sweep to a selector, and error messages.

usage: test_phold.py MLMQ CACHE [CLASS[.TEST] ...]
"""

import csv
import io
import json
import os
import re
import sys
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))

import program_test  # noqa: E402
from program_test import ProgramTest  # noqa: E402

SPACE = """\
name: small
problem: phold
configurations:
  - {solver: calendar, threads: 64, bucket_lanes: 2, bucket_items: 1}
  - {solver: calendar, threads: 64, bucket_lanes: 16}
  - {solver: one_block, threads: 64, near_events: 32}
  - {solver: queues, queue: heap, threads: 64}
workloads:
  - {generate: phold, entities: [8, 60], events: 4, rate: [0.1, 0.01, 0.001]}
  - {generate: "phold:entities=20:events=16", queries: [{until: [30, 60]}, {events: 300}]}
queries: {events: 200}
measurement: {warmup: 0, repeats: 1, time_limit_ms: 1000, counters: true, seed: 1}
"""
CONFIGURATIONS = 4
INPUTS = 6 + 2  # 300 events take one of the windows that 30 or 60 units have, or the same window
TRIALS = 2 * CONFIGURATIONS * INPUTS


class Phold(ProgramTest):
    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.succeed(*arguments, "--format", "csv"))))

    def query(self, sql, name="r.sqlite"):
        return self.rows("db", "query", sql, name)


class WholeWay(Phold):
    """One sweep, and every command that uses its record."""

    def test_whole_way(self):
        self.write("s.yaml", SPACE)
        out = self.sweeps("s.yaml", "--db", "r.sqlite")
        self.assertIn("(no failures)", out)
        self.assertIn("0 in this run", self.sweeps("s.yaml", "--db", "r.sqlite"))
        times = self.query("SELECT workload, query, median_ms FROM result "
                           "WHERE measurement = 'time' AND outcome = 'ok'")
        queries = {(row["workload"], row["query"]) for row in times}
        self.assertIn(("phold:entities=20:events=16:rate=0.1", "until=60"), queries)
        self.assertEqual(len(times), CONFIGURATIONS * len(queries))
        # Every solver executes the same events.
        events = self.query("SELECT w.name AS model, t.query, count(DISTINCT c.value) AS different FROM counter c "
                            "JOIN trial t ON t.id = c.trial JOIN workload w ON w.id = t.workload "
                            "WHERE c.name = 'events' GROUP BY w.name, t.query")
        self.assertEqual({row["different"] for row in events}, {"1"})
        self.assertIn("different times: 0", self.succeed("verify", "r.sqlite", "--sample", "6"))
        out = self.succeed("replay", "r.sqlite", "--seeds", "3", "--budget", "3")
        for strategy in ("random", "local", "annealing", "genetic", "model"):
            self.assertIn(strategy, out)
        self.succeed("selector", "train", "r.sqlite", "--tolerance", "0", "--output", "model.json")
        features = set(json.loads(self.read("model.json"))["inputs"]["features"])
        self.assertLessEqual(features,
                             {"active_entities", "bytes", "entities", "events", "events_per_window", "lookahead",
                              "lookahead_per_delay", "population", "rate", "share_in_window"})
        self.assertIn("boosted", self.succeed("selector", "evaluate", "r.sqlite", "--folds", "3", "--repeats", "1"))
        self.succeed("selector", "export", "model.json", "--output", "model.hpp")
        solved = self.succeed("solve", "phold:entities=20:events=16", "--device", "simt", "--model", "model.json",
                              "--query", "until=30", "--check")
        self.assertIn("chosen by the selector", solved)
        self.assertIn("the answer is right", solved)
        for arguments in (["grid12", "--problem", "astar"], ["road6"]):
            self.refuse("solve", *arguments, "--device", "simt", "--model", "model.json",
                        says=["model.json", "trained for problem 'phold'"])


class Solve(Phold):
    def test_solve(self):
        out = self.succeed("solve", "phold:entities=16:events=4", "--device", "cpu:1", "--config", "solver=cpu_heaps",
                           "--query", "events=100", "--repeat", "3", "--check")
        for part in ("phold:entities=16:events=4:rate=0.1", "until=40", "solver=cpu_heaps", "median of 3", "events",
                     "the answer is right"):
            self.assertIn(part, out)
        out = self.succeed("solve", "phold:entities=16:events=4", "--problem", "phold", "--device", "simt", "--query",
                           "until=20", "--counters")
        self.assertIn("comparisons", out)
        self.assertIn("the default on a simulated device", out)
        hashes = {re.search(r"hash +([0-9a-f]{16})\n", text).group(1) for text in (
            out, self.succeed("solve", "phold:entities=16:events=4", "--device", "cpu:1", "--query", "until=20"))}
        self.assertEqual(len(hashes), 1)

    def test_refused(self):
        model = "phold:entities=16:events=4"
        self.refuse("solve", model, "--source", "3", says=["--source", "phold"])
        self.refuse("solve", model, "--query", "until=0", says=["--query", "above 0"])
        self.refuse("solve", model, "--query", "until", says=["--query", "NAME=VALUE"])
        self.refuse("solve", model, "--query", "source=4", says=["unknown key 'source'", "until, events"])
        self.refuse("solve", model, "--output", "x", says="--output")
        self.refuse("solve", model, "--config", "solver=magic", says=["--config", "calendar"])
        self.refuse("solve", "phold:rate=0", says=["rate", "'0'"])
        self.refuse("solve", "road6", "--problem", "phold", says="road6")
        self.refuse("solve", "road6", "--query", "until=3", says="--query")


class Errors(Phold):
    def sweep_refused(self, text, says):
        self.write("s.yaml", text)
        self.refuse("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt", says=says)

    def test_workloads(self):
        for wrong, says in (("entities: 0", "entities"), ("rate: 0", "rate"), ("lookahead: 0", "lookahead"),
                            ("entities: 1048576, events: 1048576", "2^30"), ("weights: unit", "weights")):
            self.sweep_refused(SPACE.replace("entities: [8, 60], events: 4, rate: [0.1, 0.01, 0.001]", wrong),
                               ["s.yaml:9", says])
        self.sweep_refused(SPACE.replace("until: [30, 60]", "until: -1"), ["s.yaml:10", "'until'"])
        self.sweep_refused(SPACE.replace("{events: 300}", "{source: 300}"), ["s.yaml:10", "'source'"])
        self.sweep_refused(SPACE.replace("{events: 300}", "{events: 300, until: 1}"), ["s.yaml:10", "'events'"])


if __name__ == "__main__":
    program_test.main()
