// SPDX-License-Identifier: Apache-2.0
// Base class of the strategies that learn from results: budget, known results and start configurations.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "base/random.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {

/// Tunes one workload. Ends when its budget is spent or the whole space has been proposed.
class learning_strategy : public strategy {
 public:
  [[nodiscard]] std::optional<configuration> next() final;
  void report(const configuration& tried, const evaluation& result) final;
  [[nodiscard]] std::optional<std::uint64_t> total() const final;
  [[nodiscard]] double progress() const final;

 protected:
  learning_strategy(const strategy_settings& settings, const search_space& space, const strategy_guide& guide);

  /// Returns a configuration that has not been proposed yet. Called only if one exists.
  [[nodiscard]] virtual configuration choose() = 0;
  /// @param cost nothing if `tried` failed
  virtual void learn(const configuration& tried, std::optional<double> cost) = 0;

  struct known_result {
    bool reported = false;
    std::optional<double> cost;
  };
  /// Returns null if `c` has not been proposed.
  [[nodiscard]] const known_result* find(const configuration& c) const;
  [[nodiscard]] const std::map<configuration, known_result>& known_results() const { return known_results_; }

  /// Returns the next recommended configuration, then random ones, that have not been proposed yet.
  [[nodiscard]] configuration fresh_start();
  /// Returns a random configuration that has not been proposed yet.
  [[nodiscard]] configuration fresh_random();
  /// Returns a uniform random number in [0, 1).
  [[nodiscard]] double uniform();

  [[nodiscard]] const search_space& space() const { return space_; }
  [[nodiscard]] random_stream& bits() { return bits_; }
  [[nodiscard]] std::optional<std::uint64_t> budget() const { return settings_.budget; }

 private:
  strategy_settings settings_;
  const search_space& space_;
  bool exhausted_ = false;  // the last search for a new configuration failed
  random_stream bits_;
  std::map<configuration, known_result> known_results_;
  std::deque<configuration> recommended_;
  double seconds_ = 0;
};

}  // namespace mlmq::tuner
