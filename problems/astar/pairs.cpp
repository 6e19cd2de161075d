// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/error.hpp"
#include "base/random.hpp"

namespace mlmq::astar {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t standard_pairs = 4096;

constexpr std::array settings{
    tuner::named_meaning{"pairs", "number of searches, starts and goals uniform over the free cells [4096]"},
    tuner::named_meaning{"seed", "seed of `pairs` [1]"},
    tuner::named_meaning{"concurrent", "number of the searches that run at a time [as the configuration says]"},
    tuner::named_meaning{"scenarios", "scenario file in the map's folder; own: the map's name with .scen"},
    tuner::named_meaning{"first", "number of the first scenario [0]"},
    tuner::named_meaning{"count", "number of scenarios [all]"}};

void require_known(const tuner::query_rule& rule) {
  tuner::require_known_settings(rule, settings);
  const bool from_file = rule.find("scenarios") != nullptr;
  for (const char* const name : {"pairs", "seed"}) {
    if (const auto* setting = rule.find(name); from_file && setting != nullptr)
      setting->fail("it cannot be combined with 'scenarios'");
  }
  for (const char* const name : {"first", "count"}) {
    if (const auto* setting = rule.find(name); !from_file && setting != nullptr)
      setting->fail("it requires 'scenarios'");
  }
}

std::uint64_t number_or(const tuner::setting* setting, std::uint64_t standard, std::uint64_t least) {
  return setting == nullptr ? standard : setting->whole_number(least);
}

void check_count(const tuner::setting* setting, std::uint64_t count) {
  if (setting != nullptr && count > most_searches) {
    setting->fail(fmt::format("{} searches, expected at most {}", count, most_searches));
  }
}

std::string scenario_name(const grid_workload& workload, const std::string& name) {
  return name == "own" ? map_name_of(workload) + ".scen" : name;
}

tuner::query scenario_query(const grid_workload& workload, const tuner::query_rule& rule) {
  const tuner::setting& scenarios = *rule.find("scenarios");
  const std::string name = scenario_name(workload, scenarios.value());
  try {
    const scenario_file read = scenarios_of(workload, name);
    const std::uint64_t first = number_or(rule.find("first"), 0, 0);
    if (first >= read.scenarios.size()) {
      rule.find("first")->fail(fmt::format("{} has {} scenarios", name, read.scenarios.size()));
    }
    const std::uint64_t remaining = read.scenarios.size() - first;
    const std::uint64_t count = number_or(rule.find("count"), remaining, 1);
    if (count > remaining) {
      rule.find("count")->fail(fmt::format("{} has {} scenarios, counted from number {}", name, remaining, first));
    }
    return {{"scenarios", name},
            {"content", read.content},
            {"first", std::to_string(first)},
            {"count", std::to_string(count)}};
  } catch (const input_error& error) {
    const std::string prefix = scenarios.place.prefix();
    const std::string message = error.what();
    throw input_error(!prefix.empty() && message.starts_with(scenarios.place.file) ? message : prefix + message);
  }
}

void require_free_cells(const grid_workload& workload) {
  if (workload.map.free_cells() == 0) {
    throw input_error(fmt::format("{} has no free cell, so no search can start on it", workload.record.name));
  }
}

search_set listed_searches(const grid_workload& workload, const tuner::query& query) {
  const std::string& name = query.at("scenarios");
  const scenario_file read = scenarios_of(workload, name);
  if (read.content != query.at("content")) {
    throw input_error(
        fmt::format("the content of {} ({}) is not that of the query '{}'", name, read.content, query.text()));
  }
  const std::uint64_t first = query.whole_number("first");
  const std::uint64_t count = query.whole_number("count");
  if (count == 0 || first >= read.scenarios.size() || count > read.scenarios.size() - first) {
    throw input_error(fmt::format("query '{}': {} has only {} scenarios", query.text(), name, read.scenarios.size()));
  }
  search_set set;
  for (std::uint64_t i = first; i < first + count; ++i) {
    set.pairs.push_back({.start = read.scenarios[i].start, .goal = read.scenarios[i].goal});
    set.printed.push_back(read.scenarios[i].length);
  }
  return set;
}

}  // namespace

std::span<const tuner::named_meaning> pair_settings() { return settings; }

std::string map_name_of(const grid_workload& workload) {
  const fs::path file(workload.record.origin);
  return (file.extension() == ".gz" ? file.stem() : file.filename()).string();
}

scenario_file scenarios_of(const grid_workload& workload, const std::string& requested_name) {
  if (workload.record.origin.empty()) {
    throw input_error(
        fmt::format("'scenarios': {} is generated; only maps from files have scenarios", workload.record.name));
  }
  const std::string name = scenario_name(workload, requested_name);
  if (name.empty() || fs::path(name).filename() != name || name.find_first_of(":=,") != std::string::npos) {
    throw input_error(fmt::format("'scenarios': expected the name of a file in the folder of the map, got '{}'", name));
  }
  const fs::path path = fs::path(workload.record.origin).parent_path() / name;
  fs::path file = path;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) file += ".gz";
  if (!fs::exists(file, ignored)) throw input_error(fmt::format("{}: no such file", path.string()));
  return read_scenarios(file, workload.map, map_name_of(workload));
}

std::uint64_t count_queries(const tuner::query_rules& rules) {
  for (const tuner::query_rule& rule : rules) {
    require_known(rule);
    check_count(rule.find("pairs"), number_or(rule.find("pairs"), 1, 1));
    (void)number_or(rule.find("seed"), 1, 0);
    check_count(rule.find("concurrent"), number_or(rule.find("concurrent"), 1, 1));
    (void)number_or(rule.find("first"), 0, 0);
    (void)number_or(rule.find("count"), 1, 1);
    if (const auto* setting = rule.find("scenarios")) (void)setting->value();
  }
  return rules.empty() ? 1 : rules.size();
}

std::vector<tuner::query> queries_of(const grid_workload& workload, const tuner::query_rules& rules) {
  (void)count_queries(rules);
  require_free_cells(workload);
  if (rules.empty()) return {{{"pairs", std::to_string(standard_pairs)}, {"seed", "1"}}};
  std::vector<tuner::query> queries;
  for (const tuner::query_rule& rule : rules) {
    tuner::query query;
    if (rule.find("scenarios") != nullptr) {
      query = scenario_query(workload, rule);
    } else {
      const tuner::setting* const pairs = rule.find("pairs");
      query = {{"pairs", std::to_string(number_or(pairs, standard_pairs, 1))},
               {"seed", std::to_string(number_or(rule.find("seed"), 1, 0))}};
    }
    if (const tuner::setting* const concurrent = rule.find("concurrent"))
      query.set("concurrent", std::to_string(concurrent->whole_number(1)));
    if (std::find(queries.begin(), queries.end(), query) == queries.end()) queries.push_back(std::move(query));
  }
  return queries;
}

search_set searches_of(const grid_workload& workload, const tuner::query& query) {
  require_free_cells(workload);
  const std::string* const concurrent = query.find("concurrent");
  const std::size_t names = query.size() - (concurrent != nullptr ? 1 : 0);
  search_set set;
  if (query.find("scenarios") != nullptr) {
    if (names != 4)
      throw input_error(fmt::format("query '{}': expected scenarios, content, first and count", query.text()));
    set = listed_searches(workload, query);
  } else {
    if (names != 2) throw input_error(fmt::format("query '{}': expected pairs and seed", query.text()));
    const std::uint64_t count = query.whole_number("pairs");
    if (count < 1 || count > most_searches) {
      throw input_error(fmt::format("query '{}': expected 1 to {} pairs", query.text(), most_searches));
    }
    set.pairs = drawn_pairs(workload.map, count, query.whole_number("seed"));
  }
  if (concurrent == nullptr) return set;
  set.concurrent = query.whole_number("concurrent");
  if (set.concurrent < 1 || set.concurrent > set.pairs.size()) {
    throw input_error(fmt::format("query '{}': {} searches cannot run at a time, expected 1 to {}", query.text(),
                                  set.concurrent, set.pairs.size()));
  }
  return set;
}

std::vector<cell_pair> drawn_pairs(const grid& map, std::uint64_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> free;
  for (std::uint32_t cell = 0; cell < map.numbers(); ++cell) {
    if (map.is_free(cell)) free.push_back(cell);
  }
  random_stream random{std::uint64_t{0x7061697273}, seed};
  std::vector<cell_pair> pairs(count);
  for (cell_pair& pair : pairs) {
    pair.start = free[random.below(free.size())];
    pair.goal = free[random.below(free.size())];
  }
  return pairs;
}

}  // namespace mlmq::astar
