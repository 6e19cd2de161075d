// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/graph_source.hpp"
#include "cli/interruption.hpp"
#include "cli/output_file.hpp"
#include "cli/print_text.hpp"
#include "cli/progress_line.hpp"
#include "cli/shipped_files.hpp"
#include "cli/sweep_run.hpp"
#include "cli/usage.hpp"
#include "problems/compare/comparison.hpp"
#include "problems/compare/peer.hpp"
#include "problems/registry.hpp"
#include "tuner/measurement.hpp"

namespace mlmq::cli {
namespace {

/// Replaces this process, which has lost its device, by a new instance of the program with these arguments (the first
/// one is the name). The trial that lost the device must have been recorded, or the program would restart forever.
/// @throws std::runtime_error if the program cannot be started
void start_again(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::fflush(nullptr);
  ::execv("/proc/self/exe", argv.data());
  throw std::runtime_error("the device was lost and the program could not restart itself; rerun the command");
}

struct compare_options {
  std::vector<std::string> workloads;
  std::string peers;
  std::string configurations;
  std::string competitors;
  std::string devices = "auto,cpu";
  std::string database = "results.sqlite";
  std::string problem = default_graph_problem();
  std::string name = "compare";
  std::string format = "table";
  std::string output = "/dev/stdout";
  std::string negative_weights;  ///< for graph files: absolute or refuse; empty: as in their entries
  std::optional<std::uint64_t> repeats;
  double budget_s = 0;  ///< 0: no limit
  double grace_s = compare::comparison_options().grace_s;
  bool quiet = false;
  bool verbose = false;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

  [[nodiscard]] double elapsed_s() const { return milliseconds_since(start) / 1000; }
};

/// Returns the path of a shipped experiment file.
std::string shipped_file(const std::string& name, const char* option) {
  const std::filesystem::path file = shipped_folder() / "experiments" / name;
  if (std::filesystem::exists(file)) return file.string();
  throw input_error(fmt::format("{} does not exist; specify another file with {}", file.string(), option));
}

/// Loads the peers; null: none.
std::unique_ptr<compare::peer_list> usable_peers(const compare_options& options) {
  if (options.peers == "none") return nullptr;
  const compare::peer_entry* const entry = compare::peers_of(options.problem);
  if (entry == nullptr && options.peers.empty()) return nullptr;
  if (entry == nullptr) {
    throw input_error(fmt::format("--peers {}: the problem '{}' has no peers", options.peers, options.problem));
  }
  const std::string file = options.peers.empty() ? shipped_file(entry->file, "--peers") : options.peers;
  return entry->load(file, options.problem);
}

/// Loads the given experiment file, or the shipped one if `path` is empty. Problems with the same workload kind may
/// share a file. @throws input_error for a file with another workload kind
tuner::experiment_file load_file(const std::string& path, std::string_view shipped, const char* option,
                                 const tuner::problem& problem) {
  tuner::experiment_file file =
      tuner::load_experiment(path.empty() ? shipped_file(std::string(shipped), option) : path);
  const problems::problem_entry* const written_for = problems::known_problem(file.problem);
  if (written_for == nullptr || written_for->make()->workloads().name() != problem.workloads().name()) {
    throw input_error(fmt::format("{}an experiment for the problem '{}' cannot be used to compare '{}'",
                                  file.problem_place.prefix(), file.problem, problem.name()));
  }
  return file;
}

/// Loads the short list and the competitors.
void load_files(const compare_options& options, const tuner::problem& problem, compare::comparison_options& settings) {
  if (options.configurations.empty() && settings.rules.short_list.empty()) {
    throw input_error(
        fmt::format("the problem '{}' has no default short list; specify one with --configurations", problem.name()));
  }
  settings.configurations = load_file(options.configurations, settings.rules.short_list, "--configurations", problem);
  if (options.repeats) settings.configurations.measurement.repeats = *options.repeats;
  if (options.competitors.empty() && settings.rules.competitors.empty()) return;
  settings.competitors = load_file(options.competitors, settings.rules.competitors, "--competitors", problem);
}

/// Prints the table. Notes follow it in formats for people; otherwise they go to standard error.
void print(const compare_options& options, const compare::comparison_result& result, const std::string& work_name,
           const std::vector<std::string>& notes) {
  const compare::comparison_format format = compare::comparison_format_from(options.format);
  std::string text = compare::render(compare::make_table(result.rows, work_name), format);
  std::string remarks;
  for (const std::string& note : notes)
    remarks += (format == compare::comparison_format::markdown ? "- " : "") + on_one_line(note) + "\n";
  const bool table_alone = format == compare::comparison_format::csv || format == compare::comparison_format::json ||
                           is_standard_output(options.output);
  if (!table_alone) {
    text += "\n" + remarks;
  } else {
    print_text(stderr, "{}", remarks);
  }
  if (options.output == "/dev/stdout") {
    print_data(text);
  } else {
    try {
      write_output(options.output, text);
    } catch (const std::exception&) {
      print_data(text);  // do not lose hours of work to a full disk
      throw;
    }
  }
}

/// Makes the problem; one that experiment files define comes from the file of --configurations.
std::unique_ptr<tuner::problem> problem_to_compare(const problems::problem_entry& entry,
                                                   const compare_options& options) {
  if (entry.make_defined == nullptr) return entry.make();
  if (options.configurations.empty()) {
    throw input_error(
        fmt::format("the problem '{}' is defined by an experiment file: name it with --configurations, with a list of "
                    "'configurations' to measure in turn",
                    entry.name));
  }
  return entry.make_defined(tuner::load_experiment(options.configurations));
}

int run_compare(const compare_options& options) {
  const compare::comparison_format format = compare::comparison_format_from(options.format);
  if (format == compare::comparison_format::csv || format == compare::comparison_format::json) {
    (void)kind_of_output("--output", options.output,
                         {format == compare::comparison_format::csv ? output_kind::csv : output_kind::json});
  } else {
    (void)kind_of_output("--output", options.output, {output_kind::text, output_kind::other});
  }
  if (options.output != "/dev/stdout") check_output(options.output);
  const problems::problem_entry& entry = problems::find_problem(options.problem);
  const auto problem = problem_to_compare(entry, options);
  compare::comparison_options settings;
  settings.name = options.name;
  settings.workloads = options.workloads;
  settings.devices = split(options.devices, ',');
  if (!options.negative_weights.empty()) settings.file_options = {{"negative_weights", options.negative_weights}};
  settings.rules = entry.comparison;
  settings.recommended_for = &entry;
  settings.grace_s = options.grace_s;
  settings.full_configurations = options.verbose;
  load_files(options, *problem, settings);
  const std::unique_ptr<compare::peer_list> peers = usable_peers(options);
  settings.peers = peers.get();
  compare::check_comparison(*problem, settings);

  auto store = db::store::open(options.database, db::open_mode::read_write_create);
  progress_line line(options.quiet);
  settings.stop_requested = [&options, &store] {
    return !store.is_in_place() || interrupted() || (options.budget_s > 0 && options.elapsed_s() > options.budget_s);
  };
  settings.on_progress = [&line](double share_done, const std::string& text) {
    if (!line.due()) return;
    const auto percent = static_cast<std::size_t>(100 * share_done);
    line.show({.done = percent, .unit = "%", .details = text, .share_done = share_done});
  };
  // Ctrl-C ends the comparison after the current run, or aborts the run after --grace if possible.
  note_interruptions();
  const compare::comparison_result result = compare::run_comparison(*problem, store, settings);
  line.end();
  std::vector<std::string> notes;
  if (peers) notes.assign(peers->notes().begin(), peers->notes().end());
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  const std::vector<std::string> remarks = compare::table_notes(result.rows);
  notes.insert(notes.end(), remarks.begin(), remarks.end());
  const bool is_saved = store.is_in_place();
  const bool by_budget = is_saved && result.interrupted && !interrupted();
  if (by_budget) {
    notes.emplace_back("the --budget is spent: the table has the finished rounds; rerun this command to continue");
  } else if (is_saved && result.interrupted) {
    notes.emplace_back("stopped; rerun this command to continue");
  }
  print(options, result, problem->work().name, notes);
  if (!is_saved) {
    std::fflush(stdout);  // print the table before the error
    store.require_in_place();
  }
  if (result.failure) std::rethrow_exception(result.failure);
  return result.interrupted && !by_budget ? exit_failed : exit_ok;
}

std::vector<std::string> arguments_of(const compare_options& options) {
  std::vector<std::string> arguments = {
      "mlmq",          "compare", "--device",   options.devices, "--db",         options.database, "--problem",
      options.problem, "--name",  options.name, "--format",      options.format, "--output",       options.output};
  const auto add = [&arguments](const char* option, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {option, value});
  };
  add("--peers", options.peers);
  add("--configurations", options.configurations);
  add("--competitors", options.competitors);
  add("--negative-weights", options.negative_weights);
  if (options.quiet) arguments.emplace_back("--quiet");
  if (options.verbose) arguments.emplace_back("--verbose");
  if (options.repeats) add("--repeats", std::to_string(*options.repeats));
  add("--grace", fmt::format("{}s", options.grace_s));
  constexpr double least_budget_s = 0.06;
  if (options.budget_s > 0)
    add("--budget", fmt::format("{}s", std::max(least_budget_s, options.budget_s - options.elapsed_s())));
  if (!options.workloads.empty()) arguments.emplace_back("--workloads");
  arguments.insert(arguments.end(), options.workloads.begin(), options.workloads.end());
  return arguments;
}

}  // namespace

void add_compare_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand(
      "compare", "Benchmark mlmq against competitors and external programs, interleaving the runs; rerun to resume");
  const auto options = std::make_shared<compare_options>();
  command->add_option("--workloads", options->workloads,
                      "files, patterns, folders or generator names, instead of the workloads of the experiment file");
  command
      ->add_option("--negative-weights", options->negative_weights,
                   "absolute: take the absolute values of negative weights in graph files; refuse: skip such files; an "
                   "entry of the experiment file that specifies otherwise is an error [as specified by each file's "
                   "entry, or else refuse]")
      ->check(one_of({"absolute", "refuse"}));
  command->add_option("--device", options->devices, "comma-separated devices: auto, cuda:N, simt, simt:SxW, cpu, cpu:N")
      ->type_name("DEVICE")
      ->capture_default_str();
  command->add_option("--peers", options->peers,
                      "file of external programs (docs/guide/compare.md), or none [the problem's, if any]");
  command->add_option(
      "--configurations", options->configurations,
      "experiment file with mlmq's short list, the workloads and the measurement settings [the problem's, if any]");
  command->add_option("--competitors", options->competitors,
                      "experiment file with the parameter sets of the competitors [the problem's, if any]");
  command->add_option("--db", options->database, "database; created if missing")->capture_default_str();
  command->add_option("--problem", options->problem, "problem to compare; 'mlmq problems' lists them")
      ->type_name("PROBLEM")
      ->capture_default_str();
  command->add_option("--repeats", options->repeats, "number of rounds, instead of the experiment file's")
      ->check(whole_number(1, 1'000'000));
  add_duration_option(
      *command, "--budget", options->budget_s, {.stored_unit = "s"},
      "time limit for all rounds; the table then has the finished rounds, and rerunning the command resumes");
  add_duration_option(
      *command, "--grace", options->grace_s, {.stored_unit = "s"},
      "time allowed for the current run to finish after Ctrl-C or --budget, before the simulator ends it");
  command->add_option("--name", options->name, "name of the experiment; a new name starts new measurements")
      ->capture_default_str();
  command->add_option("--format", options->format, "format of the table")
      ->check(one_of({"table", "markdown", "csv", "json"}))
      ->capture_default_str();
  command
      ->add_option("--output", options->output, "file for the table; -: standard output, with notes on standard error")
      ->capture_default_str();
  command->add_flag("--quiet", options->quiet, "do not show progress");
  command->add_flag("--verbose", options->verbose, "print configurations in full, including default values");
  reads_files(*command, {"--workloads", "--configurations", "--competitors"});
  reads_files(*command, {"--peers"}, {"none"});
  writes_files(*command, {"--db", "--output"});
  takes_no_files(*command, {"--device", "--problem", "--name"});
  command->callback([options, &status] {
    compile_in_processes();
    try {
      status = run_compare(*options);
    } catch (const tuner::device_lost& lost) {
      print_text(stderr, "mlmq: the device was lost ({}); continuing in a new process\n", lost.what());
      start_again(arguments_of(*options));
    }
  });
}

}  // namespace mlmq::cli
