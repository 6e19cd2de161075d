// SPDX-License-Identifier: Apache-2.0
#include "library/ranking.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/error.hpp"

namespace mlmq::detail {

const known_model& ranking::without_graph(const std::shared_ptr<const model_data>& model) {
  if (known_.of == model) return known_;
  known_ = {};
  const std::vector<double> unknown(model->features().size(), std::numeric_limits<double>::quiet_NaN());
  known_.candidates = ranked_by(*model, unknown);
  for (candidate& one : known_.candidates) one.predicted.reset();
  for (const searcher& one : model->searchers()) known_.searchers.push_back(understood(one.label));
  known_.of = model;
  return known_;
}

std::vector<candidate> ranking::ranked_by(const model_data& model, std::span<const double> values) const {
  std::vector<candidate> all;
  for (const ranked_label& one : model.ranked(values)) {
    tuner::configuration configuration = understood(one.label);
    const bool for_processors = is_for_processors(configuration);
    all.push_back({std::move(configuration), one.predicted, for_processors});
  }
  return all;
}

tuner::configuration ranking::understood(const std::string& label) const {
  try {
    return parameters_.parse_label(label);
  } catch (const input_error& error) {
    throw input_error(fmt::format(
        "the selector picks '{}', which this program does not have ({}); train one with 'mlmq selector train', or "
        "give a configuration",
        label, error.what()));
  }
}

}  // namespace mlmq::detail
