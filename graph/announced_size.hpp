// SPDX-License-Identifier: Apache-2.0
// What the header of a text file may announce.
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "graph/text_reader.hpp"

namespace mlmq::graph {

/// A few bytes can announce billions of vertices, which would take all memory.
/// @throws input_error naming the line when there are more than a million vertices, and not one edge for each 1,024
inline void check_announced(std::uint64_t vertices, std::uint64_t edges, const text_reader& reader) {
  constexpr std::uint64_t always_allowed = std::uint64_t{1} << 20;
  constexpr std::uint64_t vertices_per_edge = 1024;
  if (vertices <= always_allowed || vertices / vertices_per_edge <= edges) return;
  reader.fail(fmt::format("{} vertices with only {} edges, expected at least one edge for every {} vertices", vertices,
                          edges, vertices_per_edge));
}

}  // namespace mlmq::graph
