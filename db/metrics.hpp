// SPDX-License-Identifier: Apache-2.0
// Metrics of trials: numbers that formulas compute from recorded values (tuner/metrics.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/store.hpp"

namespace mlmq::db {

/// The recorded values of a right timed trial from which its metrics are computed.
struct metric_source {
  std::int64_t trial = 0;
  std::int64_t workload = 0;
  std::string parameters_json;
  double median_ms = 0;
  /// Counters of the trial and of the other measurements of its configuration, workload and query; also registers,
  /// local_bytes, shared_bytes (each the largest of its functions) and occupancy (the smallest), where recorded.
  std::map<std::string, double> values;
};

/// Names of metric_source::values that are not counters.
inline constexpr const char* resource_names[] = {"registers", "local_bytes", "shared_bytes", "occupancy"};

/// Reads the right timed trials of an experiment. @param trial  only this one
[[nodiscard]] std::vector<metric_source> read_metric_sources(const store& source, std::int64_t experiment,
                                                             std::optional<std::int64_t> trial = {});

struct trial_metric {
  std::int64_t trial = 0;
  std::string name;
  double value = 0;
};

/// Replaces all metrics of the timed trials of an experiment. @param trial  only this one
void replace_metrics(store& target, std::int64_t experiment, std::span<const trial_metric> metrics,
                     std::optional<std::int64_t> trial = {});

}  // namespace mlmq::db
