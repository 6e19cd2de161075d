# SPDX-License-Identifier: Apache-2.0
"""'mlmq sweep' and 'mlmq replay': experiment files, searches, interrupted sweeps."""

import contextlib
import csv
import io
import os
import pty
import random
import re
import select
import signal
import sqlite3
import subprocess
import time

import program_test  # in this folder
from graph_files import FORMATS, random_graph
from program_test import (DEVICE, TIME_LIMIT_S, SMALL_SPACE, SMALL_TRIALS, ProgramTest, samples, with_deltas,
                          without_progress)


class Experiments(ProgramTest):
    """Invalid experiment files."""

    WORKLOADS = "workloads: [{generate: road6, queries: {source: 0}}]\n"
    START = "name: x\nproblem: sssp\n"
    SPACE = "parameters: {threads: [64]}\n"

    def wrong(self, text, *parts):
        self.write("x.yaml", text)
        self.refuse("sweep", "x.yaml", "--db", "x.sqlite", "--device", "simt", says=parts)

    def test_files_that_cannot_be_read(self):
        os.mkdir(self.path("g"))
        self.succeed("graph", "generate", "road5", "g/good.wel")
        self.write("g/broken.gr", "p sp 3 1\na 1 9 1\n")
        self.write("g/negative.wel", "1 2 -3\n")
        self.write("x.yaml", self.START + self.SPACE + self.WORKLOADS)
        sweep = ("sweep", "x.yaml", "--device", "simt", "--workloads")
        # Files that were found are left out.
        for number, (name, count, reasons) in enumerate((
                ("g", "2 files cannot", ("broken.gr:2: vertex 9 is out of range", "negative.wel:1: weight '-3'")),
                ("g/*.*", "2 files cannot", ("broken.gr:2: vertex 9 is out of range",)),
                ("g/[bg]*", "1 file cannot", ("broken.gr:2: vertex 9 is out of range",)))):
            code, output, errors = self.run_program(*sweep, name, "--db", f"{number}.sqlite")
            self.assertEqual(code, 0, errors)
            for text in (output, errors):
                self.assertIn(count, text)
                for reason in reasons:
                    self.assertIn(reason, text)
            self.assertRegex(output, r"^(\d+) of \1 trials done")
        # A named file is an error, and so is a folder of which nothing is left.
        self.refuse(*sweep, "g/good.wel", "g/broken.gr", "--db", "n.sqlite", says=["broken.gr:2: vertex 9"])
        self.refuse(*sweep, "g", "--negative-weights", "refuse", "--db", "n.sqlite", says=["negative.wel:1:"])
        os.remove(self.path("g/good.wel"))
        self.refuse(*sweep, "g", "--db", "n.sqlite", says=["none of the 2 workloads can be used"])

    def test_keys(self):
        start, space, workloads = self.START, self.SPACE, self.WORKLOADS
        self.wrong("", "x.yaml", "empty")
        self.wrong("hello\n", "x.yaml", "map")
        self.wrong("- a\n", "x.yaml", "map")
        self.wrong("name: {x\n", "x.yaml:", "YAML")
        self.wrong("name: x\n\tproblem: y\n", "x.yaml:2:")
        self.wrong("a: *b\n", "x.yaml:1:")
        self.wrong("[" * 100000, "x.yaml:")
        self.wrong(b"\xff\xfe\0\0", "x.yaml")
        self.wrong(start + space, "'workloads'")
        self.wrong(start + workloads, "'parameters'")
        self.wrong("problem: sssp\n" + space + workloads, "'name'")
        self.wrong("name: x\n" + space + workloads, "'problem'")
        self.wrong(start + space + workloads + "workload: 1\n", "x.yaml:5:", "'workload'", "did you mean 'workloads'?")
        self.wrong(start + space + workloads + "name: y\n", "x.yaml:5:", "'name'", "twice")
        self.wrong(start + space + workloads + "---\nname: y\n", "x.yaml:", "second document")
        self.wrong("name: x\nproblem: sspp\n" + space + workloads, "x.yaml:2:", "'sspp'", "sssp")
        self.wrong("name: ''\nproblem: sssp\n" + space + workloads, "x.yaml:1:", "'name'")
        self.wrong(start + space + workloads + "measurement: {repeat: 3}\n", "x.yaml:5:", "did you mean 'repeats'?")
        self.wrong(start + space + workloads + "measurement: {repeats: 0}\n", "x.yaml:5:", "'repeats'")
        self.wrong(start + space + workloads + "measurement: {repeats: 99999999999999999999}\n", "x.yaml:5:",
                   "'repeats'")
        self.wrong(start + space + workloads + "measurement: {time_limit_ms: -1}\n", "x.yaml:5:", "'time_limit_ms'")
        self.wrong(start + space + workloads + "strategy: {name: randm, count: 3}\n", "x.yaml:5:",
                   "did you mean 'random'?")
        self.wrong(start + space + workloads + "strategy: {name: random}\n", "x.yaml:5:", "'count'")
        self.wrong(start + space + workloads + "queries: {choose: most}\n", "x.yaml:5:", "max_degree")
        self.assertEqual(self.names(), ["x.yaml"])

    def test_spaces(self):
        start, workloads = self.START, self.WORKLOADS
        for parameters, parts in [("{threads: []}", ["'threads'", "no values"]),
                                  ("{threads: }", ["'threads'", "no values"]),
                                  ("{threads: {}}", ["'threads'", "no values"]), ("{}", ["'parameters'"]),
                                  ("{thread: [64]}", ["did you mean 'threads'?"]),
                                  ("{x: [1]}", ["unknown parameter 'x'"]),
                                  ("{threads: [64, abc]}", ["abc", "64 to 1024"]), ("{threads: [1]}", ["64 to 1024"]),
                                  ("{threads: [-64]}", ["64 to 1024"]), ("{threads: [64, 64]}", ["twice"]),
                                  ("{threads: [99999999999999999999]}", ["does not fit a signed 64-bit integer"]),
                                  ("{l1: [vectr]}", ["none, vector"]),
                                  ("{threads: {range: {from: 64, to: 32, step: 8}}}", ["'to'", "below"]),
                                  ("{threads: {range: {from: 64, to: 128, step: 0}}}", ["'step'"]),
                                  ("{threads: {range: {from: 64, to: 128, factor: 1}}}", ["'factor'"]),
                                  ("{threads: {range: {from: 64, to: 128}}}", ["'step'", "'factor'"]),
                                  ("{threads: {range: {from: 64}}}", ["'to'"]),
                                  ("{delta: {range: {from: 1, to: 1e9, step: 1e-3}}}", ["more than 1000000"]),
                                  ("{threads: {values: [64], wen: l1 == none}}", ["did you mean 'when'?"]),
                                  ("{threads: {values: [64], bind: launch}}", ["compile"]),
                                  ("{delta: {values: [1], unit: meters}}", ["average_weight"])]:
            self.wrong(start + f"parameters: {parameters}\n" + workloads, "x.yaml:3:", *parts)
        for restrictions, parts in [("[threads < 32]", ["no configuration", "'threads < 32'"]),
                                    ("[threads > 32, threads < 64]", ["no configuration", "'threads < 64'"]),
                                    ("[thread < 64]", ["did you mean 'threads'?"]), ("['threads <']", ["threads <"]),
                                    ("['(threads']", ["(threads"]), ("threads", ["list"]),
                                    ("['" + "(" * 100000 + "threads']", [])]:
            self.wrong(start + self.SPACE + f"restrictions: {restrictions}\n" + workloads, "x.yaml:4:", *parts)
        for configuration, parts in [("{l1: none, wb: 8}", ["l1 == vector"]), ("{foo: 1}", ["'foo'"]),
                                     ("{threads: 1}", ["64 to 1024"])]:
            self.wrong(start + self.SPACE + f"configurations: [{configuration}]\n" + workloads, "x.yaml:4:", *parts)
        self.assertEqual(self.names(), ["x.yaml"])

    def test_workloads(self):
        self.write("bad.gr", "p sp 2 2\na 1 2 3\n")
        os.mkdir(self.path("empty"))
        for workloads, parts in [("[]", ["'workloads'"]), ("road6", ["list"]), ("[road6]", ["map"]),
                              ("[{generat: road6}]", ["did you mean 'generate'?"]),
                              ("[{generate: roda6}]", ["'road'?"]), ("[{generate: road99}]", ["2 to 30"]),
                              ("[{file: none.gr}]", ["'none.gr'"]), ("[{file: '*.none'}]", ["'*.none'"]),
                              ("[{generate: road6, file: bad.gr}]", ["either"]),
                              ("[{generate: road6, queries: {source: 999}}]", ["source 999"]),
                              ("[{generate: road6, queries: {source: -1}}]", ["'-1'"]),
                              ("[{generate: road6, queries: []}]", ["empty"])]:
            self.wrong(self.START + self.SPACE + f"workloads: {workloads}\n", "x.yaml:4:", *parts)
        self.wrong(self.START + self.SPACE + "workloads: [{file: bad.gr}]\n", "bad.gr:2:")
        self.wrong(self.START + self.SPACE + "workloads: [{file: empty}]\n", "empty", "folder")
        self.write("x.yaml", self.START + self.SPACE + self.WORKLOADS)
        self.write("notes.md", "no graph\n")
        self.write("list.yaml", "workloads: []\n")
        for workloads, parts in [("none", "'none'"), ("none.gr", "no file"), ("./road6", "no file"),
                                 ("*.none", "no file"),
                              ("empty", "no graph files"), ("bad.gr", "bad.gr:2:"),
                              ("notes.md", ".mtx"), ("list.yaml", "list.yaml:1:"), ("none.yaml", "none.yaml")]:
            self.refuse("sweep", "x.yaml", "--db", "x.sqlite", "--device", DEVICE, "--workloads", workloads, says=parts)

    def test_measurements_that_need_a_gpu(self):
        for key, value in (("energy", "true"), ("hardware_counters", "[dram]")):
            self.write("x.yaml", self.START + self.SPACE + self.WORKLOADS + f"measurement: {{{key}: {value}}}\n")
            for device in (DEVICE, "cpu"):
                self.refuse("sweep", "x.yaml", "--db", "x.sqlite", "--device", device,
                            says=(f"'{key}' needs an NVIDIA GPU", device))

    def test_nothing_is_made_for_a_mistake(self):
        self.write("x.yaml", self.START + self.SPACE + self.WORKLOADS)
        for arguments in (["none.yaml"], ["."], ["x.yaml", "--device", "none"], ["x.yaml", "--workloads", "none.gr"]):
            self.refuse("sweep", *arguments, "--db", "x.sqlite")
        self.assertEqual(self.names(), ["x.yaml"])

    def test_workloads_named_on_the_command_line(self):
        os.mkdir(self.path("graphs"))
        for name, made in FORMATS.items():
            self.write("graphs/" + name, made(random_graph(2)))
        self.write("graphs/readme.md", "not a graph")
        self.write("x.yaml",
                   self.START + self.SPACE + self.WORKLOADS + "measurement: {warmup: 0, repeats: 1, counters: false}\n")
        code, out, errors = self.run_program("sweep", "x.yaml", "--db", "x.sqlite", "--device", DEVICE, "--workloads",
                                             "graphs", "path5")
        # The four files contain one graph; in two of them, ids count from 1. One note names them.
        self.assertEqual(code, 0, errors)
        self.assertEqual(errors.count("equal content"), 1, errors)
        self.assertIn("mlmq: note: workloads with equal content are measured once: dimacs = market, galois = snap\n",
                      errors)
        self.assertRegex(out, r"^(\d+) of \1 trials done")
        self.assertIn("path5", self.succeed("db", "query", "SELECT DISTINCT workload FROM result", "x.sqlite"))

    def test_negative_weights(self):
        self.write("good.wel", "1 2 3\n2 3 4\n3 1 5\n")
        self.write("bad.wel", "1 2 3\n2 3 -4\n3 1 5\n")
        start = self.START + self.SPACE + "measurement: {warmup: 0, repeats: 1, counters: false}\nworkloads:\n"
        self.write("open.yaml", start + "  - {file: '*.wel', queries: {source: 1}}\n")
        sweep = ("--db", "x.sqlite", "--device", DEVICE)
        refused = ["bad.wel:2: weight '-4' is negative", "--negative-weights absolute"]
        # Found by a pattern it is left out, unless the command line says otherwise.
        code, out, errors = self.run_program("sweep", "open.yaml", "--db", "other.sqlite", "--device", DEVICE)
        self.assertEqual(code, 0, errors)
        self.assertIn("1 file cannot be used and is left out: ", out)
        self.assertIn(refused[0], out)
        self.refuse("sweep", "open.yaml", *sweep, "--negative-weights", "refuse", says=refused)
        self.write("named.yaml", start + "  - {file: bad.wel, queries: {source: 1}}\n")
        self.refuse("sweep", "named.yaml", *sweep, says=refused)
        code, out, errors = self.run_program("sweep", "open.yaml", *sweep, "--negative-weights", "absolute")
        self.assertEqual(code, 0, errors)
        self.assertRegex(out, r"^2 of 2 trials done")
        self.assertIn("bad.wel: negative weights: 1, taken as their absolute values\n", errors)
        # The two graphs now have the same weights, but are different graphs.
        with contextlib.closing(sqlite3.connect(self.path("x.sqlite"))) as database:
            rows = database.execute("SELECT w.name, count(*), min(t.outcome) FROM trial t JOIN workload w ON w.id = "
                                    "t.workload GROUP BY w.id ORDER BY w.name").fetchall()
        self.assertEqual(rows, [("bad", 1, "ok"), ("good", 1, "ok")])
        # Both graphs are found again, although the record does not say how the file was read.
        code, out, errors = self.run_program("verify", "x.sqlite", "--device", "simt")
        self.assertEqual(code, 0, errors)
        self.assertIn("2 of 2 finished trials run again; wrong answers: 0", out)
        self.assertIn("2 trials", self.succeed("sweep", "open.yaml", "--dry-run", "--negative-weights", "absolute"))

        # Settings of an entry are neither changed nor ignored.
        self.write("said.yaml", start + "  - {file: bad.wel, negative_weights: absolute, queries: {source: 1}}\n")
        code, out, errors = self.run_program("sweep", "said.yaml", *sweep, "--negative-weights", "absolute")
        self.assertEqual(code, 0, errors)
        self.assertRegex(out, r"^1 of 1 trials done")
        for command in (["sweep", "said.yaml", *sweep],
                        ["tune", "said.yaml", "--space", "open.yaml", "--device", "simt"]):
            self.refuse(*command, "--negative-weights", "refuse",
                        says=["said.yaml:6: 'negative_weights'", "absolute, but the command line says refuse"])
        self.refuse("sweep", "open.yaml", *sweep, "--workloads", "road5", "--negative-weights", "absolute",
                    says=["negative_weights", "no workload is a file"])
        self.refuse("sweep", "open.yaml", *sweep, "--negative-weights", "drop", says="--negative-weights")

    def test_processors(self):
        self.write("x.yaml", self.START + self.WORKLOADS + "parameters: {solver: [mlmq, boost_dijkstra, dijkstra, "
                   "delta_stepping], cpu_delta: {values: [0.5, 8], when: solver == delta_stepping}}\n"
                   "measurement: {warmup: 1, repeats: 3, counters: true}\n")
        # A configuration that does not fit the device is recorded as an outcome, and the sweep continues.
        out = self.succeed("sweep", "x.yaml", "--db", "x.sqlite", "--device", "cpu:2")
        self.assertRegex(out, r"^10 of 10 trials done")
        self.assertIn("in timed samples on the processors", out)
        self.assertNotIn("compiled", out)
        with contextlib.closing(sqlite3.connect(self.path("x.sqlite"))) as database:
            outcomes = database.execute("SELECT outcome, count(*), min(message) FROM trial GROUP BY outcome").fetchall()
            self.assertEqual([row[:2] for row in outcomes], [("constraint", 2), ("ok", 8)])
            self.assertIn("delta_stepping", outcomes[0][2])
            self.assertEqual(database.execute("SELECT count(*) FROM sample").fetchone(), (12,))
            self.assertEqual(database.execute("SELECT DISTINCT kind FROM device").fetchall(), [("cpu",)])
            self.assertEqual(database.execute("SELECT sum(times_modelled) FROM trial").fetchone(), (0,))
            names = {row[0] for row in database.execute("SELECT DISTINCT name FROM counter")}
            self.assertIn("relaxations", names)


class Saturated(ProgramTest):
    """Distances beyond 32 bits are wrong answers in sweeps and comparisons, as in searches."""

    FAR = "0 1 3000000000\n1 2 3000000000\n2 3 1\n"
    SAYS = "far: a distance is beyond 32 bits; scale the weights down, or use --weights float64 (weight_type)"

    def space(self, sources):
        return SMALL_SPACE.split("workloads:", maxsplit=1)[0].replace(
            "[none, vector]", "[vector]") + f"workloads: [{{file: far.txt, queries: {{source: {sources}}}}}]\n" + (
            "measurement: {warmup: 0, repeats: 2, counters: true, seed: 1}\n")

    @staticmethod
    def on_processors(space):
        return space.replace("l1: [vector]", "solver: [dijkstra]").replace("  threads: [64]\n", "")

    def test_sweep(self):
        self.write("far.txt", self.FAR)
        said = self.refuse("solve", "far.txt", "--source", "0", "--device", "simt", code=1, prints=True)
        self.assertIn(self.SAYS, said)
        for device in ("simt", "cpu"):
            space = self.space("0")
            self.write("s.yaml", space if device == "simt" else self.on_processors(space))
            code, output, errors = self.run_program("sweep", "s.yaml", "--db", f"{device}.sqlite", "--device", device)
            self.assertEqual(code, 1, errors)
            self.assertIn("(failed: 2 overflow)", output)
            table = self.succeed("db", "query", "--format", "csv",
                                 "SELECT measurement, outcome, median_ms, samples, message FROM result ORDER BY trial",
                                 f"{device}.sqlite")
            self.assertEqual(list(csv.reader(table.splitlines()[1:])),
                             [["time", "overflow", "", "0", self.SAYS], ["counters", "overflow", "", "0", self.SAYS]])
        self.assertEqual(self.succeed("db", "query", "--format", "csv", "SELECT count(*) FROM relative",
                                      "simt.sqlite").split(), ["count(*)", "0"])
        self.assertNotIn("best configuration", self.succeed("db", "status", "simt.sqlite"))
        self.refuse("selector", "train", "simt.sqlite", "--output", "m.json", says="no candidate solved any workload")

    def test_an_input_without_right_answers_teaches_nothing(self):
        """Distances from vertex 2 are right, those from 0 overflow."""
        self.write("far.txt", self.FAR)
        self.write("s.yaml", self.space("[0, 2]").replace("[vector]", "[none, vector]"))
        self.assertIn("(failed: 4 overflow)", self.sweeps("s.yaml", "--db", "r.sqlite"))  # of eight
        self.write("near.yaml", self.space("2").replace("[vector]", "[none, vector]"))
        self.assertIn("(no failures)", self.sweeps("near.yaml", "--db", "near.sqlite"))
        # One input is too little for a model, but the summaries of both databases agree.
        outputs = [self.succeed("selector", "candidates", database) for database in ("r.sqlite", "near.sqlite")]
        self.assertEqual(*outputs)

    def test_compare(self):
        self.write("far.txt", self.FAR)
        self.write("ours.yaml", self.on_processors(self.space("0")))
        self.write("peer.sh", "#!/bin/sh\nwhile read line; do :; done < $1\necho time 1 ms\necho reached 4\n")
        os.chmod(self.path("peer.sh"), 0o755)
        self.write("peers.yaml",
                   "peers:\n  - name: other\n    device: cpu\n    program: ./peer.sh\n    command: ['{program}', "
                   "'{graph}', '{source}', '{repeat}']\n    format: wel\n    warmup: 0\n    time_limit_s: 20\n"
                   "    time: {pattern: 'time ([0-9.]+)', unit: ms}\n    answer: {reached: 'reached ([0-9]+)'}\n")
        code, out, notes = self.run_program("compare", "--configurations", "ours.yaml", "--competitors", "ours.yaml",
                                            "--device", "cpu", "--peers", "peers.yaml", "--db", "c.sqlite", "--format",
                                            "csv", "--output", "table.csv")
        self.assertEqual((code, out), (0, ""))
        self.assertIn("overflow: " + self.SAYS, notes)
        with open(self.path("table.csv"), encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["workload"] == "far"]
        self.assertEqual([(row["contestant"], row["outcome"], row["ms"]) for row in rows],
                         [("dijkstra", "overflow", ""), ("other", "overflow", "")])


class Searching(ProgramTest):
    """Strategies that learn, and their replay."""

    SPACE = with_deltas("[0.5, 1, 2, 4, 8, 16, 32]").replace("counters: true", "counters: false")

    def setUp(self):
        super().setUp()
        self.write("all.yaml", self.SPACE)

    def search(self, strategy):
        self.write("s.yaml", self.SPACE + f"strategy: {{{strategy}}}\n")
        return "s.yaml", "--db", "s.sqlite"

    def test_every_strategy(self):
        for name in ("local", "annealing", "genetic", "model"):
            command = self.search(f"name: {name}, budget: 6, batch: 2, seed: 3, warm_start: selector")
            self.assertIn("18 of 18 trials done", self.sweeps(*command))
            self.assertIn(" 0 in this run", self.sweeps(*command))
            os.remove(self.path("s.sqlite"))

    def test_killed_searches_go_on(self):
        command = self.search("name: model, budget: 8, seed: 2")
        self.sweeps(*command)
        expected = samples(self.path("s.sqlite"))
        for limit in (0.05, 0.15, 0.3):
            for name in ("", "-wal", "-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(self.path("s.sqlite" + name))
            for _ in range(3):
                process = self.start("sweep", *command, "--device", DEVICE)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=limit)
                process.kill()
                process.communicate()
            self.sweeps(*command)
            actual = samples(self.path("s.sqlite"))
            # Both tables hold the same configurations, each once.
            self.assertEqual([row[:-1] for row in actual[0]], [row[:-1] for row in expected[0]])

    def test_replay(self):
        self.sweeps("all.yaml", "--db", "all.sqlite")
        command = "replay", "all.sqlite", "--seeds", "5", "--budget", "10", "--tolerance", "0.05"
        text = self.succeed(*command, "--output", "curves.csv")
        for part in ("road6", "del6", "rmat6", "16 configurations", "modelled", "within 5 %", "model+selector"):
            self.assertIn(part, text)
        rows = list(csv.DictReader(io.StringIO(self.read("curves.csv").decode())))
        self.assertEqual(len(rows), 3 * 6 * 10)
        for row in rows:
            quartiles = [float(row[name]) for name in ("lower_quartile", "median", "upper_quartile")]
            self.assertEqual(quartiles, sorted(quartiles))
            self.assertTrue(0 < quartiles[0] <= quartiles[2] <= 1)
        self.assertEqual(self.succeed(*command, "--output", "again.csv").replace("again", "curves"), text)
        self.assertEqual(self.read("again.csv"), self.read("curves.csv"))
        only = self.succeed(*command, "--strategies", "random,local")
        self.assertNotIn("genetic", only)
        self.refuse(*command, "--strategies", "random,locale", says=["'locale'", "did you mean 'local'?"])
        self.refuse(*command, "--strategies", "random+selector", says="no 'warm_start'")
        self.refuse(*command, "--experiment", "other", says=["'other'", "small"])
        self.refuse("replay", "none.sqlite", says="none.sqlite")
        for option, wrong in (("--seeds", "0"), ("--budget", "x"), ("--tolerance", "-1")):
            self.refuse("replay", "all.sqlite", option, wrong, says=option)

    def test_mistakes(self):
        for strategy, part in (("name: local", "'budget'"), ("name: local, budget: 0", "budget"),
                               ("name: model, seconds: -1", "seconds"),
                               ("name: local, budget: 3, warm_start: yes", "warm"),
                               ("name: genetic, budget: 3, neighbours: far", "any or next"),
                               ("name: random, count: 3, budget: 4", "'count'")):
            self.refuse("sweep", *self.search(strategy), says=["s.yaml:", part])
        self.write("b.yaml", self.SPACE.replace("problem: sssp", "problem: bfs")
                   + "strategy: {name: local, budget: 3, warm_start: selector}\n")
        self.assertIn("9 of 9 trials done", self.sweeps("b.yaml", "--db", "b.sqlite"))


class Interruption(ProgramTest):
    """Stopped sweeps and their output on a terminal."""

    SPACE = SMALL_SPACE.replace("road6", "road8").replace("del6", "del8").replace("repeats: 2", "repeats: 3")

    def setUp(self):
        super().setUp()
        self.write("s.yaml", self.SPACE)

    def command(self, database):
        return "sweep", "s.yaml", "--db", database, "--device", DEVICE

    def test_killed_again_and_again(self):
        self.succeed(*self.command("reference.sqlite"))
        self.assertEqual(len(samples(self.path("reference.sqlite"))[2]), SMALL_TRIALS)
        draw = random.Random(12)
        kills = 0
        rounds = 0
        while kills < 15:
            rounds += 1
            database = f"{rounds}.sqlite"
            # The first kills of each round come early, in case the machine is fast.
            for limit in [0.02, 0.05] + [0.3] * 8:
                process = self.start(*self.command(database))
                try:
                    process.wait(timeout=draw.uniform(0.002, limit))
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                process.communicate()
                if process.returncode == 0:
                    break
                self.assertEqual(process.returncode, -signal.SIGKILL)
                kills += 1
            self.succeed(*self.command(database))
            self.check_same_results(database, "reference.sqlite")
            self.assertIn("ok", self.succeed("db", "status", database))
        self.assertFalse([name for name in self.names() if ".tmp" in name])

    def interrupt(self, database, number):
        """Stops a sweep after its first trial or later. Returns its exit code, output and errors."""
        process = self.start(*self.command(database))
        deadline = time.monotonic() + TIME_LIMIT_S
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(sqlite3.Error), contextlib.closing(
                    sqlite3.connect(f"file:{self.path(database)}?mode=ro", uri=True)) as reader:
                if reader.execute("SELECT count(*) FROM trial WHERE state = 'done'").fetchone()[0] > 0:
                    break
            time.sleep(0.005)
        process.send_signal(number)
        output, errors = process.communicate(timeout=TIME_LIMIT_S)
        return process.returncode, output.decode(), errors.decode()

    def test_interrupted(self):
        self.succeed(*self.command("reference.sqlite"))
        for number, name in [(signal.SIGINT, "int"), (signal.SIGTERM, "term")]:
            # On a busy machine the signal may come after the last trial: in that case, the test tries again with a new
            # database.
            for attempt in range(20):
                database = f"{name}{attempt}.sqlite"
                code, output, errors = self.interrupt(database, number)
                if code != 0:
                    break
            self.assertEqual((code, without_progress(errors)), (1, ""))
            self.assertIn("stopped; rerun this command to continue", output)
            done = int(re.match(rf"(\d+) of {SMALL_TRIALS} trials done", output).group(1))
            self.assertTrue(0 < done < SMALL_TRIALS, output)
            output = self.succeed(*self.command(database))
            self.assertIn(f"{SMALL_TRIALS} of {SMALL_TRIALS} trials done, {SMALL_TRIALS - done} in this run", output)
            self.check_same_results(database, "reference.sqlite")

    def test_two_at_once(self):
        self.succeed(*self.command("reference.sqlite"))
        processes = [self.start(*self.command("r.sqlite")) for _ in range(2)]
        for process in processes:
            output, errors = process.communicate(timeout=TIME_LIMIT_S)
            self.assertEqual((process.returncode, without_progress(errors.decode())), (0, ""), output)
        self.check_same_results("r.sqlite", "reference.sqlite")

    def test_terminal(self):
        try:
            master, slave = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminals here: {error}")
        self.addCleanup(os.close, master)
        process = subprocess.Popen([program_test.PROGRAM, *self.command("r.sqlite")], cwd=self.folder, stdin=slave,
                                   stdout=slave, stderr=slave, close_fds=True,
                                   env={**os.environ, "MLMQ_CACHE": program_test.CACHE})
        os.close(slave)
        shown = b""
        while True:
            ready = select.select([master], [], [], 60)[0]
            self.assertTrue(ready, shown)
            try:
                piece = os.read(master, 4096)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        self.assertEqual(process.wait(), 0)
        text = re.sub(r"\x1b\[\d+m", "", shown.decode())  # without colours
        # A slow machine shows the planning, too, on a line of its own.
        lines = re.sub(r"\A(\rplanning: [^\r\n]*)+\r\n", "", text).split("\r\n")
        # The first line is rewritten in place; the summary follows on lines of its own.
        self.assertRegex(lines[0], r"^\r(planning: [^\r\n]*\r)*\[[#.]{20}\] \d+/12 trials, [^\n]*")
        self.assertTrue(all(len(part) <= 79 for part in lines[0].split("\r")), text)
        self.assertTrue(lines[1].startswith("12 of 12 trials done"), text)
        self.assertFalse(any("\r" in line for line in lines[1:]), text)

    def test_no_terminal(self):
        many = self.SPACE.replace("threads: [64]", "threads: [64]\n  delta: {range: {from: 1, to: 500, step: 0.5}}")
        self.write("s.yaml", many)
        process = self.start(*self.command("r.sqlite"))
        # A line is printed every few seconds, whenever a trial ends.
        self.assertTrue(select.select([process.stderr], [], [], 60)[0])
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=TIME_LIMIT_S)
        self.assertEqual(process.returncode, 1)
        self.assertIn(b"rerun this command to continue", output)
        self.assertNotIn(b"\r", output + errors)
        for line in errors.decode().splitlines():
            if line.startswith("planning: "):
                continue
            self.assertRegex(line, r"^\d+/\d+ trials, \d.*/s(, \w+: best [\d.]+ ms with |; waiting for )")


if __name__ == "__main__":
    program_test.main()
