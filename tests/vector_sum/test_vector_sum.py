# SPDX-License-Identifier: Apache-2.0
"""Every command on a problem that the program itself does not have: a sweep, a selector, plots and error messages.

usage: test_vector_sum.py PROGRAM CACHE [CLASS[.TEST] ...], where PROGRAM is mlmq with the problem of this folder.
"""

import csv
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))

import program_test  # noqa: E402
from program_test import ProgramTest  # noqa: E402

EXPERIMENT = os.path.join(FOLDER, "experiment.yaml")
CONFIGURATIONS = 16  # two of 3 * 3 * 2 have too many numbers per round
INPUTS = 10 + 3  # one query for each of ten vectors, three for another
TRIALS = 2 * CONFIGURATIONS * INPUTS  # time and counters

SMALL = """\
name: small
problem: vector_sum
parameters: {threads: [32, 64], items: [1, 2], blocks: [1, 2]}
workloads: [{generate: vector6}]
measurement: {warmup: 0, repeats: 1, counters: false, seed: 1}
"""


class VectorSum(ProgramTest):
    simulated = "simt"  # device whose blocks need more room than others

    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.succeed(*arguments, "--format", "csv"))))

    def query(self, sql, name="r.sqlite"):
        return self.rows("db", "query", sql, name)


class Problems(VectorSum):
    def test_listed(self):
        names = [line.split()[0] for line in self.succeed("problems").splitlines()]
        self.assertEqual(names, ["astar", "bfs", "bfs_batch", "bfs_betweenness", "kernel", "phold", "sssp",
                                 "sssp_batch", "sssp_betweenness", "vector_sum"])
        about = self.succeed("problems", "vector_sum")
        for part in ("kind 'vector'", "spread", "parts", "threads", "macro MLMQ_ITEMS", "adds"):
            self.assertIn(part, about)
        self.assertIn("## vector_sum", self.succeed("problems", "--markdown"))


class WholeWay(VectorSum):
    """One sweep, and every command that uses its record."""

    def test_whole_way(self):
        out = self.sweeps(EXPERIMENT, "--db", "r.sqlite")
        self.assertRegex(out, rf"{TRIALS} of {TRIALS} trials done, {TRIALS} in this run .*\(no failures\)")
        self.assertIn(f"{TRIALS} of {TRIALS} trials done, 0 in this run", self.sweeps(EXPERIMENT, "--db", "r.sqlite"))
        self.assertIn(f"experiment vector_sum: {TRIALS} of {TRIALS} trials done",
                      self.succeed("db", "status", "r.sqlite"))
        self.record()
        self.selector()
        self.assertIn("different times: 0", self.succeed("verify", "r.sqlite", "--sample", "8"))
        self.replay()
        self.plots()

    def record(self):
        rows = self.query("SELECT workload, query, median_ms, configuration FROM result WHERE measurement = 'time'")
        self.assertEqual(len(rows), TRIALS // 2)
        self.assertTrue(all(float(row["median_ms"]) > 0 for row in rows))
        queries = {(row["workload"], row["query"]) for row in rows}
        self.assertEqual(len(queries), INPUTS)
        self.assertIn(("vector6:spread=10", "from=0:to=64"), queries)
        self.assertEqual({query for name, query in queries if name == "vector11:seed=3"},
                         {"from=0:to=1024", "from=1024:to=2048", "from=100:to=1100"})
        # Warps that get none of the 64 numbers add nothing.
        counted = self.query("SELECT c.value FROM counter c JOIN trial t ON t.id = c.trial "
                             "JOIN workload w ON w.id = t.workload WHERE c.name = 'adds' AND w.name = "
                             "'vector6:spread=10'")
        self.assertEqual({float(row["value"]) for row in counted}, {1.0, 2.0})
        self.assertEqual(len(list(csv.DictReader(io.StringIO(self.succeed("db", "export", "r.sqlite"))))), TRIALS)
        self.succeed("db", "compact", "compact.sqlite.gz", "r.sqlite")
        self.succeed("db", "merge", "merged.sqlite", "compact.sqlite.gz")
        self.assertIn("0 features added, 0 changed",
                      self.succeed("db", "features", "r.sqlite", "--workloads", EXPERIMENT))

    def selector(self):
        out = self.succeed("selector", "train", "r.sqlite", "--tolerance", "0", "--output", "model.json")
        self.assertRegex(out, rf"[2-9] of {CONFIGURATIONS} configurations as candidates, trained on \d+ times of 11 "
                              rf"workloads")
        features = json.loads(self.read("model.json"))["inputs"]["features"]
        self.assertLessEqual(set(features), {"mean", "size", "spread"})
        picks = self.rows("selector", "picks", "r.sqlite", "--model", "model.json")
        self.assertEqual(len(picks), INPUTS)
        self.assertTrue(all(0 < float(row["relative"]) <= 1 for row in picks))
        report = self.succeed("selector", "evaluate", "r.sqlite", "--folds", "3", "--repeats", "1")
        for strategy in ("boosted", "kernel", "forest", "best fixed", "oracle"):
            self.assertIn(strategy, report)
        self.assertNotIn("paper", report)  # the paper's rules choose between queues
        self.succeed("selector", "candidates", "r.sqlite")
        self.succeed("selector", "importance", "model.json")
        self.succeed("selector", "export", "model.json", "--output", "model.hpp")
        self.write("choose.cpp", '#include <cstdio>\n#include "model.hpp"\nint main() {\n'
                   "  constexpr auto& model = mlmq_selector::model;\n"
                   f"  const double features[{len(features)}] = {{}};\n"
                   "  std::puts(model.labels[model.select(features)]);\n}\n")
        subprocess.run([os.environ.get("CXX", "c++"), "-std=c++17", "choose.cpp", "-o", "choose"], cwd=self.folder,
                       check=True)
        chosen = subprocess.run([self.path("choose")], capture_output=True, text=True, check=True).stdout.strip()
        self.assertIn(chosen, {row["configuration"] for row in self.query("SELECT DISTINCT configuration FROM result")})
        self.assertRegex(chosen, r"^blocks=\d+,items=\d+,threads=\d+$")
        self.write("picks.csv",
                   self.succeed("selector", "picks", "r.sqlite", "--model", "model.json", "--format", "csv"))

    def replay(self):
        out = self.succeed("replay", "r.sqlite", "--seeds", "3", "--budget", "8")
        for strategy in ("random", "local", "annealing", "genetic", "model"):
            self.assertIn(strategy, out)
        self.assertNotIn("+selector", out)  # the shipped selector is for another problem
        self.refuse("replay", "r.sqlite", "--strategies", "model+selector", says="'vector_sum'")

    def plots(self):
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("no matplotlib")
        def plot(name, *arguments):
            done = subprocess.run([sys.executable, "-B", os.path.join(ROOT, "plots", name), *arguments],
                                  cwd=self.folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
        plot("relative_performance_cdf.py", "r.sqlite", "--selector", "picks.csv", "--output", "cdf.png")
        code, _, errors = self.run_program("tune", "--space", EXPERIMENT, "--device", self.simulated, "--folder", "t",
                                           "--sample", "0", "--record", "none")
        self.assertEqual(code, 0, errors)
        tuned = ("t/results.sqlite", "--tuned", "t/selector.json")
        plot("relative_performance_cdf.py", *tuned, "--output", "t/cdf.png")
        plot("summary.py", *tuned, "--text", "t/summary.txt", "--output", "t/summary.md")
        text = self.read("t/summary.md").decode()
        for part in ("Problem: vector_sum", "## Workloads", "vector6:spread=10", "| mean ± 95 % |", "new selector",
                     "cdf.png"):
            self.assertIn(part, text)
        self.assertNotRegex(text, r"(?i)\bgraph|\bvertices|\bedges")


class Workloads(VectorSum):
    def test_files(self):
        self.write("some.numbers", "7\n11\n13\n")
        self.write("s.yaml", SMALL.replace("{generate: vector6}", "{file: some.numbers}"))
        self.sweeps("s.yaml", "--db", "r.sqlite")
        self.assertEqual([(row["name"], row["kind"]) for row in self.query("SELECT name, kind FROM workload")],
                         [("some", "vector")])
        os.mkdir(self.path("folder"))
        shutil.move(self.path("some.numbers"), self.path("folder/some.numbers"))
        self.assertIn("different times: 0", self.succeed("verify", "r.sqlite", "--workloads", "folder"))
        self.write("bad.numbers", "7\nseven\n")
        self.refuse("sweep", "s.yaml", "--db", "b.sqlite", "--device", "simt", "--workloads", "bad.numbers",
                    says=["bad.numbers:2", "'seven'"])

    def test_one_at_a_time(self):
        self.write("s.yaml", SMALL)
        self.sweeps("s.yaml", "--db", "r.sqlite", "--workloads", "vector5:seed=4")
        self.assertEqual([row["name"] for row in self.query("SELECT name FROM workload")], ["vector5:seed=4"])


class Strategies(VectorSum):
    def test_each(self):
        for name in ("local", "annealing", "genetic", "model"):
            self.write("s.yaml", SMALL + f"strategy: {{name: {name}, budget: 4, batch: 2, seed: 2}}\n")
            out = self.sweeps("s.yaml", "--db", f"{name}.sqlite")
            self.assertIn("4 of 4 trials done", out, name)


SHORT_LIST = """\
name: short list
problem: vector_sum
configurations:
  - {threads: 32, items: 1}
  - {threads: 64, items: 4, blocks: 2}
workloads: [{generate: vector6}, {generate: vector9, queries: {parts: 2}}]
measurement: {warmup: 1, repeats: 3, time_limit_ms: 1000, seed: 1}
"""

COMPETITORS = """\
name: competitors
problem: vector_sum
configurations: [{items: 16}, {threads: 128, blocks: 1}]
workloads: [{generate: vector6}]
"""


class Comparisons(VectorSum):
    """Comparison for a problem without competitors, peers or a selector."""

    def setUp(self):
        super().setUp()
        self.write("ours.yaml", SHORT_LIST)
        self.write("competitors.yaml", COMPETITORS)

    def command(self, *more, devices="simt"):
        return ("compare", "--problem", "vector_sum", "--configurations", "ours.yaml", "--device", devices,
                "--db", "r.sqlite", "--format", "csv", *more)

    def compared(self, *more, **settings):
        """Returns the rows by workload and contestant, without the means, and the other output."""
        code, output, errors = self.run_program(*self.command(*more, **settings))
        self.assertEqual(code, 0, errors)
        rows = [row for row in csv.DictReader(io.StringIO(output)) if row["workload"] != "geometric mean"]
        results = {}
        for row in rows:
            results.setdefault((row["workload"], row["contestant"]), []).append(row)
        return results, errors

    def test_side_by_side(self):
        rows, notes = self.compared("--competitors", "competitors.yaml", devices="simt,cpu")
        contestants = ("mlmq best", "items=16", "threads=128")
        self.assertEqual({(key, len(each)) for key, each in rows.items()},
                         {((name, one), count) for name, count in (("vector6", 1), ("vector9", 2))
                          for one in contestants})
        for (workload, contestant), each in rows.items():
            for number, row in enumerate(each):
                self.assertEqual((row["outcome"], row["runs"], row["/ selected"]), ("ok, modelled", "3", ""))
                self.assertGreater(float(row["adds/number"]), 0)
                best = rows[workload, "mlmq best"][number]
                self.assertAlmostEqual(float(row["/ best"]), float(row["ms"]) / float(best["ms"]))
                if contestant != "mlmq best":
                    self.assertEqual(row["configuration"], contestant)
        # The kernel cannot run on processors.
        self.assertRegex(notes, r"(?m)^[^\n]+: left out: no contestant runs on this device$")
        # The best configuration of mlmq is the one with the shortest time in the preceding sweep.
        fastest = self.query("SELECT c.label FROM trial t JOIN configuration c ON c.id = t.configuration JOIN workload "
                             "w ON w.id = t.workload JOIN experiment_trial x ON x.trial = t.id JOIN experiment e ON "
                             "e.id = x.experiment WHERE e.name = 'compare candidates' AND w.name = 'vector6' AND "
                             "c.label IN ('blocks=1,items=1,threads=32', 'blocks=2,items=4,threads=64') ORDER BY "
                             "t.median_ms LIMIT 1")
        best = rows["vector6", "mlmq best"][0]["configuration"]
        self.assertEqual(fastest[0]["label"], {"items=1,threads=32": "blocks=1,items=1,threads=32",
                                               "blocks=2": "blocks=2,items=4,threads=64"}[best])
        # The second run measures nothing.
        finished = "SELECT id, finished_at FROM trial ORDER BY id"
        before = self.query(finished)
        again, _ = self.compared("--competitors", "competitors.yaml", devices="simt,cpu")
        self.assertEqual((again, self.query(finished)), (rows, before))

    def test_short_list_alone(self):
        rows, _ = self.compared("--workloads", "vector6")
        self.assertEqual(set(rows), {("vector6", "mlmq best")})
        # Recorded trials count as well.
        self.write("s.yaml", SMALL.replace("items: [1, 2], blocks: [1, 2]", "items: [1, 64]"))
        self.sweeps("s.yaml", "--db", "r.sqlite")
        best = self.query("SELECT configuration FROM relative WHERE relative_performance = 1 AND workload = 'vector6'")
        rows, _ = self.compared("--workloads", "vector6", "--name", "again")
        compared = self.query("SELECT c.label AS configuration FROM configuration c JOIN trial t ON t.configuration = "
                              "c.id JOIN experiment_trial x ON x.trial = t.id JOIN experiment e ON e.id = x.experiment "
                              "WHERE e.name = 'again' AND t.measurement = 'time'")
        self.assertEqual(len(compared), 1)
        self.assertIn(compared[0], best)

    def test_mistakes(self):
        self.refuse("compare", "--problem", "vector_sum", says=["'vector_sum'", "--configurations"])
        self.refuse(*self.command("--peers", "peers.yaml"), says=["peers.yaml", "'vector_sum' has no peers"])
        self.write("g.yaml", program_test.SMALL_SPACE)
        self.refuse(*self.command("--competitors", "g.yaml"), says=["g.yaml:2", "'sssp'", "'vector_sum'"])
        self.refuse("compare", "--configurations", "ours.yaml", says=["ours.yaml:2", "'vector_sum'", "'sssp'"])
        self.write("ours.yaml", SHORT_LIST.replace("items: 4", "itmes: 4"))
        self.refuse(*self.command(), says=["ours.yaml:5", "itmes"])
        self.assertNotIn("r.sqlite", self.names())
        self.write("ours.yaml", SHORT_LIST)
        self.compared("--peers", "none", "--workloads", "vector6")


class Errors(VectorSum):
    def sweep_refused(self, text, says, code=2):
        self.write("s.yaml", text)
        self.refuse("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt", says=says, code=code)

    def test_workloads_of_another_kind(self):
        self.sweep_refused(SMALL.replace("vector6", "road8"), ["s.yaml:4", "'road8'", "vector"])
        self.sweep_refused(SMALL.replace("problem: vector_sum", "problem: sssp").replace(
            "threads: [32, 64], items: [1, 2], blocks: [1, 2]", "l1: [none]"), ["s.yaml:4", "vector6"])
        for wrong in ("vector", "vector99", "vector6:width=3", "vector6:seed=-1", "vector6:spread=0"):
            self.sweep_refused(SMALL.replace("vector6", f'"{wrong}"'), ["s.yaml:4", f"'{wrong}'"])
        self.sweep_refused(SMALL.replace("vector6", "vector6, weights: uniform"), ["s.yaml:4", "'weights'", "vector"])

    def test_queries(self):
        template = SMALL.replace("vector6", "vector6, queries: {%s}")
        self.sweep_refused(template % "source: 0", ["s.yaml:4", "unknown key 'source' of a query", "from, to, parts"])
        self.sweep_refused(template % "to: 65", ["s.yaml:4", "64 numbers"])
        self.sweep_refused(template % "parts: 65", ["s.yaml:4", "65 parts"])
        self.sweep_refused(template % "parts: 0", ["s.yaml:4", "'parts'"])

    def test_parameters(self):
        self.sweep_refused(SMALL.replace("items", "item"), ["s.yaml:3", "'item'", "items"])
        self.sweep_refused(SMALL.replace("items: [1, 2]", "items: [0]"), ["s.yaml:3", "'items'"])
        # A configuration that does not fit on the device is recorded as a result and does not end the sweep.
        self.write("s.yaml", SMALL.replace("blocks: [1, 2]", "blocks: [1, 4096]"))
        self.sweeps("s.yaml", "--db", "r.sqlite")
        self.assertEqual({row["outcome"] for row in self.query("SELECT DISTINCT outcome FROM result")},
                         {"ok", "constraint"})

    def test_no_graph(self):
        self.refuse("solve", "road8", "--problem", "vector_sum", says=["'vector_sum'", "mlmq sweep"])


class Mixed(VectorSum):
    """A database keeps two problems apart."""

    def test_two_problems(self):
        self.write("s.yaml", SMALL)
        self.write("g.yaml", program_test.SMALL_SPACE)
        self.sweeps("s.yaml", "--db", "r.sqlite")
        self.sweeps("g.yaml", "--db", "r.sqlite")
        self.refuse("selector", "train", "r.sqlite", says=["sssp, vector_sum", "--problem"])
        self.refuse("db", "features", "r.sqlite", "--workloads", "vector6", says=["graph, vector", "--problem"])
        for problem in ("sssp", "vector_sum"):
            self.succeed("selector", "train", "r.sqlite", "--problem", problem, "--output", f"{problem}.json")


if __name__ == "__main__":
    program_test.main()
