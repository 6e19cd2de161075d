// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/weights.hpp"

namespace mlmq::graph {
namespace {

using position = std::array<std::int64_t, 3>;

/// Distances to a neighbour along one, two and three axes: 1000, 1000 √2 and 1000 √3, rounded.
constexpr std::array<std::uint32_t, 4> length_along = {0, 1000, 1414, 1732};

struct step {
  position offset;
  std::uint32_t length;
};

constexpr unsigned most_unknowns = 8;

/// Joins all unknowns of one point with all unknowns of another.
void join(vertex_id point, vertex_id other, unsigned unknowns, std::uint32_t length, edge_list& edges) {
  for (unsigned i = 0; i < unknowns; ++i) {
    for (unsigned j = 0; j < unknowns; ++j) edges.add(point * unknowns + i, other * unknowns + j, length);
  }
}

/// Joins all unknowns of one point with each other.
void join_own(vertex_id point, unsigned unknowns, edge_list& edges) {
  for (unsigned i = 0; i < unknowns; ++i) {
    for (unsigned j = 0; j < i; ++j) edges.add(point * unknowns + j, point * unknowns + i, 1);
  }
}

/// Returns one of each pair of opposite steps: the one that leads to later vertices.
std::vector<step> half_of_steps(const lattice_shape& shape) {
  std::vector<step> steps;
  const std::int64_t deep = shape.dimensions == 3 ? 1 : 0;
  for (std::int64_t z = 0; z <= deep; ++z) {
    for (std::int64_t y = -1; y <= 1; ++y) {
      for (std::int64_t x = -1; x <= 1; ++x) {
        const bool is_later = z > 0 || (z == 0 && (y > 0 || (y == 0 && x > 0)));
        const auto axes = static_cast<std::size_t>((x != 0) + (y != 0) + (z != 0));
        if (is_later && (axes == 1 || shape.diagonals)) steps.push_back({{x, y, z}, length_along.at(axes)});
      }
    }
  }
  return steps;
}

}  // namespace

csr_graph generate_lattice(unsigned log2_points, const lattice_shape& shape, std::uint64_t seed, bool lengths) {
  if (log2_points < 1 || log2_points > 30) {
    throw input_error(fmt::format("lattice: log2 of the points is {}, expected 1 to 30", log2_points));
  }
  if (shape.dimensions != 2 && shape.dimensions != 3) {
    throw input_error(fmt::format("lattice: {} dimensions, expected 2 or 3", shape.dimensions));
  }
  if (shape.unknowns < 1 || shape.unknowns > most_unknowns) {
    throw input_error(fmt::format("lattice: {} unknowns, expected 1 to {}", shape.unknowns, most_unknowns));
  }
  const std::uint64_t vertices = std::uint64_t{shape.unknowns} << log2_points;
  if (vertices > 0xFFFFFFFEu) {
    throw input_error(fmt::format("lattice: {} vertices, expected up to 2^32 - 2", vertices));
  }
  position side = {1, 1, 1};
  for (unsigned axis = 0; axis < shape.dimensions; ++axis) {
    side.at(axis) = std::int64_t{1} << ((log2_points + shape.dimensions - 1 - axis) / shape.dimensions);
  }
  const auto number_of = [&side](const position& p) {
    return static_cast<vertex_id>((p[2] * side[1] + p[1]) * side[0] + p[0]);
  };
  const std::vector<step> steps = half_of_steps(shape);
  edge_list edges;
  const std::size_t most = (2 * steps.size() * shape.unknowns + shape.unknowns - 1) * vertices / 2;
  edges.sources.reserve(most);
  edges.targets.reserve(most);
  edges.weight_bits.reserve(most);
  position point{};
  for (point[2] = 0; point[2] < side[2]; ++point[2]) {
    for (point[1] = 0; point[1] < side[1]; ++point[1]) {
      for (point[0] = 0; point[0] < side[0]; ++point[0]) {
        join_own(number_of(point), shape.unknowns, edges);
        for (const step& direction : steps) {
          position neighbour{};
          bool inside = true;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::int64_t place = point[axis] + direction.offset[axis];
            inside = inside && place >= 0 && place < side[axis];
            neighbour[axis] = (place + side[axis]) % side[axis];
          }
          if (inside || shape.torus)
            join(number_of(point), number_of(neighbour), shape.unknowns, direction.length, edges);
        }
      }
    }
  }
  if (!lengths) fill_seeded_weights(edges, seed);
  // On a torus with a side of one or two points, steps lead to their own vertex or coincide.
  return build_csr(vertices, edges, {.symmetric = true, .drop_self_loops = true, .merge_duplicates = true});
}

}  // namespace mlmq::graph
