// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/host_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include "backends/backend.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace mlmq::backends::simulator {
namespace {

std::optional<host_compiler> ask(std::vector<std::string> command) {
  std::vector<std::string> question = command;
  question.insert(question.end(), {"-dumpfullversion", "-dumpversion"});
  try {
    const process_result answer = run_process(question, {.time = std::chrono::seconds(20)});
    if (answer.timed_out || answer.exit_code != 0) return std::nullopt;
    std::string version = split(answer.output, '\n').front();
    if (version.empty()) return std::nullopt;
    return host_compiler{std::move(command), std::move(version)};
  } catch (const work_error&) {
    return std::nullopt;
  }
}

/// Returns the line with which the compiler reports that the machine cannot do the work; empty if there is none. The
/// messages are those of the C locale.
std::string fault_of_machine(const std::string& log) {
  static constexpr std::array<std::string_view, 8> ends = {
      "No space left on device", "Disk quota exceeded",          "Input/output error",
      "Read-only file system",   "Cannot allocate memory",       "Resource temporarily unavailable",
      "Too many open files",     "Too many open files in system"};
  static constexpr std::array<std::string_view, 6> parts = {"fatal error: Killed signal terminated program",
                                                            "fatal error: Terminated signal terminated program",
                                                            "fatal error: Hangup signal terminated program",
                                                            "fatal error: Interrupt signal terminated program",
                                                            "fatal error: cannot execute",
                                                            "out of memory allocating"};
  for (const std::string& line : split(log, '\n')) {
    const bool is_fault =
        std::any_of(ends.begin(), ends.end(), [&](auto end) { return line.ends_with(": " + std::string(end)); }) ||
        std::any_of(parts.begin(), parts.end(), [&](auto part) { return line.find(part) != std::string::npos; });
    // Texts of #error and static_assert are the source's own.
    const bool is_of_source = line.find("#error") != std::string::npos || line.find(": error: ") != std::string::npos;
    if (is_fault && !is_of_source) return line;
  }
  return "";
}

}  // namespace

std::optional<std::string> run_compiler(const std::vector<std::string>& command, const std::string& file) {
  constexpr std::chrono::minutes longest{2};
  constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;
  const process_limits limits{.time = longest,
                              .kept_output = std::size_t{1} << 20,
                              .memory_bytes = std::min(4 * gibibyte, process_limits::most_memory()),
                              .file_bytes = gibibyte};
  const process_result result = run_process(command, limits, {{"LC_ALL", "C"}});
  if (result.timed_out) {
    throw compile_error(fmt::format("{}: the compiler took longer than {} minutes", file, longest.count()));
  }
  if (result.exit_code == 0) return std::nullopt;
  // A request for memory that fails at the limit is at most twice what is in use, so the peak is well below the limit.
  if (result.peak_bytes > limits.memory_bytes / 4) {
    throw compile_error(fmt::format("{}: the compiler needs more than {} MiB", file, limits.memory_bytes >> 20));
  }
  if (result.exit_code > 128) {
    throw work_error(fmt::format("{}: the compiler {}", file, result.describe_end()));
  }
  if (const std::string fault = fault_of_machine(result.output); !fault.empty()) {
    throw work_error(fmt::format("{}: the compiler failed: {}", file, fault));
  }
  return result.output;
}

std::string host_compiler::name() const {
  return std::filesystem::path(command.front()).filename().string() + " " + version;
}

std::optional<host_compiler> find_host_compiler() {
  if (const char* const chosen = std::getenv("CXX"); chosen != nullptr && *chosen != '\0') {
    std::vector<std::string> command;
    for (const std::string& piece : split(chosen, ' ')) {
      if (!piece.empty()) command.push_back(piece);
    }
    // Do not silently replace a compiler that the user has chosen but that does not work.
    return command.empty() ? std::nullopt : ask(command);
  }
  for (const char* const name : {"c++", "g++", "clang++"}) {
    if (std::optional<host_compiler> compiler = ask({name})) return compiler;
  }
  return std::nullopt;
}

}  // namespace mlmq::backends::simulator
