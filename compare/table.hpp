// SPDX-License-Identifier: Apache-2.0
// What a comparison found, as one table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/format.hpp"
#include "db/records.hpp"

namespace mlmq::compare {

/// What configurations of this program go by until name_ours() tells the selected one and the best apart.
inline constexpr const char* our_name = "mlmq";

/// One contestant on one workload.
struct contestant_result {
  std::string workload;
  std::string workload_class;
  std::string query;
  std::string device;
  bool modelled = false;  ///< its times are the simulator's
  std::string contestant;
  bool is_selected = false;  ///< ours, as the shipped selector chooses
  bool is_best = false;      ///< ours, the best known for this workload
  std::size_t sets = 1;      ///< parameter sets that the best was taken of
  std::string configuration;
  db::outcome outcome = db::outcome::ok;
  std::string message;
  std::size_t samples = 0;
  std::optional<double> median_ms;  ///< only when ok
  std::optional<double> spread;     ///< interquartile range / median
  std::optional<double> work;       ///< as the problem counts it (tuner::work_ratio)
};

/// Names and marks our rows among those of one workload, query and device.
/// @param rows in the order of the plan, ours still named `our_name`
/// @param selector_chose the first row is what the selector chose, which may be a competitor; else there is none
void name_ours(std::span<contestant_result> rows, bool selector_chose);

/// One row for each result, in this order, with its time divided by that of ours on the same workload and query; then
/// one for each class, device and contestant with the geometric means of these ratios. Modelled and measured times
/// have no ratio. A ratio above 1: ours is faster. @param work_name what the column of work is called
[[nodiscard]] db::table make_table(const std::vector<contestant_result>& results, const std::string& work_name);

enum class comparison_format { aligned, markdown, csv, json };

/// "table", "markdown", "csv" or "json". @throws input_error on anything else
[[nodiscard]] comparison_format comparison_format_from(std::string_view name);

/// Numbers with as many digits as a reader needs; csv and json have them in full.
[[nodiscard]] std::string render(const db::table& rows, comparison_format format);

/// One line for each failure, and what the columns mean.
[[nodiscard]] std::vector<std::string> table_notes(const std::vector<contestant_result>& results);

}  // namespace mlmq::compare
