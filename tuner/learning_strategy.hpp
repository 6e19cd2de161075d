// SPDX-License-Identifier: Apache-2.0
// What the strategies that learn from results have in common: the budget, what is known, and where to begin.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "base/random.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {

/// A search of one workload. Ends with its budget, or when the whole space has been proposed.
class learning_strategy : public strategy {
 public:
  [[nodiscard]] std::optional<configuration> next() final;
  void report(const configuration& tried, const evaluation& result) final;
  [[nodiscard]] std::optional<std::uint64_t> total() const final;
  [[nodiscard]] double progress() const final;

 protected:
  learning_strategy(const strategy_settings& settings, const search_space& space, const strategy_guide& guide);

  /// A configuration that was not proposed before; there is one.
  [[nodiscard]] virtual configuration choose() = 0;
  /// `milliseconds`: nothing when `tried` failed.
  virtual void learn(const configuration& tried, std::optional<double> milliseconds) = 0;

  struct known_result {
    bool reported = false;
    std::optional<double> milliseconds;
  };
  /// Null when `c` was not proposed.
  [[nodiscard]] const known_result* find(const configuration& c) const;
  [[nodiscard]] const std::map<configuration, known_result>& known() const { return known_; }

  /// Where to begin: the next recommended configuration, then random ones. Not proposed before.
  [[nodiscard]] configuration fresh_start();
  /// A random configuration that was not proposed before.
  [[nodiscard]] configuration fresh_random();
  /// Uniform in [0, 1).
  [[nodiscard]] double uniform();

  [[nodiscard]] const search_space& space() const { return space_; }
  [[nodiscard]] random_stream& bits() { return bits_; }
  [[nodiscard]] std::optional<std::uint64_t> budget() const { return settings_.budget; }

 private:
  strategy_settings settings_;
  const search_space& space_;
  bool exhausted_ = false;  // nothing new was found, as far as that is known
  random_stream bits_;
  std::map<configuration, known_result> known_;
  std::deque<configuration> recommended_;
  double seconds_ = 0;
};

}  // namespace mlmq::tuner
