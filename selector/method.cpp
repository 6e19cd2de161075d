// SPDX-License-Identifier: Apache-2.0
#include "selector/method.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "base/error.hpp"

namespace mlmq::selector {
namespace {

/// docs/notebook/selector.md compares these with other settings.
train_settings boosting_settings() {
  train_settings trees;
  trees.rounds = 160;
  trees.max_depth = 6;
  trees.eta = 0.08;
  trees.subsample = 0.8;
  trees.colsample = 0.25;
  trees.min_child_weight = 4;
  trees.lambda = 1;
  trees.tree_method = "hist";
  trees.max_bin = 64;
  return trees;
}

train_settings forest_settings() {
  train_settings trees;
  trees.rounds = 1;
  trees.trees_per_round = 100;
  trees.max_depth = 10;
  trees.eta = 1;
  trees.subsample = 0.63;  // the expected share of distinct rows in a sample with replacement
  trees.colsample = 0.33;
  trees.lambda = 0;
  trees.tree_method = "hist";
  trees.max_bin = 64;
  return trees;
}

}  // namespace

std::string_view to_string(method value) {
  switch (value) {
    case method::combined:
      return "combined";
    case method::boosted:
      return "boosted";
    case method::kernel:
      return "kernel";
    case method::forest:
      return "forest";
  }
  throw std::invalid_argument("no such method");
}

method method_from(std::string_view name) {
  std::string known_names;
  for (const method value : all_methods) {
    if (to_string(value) == name) return value;
    known_names += fmt::format("{}{}", known_names.empty() ? "" : ", ", to_string(value));
  }
  throw input_error(fmt::format("unknown method '{}'; expected one of {}", name, known_names));
}

learning standard_learning(method algorithm) {
  learning result;
  result.algorithm = algorithm;
  if (algorithm == method::boosted || algorithm == method::combined) result.trees = boosting_settings();
  if (algorithm == method::forest) result.trees = forest_settings();
  return result;
}

}  // namespace mlmq::selector
