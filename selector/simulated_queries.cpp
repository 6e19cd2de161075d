// SPDX-License-Identifier: Apache-2.0
#include "selector/simulated_queries.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "selector/race.hpp"

namespace mlmq::selector {

double normal(portable_random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

simulated_queries::simulated_queries(std::size_t queries, std::size_t candidates,
                                     const std::function<double(std::size_t query, std::size_t candidate)>& time) {
  const auto query_count = static_cast<double>(queries);
  for (std::size_t c = 0; c < candidates; ++c) {
    double sum = 0;
    for (std::size_t q = 0; q < queries; ++q) sum += std::log(time(q, c)) / query_count;
    mean_log_.push_back(sum);
  }
  // Slow candidates are never close to the best one, and they vary more.
  const double slowest = *std::min_element(mean_log_.begin(), mean_log_.end()) + std::log(2.0);
  std::vector<std::size_t> fast;
  for (std::size_t c = 0; c < candidates; ++c) {
    if (std::isfinite(mean_log_[c]) && mean_log_[c] <= slowest) fast.push_back(c);
  }
  if (fast.empty()) return;
  const auto fast_count = static_cast<double>(fast.size());
  double of_queries = 0;
  double of_remainders = 0;
  for (std::size_t q = 0; q < queries; ++q) {
    double effect = 0;
    for (const std::size_t c : fast) effect += (std::log(time(q, c)) - mean_log_[c]) / fast_count;
    of_queries += effect * effect;
    for (const std::size_t c : fast) {
      const double remainder = std::log(time(q, c)) - mean_log_[c] - effect;
      of_remainders += remainder * remainder;
    }
  }
  query_deviation_ = std::sqrt(of_queries / (query_count - 1));
  if (fast.size() > 1) remainder_deviation_ = std::sqrt(of_remainders / ((query_count - 1) * (fast_count - 1)));
}

simulated_queries::race_result simulated_queries::race_of(std::span<const std::size_t> tried,
                                                          std::span<const double> predicted, std::size_t count,
                                                          portable_random& random) const {
  race candidates(predicted, count);
  while (!candidates.decided()) {
    const std::size_t next = candidates.next();
    const double noise = query_deviation_ * normal(random) + remainder_deviation_ * normal(random);
    candidates.note(next, std::exp(mean_log_[tried[next]] + noise));
  }
  return {.winner = tried[candidates.leader()], .runs = candidates.runs()};
}

}  // namespace mlmq::selector
