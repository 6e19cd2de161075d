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
  /// Configurations to try, such as "solver=group,parts=4" (docs/reference/parameters.md, sssp_batch); "" means all
  /// defaults. The first that the device can run is used. If the first is one of solve() only, such as
  /// "solver=partitioned", it searches one source after another, not with keep_on_device. Empty: the model recommends
  /// configurations, and with enough sources the fastest of `tries` is used; few sources are searched one after another
  /// by solve() where that is expected to be faster.
  std::vector<std::string> configurations = {};
  mlmq::model model = mlmq::model::standard();  ///< used when `configurations` is empty
  /// Number of configurations to try in the first searches; the remaining searches use the fastest. No search is
  /// repeated. Before that, some hundred or thousand searches may show which class of algorithms is the fastest.
  /// Nothing is tried if `configurations` is not empty, if the recommendation that ranks first is a model's, or if this
  /// is 1.
  unsigned tries = 3;
  /// searches per configuration to try, at least 1; with fewer than 4 * tries times as many sources, no configurations
  /// are tried
  std::size_t searches_per_try = 2048;

  /// if not empty, only distances of these vertices are computed, and a search ends when they are final
  std::vector<vertex> targets = {};
  std::optional<double> cutoff = std::nullopt;  ///< at least 0: vertices that are farther count as not reached

  /// Device memory for distances: half for the block being searched, half for the block being handed over. 0: a quarter
  /// of the device's memory, at most 16 GiB. Running searches use additional memory, as much as is available.
  std::uint64_t memory_bytes = 0;
  double time_limit_ms = 600'000;  ///< per block of searches, above 0
  bool check = false;              ///< repeat the searches on processors, and compare
  /// If the solver has several devices: each searches whole units of this many sources, except for the last unit. At
  /// least 1.
  std::size_t searches_together = 1;

  /// Leaves the distances in device memory (distance_rows::on_device) instead of copying them to the host. Not for
  /// several devices, nor is `stream`.
  bool keep_on_device = false;
  void* stream = nullptr;  ///< like solve_options::stream
};

/// Distances of a block of searches.
struct distance_rows {
  std::size_t first = 0;    ///< index of the first row's source among all sources
  std::size_t rows = 0;     ///< one per search
  std::size_t columns = 0;  ///< one per vertex, or one per target
  number_type type = number_type::uint32;
  std::span<const std::uint32_t> uint32 =
      {};                                ///< row-major; `unreachable` for unreachable vertices; empty for other types
  std::span<const float> float32 = {};   ///< like uint32; infinity for unreachable vertices
  std::span<const double> float64 = {};  ///< like float32
  /// With batch_options::keep_on_device, rows * columns numbers of `type` in device memory, complete; the spans are
  /// empty. Valid during the callback: work that reads them must have finished when it returns.
  const void* on_device = nullptr;

  /// Returns a distance, or infinity for an unreachable vertex. Row and column must be in range. @throws input_error if
  /// the distances are on the device
  [[nodiscard]] MLMQ_API double at(std::size_t row, std::size_t column) const;
};

/// Time of a configuration that was tried.
struct tried_batch {
  std::string configuration;  ///< complete
  std::size_t searches = 0;
  double milliseconds = 0;
};

/// Searches of one device.
struct device_share {
  std::size_t searches = 0;
  mlmq::choice choice;             ///< configuration of the last searches
  solve_times times;               ///< sums over all searches
  std::vector<tried_batch> tried;  ///< in the order in which they were tried; empty if none were
  double elapsed_ms = 0;           ///< total time, with copies and callbacks
};

struct batch_summary {
  std::size_t searches = 0;
  mlmq::choice choice;                ///< configuration of the last searches
  solve_times times;                  ///< sums over all searches; of several devices, the one that searched the longest
  std::vector<tried_batch> tried;     ///< in the order in which they were tried; empty if none were
  std::vector<device_share> devices;  ///< one per device, in the order of device::members()
  /// Sum over the searches of a hash of the source and all distances; 0 with targets, and for solver::reduce() and
  /// solve_pairs(). Equal for equal distances, independent of the configuration, the device and the order of the
  /// sources.
  std::uint64_t digest = 0;
};

/// Receives the distances of one block after another, in the order of the sources, in the thread that called
/// solve_many(), while later searches run. Of several devices, blocks come one at a time, in the order of the sources
/// of each device, in a thread of the device. The spans are valid during the call. An exception ends the searches and
/// propagates to the caller. The callback may use the solver and its device: such calls wait until the running searches
/// have finished.
using take_distances = std::function<void(const distance_rows&)>;

}  // namespace mlmq
