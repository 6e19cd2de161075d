// SPDX-License-Identifier: Apache-2.0
// The selector that is compiled into the program: selector/shipped/model.hpp, exported from
// recorded trials.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace mlmq::selector {

/// How many configurations the shipped selector chooses from.
[[nodiscard]] std::size_t shipped_candidate_count();

/// The names of the features that the shipped selector wants to know of a graph (graph/feature_list.hpp), in the order in
/// which the functions below take their values; NaN: unknown. They throw std::invalid_argument for another number of them.
[[nodiscard]] std::span<const std::string_view> shipped_features();

/// The configuration for a graph.
[[nodiscard]] std::size_t shipped_select(std::span<const double> features);

/// All configurations, best first; of equals the lowest index first.
[[nodiscard]] std::vector<std::size_t> shipped_ranked(std::span<const double> features);

/// The score of a configuration, the higher the better; "method" in the provenance says what it predicts. @throws
/// std::out_of_range for an index that is not one.
[[nodiscard]] float shipped_predict(std::span<const double> features, std::size_t candidate);

/// The configuration's label. @throws std::out_of_range for an index that is not one.
[[nodiscard]] std::string_view shipped_label(std::size_t candidate);

/// What the shipped selector was trained on: one line of JSON (provenance_json()).
[[nodiscard]] std::string_view shipped_provenance();

}  // namespace mlmq::selector
