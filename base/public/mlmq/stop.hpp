// SPDX-License-Identifier: Apache-2.0
// Ends calls of the library early, from another thread.
#pragma once

#include <stop_token>

#include "error.hpp"  // without its folder, which is not in the include path of the lower layers

namespace mlmq {

/// A call ended early because a stop of its thread's token was requested.
class MLMQ_API stopped_error : public work_error {
 public:
  stopped_error();
};

/// Makes calls of this thread stoppable during its lifetime: after a request they throw stopped_error, searches within
/// milliseconds. Scopes nest; the innermost one counts. Objects stay usable after a stopped call.
class MLMQ_API stop_scope {
 public:
  /// @param token  of the stop source with which another thread requests the stop
  explicit stop_scope(std::stop_token token) noexcept;
  stop_scope(const stop_scope&) = delete;
  stop_scope& operator=(const stop_scope&) = delete;
  ~stop_scope();

 private:
  std::stop_token outer_;
};

/// Returns the token of the thread's innermost stop_scope. Without a scope no stop can be requested of it.
[[nodiscard]] MLMQ_API const std::stop_token& stop_token_of_thread() noexcept;

/// Checks the token of the thread.
///
/// @throws stopped_error  if a stop was requested
MLMQ_API void throw_if_stopped();

}  // namespace mlmq
