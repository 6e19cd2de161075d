// SPDX-License-Identifier: Apache-2.0
// The peers' file. docs/guide/compare.md is its reference.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problems/shortest_paths/peers/peer.hpp"

namespace mlmq::problems::search_peers {

/// @throws input_error "FILE:LINE: …" for whatever is wrong with the file
[[nodiscard]] std::vector<peer> load_peers(const std::filesystem::path& file);
[[nodiscard]] std::vector<peer> parse_peers(const std::string& text, const std::filesystem::path& file);

}  // namespace mlmq::problems::search_peers
