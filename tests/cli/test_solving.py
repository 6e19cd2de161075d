# SPDX-License-Identifier: Apache-2.0
"""'mlmq solve': answers, distance files, models, the cache of compiled variants."""

import gzip
import json
import os
import random
import re

import program_test  # in this folder
from graph_files import FIRST_ID, FORMATS, dijkstra, dimacs, distances_by_id, random_graph
from program_test import SMALL_SPACE, ProgramTest


class WithoutGpu(ProgramTest):
    def test_processors_search(self):
        # This needs not even a compiler for the simulator.
        bare = {"PATH": self.folder, "CXX": "", "CUDA_VISIBLE_DEVICES": ""}
        for environment in ({"CUDA_VISIBLE_DEVICES": ""}, bare):
            code, output, errors = self.run_program("solve", "road8", "--check", environment=environment)
            self.assertEqual(code, 0, errors)
            self.assertRegex(output, r"device +.*\(cpu\)")
            self.assertIn("every distance is right", output)
            self.assertIn("note: no GPU found: searching on processors (--device simt simulates a GPU)\n", errors)

    def test_the_simulator_does_what_only_kernels_do(self):
        without = {"CUDA_VISIBLE_DEVICES": ""}
        for options in (["--config", "threads=64"], ["--counters"], ["--timeline", "t.csv"], ["--seed", "3"],
                        ["--tries", "1"], ["--partition"]):
            code, output, errors = self.run_program("solve", "road8", *options, environment=without)
            self.assertEqual(code, 0, errors)
            self.assertRegex(output, r"device +simt ", options)
        for command in (["solve", "road8"], ["solve", "road8", "--cutoff", "5"]):
            self.refuse(*command, "--device", "cpu:1,simt", says="several devices share searches")
        bare = {"PATH": self.folder, "CXX": "", "CUDA_VISIBLE_DEVICES": ""}
        self.refuse("solve", "road8", "--config", "threads=64", environment=bare, code=1,
                    says="install the package g++")
        self.refuse("solve", "road8", "--device", "simt", environment=bare, code=1, says="install the package g++")


    def test_maps(self):
        without = {"CUDA_VISIBLE_DEVICES": ""}
        self.write("d.map", "type octile\nheight 3\nwidth 3\nmap\n.@.\n..@\n.@.\n")
        self.write("d.map.scen", "version 1\n0\td.map\t3\t3\t0\t0\t1\t1\t2\n")
        solve = ("solve", "d.map", "--query", "scenarios=own", "--output", "-")
        for config, device in (("algorithm=jump,paths=true", "simt"), ("solver=cpu_astar", "cpu"), ("auto", "cpu")):
            report = json.loads(self.run_program("solve", "d.map", "--query", "scenarios=own", "--config", config,
                                                 "--format", "json", environment=without)[1])
            self.assertTrue(report["device"]["selector"].startswith(device), (config, report["device"]))
        self.assertIn("\n0 0 1 1 2.00000000 20\n",
                      self.succeed(*solve, "--config", "algorithm=jump,paths=true", environment=without))
        # The diagonal step is possible if corners may be cut.
        cut = self.run_program("solve", "d.map:corners=cut", *solve[2:], environment=without)
        self.assertEqual((cut[0], cut[1].splitlines()[-1].strip()), (0, "0 0 1 1 1.41421356"), cut[2])
        for name, says in (("d.map:corner=cut", "unknown key 'corner' of a grid; did you mean 'corners'?"),
                           ("d.map:corners=round", "'corners': "), ("d.map:corners", "'corners' is not NAME=VALUE"),
                           ("d.map:seed=3", "it applies only to generated maps"),
                           ("none.map:corners=cut", "there is no file")):
            self.refuse("solve", name, "--device", "cpu", says=says)


class TooLong(ProgramTest):
    def test_the_message_names_the_option_that_helps(self):
        self.write("f.txt", "# Undirected graph\n0 1 3e38\n1 2 3e38\n")
        self.write("i.txt", "# Undirected graph\n0 1 4294967293\n1 2 4294967293\n")
        for name in ("f.txt", "i.txt"):
            self.refuse("solve", name, "--weights", "float32" if name == "f.txt" else "uint32", "--device", "cpu",
                        "--source", "0", code=1, says="--weights float64")
            self.succeed("solve", name, "--weights", "float64", "--device", "cpu", "--source", "0", "--check")


class FileIds(ProgramTest):
    """Vertices are named by the ids of the graph's file in all output and options."""

    def answer(self, name, source):
        """Returns distances and predecessors by id."""
        out = self.succeed("solve", name, "--device", "cpu", "--source", str(source), "--check", "--output", "d.txt",
                           "--predecessors", "p.txt")
        self.assertIn(f"source {source}\n", out)
        self.assertIn("every distance is right", out)
        return self.by_vertex("d.txt"), self.by_vertex("p.txt")

    def test_edge_list_from_1(self):
        self.write("a.txt", "1 2 5\n2 3 7\n3 4 1\n")
        self.assertEqual(self.answer("a.txt", 1), ({1: 0, 2: 5, 3: 12, 4: 13}, {1: None, 2: 1, 3: 2, 4: 3}))
        self.assertEqual(self.answer("a.txt", 3)[0], {1: None, 2: None, 3: 0, 4: 1})
        self.refuse("solve", "a.txt", "--device", "cpu", "--source", "0",
                    says="--source 0: a has no vertex 0; its ids run from 1 to 4\n")
        self.assertRegex(self.succeed("graph", "info", "a.txt"), "vertex ids +1 to 4\ndefault source +1\n")
        self.write("b.txt", "7 900\n900 20\n")
        self.refuse("solve", "b.txt", "--device", "cpu", "--source", "8",
                    says="--source 8: b has no vertex 8; its ids run from 7 to 900, with gaps\n")

    def test_shuffled_ids_in_every_format(self):
        draw = random.Random(12)
        for name, made in FORMATS.items():
            for round in range(3):
                count, edges = random_graph(20 + round)
                ids = list(range(count))
                draw.shuffle(ids)
                edges = [(ids[u], ids[v], weight) for u, v, weight in edges]
                draw.shuffle(edges)
                self.write(name, made((count, edges)))
                first = FIRST_ID[name]
                called = [v + first for v in range(count)]
                if name == "snap.txt":
                    called = sorted(draw.sample(range(10 ** (2 + 8 * round)), count))
                    self.write(name, "".join(f"{called[u]} {called[v]} {weight}\n" for u, v, weight in edges))
                edges = [(called[u], called[v], weight) for u, v, weight in edges]
                source = draw.choice(called)
                right = distances_by_id(edges, source)
                distances, before = self.answer(name, source)
                self.assertEqual(distances, {v: right.get(v) for v in called}, (name, round))
                for v, u in before.items():
                    if v == source or v not in right:
                        self.assertIsNone(u)
                    else:
                        self.assertIn((u, v, right[v] - right[u]), edges)

    def test_sweeps_and_queries(self):
        self.write("a.wel", "900 7 1\n7 20 2\n")
        space = SMALL_SPACE[:SMALL_SPACE.index("workloads:")] + ("workloads: [{file: a.wel, queries: {source: [900, "
                                                                 "7]}}]\n")
        self.write("x.yaml", space)
        self.sweeps("x.yaml", "--db", "r.sqlite")
        queries = self.succeed("db", "query", "SELECT DISTINCT query FROM result ORDER BY query", "r.sqlite",
                               "--format",
                             "csv")
        self.assertEqual(queries.split(), ["query", "source=7", "source=900"])
        self.write("x.yaml", space.replace("[900, 7]", "[0]"))
        self.refuse("sweep", "x.yaml", "--db", "t.sqlite", "--device", "simt",
                    says=["x.yaml:", "source 0: a has no vertex 0; its ids run from 7 to 900, with gaps"])


class NegativeWeights(ProgramTest):
    """Sweeps refuse negative weights unless the experiment allows them, and then record another workload."""

    def test_sweeps(self):
        space = SMALL_SPACE[:SMALL_SPACE.index("workloads:")] + "workloads: [{file: a.wel%s}]\n"
        self.write("a.wel", "1 2 -4\n2 3 5\n")
        self.write("x.yaml", space % "")
        self.refuse("sweep", "x.yaml", "--db", "r.sqlite", "--device", "simt",
                    says=["a.wel:1: weight '-4' is negative", "negative_weights: absolute"])
        self.write("x.yaml", space % ", negative_weights: absolute")
        code, _, errors = self.run_program("sweep", "x.yaml", "--db", "r.sqlite", "--device", "simt")
        self.assertEqual(code, 0, errors)
        self.assertIn("a.wel: negative weights: 1, taken as their absolute values\n", errors)
        self.write("a.wel", "1 2 4\n2 3 5\n")
        self.sweeps("x.yaml", "--db", "r.sqlite")
        query = ("SELECT count(DISTINCT w.hash) AS hashes, count(*) AS trials FROM trial t "
                 "JOIN workload w ON w.id = t.workload WHERE t.outcome = 'ok'")
        self.assertEqual(self.succeed("db", "query", query, "r.sqlite", "--format", "csv").split(),
                         ["hashes,trials", "2,8"])
        # Weights that replace those of the file make negative weights irrelevant.
        self.write("a.wel", "1 2 -4\n2 3 5\n")
        self.write("x.yaml", space % ", weights: unit")
        self.sweeps("x.yaml", "--db", "s.sqlite")
        for entry, says in [("file: a.wel, negative_weights: positive", "expected refuse or absolute, got 'positive'"),
                            ("generate: road6, negative_weights: absolute",
                             "a generated graph has no negative weights")]:
            self.write("x.yaml", space.replace("file: a.wel%s", entry))
            self.refuse("sweep", "x.yaml", "--db", "t.sqlite", "--device", "simt", says=["x.yaml:", says])


class Solving(ProgramTest):
    """Answers and failures of `mlmq solve`."""

    def test_the_sample_in_the_documentation(self):
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/guide/get-started.md")
        if not os.path.exists(page):
            self.skipTest("no documentation here")
        with open(page, encoding="utf-8") as file:
            command, *sample = re.search(r"```console\n\$ mlmq (solve .*\n(?:.*\n)*?)```",
                                         file.read()).group(1).splitlines()
        printed = self.succeed(*command.split()).splitlines()
        self.assertEqual([line.split()[0] for line in printed], [line.split()[0] for line in sample])
        exact = ("graph", "device", "reached", "check")
        self.assertEqual([line for line in printed if line.startswith(exact)],
                         [line for line in sample if line.startswith(exact)])

    def test_answers_in_every_format(self):
        for real in (False, True):
            graph = random_graph(7, real=real)
            for name, made in FORMATS.items():
                if real and name == "galois.gr":
                    continue
                for ending in ("", ".gz"):
                    self.write(name + ending, made(graph))
                    for source in (0, 17):
                        self.assertEqual(self.distances(name + ending, "--source", str(source + FIRST_ID[name])),
                                         dijkstra(graph, source), f"{name}{ending} from {source}")

    def test_odd_graphs(self):
        for graph, source in [((1, []), 0), ((1, [(0, 0, 5)]), 0), ((3, []), 1), ((2, [(0, 1, 0), (1, 0, 0)]), 1),
                              ((3, [(0, 1, 9), (0, 1, 2), (0, 1, 2), (1, 1, 0), (1, 2, 3), (2, 2, 7)]), 0),
                              ((4, [(0, 1, 0), (1, 2, 0), (2, 0, 0), (2, 3, 0)]), 0),
                              ((2, [(0, 1, 2 ** 31 - 1)]), 0)]:
            for name in ("dimacs.gr", "galois.gr", "market.mtx"):
                self.write(name, FORMATS[name](graph))
                self.assertEqual(self.distances(name, "--source", str(source + FIRST_ID[name])),
                                 dijkstra(graph, source), graph)
        self.write("loop.txt", "5 5 1\n")
        self.assertEqual(self.distances("loop.txt"), [0])
        for name in ("path1", "star1", "complete1", "grid1"):
            self.assertEqual(self.distances(name), [0])

    def test_configurations_agree(self):
        graph = random_graph(9)
        self.write("a.gr", dimacs(graph))
        for label in ("l1=none,threads=64", "l1=vector,threads=64", "l1=none,threads=64,delta=1"):
            self.assertEqual(self.distances("a.gr", "--config", label), dijkstra(graph, self.source("a.gr") - 1), label)

    def test_processors(self):
        graph = random_graph(9)
        self.write("a.gr", dimacs(graph))
        expected = dijkstra(graph, self.source("a.gr") - 1)
        for label in ("solver=boost_dijkstra", "solver=dijkstra", "solver=delta_stepping",
                      "solver=delta_stepping,cpu_delta=0.1,fusion=0", "auto"):
            for device in ("cpu", "cpu:3"):
                out = self.succeed("solve", "a.gr", "--device", device, "--config", label, "--check", "--repeat", "3",
                                   "--output", "d.txt")
                for part in ("every distance is right", "compiled in", f"({device})"):
                    self.assertIn(part, out)
                self.assertNotIn("modelled", out)
                self.assertEqual(list(self.by_vertex("d.txt").values()), expected, label)
        for solver in ("bfs", "dijkstra"):
            self.succeed("solve", "a.gr", "--problem", "bfs", "--device", "cpu", "--config", "solver=" + solver,
                         "--check")
        self.refuse("solve", "a.gr", "--device", "cpu", "--config", "solver=bfs", code=1, says="problem bfs")
        self.refuse("solve", "a.gr", "--device", "cpu", "--config", "l2=heap", code=1, says=["mlmq", "delta_stepping"])
        self.refuse("solve", "a.gr", "--device", "simt", "--config", "solver=dijkstra", code=1, says="--device cpu")
        self.refuse("solve", "a.gr", "--device", "cpu:0", says=["cpu:0", "cpu:8"])
        self.assertIn("hardware threads", self.succeed("doctor"))

    def test_timings(self):
        """Steps, bytes and rates, for one search, for targets and for many, of a file and of a generated graph."""
        self.succeed("graph", "generate", "road10", "timed.gr")
        size = os.path.getsize(self.path("timed.gr"))
        for mode in ([], ["--targets", "1,2"], ["--sources", "3:random"]):
            for graph in ("timed.gr", "road10"):
                command = ["solve", graph, *mode, "--device", "cpu:2", "--check"]
                self.assertNotIn("timings", self.succeed(*command))
                lines = self.succeed(*command, "--timings")
                for step in ("open device", "upload", "search", "total"):
                    self.assertRegex(lines, rf"(?m)^(timings)? +{step} +[0-9.]+ ms")
                document = json.loads(self.succeed(*command, "--timings", "--format", "json"))
                steps = {step["step"]: step for step in document["timings"]["steps"]}
                first = "read" if graph.endswith(".gr") else "generate"
                self.assertIn(first, steps)
                self.assertNotIn("generate" if first == "read" else "read", steps)
                self.assertEqual(steps[first]["bytes"], size if first == "read" else 0)
                self.assertGreater(steps["upload"]["bytes"], 0)
                self.assertGreaterEqual(document["timings"]["total_ms"], steps[first]["ms"])

    def test_tries(self):
        solve = ("solve", "road7", "--device", "simt:4x32", "--tries", "2")
        own = {"MLMQ_CACHE": self.path("cache")}
        out = self.succeed(*solve, "--check", "--repeat", "2", environment=own)
        tried = [line.split() for line in out.splitlines() if line.startswith("tried")]
        times = [float(words[1]) for words in tried]
        self.assertEqual(times, sorted(times))
        # Up to twice as many take part, and half of the searches suffice if the result is clear.
        self.assertIn(len(tried), range(2, 5))
        found = re.search(r"configuration  (\S+).*after (\d+) searches with (\d+) configurations", out)
        winner, searches, configurations = found.groups()
        self.assertIn(int(searches), range(8, 17))
        self.assertEqual(int(configurations), len(tried))
        self.assertIn(winner, [words[3] for words in tried])
        self.assertIn("every distance is right", out)
        # The next process remembers the fastest one for this graph.
        again = self.succeed(*solve, environment=own)
        self.assertNotIn("tried  ", again)
        self.assertIn(f"configuration  {winner}", again)
        self.assertIn("that an earlier process compared on this graph", again)
        # One candidate leaves nothing to compare.
        self.assertNotIn("tried  ", self.succeed("solve", "road7", "--device", "simt:4x32", "--tries", "1"))
        self.refuse(*solve, "--config", "l2=bucket", says=["--config", "--tries"])
        self.refuse(*solve, "--counters", says="--tries")
        self.refuse("solve", "road7", "--device", "cpu", "--tries", "2", code=1, says="none of the model's candidates")
        self.refuse("solve", "road7", "--device", "simt", "--tries", "0", says="--tries")

    def source(self, name):
        return int(re.search(r"default source +(\d+)", self.succeed("graph", "info", name)).group(1))

    def test_undirected_and_drawn_weights(self):
        self.write("a.txt", "0 1 4\n1 2 5\n")
        self.assertEqual(self.distances("a.txt", "--source", "2"), [None, None, 0])
        self.assertEqual(self.distances("a.txt", "--source", "2", "--undirected"), [9, 5, 0])
        drawn = [self.distances("a.txt", "--source", "0", "--ignore-weights", "--weight-seed", seed) for seed in "112"]
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])

    def test_distances_that_are_too_long(self):
        self.write("a.gr", "p sp 3 2\na 1 2 4294967290\na 2 3 4294967290\n")
        self.refuse("solve", "a.gr", "--device", "simt", "--source", "1", "--output", "d.txt", code=1, prints=True,
                    says="32 bits")
        self.assertNotIn("d.txt", self.names())

    def test_source_and_limits(self):
        self.refuse("solve", "path4", "--device", "simt", "--source", "4",
                    says="--source 4: path4 has no vertex 4; its ids run from 0 to 3\n")
        self.refuse("solve", "road6", "--device", "simt", "--time-limit", "0.1us", code=1, says="timeout")
        # This many nanoseconds do not fit into 64 bits.
        self.solve("road6", "--time-limit", "1e14ms")

    def test_output(self):
        os.mkdir(self.path("folder"))
        self.write("file", "")
        solve = ("solve", "path4", "--device", "simt", "--source", "0", "--output")
        self.refuse(*solve, "folder", says="folder: is a folder")
        self.refuse(*solve, "file/d.txt", says="file/d.txt: cannot be written: file is not a folder")
        self.refuse(*solve, "new/d.txt",
                    says="new/d.txt: cannot be written: new does not exist; create the folder first")
        self.refuse(*solve, "/proc/d.txt", code=1, prints=True, says="cannot be written")
        self.assertEqual(self.names(), ["file", "folder"])
        os.mkdir(self.path("new"))
        self.succeed(*solve, "new/d.txt")
        whole = b"# VERTEX DISTANCE, from vertex 0 of path4; vertices are counted from 0, 0 to 3\n0 0\n1 1\n2 2\n3 3\n"
        self.assertEqual(self.read("new/d.txt"), whole)
        self.succeed(*solve, "d.txt.gz")
        self.assertEqual(gzip.decompress(self.read("d.txt.gz")), self.read("new/d.txt"))
        # A pipe is written to, not replaced. The same holds for devices, but no test may risk /dev/null, which root can
        # lose.
        os.mkfifo(self.path("pipe"))
        process = self.start(*solve, "pipe")
        with open(self.path("pipe"), "rb") as pipe:
            self.assertEqual(pipe.read(), self.read("new/d.txt"))
        process.communicate()
        self.assertEqual(process.returncode, 0)
        self.assertIn("0 0\n1 1\n2 2\n3 3\n", self.succeed(*solve, "/proc/self/fd/1"))
        # A link remains a link.
        os.symlink("new/d.txt", self.path("link"))
        self.write("new/d.txt", "old")
        self.succeed(*solve, "link")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(self.read("new/d.txt"), whole)

    def test_predecessors(self):
        # Vertices 1 and 2 form a cycle of length 0; vertex 4 is not reached.
        graph = (5, [(0, 1, 5), (1, 2, 0), (2, 1, 0), (0, 3, 9), (2, 3, 4), (4, 0, 1)])
        self.write("a.gr", dimacs(graph))
        for device in ("simt", "cpu"):
            self.succeed("solve", "a.gr", "--device", device, "--source", "1", "--predecessors", "t.txt")
            self.assertEqual(self.read("t.txt"),
                             b"# VERTEX PREDECESSOR, from vertex 1 of a; vertices have the ids of the "
                             b"graph's file, 1 to 5\n1 none\n2 1\n3 2\n4 1\n5 none\n")
        self.succeed("solve", "a.gr", "--device", "cpu", "--source", "1", "--problem", "bfs",
                     "--predecessors", "u.txt.gz", "--output", "d.txt")
        self.assertEqual(gzip.decompress(self.read("u.txt.gz")), self.read("t.txt"))
        self.assertEqual(self.by_vertex("d.txt"), {1: 0, 2: 1, 3: 2, 4: 1, 5: None})
        os.mkdir(self.path("folder"))
        self.refuse("solve", "a.gr", "--device", "cpu", "--predecessors", "folder", says="folder: is a folder")

    def test_models_that_are_wrong(self):
        other = json.dumps({"learner": {"attributes": {}}, "version": [1, 7, 4]})
        for content in ("", "{", "[]", "{}", "null", "3", other, '{"format": "mlmq-selector-model"}', "\xff\xfe",
                        b"\xff\0", "[" * 100000, '{"format": "mlmq-selector-model", "version": 999}'):
            self.write("m.json", content)
            self.refuse("solve", "path4", "--device", "simt", "--model", "m.json", says="m.json")
            self.refuse("selector", "export", "m.json", "--output", "m.hpp", says="m.json")
            self.refuse("selector", "predict", "path4", "--model", "m.json", says="m.json")
        self.refuse("solve", "path4", "--device", "simt", "--model", "none.json", says="none.json")
        self.refuse("solve", "path4", "--device", "simt", "--model", ".", says="folder")
        self.assertEqual(self.names(), ["m.json"])


if __name__ == "__main__":
    program_test.main()
