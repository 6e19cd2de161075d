// SPDX-License-Identifier: Apache-2.0
// Speed of this machine's processors, as an alternative to a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>

#include "backends/backend.hpp"
#include "problems/shortest_paths/search.hpp"
#include "selector/placement.hpp"
#include "selector/time_model.hpp"
#include "tuner/configuration.hpp"
#include "tuner/labelled_configuration.hpp"

namespace mlmq::detail {

using tuner::labelled_configuration;

/// A single-threaded search that processes each vertex and edge about once. Its time follows from the size of the graph
/// within a factor of four, over all kinds of graphs with 4,000 to 10^6 vertices (docs/notebook/library.md).
inline constexpr const char* predictable_solver = "solver=dijkstra";

/// Factor by which the first search of a graph takes longer on processors than a recorded search, which was preceded
/// by an identical one: 1.3 to 3.3 on 16 processors (docs/notebook/selector.md). Presumably the graph is not in a cache
/// and the queues have not been allocated.
inline constexpr double first_search_slowdown = 2;

/// The opened processors, and measurements of their speed. Each measurement is made when first needed and takes some
/// milliseconds.
class processors {
 public:
  processors();

  [[nodiscard]] backends::backend& backend() const { return *backend_; }
  /// Leaks the backend, for use in a forked process in which the backend's threads do not exist.
  void abandon() noexcept { static_cast<void>(backend_.release()); }
  [[nodiscard]] const selector::transfer_cost& transfer() const { return transfer_; }

  /// Returns the milliseconds per vertex and edge for a configuration: the slower result of two small graphs.
  [[nodiscard]] double item_ms(const problems::search& search, const labelled_configuration& configuration);

  /// A configuration that a search could use.
  struct option {
    labelled_configuration configuration;
    double recorded_ms = 0;             ///< expected time on the machine that recorded it
    std::optional<double> measured_ms;  ///< on this machine
    std::span<const selector::calibration> calibrations;
  };
  struct fastest_option {
    std::size_t index = 0;
    double milliseconds = 0;
  };
  /// Returns the option with the shortest time, measured or expected on this machine. Calibrates this machine when an
  /// unmeasured option first appears to be the fastest. Requires at least one option.
  /// @param recorded_threads  number of threads of the recording machine; 0: unknown
  [[nodiscard]] fastest_option fastest(const problems::search& search, std::span<const option> options,
                                       unsigned recorded_threads);

 private:
  /// Returns the option to compare the two machines with: a single-threaded one if there is one, because in parallel
  /// searches of small calibration graphs the threads mostly wait for each other, with random results.
  [[nodiscard]] static const option& calibrated_by(std::span<const option> options, const option& chosen);
  /// Returns the slowdown of this machine relative to the recording machine: 1 without recorded calibrations, nothing
  /// if it has not been measured yet.
  [[nodiscard]] std::optional<double> known_slowdown(const problems::search& search, const option& chosen) const;
  /// Returns the slowdown because this machine has fewer threads. Parallel searches are assumed to scale, but not to
  /// gain from more threads.
  [[nodiscard]] double for_lack_of_threads(const option& chosen, unsigned recorded_threads) const;
  void calibrate(const problems::search& search, const option& chosen);

  std::unique_ptr<backends::backend> backend_;
  selector::transfer_cost transfer_;
  std::map<std::string, double> item_ms_;  ///< keyed by problem and configuration
  /// Milliseconds by problem and configuration, graph, and source; infinity for failed searches.
  std::map<std::tuple<std::string, std::string, std::string>, double> runs_;
};

}  // namespace mlmq::detail
