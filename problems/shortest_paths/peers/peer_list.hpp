// SPDX-License-Identifier: Apache-2.0
// The peers of a file as participants of a comparison.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "problems/compare/peer.hpp"

namespace mlmq::problems::search_peers {

/// Loads the peers of a problem. Omits peers that cannot be used on this machine and adds a note about each.
/// @param problem "sssp", or "bfs": all weights are 1
/// @throws input_error like load_peers(), or if a program cannot be read
[[nodiscard]] std::unique_ptr<compare::peer_list> load_peer_list(const std::filesystem::path& file,
                                                                 const std::string& problem);

}  // namespace mlmq::problems::search_peers
