// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file_writer.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/json_output.hpp"
#include "cli/output_file.hpp"
#include "cli/print_text.hpp"
#include "cli/progress_line.hpp"
#include "cli/record_options.hpp"
#include "cli/result_options.hpp"
#include "cli/status_document.hpp"
#include "cli/usage.hpp"
#include "db/compact.hpp"
#include "db/export.hpp"
#include "db/merge.hpp"
#include "db/query.hpp"
#include "db/status.hpp"
#include "db/store.hpp"
#include "problems/registry.hpp"
#include "tuner/feature_update.hpp"
#include "tuner/import_results.hpp"
#include "tuner/results_file.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::cli {
namespace {

std::optional<std::int64_t> experiment_row(const db::store& store, const std::string& name) {
  if (name.empty()) return std::nullopt;
  return store.find_experiment(name).id;
}

/// Returns the parameters that the sweeps vary. @param experiment  only this one; empty: all
std::vector<std::string> varied_parameters(const db::store& store, const std::string& experiment) {
  std::set<std::string> names;
  for (const db::experiment_row& row : store.experiments()) {
    if (!experiment.empty() && row.name != experiment) continue;
    try {
      const tuner::experiment_file file = tuner::parse_experiment(row.space_text, row.name);
      for (std::string& name : tuner::varied_parameters(file.space)) names.insert(std::move(name));
    } catch (const input_error&) {
      continue;  // an import, or a file of another version
    }
  }
  return {names.begin(), names.end()};
}

struct export_options {
  std::string database = "results.sqlite";
  std::string experiment;
  std::string format = "csv";
  std::string output;
  bool quiet = false;
  code_option code;
};

/// Prints notes about missing results and about samples that were dropped from compact records.
void note_what_is_missing(const db::export_summary& summary) {
  if (!summary.without_result.empty()) {
    print_note("no configuration has a time on {}; {} such inputs in total have no file",
               on_one_line(summary.without_result.front()), summary.without_result.size());
  }
  if (summary.without_samples == 0) return;
  print_note(
      "the samples of {} of {} trials are empty because 'mlmq db compact' dropped them; "
      "'samples_dropped' is their number",
      summary.without_samples, summary.trials);
}

constexpr const char* launches_format = "launches";

/// Returns launch code for the fastest configurations of an experiment.
std::vector<db::exported_file> launch_files(const db::store& store, std::optional<std::int64_t> experiment) {
  const std::vector<db::experiment_row> rows = store.experiments();
  if (!experiment && rows.size() != 1) {
    throw input_error(
        fmt::format("{} has {} experiments; choose one with --experiment", store.file().string(), rows.size()));
  }
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const db::experiment_row& candidate) {
    return !experiment || candidate.id == *experiment;
  });
  const tuner::experiment_file file = tuner::parse_experiment(row->space_text, row->name);
  const problems::problem_entry& problem = problems::find_problem(file.problem);
  if (problem.launch_files == nullptr) {
    throw input_error(fmt::format("the problem '{}' has no launches to export; format {} is for 'problem: kernel'",
                                  file.problem, launches_format));
  }
  return problem.launch_files(file, db::read_status(store, row->id).best);
}

/// Returns whether --output names a folder. @throws input_error for an ending of another format
bool writes_folder(const export_options& options) {
  const output_kind written = options.format == launches_format ? output_kind::other
                              : options.format == "csv"         ? output_kind::csv
                                                                : output_kind::json;
  return kind_of_output("--output", options.output, {written, output_kind::folder}) == output_kind::folder;
}

/// Writes an export to files of a folder, to one file, or to standard output.
class export_output {
 public:
  explicit export_output(const export_options& options)
      : options_(options),
        to_standard_output_(options.output.empty() || is_standard_output(options.output)),
        into_folder_(!to_standard_output_ && writes_folder(options)) {
    if (!into_folder_ && !to_standard_output_) check_output(options.output);
  }

  void write(const std::string& file, std::string_view piece) {
    if (file != name_) {
      if (!name_.empty() && !into_folder_) {
        throw input_error(fmt::format(
            "{}format {} produces several files ({}, {}, …), one per problem, workload, query and device; {}",
            to_standard_output_ ? "" : fmt::format("--output {}: ", options_.output), options_.format, name_, file,
            to_standard_output_ ? "specify a folder with --output" : "add a slash for a folder"));
      }
      if (into_folder_ && name_.empty()) make_output_folder(options_.output);
      finish_file();
      name_ = file;
      if (!to_standard_output_) file_.emplace(path());
    }
    if (file_) {
      file_->write(piece);
    } else if (options_.format == "csv" || options_.format == "nvbench") {
      print_data(piece);
    } else {
      held_ += piece;  // until it is known that no other file follows
    }
  }

  void finish() {
    print_data(held_);
    finish_file();
  }

 private:
  [[nodiscard]] std::filesystem::path path() const {
    return into_folder_ ? std::filesystem::path(options_.output) / name_ : std::filesystem::path(options_.output);
  }

  void finish_file() {
    if (!file_) return;
    file_->commit();
    file_.reset();
    if (!options_.quiet) print_text("{}\n", path().string());
  }

  const export_options& options_;
  bool to_standard_output_ = false;
  bool into_folder_ = false;
  std::string name_;
  std::string held_;
  std::optional<file_writer> file_;
};

void export_database(const export_options& options) {
  const auto store = db::store::open_record(options.database, options.code.code);
  db::trial_filter filter;
  filter.experiment = experiment_row(store, options.experiment);
  note_hidden_trials(db::count_hidden_trials(store, filter.experiment));
  export_output output(options);
  if (options.format == launches_format) {
    for (const db::exported_file& file : launch_files(store, filter.experiment)) output.write(file.name, file.content);
  } else {
    note_what_is_missing(
        db::export_results(store, filter, db::export_format_from(options.format),
                           [&](const std::string& file, std::string_view piece) { output.write(file, piece); }));
  }
  output.finish();
}

struct merge_options {
  std::string output;
  std::vector<std::string> inputs;
  std::string duplicates = "refuse";
};

void merge(const merge_options& options) {
  const std::vector<std::filesystem::path> inputs(options.inputs.begin(), options.inputs.end());
  const db::merge_report report =
      db::merge_databases(options.output, inputs, db::duplicate_rule_from(options.duplicates));
  print_text("{}: {} new trials and {} results of pending trials from {} databases, {} already present, {} replaced\n",
             options.output, report.added, report.finished, report.files, report.already_present, report.replaced);
}

struct import_options {
  std::string output;
  std::vector<std::string> inputs;
  std::string t1;
  std::string kernel;
  std::string device;
  std::string workload;
};

void import_files(const import_options& options) {
  std::optional<tuner::t1_input> t1;
  if (!options.t1.empty()) t1 = tuner::read_t1_input(options.t1);
  // Read all files before opening the database for writing.
  std::vector<tuner::results_file> files;
  for (const std::string& name : options.inputs) {
    tuner::results_file& read = files.emplace_back(tuner::read_results_file(name));
    if (t1) {
      tuner::convert_to_types(read, *t1);
      if (!t1->kernel.empty()) read.kernel = t1->kernel;
      if (read.problem.empty()) read.problem = t1->problem;
    }
    if (!options.kernel.empty()) read.kernel = options.kernel;
    if (!options.device.empty()) read.device = options.device;
    if (!options.workload.empty()) read.problem = options.workload;
  }
  auto store = db::store::open(options.output, db::open_mode::read_write_create);
  for (const tuner::results_file& read : files) {
    const tuner::import_report report = tuner::import_results(store, read, t1 ? &*t1 : nullptr);
    print_text("{}: {} of {} on {}: {} new trials, {} of them failed; {} already present\n", read.file.string(),
               read.format, read.kernel, read.device, report.added, report.failed, report.already_present);
  }
}

struct compact_options {
  std::string output;
  std::vector<std::string> inputs;
  bool timelines = false;
};

void compact(const compact_options& options) {
  check_replaceable_output(options.output);
  const std::vector<std::filesystem::path> inputs(options.inputs.begin(), options.inputs.end());
  const db::compact_report report = db::compact_databases(
      options.output, inputs, options.timelines ? db::kept_timelines::all : db::kept_timelines::none);
  print_text("{}: {} finished trials, {:.1f} MB; {} samples dropped\n", options.output, report.trials,
             static_cast<double>(report.bytes) / 1e6, report.samples);
}

struct feature_options {
  std::string database;
  std::vector<std::string> workloads;
  std::string problem;
};

void complete_features(const feature_options& options) {
  std::error_code ignored;
  if (!std::filesystem::exists(options.database, ignored))
    throw input_error(options.database + ": there is no such database");
  // Check the workloads before opening the database for writing.
  const std::unique_ptr<tuner::problem> problem =
      problems::make_problem(problem_of_workloads(options.database, options.problem));
  const tuner::workload_kind& kind = problem->workloads();
  const std::vector<tuner::workload_input> inputs = tuner::list_workloads(kind, options.workloads);
  auto store = db::store::open(options.database, db::open_mode::read_write_create);
  progress_line line;
  std::size_t seen = 0;
  const tuner::feature_update_report report = tuner::update_features(store, kind, inputs, [&](const std::string& name) {
    ++seen;
    if (line.due()) line.show({.done = seen, .total = inputs.size(), .unit = "workloads", .details = name});
  });
  line.end();
  for (const std::string& name : report.others)
    print_text("{}: the workload with this name in {} has different content and was not updated\n", on_one_line(name),
               options.database);
  print_text("{}: {} workloads, {} features added, {} changed\n", options.database, report.workloads, report.added,
             report.changed);
  if (!report.missing.empty()) {
    print_text("not among the given workloads, not updated: {}\n",
               on_one_line(fmt::format("{}", fmt::join(report.missing, ", "))));
  }
}

}  // namespace

void add_db_commands(CLI::App& app) {
  CLI::App* const group = app.add_subcommand("db", "Inspect, merge and export result databases");
  group->require_subcommand(1);

  struct reading {
    std::string database = "results.sqlite";
    std::string experiment;
    std::string sql;
    std::string format = "table";
    result_options results;
    code_option code;
  };
  CLI::App* const status = group->add_subcommand("status", "Show the progress and best results of sweeps");
  const auto state = std::make_shared<reading>();
  status->add_option("database", state->database, "database file")->capture_default_str();
  status->add_option("--experiment", state->experiment, "only this experiment");
  state->results.add_format(*status);
  state->results.add_verbose(*status);
  state->code.add_to(*status);
  reads_files(*status, {"database"});
  takes_no_files(*status, {"--experiment"});
  status->callback([state] {
    const auto store = db::store::open_record(state->database, state->code.code);
    if (state->results.as_json()) {
      return print_document(status_document(db::read_status(store, experiment_row(store, state->experiment))));
    }
    const std::vector<std::string> varied = varied_parameters(store, state->experiment);
    print_text("{}", db::render(db::read_status(store, experiment_row(store, state->experiment)),
                                [&](const std::string& label) { return state->results.shown(label, varied); }));
  });

  CLI::App* const query = group->add_subcommand("query", "Run an SQL query; see the views result and relative");
  const auto question = std::make_shared<reading>();
  query->add_option("sql", question->sql, "one SELECT statement")->required();
  query->add_option("database", question->database, "database file")->capture_default_str();
  query->add_option("--format", question->format, "output format")
      ->check(one_of({"table", "csv", "json"}))
      ->capture_default_str();
  reads_files(*query, {"database"});
  takes_no_files(*query, {"sql"});
  question->code.add_to(*query);
  query->callback([question] {
    const auto format = db::table_format_from(question->format);
    const auto store = db::store::open_record(question->database, question->code.code);
    note_hidden_trials(db::count_hidden_trials(store));
    print_data(db::render(db::run_query(store, question->sql), format));
  });

  CLI::App* const output = group->add_subcommand(
      "export", "Export results as CSV, Kernel Tuner cache, T4 or nvbench JSON, or as launch code");
  const auto export_settings = std::make_shared<export_options>();
  output->add_option("database", export_settings->database, "database file")->capture_default_str();
  output->add_option("--experiment", export_settings->experiment, "only this experiment");
  output->add_option("--format", export_settings->format, "output format")
      ->check(one_of({"csv", "kernel-tuner-cache", "t4", "nvbench", launches_format}))
      ->capture_default_str();
  output->add_option("--output", export_settings->output,
                     "file, or folder for several files; -: standard output [standard output]");
  export_settings->code.add_to(*output);
  output->add_flag("--quiet", export_settings->quiet, "do not print the names of the written files");
  reads_files(*output, {"database"});
  writes_files(*output, {"--output"}, {"*.csv", "*.json", "*.hpp"});
  takes_no_files(*output, {"--experiment"});
  output->callback([export_settings] { export_database(*export_settings); });

  CLI::App* const together =
      group->add_subcommand("merge", "Merge other databases, such as shards of a sweep, into one");
  const auto parts = std::make_shared<merge_options>();
  together->add_option("output", parts->output, "database; created if missing")->required();
  together->add_option("inputs", parts->inputs, "databases to add; not modified")->required();
  together
      ->add_option("--duplicates", parts->duplicates, "result to keep if a trial has two different ones; refuse: fail")
      ->check(one_of({"refuse", "earliest", "latest"}))
      ->capture_default_str();
  reads_files(*together, {"inputs"});
  writes_files(*together, {"output"});
  together->callback([parts] { merge(*parts); });

  CLI::App* const imported =
      group->add_subcommand("import", "Add the results of other auto-tuners: Kernel Tuner cache files and T4 results");
  const auto imports = std::make_shared<import_options>();
  imported->add_option("output", imports->output, "database; created if missing")->required();
  imported->add_option("inputs", imports->inputs, "cache files and T4 results (JSON, also gzip); not modified")
      ->required();
  imported->add_option("--t1", imports->t1, "T1 input of these files: parameters and conditions of their space");
  imported->add_option("--kernel", imports->kernel, "name of the kernel [as recorded, else from the input's path]");
  imported->add_option("--device", imports->device, "name of the device [as recorded, else from the input's name]");
  imported->add_option("--workload", imports->workload, "name of the kernel's input [the recorded problem size]");
  reads_files(*imported, {"inputs", "--t1"});
  writes_files(*imported, {"output"});
  takes_no_files(*imported, {"--kernel", "--device", "--workload"});
  imported->callback([imports] { import_files(*imports); });

  CLI::App* const smaller = group->add_subcommand(
      "compact", "Copy finished trials without their samples into a new, small database, for training and archiving");
  const auto compact_settings = std::make_shared<compact_options>();
  smaller
      ->add_option("output", compact_settings->output,
                   "database to create; compressed if it ends in .gz, sorted text if in .trials")
      ->required();
  smaller->add_option("inputs", compact_settings->inputs, "databases to copy from; not modified")->required();
  smaller->add_flag("--timelines", compact_settings->timelines, "keep timelines, which some figures show");
  reads_files(*smaller, {"inputs"});
  writes_files(*smaller, {"output"});
  smaller->callback([compact_settings] { compact(*compact_settings); });

  CLI::App* const features =
      group->add_subcommand("features", "Recompute the features of recorded workloads; measurements are kept");
  const auto completed = std::make_shared<feature_options>();
  features->add_option("database", completed->database, "database file")->required();
  features
      ->add_option("--workloads", completed->workloads,
                   "lists (.yaml), files, patterns, folders or generator names, as for sweep; workloads that are not "
                   "recorded are skipped")
      ->required();
  features->add_option("--problem", completed->problem, "a problem with this kind of workload [any]");
  reads_files(*features, {"--workloads"});
  writes_files(*features, {"database"});
  takes_no_files(*features, {"--problem"});
  features->callback([completed] { complete_features(*completed); });
}

}  // namespace mlmq::cli
