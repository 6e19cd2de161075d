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

/// Renumbers the inputs of trees. With n inputs, a node compares bin i or n + i; a leaf compares bin 2n.
/// @param renamed new index of each former input
tree_data renumbered(tree_data trees, std::span<const std::size_t> renamed, std::size_t inputs) {
  const std::size_t old_count = renamed.size();
  for (runtime::node& node : trees.nodes) {
    const std::size_t bin = node.input;
    const std::size_t new_index = bin == 2 * old_count ? 2 * inputs
                                  : bin >= old_count   ? inputs + renamed[bin - old_count]
                                                       : renamed[bin];
    node.input = static_cast<std::uint8_t>(new_index);
  }
  std::vector<std::vector<float>> cuts(inputs);
  for (std::size_t i = 0; i < old_count; ++i) {
    const std::size_t first = trees.cut_begin[i];
    const std::size_t last = trees.cut_begin[i + 1];
    if (first == last) continue;
    cuts.at(renamed[i])
        .assign(trees.cuts.begin() + static_cast<std::ptrdiff_t>(first),
                trees.cuts.begin() + static_cast<std::ptrdiff_t>(last));
  }
  trees.cut_begin.assign(1, 0);
  trees.cuts.clear();
  for (const std::vector<float>& input_cuts : cuts) {
    trees.cuts.insert(trees.cuts.end(), input_cuts.begin(), input_cuts.end());
    trees.cut_begin.push_back(static_cast<std::uint16_t>(trees.cuts.size()));
  }
  return trees;
}

/// Returns the index in `target` of each input of `source`.
std::vector<std::size_t> places_in(const input_encoding& target, const input_encoding& source) {
  std::vector<std::size_t> places;
  const std::vector<std::string> names = target.names();
  for (const std::string& name : source.names()) {
    const auto position = std::find(names.begin(), names.end(), name);
    if (position == names.end()) throw input_error(fmt::format("a model lacks the input '{}'", name));
    places.push_back(static_cast<std::size_t>(position - names.begin()));
  }
  return places;
}

}  // namespace

void add_trees_of(model& target, const model& source, std::span<const std::size_t> columns) {
  if (!source.trees || columns.size() != target.candidates.size())
    throw input_error(
        "trees can be copied only from a model that has them, with one column per candidate of the target");
  const std::vector<std::size_t> renamed = places_in(target.inputs, source.inputs);
  tree_data trees = renumbered(*source.trees, renamed, target.inputs.size());
  const std::size_t width = runtime::padded(source.candidates.size());
  const std::size_t rows = trees.leaves.size() / width;
  std::vector<std::int16_t> leaves;
  for (std::size_t row = 0; row < rows; ++row) {
    for (const std::size_t column : columns) {
      if (column >= source.candidates.size())
        throw input_error("a column refers to a candidate that the source model lacks");
      leaves.push_back(trees.leaves[row * width + column]);
    }
    leaves.resize((row + 1) * runtime::padded(columns.size()), 0);
  }
  trees.leaves = std::move(leaves);
  target.trees = std::move(trees);
  for (std::size_t c = 0; c < columns.size(); ++c) target.starts[c] += source.starts[columns[c]];
  target.importance.assign(target.inputs.size(), 0);
  for (std::size_t i = 0; i < renamed.size(); ++i) target.importance[renamed[i]] = source.importance[i];
}

model with_used_inputs(model trained) {
  const std::size_t old_count = trained.inputs.size();
  std::vector<bool> is_used(old_count, false);
  if (trained.trees) {
    for (std::size_t i = 0; i < old_count; ++i)
      is_used[i] = trained.trees->cut_begin[i] < trained.trees->cut_begin[i + 1];
  } else if (trained.kernel) {
    trained.importance = importance_of_inputs(*trained.kernel, old_count);
  }
  if (trained.kernel) {
    for (const std::uint8_t input : trained.kernel->used) is_used[input] = true;
  }
  kept_inputs reduced = keep_inputs(trained.inputs, is_used);
  const std::size_t new_count = reduced.encoding.size();
  std::vector<double> importance(new_count, 0);
  for (std::size_t i = 0; i < old_count; ++i) {
    if (is_used[i]) importance[reduced.renamed[i]] = trained.importance[i];
  }
  if (trained.trees) trained.trees = renumbered(std::move(*trained.trees), reduced.renamed, new_count);
  if (trained.kernel) {
    for (std::uint8_t& input : trained.kernel->used) input = static_cast<std::uint8_t>(reduced.renamed[input]);
  }
  trained.importance = std::move(importance);
  trained.inputs = std::move(reduced.encoding);
  return trained;
}

}  // namespace mlmq::selector
