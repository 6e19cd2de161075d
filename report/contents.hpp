// SPDX-License-Identifier: Apache-2.0
// Collects the content of the page as one JSON value. docs/guide/report.md describes it.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "db/code.hpp"
#include "report/selector_choices.hpp"

namespace mlmq::report {

struct contents_options {
  std::size_t most_trials = 300'000;   ///< maximum number of trials in the table of a result set
  std::size_t most_samples = 100'000;  ///< maximum number of single samples per result set
  std::size_t most_counts = 8'000;     ///< maximum number of counting trials per result set
  std::size_t history_points = 240;    ///< maximum number of points of clocks and power per result set
  bool evaluates_selectors = true;
  bool requires_trials = true;  ///< a database without finished timed trials is an error
  std::string code = "newest";  ///< see db::store::open_record()
  selector_evaluation_options evaluation = {};
};

struct report_contents {
  nlohmann::json data;
  std::vector<std::string> names;  ///< names of the databases
  std::size_t result_sets = 0;
  std::size_t trials = 0;
  std::vector<std::string> warnings;  ///< remarks that are errors or warnings
  db::hidden_trials other_code;       ///< trials of other kernel code in all databases; not on the page
};

/// Collects the contents of the page.
/// @param databases files, which may be compressed
/// @param now current time, ISO 8601, UTC
/// @param working called with a description of each step before it starts; may be empty
/// @throws input_error naming the file, if it is no database, or has no finished timed trial and
///   options.requires_trials; like evaluate_selectors()
[[nodiscard]] report_contents collect(const std::vector<std::string>& databases, const contents_options& options,
                                      const std::string& now,
                                      const std::function<void(const std::string&)>& working = {});

}  // namespace mlmq::report
