// SPDX-License-Identifier: Apache-2.0
// Trained models.
#include "db/store.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "db/connection.hpp"
#include "db/rows.hpp"

namespace mlmq::db {

std::int64_t store::put_model(const model_record& model) {
  auto& database = connection_->database();
  const std::string hash = model.hash();
  return connection_->write([&] {
    prepare(database,
            fmt::format("INSERT INTO model (hash, created, algorithm, json, training) VALUES (?1, "
                        "{}, ?2, ?3, ?4) "
                        "ON CONFLICT (hash) DO UPDATE SET created = excluded.created, training = "
                        "excluded.training",
                        now),
            hash, model.algorithm, model.json,
            canonical_json(model.training_json, "the training description of a model"))
        .exec();
    return require_id(database, "model", hash);
  });
}

model_record store::model(const std::string& hash) const {
  auto found = connection_->read([&] {
    auto row = prepare(connection_->database(), "SELECT algorithm, json, training FROM model WHERE hash = ?1", hash);
    std::optional<model_record> result;
    if (row.executeStep()) {
      result = model_record{row.getColumn(0).getString(), row.getColumn(1).getString(), row.getColumn(2).getString()};
    }
    return result;
  });
  if (!found) throw input_error(fmt::format("{}: there is no model {}", file().string(), hash));
  return *found;
}

std::optional<model_record> store::newest_model(const std::optional<std::string>& algorithm) const {
  return connection_->read([&] {
    auto row = prepare(connection_->database(),
                       "SELECT algorithm, json, training FROM model WHERE ?1 IS NULL OR algorithm = ?1 "
                       "ORDER BY created DESC, id DESC LIMIT 1",
                       algorithm);
    std::optional<model_record> result;
    if (row.executeStep()) {
      result = model_record{row.getColumn(0).getString(), row.getColumn(1).getString(), row.getColumn(2).getString()};
    }
    return result;
  });
}

}  // namespace mlmq::db
