# SPDX-License-Identifier: Apache-2.0
"""Graphs for tests, their files in each format, and their expected distances.

A graph is (number of vertices, list of (from, to, weight)); vertices count from 0. FIRST_ID: first id per format.
"""

import heapq
import random
import struct


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


def distances_by_id(edges, source):
    """Returns the distance of each reached vertex by its number; the ends of edges may be any numbers."""
    rows = {}
    for u, v, weight in edges:
        rows.setdefault(u, []).append((v, weight))
    distances = {}
    waiting = [(0, source)]
    while waiting:
        distance, u = heapq.heappop(waiting)
        if u not in distances:
            distances[u] = distance
            for v, weight in rows.get(u, []):
                heapq.heappush(waiting, (distance + weight, v))
    return distances


def random_graph(seed, count=60, edge_count=200, real=False):
    """Returns a graph with self-loops, parallel edges and, likely, unreachable vertices; every vertex has an edge."""
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
FIRST_ID = {"dimacs.gr": 1, "galois.gr": 0, "market.mtx": 1, "snap.txt": 0}
