// SPDX-License-Identifier: Apache-2.0
// Reads all finished trials of a database, for reports on the whole record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/code.hpp"
#include "db/sessions.hpp"
#include "db/store.hpp"
#include "db/text_pool.hpp"

namespace mlmq::db {

/// Its texts belong to the record.
struct finished_trial {
  std::int64_t id = 0;
  std::int64_t workload = 0;
  std::int64_t configuration = 0;
  std::int64_t device = 0;
  std::string_view query;
  std::string_view measurement;  ///< "time", "counters", "timeline", "hardware" or "energy"
  outcome result = outcome::ok;
  std::string_view message;         ///< one-line description of a failure
  std::optional<double> median_ms;  ///< only for a timed trial that is ok
  double spread = 0;                ///< interquartile range / median
  std::size_t samples = 0;          ///< stored ones
  std::size_t counters = 0;         ///< stored ones
  bool times_modelled = false;
  double compile_ms = 0;  ///< wall time of the parts of the trial
  double upload_ms = 0;
  double measure_ms = 0;
  double check_ms = 0;
  std::string_view finished_at;  ///< ISO 8601, UTC; whole seconds in a compact record
  std::string_view
      environment_json;  ///< clocks, temperature, power; in a compact record also the number of dropped samples
  std::string_view program_version;  ///< "" if not on record, like the following fields
  std::string_view driver;
  std::string_view compiler;
  std::string_view host;
  std::string_view kernel_source_hash;
  bool latest = true;  ///< no trial of this configuration, workload, query, device and measurement finished later
};

/// An experiment with its number of trials.
struct experiment_summary {
  experiment_row experiment;
  std::size_t trials = 0;
  std::size_t done = 0;
};

/// One worker process.
struct worker_session {
  std::string experiment;
  std::string device;
  std::string host;
  std::string worker;
  std::string started_at;  ///< ISO 8601, UTC
  std::string seen_at;
  std::size_t trials = 0;
  session_times times;
};

struct whole_record {
  text_pool texts;
  std::vector<finished_trial> trials;  ///< in the order in which they finished
  std::map<std::int64_t, device_record> devices;
  std::map<std::int64_t, workload_record> workloads;
  std::map<std::int64_t, configuration_record> configurations;
  std::vector<experiment_summary> experiments;  ///< in the order of creation
  std::vector<worker_session> sessions;         ///< in the order in which they started
  std::size_t unfinished = 0;                   ///< trials that are pending or running
  hidden_trials other_code;                     ///< finished trials that the store does not show
};

/// Reads everything from one snapshot of the database.
[[nodiscard]] whole_record read_whole_record(const store& source);

}  // namespace mlmq::db
