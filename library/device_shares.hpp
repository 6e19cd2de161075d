// SPDX-License-Identifier: Apache-2.0
// Divides the searches of a request among the devices of a solver, which work at the same time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <string>

namespace mlmq::detail {

/// Message of the error if the weights of a solver cannot change.
inline constexpr const char* searches_run = "weights cannot change while searches of the same solver run";

/// Consecutive searches of a request.
struct search_range {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Returns part `index` (from 0) of `count` equal parts of a range, in whole units from its beginning.
[[nodiscard]] search_range part_of(const search_range& whole, std::size_t index, std::size_t count, std::size_t unit);

/// Calls `search` with parts of all searches, each device in a thread of its own, until none is left. Devices of one
/// name get equal parts at once, because each further launch would cost time. Others take parts when they are free, the
/// larger the faster they have been.
///
/// The stop token of this thread is also that of the others. If a device fails, the others are stopped.
/// @param names   of the devices
/// @param unit    parts consist of whole units of searches; at least 1
/// @param search  receives the index of the device and its part
/// @throws the exception of the device that failed first
void share_searches(std::span<const std::string> names, std::size_t searches, std::size_t unit,
                    const std::function<void(std::size_t device, const search_range& part)>& search);

/// Keeps requests that several devices share apart from changes of the weights, which all devices make together.
class shared_requests {
 public:
  /// One request, from construction to destruction.
  class request {
   public:
    /// Waits for the end of a change. @param calls_back  whether the caller's function receives results meanwhile
    /// @throws stopped_error
    request(shared_requests& requests, bool calls_back);
    request(const request&) = delete;
    request& operator=(const request&) = delete;
    ~request();

   private:
    shared_requests& requests_;
    bool calls_back_;
  };
  /// One change, from construction to destruction.
  class change {
   public:
    /// Waits for the end of all requests.
    /// @throws input_error  if one of them calls back, since its callback may be what makes the change
    /// @throws stopped_error
    explicit change(shared_requests& requests);
    change(const change&) = delete;
    change& operator=(const change&) = delete;
    ~change();

   private:
    shared_requests& requests_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::size_t requests_ = 0;
  std::size_t with_callbacks_ = 0;
  bool is_changing_ = false;
};

}  // namespace mlmq::detail
