# SPDX-License-Identifier: Apache-2.0
"""'mlmq solve --sources': matrices, folders from which an interrupted run resumes, targets and refused input."""

import json
import os
import re
import signal
import struct
import subprocess
import time

import program_test  # in this folder
from graph_files import dijkstra, dimacs, matrix_market, random_graph
from program_test import ProgramTest


class ManySearches(ProgramTest):
    def matrix(self, name):
        """Returns the rows of a .npy file, read without NumPy; None: no path."""
        data = self.read(name)
        self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
        length = struct.unpack("<H", data[8:10])[0]
        header = eval(data[10:10 + length])  # a literal, as NumPy reads it
        self.assertEqual((10 + length) % 64, 0)
        self.assertFalse(header["fortran_order"])
        rows, columns = header["shape"]
        self.assertEqual(len(data), 10 + length + int(header["descr"][2]) * rows * columns)
        kind = {"<u4": "I", "<f4": "f", "<f8": "d"}[header["descr"]]
        numbers = struct.unpack(f"<{rows * columns}{kind}", data[10 + length:])
        absent = {"I": 2**32 - 1, "f": float("inf"), "d": float("inf")}[kind]
        plain = [None if n == absent else n for n in numbers]
        return [plain[i * columns:(i + 1) * columns] for i in range(rows)]

    def graph(self, seed=3, count=40):
        """Returns a DIMACS file, whose ids count from 1, and its distances by id."""
        generated = random_graph(seed, count=count)
        self.write("g.gr", dimacs(generated))
        vertices = generated[0]
        return vertices, {source + 1: dijkstra(generated, source) for source in range(vertices)}

    def test_all_pairs(self):
        vertices, right = self.graph()
        for device in ("cpu", "simt"):
            out = self.succeed("solve", "g.gr", "--device", device, "--sources", "all", "--output", "d.npy", "--check")
            self.assertIn(f"searches       {vertices}\n", out)
            self.assertIn("every distance is right", out)
            self.assertRegex(out, r"searches/s\n")
            self.assertEqual(self.matrix("d.npy"), [right[v + 1] for v in range(vertices)], device)

    def test_one_source_with_targets_or_a_cutoff(self):
        vertices, right = self.graph()
        def shown(distance):
            return "inf" if distance is None else str(distance)
        for device in ("cpu", "simt"):
            out = self.succeed("solve", "g.gr", "--device", device, "--source", "2", "--targets", f"5,1,{vertices}",
                               "--check")
            for target in (5, 1, vertices):
                self.assertIn(f"distance       {shown(right[2][target - 1])} to vertex {target}\n", out)
            self.assertIn("every distance is right", out)
            self.write("t.txt", "5\n1\n")
            self.succeed("solve", "g.gr", "--device", device, "--source", "2", "--targets", "t.txt",
                         "--output", "o.txt")
            self.assertEqual(self.read("o.txt").decode().splitlines()[1:],
                             [f"5 {shown(right[2][4])}", f"1 {shown(right[2][0])}"])
            self.succeed("solve", "g.gr", "--device", device, "--source", "2", "--cutoff", "30", "--output", "o.txt")
            near = [d if d is not None and d <= 30 else None for d in right[2]]
            self.assertEqual(self.read("o.txt").decode().splitlines()[1:],
                             [f"{v + 1} {shown(near[v])}" for v in range(vertices)])

    def test_reduced_searches(self):
        vertices, right = self.graph()
        self.write("jobs.txt", "2 1.5  # an id and a number\n\n9 4\n2 1\n")
        self.write("members.txt", "5\n1\n7\n")
        quantities = ["within:cutoffs=20,60:opportunities=jobs.txt", "closeness", "eccentricity",
                      "histogram:limits=10,40", "nearest:members=members.txt:count=2"]
        expected = []
        for source in range(1, vertices + 1):
            row = right[source]
            reached = [d for d in row if d is not None]
            def jobs(cutoff):
                return sum(n for v, n in ((2, 2.5), (9, 4)) if row[v - 1] is not None and row[v - 1] <= cutoff)
            near = sorted((row[v - 1], i, v) for i, v in enumerate((5, 1, 7)) if row[v - 1] is not None)[:2]
            absent = 2 - len(near)
            expected.append([jobs(20), jobs(60), sum(reached), len(reached), max(reached),
                             sum(d <= 10 for d in reached), sum(10 < d <= 40 for d in reached),
                             *[d for d, _, _ in near], *[None] * absent, *[v for _, _, v in near], *[-1] * absent])
        options = [word for quantity in quantities for word in ("--reduce", quantity)]
        for device in ("cpu", "simt", "cpu:1,simt"):
            out = self.succeed("solve", "g.gr", "--device", device, "--sources", "all", *options,
                               "--output", "r.npy", "--check")
            self.assertIn("every result is right", out)
            self.assertIn("reduced        closeness\n", out)
            self.assertEqual(self.matrix("r.npy"), expected, device)
        self.succeed("solve", "g.gr", "--device", "cpu", "--sources", "all", "--reduce",
                     "decayed:decay=linear:scale=50:opportunities=jobs.txt", "--output", "r.npy")
        for source, (value,) in enumerate(self.matrix("r.npy"), 1):
            row = right[source]
            terms = [n * max(0, 1 - row[v - 1] / 50) for v, n in ((2, 2.5), (9, 4)) if row[v - 1] is not None]
            self.assertAlmostEqual(value, sum(terms))

    def test_pairs_and_reversed_edges(self):
        vertices, right = self.graph()
        pairs = [(1 + 7 * i % vertices, 1 + 3 * i % vertices) for i in range(60)]
        self.write("pairs.txt", "# source target\n" + "".join(f"{s} {t}\n" for s, t in pairs))
        for device in ("cpu", "simt"):
            self.succeed("solve", "g.gr", "--device", device, "--pairs", "pairs.txt", "--output", "p.npy", "--check")
            data = self.read("p.npy")
            numbers = struct.unpack(f"<{len(pairs)}d", data[-8 * len(pairs):])
            self.assertEqual(list(numbers), [float("inf") if right[s][t - 1] is None else right[s][t - 1]
                                             for s, t in pairs], device)
        self.succeed("solve", "g.gr", "--device", "cpu", "--sources", "all", "--reverse", "--output", "d.npy")
        self.assertEqual(self.matrix("d.npy"),
                         [[right[v + 1][t] for v in range(vertices)] for t in range(vertices)])

    def test_sums_along_paths(self):
        vertices, drawn_edges = random_graph(5, count=40)
        edges = [(u, v, weight + 1) for u, v, weight in drawn_edges]
        lengths = [(u, v, 10 * i) for i, (u, v, _) in enumerate(edges)]
        self.write("g.gr", dimacs((vertices, edges)))
        self.write("l.gr", dimacs((vertices, lengths)))

        def sum_between(distances, source, target):
            """Returns the sum along the path back over the smallest predecessors and shortest parallel edges."""
            total = 0
            while target != source:
                u, step = min((u, length) for (u, v, weight), (_, _, length) in zip(edges, lengths)
                              if v == target and distances[u] is not None and distances[u] + weight == distances[v])
                target, total = u, total + step
            return total

        def numbers(source, target):
            distances = dijkstra((vertices, edges), source - 1)
            distance = distances[target - 1]
            return distance, None if distance is None else sum_between(distances, source - 1, target - 1)
        pairs = [(1 + 7 * i % vertices, 1 + 3 * i % vertices) for i in range(60)]
        self.write("pairs.txt", "".join(f"{s} {t}\n" for s, t in pairs))
        sources, targets = [3, 1, 3, 8], [2, 30, 40, 2, 9]
        self.write("s.txt", "".join(f"{source}\n" for source in sources))
        for device in ("cpu", "simt", "cpu:1,simt"):
            out = self.succeed("solve", "g.gr", "--device", device, "--pairs", "pairs.txt", "--path-sums", "l.gr",
                               "--output", "p.npy", "--check")
            self.assertIn("path sums      l.gr\n", out)
            self.assertIn("every result is right", out)
            self.assertEqual(self.matrix("p.npy"), [list(numbers(s, t)) for s, t in pairs], device)
            self.succeed("solve", "g.gr", "--device", device, "--sources", "s.txt", "--targets", "2,30,40,2,9",
                         "--path-sums", "l.gr", "--output", "m.npy", "--check")
            expected = [[numbers(s, t) for t in targets] for s in sources]
            self.assertEqual(self.matrix("m.npy"), [[d for d, _ in row] + [n for _, n in row] for row in expected])
        # Weights of the same file: sums are distances, also of reversed edges.
        self.succeed("solve", "g.gr", "--device", "cpu", "--pairs", "pairs.txt", "--path-sums", "g.gr", "--reverse",
                     "--output", "p.npy")
        self.assertEqual(self.matrix("p.npy"), [[numbers(t, s)[0]] * 2 for s, t in pairs])
        document = json.loads(self.succeed("solve", "g.gr", "--device", "cpu", "--pairs", "pairs.txt", "--path-sums",
                                           "l.gr", "--format", "json"))
        self.assertEqual(document["path_sums"], "l.gr")

    def test_refused_sums_along_paths(self):
        vertices, edges = random_graph(3, count=40)
        self.write("g.gr", dimacs((vertices, edges)))
        self.write("order.gr", dimacs((vertices, edges[::-1])))
        self.write("fewer.gr", dimacs((vertices, edges[1:])))
        self.write("real.mtx", matrix_market(random_graph(3, count=40, real=True)))
        self.write("pairs.txt", "2 3\n")
        for options, message in (
                (["--sources", "all"], "--path-sums requires --targets or --pairs"),
                (["--sources", "all", "--targets", "1", "--reduce", "closeness"],
                 "--reduce cannot be combined with --path-sums"),
                (["--sources", "all", "--targets", "1", "--shard", "1/2"],
                 "--shard cannot be combined with --path-sums"),
                (["--sources", "all", "--targets", "1", "--output", "m.csv"],
                 "a file that ends in .csv is not written here"),
                (["--pairs", "pairs.txt", "--targets", "1"], "--targets cannot be combined with --pairs"),
                (["--source", "1"], "--path-sums requires --sources")):
            self.refuse("solve", "g.gr", "--device", "cpu", *options, "--path-sums", "g.gr", says=(message,))
        for name, message in (("order.gr", "its edges are not those of g, in the same order"),
                              ("fewer.gr", "its edges are not those of g, in the same order"),
                              ("real.mtx", "--path-sums real.mtx: "),
                              ("no.gr", "--path-sums no.gr: ")):
            self.refuse("solve", "g.gr", "--device", "cpu", "--pairs", "pairs.txt", "--path-sums", name,
                        says=(message,))

    def test_refused_reductions_and_pairs(self):
        self.graph()
        self.write("jobs.txt", "2 1.5\n3 many\n")
        self.write("pairs.txt", "2 3\n4\n")
        self.write("far.txt", "2 3\n4 999\n")
        self.write("none.txt", "# nothing\n")
        self.write("loss.txt", "2 -1\n2 3\n")
        for options, message in (
                (["--reduce", "closness"], "unknown quantity 'closness'; did you mean 'closeness'?"),
                (["--reduce", "within"], "within requires cutoffs"),
                (["--reduce", "within:cutoffs=1,x"], "cutoffs: 'x' is not a number"),
                (["--reduce", "within:cutoffs=-1"], "cutoffs: -1 (index 0), expected a number of at least 0"),
                (["--reduce", "within:cutoff=1"], "'cutoff=1' is not a setting of within; did you mean 'cutoffs'?"),
                (["--reduce", "closeness:cutoffs=1"], "'cutoffs=1' is not a setting of closeness"),
                (["--reduce", "within:cutoffs=1:cutoffs=2"], "cutoffs appears twice"),
                (["--reduce", "within:cutoffs=9:opportunities=no.txt"], "opportunities=no.txt: there is no such file"),
                (["--reduce", "within:cutoffs=9:opportunities=jobs.txt"], "jobs.txt:2: expected the id of a vertex"),
                (["--reduce", "within:cutoffs=9:opportunities=none.txt"], "none.txt: the file has no numbers"),
                (["--reduce", "within:cutoffs=9:opportunities=."], "opportunities=.: is a folder"),
                (["--reduce", "within:cutoffs=9:opportunities=loss.txt"], "loss.txt:1: expected the id of a vertex"),
                (["--reduce", "decayed:decay=linaer:scale=3"], "unknown decay 'linaer'; did you mean 'linear'?"),
                (["--reduce", "nearest:members=1,2:count=two"], "count: 'two' is not a whole number"),
                (["--reduce", "nearest:members=1,999:count=1"], "count=1: members 1,999: g has no vertex 999"),
                (["--reduce", "closeness", "--targets", "1"], "--targets cannot be combined with --reduce"),
                (["--reduce", "closeness", "--shard", "1/2"], "--shard cannot be combined with --reduce"),
                (["--reduce", "closeness", "--output", "m.csv"], "a file that ends in .csv is not written here"),
                (["--pairs", "pairs.txt"], "--sources cannot be combined with --pairs")):
            self.refuse("solve", "g.gr", "--device", "cpu", "--sources", "3:random", *options, says=(message,))
        for options, message in (
                (["--pairs", "no.txt"], "--pairs no.txt: there is no such file"),
                (["--pairs", "none.txt"], "the file has no pairs"),
                (["--pairs", "."], "--pairs .: is a folder"),
                (["--pairs", "pairs.txt", "--source", "1"], "cannot be combined with --sources or --pairs"),
                (["--pairs", "pairs.txt"], "pairs.txt:2: expected the ids of two vertices"),
                (["--pairs", "far.txt"], "far.txt:2: "),
                (["--pairs", "far.txt", "--reduce", "closeness"], "--reduce cannot be combined with --pairs"),
                (["--reduce", "closeness"], "--reduce requires --sources")):
            self.refuse("solve", "g.gr", "--device", "cpu", *options, says=(message,))
        self.write("wide.wel", f"1 {2 ** 53 + 1} 5\n")
        self.refuse("solve", "wide.wel", "--device", "cpu", "--sources", "all", "--reduce",
                    f"nearest:members={2 ** 53 + 1}:count=1", says=("id 9007199254740993 is too large",))

    def test_devices_of_different_models_share_the_searches(self):
        vertices, right = self.graph()
        sources = [1 + i % vertices for i in range(700)]
        self.write("s.txt", "".join(f"{source}\n" for source in sources))
        digests = set()
        for device in ("cpu:1", "simt:1x8,cpu:1", "cpu:1,simt:1x8,simt:1x9"):
            answer = json.loads(self.succeed("solve", "g.gr", "--device", device, "--sources", "s.txt", "--check",
                                             "--format", "json"))
            self.assertEqual([work["selector"] for work in answer["devices"]], device.split(","))
            self.assertEqual(sum(work["searches"] for work in answer["devices"]), len(sources))
            digests.add(answer["digest"])
        self.assertEqual(len(digests), 1)
        self.succeed("solve", "g.gr", "--device", "simt:1x8,cpu:1", "--sources", "s.txt", "--output", "d/")
        rows = [row for name in sorted(os.listdir(os.path.join(self.folder, "d"))) if name.endswith(".npy")
                for row in self.matrix(os.path.join("d", name))]
        self.assertEqual(rows, [right[source] for source in sources])

    def test_lists_of_sources_and_targets(self):
        vertices, right = self.graph()
        self.write("s.txt", f"# sources\n2\n\n{vertices}  # the last\n2\n")
        self.write("t.txt", "5\n1\n")
        for device in ("cpu", "simt"):
            self.succeed("solve", "g.gr", "--device", device, "--sources", "s.txt", "--targets", "t.txt", "--output",
                         "m.npy", "--check")
            self.assertEqual(self.matrix("m.npy"), [[right[s][4], right[s][0]] for s in (2, vertices, 2)], device)
        self.succeed("solve", "g.gr", "--device", "cpu", "--sources", "s.txt", "--cutoff", "30", "--output", "c.npy")
        near = [[d if d is not None and d <= 30 else None for d in right[s]] for s in (2, vertices, 2)]
        self.assertEqual(self.matrix("c.npy"), near)

    def test_float_weights_and_levels(self):
        vertices, right = self.graph()
        self.succeed("solve", "g.gr", "--weights", "float32", "--device", "cpu", "--sources", "all",
                     "--output", "f.npy")
        self.assertEqual(self.matrix("f.npy"), [right[v + 1] for v in range(vertices)])
        self.succeed("solve", "g.gr", "--problem", "bfs", "--device", "cpu", "--sources", "all", "--output", "b.npy",
                     "--check")
        self.assertEqual({row[i] for i, row in enumerate(self.matrix("b.npy"))}, {0})

    def test_distances_of_8_bytes(self):
        # As a float32, 0.1 is another number. Sums of three weights are rounded like doubles in Python.
        self.write("tenths.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 3\n1 2 0.1\n2 3 0.1\n3 4 0.1\n")
        right = [0.0, 0.1, 0.1 + 0.1, 0.1 + 0.1 + 0.1]
        for device in ("cpu", "simt"):
            for output in ("w.npy", f"w-{device}/"):
                self.succeed("solve", "tenths.mtx", "--weights", "float64", "--device", device, "--sources", "all",
                             "--output", output, "--check")
            self.assertEqual(self.matrix("w.npy")[0], right, device)
            self.assertEqual(self.matrix("w-" + device + "/distances-000000000.npy")[0], right, device)
            out = self.succeed("solve", "tenths.mtx", "--weights", "float64", "--device", device, "--source", "1",
                               "--check", "--output", "one.txt")
            self.assertIn("4 0.30000000000000004\n", self.read("one.txt").decode())
            self.assertIn("every distance is right", out)
        self.assertNotEqual(self.read("one.txt"), b"")
        self.refuse("solve", "tenths.mtx", "--weights", "uint32", "--device", "cpu", says="is not a whole number")
        self.refuse("solve", "tenths.mtx", "--weights", "float16", "--device", "cpu",
                    says="'float16' is not one of uint32, float32, float64")
        code, _, error = self.run_program("solve", "tenths.mtx", "--weights", "float64", "--device", "simt", "--config",
                                          "solver=adds")
        self.assertNotEqual(code, 0)
        self.assertIn("solver adds has distances of 4 bytes", error)
        self.assertIn("float64, 0.1 to 0.1", self.succeed("graph", "info", "tenths.mtx", "--weights", "float64"))

    def test_without_output_only_the_rate_is_said(self):
        out = self.succeed("solve", "road6", "--device", "simt", "--sources", "5:random:7", "--check", "--config",
                           "threads=32,blocks=1,near_items=64")
        self.assertIn("searches       5\n", out)
        self.assertIn("modelled, not measured", out)
        self.assertIn("near_items=64,threads=32  (given)", out)

    def test_folder_has_every_row_once_after_an_interruption(self):
        # The batch is so large that the run can be interrupted between two files.
        arguments = ("solve", "road16", "--device", "cpu:1", "--sources", "2100:random", "--output", "d/", "--config",
                     "solver=cpu_dijkstra")
        started = self.start(*arguments)
        deadline = time.monotonic() + 120
        while not (os.path.isdir(self.path("d")) and any(n.startswith("distances") and n.endswith(".npy")
                                                         for n in os.listdir(self.path("d")))):
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(started.poll())
            time.sleep(0.05)
        started.send_signal(signal.SIGINT)
        started.wait(program_test.TIME_LIMIT_S)
        started.stdout.close()
        started.stderr.close()
        before = {n: self.read("d/" + n) for n in os.listdir(self.path("d")) if re.fullmatch(r"distances-\d+\.npy", n)}
        self.assertLess(len(before) * 1024, 2100)
        code, out, _ = self.run_program(*arguments)  # may show progress
        self.assertEqual(code, 0)
        self.assertRegex(out, r"already done +[1-9]\d* of 2100 searches")
        files = sorted(n for n in os.listdir(self.path("d")) if n.endswith(".npy"))
        for name, content in before.items():
            self.assertEqual(self.read("d/" + name), content)
        self.assertEqual(sum(len(self.rows_of("d/" + n)) for n in files), 2100)
        sources = self.read("d/sources.txt").decode().split()
        self.assertEqual(len(set(sources)), 2100)
        # A row in a file written after the interruption belongs to the right source.
        late = [n for n in files if n not in before][-1]
        row = int(re.findall(r"\d+", late)[0])
        self.assertEqual(self.rows_of("d/" + late)[0][int(sources[row])], 0)
        self.assertIn("2100 of 2100", self.succeed(*arguments))
        self.refuse("solve", "road16", "--device", "cpu", "--sources", "2100:random:2", "--output", "d/",
                    says="distances of different searches")

    def rows_of(self, name):
        data = self.read(name)
        length = struct.unpack("<H", data[8:10])[0]
        rows, columns = eval(data[10:10 + length])["shape"]
        body = memoryview(data)[10 + length:].cast("I")
        return [body[i * columns:(i + 1) * columns] for i in range(rows)]

    def test_shards_and_devices_share_a_folder(self):
        vertices, right = self.graph()
        expected = [right[v + 1] for v in range(vertices)]
        arguments = ("solve", "g.gr", "--sources", "all", "--output", "d/", "--check")
        for shard in ("2/2", "1/2"):
            self.succeed(*arguments, "--device", "cpu", "--shard", shard)
        self.assertEqual([n for n in os.listdir(self.path("d")) if n.endswith(".npy")], ["distances-000000000.npy"])
        self.assertEqual(self.matrix("d/distances-000000000.npy"), expected)
        # First one search for two devices, then many.
        out = self.succeed("solve", "road14", "--sources", "9000:random", "--targets", self.write("t.txt", "5\n"),
                           "--device", "cpu:1,simt", "--shard", "1/9000", "--check")
        self.assertIn("(cpu:1)", out)
        self.assertIn("(simt)", out)
        self.assertEqual(sum(int(n) for n in re.findall(r"^searches +(\d+)", out, re.MULTILINE)), 1)
        out = self.succeed("solve", "g.gr", "--sources", "all", "--device", "cpu:1,simt", "--check")
        self.assertEqual(sum(int(n) for n in re.findall(r"^searches +(\d+)", out, re.MULTILINE)), vertices)

    def test_short_rows_are_shared_too(self):
        targets = self.write("t.txt", "5\n700\n")
        arguments = ("solve", "road11", "--sources", "1500:random", "--targets", targets, "--device", "cpu")
        whole = self.succeed(*arguments, "--output", "whole.npy")
        self.assertIn("searches       1500", whole)
        counts = []
        for shard in ("1/2", "2/2"):
            out = self.succeed(*arguments, "--output", "d/", "--shard", shard)
            counts += [int(n) for n in re.findall(r"^searches +(\d+)", out, re.MULTILINE)]
        self.assertEqual(counts, [1024, 476])
        self.assertEqual(self.matrix("d/distances-000000000.npy") + self.matrix("d/distances-000001024.npy"),
                         self.matrix("whole.npy"))

    def test_job_array(self):
        vertices, right = self.graph()
        script = next(candidate for candidate in (os.path.join(above, "experiments", "slurm", "searches.sbatch")
                                          for above in self.folders_above()) if os.path.exists(candidate))
        for task in (1, 2):
            environment = {**os.environ, "SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_COUNT": "2",
                           "SLURM_ARRAY_TASK_MIN": "1", "MLMQ_CACHE": self.path("cache")}
            done = subprocess.run(["bash", script, program_test.PROGRAM, "g.gr", "d", "--sources", "all",
                                   "--device", "cpu"],
                                  cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.matrix("d/distances-000000000.npy"), [right[v + 1] for v in range(vertices)])

    @staticmethod
    def folders_above():
        folder = os.path.dirname(os.path.abspath(__file__))
        for _ in range(4):
            folder = os.path.dirname(folder)
            yield folder

    def test_refusals(self):
        self.graph()
        self.write("s.txt", "1\n99999\n")
        self.write("empty.txt", "# none\n")
        self.write("bad.txt", "1\nx\n")
        os.mkdir(self.path("full"))
        self.write("full/other.txt", "")

        def refuse(*arguments, says):
            self.refuse("solve", "g.gr", "--device", "cpu", *arguments, says=says)
        refuse("--sources", "s.txt", says="s.txt:2: g has no vertex 99999")
        refuse("--sources", "empty.txt", says="the file has no vertices")
        refuse("--sources", "bad.txt", says="bad.txt:2: 'x' is not the id of a vertex")
        refuse("--sources", "nowhere.txt", says="there is no such file")
        refuse("--sources", 300 * "a", says="there is no such file")
        refuse("--sources", "0:random", says="expected N:random")
        refuse("--sources", "5000000:random", says="vertices with out-edges")
        refuse("--sources", "all", "--targets", "nowhere.txt", says="there is no such file")
        refuse("--sources", "all", "--output", "full/", says="not empty")
        refuse("--sources", "all", "--output", "nowhere/d.npy", says="nowhere")
        refuse("--sources", "all", "--source", "1", says="--source applies to a single search")
        refuse("--sources", "all", "--repeat", "2", says="--repeat applies to a single search")
        refuse("--sources", "all", "--config", "l9=bucket", says="--config: ")
        refuse("--targets", "7,99999", says="--targets 7,99999: g has no vertex 99999")
        refuse("--targets", "7", "--config", "l9=bucket", says="--config: ")
        refuse("--targets", "7,,8", says="'' is not the id of a vertex")
        refuse("--targets", "7", "--predecessors", "p.txt",
               says="--predecessors cannot be combined with --targets or --cutoff")
        refuse("--source", "99999", "--targets", "7", says="--source 99999: ")
        refuse("--cutoff", "-1", says="cutoff")
        refuse("--shard", "1/2", says="--shard requires --sources")
        refuse("--sources", "all", "--shard", "3/2", says="3/2")
        refuse("--sources", "all", "--shard", "1/2", "--output", "d.npy", says="require a folder")
        for number in ("-1", "nan", "x"):
            refuse("--sources", "all", "--cutoff", number, says="cutoff")
        refuse("--sources", "all", "--memory", "lots", says="--memory")
        self.refuse("solve", "g.gr", "--device", "cpu", "--sources", "all", "--memory", "4", "--output", "d.npy",
                    code=1, says="one search need")


if __name__ == "__main__":
    program_test.main()
