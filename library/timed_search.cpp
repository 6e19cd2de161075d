// SPDX-License-Identifier: Apache-2.0
#include "library/timed_search.hpp"

#include <algorithm>
#include <array>

namespace mlmq::detail {
namespace {

/// Returns the median of three searches, or nothing if one fails or takes longer than `limit_ms`.
std::optional<double> median_time(resident& place, vertex source, double limit_ms) {
  constexpr int runs = 3;
  std::array<double, runs> times{};
  if (place.instance->run_from(source, limit_ms).result != db::outcome::ok) return std::nullopt;  // warm-up
  for (double& time_ms : times) {
    const tuner::run_report report = place.instance->run_from(source, limit_ms);
    if (report.result != db::outcome::ok) return std::nullopt;
    time_ms = report.milliseconds;
  }
  std::sort(times.begin(), times.end());
  return times[runs / 2];
}

}  // namespace

std::optional<double> mean_time(resident& place, const std::string& label, std::span<const vertex> sources,
                                std::vector<double>& best, double limit_ms) {
  constexpr double give_up_at = 4;      // multiple of the best time so far
  constexpr double least_limit_ms = 5;  // the limit includes time before the kernel starts
  double sum = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const double limit = std::min(limit_ms, std::max(least_limit_ms, give_up_at * best[i]));
    const auto milliseconds = median_time(place, sources[i], limit);
    if (!milliseconds) return std::nullopt;
    best[i] = std::min(best[i], *milliseconds);
    resident::mean& measured = place.solve_ms[label];
    measured.sum += *milliseconds;
    ++measured.count;
    sum += *milliseconds;
  }
  return sum / static_cast<double>(sources.size());
}

}  // namespace mlmq::detail
