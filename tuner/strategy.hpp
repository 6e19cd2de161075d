// SPDX-License-Identifier: Apache-2.0
// Strategies, which decide which configurations to try and in which order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/configuration.hpp"
#include "tuner/neighbourhood.hpp"
#include "tuner/search_space.hpp"
#include "tuner/source_place.hpp"

namespace mlmq::tuner {

/// `strategy:` of an experiment file.
struct strategy_settings {
  std::string name = "exhaustive";
  std::optional<std::uint64_t> count;  ///< number of configurations to propose
  std::optional<std::uint64_t> seed;   ///< default: 1
  source_place place = {};
  std::optional<std::uint64_t> budget = {};  ///< learning strategies: number of configurations to evaluate per workload
  std::optional<double> seconds = {};        ///< learning strategies: total time of the evaluations per workload
  std::optional<std::uint64_t> batch =
      {};                   ///< learning strategies: number of configurations to propose at once; default 1
  bool warm_start = false;  ///< learning strategies: begin with the selector's recommendations

  step_size neighbours = step_size::any;  ///< local and annealing: size of one step

  /// Returns whether proposals depend on earlier results, so that every workload has its own tuning run.
  [[nodiscard]] bool learns() const;
  /// Returns the maximum number of evaluations per workload, or nothing if only `seconds` limits a learning strategy.
  [[nodiscard]] std::optional<std::uint64_t> most_evaluations(const search_space& space) const;
};

/// Result of trying a configuration.
struct evaluation {
  /// Smaller is better: the time in milliseconds, or the cost by another objective (db/objective.hpp). Absent if the
  /// configuration failed.
  std::optional<double> cost;
  double seconds = 0;  ///< duration of the trials: compilation, runs, checks
};

/// Proposes configurations one at a time and receives their results. Several proposals may be outstanding, and results
/// may be reported in any order.
class strategy {
 public:
  virtual ~strategy() = default;

  /// Returns the next configuration to try, without repetitions, or nothing at the end.
  [[nodiscard]] virtual std::optional<configuration> next() = 0;

  /// Reports the result of a proposed configuration. Strategies that do not learn ignore it. Proposals are a
  /// deterministic function of the reports, so that a tuning run is resumed by replaying its recorded results.
  virtual void report(const configuration& tried, const evaluation& result);

  /// Returns the total number of proposals if it is known in advance.
  [[nodiscard]] virtual std::optional<std::uint64_t> total() const = 0;

  /// Returns the spent share of a learning strategy's budget, 0 to 1; 0 for other strategies.
  [[nodiscard]] virtual double progress() const { return 0; }
};

/// Optional inputs of a strategy.
struct strategy_guide {
  std::vector<configuration> recommended;  ///< for a warm start, best first; may be outside the space
};

/// Returns the names of all strategies.
[[nodiscard]] std::vector<std::string> strategy_names();

/// @throws input_error for an unknown name, a missing setting, or a setting that the strategy does not have
void check_strategy(const strategy_settings& settings);

/// Creates a strategy. "exhaustive" proposes the whole space in order. "random" draws `count` configurations (at most
/// the whole space) without replacement, identically on every machine for equal `seed` and space. The others learn:
/// "local", "annealing", "genetic" and "model" (see their headers).
/// @param space must outlive the strategy
/// @throws input_error like check_strategy()
[[nodiscard]] std::unique_ptr<strategy> make_strategy(const strategy_settings& settings, const search_space& space,
                                                      const strategy_guide& guide = {});

/// Returns all remaining proposals of `s` in order, without reporting results.
[[nodiscard]] std::vector<configuration> proposals(strategy& s);

}  // namespace mlmq::tuner
