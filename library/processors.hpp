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
#include "selector/placement.hpp"
#include "selector/time_model.hpp"
#include "tuner/configuration.hpp"
#include "tuner/problem.hpp"

namespace mlmq::detail {

/// What bringing data to a device takes, measured.
[[nodiscard]] selector::transfer_cost measure_transfer(backends::backend& device);

/// One thread that takes each vertex and each edge once or little more: its time follows from the size of the graph
/// alone, within a factor of four over all kinds of graphs and 4,000 to 10^6 vertices (docs/library.md has times).
inline constexpr const char* predictable_solver = "solver=dijkstra";

/// The processors, opened, with what has been found out about their speed. What is asked for the first time is measured:
/// some milliseconds.
class processors {
 public:
  processors();

  [[nodiscard]] backends::backend& backend() const { return *backend_; }
  [[nodiscard]] const selector::transfer_cost& transfer() const { return transfer_; }

  /// Milliseconds for each vertex and each edge with `chosen`; of two small graphs the slower one counts.
  [[nodiscard]] double item_ms(const tuner::problem& what, const tuner::configuration& chosen);

  /// A configuration that could be taken for a search.
  struct option {
    tuner::configuration configuration;
    double recorded_ms = 0;             ///< expected on the machine where its time was learned
    std::optional<double> measured_ms;  ///< on this one
    std::span<const selector::calibration> calibrations;
  };
  struct fastest_option {
    std::size_t index = 0;
    double milliseconds = 0;
  };
  /// The fastest as measured, or else as expected on this machine. How fast it is with a configuration is found out when
  /// that looks like the fastest. At least one option.
  [[nodiscard]] fastest_option fastest(const tuner::problem& what, std::span<const option> options);

 private:
  /// How much longer searches take than on the machine of the record, 1 when nothing was recorded there; nothing as long
  /// as it has not been found out.
  [[nodiscard]] std::optional<double> known_slowdown(const tuner::problem& what, const option& chosen) const;
  void calibrate(const tuner::problem& what, const option& chosen);

  std::unique_ptr<backends::backend> backend_;
  selector::transfer_cost transfer_;
  std::map<std::string, double> item_ms_;  ///< by problem and configuration
  /// Milliseconds by problem and configuration, graph, and source; infinity for what did not end well.
  std::map<std::tuple<std::string, std::string, std::uint64_t>, double> runs_;
};

}  // namespace mlmq::detail
