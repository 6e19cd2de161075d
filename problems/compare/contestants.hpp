// SPDX-License-Identifier: Apache-2.0
// Maps configurations to contestants: this program, its competitors and peers.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "problems/compare/comparison.hpp"
#include "problems/recommendation_hook.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"
#include "tuner/problem.hpp"

namespace mlmq::compare {

class contestants {
 public:
  /// @param problem, options  must outlive this
  /// @throws input_error  if the configurations are not valid for the problem
  contestants(const tuner::problem& problem, const comparison_options& options);

  [[nodiscard]] const tuner::parameter_set& parameters() const noexcept { return parameters_; }

  /// Returns the contestant that runs a configuration: `our_name`, a competitor or a peer.
  [[nodiscard]] std::string name_of(const tuner::configuration& configuration) const;
  [[nodiscard]] bool is_ours(const tuner::configuration& configuration) const;

  /// Returns the peer, or null for a configuration of the problem itself. @throws work_error if the peer does not take
  /// part
  [[nodiscard]] const peer* peer_of(const tuner::configuration& configuration) const;

  /// Returns a hash of the code that a configuration runs. Results of different code are kept apart.
  [[nodiscard]] std::string hash_of(const tuner::configuration& configuration) const;

  /// Returns a short label for tables: the values that differ from the defaults, in the syntax of --config; for a peer,
  /// its parameters.
  [[nodiscard]] std::string shown_label(const tuner::configuration& configuration) const;

  [[nodiscard]] bool runs_on(const tuner::configuration& configuration, const backends::device_traits& device) const;

  /// Returns whether one of this program's configurations is recommended for the device.
  [[nodiscard]] bool has_selector(const backends::device_info& device) const;
  /// Returns the configurations that `solve` tries for a workload, best first. Requires has_selector().
  [[nodiscard]] std::vector<problems::recommended_configuration> recommended(const tuner::workload& workload,
                                                                             const backends::device_info& device) const;

 private:
  const tuner::problem& problem_;
  const comparison_options& options_;
  tuner::parameter_set parameters_;
  std::set<tuner::configuration> named_;  // competitors that are identified by their labels only
};

}  // namespace mlmq::compare
