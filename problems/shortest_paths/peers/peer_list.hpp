// SPDX-License-Identifier: Apache-2.0
// The peers of a file as contestants of a comparison.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "compare/peer.hpp"

namespace mlmq::problems::search_peers {

/// Those of the problem. What cannot be used on this machine is left out, with a note.
/// @param problem "sssp", or "bfs": all weights are 1
/// @throws input_error as load_peers(), or when a program cannot be read
[[nodiscard]] std::unique_ptr<compare::peer_list> load_peer_list(const std::filesystem::path& file,
                                                                 const std::string& problem);

}  // namespace mlmq::problems::search_peers
