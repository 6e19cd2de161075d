// SPDX-License-Identifier: Apache-2.0
// Stops calls of the library from another thread.
#pragma once

#include <stop_token>

#include "error.hpp"  // without its folder, which is not in the include path of the lower layers

namespace mlmq {

/// A call was stopped because the token of its thread received a stop request.
class MLMQ_API stopped_error : public work_error {
 public:
  stopped_error();
};

/// Makes calls of this thread stoppable during its lifetime: after a stop request they throw stopped_error, searches
/// within milliseconds. Scopes can be nested; the innermost one applies. Objects remain usable after a stopped call.
class MLMQ_API stop_scope {
 public:
  /// @param token  token of the stop source through which another thread requests the stop
  explicit stop_scope(std::stop_token token) noexcept;
  stop_scope(const stop_scope&) = delete;
  stop_scope& operator=(const stop_scope&) = delete;
  ~stop_scope();

 private:
  std::stop_token outer_;
};

/// Returns the token of the thread's innermost stop_scope. Without a scope, that token never receives a request.
[[nodiscard]] MLMQ_API const std::stop_token& stop_token_of_thread() noexcept;

/// Checks the token of the thread.
///
/// @throws stopped_error  if a stop was requested
MLMQ_API void throw_if_stopped();

}  // namespace mlmq
