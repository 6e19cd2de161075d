// SPDX-License-Identifier: Apache-2.0
#include "db/rows.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace mlmq::db {

std::int64_t require_id(SQLite::Database& database, const char* table, const std::string& hash) {
  auto select = prepare(database, fmt::format("SELECT id FROM {} WHERE hash = ?1", table), hash);
  if (!select.executeStep()) throw std::logic_error(fmt::format("no {} {}", table, hash));
  return select.getColumn(0).getInt64();
}

graph_record read_graph(SQLite::Database& database, std::int64_t id) {
  auto row = prepare(
      database, "SELECT hash, name, class, path, weight_type, vertices, edges, family FROM graph WHERE id = ?1", id);
  if (!row.executeStep()) throw std::invalid_argument(fmt::format("there is no graph {}", id));
  graph_record graph;
  read_all(row, graph.hash, graph.name, graph.graph_class, graph.path, graph.weight_type, graph.vertices, graph.edges,
           graph.family);
  auto feature = prepare(database, "SELECT name, value FROM graph_feature WHERE graph = ?1 ORDER BY name", id);
  while (feature.executeStep()) {
    auto& [name, value] = graph.features.emplace_back();
    read_all(feature, name, value);
  }
  return graph;
}

}  // namespace mlmq::db
