# SPDX-License-Identifier: Apache-2.0
"""'mlmq sweep' when its processes die or hang, or its database disappears."""

import contextlib
import math
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program_test  # in this folder
import share  # noqa: E402
import speed  # noqa: E402
import test_sweeping
from faulty_test import FaultyTest
from program_test import DEVICE, TIME_LIMIT_S, SMALL_SPACE, without_progress


class Faults(FaultyTest):
    """Workers and supervisors that die or hang."""

    def test_workers_killed(self):
        self.write("s.yaml", self.MANY)
        self.complete("--db", "reference.sqlite", "--workers", "2")
        draw = random.Random(3)
        process = self.start("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE, "--workers", "3")
        kills = 0
        while kills < 30 and process.poll() is None:
            time.sleep(draw.uniform(0.01, 0.08))
            workers = self.workers_of(process)
            if workers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(draw.choice(workers), signal.SIGKILL)
                    kills += 1
        output, errors = process.communicate(timeout=TIME_LIMIT_S)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(without_progress(errors.decode()), "")
        self.assertGreaterEqual(kills, 20)
        self.assertIn(f"{self.MANY_TRIALS} of {self.MANY_TRIALS} trials done, {self.MANY_TRIALS} in this run".encode(),
                      output)
        lost = int(re.search(rb"(\d+) workers died", output).group(1))
        self.assertTrue(kills - 3 <= lost <= kills, (kills, lost))
        self.check_whole("r.sqlite", "reference.sqlite")
        self.assertGreaterEqual(self.rows("r.sqlite", "SELECT sum(attempt) FROM trial")[0][0], self.MANY_TRIALS)

    def test_supervisor_killed(self):
        self.write("s.yaml", self.MANY)
        command = ("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE, "--workers", "2")
        self.complete("--db", "reference.sqlite", "--workers", "2")
        draw = random.Random(4)
        for _ in range(6):
            process = self.start(*command)
            deadline = time.monotonic() + TIME_LIMIT_S
            while len(self.workers_of(process)) < 2 and time.monotonic() < deadline and process.poll() is None:
                time.sleep(0.005)
            time.sleep(draw.uniform(0.03, 0.2))
            workers = self.workers_of(process)
            process.kill()
            process.communicate()
            if process.returncode == 0:
                break
            # The workers must not outlive the supervisor.
            self.check_gone(workers)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.complete("--db", "r.sqlite", "--workers", "2")
        self.check_whole("r.sqlite", "reference.sqlite")
        # A worker that died together with its supervisor is charged to no trial.
        self.assertEqual(self.rows("r.sqlite", "SELECT sum(crashes), sum(kills) FROM trial"), [(0, 0)])

    def test_full_disk_of_several_workers(self):
        self.write("s.yaml", self.SOME)
        self.complete("--db", "reference.sqlite", "--workers", "2")

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
        try:
            code, _, errors = self.run_program("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE,
                                               "--workers", "3", preexec_fn=limit)
        except subprocess.SubprocessError:
            self.skipTest("file sizes cannot be limited")
        self.assertEqual(code, 1, errors)
        self.assertRegex(without_progress(errors), r"\Amlmq: [^\n]*r\.sqlite: the disk is full[^\n]*\n\Z")
        self.complete("--db", "r.sqlite", "--workers", "3")
        self.check_whole("r.sqlite", "reference.sqlite")


class Replaced(FaultyTest):
    """A database that is deleted or replaced while a command writes to it."""

    def rescued(self, process, database):
        """Waits for the command; returns the file with the saved results."""
        output, errors = (text.decode() for text in process.communicate(timeout=TIME_LIMIT_S))
        self.assertEqual(process.returncode, 1, output + errors)
        self.assertRegex(without_progress(errors), r"\Amlmq: [^\n]*was deleted or replaced while in use[^\n]*\n\Z")
        self.assertNotIn("results in", output)
        copy = re.search(r"saved in (\S+):", errors).group(1)
        self.assertEqual(copy, self.path(database.replace(".sqlite", ".rescued.sqlite")))
        return os.path.basename(copy)

    def wait_for_trials(self, process, database, count):
        deadline = time.monotonic() + TIME_LIMIT_S
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(sqlite3.Error):
                done, = self.rows(database, "SELECT count(*) FROM trial WHERE state = 'done'")[0]
                if done >= count:
                    return done
            time.sleep(0.005)
        self.fail("there are no trials: " + str(process.communicate()))

    def test_sweeps(self):
        self.write("s.yaml", self.MANY.replace("repeats: 1", "repeats: 3"))
        self.complete("--db", "reference.sqlite", "--workers", "2")
        def delete():
            for name in self.names():
                if name.startswith("r.sqlite"):
                    os.remove(self.path(name))
        def replace():
            shutil.copy(self.path("reference.sqlite"), self.path("new.sqlite"))
            os.rename(self.path("new.sqlite"), self.path("r.sqlite"))
        def move():
            os.rename(self.path("r.sqlite"), self.path("elsewhere.sqlite"))
        for disturb in share.share_of([delete, replace, move]):
            with self.subTest(disturb=disturb):
                process = self.start("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE, "--workers", "2")
                done = self.wait_for_trials(process, "r.sqlite", 3)
                disturb()
                copy = self.rescued(process, "r.sqlite")
                self.assertEqual(self.rows(copy, "PRAGMA integrity_check"), [("ok",)])
                finished = self.rows(copy, "SELECT count(*) FROM trial WHERE state = 'done'")[0][0]
                self.assertTrue(done <= finished < self.MANY_TRIALS, (done, finished))
                # No replacement was created or written.
                if disturb is replace:
                    self.check_whole("r.sqlite", "reference.sqlite")
                else:
                    self.assertNotIn("r.sqlite", self.names())
                self.assertIn(f"{self.MANY_TRIALS - finished} in this run",
                              self.complete("--db", copy, "--workers", "2"))
                self.check_whole(copy, "reference.sqlite")
                for name in self.names():
                    if name.startswith(("r.", "elsewhere.")):
                        os.remove(self.path(name))

    def test_tune(self):
        self.write("s.yaml", self.MANY)
        process = self.start("tune", "road6", "rmat6", "--space", "s.yaml", "--device", DEVICE, "--folder", "o",
                             "--sample", "0", "--record", "none")
        self.wait_for_trials(process, "o/results.sqlite", 3)
        os.remove(self.path("o/results.sqlite"))
        self.rescued(process, "o/results.sqlite")

    def test_comparisons(self):
        self.write("s.yaml", self.MANY.replace("repeats: 1", "repeats: 1000"))
        process = self.start("compare", "--configurations", "s.yaml", "--competitors", "s.yaml", "--peers", "none",
                             "--workloads", "road6", "--device", DEVICE, "--db", "r.sqlite")
        self.wait_for_trials(process, "r.sqlite", 3)
        os.remove(self.path("r.sqlite"))
        copy = self.rescued(process, "r.sqlite")
        self.assertGreaterEqual(self.rows(copy, "SELECT count(*) FROM trial WHERE state = 'done'")[0][0], 3)


class Stopped(FaultyTest):
    """A worker stopped by a signal is silent: whatever it was doing, it is killed after the grace period, another
    worker measures its trial, and no trial is charged."""

    LONG = ("name: long\nproblem: sssp\nparameters: {l1: [none, vector], threads: [64]}\n"
            "workloads: [{generate: road11, queries: {source: 0}}]\n"
            "measurement: {warmup: 0, repeats: 2, counters: false}\n")

    def stop_one(self, choose, *more, device=DEVICE, **settings):
        """Stops the first worker for which `choose` is true, before and after the stop, since a worker may begin its
        next step in between. Returns the output of the sweep."""
        grace = 2 * speed.slowdown()
        process = self.start("sweep", "s.yaml", "--db", "r.sqlite", "--device", device, "--grace", f"{grace:.3f}s",
                             *more, **settings)
        stopped = None
        while stopped is None and process.poll() is None:
            stopped = next((worker for worker in self.workers_of(process) if choose(worker)), None)
            if stopped is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(stopped, signal.SIGSTOP)
                if not choose(stopped):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(stopped, signal.SIGCONT)
                    stopped = None
        self.assertIsNotNone(stopped)
        since = time.monotonic()
        while self.is_alive(stopped) and time.monotonic() < since + TIME_LIMIT_S:
            time.sleep(0.01)
        # The limits of the steps themselves are longer.
        self.assertFalse(self.is_alive(stopped))
        if os.environ.get("MLMQ_TEST_TIMES"):
            print(f"{self.id()}: {time.monotonic() - since:.2f} s")
        output, errors = process.communicate(timeout=TIME_LIMIT_S)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(without_progress(errors.decode()), "")
        self.assertIn(b"1 worker died or had to be killed", output)
        self.assertEqual(self.rows("r.sqlite", "SELECT sum(crashes), sum(kills), sum(outcome <> 'ok') FROM trial"),
                         [(0, 0, 0)])
        self.check_gone([stopped])
        return output

    def is_measuring(self, name, worker):
        with contextlib.suppress(sqlite3.Error):
            return self.rows(name, "SELECT count(*) FROM trial WHERE state = 'running' AND "
                             f"worker LIKE '%:{worker}:%'") == [(1,)]
        return False

    def has_children(self, worker):
        for entry in os.listdir("/proc"):
            with contextlib.suppress(OSError, IndexError, ValueError):
                with open(f"/proc/{entry}/stat", "rb") as file:
                    if int(file.read().rsplit(b")", 1)[1].split()[1]) == worker:
                        return True
        return False

    def attempts(self):
        return self.rows("r.sqlite", "SELECT sum(attempt) FROM trial")[0][0]

    def test_starting(self):
        self.write("s.yaml", self.SOME)

        def is_worker(child):
            """Returns whether the child is a worker, not the compiler, which runs earlier to print its version."""
            with contextlib.suppress(OSError), open(f"/proc/{child}/cmdline", "rb") as file:
                return b"sweep-worker" in file.read()
            return False
        self.stop_one(is_worker)

    def test_loading(self):
        self.write("s.yaml", "name: large\nproblem: sssp\nparameters: {solver: [dijkstra]}\n"
                   "workloads: [{generate: road19, queries: {source: 0}}]\n"
                   "measurement: {warmup: 0, repeats: 1, counters: false}\n")
        self.stop_one(lambda worker: self.is_measuring("r.sqlite", worker), device="cpu:1")
        self.assertEqual(self.attempts(), 2)

    def test_compiling(self):
        self.write("s.yaml",
                   SMALL_SPACE.replace("[none, vector]", "[vector]").replace("counters: true", "counters: false"))
        self.stop_one(lambda worker: self.is_measuring("r.sqlite", worker) and self.has_children(worker),
                      environment={"MLMQ_CACHE": self.path("empty cache")})
        self.assertEqual(self.attempts(), 4)

    def test_running(self):
        self.write("s.yaml", self.LONG)
        self.complete("--db", "reference.sqlite")

        def in_a_run(worker):
            if not self.is_measuring("r.sqlite", worker):
                return False
            time.sleep(0.15)
            return self.is_measuring("r.sqlite", worker)
        self.stop_one(in_a_run)
        self.check_whole("r.sqlite", "reference.sqlite")
        self.assertEqual(self.attempts(), 3)

    def test_idle(self):
        self.write("s.yaml", self.LONG.replace("[none, vector]", "[none]").replace("repeats: 2", "repeats: 20"))

        def has_nothing_to_do(worker):
            with contextlib.suppress(sqlite3.Error):
                return self.rows("r.sqlite", "SELECT count(*) FROM trial t, session s WHERE t.state = 'running' AND "
                                 f"s.worker LIKE '%:{worker}:%' AND t.worker <> s.worker") == [(1,)]
            return False
        self.stop_one(has_nothing_to_do, "--workers", "2")
        self.assertEqual(self.attempts(), 1)

    def test_progress_says_what_is_waited_for(self):
        """Plain progress lines come every five seconds: with a long grace period, one of them reports the silence. It
        names the last step that the worker announced; a worker claims a trial before it announces the first step."""
        self.write("s.yaml", self.LONG)
        process = self.start("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE, "--grace", f"{TIME_LIMIT_S}s")
        stopped = []
        while not stopped and process.poll() is None:
            stopped = [worker for worker in self.workers_of(process) if self.is_measuring("r.sqlite", worker)]
        self.assertTrue(stopped)
        os.kill(stopped[0], signal.SIGSTOP)
        line = b""
        for line in process.stderr:
            if b"no sign of life" in line:
                break
        with contextlib.suppress(ProcessLookupError):  # it was killed if there was no such line
            os.kill(stopped[0], signal.SIGCONT)
        output, errors = process.communicate(timeout=TIME_LIMIT_S)
        self.assertEqual(process.returncode, 0, errors)
        self.assertRegex(line.decode(),
                         r"waiting for simt:1x8: no sign of life for \d+ s, "
                         r"(starting|waiting for trials|claiming a trial|loading road11|\w+ .* on road11)")
        self.assertNotIn(b"died or had to be killed", output)


class Joint(FaultyTest):
    """Searches and finals that several processes work on, some of which die."""

    def test_searches_whose_workers_die(self):
        """The searches and the finals are the same, no matter which worker measures and which dies."""
        space = test_sweeping.Searching.SPACE + "strategy: {name: local, budget: 12, batch: 2, seed: 2}\n"
        self.write("s.yaml", space.replace("counters: false", "counters: false, finalists: 2"))
        self.assertIn("36 of 36 trials done", self.complete("--db", "reference.sqlite"))
        process = self.start("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE, "--workers", "2")
        kills = 0
        while process.poll() is None:
            time.sleep(0.03)
            workers = self.workers_of(process)
            if workers and kills < 8:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(workers[kills % len(workers)], signal.SIGKILL)
                    kills += 1
        output, errors = process.communicate(timeout=TIME_LIMIT_S)
        self.assertEqual(process.returncode, 0, errors)
        self.assertGreaterEqual(kills, 3)
        self.assertIn(b"36 of 36 trials done, 36 in this run", output)
        self.assertIn(b"the fastest for 3 queries measured again", output)
        self.check_whole("r.sqlite", "reference.sqlite")
        self.assertIn("36 of 36 trials done, 0 in this run", self.complete("--db", "r.sqlite", "--workers", "2"))

    def test_two_searching_sweeps(self):
        """Two sweeps share the same searches; each completes the trials that the other leaves."""
        space = test_sweeping.Searching.SPACE
        self.write("s.yaml", space + "strategy: {name: genetic, budget: 12, batch: 4, seed: 2}\n")
        self.complete("--db", "reference.sqlite")
        command = "sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE
        for stop in (signal.SIGINT, signal.SIGKILL):
            processes = [self.start(*command), self.start(*command)]
            while (not os.path.exists(self.path("r.sqlite"))
                   or not self.workers_of(processes[0])) and processes[0].poll() is None:
                time.sleep(0.005)
            time.sleep(0.1)
            processes[0].send_signal(stop)
            output, errors = processes[1].communicate(timeout=TIME_LIMIT_S)
            processes[0].communicate(timeout=TIME_LIMIT_S)
            self.assertEqual(processes[1].returncode, 0, errors)
            self.assertIn(b"36 of 36 trials done", output)
            self.check_whole("r.sqlite", "reference.sqlite")
            for name in self.names():
                if name.startswith("r.sqlite"):
                    os.remove(self.path(name))

    def test_two_sweeps_with_finals(self):
        self.write("s.yaml", self.SOME.replace("seed: 1", "finalists: 3, final_rounds: 4, seed: 1"))
        self.complete("--db", "reference.sqlite", "--workers", "1")
        processes = [self.start("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE, "--workers", "2")
                     for _ in range(2)]
        for process in processes:
            _, errors = process.communicate(timeout=TIME_LIMIT_S)
            self.assertEqual(process.returncode, 0, errors)
            self.assertEqual(without_progress(errors.decode()), "")
        self.check_whole("r.sqlite", "reference.sqlite")
        finals = ("SELECT workload, query, place, configuration, median_ms, rounds FROM final_result "
                  "ORDER BY workload, query, median_ms, place")
        actual, expected = self.rows("r.sqlite", finals), self.rows("reference.sqlite", finals)
        self.assertEqual(len(actual), 9)
        for row, other in zip(actual, expected):
            self.assertEqual((row[0], row[1], row[5]), (other[0], other[1], other[5]))
            self.assertTrue(math.isclose(row[4], other[4], rel_tol=1e-12), (row, other))
        self.assertEqual(self.rows("r.sqlite", "SELECT count(*) FROM final_sample"), [(36,)])


if __name__ == "__main__":
    program_test.main()
