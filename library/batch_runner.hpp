// SPDX-License-Identifier: Apache-2.0
// Searches one graph from many sources: in blocks that memory has room for, with the configuration that turns out fastest.
#pragma once

#include <memory>
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

  /// @param sources, options as check_batch() has found them good
  [[nodiscard]] batch_summary run(std::span<const vertex> sources, const batch_options& options,
                                  const take_distances& take);

 private:
  struct block;

  /// How many searches are done together at most.
  [[nodiscard]] std::size_t rows_together(const batch_options& options, bool keeps) const;
  /// Searches one block with a configuration, or with what is chosen when there is none.
  void run_block(const block& asked, std::span<const std::string> configurations, batch_summary& summary);
  void deliver(const block& asked, batch_summary& summary);
  void deliver_on_device(const block& asked, batch_summary& summary);
  void check(const block& asked);
  [[nodiscard]] graph::weight_type type() const;

  digraph graph_;
  problem kind_;
  executor& beside_;
  workload_runner runs_;
};

}  // namespace mlmq::detail
