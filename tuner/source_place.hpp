// SPDX-License-Identifier: Apache-2.0
// Where in the user's input something was written, so that every message can say so.
#pragma once

#include <string>

namespace mlmq::tuner {

/// A line of a file; empty for what did not come from a file.
struct source_place {
  std::string file;
  int line = 0;  ///< from 1; 0 when only the file is known

  /// "FILE:LINE: ", "FILE: ", or "": the start of every message about this place.
  [[nodiscard]] std::string prefix() const {
    if (file.empty()) return {};
    return line > 0 ? file + ":" + std::to_string(line) + ": " : file + ": ";
  }
};

}  // namespace mlmq::tuner
