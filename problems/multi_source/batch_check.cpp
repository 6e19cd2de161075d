// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/batch_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "graph/check.hpp"
#include "problems/multi_source/host_search_graph.hpp"

namespace mlmq::multi_source {
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

/// Formats multi_source_answer::farthest, which for 8-byte distances is the upper half.
std::string farthest_text(const graph::csr_graph& graph, u32 farthest) {
  if (graph.weights() != graph::weight_type::float64) return text_of(graph, farthest);
  return fmt::format("{:.6g}", std::bit_cast<double>(std::uint64_t{farthest} << 32));
}

/// Returns "" or a description of the first wrong target distance.
template <class Bits>
std::string wrong_target(const graph::csr_graph& graph, const search_set& set, const std::vector<Bits>& right,
                         const std::vector<Bits>& actual) {
  if (actual.size() != right.size()) return "the number of target distances is wrong";
  const auto [wrong, expected] = std::ranges::mismatch(actual, right);
  if (wrong == actual.end()) return "";
  const auto index = static_cast<std::size_t>(wrong - actual.begin());
  return fmt::format(
      "the distance from {} to {} is {}, expected {}", graph.ids().id_of(set.sources[index / set.targets.size()]),
      graph.ids().id_of(set.targets[index % set.targets.size()]), text_of(graph, *wrong), text_of(graph, *expected));
}

}  // namespace

target_distance_array target_distances_of(solver& solved, const graph::csr_graph& graph) {
  if (graph.weights() == graph::weight_type::float64) return solved.wide_target_distances();
  return solved.target_distances();
}

void visit_distances(const graph::csr_graph& graph, problems::search_kind kind, const search_set& set,
                     const std::function<void(std::size_t search, const sequential_search& finished)>& visit,
                     const std::function<bool()>& stop) {
  const host_search_graph rows(graph, kind);
  const std::size_t searches = set.sources.size();
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    sequential_search searcher(rows.view());
    const auto is_over = [&stop] { return stop && stop(); };
    for (std::size_t i = next++; i < searches && !is_over(); i = next++) {
      // Complete searches: kernels that end early must find the same distances.
      if (searcher.run(set.sources[i], {}, 0, set.cutoff, is_over)) visit(i, searcher);
    }
  };
  const std::size_t threads =
      std::clamp<std::size_t>(searches / 4, 1, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
}

void visit_verified_distances(const graph::csr_graph& graph, problems::search_kind kind, const search_set& set,
                              const std::function<void(std::size_t search, const sequential_search& right)>& visit) {
  const graph::csr_graph searched = kind == problems::search_kind::bfs ? graph::with_unit_weights(graph) : graph;
  std::mutex mutex;
  std::string error;
  visit_distances(graph, kind, set, [&](std::size_t search, const sequential_search& finished) {
    const graph::vertex_id source = set.sources[search];
    const graph::check_result result =
        searched.weights() == graph::weight_type::float64
            ? graph::check_distances(searched, source, finished.wide_distances(), set.cutoff)
            : graph::check_distances(searched, source, finished.distances(), set.cutoff);
    if (result.ok) return visit(search, finished);
    const std::lock_guard lock(mutex);
    error =
        fmt::format("the reference for checks is wrong: search from {}: {}", graph.ids().id_of(source), result.message);
  });
  if (!error.empty()) throw work_error(error);
}

right_answers find_right_answers(const graph::csr_graph& graph, problems::search_kind kind, const search_set& set) {
  const bool is_wide = graph.weights() == graph::weight_type::float64 && kind != problems::search_kind::bfs;
  right_answers right;
  const std::size_t searches = set.sources.size();
  if (set.targets.empty()) right.answers.resize(searches);
  std::vector<graph::distance_bits> narrow(is_wide ? 0 : searches * set.targets.size());
  std::vector<graph::wide_distance_bits> wide(is_wide ? searches * set.targets.size() : 0);
  visit_verified_distances(graph, kind, set, [&](std::size_t search, const sequential_search& searcher) {
    for (std::size_t t = 0; t < set.targets.size(); ++t) {
      const std::size_t place = search * set.targets.size() + t;
      if (is_wide) {
        wide[place] = searcher.wide_distances()[set.targets[t]];
      } else {
        narrow[place] = searcher.distances()[set.targets[t]];
      }
    }
    if (!set.targets.empty()) return;
    right.answers[search] = is_wide ? answer_of(searcher.wide_distances()) : answer_of(searcher.distances());
  });
  if (is_wide) {
    right.target_distances = std::move(wide);
  } else {
    right.target_distances = std::move(narrow);
  }
  return right;
}

std::string find_error(const graph::csr_graph& graph, const search_set& set, const right_answers& right,
                       std::span<const multi_source_answer> answers, const target_distance_array& target_distances) {
  if (!set.targets.empty()) {
    if (target_distances.index() != right.target_distances.index()) return "the distances have the wrong size";
    return std::visit(
        [&](const auto& distances) {
          return wrong_target(graph, set, std::get<std::decay_t<decltype(distances)>>(right.target_distances),
                              distances);
        },
        target_distances);
  }
  if (answers.size() != right.answers.size()) return "the number of answers differs from the number of searches";
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const multi_source_answer& actual = answers[i];
    const multi_source_answer& expected = right.answers[i];
    if (actual.digest == expected.digest && actual.reached == expected.reached && actual.farthest == expected.farthest)
      continue;
    return fmt::format(
        "the search from {} reaches {} vertices up to {}, digest {:016x}; expected {} up to {}, digest {:016x}",
        graph.ids().id_of(set.sources[i]), actual.reached, farthest_text(graph, actual.farthest), actual.digest,
        expected.reached, farthest_text(graph, expected.farthest), expected.digest);
  }
  return "";
}

}  // namespace mlmq::multi_source
