// SPDX-License-Identifier: Apache-2.0
// Recorded results in the view of auto-tuners: one kernel on one input and one device, with the result of each
// configuration. Only for the files of db/ that write the formats of other tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "db/objective.hpp"
#include "db/records.hpp"
#include "db/store.hpp"

namespace mlmq::db {

/// The newest time measurement of one configuration. Durations are in milliseconds.
struct tuned_configuration {
  nlohmann::json parameters;  ///< an object: the active parameters
  std::string label;          ///< in the syntax of `--config`
  outcome result = outcome::ok;
  std::string message;
  std::optional<double> median_ms;
  std::optional<double> spread;
  /// Compile time of its kernel. A kernel that several configurations share counts for the configuration that was
  /// measured first, so that the sum over a record is the time to compile all its kernels.
  double compile_ms = 0;
  double upload_ms = 0;
  double measure_ms = 0;
  double check_ms = 0;
  std::string finished_at;  ///< with the offset "+00:00", which every reader of ISO 8601 accepts
  std::vector<double> samples_ms;
  std::int64_t samples_dropped = 0;  ///< number of samples that a compact record has dropped
  std::map<std::string, double> counters;
  std::map<std::string, double> metrics;
};

struct tuning_record {
  std::string problem;
  std::string workload;
  std::string workload_hash;
  std::uint64_t workload_bytes = 0;
  std::string query;
  std::int64_t device_id = 0;  ///< row id in this database
  std::string device;
  nlohmann::json device_description;                  ///< an object
  std::vector<objective> objectives = {objective{}};  ///< those of the selected experiment; time without one
  std::vector<tuned_configuration> configurations;

  [[nodiscard]] std::size_t without_samples() const;  ///< number of configurations whose samples were dropped
  [[nodiscard]] bool has_result() const;              ///< whether any configuration finished with right answers
};

/// SQL condition of a trial_filter on the trial `t` and its configuration `c`, with the parameters ?1 to ?5 for
/// experiment, device, workload, query and problem.
inline constexpr const char* finished_and_selected =
    "t.state = 'done' AND (?1 IS NULL OR t.id IN (SELECT trial FROM experiment_trial WHERE experiment = ?1)) "
    "AND (?2 IS NULL OR t.device = ?2) AND (?3 IS NULL OR t.workload = ?3) AND (?4 IS NULL OR t.query = ?4) "
    "AND (?5 IS NULL OR c.problem = ?5)";

/// SQL expression for the number of samples of the trial `t`, also of a compact record.
inline constexpr const char* sample_count =
    "coalesce(nullif((SELECT count(*) FROM sample s WHERE s.trial = t.id), 0), "
    "json_extract(t.environment, '$.samples'), 0)";

/// SQL expression for the number of samples of the trial `t` that a compact record has dropped.
inline constexpr const char* samples_dropped_by_compact =
    "(CASE WHEN EXISTS (SELECT 1 FROM sample s WHERE s.trial = t.id) THEN 0 ELSE "
    "coalesce(json_extract(t.environment, '$.samples'), 0) END)";

/// Reads the finished trials that pass the filter and calls `visit` with one record per problem, workload, query and
/// device, in this order, which depends only on their content.
void visit_tuning_records(const store& source, const trial_filter& filter,
                          const std::function<void(tuning_record&&)>& visit);

}  // namespace mlmq::db
