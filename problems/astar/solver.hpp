// SPDX-License-Identifier: Apache-2.0
// What answers queries on one map: the kernel, or searches by processors.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/backend.hpp"
#include "problems/astar/path_search.hpp"
#include "tuner/problem.hpp"

namespace mlmq::astar {

/// The answers of one run.
struct search_answers {
  std::vector<std::uint32_t> lengths;  ///< in units; no_length: no path
  std::vector<std::uint64_t> path_begins;
  std::vector<std::uint8_t> paths;  ///< directions
  bool has_paths = false;
  bool shortest = true;  ///< what is promised
};

class solver {
 public:
  virtual ~solver() = default;

  /// As tuner::problem_instance::prepare(). @throws backends::launch_error
  virtual void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
                       tuner::instrumentation mode) = 0;

  /// Brings searches to the device. @param asked outlives the runs, which answer them
  /// @param with_paths whether paths are wanted: of a kernel, its configuration has to say so too
  /// @throws backends::out_of_device_memory
  virtual void ask(std::span<const cell_pair> asked, bool with_paths) = 0;

  /// Answers all of at least one search. The report has an outcome, a time and, where they are asked for, the counters of
  /// the work.
  [[nodiscard]] virtual tuner::run_report run(double time_limit_ms) = 0;

  /// Of the last run that was ok.
  [[nodiscard]] virtual search_answers answers() = 0;
};

}  // namespace mlmq::astar
