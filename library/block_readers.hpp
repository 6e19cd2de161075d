// SPDX-License-Identifier: Apache-2.0
// Readers of the distances of a request, for one block of searches after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "library/distance_scale.hpp"
#include "library/path_graph.hpp"
#include "library/path_sums.hpp"
#include "mlmq/reduction.hpp"
#include "problems/multi_source/distance_reader.hpp"

namespace mlmq::detail {

class block_readers {
 public:
  using reader_list = std::vector<std::unique_ptr<multi_source::distance_reader>>;
  using result_words = std::vector<std::vector<std::uint64_t>>;

  virtual ~block_readers() = default;
  /// Begins the searches of a request. @param graph with the weights that are searched
  virtual void begin(const digraph& /*graph*/) {}
  /// Returns the mean size of the results of a search.
  [[nodiscard]] virtual std::size_t row_bytes() const = 0;
  /// Makes the readers for the searches `first` to `first` + `count` - 1 of the request, or keeps those of an earlier
  /// block that can read these searches, too.
  /// @param readers  empty, or those of an earlier block of the request on the same device
  virtual void prepare(reader_list& readers, backends::backend& device, std::size_t first, std::size_t count) const = 0;
  /// Receives the results of these readers, block after block.
  virtual void take(const result_words& results) = 0;
  /// Compares the results of a search, which must have been taken, with their definition. Shares no arithmetic with the
  /// readers: all is computed in floating point. Thread-safe.
  /// @param search  number in the request
  /// @param right  distance of each vertex; infinity if it is not reached
  /// @return "" or a description of the first wrong result
  [[nodiscard]] virtual std::string find_error(std::size_t search, std::span<const double> right) const = 0;
};

/// The tables of solver::reduce().
class reduction_tables final : public block_readers {
 public:
  /// @param quantities must have passed check_reductions(), and outlive this
  /// @throws input_error for opportunities that are too small compared with their sum
  reduction_tables(const digraph& graph, problem kind, std::span<const reduction> quantities);

  void begin(const digraph& graph) override;
  [[nodiscard]] std::size_t row_bytes() const override;
  void prepare(reader_list& readers, backends::backend& device, std::size_t first, std::size_t count) const override;
  void take(const result_words& results) override;
  [[nodiscard]] std::string find_error(std::size_t search, std::span<const double> right) const override;
  /// Returns the distance beyond which no vertex counts, or infinity.
  [[nodiscard]] double cutoff() const;
  [[nodiscard]] std::vector<reduced_table> tables() && { return std::move(tables_); }

 private:
  problem kind_;
  distance_scale scale_;
  std::span<const reduction> quantities_;
  std::vector<multi_source::reduction> reductions_;  ///< in words
  std::vector<int> exponents_;                       ///< results of sums are multiples of 2^-exponent
  std::vector<reduced_table> tables_;
};

/// The pairs of solver::solve_pairs() and solver::sum_pair_paths(), by source.
class grouped_pairs final : public block_readers {
 public:
  /// @param sources, targets of the pairs; vertices of the graph, the same number and below 2^32
  grouped_pairs(std::size_t vertices, problem kind, std::span<const vertex> sources, std::span<const vertex> targets);
  /// Also sums quantities of the edges along shortest paths. @param quantities one per edge; must outlive this
  void sum_along_paths(path_graph_cache& graphs, std::span<const std::uint32_t> quantities);

  /// Returns the different sources, ascending: one search each.
  [[nodiscard]] std::span<const vertex> sources() const { return sources_; }
  void begin(const digraph& graph) override;
  [[nodiscard]] std::size_t row_bytes() const override;
  void prepare(reader_list& readers, backends::backend& device, std::size_t first, std::size_t count) const override;
  void take(const result_words& results) override;
  [[nodiscard]] std::string find_error(std::size_t search, std::span<const double> right) const override;
  /// Returns the distances in the order of the request.
  [[nodiscard]] std::vector<double> distances() && { return std::move(distances_); }
  /// Returns the sums in the order of the request.
  [[nodiscard]] std::vector<std::uint64_t> path_sums() && { return std::move(path_sums_); }

 private:
  problem kind_;
  distance_scale scale_;
  std::vector<vertex> sources_;
  std::vector<std::uint32_t> first_pair_;  ///< of each source, in the order by source, and the number of pairs
  std::vector<vertex> targets_;            ///< by source
  std::vector<std::uint32_t> pair_at_;     ///< index in the request, by source
  std::vector<double> distances_;
  std::vector<std::uint64_t> path_sums_;
  path_graph_cache* graphs_ = nullptr;  ///< null: only distances
  std::span<const std::uint32_t> quantities_;
  std::shared_ptr<path_graph> path_graph_;
  std::size_t taken_ = 0;
};

/// @throws input_error
void check_reductions(const digraph& graph, std::span<const reduction> quantities, const batch_options& options);
/// @throws input_error
void check_pair_count(std::size_t pairs);
/// @throws input_error
void check_pairs(const digraph& graph, std::span<const vertex> sources, std::span<const vertex> targets,
                 const batch_options& options);
/// @throws input_error
void check_quantities(const digraph& graph, std::span<const std::uint32_t> quantities);

}  // namespace mlmq::detail
