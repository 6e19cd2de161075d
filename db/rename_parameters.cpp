// SPDX-License-Identifier: Apache-2.0
#include "db/rename_parameters.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/renamed_parameters.hpp"
#include "db/records.hpp"

namespace mlmq::db {
namespace {

struct identified_configuration {
  std::int64_t id = 0;
  configuration_record record;
};

std::string parameters_with_current_names(const std::string& text) {
  const nlohmann::json former = nlohmann::json::parse(text);
  nlohmann::json current = nlohmann::json::object();
  for (const auto& [name, value] : former.items()) current[std::string(current_name(name))] = value;
  return current.dump();
}

void convert_configurations(SQLite::Database& database) {
  std::vector<identified_configuration> configurations;
  SQLite::Statement row(database, "SELECT id, problem, parameters, label FROM configuration");
  while (row.executeStep()) {
    identified_configuration entry{.id = row.getColumn(0).getInt64(),
                                   .record = {.problem = row.getColumn(1).getString(),
                                              .parameters_json = row.getColumn(2).getString(),
                                              .label = row.getColumn(3).getString()}};
    if (has_renamed_parameters(entry.record.problem)) configurations.push_back(std::move(entry));
  }
  SQLite::Statement update(database, "UPDATE configuration SET hash = ?1, parameters = ?2, label = ?3 WHERE id = ?4");
  for (identified_configuration& entry : configurations) {
    entry.record.parameters_json = parameters_with_current_names(entry.record.parameters_json);
    entry.record.label = label_with_current_names(entry.record.label);
    update.bind(1, entry.record.hash());
    update.bind(2, entry.record.parameters_json);
    update.bind(3, entry.record.label);
    update.bind(4, entry.id);
    update.exec();
    update.reset();
  }
}

struct identified_experiment {
  std::int64_t id = 0;
  std::string name;
  std::string text;
  std::string settings;
};

void convert_experiments(SQLite::Database& database) {
  // Experiments of a problem without renamed parameters keep their texts unchanged.
  SQLite::Statement row(database,
                        "SELECT id, name, space_text, settings FROM experiment WHERE EXISTS (SELECT 1 FROM "
                        "experiment_trial x JOIN trial t ON t.id = x.trial JOIN configuration c ON c.id = "
                        "t.configuration WHERE x.experiment = experiment.id AND c.problem IN ('sssp', 'bfs'))");
  std::vector<identified_experiment> experiments;
  while (row.executeStep()) {
    experiments.push_back({.id = row.getColumn(0).getInt64(),
                           .name = row.getColumn(1).getString(),
                           .text = text_with_current_names(row.getColumn(2).getString()),
                           .settings = row.getColumn(3).getString()});
  }
  SQLite::Statement update(database, "UPDATE experiment SET hash = ?1, space_text = ?2 WHERE id = ?3");
  for (const identified_experiment& entry : experiments) {
    update.bind(1, experiment_hash(entry.name, entry.text, entry.settings));
    update.bind(2, entry.text);
    update.bind(3, entry.id);
    update.exec();
    update.reset();
  }
}

}  // namespace

void rename_parameters(SQLite::Database& database) {
  convert_configurations(database);
  convert_experiments(database);
}

}  // namespace mlmq::db
