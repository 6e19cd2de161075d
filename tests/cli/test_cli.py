# SPDX-License-Identifier: Apache-2.0
"""The program mlmq as its user sees it: exit codes, messages, files.

usage: test_cli.py MLMQ CACHE [CLASS[.TEST] ...]

MLMQ is the program. CACHE is a folder where compiled simulator variants are kept, shared by all classes. Every test
has a temporary folder of its own, which is its working folder.
"""

import contextlib
import csv
import gzip
import heapq
import io
import itertools
import json
import math
import os
import pathlib
import pty
import random
import re
import resource
import select
import shutil
import signal
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import interchange  # beside this file

PROGRAM = ""
CACHE = ""

NOBODY = 65534


# Seconds after which something is taken to hang. Only a failing test waits so long; a busy machine must not.
PATIENCE = 240


def without_progress(errors):
    """What a sweep wrote to stderr, less the line that it prints every few seconds on a busy machine."""
    return re.sub(r"^\d+/\d+ trials, \d[^\n]*\n", "", errors, flags=re.MULTILINE)


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mlmq-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    # Files of the test's folder.

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        data = content.encode() if isinstance(content, str) else content
        if name.endswith(".gz"):
            data = gzip.compress(data, mtime=0)
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def names(self):
        return sorted(os.listdir(self.folder))

    # Runs of the program.

    def start(self, *arguments, environment=None, **settings):
        variables = {**os.environ, "MLMQ_CACHE": CACHE, "LC_ALL": "C", **(environment or {})}
        return subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, env=variables, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **settings)

    def run_program(self, *arguments, **settings):
        """Exit code, standard output, standard error."""
        process = self.start(*arguments, **settings)
        try:
            output, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail(f"mlmq {arguments} did not end")
        return process.returncode, output.decode(errors="replace"), errors.decode()

    def succeed(self, *arguments, **settings):
        code, output, errors = self.run_program(*arguments, **settings)
        self.assertEqual((code, without_progress(errors)), (0, ""), f"mlmq {arguments}: {output}")
        return output

    def sweeps(self, *arguments):
        """A sweep on the simulator that ends well."""
        return self.succeed("sweep", *arguments, "--device", "simt")

    def refuse(self, *arguments, says=(), code=2, prints=False, **settings):
        """One clear line on stderr with everything in `says`."""
        got, output, errors = self.run_program(*arguments, **settings)
        about = f"mlmq {arguments}: exit {got}, {errors!r}"
        self.assertEqual(got, code, about)
        self.assertRegex(errors, r"\Amlmq: [^\n]+\n\Z", about)
        self.assertLess(len(errors), 1200, about)
        for noise in ("terminate called", "what()", "std::", "filesystem error", "basic_string", "YAML::", "json.exception"):
            self.assertNotIn(noise, errors, about)
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, errors, about)
        if not prints:
            self.assertEqual(output, "", about)
        return errors

    def check_same_results(self, name, reference):
        """Both databases have each trial once, none failed, and with the same samples."""
        found, expected = (samples(self.path(database)) for database in (name, reference))
        for rows, other in zip(found, expected):
            self.assertEqual([row[:-1] for row in rows], [row[:-1] for row in other])
        self.assertEqual({row[-2:] for row in found[2]}, {("done", "ok")})
        self.assertEqual(found[1], expected[1])
        for row, other in zip(found[0], expected[0]):
            # The simulator's clock goes on from run to run, so the last digits depend on what ran before.
            self.assertTrue(math.isclose(row[-1], other[-1], rel_tol=1e-12), (row, other))

    def solve(self, graph, *arguments, **settings):
        return self.succeed("solve", graph, "--device", "simt", *arguments, **settings)

    def distances(self, graph, *arguments):
        """What `solve --output` writes, None for what is not reached."""
        self.solve(graph, "--check", "--output", "distances.txt", *arguments)
        lines = [line.split(" ") for line in self.read("distances.txt").decode().splitlines()]
        self.assertEqual([int(vertex) for vertex, _ in lines], list(range(len(lines))))
        return [None if distance == "inf" else float(distance) for _, distance in lines]


# A graph is (number of vertices, list of (from, to, weight)); vertices from 0.

def dijkstra(graph, source):
    count, edges = graph
    rows = [[] for _ in range(count)]
    for u, v, weight in edges:
        rows[u].append((v, weight))
    distances = [None] * count
    waiting = [(0, source)]
    while waiting:
        distance, u = heapq.heappop(waiting)
        if distances[u] is not None:
            continue
        distances[u] = distance
        for v, weight in rows[u]:
            if distances[v] is None:
                heapq.heappush(waiting, (distance + weight, v))
    return distances


def random_graph(seed, count=60, edge_count=200, real=False):
    """Every vertex has an edge. Has self-loops, parallel edges and, likely, vertices that cannot be reached."""
    draw = random.Random(seed)
    weight = (lambda: draw.randrange(1, 6400) / 64) if real else (lambda: draw.randrange(0, 1000))
    edges = [(v, draw.randrange(count), weight()) for v in range(count)]
    edges += [(draw.randrange(count - 9), draw.randrange(count - 5), weight()) for _ in range(edge_count)]
    edges += [(u, v, weight()) for u, v, _ in edges[:20]] + [(v, v, weight()) for v in range(5)]
    return count, edges


def dimacs(graph):
    count, edges = graph
    return f"c made by a test\np sp {count} {len(edges)}\n" + "".join(
        f"a {u + 1} {v + 1} {w}\n" for u, v, w in edges)


def matrix_market(graph):
    count, edges = graph
    field = "real" if any(isinstance(w, float) for _, _, w in edges) else "integer"
    return f"%%MatrixMarket matrix coordinate {field} general\n% a test\n{count} {count} {len(edges)}\n" + "".join(
        f"{u + 1} {v + 1} {w}\n" for u, v, w in edges)


def snap(graph):
    return "# a test\n" + "".join(f"{u}\t{v}\t{w}\n" for u, v, w in graph[1])


def galois(graph):
    count, edges = graph
    edges = sorted(edges, key=lambda edge: edge[0])
    ends = [sum(1 for edge in edges if edge[0] <= v) for v in range(count)]
    data = struct.pack(f"<4Q{count}Q", 1, 4, count, len(edges), *ends)
    data += struct.pack(f"<{len(edges)}I", *(v for _, v, _ in edges)) + bytes(4 * (len(edges) % 2))
    return data + struct.pack(f"<{len(edges)}I", *(w for _, _, w in edges))


FORMATS = {"dimacs.gr": dimacs, "galois.gr": galois, "market.mtx": matrix_market, "snap.txt": snap}

SMALL_SPACE = """\
name: small
problem: sssp
parameters:
  l1: [none, vector]
  threads: [64]
graphs:
  - {generate: road6, sources: [0]}
  - {generate: del6, sources: [0]}
  - {generate: rmat6, sources: [0]}
measurement: {warmup: 0, repeats: 2, time_limit_ms: 1000, counters: true, seed: 1}
"""
SMALL_TRIALS = 12


def with_deltas(values):
    """The small space with more configurations, but few kernels to compile: delta is passed at launch."""
    return SMALL_SPACE.replace("  threads:", f"  l2: [vector, bucket]\n  delta: {{values: {values}, when: l2 == bucket}}\n"
                               "  threads:")


class Arguments(ProgramTest):
    """What can be wrong before anything is done."""

    COMMANDS = ["", "graph", "graph info", "graph features", "graph convert", "graph generate", "solve", "sweep", "db",
                "simulate", "db status", "db query", "db export", "db merge", "selector", "selector train", "selector evaluate",
                "selector picks", "selector export", "selector predict", "selector curve", "selector candidates",
                "selector importance", "db compact", "db features", "check", "compare", "reproduce", "doctor"]

    def test_help(self):
        for command in self.COMMANDS:
            for option in ("--help", "-h"):
                self.assertIn("Usage:", self.succeed(*command.split(), option))
        named = set(re.findall(r"^  (\w+) ", self.succeed("--help").split("Subcommands:")[1], re.MULTILINE))
        self.assertEqual(named, {command.split()[0] for command in self.COMMANDS if command})

    def test_version_and_doctor(self):
        self.assertRegex(self.succeed("--version"), r"^\d+\.\d+\.\d+\n$")
        self.assertRegex(self.succeed("doctor"), r"(?m)^simt +usable$")

    def test_commands(self):
        self.refuse(says=["a command is missing", "solve", "sweep", "mlmq --help"])
        self.refuse("solv", says=["'solv'", "did you mean 'solve'?"])
        self.refuse("frobnicate", says=["'frobnicate'", "graph", "doctor"])
        self.refuse("graph", says=["a command is missing", "info", "convert", "mlmq graph --help"])
        self.refuse("db", "statu", says=["'statu'", "did you mean 'status'?"])
        self.refuse("", says="unknown command ''")

    def test_missing_and_superfluous(self):
        for command, name in [("solve", "graph"), ("graph info", "graph"), ("graph features", "graphs"),
                              ("graph convert a.gr", "output"), ("graph generate road6", "output"), ("sweep", "space"),
                              ("db query", "sql"), ("db merge", "output"), ("db merge a.sqlite", "inputs")]:
            self.refuse(*command.split(), says=[f"'{name}' is missing", "--help"])
        self.refuse("solve", "road6", "road7", says="unexpected argument 'road7'")
        self.refuse("doctor", "now", says="unexpected argument 'now'")
        self.refuse("solve", "road6", "--sorce", "3", says=["'--sorce'", "did you mean '--source'?"])
        self.refuse("--bogus", says="unknown option '--bogus'")
        self.refuse("solve", "road6", "--source", says="--source needs a value")
        self.refuse("solve", "road6", "--device", "simt", "--device", "cuda", says="--device is given more than once")

    def test_conflicts(self):
        self.refuse("solve", "road6", "--directed", "--undirected", says=["--directed", "--undirected"])
        self.refuse("solve", "road6", "--config", "l1=none", "--model", "m.json", says=["--config", "--model"])
        for option in (["--directed"], ["--undirected"], ["--ignore-weights"], ["--weight-seed", "3"]):
            self.refuse("graph", "info", "road6", *option, says=[option[0], "'road6' is generated"])

    def test_numbers(self):
        for option in ("--source", "--seed", "--weight-seed", "--repeat", "--time-limit"):
            for value in ("-1", "abc", "", "1e", "99999999999999999999999", "nan", "inf", " 1", "1 "):
                # The largest double is a time limit like any other.
                if option == "--time-limit" and value.isdigit():
                    continue
                self.refuse("solve", "road6", "--device", "simt", f"{option}={value}", says=option)
        self.refuse("solve", "road6", "--device", "simt", "--repeat", "0", says=["--repeat", "1 to 1000000"])
        self.refuse("solve", "road6", "--device", "simt", "--time-limit", "0", says=["--time-limit", "above 0"])
        self.refuse("solve", "road6", "--device", "simt", "--source", "4294967296", says=["--source", "'4294967296'"])
        for option, value in [("--rounds", "0"), ("--rounds", "-1"), ("--rounds", "1000000000"), ("--depth", "0"),
                              ("--depth", "99"), ("--eta", "0"), ("--eta", "nan"), ("--eta", "2"),
                              ("--tolerance", "-1"), ("--tolerance", "nan"), ("--tolerance", "2")]:
            self.refuse("selector", "train", "none.sqlite", option, value, says=[option, f"'{value}'"])
        for value in ("-1", "0", "1", "x"):
            self.refuse("selector", "evaluate", "none.sqlite", "--folds", value, says=["--folds", f"'{value}'"])
        for value in ("-1", "0"):
            self.refuse("selector", "predict", "road6", "--count", value, says=["--count", f"'{value}'"])

    def test_empty_texts(self):
        for arguments in (["solve", ""], ["solve", "road6", "--device", ""], ["solve", "road6", "--output", ""],
                          ["solve", "road6", "--model", ""], ["graph", "info", ""], ["graph", "convert", "", "a.gr"],
                          ["graph", "generate", "road6", ""], ["graph", "features", "road6", ""], ["sweep", ""],
                          ["sweep", "s.yaml", "--db", ""], ["sweep", "s.yaml", "--graphs", ""], ["db", "status", ""],
                          ["db", "query", ""], ["db", "export", "a.sqlite", "--experiment", ""],
                          ["selector", "train", ""], ["selector", "export", ""]):
            self.refuse(*arguments, says="empty")
        self.assertEqual(self.names(), [])

    def test_devices(self):
        for device in ("cpu:", "cpu:x", "cpus", "simd", "simt:", "simt:0x1", "simt:4", "simt:-1x4", "simt:999999x1", "cuda:x", "cuda:-1",
                       "simt:4x8x2", "\udcff"):
            self.refuse("solve", "road6", "--device", device, says="device '")

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "there is a GPU")
    def test_no_gpu(self):
        for device in ("cuda", "cuda:0", "cuda:7"):
            # Without the CUDA backend the device is named as it was given, with it as the first GPU.
            self.refuse("solve", "road6", "--device", device, says="device 'cuda")
        self.assertIn("simt", self.succeed("solve", "road6", "--device", "auto"))

    def test_names_that_are_no_text(self):
        for name in ("a\nb", "a\nb.gr", "\x1b[31m.gr", "\udcff\udcfe", "caf\udce9.gr", "caf\udce9", "x" * 5000,
                     "x" * 5000 + ".gr", "a/" * 2500):
            self.refuse("graph", "info", name)
            self.refuse("sweep", name)
            self.refuse("db", "status", name)
            self.refuse("solve", "road6", "--device", "simt", "--model", name)
        self.assertEqual(self.names(), [])

    def test_generator_names(self):
        for name, parts in [("nothing", ["'nothing'", "road", "rmat", "graph file"]), ("roda8", "did you mean 'road'?"),
                            ("road", "as in 'road9'"), ("road8x", "'8x'"), ("road0", "2 to 30"), ("road99", "2 to 30"),
                            ("road-3", "'road-3'"), ("rmat99999999999999", "not a number in range"),
                            ("road8:sed=1", "did you mean 'seed'?"), ("road8:seed", "seed=NUMBER"),
                            ("road8:seed=-1", "'-1'"), ("road8:", "''"), ("power8:degree=-1", "degree -1"),
                            ("power8:exponent=nan", "exponent nan"), ("path0", "0 vertices"),
                            ("grid99999", "9999800001 vertices"), ("complete999999", "GiB"),
                            ("rmat8:edge_factor=99999999", "GiB"), ("rmat8:edge_factor=0", "edge factor 0")]:
            self.refuse("graph", "info", name, says=parts)
        self.assertIn("power8:exponent=2.5", self.succeed("graph", "info", "power8:exponent=2.5"))
        self.refuse("graph", "info", "missing.gr", says="missing.gr: no such file")
        self.refuse("graph", "info", "./road8", says="no such file")
        self.refuse("graph", "info", ".", says="is a folder")

    def test_configurations(self):
        for label, parts in [("l1", ["NAME=VALUE", "'l1'"]), ("=", "NAME=VALUE"), (",", "NAME=VALUE"),
                             ("l1=", "none, vector"), ("l1=vectr", ["'l1'", "'vectr'", "none, vector"]),
                             ("thread=64", "did you mean 'threads'?"), ("threads=abc", ["'abc'", "64 to 1024"]),
                             ("threads=9999999999999999999999", "64 to 1024"), ("threads=-64", "64 to 1024"),
                             ("threads=64,threads=64", "twice"), ("l1=none,wb=3", "l1 == vector"),
                             ("delta=nan", "'delta'"), ("delta=0", "0.001 to 1e+09"), ("delta=1e300", "1e+300"),
                             ("Auto", "NAME=VALUE"), ("\udcff=1", "unknown parameter")]:
            self.refuse("solve", "road6", "--device", "simt", "--config", label, says=["--config: ", *(
                [parts] if isinstance(parts, str) else parts)])
        self.assertIn("l1=vector", self.solve("road6", "--config", ""))

    def test_standard_output_that_is_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for arguments in (["--help"], ["doctor"], ["graph", "features", "road6"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rb"\Amlmq: [^\n]+\n\Z")


class GraphFiles(ProgramTest):
    """Reading, writing, describing."""

    def test_text_files_that_are_wrong(self):
        banner = "%%MatrixMarket matrix coordinate real general\n"
        for name, content, parts in [
                ("a.gr", "", "a.gr:"), ("a.gr", "hello\n", ["a.gr:1:", "'hello'"]),
                ("a.gr", "p sp 2\n", ["a.gr:1:", "p sp VERTICES ARCS"]), ("a.gr", "p sp 0 0\n", ["a.gr:1:", "no vertices"]),
                ("a.gr", "p sp -1 0\n", "a.gr:1:"), ("a.gr", "p sp 9999999999 0\n", ["a.gr:1:", "4294967294"]),
                ("a.gr", "p sp 4294967294 0\n", ["a.gr", "GiB"]), ("a.gr", "p sp 99999999999999999999 0\n", "a.gr:1:"),
                ("a.gr", "a 1 2 3\n", ["a.gr:1:", "before"]), ("a.gr", "p sp 2 1\np sp 2 1\n", ["a.gr:2:", "second"]),
                ("a.gr", "p sp 2 1\na 1 3 5\n", ["a.gr:2:", "1 to 2"]), ("a.gr", "p sp 2 1\na 0 1 5\n", "a.gr:2:"),
                ("a.gr", "p sp 2 1\na 1 -1 5\n", "a.gr:2:"), ("a.gr", "p sp 2 1\na 1 2\n", ["a.gr:2:", "weight"]),
                ("a.gr", "p sp 2 1\na 1 2 3 4\n", "a.gr:2:"), ("a.gr", "p sp 2 1\na 1 2 nan\n", ["a.gr:2:", "'nan'"]),
                ("a.gr", "p sp 2 1\na 1 2 1e99\n", ["a.gr:2:", "'1e99'"]), ("a.gr", "p sp 2 1\na 1 2 x\n", "a.gr:2:"),
                ("a.gr", "p sp 2 1\na 1 2 4294967295\n", ["a.gr:2:", "too large"]),
                ("a.gr", "p sp 2 2\na 1 2 3\n", ["a.gr:2:", "1 of the 2"]),
                ("a.gr", "p sp 2 1\na 1 2 3\na 1 2 3\n", ["a.gr:3:", "more arcs"]),
                ("a.gr", "p sp 2 999999999999\na 1 2 3\n", "1 of the 999999999999"),
                ("a.mtx", "", "a.mtx"), ("a.mtx", "1 2 3\n", ["a.mtx:1:", "%%MatrixMarket"]),
                ("a.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n", ["a.mtx:1:", "'array'"]),
                ("a.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 0\n", ["a.mtx:1:", "'complex'"]),
                ("a.mtx", "%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", ["a.mtx:1:", "'hermitian'"]),
                ("a.mtx", banner, "a.mtx:1:"), ("a.mtx", banner + "2 3 1\n1 2 1\n", ["a.mtx:2:", "2 x 3"]),
                ("a.mtx", banner + "0 0 0\n", ["a.mtx:2:", "no vertices"]), ("a.mtx", banner + "2 2\n", "a.mtx:2:"),
                ("a.mtx", banner + "2 2 1\n1 3 1\n", ["a.mtx:3:", "1 to 2"]), ("a.mtx", banner + "2 2 1\n0 1 1\n", "a.mtx:3:"),
                ("a.mtx", banner + "2 2 2\n1 2 1\n", ["a.mtx:3:", "1 of the announced 2"]),
                ("a.mtx", banner + "2 2 1\n1 2 1\n2 1 1\n", ["a.mtx:4:", "more entries"]),
                ("a.mtx", banner + "2 2 1\n1 2\n", ["a.mtx:3:", "value"]), ("a.mtx", banner + "2 2 1\n1 2 x\n", "'x'"),
                ("a.txt", "", "no vertices"), ("a.txt", "# nothing\n", "no vertices"), ("a.txt", "0\n", "a.txt:1:"),
                ("a.txt", "0 1 2 3\n", "a.txt:1:"), ("a.txt", "0 1 2\n1 2\n", ["a.txt:2:", "line 1"]),
                ("a.txt", "0 x\n", ["a.txt:1:", "'x'"]), ("a.txt", "-1 2\n", ["a.txt:1:", "'-1'"]),
                ("a.txt", "0,1\n", "a.txt:1:"), ("a.txt", "0 18446744073709551616\n", "a.txt:1:"),
                ("a.txt", "0 1 -\n", "a.txt:1:"), ("a.xyz", "0 1\n", [".gr", ".mtx", ".txt"]), ("a", "0 1\n", ".mtx")]:
            self.write(name, content)
            self.refuse("graph", "info", name, says=parts)
            if not name.endswith((".xyz", "a")):
                self.write(name + ".gz", content)
                if content:
                    self.refuse("graph", "info", name + ".gz")

    def test_galois_files_that_are_wrong(self):
        def header(version=1, edge_data=4, vertices=2, edges=1):
            return struct.pack("<4Q", version, edge_data, vertices, edges)
        rest = struct.pack("<2Q", 1, 1) + struct.pack("<3I", 1, 0, 7)
        self.write("a.gr", header() + rest)
        self.succeed("graph", "info", "a.gr")
        for content in (header(version=2) + rest, header(edge_data=8) + rest, header(vertices=0) + rest,
                        header(vertices=2 ** 40) + rest, header(vertices=2 ** 63) + rest, header(edges=2 ** 62) + rest,
                        header(edges=2) + rest, header(vertices=1) + rest, header() + rest + b"\0",
                        header() + struct.pack("<2Q", 2, 1) + rest[16:], header() + struct.pack("<2Q", 0, 0) + rest[16:],
                        header() + rest[:16] + struct.pack("<3I", 2, 0, 7), header(vertices=0xFFFFFFFF) + rest):
            self.write("a.gr", content)
            self.refuse("graph", "info", "a.gr", says="a.gr: byte ")
            self.write("a.gr.gz", content)
            self.refuse("graph", "info", "a.gr.gz", says="a.gr.gz: byte ")

    def test_truncated_and_corrupt(self):
        draw = random.Random(4)
        graph = random_graph(3)
        for name, made in FORMATS.items():
            for ending in ("", ".gz"):
                self.write(name + ending, made(graph))
                whole = self.read(name + ending)
                for length in [0, 1, 2, 10, 33, len(whole) // 2, len(whole) - 12]:
                    self.write("x", whole[:length])
                    os.rename(self.path("x"), self.path(name + ending))
                    # A text that ends between two lines announces nothing: SNAP has no count.
                    if name == "snap.txt" and not ending:
                        self.assertIn(self.run_program("graph", "info", name)[0], (0, 2))
                    else:
                        self.refuse("graph", "info", name + ending, says=name + ending)
                # Damage must never crash; what is still a graph may be read.
                for _ in range(6):
                    damaged = bytearray(whole)
                    for _ in range(3):
                        damaged[draw.randrange(len(damaged))] = draw.randrange(256)
                    with open(self.path(name + ending), "wb") as file:
                        file.write(damaged)
                    code = self.run_program("graph", "info", name + ending)[0]
                    if code:
                        self.refuse("graph", "info", name + ending)
        self.write("plain.txt", "0 1\n")
        os.rename(self.path("plain.txt"), self.path("plain.txt.gz"))
        self.refuse("graph", "info", "plain.txt.gz", says="gzip")

    def test_conversion_keeps_the_graph(self):
        def facts(name):
            return re.search(r"hash +(\w+)", self.succeed("graph", "info", name)).group(1)
        self.succeed("graph", "generate", "road8", "a.gr")
        reference = facts("a.gr")
        self.assertEqual(facts("road8"), reference)
        for to, form in [("b.gr", "dimacs"), ("c.gr.gz", "dimacs"), ("d.gr.gz", "galois"), ("e.gr", "galois")]:
            before = "a.gr" if to == "b.gr" else previous
            self.succeed("graph", "convert", before, to, "--format", form)
            self.assertEqual(facts(to), reference, to)
            previous = to
        self.assertTrue(self.read("c.gr.gz").startswith(b"\x1f\x8b"))
        self.succeed("graph", "convert", "a.gr", "a.gr")
        self.assertEqual(facts("a.gr"), reference)
        self.write("real.txt", snap(random_graph(5, real=True)))
        self.refuse("graph", "convert", "real.txt", "real.gr", says=["real.gr", "--format dimacs"])
        self.succeed("graph", "convert", "real.txt", "real.gr", "--format", "dimacs")
        self.assertEqual(facts("real.gr"), facts("real.txt"))
        self.assertFalse([name for name in self.names() if ".tmp" in name])

    def test_output_that_cannot_be(self):
        os.mkdir(self.path("folder.gr"))
        self.write("file", "")
        before = self.names()
        self.refuse("graph", "generate", "road6", "folder.gr", says="is a folder")
        self.refuse("graph", "generate", "road6", "file/a.gr", code=1, says="file/a.gr: cannot be written")
        self.refuse("graph", "generate", "road6", "/proc/none/a.gr", code=1, says="cannot be written")
        for name in ("a.txt", "a.mtx", "a", "a.gz", "a/"):
            self.refuse("graph", "generate", "road6", name, says=[name, ".gr"])
            self.refuse("graph", "convert", "road6", name, says=[name, ".gr"])
        self.refuse("graph", "convert", "road6", "a.gr", "--format", "galoi", says=["--format", "dimacs"])
        self.refuse("graph", "convert", "none.gr", "a.gr", says="none.gr: no such file")
        self.assertEqual(self.names(), before)

    def test_features(self):
        rows = list(csv.DictReader(io.StringIO(self.succeed("graph", "features", "road6", "del6", "--format", "csv"))))
        found = json.loads(self.succeed("graph", "features", "road6", "del6", "--format", "json"))
        self.assertEqual([row["graph"] for row in rows], ["road6", "del6"])
        for row, entry in zip(rows, found):
            self.assertEqual(list(row), list(entry))
            self.assertEqual(len(row), 10)
            for key in list(row)[2:]:
                self.assertEqual(float(row[key]), entry[key])
        self.assertIn("road6", self.succeed("graph", "features", "road6"))
        everything = json.loads(self.succeed("graph", "features", "road6", "--all", "--format", "json"))[0]
        listed = json.loads(self.succeed("graph", "features", "--list", "--format", "json"))
        self.assertEqual([one["feature"] for one in listed], list(everything)[2:])
        self.assertEqual({one["cost"] for one in listed}, {"pass", "sampling"})
        for name, value in found[0].items():
            self.assertEqual(everything[name], value)
        self.assertEqual(everything["degree_p90"], 3)
        self.refuse("graph", "features", "road6", "--list", says="--list")
        self.refuse("graph", "features", "road6", "--format", "jsn", says="did you mean 'json'?")
        self.refuse("graph", "features", "road6", "none.gr", says="none.gr")


class Solving(ProgramTest):
    """Answers, and what can go wrong on the way."""

    def test_answers_in_every_format(self):
        for real in (False, True):
            graph = random_graph(7, real=real)
            for name, made in FORMATS.items():
                if real and name == "galois.gr":
                    continue
                for ending in ("", ".gz"):
                    self.write(name + ending, made(graph))
                    for source in (0, 17):
                        self.assertEqual(self.distances(name + ending, "--source", str(source)),
                                         dijkstra(graph, source), f"{name}{ending} from {source}")

    def test_odd_graphs(self):
        for graph, source in [((1, []), 0), ((1, [(0, 0, 5)]), 0), ((3, []), 1), ((2, [(0, 1, 0), (1, 0, 0)]), 1),
                              ((3, [(0, 1, 9), (0, 1, 2), (0, 1, 2), (1, 1, 0), (1, 2, 3), (2, 2, 7)]), 0),
                              ((4, [(0, 1, 0), (1, 2, 0), (2, 0, 0), (2, 3, 0)]), 0),
                              ((2, [(0, 1, 2 ** 31 - 1)]), 0)]:
            for name in ("dimacs.gr", "galois.gr", "market.mtx"):
                self.write(name, FORMATS[name](graph))
                self.assertEqual(self.distances(name, "--source", str(source)), dijkstra(graph, source), graph)
        self.write("loop.txt", "5 5 1\n")
        self.assertEqual(self.distances("loop.txt"), [0])
        for name in ("path1", "star1", "complete1", "grid1"):
            self.assertEqual(self.distances(name), [0])

    def test_configurations_agree(self):
        graph = random_graph(9)
        self.write("a.gr", dimacs(graph))
        for label in ("l1=none,threads=64", "l1=vector,threads=64", "l1=none,threads=64,delta=1"):
            self.assertEqual(self.distances("a.gr", "--config", label), dijkstra(graph, self.source("a.gr")), label)

    def test_processors(self):
        graph = random_graph(9)
        self.write("a.gr", dimacs(graph))
        expected = dijkstra(graph, self.source("a.gr"))
        for label in ("solver=boost_dijkstra", "solver=dijkstra", "solver=delta_stepping",
                      "solver=delta_stepping,cpu_delta=0.1,fusion=0", "auto"):
            for device in ("cpu", "cpu:3"):
                out = self.succeed("solve", "a.gr", "--device", device, "--config", label, "--check", "--repeat", "3",
                                   "--output", "d.txt")
                for part in ("every distance is right", "compiled in", f"({device})"):
                    self.assertIn(part, out)
                self.assertNotIn("modelled", out)
                found = [None if line.split()[1] == "inf" else int(line.split()[1])
                         for line in self.read("d.txt").decode().splitlines()]
                self.assertEqual(found, expected, label)
        for solver in ("bfs", "dijkstra"):
            self.succeed("solve", "a.gr", "--problem", "bfs", "--device", "cpu", "--config", "solver=" + solver, "--check")
        self.refuse("solve", "a.gr", "--device", "cpu", "--config", "solver=bfs", code=1, says="problem bfs")
        self.refuse("solve", "a.gr", "--device", "cpu", "--config", "l2=heap", code=1, says=["mlmq", "delta_stepping"])
        self.refuse("solve", "a.gr", "--device", "simt", "--config", "solver=dijkstra", code=1, says="--device cpu")
        self.refuse("solve", "a.gr", "--device", "cpu:0", says=["cpu:0", "cpu:8"])
        self.assertIn("hardware threads", self.succeed("doctor"))

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
        self.refuse("solve", "a.gr", "--device", "simt", "--source", "0", "--output", "d.txt", code=1, prints=True,
                    says="32 bits")
        self.assertNotIn("d.txt", self.names())

    def test_source_and_limits(self):
        self.refuse("solve", "path4", "--device", "simt", "--source", "4", says=["--source 4", "0 to 3"])
        self.refuse("solve", "road6", "--device", "simt", "--time-limit", "0.0001", code=1, says="timeout")

    def test_output(self):
        os.mkdir(self.path("folder"))
        self.write("file", "")
        solve = ("solve", "path4", "--device", "simt", "--source", "0", "--output")
        self.refuse(*solve, "folder", says="folder: is a folder")
        self.refuse(*solve, "file/d.txt", code=1, prints=True, says="file/d.txt: cannot be written")
        self.refuse(*solve, "/proc/none/d.txt", code=1, prints=True, says="cannot be written")
        self.assertEqual(self.names(), ["file", "folder"])
        self.succeed(*solve, "new/d.txt")
        self.assertEqual(self.read("new/d.txt"), b"0 0\n1 1\n2 2\n3 3\n")
        self.succeed(*solve, "d.txt.gz")
        self.assertEqual(gzip.decompress(self.read("d.txt.gz")), self.read("new/d.txt"))
        # A pipe is written to, not replaced. So is a device; but no test may risk /dev/null, which root can lose.
        os.mkfifo(self.path("pipe"))
        process = self.start(*solve, "pipe")
        with open(self.path("pipe"), "rb") as pipe:
            self.assertEqual(pipe.read(), self.read("new/d.txt"))
        process.communicate()
        self.assertEqual(process.returncode, 0)
        self.assertIn("0 0\n1 1\n2 2\n3 3\n", self.succeed(*solve, "/proc/self/fd/1"))
        # A link stays one.
        os.symlink("new/d.txt", self.path("link"))
        self.write("new/d.txt", "old")
        self.succeed(*solve, "link")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(self.read("new/d.txt"), b"0 0\n1 1\n2 2\n3 3\n")

    def test_predecessors(self):
        # Vertices 1 and 2 are a circle of nothing; 4 is not reached.
        graph = (5, [(0, 1, 5), (1, 2, 0), (2, 1, 0), (0, 3, 9), (2, 3, 4), (4, 0, 1)])
        self.write("a.gr", dimacs(graph))
        for device in ("simt", "cpu"):
            self.succeed("solve", "a.gr", "--device", device, "--source", "0", "--predecessors", "t.txt")
            self.assertEqual(self.read("t.txt"), b"0 none\n1 0\n2 1\n3 0\n4 none\n")
        self.succeed("solve", "a.gr", "--device", "cpu", "--source", "0", "--problem", "bfs", "--predecessors", "new/t.txt.gz",
                     "--output", "d.txt")
        self.assertEqual(gzip.decompress(self.read("new/t.txt.gz")), b"0 none\n1 0\n2 1\n3 0\n4 none\n")
        self.assertEqual(self.read("d.txt"), b"0 0\n1 1\n2 2\n3 1\n4 inf\n")
        os.mkdir(self.path("folder"))
        self.refuse("solve", "a.gr", "--device", "cpu", "--predecessors", "folder", says="folder: is a folder")

    def test_models_that_are_wrong(self):
        other = json.dumps({"learner": {"attributes": {}}, "version": [1, 7, 4]})
        for content in ("", "{", "[]", "{}", "null", "3", other, '{"format": "mlmq-selector-model"}', "\xff\xfe", b"\xff\0",
                        "[" * 100000, '{"format": "mlmq-selector-model", "version": 999}'):
            self.write("m.json", content)
            self.refuse("solve", "path4", "--device", "simt", "--model", "m.json", says="m.json")
            self.refuse("selector", "export", "m.json", "--output", "m.hpp", says="m.json")
            self.refuse("selector", "predict", "path4", "--model", "m.json", says="m.json")
        self.refuse("solve", "path4", "--device", "simt", "--model", "none.json", says="none.json")
        self.refuse("solve", "path4", "--device", "simt", "--model", ".", says="folder")
        self.assertEqual(self.names(), ["m.json"])

    def test_cache_that_cannot_be_used(self):
        self.write("file", "")
        arguments = ("solve", "path4", "--device", "simt", "--config", "l1=none,threads=64")
        self.refuse(*arguments, code=1, says="file/", environment={"MLMQ_CACHE": self.path("file")})
        own = {"MLMQ_CACHE": self.path("cache")}
        self.succeed(*arguments, environment=own)
        self.assertIn("from the cache", self.succeed(*arguments, environment=own))
        for folder, _, names in os.walk(self.path("cache")):
            for name in names:
                os.truncate(os.path.join(folder, name), 100)
        self.succeed(*arguments, environment=own)
        self.assertIn("from the cache", self.succeed(*arguments, environment=own))


class Experiments(ProgramTest):
    """Experiment files that are wrong."""

    GRAPHS = "graphs: [{generate: road6, sources: [0]}]\n"
    START = "name: x\nproblem: sssp\n"
    SPACE = "parameters: {threads: [64]}\n"

    def wrong(self, text, *parts):
        self.write("x.yaml", text)
        self.refuse("sweep", "x.yaml", "--db", "x.sqlite", "--device", "simt", says=parts)

    def test_keys(self):
        start, space, graphs = self.START, self.SPACE, self.GRAPHS
        self.wrong("", "x.yaml", "empty")
        self.wrong("hello\n", "x.yaml", "map")
        self.wrong("- a\n", "x.yaml", "map")
        self.wrong("name: {x\n", "x.yaml:", "YAML")
        self.wrong("name: x\n\tproblem: y\n", "x.yaml:2:")
        self.wrong("a: *b\n", "x.yaml:1:")
        self.wrong("[" * 100000, "x.yaml:")
        self.wrong(b"\xff\xfe\0\0", "x.yaml")
        self.wrong(start + space, "'graphs'")
        self.wrong(start + graphs, "'parameters'")
        self.wrong("problem: sssp\n" + space + graphs, "'name'")
        self.wrong("name: x\n" + space + graphs, "'problem'")
        self.wrong(start + space + graphs + "graph: 1\n", "x.yaml:5:", "'graph'", "did you mean 'graphs'?")
        self.wrong(start + space + graphs + "name: y\n", "x.yaml:5:", "'name'", "twice")
        self.wrong(start + space + graphs + "---\nname: y\n", "x.yaml:", "second document")
        self.wrong("name: x\nproblem: sspp\n" + space + graphs, "x.yaml:2:", "'sspp'", "sssp")
        self.wrong("name: ''\nproblem: sssp\n" + space + graphs, "x.yaml:1:", "'name'")
        self.wrong(start + space + graphs + "measurement: {repeat: 3}\n", "x.yaml:5:", "did you mean 'repeats'?")
        self.wrong(start + space + graphs + "measurement: {repeats: 0}\n", "x.yaml:5:", "'repeats'")
        self.wrong(start + space + graphs + "measurement: {repeats: 99999999999999999999}\n", "x.yaml:5:", "'repeats'")
        self.wrong(start + space + graphs + "measurement: {time_limit_ms: -1}\n", "x.yaml:5:", "'time_limit_ms'")
        self.wrong(start + space + graphs + "strategy: {name: randm, count: 3}\n", "x.yaml:5:", "did you mean 'random'?")
        self.wrong(start + space + graphs + "strategy: {name: random}\n", "x.yaml:5:", "'count'")
        self.wrong(start + space + graphs + "sources: {choose: most}\n", "x.yaml:5:", "max_degree")
        self.assertEqual(self.names(), ["x.yaml"])

    def test_spaces(self):
        start, graphs = self.START, self.GRAPHS
        for parameters, parts in [("{threads: []}", ["'threads'", "no values"]), ("{threads: }", ["'threads'", "no values"]),
                                  ("{threads: {}}", ["'threads'", "no values"]), ("{}", ["'parameters'"]),
                                  ("{thread: [64]}", ["did you mean 'threads'?"]), ("{x: [1]}", ["unknown parameter 'x'"]),
                                  ("{threads: [64, abc]}", ["abc", "64 to 1024"]), ("{threads: [1]}", ["64 to 1024"]),
                                  ("{threads: [-64]}", ["64 to 1024"]), ("{threads: [64, 64]}", ["twice"]),
                                  ("{threads: [99999999999999999999]}", ["64 to 1024"]), ("{l1: [vectr]}", ["none, vector"]),
                                  ("{threads: {range: {from: 64, to: 32, step: 8}}}", ["'to'", "below"]),
                                  ("{threads: {range: {from: 64, to: 128, step: 0}}}", ["'step'"]),
                                  ("{threads: {range: {from: 64, to: 128, factor: 1}}}", ["'factor'"]),
                                  ("{threads: {range: {from: 64, to: 128}}}", ["'step'", "'factor'"]),
                                  ("{threads: {range: {from: 64}}}", ["'to'"]),
                                  ("{delta: {range: {from: 1, to: 1e9, step: 1e-3}}}", ["more than 1000000"]),
                                  ("{threads: {values: [64], wen: l1 == none}}", ["did you mean 'when'?"]),
                                  ("{threads: {values: [64], bind: launch}}", ["compile"]),
                                  ("{delta: {values: [1], unit: meters}}", ["average_weight"])]:
            self.wrong(start + f"parameters: {parameters}\n" + graphs, "x.yaml:3:", *parts)
        for restrictions, parts in [("[threads < 32]", ["no configuration", "'threads < 32'"]),
                                    ("[threads > 32, threads < 64]", ["no configuration", "'threads < 64'"]),
                                    ("[thread < 64]", ["did you mean 'threads'?"]), ("['threads <']", ["threads <"]),
                                    ("['(threads']", ["(threads"]), ("threads", ["list"]),
                                    ("['" + "(" * 100000 + "threads']", [])]:
            self.wrong(start + self.SPACE + f"restrictions: {restrictions}\n" + graphs, "x.yaml:4:", *parts)
        for configuration, parts in [("{l1: none, wb: 8}", ["l1 == vector"]), ("{foo: 1}", ["'foo'"]),
                                     ("{threads: 1}", ["64 to 1024"])]:
            self.wrong(start + self.SPACE + f"configurations: [{configuration}]\n" + graphs, "x.yaml:4:", *parts)
        self.assertEqual(self.names(), ["x.yaml"])

    def test_graphs(self):
        self.write("bad.gr", "p sp 2 2\na 1 2 3\n")
        os.mkdir(self.path("empty"))
        for graphs, parts in [("[]", ["'graphs'"]), ("road6", ["list"]), ("[road6]", ["map"]),
                              ("[{generat: road6}]", ["did you mean 'generate'?"]), ("[{generate: roda6}]", ["'road'?"]),
                              ("[{generate: road99}]", ["2 to 30"]), ("[{file: none.gr}]", ["'none.gr'"]),
                              ("[{file: '*.none'}]", ["'*.none'"]), ("[{generate: road6, file: bad.gr}]", ["either"]),
                              ("[{generate: road6, sources: [999]}]", ["source 999"]),
                              ("[{generate: road6, sources: [-1]}]", ["'-1'"]),
                              ("[{generate: road6, sources: []}]", ["empty"])]:
            self.wrong(self.START + self.SPACE + f"graphs: {graphs}\n", "x.yaml:4:", *parts)
        self.wrong(self.START + self.SPACE + "graphs: [{file: bad.gr}]\n", "bad.gr:2:")
        self.wrong(self.START + self.SPACE + "graphs: [{file: empty}]\n", "empty", "folder")
        self.write("x.yaml", self.START + self.SPACE + self.GRAPHS)
        self.write("notes.md", "no graph\n")
        self.write("list.yaml", "graphs: []\n")
        for graphs, parts in [("none", "'none'"), ("none.gr", "no file"), ("./road6", "no file"), ("*.none", "no file"),
                              ("empty", "no graph files"), ("bad.gr", "bad.gr:2:"),
                              ("notes.md", ".mtx"), ("list.yaml", "list.yaml:1:"), ("none.yaml", "none.yaml")]:
            self.refuse("sweep", "x.yaml", "--db", "x.sqlite", "--device", "simt", "--graphs", graphs, says=parts)

    def test_nothing_is_made_for_a_mistake(self):
        self.write("x.yaml", self.START + self.SPACE + self.GRAPHS)
        for arguments in (["none.yaml"], ["."], ["x.yaml", "--device", "none"], ["x.yaml", "--graphs", "none.gr"]):
            self.refuse("sweep", *arguments, "--db", "x.sqlite")
        self.assertEqual(self.names(), ["x.yaml"])

    def test_graphs_named_on_the_command_line(self):
        os.mkdir(self.path("graphs"))
        for name, made in FORMATS.items():
            self.write("graphs/" + name, made(random_graph(2)))
        self.write("graphs/readme.md", "not a graph")
        self.write("x.yaml", self.START + self.SPACE + self.GRAPHS + "measurement: {warmup: 0, repeats: 1, counters: false}\n")
        out = self.succeed("sweep", "x.yaml", "--db", "x.sqlite", "--device", "simt", "--graphs", "graphs", "path5")
        # The four files hold one graph.
        self.assertRegex(out, r"^(\d+) of \1 trials done")
        self.assertIn("path5", self.succeed("db", "query", "--db", "x.sqlite", "SELECT DISTINCT graph FROM result"))

    def test_processors(self):
        self.write("x.yaml", self.START + self.GRAPHS + "parameters: {solver: [mlmq, boost_dijkstra, dijkstra, "
                   "delta_stepping], cpu_delta: {values: [0.5, 8], when: solver == delta_stepping}}\n"
                   "measurement: {warmup: 1, repeats: 3, counters: true}\n")
        # What does not fit the device is an outcome, and the sweep goes on.
        out = self.succeed("sweep", "x.yaml", "--db", "x.sqlite", "--device", "cpu:2")
        self.assertRegex(out, r"^10 of 10 trials done")
        self.assertIn("the timed samples alone, on the processors", out)
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


class Databases(ProgramTest):
    """Databases that are not what they should be."""

    def setUp(self):
        super().setUp()
        self.write("s.yaml", SMALL_SPACE)

    def sweep(self, database="r.sqlite", **settings):
        return self.succeed("sweep", "s.yaml", "--db", database, "--device", "simt", **settings)

    def every_command_refuses(self, name, *parts, code=2):
        for arguments in (["db", "status", name], ["db", "export", name], ["db", "query", "--db", name, "SELECT 1"],
                          ["selector", "train", name], ["selector", "evaluate", name]):
            self.refuse(*arguments, says=[name, *parts], code=code)

    def change(self, name, statement):
        with contextlib.closing(sqlite3.connect(self.path(name))) as database:
            database.execute(statement)
            database.commit()

    def test_wrong_files(self):
        self.every_command_refuses("none.sqlite", "no such database")
        self.write("text.sqlite", "this is no database, and it is a good deal longer than a header\n" * 20)
        self.every_command_refuses("text.sqlite", "not an SQLite database")
        self.write("empty.sqlite", "")
        self.every_command_refuses("empty.sqlite", "empty")
        os.mkdir(self.path("folder"))
        self.every_command_refuses("folder", "folder")
        self.change("other.sqlite", "CREATE TABLE t (a)")
        self.every_command_refuses("other.sqlite", "another program")
        for name in ("text.sqlite", "folder", "other.sqlite"):
            self.refuse("sweep", "s.yaml", "--db", name, "--device", "simt", says=name)
        self.refuse("sweep", "s.yaml", "--db", "text.sqlite/a/r.sqlite", "--device", "simt", code=1, says="text.sqlite")
        self.refuse("sweep", "s.yaml", "--db", "/proc/none/r.sqlite", "--device", "simt", code=1, says="/proc/none")

    def test_versions_and_damage(self):
        self.sweep()
        whole = self.read("r.sqlite")
        for version in (99, -1):
            self.write("v.sqlite", whole)
            self.change("v.sqlite", f"PRAGMA user_version = {version}")
            before = self.read("v.sqlite")
            self.every_command_refuses("v.sqlite", f"version {version}")
            self.refuse("sweep", "s.yaml", "--db", "v.sqlite", "--device", "simt", says=["v.sqlite", f"version {version}"])
            self.assertEqual(self.read("v.sqlite"), before)
        for length in (50, 5000, len(whole) // 2):
            self.write("cut.sqlite", whole[:length])
            self.every_command_refuses("cut.sqlite", "damaged")
            self.refuse("sweep", "s.yaml", "--db", "cut.sqlite", "--device", "simt", says=["cut.sqlite", "damaged"])
            self.assertEqual(self.read("cut.sqlite"), whole[:length])

    def test_questions(self):
        self.sweep()
        for sql, parts in [("SELEC 1", "SELEC"), ("SELECT * FROM trail", "did you mean 'trial'?"), ("SELECT x FROM trial", "x"),
                           ("SELECT 1; SELECT 2", "one"), ("DELETE FROM trial", "SELECT"), ("DROP TABLE trial", "SELECT"),
                           ("ATTACH 'x' AS y", "SELECT"), ("PRAGMA user_version = 3", "SELECT"), (" ", "empty"),
                           ("SELECT *\nFROM\nnothing", "nothing"), ("SELECT '\udcff' FROM \udcff", "query")]:
            self.refuse("db", "query", "--db", "r.sqlite", sql, says=parts)
        self.refuse("db", "query", "--db", "r.sqlite", "SELECT 1", "--format", "jsn", says="did you mean 'json'?")
        self.refuse("db", "export", "r.sqlite", "--format", "xml", says=["'xml'", "kernel-tuner-cache"])
        self.refuse("db", "export", "r.sqlite", "--experiment", "smal", says="did you mean 'small'?")
        self.refuse("db", "status", "r.sqlite", "--experiment", "smal", says="did you mean 'small'?")
        self.refuse("db", "export", "r.sqlite", "--format", "t4", says="--output")
        self.refuse("selector", "train", "r.sqlite", "--problem", "bfs", says="'bfs'")
        self.refuse("selector", "train", "r.sqlite", "--device", "H200", says=["'H200'", "simt"])
        os.mkfifo(self.path("pipe"))
        for output, code in [(".", 2), ("s.yaml/m.json", 1), ("/proc/none/m.json", 1), ("pipe", 2)]:
            self.refuse("selector", "train", "r.sqlite", "--output", output, says=output, code=code)
            if code == 1:
                self.refuse("db", "export", "r.sqlite", "--output", output, says=output, code=1)
        self.assertEqual([name for name in self.names() if not name.startswith("r.sqlite")], ["pipe", "s.yaml"])

    def as_nobody(self):
        """Settings that run the program without the rights of root, or a skipped test."""
        settings = {}
        if os.geteuid() == 0:
            settings = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            try:
                usable = self.run_program("doctor", **settings)[0] == 0
            except (OSError, subprocess.SubprocessError):
                usable = False
            if not usable:
                self.skipTest("the program cannot be run by an ordinary user here")
        return settings

    def test_read_only_folder(self):
        os.mkdir(self.path("d"))
        self.sweep("d/r.sqlite")
        rows = "SELECT count(*) AS n FROM result"
        os.chmod(self.folder, 0o755)
        os.chmod(self.path("d/r.sqlite"), 0o444)
        os.chmod(self.path("d"), 0o555)
        self.addCleanup(os.chmod, self.path("d"), 0o755)
        ordinary = self.as_nobody()
        self.assertIn(str(SMALL_TRIALS), self.succeed("db", "query", "--db", "d/r.sqlite", rows, **ordinary))
        self.refuse("sweep", "s.yaml", "--db", "d/r.sqlite", "--device", "simt", code=1, says="d/r.sqlite", **ordinary)
        self.refuse("sweep", "s.yaml", "--db", "d/new.sqlite", "--device", "simt", code=1, says="d/new.sqlite", **ordinary)
        self.refuse("selector", "train", "d/r.sqlite", "--output", "d/m.json", code=1, says="d/m.json", **ordinary)
        self.refuse("graph", "generate", "road6", "d/a.gr", code=1, says="d/a.gr", **ordinary)
        self.assertIn("r.sqlite", os.listdir(self.path("d")))
        self.assertFalse([name for name in os.listdir(self.path("d")) if not name.startswith("r.sqlite")])

    def check_full(self, database, **limits):
        """A sweep on a disk that fills up ends with one line, and continues when there is room."""
        self.sweep("reference.sqlite")
        self.refuse("sweep", "s.yaml", "--db", database, "--device", "simt", code=1, says=[database, "full"], prints=True,
                    **limits)

    def finish(self, database):
        self.sweep(database)
        self.check_same_results(database, "reference.sqlite")

    def test_limited_file_size(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
        try:
            self.check_full("r.sqlite", preexec_fn=limit)
        except subprocess.SubprocessError:
            self.skipTest("file sizes cannot be limited")
        self.finish("r.sqlite")
        self.succeed("selector", "train", "r.sqlite")
        before = self.read("model.json")
        self.refuse("graph", "generate", "road14", "big.gr", code=1, says="big.gr: cannot be written", preexec_fn=limit)
        self.assertEqual(self.read("model.json"), before)
        self.assertFalse([name for name in self.names() if "big" in name])

    def test_full_disk(self):
        os.mkdir(self.path("disk"))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "none", self.path("disk")],
                                 stderr=subprocess.DEVNULL, check=False) if shutil.which("mount") else None
        if mounted is None or mounted.returncode != 0:
            self.skipTest("nothing can be mounted here")
        self.addCleanup(subprocess.run, ["umount", self.path("disk")], check=False)
        self.check_full("disk/r.sqlite")
        self.refuse("graph", "generate", "road14", "disk/a.gr", code=1, says="disk/a.gr: cannot be written")
        self.assertFalse([name for name in os.listdir(self.path("disk")) if "a.gr" in name])
        subprocess.run(["mount", "-o", "remount,size=20m", self.path("disk")], check=True)
        self.finish("disk/r.sqlite")


def samples(path):
    """Every sample, counter and trial of a database, with what it was measured on."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        about = "g.name, t.source, c.label, t.measurement"
        origin = "JOIN trial t ON t.id = x.trial JOIN graph g ON g.id = t.graph JOIN configuration c ON c.id = t.configuration"
        return (sorted(database.execute(f"SELECT {about}, x.ordinal, x.milliseconds FROM sample x {origin}")),
                sorted(database.execute(f"SELECT {about}, x.name, x.value FROM counter x {origin}")),
                sorted(database.execute(f"SELECT {about}, t.state, t.outcome FROM trial x {origin.replace('x.trial', 'x.id')}")))


class Pipeline(ProgramTest):
    """From a sweep to an answer of the selector that it trains."""

    def test_whole_way(self):
        self.write("s.yaml", SMALL_SPACE)
        out = self.succeed("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt")
        self.assertRegex(out, rf"^{SMALL_TRIALS} of {SMALL_TRIALS} trials done, {SMALL_TRIALS} in this run .*\(no failures\)")
        self.assertIn("modelled", out)
        before = samples(self.path("r.sqlite"))
        start = time.monotonic()
        out = self.succeed("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt")
        self.assertLess(time.monotonic() - start, 2)
        self.assertIn(f"{SMALL_TRIALS} of {SMALL_TRIALS} trials done, 0 in this run", out)
        self.assertEqual(samples(self.path("r.sqlite")), before)

        self.assertIn(f"experiment small: {SMALL_TRIALS} of {SMALL_TRIALS} trials done",
                      self.succeed("db", "status", "r.sqlite"))
        sql = "SELECT graph, median_ms FROM result WHERE measurement = 'time' ORDER BY trial"
        table = self.succeed("db", "query", "--db", "r.sqlite", sql)
        rows = list(csv.DictReader(io.StringIO(self.succeed("db", "query", "--db", "r.sqlite", sql, "--format", "csv"))))
        found = json.loads(self.succeed("db", "query", "--db", "r.sqlite", sql, "--format", "json"))
        self.assertEqual(len(table.splitlines()), 2 + len(rows))
        self.assertEqual([(row["graph"], float(row["median_ms"])) for row in rows],
                         [(row["graph"], row["median_ms"]) for row in found])

        exported = list(csv.DictReader(io.StringIO(self.succeed("db", "export", "r.sqlite"))))
        self.assertEqual(len(exported), SMALL_TRIALS)
        self.succeed("db", "export", "r.sqlite", "--output", "all.csv")
        for form in ("kernel-tuner-cache", "t4"):
            names = self.succeed("db", "export", "r.sqlite", "--format", form, "--output", form).split()
            self.assertEqual(len(names), 3)
            for name in names:
                self.assertIsInstance(json.loads(self.read(name)), dict)

        small = ("--rounds", "10", "--depth", "2")
        self.refuse("selector", "train", "r.sqlite", *small, says=["'kernel' has no trees", "--method"])
        self.refuse("selector", "train", "r.sqlite", "--method", "forest", "--ridge", "1", says="'kernel' only")
        self.succeed("selector", "train", "r.sqlite", *small, "--method", "classification", "--output", "trees.json")
        self.solve("road7", "--model", "trees.json", "--check")
        self.assertIn("model.json", self.succeed("selector", "train", "r.sqlite"))
        first = self.read("model.json")
        self.succeed("selector", "train", "r.sqlite", "--output", "again.json")
        self.assertEqual(self.read("again.json"), first)
        self.succeed("selector", "export", "model.json", "--output", "model.hpp")
        self.assertIn(b"namespace", self.read("model.hpp"))
        self.refuse("selector", "export", "model.json", "--output", "b.hpp", "--namespace", "a b", says="'a b'")
        self.compact_record_is_as_good(first)
        self.evaluations(small)
        for form, parse in [("csv", lambda text: list(csv.DictReader(io.StringIO(text)))), ("json", json.loads)]:
            picks = parse(self.succeed("selector", "picks", "r.sqlite", "--model", "model.json", "--format", form))
            self.assertEqual({row["graph"] for row in picks}, {"road6", "del6", "rmat6"})
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


    def test_features_by_name(self):
        """A model names its features; a record that lacks them says so, and can be completed from the graphs."""
        self.write("s.yaml", SMALL_SPACE)
        self.succeed("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt")
        self.succeed("selector", "train", "r.sqlite", "--features", "frontier,nnz", "--output", "two.json")
        inputs = self.succeed("selector", "importance", "two.json")
        self.assertEqual({name for name in re.findall(r"graph\.(\S+)", inputs)}, {"frontier", "nnz"})
        self.succeed("selector", "train", "r.sqlite", "--features", "all", "--output", "all.json")
        whole = self.read("all.json")
        self.assertIn(b'"graph.hops"', whole)
        self.succeed("selector", "train", "r.sqlite", "--features", "pass", "--output", "pass.json")
        self.assertIn(b'"graph.weight_skew"', self.read("pass.json"))
        self.assertNotIn(b'"graph.hops"', self.read("pass.json"))
        self.succeed("selector", "train", "r.sqlite", "--output", "standard.json")
        self.assertEqual(self.read("standard.json"), self.read("pass.json"))
        self.succeed("selector", "train", "r.sqlite", "--features", "table2", "--output", "eight.json")
        self.refuse("selector", "train", "r.sqlite", "--features", "hop", says=["'hop'", "did you mean 'hops'"])
        self.solve("road7", "--model", "two.json", "--check")

        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            before = database.execute("SELECT * FROM graph_feature ORDER BY graph, name").fetchall()
            database.execute("DELETE FROM graph_feature WHERE name IN ('frontier', 'hops', 'clustering')")
            database.execute("UPDATE graph_feature SET value = value + 1 WHERE name = 'edge_span'")
            database.commit()
        self.refuse("selector", "picks", "r.sqlite", "--model", "two.json", says=["'frontier'", "db features"])
        self.succeed("selector", "picks", "r.sqlite", "--model", "eight.json")
        self.succeed("selector", "train", "r.sqlite", "--features", "all", "--output", "fewer.json")
        self.assertNotIn(b'"graph.hops"', self.read("fewer.json"))
        self.refuse("db", "features", "none.sqlite", "--graphs", "road6", says="none.sqlite")
        self.assertNotIn("none.sqlite", self.names())
        out = self.succeed("db", "features", "r.sqlite", "--graphs", "road6")
        self.assertIn("r.sqlite: 1 graphs, 3 features added, 1 changed", out)
        self.assertIn("left as they are: del6, rmat6", out)
        out = self.succeed("db", "features", "r.sqlite", "--graphs", "rmat6", "road6", "road7", "del6")
        self.assertIn("r.sqlite: 3 graphs, 6 features added, 2 changed", out)
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            self.assertEqual(database.execute("SELECT * FROM graph_feature ORDER BY graph, name").fetchall(), before)
        self.succeed("selector", "train", "r.sqlite", "--features", "all", "--output", "completed.json")
        self.assertEqual(self.read("completed.json"), whole)

    def compact_record_is_as_good(self, model):
        out = self.succeed("db", "compact", "c.sqlite", "r.sqlite")
        self.assertIn(f"c.sqlite: {SMALL_TRIALS} finished trials", out)
        self.succeed("selector", "train", "c.sqlite", "--output", "compact.json")
        self.assertEqual(self.read("compact.json"), model)
        for command in (("db", "status", "c.sqlite"), ("db", "export", "c.sqlite"),
                        ("db", "query", "--db", "c.sqlite", "SELECT count(*) FROM relative"),
                        ("selector", "picks", "c.sqlite", "--model", "model.json")):
            self.succeed(*command)
        self.refuse("db", "compact", "c.sqlite", "r.sqlite", says=["c.sqlite", "exists"])
        self.refuse("db", "compact", "n.sqlite", "none.sqlite", says="none.sqlite")
        self.assertFalse([name for name in self.names() if name.startswith("n.sqlite")])

    def evaluations(self, small):
        folds = ("--folds", "3", "--repeats", "2")
        out = self.succeed("selector", "evaluate", "r.sqlite", *small, *folds, "--output", "choices.csv")
        for strategy in ("relative", "log_time", "pairwise", "ndcg", "forest", "cost_sensitive", "classification",
                         "ensemble", "kernel", "best fixed", "paper's rules", "best candidate", "oracle"):
            self.assertIn(f"\n{strategy} ", out)
        choices = list(csv.DictReader(io.StringIO(self.read("choices.csv").decode())))
        self.assertEqual(len(choices), 13 * 3 * 2)
        self.assertTrue(all(float(row["relative"]) == 1 for row in choices if row["strategy"] == "oracle"))
        out = self.succeed("selector", "evaluate", "r.sqlite", *small, *folds, "--method", "forest,relative")
        self.assertIn("\nforest ", out)
        self.assertNotIn("\nndcg ", out)
        curve = list(csv.DictReader(io.StringIO(self.succeed("selector", "curve", "r.sqlite", *folds,
                                                             "--points", "2"))))
        self.assertEqual([row["share"] for row in curve], ["0.5", "1"])
        table = self.succeed("selector", "candidates", "r.sqlite", "--tolerance", "0").splitlines()
        self.assertEqual(table[-1].split()[1], "100.0%")
        self.assertEqual(len(self.succeed("selector", "candidates", "r.sqlite", "--candidates", "1").splitlines()), 2)
        self.assertIn("graph.m", self.succeed("selector", "importance", "model.json"))
        self.assertRegex(self.succeed("selector", "predict", "road7", "--time"), r"choosing takes \d+\.\d\d us\n$")
        self.refuse("selector", "train", "r.sqlite", "--method", "guess", says=["'guess'", "relative, log_time"])
        self.refuse("selector", "train", "r.sqlite", "--method", "forest,relative", says="one method")
        self.refuse("selector", "train", "r.sqlite", "--method", "relative", "--members", "3", says="power of two")
        self.refuse("selector", "evaluate", "r.sqlite", "--group", "kind", says=["'kind'", "graph, family"])


class Places(ProgramTest):
    """A record of a device and of processors: simulated times are made out to be those of a GPU."""

    SPACE = """\
name: {name}
problem: sssp
configurations:
{configurations}
graphs:
  - generate: [road5, road6, road7, del5, del6, del7, rmat5, rmat6, rmat7, grid5, grid8, grid12, path20, path60, cycle30, star40]
  - generate: [road12, rmat12]
sources: {{count: 1, choose: max_degree}}
measurement: {{warmup: 0, repeats: 1, time_limit_ms: 2000, counters: false, seed: 1}}
"""

    def test_both_places(self):
        gpu = "  - {l1: none, threads: 64}\n  - {l1: vector, threads: 64}"
        graphs = "  - generate: [road12, rmat12]\n"  # those are for processors: simulating them takes long
        self.write("gpu.yaml", self.SPACE.format(name="gpu", configurations=gpu).replace(graphs, ""))
        self.write("cpu.yaml", self.SPACE.format(
            name="cpu", configurations="  - {solver: dijkstra}\n  - {solver: delta_stepping, cpu_delta: 8}"))
        self.succeed("sweep", "gpu.yaml", "--db", "gpu.sqlite", "--device", "simt")
        self.succeed("sweep", "cpu.yaml", "--db", "cpu.sqlite", "--device", "cpu:2")
        # Modelled times are never weighed against those of processors: these are left out.
        self.succeed("db", "merge", "modelled.sqlite", "gpu.sqlite", "cpu.sqlite")
        out = self.succeed("selector", "train", "modelled.sqlite", "--output", "modelled.json")
        self.assertNotIn("processors", out)
        self.assertNotIn("times", json.loads(self.read("modelled.json")))
        self.pretend_gpu("gpu.sqlite")
        self.succeed("selector", "train", "gpu.sqlite", "--output", "alone.json")
        self.assertEqual(json.loads(self.read("alone.json"))["times"]["searchers"], [])
        # Separate files, one file, and a compact one are the same.
        self.succeed("db", "merge", "both.sqlite", "gpu.sqlite", "cpu.sqlite")
        self.succeed("db", "compact", "compact.sqlite", "cpu.sqlite", "gpu.sqlite")
        out = self.succeed("selector", "train", "gpu.sqlite", "cpu.sqlite")
        self.assertIn("measured times of a GPU", out)
        self.assertRegex(out, r"times expected of 2 configurations for processors too, learned from those of .* 2 threads")
        for name in ("both", "compact"):
            self.succeed("selector", "train", f"{name}.sqlite", "--output", f"{name}.json")
            self.assertEqual(self.read(f"{name}.json"), self.read("model.json"))
        model = json.loads(self.read("model.json"))
        alone = json.loads(self.read("alone.json"))
        self.assertEqual([one["label"] for one in model["candidates"]], [one["label"] for one in alone["candidates"]])
        self.assertEqual(model["members"], alone["members"])
        for one in model["times"]["searchers"]:
            self.assertEqual([known["graph"] for known in one["calibrations"]], ["road12", "rmat12"])
        # What else reads a record reads the device's part of it.
        few = ("--method", "kernel", "--folds", "3", "--repeats", "1")
        out = self.succeed("selector", "evaluate", "both.sqlite", *few)
        for part in ("\nkernel ", "\nas the library ", "\nby size ", "\nby features ", "\nalways the device ",
                     "\nalways processors ", "the device's best", "solver=dijkstra", "10 us for each array and 25 GB/s",
                     "16 graphs; processors are the faster place for "):
            self.assertIn(part, out)
        without = self.succeed("selector", "evaluate", "gpu.sqlite", *few)
        self.assertTrue(out.startswith(without))
        out = self.succeed("selector", "evaluate", "both.sqlite", *few, "--transfer-latency", "1e9", "--transfer-rate", "1")
        self.assertIn("16 graphs; processors are the faster place for 16 of them", out)
        for command in (["candidates"], ["curve", "--points", "2", "--folds", "2", "--repeats", "1"], ["picks"]):
            self.assertEqual(self.succeed("selector", command[0], "both.sqlite", *command[1:]),
                             self.succeed("selector", command[0], "gpu.sqlite", *command[1:]))
        picks = list(csv.DictReader(io.StringIO(self.succeed("selector", "picks", "both.sqlite", "--format", "csv"))))
        self.assertEqual(len(picks), 16)
        self.assertFalse(any("solver=" in row["best_configuration"] for row in picks))
        # The processors by themselves.
        self.succeed("selector", "train", "both.sqlite", "--device", "2 threads", "--output", "cpu.json")
        self.refuse("selector", "train", "both.sqlite", "--processors", "none such", says=["'none such'", "a GPU"])
        self.refuse("selector", "evaluate", "both.sqlite", "--transfer-rate", "0", says=["--transfer-rate", "'0'"])
        # Of two kinds of them one has to be named.
        self.succeed("sweep", "cpu.yaml", "--db", "other.sqlite", "--device", "cpu:1")
        self.refuse("selector", "train", "both.sqlite", "other.sqlite", says=["2 threads", "1 thread", "--processors"])
        self.succeed("selector", "train", "both.sqlite", "other.sqlite", "--processors", "2 threads")
        self.assertEqual(self.read("model.json"), self.read("both.json"))
        # Too few trials for times are enough for a choice.
        cut = sqlite3.connect(self.path("other.sqlite"))
        cut.execute("DELETE FROM trial WHERE graph > 5")
        cut.commit()
        cut.close()
        out = self.succeed("selector", "evaluate", "gpu.sqlite", "other.sqlite", *few)
        self.assertIn("where to search cannot be judged: too few trials", out)
        self.assertNotIn("for processors", self.succeed("selector", "train", "gpu.sqlite", "other.sqlite"))
        # A model that expects times chooses for any device.
        self.succeed("solve", "road7", "--device", "cpu", "--model", "both.json", "--check")
        self.solve("road7", "--model", "both.json", "--check")
        self.succeed("selector", "export", "both.json", "--output", "both.hpp")
        self.assertIn("inline constexpr std::size_t time_count = 3;", self.read("both.hpp").decode())

    def test_what_is_recorded(self):
        experiments = pathlib.Path(__file__).resolve().parents[2] / "experiments"
        out = self.succeed("sweep", str(experiments / "candidates-cpu.yaml"), "--graphs", str(experiments / "dataset.yaml"),
                           "--device", "cpu", "--dry-run")
        self.assertIn("4 configurations, 1028 trials", out)
        # By these a machine is compared with that of the record.
        for graph in ("road12", "rmat12"):
            self.assertRegex((experiments / "dataset.yaml").read_text(), rf"[ \[]{graph}[,\]]")

    def pretend_gpu(self, name):
        record = sqlite3.connect(self.path(name))
        record.execute("UPDATE device SET kind = 'cuda', name = 'a GPU'")
        record.execute("UPDATE trial SET times_modelled = 0")
        record.commit()
        record.close()


class ShippedSelector(ProgramTest):
    """The selector in the program is what `mlmq selector train` makes of the recorded trials."""

    def test_byte_for_byte(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        recorded = sorted(str(file) for file in (root / "experiments/recorded").glob("*.sqlite"))
        if not recorded:
            self.skipTest("no experiments/recorded/*.sqlite")
        self.succeed("selector", "train", *recorded)
        self.succeed("selector", "export", "model.json", "--output", "model.hpp")
        self.assertEqual(self.read("model.hpp"), (root / "selector/shipped/model.hpp").read_bytes(),
                         "train and export the selector again: docs/selector.md")


class Interchange(ProgramTest):
    """Results in the formats of other tools."""

    FAILURES = ("compile_error", "launch_error", "timeout", "wrong_answer", "overflow", "crashed", "constraint")

    def setUp(self):
        super().setUp()
        self.write("s.yaml", with_deltas("[1, 2, 4, 8, 16]"))
        self.sweeps("s.yaml", "--db", "r.sqlite", "--graphs", "road6")
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            trials = database.execute("SELECT id FROM trial WHERE measurement = 'time' ORDER BY id").fetchall()
            for (trial,), outcome in zip(trials, self.FAILURES):
                database.execute("UPDATE trial SET outcome = ?, message = 'why', median_ms = NULL, spread = NULL "
                                 "WHERE id = ?", (outcome, trial))
            database.commit()
        self.count = len(trials)
        self.assertEqual(self.count, 12)

    def exported(self, form):
        return self.succeed("db", "export", "r.sqlite", "--format", form)

    def test_kernel_tuner(self):
        text = self.exported("kernel-tuner-cache")
        self.assertEqual(interchange.cache_problems(text), [])
        cache = json.loads(text)["cache"]
        self.assertEqual(len(cache), self.count)
        self.assertEqual(sum("__error__" in entry for entry in cache.values()), len(self.FAILURES))
        for old, new, problem in [('"compile_time":', '"compile":', "compile_time"), ("+00:00", "", "timestamp"),
                                  ('{"schema_version":"1.1.0",', "{", "schema_version"),
                                  ('"time":"InvalidConfig"', '"time":null', "error")]:
            self.assertIn(old, text)
            self.assertIn(problem, " ".join(interchange.cache_problems(text.replace(old, new))))

    def test_t4(self):
        text = self.exported("t4")
        self.assertEqual(interchange.t4_problems(text), [])
        results = json.loads(text)["results"]
        self.assertEqual(len(results), self.count)
        self.assertEqual(sum(entry["invalidity"] != "correct" for entry in results), len(self.FAILURES))
        for old, new, problem in [('"invalidity": "timeout"', '"invalidity": "late"', "invalidity"),
                                  ('"compilation":', '"compile":', "compilation"),
                                  ('"correctness": 1', '"correctness": "1"', "correctness")]:
            self.assertIn(old, text)
            self.assertIn(problem, " ".join(interchange.t4_problems(text.replace(old, new))))

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(self.exported("csv"))))
        self.assertEqual(len(rows), 2 * self.count)
        timed = [row for row in rows if row["measurement"] == "time" and row["outcome"] == "ok"]
        self.assertEqual(len(timed), self.count - len(self.FAILURES))
        for row in timed:
            self.assertAlmostEqual(statistics.median(json.loads(row["samples_ms"])), float(row["median_ms"]), 12)
            self.assertEqual(row["parameter.delta"] == "", row["parameter.l2"] == "vector")


class Searching(ProgramTest):
    """Strategies that learn, and their simulation."""

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
                process = self.start("sweep", *command, "--device", "simt")
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=limit)
                process.kill()
                process.communicate()
            self.sweeps(*command)
            found = samples(self.path("s.sqlite"))
            # The same configurations, each once.
            self.assertEqual([row[:-1] for row in found[0]], [row[:-1] for row in expected[0]])

    def test_simulation(self):
        self.sweeps("all.yaml", "--db", "all.sqlite")
        command = "simulate", "--db", "all.sqlite", "--seeds", "5", "--budget", "10", "--tolerance", "0.05"
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
        self.refuse("simulate", "--db", "none.sqlite", says="none.sqlite")
        for option, wrong in (("--seeds", "0"), ("--budget", "x"), ("--tolerance", "-1")):
            self.refuse("simulate", "--db", "all.sqlite", option, wrong, says=option)

    def test_mistakes(self):
        for strategy, part in (("name: local", "'budget'"), ("name: local, budget: 0", "budget"),
                               ("name: model, seconds: -1", "seconds"), ("name: local, budget: 3, warm_start: yes", "warm"),
                               ("name: genetic, budget: 3, neighbours: far", "any or next"),
                               ("name: random, count: 3, budget: 4", "'count'")):
            self.refuse("sweep", *self.search(strategy), says=["s.yaml:", part])
        self.write("b.yaml", self.SPACE.replace("problem: sssp", "problem: bfs").replace("sources: [0]", "sources: [0]")
                   + "strategy: {name: local, budget: 3, warm_start: selector}\n")
        self.refuse("sweep", "b.yaml", "--db", "b.sqlite", "--device", "simt", says=["b.yaml:", "'sssp'", "warm_start"])


class Merging(ProgramTest):
    """Parts of a sweep, made apart, become the sweep."""

    def setUp(self):
        super().setUp()
        self.write("s.yaml", SMALL_SPACE)

    def sweep(self, database, *arguments):
        return self.sweeps("s.yaml", "--db", database, *arguments)

    def test_shards_in_any_order_are_the_sweep(self):
        self.sweep("whole.sqlite")
        shards = [f"{index}.sqlite" for index in (1, 2, 3)]
        counts = []
        for index, shard in enumerate(shards, 1):
            counts.append(int(self.sweep(shard, "--shard", f"{index}/3").split()[0]))
        self.assertEqual(sum(counts), SMALL_TRIALS)
        self.assertLess(max(counts), SMALL_TRIALS)
        for number, order in enumerate(itertools.permutations(shards)):
            output = self.succeed("db", "merge", f"merged{number}.sqlite", *order)
            self.assertIn(f"{SMALL_TRIALS} new trials", output)
            self.check_same_results(f"merged{number}.sqlite", "whole.sqlite")
        before = samples(self.path("merged0.sqlite"))
        self.assertIn(f"0 new trials and 0 results for pending ones from 3 databases, {SMALL_TRIALS} already there, "
                      "0 replaced", self.succeed("db", "merge", "merged0.sqlite", *shards))
        self.assertEqual(samples(self.path("merged0.sqlite")), before)
        # The whole measured the same trials, to the last digits of modelled times: nothing contradicts.
        self.succeed("db", "merge", "merged0.sqlite", "whole.sqlite")
        self.check_same_results("merged0.sqlite", "whole.sqlite")
        # What was merged is a sweep like any other: nothing is left to do.
        self.assertIn(f"{SMALL_TRIALS} of {SMALL_TRIALS} trials done, 0 in this run", self.sweep("merged1.sqlite"))

    def test_shards_of_graphs_read_no_others(self):
        self.write("list.yaml", "graphs:\n  - {generate: [road7, rmat7], weights: [own, pareto]}\n")
        arguments = ("--graphs", "list.yaml", "--shard-by", "graphs")
        self.sweep("whole.sqlite", *arguments)
        names = []
        for index in (1, 2):
            self.sweep(f"{index}.sqlite", *arguments, "--shard", f"{index}/2")
            with contextlib.closing(sqlite3.connect(self.path(f"{index}.sqlite"))) as database:
                names.append({row[0] for row in database.execute("SELECT name FROM graph")})
        self.assertEqual([len(some) for some in names], [2, 2])
        self.assertEqual(names[0] | names[1],
                         {"road7", "rmat7", "road7:weights=pareto", "rmat7:weights=pareto"})
        self.succeed("db", "merge", "merged.sqlite", "1.sqlite", "2.sqlite")
        self.check_same_results("merged.sqlite", "whole.sqlite")

    def test_a_dry_run_counts_and_records_nothing(self):
        self.write("list.yaml", "graphs:\n  - {generate: [road7, rmat7], weights: [own, pareto]}\n"
                                "  - {generate: del7, sources: [0, 1]}\n")
        output = self.succeed("sweep", "s.yaml", "--device", "simt", "--db", "none.sqlite", "--graphs", "list.yaml",
                              "--dry-run")
        rows = {line.split()[0]: line.split()[1:4] for line in output.splitlines()}
        self.assertEqual(rows["road"], ["1", "2", "2"])
        self.assertEqual(rows["mesh"], ["1", "1", "2"])
        self.assertEqual(rows["all"], ["3", "5", "6"])
        self.assertFalse(os.path.exists(self.path("none.sqlite")))
        counts = re.search(r"(\d+) configurations, (\d+) trials", output)
        self.assertEqual(int(counts[2]), 6 * int(counts[1]))
        self.refuse("sweep", "s.yaml", "--device", "simt", "--shard-by", "edges", says="edges")

    def test_mistakes(self):
        for wrong in ("0/2", "3/2", "2", "a/b", ""):
            self.refuse("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt", "--shard", wrong)
        self.sweep("a.sqlite", "--shard", "1/2")
        self.refuse("db", "merge", "out.sqlite", "a.sqlite", "none.sqlite", says=["none.sqlite", "out.sqlite"])
        self.refuse("db", "merge", "a.sqlite", "a.sqlite", says="is the output itself")
        self.refuse("db", "merge", "out.sqlite", "a.sqlite", "--duplicates", "both", says=["'both'", "earliest"])
        # Reading a database leaves the files of its log beside it.
        self.assertEqual({name.removesuffix("-wal").removesuffix("-shm") for name in self.names()},
                         {"a.sqlite", "s.yaml"})


class Interruption(ProgramTest):
    """Sweeps that are stopped, and what a terminal shows."""

    SPACE = SMALL_SPACE.replace("road6", "road8").replace("del6", "del8").replace("repeats: 2", "repeats: 3")

    def setUp(self):
        super().setUp()
        self.write("s.yaml", self.SPACE)

    def command(self, database):
        return "sweep", "s.yaml", "--db", database, "--device", "simt"

    def test_killed_again_and_again(self):
        self.succeed(*self.command("reference.sqlite"))
        self.assertEqual(len(samples(self.path("reference.sqlite"))[2]), SMALL_TRIALS)
        draw = random.Random(12)
        kills = 0
        rounds = 0
        while kills < 15:
            rounds += 1
            database = f"{rounds}.sqlite"
            # The first kills of each round come early, so that a fast machine is caught too.
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
        """Stops a sweep after its first trial or later; its exit code, output and errors."""
        process = self.start(*self.command(database))
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(sqlite3.Error), contextlib.closing(
                    sqlite3.connect(f"file:{self.path(database)}?mode=ro", uri=True)) as reader:
                if reader.execute("SELECT count(*) FROM trial WHERE state = 'done'").fetchone()[0] > 0:
                    break
            time.sleep(0.005)
        process.send_signal(number)
        output, errors = process.communicate(timeout=PATIENCE)
        return process.returncode, output.decode(), errors.decode()

    def test_interrupted(self):
        self.succeed(*self.command("reference.sqlite"))
        for number, name in [(signal.SIGINT, "int"), (signal.SIGTERM, "term")]:
            # On a busy machine the signal may come after the last trial: then once more, on a new database.
            for attempt in range(20):
                database = f"{name}{attempt}.sqlite"
                code, output, errors = self.interrupt(database, number)
                if code != 0:
                    break
            self.assertEqual((code, without_progress(errors)), (1, ""))
            self.assertIn("stopped; the same command continues", output)
            done = int(re.match(rf"(\d+) of {SMALL_TRIALS} trials done", output).group(1))
            self.assertTrue(0 < done < SMALL_TRIALS, output)
            output = self.succeed(*self.command(database))
            self.assertIn(f"{SMALL_TRIALS} of {SMALL_TRIALS} trials done, {SMALL_TRIALS - done} in this run", output)
            self.check_same_results(database, "reference.sqlite")

    def test_two_at_once(self):
        self.succeed(*self.command("reference.sqlite"))
        processes = [self.start(*self.command("r.sqlite")) for _ in range(2)]
        for process in processes:
            output, errors = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, without_progress(errors.decode())), (0, ""), output)
        self.check_same_results("r.sqlite", "reference.sqlite")

    def test_terminal(self):
        try:
            master, slave = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminals here: {error}")
        self.addCleanup(os.close, master)
        process = subprocess.Popen([PROGRAM, *self.command("r.sqlite")], cwd=self.folder, stdin=slave, stdout=slave,
                                   stderr=slave, env={**os.environ, "MLMQ_CACHE": CACHE}, close_fds=True)
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
        text = shown.decode()
        lines = text.split("\r\n")
        # One line that is rewritten, then the summary on lines of its own.
        self.assertRegex(lines[0], r"^\r\d+/12 trials, [^\n]*")
        self.assertTrue(all(len(part) <= 79 for part in lines[0].split("\r")), text)
        self.assertTrue(lines[1].startswith("12 of 12 trials done"), text)
        self.assertFalse(any("\r" in line for line in lines[1:]), text)

    def test_no_terminal(self):
        many = self.SPACE.replace("threads: [64]", "threads: [64]\n  delta: {range: {from: 1, to: 500, step: 0.5}}")
        self.write("s.yaml", many)
        process = self.start(*self.command("r.sqlite"))
        # Every few seconds a line, whenever a trial ends.
        self.assertTrue(select.select([process.stderr], [], [], 60)[0])
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 1)
        self.assertIn(b"the same command continues", output)
        self.assertNotIn(b"\r", output + errors)
        for line in errors.decode().splitlines():
            self.assertRegex(line, r"^\d+/\d+ trials, \d.* left, no failures, \w+: best ")


class FaultyTest(ProgramTest):
    """What tests of sweeps that go wrong share."""

    # Many short trials, so that there are many points to be killed at.
    MANY = SMALL_SPACE.replace("threads: [64]", "threads: [64]\n  delta: {range: {from: 1, to: 48, step: 1}}").replace(
        "counters: true", "counters: false").replace("repeats: 2", "repeats: 1")
    MANY_TRIALS = 2 * 48 * 3
    SOME = MANY.replace("to: 48", "to: 8")

    def complete(self, *arguments, **settings):
        """A sweep to its end; its output."""
        return self.succeed("sweep", "s.yaml", "--device", "simt", *arguments, **settings)

    def workers_of(self, process):
        """The worker processes of a running sweep."""
        workers = []
        for entry in os.listdir("/proc"):
            with contextlib.suppress(OSError, IndexError, ValueError):
                with open(f"/proc/{entry}/stat", "rb") as file:
                    fields = file.read().rsplit(b")", 1)[1].split()
                if entry.isdigit() and int(fields[1]) == process.pid and fields[0] not in (b"Z", b"X"):
                    workers.append(int(entry))
        return workers

    def check_gone(self, processes):
        deadline = time.monotonic() + PATIENCE
        while any(self.is_alive(pid) for pid in processes) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse([pid for pid in processes if self.is_alive(pid)])

    @staticmethod
    def state_of(pid):
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                return file.read().rsplit(b")", 1)[1].split()[0]
        except OSError:
            return b"X"

    def is_alive(self, pid):
        return self.state_of(pid) not in (b"Z", b"X")

    def rows(self, name, sql):
        with contextlib.closing(sqlite3.connect(f"file:{self.path(name)}?mode=ro", uri=True)) as database:
            return database.execute(sql).fetchall()

    def check_whole(self, name, reference):
        self.check_same_results(name, reference)
        self.assertEqual(self.rows(name, "SELECT count(*) FROM trial"), self.rows(reference, "SELECT count(*) FROM trial"))
        self.assertEqual(self.rows(name, "PRAGMA integrity_check"), [("ok",)])
        self.assertEqual(self.rows(name, "SELECT count(*) FROM trial WHERE state <> 'done' OR outcome <> 'ok'"), [(0,)])


class Faults(FaultyTest):
    """Workers and supervisors that die or hang."""

    def test_workers_killed(self):
        self.write("s.yaml", self.MANY)
        self.complete("--db", "reference.sqlite", "--workers", "2")
        draw = random.Random(3)
        process = self.start("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt", "--workers", "3")
        kills = 0
        while kills < 60 and process.poll() is None:
            time.sleep(draw.uniform(0.01, 0.08))
            workers = self.workers_of(process)
            if workers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(draw.choice(workers), signal.SIGKILL)
                    kills += 1
        output, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(without_progress(errors.decode()), "")
        self.assertGreaterEqual(kills, 50)
        self.assertIn(f"{self.MANY_TRIALS} of {self.MANY_TRIALS} trials done, {self.MANY_TRIALS} in this run".encode(), output)
        lost = int(re.search(rb"(\d+) workers died", output).group(1))
        self.assertTrue(kills - 3 <= lost <= kills, (kills, lost))
        self.check_whole("r.sqlite", "reference.sqlite")
        self.assertGreaterEqual(self.rows("r.sqlite", "SELECT sum(attempt) FROM trial")[0][0], self.MANY_TRIALS)

    def test_supervisor_killed(self):
        self.write("s.yaml", self.MANY.replace("to: 48", "to: 24"))
        command = ("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt", "--workers", "2")
        self.complete("--db", "reference.sqlite", "--workers", "2")
        draw = random.Random(4)
        for _ in range(8):
            process = self.start(*command)
            deadline = time.monotonic() + PATIENCE
            while len(self.workers_of(process)) < 2 and time.monotonic() < deadline and process.poll() is None:
                time.sleep(0.005)
            time.sleep(draw.uniform(0.05, 0.3))
            workers = self.workers_of(process)
            process.kill()
            process.communicate()
            if process.returncode == 0:
                break
            # The workers do not outlive it.
            self.check_gone(workers)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.complete("--db", "r.sqlite", "--workers", "2")
        self.check_whole("r.sqlite", "reference.sqlite")
        # Nobody is charged with a worker that died with its supervisor.
        self.assertEqual(self.rows("r.sqlite", "SELECT sum(crashes), sum(kills) FROM trial"), [(0, 0)])

    def test_workers_stopped(self):
        """A worker that hangs outside of any kernel is killed for its silence; its trial is tried again and is fine."""
        # A run takes long enough to be hit.
        self.write("s.yaml", "name: long\nproblem: sssp\nparameters: {l1: [none, vector], threads: [64]}\n"
                   "graphs: [{generate: road11, sources: [0]}]\n"
                   "measurement: {warmup: 0, repeats: 2, counters: false}\n")
        self.complete("--db", "reference.sqlite")
        process = self.start("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt", "--grace", "4")
        stopped = []
        while not stopped and process.poll() is None:
            stopped = [worker for worker in self.workers_of(process) if self.is_measuring("r.sqlite", worker)]
        time.sleep(0.15)
        os.kill(stopped[0], signal.SIGSTOP)
        output, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(without_progress(errors.decode()), "")
        self.assertIn(b"1 worker died or had to be killed", output)
        self.check_whole("r.sqlite", "reference.sqlite")
        self.assertEqual(self.rows("r.sqlite", "SELECT sum(crashes), sum(kills), sum(attempt) FROM trial"), [(1, 0, 3)])
        self.check_gone(stopped)

    def is_measuring(self, name, worker):
        with contextlib.suppress(sqlite3.Error):
            return self.rows(name, "SELECT count(*) FROM trial WHERE state = 'running' AND "
                             f"worker LIKE '%:{worker}:%'") == [(1,)]
        return False

    def test_full_disk_of_several_workers(self):
        self.write("s.yaml", self.SOME)
        self.complete("--db", "reference.sqlite", "--workers", "2")

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
        try:
            code, _, errors = self.run_program("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt", "--workers", "3",
                                               preexec_fn=limit)
        except subprocess.SubprocessError:
            self.skipTest("file sizes cannot be limited")
        self.assertEqual(code, 1, errors)
        self.assertRegex(without_progress(errors), r"\Amlmq: [^\n]*r\.sqlite: the disk is full[^\n]*\n\Z")
        self.complete("--db", "r.sqlite", "--workers", "3")
        self.check_whole("r.sqlite", "reference.sqlite")


class Joint(FaultyTest):
    """Searches and finals that several processes work on, some of which die."""

    def test_searches_whose_workers_die(self):
        """Whoever measures, and whoever dies: the same searches, and finals of what they have tried."""
        space = Searching.SPACE + "strategy: {name: local, budget: 12, batch: 2, seed: 2}\n"
        self.write("s.yaml", space.replace("counters: false", "counters: false, finalists: 2"))
        self.assertIn("36 of 36 trials done", self.complete("--db", "reference.sqlite"))
        process = self.start("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt", "--workers", "2")
        kills = 0
        while process.poll() is None:
            time.sleep(0.03)
            workers = self.workers_of(process)
            if workers and kills < 8:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(workers[kills % len(workers)], signal.SIGKILL)
                    kills += 1
        output, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        self.assertGreaterEqual(kills, 3)
        self.assertIn(b"36 of 36 trials done, 36 in this run", output)
        self.assertIn(b"the fastest of 3 searches measured once more", output)
        self.check_whole("r.sqlite", "reference.sqlite")
        self.assertIn("36 of 36 trials done, 0 in this run", self.complete("--db", "r.sqlite", "--workers", "2"))

    def test_two_searching_sweeps(self):
        """Both make the same searches together; what one leaves undone the other does."""
        self.write("s.yaml", Searching.SPACE + "strategy: {name: genetic, budget: 12, batch: 4, seed: 2}\n")
        self.complete("--db", "reference.sqlite")
        command = "sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt"
        for stop in (signal.SIGINT, signal.SIGKILL):
            both = [self.start(*command), self.start(*command)]
            while (not os.path.exists(self.path("r.sqlite")) or not self.workers_of(both[0])) and both[0].poll() is None:
                time.sleep(0.005)
            time.sleep(0.1)
            both[0].send_signal(stop)
            output, errors = both[1].communicate(timeout=PATIENCE)
            both[0].communicate(timeout=PATIENCE)
            self.assertEqual(both[1].returncode, 0, errors)
            self.assertIn(b"36 of 36 trials done", output)
            self.check_whole("r.sqlite", "reference.sqlite")
            for name in self.names():
                if name.startswith("r.sqlite"):
                    os.remove(self.path(name))

    def test_two_sweeps_with_finals(self):
        self.write("s.yaml", self.SOME.replace("seed: 1", "finalists: 3, final_rounds: 4, seed: 1"))
        self.complete("--db", "reference.sqlite", "--workers", "1")
        processes = [self.start("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt", "--workers", "2")
                     for _ in range(2)]
        for process in processes:
            _, errors = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 0, errors)
            self.assertEqual(without_progress(errors.decode()), "")
        self.check_whole("r.sqlite", "reference.sqlite")
        finals = ("SELECT graph, source, place, configuration, median_ms, rounds FROM final_result "
                  "ORDER BY graph, source, median_ms, place")
        found, expected = self.rows("r.sqlite", finals), self.rows("reference.sqlite", finals)
        self.assertEqual(len(found), 9)
        for row, other in zip(found, expected):
            self.assertEqual((row[0], row[1], row[5]), (other[0], other[1], other[5]))
            self.assertTrue(math.isclose(row[4], other[4], rel_tol=1e-12), (row, other))
        self.assertEqual(self.rows("r.sqlite", "SELECT count(*) FROM final_sample"), [(36,)])


class Planted(FaultyTest):
    """Kernels that should not have been written."""

    def planted(self, body):
        """A copy of the kernels in which `body` comes before the search."""
        kernels = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "kernels")
        shutil.copytree(kernels, self.path("kernels"))
        with open(self.path("kernels/sssp.cu"), encoding="utf-8") as file:
            text = file.read()
        search = "mlmq::run_search(arguments);"
        self.assertEqual(text.count(search), 1)
        with open(self.path("kernels/sssp.cu"), "w", encoding="utf-8") as file:
            file.write(text.replace(search, f"\n{body}\n{search}"))
        return {"MLMQ_KERNELS": self.path("kernels")}

    ENDLESS = "for (volatile int forever = 1; forever != 0;) {}"

    def test_planted_kernels(self):
        planted = self.planted(f"""
#if MLMQ_HEAVY_DEGREE == 11
  {self.ENDLESS}
#elif MLMQ_HEAVY_DEGREE == 12
  __builtin_trap();
#elif MLMQ_HEAVY_DEGREE == 13
  auto elsewhere = arguments;
  elsewhere.source = 1;
  return mlmq::run_search(elsewhere);
#endif
""")
        space = SMALL_SPACE.replace("threads: [64]", "threads: [64]\n  heavy_degree: [11, 12, 13, 14]").replace(
            "counters: true", "counters: false").replace("l1: [none, vector]", "l1: [none]")
        self.write("s.yaml", space)
        out = self.complete("--db", "r.sqlite", "--workers", "2", "--grace", "1", environment=planted)
        self.assertIn("12 of 12 trials done, 12 in this run", out)
        self.assertIn("3 timeout, 3 wrong_answer, 3 crashed", out)
        self.assertIn("12 workers died or had to be killed", out)
        found = self.rows("r.sqlite", "SELECT json_extract(c.parameters, '$.heavy_degree'), t.outcome, t.message, "
                          "t.attempt, t.crashes FROM trial t JOIN configuration c ON c.id = t.configuration")
        self.assertEqual(len(found), 12)
        for degree, outcome, message, attempt, crashes in found:
            if degree == 11:
                self.assertEqual((outcome, attempt, crashes), ("timeout", 2, 2), message)
                self.assertRegex(message, r"killed: measuring .*heavy_degree=11.* did not end within 1 s")
            elif degree == 12:
                self.assertEqual((outcome, attempt, crashes), ("crashed", 2, 2), message)
                self.assertRegex(message, r"^its worker ended with SIG(ILL|TRAP) .* while measuring .* on \w+ from 0$")
            elif degree == 13:
                self.assertEqual((outcome, attempt, crashes), ("wrong_answer", 1, 0), message)
            else:
                self.assertEqual((outcome, attempt, crashes), ("ok", 1, 0), message)
        # A failure is a result: nothing is tried again.
        out = self.complete("--db", "r.sqlite", environment=planted)
        self.assertIn("12 of 12 trials done, 0 in this run", out)

    def test_last_words(self):
        planted = self.planted('__builtin_printf("on the wrong stream\\n"); throw "a kernel does not throw";')
        self.write("s.yaml", SMALL_SPACE.replace("l1: [none, vector]", "l1: [none]").replace(
            "counters: true", "counters: false"))
        self.complete("--db", "r.sqlite", environment=planted)
        self.assertEqual(self.rows("r.sqlite", "SELECT DISTINCT outcome, crashes FROM trial"), [("crashed", 2)])
        for (message,) in self.rows("r.sqlite", "SELECT message FROM trial"):
            self.assertRegex(message, r"^its worker ended with SIGABRT \(Aborted\) while measuring .* on \w+ from 0; "
                             r"its last words: terminate called")

    @staticmethod
    def is_pending(pid, number):
        """Whether the process has yet to receive a signal sent to it."""
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            waiting = re.findall(r"^(?:Sig|Shd)Pnd:\s*(\w+)$", file.read(), flags=re.MULTILINE)
        return any(int(signals, 16) >> (number - 1) & 1 for signals in waiting)

    def test_second_interrupt(self):
        # A kernel that does not end: the first Ctrl-C waits for it, the second does not.
        planted = self.planted(self.ENDLESS)
        self.write("s.yaml", SMALL_SPACE)
        process = self.start("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt", environment=planted)
        deadline = time.monotonic() + PATIENCE
        running = [(0,)]
        while running == [(0,)] and time.monotonic() < deadline:
            time.sleep(0.02)
            with contextlib.suppress(sqlite3.Error):
                running = self.rows("r.sqlite", "SELECT count(*) FROM trial WHERE state = 'running'")
        workers = self.workers_of(process)
        self.assertEqual(len(workers), 1)
        # In the kernel, not waiting for the compiler: from there it notices nothing by itself.
        busy = 0
        while busy < 10 and time.monotonic() < deadline:
            time.sleep(0.02)
            busy = busy + 1 if self.state_of(workers[0]) == b"R" else 0
        process.send_signal(signal.SIGINT)
        # Two that are pending at the same time would be one.
        while self.is_pending(process.pid, signal.SIGINT) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.check_gone(workers)


def main():
    global PROGRAM, CACHE
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    PROGRAM, CACHE = (os.path.abspath(argument) for argument in sys.argv[1:3])
    os.makedirs(CACHE, exist_ok=True)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])


if __name__ == "__main__":
    main()
