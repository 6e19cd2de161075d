// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/peer_process.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/stopwatch.hpp"

namespace mlmq::compare {

std::string end_of_output(std::string_view output) {
  constexpr std::size_t longest = 300;
  std::string text(output.substr(output.size() - std::min(output.size(), longest)));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "it printed nothing";
  return "its last output: " + text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

unsigned device_number(const backends::device_info& device) {
  const std::size_t colon = device.selector.find(':');
  if (!device.grid || colon == std::string::npos) return 0;
  return static_cast<unsigned>(std::stoul(device.selector.substr(colon + 1)));
}

std::optional<std::string> run_peer_process(const std::vector<std::string>& arguments,
                                            std::chrono::milliseconds time_limit, db::trial_result& result) {
  const auto fail = [&result](db::outcome outcome, std::string message) {
    result.result = outcome;
    result.message = std::move(message);
    return std::nullopt;
  };
  process_result process;
  const auto start = std::chrono::steady_clock::now();
  try {
    process = run_process(arguments, {.time = time_limit});
  } catch (const work_error& error) {
    return fail(db::outcome::launch_error, error.what());
  }
  result.measure_ms = milliseconds_since(start);
  const std::string end = end_of_output(process.output);
  if (process.timed_out) {
    return fail(db::outcome::timeout,
                fmt::format("killed after {} s; {}", static_cast<double>(time_limit.count()) / 1000, end));
  }
  if (process.exit_code != 0) {
    return fail(db::outcome::crashed, fmt::format("{}; {}", process.describe_end(), end));
  }
  return std::move(process.output);
}

}  // namespace mlmq::compare
