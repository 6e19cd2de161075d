// SPDX-License-Identifier: Apache-2.0
// All solvers against brute force on random tiny graphs: the solvers for processors, and queues of every kind on the
// simulated GPU. Prints the seed and the graph of each wrong answer.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "graph/check.hpp"
#include "graph/reference.hpp"
#include "library/mlmq/mlmq.hpp"
#include "tests/oracle/tiny_graph.hpp"

namespace {

using namespace mlmq;
using oracle::tiny_graph;
using words = std::vector<std::uint32_t>;

/// A solver that is compared with brute force.
struct contestant {
  std::string device;
  std::string configuration;
  problem kind = problem::sssp;
};

std::vector<contestant> on_processors(random_stream& random) {
  static const std::vector<std::string> deltas = {"0.001", "0.3", "1", "8", "1000", "1000000000"};
  const std::string delta = deltas[random.below(deltas.size())];
  std::vector<contestant> contestants;
  for (const char* const device : {"cpu:1", "cpu:3"}) {
    for (const std::string& solver :
         {std::string("dijkstra"), std::string("boost_dijkstra"), "delta_stepping,cpu_delta=" + delta}) {
      contestants.push_back({device, "solver=" + solver});
    }
    contestants.push_back({device, "solver=bfs,pull=" + std::to_string(random.below(3) * 15), problem::bfs});
    contestants.push_back({device, "solver=delta_stepping,cpu_delta=" + delta, problem::bfs});
  }
  return contestants;
}

/// Returns every kind of L1 and L2 queue once, the competitors, and the parameters that change how edges are read.
std::vector<contestant> on_simulator() {
  std::vector<contestant> contestants;
  for (const char* const configuration :
       {"l1=none,l2=vector", "l1=vector,l2=bucket", "l1=near_far,l2=multi_heap", "l1=filter,l2=heap",
        "l1=slf,l2=vector", "solver=near_far", "solver=bellman_ford", "solver=adds"}) {
    contestants.push_back({"simt", configuration});
  }
  contestants.push_back({"simt", "l1=vector,l2=bucket", problem::bfs});
  return contestants;
}

digraph digraph_of(const tiny_graph& tiny) {
  if (tiny.type == graph::weight_type::uint32) {
    return digraph::from_rows(tiny.offsets(), tiny.targets(), tiny.integers());
  }
  return digraph::from_rows(tiny.offsets(), tiny.targets(), tiny.floats());
}

words words_of(const solution& answer) {
  if (answer.type() == number_type::uint32) {
    return {answer.distances_uint32().begin(), answer.distances_uint32().end()};
  }
  words result;
  for (const float distance : answer.distances_float32()) result.push_back(std::bit_cast<std::uint32_t>(distance));
  return result;
}

/// Returns the distances in the encoding of solution::distances_float32(): unreached vertices are infinite.
words expected_words(const tiny_graph& tiny, vertex source, problem kind) {
  words result = oracle::brute_force(tiny, source, kind == problem::bfs);
  if (kind == problem::bfs || tiny.type == graph::weight_type::uint32) return result;
  for (std::uint32_t& bits : result) {
    if (bits == graph::unreached) bits = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity());
  }
  return result;
}

/// Returns the first difference, or "".
std::string difference(const words& distances, const words& expected) {
  if (distances.size() != expected.size())
    return fmt::format("{} distances for {} vertices", distances.size(), expected.size());
  for (std::size_t v = 0; v < distances.size(); ++v) {
    if (distances[v] != expected[v]) {
      return fmt::format("vertex {} has distance 0x{:08x}, by brute force 0x{:08x}", v, distances[v], expected[v]);
    }
  }
  return "";
}

std::string try_one(const contestant& entrant, const tiny_graph& tiny, const digraph& graph, vertex source,
                    std::uint64_t seed) {
  // Devices are opened once, which keeps their threads and compiled kernels.
  static std::vector<std::pair<std::string, device>> devices;
  auto place =
      std::find_if(devices.begin(), devices.end(), [&](const auto& entry) { return entry.first == entrant.device; });
  if (place == devices.end()) place = devices.emplace(devices.end(), entrant.device, device(entrant.device));
  place->second.set_seed(seed);
  solver searcher(place->second, graph, entrant.kind);
  const auto type = entrant.kind == problem::bfs ? graph::weight_type::uint32 : tiny.type;
  const bool all_fit = !graph::has_saturated(type, oracle::brute_force(tiny, source, entrant.kind == problem::bfs));
  try {
    const solution answer = searcher.solve(source, {.configurations = {entrant.configuration}});
    if (!all_fit) return "a distance does not fit its type, and solve() returns it";
    const std::string wrong = difference(words_of(answer), expected_words(tiny, source, entrant.kind));
    return wrong.empty() ? answer.check() : wrong;
  } catch (const search_error& error) {
    if (all_fit) throw;
    return "";
  }
}

/// Runs the comparisons of one graph; prints wrong answers.
/// @return the number of compared searches, or nothing after a wrong answer
std::optional<std::uint64_t> try_graph(std::uint64_t seed, const std::vector<contestant>& fixed, bool processors) {
  const tiny_graph tiny = oracle::random_tiny_graph(seed);
  random_stream random({0x6F7261636C65 /* oracle */, seed});
  const auto source = static_cast<vertex>(random.below(tiny.vertices));
  std::vector<contestant> contestants = fixed;
  if (processors) {
    const std::vector<contestant> more = on_processors(random);
    contestants.insert(contestants.end(), more.begin(), more.end());
  }
  const auto report = [&](const std::string& solver, const std::string& wrong) {
    fmt::print(stderr,
               "oracle: seed {}: {} from vertex {}: {}\nthe graph (vertices counted from 1), and how to try it alone:\n"
               "{}oracle --processors {} --kernels {} --seed {}\n",
               seed, solver, source, wrong, tiny.text(), processors ? 1 : 0, processors ? 0 : 1, seed);
  };
  if (graph::dijkstra(tiny.csr(), source) != oracle::brute_force(tiny, source)) {
    report("the reference", "its distances are not those of brute force");
    return std::nullopt;
  }
  const digraph graph = digraph_of(tiny);
  for (const contestant& solver : contestants) {
    const std::string name =
        solver.configuration + " on " + solver.device + (solver.kind == problem::bfs ? " (bfs)" : "");
    try {
      const std::string wrong = try_one(solver, tiny, graph, source, seed);
      if (wrong.empty()) continue;
      report(name, wrong);
    } catch (const std::exception& error) {
      report(name, error.what());
    }
    return std::nullopt;
  }
  return contestants.size();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Compares all solvers with brute force on random graphs of 1 to 12 vertices.", "oracle"};
  std::uint64_t processors = 1000;
  std::uint64_t kernels = 0;
  std::uint64_t seed = 1;
  app.add_option("--count,--processors", processors, "graphs for the solvers of processors")->capture_default_str();
  app.add_option("--kernels", kernels, "graphs for kernels on the simulated GPU")->capture_default_str();
  app.add_option("--seed", seed, "of the first graph; the next has the next")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const std::vector<contestant> kernel_list = on_simulator();
  for (const bool on_cpu : {true, false}) {
    const std::uint64_t count = on_cpu ? processors : kernels;
    std::uint64_t searches = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto compared = try_graph(seed + i, on_cpu ? std::vector<contestant>() : kernel_list, on_cpu);
      if (!compared) return 1;
      searches += *compared;
    }
    if (count > 0)
      fmt::print("{} graphs, {} searches {}: all right\n", count, searches,
                 on_cpu ? "on processors" : "on the simulator");
  }
  return 0;
}
