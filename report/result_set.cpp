// SPDX-License-Identifier: Apache-2.0
#include "report/result_set.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

namespace mlmq::report {
namespace {

bool is_ok(const db::finished_trial& trial) { return trial.result == db::outcome::ok && trial.median_ms.has_value(); }

/// Sorts ids by `key` of their records. Returns pointers to the records, and the position of each id.
template <class Record, class Key>
std::pair<std::vector<const Record*>, std::map<std::int64_t, std::size_t>> in_order(
    const std::map<std::int64_t, Record>& records, std::vector<std::int64_t> ids, const Key& key) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::sort(ids.begin(), ids.end(),
            [&](std::int64_t a, std::int64_t b) { return key(records.at(a)) < key(records.at(b)); });
  std::vector<const Record*> ordered;
  std::map<std::int64_t, std::size_t> places;
  for (const std::int64_t id : ids) {
    places.emplace(id, ordered.size());
    ordered.push_back(&records.at(id));
  }
  return {std::move(ordered), std::move(places)};
}

result_set make_set(const db::whole_record& record, const std::string& problem, std::int64_t device,
                    std::vector<const db::finished_trial*> trials) {
  result_set set;
  set.problem = problem;
  set.device = &record.devices.at(device);
  std::vector<std::int64_t> configurations;
  std::vector<std::int64_t> workloads;
  for (const db::finished_trial* trial : trials) {
    configurations.push_back(trial->configuration);
    workloads.push_back(trial->workload);
  }
  std::tie(set.configurations, set.configuration_of) =
      in_order(record.configurations, std::move(configurations), [](const db::configuration_record& configuration) {
        return std::tie(configuration.label, configuration.parameters_json);
      });
  std::tie(set.workloads, set.workload_of) =
      in_order(record.workloads, std::move(workloads), [](const db::workload_record& workload) {
        return std::tie(workload.workload_class, workload.name, workload.hash);
      });
  std::map<std::pair<std::size_t, std::string_view>, std::vector<table_entry>> rows;
  for (const db::finished_trial* trial : trials) {
    if (trial->measurement != "time") continue;
    if (!trial->latest) {
      ++set.replaced;
      continue;
    }
    rows[{set.workload_of.at(trial->workload), trial->query}].push_back(
        {.configuration = set.configuration_of.at(trial->configuration), .trial = trial});
  }
  for (auto& [key, entries] : rows) {
    std::sort(entries.begin(), entries.end(),
              [](const table_entry& a, const table_entry& b) { return a.configuration < b.configuration; });
    set.rows.push_back({.workload = key.first, .query = std::string(key.second), .entries = std::move(entries)});
  }
  set.trials = std::move(trials);
  return set;
}

}  // namespace

std::size_t result_set::entry_count() const {
  return std::accumulate(rows.begin(), rows.end(), std::size_t{0},
                         [](std::size_t sum, const table_row& row) { return sum + row.entries.size(); });
}

std::vector<result_set> result_sets_of(const db::whole_record& record) {
  std::map<std::pair<std::string, std::int64_t>, std::vector<const db::finished_trial*>> trials;
  for (const db::finished_trial& trial : record.trials)
    trials[{record.configurations.at(trial.configuration).problem, trial.device}].push_back(&trial);
  std::vector<result_set> sets;
  for (auto& [key, of_set] : trials) {
    result_set set = make_set(record, key.first, key.second, std::move(of_set));
    if (!set.rows.empty()) sets.push_back(std::move(set));
  }
  std::stable_sort(sets.begin(), sets.end(), [](const result_set& a, const result_set& b) {
    const auto key = [](const result_set& set) {
      return std::tuple(std::string_view(set.problem), set.device->kind == "cpu", std::string_view(set.device->name));
    };
    return key(a) < key(b);
  });
  return sets;
}

double stopped_after(const db::finished_trial& trial) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  constexpr std::string_view words = "not finished after ";
  if (trial.result != db::outcome::timeout) return unknown;
  const auto position = trial.message.find(words);
  if (position == std::string::npos) return unknown;
  const char* const begin = trial.message.data() + position + words.size();
  const char* const end = trial.message.data() + trial.message.size();
  double limit = unknown;
  const auto [stop, error] = std::from_chars(begin, end, limit);
  if (error != std::errc() || !std::string_view(stop, end).starts_with(" ms")) return unknown;
  return limit;
}

void limit_entries(result_set& set, std::size_t most) {
  if (set.entry_count() <= most) return;
  struct value {
    bool is_best = false;
    double sum = 0;
    std::size_t entries = 0;
    std::size_t configuration = 0;
  };
  std::vector<value> values(set.configurations.size());
  for (std::size_t c = 0; c < values.size(); ++c) values[c].configuration = c;
  for (const table_row& row : set.rows) {
    double best = std::numeric_limits<double>::infinity();
    for (const table_entry& entry : row.entries) {
      if (is_ok(*entry.trial)) best = std::min(best, *entry.trial->median_ms);
    }
    for (const table_entry& entry : row.entries) {
      value& score = values[entry.configuration];
      ++score.entries;
      if (!is_ok(*entry.trial)) continue;
      score.is_best = score.is_best || *entry.trial->median_ms == best;
      score.sum += *entry.trial->median_ms > 0 ? best / *entry.trial->median_ms : 1;
    }
  }
  std::sort(values.begin(), values.end(), [](const value& a, const value& b) {
    return std::tuple(!a.is_best, -a.sum / static_cast<double>(std::max<std::size_t>(a.entries, 1)), a.configuration) <
           std::tuple(!b.is_best, -b.sum / static_cast<double>(std::max<std::size_t>(b.entries, 1)), b.configuration);
  });
  std::vector<bool> stays(values.size(), false);
  std::size_t kept_entries = 0;
  for (const value& candidate : values) {
    if (kept_entries + candidate.entries > most) continue;
    kept_entries += candidate.entries;
    stays[candidate.configuration] = candidate.entries > 0;
  }
  std::vector<std::size_t> place(values.size(), 0);
  std::vector<const db::configuration_record*> configurations;
  for (std::size_t c = 0; c < values.size(); ++c) {
    place[c] = configurations.size();
    if (stays[c]) configurations.push_back(set.configurations[c]);
  }
  for (table_row& row : set.rows) {
    std::vector<table_entry> entries;
    for (const table_entry& entry : row.entries) {
      if (stays[entry.configuration]) {
        entries.push_back({.configuration = place[entry.configuration], .trial = entry.trial});
      } else {
        ++row.left_out;
      }
    }
    row.entries = std::move(entries);
  }
  std::erase_if(set.configuration_of, [&](const auto& entry) { return !stays[entry.second]; });
  for (auto& [id, index] : set.configuration_of) index = place[index];
  set.hidden_configurations += set.configurations.size() - configurations.size();
  set.configurations = std::move(configurations);
}

}  // namespace mlmq::report
