// SPDX-License-Identifier: Apache-2.0
#include "selector/specialise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace mlmq::selector {
namespace {

/// Maximum number of leaves; larger trees are divided among the candidates.
constexpr std::size_t most_leaves = 48;

/// Current node of each candidate of a group in the original tree.
using positions = std::vector<std::size_t>;

/// The values that one input can still have after the comparisons so far.
struct input_range {
  float least = -std::numeric_limits<float>::infinity();  ///< lower bound (inclusive)
  float below = std::numeric_limits<float>::infinity();   ///< upper bound (exclusive), if `bounded`
  bool bounded = false;
  bool may_be_missing = true;
};
using input_ranges = std::vector<input_range>;  // one per input of the workload

/// Builds the part of a tree for a group of candidates.
class tree_builder {
 public:
  /// @param encodings of all candidates; leaves have 0 for candidates outside the group
  tree_builder(const forest& trees, std::size_t inputs, const std::vector<std::vector<float>>& encodings,
               std::vector<std::size_t> group, float unit)
      : trees_(trees), inputs_(inputs), encodings_(encodings), group_(std::move(group)), unit_(unit) {}

  /// Returns nothing if the tree has too many leaves and the group can be divided.
  [[nodiscard]] std::optional<learned_tree> build(std::size_t root) {
    tree_.nodes.assign(1, {});
    leaves_ = 0;
    if (!grow(0, positions(group_.size(), root), input_ranges(inputs_), 0)) return std::nullopt;
    return tree_;
  }

 private:
  [[nodiscard]] bool is_leaf(std::size_t node) const { return trees_.feature[node] < 0; }

  [[nodiscard]] std::size_t child(std::size_t node, bool go_left) const {
    return static_cast<std::size_t>(go_left ? trees_.left_child[node] : trees_.right_child[node]);
  }

  /// Returns whether all remaining workloads go left; nothing if they go both ways.
  [[nodiscard]] std::optional<bool> common_direction(std::size_t node, const input_ranges& ranges) const {
    const input_range& input = ranges[static_cast<std::size_t>(trees_.feature[node])];
    const bool missing_left = trees_.default_left[node] != 0;
    // The range is empty, so only an unknown input reaches this node.
    if (input.bounded && input.below <= input.least) return missing_left;
    std::optional<bool> go_left;
    if (input.bounded && input.below <= trees_.value[node]) go_left = true;
    if (input.least >= trees_.value[node]) go_left = false;
    if (go_left && input.may_be_missing && missing_left != *go_left) return std::nullopt;
    return go_left;
  }

  /// Descends to the next split that depends on the workload, or to a leaf.
  [[nodiscard]] std::size_t advance(std::size_t node, std::size_t candidate, const input_ranges& ranges) const {
    while (!is_leaf(node)) {
      const auto column = static_cast<std::size_t>(trees_.feature[node]);
      if (column >= inputs_) {
        const float value = encodings_[candidate][column - inputs_];
        node = child(node, std::isnan(value) ? trees_.default_left[node] != 0 : value < trees_.value[node]);
      } else if (const std::optional<bool> go_left = common_direction(node, ranges)) {
        node = child(node, *go_left);
      } else {
        break;
      }
    }
    return node;
  }

  static input_ranges narrowed(input_ranges ranges, std::size_t input, float threshold, bool missing_left,
                               bool go_left) {
    input_range& range = ranges[input];
    if (go_left) {
      range.below = range.bounded ? std::min(range.below, threshold) : threshold;
      range.bounded = true;
    } else {
      range.least = std::max(range.least, threshold);
    }
    range.may_be_missing = range.may_be_missing && missing_left == go_left;
    return ranges;
  }

  bool grow(std::size_t target, positions current_nodes, const input_ranges& ranges, std::size_t depth) {
    if (depth > std::numeric_limits<std::uint8_t>::max())
      throw input_error("training settings: a tree is deeper than 255 levels; train with a smaller depth");
    for (std::size_t i = 0; i < current_nodes.size(); ++i)
      current_nodes[i] = advance(current_nodes[i], group_[i], ranges);
    // Choose the split that most candidates are at; ties go to the first.
    std::map<std::size_t, std::size_t> count;
    for (const std::size_t node : current_nodes) {
      if (!is_leaf(node)) ++count[node];
    }
    if (count.empty()) {
      ++leaves_;
      std::vector<std::int16_t>& values = tree_.nodes[target].values;
      values.assign(encodings_.size(), 0);
      for (std::size_t i = 0; i < current_nodes.size(); ++i)
        values[group_[i]] = in_units(double{trees_.value[current_nodes[i]]}, unit_);
      return leaves_ <= most_leaves || group_.size() == 1;
    }
    const std::size_t split = std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) {
                                return a.second < b.second;
                              })->first;
    const auto input = static_cast<std::size_t>(trees_.feature[split]);
    const float threshold = trees_.value[split];
    const bool missing_left = trees_.default_left[split] != 0;
    const std::size_t left_child = tree_.nodes.size();
    tree_.nodes.resize(left_child + 2);
    tree_.nodes[target] = {input, threshold, missing_left, left_child, {}};
    return grow(left_child, current_nodes, narrowed(ranges, input, threshold, missing_left, true), depth + 1) &&
           grow(left_child + 1, current_nodes, narrowed(ranges, input, threshold, missing_left, false), depth + 1);
  }

  const forest& trees_;
  std::size_t inputs_;
  const std::vector<std::vector<float>>& encodings_;
  std::vector<std::size_t> group_;
  float unit_;
  learned_tree tree_;
  std::size_t leaves_ = 0;
};

void add_tree(const forest& trees, std::size_t root, std::size_t inputs,
              const std::vector<std::vector<float>>& encodings, const std::vector<std::size_t>& group, float unit,
              std::vector<learned_tree>& result) {
  if (auto built = tree_builder(trees, inputs, encodings, group, unit).build(root)) {
    result.push_back(std::move(*built));
    return;
  }
  const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
  add_tree(trees, root, inputs, encodings, {group.begin(), middle}, unit, result);
  add_tree(trees, root, inputs, encodings, {middle, group.end()}, unit, result);
}

}  // namespace

std::vector<learned_tree> specialised(const forest& trees, std::size_t inputs,
                                      const std::vector<std::vector<float>>& encodings, float unit) {
  std::vector<std::size_t> all_candidates(encodings.size());
  for (std::size_t i = 0; i < all_candidates.size(); ++i) all_candidates[i] = i;
  std::vector<learned_tree> result;
  for (const std::int32_t root : trees.roots)
    add_tree(trees, static_cast<std::size_t>(root), inputs, encodings, all_candidates, unit, result);
  return result;
}

}  // namespace mlmq::selector
