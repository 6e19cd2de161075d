// SPDX-License-Identifier: Apache-2.0
// Features of a workload kind: their order, named lists of features, and which of them a selector may use.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/query.hpp"

namespace mlmq::tuner {

/// Known features of a workload, by name.
using named_features = std::map<std::string, double, std::less<>>;

/// A named list of features, such as those that cost almost nothing.
struct feature_list {
  std::string_view word;
  std::string_view meaning;
  std::vector<std::string_view> features;
};

/// Features of one workload kind. The default implementation has no names: every recorded feature is used, sorted by
/// name.
class workload_features {
 public:
  virtual ~workload_features() = default;

  /// Returns the features in the order of models and tables. Other recorded features follow, sorted by name.
  [[nodiscard]] virtual std::span<const named_meaning> definitions() const { return {}; }

  /// Returns the named lists. Selectors learn from the list `standard` by default, or from all recorded features
  /// without one.
  [[nodiscard]] virtual std::span<const feature_list> lists() const { return {}; }

  /// Returns whether a model may use a feature, given the values in `known`. Computing some features is too expensive
  /// for small workloads.
  [[nodiscard]] virtual bool is_usable(std::string_view /*feature*/, const named_features& /*known*/) const {
    return true;
  }
};

/// Returns the default features, for kinds that do not declare any.
[[nodiscard]] inline const workload_features& unnamed_features() {
  static const workload_features none;
  return none;
}

}  // namespace mlmq::tuner
