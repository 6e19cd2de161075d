// SPDX-License-Identifier: Apache-2.0
// Times the stages of a search.
#pragma once

#include <algorithm>

#include "base/stopwatch.hpp"
#include "library/digraph_data.hpp"
#include "mlmq/configuration.hpp"

namespace mlmq::detail {

/// Runs `work` and adds its milliseconds to `stage`, except the time to copy the graph's rows to the host, which is
/// added to times.mirror.
template <class Work>
void add_time(double& stage, solve_times& times, const digraph_data& graph, const Work& work) {
  const double before = graph.mirror_ms();
  const double elapsed_ms = milliseconds_of(work);
  const double mirror = graph.mirror_ms() - before;
  stage += std::max(0.0, elapsed_ms - mirror);
  times.mirror += mirror;
}

}  // namespace mlmq::detail
