# SPDX-License-Identifier: Apache-2.0
"""Sweeps that are too large to list, and sweeps that are stopped before the first trial."""

import contextlib
import os
import re
import signal
import sqlite3
import time

import program_test  # in this folder
from program_test import TIME_LIMIT_S, ProgramTest, without_progress

# 1000 * 985 * 25 * 40 configurations.
HUGE = """\
name: huge
problem: sssp
parameters:
  l1: [none]
  l2: [bucket]
  delta: {range: {from: 1, to: 1000, step: 1}}
  split_degree: {range: {from: 16, to: 1000, step: 1}}
  l2_share: {range: {from: 8, to: 32, step: 1}}
  dispatcher_pause: {range: {from: 1, to: 40, step: 1}}
  threads: [64]
workloads:
  - {generate: road6, queries: {source: 0}}
measurement: {warmup: 0, repeats: 1, counters: false}
"""
HUGE_COUNT = 1000 * 985 * 25 * 40
ENTANGLED = HUGE.replace("workloads:",
                         "restrictions: [delta * split_degree * l2_share * dispatcher_pause < 2000000]\nworkloads:")


# More workloads than there are processors.
MANY = """\
name: many
problem: sssp
parameters: {l1: [none], l2: [vector], threads: [64]}
workloads:
  - generate: [%s]
  - {generate: path30, queries: {source: %d}}
measurement: {warmup: 0, repeats: 1, counters: false}
"""


class Planning(ProgramTest):
    def many(self, source):
        graphs = ["path4"] * 2 + [f"path{5 + i}" for i in range((os.cpu_count() or 1) + 3)]
        self.write("s.yaml", MANY % (", ".join(graphs), source))
        return len(graphs)

    def test_workloads_are_read_while_others_are_measured(self):
        count = self.many(source=3)
        output = self.succeed("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt:1x8")
        # The two graphs of the same content are measured once.
        self.assertRegex(output, rf"^{count} of {count} trials done, {count} in this run")
        self.assertRegex(output, r"(?m)^\d+ trials per minute; \d+\.\d % of the time in runs, planning included$")
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            query = "SELECT count(*), count(DISTINCT workload), sum(outcome = 'ok') FROM trial"
            self.assertEqual(database.execute(query).fetchone(), (count, count, count))
        # A second sweep finds nothing left to do.
        output = self.succeed("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt:1x8")
        self.assertIn(f"{count} of {count} trials done, 0 in this run", output)

    def test_a_workload_that_turns_out_to_be_unusable_ends_the_sweep(self):
        self.many(source=99)
        self.refuse("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt:1x8", says=("path30 has no vertex 99",))

    def sweep(self, *arguments):
        return ("sweep", "s.yaml", "--db", "r.sqlite", "--device", "cpu", *arguments)

    def test_huge_spaces_are_refused(self):
        self.write("s.yaml", HUGE)
        advice = ("s.yaml:", f"{HUGE_COUNT} configurations", f"{HUGE_COUNT} trials", "more than the limit of 1000000",
                  "strategy", "--limit")
        self.refuse(*self.sweep(), says=advice)
        self.refuse(*self.sweep("--dry-run"), says=advice, prints=True)
        self.refuse(*self.sweep("--shard", "1/2"), says=(f"{HUGE_COUNT} configurations", f"{HUGE_COUNT // 2} trials"))
        self.assertEqual(self.names(), ["s.yaml"])
        # A sweep of this size is accepted if --limit allows it.
        output = self.succeed(*self.sweep("--dry-run", "--limit", str(HUGE_COUNT)))
        self.assertIn(f"{HUGE_COUNT} configurations, {HUGE_COUNT} trials", output)
        for wrong in ("0", "-1", "many", "1.5"):
            self.refuse(*self.sweep("--limit", wrong), says="--limit")

    def test_a_limit_below(self):
        self.write("s.yaml", HUGE.replace("to: 1000", "to: 16").replace("to: 32", "to: 9").replace("to: 40", "to: 1"))
        self.assertIn("32 configurations, 32 trials", self.succeed(*self.sweep("--dry-run", "--limit", "32")))
        self.refuse(*self.sweep("--limit", "31"),
                    says=("32 configurations for 1 query make 32 trials, more than the limit of 31",))
        # Trials that count work are trials too.
        self.write("s.yaml", self.read("s.yaml").decode().replace("counters: false", "counters: true"))
        self.refuse(*self.sweep("--limit", "32"), says="64 trials, more than the limit of 32")

    def test_limits_of_parameters(self):
        space = ("name: limits\nproblem: sssp\nparameters:\n  l2: [bucket]\n  bmax: [8, 16]\n  bnum: [1, 5, 6]\n"
                 "  threads: [64, 256]\nworkloads:\n  - {generate: road6, queries: {source: 0}}\n"
                 "measurement: {counters: false}\n")
        for parameter, wrong, line, limit in (("threads: [64, 256]", "threads: [64, 250]", 7, "threads % 32 == 0"),
                                              ("bmax: [8, 16]", "bmax: [8, 12]", 5, "power_of_two(bmax)")):
            self.write("s.yaml", space.replace(parameter, wrong))
            value = wrong.split()[-1].rstrip("]")
            self.refuse(*self.sweep("--dry-run"), says=(f"s.yaml:{line}: ", f"{value} violates the limit '{limit}'"))
        self.write("s.yaml", space)
        output = self.succeed(*self.sweep("--dry-run"))
        self.assertIn("10 configurations, 10 trials", output)
        self.assertIn("2 configurations are skipped because of parameter limits ('mlmq problems sssp')",
                      output)
        self.assertIn("limit      max(bnum, idle_buckets) + 2 < bmax: two buckets", self.succeed("problems", "sssp"))

    def test_samples_of_huge_spaces(self):
        for space, count in ((HUGE, 4), (ENTANGLED, 3)):
            self.write("s.yaml", f"strategy: {{name: random, count: {count}}}\n{space}")
            self.assertIn(f"{count} configurations, ", self.succeed(*self.sweep("--dry-run")))
        self.write("s.yaml", ENTANGLED)
        self.refuse(*self.sweep(), says=f"up to {HUGE_COUNT} configurations for 1 query make up to {HUGE_COUNT} trials")
        # The sample respects the restriction.
        self.write("s.yaml", "strategy: {name: random, count: 20}\n" + ENTANGLED)
        self.run_program("sweep", "s.yaml", "--db", "r.sqlite", "--device", "cpu")
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            labels = [row[0] for row in database.execute("SELECT label FROM configuration")]
        self.assertEqual(len(labels), 20)
        for label in labels:
            numbers = dict(part.split("=") for part in label.split(","))
            product = float(numbers["delta"])
            for name in ("split_degree", "l2_share", "dispatcher_pause"):
                product *= int(numbers[name])
            self.assertLess(product, 2000000, label)

    def catches(self, process, number):
        """Waits until the process has a handler for the signal."""
        deadline = time.monotonic() + TIME_LIMIT_S
        while time.monotonic() < deadline:
            with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
                caught = int(re.search(r"^SigCgt:\s*(\w+)$", file.read(), flags=re.MULTILINE).group(1), 16)
            if caught >> (number - 1) & 1:
                return
            time.sleep(0.005)
        self.fail("it catches no signal")

    def stop(self, process, number):
        process.send_signal(number)
        output, errors = process.communicate(timeout=TIME_LIMIT_S)
        self.assertEqual((process.returncode, without_progress(errors.decode())), (1, ""))
        self.assertEqual(output.decode(), "stopped while planning; rerun this command to continue\n")

    def test_stopped_while_a_graph_is_generated(self):
        # Planning takes seconds, and the signal comes immediately.
        self.write("s.yaml", HUGE.replace("road6", "road22").replace("to: 1000", "to: 16").replace("to: 32", "to: 8"))
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start(*self.sweep())
            self.catches(process, number)
            self.stop(process, number)

    def test_stopped_while_configurations_are_listed(self):
        space = HUGE.replace("split_degree: {range: {from: 16, to: 1000", "split_degree: {range: {from: 16, to: 64")
        self.write("s.yaml", space.replace("to: 32", "to: 8").replace("to: 40", "to: 2"))  # 98,000
        process = self.start(*self.sweep())
        deadline = time.monotonic() + TIME_LIMIT_S
        listed = 0
        while listed == 0 and time.monotonic() < deadline:
            time.sleep(0.02)
            with contextlib.suppress(sqlite3.Error):
                if os.path.exists(self.path("r.sqlite")):
                    with contextlib.closing(sqlite3.connect(f"file:{self.path('r.sqlite')}?mode=ro",
                                                            uri=True)) as opened:
                        listed = opened.execute("SELECT count(*) FROM configuration").fetchone()[0]
        self.stop(process, signal.SIGINT)
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            self.assertLess(database.execute("SELECT count(*) FROM configuration").fetchone()[0], 98000)
            self.assertEqual(database.execute("SELECT count(*) FROM trial").fetchone()[0], 0)
        # The interruption does not affect the final plan.
        self.write("s.yaml", HUGE.replace("to: 1000", "to: 20").replace("to: 32", "to: 8").replace("to: 40", "to: 2"))
        self.run_program(*self.sweep())
        self.assertIn("200 ", self.succeed("db", "status", "r.sqlite"))


if __name__ == "__main__":
    program_test.main()
