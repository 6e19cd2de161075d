// SPDX-License-Identifier: Apache-2.0
// Objectives: what makes one trial better than another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/store.hpp"

namespace mlmq::db {

/// A value of trials and the direction in which it is better. All comparisons use its cost: smaller is better, and the
/// cost of a maximized value is its reciprocal, so that ratios keep their meaning. A minimized value below 0, or a
/// maximized one that is not positive, has no cost.
struct objective {
  std::string name = "time";  ///< "time", the median time in milliseconds, or the name of a metric
  bool is_maximized = false;

  [[nodiscard]] bool is_time() const { return name == "time"; }
  /// Returns the value with this cost.
  [[nodiscard]] double value_of(double cost) const { return is_maximized ? 1 / cost : cost; }
  bool operator==(const objective&) const = default;
};

/// Returns a JSON text for the settings of an experiment; "" if the only objective is time.
[[nodiscard]] std::string objectives_json(const std::vector<objective>& objectives);

/// Returns the objectives of an experiment. Strategies and selectors follow the first one.
[[nodiscard]] std::vector<objective> objectives_of(connection& source, std::int64_t experiment);

/// Returns an SQL expression for the cost of the right timed trial `t`; NULL where the value has no cost.
[[nodiscard]] std::string cost_sql(const objective& criterion);

/// Returns the cost of a trial; nothing if it failed or its value has no cost.
[[nodiscard]] std::optional<double> trial_cost(const store& source, const objective& criterion, std::int64_t trial);

/// A configuration that no other one surpasses in one objective without being worse in another.
struct front_member {
  std::string problem;
  std::string workload;
  std::string query;
  std::string device;
  std::string label;
  std::vector<double> values;  ///< one per objective
};

/// Returns the Pareto front of each workload, query and device of an experiment with several objectives, ordered by
/// the first one. Configurations that lack a value are left out.
[[nodiscard]] std::vector<front_member> read_fronts(const store& source, std::int64_t experiment,
                                                    const std::vector<objective>& objectives);

}  // namespace mlmq::db
