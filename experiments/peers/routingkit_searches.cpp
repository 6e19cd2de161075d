// SPDX-License-Identifier: Apache-2.0
// Searches one graph from many sources by RoutingKit's contraction hierarchy, on all processors. routingkit.py builds
// it against RoutingKit's sources.
//
// usage: PROGRAM METHOD GRAPH SOURCES ANSWERS HIERARCHY THREADS REPEAT
//
// METHOD is `pinned`: RoutingKit's own queries with all vertices as targets, one source at a time per thread; or
// `phast` (Delling, Goldberg, Nowatzyk and Werneck 2011): from each of 16 sources upwards, then one sweep down over all
// vertices for the 16 together, with vector instructions, 16 sources at a time per thread. RoutingKit has no such
// sweep.
//
// GRAPH is a Galois file, SOURCES has one vertex per line, ANSWERS receives a line "DIGEST REACHED FARTHEST" for each
// source. The hierarchy is read from the file HIERARCHY, or built by one thread and written there.
#include <routingkit/contraction_hierarchy.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <queue>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using RoutingKit::ContractionHierarchy;
using RoutingKit::inf_weight;

constexpr std::size_t lanes = 16;
using lane_words = std::array<std::uint32_t, lanes>;

struct answer {
  std::uint64_t digest = 0;
  std::uint32_t reached = 0;
  std::uint32_t farthest = 0;
};

/// The hash of a vertex and its distance; mlmq adds them up to the digest of a search.
std::uint64_t digest_of(std::uint32_t vertex, std::uint32_t distance) {
  std::uint64_t factor = (std::uint64_t{vertex} + 1) * 0x9E3779B97F4A7C15ULL;
  factor ^= factor >> 29;
  factor *= 0xBF58476D1CE4E5B9ULL;
  factor = (factor ^ factor >> 32) | 1;
  return factor * (std::uint64_t{distance} + 1);
}

class stopwatch {
 public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct edge_list {
  std::uint32_t vertices = 0;
  std::vector<unsigned> tails, heads, weights;
};

edge_list read_galois(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const auto read = [&](auto& array) {
    in.read(reinterpret_cast<char*>(array.data()), static_cast<std::streamsize>(array.size() * sizeof array[0]));
    if (!in) throw std::runtime_error(file + ": not a complete Galois file");
  };
  std::array<std::uint64_t, 4> header{};  // version, bytes per weight, vertices, edges
  read(header);
  if (header[0] != 1 || header[1] != 4) throw std::runtime_error(file + ": not a Galois file of version 1");
  std::vector<std::uint64_t> ends(header[2]);
  edge_list edges{.vertices = static_cast<std::uint32_t>(header[2]),
                  .tails = std::vector<unsigned>(header[3]),
                  .heads = std::vector<unsigned>(header[3]),
                  .weights = std::vector<unsigned>(header[3])};
  read(ends);
  read(edges.heads);
  if (header[3] % 2 == 1) in.ignore(4);
  read(edges.weights);
  std::uint64_t edge = 0;
  for (std::uint32_t v = 0; v < edges.vertices; ++v) {
    for (; edge < ends[v]; ++edge) edges.tails[edge] = v;
  }
  return edges;
}

std::vector<std::uint32_t> read_sources(const std::string& file, std::uint32_t vertices) {
  std::ifstream in(file);
  std::vector<std::uint32_t> sources;
  for (std::uint32_t source = 0; in >> source;) {
    if (source >= vertices) throw std::runtime_error(file + ": there is no vertex " + std::to_string(source));
    sources.push_back(source);
  }
  if (!in.eof()) throw std::runtime_error(file + ": not a list of vertices");
  return sources;
}

/// Prints the time of the construction in every process, also in those that read the hierarchy.
ContractionHierarchy load_or_build(const std::string& file, const std::string& graph_file) {
  const std::string time_file = file + ".ms";
  double prepare_ms = 0;
  if (std::ifstream(time_file) >> prepare_ms) {
    std::cout << "prepare_ms " << prepare_ms << "\n";
    return ContractionHierarchy::load_file(file);
  }
  edge_list edges = read_galois(graph_file);
  const stopwatch watch;
  ContractionHierarchy hierarchy = ContractionHierarchy::build(edges.vertices, std::move(edges.tails),
                                                               std::move(edges.heads), std::move(edges.weights));
  prepare_ms = watch.milliseconds();
  std::cout << "prepare_ms " << prepare_ms << "\n";
  hierarchy.save_file(file);
  std::ofstream(time_file) << prepare_ms << "\n";
  return hierarchy;
}

/// Searches from the sources first, first + 1, …, at most group_size() of them.
class searcher {
 public:
  virtual ~searcher() = default;
  virtual std::size_t group_size() const = 0;
  virtual void search(const std::uint32_t* sources, std::size_t count, answer* answers) = 0;
};

class pinned_searcher final : public searcher {
 public:
  explicit pinned_searcher(const ContractionHierarchy& hierarchy)
      : query_(hierarchy), distances_(hierarchy.node_count()) {
    std::vector<unsigned> targets(hierarchy.node_count());
    for (unsigned v = 0; v < targets.size(); ++v) targets[v] = v;
    query_.pin_targets(targets);
  }

  std::size_t group_size() const override { return 1; }

  void search(const std::uint32_t* sources, std::size_t, answer* answers) override {
    query_.reset_source().add_source(sources[0]).run_to_pinned_targets().get_distances_to_targets(distances_.data());
    answer result;
    for (std::uint32_t v = 0; v < distances_.size(); ++v) {
      if (distances_[v] >= inf_weight) continue;
      result.digest += digest_of(v, distances_[v]);
      ++result.reached;
      result.farthest = std::max(result.farthest, distances_[v]);
    }
    answers[0] = result;
  }

 private:
  RoutingKit::ContractionHierarchyQuery query_;
  std::vector<unsigned> distances_;
};

/// An arc from a vertex of higher rank.
struct downward_arc {
  std::uint32_t tail;
  std::uint32_t weight;
};

/// The downward arcs of each vertex, by rank.
std::vector<downward_arc> downward_arcs(const ContractionHierarchy& hierarchy) {
  std::vector<downward_arc> arcs(hierarchy.backward.head.size());
  for (std::size_t a = 0; a < arcs.size(); ++a) arcs[a] = {hierarchy.backward.head[a], hierarchy.backward.weight[a]};
  return arcs;
}

class phast_searcher final : public searcher {
 public:
  phast_searcher(const ContractionHierarchy& hierarchy, const std::vector<downward_arc>& arcs)
      : hierarchy_(hierarchy),
        arcs_(arcs),
        distances_(hierarchy.node_count()),
        has_distances_(hierarchy.node_count(), 0) {}

  std::size_t group_size() const override { return lanes; }

  void search(const std::uint32_t* sources, std::size_t count, answer* answers) override {
    for (std::size_t lane = 0; lane < count; ++lane) ascend(hierarchy_.rank[sources[lane]], lane);
    std::array<std::uint64_t, lanes> digests{};
    lane_words reached{};
    lane_words farthest{};
    for (std::uint32_t v = hierarchy_.node_count(); v-- > 0;) {
      const lane_words nearest = descend(v);
      const std::uint32_t number = hierarchy_.order[v];
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const bool is_reached = nearest[lane] < inf_weight;
        digests[lane] += is_reached ? digest_of(number, nearest[lane]) : 0;
        reached[lane] += is_reached ? 1 : 0;
        farthest[lane] = std::max(farthest[lane], is_reached ? nearest[lane] : 0);
      }
    }
    for (std::size_t lane = 0; lane < count; ++lane) answers[lane] = {digests[lane], reached[lane], farthest[lane]};
  }

 private:
  /// Finds the lengths of all upward paths from a source. Arcs lead to higher ranks, so the order of the ranks
  /// suffices.
  void ascend(std::uint32_t source, std::size_t lane) {
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> open;
    const auto shorten = [&](std::uint32_t v, std::uint32_t length) {
      if (!has_distances_[v]) {
        has_distances_[v] = 1;
        distances_[v].fill(inf_weight);
      }
      if (distances_[v][lane] == inf_weight) open.push(v);
      distances_[v][lane] = std::min(distances_[v][lane], length);
    };
    shorten(source, 0);
    while (!open.empty()) {
      const std::uint32_t v = open.top();
      open.pop();
      for (unsigned a = hierarchy_.forward.first_out[v]; a < hierarchy_.forward.first_out[v + 1]; ++a)
        shorten(hierarchy_.forward.head[a], distances_[v][lane] + hierarchy_.forward.weight[a]);
    }
  }

  /// Returns the distances of a vertex, whose upper neighbours have theirs.
  lane_words descend(std::uint32_t v) {
    lane_words nearest;
    if (has_distances_[v]) {
      nearest = distances_[v];
      has_distances_[v] = 0;
    } else {
      nearest.fill(inf_weight);
    }
    for (unsigned a = hierarchy_.backward.first_out[v]; a < hierarchy_.backward.first_out[v + 1]; ++a) {
      const downward_arc arc = arcs_[a];
      const lane_words& start = distances_[arc.tail];
      for (std::size_t lane = 0; lane < lanes; ++lane)
        nearest[lane] = std::min(nearest[lane], start[lane] + arc.weight);
    }
    return distances_[v] = nearest;
  }

  const ContractionHierarchy& hierarchy_;
  const std::vector<downward_arc>& arcs_;
  std::vector<lane_words> distances_;        // by rank
  std::vector<std::uint8_t> has_distances_;  // whether the upward searches set distances_
};

/// Runs all searches, a searcher per thread.
void search_all(std::vector<std::unique_ptr<searcher>>& searchers, const std::vector<std::uint32_t>& sources,
                std::vector<answer>& answers) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&](searcher& thread_searcher) {
    const std::size_t group = thread_searcher.group_size();
    for (std::size_t first = next.fetch_add(group); first < sources.size(); first = next.fetch_add(group))
      thread_searcher.search(&sources[first], std::min(group, sources.size() - first), &answers[first]);
  };
  std::vector<std::thread> threads;
  for (auto& searcher : searchers) threads.emplace_back(work, std::ref(*searcher));
  for (std::thread& thread : threads) thread.join();
}

void run(const std::vector<std::string>& words) {
  const std::string& method = words[1];
  if (method != "phast" && method != "pinned") throw std::runtime_error("expected phast or pinned, got " + method);
  const ContractionHierarchy hierarchy = load_or_build(words[5], words[2]);
  const std::vector<std::uint32_t> sources = read_sources(words[3], hierarchy.node_count());
  const std::vector<downward_arc> arcs = downward_arcs(hierarchy);
  std::vector<std::unique_ptr<searcher>> searchers(std::max(1UL, std::stoul(words[6])));
  for (auto& searcher : searchers) {
    if (method == "phast") {
      searcher = std::make_unique<phast_searcher>(hierarchy, arcs);
    } else {
      searcher = std::make_unique<pinned_searcher>(hierarchy);
    }
  }
  std::cout << "threads " << searchers.size() << "\ndownward_arcs " << arcs.size() << "\n";
  std::vector<answer> answers(sources.size());
  const unsigned long repeat = std::stoul(words[7]);
  for (unsigned long i = 0; i < repeat; ++i) {
    const stopwatch watch;
    search_all(searchers, sources, answers);
    std::cout << "time_ms " << watch.milliseconds() << "\n";
  }
  std::ofstream out(words[4]);
  for (const answer& result : answers) out << result.digest << " " << result.reached << " " << result.farthest << "\n";
  out.close();
  if (!out) throw std::runtime_error(words[4] + ": cannot be written");
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count != 8) throw std::runtime_error("expected METHOD GRAPH SOURCES ANSWERS HIERARCHY THREADS REPEAT");
    run(std::vector<std::string>(words, words + count));
  } catch (const std::exception& error) {
    std::cerr << "routingkit: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
