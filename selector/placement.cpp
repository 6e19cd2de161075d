// SPDX-License-Identifier: Apache-2.0
#include "selector/placement.hpp"

#include <cstdint>
#include <limits>

namespace mlmq::selector {

double transfer_ms(const transfer_cost& cost, double vertices, double edges, bool weighted, bool is_resident) {
  const double answer = cost.copy_ms(1, 4 * vertices);
  if (is_resident) return answer;
  const double offset_bytes = edges > static_cast<double>(std::numeric_limits<std::uint32_t>::max()) ? 8 : 4;
  return answer + cost.copy_ms(3, offset_bytes * (vertices + 1) + (weighted ? 8 : 4) * edges);
}

placement_verdict weigh(place_expectation device, place_expectation processors) {
  const bool comparable = device.predicted.value_or(0) > 0 && processors.predicted.value_or(0) > 0;
  if (comparable && !processors.solve_ms && device.solve_ms) {
    processors.solve_ms = *device.solve_ms * *device.predicted / *processors.predicted;
  } else if (comparable && !device.solve_ms && processors.solve_ms) {
    device.solve_ms = *processors.solve_ms * *processors.predicted / *device.predicted;
  }
  placement_verdict verdict;
  verdict.device_is_bound = !device.solve_ms;
  verdict.device_ms = device.transfer_ms + device.solve_ms.value_or(0) * device.slowdown;
  if (!processors.solve_ms) return verdict;
  verdict.processors_ms = processors.transfer_ms + *processors.solve_ms * processors.slowdown;
  verdict.on_processors = *verdict.processors_ms < verdict.device_ms;
  return verdict;
}

}  // namespace mlmq::selector
