// SPDX-License-Identifier: Apache-2.0
// Trees over a workload's inputs with one number per candidate in every leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "selector/runtime.hpp"

namespace mlmq::selector {

/// A tree as it was learned: the root comes first, and the two children of a node are adjacent.
struct learned_tree {
  struct node {
    std::size_t input = 0;
    float threshold = 0;               ///< left when input < threshold
    bool missing_left = true;          ///< whether an unknown (NaN) input goes left
    std::size_t left_child = 0;        ///< index of the left child; 0: a leaf
    std::vector<std::int16_t> values;  ///< leaves only: one per candidate, in units of the set
  };
  std::vector<node> nodes;

  /// Returns the leaf of a workload. @param inputs all inputs that the nodes may compare
  [[nodiscard]] std::size_t leaf_of(std::span<const float> inputs) const;
};

/// Returns the smallest power of two in which numbers up to `largest` are at most runtime::largest_leaf.
[[nodiscard]] float unit_for(double largest);

/// Converts `value` to units: rounded, and limited to ±runtime::largest_leaf.
[[nodiscard]] std::int16_t in_units(double value, float unit);

/// The storage of a runtime::tree_set.
struct tree_data {
  std::vector<std::uint16_t> cut_begin;
  std::vector<float> cuts;
  std::vector<std::uint32_t> roots;
  std::vector<std::uint8_t> steps;
  std::vector<runtime::node> nodes;
  std::vector<std::uint32_t> rows;
  std::vector<std::int16_t> leaves;  ///< equal rows are stored once
  float unit = 1;

  /// The view is valid as long as this object is.
  [[nodiscard]] runtime::tree_set view() const;
};

/// Converts learned trees into the form of the runtime.
/// @param inputs number of inputs of a workload
/// @param candidates number of values in each leaf
/// @throws input_error for more inputs, cuts of one input, nodes or levels of a tree than the runtime supports
[[nodiscard]] tree_data assemble(std::span<const learned_tree> trees, std::size_t inputs, std::size_t candidates,
                                 float unit);

/// @throws input_error if the parts are inconsistent, or a walk would leave the arrays
void check_trees(const tree_data& trees, std::size_t inputs, std::size_t candidates);

}  // namespace mlmq::selector
