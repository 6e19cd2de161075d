// SPDX-License-Identifier: Apache-2.0
#include "tuner/resident_workloads.hpp"

#include <algorithm>
#include <chrono>

#include "base/error.hpp"
#include "base/stopwatch.hpp"

namespace mlmq::tuner {
namespace {

using clock = std::chrono::steady_clock;

}  // namespace

bool resident_workloads::holds(std::int64_t row) const {
  return std::any_of(residents_.begin(), residents_.end(), [row](const resident& entry) { return entry.row == row; });
}

bool resident_workloads::keep_only_newest() {
  const bool any = std::any_of(residents_.begin(), residents_.end(), [this](const resident& entry) {
    return entry.instance != nullptr && &entry != &residents_.front();
  });
  if (any) residents_.resize(1);
  return any;
}

void resident_workloads::make_room(std::uint64_t bytes) {
  std::uint64_t used = 0;
  for (const resident& entry : residents_) used += entry.bytes;
  while (!residents_.empty() && used + bytes > capacity_) {
    used -= residents_.back().bytes;
    residents_.pop_back();
  }
}

resident_workloads::resident& resident_workloads::get(const planned_workload& planned, db::session_times& times) {
  const auto match = std::find_if(residents_.begin(), residents_.end(),
                                  [&](const resident& entry) { return entry.row == planned.row; });
  if (match != residents_.end()) {
    residents_.splice(residents_.begin(), residents_, match);
    return residents_.front();
  }
  auto start = clock::now();
  const std::unique_ptr<workload> loaded = loader_.take(planned);
  times.load += milliseconds_since(start);
  if (loaded->record.hash != planned.hash) {
    throw input_error((planned.input.file.empty() ? planned.input.name : planned.input.file) +
                      ": the workload has changed since the sweep began; run the command again");
  }
  resident fresh;
  fresh.row = planned.row;
  fresh.bytes = loaded->record.bytes;
  start = clock::now();
  make_room(fresh.bytes);
  while (fresh.instance == nullptr) {
    try {
      fresh.instance = problem_.load(device_, *loaded);
    } catch (const backends::out_of_device_memory& error) {
      if (residents_.empty()) {
        fresh.too_large = error.what();
        fresh.bytes = 0;
        break;
      }
      residents_.pop_back();
    }
  }
  times.upload += milliseconds_since(start);
  residents_.push_front(std::move(fresh));
  return residents_.front();
}

}  // namespace mlmq::tuner
