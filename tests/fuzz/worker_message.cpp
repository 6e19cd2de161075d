// SPDX-License-Identifier: Apache-2.0
// Messages between a sweep and its workers. A worker's output may contain any text: kernels and libraries print.
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"
#include "tuner/worker_link.hpp"

using namespace mlmq;
using fuzz::require;

void mlmq::fuzz::worker_message(std::string_view text) {
  if (const auto event = tuner::worker_event::from_line(text)) {
    const std::string line = event->to_line();
    require(line.find('\n') == line.size() - 1, "an event is one line");
    const auto again = tuner::worker_event::from_line(line);
    require(again && again->to_line() == line, "an event reads back");
  }
  try {
    const tuner::worker_task task = tuner::worker_task::from_json(text);
    const std::string written = task.to_json();
    require(tuner::worker_task::from_json(written).to_json() == written, "a task reads back");
  } catch (const nlohmann::json::exception&) {
  } catch (const input_error&) {
  }
}
