// SPDX-License-Identifier: Apache-2.0
// Limit on the sizes that the header of a text file may announce.
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "graph/text_reader.hpp"

namespace mlmq::graph {

/// Checks that the header of a text file announces enough edges for its vertices. Otherwise a few bytes could announce
/// billions of vertices, and the reader would allocate all memory.
/// @throws input_error naming the line, if there are more than a million vertices and fewer than one edge per 1,024
///   vertices
inline void check_announced(std::uint64_t vertices, std::uint64_t edges, const text_reader& reader) {
  constexpr std::uint64_t always_allowed = std::uint64_t{1} << 20;
  constexpr std::uint64_t vertices_per_edge = 1024;
  if (vertices <= always_allowed || vertices / vertices_per_edge <= edges) return;
  reader.fail(fmt::format("{} vertices with only {} edges, expected at least one edge for every {} vertices", vertices,
                          edges, vertices_per_edge));
}

}  // namespace mlmq::graph
