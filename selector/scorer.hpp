// SPDX-License-Identifier: Apache-2.0
// A model for a fixed list of candidates, in the form in which asking it costs least.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "selector/model_file.hpp"

namespace mlmq::selector {

/// The model's trees with every split on a candidate's column decided beforehand: what is left of a tree compares graph
/// inputs only, and each of its leaves holds one value per candidate, so that one walk serves all candidates. A tree
/// that would grow too large by that is divided among the candidates; the others have 0 in its leaves.
///
/// Nodes of one tree: the root first, the two children of a node next to each other. A leaf is its own left child and
/// compares the input 0 < 1, so that a walk may take the same number of steps in every tree.
struct scorer {
  /// Trees that are summed by themselves, as XGBoost sums them.
  struct part {
    std::size_t first_tree = 0;  ///< index into `roots`; up to the next part's first
    bool single = false;         ///< its i-th tree is for candidate i % candidates only, with one value in a leaf
    float weight = 1;            ///< of the sum in the score: a power of two, so that no product is rounded
    std::vector<float> starts;   ///< one per candidate: where its sum starts
  };

  /// Instead of trees: a kernel fit. Its features are inputs of `graph`.
  struct likeness {
    kernel_fit fit;
    std::vector<float> starts;  ///< one per candidate
  };

  graph_encoding graph;  ///< those of the model's features, and ratios of them, that it looks at; at least one feature
  std::size_t candidates = 0;
  std::optional<likeness> kernel;
  std::vector<part> parts;           ///< none with a kernel
  std::vector<std::uint32_t> roots;  ///< one per tree
  std::vector<std::uint8_t> depths;  ///< steps from a tree's root to its deepest leaf
  std::vector<std::uint8_t> input;   ///< per node: index into the graph's inputs; their number, a constant 0, in a leaf
  std::vector<float> threshold;      ///< left when input < threshold
  std::vector<std::uint32_t> left;   ///< left child; the right one follows it
  std::vector<std::uint8_t> missing;  ///< 1: a missing (NaN) input goes left
  std::vector<std::uint32_t> row;     ///< in a leaf: where its values begin
  std::vector<float> values;          ///< one, or one per candidate; what is equal is stored once

  /// The score of each candidate: of trees, bit for bit Σ weight × (what XGBoost predicts with the part's trees).
  /// `features`: one value for each of graph.features; NaN: unknown.
  void score(std::span<const double> features, std::span<float> scores) const;
};

/// @throws input_error when the model is inconsistent
[[nodiscard]] scorer make_scorer(const model& model);

}  // namespace mlmq::selector
