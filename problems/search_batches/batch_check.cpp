// SPDX-License-Identifier: Apache-2.0
#include "problems/search_batches/batch_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <thread>

#include "problems/search_batches/sequential_search.hpp"

namespace mlmq::batches {
namespace {

std::string text_of(const graph::csr_graph& graph, graph::distance_bits distance) {
  if (distance == graph::unreached) return "no path";
  if (graph.weights() == graph::weight_type::float32) return fmt::format("{}", std::bit_cast<float>(distance));
  return fmt::format("{}", distance);
}

}  // namespace

right_answers find_right_answers(const graph::csr_graph& graph, problems::search_kind kind, const search_set& asked) {
  std::vector<std::uint64_t> edges(graph.edge_count());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    edges[i] = graph.targets()[i] | static_cast<std::uint64_t>(graph.weight_bits()[i]) << 32;
  }
  const bool unit = kind == problems::search_kind::bfs;
  const cpu::search_graph there{.vertices = graph.vertex_count(),
                                .weights = graph.weights(),
                                .unit_weights = unit,
                                .wide_offsets = true,
                                .offsets = graph.offsets().data(),
                                .edges = unit ? static_cast<const void*>(graph.targets().data()) : edges.data()};
  right_answers right;
  const std::size_t searches = asked.sources.size();
  if (asked.targets.empty()) right.answers.resize(searches);
  right.target_distances.resize(searches * asked.targets.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    sequential_search searcher(there);
    for (std::size_t i = next++; i < searches; i = next++) {
      // Whole searches: where kernels end early, they are to find the same.
      (void)searcher.run(asked.sources[i], {}, 0, asked.cutoff, [] { return false; });
      for (std::size_t t = 0; t < asked.targets.size(); ++t) {
        right.target_distances[i * asked.targets.size() + t] = searcher.distances()[asked.targets[t]];
      }
      if (asked.targets.empty()) right.answers[i] = answer_of(searcher.distances());
    }
  };
  const std::size_t threads =
      std::clamp<std::size_t>(searches / 4, 1, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  others.clear();
  return right;
}

std::string what_is_wrong(const graph::csr_graph& graph, const search_set& asked, const right_answers& right,
                          std::span<const batch_answer> answers,
                          std::span<const graph::distance_bits> target_distances) {
  if (!asked.targets.empty()) {
    if (target_distances.size() != right.target_distances.size()) return "there are not as many distances as targets";
    const auto [mine, theirs] = std::ranges::mismatch(target_distances, right.target_distances);
    if (mine == target_distances.end()) return "";
    const auto index = static_cast<std::size_t>(mine - target_distances.begin());
    return fmt::format("from {} to {}: {} instead of {}", graph.ids().of(asked.sources[index / asked.targets.size()]),
                       graph.ids().of(asked.targets[index % asked.targets.size()]), text_of(graph, *mine),
                       text_of(graph, *theirs));
  }
  if (answers.size() != right.answers.size()) return "there are not as many answers as searches";
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const batch_answer& is = answers[i];
    const batch_answer& should = right.answers[i];
    if (is.digest == should.digest && is.reached == should.reached && is.farthest == should.farthest) continue;
    return fmt::format(
        "the search from {} reaches {} vertices up to {}, digest {:016x}; right are {} up to {}, {:016x}",
        graph.ids().of(asked.sources[i]), is.reached, text_of(graph, is.farthest), is.digest, should.reached,
        text_of(graph, should.farthest), should.digest);
  }
  return "";
}

}  // namespace mlmq::batches
