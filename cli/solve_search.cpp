// SPDX-License-Identifier: Apache-2.0
// One search of `mlmq solve`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/npy.hpp"
#include "cli/output_file.hpp"
#include "cli/result_report.hpp"
#include "cli/solve.hpp"
#include "cli/solving_device.hpp"
#include "cli/step_times.hpp"
#include "cli/vertex_files.hpp"
#include "db/format.hpp"
#include "db/statistics.hpp"
#include "library/conversions.hpp"
#include "library/exploration.hpp"
#include "problems/graphs/sources.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"

namespace mlmq::cli {
namespace {

std::string distances_array(const solution& answer) {
  switch (answer.type()) {
    case number_type::uint32:
      return npy_array(answer.distances_uint32());
    case number_type::float32:
      return npy_array(answer.distances_float32());
    case number_type::float64:
      break;
  }
  return npy_array(answer.distances_float64());
}

/// Returns a file of distances with a line per vertex. @param line_at returns vertex and distance of line `i`
template <typename LineAt>
std::string distance_lines(const digraph& graph, vertex source, output_kind kind, std::size_t lines,
                           const LineAt& line_at) {
  const bool is_csv = kind == output_kind::csv;
  std::string text = is_csv ? "vertex,distance\n" : vertex_file_header("VERTEX DISTANCE", graph, source);
  for (std::size_t i = 0; i < lines; ++i) {
    const auto [v, distance] = line_at(i);
    // An infinite distance is formatted as "inf".
    fmt::format_to(std::back_inserter(text), "{}{}{}\n", vertex_text(graph, v), is_csv ? ',' : ' ', distance);
  }
  return text;
}

std::string distances_text(const digraph& graph, const solution& answer, output_kind kind) {
  if (kind == output_kind::npy) return distances_array(answer);
  return distance_lines(graph, answer.source(), kind, graph.vertex_count(), [&](std::size_t v) {
    return std::pair(static_cast<vertex>(v), answer.distance(static_cast<vertex>(v)));
  });
}

std::string predecessors_text(const digraph& graph, const solution& answer, output_kind kind) {
  const bool is_csv = kind == output_kind::csv;
  std::string text = is_csv ? "vertex,predecessor\n" : vertex_file_header("VERTEX PREDECESSOR", graph, answer.source());
  vertex v = 0;
  for (const vertex before : answer.predecessors()) {
    fmt::format_to(std::back_inserter(text), "{}{}{}\n", vertex_text(graph, v++), is_csv ? ',' : ' ',
                   before == no_vertex ? "none" : vertex_text(graph, before));
  }
  return text;
}

db::table timeline_table(const solution& answer) {
  db::table table;
  table.columns = {"time_ms", "vertices", "active_warps"};
  for (const timeline_interval& interval : answer.timeline()) {
    table.rows.push_back({db::number_cell(interval.start_ms), db::number_cell(interval.vertices),
                          db::number_cell(interval.active_warps)});
  }
  return table;
}

/// Checks combinations of options that the tables of modes do not know.
void check_one_search(const solve_arguments& options) {
  if (!options.chooses_configuration() && options.partition) {
    throw input_error(
        "--config and --partition cannot be combined: --partition is the configuration solver=partitioned");
  }
  if (!options.chooses_configuration() && options.tries) {
    throw input_error(
        "--config and --tries cannot be combined: --tries runs the configurations that the selector recommends");
  }
  if (options.tries && (options.counters || !options.timeline.empty())) {
    throw input_error("--tries cannot be combined with --counters or --timeline, which make runs slower");
  }
}

output_kind kind_of_distances(const std::string& output) {
  return kind_of_output("--output", output, {output_kind::text, output_kind::csv, output_kind::npy});
}
output_kind kind_of_predecessors(const std::string& output) {
  return kind_of_output("--predecessors", output, {output_kind::text, output_kind::csv});
}

/// Returns "-" if an output goes to standard output, or "". @throws input_error like check_output()
std::string standard_output_of(const solve_arguments& options) {
  if (!options.output.empty()) (void)kind_of_distances(options.output);
  if (!options.predecessors.empty()) (void)kind_of_predecessors(options.predecessors);
  if (!options.timeline.empty()) (void)kind_of_output("--timeline", options.timeline, {output_kind::csv});
  std::string standard_output;
  for (const std::string& file : {options.output, options.predecessors, options.timeline}) {
    if (file.empty()) continue;
    check_output(file);
    if (is_standard_output(file)) standard_output = file;
  }
  return standard_output;
}

solve_options how_to_solve(const solve_arguments& options) {
  solve_options result;
  if (!options.chooses_configuration()) {
    result.configurations = {options.configuration};
  } else {
    result.model = options.chosen_model();
  }
  result.partition = options.partition ? partitioning::always : partitioning::never;
  // An explicitly named device is always used, and configurations are compared on a device.
  result.place = options.device == "auto" && !options.tries ? placement::best : placement::device;
  result.tries = options.tries.value_or(0);
  result.time_limit_ms = options.time_limit_ms;
  result.counters = options.counters;
  result.timeline = !options.timeline.empty();
  return result;
}

/// Result of a repeated search.
struct repeated_search {
  std::vector<tried> tries;  ///< the fastest first
  solution answer;
  solve_times first;
  std::vector<double> times;  ///< milliseconds of the runs on the device of the last run

  [[nodiscard]] bool on_processors() const { return !backends::traits_of(answer.choice().device).grid; }
};

/// Returns the vertex and random ones with out-edges. @param count at least 1
std::vector<vertex> sources_to_try(const digraph& graph, vertex source, std::size_t count) {
  std::vector<vertex> sources = problems::choose_sources(
      detail::csr_of(graph), {.choose = problems::source_rule::choice::random, .count = count - 1}, graph.name());
  sources.insert(sources.begin(), source);
  return sources;
}

/// Searches until the library has found the fastest of the configurations that it compares. @return the mean times
std::vector<tried> try_out(solver& search, const digraph& graph, vertex source, const solve_options& settings) {
  const std::size_t searches = settings.tries * detail::exploration::searches_per_try;
  const std::vector<vertex> sources = sources_to_try(graph, source, searches / 2);
  std::map<std::string, std::vector<double>> times;
  for (std::size_t i = 0; i < searches; ++i) {
    // Two configurations usually alternate, and so start at the same vertices.
    const solution answer = search.solve(sources[i / 2 % sources.size()], settings);
    if (answer.choice().chosen_by == choice::source::trial) break;
    times[answer.choice().configuration].push_back(answer.times().solve);
  }
  std::vector<tried> tries;
  for (const auto& [configuration, samples] : times) {
    const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
    tries.push_back({.configuration = configuration, .milliseconds = sum / static_cast<double>(samples.size())});
  }
  std::ranges::sort(tries, {}, &tried::milliseconds);
  return tries;
}

repeated_search search_repeatedly(solver& search, const digraph& graph, vertex source, const solve_arguments& options) {
  const solve_options settings = how_to_solve(options);
  std::vector<tried> tries;
  if (settings.tries > 1) tries = try_out(search, graph, source, settings);
  solution answer = search.solve(source, settings);
  const solve_times first = answer.times();
  std::vector<double> times = {first.solve};
  for (unsigned i = 1; i < options.repeat; ++i) {
    const std::string device_before = answer.choice().device;
    answer = search.solve(source, settings);
    // The library may have moved the search to another device: drop the times of the previous one.
    if (answer.choice().device != device_before) times.clear();
    times.push_back(answer.times().solve);
  }
  return {.tries = std::move(tries), .answer = std::move(answer), .first = first, .times = std::move(times)};
}

std::string source_text(const digraph& graph, vertex source) {
  return fmt::format(", source {}", vertex_text(graph, source));
}

void report_search(result_report& report, const solve_arguments& options, const digraph& graph,
                   const repeated_search& done, bool modelled) {
  const solution& answer = done.answer;
  const choice& chosen = answer.choice();
  const solve_times& first = done.first;
  report["problem"] = options.problem;
  for (const tried& attempt : done.tries)
    report.line("tried", "{:.4f} ms  {}", *attempt.milliseconds, options.results.shown(attempt.configuration));
  report.graph(graph, source_text(graph, answer.source()));
  report["source"] = vertex_document(graph, answer.source());
  report.configuration(chosen.configuration, chosen_by(chosen));
  report.device(chosen.device_name, chosen.device, modelled);
  if (options.tries) {
    report["compile_ms"] = first.compile;  // mostly loaded during the trials
  } else {
    report.kernel(first, done.on_processors());
  }
  if (problems::solver_in_label(chosen.configuration).splits_graph)
    report.line("prepared", "{:.0f} ms to split the graph into parts", first.prepare);
  report.times(done.times, modelled);
  report["features_ms"] = first.features;
  if (options.chooses_configuration() && !options.tries) {
    if (first.features > 0) {
      // A measured time cannot be compared with a modelled one.
      const std::string share =
          modelled ? "" : fmt::format(", {:.1f} % of the time", 100 * first.features / db::median(done.times));
      report.line("features", "{:.4f} ms{}", first.features, share);
    } else {
      report.line("features", "none: the choice needs only the size of the graph");
    }
  }
  const detail::reach reached = detail::reach_of(answer);
  report.line("reached", "{} of {} vertices, longest distance {}", reached.vertices, graph.vertex_count(),
              reached.longest);
  report["reached"] = reached.vertices;
  report["longest_distance"] = reached.longest;
  report["checked"] = options.check;
  report.counters(answer.counters());
}

void write_files(const solve_arguments& options, const digraph& graph, const solution& answer) {
  if (!options.timeline.empty()) {
    write_output(options.timeline, db::render(timeline_table(answer), db::table_format::csv));
  }
  if (!options.output.empty())
    write_output(options.output, distances_text(graph, answer, kind_of_distances(options.output)));
  if (!options.predecessors.empty()) {
    write_output(options.predecessors, predecessors_text(graph, answer, kind_of_predecessors(options.predecessors)));
  }
}

/// Returns the device that runs the search.
std::string usable_device(const solve_arguments& options) {
  const bool is_given = !options.chooses_configuration();
  const bool needs_kernels = is_given || !options.model.empty() || options.partition || options.tries ||
                             options.counters || !options.timeline.empty() || options.seed;
  const bool needs_processors = is_given && !problems::solver_in_label(options.configuration).on_grid;
  const solving_device device = solving_device_for(options.device, needs_processors ? search_code::processors
                                                                   : needs_kernels  ? search_code::kernels
                                                                                    : search_code::any);
  if (device.replaces_gpu) print_note("{}", no_gpu_note);
  return device.selector;
}

/// Returns the vertex of --source, or the default source of the graph. @throws input_error that names --source
vertex start_in(const digraph& graph, const std::string& source) {
  if (source.empty()) return graph.default_source();
  try {
    return graph.vertex_of(source);
  } catch (const input_error& error) {
    throw input_error(fmt::format("--source {}: {}", source, error.what()));
  }
}

}  // namespace

int solve_all_targets(const solve_arguments& options) {
  check_one_search(options);
  step_times steps;
  std::string selector;
  // The first question about devices initialises the driver.
  steps.measure("find device", [&] { selector = usable_device(options); });
  result_report report(options.results, "solve", standard_output_of(options));
  if (options.tries && !backends::traits_of(selector).grid) {
    throw work_error("--tries compares kernels: none of the model's candidates can run on processors");
  }
  const auto opened = options.open(selector, steps);
  const digraph& graph = opened.first;
  const device& search_device = opened.second;
  const vertex source = start_in(graph, options.source);
  solver search(search_device, graph, options.kind());
  const repeated_search done = search_repeatedly(search, graph, source, options);
  options.add_steps(steps, graph, done.first, graph.vertex_count());
  steps.measure("summarize", [&] {
    report_search(report, options, graph, done, search_device.facts().modelled && !done.on_processors());
  });
  if (options.check) {
    std::string wrong;
    steps.measure("check", [&] { wrong = done.answer.check(); });
    if (!wrong.empty()) throw work_error(graph.name() + ": wrong answer: " + wrong);
    report.line("check", "every distance is right");
  }
  steps.measure("write", [&] { write_files(options, graph, done.answer); });
  if (options.timings) steps.report(report);
  report.end();
  return exit_ok;
}

int solve_bounded(const solve_arguments& options) {
  if (!options.output.empty()) check_output(options.output);
  step_times steps;
  const auto opened = options.open(backends::list_search_devices(options.device).front(), steps);
  const digraph& graph = opened.first;
  const device& search_device = opened.second;
  const vertex source = start_in(graph, options.source);
  result_report report(options.results, "solve-bounded", options.output);
  std::optional<output_kind> format;
  if (!options.output.empty())
    format = kind_of_output("--output", options.output, {output_kind::text, output_kind::csv});
  batch_options settings{.cutoff = options.cutoff, .time_limit_ms = options.time_limit_ms, .check = options.check};
  if (!options.targets.empty()) settings.targets = listed_vertices(graph, "--targets", options.targets);
  if (!options.chooses_configuration()) settings.configurations = {options.configuration};
  std::vector<double> distances;
  solver search(search_device, graph, options.kind());
  const batch_summary summary = search.solve_many(std::array{source}, settings, [&](const distance_rows& rows) {
    for (std::size_t i = 0; i < rows.columns; ++i) distances.push_back(rows.at(0, i));
  });
  const std::vector<vertex>& targets = settings.targets;
  const auto vertex_at = [&](std::size_t i) { return targets.empty() ? static_cast<vertex>(i) : targets[i]; };
  const auto reached = std::ranges::count_if(distances, [](double distance) { return !std::isinf(distance); });

  options.add_steps(steps, graph, summary.times, distances.size());
  const device_facts& facts = search_device.facts();
  report["problem"] = options.problem;
  report.graph(graph, source_text(graph, source));
  report["source"] = vertex_document(graph, source);
  if (options.cutoff) report["cutoff"] = *options.cutoff;
  report.device(facts.name, facts.selector, facts.modelled);
  report.configuration(summary.choice.configuration, fmt::format("  ({})", summary.choice.reason));
  report.time(summary.times.solve, facts.modelled);
  report["compile_ms"] = summary.times.compile;
  report.line("reached", "{} of {} {}{}", reached, distances.size(), targets.empty() ? "vertices" : "targets",
              options.cutoff ? fmt::format(" within {}", *options.cutoff) : "");
  report["searched"] = distances.size();
  report["reached"] = reached;
  report["checked"] = options.check;
  if (!targets.empty()) report["targets"] = json_document::array();
  constexpr std::size_t most_shown = 20;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (options.output.empty() && i < most_shown)
      report.line("distance", "{} to vertex {}", distances[i], vertex_text(graph, targets[i]));
    report["targets"].push_back(
        {{"vertex", vertex_document(graph, targets[i])},
         {"distance", std::isinf(distances[i]) ? json_document() : json_document(distances[i])}});
  }
  if (options.output.empty() && targets.size() > most_shown)
    report.line("", "--output writes all {}", distances.size());
  if (options.check) report.line("check", "every distance is right");
  if (format) {
    write_output(options.output, distance_lines(graph, source, *format, distances.size(),
                                                [&](std::size_t i) { return std::pair(vertex_at(i), distances[i]); }));
  }
  if (options.timings) steps.report(report);
  report.end();
  return exit_ok;
}

}  // namespace mlmq::cli
