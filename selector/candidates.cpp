// SPDX-License-Identifier: Apache-2.0
#include "selector/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace mlmq::selector {
namespace {

std::vector<double> sums_of_relative(const performance_matrix& performance) {
  std::vector<double> sums(performance.candidates(), 0.0);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    for (std::size_t g = 0; g < performance.graphs(); ++g) sums[c] += performance.relative(g, c);
  }
  return sums;
}

}  // namespace

std::vector<std::size_t> covering_candidates(const performance_matrix& performance, double tolerance) {
  if (!(tolerance >= 0 && std::isfinite(tolerance)))
    throw input_error(fmt::format("a tolerance of {} makes no sense; 0.05 means within 5 % of the best", tolerance));
  std::vector<std::size_t> uncovered;
  for (std::size_t g = 0; g < performance.graphs(); ++g) {
    if (performance.solved(g)) uncovered.push_back(g);
  }
  if (uncovered.empty()) throw input_error("no candidate solved any graph; there is nothing to reduce");

  const std::vector<double> sums = sums_of_relative(performance);
  const double enough = 1.0 / (1.0 + tolerance);
  std::vector<std::size_t> chosen;
  while (!uncovered.empty()) {
    const auto covers = [&](std::size_t c) {
      return [&, c](std::size_t g) { return performance.relative(g, c) >= enough; };
    };
    std::size_t best = 0;
    std::pair<std::ptrdiff_t, double> best_score{-1, 0.0};
    for (std::size_t c = 0; c < performance.candidates(); ++c) {
      const std::pair score{std::count_if(uncovered.begin(), uncovered.end(), covers(c)), sums[c]};
      if (score > best_score) {
        best = c;
        best_score = score;
      }
    }
    // A graph's best candidate covers it, so every step removes at least one.
    std::erase_if(uncovered, covers(best));
    chosen.push_back(best);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace mlmq::selector
