// SPDX-License-Identifier: Apache-2.0
// Everything that the page shows, as one JSON value. docs/guide/report.md describes it.
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
  std::size_t most_trials = 300'000;   ///< of one result set's table
  std::size_t most_samples = 100'000;  ///< single samples of one result set
  std::size_t most_counts = 8'000;     ///< counting trials of one result set
  std::size_t history_points = 240;    ///< of clocks and power of one result set
  bool judges_selectors = true;
  std::string code = "newest";  ///< see db::store::open_record()
  judgement_options judgement = {};
};

struct report_contents {
  nlohmann::json data;
  std::vector<std::string> names;  ///< of the databases
  std::size_t result_sets = 0;
  std::size_t trials = 0;
  std::vector<std::string> warnings;  ///< remarks that are errors or warnings
  db::hidden_trials other_code;       ///< of all databases; not on the page
};

/// @param databases files, which may be compressed
/// @param now time of day, ISO 8601, UTC
/// @param working called with what is done next; may be empty
/// @throws input_error for what is no database and for one without a finished timed trial, naming it; as judge_selectors()
[[nodiscard]] report_contents collect(const std::vector<std::string>& databases, const contents_options& options,
                                      const std::string& now,
                                      const std::function<void(const std::string&)>& working = {});

}  // namespace mlmq::report
