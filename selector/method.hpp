// SPDX-License-Identifier: Apache-2.0
// The ways to learn a selector. All predict the relative performance of each candidate, best time / time; the candidate with
// the highest prediction is chosen.
#pragma once

#include <array>
#include <string_view>

#include "selector/kernel_fit.hpp"
#include "selector/xgboost_model.hpp"

namespace mlmq::selector {

enum class method {
  boosted,  ///< boosted trees with a vector of relative performances in each leaf (boosting.hpp)
  kernel,   ///< kernel ridge regression: as the recorded workloads that are like it (kernel_fit.hpp)
  forest,   ///< a random forest over workloads and candidates' parameters, as MLMQ §3.5
};

inline constexpr std::array all_methods{method::boosted, method::kernel, method::forest};

[[nodiscard]] std::string_view to_string(method value);
/// @throws input_error on an unknown name, listing the known ones
[[nodiscard]] method method_from(std::string_view name);

/// How a model is learned: everything that, with the record, decides its bytes.
struct learning {
  method how = method::boosted;
  train_settings trees;    ///< of the methods with trees
  kernel_settings kernel;  ///< of the method of that name
};

/// What the method is trained with unless said otherwise.
[[nodiscard]] learning standard_learning(method how);

}  // namespace mlmq::selector
