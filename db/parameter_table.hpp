// SPDX-License-Identifier: Apache-2.0
// The parameters of a tuning record as a table without holes, which is what other auto-tuners read. Only for the files
// of db/ that write their formats.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "db/tuning_record.hpp"

namespace mlmq::db {

/// A column of the table. Its values are of one type: whole numbers, numbers, or text. Truth values become 0 and 1.
/// Where the parameter is inactive stands "inactive", or for numbers the first of 0, −1, −2, … that is no value of it.
struct parameter_column {
  std::string name;  ///< with "parameter_" before it where readers give the bare name another meaning
  bool sometimes_inactive = false;
  nlohmann::json inactive;             ///< what stands for "inactive", if anything has to
  std::vector<nlohmann::json> values;  ///< by configuration
  std::vector<nlohmann::json> domain;  ///< the different values, in ascending order
};

struct parameter_table {
  /// What distinguishes the configurations: every column whose values vary, less those that another one of these implies.
  std::vector<parameter_column> searched;
  std::vector<parameter_column> implied;  ///< each of their values follows from one searched column
  nlohmann::ordered_json constants = nlohmann::ordered_json::object();  ///< name and the value that never varies

  /// The product of the domains of `searched`, or `limit` if it is larger.
  [[nodiscard]] std::size_t combinations(std::size_t limit) const;
  /// Two configurations would have the same key in Kernel Tuner, which joins the texts of values by commas.
  [[nodiscard]] bool has_equal_keys() const;
  /// From any of these configurations any other can be reached by steps between them that change one value. Local
  /// searches know no other steps.
  [[nodiscard]] bool connects(const std::vector<std::size_t>& configurations) const;
  /// The values of `searched` for one configuration, as Kernel Tuner joins them.
  [[nodiscard]] std::string key(std::size_t configuration) const;
};

/// One column is taken for implied by another only if that one has, on average, two configurations for each of its
/// values: in a handful of drawn configurations everything would seem to follow from anything.
[[nodiscard]] parameter_table tabulate_parameters(const std::vector<tuned_configuration>& configurations);

/// The labels "c1", "c2", … of as many configurations, with leading zeros so that they sort by number.
[[nodiscard]] std::vector<std::string> configuration_numbers(std::size_t count);

/// str(value) of Python, which builds Kernel Tuner's keys.
[[nodiscard]] std::string python_text(const nlohmann::json& value);

}  // namespace mlmq::db
