// SPDX-License-Identifier: Apache-2.0
// What to try for a search, and in which order.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "library/executor.hpp"
#include "library/graph_features.hpp"
#include "library/part_adoption.hpp"
#include "library/place_chooser.hpp"
#include "library/ranking.hpp"

namespace mlmq::detail {

[[nodiscard]] tuner::instrumentation instrumentation_of(const solve_options& options);

/// Of one graph and device. Not thread-safe.
class chooser {
 public:
  /// @param runs outlives this
  explicit chooser(executor& runs);

  /// What to try, in this order. At least one.
  /// @param for_search the graph may be brought to the device on the way
  /// @throws input_error for configurations that the program does not have
  [[nodiscard]] attempt_list attempts(const solve_options& options, solve_times& times, bool for_search);

  /// A search has ended. @param ms its time on the device
  void note(const attempt& by, double ms);

  /// The fastest of those that were tried for a model comes first from then on.
  void prefer(const model& asked, std::string configuration, std::string reason);

 private:
  /// The recommendations of a model: which one model::standard() means on this device is decided once.
  /// @throws input_error for a model of another problem
  [[nodiscard]] ranking& ranking_by(const model& chosen);

  /// @throws input_error for what is no configuration
  [[nodiscard]] std::shared_ptr<const attempt> given(const std::string& text);
  /// What to try on the solver's device, the features of the graph being known. Kept for the next call.
  [[nodiscard]] const attempt_list& on_device(const solve_options& options, ranking& model_ranking);
  /// The recommended configurations without those that the device turned out not to run; the tried-out one goes first,
  /// after a search in parts.
  [[nodiscard]] attempt_list make_list(ranking& model_ranking, tuner::instrumentation mode,
                                       problems::graph_split split);
  /// Whether parts are recommended for this graph.
  [[nodiscard]] bool suits_parts() const;

  struct winner {
    const ranking* ranked_by = nullptr;
    std::string configuration;
    std::string reason;
  };

  executor& runs_;
  graph_features features_;
  place_chooser places_;
  part_adoption adoption_;
  std::map<std::shared_ptr<const model_data>, std::unique_ptr<ranking>> rankings_;
  tuner::parameter_set parameters_;
  winner tried_out_;

  /// What on_device() gave last.
  struct device_list {
    ranking* ranked_by = nullptr;  ///< null: nothing yet
    tuner::instrumentation what = tuner::instrumentation::none;
    std::size_t unfit = 0;  ///< how many the device was known not to be able to run
    problems::graph_split split = problems::graph_split::never;
    attempt_list all;
  };
  device_list listed_;
  std::map<std::string, std::shared_ptr<const attempt>> given_;  ///< by their texts
};

}  // namespace mlmq::detail
