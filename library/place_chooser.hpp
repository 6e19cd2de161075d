// SPDX-License-Identifier: Apache-2.0
// Chooses where to search: on the solver's device or on the processors of this machine.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "library/executor.hpp"
#include "library/ranking.hpp"
#include "selector/placement.hpp"

namespace mlmq::detail {

class place_chooser {
 public:
  /// @param executor  must outlive this
  explicit place_chooser(executor& executor) : executor_(executor) {}

  /// Returns whether the processors are an option. Modelled and measured times are never compared, and if the device is
  /// the processors, there is nothing to compare.
  [[nodiscard]] bool weighs_processors(const solve_options& options) const;

  /// Returns an attempt on the processors if they are expected to be faster, judging by the size of the graph only.
  /// Used when nothing else is known about the graph and it is not on the device.
  [[nodiscard]] std::optional<attempt> faster_by_size(ranking& model_ranking);

  /// Returns an attempt on the processors if they are expected to be faster than `first` on the device. Otherwise
  /// appends the reason to `first`.
  /// @param features  features of the graph; the same in every call
  [[nodiscard]] std::optional<attempt> sooner_on_host(ranking& model_ranking, const tuner::named_features& features,
                                                      attempt& first);

 private:
  /// A search on the processors of this machine.
  struct host_search {
    attempt candidate;
    double solve_ms = 0;
    bool is_measured = false;  ///< whether `solve_ms` was measured in earlier searches
  };
  struct place_comparison {
    host_search on_host;
    selector::place_expectation device;
    selector::placement_verdict verdict;
  };

  [[nodiscard]] double transfer_ms(const selector::transfer_cost& cost, bool is_resident) const;
  [[nodiscard]] host_search first_on_host(ranking& model_ranking, const tuner::named_features* features);
  [[nodiscard]] host_search fastest_on_host(ranking& model_ranking, std::span<const double> recorded_ms);
  [[nodiscard]] place_comparison weigh(ranking& model_ranking, std::span<const double> recorded_ms,
                                       const tuner::named_features* features, const attempt* first);
  [[nodiscard]] std::string reason_for(const place_comparison& comparison, bool measured_here,
                                       const char* from_what) const;
  [[nodiscard]] bool expects_times(const ranking& model_ranking) const;

  executor& executor_;
  const ranking* expected_by_ = nullptr;
  std::vector<double> expected_ms_;  ///< result of ranking_model::expected(), or empty
};

}  // namespace mlmq::detail
