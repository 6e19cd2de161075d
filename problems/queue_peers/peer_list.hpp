// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "problems/compare/peer.hpp"

namespace mlmq::queue_peers {

/// Loads the peers of a problem that can be used on this machine. @throws input_error "FILE:LINE: …"
[[nodiscard]] std::unique_ptr<compare::peer_list> load_peer_list(const std::filesystem::path& file,
                                                                 const std::string& problem);

}  // namespace mlmq::queue_peers
