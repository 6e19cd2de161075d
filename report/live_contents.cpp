// SPDX-License-Identifier: Apache-2.0
#include "report/live_contents.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <utility>

namespace mlmq::report {
namespace {

constexpr int refresh_seconds = 2;
constexpr int pause_per_collecting = 10;

/// Sizes and times of the databases and of their write-ahead logs.
std::string state_of(const std::vector<std::string>& databases) {
  std::string state;
  for (const std::string& database : databases) {
    for (const char* const suffix : {"", "-wal"}) {
      std::error_code ignored;
      const std::filesystem::path file = database + suffix;
      const auto bytes = std::filesystem::file_size(file, ignored);
      const auto changed = std::filesystem::last_write_time(file, ignored).time_since_epoch().count();
      state += fmt::format("{} {} ", bytes, changed);
    }
  }
  return state;
}

}  // namespace

live_contents::live_contents(std::vector<std::string> databases, const contents_options& options)
    : databases_(std::move(databases)), options_(options) {
  options_.requires_trials = false;
  collect_now();
}

void live_contents::refresh() {
  if (std::chrono::steady_clock::now() >= next_ && state_of(databases_) != state_) collect_now();
}

std::string live_contents::tag() const { return fmt::format("\"{}\"", version_); }

void live_contents::collect_now() {
  const auto begin = std::chrono::steady_clock::now();
  // Read before the databases: a trial that is stored while they are read is then found by the next refresh.
  std::string state = state_of(databases_);
  contents_ = collect(databases_, options_, fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))));
  contents_.data["refresh_seconds"] = refresh_seconds;
  ++version_;
  contents_.data["tag"] = tag();
  state_ = std::move(state);
  const auto end = std::chrono::steady_clock::now();
  next_ = end + pause_per_collecting * (end - begin);
}

}  // namespace mlmq::report
