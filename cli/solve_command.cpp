// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/graph_source.hpp"
#include "cli/reduction_text.hpp"
#include "cli/solve.hpp"
#include "cli/solving_device.hpp"
#include "cli/usage.hpp"
#include "library/conversions.hpp"
#include "mlmq/mlmq.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/graphs/resident_graph.hpp"
#include "problems/registry.hpp"
#include "selector/ranking_model.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::cli {
namespace {

bool is_of_graphs(const std::string& problem_name) {
  return std::ranges::count(graph_problem_names(), problem_name) != 0;
}

/// Returns the problem whose hook accepts a workload of this name, or null.
const problems::problem_entry* problem_for(const std::string& workload) {
  const std::string file = tuner::split_file_options(workload).file;
  for (const problems::problem_entry& entry : problems::all_problems()) {
    if (entry.solve == nullptr) continue;
    const auto problem = entry.make();
    if (problem->workloads().is_generated_by(workload) || problem->workloads().is_file(file)) return &entry;
  }
  return nullptr;
}

/// Returns the problem of the command line if it has a solve hook, or null for shortest paths. @throws input_error for
/// a problem that cannot be solved
const problems::problem_entry* hooked_problem(const CLI::App& command, const solve_arguments& options) {
  if (command.get_option("--problem")->count() == 0) {
    // Workload kinds may share names: grid64 is also a graph. Shortest paths have no --query.
    const bool is_graph = problems::graph_kind().is_generated_by(options.graph.name);
    return is_graph && command.get_option("--query")->count() == 0 ? nullptr : problem_for(options.graph.name);
  }
  if (is_of_graphs(options.problem)) return nullptr;
  if (const problems::problem_entry* const entry = problems::known_problem(options.problem);
      entry != nullptr && entry->solve == nullptr) {
    throw input_error(fmt::format("problem '{}' cannot be used with 'solve'; use 'mlmq sweep' with an experiment file",
                                  options.problem));
  }
  std::vector<std::string> names = graph_problem_names();
  for (const problems::problem_entry& entry : problems::all_problems()) {
    if (entry.solve == nullptr) continue;
    if (entry.name == options.problem) return &entry;
    names.push_back(entry.name);
  }
  throw input_error(fmt::format("unknown problem '{}'{}; 'solve' supports {}", options.problem,
                                did_you_mean(options.problem, names), fmt::join(names, ", ")));
}

/// Modes of the command; a set of them is a bit mask. A bounded search has --targets or --cutoff.
enum solve_mode : unsigned { one_search = 1, bounded_search = 2, many_searches = 4, other_problem = 8 };
constexpr unsigned any_shortest_paths = one_search | bounded_search | many_searches;
constexpr unsigned every_mode = any_shortest_paths | other_problem;

struct option_use {
  std::string_view name;
  unsigned modes;
};

/// The modes of each option.
constexpr auto option_uses = std::to_array<option_use>({{"graph", every_mode},
                                                        {"--help", every_mode},
                                                        {"--problem", every_mode},
                                                        {"--query", other_problem},
                                                        {"--source", one_search | bounded_search},
                                                        {"--sources", many_searches},
                                                        {"--pairs", many_searches},
                                                        {"--path-sums", many_searches},
                                                        {"--reduce", many_searches},
                                                        {"--reverse", any_shortest_paths},
                                                        {"--targets", bounded_search | many_searches},
                                                        {"--cutoff", bounded_search | many_searches},
                                                        {"--memory", many_searches},
                                                        {"--shard", many_searches},
                                                        {"--config", every_mode},
                                                        {"--model", one_search | many_searches | other_problem},
                                                        {"--device", every_mode},
                                                        {"--output", every_mode},
                                                        {"--predecessors", one_search},
                                                        {"--repeat", one_search | other_problem},
                                                        {"--tries", one_search | many_searches},
                                                        {"--partition", one_search},
                                                        {"--time-limit", every_mode},
                                                        {"--seed", every_mode},
                                                        {"--check", every_mode},
                                                        {"--counters", one_search | other_problem},
                                                        {"--timings", any_shortest_paths},
                                                        {"--timeline", one_search},
                                                        {"--weight-seed", any_shortest_paths},
                                                        {"--ignore-weights", any_shortest_paths},
                                                        {"--weights", any_shortest_paths},
                                                        {"--negative-weights", any_shortest_paths},
                                                        {"--directed", any_shortest_paths},
                                                        {"--undirected", any_shortest_paths},
                                                        {"--weight-column", any_shortest_paths},
                                                        {"--source-column", any_shortest_paths},
                                                        {"--target-column", any_shortest_paths},
                                                        {"--direction-column", any_shortest_paths},
                                                        {"--format", every_mode},
                                                        {"--quiet", every_mode},
                                                        {"--verbose", every_mode}});

/// @throws input_error for an option that the mode does not have; std::logic_error for one that the table lacks, even
/// if it is not used
void require_mode_options(const CLI::App& command, solve_mode mode, const std::string& problem) {
  const std::string refusal =
      mode == other_problem    ? "applies to shortest paths, not to problem " + problem
      : mode == many_searches  ? "applies to a single search and cannot be combined with --sources or --pairs"
      : mode == bounded_search ? "cannot be combined with --targets or --cutoff of a single search"
                               : "requires --sources";
  for (const CLI::Option* const option : command.get_options()) {
    const std::string name = option->get_name();
    const auto use = std::ranges::find(option_uses, name, &option_use::name);
    if (use == option_uses.end()) throw std::logic_error("no mode is declared for the option " + name);
    if (option->count() == 0 || (use->modes & mode) != 0) continue;
    throw input_error(fmt::format("{} {}", name, refusal));
  }
}

int solve(const CLI::App& command, solve_arguments& options) {
  const problems::problem_entry* const hooked = hooked_problem(command, options);
  if (hooked == nullptr && !options.query.empty())
    throw input_error("--query applies to other problems; use --source for shortest paths");
  const solve_mode mode = hooked != nullptr                                    ? other_problem
                          : !options.sources.empty() || !options.pairs.empty() ? many_searches
                          : !options.targets.empty() || options.cutoff         ? bounded_search
                                                                               : one_search;
  require_mode_options(command, mode, hooked != nullptr ? hooked->name : options.problem);
  if (!options.chooses_configuration() && !options.model.empty())
    throw input_error("--config and --model cannot be combined: a model chooses the configuration");
  constexpr double limit_of_many_ms = 600'000;
  if (mode == many_searches && command.get_option("--time-limit")->count() == 0)
    options.time_limit_ms = limit_of_many_ms;
  if (mode == other_problem) return solve_workload(*hooked, options);
  if (mode != many_searches) require_one_device(options.device);
  options.check_configuration();
  if (mode == many_searches) return solve_many(options);
  return mode == bounded_search ? solve_bounded(options) : solve_all_targets(options);
}

}  // namespace

mlmq::model solve_arguments::chosen_model() const {
  return model.empty()        ? mlmq::model::standard()
         : model == "shipped" ? mlmq::model::shipped()
                              : mlmq::model::read(model);
}

void solve_arguments::check_configuration() const {
  if (chooses_configuration()) return;
  try {
    static_cast<void>(complete_configuration(configuration));
  } catch (const input_error& error) {
    throw input_error(std::string("--config: ") + error.what());
  }
}

std::pair<digraph, mlmq::device> solve_arguments::open(const std::string& selector, step_times& steps) const {
  double device_ms = 0;
  // Opening a GPU takes as long as reading a graph of ten million edges.
  std::shared_future<mlmq::device> opening_device =
      std::async(std::launch::async, [&] {
        std::optional<mlmq::device> opened;
        device_ms = milliseconds_of([&] { opened.emplace(open_device(selector)); });
        return *std::move(opened);
      }).share();
  // Before a large file is read, the device must have room for its graph.
  constexpr std::uint64_t large = 100'000'000;
  if (const auto size = graph::announced_size(graph.name); size && size->vertices + size->edges >= large)
    detail::require_room(opening_device.get(), *size, kind(), problems::graph_name_of(graph.name));
  digraph opened = open_digraph(graph);
  steps.add(opened.times_to_open());
  if (reverse) steps.measure("reverse", [&] { opened = opened.reversed(); });
  print_notes(opened.notes());
  // The model that is probably needed is parsed before the device is open.
  const bool is_one_search = kind() == mlmq::problem::sssp && sources.empty() && pairs.empty();
  if (is_one_search && chooses_configuration()) (void)selector::shipped_ranking_model(problem);
  mlmq::device search_device = opening_device.get();
  steps.add("open device", device_ms);
  return {std::move(opened), std::move(search_device)};
}

void solve_arguments::add_steps(step_times& steps, const digraph& searched, const solve_times& times,
                                std::uint64_t answers) const {
  const graph::csr_graph& csr = detail::csr_of(searched);
  const bool is_bfs = kind() == mlmq::problem::bfs;
  const graph::weight_type weights = is_bfs ? graph::weight_type::uint32 : csr.weights();
  steps.add(times, problems::row_bytes(csr.vertex_count(), csr.edge_count(), weights, is_bfs),
            answers * problems::distance_bytes(weights));
}

device solve_arguments::open_device(const std::string& selector) const {
  mlmq::device opened(selector);
  opened.set_seed(seed.value_or(1));
  return opened;
}

void add_solve_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("solve", "Compute shortest paths from one vertex to all others, or solve another problem");
  const auto options = std::make_shared<solve_arguments>();
  options->graph.add_to(*command);
  command
      ->add_option("--problem", options->problem,
                   "sssp: weighted paths; bfs: every edge has length 1; or another problem for this kind of workload, "
                   "see 'mlmq problems'")
      ->type_name("PROBLEM")
      ->capture_default_str();
  command->add_option(
      "--query", options->query,
      "query of a problem other than shortest paths: NAME=VALUE:NAME=VALUE; 'mlmq problems NAME' lists the settings");
  command
      ->add_option("--source", options->source,
                   "id of the start vertex: its number or name in the graph's file, or counted from 0 in a generated "
                   "graph [the vertex with the most out-edges]")
      ->type_name("ID");
  command->add_option("--sources", options->sources,
                      "run many searches, from N:random or N:random:SEED, all, or a file with one vertex id per line");
  command->add_option("--targets", options->targets,
                      "compute only the distances of these vertices, and end a search when they are final: "
                      "comma-separated ids, or a file with one id per line");
  command->add_option("--pairs", options->pairs,
                      "compute the distance of each pair of vertices: a file with the ids of a source and a target per "
                      "line. --output is a file NAME.npy with one float64 per line");
  command
      ->add_option("--path-sums", options->path_sums,
                   "with --targets or --pairs: also sum a second quantity along the shortest paths, such as metres "
                   "on the fastest route: a graph with the same edges in the same order, and the quantities as integer "
                   "weights. --output is a file NAME.npy of float64 with a row per source, of distances and then sums, "
                   "or per pair")
      ->type_name("GRAPH");
  command
      ->add_option(
          "--reduce", options->reductions,
          "with --sources: compute quantities of each search on the device, instead of distances: " +
              reductions_help() +
              ". May be repeated; --output is a file NAME.npy with a row of float64 per source; nearest writes "
              "distances, then ids of members")
      ->type_name("QUANTITY")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--reverse", options->reverse, "reverse all edges first: distances are then those to the sources");
  command->add_option("--cutoff", options->cutoff, "maximum distance to search for")->check(positive_number(true));
  command
      ->add_option("--memory", options->memory_bytes,
                   "with --sources: device memory for the distances of concurrent searches, such as 8GiB")
      ->transform(size_in_bytes())
      ->type_name("SIZE");
  command
      ->add_option("--shard", options->shard,
                   "with --sources: run only part I of N of the searches, as I/N, such as one task of a job array")
      ->capture_default_str();
  command
      ->add_option("--config", options->configuration,
                   "auto: chosen by the selector; or KEY=VALUE,… or preset=NAME (see docs/reference/parameters.md)")
      ->type_name("CONFIGURATION")
      ->capture_default_str();
  command->add_option("--model", options->model,
                      "model.json that chooses the configuration; shipped: the program's own selector, even if another "
                      "one is installed for the device");
  command
      ->add_option("--device", options->device,
                   "cuda:N, simt, simt:SxW, cpu, cpu:N; auto: a GPU; processors if they are expected to be faster, or "
                   "without a GPU; the simulator without a GPU if an option requires a kernel. With --sources: also "
                   "several devices that share the searches, such as cuda:all; auto: all GPUs, or else processors")
      ->type_name("DEVICE")
      ->capture_default_str();
  command->add_option("--output", options->output,
                      "file for the distances: NAME.txt, a header, then one line VERTEX DISTANCE per vertex, with ids "
                      "as for --source; NAME.csv; NAME.npy; -: the lines on standard output, without the report. With "
                      "--sources: a matrix with one row per source, as NAME.npy, or as a folder NAME/, in which an "
                      "interrupted run resumes");
  command->add_option("--predecessors", options->predecessors,
                      "file for a shortest-path tree: a header, then one line VERTEX PREDECESSOR per vertex, with ids "
                      "as for --source; -: standard output, without the report");
  command->add_option("--repeat", options->repeat, "number of runs; the median time is shown")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  command
      ->add_option(
          "--tries", options->tries,
          "first let the best-ranked configurations answer up to 8 * N searches, from the source and from "
          "random vertices; use the one that is expected to be the fastest, also in later calls with --tries "
          "on this graph. In simulations with 3, it is within 10 % of the best on 94 % of real graphs that the "
          "selector has not seen, and without tries on 88 %")
      ->check(whole_number(1, 1'000));
  command->add_flag("--partition", options->partition,
                    "split the graph into parts in the device's shared memory, if it fits: up to a second of "
                    "preparation, then faster searches");
  add_duration_option(*command, "--time-limit", options->time_limit_ms, {.stored_unit = "ms"}, "time limit per run");
  command->add_option("--seed", options->seed, "seed of the simulator's schedule [1]");
  command->add_flag("--check", options->check, "verify that the answer is optimal");
  CLI::Option* const counters = command->add_flag("--counters", options->counters, "count the work done (slower)");
  command->add_flag("--timings", options->timings,
                    "also print the time, bytes and rate of each step, from opening the file to writing the answer; "
                    "steps may overlap");
  command
      ->add_option("--timeline", options->timeline,
                   "file for a timeline of the work (slower): CSV with vertices read and active warps per interval")
      ->excludes(counters);
  options->results.add_format(*command);
  options->results.add_quiet(*command);
  options->results.add_verbose(*command);
  reads_files(*command, {"--targets", "--pairs", "--path-sums"});
  reads_files(*command, {"--sources"}, {"all"});
  reads_files(*command, {"--model"}, {"shipped"});
  writes_files(*command, {"--output"}, {"searches.txt", "sources.txt", "targets.txt", "distances-*.npy"});
  writes_files(*command, {"--predecessors", "--timeline"});
  takes_no_files(*command, {"--problem", "--source", "--reduce", "--query", "--shard", "--config", "--device"});
  command->callback([command, options, &status] { status = solve(*command, *options); });
}

}  // namespace mlmq::cli
