// SPDX-License-Identifier: Apache-2.0
// Which configurations to try, in which order.
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
  std::optional<std::uint64_t> count;  ///< how many configurations to propose
  std::optional<std::uint64_t> seed;   ///< 1 when left out
  source_place place = {};
  std::optional<std::uint64_t> budget =
      {};                              ///< learning strategies: how many configurations to evaluate on each workload
  std::optional<double> seconds = {};  ///< learning strategies: what evaluations on each workload may take together
  std::optional<std::uint64_t> batch = {};  ///< learning strategies: how many configurations to decide on at once; 1
  bool warm_start = false;                  ///< learning strategies: begin with what the selector recommends

  step_size neighbours = step_size::any;  ///< local and annealing: how far one step goes

  /// Whether the next configuration depends on the results of those before it, so that every workload has a search of its
  /// own.
  [[nodiscard]] bool learns() const;
  /// How many configurations a learning strategy evaluates on one workload at most; nothing when only `seconds` limits it.
  [[nodiscard]] std::optional<std::uint64_t> most_evaluations(const search_space& space) const;
};

/// What came of trying a configuration.
struct evaluation {
  std::optional<double> milliseconds;  ///< nothing when it failed
  double seconds = 0;                  ///< what the trials took: compilation, runs, checks
};

/// Proposes configurations one at a time and is told what came of them. A caller may ask several
/// times before it reports, and report in any order.
class strategy {
 public:
  virtual ~strategy() = default;

  /// The next configuration to try, none twice; nothing when the strategy is done.
  [[nodiscard]] virtual std::optional<configuration> next() = 0;

  /// What came of a proposed configuration. Strategies that do not learn ignore it. The same reports in the same order
  /// lead to the same proposals, so a search is continued by repeating what was recorded of it.
  virtual void report(const configuration& tried, const evaluation& result);

  /// How many configurations it proposes in total, when that is known beforehand.
  [[nodiscard]] virtual std::optional<std::uint64_t> total() const = 0;

  /// The share of its budget that a learning strategy has spent, 0 to 1; 0 for other strategies.
  [[nodiscard]] virtual double progress() const { return 0; }
};

/// Rows of numbers, NaN where there is none.
struct number_table {
  std::size_t columns = 0;
  std::vector<float> values;  ///< rows × columns

  [[nodiscard]] std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
};

/// Learns labels from rows and predicts one number for each of other rows; the same input gives the same output. A
/// function so that the tuner does not depend on a library for it: the one there is, is selector/regression.hpp.
using regression = std::function<std::vector<float>(const number_table& known, std::span<const float> labels,
                                                    const number_table& asked)>;

/// What a strategy may use besides the results of its search.
struct strategy_guide {
  regression learn;                        ///< for `model`
  std::vector<configuration> recommended;  ///< for a warm start, best first; need not be of the space
};

/// Every strategy's name.
[[nodiscard]] std::vector<std::string> strategy_names();

/// @throws input_error for an unknown name, or a setting that the strategy needs or does not have
void check_strategy(const strategy_settings& settings);

/// "exhaustive": the whole space in its order. "random": `count` configurations (at most the whole
/// space) drawn without replacement, equal on every machine for equal `seed` and space. The others learn: "local",
/// "annealing", "genetic" and "model" (see their headers).
/// @param space must outlive the strategy
/// @throws input_error as check_strategy; work_error for "model" without guide.learn
[[nodiscard]] std::unique_ptr<strategy> make_strategy(const strategy_settings& settings, const search_space& space,
                                                      const strategy_guide& guide = {});

/// Everything that `s` still proposes, in order, without reporting anything.
[[nodiscard]] std::vector<configuration> proposals(strategy& s);

}  // namespace mlmq::tuner
