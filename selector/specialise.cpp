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

/// Larger trees are divided among the candidates.
constexpr std::size_t most_leaves = 48;

/// Where each candidate of a group is in the original tree; groups are small, so plain vectors.
using positions = std::vector<std::size_t>;

/// What the comparisons so far say about one input.
struct known_input {
  float least = -std::numeric_limits<float>::infinity();  ///< not below this
  float below = std::numeric_limits<float>::infinity();   ///< less than this, when `bounded`
  bool bounded = false;
  bool may_be_missing = true;
};
using knowledge = std::vector<known_input>;  // one per input of the workload

/// Builds the part of a tree that concerns some of the candidates.
class tree_builder {
 public:
  /// @param encodings of all candidates; leaves have 0 for those that are not in the group
  tree_builder(const forest& trees, std::size_t inputs, const std::vector<std::vector<float>>& encodings,
               std::vector<std::size_t> group, float unit)
      : trees_(trees), inputs_(inputs), encodings_(encodings), group_(std::move(group)), unit_(unit) {}

  /// Nothing when it has too many leaves and the group could be divided.
  [[nodiscard]] std::optional<learned_tree> build(std::size_t root) {
    tree_.nodes.assign(1, {});
    leaves_ = 0;
    if (!grow(0, positions(group_.size(), root), knowledge(inputs_), 0)) return std::nullopt;
    return tree_;
  }

 private:
  [[nodiscard]] bool is_leaf(std::size_t at) const { return trees_.feature[at] < 0; }

  [[nodiscard]] std::size_t child(std::size_t at, bool left) const {
    return static_cast<std::size_t>(left ? trees_.left[at] : trees_.right[at]);
  }

  /// Which way all workloads that are still possible go, if it is the same.
  [[nodiscard]] std::optional<bool> decided(std::size_t at, const knowledge& known) const {
    const known_input& input = known[static_cast<std::size_t>(trees_.feature[at])];
    const bool missing_left = trees_.default_left[at] != 0;
    // Where no number is left, only an unknown input comes here.
    if (input.bounded && input.below <= input.least) return missing_left;
    std::optional<bool> left;
    if (input.bounded && input.below <= trees_.value[at]) left = true;
    if (input.least >= trees_.value[at]) left = false;
    if (left && input.may_be_missing && missing_left != *left) return std::nullopt;
    return left;
  }

  /// Down to the next split that depends on the workload, or to a leaf.
  [[nodiscard]] std::size_t advance(std::size_t at, std::size_t candidate, const knowledge& known) const {
    while (!is_leaf(at)) {
      const auto column = static_cast<std::size_t>(trees_.feature[at]);
      if (column >= inputs_) {
        const float value = encodings_[candidate][column - inputs_];
        at = child(at, std::isnan(value) ? trees_.default_left[at] != 0 : value < trees_.value[at]);
      } else if (const std::optional<bool> left = decided(at, known)) {
        at = child(at, *left);
      } else {
        break;
      }
    }
    return at;
  }

  static knowledge after(knowledge known, std::size_t input, float threshold, bool missing_left, bool left) {
    known_input& about = known[input];
    if (left) {
      about.below = about.bounded ? std::min(about.below, threshold) : threshold;
      about.bounded = true;
    } else {
      about.least = std::max(about.least, threshold);
    }
    about.may_be_missing = about.may_be_missing && missing_left == left;
    return known;
  }

  bool grow(std::size_t place, positions at, const knowledge& known, std::size_t depth) {
    if (depth > std::numeric_limits<std::uint8_t>::max())
      throw input_error("training settings: a tree is deeper than 255 levels; train with a smaller depth");
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = advance(at[i], group_[i], known);
    // The split that the most candidates are at; of equals the first.
    std::map<std::size_t, std::size_t> count;
    for (const std::size_t one : at) {
      if (!is_leaf(one)) ++count[one];
    }
    if (count.empty()) {
      ++leaves_;
      std::vector<std::int16_t>& values = tree_.nodes[place].values;
      values.assign(encodings_.size(), 0);
      for (std::size_t i = 0; i < at.size(); ++i) values[group_[i]] = in_units(double{trees_.value[at[i]]}, unit_);
      return leaves_ <= most_leaves || group_.size() == 1;
    }
    const std::size_t split = std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) {
                                return a.second < b.second;
                              })->first;
    const auto input = static_cast<std::size_t>(trees_.feature[split]);
    const float threshold = trees_.value[split];
    const bool missing_left = trees_.default_left[split] != 0;
    const std::size_t left = tree_.nodes.size();
    tree_.nodes.resize(left + 2);
    tree_.nodes[place] = {input, threshold, missing_left, left, {}};
    return grow(left, at, after(known, input, threshold, missing_left, true), depth + 1) &&
           grow(left + 1, at, after(known, input, threshold, missing_left, false), depth + 1);
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
  std::vector<std::size_t> all(encodings.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::vector<learned_tree> result;
  for (const std::int32_t root : trees.roots)
    add_tree(trees, static_cast<std::size_t>(root), inputs, encodings, all, unit, result);
  return result;
}

}  // namespace mlmq::selector
