// SPDX-License-Identifier: Apache-2.0
#include "library/betweenness_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "library/access.hpp"
#include "library/device_data.hpp"
#include "library/digraph_data.hpp"
#include "library/errors.hpp"
#include "problems/betweenness/reference.hpp"
#include "problems/betweenness/simple_graph.hpp"
#include "problems/graphs/graph_feature_kind.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/graphs/sources.hpp"

namespace mlmq::detail {
namespace {

using clock = std::chrono::steady_clock;

/// Size of the first batch of sources, which is timed to choose the next size: enough to keep a device busy.
constexpr unsigned first_sources_of_multiprocessor = 2;
constexpr unsigned first_sources_of_thread = 4;
/// Target duration of a batch, so that progress is reported regularly.
constexpr double seconds_together = 1;
constexpr double most_growth = 8;

const problems::problem_entry& entry_of(problem kind) {
  return problems::find_problem(kind == problem::bfs ? "bfs_betweenness" : "sssp_betweenness");
}

std::shared_ptr<const tuner::workload> workload_of(const graph::csr_graph& graph, const std::string& name) {
  const auto workload = std::make_shared<problems::graph_workload>();
  workload->graph = graph;
  workload->record.name = name;
  return workload;
}

problems::search_kind kind_of(problem kind) {
  return kind == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp;
}

/// @throws input_error for 8-byte distances
graph::csr_graph simple_graph_of(const digraph& graph, problem kind) {
  const graph::csr_graph& csr = access::get(graph).csr;
  if (csr.weights() != graph::weight_type::float64) return betweenness::simple_graph(csr);
  if (kind == problem::bfs) return betweenness::simple_graph(graph::with_unit_weights(csr));
  throw input_error(fmt::format("{}: {}", graph.name(), betweenness::no_float64));
}

}  // namespace

void check_betweenness(const betweenness_options& options) {
  if (options.samples && *options.samples == 0) throw input_error("samples: 0, expected at least 1");
  require_time_limit(options.time_limit_ms);
}

void add(std::vector<fixed_score>& sums, std::span<const fixed_score> scores) {
  for (std::size_t v = 0; v < sums.size(); ++v) {
    sums[v].whole += scores[v].whole;
    sums[v].fine += scores[v].fine;
  }
}

betweenness_runner::betweenness_runner(std::shared_ptr<device_data> device, const digraph& graph, problem kind)
    : graph_(graph),
      simple_(simple_graph_of(graph, kind)),
      kind_(kind),
      runner_(std::move(device), entry_of(kind), workload_of(simple_, graph.name()),
              [graph_copy = simple_](std::string_view name) { return problems::degree_feature(graph_copy, name); }) {}

betweenness_scores betweenness_runner::run(const betweenness_options& options, const follow_betweenness& follow,
                                           std::size_t devices, const add_batch& add) {
  const graph::vertex_id n = simple_.vertex_count();
  // Shuffled even if all sources are used, so that the finished sources are a random sample at any time.
  std::vector<vertex> sources = problems::choose_sources(
      simple_,
      {.choose = problems::source_rule::choice::random, .count = options.samples.value_or(n), .seed = options.seed},
      graph_.name());
  betweenness_scores scores;
  for (graph::vertex_id v = 0; v < n; ++v) {
    if (simple_.offsets()[v + std::size_t{1}] > simple_.offsets()[v]) ++scores.population;
  }
  if (scores.population == 0) sources.clear();
  const score_units units = betweenness::units_for(n, std::max<std::size_t>(1, sources.size()));
  std::vector<fixed_score> sums(n, {.whole = 0, .fine = 0});
  if (sources.empty()) scores.choice = runner_.choose({.configurations = options.configurations});
  double seconds = 0;
  const backends::device_info& info = runner_.device().backend->info();
  const std::size_t minimum_count = devices * std::max(1U, info.multiprocessors) *
                                    (info.grid ? first_sources_of_multiprocessor : first_sources_of_thread);
  std::size_t batch_size = minimum_count;
  while (scores.sources < sources.size() && scores.complete) {
    const std::size_t count = std::min(batch_size, sources.size() - scores.sources);
    const std::span batch = std::span<const vertex>(sources).subspan(scores.sources, count);
    const double batch_seconds = add ? add(batch, units, sums, scores) : add_up(batch, options, units, sums, scores);
    seconds += batch_seconds;
    scores.sources += count;
    const double next_size =
        static_cast<double>(count) * std::min(most_growth, seconds_together / std::max(batch_seconds, 1e-6));
    batch_size = std::max<std::size_t>(minimum_count, static_cast<std::size_t>(next_size));
    if (follow && !follow({.sources_done = scores.sources, .sources = sources.size(), .seconds = seconds})) {
      scores.complete = scores.sources == sources.size();
      break;
    }
  }
  scores.values.reserve(n);
  for (const fixed_score& sum : sums) scores.values.push_back(betweenness::value_of(sum, units));
  if (options.check) check(std::span(sources).first(scores.sources), options, scores.values);
  const double factor = scale(options, scores);
  for (double& value : scores.values) value *= factor;
  return scores;
}

double betweenness_runner::add_up(std::span<const vertex> sources, const betweenness_options& options,
                                  const score_units& units, std::vector<fixed_score>& sums,
                                  betweenness_scores& scores) {
  const std::string description = fmt::format("{}, {} sources", graph_.name(), sources.size());
  const run_request request{.configurations = options.configurations,
                            .chosen_by = model::standard(),
                            .mode = {},
                            .adapt = {},
                            .description = description};
  double seconds = 0;
  const run_result result = runner_.run(request, [&](tuner::problem_instance& instance, solve_times&) {
    const clock::time_point start = clock::now();
    tuner::run_report report = dynamic_cast<betweenness::betweenness_instance&>(instance).add_up(
        {.sources = sources, .units = units, .endpoints = options.endpoints, .memory_bytes = options.memory_bytes},
        options.time_limit_ms);
    seconds = std::chrono::duration<double>(clock::now() - start).count();
    return report;
  });
  scores.choice = result.chosen;
  scores.times.choice += result.times.choice;
  scores.times.upload += result.times.upload;
  scores.times.compile += result.times.compile;
  scores.times.compiled |= result.times.compiled;
  scores.times.prepare += result.times.prepare;
  scores.times.solve += result.times.solve;
  scores.times.download += milliseconds_of(
      [&] { add(sums, dynamic_cast<betweenness::betweenness_instance&>(runner_.instance()).scores()); });
  return seconds;
}

void betweenness_runner::check(std::span<const vertex> sources, const betweenness_options& options,
                               std::span<const double> scores) {
  const graph::csr_graph graph = kind_ == problem::bfs ? graph::with_unit_weights(simple_) : simple_;
  const std::vector<double> expected = betweenness::reference_scores(graph, kind_of(kind_), sources, options.endpoints);
  const std::string error = betweenness::find_error(graph, scores, expected);
  if (!error.empty()) throw work_error(fmt::format("{}: wrong answer: {}", graph_.name(), error));
}

double betweenness_runner::scale(const betweenness_options& options, betweenness_scores& scores) {
  if (options.pairs == vertex_pairs::automatic && !undirected_) {
    undirected_ = betweenness::is_undirected(kind_ == problem::bfs ? graph::with_unit_weights(simple_) : simple_);
  }
  scores.unordered_pairs =
      options.pairs == vertex_pairs::automatic ? *undirected_ : options.pairs == vertex_pairs::unordered;
  // Sources without out-edges contribute nothing, so the searched sources are a sample of the others.
  const double sample_factor =
      scores.sources == 0 ? 1 : static_cast<double>(scores.population) / static_cast<double>(scores.sources);
  if (!options.normalized) return scores.unordered_pairs ? sample_factor / 2 : sample_factor;
  const double n = simple_.vertex_count();
  const double pairs = options.endpoints ? n * (n - 1) : (n - 1) * (n - 2);
  return pairs > 0 ? sample_factor / pairs : sample_factor;
}

}  // namespace mlmq::detail
