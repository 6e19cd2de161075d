// SPDX-License-Identifier: Apache-2.0
// Quantities that solver::reduce() computes from the distances of each search, on the device that finds them: the
// distances are not copied.
//
//   const std::vector<mlmq::reduction> reductions{mlmq::reduction::within({300, 600}, jobs)};
//   const mlmq::reduced_searches result = solver.reduce(places, reductions);
//   double jobs_within_600 = result.tables[0].value(7, 1);  // from places[7]
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "mlmq/batch.hpp"
#include "mlmq/graph.hpp"

namespace mlmq {

/// How a quantity counts that is at distance d, with a scale s.
enum class decay {
  exponential,  ///< exp(-d / s)
  gaussian,     ///< exp(-d² / (2 s²))
  linear,       ///< 1 - d / s, at least 0
};

/// A quantity of each search. Vertices beyond batch_options::cutoff do not count. Make one with a function below.
struct reduction {
  enum class quantity { sums_within, decayed_sum, histogram, closeness, eccentricity, nearest };
  quantity kind = quantity::closeness;
  std::vector<double> limits = {};
  std::vector<double> opportunities = {};
  mlmq::decay decay = mlmq::decay::exponential;
  double scale = 1;
  std::vector<vertex> members = {};
  std::size_t count = 1;  ///< 1 to 64; only `nearest` uses it

  /// The sum of the opportunities within each cutoff, a column for each: cumulative accessibility.
  /// @param cutoffs distances, ascending; 1 to 128
  /// @param opportunities one number per vertex, at least 0; empty: 1 each, so that the vertices are counted
  [[nodiscard]] MLMQ_API static reduction within(std::vector<double> cutoffs, std::vector<double> opportunities = {});
  /// The sum of all opportunities, each times the decay at its distance. One column.
  /// @param scale above 0, in the unit of distances
  [[nodiscard]] MLMQ_API static reduction decayed(mlmq::decay decay, double scale,
                                                  std::vector<double> opportunities = {});
  /// The number of vertices in each interval of distances: up to the first limit, above it and up to the second one, …
  /// @param limits ascending; 1 to 128
  [[nodiscard]] MLMQ_API static reduction histogram(std::vector<double> limits);
  /// The sum of the distances of all vertices that are reached, and their number. Two columns.
  [[nodiscard]] MLMQ_API static reduction closeness();
  /// The largest distance of a vertex that is reached. One column.
  [[nodiscard]] MLMQ_API static reduction eccentricity();
  /// The distances of the `count` nearest members, ascending, and then the members themselves, as vertices, not as
  /// indices or ids of a file: infinity and -1 if fewer are reached. Equally near members are in the order of
  /// `members`. 2 * `count` columns.
  /// @param members vertices
  /// @param count 1 to 64
  [[nodiscard]] MLMQ_API static reduction nearest(std::vector<vertex> members, std::size_t count = 1);

  /// Returns the number of columns.
  [[nodiscard]] MLMQ_API std::size_t columns() const;
};

/// Results of one reduction: one row per search.
struct reduced_table {
  std::size_t columns = 0;
  std::vector<double> values;  ///< row-major

  [[nodiscard]] double value(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

struct reduced_searches {
  std::vector<reduced_table> tables;  ///< one per reduction
  batch_summary summary;
};

/// Distances of pairs of vertices.
struct pair_distances {
  std::vector<double> distances;  ///< one per pair; infinity if there is no path
  batch_summary summary;          ///< of one search per different source
};

/// A sum of quantities along a path that does not exist.
inline constexpr std::uint64_t no_path_sum = std::numeric_limits<std::uint64_t>::max();

/// Distances, and sums of a quantity of the edges along shortest paths. With several shortest paths, the path counts
/// that solution::path() returns; of parallel edges that are equally short, the one with the smallest quantity.
struct path_sums {
  std::vector<double> distances;    ///< infinity if there is no path
  std::vector<std::uint64_t> sums;  ///< one per distance; no_path_sum if there is no path
  batch_summary summary;            ///< of one search per different source
};

}  // namespace mlmq
