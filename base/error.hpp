// SPDX-License-Identifier: Apache-2.0
// The exceptions that carry a message for the user. Every message names the file and line, or the key, and what to do.
#pragma once

#include <stdexcept>

namespace mlmq {

/// The user's input cannot be used: a file, an option or a key. The program exits with status 2.
class input_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The input was fine, but the work failed: I/O, a device, a wrong answer. The program exits with status 1.
class work_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace mlmq
