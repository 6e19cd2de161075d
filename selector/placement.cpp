// SPDX-License-Identifier: Apache-2.0
#include "selector/placement.hpp"

namespace mlmq::selector {

placement_verdict weigh(place_expectation device, place_expectation processors) {
  const bool comparable = device.predicted.value_or(0) > 0 && processors.predicted.value_or(0) > 0;
  if (comparable && !processors.solve_ms && device.solve_ms) {
    processors.solve_ms = *device.solve_ms * *device.predicted / *processors.predicted;
  } else if (comparable && !device.solve_ms && processors.solve_ms) {
    device.solve_ms = *processors.solve_ms * *processors.predicted / *device.predicted;
  }
  placement_verdict verdict;
  verdict.device_is_bound = !device.solve_ms;
  verdict.device_ms = device.transfer_ms + device.solve_ms.value_or(0);
  if (!processors.solve_ms) return verdict;
  verdict.processors_ms = processors.transfer_ms + *processors.solve_ms;
  verdict.on_processors = *verdict.processors_ms < verdict.device_ms;
  return verdict;
}

}  // namespace mlmq::selector
