// SPDX-License-Identifier: Apache-2.0
// Trees over a workload's inputs with a number for each candidate in every leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "selector/runtime.hpp"

namespace mlmq::selector {

/// A tree as it was learned: the root first, the two children of a node next to each other.
struct learned_tree {
  struct node {
    std::size_t input = 0;
    float threshold = 0;               ///< left when input < threshold
    bool missing_left = true;          ///< where an unknown (NaN) input goes
    std::size_t left = 0;              ///< its left child; 0: a leaf
    std::vector<std::int16_t> values;  ///< of a leaf: one per candidate, in units of the set
  };
  std::vector<node> nodes;

  /// The leaf that a workload comes to. @param inputs all that the nodes may compare
  [[nodiscard]] std::size_t leaf_of(std::span<const float> inputs) const;
};

/// The smallest power of two in which numbers up to `largest` are no more than runtime::largest_leaf.
[[nodiscard]] float unit_for(double largest);

/// `value` in units, rounded, at most runtime::largest_leaf.
[[nodiscard]] std::int16_t in_units(double value, float unit);

/// Trees as runtime::tree_set has them, with their storage.
struct tree_data {
  std::vector<std::uint16_t> cut_begin;
  std::vector<float> cuts;
  std::vector<std::uint32_t> roots;
  std::vector<std::uint8_t> steps;
  std::vector<runtime::node> nodes;
  std::vector<std::uint32_t> rows;
  std::vector<std::int16_t> leaves;  ///< equal rows are there once
  float unit = 1;

  /// Valid as long as this is.
  [[nodiscard]] runtime::tree_set view() const;
};

/// @param inputs how many a workload has
/// @param candidates values in each leaf
/// @throws input_error for more inputs, cuts of one input, nodes or levels of a tree than the runtime can have
[[nodiscard]] tree_data assemble(std::span<const learned_tree> trees, std::size_t inputs, std::size_t candidates,
                                 float unit);

/// @throws input_error when the parts do not fit each other, or a walk would leave them
void check_trees(const tree_data& trees, std::size_t inputs, std::size_t candidates);

}  // namespace mlmq::selector
