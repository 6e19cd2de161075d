// SPDX-License-Identifier: Apache-2.0
#include "library/batch_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "graph/check.hpp"
#include "problems/search_batches/batch_check.hpp"
#include "problems/search_batches/favourites.hpp"
#include "problems/shortest_paths/graph_workload.hpp"

namespace mlmq {

double distance_rows::at(std::size_t row, std::size_t column) const {
  const std::size_t place = row * columns + column;
  if (type == number_type::float32) return static_cast<double>(float32[place]);
  if (type == number_type::float64) return float64[place];
  return uint32[place] == unreachable ? std::numeric_limits<double>::infinity() : static_cast<double>(uint32[place]);
}

namespace detail {
namespace {

constexpr std::uint64_t most_memory = std::uint64_t{4} << 30;

constexpr problems::solve_hook hook{.describe = nullptr, .output = nullptr, .choose = batches::favourites};

problems::problem_entry entry_of(problem which) {
  problems::problem_entry entry = problems::find_problem(which == problem::bfs ? "bfs_batch" : "sssp_batch");
  entry.solve = &hook;
  return entry;
}

std::shared_ptr<const tuner::workload> workload_of(const digraph& searched) {
  const auto made = std::make_shared<problems::graph_workload>();
  made->graph = access::get(searched).csr;
  made->record.name = searched.name();
  return made;
}

double feature_of(const graph::csr_graph& graph, std::string_view name) {
  if (name == "m") return static_cast<double>(graph.vertex_count());
  if (name == "nnz") return static_cast<double>(graph.edge_count());
  if (name != "max_nnz") return std::numeric_limits<double>::quiet_NaN();
  graph::edge_offset largest = 0;
  for (std::size_t v = 0; v < graph.vertex_count(); ++v) {
    largest = std::max(largest, graph.offsets()[v + 1] - graph.offsets()[v]);
  }
  return static_cast<double>(largest);
}

graph::wide_distance_bits word_of(double cutoff, graph::weight_type type) {
  if (type == graph::weight_type::float64) return problems::wide_distance_word(cutoff);
  if (type == graph::weight_type::float32) {
    const double most = static_cast<double>(std::numeric_limits<float>::max());
    auto rounded = static_cast<float>(std::min(cutoff, most));
    // Not above what was asked for.
    if (static_cast<double>(rounded) > cutoff) rounded = std::nextafter(rounded, 0.0F);
    return std::bit_cast<graph::distance_bits>(rounded);
  }
  return static_cast<graph::distance_bits>(
      std::min(std::floor(cutoff), static_cast<double>(graph::saturated_distance)));
}

void require_vertex(const digraph& graph, const char* what, std::size_t place, vertex v) {
  if (v < graph.vertex_count()) return;
  throw input_error(fmt::format("{} {} (number {} of the list): {} has vertices 0 to {}", what, v, place, graph.name(),
                                graph.vertex_count() - 1));
}

}  // namespace

void check_batch(const digraph& graph, std::span<const vertex> sources, const batch_options& options) {
  if (sources.empty()) throw input_error("there is no source to search from");
  for (std::size_t i = 0; i < sources.size(); ++i) require_vertex(graph, "source", i, sources[i]);
  for (std::size_t i = 0; i < options.targets.size(); ++i) require_vertex(graph, "target", i, options.targets[i]);
  if (options.cutoff && !(*options.cutoff >= 0)) {
    throw input_error(fmt::format("cutoff: {} is not a number from 0 on", *options.cutoff));
  }
  if (options.tries == 0 || options.searches_per_try == 0)
    throw input_error("tries, and searches for each, are at least 1");
  require_time_limit(options.time_limit_ms);
}

/// Some of the searches.
struct batch_runner::block {
  std::size_t first;
  batches::search_set set;
  const batch_options& options;
  const take_distances& take;

  /// Whether all distances of a search are wanted.
  [[nodiscard]] bool keeps() const { return take && set.targets.empty(); }
  [[nodiscard]] bool is_delivered() const { return take != nullptr; }
};

batch_runner::batch_runner(std::shared_ptr<device_data> on, digraph searched, problem which)
    : graph_(searched),
      kind_(which),
      runs_(std::move(on), entry_of(which), workload_of(searched),
            [known = access::share(searched)](std::string_view name) { return feature_of(known->csr, name); }) {}

graph::weight_type batch_runner::type() const {
  return kind_ == problem::bfs ? graph::weight_type::uint32 : access::get(graph_).csr.weights();
}

std::size_t batch_runner::rows_together(const batch_options& options, bool keeps) const {
  const std::size_t columns = !options.targets.empty() ? options.targets.size() : keeps ? graph_.vertex_count() : 0;
  if (columns == 0) return std::numeric_limits<std::size_t>::max();
  const std::uint64_t memory = options.memory_bytes != 0
                                   ? options.memory_bytes
                                   : std::min(runs_.device().own->info().memory_bytes / 4, most_memory);
  const std::size_t row_bytes = columns * problems::distance_bytes(type());
  const std::uint64_t rows = memory / row_bytes;
  if (rows > 0) return rows;
  throw memory_error(fmt::format("{}: the {} distances of one search need {} bytes, and there are {} for all",
                                 graph_.name(), columns, row_bytes, memory));
}

batch_summary batch_runner::run(std::span<const vertex> sources, const batch_options& options,
                                const take_distances& take) {
  const std::size_t together = rows_together(options, static_cast<bool>(take));
  std::vector<std::string> favourites;
  const bool may_try = options.configurations.empty() && access::share(options.model)->trained_for().empty();
  if (may_try && options.tries > 1) {
    const graph::csr_graph& csr = access::get(graph_).csr;
    for (const auto& one : batches::favourites([&](std::string_view name) { return feature_of(csr, name); },
                                               runs_.device().own->info())) {
      if (favourites.size() < options.tries) favourites.push_back(one.label);
    }
    if (favourites.size() < 2 || sources.size() / 4 / options.searches_per_try < favourites.size()) favourites.clear();
  }
  batch_summary summary;
  const auto search = [&](std::size_t count, std::span<const std::string> configurations) {
    const auto part = sources.subspan(summary.searches, count);
    block asked{.first = summary.searches,
                .set = {.sources = {part.begin(), part.end()},
                        .targets = options.targets,
                        .cutoff = options.cutoff ? word_of(*options.cutoff, type()) : graph::wide_unreached},
                .options = options,
                .take = take};
    run_block(asked, configurations, summary);
  };
  std::string fastest;
  double best_rate = 0;
  for (const std::string& one : favourites) {
    const double before = summary.times.solve;
    const std::size_t count = std::min(options.searches_per_try, together);
    try {
      search(count, std::array{one});
    } catch (const backends::launch_error&) {
      continue;  // for another device
    }
    const double took = summary.times.solve - before;
    summary.tried.push_back({.configuration = summary.choice.configuration, .searches = count, .milliseconds = took});
    const double rate = static_cast<double>(count) / took;
    if (rate > best_rate) {
      best_rate = rate;
      fastest = summary.choice.configuration;
    }
  }
  const std::array chosen{fastest};
  while (summary.searches < sources.size()) {
    const std::size_t count = std::min(together, sources.size() - summary.searches);
    search(count, fastest.empty() ? std::span<const std::string>(options.configurations) : chosen);
  }
  if (!fastest.empty()) {
    summary.choice.by = choice::chooser::trial;
    summary.choice.reason =
        fmt::format("the fastest of {} tried: {:.4g} searches a second", summary.tried.size(), best_rate * 1e3);
  }
  return summary;
}

void batch_runner::run_block(const block& asked, std::span<const std::string> configurations, batch_summary& summary) {
  const std::string what = fmt::format("{}, {} searches", graph_.name(), asked.set.sources.size());
  const run_request request{
      .configurations = configurations, .chosen_by = asked.options.model, .mode = {}, .adapt = {}, .what = what};
  const run_result result = runs_.run(request, [&](tuner::problem_instance& ready, solve_times&) {
    return dynamic_cast<batches::batch_instance&>(ready).search(
        {.sources = asked.set.sources, .targets = asked.set.targets, .cutoff = asked.set.cutoff, .keep = asked.keeps()},
        asked.options.time_limit_ms);
  });
  summary.choice = result.chosen;
  summary.times.choice += result.times.choice;
  summary.times.upload += result.times.upload;
  summary.times.compile += result.times.compile;
  summary.times.compiled |= result.times.compiled;
  summary.times.prepare += result.times.prepare;
  summary.times.solve += result.times.solve;
  if (asked.options.check) check(asked);
  if (asked.is_delivered()) deliver(asked, summary);
  summary.searches += asked.set.sources.size();
}

void batch_runner::check(const block& asked) {
  batches::solver& solved = dynamic_cast<batches::batch_instance&>(runs_.instance()).solved_by();
  const auto kind = kind_ == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp;
  // What is told of distances goes by the type of the weights.
  const bool is_unit = kind_ == problem::bfs && access::get(graph_).csr.weights() != graph::weight_type::uint32;
  const graph::csr_graph csr = is_unit ? graph::with_unit_weights(access::get(graph_).csr) : access::get(graph_).csr;
  const batches::right_answers right = batches::find_right_answers(csr, kind, asked.set);
  const bool has_targets = !asked.set.targets.empty();
  const std::string wrong =
      batches::what_is_wrong(csr, asked.set, right, has_targets ? std::vector<batch_answer>() : solved.answers(),
                             has_targets ? batches::target_distances_of(solved, csr) : graph::distance_array());
  if (!wrong.empty()) throw work_error(fmt::format("{}: wrong answer: {}", graph_.name(), wrong));
}

void batch_runner::deliver(const block& asked, batch_summary& summary) {
  graph::distance_array found;
  const std::size_t rows = asked.set.sources.size();
  summary.times.download += milliseconds_of([&] {
    batches::solver& solved = dynamic_cast<batches::batch_instance&>(runs_.instance()).solved_by();
    if (type() == graph::weight_type::float64) {
      found = asked.keeps() ? solved.wide_distances(0, rows) : solved.wide_target_distances();
    } else {
      found = asked.keeps() ? solved.distances(0, rows) : solved.target_distances();
    }
  });
  distance_rows given{.first = asked.first, .rows = rows, .columns = 0, .type = number_type_of(type())};
  std::vector<float> floats;
  std::vector<double> doubles;
  if (const auto* const wide = std::get_if<std::vector<graph::wide_distance_bits>>(&found)) {
    if (graph::has_saturated(*wide)) summary.exact = false;
    given.columns = wide->size() / rows;
    doubles.reserve(wide->size());
    for (const graph::wide_distance_bits bits : *wide) doubles.push_back(graph::distance_value(bits));
    given.float64 = doubles;
    asked.take(given);
    return;
  }
  const auto& words = std::get<std::vector<graph::distance_bits>>(found);
  if (graph::has_saturated(type(), words)) summary.exact = false;
  given.columns = words.size() / rows;
  if (type() == graph::weight_type::float32) {
    floats.reserve(words.size());
    for (const graph::distance_bits bits : words) {
      floats.push_back(bits == graph::unreached ? std::numeric_limits<float>::infinity() : std::bit_cast<float>(bits));
    }
    given.float32 = floats;
  } else {
    given.uint32 = words;
  }
  asked.take(given);
}

}  // namespace detail
}  // namespace mlmq
