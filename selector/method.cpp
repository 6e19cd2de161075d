// SPDX-License-Identifier: Apache-2.0
#include "selector/method.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "base/error.hpp"
#include "selector/shipped.hpp"

namespace mlmq::selector {

std::string_view to_string(method value) {
  switch (value) {
    case method::relative:
      return "relative";
    case method::log_time:
      return "log_time";
    case method::pairwise:
      return "pairwise";
    case method::ndcg:
      return "ndcg";
    case method::forest:
      return "forest";
    case method::cost_sensitive:
      return "cost_sensitive";
    case method::classification:
      return "classification";
    case method::ensemble:
      return "ensemble";
    case method::kernel:
      return "kernel";
  }
  throw std::invalid_argument("no such method");
}

method method_from(std::string_view name) {
  std::string known;
  for (const method one : all_methods) {
    if (to_string(one) == name) return one;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", to_string(one));
  }
  throw input_error(fmt::format("there is no method '{}'; known are {}", name, known));
}

method shipped_method() {
  constexpr std::string_view key = "\"method\":\"";
  const std::string_view provenance = shipped_provenance();
  const std::size_t found = provenance.find(key);
  if (found == std::string_view::npos) return method::relative;  // there was no other
  const std::string_view rest = provenance.substr(found + key.size());
  return method_from(rest.substr(0, rest.find('"')));
}

learning standard_learning(method how) {
  learning result;
  result.how = how;
  train_settings& trees = result.trees;
  trees.rounds = 100;
  trees.max_depth = 4;
  switch (how) {
    case method::relative:
    case method::log_time:
    case method::ensemble:
    case method::kernel:
      break;
    case method::cost_sensitive:
      trees.rounds = 60;
      trees.max_depth = 6;
      trees.subsample = 0.6;
      trees.colsample = 0.4;
      break;
    case method::classification:
      trees.rounds = 32;
      trees.max_depth = 4;
      trees.subsample = 0.7;
      trees.colsample = 0.4;
      break;
    case method::pairwise:
    case method::ndcg:
      trees.rounds = 60;
      break;
    case method::forest:
      trees.rounds = 1;
      trees.trees_per_round = 100;
      trees.max_depth = 10;
      trees.eta = 1;
      trees.subsample = 0.63;  // as many different rows as a sample with replacement has
      trees.colsample = 0.33;
      trees.lambda = 0;
      break;
  }
  return result;
}

}  // namespace mlmq::selector
