// SPDX-License-Identifier: Apache-2.0
// The ways to learn a selector.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "selector/kernel_fit.hpp"
#include "selector/xgboost_model.hpp"

namespace mlmq::selector {

/// What a model predicts of a candidate on a graph. The candidate with the highest prediction is chosen.
enum class method {
  relative,        ///< boosted trees on relative performance, best time / time
  log_time,        ///< boosted trees on its logarithm, down to a twentieth of the best; failures are there
  pairwise,        ///< which of two candidates is faster (LambdaMART, rank:pairwise)
  ndcg,            ///< likewise, weighed by what the places at the top are worth (rank:ndcg)
  forest,          ///< random forest on relative performance, as MLMQ §3.5
  cost_sensitive,  ///< which candidate to choose, wrong choices weighed by the relative performance that they lose
  classification,  ///< the same with trees for each candidate by itself, which see the graph only
  ensemble,        ///< relative, log_time and cost_sensitive together
  kernel,          ///< kernel ridge regression on relative performance: as the recorded graphs that are like it
};

inline constexpr std::array all_methods{method::relative,       method::log_time, method::pairwise,
                                        method::ndcg,           method::forest,   method::cost_sensitive,
                                        method::classification, method::ensemble, method::kernel};

/// Whether a score is the relative performance itself, best time / time; otherwise it only ranks.
[[nodiscard]] constexpr bool predicts_performance(method value) {
  return value == method::relative || value == method::forest || value == method::kernel;
}

[[nodiscard]] std::string_view to_string(method value);
/// @throws input_error on an unknown name, listing the known ones
[[nodiscard]] method method_from(std::string_view name);

/// The method of the selector that is compiled in, as its provenance names it.
[[nodiscard]] method shipped_method();

/// How a model is learned: everything that, with the record, decides its bytes.
struct learning {
  method how = method::relative;
  train_settings trees;        ///< of every member
  kernel_settings kernel;      ///< of the method of that name, which has no trees
  bool start_at_mean = false;  ///< trees learn how a graph differs from the candidate's mean over all graphs
  int members = 1;  ///< models with seeds that follow each other, whose predictions are averaged; a power of two
};

/// What the method is trained with unless said otherwise.
[[nodiscard]] learning standard_learning(method how);

}  // namespace mlmq::selector
