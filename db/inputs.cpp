// SPDX-License-Identifier: Apache-2.0
// What trials are of: devices, hosts, graphs and configurations.
#include "db/store.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

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

std::int64_t store::put_device(const device_record& device) {
  auto& database = connection_->database();
  const std::string hash = device.hash();
  return connection_->write([&] {
    prepare(database,
            "INSERT INTO device (hash, name, kind, architecture, memory_bytes, multiprocessors, "
            "description) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (hash) DO UPDATE SET description = "
            "excluded.description WHERE description <> excluded.description",
            hash, device.name, device.kind, device.architecture, device.memory_bytes, device.multiprocessors,
            canonical_json(device.description_json, "the description of a device"))
        .exec();
    return require_id(database, "device", hash);
  });
}

std::int64_t store::put_host(const host_record& host) {
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

std::int64_t store::put_graph(const graph_record& graph) {
  auto& database = connection_->database();
  for (const auto& [name, value] : graph.features) {
    if (!std::isfinite(value)) {
      throw std::invalid_argument(fmt::format("graph {}: feature {} is not finite", graph.name, name));
    }
  }
  return connection_->write([&] {
    prepare(database,
            "INSERT INTO graph (hash, name, class, path, vertices, edges, weight_type, family) VALUES (?1, ?2, ?3, ?4, "
            "?5, ?6, ?7, ?8) ON CONFLICT (hash) DO UPDATE SET name = excluded.name, class = excluded.class, path = "
            "excluded.path, family = excluded.family WHERE name <> excluded.name OR class <> excluded.class OR path <> "
            "excluded.path OR family <> excluded.family",
            graph.hash, graph.name, graph.graph_class, graph.path, graph.vertices, graph.edges, graph.weight_type,
            graph.family)
        .exec();
    const std::int64_t id = require_id(database, "graph", graph.hash);
    auto insert = prepare(database,
                          "INSERT INTO graph_feature (graph, name, value) VALUES (?1, ?2, ?3) ON "
                          "CONFLICT (graph, name) "
                          "DO UPDATE SET value = excluded.value WHERE value <> excluded.value");
    for (const auto& [name, value] : graph.features) {
      bind_all(insert, id, name, value);
      insert.exec();
    }
    return id;
  });
}

std::int64_t store::put_configuration(const configuration_record& configuration) {
  return connection_->write([&] { return upsert_configuration(connection_->database(), configuration); });
}

std::vector<std::int64_t> store::put_configurations(std::span<const configuration_record> configurations) {
  return connection_->write([&] {
    std::vector<std::int64_t> ids;
    ids.reserve(configurations.size());
    for (const configuration_record& configuration : configurations) {
      ids.push_back(upsert_configuration(connection_->database(), configuration));
    }
    return ids;
  });
}

device_record store::device(std::int64_t id) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(),
                       "SELECT name, kind, architecture, memory_bytes, multiprocessors, "
                       "description FROM device WHERE "
                       "id = ?1",
                       id);
    if (!row.executeStep()) throw std::invalid_argument(fmt::format("there is no device {}", id));
    device_record device;
    read_all(row, device.name, device.kind, device.architecture, device.memory_bytes, device.multiprocessors,
             device.description_json);
    return device;
  });
}

graph_record store::graph(std::int64_t id) const {
  return connection_->read([&] { return read_graph(connection_->database(), id); });
}

std::vector<graph_record> store::graphs() const {
  auto& database = connection_->database();
  return connection_->read([&] {
    std::vector<graph_record> all;
    auto row = prepare(database, "SELECT id FROM graph ORDER BY name, hash");
    while (row.executeStep()) all.push_back(read_graph(database, row.getColumn(0).getInt64()));
    return all;
  });
}

configuration_record store::configuration(std::int64_t id) const {
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
