# SPDX-License-Identifier: Apache-2.0
"""Every command on path finding: from a sweep to a selector, and error messages.

usage: test_astar.py PROGRAM CACHE [CLASS[.TEST] ...]
"""

import csv
import io
import os
import shutil
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))

import program_test  # noqa: E402
from program_test import ProgramTest  # noqa: E402

SMALL = """\
name: small
problem: astar
parameters: {cells: [4, 8], table: [shared, global], threads: [32]}
workloads: [{generate: grid12, queries: {pairs: 6}}]
measurement: {warmup: 0, repeats: 1, counters: true, seed: 1}
"""


class AstarTest(ProgramTest):
    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.succeed(*arguments, "--format", "csv"))))

    def query(self, sql, name="r.sqlite"):
        return self.rows("db", "query", sql, name)


class Problem(AstarTest):
    def test_listed(self):
        self.assertIn("astar", [line.split()[0] for line in self.succeed("problems").splitlines()])
        about = self.succeed("problems", "astar")
        for part in ("kind 'grid'", "corners", "pairs", "scenarios", "bucket_bits", "macro MLMQ_CELLS", "largest_open"):
            self.assertIn(part, about)


    def test_presets(self):
        self.assertIn("paper-cb-par-front", self.succeed("problems", "astar"))
        small = ("solve", "grid12", "--device", "simt", "--query", "pairs=4", "--check")
        out = self.succeed(*small, "--config", "preset=paper-heap,threads=64")
        self.assertIn("the answer is right", out)
        self.refuse(*small, "--config", "preset=paper-hep", says=("unknown preset 'paper-hep'", "'paper-heap'"))
        self.write("s.yaml", SMALL.replace("parameters: {cells: [4, 8], table: [shared, global], threads: [32]}",
                                           "configurations: [{preset: paper-heap, threads: 64}, {preset: paper-splay, "
                                           "threads: 64}]"))
        self.sweeps("s.yaml", "--db", "r.sqlite")
        rows = self.query("SELECT DISTINCT configuration FROM result")
        self.assertEqual(len(rows), 2)
        self.assertTrue(all("solver=phases" in row["configuration"] and "preset" not in row["configuration"]
                            for row in rows))
        self.write("s.yaml", SMALL.replace("parameters: {cells: [4, 8], table: [shared, global], threads: [32]}",
                                           "configurations: [{preset: heap}]"))
        self.refuse("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt",
                    says=("s.yaml:3: unknown preset 'heap'",))

    def test_compare(self):
        # The program includes a short list and competitors.
        code, out, errors = self.run_program("compare", "--problem", "astar", "--device", "cpu:1",
                                             "--workloads", "grid12", "--repeats", "1", "--db", "r.sqlite",
                                             "--format", "csv")
        self.assertEqual(code, 0, errors)
        rows = {row["contestant"] for row in csv.DictReader(io.StringIO(out))}
        self.assertTrue({"solver=cpu_astar", "solver=cpu_jps", "solver=cpu_dijkstra"} <= rows, rows)

    def test_maps_of_subfolders(self):
        for folder in ("maps", "maps/inner", "maps/.hidden"):
            os.makedirs(self.path(folder), exist_ok=True)
            shutil.copy(os.path.join(FOLDER, "maps", "tiny.map"),
                        self.path(f"{folder}/{os.path.basename(folder)[-5:]}.map"))
        self.write("s.yaml", SMALL)
        out = self.succeed("sweep", "s.yaml", "--workloads", "maps", "--db", "r.sqlite", "--dry-run")
        self.assertRegex(out, r"(?m)^all +2 +2 ")


class WholeWay(AstarTest):
    """One sweep of the experiment file for the simulator, and every command that uses its record."""

    def test_whole_way(self):
        out = self.sweeps(os.path.join(ROOT, "experiments", "astar_simt.yaml"), "--db", "r.sqlite")
        self.assertIn("no failures", out)
        rows = self.query("SELECT workload, query, median_ms FROM result WHERE measurement = 'time'")
        self.assertTrue(all(float(row["median_ms"]) > 0 for row in rows))
        self.assertEqual({row["query"] for row in rows}, {"pairs=12:seed=1"})
        self.assertIn("grid12:density=0.2:eta=1:seed=1:corners=cut", {row["workload"] for row in rows})
        searches = self.query("SELECT value FROM counter WHERE name = 'searches'")
        self.assertEqual({float(row["value"]) for row in searches}, {12.0})
        self.assertIn("different times: 0", self.succeed("verify", "r.sqlite", "--sample", "6"))
        out = self.succeed("selector", "train", "r.sqlite", "--tolerance", "0", "--output", "model.json")
        self.assertIn("of 9 workloads", out)
        self.assertTrue(all(0 < float(row["relative"]) <= 1
                            for row in self.rows("selector", "picks", "r.sqlite", "--model", "model.json")))
        self.succeed("selector", "export", "model.json", "--output", "model.hpp")
        self.assertIn("oracle", self.succeed("selector", "evaluate", "r.sqlite", "--folds", "3", "--repeats", "1"))
        self.assertIn("random", self.succeed("replay", "r.sqlite", "--seeds", "2", "--budget", "4"))


class Maps(AstarTest):
    def test_scenarios(self):
        for name in ("tiny.map", "tiny.map.scen"):
            shutil.copy(os.path.join(FOLDER, "maps", name), self.path(name))
        self.write("s.yaml", SMALL.replace("{generate: grid12, queries: {pairs: 6}}",
                                           "{file: tiny.map, queries: {scenarios: own, first: 10, count: 9}}"))
        self.sweeps("s.yaml", "--db", "r.sqlite")
        rows = self.query("SELECT workload, query FROM result")
        self.assertEqual({row["workload"] for row in rows}, {"tiny"})
        self.assertRegex(rows[0]["query"], r"^content=[0-9a-f]{16}:count=9:first=10:scenarios=tiny\.map\.scen$")
        self.assertIn("different times: 0", self.succeed("verify", "r.sqlite", "--sample", "2"))
        # A length other than that of the shortest path is a wrong answer.
        lines = self.read("tiny.map.scen").decode().splitlines()
        fields = lines[12].split("\t")
        fields[8] = "77.5"
        lines[12] = "\t".join(fields)
        self.write("tiny.map.scen", "\n".join(lines) + "\n")
        code, _, _ = self.run_program("sweep", "s.yaml", "--device", "simt", "--db", "wrong.sqlite")
        self.assertNotEqual(code, 0)
        wrong = self.query("SELECT outcome, message FROM result", "wrong.sqlite")
        self.assertEqual({row["outcome"] for row in wrong}, {"wrong_answer"})
        self.assertIn("77.5", wrong[0]["message"])

    def test_solve(self):
        for name in ("tiny.map", "tiny.map.scen"):
            shutil.copy(os.path.join(FOLDER, "maps", name), self.path(name))
        for device, configuration in (("simt", "algorithm=jump,paths=true,threads=32"), ("cpu:2", "auto")):
            out = self.succeed("solve", "tiny.map", "--problem", "astar", "--device", device,
                               "--query", "scenarios=own:count=12", "--config", configuration, "--check",
                               "--output", "out.txt")
            self.assertIn("12 found", out)
            self.assertIn("the answer is right", out)
            rows = [line.split() for line in self.read("out.txt").decode().splitlines()[1:]]
            scenarios = [line.split() for line in self.read("tiny.map.scen").decode().splitlines()[1:13]]
            self.assertEqual(len(rows), len(scenarios))
            for row, scenario in zip(rows, scenarios):
                self.assertEqual(row[:4], scenario[4:8])
                self.assertAlmostEqual(float(row[4]), float(scenario[8]), places=6)
                if device == "simt" and row[:2] != row[2:4]:
                    self.assertAlmostEqual(sum(2 ** 0.5 if int(d) % 2 else 1 for d in row[5]), float(row[4]), places=6)

    def test_errors(self):
        def refused(text, says):
            self.write("s.yaml", text)
            self.refuse("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt", says=says)

        for wrong in ("grid", "grid65536", "grid12:density=9", "grid12:sed=1"):
            refused(SMALL.replace("grid12", f'"{wrong}"'), ["s.yaml:4", f"'{wrong}'"])
        refused(SMALL.replace("grid12,", "grid12, corners: some,"), ["s.yaml:4", "cut or none"])
        refused(SMALL.replace("pairs: 6", "pair: 6"), ["s.yaml:4", "did you mean 'pairs'"])
        refused(SMALL.replace("pairs: 6", "scenarios: own"), ["s.yaml:4", "generated"])
        self.write("m.map", "type octile\nheight 2\nwidth 2\nmap\n..\n")
        refused(SMALL.replace("generate: grid12", "file: m.map"), ["m.map: the file ends after 1 of 2 rows"])
        self.write("m.map", "type octile\nheight 1\nwidth 3\nmap\n.q.\n")
        refused(SMALL.replace("generate: grid12", "file: m.map"), ["m.map:5", "unknown letter 'q'"])
        self.write("m.map", "type octile\nheight 1\nwidth 3\nmap\n.@.\n")
        self.write("m.map.scen", "version 1\n0\tm.map\t3\t1\t0\t0\t1\t0\t1\n")
        refused(SMALL.replace("generate: grid12, queries: {pairs: 6}", "file: m.map, queries: {scenarios: own}"),
                ["m.map.scen:2", "on an obstacle"])

    def test_one_cell_and_no_path(self):
        self.write("one.map", "type octile\nheight 1\nwidth 1\nmap\n.\n")
        self.write("two.map", "type octile\nheight 1\nwidth 3\nmap\n.@.\n")
        self.write("s.yaml", SMALL.replace("{generate: grid12, queries: {pairs: 6}}",
                                           "{file: one.map, queries: {pairs: 3}}, "
                                           "{file: two.map, queries: {pairs: 40}}"))
        self.sweeps("s.yaml", "--db", "r.sqlite")


if __name__ == "__main__":
    program_test.main()
