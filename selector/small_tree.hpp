// SPDX-License-Identifier: Apache-2.0
// A decision tree with few leaves: a reference strategy that can be applied by hand.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "selector/training_set.hpp"

namespace mlmq::selector {

/// Chooses a candidate by comparing features with constants. Each leaf has the candidate with the highest mean relative
/// performance over the leaf's training workloads.
class small_tree {
 public:
  /// Grows the tree greedily: splits the leaf whose best split raises the sum of relative performances most.
  /// @param performance of `set` @param leaves maximum number of leaves, at least 1
  small_tree(const training_set& set, const performance_matrix& performance, std::size_t leaves = 8);

  /// Returns the index of the candidate for a workload. @param features one value per feature of the training set; NaN
  /// (unknown) goes to the left
  [[nodiscard]] std::size_t choose(std::span<const double> features) const;

 private:
  struct node {
    std::size_t candidate = 0;  ///< of a leaf
    std::size_t feature = 0;
    double threshold = 0;        ///< values below it, and unknown ones, go left
    std::size_t left_child = 0;  ///< 0: a leaf; the right child follows
  };
  std::vector<node> nodes_;
};

}  // namespace mlmq::selector
