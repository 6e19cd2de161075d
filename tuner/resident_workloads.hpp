// SPDX-License-Identifier: Apache-2.0
// LRU cache of the workloads on a worker's device.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/backend.hpp"
#include "db/sessions.hpp"
#include "tuner/problem.hpp"
#include "tuner/sweep_plan.hpp"
#include "tuner/workload_loader.hpp"

namespace mlmq::tuner {

class resident_workloads {
 public:
  /// One workload on the device. `instance` is null if the workload does not fit; `too_large` then has the reason.
  struct resident {
    std::int64_t row = 0;
    std::uint64_t bytes = 0;  ///< approximate device memory
    std::unique_ptr<problem_instance> instance;
    std::string too_large;
  };

  /// Creates a cache that uses half of the device memory for workloads; the rest is for queues.
  /// @param loader provides workloads in host memory; must outlive this, as must the others
  resident_workloads(const problem& problem, backends::backend& device, workload_loader& loader)
      : problem_(problem), device_(device), loader_(loader), capacity_(device.info().memory_bytes / 2) {}

  /// Returns the workload, after uploading it if necessary. Adds the time to times.load and times.upload.
  /// @throws input_error for a workload that has changed or cannot be read
  resident& get(const planned_workload& planned, db::session_times& times);

  [[nodiscard]] bool holds(std::int64_t row) const { return places_.contains(row); }
  /// Returns a workload that is on the device; null for others.
  [[nodiscard]] const problem_instance* find(std::int64_t row) const {
    const auto place = places_.find(row);
    return place == places_.end() ? nullptr : place->second->instance.get();
  }

  /// Evicts all workloads except the most recently used one. @return whether any was evicted
  bool keep_only_newest();

 private:
  void make_room(std::uint64_t bytes);

  const problem& problem_;
  backends::backend& device_;
  workload_loader& loader_;
  std::uint64_t capacity_;
  void remove_last();

  std::list<resident> residents_;                                           // most recently used first
  std::unordered_map<std::int64_t, std::list<resident>::iterator> places_;  // by row
  std::uint64_t used_bytes_ = 0;
};

}  // namespace mlmq::tuner
