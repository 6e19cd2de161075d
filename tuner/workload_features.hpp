// SPDX-License-Identifier: Apache-2.0
// What a kind of workload says about its features: their order, lists of them that have a name, and what a selector is
// told of them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/query.hpp"

namespace mlmq::tuner {

/// What is known of a workload.
using named_features = std::map<std::string, double, std::less<>>;

/// A word that stands for several features, such as those that cost next to nothing.
struct feature_list {
  std::string_view word;
  std::string_view meaning;
  std::vector<std::string_view> features;
};

/// The features of one kind of workload. This class itself knows no names: every feature on record is used, in the order
/// of the names.
class workload_features {
 public:
  virtual ~workload_features() = default;

  /// In the order in which models and tables have them. Those on record that are not here follow by name.
  [[nodiscard]] virtual std::span<const named_meaning> definitions() const { return {}; }

  /// A list `standard` is what selectors learn from when nothing else is said; without one these are all on record.
  [[nodiscard]] virtual std::span<const feature_list> lists() const { return {}; }

  /// Whether selectors are told a feature of a workload of which `known` is known. To find some features takes longer than
  /// a small workload is worth.
  [[nodiscard]] virtual bool is_told(std::string_view /*feature*/, const named_features& /*known*/) const {
    return true;
  }
};

/// Of kinds that say nothing about their features.
[[nodiscard]] inline const workload_features& unnamed_features() {
  static const workload_features none;
  return none;
}

}  // namespace mlmq::tuner
