// SPDX-License-Identifier: Apache-2.0
// Other people's programs ("peers") as contestants. What they solve, how they are started and how their answers are
// checked is for the folder of a problem, which implements these classes and registers them (compare/peer_registry.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "db/records.hpp"
#include "tuner/configuration.hpp"
#include "tuner/query.hpp"
#include "tuner/workload.hpp"

namespace mlmq::compare {

/// A peer from outside.
struct peer {
  std::string name;
  std::string hash;         ///< of all that its results depend on: another build is another peer
  std::string device_kind;  ///< it runs on (backends::device_info::kind), not a modelled one
  /// Of which the best is taken, at least one; a peer without parameters has one that is empty.
  std::vector<tuner::configuration> parameter_sets;
  std::uint64_t turns = 0;  ///< rounds that it takes part in; 0: all
};

/// Peers on one workload, query and device.
class peer_session {
 public:
  virtual ~peer_session() = default;

  /// Runs a peer once and checks its answer. Whatever the peer does wrong is an outcome; its work is the counter that
  /// the problem calls work (tuner::work_ratio). @param name of a peer of the list @param parameters one of its sets
  /// @param samples times wanted
  [[nodiscard]] virtual db::trial_result run(const std::string& name, const tuner::configuration& parameters,
                                             std::uint64_t samples) = 0;
};

/// The peers of one problem that can be used on this machine.
class peer_list {
 public:
  virtual ~peer_list() = default;

  /// For the life of the list; each name once.
  [[nodiscard]] virtual std::span<const peer> peers() const = 0;

  /// What was left out, and why, for a person.
  [[nodiscard]] virtual std::span<const std::string> notes() const = 0;

  /// @param on outlives the session, as the list does
  /// @throws input_error for a query that the workload cannot answer
  [[nodiscard]] virtual std::unique_ptr<peer_session> open(const tuner::workload& on, const tuner::query& asked,
                                                           const backends::device_info& device) const = 0;
};

}  // namespace mlmq::compare
