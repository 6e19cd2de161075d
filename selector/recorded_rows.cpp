// SPDX-License-Identifier: Apache-2.0
#include "selector/recorded_rows.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "tuner/configuration.hpp"

namespace mlmq::selector {
namespace {

std::optional<candidate> candidate_of(const std::string& parameters_json) {
  const auto configuration = tuner::configuration::from_json(parameters_json);
  if (tuner::peer_name(configuration)) return std::nullopt;
  candidate result{.label = configuration.label(), .parameters = {}};
  for (const auto& [name, value] : configuration.values()) result.parameters.emplace_back(name, tuner::to_text(value));
  return result;
}

void add(recorded_rows& rows, const db::training_data& data) {
  std::map<std::int64_t, std::size_t> place_of;
  for (const auto& [id, one] : data.workloads) {
    place_of.emplace(id, rows.workloads.size());
    rows.workloads.push_back({.hash = one.hash,
                              .name = one.name,
                              .workload_class = one.workload_class,
                              .family = one.family,
                              .is_generated = one.origin.empty(),
                              .features = features_of(one)});
  }
  std::map<std::int64_t, std::optional<std::size_t>> candidate_at;
  for (const db::training_row& row : data.rows) {
    const auto [place, is_new] = candidate_at.try_emplace(row.configuration);
    if (is_new) {
      if (auto configuration = candidate_of(std::string(row.parameters_json))) {
        place->second = rows.candidates.size();
        rows.candidates.push_back(*std::move(configuration));
      }
    }
    if (place->second)
      rows.trials.push_back({.workload = place_of.at(row.workload),
                             .query = std::string(row.query),
                             .device = rows.devices.find(std::string(row.device_hash))->first,
                             .candidate = *place->second,
                             .milliseconds = row.cost,  // or the cost by another objective
                             .spread = row.spread.value_or(0),
                             .samples = static_cast<std::size_t>(row.samples)});
  }
}

}  // namespace

named_features features_of(const db::workload_record& record) {
  return {record.features.begin(), record.features.end()};
}

recorded_rows read_rows(const std::vector<std::string>& databases, const std::string& problem,
                        const std::vector<db::trial_filter>& scopes, const std::string& code) {
  recorded_rows rows;
  for (const std::string& file : databases) {
    const auto store = db::store::open_record(file, code);
    const db::hidden_trials hidden = db::count_hidden_trials(store);
    rows.other_code.count += hidden.count;
    rows.other_code.versions += hidden.versions;
    for (db::trial_filter filter : scopes) {
      filter.problem = problem;
      const db::training_data data = store.training(filter);
      for (const db::training_row& row : data.rows) {
        if (std::string hash(row.device_hash); !rows.devices.contains(hash))
          rows.devices.emplace(std::move(hash), store.device(row.device));
      }
      try {
        add(rows, data);
      } catch (const input_error& error) {
        throw input_error(fmt::format("{}: the database is damaged: {}", file, error.what()));
      }
    }
  }
  return rows;
}

}  // namespace mlmq::selector
