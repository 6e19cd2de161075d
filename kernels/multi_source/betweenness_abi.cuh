// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the betweenness kernel (betweenness.cu).
#pragma once

#include "multi_source/multi_source_abi.cuh"

namespace mlmq {

/// Why the shortest paths of a source cannot be counted.
enum class path_fault : u32 {
  none,
  cycle,     ///< edges that add nothing to a distance form a cycle
  too_many,  ///< more paths to a vertex than most_paths
  too_far    ///< a distance is beyond 32 bits
};

/// Most paths to one vertex: a double holds more, but not their inverse with all its digits.
inline constexpr double most_paths = 1e290;

/// The first fault of a run; zero at its start.
struct fault_report {
  u32 kind;    ///< path_fault
  u32 search;  ///< number of the source in the run
};

/// Scores are summed as integers, so that the sum does not depend on the order in which searches end. A score is a
/// number of `whole` units of 2^-whole_bits, and of `fine` units of 2^-fine_bits for the remaining fraction.
struct score_units {
  double whole;  ///< 2^whole_bits
  double fine;   ///< 2^fine_bits
};

/// A score, or a sum of scores.
struct fixed_score {
  u64 whole;
  u64 fine;
};

/// @param score at least 0, below 2^63 units
constexpr fixed_score fixed_score_of(double score, const score_units& units) {
  const double scaled = score * units.whole;
  const u64 whole = static_cast<u64>(scaled);
  return {whole, static_cast<u64>((scaled - static_cast<double>(whole)) * units.fine + 0.5)};
}

/// A slot is the memory of one search while its paths are counted.
struct betweenness_arguments {
  const void* offsets;     ///< n+1 row starts, u32
  const void* edges;       ///< m words as in edges.cuh; no parallel edges, no self-loops
  const u32* sources;      ///< one per search
  const u32* distances;    ///< n words per search
  double* paths;           ///< n per slot
  u32* open_predecessors;  ///< n per slot; zeros at the start of a run
  u32* order;              ///< n per slot
  u32* waves;              ///< n per slot
  fixed_score* scores;     ///< n; added to
  multi_source_control* control;
  fault_report* fault;
  u64* counters;  ///< counter_count sums, or null
  u32 vertices;
  u32 searches;
  u32 saturated;  ///< distances from here on, except `unreached`, are beyond 32 bits
  u32 endpoints;  ///< 1: a path also counts for its ends
  score_units units;
  u64 time_limit_ns;
};

/// Words that the threads of a block of betweenness share.
struct betweenness_words {
  u64 deadline;
  u32 pushed[4];  ///< vertices of four waves, in rotation
  u32 search;     ///< search of the block
  u32 reached;
  u32 stop;  ///< the run is over
};

}  // namespace mlmq
