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
  std::vector<input_progress> all(set.rows.size());
  for (const db::finished_trial* one : set.trials) {
    if (one->measurement != "time" || !one->latest) continue;
    input_progress& progress = all[row_of.at({set.workload_of.at(one->workload), one->query})];
    ++progress.tried;
    progress.seconds += (one->compile_ms + one->upload_ms + one->measure_ms + one->check_ms) / 1000;
    if (one->result != db::outcome::ok || !one->median_ms) continue;
    if (!progress.steps.empty() && progress.steps.back().milliseconds <= *one->median_ms) continue;
    progress.steps.push_back({.tried = progress.tried, .seconds = progress.seconds, .milliseconds = *one->median_ms});
  }
  return all;
}

std::string steps_text(const input_progress& progress) {
  std::string text;
  for (const improvement& one : progress.steps) {
    text += fmt::format("{}{}:{}:{}", text.empty() ? "" : ",", one.tried, short_number(one.seconds),
                        short_number(one.milliseconds));
  }
  return text;
}

}  // namespace mlmq::report
