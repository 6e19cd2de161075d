// SPDX-License-Identifier: Apache-2.0
// External programs ("peers") as contestants. The folder of a problem implements these classes, which know how to start
// peers and check their answers, and registers them (problems/compare/peer_registry.hpp).
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

/// An external program.
struct peer {
  std::string name;
  std::string hash;         ///< of everything that its results depend on; another build is another peer
  std::string device_kind;  ///< kind of device it runs on (backends::device_info::kind), not a modelled one
  /// At least one; the best one is used. A peer without parameters has a single empty set.
  std::vector<tuner::configuration> parameter_sets;
  std::uint64_t turns = 0;  ///< number of rounds it takes part in; 0: all
};

/// Name of the counter with the time in ms that a peer took to prepare the workload, which its samples leave out.
inline constexpr const char* preparation_counter = "prepare_ms";

/// Runs peers on one workload, query and device.
class peer_session {
 public:
  virtual ~peer_session() = default;

  /// Runs a peer once and checks its answer. Errors of the peer become outcomes, not exceptions. Its work is the
  /// counter that the problem defines as work (tuner::work_ratio).
  /// @param name  a peer of the list
  /// @param parameters  one of its parameter sets
  /// @param samples  number of times to measure
  [[nodiscard]] virtual db::trial_result run(const std::string& name, const tuner::configuration& parameters,
                                             std::uint64_t samples) = 0;
};

/// The peers of one problem that can be used on this machine.
class peer_list {
 public:
  virtual ~peer_list() = default;

  /// Returns the peers, valid as long as the list; names are unique.
  [[nodiscard]] virtual std::span<const peer> peers() const = 0;

  /// Returns what was left out, and why, as readable text.
  [[nodiscard]] virtual std::span<const std::string> notes() const = 0;

  /// Starts a session. @param workload  must outlive the session, like the list
  /// @throws input_error  if the workload cannot answer the query
  [[nodiscard]] virtual std::unique_ptr<peer_session> open(const tuner::workload& workload, const tuner::query& query,
                                                           const backends::device_info& device) const = 0;
};

}  // namespace mlmq::compare
