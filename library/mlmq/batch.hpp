// SPDX-License-Identifier: Apache-2.0
// Shortest paths from many vertices of one graph: options and results of solver::solve_many().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mlmq/configuration.hpp"
#include "mlmq/graph.hpp"

namespace mlmq {

struct batch_options {
  /// Empty: what suits the graph, and the fastest of `tries` where there are enough sources. Otherwise the first of these that
  /// the device can run, such as "solver=group,parts=4" (docs/reference/parameters.md, sssp_batch); "" is all defaults.
  std::vector<std::string> configurations = {};
  mlmq::model model = mlmq::model::standard();  ///< used when `configurations` is empty
  /// Used when `configurations` is empty and the model is the shipped one: the first searches are done with so many different
  /// configurations, the others with the one that was fastest. Each search is done once. 1: without trying.
  unsigned tries = 3;
  std::size_t searches_per_try = 2048;  ///< at least 1; who has fewer than four times as many for each try does without

  std::vector<vertex> targets = {};  ///< only their distances are wanted, and a search ends when they are final
  std::optional<double> cutoff = std::nullopt;  ///< at least 0: what is farther counts as not reached

  /// Of the device, for distances that are handed over: half for the searches that are done together, half for those that
  /// the caller is given meanwhile. 0: a quarter of the device's, and 16 GiB at most. Searches under way take more, as much
  /// as is there.
  std::uint64_t memory_bytes = 0;
  double time_limit_ms = 600'000;  ///< for the searches that are done together, above 0
  bool check = false;              ///< search once more on processors, and compare

  /// Leave the distances in the memory of the device: distance_rows::on_device has them, and nothing is brought to the host.
  bool keep_on_device = false;
  void* stream = nullptr;  ///< as solve_options::stream
};

/// Distances of some of the searches.
struct distance_rows {
  std::size_t first = 0;    ///< the place of the first row's source among all sources
  std::size_t rows = 0;     ///< one for each search
  std::size_t columns = 0;  ///< one for each vertex, or for each target
  number_type type = number_type::uint32;
  std::span<const std::uint32_t> uint32 =
      {};                                ///< row by row; `unreachable` where no path leads; empty for another type
  std::span<const float> float32 = {};   ///< likewise; infinity where no path leads
  std::span<const double> float64 = {};  ///< likewise
  /// With batch_options::keep_on_device: what the spans, which are empty then, would have, rows * columns numbers of `type` in
  /// device memory, complete. Valid during the call: work that reads them must have ended when it returns.
  const void* on_device = nullptr;

  /// The distance; infinity where no path leads. Row and column must exist. @throws input_error when they are on the device
  [[nodiscard]] MLMQ_API double at(std::size_t row, std::size_t column) const;
};

/// How fast a configuration was in the searches that were done with it while others were tried.
struct tried_batch {
  std::string configuration;  ///< complete
  std::size_t searches = 0;
  double milliseconds = 0;
};

struct batch_summary {
  std::size_t searches = 0;
  mlmq::choice choice;             ///< of the last searches
  solve_times times;               ///< sums
  std::vector<tried_batch> tried;  ///< in the order in which they were tried; empty: nothing was
  /// Whether every distance fits its type, as for solution::exact().
  bool exact = true;
};

/// Called with the distances of some searches after the other, in the order of the sources, each once, in the thread that
/// called solve_many(), while later searches are done. The spans are valid during the call. What it throws ends the
/// searches, and reaches the caller. It may use the solver and its device: such a call waits until the searches under way
/// have ended.
using take_distances = std::function<void(const distance_rows&)>;

}  // namespace mlmq
