// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/portable_power.hpp"
#include "graph/weights.hpp"

namespace mlmq::graph {
namespace {

/// Returns the degrees: the r-th largest is proportional to r^(-1 / (exponent - 1)). Fractions are rounded up or down
/// at random, so that the average is preserved.
std::vector<std::uint64_t> degrees(vertex_id count, double average, double exponent, random_stream& random) {
  const double power = 1.0 / (exponent - 1.0);
  std::vector<double> share(count);
  double sum = 0;
  for (vertex_id rank = 0; rank < count; ++rank) {
    share[rank] = portable_power(static_cast<double>(count) / (static_cast<double>(rank) + 1.0), power);
    sum += share[rank];
  }
  const double scale = average * static_cast<double>(count) / sum;
  std::vector<std::uint64_t> result(count);
  for (vertex_id rank = 0; rank < count; ++rank) {
    const double degree = std::min(share[rank] * scale, static_cast<double>(count) - 1.0);
    const double whole = std::floor(degree);
    const auto fraction = static_cast<std::uint64_t>((degree - whole) * 4294967296.0);
    result[rank] = static_cast<std::uint64_t>(whole) + ((random.next() >> 32) < fraction ? 1 : 0);
  }
  return result;
}

}  // namespace

csr_graph generate_power_law(vertex_id vertex_count, double average_degree, double exponent, std::uint64_t seed) {
  if (vertex_count < 2 || vertex_count == 0xFFFFFFFFu) {
    throw input_error(fmt::format("power-law graph: {} vertices, expected 2 to 2^32 - 2", vertex_count));
  }
  if (!(average_degree > 0 && average_degree <= static_cast<double>(vertex_count) - 1.0)) {
    throw input_error(
        fmt::format("power-law graph: average degree {}, expected above 0 to {}", average_degree, vertex_count - 1));
  }
  if (!(exponent > 2 && exponent <= 10)) {
    throw input_error(fmt::format("power-law graph: exponent {}, expected above 2 to 10", exponent));
  }
  random_stream random({0x706F776572 /* power */, vertex_count, seed});
  std::vector<vertex_id> vertex_of_rank(vertex_count);
  std::iota(vertex_of_rank.begin(), vertex_of_rank.end(), vertex_id{0});
  shuffle(vertex_of_rank, random);

  std::vector<vertex_id> ends;
  const std::vector<std::uint64_t> degree = degrees(vertex_count, average_degree, exponent, random);
  for (vertex_id rank = 0; rank < vertex_count; ++rank) {
    ends.insert(ends.end(), degree[rank], vertex_of_rank[rank]);
  }
  shuffle(ends, random);
  edge_list edges;
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
    edges.sources.push_back(ends[i]);
    edges.targets.push_back(ends[i + 1]);
  }
  fill_seeded_weights(edges, seed);
  return build_csr(vertex_count, edges, {.symmetric = true, .drop_self_loops = true, .merge_duplicates = true});
}

}  // namespace mlmq::graph
