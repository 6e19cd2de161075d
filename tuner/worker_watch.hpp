// SPDX-License-Identifier: Apache-2.0
// Whether a worker still works, by what it has told and when. docs/internals/sweeps.md has the rule in words.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace mlmq::tuner {

/// Of one worker process. Every time is the caller's, and never goes back.
class worker_watch {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using duration = std::chrono::steady_clock::duration;

  explicit worker_watch(double grace_ms) : grace_ms_(grace_ms) {}

  /// A new process: it is silent from now on, and is starting.
  void start(time_point now);
  /// Something has come from it, whatever it was.
  void hear(time_point now) { heard_ = now; }
  /// It begins something that ends within `within_ms`; 0: nobody knows, but its beats tell that it goes on.
  void begin(const std::string& doing, double within_ms, time_point now);
  /// It waits for orders, for as long as they take.
  void rest(time_point now);
  /// What a beat told of the device's progress.
  void progress(std::uint64_t value, time_point now);
  /// The one who watches has not looked for so long: that is nobody's silence.
  void forgive(duration pause);

  /// Silent for longer than the grace.
  [[nodiscard]] bool is_silent(time_point now) const;
  /// Why it has to be killed; nothing while it may go on.
  [[nodiscard]] std::optional<std::string> verdict(time_point now) const;
  /// For a person, when there is something to wait for: "no sign of life for 4 s, loading road20"; else "".
  [[nodiscard]] std::string waiting_for(time_point now) const;
  [[nodiscard]] const std::string& doing() const { return doing_; }

 private:
  enum class limit {
    time,      ///< within_ms_ and the grace
    progress,  ///< the grace since it was seen to go on
    none,
  };

  double grace_ms_;
  time_point heard_;
  time_point began_;
  time_point progressed_;
  std::uint64_t progress_ = 0;
  std::string doing_;
  limit limit_ = limit::none;
  double within_ms_ = 0;
};

}  // namespace mlmq::tuner
