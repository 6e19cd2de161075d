// SPDX-License-Identifier: Apache-2.0
// What the host and the kernel for betweenness (betweenness.cu) agree on.
#pragma once

#include "batches/batch_abi.cuh"

namespace mlmq {

/// Why the shortest paths of a source cannot be counted.
enum class path_fault : u32 {
  none,
  cycle,     ///< edges that add nothing to a distance form a cycle
  too_many,  ///< more paths to a vertex than most_paths
  too_far    ///< a distance is beyond 32 bits
};

/// Paths to one vertex: a double holds more, but not their inverse with all its digits.
inline constexpr double most_paths = 1e290;

/// The first fault of a run; zero at its start.
struct fault_report {
  u32 kind;    ///< path_fault
  u32 search;  ///< number of the source in the run
};

/// Scores are summed as integers, so that the sum is the same in whatever order searches end. A score is a number of `whole`
/// units of 2^-whole_bits, and of fractions of one, of 2^-fine_bits each.
struct score_units {
  double whole;  ///< 2^whole_bits
  double fine;   ///< 2^fine_bits
};

/// A score, or a sum of scores.
struct fixed_score {
  u64 whole;
  u64 fine;
};

/// @param score from 0 on, below 2^63 units
constexpr fixed_score fixed_score_of(double score, const score_units& units) {
  const double scaled = score * units.whole;
  const u64 whole = static_cast<u64>(scaled);
  return {whole, static_cast<u64>((scaled - static_cast<double>(whole)) * units.fine + 0.5)};
}

/// A slot is what one search needs while its paths are counted.
struct betweenness_arguments {
  const void* offsets;   ///< n+1 row starts, u32
  const void* edges;     ///< m words as in edges.cuh; no parallel edges, no self-loops
  const u32* sources;    ///< one for each search
  const u32* distances;  ///< n words for each search
  double* paths;         ///< n a slot
  u32* waiting;          ///< n a slot; zeros at the start of a run
  u32* order;            ///< n a slot
  u32* waves;            ///< n a slot
  fixed_score* scores;   ///< n; added to
  batch_control* control;
  fault_report* fault;
  u64* counters;  ///< counter_count sums, or null
  u32 vertices;
  u32 searches;
  u32 saturated;  ///< a distance from here on, but `unreached`, is beyond 32 bits
  u32 endpoints;  ///< 1: a path counts for its ends, too
  score_units units;
  u64 time_limit_ns;
};

/// Words that the threads of a block of betweenness share.
struct betweenness_words {
  u64 deadline;
  u32 pushed[4];  ///< vertices of four waves, in turn
  u32 search;     ///< that the block works on
  u32 reached;
  u32 stop;  ///< the run is over
};

}  // namespace mlmq
