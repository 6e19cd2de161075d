// SPDX-License-Identifier: Apache-2.0
// External programs ("peers") as contestants. The folder of a problem implements these classes, which know how to start
// peers and check their answers, and registers them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "base/registration.hpp"
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

/// The peers of one problem. They are registered separately from the problem, because solving does not need the code
/// that starts other programs.
struct peer_entry {
  std::string problem;
  std::string file;  ///< default file, among the experiments shipped with the program
  /// Loads the peers. @throws input_error "FILE:LINE: …" for any error in the file
  std::unique_ptr<peer_list> (*load)(const std::filesystem::path& file, const std::string& problem) = nullptr;

  static constexpr const char* duplicate = "two files register peers for";
  [[nodiscard]] const std::string& key() const { return problem; }
  [[nodiscard]] bool precedes(const peer_entry& other) const { return problem < other.problem; }
};

/// Registers peers for its lifetime. A library made by mlmq_add_peers(NAME …) or mlmq_peer_library(NAME …) defines one
/// as an object with static storage and external linkage named mlmq_registers_peers_of_NAME, by which the linker finds
/// it.
using peer_registration = registration<peer_entry>;

/// Returns the peers of a problem, or null. @throws work_error naming both files if two registrations name the same
/// problem
[[nodiscard]] inline const peer_entry* peers_of(std::string_view problem) { return peer_registration::find(problem); }

}  // namespace mlmq::compare
