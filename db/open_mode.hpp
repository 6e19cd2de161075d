// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlmq::db {

enum class open_mode {
  read_only,          ///< the file must exist; it is never changed
  read_write_create,  ///< missing folders and the file are created, an older schema is upgraded
};

}  // namespace mlmq::db
