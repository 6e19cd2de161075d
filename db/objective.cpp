// SPDX-License-Identifier: Apache-2.0
#include "db/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "db/connection.hpp"
#include "db/rows.hpp"

namespace mlmq::db {
namespace {

std::string quoted(const std::string& text) {
  std::string literal = "'";
  for (const char c : text) literal += c == '\'' ? "''" : std::string(1, c);
  return literal + "'";
}

/// Returns whether the costs `a` are at most `b` everywhere and less somewhere.
bool dominates(const std::vector<double>& a, const std::vector<double>& b) {
  bool is_better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    is_better = is_better || a[i] < b[i];
  }
  return is_better;
}

}  // namespace

std::string objectives_json(const std::vector<objective>& objectives) {
  if (objectives == std::vector{objective{}}) return "";
  nlohmann::json list = nlohmann::json::array();
  for (const objective& entry : objectives) {
    list.push_back({{"name", entry.name}, {"direction", entry.is_maximized ? "maximize" : "minimize"}});
  }
  return list.dump();
}

std::vector<objective> objectives_of(connection& source, std::int64_t experiment) {
  return source.read([&] {
    auto row = prepare(source.database(),
                       "SELECT json_extract(o.value, '$.name'), json_extract(o.value, '$.direction') = 'maximize' "
                       "FROM experiment e, json_each(e.settings, '$.objectives') o WHERE e.id = ?1 ORDER BY o.key",
                       experiment);
    std::vector<objective> objectives;
    while (row.executeStep()) {
      objective& entry = objectives.emplace_back();
      read_all(row, entry.name, entry.is_maximized);
    }
    if (objectives.empty()) objectives.emplace_back();
    return objectives;
  });
}

std::string cost_sql(const objective& criterion) {
  if (criterion.is_time()) return criterion.is_maximized ? "1 / nullif(t.median_ms, 0)" : "t.median_ms";
  return fmt::format("(SELECT {} FROM metric WHERE trial = t.id AND name = {} AND value {} 0)",
                     criterion.is_maximized ? "1 / value" : "value", quoted(criterion.name),
                     criterion.is_maximized ? ">" : ">=");
}

std::optional<double> trial_cost(const store& source, const objective& criterion, std::int64_t trial) {
  connection& opened = source.access();
  return opened.read([&]() -> std::optional<double> {
    auto row = prepare(opened.database(),
                       "SELECT " + cost_sql(criterion) + " FROM trial t WHERE t.id = ?1 AND t.outcome = 'ok'", trial);
    std::optional<double> cost;
    if (row.executeStep()) read_all(row, cost);
    return cost;
  });
}

std::vector<front_member> read_fronts(const store& source, std::int64_t experiment,
                                      const std::vector<objective>& objectives) {
  if (objectives.size() < 2) return {};
  std::string costs = "json_array(";
  for (std::size_t i = 0; i < objectives.size(); ++i) costs += (i == 0 ? "" : ", ") + cost_sql(objectives[i]);
  struct candidate {
    front_member member;
    std::vector<double> costs;
    [[nodiscard]] auto group() const { return std::tie(member.problem, member.workload, member.query, member.device); }
  };
  connection& opened = source.access();
  std::vector<candidate> candidates = opened.read([&] {
    std::vector<candidate> rows;
    auto row = prepare(opened.database(),
                       "SELECT c.problem, w.name, t.query, d.name, c.label, " + costs +
                           ") FROM latest t JOIN configuration c ON c.id = t.configuration "
                           "JOIN workload w ON w.id = t.workload JOIN device d ON d.id = t.device "
                           "WHERE t.measurement = 'time' AND t.outcome = 'ok' AND "
                           "t.id IN (SELECT trial FROM experiment_trial WHERE experiment = ?1) ORDER BY t.id",
                       experiment);
    while (row.executeStep()) {
      candidate entry;
      std::string numbers;
      read_all(row, entry.member.problem, entry.member.workload, entry.member.query, entry.member.device,
               entry.member.label, numbers);
      for (const nlohmann::json& number : nlohmann::json::parse(numbers)) {
        if (number.is_number()) entry.costs.push_back(number);
      }
      if (entry.costs.size() == objectives.size()) rows.push_back(std::move(entry));
    }
    return rows;
  });
  std::stable_sort(candidates.begin(), candidates.end(), [](const candidate& a, const candidate& b) {
    return std::tuple_cat(a.group(), std::tie(a.costs)) < std::tuple_cat(b.group(), std::tie(b.costs));
  });
  std::vector<front_member> fronts;
  for (const candidate& entry : candidates) {
    const auto surpasses = [&](const candidate& other) {
      return other.group() == entry.group() && dominates(other.costs, entry.costs);
    };
    if (std::ranges::any_of(candidates, surpasses)) continue;
    front_member member = entry.member;
    for (std::size_t i = 0; i < objectives.size(); ++i) member.values.push_back(objectives[i].value_of(entry.costs[i]));
    fronts.push_back(std::move(member));
  }
  return fronts;
}

}  // namespace mlmq::db
