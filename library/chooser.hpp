// SPDX-License-Identifier: Apache-2.0
// What to try for a search, and in which order.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "library/executor.hpp"
#include "library/graph_features.hpp"
#include "library/part_adoption.hpp"
#include "library/place_chooser.hpp"
#include "library/ranking.hpp"

namespace mlmq::detail {

/// What is taken for distances of 8 bytes: the multi-level queue has such of 4.
inline constexpr const char* wide_default = "solver=near_far";

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
  /// `asked`, or what model::standard() means on this device: decided once.
  [[nodiscard]] const model& meant_by(const model& asked);

  /// @throws input_error for what is no configuration
  [[nodiscard]] std::shared_ptr<const attempt> given(const std::string& text);
  /// What to try on the solver's device, the features of the graph being known. Kept for the next call.
  [[nodiscard]] const attempt_list& on_device(const solve_options& options,
                                              const std::shared_ptr<const model_data>& model);
  /// @param in_parts whether the graph is to be split
  [[nodiscard]] attempt_list make_list(const std::shared_ptr<const model_data>& model, tuner::instrumentation what,
                                       partitioning in_parts);

  /// The search on processors that is expected to be the fastest for a graph of this size.
  [[nodiscard]] const std::shared_ptr<const attempt>& by_size();
  /// The default on GPUs, where no candidate of the model runs.
  [[nodiscard]] const std::shared_ptr<const attempt>& by_default();

  /// What a rule suggests without a model, unless the device is known not to be able to run it.
  [[nodiscard]] std::optional<attempt> by_rule(const std::optional<std::string>& label, tuner::instrumentation what,
                                               std::string reason) const;
  /// The partitioned search, for the graphs that it is good for.
  [[nodiscard]] std::optional<attempt> by_parts(tuner::instrumentation what, bool is_asked_for) const;

  /// Breadth-first search by levels, for the graphs that it is good for; nothing where the model knows of it.
  [[nodiscard]] std::optional<attempt> by_levels(const model_data& model, tuner::instrumentation what) const;

  struct winner {
    std::shared_ptr<const model_data> of;
    std::string configuration;
    std::string reason;
  };

  executor& runs_;
  graph_features features_;
  ranking ranks_;
  place_chooser places_;
  part_adoption adoption_;
  std::optional<model> standard_model_;  ///< what model::standard() means here, when it has been asked for
  std::shared_ptr<const attempt> by_size_;
  std::shared_ptr<const attempt> by_default_;
  winner tried_out_;

  /// What on_device() gave last.
  struct device_list {
    std::shared_ptr<const model_data> of;  ///< null: nothing yet
    tuner::instrumentation what = tuner::instrumentation::none;
    std::size_t unfit = 0;                        ///< how many the device was known not to be able to run
    partitioning in_parts = partitioning::never;  ///< automatic: it was due
    attempt_list all;
  };
  device_list listed_;
  std::map<std::string, std::shared_ptr<const attempt>> given_;  ///< by their texts
};

}  // namespace mlmq::detail
