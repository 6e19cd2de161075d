// SPDX-License-Identifier: Apache-2.0
#include "library/betweenness_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "problems/betweenness/reference.hpp"
#include "problems/betweenness/simple_graph.hpp"
#include "problems/shortest_paths/graph_workload.hpp"
#include "problems/shortest_paths/sources.hpp"

namespace mlmq::detail {
namespace {

using clock = std::chrono::steady_clock;

/// Sources that are searched from first, to find out how long it takes: as many as keep a device busy.
constexpr unsigned first_sources_of_multiprocessor = 2;
constexpr unsigned first_sources_of_thread = 4;
/// How long the sources that are done together should take, so that one can see how it goes on.
constexpr double seconds_together = 1;
constexpr double most_growth = 8;

const problems::problem_entry& entry_of(problem kind) {
  return problems::find_problem(kind == problem::bfs ? "bfs_betweenness" : "sssp_betweenness");
}

std::shared_ptr<const tuner::workload> workload_of(const graph::csr_graph& graph, const std::string& name) {
  const auto made = std::make_shared<problems::graph_workload>();
  made->graph = graph;
  made->record.name = name;
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

problems::search_kind kind_of(problem which) {
  return which == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp;
}

/// @throws input_error for distances of 8 bytes
graph::csr_graph simple_graph_of(const digraph& searched, problem which) {
  const graph::csr_graph& csr = access::get(searched).csr;
  if (csr.weights() != graph::weight_type::float64) return centrality::simple_graph(csr);
  if (which == problem::bfs) return centrality::simple_graph(graph::with_unit_weights(csr));
  throw input_error(fmt::format("{}: {}", searched.name(), centrality::no_float64));
}

}  // namespace

void check_betweenness(const betweenness_options& options) {
  if (options.samples && *options.samples == 0) throw input_error("samples are at least 1");
  require_time_limit(options.time_limit_ms);
}

betweenness_runner::betweenness_runner(std::shared_ptr<device_data> on, const digraph& searched, problem which)
    : graph_(searched),
      simple_(simple_graph_of(searched, which)),
      kind_(which),
      runs_(std::move(on), entry_of(which), workload_of(simple_, searched.name()),
            [known = simple_](std::string_view name) { return feature_of(known, name); }) {}

betweenness_scores betweenness_runner::run(const betweenness_options& options, const follow_betweenness& follow) {
  const graph::vertex_id n = simple_.vertex_count();
  // In random order even when all are taken, so that those which are done at any time are a sample.
  std::vector<vertex> all = problems::choose_sources(
      simple_,
      {.choose = problems::source_rule::choice::random, .count = options.samples.value_or(n), .seed = options.seed},
      graph_.name());
  betweenness_scores found;
  for (graph::vertex_id v = 0; v < n; ++v) {
    if (simple_.offsets()[v + std::size_t{1}] > simple_.offsets()[v]) ++found.population;
  }
  if (found.population == 0) all.clear();
  const score_units units = centrality::units_for(n, std::max<std::size_t>(1, all.size()));
  std::vector<fixed_score> sums(n, {.whole = 0, .fine = 0});
  if (all.empty()) found.choice = runs_.choose({.configurations = options.configurations});
  double seconds = 0;
  const backends::device_info& info = runs_.device().own->info();
  const std::size_t least = std::max(1U, info.multiprocessors) *
                            std::size_t{info.grid ? first_sources_of_multiprocessor : first_sources_of_thread};
  std::size_t together = least;
  while (found.sources < all.size() && found.complete) {
    const std::size_t count = std::min(together, all.size() - found.sources);
    const double took = add_up(std::span(all).subspan(found.sources, count), options, units, sums, found);
    seconds += took;
    found.sources += count;
    const double wanted = static_cast<double>(count) * std::min(most_growth, seconds_together / std::max(took, 1e-6));
    together = std::max<std::size_t>(least, static_cast<std::size_t>(wanted));
    if (follow && !follow({.sources_done = found.sources, .sources = all.size(), .seconds = seconds})) {
      found.complete = found.sources == all.size();
      break;
    }
  }
  found.values.reserve(n);
  for (const fixed_score& sum : sums) found.values.push_back(centrality::value_of(sum, units));
  if (options.check) check(std::span(all).first(found.sources), options, found.values);
  const double by = scale(options, found);
  for (double& value : found.values) value *= by;
  return found;
}

double betweenness_runner::add_up(std::span<const vertex> sources, const betweenness_options& options,
                                  const score_units& units, std::vector<fixed_score>& sums, betweenness_scores& found) {
  const std::string what = fmt::format("{}, {} sources", graph_.name(), sources.size());
  const run_request request{
      .configurations = options.configurations, .chosen_by = model::standard(), .mode = {}, .adapt = {}, .what = what};
  double seconds = 0;
  const run_result result = runs_.run(request, [&](tuner::problem_instance& ready, solve_times&) {
    const clock::time_point start = clock::now();
    tuner::run_report report = dynamic_cast<centrality::betweenness_instance&>(ready).add_up(
        {.sources = sources, .units = units, .endpoints = options.endpoints, .memory_bytes = options.memory_bytes},
        options.time_limit_ms);
    seconds = std::chrono::duration<double>(clock::now() - start).count();
    return report;
  });
  found.choice = result.chosen;
  found.times.choice += result.times.choice;
  found.times.upload += result.times.upload;
  found.times.compile += result.times.compile;
  found.times.compiled |= result.times.compiled;
  found.times.prepare += result.times.prepare;
  found.times.solve += result.times.solve;
  found.times.download += milliseconds_of([&] {
    const std::vector<fixed_score> more = dynamic_cast<centrality::betweenness_instance&>(runs_.instance()).scores();
    for (std::size_t v = 0; v < sums.size(); ++v) {
      sums[v].whole += more[v].whole;
      sums[v].fine += more[v].fine;
    }
  });
  return seconds;
}

void betweenness_runner::check(std::span<const vertex> sources, const betweenness_options& options,
                               std::span<const double> found) {
  const graph::csr_graph graph = kind_ == problem::bfs ? graph::with_unit_weights(simple_) : simple_;
  const std::vector<double> right = centrality::reference_scores(graph, kind_of(kind_), sources, options.endpoints);
  const std::string wrong = centrality::what_is_wrong(graph, found, right);
  if (!wrong.empty()) throw work_error(fmt::format("{}: wrong answer: {}", graph_.name(), wrong));
}

double betweenness_runner::scale(const betweenness_options& options, betweenness_scores& found) {
  if (options.pairs == vertex_pairs::automatic && !undirected_) {
    undirected_ = centrality::is_undirected(kind_ == problem::bfs ? graph::with_unit_weights(simple_) : simple_);
  }
  found.unordered_pairs =
      options.pairs == vertex_pairs::automatic ? *undirected_ : options.pairs == vertex_pairs::unordered;
  // Sources without out-edges add nothing, so that these are a sample of all.
  const double of_all =
      found.sources == 0 ? 1 : static_cast<double>(found.population) / static_cast<double>(found.sources);
  if (!options.normalized) return found.unordered_pairs ? of_all / 2 : of_all;
  const double n = simple_.vertex_count();
  const double pairs = options.endpoints ? n * (n - 1) : (n - 1) * (n - 2);
  return pairs > 0 ? of_all / pairs : of_all;
}

}  // namespace mlmq::detail
