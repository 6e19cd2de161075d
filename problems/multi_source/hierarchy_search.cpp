// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/hierarchy_search.hpp"

#include <algorithm>
#include <cstring>

namespace mlmq::multi_source {
namespace {

constexpr std::size_t positions_together = 256;

#if defined(__x86_64__) && defined(__GNUC__)
#define MLMQ_INLINE_BODY inline __attribute__((always_inline))
#define MLMQ_WIDE_VECTORS 1
#else
#define MLMQ_INLINE_BODY inline
#define MLMQ_WIDE_VECTORS 0
#endif

/// Vectors that the compiler keeps in registers.
using lane_vector = std::uint32_t __attribute__((vector_size(sizeof(lane_distances))));
using wide_lane_vector = std::uint64_t __attribute__((vector_size(2 * sizeof(lane_distances))));

template <class Vector, class Lanes>
MLMQ_INLINE_BODY void load(Vector& vector, const Lanes& lanes) {
  static_assert(sizeof vector == sizeof lanes);
  std::memcpy(&vector, &lanes, sizeof vector);
}
template <class Vector, class Lanes>
MLMQ_INLINE_BODY void store(Lanes& lanes, const Vector& vector) {
  static_assert(sizeof vector == sizeof lanes);
  std::memcpy(&lanes, &vector, sizeof vector);
}

struct sweep_arguments {
  const std::uint32_t* positions;
  std::size_t count;
  const std::size_t* offsets;
  const graph::ancestor_arc* arcs;
  const std::uint32_t* depth;
  lane_distances* of_ancestors;
  lane_distances* distances;  ///< first distances, replaced by final ones
};

/// Extends paths by an arc, like sum() of graph::short_lengths or long_lengths.
template <bool is_long>
MLMQ_INLINE_BODY void extend(lane_vector& lengths, std::uint32_t weight) {
  if constexpr (is_long) {
    const lane_vector room = graph::saturated_distance - lengths;
    const lane_vector added = room < weight ? room : weight + lane_vector{};
    lengths = lengths == graph::long_lengths::no_path ? lengths : lengths + added;
  } else {
    lengths += weight;
  }
}

template <bool is_long>
MLMQ_INLINE_BODY void sweep_body(const sweep_arguments& arguments) {
  for (std::size_t i = 0; i < arguments.count; ++i) {
    const std::uint32_t position = arguments.positions[i];
    lane_vector nearest;
    load(nearest, arguments.distances[i]);
    for (std::size_t a = arguments.offsets[position]; a < arguments.offsets[position + std::size_t{1}]; ++a) {
      const graph::ancestor_arc arc = arguments.arcs[a];
      lane_vector length;
      load(length, arguments.of_ancestors[arc.depth]);
      extend<is_long>(length, arc.weight);
      nearest = length < nearest ? length : nearest;
    }
    store(arguments.of_ancestors[arguments.depth[position]], nearest);
    store(arguments.distances[i], nearest);
  }
}

struct answer_arguments {
  const std::uint32_t* positions;
  std::size_t count;
  const graph::vertex_id* vertices;
  const lane_distances* distances;
  std::uint32_t no_path;
  lane_answers& sums;
};

MLMQ_INLINE_BODY void answer_body(const answer_arguments& arguments) {
  wide_lane_vector digests;
  lane_vector reached;
  lane_vector farthest;
  load(digests, arguments.sums.digests);
  load(reached, arguments.sums.reached);
  load(farthest, arguments.sums.farthest);
  for (std::size_t i = 0; i < arguments.count; ++i) {
    lane_vector distances;
    load(distances, arguments.distances[i]);
    // A comparison of vectors yields -1 in the lanes in which it holds.
    const auto is_reached = distances < arguments.no_path;
    const auto mask = reinterpret_cast<lane_vector>(is_reached);
    // digest_of() for all lanes
    const std::uint64_t factor = digest_factor(arguments.vertices[arguments.positions[i]]);
    const wide_lane_vector summands = (__builtin_convertvector(distances, wide_lane_vector) + 1) * factor;
    using wide_mask = std::int64_t __attribute__((vector_size(sizeof(wide_lane_vector))));
    digests += summands & reinterpret_cast<wide_lane_vector>(__builtin_convertvector(is_reached, wide_mask));
    reached -= mask;
    const lane_vector candidate = distances & mask;
    farthest = candidate > farthest ? candidate : farthest;
  }
  store(arguments.sums.digests, digests);
  store(arguments.sums.reached, reached);
  store(arguments.sums.farthest, farthest);
}

void sweep(const sweep_arguments& arguments) { sweep_body<false>(arguments); }
void sweep_long(const sweep_arguments& arguments) { sweep_body<true>(arguments); }
void sum_answers(const answer_arguments& arguments) { answer_body(arguments); }

#if MLMQ_WIDE_VECTORS
#define MLMQ_AVX2 __attribute__((target("avx2")))
#define MLMQ_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw")))
MLMQ_AVX2 void sweep_avx2(const sweep_arguments& arguments) { sweep_body<false>(arguments); }
MLMQ_AVX2 void sweep_long_avx2(const sweep_arguments& arguments) { sweep_body<true>(arguments); }
MLMQ_AVX2 void sum_answers_avx2(const answer_arguments& arguments) { answer_body(arguments); }
MLMQ_AVX512 void sweep_avx512(const sweep_arguments& arguments) { sweep_body<false>(arguments); }
MLMQ_AVX512 void sweep_long_avx512(const sweep_arguments& arguments) { sweep_body<true>(arguments); }
MLMQ_AVX512 void sum_answers_avx512(const answer_arguments& arguments) { answer_body(arguments); }
#endif

/// Functions compiled for the widest vectors of this processor.
struct vector_functions {
  void (*sweep)(const sweep_arguments&);
  void (*sweep_long)(const sweep_arguments&);
  void (*sum_answers)(const answer_arguments&);
};

const vector_functions& widest() {
  static const vector_functions chosen = [] {
#if MLMQ_WIDE_VECTORS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw")) {
      return vector_functions{sweep_avx512, sweep_long_avx512, sum_answers_avx512};
    }
    if (__builtin_cpu_supports("avx2")) return vector_functions{sweep_avx2, sweep_long_avx2, sum_answers_avx2};
#endif
    return vector_functions{sweep, sweep_long, sum_answers};
  }();
  return chosen;
}

}  // namespace

hierarchy_search::hierarchy_search(const graph::search_hierarchy& hierarchy)
    : hierarchy_(hierarchy), from_below_(hierarchy.tree->height()), of_ancestors_(hierarchy.tree->height()) {
  nothing_reached_.lanes.fill(hierarchy.no_path());
}

bool hierarchy_search::run(std::span<const graph::vertex_id> sources, std::span<const std::uint32_t> positions,
                           const std::function<bool(const swept_rows&)>& take) {
  const graph::elimination& tree = *hierarchy_.tree;
  paths_.clear();
  next_on_paths_ = 0;
  std::ranges::fill(from_below_, nothing_reached_);
  for (std::size_t lane = 0; lane < sources.size(); ++lane) {
    const std::uint32_t position = tree.position_of[sources[lane]];
    hierarchy_.is_long ? ascend<graph::long_lengths>(lane, position) : ascend<graph::short_lengths>(lane, position);
  }
  std::ranges::sort(paths_);
  paths_.erase(std::ranges::unique(paths_).begin(), paths_.end());

  std::array<lane_distances, positions_together> distances;
  for (std::size_t first = 0; first < positions.size(); first += positions_together) {
    const swept_rows rows{
        .positions = positions.subspan(first, std::min(positions_together, positions.size() - first)),
        .distances = std::span(distances).first(std::min(positions_together, positions.size() - first))};
    set_first_distances(sources.size(), rows);
    const auto sweep_rows = hierarchy_.is_long ? widest().sweep_long : widest().sweep;
    sweep_rows({.positions = rows.positions.data(),
                .count = rows.positions.size(),
                .offsets = hierarchy_.downward.offsets.data(),
                .arcs = hierarchy_.downward.arcs.data(),
                .depth = tree.depth.data(),
                .of_ancestors = of_ancestors_.data(),
                .distances = rows.distances.data()});
    if (!take(rows)) return false;
  }
  return true;
}

/// Finds the distances from a source to all its ancestors over ascending paths.
template <class Lengths>
void hierarchy_search::ascend(std::size_t lane, std::uint32_t position) {
  const graph::elimination& tree = *hierarchy_.tree;
  source_positions_[lane] = position;
  from_below_[tree.depth[position]].lanes[lane] = 0;
  for (;;) {
    paths_.push_back(position);
    const std::uint32_t distance = from_below_[tree.depth[position]].lanes[lane];
    if (distance < Lengths::no_path) {
      for (const graph::ancestor_arc arc : hierarchy_.upward.row(position)) {
        const std::uint32_t length = Lengths::sum(distance, arc.weight);
        if (length < from_below_[arc.depth].lanes[lane]) from_below_[arc.depth].lanes[lane] = length;
      }
    }
    if (tree.parent[position] == position) return;
    position = tree.parent[position];
  }
}

/// Sets the distances of vertices on the paths of sources to the results of the upward searches.
void hierarchy_search::set_first_distances(std::size_t sources, swept_rows rows) {
  const graph::elimination& tree = *hierarchy_.tree;
  std::ranges::fill(rows.distances, nothing_reached_);
  for (std::size_t i = 0; i < rows.positions.size(); ++i) {
    const std::uint32_t position = rows.positions[i];
    relaxations_ += hierarchy_.downward.offsets[position + std::size_t{1}] - hierarchy_.downward.offsets[position];
    while (next_on_paths_ < paths_.size() && paths_[next_on_paths_] < position) ++next_on_paths_;
    if (next_on_paths_ == paths_.size() || paths_[next_on_paths_] != position) continue;
    for (std::size_t lane = 0; lane < sources; ++lane) {
      if (source_positions_[lane] - position < tree.size[position])  // the source is in the subtree
        rows.distances[i].lanes[lane] = from_below_[tree.depth[position]].lanes[lane];
    }
  }
}

void lane_answers::add(const swept_rows& rows, std::span<const graph::vertex_id> vertices, std::uint32_t no_path) {
  widest().sum_answers({.positions = rows.positions.data(),
                        .count = rows.positions.size(),
                        .vertices = vertices.data(),
                        .distances = rows.distances.data(),
                        .no_path = no_path,
                        .sums = *this});
}

multi_source_answer lane_answers::answer(std::size_t lane) const {
  return {.digest = digests[lane], .reached = reached[lane], .farthest = farthest[lane]};
}

}  // namespace mlmq::multi_source
