// SPDX-License-Identifier: Apache-2.0
#include "selector/trees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "base/error.hpp"

namespace mlmq::selector {
namespace {

[[noreturn]] void refuse(const std::string& reason) { throw input_error("selector model: " + reason); }

/// Returns the thresholds of each input, ascending.
std::vector<std::vector<float>> cuts_of(std::span<const learned_tree> trees, std::size_t inputs) {
  std::vector<std::vector<float>> cuts(inputs);
  for (const learned_tree& tree : trees) {
    for (const learned_tree::node& node : tree.nodes) {
      if (node.left_child != 0) cuts.at(node.input).push_back(node.threshold);
    }
  }
  for (std::vector<float>& input_cuts : cuts) {
    std::sort(input_cuts.begin(), input_cuts.end());
    input_cuts.erase(std::unique(input_cuts.begin(), input_cuts.end()), input_cuts.end());
    if (input_cuts.size() > runtime::most_cuts)
      refuse(fmt::format("its trees compare an input with {} numbers, expected at most {}", input_cuts.size(),
                         runtime::most_cuts));
  }
  return cuts;
}

/// Concatenates trees.
class assembler {
 public:
  assembler(std::span<const learned_tree> trees, std::size_t inputs, std::size_t candidates, float unit)
      : cuts_(cuts_of(trees, inputs)), width_(runtime::padded(candidates)) {
    data.unit = unit;
    data.cut_begin.push_back(0);
    for (const std::vector<float>& input_cuts : cuts_) {
      data.cuts.insert(data.cuts.end(), input_cuts.begin(), input_cuts.end());
      data.cut_begin.push_back(static_cast<std::uint16_t>(data.cuts.size()));
    }
  }

  void add(const learned_tree& tree) {
    if (tree.nodes.size() > std::numeric_limits<std::uint16_t>::max()) refuse("a tree has too many nodes");
    const std::size_t inputs = cuts_.size();
    data.roots.push_back(static_cast<std::uint32_t>(data.nodes.size()));
    std::vector<std::size_t> depth(tree.nodes.size(), 0);
    std::size_t deepest = 0;
    for (std::size_t node_index = 0; node_index < tree.nodes.size(); ++node_index) {
      const learned_tree::node& node = tree.nodes[node_index];
      deepest = std::max(deepest, depth[node_index]);
      if (node.left_child == 0) {
        data.nodes.push_back({static_cast<std::uint8_t>(2 * inputs), 1, static_cast<std::uint16_t>(node_index)});
        data.rows.push_back(row_of(node.values));
        continue;
      }
      depth[node.left_child] = depth[node.left_child + 1] = depth[node_index] + 1;
      const std::vector<float>& cuts = cuts_[node.input];
      const auto cut = std::lower_bound(cuts.begin(), cuts.end(), node.threshold) - cuts.begin() + 1;
      data.nodes.push_back({static_cast<std::uint8_t>(node.input + (node.missing_left ? 0 : inputs)),
                            static_cast<std::uint8_t>(cut), static_cast<std::uint16_t>(node.left_child)});
      data.rows.push_back(0);
    }
    if (deepest > std::numeric_limits<std::uint8_t>::max()) refuse("a tree is deeper than 255 levels");
    const std::size_t group = (data.roots.size() - 1) / runtime::trees_per_group;
    data.steps.resize(group + 1, 0);
    data.steps[group] = std::max(data.steps[group], static_cast<std::uint8_t>(deepest));
  }

  tree_data data;

 private:
  std::uint32_t row_of(std::vector<std::int16_t> values) {
    values.resize(width_, 0);
    const auto [place, is_new] = rows_.emplace(values, static_cast<std::uint32_t>(rows_.size()));
    if (is_new) data.leaves.insert(data.leaves.end(), values.begin(), values.end());
    return place->second;
  }

  std::vector<std::vector<float>> cuts_;
  std::size_t width_;
  std::map<std::vector<std::int16_t>, std::uint32_t> rows_;
};

void check_cuts(const tree_data& trees, std::size_t inputs) {
  if (trees.cut_begin.size() != inputs + 1 || trees.cut_begin.front() != 0 ||
      trees.cut_begin.back() != trees.cuts.size())
    refuse("the cuts of its trees are inconsistent with its inputs");
  for (std::size_t i = 0; i < inputs; ++i) {
    if (trees.cut_begin[i] > trees.cut_begin[i + 1] ||
        trees.cut_begin[i + 1] - trees.cut_begin[i] > int{runtime::most_cuts})
      refuse("the cuts of its trees are inconsistent with its inputs");
    const auto first = trees.cuts.begin() + trees.cut_begin[i];
    const auto last = trees.cuts.begin() + trees.cut_begin[i + 1];
    if (!std::all_of(first, last, [](float cut) { return std::isfinite(cut); }) ||
        std::adjacent_find(first, last, [](float a, float b) { return a >= b; }) != last)
      refuse("the cuts of its trees are not finite and ascending");
  }
}

/// @param nodes the nodes of the tree @return steps to its deepest leaf
std::size_t check_tree(std::span<const runtime::node> nodes, const tree_data& trees, std::size_t inputs) {
  std::vector<std::size_t> depth(nodes.size(), 0);
  for (std::size_t node_index = 0; node_index < nodes.size(); ++node_index) {
    const runtime::node& node = nodes[node_index];
    if (node.input == 2 * inputs) {
      if (node.cut < 1 || node.left_child != node_index) refuse("a leaf of its trees does not lead to itself");
      continue;
    }
    const std::size_t input = node.input % inputs;
    if (node.input > 2 * inputs || node.cut < 1 || node.cut > trees.cut_begin[input + 1] - trees.cut_begin[input])
      refuse("a node of its trees has an invalid input or cut");
    // Children must have higher indices, so that every walk terminates.
    if (node.left_child <= node_index || node.left_child + std::size_t{1} >= nodes.size())
      refuse("a node of its trees has no children");
    for (const std::size_t child : {std::size_t{node.left_child}, node.left_child + std::size_t{1}})
      depth[child] = std::max(depth[child], depth[node_index] + 1);
  }
  return *std::max_element(depth.begin(), depth.end());
}

}  // namespace

std::size_t learned_tree::leaf_of(std::span<const float> inputs) const {
  std::size_t node_index = 0;
  while (nodes[node_index].left_child != 0) {
    const float value = inputs[nodes[node_index].input];
    const bool go_left = std::isnan(value) ? nodes[node_index].missing_left : value < nodes[node_index].threshold;
    node_index = nodes[node_index].left_child + (go_left ? 0 : 1);
  }
  return node_index;
}

float unit_for(double largest) {
  constexpr double smallest = 0x1p-40;
  return static_cast<float>(std::exp2(std::ceil(std::log2(std::max(largest, smallest) / runtime::largest_leaf))));
}

std::int16_t in_units(double value, float unit) {
  constexpr double most = runtime::largest_leaf;
  return static_cast<std::int16_t>(std::clamp(std::nearbyint(value / double{unit}), -most, most));
}

runtime::tree_set tree_data::view() const {
  return {.cut_begin = cut_begin.data(),
          .cuts = cuts.data(),
          .groups = steps.size(),
          .roots = roots.data(),
          .steps = steps.data(),
          .nodes = nodes.data(),
          .rows = rows.data(),
          .leaves = leaves.data(),
          .unit = unit};
}

tree_data assemble(std::span<const learned_tree> trees, std::size_t inputs, std::size_t candidates, float unit) {
  if (inputs > runtime::most_inputs)
    refuse(fmt::format("{} inputs, expected at most {}", inputs, runtime::most_inputs));
  assembler target(trees, inputs, candidates, unit);
  for (const learned_tree& tree : trees) target.add(tree);
  // Fill the last group with trees that add 0.
  learned_tree nothing;
  nothing.nodes.emplace_back().values.assign(candidates, 0);
  while (target.data.roots.size() % runtime::trees_per_group != 0) target.add(nothing);
  return std::move(target.data);
}

void check_trees(const tree_data& trees, std::size_t inputs, std::size_t candidates) {
  check_cuts(trees, inputs);
  const std::size_t width = runtime::padded(candidates);
  const std::size_t rows = trees.leaves.size() / width;
  if (trees.roots.empty() || trees.roots.size() != trees.steps.size() * runtime::trees_per_group ||
      trees.roots.front() != 0 || trees.nodes.size() != trees.rows.size() || trees.leaves.size() != rows * width)
    refuse("the sizes of the arrays of its trees are inconsistent");
  for (std::size_t i = 0; i < trees.roots.size(); ++i) {
    const std::size_t begin = trees.roots[i];
    const std::size_t end = i + 1 < trees.roots.size() ? trees.roots[i + 1] : trees.nodes.size();
    if (begin >= end || end > trees.nodes.size()) refuse("the sizes of the arrays of its trees are inconsistent");
    const std::size_t depth = check_tree(std::span(trees.nodes).subspan(begin, end - begin), trees, inputs);
    if (depth > trees.steps[i / runtime::trees_per_group]) refuse("a tree is deeper than its number of steps");
  }
  if (std::any_of(trees.rows.begin(), trees.rows.end(), [rows](std::uint32_t row) { return row >= rows; }))
    refuse("a leaf of its trees has no numbers");
  if (std::any_of(trees.leaves.begin(), trees.leaves.end(),
                  [](std::int16_t value) { return std::abs(int{value}) > runtime::largest_leaf; }))
    refuse("a number in a leaf of its trees is too large");
  int exponent = 0;
  if (!(trees.unit > 0) || !std::isfinite(trees.unit) || std::frexp(trees.unit, &exponent) != 0.5F)
    refuse("the unit of its trees is not a power of two");
}

}  // namespace mlmq::selector
