# SPDX-License-Identifier: Apache-2.0
"""'mlmq selector': from a sweep to answers, the choice between device and processors, the built-in selector."""

import contextlib
import csv
import io
import json
import pathlib
import re
import sqlite3

import program_test  # in this folder
from program_test import DEVICE, SMALL_SPACE, SMALL_TRIALS, ProgramTest, samples


class Pipeline(ProgramTest):
    """From a sweep to an answer of the selector that it trains."""

    def test_whole_way(self):
        self.write("s.yaml", SMALL_SPACE)
        out = self.succeed("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE)
        self.assertRegex(out, rf"^{SMALL_TRIALS} of {SMALL_TRIALS} trials done, {SMALL_TRIALS} in this run .*\(no "
                              rf"failures\)")
        self.assertIn("modelled", out)
        before = samples(self.path("r.sqlite"))
        out = self.succeed("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE)
        self.assertIn(f"{SMALL_TRIALS} of {SMALL_TRIALS} trials done, 0 in this run", out)
        self.assertEqual(samples(self.path("r.sqlite")), before)

        self.assertIn(f"experiment small: {SMALL_TRIALS} of {SMALL_TRIALS} trials done",
                      self.succeed("db", "status", "r.sqlite"))
        sql = "SELECT workload, median_ms FROM result WHERE measurement = 'time' ORDER BY trial"
        table = self.succeed("db", "query", sql, "r.sqlite")
        rows = list(csv.DictReader(io.StringIO(self.succeed("db", "query", sql, "r.sqlite", "--format", "csv"))))
        found = json.loads(self.succeed("db", "query", sql, "r.sqlite", "--format", "json"))
        self.assertEqual(len(table.splitlines()), 2 + len(rows))
        self.assertEqual([(row["workload"], float(row["median_ms"])) for row in rows],
                         [(row["workload"], row["median_ms"]) for row in found])

        exported = list(csv.DictReader(io.StringIO(self.succeed("db", "export", "r.sqlite"))))
        self.assertEqual(len(exported), SMALL_TRIALS)
        self.succeed("db", "export", "r.sqlite", "--output", "all.csv")
        for form in ("kernel-tuner-cache", "t4"):
            names = self.succeed("db", "export", "r.sqlite", "--format", form, "--output", form + "/").split()
            # For a format that names configurations, a table maps the names to parameters.
            tables = [name for name in names if name.endswith(".configurations.csv")]
            names = [name for name in names if name not in tables]
            self.assertEqual(len(names), 3)
            self.assertLessEqual({name.removesuffix(".configurations.csv") for name in tables},
                                 {name.removesuffix(".json") for name in names})
            for name in names:
                self.assertIsInstance(json.loads(self.read(name)), dict)

        small = ("--rounds", "10", "--depth", "2")
        self.refuse("selector", "train", "r.sqlite", "--method", "kernel", *small,
                    says=["'kernel' has no trees", "--method"])
        self.refuse("selector", "train", "r.sqlite", "--method", "forest", "--ridge", "1",
                    says="'kernel' and 'combined'")
        self.succeed("selector", "train", "r.sqlite", "--method", "kernel", "--output", "kernel.json")
        self.solve("road7", "--model", "kernel.json", "--check")
        self.refuse("selector", "train", "r.sqlite", "--method", "boosted", "--ridge", "1", says="'combined' only")
        self.assertIn("model.json", self.succeed("selector", "train", "r.sqlite"))
        first = self.read("model.json")
        self.succeed("selector", "train", "r.sqlite", "--output", "again.json")
        self.assertEqual(self.read("again.json"), first)
        self.succeed("selector", "export", "model.json", "--output", "model.hpp")
        runtime = (pathlib.Path(__file__).resolve().parents[2] / "selector/runtime.hpp").read_bytes()
        self.assertEqual(self.read("model.hpp").count(runtime), 1)
        self.refuse("selector", "export", "model.json", "--output", "b.hpp", "--namespace", "a b", says="'a b'")
        self.compact_record_is_as_good(first)
        self.evaluations(small)
        for form, parse in [("csv", lambda text: list(csv.DictReader(io.StringIO(text)))), ("json", json.loads)]:
            picks = parse(self.succeed("selector", "picks", "r.sqlite", "--model", "model.json", "--format", form))
            self.assertEqual({row["workload"] for row in picks}, {"road6", "del6", "rmat6"})
            self.assertTrue(all(row["query"].startswith("source=") for row in picks))
            self.assertTrue(all(0 < float(row["relative"]) <= 1 for row in picks))
        ranking = self.succeed("selector", "predict", "road7", "--model", "model.json", "--count", "1").splitlines()
        self.assertEqual(len(ranking), 1)
        label = ranking[0].split()[1]
        out = self.solve("road7", "--model", "model.json", "--check")
        self.assertIn(f"{label} (chosen by the selector)", out)
        self.assertIn("every distance is right", out)

        for length in (0, 10, len(first) // 3, len(first) - 2):
            self.write("cut.json", first[:length])
            self.refuse("solve", "road7", "--device", "simt", "--model", "cut.json", says="cut.json")
            self.refuse("selector", "export", "cut.json", "--output", "cut.hpp", says="cut.json")
        self.assertNotIn("cut.hpp", self.names())

    def test_compressed_record(self):
        """A compact record may be compressed: it is read like any other, but cannot be written."""
        self.write("s.yaml", SMALL_SPACE)
        self.succeed("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE)
        self.succeed("db", "compact", "plain.sqlite", "r.sqlite")
        out = self.succeed("db", "compact", "small.sqlite.gz", "r.sqlite")
        self.assertIn(f"small.sqlite.gz: {SMALL_TRIALS} finished trials", out)
        self.assertLess(len(self.read("small.sqlite.gz")), len(self.read("plain.sqlite")) / 3)
        for command in (("selector", "candidates"), ("db", "export")):
            # An export notes on stderr that it has no samples; compare status and stdout only.
            read = [self.run_program(*command, name)[:2] for name in ("small.sqlite.gz", "plain.sqlite")]
            self.assertEqual(read[0], read[1])
            self.assertEqual(read[0][0], 0)
        self.succeed("selector", "train", "plain.sqlite", "--output", "a.json")
        self.succeed("selector", "train", "small.sqlite.gz", "--output", "b.json")
        self.assertEqual(self.read("a.json"), self.read("b.json"))
        self.succeed("db", "merge", "again.sqlite", "small.sqlite.gz")
        self.refuse("db", "merge", "again.sqlite.gz", "plain.sqlite", says=["again.sqlite.gz", "db compact"])
        self.refuse("sweep", "s.yaml", "--db", "small.sqlite.gz", "--device", "simt", says="gunzip -k small.sqlite.gz")
        with open(self.path("cut.sqlite.gz"), "wb") as file:
            file.write(self.read("small.sqlite.gz")[:2000])
        self.refuse("db", "export", "cut.sqlite.gz", says=["cut.sqlite.gz", "truncated"])
        self.write("text.sqlite.gz", "no database")
        self.refuse("db", "export", "text.sqlite.gz", says=["text.sqlite.gz", "not an SQLite database"])
        self.assertNotIn("again.sqlite.gz", self.names())

    def test_features_by_name(self):
        """A model names its features; one that a record lacks is reported, and can be computed from the workloads."""
        self.write("s.yaml", SMALL_SPACE)
        self.succeed("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE)
        kernel = ("selector", "train", "r.sqlite", "--method", "kernel", "--features")
        self.succeed(*kernel, "weight_skew,nnz", "--output", "two.json")
        self.assertEqual(self.asked("two.json"), ["weight_skew", "nnz"])
        inputs = self.succeed("selector", "importance", "two.json")
        self.assertEqual(set(re.findall(r"% +(\S+)", inputs)), {"weight_skew", "nnz"})
        self.succeed("selector", "train", "r.sqlite", "--features", "all", "--output", "all.json")
        whole = self.read("all.json")
        self.succeed("selector", "train", "r.sqlite", "--features", "pass", "--output", "pass.json")
        self.succeed("selector", "train", "r.sqlite", "--output", "standard.json")
        self.succeed("selector", "train", "r.sqlite", "--features", "pass,hops,frontier,nnz", "--output", "listed.json")
        self.assertEqual(self.read("standard.json"), self.read("listed.json"))
        self.assertEqual(len({self.read(name) for name in ("all.json", "pass.json", "standard.json")}), 3)
        self.succeed(*kernel, "table2", "--output", "eight.json")
        self.assertIn("max_nnz", self.asked("eight.json"))
        self.assertNotIn("weight_skew", self.asked("eight.json"))
        self.refuse("selector", "train", "r.sqlite", "--features", "hop", says=["'hop'", "did you mean 'hops'"])
        self.solve("road7", "--model", "two.json", "--check")

        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            before = database.execute("SELECT * FROM workload_feature ORDER BY workload, name").fetchall()
            database.execute("DELETE FROM workload_feature WHERE name IN ('weight_skew', 'hops', 'clustering')")
            database.execute("UPDATE workload_feature SET value = value + 1 WHERE name = 'edge_span'")
            database.commit()
        self.refuse("selector", "picks", "r.sqlite", "--model", "two.json", says=["'weight_skew'", "db features"])
        self.succeed("selector", "picks", "r.sqlite", "--model", "eight.json")
        self.succeed("selector", "train", "r.sqlite", "--features", "all", "--output", "fewer.json")
        self.assertNotEqual(self.read("fewer.json"), whole)
        self.refuse("db", "features", "none.sqlite", "--workloads", "road6", says="none.sqlite")
        self.assertNotIn("none.sqlite", self.names())
        out = self.succeed("db", "features", "r.sqlite", "--workloads", "road6")
        self.assertIn("r.sqlite: 1 workloads, 3 features added, 1 changed", out)
        self.assertIn("not updated: del6, rmat6", out)
        out = self.succeed("db", "features", "r.sqlite", "--workloads", "rmat6", "road6", "road7", "del6")
        self.assertIn("r.sqlite: 3 workloads, 6 features added, 2 changed", out)
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            self.assertEqual(database.execute("SELECT * FROM workload_feature ORDER BY workload, name").fetchall(),
                             before)
        self.succeed("selector", "train", "r.sqlite", "--features", "all", "--output", "completed.json")
        self.assertEqual(self.read("completed.json"), whole)

    def asked(self, model):
        return json.loads(self.read(model))["inputs"]["features"]

    def compact_record_is_as_good(self, model):
        out = self.succeed("db", "compact", "c.sqlite", "r.sqlite")
        self.assertIn(f"c.sqlite: {SMALL_TRIALS} finished trials", out)
        self.succeed("selector", "train", "c.sqlite", "--output", "compact.json")
        self.assertEqual(self.read("compact.json"), model)
        for command in (("db", "status", "c.sqlite"),
                        ("db", "query", "SELECT count(*) FROM relative", "c.sqlite"),
                        ("selector", "picks", "c.sqlite", "--model", "model.json")):
            self.succeed(*command)
        self.refuse("db", "compact", "c.sqlite", "r.sqlite", says=["c.sqlite", "exists"])
        self.refuse("db", "compact", "n.sqlite", "none.sqlite", says="none.sqlite")
        self.assertFalse([name for name in self.names() if name.startswith("n.sqlite")])

    def evaluations(self, small):
        folds = ("--folds", "3", "--repeats", "2")
        out = self.succeed("selector", "evaluate", "r.sqlite", *small, *folds, "--output", "choices.csv")
        strategies = ("combined", "boosted", "kernel", "forest", "tree, 8 leaves", "best fixed", "paper's rules",
                      "program's rules", "oracle, with noise", "best candidate", "oracle")
        for strategy in strategies:
            self.assertIn(f"\n{strategy} ", out)
        choices = list(csv.DictReader(io.StringIO(self.read("choices.csv").decode())))
        self.assertEqual(len(choices), len(strategies) * 3 * 2)
        self.assertIn("The protocol of MLMQ 5.5", out)
        self.assertTrue(all(float(row["relative"]) == 1 for row in choices if row["strategy"] == "oracle"))
        out = self.succeed("selector", "evaluate", "r.sqlite", *small, *folds, "--method", "forest,boosted")
        self.assertIn("\nforest ", out)
        self.assertNotIn("\nkernel ", out)
        self.write("groups.txt", "# evaluated\nroad6\r\nrmat6\n")
        out = self.succeed("selector", "evaluate", "r.sqlite", *small, *folds, "--method", "boosted", "--test-groups",
                           "groups.txt")
        self.assertIn("2 workloads in 2 groups, 2-fold", out)
        self.assertIn("Learned from, but not evaluated on: 1 workloads", out)
        self.write("groups.txt", "road6\nroads\n")
        self.refuse("selector", "evaluate", "r.sqlite", "--test-groups", "groups.txt", says=["1 of 2", "'roads'"])
        self.write("groups.txt", "# none\n")
        self.refuse("selector", "evaluate", "r.sqlite", "--test-groups", "groups.txt", says="names no groups")
        curve = list(csv.DictReader(io.StringIO(self.succeed("selector", "curve", "r.sqlite", *folds,
                                                             "--points", "2"))))
        self.assertEqual([row["share"] for row in curve], ["0.5", "1"])
        table = self.succeed("selector", "candidates", "r.sqlite", "--tolerance", "0").splitlines()
        self.assertEqual(table[-1].split()[1], "100.0%")
        self.assertEqual(len(self.succeed("selector", "candidates", "r.sqlite", "--candidates", "1").splitlines()), 2)
        self.assertIn("%", self.succeed("selector", "importance", "model.json"))
        self.assertRegex(self.succeed("selector", "predict", "road7", "--time"), r"choosing takes \d+\.\d\d us\n$")
        self.refuse("selector", "train", "r.sqlite", "--method", "guess", says=["'guess'", "boosted, kernel, forest"])
        self.refuse("selector", "train", "r.sqlite", "--method", "forest,boosted", says="one method")
        self.refuse("selector", "evaluate", "r.sqlite", "--group", "kind", says=["'kind'", "workload, family"])


class Places(ProgramTest):
    """A record of a device and of processors: simulated times are passed off as those of a GPU."""

    SPACE = """\
name: {name}
problem: sssp
configurations:
{configurations}
workloads:
  - generate: [road5, road6, road7, del5, del6, del7, rmat5, rmat6, rmat7, grid5, grid8, grid12, path20,
               path60, cycle30, star40]
queries: {{count: 1, choose: max_degree}}
measurement: {{warmup: 0, repeats: 1, time_limit_ms: 2000, counters: false, seed: 1}}
"""

    def test_both_places(self):
        gpu = "  - {l1: none, threads: 64}\n  - {l1: vector, threads: 64}"
        cpu = "  - {solver: dijkstra}\n  - {solver: delta_stepping, cpu_delta: 8}"
        self.write("gpu.yaml", self.SPACE.format(name="gpu", configurations=gpu))
        self.write("cpu.yaml", self.SPACE.format(name="cpu", configurations=cpu))
        self.succeed("sweep", "gpu.yaml", "--db", "gpu.sqlite", "--device", DEVICE)
        self.succeed("sweep", "cpu.yaml", "--db", "cpu.sqlite", "--device", "cpu:2")
        # A model of modelled times expects no times of searches.
        self.succeed("selector", "train", "gpu.sqlite", "--output", "modelled.json")
        self.assertNotIn("times", json.loads(self.read("modelled.json")))
        self.pretend_gpu("gpu.sqlite")
        self.succeed("selector", "train", "gpu.sqlite", "--output", "alone.json")
        self.assertEqual(json.loads(self.read("alone.json"))["times"]["problem"], "sssp")
        # The device is the subject of a record of both: separate files, one merged file, and a compact file.
        self.succeed("db", "merge", "both.sqlite", "gpu.sqlite", "cpu.sqlite")
        self.succeed("db", "compact", "compact.sqlite", "cpu.sqlite", "gpu.sqlite")
        self.assertIn("measured times of a GPU", self.succeed("selector", "train", "gpu.sqlite", "cpu.sqlite"))
        self.assertEqual(self.read("model.json"), self.read("alone.json"))
        for name in ("both", "compact"):
            self.succeed("selector", "train", f"{name}.sqlite", "--output", f"{name}.json")
            self.assertEqual(self.read(f"{name}.json"), self.read("alone.json"))
        few = ["--folds", "4", "--repeats", "1"]
        for command in (["candidates"], ["curve", "--points", "2", *few], ["picks"],
                        ["evaluate", "--method", "kernel", *few]):
            self.assertEqual(self.succeed("selector", command[0], "both.sqlite", *command[1:]),
                             self.succeed("selector", command[0], "gpu.sqlite", *command[1:]))
        out = self.succeed("selector", "evaluate", "gpu.sqlite", "--method", "kernel", *few)
        self.assertRegex(out, r"Expected times of unseen workloads: mean factor \d+\.\d\d from .*, \d+\.\d\d by size")
        picks = list(csv.DictReader(io.StringIO(self.succeed("selector", "picks", "both.sqlite", "--format", "csv"))))
        self.assertEqual(len(picks), 16)
        self.assertFalse(any("solver=" in row["best_configuration"] for row in picks))
        # A model for the processors alone.
        self.succeed("selector", "train", "both.sqlite", "--device", "2 threads", "--output", "cpu.json")
        # A model that expects times chooses for any device.
        self.succeed("solve", "road7", "--device", "cpu", "--model", "both.json", "--check")
        self.solve("road7", "--model", "both.json", "--check")
        self.succeed("selector", "export", "both.json", "--output", "both.hpp")
        self.assertIn("runtime::times times{", self.read("both.hpp").decode())

    def test_what_is_recorded(self):
        experiments = pathlib.Path(__file__).resolve().parents[2] / "experiments"
        out = self.succeed("sweep", str(experiments / "candidates_cpu.yaml"),
                           "--workloads", str(experiments / "dataset.yaml"),
                           "--device", "cpu", "--dry-run")
        self.assertIn("3 configurations, 6138 trials", out)

    def pretend_gpu(self, name):
        record = sqlite3.connect(self.path(name))
        record.execute("UPDATE device SET kind = 'cuda', name = 'a GPU'")
        record.execute("UPDATE trial SET times_modelled = 0")
        record.commit()
        record.close()


class ShippedSelector(ProgramTest):
    """The shipped selectors are those that `mlmq selector train` makes from the recorded trials."""

    def check(self, recorded, problem, method):
        root = pathlib.Path(__file__).resolve().parents[2]
        files = [root / "experiments/recorded" / name for name in recorded]
        if not all(file.exists() for file in files):
            self.skipTest(f"no {files}")
        self.succeed("selector", "train", *map(str, files), "--method", method)
        shipped = root / "selector/shipped" / f"{problem}.json"
        self.assertEqual(self.read("model.json"), shipped.read_bytes(), "train it again: docs/guide/selector.md")
        self.succeed("selector", "export", "model.json", "--output", "trained.hpp")
        self.succeed("selector", "export", str(shipped), "--output", "shipped.hpp")
        self.assertEqual(self.read("trained.hpp"), self.read("shipped.hpp"))

    def test_shortest_paths(self):
        self.check(["joint.trials"], "sssp", "combined")

    def test_simulations(self):
        self.check(["phold.trials"], "phold", "boosted")

    def test_path_finding(self):
        self.check(["astar.trials"], "astar", "boosted")


if __name__ == "__main__":
    program_test.main()
