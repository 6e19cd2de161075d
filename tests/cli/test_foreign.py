# SPDX-License-Identifier: Apache-2.0
"""Files of other auto-tuners: 'mlmq replay' and 'mlmq db import' on Kernel Tuner caches and T4; the data set."""

import csv
import hashlib
import io
import itertools
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile

import program_test
from program_test import SMALL_SPACE, ProgramTest, main


def kernel_tuner_cache(failing=3):
    """Returns a cache of 60 configurations whose time is a smooth function; those with x == `failing` fail."""
    cache = {}
    for x, y, wide in itertools.product(range(1, 7), (1, 2, 4, 8, 16), (0, 1)):
        time = "RuntimeFailedConfig" if x == failing else 1 + abs(x - 5) + abs(y - 4) / 4 + wide / 8
        cache[f"{x},{y},{wide}"] = {"x": x, "y": y, "wide": wide, "time": time, "compile_time": 100}
    return {"device_name": "GPU 1", "kernel_name": "blur", "problem_size": [64, 64],
            "tune_params_keys": ["x", "y", "wide"],
            "tune_params": {"x": [1, 2, 3, 4, 5, 6], "y": [1, 2, 4, 8, 16], "wide": [0, 1]},
            "objective": "time", "cache": cache}


def t1_input(condition="x <= 6"):
    return {"ConfigurationSpace": {
        "TuningParameters": [{"Name": "x", "Type": "int", "Values": "[i for i in range(1, 7)]"},
                             {"Name": "y", "Type": "int", "Values": "[2**i for i in range(5)]"},
                             {"Name": "wide", "Type": "int", "Values": "[0, 1]"}],
        "Conditions": [{"Expression": condition, "Parameters": ["x"]}]}}


class Foreign(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("cache.json.gz", json.dumps(kernel_tuner_cache()))
        self.write("t1.json", json.dumps(t1_input()))

    def test_replay(self):
        out = self.succeed("replay", "cache.json.gz", "--seeds", "5", "--budget", "20", "--strategies", "random,model")
        self.assertIn("blur 64x64 on GPU 1: 60 configurations, best 1 ms", out)
        document = json.loads(self.succeed("replay", "cache.json.gz", "--t1", "t1.json", "--seeds", "5", "--budget",
                                           "20", "--strategies", "random,model", "--format", "json"))
        self.assertEqual(document["schema"], "mlmq/replay")
        workload = document["workloads"][0]
        self.assertEqual((workload["configurations"], workload["failed"], workload["budget"]), (60, 10, 20))
        by_name = {strategy["strategy"]: strategy for strategy in workload["strategies"]}
        self.assertEqual(by_name["model"]["converged"], 5)
        self.assertLess(by_name["model"]["evaluations"]["median"], 20)

    def test_part_of_a_space(self):
        self.write("wider.json", json.dumps(t1_input("x <= 7 and 0 <= y <= 8")))
        out = self.succeed("replay", "cache.json.gz", "--t1", "wider.json", "--seeds", "2")
        self.assertIn("not the whole space", out)

    def test_score(self):
        arguments = ("replay", "cache.json.gz", "cache.json.gz", "--score", "--seeds", "5",
                     "--strategies", "random,model")
        out = self.succeed(*arguments, "--output", "scores.csv")
        self.assertIn("score P from 1 % to 96 %", out)
        header = "workload,device,configurations,failed,evaluations,seconds,random,model"
        self.assertIn(header, self.read("scores.csv").decode())
        document = json.loads(self.succeed(*arguments, "--format", "json"))
        self.assertEqual(document["schema"], "mlmq/replay-score")
        self.assertEqual(len(document["spaces"]), 2)
        random, model = document["strategies"]
        self.assertLess(random["score"], 0.5)
        self.assertGreater(model["score"], random["score"])
        self.assertLessEqual(model["lower"], model["score"])
        self.assertLessEqual(model["over_time"]["lower"], model["over_time"]["score"])
        self.assertGreater(model["over_time"]["score"], random["over_time"]["score"])
        self.refuse(*arguments, "--score-from", "0.9", "--score-to", "0.5", says="--score-from")

    def test_exports_come_back(self):
        self.write("small.yaml", SMALL_SPACE)
        self.sweeps("small.yaml", "--db", "r.sqlite")
        for form in ("t4", "kernel-tuner-cache"):
            self.succeed("db", "export", "r.sqlite", "--format", form, "--output", form + "/", "--quiet")
            name = next(name for name in sorted(os.listdir(self.path(form))) if name.endswith(".json"))
            self.assertIn("2 configurations", self.succeed("replay", f"{form}/{name}", "--seeds", "1"))

    def test_import(self):
        out = self.succeed("db", "import", "d.sqlite", "cache.json.gz", "--t1", "t1.json")
        self.assertIn("60 new trials, 10 of them failed; 0 already present", out)
        out = self.succeed("db", "import", "d.sqlite", "cache.json.gz", "--t1", "t1.json")
        self.assertIn("60 already present", out)
        with sqlite3.connect(self.path("d.sqlite")) as database:
            rows = dict(database.execute("SELECT outcome, count(*) FROM trial GROUP BY 1"))
        self.assertEqual(rows, {"ok": 50, "launch_error": 10})
        out = self.succeed("replay", "d.sqlite", "--seeds", "3", "--strategies", "random,local")
        self.assertIn("64x64 on GPU 1: 60 configurations, best 1 ms", out)
        self.assertIn("imported", self.succeed("db", "status", "d.sqlite"))
        names = "--kernel", "k", "--device", "GPU 2", "--workload", "w"
        self.succeed("db", "import", "n.sqlite", "cache.json.gz", *names)
        self.assertIn("w on GPU 2", self.succeed("replay", "n.sqlite", "--seeds", "1", "--strategies", "random"))

    def test_wrong_files(self):
        whole = json.dumps(kernel_tuner_cache())
        self.write("cut.json", whole[:len(whole) // 2])
        self.write("t4.json", json.dumps({"results": [{"configuration": {"x": 1}}]}))
        self.write("empty.json", "")
        self.write("failed.json", json.dumps(kernel_tuner_cache()).replace("\"time\": ", "\"time\": 1e20, \"was\": "))
        for command in (("replay",), ("db", "import", "d.sqlite")):
            self.refuse(*command, "cut.json", says=("cut.json", "truncated"))
            self.refuse(*command, "t4.json", says=("t4.json", "missing 'invalidity'"))
            self.refuse(*command, "none.json", says="none.json")
            says = "cache.json.gz", "ConfigurationSpace"
            self.refuse(*command, "cache.json.gz", "--t1", "cache.json.gz", says=says)
        self.assertNotIn("d.sqlite", self.names())
        self.refuse("replay", "empty.json", says="empty.json")
        self.refuse("replay", "failed.json", says="every configuration failed")
        self.refuse("replay", "--t4", "t1.json", says="--t1")
        self.refuse("replay", "cache.json.gz", "--strategies", "model+selector", says="model+selector")


class Dataset(ProgramTest):
    """scripts/dataset, the record as T1 and T4."""

    def make(self, *arguments, code=0):
        script = os.path.join(os.path.dirname(__file__), "..", "..", "scripts", "dataset")
        done = subprocess.run([sys.executable, "-B", script, program_test.PROGRAM, *arguments], cwd=self.folder,
                              text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr

    def test_dataset(self):
        self.write("small.yaml", SMALL_SPACE.replace("counters: true", "counters: false"))
        self.sweeps("small.yaml", "--db", "r.sqlite")
        self.assertIn("6 results on 3 inputs", self.make("set", "--record", "r.sqlite", "--archive", "set.tar"))
        sums = self.read("set/SHA256SUMS").decode().splitlines()
        for line in sums:
            digest, name = line.split("  ")
            self.assertEqual(digest, hashlib.sha256(self.read(f"set/{name}")).hexdigest())
        files = {line.split("  ")[1] for line in sums}
        self.assertLessEqual({"README.md", "LICENSE", "inputs.csv", "metadata.json"}, files)
        results = sorted(name for name in files if name.startswith("t4/"))
        t1 = next(name for name in files if name.startswith("t1/"))
        self.assertEqual((len(results), len(files)), (3, 8))
        out = self.succeed("replay", "--t4", f"set/{results[0]}", "--t1", f"set/{t1}", "--seeds", "1")
        self.assertIn("2 configurations", out)
        rows = list(csv.DictReader(io.StringIO(self.read("set/inputs.csv").decode())))
        self.assertEqual(sorted(row["name"] for row in rows), ["del6", "rmat6", "road6"])
        self.assertTrue(all(float(row["avg_nnz"]) > 0 for row in rows))
        with tarfile.open(self.path("set.tar")) as archive:
            archived = {member.name for member in archive if member.isfile()}
        self.assertEqual(archived, {f"set/{name}" for name in files | {"SHA256SUMS"}})
        first = self.read("set.tar")
        self.assertIn("exists", self.make("set", "--record", "r.sqlite", code=2))
        shutil.rmtree(self.path("set"))
        self.make("set", "--record", "r.sqlite", "--archive", "set.tar")
        self.assertEqual(self.read("set.tar"), first)


if __name__ == "__main__":
    main()
