# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of the program mlmq, which check its exit codes, messages and files.

usage: test_SUBJECT.py MLMQ CACHE [CLASS[.TEST] ...]

MLMQ is the program. CACHE is a folder for compiled simulator variants, shared by all classes. Every test
has its own temporary folder, which is its working folder.

A test uses PROGRAM and CACHE as members of this module: main() sets them.
"""

import contextlib
import gzip
import math
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
CACHE = ""

# Seconds after which a process counts as hung. Only a failing test waits this long; a busy machine must not reach it.
# Sanitizers slow a process down by a factor of 5 to 20.
TIME_LIMIT_S = 240 * (3 if {"ASAN_OPTIONS", "TSAN_OPTIONS"} & os.environ.keys() else 1)

# A substitute for the chart library, which is missing in a build without npm.
STUB_CHARTS = "!function(t,e){e((t=self).echarts={})}(this,function(){})"

# A simulated GPU with a quarter of the usual size: on a small graph, most of the time of a run goes to warps that wait,
# and this device takes a third of the time.
DEVICE = "simt:1x8"

SMALL_SPACE = """\
name: small
problem: sssp
parameters:
  l1: [none, vector]
  threads: [64]
workloads:
  - {generate: road6, queries: {source: 0}}
  - {generate: del6, queries: {source: 0}}
  - {generate: rmat6, queries: {source: 0}}
measurement: {warmup: 0, repeats: 2, time_limit_ms: 1000, counters: true, seed: 1}
"""
SMALL_TRIALS = 12


def without_progress(errors):
    """Returns the stderr of a command without its periodic progress lines and without the notes on weights and
    directions of files, which test_formats.py tests."""
    return re.sub(r"^(\d+/\d+ (trials|sources|searches|schedules|workloads|runs|folds|graphs|variants compiled)(, |$)"
                  r"|\d+ %, |planning: "
                  r"|mlmq: note: [^\n]*(: has no weights: |: does not say whether edges|: the weight is "
                  r"|: decimal weights are ))[^\n]*\n", "",
                  errors, flags=re.MULTILINE)


class ProgramTest(unittest.TestCase):
    # The device that sweeps() uses.
    simulated = DEVICE

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mlmq-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    # Files in the test's folder.

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
        variables = {**os.environ, "MLMQ_CACHE": CACHE, "MLMQ_SELECTORS": self.path("selectors"), "LC_ALL": "C",
                     **(environment or {})}
        return subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, env=variables, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **settings)

    def run_program(self, *arguments, **settings):
        """Runs the program. Returns exit code, standard output and standard error."""
        process = self.start(*arguments, **settings)
        try:
            output, errors = process.communicate(timeout=TIME_LIMIT_S)
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
        """Runs a sweep on the simulator, which must succeed. Returns its output."""
        return self.succeed("sweep", *arguments, "--device", self.simulated)

    def refuse(self, *arguments, says=(), code=2, prints=False, **settings):
        """Checks that the command fails with one clear line on stderr that contains every text in `says`."""
        got, output, errors = self.run_program(*arguments, **settings)
        about = f"mlmq {arguments}: exit {got}, {errors!r}"
        errors = without_progress(errors)
        self.assertEqual(got, code, about)
        self.assertRegex(errors, r"\Amlmq: [^\n]+\n\Z", about)
        self.assertLess(len(errors), 1200, about)
        for noise in ("terminate called", "what()", "std::", "filesystem error", "basic_string", "YAML::",
                      "json.exception"):
            self.assertNotIn(noise, errors, about)
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, errors, about)
        if not prints:
            self.assertEqual(output, "", about)
        return errors

    def check_same_results(self, name, reference):
        """Checks that both databases have each trial once, with the same samples, and that none failed."""
        actual, expected = (samples(self.path(database)) for database in (name, reference))
        for rows, other in zip(actual, expected):
            self.assertEqual([row[:-1] for row in rows], [row[:-1] for row in other])
        self.assertEqual({row[-2:] for row in actual[2]}, {("done", "ok")})
        self.assertEqual(actual[1], expected[1])
        for row, other in zip(actual[0], expected[0]):
            # The simulator's clock continues from run to run, so the last digits depend on earlier runs.
            self.assertTrue(math.isclose(row[-1], other[-1], rel_tol=1e-12), (row, other))

    def solve(self, graph, *arguments, **settings):
        return self.succeed("solve", graph, "--device", "simt", *arguments, **settings)

    def distances(self, graph, *arguments):
        """Returns the distances that `solve --output` writes, in the order of the vertices; None if unreached."""
        self.solve(graph, "--check", "--output", "distances.txt", *arguments)
        return list(self.by_vertex("distances.txt").values())

    def by_vertex(self, name):
        """Reads a file of `solve --output` or `--predecessors`, by vertex id; checks that the ids increase."""
        header, *lines = self.read(name).decode().splitlines()
        self.assertRegex(header, "^# VERTEX [A-Z]+, from vertex [0-9]+ of ")
        pairs = [line.split(" ") for line in lines]
        ids = [int(vertex) for vertex, _ in pairs]
        self.assertEqual(ids, sorted(set(ids)))
        def number(text):
            return None if text in ("inf", "none") else int(text) if text.isdigit() else float(text)
        return {vertex: number(text) for vertex, (_, text) in zip(ids, pairs)}


def planted_kernels(folder, body):
    """Returns an environment in which the program uses the kernels in `folder`, a copy with `body` inserted before the
    search. In the source tree this file lies two folders below that of the kernels, in an install tree one."""
    above = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    kernels = next(found for found in (os.path.join(above, "kernels"), os.path.join(os.path.dirname(above), "kernels"))
                   if os.path.exists(os.path.join(found, "sssp.cu")))
    shutil.copytree(kernels, folder)
    file = os.path.join(folder, "sssp.cu")
    with open(file, encoding="utf-8") as opened:
        text = opened.read()
    search = "mlmq::run_search(arguments);"
    assert text.count(search) == 1, text
    with open(file, "w", encoding="utf-8") as opened:
        opened.write(text.replace(search, f"\n{body}\n{search}"))
    return {"MLMQ_KERNELS": folder}


def samples(path):
    """Returns every sample, counter and trial of a database, with its workload, query and configuration."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        about = "w.name, t.query, c.label, t.measurement"
        origin = ("JOIN trial t ON t.id = x.trial JOIN workload w ON w.id = t.workload JOIN configuration c ON c.id = "
                  "t.configuration")
        return (sorted(database.execute(f"SELECT {about}, x.ordinal, x.milliseconds FROM sample x {origin}")),
                sorted(database.execute(f"SELECT {about}, x.name, x.value FROM counter x {origin}")),
                sorted(database.execute(f"SELECT {about}, t.state, t.outcome FROM trial x "
                                        f"{origin.replace('x.trial', 'x.id')}")))


def with_deltas(values):
    """The small space with more configurations, but few kernels to compile: delta is passed at launch."""
    return SMALL_SPACE.replace("  threads:",
                               f"  l2: [vector, bucket]\n  delta: {{values: {values}, when: l2 == bucket}}\n"
                               "  threads:")


def main():
    """Runs the tests of the file that was started."""
    global PROGRAM, CACHE
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    PROGRAM, CACHE = (os.path.abspath(argument) for argument in sys.argv[1:3])
    os.makedirs(CACHE, exist_ok=True)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
