# SPDX-License-Identifier: Apache-2.0
"""mlmq.sweep and mlmq.tune, on the simulator."""

import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import mlmq
from package_test import ROOT

KERNELS = os.path.join(ROOT, "experiments", "kernels")
MATMUL = os.path.join(KERNELS, "matmul.yaml")
DEVICE = "simt:1x8"
SLOW = """\
name: slow
problem: kernel
kernel:
  source: slow.cu
  function: slow
  block: 32
  grid: 1
  arguments: [{name: b, type: int, size: 32, role: out}]
  reference: none
parameters: {turns: [100000, 100001, 100002, 100003, 100004, 100005, 100006, 100007]}
workloads: [{n: 1}]
measurement: {warmup: 0, repeats: 50, counters: false, time_limit_ms: 100000}
"""
SLOW_SOURCE = """\
__global__ void slow(int* b) {
  for (volatile int i = 0; i < turns; i = i + 1) {}
  b[threadIdx.x] = 1;
}
"""


def rows_of(results):
    return results if isinstance(results, list) else results.to_dict("records")


class CupyArray:
    """Stands for an array of CuPy: NumPy must not read it, since it is on a GPU."""

    __cuda_array_interface__ = {}

    def __init__(self, values):
        self.values = values

    def get(self):
        return self.values

    def __array__(self, *_):
        raise TypeError("implicit conversion to a NumPy array is not allowed")


ADD = {"add.cu": "__global__ void add(int* a, int n) { if (threadIdx.x < n) a[threadIdx.x] = outcome - outcome; }\n",
       "add.yaml": """\
name: add
problem: kernel
kernel:
  source: add.cu
  function: add
  block: n
  grid: 1
  arguments: [{name: a, type: int, size: n, role: out}, {name: n, type: int, value: n}]
  reference: none
parameters: {outcome: [1, 2], registers: [3, 4]}
workloads: [{n: 32}]
measurement: {warmup: 0, repeats: 1, counters: false}
metrics: {median_ms: 10 - outcome}
objective: {minimize: median_ms}
"""}


class Tuning(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mlmq-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        draw = np.random.default_rng(1)
        self.A, self.B = draw.random((2, 16, 16), dtype=np.float32)

    def tune(self, reference, **settings):
        return rows_of(mlmq.tune(MATMUL, arrays={"A": self.A, "B": CupyArray(self.B)}, reference=reference,
                                 sizes={"n": 16}, device=DEVICE, **settings))

    def test_arrays_and_a_callable_reference(self):
        database = os.path.join(self.folder, "r.sqlite")
        rows = self.tune(lambda A, B: A @ B.get(), database=database)
        times = [row["median_ms"] for row in rows if row["outcome"] == "ok"]
        self.assertGreaterEqual(len(times), 3)
        self.assertEqual(times, sorted(times))
        self.assertEqual({row["workload"] for row in rows}, {"n=16"})
        self.assertTrue({"tile", "rows", "occupancy"} <= set(rows[0]))
        # Tiles of 32 do not fit into matrices of 16: a grid of 0 blocks.
        self.assertEqual({row["outcome"] for row in rows if row["tile"] == 32}, {"constraint"})
        self.assertGreaterEqual(len(mlmq.read_results(database)["outcome"]), len(rows))

    def test_a_wrong_reference_finds_every_configuration_wrong(self):
        rows = self.tune(lambda A, B: {"C": A @ B.get() + 1})
        self.assertEqual({row["outcome"] for row in rows if row["tile"] < 32}, {"wrong_answer"})

    def test_results_without_pandas(self):
        with mock.patch.dict(sys.modules, {"pandas": None}):
            rows = mlmq.sweep(MATMUL, sizes=[{"n": 16}, {"n": 32}], device=DEVICE)
        self.assertIsInstance(rows, list)
        self.assertEqual({row["workload"] for row in rows}, {"n=16", "n=32"})

    def test_names_of_parameters_and_metrics_replace_no_column(self):
        for name in ("add.cu", "add.yaml"):
            Path(self.folder, name).write_text(ADD[name], encoding="utf-8")
        rows = rows_of(mlmq.sweep(os.path.join(self.folder, "add.yaml"), device=DEVICE))
        self.assertEqual(len(rows), 4)
        for row in rows:
            self.assertEqual(row["outcome"], "ok")
            self.assertIn(row["parameter_outcome"], (1, 2))
            self.assertIn(row["parameter_registers"], (3, 4))
            self.assertNotIn(row["registers"], (3, 4))
            self.assertGreater(row["median_ms"], 0)
            self.assertEqual(row["metric_median_ms"], 10 - row["parameter_outcome"])
        self.assertEqual([row["metric_median_ms"] for row in rows], [8, 8, 9, 9])  # by the objective

    def test_mistakes_are_exceptions(self):
        with self.assertRaisesRegex(mlmq.InputError, "No such file"):
            mlmq.tune(os.path.join(self.folder, "none.yaml"))
        with self.assertRaisesRegex(mlmq.InputError, "matmul.yaml:.*no array is named 'D'"):
            mlmq.tune(MATMUL, arrays={"D": self.A}, device=DEVICE)
        with self.assertRaisesRegex(mlmq.InputError, "matmul.yaml:.*'C'.*no contents before a run"):
            mlmq.tune(MATMUL, arrays={"C": self.A}, device=DEVICE)
        with self.assertRaisesRegex(mlmq.InputError, "256 numbers"):
            mlmq.tune(MATMUL, arrays={"A": self.A[:3]}, sizes={"n": 16}, device=DEVICE)
        with self.assertRaisesRegex(mlmq.InputError, "array 'A': it has numbers of type <f8, expected <f4"):
            mlmq.tune(MATMUL, arrays={"A": self.A.astype(float)}, sizes={"n": 16}, device=DEVICE)
        with self.assertRaisesRegex(mlmq.InputError, "unknown size 'm'"):
            mlmq.sweep(MATMUL, sizes={"m": 16}, device=DEVICE)
        with mock.patch.dict(os.environ, {"MLMQ_PROGRAM": "/none"}), self.assertRaises(OSError):
            mlmq.sweep(MATMUL, device=DEVICE)

    def test_an_interrupted_sweep_leaves_no_process(self):
        Path(self.folder, "slow.yaml").write_text(SLOW, encoding="utf-8")
        Path(self.folder, "slow.cu").write_text(SLOW_SOURCE, encoding="utf-8")
        database = os.path.join(self.folder, "slow.sqlite")
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, handler)

        def interrupt():
            deadline = time.monotonic() + 60
            while not os.path.exists(database) and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(0.5)
            os.kill(os.getpid(), signal.SIGINT)
        sender = threading.Thread(target=interrupt)
        sender.start()
        with self.assertRaises(KeyboardInterrupt):
            mlmq.sweep(os.path.join(self.folder, "slow.yaml"), database=database, device=DEVICE)
        sender.join()
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline and self.processes(database):
            time.sleep(0.1)
        self.assertEqual(self.processes(database), [])

    @staticmethod
    def processes(database):
        """The processes whose command line names the database."""
        found = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            try:
                command = Path("/proc", entry, "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if database in command:
                found.append(command)
        return found

    def test_the_example_of_the_guide(self):
        with open(os.path.join(ROOT, "docs", "guide", "tune-your-kernel.md"), encoding="utf-8") as file:
            blocks = re.findall(r"^```python\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
        self.assertEqual(len(blocks), 1)
        self.assertLessEqual(len(blocks[0].splitlines()), 15)
        if importlib.util.find_spec("pandas") is None:
            self.skipTest("no pandas")
        code = blocks[0].replace('"simt"', f'"{DEVICE}"')
        output = subprocess.run([sys.executable, "-B", "-c", code], cwd=ROOT, check=True, stdout=subprocess.PIPE,
                                text=True).stdout
        self.assertIn("median_ms", output)


if __name__ == "__main__":
    unittest.main()
