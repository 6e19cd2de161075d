// SPDX-License-Identifier: Apache-2.0
// Recorded results as auto-tuners see them: one kernel, on one input, on one device, and how each configuration did.
// Only for the files of db/ that write the formats of other tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "db/records.hpp"
#include "db/store.hpp"

namespace mlmq::db {

/// The newest time measurement of one configuration. Durations are in milliseconds.
struct tuned_configuration {
  nlohmann::json parameters;  ///< an object: the active parameters
  std::string label;          ///< as `--config` takes it
  outcome result = outcome::ok;
  std::string message;
  std::optional<double> median_ms;
  std::optional<double> spread;
  /// What compiling its kernel took. A kernel that several configurations share counts for the first of them that was
  /// measured, so that the sum over a record is what compiling all its kernels takes.
  double compile_ms = 0;
  double upload_ms = 0;
  double measure_ms = 0;
  double check_ms = 0;
  std::string finished_at;  ///< with the offset "+00:00", which every reader of ISO 8601 knows
  std::vector<double> samples_ms;
  std::int64_t samples_dropped = 0;  ///< by a compact record: then there are none
  std::map<std::string, double> counters;
};

struct tuning_record {
  std::string problem;
  std::string workload;
  std::string workload_hash;
  std::uint64_t workload_bytes = 0;
  std::string query;
  std::int64_t device_id = 0;  ///< of its row in this database
  std::string device;
  std::string device_description;  ///< a JSON object
  std::vector<tuned_configuration> configurations;

  [[nodiscard]] std::size_t without_samples() const;  ///< configurations whose samples were dropped
  [[nodiscard]] bool has_result() const;              ///< any configuration ran to its end with right answers
};

/// The condition on the trial `t` and its configuration `c` that a trial_filter makes, with the parameters ?1 to ?5 for
/// its experiment, device, workload, query and problem.
inline constexpr const char* finished_and_selected =
    "t.state = 'done' AND (?1 IS NULL OR t.id IN (SELECT trial FROM experiment_trial WHERE experiment = ?1)) "
    "AND (?2 IS NULL OR t.device = ?2) AND (?3 IS NULL OR t.workload = ?3) AND (?4 IS NULL OR t.query = ?4) "
    "AND (?5 IS NULL OR c.problem = ?5)";

/// How many samples of the trial `t` a compact record has dropped.
inline constexpr const char* samples_dropped_by_compact =
    "(CASE WHEN EXISTS (SELECT 1 FROM sample s WHERE s.trial = t.id) THEN 0 ELSE "
    "coalesce(json_extract(t.environment, '$.samples'), 0) END)";

/// The finished trials that pass the filter; one record for each problem, workload, query and device, in an order that
/// depends on their content only.
[[nodiscard]] std::vector<tuning_record> read_tuning_records(const store& from, const trial_filter& filter);

}  // namespace mlmq::db
