// SPDX-License-Identifier: Apache-2.0
// Location in the user's input, for messages.
#pragma once

#include <string>

namespace mlmq::tuner {

/// A line of a file; empty if the input did not come from a file.
struct source_place {
  std::string file;
  int line = 0;  ///< line number from 1; 0: only the file is known

  /// Returns the start of a message about this place: "FILE:LINE: ", "FILE: ", or "".
  [[nodiscard]] std::string prefix() const {
    if (file.empty()) return {};
    return line > 0 ? file + ":" + std::to_string(line) + ": " : file + ": ";
  }
};

}  // namespace mlmq::tuner
