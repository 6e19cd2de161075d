// SPDX-License-Identifier: Apache-2.0
#include "report/device_history.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "db/statistics.hpp"

namespace mlmq::report {
namespace {

struct reading {
  const db::finished_trial* trial = nullptr;
  nlohmann::json seen;
};

history_point point_of(const reading* begin, const reading* end) {
  history_point point{.first_finished = std::string(begin->trial->finished_at),
                      .last_finished = std::string((end - 1)->trial->finished_at),
                      .trials = static_cast<std::size_t>(end - begin),
                      .readings = {},
                      .slowed = {}};
  for (std::size_t i = 0; i < device_readings.size(); ++i) {
    std::vector<double> values;
    for (const reading* current = begin; current != end; ++current) {
      const auto value = current->seen.find(device_readings[i]);
      if (value != current->seen.end() && value->is_number()) values.push_back(value->get<double>());
    }
    if (values.empty()) continue;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    point.readings[i] = reading_range{.least = *least, .median = db::median(values), .most = *most};
  }
  for (const reading* current = begin; current != end; ++current) {
    const auto reasons = current->seen.find("throttle_reasons");
    if (reasons == current->seen.end() || !reasons->is_array()) continue;
    for (const nlohmann::json& reason : *reasons) {
      if (reason.is_string()) ++point.slowed[reason.get<std::string>()];
    }
  }
  return point;
}

}  // namespace

std::vector<history_point> device_history(const result_set& set, std::size_t most) {
  std::vector<reading> readings;
  for (const db::finished_trial* trial : set.trials) {
    nlohmann::json seen = nlohmann::json::parse(trial->environment_json, nullptr, false);
    if (!seen.is_object()) continue;
    const bool any = std::any_of(device_readings.begin(), device_readings.end(),
                                 [&](const char* name) { return seen.contains(name); });
    if (any || seen.contains("throttle_reasons")) readings.push_back({.trial = trial, .seen = std::move(seen)});
  }
  std::vector<history_point> points;
  const std::size_t count = std::min(most, readings.size());
  for (std::size_t i = 0; i < count; ++i) {
    points.push_back(
        point_of(readings.data() + i * readings.size() / count, readings.data() + (i + 1) * readings.size() / count));
  }
  return points;
}

}  // namespace mlmq::report
