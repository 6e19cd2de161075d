// SPDX-License-Identifier: Apache-2.0
#include "compare/peer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "tuner/yaml_reader.hpp"

namespace mlmq::compare {
namespace {

/// The kinds of devices that a program of somebody else can run on.
std::vector<std::string> real_kinds() {
  std::vector<std::string> names;
  for (const backends::device_kind& kind : backends::device_kinds()) {
    if (!kind.traits.modelled) names.push_back(kind.name);
  }
  return names;
}

namespace fs = std::filesystem;
using tuner::yaml_map;
using tuner::yaml_value;

constexpr std::array placeholders = {"program", "folder", "graph", "source", "repeat",
                                     "threads", "device", "delta", "output", "directory"};

/// A text split at blanks, or a list of texts.
std::vector<std::string> read_words(const yaml_value& node) {
  std::vector<std::string> words;
  if (node.is_list()) {
    for (const yaml_value& item : node.items()) words.push_back(item.text());
  } else {
    for (std::string& word : split(node.text(), ' ')) {
      if (!word.empty()) words.push_back(std::move(word));
    }
  }
  if (words.empty()) node.fail("the command is empty");
  return words;
}

/// The word with every {NAME} replaced by value_of(NAME).
template <class ValueOf>
std::string replace_placeholders(std::string_view word, const ValueOf& value_of) {
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

bool mentions(const std::vector<std::string>& words, const std::string& placeholder) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return word.find("{" + placeholder + "}") != std::string::npos; });
}

void check_placeholders(const std::vector<std::string>& words, const yaml_value& node) {
  const std::vector<std::string> known(placeholders.begin(), placeholders.end());
  for (const std::string& word : words) {
    (void)replace_placeholders(word, [&](const std::string& name) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        node.fail("there is no placeholder {" + name + "}" + did_you_mean(name, known));
      }
      return "";
    });
  }
}

/// Whether a number in the expression, such as a count of repetitions, has more than four digits. The standard library
/// multiplies by ten until it overflows, and needs memory for each repetition.
bool has_large_number(const std::string& expression) {
  constexpr std::ptrdiff_t most_digits = 4;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (auto at = expression.begin(); at != expression.end();) {
    const auto end = std::find_if_not(at, expression.end(), is_digit);
    if (end - at > most_digits) return true;
    at = end == expression.end() ? end : end + 1;
  }
  return false;
}

std::regex read_expression(const yaml_value& node, const std::string& text, std::size_t groups) {
  if (has_large_number(text)) node.fail(fmt::format("the pattern '{}' has a number of more than 4 digits", text));
  try {
    std::regex expression(text, std::regex::ECMAScript | std::regex::optimize);
    if (expression.mark_count() != groups) {
      node.fail(fmt::format("the pattern '{}' has {} groups, expected {}", text, expression.mark_count(),
                            groups == 1 ? "one, around the number" : "none"));
    }
    return expression;
  } catch (const std::regex_error& error) {
    node.fail(fmt::format("the pattern '{}' is not a regular expression: {}", text, error.what()));
  }
}

double factor_of(const yaml_value& unit) {
  const std::string word = unit.text();
  if (word == "s") return 1e3;
  if (word == "ms") return 1;
  if (word == "us") return 1e-3;
  if (word == "ns") return 1e-6;
  unit.fail("expected s, ms, us or ns, got '" + word + "'");
}

number_pattern read_pattern(const yaml_value& node) {
  number_pattern pattern{.text = node.text(), .expression = {}};
  pattern.expression = read_expression(node, pattern.text, 1);
  return pattern;
}

std::optional<number_pattern> read_pattern(const yaml_map& map, std::string_view key) {
  const yaml_value* const node = map.find(key);
  if (node == nullptr) return std::nullopt;
  return read_pattern(*node);
}

number_pattern read_time(const yaml_value& node) {
  const yaml_map map = node.map({"pattern", "unit"});
  number_pattern pattern = read_pattern(map.at("pattern"));
  pattern.factor = factor_of(map.at("unit"));
  return pattern;
}

void read_format(const yaml_value& node, peer& to) {
  struct known_format {
    std::string_view name;
    graph::file_format format;
    const char* ending;
  };
  constexpr std::array<known_format, 4> known = {{{"galois", graph::file_format::galois, ".gr"},
                                                  {"dimacs", graph::file_format::dimacs, ".gr"},
                                                  {"mtx", graph::file_format::matrix_market, ".mtx"},
                                                  {"wel", graph::file_format::snap, ".wel"}}};
  const std::string word = node.text();
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& format) { return format.name == word; });
  if (found == known.end()) node.fail("expected galois, dimacs, mtx or wel, got '" + word + "'");
  to.format = found->format;
  to.ending = found->ending;
}

void read_answer(const yaml_value& node, peer& to) {
  const yaml_map map = node.map({"reached", "sum", "largest", "right", "infinity"});
  to.reached = read_pattern(map, "reached");
  to.sum = read_pattern(map, "sum");
  to.largest = read_pattern(map, "largest");
  if (const yaml_value* const right = map.find("right")) to.right = read_expression(*right, right->text(), 0);
  to.infinity = HUGE_VAL;
  if (const yaml_value* const infinity = map.find("infinity")) {
    if (!to.writes_distances) infinity->fail("it is for distances that the command writes to {output}");
    to.infinity = infinity->positive_number();
  }
  if (!to.reached && !to.sum && !to.largest && !to.right && !to.writes_distances) {
    node.fail("nothing can be checked: give reached, sum, largest or right, or have {output} written by the command");
  }
}

/// More than a year is no time limit but a slip, and would not fit every clock.
std::chrono::milliseconds read_seconds(const yaml_value& node) {
  constexpr double most = 1e8;
  const double seconds = node.positive_number();
  if (seconds > most) node.fail(fmt::format("expected at most {:.0f} seconds, got {}", most, node.describe()));
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
}

/// All keys and values, so that a changed entry is another peer.
std::string canonical_text(const yaml_value& node) {
  if (node.is_scalar()) return "'" + node.text() + "'";
  std::string text;
  // Aliases of aliases can make much of little.
  const auto check_length = [&] {
    constexpr std::size_t longest = 65'536;
    if (text.size() > longest)
      node.fail(fmt::format("is longer than {} characters with all aliases in place", longest));
  };
  if (node.is_list()) {
    for (const yaml_value& item : node.items()) {
      text += (text.empty() ? "" : ", ") + canonical_text(item);
      check_length();
    }
    return "[" + text + "]";
  }
  for (const yaml_value& entry : node.entries()) {
    text += (text.empty() ? "" : ", ") + entry.key() + ": " + canonical_text(entry);
    check_length();
  }
  return "{" + text + "}";
}

peer read_peer(const yaml_value& node) {
  const yaml_map map = node.map({"name", "problem", "device", "program", "variable", "probe", "command", "format",
                                 "delta", "warmup", "turns", "only_source", "time_limit_s", "time", "work", "answer"});
  peer result;
  result.place = node.place();
  result.text = canonical_text(node);
  const yaml_value& name = map.at("name");
  result.name = name.text();
  if (!tuner::is_usable_text(result.name)) name.fail("a name has no blanks, commas, '=' and quotes");
  if (const yaml_value* const problem = map.find("problem")) {
    result.problem = problem->text();
    if (result.problem != "sssp" && result.problem != "bfs") problem->fail("expected sssp or bfs");
  }
  const yaml_value& device = map.at("device");
  result.device = device.text();
  if (const std::vector<std::string> kinds = real_kinds();
      std::find(kinds.begin(), kinds.end(), result.device) == kinds.end()) {
    device.fail(fmt::format("expected {}", fmt::join(kinds, " or ")));
  }
  if (const yaml_value* const program = map.find("program")) result.program = program->text();
  if (const yaml_value* const variable = map.find("variable")) result.variable = variable->text();
  if (result.program.empty() && result.variable.empty()) {
    throw input_error(map.place().prefix() + "the peer '" + result.name + "' needs 'program' or 'variable'");
  }
  if (const yaml_value* const probe = map.find("probe")) {
    result.probe = read_words(*probe);
    check_placeholders(result.probe, *probe);
  }
  const yaml_value& command = map.at("command");
  result.command = read_words(command);
  check_placeholders(result.command, command);
  for (const char* const needed : {"program", "graph"}) {
    if (!mentions(result.command, needed)) command.fail(fmt::format("it does not use {{{}}}", needed));
  }
  result.writes_distances = mentions(result.command, "output");
  read_format(map.at("format"), result);
  if (const yaml_value* const delta = map.find("delta")) {
    for (const yaml_value& item : delta->items()) result.deltas.push_back(item.positive_number());
    if (result.deltas.empty()) delta->fail("the list is empty");
  }
  if (mentions(result.command, "delta") != !result.deltas.empty()) {
    command.fail("{delta} and the list 'delta' of its values need each other");
  }
  if (const yaml_value* const warmup = map.find("warmup")) result.warmup = warmup->whole_number();
  if (const yaml_value* const turns = map.find("turns")) result.turns = turns->whole_number(1);
  if (const yaml_value* const source = map.find("only_source")) result.only_source = source->whole_number();
  if (const yaml_value* const limit = map.find("time_limit_s")) {
    result.time_limit = read_seconds(*limit);
  }
  result.time = read_time(map.at("time"));
  result.work = read_pattern(map, "work");
  read_answer(map.at("answer"), result);
  return result;
}

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

std::string folder_of(const peer& what) {
  const fs::path folder = fs::path(what.place.file).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

std::vector<peer> parse_peers(const std::string& text, const fs::path& file) {
  const yaml_map map = tuner::parse_yaml(text, file.string()).map({"peers"});
  std::vector<peer> peers;
  for (const yaml_value& item : map.at("peers").items()) {
    peer next = read_peer(item);
    for (const peer& earlier : peers) {
      if (earlier.name == next.name) {
        throw input_error(fmt::format("{}the peer '{}' is given twice, first on line {}", next.place.prefix(),
                                      next.name, earlier.place.line));
      }
    }
    peers.push_back(std::move(next));
  }
  return peers;
}

std::vector<peer> load_peers(const fs::path& file) { return parse_peers(read_file(file), file); }

std::string locate(peer& wanted) {
  wanted.located.clear();
  const char* const given = wanted.variable.empty() ? nullptr : std::getenv(wanted.variable.c_str());
  if (given != nullptr && *given != '\0') {
    if (!is_program(given)) return fmt::format("{} is '{}', which is no program", wanted.variable, given);
    wanted.located = fs::absolute(given).string();
  } else if (wanted.program.empty()) {
    return fmt::format("{} is not set to the path of its program", wanted.variable);
  } else if (wanted.program.find('/') != std::string::npos) {
    const fs::path file = fs::path(folder_of(wanted)) / wanted.program;
    if (!is_program(file)) return fmt::format("there is no program {}", file.string());
    wanted.located = fs::absolute(file).string();
  } else {
    wanted.located = find_on_path(wanted.program);
    if (wanted.located.empty()) return fmt::format("there is no program '{}' on PATH", wanted.program);
  }
  if (wanted.probe.empty()) return "";
  peer probing = wanted;
  probing.command = wanted.probe;
  constexpr std::size_t kept_output = 4096;
  const process_result probed = run_process(command_line(probing, {}), wanted.time_limit, kept_output);
  if (probed.timed_out) return "its probe did not end within the time limit";
  if (probed.exit_code != 0) return fmt::format("its probe ended with status {}", probed.exit_code);
  return "";
}

peer_output read_output(const peer& from, std::string_view output) {
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
                             std::optional<double>& to) {
    if (!pattern) return;
    if (const auto number = number_in(line, *pattern)) to = number;
  };
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string line(output.substr(0, std::min(end, longest + 1)));
    output.remove_prefix(std::min(end + 1, output.size()));
    if (line.size() > longest) continue;
    if (const auto time = number_in(line, from.time)) result.milliseconds.push_back(*time);
    keep_last(line, from.work, result.work);
    keep_last(line, from.reached, result.answer.reached);
    keep_last(line, from.sum, result.answer.sum);
    keep_last(line, from.largest, result.answer.largest);
    if (from.right && std::regex_search(line, *from.right)) ++result.times_right;
  }
  return result;
}

std::vector<std::string> command_line(const peer& what, const placeholder_values& values) {
  std::vector<std::string> words;
  for (const std::string& word : what.command) {
    words.push_back(replace_placeholders(word, [&](const std::string& name) -> std::string {
      if (name == "program") return what.located;
      if (name == "folder") return fs::absolute(folder_of(what)).string();
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

}  // namespace mlmq::compare
