// SPDX-License-Identifier: Apache-2.0
#include "selector/shipped.hpp"

#include <algorithm>
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

}  // namespace

std::size_t shipped_candidate_count() { return mlmq_selector::candidate_count; }

std::size_t shipped_select(const std::array<double, 8>& features) { return mlmq_selector::select(features); }

float shipped_predict(const std::array<double, 8>& features, std::size_t candidate) {
  std::array<float, 8> rounded{};
  for (std::size_t i = 0; i < rounded.size(); ++i) rounded[i] = mlmq_selector::detail::to_float32(features[i]);
  return mlmq_selector::predict(rounded.data(), checked(candidate));
}

std::vector<std::size_t> shipped_ranked(const std::array<double, 8>& features) {
  std::vector<std::size_t> order(mlmq_selector::candidate_count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<float> predicted;
  for (const std::size_t candidate : order) predicted.push_back(shipped_predict(features, candidate));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return predicted[a] > predicted[b]; });
  return order;
}

std::string_view shipped_label(std::size_t candidate) { return mlmq_selector::label(checked(candidate)); }

std::string_view shipped_provenance() { return mlmq_selector::provenance; }

}  // namespace mlmq::selector
