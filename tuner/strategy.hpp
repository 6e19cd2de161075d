// SPDX-License-Identifier: Apache-2.0
// Which configurations to try, in which order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/configuration.hpp"
#include "tuner/search_space.hpp"
#include "tuner/source_place.hpp"

namespace mlmq::tuner {

/// `strategy:` of an experiment file.
struct strategy_settings {
  std::string name = "exhaustive";
  std::optional<std::uint64_t> count;  ///< how many configurations to propose
  std::optional<std::uint64_t> seed;   ///< 1 when left out
  source_place place;
};

/// Proposes configurations one at a time and is told what came of them. A caller may ask several
/// times before it reports, and report in any order.
class strategy {
 public:
  virtual ~strategy() = default;

  /// The next configuration to try, none twice; nothing when the strategy is done.
  [[nodiscard]] virtual std::optional<configuration> next() = 0;

  /// The time of a proposed configuration, or nothing when it failed. Strategies that do not learn
  /// ignore it.
  virtual void report(const configuration& tried, std::optional<double> milliseconds);

  /// How many configurations it proposes in total, when that is known beforehand.
  [[nodiscard]] virtual std::optional<std::uint64_t> total() const = 0;
};

/// Every strategy's name.
[[nodiscard]] std::vector<std::string> strategy_names();

/// "exhaustive": the whole space in its order. "random": `count` configurations (at most the whole
/// space) drawn without replacement, equal on every machine for equal `seed` and space.
/// @param space must outlive the strategy
/// @throws input_error for an unknown name, or a setting that the strategy needs or does not have
[[nodiscard]] std::unique_ptr<strategy> make_strategy(const strategy_settings& settings, const search_space& space);

/// Everything that `s` still proposes, in order, without reporting anything.
[[nodiscard]] std::vector<configuration> proposals(strategy& s);

}  // namespace mlmq::tuner
