// SPDX-License-Identifier: Apache-2.0
// The distances of one vertex in all searches of a lane.
#pragma once

#include "hierarchy/configuration.cuh"

namespace mlmq::hierarchy {

/// Words that a lane reads at a time.
inline constexpr u32 part_words = lane_searches < 4 ? lane_searches : 4;
inline constexpr u32 parts = lane_searches / part_words;

/// Distances that are read together.
struct alignas(part_words * sizeof(u32)) distance_part {
  u32 words[part_words];
};

/// The distances of one vertex in all searches of a lane. In memory, the same parts of all lanes are adjacent.
struct lane_distances {
  u32 words[lane_searches];
};

/// Returns the column of a lane's search, within the group.
SIMT_DEVICE u32 column_of(u32 search) {
  return (search / part_words * simt::warp_size + simt::lane()) * part_words + search % part_words;
}

/// Loads this lane's distances. @param vertex_words the distances of a vertex in all columns
SIMT_DEVICE lane_distances load_distances(const u32* vertex_words) {
  lane_distances distances;
  for (u32 i = 0; i < parts; ++i) {
    const distance_part part =
        simt::load(reinterpret_cast<const distance_part*>(vertex_words) + i * simt::warp_size + simt::lane());
    for (u32 k = 0; k < part_words; ++k) distances.words[i * part_words + k] = part.words[k];
  }
  return distances;
}

SIMT_DEVICE void store_distances(u32* vertex_words, const lane_distances& distances) {
  for (u32 i = 0; i < parts; ++i) {
    distance_part part;
    for (u32 k = 0; k < part_words; ++k) part.words[k] = distances.words[i * part_words + k];
    simt::store(reinterpret_cast<distance_part*>(vertex_words) + i * simt::warp_size + simt::lane(), part);
  }
}

}  // namespace mlmq::hierarchy
