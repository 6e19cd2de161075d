// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "base/error.hpp"
#include "graph/feature_list.hpp"
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
  [[nodiscard]] std::span<const std::string_view> features() const override { return selector::shipped_features(); }

  [[nodiscard]] std::vector<detail::ranked_label> ranked(std::span<const double> values) const override {
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
  explicit model_of_file(const std::filesystem::path& file)
      : trained(selector::selector::from_model_file(file)),
        names(trained.features().begin(), trained.features().end()) {
    try {
      (void)graph::need_sampling(names);
    } catch (const input_error& error) {
      throw input_error(
          fmt::format("{}: trained with features that this program does not know: {}", file.string(), error.what()));
    }
  }

  [[nodiscard]] std::span<const std::string_view> features() const override { return names; }

  [[nodiscard]] std::vector<detail::ranked_label> ranked(std::span<const double> values) const override {
    const selector::method how = trained.provenance().learned.how;
    std::vector<detail::ranked_label> all;
    for (const selector::ranked_candidate& one : trained.ranked(values)) {
      all.push_back({.label = trained.label(one.candidate), .predicted = prediction(how, one.predicted)});
    }
    return all;
  }

  selector::selector trained;
  std::vector<std::string_view> names;  ///< of its features
};

}  // namespace

model model::shipped() {
  static const std::shared_ptr<const detail::model_data> only = std::make_shared<const shipped_model>();
  return model(only);
}

model model::read(const std::filesystem::path& file) { return model(std::make_shared<const model_of_file>(file)); }

}  // namespace mlmq
