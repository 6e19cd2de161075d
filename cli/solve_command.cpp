// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/graph_source.hpp"
#include "cli/json_output.hpp"
#include "cli/library_graph.hpp"
#include "cli/output_file.hpp"
#include "cli/short_label.hpp"
#include "cli/solve_bounded.hpp"
#include "cli/solve_many.hpp"
#include "cli/solve_workload.hpp"
#include "cli/usage.hpp"
#include "cli/vertex_files.hpp"
#include "db/format.hpp"
#include "db/statistics.hpp"
#include "graph/check.hpp"
#include "mlmq/mlmq.hpp"
#include "problems/shortest_paths/graph_workload.hpp"
#include "tuner/shard.hpp"

namespace mlmq::cli {
namespace {

struct solve_arguments {
  graph_options graph;
  std::optional<std::uint64_t> source;
  std::string sources;
  std::string targets;
  std::optional<double> cutoff;
  std::uint64_t memory_bytes = 0;
  std::string shard = "1/1";
  std::string problem = "sssp";
  std::string configuration = "auto";
  std::string model;
  std::string device = "auto";
  std::string output;
  std::string predecessors;
  std::string timeline;
  std::string query;
  unsigned repeat = 1;
  unsigned tries = 0;
  bool partition = false;
  double time_limit_ms = 60'000;
  std::uint64_t seed = 1;
  bool check = false;
  bool counters = false;
  std::string format = "text";
  bool quiet = false;

  /// Nothing but the distances goes to standard output.
  [[nodiscard]] bool prints_distances() const { return output == "-"; }
};

std::string distances_text(const digraph& graph, const solution& answer) {
  std::string text = vertex_file_header("VERTEX DISTANCE", graph, answer.source());
  for (vertex v = 0; v < graph.vertex_count(); ++v) add_distance_line(text, graph, v, answer.distance(v));
  return text;
}

std::string predecessors_text(const digraph& graph, const solution& answer) {
  std::string text = vertex_file_header("VERTEX PREDECESSOR", graph, answer.source());
  vertex v = 0;
  for (const vertex before : answer.predecessors()) {
    const std::uint64_t id = graph.id_of(v++);
    if (before == no_vertex) {
      fmt::format_to(std::back_inserter(text), "{} none\n", id);
    } else {
      fmt::format_to(std::back_inserter(text), "{} {}\n", id, graph.id_of(before));
    }
  }
  return text;
}

struct reach {
  std::size_t vertices = 0;  ///< that are reached
  double longest = 0;        ///< distance
};

reach reach_of(const solution& answer, vertex vertices) {
  reach found;
  for (vertex v = 0; v < vertices; ++v) {
    const double distance = answer.distance(v);
    if (std::isinf(distance)) continue;
    ++found.vertices;
    found.longest = std::max(found.longest, distance);
  }
  return found;
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

bool is_of_graphs(const std::string& problem_name) { return problem_name == "sssp" || problem_name == "bfs"; }

problem problem_named(const std::string& name) { return name == "bfs" ? problem::bfs : problem::sssp; }

/// The problem of the command line that has a hook; null for shortest paths. @throws input_error when there is no way to
/// solve the problem that is named
const problems::problem_entry* hooked_problem(const CLI::App& command, const solve_arguments& options) {
  if (command.get_option("--problem")->count() == 0) {
    // Kinds of workloads may have a name in common: grid64 is a graph, too. Queries are not asked of shortest paths.
    const bool is_graph = problems::graph_kind().is_generated_by(options.graph.name);
    return is_graph && command.get_option("--query")->count() == 0 ? nullptr : problem_for(options.graph.name);
  }
  if (is_of_graphs(options.problem)) return nullptr;
  std::vector<std::string> known = {"sssp", "bfs"};
  for (const problems::problem_entry& entry : problems::all_problems()) {
    if (entry.solve == nullptr) continue;
    if (entry.name == options.problem) return &entry;
    known.push_back(entry.name);
  }
  throw input_error(fmt::format("'{}' is no problem that can be solved here{}; known are {}", options.problem,
                                did_you_mean(options.problem, known), fmt::join(known, ", ")));
}

/// Options that every problem has; all others belong to shortest paths.
constexpr std::array shared_options = {"graph",    "--problem",  "--query",  "--config",     "--model",
                                       "--device", "--output",   "--repeat", "--time-limit", "--seed",
                                       "--check",  "--counters", "--help"};

int solve_hooked(const CLI::App& command, const problems::problem_entry& entry, const solve_arguments& options) {
  for (const CLI::Option* const one : command.get_options()) {
    const std::string name = one->get_name();
    if (one->count() == 0 || std::find(shared_options.begin(), shared_options.end(), name) != shared_options.end()) {
      continue;
    }
    throw input_error(fmt::format("{} is for shortest paths, not for problem {}", name, entry.name));
  }
  return solve_workload(entry, {.workload = options.graph.name,
                                .query = options.query,
                                .configuration = options.configuration,
                                .model = options.model,
                                .device = options.device,
                                .output = options.output,
                                .repeat = options.repeat,
                                .time_limit_ms = options.time_limit_ms,
                                .seed = options.seed,
                                .check = options.check,
                                .counters = options.counters});
}

void check_configuration(const std::string& text) {
  try {
    static_cast<void>(complete_configuration(text));
  } catch (const input_error& error) {
    throw input_error(std::string("--config: ") + error.what());
  }
}

vertex named_source(const digraph& graph, std::uint64_t id) {
  try {
    return graph.vertex_of(id);
  } catch (const input_error& error) {
    throw input_error(fmt::format("--source {}: {}", id, error.what()));
  }
}

/// Options that go with --sources; --memory and --shard go with nothing else.
constexpr std::array options_of_many = {
    "graph",       "--problem", "--sources",     "--targets",        "--cutoff",  "--memory",           "--shard",
    "--config",    "--model",   "--device",      "--output",         "--tries",   "--time-limit",       "--seed",
    "--check",     "--help",    "--weight-seed", "--ignore-weights", "--weights", "--negative-weights", "--directed",
    "--undirected"};

/// Options of one search that ends early.
constexpr std::array options_of_bounded = {
    "graph",     "--problem",          "--source",   "--targets",   "--cutoff", "--config",      "--device",
    "--output",  "--time-limit",       "--seed",     "--check",     "--help",   "--weight-seed", "--ignore-weights",
    "--weights", "--negative-weights", "--directed", "--undirected"};

/// @throws input_error for an option that is not among these
void require_options(const CLI::App& command, std::span<const char* const> allowed, const char* problem) {
  for (const CLI::Option* const one : command.get_options()) {
    const std::string name = one->get_name();
    if (one->count() > 0 && std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
      throw input_error(fmt::format("{} {}", name, problem));
    }
  }
}

int solve_bounded_from_one(const CLI::App& command, const solve_arguments& options) {
  require_options(command, options_of_bounded, "does not go with --targets or --cutoff of one search");
  check_output_of(options.output, options.graph.name);
  const digraph graph = open_digraph(options.graph);
  print_notes(graph.notes());
  std::string name = backends::list_devices(options.device).front();
  if (options.device == "auto" && backends::traits_of(name).modelled) name = backends::processors_selector();
  device where(name);
  where.set_seed(options.seed);
  return solve_bounded(where, graph, options.source ? named_source(graph, *options.source) : graph.default_source(),
                       {.targets = options.targets,
                        .cutoff = options.cutoff,
                        .configuration = options.configuration,
                        .output = options.output,
                        .kind = problem_named(options.problem),
                        .time_limit_ms = options.time_limit_ms,
                        .check = options.check});
}

int solve_from_many(const CLI::App& command, const solve_arguments& options) {
  require_options(command, options_of_many, "is for one search, and does not go with --sources");
  const digraph graph = open_digraph(options.graph);
  print_notes(graph.notes());
  const tuner::shard part = tuner::parse_shard(options.shard);
  std::vector<device> where;
  std::vector<std::string> names = backends::list_devices(options.device);
  // Thousands of searches on a simulated device are nobody's wish unless it is named.
  if (options.device == "auto" && backends::traits_of(names.front()).modelled)
    names = {backends::processors_selector()};
  for (const std::string& one : names) where.emplace_back(one).set_seed(options.seed);
  many_request asked{.sources = options.sources,
                     .targets = options.targets,
                     .cutoff = options.cutoff,
                     .memory_bytes = options.memory_bytes,
                     .configuration = options.configuration,
                     .model = options.model,
                     .output = options.output,
                     .kind = problem_named(options.problem),
                     .shard = part.index,
                     .shards = part.count,
                     .check = options.check};
  if (command.get_option("--tries")->count() > 0) asked.tries = options.tries;
  if (command.get_option("--time-limit")->count() > 0) asked.time_limit_ms = options.time_limit_ms;
  return solve_many(std::move(where), graph, asked);
}

int solve(const CLI::App& command, const solve_arguments& options) {
  if (const problems::problem_entry* const hooked = hooked_problem(command, options)) {
    return solve_hooked(command, *hooked, options);
  }
  if (!options.query.empty()) throw input_error("--query: shortest paths are asked for by --source");
  if (!options.sources.empty()) return solve_from_many(command, options);
  if (!options.targets.empty() || options.cutoff) return solve_bounded_from_one(command, options);
  for (const char* const one : {"--memory", "--shard"}) {
    if (command.get_option(one)->count() > 0) throw input_error(fmt::format("{} goes with --sources", one));
  }
  const bool automatic = options.configuration == "auto";
  if (!automatic && !options.model.empty()) {
    throw input_error("--config and --model cannot go together: a model chooses the configuration");
  }
  if (!automatic && options.partition) {
    throw input_error("--config and --partition cannot go together: parts are a configuration, solver=partitioned");
  }
  if (!automatic && options.tries > 0) {
    throw input_error("--config and --tries cannot go together: what is tried is what the selector suggests");
  }
  if (options.tries > 0 && (options.counters || !options.timeline.empty())) {
    throw input_error("--tries compares times, which --counters and --timeline make longer: use it without them");
  }
  const bool as_json = options.format == "json";
  if (as_json && options.prints_distances())
    throw input_error("--format json and --output - both want standard output");
  for (const std::string& file : {options.output, options.predecessors, options.timeline}) {
    check_output_of(file == "-" && options.prints_distances() ? "" : file, options.graph.name);
  }
  const bool speaks = !as_json && !options.quiet && !options.prints_distances();
  const auto say = [speaks]<typename... Values>(fmt::format_string<Values...> text, Values&&... values) {
    if (speaks) fmt::print(text, std::forward<Values>(values)...);
  };
  const digraph graph = open_digraph(options.graph);
  print_notes(graph.notes());
  const vertex source = options.source ? named_source(graph, *options.source) : graph.default_source();
  solve_options how;
  if (automatic) {
    how.model = model_for(options.model);
  } else {
    check_configuration(options.configuration);
    how.configurations = {options.configuration};
  }
  how.partition = options.partition;
  // Who names a device means it.
  how.place = options.device == "auto" ? placement::best : placement::device;
  how.time_limit_ms = options.time_limit_ms;
  how.counters = options.counters;
  how.timeline = !options.timeline.empty();

  device where(options.device);
  where.set_seed(options.seed);
  solver search(where, graph, problem_named(options.problem));
  if (options.tries > 0) {
    for (const tried& one : search.try_out(std::array{source}, options.tries, how)) {
      say("tried          {}  {}\n", one.milliseconds ? fmt::format("{:.4f} ms", *one.milliseconds) : "no answer",
          short_label(one.configuration));
    }
  }
  solution answer = search.solve(source, how);
  const solve_times first = answer.times();
  std::vector<double> times = {first.solve};
  for (unsigned i = 1; i < options.repeat; ++i) {
    const std::string device_before = answer.choice().device;
    answer = search.solve(source, how);
    // The times so far can speak for another place: then they are not of what is shown.
    if (answer.choice().device != device_before) times.clear();
    times.push_back(answer.times().solve);
  }

  const bool on_processors = !backends::traits_of(answer.choice().device).grid;
  say("graph          {}, {} vertices, {} edges, source {}\n", graph.name(), graph.vertex_count(), graph.edge_count(),
      graph.id_of(source));
  say("configuration  {}{}\n", short_label(answer.choice().configuration), chosen_by(answer.choice()));
  say("device         {} ({})\n", answer.choice().device_name, answer.choice().device);
  if (options.tries > 0) {
    // Compiled, or loaded from the cache, when it was tried.
  } else if (on_processors) {
    say("kernel         compiled in\n");
  } else {
    say("kernel         {:.0f} ms to {}\n", first.compile, first.compiled ? "compile" : "load from the cache");
  }
  if (answer.choice().configuration.find("solver=partitioned") != std::string::npos) {
    say("prepared       {:.0f} ms to split the graph into parts\n", first.prepare);
  }
  say("time           {:.4f} ms{}{}\n", db::median(times), where.facts().modelled ? " modelled, not measured" : "",
      times.size() > 1 ? fmt::format(", median of {}", times.size()) : "");
  if (automatic && options.tries == 0) {
    if (first.features > 0) {
      say("features       {:.4f} ms, {:.1f} % of the time\n", first.features, 100 * first.features / db::median(times));
    } else {
      say("features       none: the size of the graph was enough to choose\n");
    }
  }
  const reach found = reach_of(answer, graph.vertex_count());
  say("reached        {} of {} vertices, longest distance {}\n", found.vertices, graph.vertex_count(), found.longest);
  for (const auto& [name, value] : answer.counters()) say("{:<15}{:.0f}\n", name, value);
  if (!answer.exact()) {
    throw work_error(graph.name() + ": " + graph::saturated_message);
  }
  if (!options.timeline.empty()) {
    write_output(options.timeline, db::render(timeline_table(answer), db::table_format::csv));
  }
  if (!options.output.empty() && !options.prints_distances()) {
    write_output(options.output, distances_text(graph, answer));
  }
  if (!options.predecessors.empty()) write_output(options.predecessors, predecessors_text(graph, answer));
  if (options.check) {
    const std::string wrong = answer.check();
    if (!wrong.empty()) throw work_error(graph.name() + ": wrong answer: " + wrong);
    say("check          every distance is right\n");
  }
  if (options.prints_distances()) fmt::print("{}", distances_text(graph, answer));
  if (as_json) {
    json_document document = begin_document("solve");
    document["problem"] = options.problem;
    document["graph"] = {{"name", graph.name()}, {"vertices", graph.vertex_count()}, {"edges", graph.edge_count()}};
    document["source"] = graph.id_of(source);
    document["configuration"] = answer.choice().configuration;
    document["device"] = {{"name", answer.choice().device_name}, {"selector", answer.choice().device}};
    document["modelled"] = where.facts().modelled && !on_processors;
    document["time_ms"] = db::median(times);
    document["times_ms"] = times;
    document["compile_ms"] = on_processors ? 0.0 : first.compile;
    document["features_ms"] = first.features;
    document["reached"] = found.vertices;
    document["longest_distance"] = found.longest;
    document["checked"] = options.check;
    document["counters"] = json_document::object();
    for (const auto& [name, value] : answer.counters()) document["counters"][name] = value;
    print_document(document);
  }
  return exit_ok;
}

}  // namespace

void add_solve_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("solve", "Shortest paths from one vertex to all, or another problem on a workload of its own");
  const auto options = std::make_shared<solve_arguments>();
  options->graph.add_to(*command);
  command
      ->add_option("--problem", options->problem,
                   "sssp: by weights; bfs: every edge has length 1; or another problem that the workload is for (mlmq "
                   "problems)")
      ->capture_default_str();
  command->add_option("--query", options->query,
                      "of problems other than shortest paths: NAME=VALUE:NAME=VALUE, with the settings of queries that "
                      "'mlmq problems NAME' lists");
  command->add_option("--source", options->source,
                      "start vertex, by its id: the number that the graph's file has for it, or counted from 0 in a "
                      "generated graph [the vertex with most out-edges]");
  command->add_option("--sources", options->sources,
                      "many searches: N:random (N:random:SEED), all, or a file with the id of a vertex a line");
  command->add_option(
      "--targets", options->targets,
      "only the distances of these vertices are wanted, and a search ends when they are final: ids with "
      "commas between them, or a file with an id a line");
  command->add_option("--cutoff", options->cutoff, "largest distance that is searched for")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--memory", options->memory_bytes,
                   "with --sources: for the distances of the searches that are done together, such as 8GiB")
      ->transform(CLI::AsSizeValue(false));
  command
      ->add_option("--shard", options->shard,
                   "with --sources: I/N, the I-th of N parts of the searches, such as a task of a job array has")
      ->capture_default_str();
  command
      ->add_option("--config", options->configuration,
                   "auto: what the selector picks; or KEY=VALUE,… or preset=NAME (see docs/reference/parameters.md)")
      ->capture_default_str();
  command->add_option("--model", options->model,
                      "model.json to choose with; shipped: the selector of the program, even if another one is "
                      "installed for the device");
  command
      ->add_option("--device", options->device,
                   "cuda:N, simt, simt:SxW, cpu, cpu:N; auto: a GPU, or processors if that should be "
                   "sooner, or the simulator where there is no GPU. With --sources several that share the searches, "
                   "such as cuda:all, and auto is all GPUs, or else processors")
      ->capture_default_str();
  command->add_option(
      "--output", options->output,
      "file for the distances: after a header, one line VERTEX DISTANCE each; vertices by their ids, as for --source; "
      "-: "
      "standard output, without the report. "
      "With "
      "--sources a matrix, a row for each source: NAME.npy, or a folder, which an interrupted run goes on with");
  command->add_option(
      "--predecessors", options->predecessors,
      "file for a tree of shortest paths: after a header, one line VERTEX PREDECESSOR each; vertices by their ids");
  command->add_option("--repeat", options->repeat, "runs; the median time is shown")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  command
      ->add_option("--tries", options->tries,
                   "before, search with so many of the selector's favourites, and keep the fastest")
      ->check(whole_number(1, 1'000));
  command->add_flag(
      "--partition", options->partition,
      "split a road or mesh into parts for the device's shared memory: a second before, then faster searches");
  command->add_option("--time-limit", options->time_limit_ms, "milliseconds for one run")
      ->check(positive_number())
      ->capture_default_str();
  command->add_option("--seed", options->seed, "schedule of the simulator")->capture_default_str();
  command->add_flag("--check", options->check, "prove the answer optimal");
  CLI::Option* const counters = command->add_flag("--counters", options->counters, "count work (slower)");
  command
      ->add_option("--timeline", options->timeline,
                   "file for when the work is done (slower): csv, vertices read and warps at work in each interval")
      ->excludes(counters);
  add_output_format(*command, options->format);
  command->add_flag("--quiet", options->quiet, "print no report of one search, only errors and notes");
  command->callback([command, options, &status] { status = solve(*command, *options); });
}

}  // namespace mlmq::cli
