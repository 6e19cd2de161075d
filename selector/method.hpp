// SPDX-License-Identifier: Apache-2.0
// Learning methods of selectors. Each predicts the relative performance of every candidate, best time / time; the
// candidate with the highest prediction is chosen.
#pragma once

#include <array>
#include <string_view>

#include "selector/kernel_fit.hpp"
#include "selector/xgboost_model.hpp"

namespace mlmq::selector {

enum class method {
  combined,  ///< boosted trees and kernel ridge regression, whose scores are added with weights
  boosted,   ///< boosted trees with a vector of relative performances in each leaf (boosting.hpp)
  kernel,    ///< kernel ridge regression over similar recorded workloads (kernel_fit.hpp)
  forest,    ///< a random forest over workloads and candidates' parameters, as in MLMQ §3.5
};

inline constexpr std::array all_methods{method::combined, method::boosted, method::kernel, method::forest};

[[nodiscard]] std::string_view to_string(method value);
/// @throws input_error on an unknown name, listing the known ones
[[nodiscard]] method method_from(std::string_view name);

/// The method of shipped selectors, and of commands without --method.
inline constexpr method standard_method = method::combined;

/// Settings of the training. Together with the record they determine the bytes of the model.
struct learning {
  method algorithm = standard_method;
  train_settings trees;    ///< for the methods with trees
  kernel_settings kernel;  ///< for the methods with a kernel
};

/// Returns the default settings of the method.
[[nodiscard]] learning standard_learning(method algorithm);

}  // namespace mlmq::selector
