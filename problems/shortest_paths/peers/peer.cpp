// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/peers/peer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/process.hpp"
#include "base/text.hpp"
#include "problems/compare/placeholders.hpp"

namespace mlmq::problems::search_peers {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

std::string find_on_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  if (path == nullptr) return "";
  for (const std::string& folder : split(path, ':')) {
    const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
    if (is_program(file)) return file.string();
  }
  return "";
}

std::string folder_of(const peer& program) {
  const fs::path folder = fs::path(program.place.file).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

std::string locate(peer& program) {
  program.located.clear();
  const char* const configured_path = program.variable.empty() ? nullptr : std::getenv(program.variable.c_str());
  if (configured_path != nullptr && *configured_path != '\0') {
    if (!is_program(configured_path))
      return fmt::format("{} is '{}', which is not an executable file", program.variable, configured_path);
    program.located = fs::absolute(configured_path).string();
  } else if (program.program.empty()) {
    return fmt::format("the environment variable {} is not set to the path of the program", program.variable);
  } else if (program.program.find('/') != std::string::npos) {
    const fs::path file = fs::path(folder_of(program)) / program.program;
    if (!is_program(file)) return fmt::format("no executable file {}", file.string());
    program.located = fs::absolute(file).string();
  } else {
    program.located = find_on_path(program.program);
    if (program.located.empty()) return fmt::format("no program '{}' on PATH", program.program);
  }
  if (program.probe.empty()) return "";
  peer probing = program;
  probing.command = program.probe;
  constexpr std::size_t kept_output = 4096;
  const process_result probed =
      run_process(command_line(probing, {}), {.time = program.time_limit, .kept_output = kept_output});
  if (probed.timed_out) return "its probe did not finish within the time limit";
  if (probed.exit_code != 0) return fmt::format("its probe ended with exit status {}", probed.exit_code);
  return "";
}

peer_output read_output(const peer& program, std::string_view output) {
  constexpr std::size_t longest = 4096;
  peer_output result;
  const auto number_in = [](const std::string& line, const number_pattern& pattern) -> std::optional<double> {
    std::smatch match;
    if (!std::regex_search(line, match, pattern.expression)) return std::nullopt;
    const std::string text = match[1].str();
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || end != text.c_str() + text.size() || !std::isfinite(number) || number < 0) return std::nullopt;
    return number * pattern.factor;
  };
  const auto keep_last = [&](const std::string& line, const std::optional<number_pattern>& pattern,
                             std::optional<double>& last) {
    if (!pattern) return;
    if (const auto number = number_in(line, *pattern)) last = number;
  };
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string line(output.substr(0, std::min(end, longest + 1)));
    output.remove_prefix(std::min(end + 1, output.size()));
    if (line.size() > longest) continue;
    if (const auto time = number_in(line, program.time)) result.milliseconds.push_back(*time);
    keep_last(line, program.work, result.work);
    keep_last(line, program.reached, result.answer.reached);
    keep_last(line, program.sum, result.answer.sum);
    keep_last(line, program.largest, result.answer.largest);
    if (program.right && std::regex_search(line, *program.right)) ++result.times_right;
  }
  return result;
}

std::vector<std::string> command_line(const peer& program, const placeholder_values& values) {
  std::vector<std::string> words;
  for (const std::string& word : program.command) {
    words.push_back(compare::replace_placeholders(word, [&](const std::string& name) -> std::string {
      if (name == "program") return program.located;
      if (name == "folder") return fs::absolute(folder_of(program)).string();
      if (name == "graph") return values.graph;
      if (name == "source") return std::to_string(values.source);
      if (name == "repeat") return std::to_string(values.repeat);
      if (name == "threads") return std::to_string(values.threads);
      if (name == "device") return std::to_string(values.device);
      if (name == "delta") return std::to_string(values.delta.value_or(1));
      return name == "directory" ? values.directory : values.output;
    }));
  }
  return words;
}

}  // namespace mlmq::problems::search_peers
