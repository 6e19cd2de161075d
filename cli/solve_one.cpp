// SPDX-License-Identifier: Apache-2.0
#include "cli/solve_one.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/json_output.hpp"
#include "cli/library_graph.hpp"
#include "cli/npy.hpp"
#include "cli/output_file.hpp"
#include "cli/solve_many.hpp"
#include "cli/solve_workload.hpp"
#include "cli/solving_device.hpp"
#include "cli/vertex_files.hpp"
#include "db/format.hpp"
#include "db/statistics.hpp"
#include "library/conversions.hpp"
#include "library/exploration.hpp"
#include "problems/graphs/sources.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"

namespace mlmq::cli {
namespace {

std::string distances_array(const digraph& graph, const solution& answer) {
  std::string array;
  const auto add = [&](const char* type, const auto& numbers) {
    array = npy_header(type, graph.vertex_count());
    array.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
  };
  const number_type type = answer.type();
  if (type == number_type::uint32) add("<u4", answer.distances_uint32());
  if (type == number_type::float32) add("<f4", answer.distances_float32());
  if (type == number_type::float64) add("<f8", answer.distances_float64());
  return array;
}

std::string distances_text(const digraph& graph, const solution& answer, output_kind kind) {
  if (kind == output_kind::npy) return distances_array(graph, answer);
  const bool is_csv = kind == output_kind::csv;
  std::string text = is_csv ? "vertex,distance\n" : vertex_file_header("VERTEX DISTANCE", graph, answer.source());
  for (vertex v = 0; v < graph.vertex_count(); ++v)
    add_distance_line(text, graph, v, answer.distance(v), is_csv ? ',' : ' ');
  return text;
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

struct reach {
  std::size_t vertices = 0;  ///< number of reached vertices
  double longest = 0;        ///< largest distance
};

reach reach_of(const solution& answer, vertex vertices) {
  reach result;
  for (vertex v = 0; v < vertices; ++v) {
    const double distance = answer.distance(v);
    if (std::isinf(distance)) continue;
    ++result.vertices;
    result.longest = std::max(result.longest, distance);
  }
  return result;
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

void check_arguments(const solve_arguments& options) {
  const bool automatic = options.configuration == "auto";
  if (!automatic && !options.model.empty()) {
    throw input_error("--config and --model cannot be combined: a model chooses the configuration");
  }
  if (!automatic && options.partition) {
    throw input_error(
        "--config and --partition cannot be combined: --partition is the configuration solver=partitioned");
  }
  if (!automatic && options.tries > 0) {
    throw input_error(
        "--config and --tries cannot be combined: --tries runs the configurations that the selector recommends");
  }
  if (options.tries > 0 && (options.counters || !options.timeline.empty())) {
    throw input_error("--tries cannot be combined with --counters or --timeline, which make runs slower");
  }
  if (automatic) return;
  try {
    static_cast<void>(complete_configuration(options.configuration));
  } catch (const input_error& error) {
    throw input_error(std::string("--config: ") + error.what());
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
  if (options.configuration != "auto") {
    result.configurations = {options.configuration};
  } else {
    result.model = model_for(options.model);
  }
  result.partition = options.partition ? partitioning::always : partitioning::never;
  // An explicitly named device is always used, and configurations are compared on a device.
  result.place = options.device == "auto" && options.tries == 0 ? placement::best : placement::device;
  result.tries = options.tries;
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

void print_report(const printer& print, const solve_arguments& options, const digraph& graph,
                  const repeated_search& done, bool modelled) {
  const solution& answer = done.answer;
  const solve_times& first = done.first;
  const double median = db::median(done.times);
  for (const tried& attempt : done.tries)
    print("tried          {:.4f} ms  {}\n", *attempt.milliseconds, options.results.shown(attempt.configuration));
  print("graph          {}, {} vertices, {} edges, source {}\n", graph.name(), graph.vertex_count(), graph.edge_count(),
        vertex_text(graph, answer.source()));
  print("configuration  {}{}\n", options.results.shown(answer.choice().configuration), chosen_by(answer.choice()));
  print("device         {} ({})\n", answer.choice().device_name, answer.choice().device);
  if (options.tries > 0) {
    // The kernel was compiled or loaded during the trials.
  } else if (done.on_processors()) {
    print("kernel         compiled in\n");
  } else {
    print("kernel         {:.0f} ms to {}\n", first.compile, first.compiled ? "compile" : "load from the cache");
  }
  if (problems::solver_in_label(answer.choice().configuration).splits_graph) {
    print("prepared       {:.0f} ms to split the graph into parts\n", first.prepare);
  }
  print("time           {:.4f} ms{}{}\n", median, modelled ? " modelled, not measured" : "",
        done.times.size() > 1 ? fmt::format(", median of {}", done.times.size()) : "");
  if (options.configuration == "auto" && options.tries == 0) {
    if (first.features > 0) {
      // A measured time cannot be compared with a modelled one.
      const std::string share = modelled ? "" : fmt::format(", {:.1f} % of the time", 100 * first.features / median);
      print("features       {:.4f} ms{}\n", first.features, share);
    } else {
      print("features       none: the choice needs only the size of the graph\n");
    }
  }
  const reach reached = reach_of(answer, graph.vertex_count());
  print("reached        {} of {} vertices, longest distance {}\n", reached.vertices, graph.vertex_count(),
        reached.longest);
  for (const auto& [name, value] : answer.counters()) print("{:<15}{:.0f}\n", name, value);
}

void print_json(const solve_arguments& options, const digraph& graph, const repeated_search& done, bool modelled) {
  const solution& answer = done.answer;
  const reach reached = reach_of(answer, graph.vertex_count());
  json_document document = begin_document("solve");
  document["problem"] = options.problem;
  document["graph"] = graph_document(graph);
  document["source"] = vertex_document(graph, answer.source());
  document["configuration"] = answer.choice().configuration;
  document["device"] = {{"name", answer.choice().device_name}, {"selector", answer.choice().device}};
  document["modelled"] = modelled && !done.on_processors();
  document["time_ms"] = db::median(done.times);
  document["times_ms"] = done.times;
  document["compile_ms"] = done.on_processors() ? 0.0 : done.first.compile;
  document["features_ms"] = done.first.features;
  document["reached"] = reached.vertices;
  document["longest_distance"] = reached.longest;
  document["checked"] = options.check;
  document["counters"] = json_document::object();
  for (const auto& [name, value] : answer.counters()) document["counters"][name] = value;
  print_document(document);
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

}  // namespace

digraph solve_arguments::open_graph() const {
  digraph opened_graph = open_digraph(graph);
  return reverse ? opened_graph.reversed() : opened_graph;
}

std::vector<std::uint32_t> solve_arguments::read_quantities(const digraph& opened_graph) const {
  graph_options reading = graph;
  reading.name = path_sums;
  reading.weights = "uint32";
  reading.ignore_weights = false;
  reading.weight_seed.reset();
  try {
    const digraph opened = open_digraph(reading);
    const digraph quantities = reverse ? opened.reversed() : opened;
    const graph::csr_graph& expected = detail::csr_of(opened_graph);
    const graph::csr_graph& rows = detail::csr_of(quantities);
    const bool has_ids = std::ranges::all_of(std::views::iota(vertex{0}, expected.vertex_count()), [&](vertex v) {
      return v < rows.vertex_count() && rows.ids().id_of(v) == expected.ids().id_of(v);
    });
    if (!has_ids || !std::ranges::equal(rows.offsets(), expected.offsets()) ||
        !std::ranges::equal(rows.targets(), expected.targets()))
      throw input_error(fmt::format("its edges are not those of {}, in the same order", opened_graph.name()));
    return {rows.weight_bits().begin(), rows.weight_bits().end()};
  } catch (const input_error& error) {
    throw input_error(fmt::format("--path-sums {}: {}", path_sums, error.what()));
  }
}

vertex solve_arguments::start_in(const digraph& opened_graph) const {
  if (source.empty()) return opened_graph.default_source();
  try {
    return opened_graph.vertex_of(source);
  } catch (const input_error& error) {
    throw input_error(fmt::format("--source {}: {}", source, error.what()));
  }
}

solve_arguments with_usable_device(const solve_arguments& arguments) {
  solve_arguments options = arguments;
  const bool is_given = options.configuration != "auto";
  const bool needs_kernels = is_given || !options.model.empty() || options.partition || options.tries > 0 ||
                             options.counters || !options.timeline.empty() || options.seed;
  const bool needs_processors = is_given && !problems::solver_in_label(options.configuration).on_grid;
  const solving_device device = solving_device_for(options.device, needs_processors ? search_code::processors
                                                                   : needs_kernels  ? search_code::kernels
                                                                                    : search_code::any);
  options.device = device.selector;
  if (device.replaces_gpu) print_note("{}", no_gpu_note);
  return options;
}

int solve_one(const solve_arguments& arguments) {
  check_arguments(arguments);
  const solve_arguments options = with_usable_device(arguments);
  const printer print = options.results.make_printer(standard_output_of(options));
  if (options.tries > 0 && !backends::traits_of(options.device).grid) {
    throw work_error("--tries compares kernels: none of the model's candidates can run on processors");
  }
  const digraph graph = options.open_graph();
  print_notes(graph.notes());
  const vertex source = options.start_in(graph);
  device search_device(options.device);
  search_device.set_seed(options.seed.value_or(1));
  solver search(search_device, graph, options.kind());
  const repeated_search done = search_repeatedly(search, graph, source, options);
  const bool modelled = search_device.facts().modelled;
  print_report(print, options, graph, done, modelled);
  const solution& answer = done.answer;
  if (options.check) {
    const std::string wrong = answer.check();
    if (!wrong.empty()) throw work_error(graph.name() + ": wrong answer: " + wrong);
    print("check          every distance is right\n");
  }
  write_files(options, graph, answer);
  if (options.results.as_json()) print_json(options, graph, done, modelled);
  return exit_ok;
}

}  // namespace mlmq::cli
