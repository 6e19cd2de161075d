// SPDX-License-Identifier: Apache-2.0
// The file that describes peers; see docs/guide/compare.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problems/shortest_paths/peers/peer.hpp"

namespace mlmq::problems::search_peers {

/// @throws input_error "FILE:LINE: …" for any error in the file
[[nodiscard]] std::vector<peer> load_peers(const std::filesystem::path& file);
[[nodiscard]] std::vector<peer> parse_peers(const std::string& text, const std::filesystem::path& file);

}  // namespace mlmq::problems::search_peers
