// SPDX-License-Identifier: Apache-2.0
// Errors of the public calls: translates exceptions of other layers, and checks time limits.
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "backends/backend.hpp"
#include "mlmq/error.hpp"

namespace mlmq::detail {

/// @throws input_error unless the limit is finite and greater than 0
inline void require_time_limit(double milliseconds) {
  if (milliseconds > 0 && std::isfinite(milliseconds)) return;
  throw input_error(fmt::format("time limit: {} ms is not above 0", milliseconds));
}

/// Returns the result of `work`, translating exceptions of other layers into those of mlmq/error.hpp.
template <class Work>
auto translated(const Work& work) {
  try {
    return work();
  } catch (const backends::launch_error& error) {
    throw unsuitable_error(error.what());
  } catch (const backends::compile_error& error) {
    throw mlmq::compile_error(error.what());
  } catch (const backends::out_of_device_memory& error) {
    throw memory_error(error.what());
  } catch (const backends::kernel_fault& error) {
    throw device_error(error.what(), error.sticky);
  }
}

}  // namespace mlmq::detail
