// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mlmq::tuner {
namespace {

/// Time limit for the start of a worker; a driver may initialise slowly.
constexpr double start_within_ms = 120e3;
/// Duration after which silence and steps are reported to the user.
constexpr double noticeable_silence_ms = 3e3;
constexpr double noticeable_step_ms = 5e3;

double milliseconds(worker_watch::duration span) { return std::chrono::duration<double, std::milli>(span).count(); }

/// Shortens a description: "running l1=none,l2=bucket,… on road20 from 0".
std::string in_short(const std::string& doing) {
  constexpr std::size_t longest = 80;
  constexpr std::size_t beginning = 40;
  const auto suffix = doing.rfind(" on ");
  if (doing.size() <= longest || suffix == std::string::npos || suffix <= beginning) return doing;
  return doing.substr(0, beginning) + "…" + doing.substr(suffix);
}

}  // namespace

void worker_watch::start(time_point now) {
  hear(now);
  progress_ = 0;
  begin("starting", start_within_ms, now);
}

void worker_watch::begin(const std::string& doing, double within_ms, time_point now) {
  doing_ = doing;
  within_ms_ = within_ms;
  limit_ = within_ms > 0 ? limit::time : limit::progress;
  began_ = now;
  progressed_ = now;
}

void worker_watch::rest(time_point now) {
  begin("waiting for trials", 0, now);
  limit_ = limit::none;
}

void worker_watch::progress(std::uint64_t value, time_point now) {
  if (value == progress_) return;
  progress_ = value;
  progressed_ = now;
}

void worker_watch::forgive(duration pause) {
  heard_ += pause;
  began_ += pause;
  progressed_ += pause;
}

bool worker_watch::is_silent(time_point now) const { return milliseconds(now - heard_) > grace_ms_; }

std::optional<std::string> worker_watch::verdict(time_point now) const {
  if (is_silent(now)) return fmt::format("no sign of life for {:.4g} s while {}", grace_ms_ / 1000, doing_);
  switch (limit_) {
    case limit::time:
      if (milliseconds(now - began_) <= within_ms_ + grace_ms_) break;
      return fmt::format("{} did not finish within {:.4g} s, nor within {:.4g} s after that", doing_, within_ms_ / 1000,
                         grace_ms_ / 1000);
    case limit::progress:
      if (milliseconds(now - progressed_) <= grace_ms_) break;
      return fmt::format("{} made no progress for {:.4g} s", doing_, grace_ms_ / 1000);
    case limit::none:
      break;
  }
  return std::nullopt;
}

std::string worker_watch::waiting_for(time_point now) const {
  const double silence = milliseconds(now - heard_);
  if (silence > std::min(noticeable_silence_ms, grace_ms_ / 2)) {
    return fmt::format("no sign of life for {:.0f} s, {}", silence / 1000, in_short(doing_));
  }
  const double age = milliseconds(now - began_);
  if (limit_ == limit::none || age < noticeable_step_ms) return "";
  return fmt::format("{} for {:.0f} s", in_short(doing_), age / 1000);
}

}  // namespace mlmq::tuner
