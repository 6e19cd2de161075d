// SPDX-License-Identifier: Apache-2.0
// Where to search: on the solver's device, or on the processors beside it.
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
  /// @param runs must outlive this
  explicit place_chooser(executor& runs) : runs_(runs) {}

  /// Whether the processors beside the device may be chosen. Modelled and measured times are never weighed against each
  /// other, and on processors there is nothing to weigh.
  [[nodiscard]] bool weighs_processors(const solve_options& options) const;

  /// The processors, when by the size of the graph alone less time is expected to go by there. Nothing else is known of it,
  /// and it is not on the device.
  [[nodiscard]] std::optional<attempt> sooner_by_size(ranking& model_ranking);

  /// The same when its features are known, against `first` on the device, of which it notes what speaks for it.
  /// @param features of the graph, the same in every call
  [[nodiscard]] std::optional<attempt> sooner_on_host(ranking& model_ranking, const tuner::named_features& features,
                                                      attempt& first);

 private:
  /// A search on the processors beside the device.
  struct host_search {
    attempt what;
    double solve_ms = 0;
    bool known = false;  ///< from searches before
  };
  struct both_places {
    host_search on_host;
    selector::place_expectation device;
    selector::placement_verdict verdict;
  };

  [[nodiscard]] double transfer_ms(const selector::transfer_cost& cost, bool is_resident) const;
  [[nodiscard]] host_search first_on_host(ranking& model_ranking, const tuner::named_features* features);
  [[nodiscard]] host_search fastest_on_host(ranking& model_ranking, std::span<const double> recorded_ms);
  [[nodiscard]] both_places weigh(ranking& model_ranking, std::span<const double> recorded_ms,
                                  const tuner::named_features* features, const attempt* first);
  [[nodiscard]] std::string reason_for(const both_places& both, bool measured_here, const char* from_what) const;
  [[nodiscard]] bool expects_times(const ranking& model_ranking) const;

  executor& runs_;
  const ranking* expected_by_ = nullptr;
  std::vector<double> expected_ms_;  ///< as ranking_model::expected(), or nothing
};

}  // namespace mlmq::detail
