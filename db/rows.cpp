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

workload_record read_workload(SQLite::Database& database, std::int64_t id) {
  auto row = prepare(
      database, "SELECT hash, kind, name, class, family, origin, bytes, description FROM workload WHERE id = ?1", id);
  if (!row.executeStep()) throw std::invalid_argument(fmt::format("there is no workload {}", id));
  workload_record workload;
  read_all(row, workload.hash, workload.kind, workload.name, workload.workload_class, workload.family, workload.origin,
           workload.bytes, workload.description_json);
  auto feature = prepare(database, "SELECT name, value FROM workload_feature WHERE workload = ?1 ORDER BY name", id);
  while (feature.executeStep()) {
    auto& [name, value] = workload.features.emplace_back();
    read_all(feature, name, value);
  }
  return workload;
}

}  // namespace mlmq::db
