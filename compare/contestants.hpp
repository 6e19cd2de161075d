// SPDX-License-Identifier: Apache-2.0
// By whom configurations are: ours, of competitors, of peers.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "compare/options.hpp"
#include "problems/recommendation_hook.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"
#include "tuner/problem.hpp"

namespace mlmq::compare {

class contestants {
 public:
  /// @param of, options must outlive this
  /// @throws input_error for configurations that are not of the problem
  contestants(const tuner::problem& of, const comparison_options& options);

  [[nodiscard]] const tuner::parameter_set& parameters() const noexcept { return parameters_; }

  /// `our_name`, or that of a competitor or peer.
  [[nodiscard]] std::string name_of(const tuner::configuration& chosen) const;
  [[nodiscard]] bool is_ours(const tuner::configuration& chosen) const;

  /// Null when `chosen` is a configuration of the problem. @throws work_error for a peer that does not take part
  [[nodiscard]] const peer* peer_of(const tuner::configuration& chosen) const;

  /// Identity of the code that a configuration runs: results of other code are other results.
  [[nodiscard]] std::string hash_of(const tuner::configuration& chosen) const;

  /// What a person needs to see of a contestant: what differs from the defaults, as --config takes it; of a peer its
  /// parameters.
  [[nodiscard]] std::string shown_label(const tuner::configuration& chosen) const;

  [[nodiscard]] bool runs_on(const tuner::configuration& given, const backends::device_traits& device) const;

  /// Whether a configuration of ours is recommended for the device.
  [[nodiscard]] bool has_selector(const backends::device_info& device) const;
  /// The configurations that `solve` tries for a workload, best first. Only where has_selector().
  [[nodiscard]] std::vector<problems::recommended_configuration> recommended(const tuner::workload& workload,
                                                                             const backends::device_info& device) const;

 private:
  const tuner::problem& problem_;
  const comparison_options& options_;
  tuner::parameter_set parameters_;
  std::set<tuner::configuration> named_;  // competitors without a name but their label
};

}  // namespace mlmq::compare
