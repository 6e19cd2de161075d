// SPDX-License-Identifier: Apache-2.0
// The exceptions of libmlmq. Every message is one readable line: it names the file and line, or the key, and says what
// to do. Apart from these, functions throw std::bad_alloc.
#pragma once

#include <stdexcept>
#include <string>

/// Marks the exported symbols of the shared library; all others are hidden.
#define MLMQ_API __attribute__((visibility("default")))

namespace mlmq {

/// The caller's input cannot be used: a file, a graph in memory, a source, a configuration, the name of a device.
/// The command `mlmq` exits with status 2.
class MLMQ_API input_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The input was fine, but the work failed: I/O, a device, a wrong answer. The command `mlmq` exits with status 1.
class MLMQ_API work_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// This search cannot run on this device: it needs too many threads or too much shared memory, or its solver is for
/// another kind of device.
class MLMQ_API unsuitable_error : public work_error {
 public:
  using work_error::work_error;
};

/// A kernel could not be compiled; what() is the compiler's log.
class MLMQ_API compile_error : public work_error {
 public:
  using work_error::work_error;
};

/// A device does not have enough memory; what() names the purpose and both sizes.
class MLMQ_API memory_error : public work_error {
 public:
  using work_error::work_error;
};

/// A device failed while it worked.
class MLMQ_API device_error : public work_error {
 public:
  device_error(const std::string& message, bool is_lost) : work_error(message), lost(is_lost) {}
  /// True if the device can no longer be used in this process.
  bool lost;
};

/// A search was started but did not produce an answer.
class MLMQ_API search_error : public work_error {
 public:
  /// time_limit: the search did not finish in time. queue_full: a queue was full at its maximum size. failed: any other
  /// cause.
  enum class reason { time_limit, queue_full, failed };

  search_error(const std::string& message, reason cause) : work_error(message), why(cause) {}
  reason why;
};

}  // namespace mlmq
