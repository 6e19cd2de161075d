// SPDX-License-Identifier: Apache-2.0
#include "selector/importance.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "selector/forest.hpp"

namespace mlmq::selector {

std::vector<input_importance> importance_of(const model& model) {
  std::vector<input_importance> result;
  for (const std::string& name : model.feature_names) result.push_back({name, 0, 0});
  for (const model_member& member : model.members) {
    const forest trees = parse_xgboost_json(member.xgboost_json);
    if (trees.feature_count > result.size()) throw input_error("selector model: its inputs do not fit its trees");
    double total = 0;
    for (const float gain : trees.gain) total += double{gain};
    for (std::size_t node = 0; node < trees.feature.size(); ++node) {
      if (trees.feature[node] < 0) continue;
      input_importance& input = result[static_cast<std::size_t>(trees.feature[node])];
      ++input.splits;
      if (total > 0) input.gain += double{trees.gain[node]} / total / static_cast<double>(model.members.size());
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const input_importance& a, const input_importance& b) { return a.gain > b.gain; });
  return result;
}

}  // namespace mlmq::selector
