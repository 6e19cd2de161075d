// SPDX-License-Identifier: Apache-2.0
// Common base of the parts of a store.
#pragma once

namespace mlmq::db {

class connection;

/// Base of the classes whose calls use one connection, which outlives the object. Every call is one transaction. Any
/// call may throw work_error for
/// the database itself (disk full, locked, read-only, I/O) and input_error if the file turns out to be damaged. The
/// message names the file.
class store_part {
 public:
  explicit store_part(connection& shared_connection) : connection_(&shared_connection) {}

 protected:
  connection* connection_;
};

}  // namespace mlmq::db
