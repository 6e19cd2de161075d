// SPDX-License-Identifier: Apache-2.0
// This machine's processors beside a GPU: how fast they are.
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

/// What bringing data to a device takes, measured.
[[nodiscard]] selector::transfer_cost measure_transfer(backends::backend& device);

/// One thread that takes each vertex and each edge once or little more: its time follows from the size of the graph
/// alone, within a factor of four over all kinds of graphs and 4,000 to 10^6 vertices (docs/notebook/library.md).
inline constexpr const char* predictable_solver = "solver=dijkstra";

/// How much longer the first search of a graph takes on processors than is expected by a record, where the same search has
/// just been made: on 16 of them 1.3 to 3.3 times (docs/notebook/selector.md). Presumably the graph is in no cache and the
/// queues have no memory yet.
inline constexpr double first_search_slowdown = 2;

/// The processors, opened, with what has been found out about their speed. What is asked for the first time is measured:
/// some milliseconds.
class processors {
 public:
  processors();

  [[nodiscard]] backends::backend& backend() const { return *backend_; }
  /// Leaks the backend, in a process in which its threads do not exist.
  void abandon() noexcept { static_cast<void>(backend_.release()); }
  [[nodiscard]] const selector::transfer_cost& transfer() const { return transfer_; }

  /// Milliseconds for each vertex and each edge with `chosen`; of two small graphs the slower one counts.
  [[nodiscard]] double item_ms(const problems::search& of, const labelled_configuration& chosen);

  /// A configuration that could be taken for a search.
  struct option {
    labelled_configuration configuration;
    double recorded_ms = 0;             ///< expected on the machine where its time was learned
    std::optional<double> measured_ms;  ///< on this one
    std::span<const selector::calibration> calibrations;
  };
  struct fastest_option {
    std::size_t index = 0;
    double milliseconds = 0;
  };
  /// The fastest as measured, or else as expected on this machine. How fast the machine is, is found out the first time that
  /// an option which was not measured looks like the fastest. At least one option.
  /// @param recorded_threads of the machine of the record; 0: not known
  [[nodiscard]] fastest_option fastest(const problems::search& of, std::span<const option> options,
                                       unsigned recorded_threads);

 private:
  /// The option that one machine is compared with the other by: of one thread, if there is one, because on the small
  /// graphs of a calibration the threads of a parallel search do nothing but wait for each other, for how long is chance.
  [[nodiscard]] static const option& calibrated_by(std::span<const option> options, const option& chosen);
  /// How much longer searches take than on the machine of the record, 1 when nothing was recorded there; nothing as long
  /// as it has not been found out.
  [[nodiscard]] std::optional<double> known_slowdown(const problems::search& of, const option& chosen) const;
  /// How much longer one takes because this machine has fewer threads: a parallel search is taken to scale, and not to be
  /// faster with more.
  [[nodiscard]] double for_lack_of_threads(const option& chosen, unsigned recorded_threads) const;
  void calibrate(const problems::search& of, const option& chosen);

  std::unique_ptr<backends::backend> backend_;
  selector::transfer_cost transfer_;
  std::map<std::string, double> item_ms_;  ///< by problem and configuration
  /// Milliseconds by problem and configuration, graph, and source; infinity for what did not end well.
  std::map<std::tuple<std::string, std::string, std::string>, double> runs_;
};

}  // namespace mlmq::detail
