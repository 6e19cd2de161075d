# SPDX-License-Identifier: Apache-2.0
"""Handles in copies, in pickles and in forked processes."""

import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
import traceback
import unittest
import warnings

import numpy as np

import mlmq
from package_test import DEVICES, FROM_0, town


# Python 3.12 warns of a fork while threads are running, which these tests do deliberately.
warnings.filterwarnings("ignore", message=".*fork", category=DeprecationWarning)


def handles():
    """Returns one object of every class that is a handle, or contains one."""
    graph, device, grid = town(), mlmq.Device("simt"), mlmq.Grid.from_array(np.ones((3, 3), bool))
    solver, finder = mlmq.Solver(graph, device="cpu:2"), mlmq.PathFinder(grid, device="cpu:1")
    return [graph, device, grid, solver, finder, mlmq.Model.shipped(), device.to_device(np.arange(3)),
            solver.solve(0), solver.solve_many([0, 1]), solver.solve(0, targets=[3]), finder.solve([[(0, 0), (2, 2)]]),
            graph._handle]


def in_child(work, seconds=20):
    """Runs `work` in a forked process; returns its text, or how the process ended."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, work().encode())
        except BaseException:  # pylint: disable=broad-exception-caught
            os.write(writer, traceback.format_exc().encode())
        os._exit(0)
    os.close(writer)
    deadline = time.monotonic() + seconds
    done = 0
    while not done and time.monotonic() < deadline:
        done = os.waitpid(child, os.WNOHANG)[0]
        time.sleep(0.01)
    if not done:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as pipe:
        return pipe.read().decode() if done else f"killed after {seconds} s"


def solve_in_pool(source):
    return mlmq.Solver(town(), device="cpu:2").solve(source).distances.tolist()


class Copies(unittest.TestCase):
    def test_refused(self):
        for handle in handles():
            for name, attempt in (("copy", copy.copy), ("deepcopy", copy.deepcopy), ("pickle", pickle.dumps)):
                with self.subTest(f"{name} of {type(handle).__name__}"):
                    with self.assertRaisesRegex(TypeError,
                                                f"^{type(handle).__name__}: .* neither copied nor pickled: "):
                        attempt(handle)
        with self.assertRaisesRegex(TypeError,
                                    "open it again in each process, or pass its arrays to Graph.from_arrays"):
            pickle.dumps({"graph": town()})

    def test_results(self):
        answer = mlmq.Solver(town(), device="cpu:2").solve(0)
        for value in (answer.distances, answer.choice, answer.times):
            again = pickle.loads(pickle.dumps(copy.deepcopy(value)))
            self.assertEqual(np.asarray(again).tolist(), np.asarray(value).tolist())


class Forks(unittest.TestCase):
    def test_inherited_solver(self):
        for device in DEVICES:
            with self.subTest(device):
                solver = mlmq.Solver(mlmq.Graph.open("road10"), device=device)
                right = solver.solve(0).distances.tolist()

                def work(solver=solver):
                    for call in (lambda: solver.solve(0), lambda: solver.solve_many([0]), solver.upload):
                        try:
                            call()
                        except mlmq.WorkError as error:
                            text = str(error)
                        else:
                            return "no error"
                    return text

                self.assertRegex(in_child(work),
                                 f"^{device} was opened before this process was forked.* open the device")
                self.assertEqual(solver.solve(0).distances.tolist(), right)

    def test_inherited_graph(self):
        graph = town()
        solver = mlmq.Solver(graph, device="cpu:2")
        solver.solve(0)

        def work():
            nonlocal solver
            again = mlmq.Solver(graph, device="cpu:2").solve(0).distances.tolist()  # not the parent's device
            solver = None  # freed without waiting for threads
            return repr(again)

        self.assertEqual(in_child(work), repr(FROM_0))
        self.assertEqual(solver.solve(0).distances.tolist(), FROM_0)

    def test_unfinished_blocks(self):
        blocks = mlmq.Solver(mlmq.Graph.open("road10"), device="cpu:1").blocks(range(100), memory_bytes=1 << 14)
        self.assertEqual(next(blocks).first, 0)

        def work():
            try:
                next(blocks)
            except mlmq.WorkError as error:
                return str(error)
            return "no error"

        self.assertIn("started before this process was forked", in_child(work))
        self.assertGreater(next(blocks).first, 0)
        blocks.close()

    def test_pool(self):
        mlmq.Solver(town(), device="cpu:2").solve(0)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map_async(solve_in_pool, [0, 0]).get(timeout=20), [FROM_0] * 2)


class Exits(unittest.TestCase):
    """A process that ends with unfinished iterators ends as usual."""

    START = """
import os, sys, threading, time, mlmq
solver = mlmq.Solver(mlmq.Graph.open("road10"), device=sys.argv[1])
def started(**options):
    blocks = solver.blocks(range(1000), memory_bytes=1 << 14, **options)
    next(blocks)
    return blocks
"""
    ENDS = {
        "end": ("blocks = started()", 0),
        "several": ("several = [started() for _ in range(3)]", 0),
        "status": ("blocks = started(); sys.exit(3)", 3),
        "exception": ("blocks = started(); raise ValueError", 1),
        "cycle": ("owner = threading.Event(); owner.blocks = started(); owner.itself = owner", 0),
        "daemon thread": ("""
ready = threading.Event()
def work():
    blocks = started()
    ready.set()
    time.sleep(60)
threading.Thread(target=work, daemon=True).start()
ready.wait()""", 0),
        "thread": ("""
kept = []
thread = threading.Thread(target=lambda: kept.append(started()))
thread.start()""", 0),
        "fork": ("""
blocks = started()
child = os.fork()
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))""", 0),
    }

    def test_unfinished_blocks(self):
        for device in DEVICES:
            for name, (code, status) in self.ENDS.items():
                with self.subTest(f"{name}, {device}"):
                    done = subprocess.run([sys.executable, "-c", self.START + code, device], stderr=subprocess.PIPE,
                                          text=True, timeout=120, check=False)
                    self.assertEqual(done.returncode, status, done.stderr)
                    self.assertNotIn("FATAL", done.stderr)


if __name__ == "__main__":
    unittest.main()
