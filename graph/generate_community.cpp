// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/heavy_tail.hpp"
#include "graph/largest_part.hpp"
#include "graph/weights.hpp"

namespace mlmq::graph {
namespace {

constexpr unsigned smallest_group = 2;
constexpr unsigned most_members = 4096;
/// Minimum average number of groups per vertex. With fewer groups, many vertices would not be connected.
constexpr double least_memberships = 2;

/// Distribution of group sizes: size s has a probability proportional to s^-3. Uses sums of integers, because compilers
/// may contract a floating-point product and sum into one rounding.
class group_sizes {
 public:
  explicit group_sizes(unsigned largest) : shares_(largest + std::size_t{1}), cumulative_(largest + std::size_t{1}) {
    std::uint64_t sum = 0;
    for (std::uint64_t size = smallest_group; size <= largest; ++size) {
      shares_[size] = (std::uint64_t{1} << 50) / (size * size * size);
      sum += shares_[size];
    }
    std::uint64_t so_far = 0;
    for (unsigned size = smallest_group; size <= largest; ++size) {
      so_far += shares_[size];
      cumulative_[size] = share_of_32_bits(static_cast<double>(so_far) / static_cast<double>(sum));
    }
  }

  /// Returns the average number of neighbours per membership if a member knows at most `most` others of its group.
  [[nodiscard]] double neighbours(unsigned most) const {
    std::uint64_t members = 0;
    std::uint64_t pairs = 0;
    for (unsigned size = smallest_group; size < shares_.size(); ++size) {
      members += size * shares_[size];
      pairs += size * shares_[size] * std::min(size - 1, most);
    }
    return static_cast<double>(pairs) / static_cast<double>(members);
  }

  /// Returns the argument for which neighbours() returns `target`.
  [[nodiscard]] double limit_for(double target) const {
    unsigned members = 1;
    while (members < largest() && neighbours(members + 1) < target) ++members;
    // Interpolate linearly between whole numbers.
    const double count = neighbours(members);
    const double next = neighbours(members + 1);
    return next > count ? members + (target - count) / (next - count) : members;
  }

  [[nodiscard]] unsigned draw(random_stream& random) const {
    const std::uint64_t bits = random.next() >> 32;
    return static_cast<unsigned>(std::upper_bound(cumulative_.begin(), cumulative_.end(), bits) - cumulative_.begin());
  }

  [[nodiscard]] unsigned largest() const { return static_cast<unsigned>(shares_.size() - 1); }

 private:
  std::vector<std::uint64_t> shares_;
  std::vector<std::uint64_t> cumulative_;  ///< probability of this size or a smaller one, as a share of 2^32
};

struct membership {
  std::uint64_t place;  ///< position on the line on which groups are placed
  vertex_id vertex;
  bool operator<(const membership& other) const {
    return std::pair(place, vertex) < std::pair(other.place, other.vertex);
  }
};

/// Returns every vertex once per membership, in the order in which groups take them.
std::vector<membership> memberships(vertex_id vertices, double average, std::uint64_t anywhere, unsigned largest,
                                    random_stream& random) {
  std::vector<membership> memberships;
  memberships.reserve(static_cast<std::size_t>(average * vertices));
  const std::uint64_t most = std::max(vertices / 16, vertex_id{1});
  for (vertex_id vertex = 0; vertex < vertices; ++vertex) {
    const std::uint64_t groups = 1 + heavy_tailed(average - 1, most, random);
    // A vertex in many groups joins more distant groups, so that the groups differ.
    const std::uint64_t spread = std::min<std::uint64_t>(4 * std::uint64_t{largest} * groups, vertices);
    for (std::uint64_t i = 0; i < groups; ++i) {
      const bool is_far = (random.next() >> 32) < anywhere;
      const std::uint64_t near = vertex + random.below(2 * spread + 1) + vertices - spread;
      memberships.push_back({is_far ? vertices + random.below(vertices) : near, vertex});
    }
  }
  std::sort(memberships.begin(), memberships.end());
  return memberships;
}

/// Joins all pairs of different members, or enough pairs that each member is joined with about `most` others.
void join(std::span<const membership> group, double most, edge_list& edges, random_stream& random) {
  const double others = static_cast<double>(group.size()) - 1;
  const std::uint64_t joined = share_of_32_bits(others <= most ? 1.0 : most / others);
  const bool join_all = others <= most;
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (group[i].vertex == group[j].vertex) continue;
      if (join_all || (random.next() >> 32) < joined) edges.add(group[j].vertex, group[i].vertex, 0);
    }
  }
}

}  // namespace

csr_graph generate_community(unsigned log2_vertices, const community_shape& shape, std::uint64_t seed) {
  if (log2_vertices < 2 || log2_vertices > 30) {
    throw input_error(fmt::format("community: log2 of the vertices is {}, expected 2 to 30", log2_vertices));
  }
  const vertex_id vertices = vertex_id{1} << log2_vertices;
  const auto most_degree = static_cast<double>(std::min(vertices - 1, 1000u));
  if (!(shape.degree >= 2 && shape.degree <= most_degree)) {
    throw input_error(fmt::format("community: average degree {}, expected 2 to {}", shape.degree, most_degree));
  }
  if (shape.largest < 3 || shape.largest > most_members) {
    throw input_error(
        fmt::format("community: {} members of the largest group, expected 3 to {}", shape.largest, most_members));
  }
  if (!(shape.mixing >= 0 && shape.mixing <= 1)) {
    throw input_error(fmt::format("community: mixing {}, expected 0 to 1", shape.mixing));
  }
  const group_sizes sizes(std::min(shape.largest, vertices));
  const double average = std::max(shape.degree / sizes.neighbours(sizes.largest()), least_memberships);
  const double members_known = average > least_memberships ? sizes.largest() : sizes.limit_for(shape.degree / average);

  random_stream random({0x636F6D6D /* comm */, log2_vertices, seed});
  const std::vector<membership> all_memberships =
      memberships(vertices, average, share_of_32_bits(shape.mixing), sizes.largest(), random);
  edge_list edges;
  std::span<const membership> rest = all_memberships;
  while (!rest.empty()) {
    const std::size_t size = std::min<std::size_t>(sizes.draw(random), rest.size());
    join(rest.first(size), members_known, edges, random);
    rest = rest.subspan(size);
  }
  const std::size_t vertex_count = keep_largest_part(vertices, edges);
  fill_seeded_weights(edges, seed);
  return build_csr(vertex_count, edges, {.symmetric = true, .merge_duplicates = true});
}

}  // namespace mlmq::graph
