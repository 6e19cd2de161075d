// SPDX-License-Identifier: Apache-2.0
#include "problems/search_batches/batch_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <thread>
#include <type_traits>
#include <utility>

#include "problems/search_batches/sequential_search.hpp"

namespace mlmq::batches {
namespace {

std::string text_of(const graph::csr_graph& graph, graph::distance_bits distance) {
  if (distance == graph::unreached) return "no path";
  if (graph.weights() == graph::weight_type::float32) return fmt::format("{}", std::bit_cast<float>(distance));
  return fmt::format("{}", distance);
}
std::string text_of(const graph::csr_graph&, graph::wide_distance_bits distance) {
  if (distance == graph::wide_unreached) return "no path";
  return fmt::format("{}", std::bit_cast<double>(distance));
}

/// Of batch_answer, which has the upper half of 8 bytes.
std::string farthest_text(const graph::csr_graph& graph, u32 farthest) {
  if (graph.weights() != graph::weight_type::float64) return text_of(graph, farthest);
  return fmt::format("{:.6g}", std::bit_cast<double>(std::uint64_t{farthest} << 32));
}

std::vector<std::uint64_t> narrow_edges_of(const graph::csr_graph& graph) {
  std::vector<std::uint64_t> edges(graph.edge_count());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    edges[i] = graph.targets()[i] | static_cast<std::uint64_t>(graph.weight_bits()[i]) << 32;
  }
  return edges;
}

/// "" or the first target distance that is wrong.
template <class Bits>
std::string wrong_target(const graph::csr_graph& graph, const search_set& asked, const std::vector<Bits>& right,
                         const std::vector<Bits>& found) {
  if (found.size() != right.size()) return "there are not as many distances as targets";
  const auto [mine, theirs] = std::ranges::mismatch(found, right);
  if (mine == found.end()) return "";
  const auto index = static_cast<std::size_t>(mine - found.begin());
  return fmt::format("from {} to {}: {} instead of {}", graph.ids().of(asked.sources[index / asked.targets.size()]),
                     graph.ids().of(asked.targets[index % asked.targets.size()]), text_of(graph, *mine),
                     text_of(graph, *theirs));
}

}  // namespace

graph::distance_array target_distances_of(solver& solved, const graph::csr_graph& graph) {
  if (graph.weights() == graph::weight_type::float64) return solved.wide_target_distances();
  return solved.target_distances();
}

right_answers find_right_answers(const graph::csr_graph& graph, problems::search_kind kind, const search_set& asked) {
  // Of a search by levels the weights are not looked at.
  const bool is_wide = graph.weights() == graph::weight_type::float64 && kind != problems::search_kind::bfs;
  std::vector<std::uint64_t> edges;
  std::vector<graph::wide_edge> wide_edges;
  if (is_wide) {
    wide_edges = problems::wide_edges_of(graph);
  } else if (kind != problems::search_kind::bfs) {
    edges = narrow_edges_of(graph);
  }
  const void* const weighted = is_wide ? static_cast<const void*>(wide_edges.data()) : edges.data();
  const bool unit = kind == problems::search_kind::bfs;
  const cpu::search_graph there{.vertices = graph.vertex_count(),
                                .weights = graph.weights(),
                                .unit_weights = unit,
                                .wide_offsets = true,
                                .offsets = graph.offsets().data(),
                                .edges = unit ? static_cast<const void*>(graph.targets().data()) : weighted};
  right_answers right;
  const std::size_t searches = asked.sources.size();
  if (asked.targets.empty()) right.answers.resize(searches);
  std::vector<graph::distance_bits> narrow(is_wide ? 0 : searches * asked.targets.size());
  std::vector<graph::wide_distance_bits> wide(is_wide ? searches * asked.targets.size() : 0);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    sequential_search searcher(there);
    for (std::size_t i = next++; i < searches; i = next++) {
      // Whole searches: where kernels end early, they are to find the same.
      (void)searcher.run(asked.sources[i], {}, 0, asked.cutoff, [] { return false; });
      for (std::size_t t = 0; t < asked.targets.size(); ++t) {
        const std::size_t place = i * asked.targets.size() + t;
        if (is_wide) {
          wide[place] = searcher.wide_distances()[asked.targets[t]];
        } else {
          narrow[place] = searcher.distances()[asked.targets[t]];
        }
      }
      if (!asked.targets.empty()) continue;
      right.answers[i] = is_wide ? answer_of(searcher.wide_distances()) : answer_of(searcher.distances());
    }
  };
  const std::size_t threads =
      std::clamp<std::size_t>(searches / 4, 1, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  others.clear();
  if (is_wide) {
    right.target_distances = std::move(wide);
  } else {
    right.target_distances = std::move(narrow);
  }
  return right;
}

std::string what_is_wrong(const graph::csr_graph& graph, const search_set& asked, const right_answers& right,
                          std::span<const batch_answer> answers, const graph::distance_array& target_distances) {
  if (!asked.targets.empty()) {
    if (target_distances.index() != right.target_distances.index()) return "the distances have another size";
    return std::visit(
        [&](const auto& found) {
          return wrong_target(graph, asked, std::get<std::decay_t<decltype(found)>>(right.target_distances), found);
        },
        target_distances);
  }
  if (answers.size() != right.answers.size()) return "there are not as many answers as searches";
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const batch_answer& is = answers[i];
    const batch_answer& should = right.answers[i];
    if (is.digest == should.digest && is.reached == should.reached && is.farthest == should.farthest) continue;
    return fmt::format(
        "the search from {} reaches {} vertices up to {}, digest {:016x}; right are {} up to {}, {:016x}",
        graph.ids().of(asked.sources[i]), is.reached, farthest_text(graph, is.farthest), is.digest, should.reached,
        farthest_text(graph, should.farthest), should.digest);
  }
  return "";
}

}  // namespace mlmq::batches
