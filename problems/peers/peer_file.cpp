// SPDX-License-Identifier: Apache-2.0
// Reads files of peers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "problems/peers/peer.hpp"
#include "tuner/yaml_reader.hpp"

namespace mlmq::peers {
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

/// What an entry for a problem may say.
struct peer_problem {
  std::string_view name;
  std::vector<std::string> placeholders;  ///< in addition to those of all problems
  std::vector<std::string> needed;        ///< placeholders that the command must have
  std::vector<std::string_view> keys;     ///< in addition to those of all problems
};

const std::vector<peer_problem>& peer_problems() {
  static const peer_problem searches{
      .name = "sssp",
      .placeholders = {"graph", "source", "delta", "output", "directory"},
      .needed = {"program", "graph"},
      .keys = {"format", "delta", "only_source", "whole_weights", "time", "work", "answer"}};
  static const std::vector<peer_problem> problems = {
      searches,
      {.name = "bfs", .placeholders = searches.placeholders, .needed = searches.needed, .keys = searches.keys},
      {.name = "phold", .placeholders = {"entities", "events", "rate", "lookahead", "until"}, .needed = {}, .keys = {}},
      {.name = "astar", .placeholders = {"map", "pairs", "lengths"}, .needed = {"lengths"}, .keys = {"corners"}},
      {.name = "sssp_batch",
       .placeholders = {"graph", "sources", "answers", "directory"},
       .needed = {"answers"},
       .keys = {}}};
  return problems;
}

/// Reads a word that must be one of several. @throws input_error
template <typename Words>
std::string word_of(const yaml_value& node, const Words& allowed) {
  std::string word = node.text();
  if (std::ranges::find(allowed, word) == std::ranges::end(allowed))
    node.fail(fmt::format("expected {}, got '{}'", fmt::join(allowed, " or "), word));
  return word;
}

bool mentions(const std::vector<std::string>& words, const std::string& placeholder) {
  return std::ranges::any_of(
      words, [&](const std::string& word) { return word.find("{" + placeholder + "}") != std::string::npos; });
}

/// Reads a command. @throws input_error for unknown placeholders
std::vector<std::string> read_command(const yaml_value& node, const peer_problem& problem) {
  std::vector<std::string> words = read_words(node);
  std::vector<std::string> names = {"program", "folder", "variant", "repeat", "threads", "device"};
  names.insert(names.end(), problem.placeholders.begin(), problem.placeholders.end());
  for (const std::string& word : words) {
    (void)replace_placeholders(word, [&](const std::string& name) {
      if (std::ranges::find(names, name) == names.end())
        node.fail("unknown placeholder {" + name + "}" + did_you_mean(name, names));
      return "";
    });
  }
  return words;
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

void add_pattern(peer& program, const char* name, const yaml_value* node, double factor = 1) {
  if (node == nullptr) return;
  const std::string text = node->text();
  const std::size_t groups = name == std::string_view("right") ? 0 : 1;
  program.patterns.push_back(
      {.name = name, .text = text, .expression = read_expression(*node, text, groups), .factor = factor});
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

/// Reads what only searches have.
void read_search(const yaml_map& map, peer& program) {
  program.writes_distances = mentions(program.command, "output");
  read_format(map.at("format"), program);
  if (const yaml_value* const delta = map.find("delta")) {
    for (const yaml_value& item : delta->items()) program.deltas.push_back(item.positive_number());
    if (program.deltas.empty()) delta->fail("the list is empty");
  }
  if (mentions(program.command, "delta") != !program.deltas.empty())
    map.at("command").fail("the placeholder {delta} and the list 'delta' of its values require each other");
  if (const yaml_value* const source = map.find("only_source")) program.only_source = source->whole_number();
  if (const yaml_value* const whole = map.find("whole_weights")) program.whole_weights = whole->boolean();
  const yaml_map time = map.at("time").map({"pattern", "unit"});
  add_pattern(program, "time_ms", &time.at("pattern"), factor_of(time.at("unit")));
  add_pattern(program, "pops", map.find("work"));
  const yaml_map answer = map.at("answer").map({"reached", "sum", "largest", "right", "infinity"});
  const std::size_t unchecked = program.patterns.size();
  for (const char* const name : {"reached", "sum", "largest", "right"}) add_pattern(program, name, answer.find(name));
  program.infinity = HUGE_VAL;
  if (const yaml_value* const infinity = answer.find("infinity")) {
    if (!program.writes_distances) infinity->fail("it applies only to distances that the command writes to {output}");
    program.infinity = infinity->positive_number();
  }
  if (program.patterns.size() == unchecked && !program.writes_distances) {
    map.at("answer").fail(
        "no answer can be checked: give reached, sum, largest or right, or let the command write {output}");
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
    if (entry.key() == "variants") continue;  // each is a peer of its own
    text += (text.empty() ? "" : ", ") + entry.key() + ": " + canonical_text(entry);
    check_length();
  }
  return "{" + text + "}";
}

/// Reads an entry, which describes as many peers as it has variants.
std::vector<peer> read_entry(const yaml_value& node) {
  const yaml_map map =
      node.map({"name",    "variants",     "problem", "device", "program", "variable",    "probe",
                "command", "format",       "delta",   "warmup", "turns",   "only_source", "whole_weights",
                "corners", "time_limit_s", "time",    "work",   "answer",  "note"});
  peer common;
  common.place = node.place();
  common.text = canonical_text(node);
  std::vector<std::string_view> problem_names;
  for (const peer_problem& declared : peer_problems()) problem_names.push_back(declared.name);
  if (const yaml_value* const named = map.find("problem")) common.problem = word_of(*named, problem_names);
  const peer_problem& problem = *std::ranges::find(peer_problems(), common.problem, &peer_problem::name);
  for (const peer_problem& other : peer_problems()) {
    for (const std::string_view key : other.keys) {
      const yaml_value* const value = map.find(key);
      if (value != nullptr && std::ranges::find(problem.keys, key) == problem.keys.end())
        value->fail(fmt::format("the problem {} does not have it", problem.name));
    }
  }
  common.device = word_of(map.at("device"), real_kinds());
  if (const yaml_value* const program = map.find("program")) common.program = program->text();
  if (const yaml_value* const variable = map.find("variable")) common.variable = variable->text();
  if (common.program.empty() && common.variable.empty())
    throw input_error(map.place().prefix() + "the peer needs 'program' or 'variable'");
  if (const yaml_value* const probe = map.find("probe")) common.probe = read_command(*probe, problem);
  common.command = read_command(map.at("command"), problem);
  for (const std::string& needed : problem.needed) {
    if (!mentions(common.command, needed)) map.at("command").fail(fmt::format("it does not use {{{}}}", needed));
  }
  if (const yaml_value* const warmup = map.find("warmup")) common.warmup = warmup->whole_number();
  if (const yaml_value* const turns = map.find("turns")) common.turns = turns->whole_number(1);
  if (const yaml_value* const note = map.find("note")) common.note = note->text();
  if (const yaml_value* const limit = map.find("time_limit_s")) common.time_limit = read_seconds(*limit);
  if (const yaml_value* const corners = map.find("corners"))
    common.corners = word_of(*corners, std::array<std::string_view, 2>{"cut", "none"});
  if (problem.keys == peer_problems().front().keys) read_search(map, common);

  std::vector<peer> peers;
  const auto add = [&](const yaml_value& place, const std::string& name, const std::string& variant) {
    if (!tuner::is_plain_text(name)) place.fail("a name must not contain blanks, commas, '=' or quotes");
    peers.push_back(common);
    peers.back().name = name;
    peers.back().variant = variant;
    if (!variant.empty()) peers.back().text += fmt::format(" {} {}", name, variant);
  };
  const yaml_value* const variants = map.find("variants");
  if (variants == nullptr) {
    add(map.at("name"), map.at("name").text(), "");
    return peers;
  }
  if (map.find("name") != nullptr) variants->fail("an entry has a name or variants, not both");
  for (const yaml_value& variant : variants->entries()) add(variant, variant.key(), variant.text());
  if (peers.empty()) variants->fail("there are no variants");
  return peers;
}

}  // namespace

std::vector<peer> parse_peers(const std::string& text, const fs::path& file) {
  const yaml_map map = tuner::parse_yaml(text, file.string()).map({"peers"});
  std::vector<peer> peers;
  for (const yaml_value& item : map.at("peers").items()) {
    for (peer& next : read_entry(item)) {
      for (const peer& earlier : peers) {
        if (earlier.name != next.name || earlier.problem != next.problem) continue;
        throw input_error(fmt::format("{}the peer '{}' is given twice, first on line {}", next.place.prefix(),
                                      next.name, earlier.place.line));
      }
      peers.push_back(std::move(next));
    }
  }
  return peers;
}

std::vector<peer> load_peers(const fs::path& file) { return parse_peers(read_file(file), file); }

}  // namespace mlmq::peers
