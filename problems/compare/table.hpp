// SPDX-License-Identifier: Apache-2.0
// The results of a comparison as one table.
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

/// Name of this program's configurations until name_ours() distinguishes the selected one from the best.
inline constexpr const char* our_name = "mlmq";

/// Result of one contestant on one workload.
struct contestant_result {
  std::string workload;
  std::string workload_class;
  std::string query;
  std::string device;
  bool modelled = false;  ///< times are the simulator's
  std::string contestant;
  bool is_selected = false;  ///< our configuration that the shipped selector chose
  bool is_best = false;      ///< our best known configuration for this workload
  std::size_t sets = 1;      ///< number of parameter sets that this configuration was chosen from
  std::string configuration;
  db::outcome outcome = db::outcome::ok;
  std::string message;
  std::size_t samples = 0;
  std::optional<double> median_ms;       ///< set only if the outcome is ok
  std::optional<double> spread;          ///< interquartile range / median
  std::optional<double> preparation_ms;  ///< of a peer that reports it; not part of the times
  std::optional<double> work;            ///< as the problem defines it (tuner::work_ratio)
};

/// Names and marks our rows among the rows of one workload, query and device.
/// @param rows  in the order of the plan; ours are still named `our_name`
/// @param selector_chose  whether the first row is the selector's choice, which may be a competitor; if false, no row
///   is
void name_ours(std::span<contestant_result> rows, bool selector_chose);

/// Makes a table with one row per result, in this order, with its time divided by ours on the same workload and query.
/// Rows with the geometric means of these ratios follow, one per class, device and contestant. Modelled and measured
/// times have no ratio. A ratio above 1 means that ours is faster.
/// @param work_name  header of the work column
[[nodiscard]] db::table make_table(const std::vector<contestant_result>& results, const std::string& work_name);

enum class comparison_format { aligned, markdown, csv, json };

/// Parses "table", "markdown", "csv" or "json". @throws input_error for any other name
[[nodiscard]] comparison_format comparison_format_from(std::string_view name);

/// Renders a table; numbers are rounded for readers, except in csv and json.
[[nodiscard]] std::string render(const db::table& rows, comparison_format format);

/// Returns one line per failure and per preparation, and an explanation of the columns.
[[nodiscard]] std::vector<std::string> table_notes(const std::vector<contestant_result>& results);

}  // namespace mlmq::compare
