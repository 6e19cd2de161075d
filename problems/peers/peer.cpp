// SPDX-License-Identifier: Apache-2.0
#include "problems/peers/peer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>

#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace mlmq::peers {
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

/// Returns the number that a pattern matches in a line; 1 for a pattern without a group.
std::optional<double> number_in(const std::string& line, const output_pattern& pattern) {
  std::smatch match;
  if (!std::regex_search(line, match, pattern.expression)) return std::nullopt;
  if (match.size() == 1) return 1;
  const std::string text = match[1].str();
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || !std::isfinite(number) || number < 0) return std::nullopt;
  return number * pattern.factor;
}

/// Adds the number of a line NAME NUMBER; others are skipped.
void add_named_number(peer_output& numbers, const std::string& line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string::npos) return;
  double number = 0;
  const char* const last = line.data() + line.size();
  const auto [end, error] = std::from_chars(line.data() + blank + 1, last, number);
  if (error == std::errc() && end == last) numbers.add(line.substr(0, blank), number);
}

}  // namespace

const output_pattern* peer::pattern(std::string_view pattern_name) const {
  const auto match = std::ranges::find(patterns, pattern_name, &output_pattern::name);
  return match == patterns.end() ? nullptr : &*match;
}

std::string locate(peer& program) {
  program.located.clear();
  // A command for other problems may be a script that builds the program from its sources.
  const bool is_search = program.problem == "sssp" || program.problem == "bfs";
  const char* const configured_path = program.variable.empty() ? nullptr : std::getenv(program.variable.c_str());
  if (configured_path != nullptr && *configured_path != '\0') {
    if (is_search && !is_program(configured_path))
      return fmt::format("{} is '{}', which is not an executable file", program.variable, configured_path);
    if (!fs::exists(configured_path))
      return fmt::format("{} is '{}', which does not exist", program.variable, configured_path);
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

std::string hash_of(const peer& program) {
  content_hash hash;
  hash.add("peer").add(program.text);
  if (!fs::is_directory(program.located)) return hash.add(hash_text(read_file(program.located))).hex();
  std::set<fs::path> files;
  for (auto entry = fs::recursive_directory_iterator(program.located); entry != fs::recursive_directory_iterator();
       ++entry) {
    if (entry->path().filename().string().starts_with('.')) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      files.insert(entry->path());
    }
  }
  for (const fs::path& file : files) hash.add(file.lexically_relative(program.located).string()).add(read_file(file));
  return hash.hex();
}

std::vector<std::string> command_line(const peer& program, const placeholder_values& values) {
  placeholder_values complete = values;
  complete["program"] = program.located;
  complete["folder"] = fs::absolute(folder_of(program)).string();
  complete["variant"] = program.variant;
  std::vector<std::string> words;
  for (const std::string& word : program.command)
    words.push_back(replace_placeholders(word, [&](const std::string& name) { return complete[name]; }));
  return words;
}

std::string replace_placeholders(std::string_view word,
                                 const std::function<std::string(const std::string&)>& value_of) {
  std::string result;
  while (!word.empty()) {
    const std::size_t open = word.find('{');
    const std::size_t close = open == std::string_view::npos ? open : word.find('}', open);
    if (close == std::string_view::npos) return result + std::string(word);
    result += word.substr(0, open);
    result += value_of(std::string(word.substr(open + 1, close - open - 1)));
    word.remove_prefix(close + 1);
  }
  return result;
}

const std::vector<double>& peer_output::numbers(const std::string& name) const {
  static const std::vector<double> none;
  const auto match = numbers_.find(name);
  return match == numbers_.end() ? none : match->second;
}

std::optional<double> peer_output::last(const std::string& name) const {
  const std::vector<double>& printed = numbers(name);
  return printed.empty() ? std::nullopt : std::optional(printed.back());
}

peer_output read_output(const peer& program, std::string_view output) {
  constexpr std::size_t longest = 4096;
  peer_output result;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string line(output.substr(0, std::min(end, longest + 1)));
    output.remove_prefix(std::min(end + 1, output.size()));
    if (line.size() > longest) continue;
    if (program.patterns.empty()) add_named_number(result, line);
    for (const output_pattern& pattern : program.patterns) {
      if (const auto number = number_in(line, pattern)) result.add(pattern.name, *number);
    }
  }
  return result;
}

}  // namespace mlmq::peers
