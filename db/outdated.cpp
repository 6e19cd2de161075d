// SPDX-License-Identifier: Apache-2.0
#include "db/outdated.hpp"

#include "db/connection.hpp"
#include "db/rows.hpp"

namespace mlmq::db {

std::vector<pending_code> pending_code_of(const store& in, std::int64_t experiment) {
  connection& opened = in.access();
  return opened.read([&] {
    auto row = prepare(opened.database(),
                       "SELECT DISTINCT c.id, c.parameters, t.kernel_source_hash FROM experiment_trial e "
                       "JOIN trial t ON t.id = e.trial JOIN configuration c ON c.id = t.configuration "
                       "WHERE e.experiment = ?1 AND t.state = 'pending'",
                       experiment);
    std::vector<pending_code> result;
    while (row.executeStep()) {
      pending_code& entry = result.emplace_back();
      read_all(row, entry.configuration, entry.parameters_json, entry.kernel_source_hash);
    }
    return result;
  });
}

std::size_t drop_pending(store& in, std::int64_t experiment, const pending_code& code) {
  connection& opened = in.access();
  return opened.write([&] {
    SQLite::Database& database = opened.database();
    const int dropped = prepare(database,
                                "DELETE FROM experiment_trial WHERE experiment = ?1 AND trial IN (SELECT id FROM trial "
                                "WHERE configuration = ?2 AND kernel_source_hash = ?3 AND state = 'pending')",
                                experiment, code.configuration, code.kernel_source_hash)
                            .exec();
    prepare(database,
            "DELETE FROM trial WHERE configuration = ?1 AND kernel_source_hash = ?2 AND state = 'pending' AND NOT "
            "EXISTS (SELECT 1 FROM experiment_trial e WHERE e.trial = trial.id)",
            code.configuration, code.kernel_source_hash)
        .exec();
    return static_cast<std::size_t>(dropped);
  });
}

}  // namespace mlmq::db
