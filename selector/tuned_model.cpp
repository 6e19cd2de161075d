// SPDX-License-Identifier: Apache-2.0
#include "selector/tuned_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace mlmq::selector {
namespace {

/// Trees whose inputs have other numbers. Of n inputs, a node compares the bin i, n + i or, in a leaf, 2n.
/// @param renamed for each former input its number now
tree_data renumbered(tree_data trees, std::span<const std::size_t> renamed, std::size_t inputs) {
  const std::size_t before = renamed.size();
  for (runtime::node& one : trees.nodes) {
    const std::size_t bin = one.input;
    const std::size_t now = bin == 2 * before ? 2 * inputs
                            : bin >= before   ? inputs + renamed[bin - before]
                                              : renamed[bin];
    one.input = static_cast<std::uint8_t>(now);
  }
  std::vector<std::vector<float>> cuts(inputs);
  for (std::size_t i = 0; i < before; ++i) {
    const std::size_t first = trees.cut_begin[i];
    const std::size_t last = trees.cut_begin[i + 1];
    if (first == last) continue;
    cuts.at(renamed[i])
        .assign(trees.cuts.begin() + static_cast<std::ptrdiff_t>(first),
                trees.cuts.begin() + static_cast<std::ptrdiff_t>(last));
  }
  trees.cut_begin.assign(1, 0);
  trees.cuts.clear();
  for (const std::vector<float>& some : cuts) {
    trees.cuts.insert(trees.cuts.end(), some.begin(), some.end());
    trees.cut_begin.push_back(static_cast<std::uint16_t>(trees.cuts.size()));
  }
  return trees;
}

/// Where the inputs of one encoding are in another one.
std::vector<std::size_t> places_in(const input_encoding& to, const input_encoding& from) {
  std::vector<std::size_t> places;
  const std::vector<std::string> names = to.names();
  for (const std::string& name : from.names()) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw input_error(fmt::format("a model without the input '{}'", name));
    places.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  return places;
}

}  // namespace

void add_trees_of(model& to, const model& from, std::span<const std::size_t> columns) {
  if (!from.trees || columns.size() != to.candidates.size())
    throw input_error("trees of a model can only be given to a model with as many columns as candidates");
  const std::vector<std::size_t> renamed = places_in(to.inputs, from.inputs);
  tree_data trees = renumbered(*from.trees, renamed, to.inputs.size());
  const std::size_t width = runtime::padded(from.candidates.size());
  const std::size_t rows = trees.leaves.size() / width;
  std::vector<std::int16_t> leaves;
  for (std::size_t row = 0; row < rows; ++row) {
    for (const std::size_t column : columns) {
      if (column >= from.candidates.size()) throw input_error("a model has no such candidate");
      leaves.push_back(trees.leaves[row * width + column]);
    }
    leaves.resize((row + 1) * runtime::padded(columns.size()), 0);
  }
  trees.leaves = std::move(leaves);
  to.trees = std::move(trees);
  for (std::size_t c = 0; c < columns.size(); ++c) to.starts[c] += from.starts[columns[c]];
  to.importance.assign(to.inputs.size(), 0);
  for (std::size_t i = 0; i < renamed.size(); ++i) to.importance[renamed[i]] = from.importance[i];
}

model with_used_inputs(model all) {
  const std::size_t before = all.inputs.size();
  std::vector<bool> is_used(before, false);
  if (all.trees) {
    for (std::size_t i = 0; i < before; ++i) is_used[i] = all.trees->cut_begin[i] < all.trees->cut_begin[i + 1];
  } else if (all.kernel) {
    all.importance = importance_of_inputs(*all.kernel, before);
  }
  if (all.kernel) {
    for (const std::uint8_t input : all.kernel->used) is_used[input] = true;
  }
  kept_inputs kept = keep_inputs(all.inputs, is_used);
  const std::size_t now = kept.encoding.size();
  std::vector<double> importance(now, 0);
  for (std::size_t i = 0; i < before; ++i) {
    if (is_used[i]) importance[kept.renamed[i]] = all.importance[i];
  }
  if (all.trees) all.trees = renumbered(std::move(*all.trees), kept.renamed, now);
  if (all.kernel) {
    for (std::uint8_t& input : all.kernel->used) input = static_cast<std::uint8_t>(kept.renamed[input]);
  }
  all.importance = std::move(importance);
  all.inputs = std::move(kept.encoding);
  return all;
}

}  // namespace mlmq::selector
