// SPDX-License-Identifier: Apache-2.0
// The inputs of trials: devices, hosts, workloads and configurations.
#include "db/inputs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "base/printable.hpp"
#include "db/connection.hpp"
#include "db/rows.hpp"

namespace mlmq::db {
namespace {

std::int64_t upsert_configuration(SQLite::Database& database, const configuration_record& configuration) {
  const std::string hash = configuration.hash();
  prepare(database,
          "INSERT INTO configuration (hash, problem, parameters, label) VALUES (?1, ?2, ?3, ?4) "
          "ON CONFLICT (hash) DO UPDATE SET label = excluded.label WHERE label <> excluded.label",
          hash, configuration.problem,
          canonical_json(configuration.parameters_json, "the parameters of a configuration"), configuration.label)
      .exec();
  return require_id(database, "configuration", hash);
}

}  // namespace

std::int64_t trial_inputs::put_device(const device_record& device) {
  auto& database = connection_->database();
  const std::string hash = device.hash();
  return connection_->write([&] {
    prepare(database,
            "INSERT INTO device (hash, name, kind, modelled, architecture, memory_bytes, multiprocessors, "
            "description) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (hash) DO UPDATE SET description = "
            "excluded.description WHERE description <> excluded.description",
            hash, device.name, device.kind, device.modelled, device.architecture, device.memory_bytes,
            device.multiprocessors, canonical_json(device.description_json, "the description of a device"))
        .exec();
    return require_id(database, "device", hash);
  });
}

std::int64_t trial_inputs::put_host(const host_record& host) {
  auto& database = connection_->database();
  const std::string hash = host.hash();
  return connection_->write([&] {
    prepare(database,
            "INSERT INTO host (hash, name, description) VALUES (?1, ?2, ?3) ON CONFLICT (hash) DO "
            "NOTHING",
            hash, host.name, canonical_json(host.description_json, "the description of a host"))
        .exec();
    return require_id(database, "host", hash);
  });
}

std::int64_t trial_inputs::put_workload(const workload_record& workload) {
  auto& database = connection_->database();
  for (const auto& [name, value] : workload.features) {
    if (!std::isfinite(value)) {
      throw std::invalid_argument(fmt::format("workload {}: feature {} is not finite", workload.name, name));
    }
  }
  return connection_->write([&] {
    prepare(
        database,
        "INSERT INTO workload (hash, kind, name, class, family, origin, bytes, description) VALUES (?1, ?2, ?3, ?4, "
        "?5, ?6, ?7, ?8) ON CONFLICT (hash) DO UPDATE SET name = excluded.name, class = excluded.class, family = "
        "excluded.family, origin = excluded.origin, bytes = excluded.bytes, description = excluded.description "
        "WHERE (name, class, family, origin, bytes, description) <> (excluded.name, excluded.class, "
        "excluded.family, excluded.origin, excluded.bytes, excluded.description)",
        workload.hash, workload.kind, workload.name, workload.workload_class, workload.family, as_utf8(workload.origin),
        workload.bytes, canonical_json(workload.description_json, "the description of a workload"))
        .exec();
    const std::int64_t id = require_id(database, "workload", workload.hash);
    auto insert = prepare(database,
                          "INSERT INTO workload_feature (workload, name, value) VALUES (?1, ?2, ?3) ON "
                          "CONFLICT (workload, name) "
                          "DO UPDATE SET value = excluded.value WHERE value <> excluded.value");
    for (const auto& [name, value] : workload.features) {
      bind_all(insert, id, name, value);
      insert.exec();
    }
    return id;
  });
}

std::int64_t trial_inputs::put_configuration(const configuration_record& configuration) {
  return connection_->write([&] { return upsert_configuration(connection_->database(), configuration); });
}

std::vector<std::int64_t> trial_inputs::put_configurations(std::span<const configuration_record> configurations) {
  return connection_->write([&] {
    std::vector<std::int64_t> ids;
    ids.reserve(configurations.size());
    for (const configuration_record& configuration : configurations) {
      ids.push_back(upsert_configuration(connection_->database(), configuration));
    }
    return ids;
  });
}

device_record trial_inputs::device(std::int64_t id) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(),
                       "SELECT name, kind, modelled, architecture, memory_bytes, multiprocessors, "
                       "description FROM device WHERE "
                       "id = ?1",
                       id);
    if (!row.executeStep()) throw std::invalid_argument(fmt::format("there is no device {}", id));
    device_record device;
    read_all(row, device.name, device.kind, device.modelled, device.architecture, device.memory_bytes,
             device.multiprocessors, device.description_json);
    return device;
  });
}

workload_record trial_inputs::workload(std::int64_t id) const {
  return connection_->read([&] { return read_workload(connection_->database(), id); });
}

std::vector<workload_record> trial_inputs::workloads() const {
  auto& database = connection_->database();
  return connection_->read([&] {
    std::vector<workload_record> records;
    auto row = prepare(database, "SELECT id FROM workload ORDER BY name, hash");
    while (row.executeStep()) records.push_back(read_workload(database, row.getColumn(0).getInt64()));
    return records;
  });
}

configuration_record trial_inputs::configuration(std::int64_t id) const {
  return connection_->read([&] {
    auto row =
        prepare(connection_->database(), "SELECT problem, parameters, label FROM configuration WHERE id = ?1", id);
    if (!row.executeStep()) throw std::invalid_argument(fmt::format("there is no configuration {}", id));
    configuration_record configuration;
    read_all(row, configuration.problem, configuration.parameters_json, configuration.label);
    return configuration;
  });
}

}  // namespace mlmq::db
