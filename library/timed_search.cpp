// SPDX-License-Identifier: Apache-2.0
#include "library/timed_search.hpp"

#include <algorithm>
#include <array>

namespace mlmq::detail {
namespace {

/// The median of three searches. Nothing when one of them fails or takes longer than `limit_ms`.
std::optional<double> median_time(resident& where, vertex source, double limit_ms) {
  constexpr int runs = 3;
  std::array<double, runs> times{};
  if (where.instance->run_from(source, limit_ms).result != db::outcome::ok) return std::nullopt;  // to warm up
  for (double& one : times) {
    const tuner::run_report report = where.instance->run_from(source, limit_ms);
    if (report.result != db::outcome::ok) return std::nullopt;
    one = report.milliseconds;
  }
  std::sort(times.begin(), times.end());
  return times[runs / 2];
}

}  // namespace

std::optional<double> mean_time(resident& where, const std::string& label, std::span<const vertex> sources,
                                std::vector<double>& best, double limit_ms) {
  constexpr double give_up_at = 4;      // times the best before
  constexpr double least_limit_ms = 5;  // the limit counts from before the kernel runs
  double sum = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const double limit = std::min(limit_ms, std::max(least_limit_ms, give_up_at * best[i]));
    const auto milliseconds = median_time(where, sources[i], limit);
    if (!milliseconds) return std::nullopt;
    best[i] = std::min(best[i], *milliseconds);
    resident::mean& measured = where.solve_ms[label];
    measured.sum += *milliseconds;
    ++measured.count;
    sum += *milliseconds;
  }
  return sum / static_cast<double>(sources.size());
}

}  // namespace mlmq::detail
