// SPDX-License-Identifier: Apache-2.0
// The kernels of a workload on one device.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "backends/backend.hpp"
#include "library/attempt.hpp"
#include "mlmq/configuration.hpp"
#include "tuner/problem.hpp"

namespace mlmq::detail {

/// Returns the milliseconds spent so far on copying a graph's rows to the host; see digraph_data::host_copy_ms().
using host_copy_clock = std::function<double()>;

/// The compiled variants of one instance on one device, and which of them is prepared. Not thread-safe.
class compiled_variants {
 public:
  /// @param host_copy_ms  time that counts as solve_times::host_copy instead of prepare; empty: none
  explicit compiled_variants(host_copy_clock host_copy_ms = {}) : host_copy_ms_(std::move(host_copy_ms)) {}

  /// Compiles and prepares a configuration, unless it is prepared already, and adds to `times`.
  /// @throws backends::launch_error if the device cannot run the configuration
  void make_ready(tuner::problem_instance& instance, backends::backend& device,
                  const labelled_configuration& configuration, tuner::instrumentation mode, solve_times& times);

  /// Compiles the kernel of a configuration in another thread, so that searches by others need not wait.
  /// @return whether this has ended, with a kernel or with an error that make_ready() will report
  [[nodiscard]] bool compile_ahead(tuner::problem_instance& instance, backends::backend& device,
                                   const labelled_configuration& configuration, tuner::instrumentation mode,
                                   solve_times& times);

  /// Compiles the missing kernels of the attempts in parallel. Kernels that fail to compile stay missing.
  void compile_all(const tuner::problem_instance& instance, backends::backend& device,
                   std::span<const std::shared_ptr<const attempt>> attempts, tuner::instrumentation mode);

  /// Records that the device cannot run a configuration.
  void note_unfit(const std::string& configuration, tuner::instrumentation mode) {
    unfit_.emplace(configuration, mode);
  }
  [[nodiscard]] bool is_unfit(const std::string& configuration, tuner::instrumentation mode) const {
    return unfit_.contains({configuration, mode});
  }
  [[nodiscard]] std::size_t unfit_count() const { return unfit_.size(); }

 private:
  using variant_name = std::pair<std::string, tuner::instrumentation>;

  host_copy_clock host_copy_ms_;
  std::map<variant_name, std::shared_ptr<const backends::kernel>> kernels_;
  std::optional<variant_name> prepared_;
  std::set<variant_name> unfit_;
  std::future<std::shared_ptr<const backends::kernel>> ahead_;  ///< of compile_ahead()
};

}  // namespace mlmq::detail
