# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of the Python package: devices, and a graph with its right answer.

The tests take the package from PYTHONPATH and libmlmq from MLMQ_LIBRARY, as CTest sets them.
"""

import os

import mlmq

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DEVICES = ("cpu:2", "simt")

# Five vertices: an edge of length 0 joins 2 and 3; vertex 4 is isolated.
INDPTR = [0, 2, 4, 6, 8, 8]
INDICES = [1, 2, 0, 2, 1, 3, 2, 1]
WEIGHTS = [4, 9, 4, 3, 3, 0, 0, 5]
NONE = mlmq.UNREACHABLE
FROM_0 = [0, 4, 7, 7, NONE]


def town(weights=WEIGHTS):
    return mlmq.Graph.from_arrays(INDPTR, INDICES, weights, name="town")
