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

void resident_workloads::remove_last() {
  used_bytes_ -= residents_.back().bytes;
  places_.erase(residents_.back().row);
  residents_.pop_back();
}

bool resident_workloads::keep_only_newest() {
  bool any = false;
  while (residents_.size() > 1) {
    any = any || residents_.back().instance != nullptr;
    remove_last();
  }
  return any;
}

void resident_workloads::make_room(std::uint64_t bytes) {
  while (!residents_.empty() && used_bytes_ + bytes > capacity_) remove_last();
}

resident_workloads::resident& resident_workloads::get(const planned_workload& planned, db::session_times& times) {
  const auto match = places_.find(planned.row);
  if (match != places_.end()) {
    residents_.splice(residents_.begin(), residents_, match->second);
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
      remove_last();
    }
  }
  times.upload += milliseconds_since(start);
  used_bytes_ += fresh.bytes;
  residents_.push_front(std::move(fresh));
  places_[planned.row] = residents_.begin();
  return residents_.front();
}

}  // namespace mlmq::tuner
