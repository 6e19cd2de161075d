// SPDX-License-Identifier: Apache-2.0
#include "selector/scorer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "selector/encoding.hpp"
#include "selector/forest.hpp"

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
using knowledge = std::vector<known_input>;  // one per input of the graph

/// Builds the part of a tree that concerns some of the candidates.
class tree_builder {
 public:
  /// @param encodings per candidate; not looked at when the trees have no candidates' columns
  tree_builder(const forest& trees, std::size_t graph_inputs, const std::vector<std::vector<float>>& encodings,
               std::vector<std::size_t> group)
      : trees_(trees), graph_inputs_(graph_inputs), encodings_(encodings), group_(std::move(group)) {}

  struct node {
    std::size_t input = 0;
    float threshold = 1;
    bool missing_left = true;
    std::size_t left = 0;
    std::vector<float> values;  ///< of a leaf: one per candidate of the group
  };

  /// Nothing when it has too many leaves and the group could be divided.
  [[nodiscard]] std::optional<std::vector<node>> build(std::size_t root) {
    nodes_.assign(1, {});
    leaves_ = 0;
    if (!grow(0, positions(group_.size(), root), knowledge(graph_inputs_), 0)) return std::nullopt;
    return nodes_;
  }

 private:
  [[nodiscard]] bool is_leaf(std::size_t at) const { return trees_.feature[at] < 0; }

  [[nodiscard]] std::size_t child(std::size_t at, bool left) const {
    return static_cast<std::size_t>(left ? trees_.left[at] : trees_.right[at]);
  }

  /// Which way all graphs that are still possible go, if it is the same.
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

  /// Down to the next split that depends on the graph, or to a leaf.
  [[nodiscard]] std::size_t advance(std::size_t at, std::size_t candidate, const knowledge& known) const {
    while (!is_leaf(at)) {
      const auto column = static_cast<std::size_t>(trees_.feature[at]);
      if (column >= graph_inputs_) {
        const float value = encodings_[candidate][column - graph_inputs_];
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
    // A damaged file must not decide the depth of a recursion.
    if (depth > std::numeric_limits<std::uint8_t>::max())
      throw input_error("selector model: a tree is deeper than 255 levels; train with a smaller depth");
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = advance(at[i], group_[i], known);
    // The split that the most candidates are at; of equals the first.
    std::map<std::size_t, std::size_t> count;
    for (const std::size_t one : at) {
      if (!is_leaf(one)) ++count[one];
    }
    if (count.empty()) {
      ++leaves_;
      for (const std::size_t one : at) nodes_[place].values.push_back(trees_.value[one]);
      return leaves_ <= most_leaves || group_.size() == 1;
    }
    const std::size_t split = std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) {
                                return a.second < b.second;
                              })->first;
    const auto input = static_cast<std::size_t>(trees_.feature[split]);
    const float threshold = trees_.value[split];
    const bool missing_left = trees_.default_left[split] != 0;
    const std::size_t left = nodes_.size();
    nodes_.resize(left + 2);
    nodes_[place] = {input, threshold, missing_left, left, {}};
    return grow(left, at, after(known, input, threshold, missing_left, true), depth + 1) &&
           grow(left + 1, at, after(known, input, threshold, missing_left, false), depth + 1);
  }

  const forest& trees_;
  std::size_t graph_inputs_;
  const std::vector<std::vector<float>>& encodings_;
  std::vector<std::size_t> group_;
  std::vector<node> nodes_;
  std::size_t leaves_ = 0;
};

std::size_t depth_of(const std::vector<tree_builder::node>& nodes, std::size_t at) {
  const tree_builder::node& node = nodes[at];
  if (!node.values.empty()) return 0;
  return 1 + std::max(depth_of(nodes, node.left), depth_of(nodes, node.left + 1));
}

/// Puts trees behind each other, with equal rows of leaf values once.
class assembler {
 public:
  explicit assembler(scorer& target) : target_(target), inputs_(target.graph.size()) {}

  /// Trees with an output for each candidate, which see no candidate's columns.
  void add_single(const forest& trees) {
    for (std::size_t i = 0; i < trees.roots.size(); ++i) {
      const std::vector<std::size_t> one{i % target_.candidates};
      append(*tree_builder(trees, inputs_, {}, one).build(static_cast<std::size_t>(trees.roots[i])), one, true);
    }
  }

  void add(const forest& trees, const std::vector<std::vector<float>>& encodings) {
    std::vector<std::size_t> all(target_.candidates);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    for (const std::int32_t root : trees.roots) add_tree(trees, encodings, static_cast<std::size_t>(root), all);
  }

 private:
  void add_tree(const forest& trees, const std::vector<std::vector<float>>& encodings, std::size_t root,
                const std::vector<std::size_t>& group) {
    if (const auto nodes = tree_builder(trees, inputs_, encodings, group).build(root)) {
      append(*nodes, group, false);
      return;
    }
    // Adding the 0 of the others changes no sum: none is ever -0, because none starts there.
    const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
    add_tree(trees, encodings, root, {group.begin(), middle});
    add_tree(trees, encodings, root, {middle, group.end()});
  }

  void append(const std::vector<tree_builder::node>& nodes, const std::vector<std::size_t>& group, bool single) {
    const std::size_t first = target_.input.size();
    target_.roots.push_back(static_cast<std::uint32_t>(first));
    target_.depths.push_back(static_cast<std::uint8_t>(depth_of(nodes, 0)));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const tree_builder::node& node = nodes[i];
      const bool leaf = !node.values.empty();
      target_.input.push_back(static_cast<std::uint8_t>(leaf ? inputs_ : node.input));
      target_.threshold.push_back(node.threshold);
      target_.left.push_back(static_cast<std::uint32_t>(first + (leaf ? i : node.left)));
      target_.missing.push_back(node.missing_left ? 1 : 0);
      target_.row.push_back(!leaf ? 0 : stored(single ? node.values : full_row(node.values, group)));
    }
  }

  [[nodiscard]] std::vector<float> full_row(const std::vector<float>& values,
                                            const std::vector<std::size_t>& group) const {
    std::vector<float> row(target_.candidates, 0.0F);
    for (std::size_t i = 0; i < group.size(); ++i) row[group[i]] = values[i];
    return row;
  }

  /// Where the values are, after putting them there if they are new.
  std::uint32_t stored(const std::vector<float>& row) {
    std::vector<std::uint32_t> key;
    for (const float value : row) key.push_back(std::bit_cast<std::uint32_t>(value));
    const auto [place, fresh] = rows_.emplace(std::move(key), static_cast<std::uint32_t>(target_.values.size()));
    if (fresh) target_.values.insert(target_.values.end(), row.begin(), row.end());
    return place->second;
  }

  scorer& target_;
  std::size_t inputs_;  ///< of the graph
  std::map<std::vector<std::uint32_t>, std::uint32_t> rows_;
};

void check_fit(const model& model) {
  if (model.candidates.empty() || model.encodings.size() != model.candidates.size() || model.members.empty())
    throw input_error("selector model: its candidates do not fit its trees");
  if (model.graph.features.empty()) throw input_error("selector model: it has no features");
  for (const std::vector<float>& encoding : model.encodings) {
    if (std::any_of(encoding.begin(), encoding.end(), [](float value) { return std::isinf(value); }))
      throw input_error("selector model: a candidate's encoding is infinite");
  }
}

scorer::likeness checked_kernel(const model& model) {
  const model_member& member = model.members.front();
  if (model.members.size() > 1) throw input_error("selector model: a kernel fit beside others");
  check_kernel(*member.kernel, model.graph.size(), model.candidates.size());
  if (member.starts.size() != model.candidates.size() ||
      !std::all_of(member.starts.begin(), member.starts.end(), [](float value) { return std::isfinite(value); }))
    throw input_error("selector model: its starts do not fit its candidates");
  if (member.weight != 1) throw input_error("selector model: a kernel fit has a weight");
  return {*member.kernel, member.starts};
}

/// Features and ratios that nothing looks at are not asked for.
void leave_out_unused(scorer& trees) {
  const graph_encoding& all = trees.graph;
  const std::size_t feature_count = all.features.size();
  std::vector<bool> is_compared(all.size() + 1, false);
  for (const std::uint8_t input : trees.input) is_compared[input] = true;
  for (std::size_t i = 0; trees.kernel && i < trees.kernel->fit.features.size(); ++i)
    is_compared[trees.kernel->fit.features[i]] = true;
  std::vector<bool> is_needed(is_compared.begin(), is_compared.begin() + static_cast<std::ptrdiff_t>(feature_count));
  for (std::size_t i = 0; i < all.ratios.size(); ++i) {
    if (!is_compared[feature_count + i]) continue;
    is_needed[all.ratios[i].numerator] = true;
    is_needed[all.ratios[i].denominator] = true;
  }
  // A function of nothing would be a special case everywhere.
  if (std::find(is_needed.begin(), is_needed.end(), true) == is_needed.end()) is_needed.at(0) = true;

  graph_encoding kept;
  std::vector<std::size_t> renamed(all.size() + 1, 0);
  for (std::size_t i = 0; i < feature_count; ++i) {
    if (!is_needed[i]) continue;
    renamed[i] = kept.features.size();
    kept.features.push_back(all.features[i]);
  }
  for (std::size_t i = 0; i < all.ratios.size(); ++i) {
    if (!is_compared[feature_count + i]) continue;
    renamed[feature_count + i] = kept.size();
    kept.ratios.push_back({renamed[all.ratios[i].numerator], renamed[all.ratios[i].denominator]});
  }
  renamed[all.size()] = kept.size();
  for (std::uint8_t& input : trees.input) input = static_cast<std::uint8_t>(renamed[input]);
  for (std::size_t i = 0; trees.kernel && i < trees.kernel->fit.features.size(); ++i)
    trees.kernel->fit.features[i] = renamed[trees.kernel->fit.features[i]];
  trees.graph = std::move(kept);
}

}  // namespace

void scorer::score(std::span<const double> features, std::span<float> scores) const {
  std::vector<float> inputs = graph.inputs(features);
  if (kernel) {
    std::copy(kernel->starts.begin(), kernel->starts.end(), scores.begin());
    kernel->fit.add(kernel->fit.place(inputs), scores);
    return;
  }
  inputs.push_back(0);
  std::fill(scores.begin(), scores.end(), 0.0F);
  std::vector<float> sums(candidates);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::size_t end = p + 1 < parts.size() ? parts[p + 1].first_tree : roots.size();
    std::copy(parts[p].starts.begin(), parts[p].starts.end(), sums.begin());
    for (std::size_t tree = parts[p].first_tree; tree < end; ++tree) {
      std::size_t node = roots[tree];
      for (unsigned step = 0; step < depths[tree]; ++step) {
        const float value = inputs[input[node]];
        const bool go_left = std::isnan(value) ? missing[node] != 0 : value < threshold[node];
        node = left[node] + (go_left ? 0U : 1U);
      }
      if (parts[p].single) {
        sums[(tree - parts[p].first_tree) % candidates] += values[row[node]];
      } else {
        for (std::size_t c = 0; c < candidates; ++c) sums[c] += values[row[node] + c];
      }
    }
    for (std::size_t c = 0; c < candidates; ++c) scores[c] += parts[p].weight * sums[c];
  }
}

scorer make_scorer(const model& model) {
  check_fit(model);
  scorer result;
  result.graph = model.graph;
  result.candidates = model.candidates.size();
  require_nameable(result.graph);
  if (model.members.front().kernel) {
    result.kernel = checked_kernel(model);
    leave_out_unused(result);
    return result;
  }
  assembler target(result);
  for (const model_member& member : model.members) {
    if (member.kernel) throw input_error("selector model: a kernel fit beside trees");
    const forest trees = parse_xgboost_json(member.xgboost_json);
    const bool single = trees.outputs > 1;
    for (const std::vector<float>& encoding : model.encodings) {
      const std::size_t columns = single ? 0 : encoding.size();
      if (result.graph.size() + columns != trees.feature_count || (single && trees.outputs != result.candidates))
        throw input_error("selector model: its candidates do not fit its trees");
    }
    if (!member.starts.empty() && member.starts.size() != result.candidates)
      throw input_error("selector model: its starts do not fit its candidates");
    int exponent = 0;
    if (!(member.weight > 0 && std::isfinite(member.weight)) || std::frexp(member.weight, &exponent) != 0.5F)
      throw input_error(fmt::format("selector model: a weight of {} is not a power of two", member.weight));
    const std::vector<float> starts =
        member.starts.empty() ? std::vector<float>(result.candidates, trees.base_score) : member.starts;
    if (!std::all_of(starts.begin(), starts.end(), [](float value) { return std::isfinite(value); }))
      throw input_error("selector model: a start is not a number");
    result.parts.push_back({result.roots.size(), single, member.weight, starts});
    if (single) {
      target.add_single(trees);
    } else {
      target.add(trees, model.encodings);
    }
  }
  leave_out_unused(result);
  return result;
}

}  // namespace mlmq::selector
