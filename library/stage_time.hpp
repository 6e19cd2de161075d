// SPDX-License-Identifier: Apache-2.0
// Times the stages of a search.
#pragma once

#include <algorithm>
#include <functional>

#include "base/stopwatch.hpp"
#include "mlmq/configuration.hpp"

namespace mlmq::detail {

/// Runs `work` and adds its milliseconds to `stage`, except the time to copy the graph's rows to the host, which is
/// added to times.host_copy.
/// @param host_copy_ms  returns digraph_data::host_copy_ms(); empty: the workload has no rows on a device
template <class Work>
void add_time(double& stage, solve_times& times, const std::function<double()>& host_copy_ms, const Work& work) {
  const double before = host_copy_ms ? host_copy_ms() : 0;
  const double elapsed_ms = milliseconds_of(work);
  const double host_copy = host_copy_ms ? host_copy_ms() - before : 0;
  stage += std::max(0.0, elapsed_ms - host_copy);
  times.host_copy += host_copy;
}

}  // namespace mlmq::detail
