# SPDX-License-Identifier: Apache-2.0
"""Signals during long calls: SIGINT ends each of them within a second, and other handlers run meanwhile."""

import math
import os
import signal
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import mlmq
from package_test import FROM_0, town

# Seconds of processor time from SIGINT to KeyboardInterrupt. Unlike elapsed time, it hardly depends on what else the
# machine does.
LATEST = max(2, os.cpu_count())


class Interruption(unittest.TestCase):
    def setUp(self):
        self.sent = 0.0
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, handler)

    def interrupt_after(self, seconds):
        def send():
            self.sent = time.process_time()
            os.kill(os.getpid(), signal.SIGINT)
        timer = threading.Timer(seconds, send)
        timer.start()
        self.addCleanup(timer.join)
        return timer

    def ends_soon(self, name, work, after=0.5):
        """Checks that `work`, which takes far longer than `after` and LATEST, ends with KeyboardInterrupt."""
        with self.subTest(name):
            timer = self.interrupt_after(after)
            start = time.monotonic()
            try:
                work()
            except KeyboardInterrupt:
                delay = time.process_time() - self.sent
                print(f"{name}: KeyboardInterrupt {delay * 1e3:.0f} ms of processor time after SIGINT", flush=True)
                self.assertLess(delay, LATEST)
            else:
                self.fail(f"ended by itself after {time.monotonic() - start:.2f} s")
            finally:
                timer.cancel()

    def test_processors(self):
        solver = mlmq.Solver(mlmq.Graph.open("road17"), device="cpu:2")
        first = solver.solve(0).distances.copy()
        each = {"targets": [1], "configurations": "solver=cpu_dijkstra"}
        self.ends_soon("solve_many on processors", lambda: solver.solve_many(range(5000), **each))
        self.ends_soon("solve_many with its check", lambda: solver.solve_many(range(5000), **each, check=True))

        def iterate():
            for _ in solver.blocks(range(5000), **each):
                pass
        self.ends_soon("blocks on processors", iterate)
        out = np.zeros((20, solver.graph.vertex_count), np.uint32)
        self.assertEqual(solver.solve_many(range(20), out=out).distances[0].tolist(), first.tolist())
        self.assertEqual(solver.solve(0).distances.tolist(), first.tolist())

    def test_simulator(self):
        small = mlmq.Solver(mlmq.Graph.open("road8"), device="simt")
        small.solve(0)  # compiles the kernel
        solver = mlmq.Solver(mlmq.Graph.open("road16"), device="simt")
        configuration = small.choose().configuration
        self.ends_soon("solve on the simulator",
                       lambda: solver.solve(0, configurations=configuration, time_limit_ms=1e6))
        self.ends_soon("try_out on the simulator", lambda: solver.try_out(range(100), 2, time_limit_ms=1e6), after=2)
        self.assertEqual(solver.solve(0, cutoff=1).distances[0], 0)
        self.assertEqual(mlmq.Solver(town(), device=solver.device).solve(0).distances.tolist(), FROM_0)

    def test_paths(self):
        pairs = mlmq.Grid.open("grid512:density=0.2:seed=1").random_pairs(20_000)
        finder = mlmq.PathFinder(mlmq.Grid.open("grid512:density=0.2:seed=1"), device="cpu:1")
        self.ends_soon("PathFinder.solve", lambda: finder.solve(pairs))

    def test_graphs(self):
        self.ends_soon("Graph.open, generated", lambda: mlmq.Graph.open("rmat21"))
        self.ends_soon("Graph.open, a Delaunay triangulation", lambda: mlmq.Graph.open("del20"))
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "edges.el")
            block = "".join(f"{i} {i * 7919 % 100003}\n" for i in range(100_000))
            with open(file, "w", encoding="ascii") as edges:
                for _ in range(100):
                    edges.write(block)
            self.ends_soon("Graph.open of a file", lambda: mlmq.Graph.open(file), after=0.3)

    def test_busy_device(self):
        device = mlmq.Device("cpu:1")
        busy, waiting = (mlmq.Solver(mlmq.Graph.open("road16"), device=device) for _ in range(2))
        busy.solve_many(range(10), targets=[1], configurations="solver=cpu_dijkstra")
        begin = time.monotonic()
        busy.solve_many(range(50), targets=[1], configurations="solver=cpu_dijkstra")
        # Searches that take longer than the wait below, which is half a second, and LATEST.
        count = math.ceil(50 * 1.5 * (0.5 + LATEST) / (time.monotonic() - begin))
        worker = threading.Thread(target=lambda: busy.solve_many(range(min(count, 6000)), targets=[1],
                                                                 configurations="solver=cpu_dijkstra"))
        worker.start()
        time.sleep(0.25)  # until the worker holds the device
        self.ends_soon("solve while another thread uses the device", lambda: waiting.solve(0), after=0.25)
        worker.join()

    def test_other_signals(self):
        seen = []
        handler = signal.signal(signal.SIGUSR1, lambda *_: seen.append(time.monotonic()))
        self.addCleanup(signal.signal, signal.SIGUSR1, handler)
        solver = mlmq.Solver(mlmq.Graph.open("road14"), device="cpu:2")
        solver.solve(0)
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGUSR1))
        timer.start()
        distances = solver.solve_many(range(1000), targets=[1], check=True).distances
        end = time.monotonic()
        timer.join()
        self.assertEqual(distances.shape, (1000, 1))
        self.assertLess(seen[0], end - 0.1)

    def test_call_in_a_handler(self):
        solver = mlmq.Solver(mlmq.Graph.open("road14"), device="cpu:2")
        results = []
        handler = signal.signal(signal.SIGUSR1, lambda *_: results.append(mlmq.Solver(town(), device="cpu:1").solve(0)))
        self.addCleanup(signal.signal, signal.SIGUSR1, handler)
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGUSR1))
        timer.start()
        solver.solve_many(range(1000), targets=[1])
        timer.join()
        self.assertEqual(results[0].distances.tolist(), FROM_0)


if __name__ == "__main__":
    unittest.main()
