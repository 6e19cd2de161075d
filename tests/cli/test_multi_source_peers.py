# SPDX-License-Identifier: Apache-2.0
"""External programs as contestants of 'mlmq compare --problem sssp_batch', and the script that runs RoutingKit. A
script stands in for a program, and a small contraction hierarchy for RoutingKit.
"""

import csv
import io
import os
import pathlib
import subprocess
import sys
import unittest.mock

import program_test  # in this folder

ROOT = pathlib.Path(__file__).resolve().parents[2]

SEARCHES = """\
import heapq, struct, sys
variant, graph, sources, answers, directory, threads, repeat = sys.argv[1:]
data = open(graph, 'rb').read()
_, _, n, m = struct.unpack_from('4Q', data)
ends = struct.unpack_from(f'{n}Q', data, 32)
heads = struct.unpack_from(f'{m}I', data, 32 + 8 * n)
weights = struct.unpack_from(f'{m}I', data, 32 + 8 * n + 4 * (m + m % 2))
WORD = 2**64 - 1
with open(answers, 'w') as out:
    for source in map(int, open(sources)):
        distances, queue, left = {}, [(0, source)], []
        while queue:
            distance, vertex = heapq.heappop(queue)
            if vertex in distances:
                continue
            distances[vertex] = distance
            for edge in range(ends[vertex - 1] if vertex else 0, ends[vertex]):
                heapq.heappush(queue, (distance + weights[edge], heads[edge]))
        if variant == 'wrong':
            distances[source] = 1
        digest = 0
        for vertex, distance in distances.items():
            mixed = (vertex + 1) * 0x9E3779B97F4A7C15 & WORD
            mixed = (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9 & WORD
            digest += (mixed ^ mixed >> 32 | 1) * (distance + 1)
        print(digest & WORD, len(distances), max(distances.values()), file=out)
        if variant == 'first':
            break
    if variant == 'words':
        print('no answer', file=out)
print('prepare_ms', 12.25)
for run in range(int(repeat)):
    print('time_ms', 1.5 + int(threads))
"""

PEERS = """\
peers:
  - problem: sssp_batch
    device: cpu
    variable: TEST_SEARCHES
    variants: {good: good, wrong: wrong, first: first, words: words}
    command: [%(python)s, "{program}", "{variant}", "{graph}", "{sources}", "{answers}", "{directory}", "{threads}",
              "{repeat}"]
""" % {"python": sys.executable}

SPACE = """\
name: searches
problem: sssp_batch
configurations: [{solver: cpu_hierarchy}]
workloads: [{generate: road6, queries: {sources: 20}}]
measurement: {repeats: 2}
"""

# The part of RoutingKit's interface that the driver uses: contracts the vertices by their numbers, without a search for
# witnesses.
ROUTINGKIT = """\
#pragma once
#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>
namespace RoutingKit {
const unsigned inf_weight = 2147483647u;
struct ContractionHierarchy {
  struct Side { std::vector<unsigned> first_out, head, weight; };
  std::vector<unsigned> rank, order;
  Side forward, backward;
  unsigned node_count() const { return rank.size(); }
  static ContractionHierarchy build(unsigned n, std::vector<unsigned> tail, std::vector<unsigned> head,
                                    std::vector<unsigned> weight) {
    std::vector<std::map<unsigned, unsigned>> out(n), in(n);
    const auto add = [&](unsigned x, unsigned y, unsigned w) {
      const unsigned least = out[x].count(y) ? std::min(w, out[x][y]) : w;
      if (x != y) out[x][y] = in[y][x] = least;
    };
    const auto rank_of = [n](unsigned v) { return n - 1 - v; };
    for (unsigned a = 0; a < head.size(); ++a) add(rank_of(tail[a]), rank_of(head[a]), weight[a]);
    ContractionHierarchy result;
    const auto append = [](Side& side, const std::map<unsigned, unsigned>& row, unsigned x) {
      side.first_out.push_back(side.head.size());
      for (auto [y, w] : row) if (y > x) side.head.push_back(y), side.weight.push_back(w);
    };
    for (unsigned x = 0; x < n; ++x) {
      for (auto [y, w] : in[x]) for (auto [z, more] : out[x]) if (y > x && z > x) add(y, z, w + more);
      append(result.forward, out[x], x);
      append(result.backward, in[x], x);
      result.rank.push_back(rank_of(x));
      result.order.push_back(rank_of(x));
    }
    result.forward.first_out.push_back(result.forward.head.size());
    result.backward.first_out.push_back(result.backward.head.size());
    return result;
  }
  template <class Step> static void visit(ContractionHierarchy& h, Step step) {
    step(h.rank), step(h.order);
    for (Side* side : {&h.forward, &h.backward}) step(side->first_out), step(side->head), step(side->weight);
  }
  void save_file(const std::string& file) {
    std::ofstream out(file);
    visit(*this, [&](auto& row) { out << row.size() << " "; for (unsigned x : row) out << x << " "; });
  }
  static ContractionHierarchy load_file(const std::string& file) {
    std::ifstream in(file);
    ContractionHierarchy h;
    visit(h, [&](auto& row) { size_t n = 0; in >> n; row.resize(n); for (unsigned& x : row) in >> x; });
    return h;
  }
};
struct ContractionHierarchyQuery {
  explicit ContractionHierarchyQuery(const ContractionHierarchy& hierarchy) : h(hierarchy) {}
  void pin_targets(const std::vector<unsigned>&) {}
  ContractionHierarchyQuery& reset_source() { d.assign(h.node_count(), inf_weight); return *this; }
  ContractionHierarchyQuery& add_source(unsigned v) { d[h.rank[v]] = 0; return *this; }
  ContractionHierarchyQuery& run_to_pinned_targets() {
    const auto shorten = [&](unsigned x, unsigned length) { d[x] = std::min(d[x], length); };
    for (unsigned x = 0; x < d.size(); ++x)
      for (unsigned a = h.forward.first_out[x]; a < h.forward.first_out[x + 1]; ++a)
        shorten(h.forward.head[a], d[x] + h.forward.weight[a]);
    for (unsigned x = d.size(); x-- > 0;)
      for (unsigned a = h.backward.first_out[x]; a < h.backward.first_out[x + 1]; ++a)
        shorten(x, d[h.backward.head[a]] + h.backward.weight[a]);
    return *this;
  }
  void get_distances_to_targets(unsigned* to) { for (unsigned v = 0; v < d.size(); ++v) to[v] = d[h.rank[v]]; }
  const ContractionHierarchy& h;
  std::vector<unsigned> d;
};
}
"""


def command(peers, *more):
    return ("compare", "--problem", "sssp_batch", "--configurations", "searches.yaml", "--device", "cpu:2", "--peers",
            peers, "--db", "r.sqlite", "--quiet", *more)


def outcomes(test, peers, *more):
    """Returns outcome and time of each contestant by name and workload, and the notes."""
    code, output, errors = test.run_program(*command(peers, "--format", "csv", *more))
    test.assertEqual(code, 0, errors)
    rows = csv.DictReader(io.StringIO(output))
    return {(row["contestant"], row["workload"]): (row["outcome"], row["ms"]) for row in rows
            if row["workload"] != "geometric mean"}, errors


class MultiSourcePeers(program_test.ProgramTest):
    def setUp(self):
        super().setUp()
        for name, text in {"searches.py": SEARCHES, "peers.yaml": PEERS, "searches.yaml": SPACE}.items():
            self.write(name, text)
        os.environ.update(TEST_SEARCHES=self.path("searches.py"))
        self.addCleanup(os.environ.pop, "TEST_SEARCHES", None)

    def test_answers(self):
        rows, errors = outcomes(self, "peers.yaml")
        self.assertEqual(rows["good", "road6"], ("ok", "3.5"), errors)
        self.assertEqual([rows[name, "road6"][0] for name in ("wrong", "first", "words")], ["wrong_answer"] * 3)
        self.assertRegex(errors, r"wrong on road6, .*: the search from \d+ reaches \d+ vertices up to \d+, digest \w+; "
                                 r"expected")
        self.assertIn("the number of answers differs from the number of searches", errors)
        self.assertIn("its line 'no answer' is no answer", errors)
        self.assertRegex(errors, r"good on road6, .*: its times leave out a preparation of 12 ms")

    def test_unfit_queries(self):
        self.write("decimal.gr", "p sp 3 2\na 1 2 0.5\na 2 3 1.5\n")
        for old, new, reason in [("sources: 20", "sources: 20, targets: 3", "without targets and cutoff"),
                                 ("sources: 20", "sources: 20, cutoff: 3", "without targets and cutoff"),
                                 ("generate: road6", "file: decimal.gr", "reads whole weights")]:
            self.write("searches.yaml", SPACE.replace(old, new).replace("cpu_hierarchy", "cpu_dijkstra"))
            rows, errors = outcomes(self, "peers.yaml")
            self.assertEqual({rows[name][0] for name in rows if name[0] == "good"}, {"constraint"}, errors)
            self.assertIn(reason, errors)

    def test_mistakes(self):
        del os.environ["TEST_SEARCHES"]
        self.assertIn("good: skipped: the environment variable TEST_SEARCHES is not set",
                      outcomes(self, "peers.yaml")[1])
        for old, new, message in [("{sources}", "{source}", "did you mean 'sources'?"),
                                  (', "{answers}"', "", "does not use {answers}")]:
            self.write("peers.yaml", PEERS.replace(old, new, 1))
            self.refuse(*command("peers.yaml"), says=["peers.yaml", message])


class RoutingKit(program_test.ProgramTest):
    SHIPPED = str(ROOT / "experiments" / "multi_source_peers.yaml")

    def setUp(self):
        super().setUp()
        for folder in ("RoutingKit/src", "RoutingKit/include/routingkit"):
            os.makedirs(self.path(folder))
        self.write("RoutingKit/include/routingkit/contraction_hierarchy.h", ROUTINGKIT)
        for name in ("contraction_hierarchy", "bit_vector", "graph_util", "timer", "vector_io"):
            self.write(f"RoutingKit/src/{name}.cpp", "")
        self.write("searches.yaml", SPACE.replace("road6", "[road6, rmat6]"))
        variables = unittest.mock.patch.dict(os.environ, {
            "MLMQ_PEER_ROUTINGKIT": self.path("RoutingKit"), "XDG_CACHE_HOME": self.path("cache")})
        variables.start()
        self.addCleanup(variables.stop)

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, "-B", ROOT / "experiments" / "peers" / "routingkit.py", *arguments],
                              capture_output=True, text=True, check=False)

    def test_answers(self):
        rows, errors = outcomes(self, self.SHIPPED)
        self.assertEqual({name: row[0] for name, row in rows.items() if name[0].startswith("routingkit")},
                         {(f"routingkit-{method}", graph): "ok" for method in ("phast", "pinned")
                          for graph in ("rmat6", "road6")}, errors)
        self.assertIn("its times leave out a preparation of", errors)
        programs = os.listdir(self.path("cache/mlmq/peers"))
        self.assertEqual(len(programs), 1)  # built once
        # A program that was built elsewhere.
        os.environ["MLMQ_PEER_ROUTINGKIT"] = self.path("cache/mlmq/peers/" + programs[0])
        self.assertEqual(outcomes(self, self.SHIPPED, "--name", "program")[0]["routingkit-phast", "road6"][0], "ok")

    def test_mistakes(self):
        program = self.path("program")
        self.assertEqual(self.run_script(self.path("RoutingKit"), "--build", program).stderr, "")
        self.run_program("graph", "convert", "road4", "road4.gr")
        for method, sources, message in [("phast", "0\n99999\n", "there is no vertex 99999"),
                                         ("phast", "0\nx\n", "not a list of vertices"),
                                         ("dijkstra", "0\n", "expected phast or pinned, got dijkstra")]:
            self.write("sources", sources)
            files = map(self.path, ("road4.gr", "sources", "answers", "hierarchy"))
            run = self.run_script(program, method, *files, "1", "1")
            self.assertEqual((run.returncode, message in run.stderr), (1, True), run.stderr)
        os.remove(self.path("RoutingKit/src/timer.cpp"))
        run = self.run_script(self.path("RoutingKit"), "--build", program)
        self.assertIn("this is not a clone of RoutingKit", run.stderr)
        self.write("RoutingKit/src/timer.cpp", "")
        for compiler, message in [("false", "failed:"), ("no-compiler", "there is no compiler no-compiler on PATH")]:
            os.environ["CXX"] = compiler
            self.assertIn(message, self.run_script(self.path("RoutingKit"), "--build", program).stderr)
        os.environ.pop("CXX")
        os.environ["MLMQ_PEER_ROUTINGKIT"] = "/nowhere"
        self.assertIn("routingkit-phast: skipped: MLMQ_PEER_ROUTINGKIT is '/nowhere', which does not exist",
                      outcomes(self, self.SHIPPED)[1])


if __name__ == "__main__":
    program_test.main()
