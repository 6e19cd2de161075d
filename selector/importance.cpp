// SPDX-License-Identifier: Apache-2.0
#include "selector/importance.hpp"

#include <algorithm>

namespace mlmq::selector {

std::vector<input_importance> importance_of(const model& model) {
  std::vector<input_importance> result;
  for (const std::string& name : model.inputs.names()) result.push_back({name, model.importance.at(result.size())});
  std::stable_sort(result.begin(), result.end(),
                   [](const input_importance& a, const input_importance& b) { return a.share > b.share; });
  return result;
}

}  // namespace mlmq::selector
