// SPDX-License-Identifier: Apache-2.0
// The parameters of a tuning record as a table without gaps, as other auto-tuners require. Only for the files of db/
// that write their formats.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "db/tuning_record.hpp"

namespace mlmq::db {

/// A column of the table. Its values have one type: integers, numbers, or text. Booleans become 0 and 1. Inactive
/// parameters have the value "inactive", or for numbers the first of 0, −1, −2, … that is not a value of the parameter.
struct parameter_column {
  std::string name;  ///< prefixed with "parameter_" if readers give the bare name another meaning
  bool sometimes_inactive = false;
  nlohmann::json inactive;             ///< the value for "inactive", if it is needed
  std::vector<nlohmann::json> values;  ///< one value per configuration
  std::vector<nlohmann::json> domain;  ///< the distinct values in ascending order
};

struct parameter_table {
  /// Columns that distinguish the configurations: all columns whose values vary, except those implied by another one.
  std::vector<parameter_column> searched;
  std::vector<parameter_column> implied;  ///< columns whose values follow from one searched column
  nlohmann::ordered_json constants = nlohmann::ordered_json::object();  ///< names and values of constant parameters

  /// The product of the domains of `searched`, or `limit` if it is larger.
  [[nodiscard]] std::size_t combinations(std::size_t limit) const;
  /// Returns whether two configurations have the same key in Kernel Tuner, which joins the texts of values by commas.
  [[nodiscard]] bool has_equal_keys() const;
  /// Returns whether steps that change one value connect all of these configurations. Local searches use no other
  /// steps.
  [[nodiscard]] bool connects(const std::vector<std::size_t>& configurations) const;
  /// Returns the key of one configuration: its values of `searched`, joined like in Kernel Tuner.
  [[nodiscard]] std::string key(std::size_t configuration) const;
};

/// A column counts as implied by another only if the latter has at least two configurations per value on average: with
/// few sampled configurations, any column would seem to imply any other.
[[nodiscard]] parameter_table tabulate_parameters(const std::vector<tuned_configuration>& configurations);

/// Returns `count` labels "c1", "c2", …, with leading zeros so that they sort by number.
[[nodiscard]] std::vector<std::string> configuration_numbers(std::size_t count);

/// Returns Python's str(value), which builds Kernel Tuner's keys.
[[nodiscard]] std::string python_text(const nlohmann::json& value);

}  // namespace mlmq::db
