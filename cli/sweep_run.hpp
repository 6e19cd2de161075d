// SPDX-License-Identifier: Apache-2.0
// Running the sweep of an experiment file and telling a person about it: what 'mlmq sweep' and 'mlmq reproduce' share.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "db/records.hpp"
#include "tuner/plan_size.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::cli {

/// What is on standard output at the end of a sweep. Progress and notes are on standard error.
enum class sweep_report {
  summary,   ///< for a person
  line,      ///< one line about what was measured
  document,  ///< JSON: mlmq/sweep
  none,
};

struct sweep_run_options {
  std::string space;  ///< experiment file
  std::string database = "results.sqlite";
  std::vector<std::string> workloads;  ///< instead of the experiment's; may be empty
  std::string negative_weights = {};   ///< of files: absolute or refuse; empty: as their entries say
  bool leave_out_negative = false;     ///< graphs with negative weights are left out, not refused
  bool leave_out_unfit = false;  ///< configurations that the devices cannot run are left out, not recorded as failed
  bool tell_notes = true;              ///< what to know of the workloads, on standard error
  std::string device = "auto";
  std::string shard = "1/1";
  std::string shard_by = "trials";  ///< or "workloads"
  std::string retry = {};  ///< outcomes whose trials are measured again, see tuner::parse_failures; empty: none
  std::uint64_t limit = tuner::default_most_trials;  ///< most trials on one kind of device
  bool dry_run = false;                              ///< only says how much there is to measure
  unsigned workers = 0;
  double grace = 10;  ///< seconds; see tuner::supervisor_options
  sweep_report report = sweep_report::summary;
  std::function<void()> on_planned = {};  ///< called when the plan is recorded, before the first trial
  double seconds = 0;    ///< after so long the trials at hand are finished and the sweep ends; 0: never
  bool quiet = false;    ///< no progress and no summary
  bool verbose = false;  ///< configurations in full
};

/// What a sweep was about, and how far it is.
struct sweep_run {
  std::string experiment;                  ///< its name
  std::string problem;                     ///< "sssp", …
  std::vector<std::string> workloads;      ///< content hashes, in the order of the experiment
  std::vector<std::string> left_out;       ///< files of workloads that were left out
  std::vector<db::device_record> devices;  ///< one for each worker
  std::vector<tuner::unfit_configuration> unfit;  ///< that were left out
  std::size_t total = 0;                   ///< trials of the experiment
  std::size_t done = 0;                    ///< of these, finished now
  std::size_t failed = 0;                  ///< of these, without a right answer, also in earlier runs
  std::size_t measured = 0;                ///< of these, in this run
  std::size_t elsewhere = 0;               ///< of these, being measured by another sweep
  bool interrupted = false;                ///< by Ctrl-C
  bool out_of_time = false;                ///< by sweep_run_options::seconds
};

/// What starts a worker of a sweep.
[[nodiscard]] std::vector<std::string> sweep_worker_command();
/// What is set in its environment: all workers keep compiled code where this process does, also in a temporary folder of
/// its own. @param compiles false: they compile nothing, and no folder is looked for
[[nodiscard]] std::map<std::string, std::string> sweep_worker_environment(bool compiles);

/// Runs what the database lacks; prints progress and what `report` asks for. Empty for a dry run.
/// @throws input_error for a mistake in what is asked for, before a database is made; work_error
[[nodiscard]] sweep_run run_sweep(const sweep_run_options& options);

}  // namespace mlmq::cli
