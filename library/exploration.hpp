// SPDX-License-Identifier: Apache-2.0
// Compares the best-ranked configurations on the searches that the caller asks for anyway.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "selector/race.hpp"

namespace mlmq::detail {

/// One configuration answers each search, in turn. For one graph and device. Not thread-safe.
class exploration {
 public:
  /// Searches per configuration that the caller wants to try, unless fewer show which one is the fastest.
  static constexpr std::size_t searches_per_try = 8;

  /// @param labels complete configurations, at least one, best-ranked first
  /// @param predicted relative performance of each; NaN: unknown
  /// @param most_searches searches of all configurations together, at least 1
  exploration(std::vector<std::string> labels, std::span<const double> predicted, std::size_t most_searches)
      : labels_(std::move(labels)), race_(predicted, most_searches) {}

  /// Returns the configuration for the next search; nothing once the winner is known. A configuration that was returned
  /// last time and has no time since then has failed.
  [[nodiscard]] std::optional<std::string> next();
  /// Records the time of a search. Ignores configurations that are not compared.
  void note(const std::string& label, double milliseconds);

  [[nodiscard]] bool decided() const { return race_.decided(); }
  [[nodiscard]] const std::string& winner() const { return labels_[race_.leader()]; }
  /// Describes the comparison for users.
  [[nodiscard]] std::string reason() const;

 private:
  std::vector<std::string> labels_;
  selector::race race_;
  std::optional<std::size_t> running_;
};

/// The winners of earlier processes, in the cache folder. @param key identifies graph, device and problem
[[nodiscard]] std::optional<std::string> kept_winner(const std::string& key);
void keep_winner(const std::string& key, const std::string& label);

}  // namespace mlmq::detail
