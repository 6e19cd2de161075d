// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/interruption.hpp"
#include "cli/json_output.hpp"
#include "cli/print_text.hpp"
#include "cli/progress_line.hpp"
#include "cli/record_options.hpp"
#include "cli/result_options.hpp"
#include "cli/sweep_run.hpp"
#include "cli/usage.hpp"
#include "db/format.hpp"
#include "problems/registry.hpp"
#include "tuner/verify.hpp"

namespace mlmq::cli {
namespace {

struct verify_arguments {
  std::string database;
  std::string experiment;
  tuner::verify_options options;
  result_options results;
  code_option code;
};

std::string remark(const tuner::verified_trial& trial) {
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (trial.outcome_differs) add("OUTCOME DIFFERS");
  if (trial.time_differs) add("time differs");
  if (trial.work_differs) add("work differs");
  if (!trial.incomparable.empty()) add(trial.incomparable + ": times not compared");
  return text.empty() ? "same" : text;
}

void print_trials(const tuner::verification& result, const result_options& display) {
  db::table rows;
  rows.columns = {"trial", "workload", "query", "measurement", "on record",
                  "now",   "ms",       "ratio", "outside by",  "result"};
  for (const tuner::verified_trial& trial : result.trials) {
    const auto number = [](const char* format, std::optional<double> value) {
      return value ? db::cell{db::cell_kind::real, fmt::format(fmt::runtime(format), *value)} : db::cell{};
    };
    rows.rows.push_back({db::count_cell(static_cast<std::size_t>(trial.recorded.id)), db::text_cell(trial.workload),
                         db::text_cell(trial.recorded.query), db::text_cell(trial.recorded.measurement),
                         db::text_cell(std::string(db::to_string(trial.recorded.result))),
                         db::text_cell(std::string(db::to_string(trial.new_outcome))),
                         number("{:.4g}", trial.recorded.median_ms), number("{:.3f}", trial.ratio),
                         number("{:.1f} %", trial.ratio ? std::optional(100 * trial.beyond) : std::nullopt),
                         db::text_cell(remark(trial))});
  }
  print_text("{}", db::render(rows, db::table_format::aligned));
  for (const tuner::verified_trial& trial : result.trials) {
    if (!trial.outcome_differs && trial.new_outcome != db::outcome::wrong_answer) continue;
    print_text("trial {}: {}{}{}\n", trial.recorded.id, display.shown(trial.configuration),
               trial.message.empty() ? "" : ": ", on_one_line(trial.message));
  }
}

void print_counts(const tuner::verification& result) {
  std::size_t compared = 0;
  for (const tuner::verified_trial& trial : result.trials) compared += trial.ratio ? 1 : 0;
  print_text(
      "{} of {} finished trials run again; wrong answers: {}, different outcomes: {}, different times: {} of {}, "
      "different "
      "work: {}\n",
      result.trials.size(), result.recorded, result.wrong_answers(),
      result.count(&tuner::verified_trial::outcome_differs), result.count(&tuner::verified_trial::time_differs),
      compared, result.count(&tuner::verified_trial::work_differs));
  for (const auto& [reason, count] : result.skipped) print_text("skipped: {} {}\n", count, reason);
}

json_document verification_document(const std::string& database, const tuner::verification& result,
                                    const db::hidden_trials& hidden) {
  json_document document = begin_document("verify");
  document["database"] = database;
  document["recorded"] = result.recorded;
  document["other_code"] = other_code_document(hidden);
  document["same"] = !result.failed();
  document["interrupted"] = result.interrupted;
  document["wrong_answers"] = result.wrong_answers();
  document["different_outcomes"] = result.count(&tuner::verified_trial::outcome_differs);
  document["different_times"] = result.count(&tuner::verified_trial::time_differs);
  document["compared_times"] =
      std::ranges::count_if(result.trials, [](const tuner::verified_trial& trial) { return trial.ratio.has_value(); });
  document["different_work"] = result.count(&tuner::verified_trial::work_differs);
  document["skipped"] = json_document::object();
  for (const auto& [reason, count] : result.skipped) document["skipped"][reason] = count;
  document["trials"] = json_document::array();
  for (const tuner::verified_trial& verified : result.trials) {
    json_document trial{{"trial", verified.recorded.id},
                        {"workload", verified.workload},
                        {"query", verified.recorded.query},
                        {"configuration", verified.configuration},
                        {"measurement", verified.recorded.measurement},
                        {"device", verified.device},
                        {"recorded_outcome", db::to_string(verified.recorded.result)},
                        {"outcome", db::to_string(verified.new_outcome)}};
    if (!verified.message.empty()) trial["message"] = verified.message;
    if (verified.recorded.median_ms) trial["recorded_median_ms"] = *verified.recorded.median_ms;
    if (verified.ratio) {
      trial["ratio"] = *verified.ratio;
      trial["outside_by"] = verified.beyond;
    }
    if (!verified.incomparable.empty()) trial["incomparable"] = verified.incomparable;
    trial["differs"] = json_document::array();
    if (verified.outcome_differs) trial["differs"].push_back("outcome");
    if (verified.time_differs) trial["differs"].push_back("time");
    if (verified.work_differs) trial["differs"].push_back("work");
    document["trials"].push_back(std::move(trial));
  }
  return document;
}

int run_verify(verify_arguments& arguments) {
  const auto store = db::store::open_record(arguments.database, arguments.code.code);
  tuner::verify_options& options = arguments.options;
  if (!arguments.experiment.empty()) options.experiment = store.find_experiment(arguments.experiment).id;
  options.worker_command = sweep_worker_command();
  options.worker_environment =
      sweep_worker_environment(options.device.empty() || backends::traits_of(options.device).grid);
  options.make_problem = problems::make_problem;
  options.problem_of = problems::problem_of;
  options.file_options = {{"negative_weights", "absolute"}};  // like --negative-weights of 'sweep' and 'tune'
  options.stop_requested = interrupted;
  progress_line line(arguments.results.quiet);
  options.on_progress = [&line](const tuner::sweep_progress& now) {
    if (!line.due()) return;
    line.show({.done = now.done,
               .total = now.total,
               .unit = "trials",
               .details = now.waiting.empty() ? "" : "waiting for " + now.waiting});
  };
  // Ctrl-C ends the verification after the running trials.
  note_interruptions();
  const db::hidden_trials hidden = db::count_hidden_trials(store, options.experiment);
  const tuner::verification result = tuner::verify_recorded(store, options);
  line.end();
  note_hidden_trials(hidden);
  if (result.trials.empty()) {
    std::string reasons = result.interrupted ? "stopped" : "";
    for (const auto& [reason, count] : result.skipped)
      reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", count, reason);
    throw work_error(fmt::format("{}: nothing was compared: {}", arguments.database,
                                 reasons.empty() ? "no finished trials" : reasons));
  }
  if (arguments.results.as_json()) {
    print_document(verification_document(arguments.database, result, hidden));
  } else if (!arguments.results.quiet) {
    print_trials(result, arguments.results);
    print_counts(result);
    if (result.interrupted) print_text("stopped before the end\n");
  }
  if (!result.failed()) return result.interrupted ? exit_failed : exit_ok;
  std::fflush(stdout);  // print the table before the error
  throw work_error(arguments.database + ": the new measurements differ from the record; see the table");
}

}  // namespace

void add_verify_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand(
      "verify", "Repeat a random sample of recorded trials, and compare answers, outcomes and times with the record");
  const auto arguments = std::make_shared<verify_arguments>();
  tuner::verify_options& options = arguments->options;
  command->add_option("database", arguments->database, "database, also compressed (.gz); not modified")->required();
  command->add_option("--sample", options.sample, "number of trials to repeat")
      ->check(whole_number(1))
      ->capture_default_str();
  command->add_option("--seed", options.seed, "seed of the random sample")->capture_default_str();
  command->add_option("--experiment", arguments->experiment, "only trials of this experiment");
  command
      ->add_option("--device", options.device,
                   "cuda:N, simt, simt:SxW, cpu or cpu:N; on a device other than the recorded one, only answers are "
                   "compared [the recorded device]")
      ->type_name("DEVICE");
  command->add_option("--workloads", options.workloads,
                      "new locations of moved workloads: files, patterns, folders or lists (.yaml)");
  command->add_option("--tolerance", options.tolerance, "allowed relative deviation of a measured time")
      ->check(positive_number())
      ->capture_default_str();
  add_duration_option(*command, "--grace", options.grace_s, {.stored_unit = "s"},
                      "grace period of workers, as for 'mlmq sweep'");
  arguments->results.add_format(*command);
  add_no_commands_option(*command);
  arguments->results.add_quiet(*command);
  arguments->results.add_verbose(*command);
  arguments->code.add_to(*command);
  reads_files(*command, {"database", "--workloads"});
  takes_no_files(*command, {"--experiment", "--device"});
  command->callback([arguments, &status] { status = run_verify(*arguments); });
}

}  // namespace mlmq::cli
