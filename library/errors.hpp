// SPDX-License-Identifier: Apache-2.0
// Errors of the public calls: translates exceptions and outcomes of other layers, and checks time limits.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

#include "backends/backend.hpp"
#include "graph/check.hpp"
#include "mlmq/error.hpp"
#include "tuner/problem.hpp"

namespace mlmq::detail {

/// @throws input_error unless the limit is finite and greater than 0
inline void require_time_limit(double milliseconds) {
  if (milliseconds > 0 && std::isfinite(milliseconds)) return;
  throw input_error(fmt::format("time limit: {} ms, expected a finite number above 0", milliseconds));
}

/// @throws search_error unless the outcome is ok
/// @param description  description of the run, for the message
inline void require_ok(const tuner::run_report& report, std::string_view description) {
  if (report.result == db::outcome::ok) return;
  using reason = search_error::reason;
  throw search_error(fmt::format("{}: {}: {}", description, db::to_string(report.result), report.message),
                     report.result == db::outcome::timeout    ? reason::time_limit
                     : report.result == db::outcome::overflow ? reason::queue_full
                                                              : reason::failed);
}

/// Decides for all calls that distances which do not fit their type are never handed over.
/// @param has_saturated  whether there is such a distance, see graph::has_saturated()
/// @throws search_error
inline void require_in_range(bool has_saturated, const std::string& graph_name, graph::weight_type type) {
  if (has_saturated)
    throw search_error(graph_name + ": " + graph::saturated_message(type), search_error::reason::failed);
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
