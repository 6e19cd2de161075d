// SPDX-License-Identifier: Apache-2.0
// Chooses where to search: on the solver's device or on the processors of this machine.
#pragma once

#include <optional>
#include <string>

#include "library/executor.hpp"
#include "library/ranking.hpp"
#include "problems/searches/plan.hpp"

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
  [[nodiscard]] std::optional<attempt> sooner_on_host(ranking& model_ranking, attempt& first);

 private:
  /// The fastest search on the processors of this machine.
  struct host_search {
    attempt candidate;
    problems::placed_search cost;
    bool is_measured = false;  ///< whether its time was measured in earlier searches
  };

  [[nodiscard]] double transfer_ms(const problems::transfer_cost& cost, bool is_resident) const;
  [[nodiscard]] host_search fastest_on_host(ranking& model_ranking);
  [[nodiscard]] problems::placed_search on_device(std::optional<double> search_ms) const;
  [[nodiscard]] std::string reason_for(const host_search& on_host, const problems::placed_search& device,
                                       bool measured_here, const char* from_what) const;

  executor& executor_;
};

}  // namespace mlmq::detail
