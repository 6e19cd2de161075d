#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shortest paths by cuGraph, as a peer of 'mlmq compare'.

usage: cugraph_sssp.py GRAPH.wel SOURCE REPEAT

GRAPH has a line "FROM TO WEIGHT" for each edge, vertices from 0. Weights are double, so that integers stay exact.
"""

import sys
import time

import cudf
import cugraph


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    source, repeat = int(sys.argv[2]), int(sys.argv[3])
    edges = cudf.read_csv(sys.argv[1], sep=" ", names=["from", "to", "weight"], dtype=["int32", "int32", "float64"])
    graph = cugraph.Graph(directed=True)
    graph.from_cudf_edgelist(edges, source="from", destination="to", edge_attr="weight")
    for _ in range(repeat):
        start = time.perf_counter()
        found = cugraph.sssp(graph, source=source)
        float(found["distance"].iloc[0])  # waits for the device
        print(f"time {1000 * (time.perf_counter() - start):.6f} ms")
    reached = cugraph.filter_unreachable(found)["distance"]
    print(f"reached {len(reached)}\nsum {float(reached.sum()):.17g}\nlargest {float(reached.max()):.17g}")


if __name__ == "__main__":
    main()
