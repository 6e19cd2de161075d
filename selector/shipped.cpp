// SPDX-License-Identifier: Apache-2.0
#include "selector/shipped.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "selector/shipped/model.hpp"

namespace mlmq::selector {
namespace {

std::size_t checked(std::size_t candidate) {
  if (candidate >= mlmq_selector::candidate_count)
    throw std::out_of_range("the shipped selector has no such candidate");
  return candidate;
}

std::array<float, 8> rounded(const std::array<double, 8>& features) {
  std::array<float, 8> result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = mlmq_selector::detail::to_float32(features[i]);
  return result;
}

}  // namespace

std::size_t shipped_candidate_count() { return mlmq_selector::candidate_count; }

std::size_t shipped_select(const std::array<double, 8>& features) { return mlmq_selector::select(features); }

float shipped_predict(const std::array<double, 8>& features, std::size_t candidate) {
  return mlmq_selector::predict(rounded(features).data(), checked(candidate));
}

std::vector<std::size_t> shipped_ranked(const std::array<double, 8>& features) {
  std::vector<std::size_t> order(mlmq_selector::candidate_count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::array<float, mlmq_selector::candidate_count> predicted{};
  mlmq_selector::predict_all(rounded(features).data(), predicted.data());
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return predicted[a] > predicted[b]; });
  return order;
}

std::string_view shipped_label(std::size_t candidate) { return mlmq_selector::label(checked(candidate)); }

std::string_view shipped_provenance() { return mlmq_selector::provenance; }

}  // namespace mlmq::selector
