// SPDX-License-Identifier: Apache-2.0
// Searches one graph from many sources: in blocks that memory has room for, with the configuration that turns out fastest.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "library/executor.hpp"
#include "library/workload_runner.hpp"
#include "mlmq/solver.hpp"
#include "problems/search_batches/batch.hpp"
#include "problems/search_batches/queries.hpp"

namespace mlmq::detail {

/// @throws input_error for what cannot be searched
void check_batch(const digraph& graph, std::span<const vertex> sources, const batch_options& options);

/// Not thread-safe: who uses it has locked the device and entered it, except for the destructor.
class batch_runner {
 public:
  /// @param beside what searches the same graph on the same device one by one: its rows are shared; outlives this
  batch_runner(std::shared_ptr<device_data> on, digraph searched, problem which, executor& beside);
  batch_runner(const batch_runner&) = delete;
  batch_runner& operator=(const batch_runner&) = delete;
  ~batch_runner();

  /// Searches from all sources.
  ///
  /// @param sources, options  accepted by check_batch()
  /// @param take  gets the distances; may be empty. Other calls may use the device while it runs.
  /// @param lock  of the device; unlocked while `take` runs and no search does
  [[nodiscard]] batch_summary run(std::span<const vertex> sources, const batch_options& options,
                                  const take_distances& take, device_lock& lock);

 private:
  struct block;

  /// What is tried, and how the searches are cut into blocks.
  struct plan {
    std::size_t together = 0;                 ///< searches of a block, at most
    std::vector<std::string> configurations;  ///< the caller's; empty: those that are recommended
    std::vector<std::string> tried = {};      ///< recommended ones, of which the fastest is used
    std::size_t tries = 0;                    ///< number of those that run at the beginning
  };
  [[nodiscard]] plan planned(std::size_t searches, const batch_options& options, bool delivers);
  /// How many searches are done together at most.
  [[nodiscard]] std::size_t rows_together(std::size_t searches, const batch_options& options, bool delivers) const;

  /// Searches a block with the first configuration that the device can run, or with what a model chooses when there is none.
  [[nodiscard]] batch_summary search(const block& asked, std::span<const std::string> configurations);
  /// The same while a block that has been searched, if there is one, is handed over.
  [[nodiscard]] batch_summary search_beside(const std::optional<block>& searched, const block& asked,
                                            std::span<const std::string> configurations, batch_summary& sum,
                                            device_lock& lock);
  /// Gives the caller what has been searched where it is.
  void deliver_on_device(const block& searched, batch_summary& sum, device_lock& lock);
  void hand_over(const block& searched, batch_summary& sum);
  template <class Bits>
  void hand_over_words(const block& searched, batch_summary& sum);
  void check(const block& asked);
  /// For copies of results, of rows of so many bytes. @return how many rows each has room for
  std::size_t reserve_staging(std::size_t row_bytes, std::size_t rows);
  [[nodiscard]] graph::weight_type type() const;

  digraph graph_;
  problem kind_;
  executor& beside_;
  workload_runner runs_;
  std::size_t searches_ = 0;  ///< asked for so far
  std::array<backends::host_memory, 2> staging_;
  std::size_t staging_bytes_ = 0;  ///< of each
};

}  // namespace mlmq::detail
