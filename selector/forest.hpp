// SPDX-License-Identifier: Apache-2.0
// A trained XGBoost model as plain arrays, with its evaluation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace mlmq::selector {

/// The nodes of all trees, one array per field. The nodes of a tree are adjacent, without unreachable ones.
struct forest {
  std::size_t feature_count = 0;
  float base_score = 0;                    ///< start of the sum of leaf values
  std::vector<std::int32_t> roots;         ///< one per tree, in the order of boosting
  std::vector<std::int16_t> feature;       ///< input that a node compares; negative: a leaf
  std::vector<float> value;                ///< a node's threshold, or a leaf's value
  std::vector<std::int32_t> left_child;    ///< child when input < threshold; -1 in a leaf
  std::vector<std::int32_t> right_child;   ///< the other child; -1 in a leaf
  std::vector<std::uint8_t> default_left;  ///< 1: a missing (NaN) input goes left
  std::vector<float> gain;                 ///< reduction of the training loss by a split; 0 in a leaf

  /// Predicts bit for bit like XGBoost: float32 comparison `<`, NaN goes to the default child, and leaf values are
  /// added in float32 to the base score in tree order. @param row feature_count inputs
  [[nodiscard]] float predict(std::span<const float> row) const;
};

/// Reads XGBoost's JSON model format (written by 1.x, 2.x or 3.x) of a gbtree whose prediction is the sum of its
/// leaves, objective reg:squarederror. The two children of a node are adjacent.
/// @throws input_error if the text is not such a model, is damaged, or uses an unsupported option: another booster or
/// objective, trees with several outputs, categorical splits
[[nodiscard]] forest parse_xgboost_json(std::string_view text);

}  // namespace mlmq::selector
