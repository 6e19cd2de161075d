// SPDX-License-Identifier: Apache-2.0
// Cross-validated scores of several ways to choose a configuration. They are computed once and then only displayed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mlmq::selector {

/// One way to choose, scored on workloads that it did not learn from. A workload counts with the mean over its choices.
struct judged_way {
  std::string name;          ///< display name: "new selector"
  double mean_relative = 0;  ///< best time / time of the choice, averaged over the workloads; a failure counts as 0
  double near_best = 0;      ///< share of the workloads within 0.9 of the best
  double worst = 0;          ///< the lowest of all workloads
  /// Per workload: one candidate per repetition of the cross-validation, as an index. Empty for "best measured".
  std::vector<std::vector<std::size_t>> choices = {};
  std::vector<double> relative = {};  ///< per workload; the numbers above are computed from these
};

/// The scores of all ways, with what they were computed from.
struct judged_ways {
  std::string selector_way = {};                 ///< name of the way that corresponds to the selector in the same file
  std::vector<std::string> workloads = {};       ///< "NAME (first digits of the hash)"
  std::vector<std::string> configurations = {};  ///< labels that judged_way::choices refers to
  std::vector<judged_way> ways = {};             ///< empty if there were too few workloads

  /// Returns the way with this name, or null.
  [[nodiscard]] const judged_way* find(const std::string& name) const {
    for (const judged_way& way : ways) {
      if (way.name == name) return &way;
    }
    return nullptr;
  }
};

}  // namespace mlmq::selector
