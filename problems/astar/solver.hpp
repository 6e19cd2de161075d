// SPDX-License-Identifier: Apache-2.0
// The interface of solvers that answer queries on one map: the kernel, or searches on processors.
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
  bool shortest = true;  ///< whether paths are guaranteed to be shortest
};

/// The searches of a run.
struct search_list {
  std::span<const cell_pair> pairs;  ///< must outlive the runs that answer them
  std::uint64_t concurrent = 0;      ///< number of searches at a time; 0: as the configuration says
  bool with_paths = false;           ///< whether paths are requested; a kernel also needs a configuration with paths
};

class solver {
 public:
  virtual ~solver() = default;

  /// Like tuner::problem_instance::prepare(). @throws backends::launch_error
  virtual void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
                       tuner::instrumentation mode) = 0;

  /// @throws backends::out_of_device_memory
  /// @throws backends::launch_error if the solver cannot run as many searches at a time
  virtual void upload_searches(const search_list& list) = 0;

  /// Answers all uploaded searches, of which there must be at least one. The report has an outcome, a time and, if
  /// requested, the work counters.
  [[nodiscard]] virtual tuner::run_report run(double time_limit_ms) = 0;

  /// Returns the answers of the last successful run.
  [[nodiscard]] virtual search_answers answers() = 0;
};

}  // namespace mlmq::astar
