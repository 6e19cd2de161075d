// SPDX-License-Identifier: Apache-2.0
// Who takes part: configurations by the solver that they are of, and peers as configurations.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/peer.hpp"
#include "db/store.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/problem.hpp"

namespace mlmq::compare {

/// The value of the parameter `solver`; "mlmq" when it is left out, "peer" for a peer.
[[nodiscard]] std::string solver_of(const tuner::configuration& chosen);

/// Whether a device of this kind (backends::device_info::kind) runs the solver of a configuration as written, for the problem.
[[nodiscard]] bool runs_on(const tuner::configuration& given, const std::string& device_kind,
                           const std::string& problem);

/// A peer in the database: solver=peer,peer=NAME and, when there are several, delta=VALUE.
[[nodiscard]] tuner::configuration peer_configuration(const peer& what, std::optional<double> delta);

/// Of the entry and the program's bytes: another build is another peer. @throws input_error when it cannot be read
[[nodiscard]] std::string peer_hash(const peer& what);

/// How candidates are measured: as contestants, but no more often than it takes to choose one.
[[nodiscard]] tuner::measurement_settings candidate_settings(tuner::measurement_settings of_contestants);

/// In a file of configurations or competitors.
inline constexpr std::uint64_t most_contestants = 10'000;

/// Both files as one experiment with the configurations that fit the device; empty where none does.
[[nodiscard]] std::optional<tuner::experiment_file> candidates_for(const tuner::experiment_file& ours,
                                                                   const tuner::experiment_file& competitors,
                                                                   const std::string& name,
                                                                   const std::string& device_kind,
                                                                   const tuner::problem& of);

/// What a person needs to see of a contestant: what differs from the defaults, as --config takes it; of another program
/// its parameters.
[[nodiscard]] std::string short_label(const tuner::parameter_set& parameters, const tuner::configuration& chosen);

/// Labels of the shipped selector, best first, as `mlmq solve` has them.
/// @param problem "bfs": the selector is asked about the graph with all weights 1
[[nodiscard]] std::vector<std::string> ranked_labels(const db::workload_record& on, const std::string& problem);

}  // namespace mlmq::compare
