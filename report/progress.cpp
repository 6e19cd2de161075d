// SPDX-License-Identifier: Apache-2.0
#include "report/progress.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

#include "report/encoding.hpp"

namespace mlmq::report {

std::vector<input_progress> progress_of(const result_set& set) {
  std::map<std::pair<std::size_t, std::string_view>, std::size_t> row_of;
  for (std::size_t row = 0; row < set.rows.size(); ++row)
    row_of.emplace(std::pair(set.rows[row].workload, std::string_view(set.rows[row].query)), row);
  std::vector<input_progress> result(set.rows.size());
  for (const db::finished_trial* trial : set.trials) {
    if (trial->measurement != "time" || !trial->latest) continue;
    input_progress& progress = result[row_of.at({set.workload_of.at(trial->workload), trial->query})];
    ++progress.tried;
    progress.seconds += (trial->compile_ms + trial->upload_ms + trial->measure_ms + trial->check_ms) / 1000;
    if (trial->result != db::outcome::ok || !trial->median_ms) continue;
    if (!progress.steps.empty() && progress.steps.back().milliseconds <= *trial->median_ms) continue;
    progress.steps.push_back({.tried = progress.tried, .seconds = progress.seconds, .milliseconds = *trial->median_ms});
  }
  return result;
}

std::string steps_text(const input_progress& progress) {
  std::string text;
  for (const improvement& step : progress.steps) {
    text += fmt::format("{}{}:{}:{}", text.empty() ? "" : ",", step.tried, short_number(step.seconds),
                        short_number(step.milliseconds));
  }
  return text;
}

}  // namespace mlmq::report
