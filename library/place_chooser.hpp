// SPDX-License-Identifier: Apache-2.0
// Where to search: on the solver's device, or on the processors beside it.
#pragma once

#include <memory>
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
  /// Both outlive this.
  place_chooser(executor& runs, ranking& ranks) : runs_(runs), ranks_(ranks) {}

  /// Whether the processors beside the device may be chosen. Modelled and measured times are never weighed against each
  /// other, and on processors there is nothing to weigh.
  [[nodiscard]] bool weighs_processors(const solve_options& options) const;

  /// The processors, when by the size of the graph alone less time is expected to go by there. Nothing else is known of it,
  /// and it is not on the device.
  [[nodiscard]] std::optional<attempt> sooner_by_size(const model& chooser);

  /// The same when its features are known, against `first` on the device, of which it notes what speaks for it.
  /// @param values gives those of the features of the model, when they are needed
  template <class Values>
  [[nodiscard]] std::optional<attempt> sooner_on_host(const model& chooser, const Values& values, attempt& first) {
    if (const std::shared_ptr<const model_data> asked = access::share(chooser); expected_by_ != asked) {
      expected_by_.reset();
      expect(chooser, values());
      expected_by_ = asked;
    }
    return sooner_on_host(chooser, first);
  }

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
  [[nodiscard]] host_search first_on_host(std::span<const candidate> candidates);
  [[nodiscard]] host_search fastest_on_host(const known_model& from, std::span<const double> recorded_ms);
  [[nodiscard]] both_places weigh(const model& chooser, std::span<const double> recorded_ms, const attempt* first);
  [[nodiscard]] std::string reason_for(const both_places& both, bool measured_here, const char* from_what) const;
  [[nodiscard]] bool expects_times(const model& chooser) const;

  /// Finds expected_ms_.
  void expect(const model& chooser, std::span<const double> values);
  [[nodiscard]] std::optional<attempt> sooner_on_host(const model& chooser, attempt& first);

  executor& runs_;
  ranking& ranks_;
  std::shared_ptr<const model_data> expected_by_;
  std::vector<double> expected_ms_;  ///< as model_data::expected(), or nothing
};

}  // namespace mlmq::detail
