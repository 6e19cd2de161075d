// SPDX-License-Identifier: Apache-2.0
// The conversion of schema version 3: configurations and experiments get the current names of renamed parameters.
#pragma once

namespace SQLite {
class Database;
}

namespace mlmq::db {

/// Converts all configurations, with their hashes, and the texts of experiments from former to current names
/// (base/renamed_parameters.hpp). Trials keep their configurations, and so their identity. Macros of compiled variants
/// keep their names, which belong to the version of the kernels that was compiled.
void rename_parameters(SQLite::Database& database);

}  // namespace mlmq::db
