// SPDX-License-Identifier: Apache-2.0
#include "selector/forest.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "base/json_reason.hpp"

namespace mlmq::selector {
namespace {

// Numbers are parsed directly as float32, as in XGBoost; parsing them as double would round twice.
using json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, float>;

[[noreturn]] void refuse(const std::string& reason) { throw input_error("XGBoost model: " + reason); }

/// XGBoost writes its scalar parameters as strings.
template <typename T>
T parse_number(std::string_view text, const char* name) {
  T number{};
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stopped != text.data() + text.size())
    refuse(fmt::format("{} is '{}', not a number", name, text));
  return number;
}

std::int64_t parameter(const json& object, const char* name) {
  return parse_number<std::int64_t>(object.at(name).get_ref<const std::string&>(), name);
}

/// Parses base_score: "5E-1" up to XGBoost 3.0, "[5E-1]" since 3.1, where it became a vector. Plain JSON numbers and
/// arrays are accepted too.
float parse_base_score(const json& score) {
  float number = 0;
  if (score.is_array()) {
    if (score.size() != 1) refuse(fmt::format("base_score has {} values instead of 1", score.size()));
    return parse_base_score(score.front());
  }
  if (score.is_number()) {
    number = score.get<float>();
  } else {
    std::string_view text = score.get_ref<const std::string&>();
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    number = parse_number<float>(text, "base_score");
  }
  if (!std::isfinite(number)) refuse("base_score is not finite");
  return number;
}

/// One tree's arrays as XGBoost names them.
struct tree_arrays {
  std::vector<std::int64_t> left_children;
  std::vector<std::int64_t> right_children;
  std::vector<std::int64_t> feature;
  std::vector<std::int64_t> default_left;
  std::vector<float> value;
  std::vector<float> gain;
};

template <typename T>
std::vector<T> numbers(const json& tree, const char* name) {
  const json& array = tree.at(name);
  if (!array.is_array()) refuse(fmt::format("'{}' is not an array", name));
  std::vector<T> result;
  result.reserve(array.size());
  for (const json& item : array) {
    if constexpr (std::is_floating_point_v<T>) {
      if (!item.is_number()) refuse(fmt::format("'{}' holds something other than numbers", name));
      result.push_back(item.get<T>());
    } else if (item.is_boolean()) {  // XGBoost before 1.6 wrote default_left as booleans
      result.push_back(item.get<bool>() ? 1 : 0);
    } else {
      if (!item.is_number_integer()) refuse(fmt::format("'{}' holds something other than integers", name));
      result.push_back(item.get<T>());
    }
  }
  return result;
}

tree_arrays read_tree(const json& tree) {
  tree_arrays result{numbers<std::int64_t>(tree, "left_children"), numbers<std::int64_t>(tree, "right_children"),
                     numbers<std::int64_t>(tree, "split_indices"), numbers<std::int64_t>(tree, "default_left"),
                     numbers<float>(tree, "split_conditions"),     numbers<float>(tree, "loss_changes")};
  const std::size_t count = result.left_children.size();
  if (count == 0) refuse("a tree has no nodes");
  if (result.right_children.size() != count || result.feature.size() != count || result.default_left.size() != count ||
      result.value.size() != count || result.gain.size() != count)
    refuse("a tree's arrays differ in length");
  for (float value : result.value) {
    if (!std::isfinite(value)) refuse("a threshold or leaf is not finite");
  }
  if (tree.contains("categories_nodes") && !tree.at("categories_nodes").empty())
    refuse("categorical splits are not supported");
  if (tree.contains("split_type")) {
    for (std::int64_t type : numbers<std::int64_t>(tree, "split_type")) {
      if (type != 0) refuse("categorical splits are not supported");
    }
  }
  const json& parameters = tree.at("tree_param");
  if (parameters.contains("size_leaf_vector") && parameter(parameters, "size_leaf_vector") > 1)
    refuse("trees with several outputs are not supported");
  return result;
}

/// Appends the nodes that are reachable from the root. XGBoost leaves pruned nodes in its arrays.
class tree_copier {
 public:
  tree_copier(forest& target, const tree_arrays& tree)
      : target_(target), tree_(tree), visited_(tree.left_children.size(), false) {}

  void copy() {
    target_.roots.push_back(append(0));
    struct pending {
      std::size_t source;
      std::int32_t node;
    };
    // An explicit stack, so that a damaged file cannot cause a deep recursion.
    std::vector<pending> stack{{0, target_.roots.back()}};
    while (!stack.empty()) {
      const auto [source, node] = stack.back();
      stack.pop_back();
      if (tree_.left_children[source] == -1) continue;
      const std::size_t left_child = child(tree_.left_children[source]);
      const std::size_t right_child = child(tree_.right_children[source]);
      const auto node_index = static_cast<std::size_t>(node);
      target_.left_child[node_index] = append(left_child);
      target_.right_child[node_index] = append(right_child);
      stack.push_back({right_child, target_.right_child[node_index]});
      stack.push_back({left_child, target_.left_child[node_index]});
    }
  }

 private:
  [[nodiscard]] std::size_t child(std::int64_t index) const {
    if (index < 0 || static_cast<std::size_t>(index) >= visited_.size())
      refuse(fmt::format("a tree of {} nodes has a child {}", visited_.size(), index));
    return static_cast<std::size_t>(index);
  }

  std::int32_t append(std::size_t source) {
    if (visited_[source]) refuse("a tree's node has two parents");
    visited_[source] = true;
    const bool leaf = tree_.left_children[source] == -1;
    const std::int64_t feature = leaf ? -1 : tree_.feature[source];
    if (!leaf && (feature < 0 || static_cast<std::size_t>(feature) >= target_.feature_count))
      refuse(fmt::format("a tree splits on feature {} of {}", feature, target_.feature_count));
    if (target_.feature.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
      refuse("too many nodes");
    target_.feature.push_back(static_cast<std::int16_t>(feature));
    target_.value.push_back(tree_.value[source]);
    target_.gain.push_back(leaf ? 0.0F : tree_.gain[source]);
    target_.left_child.push_back(-1);
    target_.right_child.push_back(-1);
    target_.default_left.push_back(!leaf && tree_.default_left[source] != 0 ? 1 : 0);
    return static_cast<std::int32_t>(target_.feature.size() - 1);
  }

  forest& target_;
  const tree_arrays& tree_;
  std::vector<bool> visited_;
};

forest read_learner(const json& learner) {
  const auto& objective = learner.at("objective").at("name").get_ref<const std::string&>();
  if (objective != "reg:squarederror")
    refuse(fmt::format("objective '{}' is not supported, only reg:squarederror", objective));
  const json& booster = learner.at("gradient_booster");
  const auto& kind = booster.at("name").get_ref<const std::string&>();
  if (kind != "gbtree") refuse(fmt::format("booster '{}' is not supported, only 'gbtree'", kind));

  const json& parameters = learner.at("learner_model_param");
  if (parameter(parameters, "num_class") > 1 ||
      (parameters.contains("num_target") && parameter(parameters, "num_target") > 1))
    refuse("models with several outputs are not supported");

  forest result;
  const std::int64_t features = parameter(parameters, "num_feature");
  if (features < 1 || features > std::numeric_limits<std::int16_t>::max())
    refuse(fmt::format("{} features; supported are 1 to {}", features, std::numeric_limits<std::int16_t>::max()));
  result.feature_count = static_cast<std::size_t>(features);
  result.base_score = parse_base_score(parameters.at("base_score"));

  const json& trees = booster.at("model").at("trees");
  if (!trees.is_array() || trees.empty()) refuse("no trees");
  if (parameter(booster.at("model").at("gbtree_model_param"), "num_trees") != static_cast<std::int64_t>(trees.size()))
    refuse("the number of trees differs from num_trees");
  for (const json& tree : trees) {
    const tree_arrays arrays = read_tree(tree);
    tree_copier(result, arrays).copy();
  }
  return result;
}

}  // namespace

float forest::predict(std::span<const float> row) const {
  float sum = base_score;
  for (const std::int32_t root : roots) {
    auto node = static_cast<std::size_t>(root);
    while (feature[node] >= 0) {
      const float input = row[static_cast<std::size_t>(feature[node])];
      const bool go_left = std::isnan(input) ? default_left[node] != 0 : input < value[node];
      node = static_cast<std::size_t>(go_left ? left_child[node] : right_child[node]);
    }
    sum += value[node];
  }
  return sum;
}

forest parse_xgboost_json(std::string_view text) {
  try {
    return read_learner(json::parse(text).at("learner"));
  } catch (const nlohmann::detail::exception& error) {
    refuse(json_reason(error));
  }
}

}  // namespace mlmq::selector
