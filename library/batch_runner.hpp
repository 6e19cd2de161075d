// SPDX-License-Identifier: Apache-2.0
// Searches one graph from many sources, in blocks that fit into memory, with the fastest of several configurations.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/hierarchy/arc_bound.hpp"
#include "library/block_readers.hpp"
#include "library/executor.hpp"
#include "library/workload_runner.hpp"
#include "mlmq/solver.hpp"
#include "problems/multi_source/batch.hpp"
#include "problems/multi_source/batch_check.hpp"
#include "problems/multi_source/queries.hpp"
#include "problems/searches/plan.hpp"

namespace mlmq::detail {

class device_lock;

/// Adds the times of later searches.
void add(solve_times& sum, const solve_times& times);

/// @param role of the vertex, for the message
/// @param index of the vertex in the caller's list
/// @throws input_error unless the graph has this vertex
void require_vertex(const digraph& graph, const char* role, std::size_t index, vertex v);

/// @throws input_error  if the graph cannot be searched with these sources and options
void check_multi_source_request(const digraph& graph, std::span<const vertex> sources, const batch_options& options);

/// Not thread-safe: the caller must have locked and entered the device, except for the destructor.
class multi_source_runner {
 public:
  /// @param executor  runs single searches on the same graph and device and shares its rows; must outlive this
  multi_source_runner(std::shared_ptr<device_data> device, digraph graph, problem kind, executor& executor);
  multi_source_runner(const multi_source_runner&) = delete;
  multi_source_runner& operator=(const multi_source_runner&) = delete;
  ~multi_source_runner();

  /// Searches from one vertex like solve(). @param distances  receives them, with infinity in floats
  using single_search = std::function<search_summary(vertex source, std::span<std::byte> distances)>;

  /// Searches from all sources.
  ///
  /// @param sources, options  must have passed check_multi_source_request()
  /// @param take  receives the distances; may be empty. Other calls may use the device while it runs.
  /// @param readers  read the distances where they are; null: none. Not together with `take`
  /// @param lock  lock of the device; released while `take` runs and no search is running
  [[nodiscard]] batch_summary run(std::span<const vertex> sources, const batch_options& options,
                                  const take_distances& take, block_readers* readers, device_lock& lock,
                                  const single_search& search_one, bool is_one_by_one);

  /// Searches from one vertex and copies the words of all distances to the host. @param words  receives them
  [[nodiscard]] batch_summary run_one(vertex source, const std::string& configuration, double time_limit_ms,
                                      std::span<std::byte> words);
  /// Returns how the graph could be prepared for further searches from one vertex at a time; nothing if it does not
  /// suit that.
  [[nodiscard]] std::optional<problems::prepared_search> prepared_search() const;

  /// Replaces the weights.
  /// @param graph  the same graph with other weights
  /// @param on_device  these weights in memory of the device, or null
  void update_weights(const digraph& graph, const std::shared_ptr<const problems::resident_weights>& on_device);

 private:
  struct search_block;

  /// Division of the searches into blocks, and the configurations to try.
  struct block_plan {
    std::size_t searches_per_block = 0;       ///< maximum number of searches per block
    std::vector<std::string> configurations;  ///< the caller's; empty: use recommended ones
    /// recommended configurations to try; the fastest is used for the remaining searches
    std::vector<std::string> candidates = {};
    std::size_t tries = 0;    ///< number of candidates that run first
    std::string reason = {};  ///< of the first candidate
    bool is_one_by_one = false;

    /// Searches with a solver whose time decides which one the others use.
    struct trial {
      std::vector<std::string> configurations;  ///< of which the first that fits runs; empty: no trial
      std::string solver;
      std::size_t searches = 0;
    };
    trial class_trial = {};
  };
  [[nodiscard]] block_plan make_plan(std::size_t searches, const batch_options& options, bool delivers,
                                     const block_readers* readers);
  /// Sets `plans_` for searches in addition to those requested so far.
  void update_plans(std::span<const vertex> sources, const batch_options& options);
  /// Returns the maximum number of searches per block.
  [[nodiscard]] std::size_t rows_per_block(std::size_t searches, const batch_options& options, bool delivers,
                                           const block_readers* readers) const;

  /// Searches from one source after another.
  /// @param block  of all sources
  [[nodiscard]] batch_summary search_one_by_one(search_block& block, const single_search& search_one,
                                                device_lock& lock);
  template <class Bits>
  void take_row(const search_block& block, std::size_t search, std::span<Bits> row,
                std::vector<multi_source_answer>& answers, std::vector<Bits>& target_distances, device_lock& lock);

  /// Searches a block with the first configuration that the device can run, or with the model's choice if there are
  /// none. The block gets its solver.
  [[nodiscard]] batch_summary search(search_block& block, std::span<const std::string> configurations);
  /// Searches a block while the previously finished block, if any, is handed over.
  [[nodiscard]] batch_summary search_and_hand_over(const std::optional<search_block>& finished_block,
                                                   search_block& next_block,
                                                   std::span<const std::string> configurations, batch_summary& sum,
                                                   device_lock& lock);
  /// Delivers the distances of a block in device memory.
  void deliver_on_device(const search_block& block, batch_summary& sum, device_lock& lock);
  void hand_over(const search_block& block, batch_summary& sum);
  template <class Bits>
  void hand_over_words(const search_block& block, batch_summary& sum);
  /// Returns rows of distances for the caller. @param words  changed in place
  template <class Bits>
  [[nodiscard]] distance_rows rows_of(std::span<Bits> words, std::size_t first, std::size_t count, std::size_t columns);
  void check(const search_block& block);
  /// @param target_distances  used with targets, instead of the answers
  void check_answers(const search_block& block, std::span<const multi_source_answer> answers,
                     const multi_source::target_distance_array& target_distances);
  /// Compares results of a block with those of searches on processors. @throws work_error
  void check_results(const search_block& block, const block_readers::result_words& results);
  /// Hands over the results of a block's readers.
  void take_results(const search_block& block, batch_summary& summary);
  /// Allocates buffers for rows of `row_bytes` bytes. @return number of rows that fit into each buffer
  std::size_t reserve_staging(std::size_t row_bytes, std::size_t rows);
  [[nodiscard]] distance_scale scale() const;
  [[nodiscard]] graph::weight_type type() const { return scale().searched; }
  [[nodiscard]] problems::search_kind search_kind() const;
  [[nodiscard]] multi_source::search_set search_set_of(std::span<const vertex> sources,
                                                       const batch_options& options) const;
  /// Returns the graph with the weights that the searches use.
  [[nodiscard]] graph::csr_graph searched_graph() const;

  const digraph structure_;  ///< the graph with its first weights
  const std::shared_ptr<graph::lazy_arc_bound> arc_bound_;
  digraph graph_;
  problem kind_;
  executor& executor_;
  workload_runner runner_;
  std::size_t searches_ = 0;                ///< number requested so far
  std::size_t calls_ = 0;                   ///< that requested them
  problems::recommendation_request plans_;  ///< of the present call
  /// Share of the vertices within a cutoff, as estimated last.
  struct limited_reach {
    graph::wide_distance_bits cutoff;
    double share;
  };
  std::optional<limited_reach> reach_;
  std::array<backends::host_memory, 2> staging_;
  std::size_t staging_bytes_ = 0;            ///< size of each staging buffer
  std::vector<double> decimals_;             ///< rows that are handed over, if their distances are decimals
  backends::device_memory device_decimals_;  ///< the same in device memory
};

}  // namespace mlmq::detail
