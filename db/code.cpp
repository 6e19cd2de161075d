// SPDX-License-Identifier: Apache-2.0
#include "db/code.hpp"

#include <fmt/format.h>

#include "db/connection.hpp"
#include "db/rows.hpp"

namespace mlmq::db {

hidden_trials count_hidden_trials(const store& record, std::optional<std::int64_t> experiment) {
  connection& opened = record.access();
  if (opened.shows_single_code()) return {};
  return opened.read([&] {
    auto row = prepare(opened.database(),
                       "WITH hidden AS (SELECT device, kernel_source_hash FROM trial WHERE state = 'done' EXCEPT "
                       "SELECT device, kernel_source_hash FROM current_trial WHERE state = 'done') "
                       "SELECT count(*), count(DISTINCT kernel_source_hash) FROM trial WHERE state = 'done' AND "
                       "(?1 IS NULL OR id IN (SELECT trial FROM experiment_trial WHERE experiment = ?1)) AND "
                       "(device, kernel_source_hash) IN (SELECT device, kernel_source_hash FROM hidden)",
                       experiment);
    row.executeStep();
    hidden_trials hidden;
    read_all(row, hidden.count, hidden.versions);
    return hidden;
  });
}

std::string hidden_trials_text(const hidden_trials& hidden) {
  if (hidden.count == 0) return "";
  return fmt::format("{} finished trial{} of other kernel code ({} version{}) {} left out", hidden.count,
                     hidden.count == 1 ? "" : "s", hidden.versions, hidden.versions == 1 ? "" : "s",
                     hidden.count == 1 ? "is" : "are");
}

}  // namespace mlmq::db
