// SPDX-License-Identifier: Apache-2.0
#include "problems/queue_peers/peer_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "problems/astar/grid.hpp"
#include "problems/compare/placeholders.hpp"
#include "tuner/value.hpp"
#include "tuner/yaml_reader.hpp"

namespace mlmq::queue_peers {
namespace {

namespace fs = std::filesystem;
using tuner::yaml_map;
using tuner::yaml_value;

std::vector<std::string> placeholders_of(const std::string& problem) {
  std::vector<std::string> names = {"program", "folder", "variant", "repeat", "device", "threads"};
  if (problem == "phold") {
    names.insert(names.end(), {"entities", "events", "rate", "lookahead", "until"});
  } else if (problem == "astar") {
    names.insert(names.end(), {"map", "pairs", "lengths"});
  } else {
    names.insert(names.end(), {"graph", "sources", "answers", "directory"});
  }
  return names;
}

std::string word_of(const yaml_value& node, std::initializer_list<std::string_view> allowed) {
  std::string word = node.text();
  if (std::find(allowed.begin(), allowed.end(), word) == allowed.end()) {
    node.fail(fmt::format("expected {}, got '{}'", fmt::join(allowed, " or "), word));
  }
  return word;
}

std::vector<std::string> read_command(const yaml_value& node, const std::string& problem) {
  std::vector<std::string> words;
  for (const yaml_value& item : node.items()) words.push_back(item.text());
  compare::check_placeholders(words, placeholders_of(problem), node);
  if (words.empty()) node.fail("the command is empty");
  for (const auto& [name, answer] : {std::pair("astar", "lengths"), std::pair("sssp_batch", "answers")}) {
    if (problem == name && !compare::mentions(words, answer)) node.fail(fmt::format("it does not use {{{}}}", answer));
  }
  return words;
}

/// Reads one entry, which describes as many peers as it has variants.
std::vector<queue_peer> read_entry(const yaml_value& node) {
  const yaml_map map =
      node.map({"variants", "problem", "device", "variable", "command", "corners", "turns", "time_limit_s", "note"});
  queue_peer common;
  common.place = node.place();
  common.problem = word_of(map.at("problem"), {"phold", "astar", "sssp_batch"});
  common.device = word_of(map.at("device"), {"cuda", "cpu"});
  common.variable = map.at("variable").text();
  common.command = read_command(map.at("command"), common.problem);
  if (const yaml_value* const corners = map.find("corners")) {
    if (common.problem != "astar") corners->fail("only astar has corners");
    common.corners = word_of(*corners, {"cut", "none"});
  }
  if (const yaml_value* const turns = map.find("turns")) common.turns = turns->whole_number(1);
  if (const yaml_value* const limit = map.find("time_limit_s")) {
    common.time_limit = std::chrono::seconds(limit->whole_number(1, 1'000'000));
  }
  if (const yaml_value* const note = map.find("note")) common.note = note->text();
  std::vector<queue_peer> peers;
  for (const yaml_value& entry : map.at("variants").entries()) {
    queue_peer next = common;
    next.name = entry.key();
    if (!tuner::is_plain_text(next.name)) entry.fail("a name must not contain blanks, commas, '=' or quotes");
    next.variant = entry.text();
    next.text = fmt::format("{} {} {} {} {}", next.name, next.variant, next.problem, next.corners,
                            fmt::join(next.command, " "));
    peers.push_back(std::move(next));
  }
  if (peers.empty()) map.at("variants").fail("there are no variants");
  return peers;
}

}  // namespace

std::vector<queue_peer> load_peers(const fs::path& file) {
  const yaml_map map = tuner::parse_yaml(read_file(file), file.string()).map({"peers"});
  std::vector<queue_peer> peers;
  std::set<std::string> names;
  for (const yaml_value& item : map.at("peers").items()) {
    for (queue_peer& next : read_entry(item)) {
      if (!names.insert(next.problem + " " + next.name).second) {
        throw input_error(fmt::format("{}the peer '{}' is given twice", next.place.prefix(), next.name));
      }
      peers.push_back(std::move(next));
    }
  }
  return peers;
}

std::string locate(queue_peer& program) {
  const char* const path = std::getenv(program.variable.c_str());
  if (path == nullptr || *path == '\0') {
    return fmt::format("the environment variable {} is not set to the path of the program", program.variable);
  }
  if (!fs::exists(path)) return fmt::format("{} is '{}', which does not exist", program.variable, path);
  program.located = fs::absolute(path);
  return "";
}

std::string hash_of(const queue_peer& program) {
  content_hash hash;
  hash.add("queue peer").add(program.text);
  std::set<fs::path> files = {program.located};
  if (fs::is_directory(program.located)) {
    files.clear();
    for (auto entry = fs::recursive_directory_iterator(program.located); entry != fs::recursive_directory_iterator();
         ++entry) {
      if (entry->path().filename().string().starts_with('.')) {
        entry.disable_recursion_pending();
      } else if (entry->is_regular_file()) {
        files.insert(entry->path());
      }
    }
  }
  for (const fs::path& file : files) hash.add(file.lexically_relative(program.located).string()).add(read_file(file));
  return hash.hex();
}

}  // namespace mlmq::queue_peers
