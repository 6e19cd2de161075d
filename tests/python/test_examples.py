# SPDX-License-Identifier: Apache-2.0
"""The examples in the docstrings of the Python package."""

import doctest
import importlib
import pkgutil
import sys
import unittest

import mlmq

# mlmq.networkx needs NetworkX and has no examples.
MODULES = [mlmq, *(importlib.import_module(f"mlmq.{module.name}") for module in pkgutil.iter_modules(mlmq.__path__)
                   if module.name != "networkx")]


class Examples(unittest.TestCase):
    def test_examples_give_what_they_say(self):
        attempted = 0
        for module in MODULES:
            result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
            self.assertEqual(result.failed, 0, module.__name__)
            attempted += result.attempted
        self.assertGreater(attempted, 20)

    def test_closed_objects(self):
        with mlmq.Graph.open("grid8") as graph, mlmq.Solver(graph, device="cpu:1") as solver:
            answer = solver.solve(0)
        self.assertEqual(int(answer.distances[0]), 0)  # an answer outlives its solver
        self.assertTrue(answer.path(9).size > 1)
        for use in (lambda: solver.solve(0), lambda: graph.name, lambda: mlmq.Solver(graph, device="cpu:1")):
            with self.assertRaisesRegex(mlmq.InputError, "the (Graph|Solver) is closed"):
                use()
        solver.close()
        again = mlmq.Solver(mlmq.Graph.open("grid8"), device="cpu:1")
        again.device.close()
        self.assertFalse(mlmq.Solver(again.graph, device="cpu:1").device.closed)

    def test_mistakes(self):
        with self.assertRaisesRegex(mlmq.InputError, "none.sqlite"):
            mlmq.query("none.sqlite", "SELECT 1")
        with self.assertRaisesRegex(mlmq.InputError, "none.sqlite"):
            mlmq.report("none.sqlite")
        with self.assertRaisesRegex(mlmq.InputError, "nograph"):
            mlmq.tune_selector(["nograph"], device="cpu:1")


if __name__ == "__main__":
    sys.exit(unittest.main())
