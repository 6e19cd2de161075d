// SPDX-License-Identifier: Apache-2.0
// Runs the sweep of an experiment file and reports on it, for 'mlmq sweep', 'mlmq tune' and 'mlmq reproduce'.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tuner/plan_size.hpp"
#include "tuner/sweep_plan.hpp"
#include "tuner/sweep_statistics.hpp"

namespace mlmq::cli {

/// Output of a sweep on standard output. Progress and notes go to standard error.
enum class sweep_report {
  summary,   ///< full summary as text
  line,      ///< one line
  document,  ///< JSON: mlmq/sweep
  none,
};

struct sweep_run_options {
  std::string space;  ///< experiment file
  std::string database = "results.sqlite";
  std::vector<std::string> workloads;      ///< override the experiment's; may be empty
  std::string negative_weights = {};       ///< for files: absolute or refuse; empty: as in their entries
  bool leave_out_negative = false;         ///< leave out graphs with negative weights instead of rejecting them
  bool leave_out_unfit = false;            ///< leave out configurations that the devices cannot run
  tuner::workload_cache* cache = nullptr;  ///< for several sweeps of the same workloads; may be null
  bool tell_notes = true;                  ///< print notes about the workloads to standard error
  std::string device = "auto";
  std::string shard = "1/1";
  std::string shard_by = "trials";  ///< or "workloads"
  std::string retry = {};  ///< outcomes whose trials are measured again, see tuner::parse_failures; empty: none
  std::uint64_t limit = tuner::default_most_trials;  ///< maximum number of trials per kind of device
  bool dry_run = false;                              ///< print the size of the sweep without measuring
  unsigned workers = 0;
  double grace = 10;  ///< seconds; see tuner::supervisor_options
  sweep_report report = sweep_report::summary;
  std::function<void()> on_planned = {};  ///< called after the plan has been recorded, before the first trial
  double seconds = 0;                     ///< time limit, after which the running trials are finished; 0: none
  bool quiet = false;                     ///< no progress and no summary
  bool verbose = false;                   ///< configurations in full
};

/// Returns the file of this program, to start further processes.
[[nodiscard]] std::string this_program();
/// Lets all backends compile in further processes of this program. Call it before the first compilation.
void compile_in_processes();
/// Returns the command that starts a worker of a sweep.
[[nodiscard]] std::vector<std::string> sweep_worker_command();
/// Returns environment variables for workers: they share this process's cache of compiled code, which may be a
/// temporary folder. @param compiles false: the workers compile nothing, and no cache folder is needed
[[nodiscard]] std::map<std::string, std::string> sweep_worker_environment(bool compiles);

/// Runs the missing trials and prints progress and the report. Returns an empty outcome for a dry run.
/// @throws input_error for invalid options, before a database is created; work_error
[[nodiscard]] tuner::sweep_outcome run_sweep(const sweep_run_options& options);

/// Adds --no-commands, which refuses commands of experiment files in this process and its workers.
void add_no_commands_option(CLI::App& command);

/// Adds --device, --workers, --grace and --no-commands.
///
/// @param options    must outlive the command line
/// @param automatic  meaning of the device "auto", for --help
void add_sweep_device_options(CLI::App& command, sweep_run_options& options, const std::string& automatic);

}  // namespace mlmq::cli
