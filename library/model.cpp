// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "library/impl.hpp"
#include "selector/inference.hpp"
#include "selector/method.hpp"
#include "selector/shipped.hpp"

namespace mlmq {
namespace {

std::optional<double> prediction(selector::method how, float score) {
  if (!selector::predicts_performance(how)) return std::nullopt;
  return static_cast<double>(score);
}

struct shipped_model final : detail::model_data {
  [[nodiscard]] std::vector<detail::ranked_label> ranked(const graph::graph_features& features) const override {
    const auto values = features.as_array();
    const selector::method how = selector::shipped_method();
    std::vector<detail::ranked_label> all;
    for (const std::size_t candidate : selector::shipped_ranked(values)) {
      all.push_back({.label = std::string(selector::shipped_label(candidate)),
                     .predicted = prediction(how, selector::shipped_predict(values, candidate))});
    }
    return all;
  }
};

struct model_of_file final : detail::model_data {
  explicit model_of_file(const std::filesystem::path& file) : trained(selector::selector::from_model_file(file)) {}

  [[nodiscard]] std::vector<detail::ranked_label> ranked(const graph::graph_features& features) const override {
    const selector::method how = trained.provenance().learned.how;
    std::vector<detail::ranked_label> all;
    for (const selector::ranked_candidate& one : trained.ranked(features.as_array())) {
      all.push_back({.label = trained.label(one.candidate), .predicted = prediction(how, one.predicted)});
    }
    return all;
  }

  selector::selector trained;
};

}  // namespace

model model::shipped() {
  static const std::shared_ptr<const detail::model_data> only = std::make_shared<const shipped_model>();
  return model(only);
}

model model::read(const std::filesystem::path& file) { return model(std::make_shared<const model_of_file>(file)); }

}  // namespace mlmq
