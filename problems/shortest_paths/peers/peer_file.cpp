// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/peers/peer_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "problems/compare/placeholders.hpp"
#include "tuner/yaml_reader.hpp"

namespace mlmq::problems::search_peers {
namespace {

namespace fs = std::filesystem;
using tuner::yaml_map;
using tuner::yaml_value;

/// Returns the kinds of devices on which an external program can run.
std::vector<std::string> real_kinds() {
  std::vector<std::string> names;
  for (const backends::device_kind& kind : backends::device_kinds()) {
    if (!kind.traits.modelled) names.push_back(kind.name);
  }
  return names;
}

/// Reads a text, split at blanks, or a list of texts.
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

void check_placeholders(const std::vector<std::string>& words, const yaml_value& node) {
  const std::vector<std::string> known_names = {"program", "folder", "graph", "source", "repeat",
                                                "threads", "device", "delta", "output", "directory"};
  compare::check_placeholders(words, known_names, node);
}

/// Returns whether the expression contains a number, such as a repetition count, of more than four digits. The standard
/// library does not check such counts for overflow and allocates memory for each repetition.
bool has_large_number(const std::string& expression) {
  constexpr std::ptrdiff_t most_digits = 4;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (auto position = expression.begin(); position != expression.end();) {
    const auto end = std::find_if_not(position, expression.end(), is_digit);
    if (end - position > most_digits) return true;
    position = end == expression.end() ? end : end + 1;
  }
  return false;
}

std::regex read_expression(const yaml_value& node, const std::string& text, std::size_t groups) {
  if (has_large_number(text)) node.fail(fmt::format("the pattern '{}' contains a number of more than 4 digits", text));
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

void read_format(const yaml_value& node, peer& program) {
  struct known_format {
    std::string_view name;
    graph::file_format format;
    const char* ending;
  };
  constexpr std::array<known_format, 4> formats = {{{"galois", graph::file_format::galois, ".gr"},
                                                    {"dimacs", graph::file_format::dimacs, ".gr"},
                                                    {"mtx", graph::file_format::matrix_market, ".mtx"},
                                                    {"wel", graph::file_format::snap, ".wel"}}};
  const std::string word = node.text();
  const auto match =
      std::find_if(formats.begin(), formats.end(), [&](const auto& format) { return format.name == word; });
  if (match == formats.end()) node.fail("expected galois, dimacs, mtx or wel, got '" + word + "'");
  program.format = match->format;
  program.ending = match->ending;
}

void read_answer(const yaml_value& node, peer& program) {
  const yaml_map map = node.map({"reached", "sum", "largest", "right", "infinity"});
  program.reached = read_pattern(map, "reached");
  program.sum = read_pattern(map, "sum");
  program.largest = read_pattern(map, "largest");
  if (const yaml_value* const right = map.find("right")) program.right = read_expression(*right, right->text(), 0);
  program.infinity = HUGE_VAL;
  if (const yaml_value* const infinity = map.find("infinity")) {
    if (!program.writes_distances) infinity->fail("it applies only to distances that the command writes to {output}");
    program.infinity = infinity->positive_number();
  }
  if (!program.reached && !program.sum && !program.largest && !program.right && !program.writes_distances) {
    node.fail("no answer can be checked: give reached, sum, largest or right, or let the command write {output}");
  }
}

/// Rejects limits of more than a year, which are mistakes and would overflow some clocks.
std::chrono::milliseconds read_seconds(const yaml_value& node) {
  constexpr double most = 1e8;
  const double seconds = node.positive_number();
  if (seconds > most) node.fail(fmt::format("expected at most {:.0f} seconds, got {}", most, node.describe()));
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
}

/// Returns all keys and values, so that a changed entry identifies another peer.
std::string canonical_text(const yaml_value& node) {
  if (node.is_scalar()) return "'" + node.text() + "'";
  std::string text;
  // Nested aliases can expand a short text to a very long one.
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
  const yaml_map map =
      node.map({"name", "problem", "device", "program", "variable", "probe", "command", "format", "delta", "warmup",
                "turns", "only_source", "whole_weights", "time_limit_s", "time", "work", "answer", "note"});
  peer result;
  result.place = node.place();
  result.text = canonical_text(node);
  const yaml_value& name = map.at("name");
  result.name = name.text();
  if (!tuner::is_plain_text(result.name)) name.fail("a name must not contain blanks, commas, '=' or quotes");
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
    if (!compare::mentions(result.command, needed)) command.fail(fmt::format("it does not use {{{}}}", needed));
  }
  result.writes_distances = compare::mentions(result.command, "output");
  read_format(map.at("format"), result);
  if (const yaml_value* const delta = map.find("delta")) {
    for (const yaml_value& item : delta->items()) result.deltas.push_back(item.positive_number());
    if (result.deltas.empty()) delta->fail("the list is empty");
  }
  if (compare::mentions(result.command, "delta") != !result.deltas.empty()) {
    command.fail("the placeholder {delta} and the list 'delta' of its values require each other");
  }
  if (const yaml_value* const warmup = map.find("warmup")) result.warmup = warmup->whole_number();
  if (const yaml_value* const turns = map.find("turns")) result.turns = turns->whole_number(1);
  if (const yaml_value* const source = map.find("only_source")) result.only_source = source->whole_number();
  if (const yaml_value* const whole = map.find("whole_weights")) result.whole_weights = whole->boolean();
  if (const yaml_value* const note = map.find("note")) result.note = note->text();
  if (const yaml_value* const limit = map.find("time_limit_s")) {
    result.time_limit = read_seconds(*limit);
  }
  result.time = read_time(map.at("time"));
  result.work = read_pattern(map, "work");
  read_answer(map.at("answer"), result);
  return result;
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

}  // namespace mlmq::problems::search_peers
