// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/host_compiler.hpp"

#include <chrono>
#include <cstdlib>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace mlmq::backends::simulator {
namespace {

std::optional<host_compiler> ask(std::vector<std::string> command) {
  std::vector<std::string> question = command;
  question.insert(question.end(), {"-dumpfullversion", "-dumpversion"});
  try {
    const process_result answer = run_process(question, std::chrono::seconds(20));
    if (answer.timed_out || answer.exit_code != 0) return std::nullopt;
    std::string version = split(answer.output, '\n').front();
    if (version.empty()) return std::nullopt;
    return host_compiler{std::move(command), std::move(version)};
  } catch (const work_error&) {
    return std::nullopt;
  }
}

}  // namespace

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
