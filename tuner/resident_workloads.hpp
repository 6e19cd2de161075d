// SPDX-License-Identifier: Apache-2.0
// The workloads that a worker keeps on its device, the least recently used one leaving first.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "db/sessions.hpp"
#include "tuner/problem.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::tuner {

class resident_workloads {
 public:
  /// One workload on the device. `instance` is null when it does not fit even alone; `too_large` then says why.
  struct resident {
    std::int64_t row = 0;
    std::uint64_t bytes = 0;  ///< of device memory, roughly
    std::unique_ptr<problem_instance> instance;
    std::string too_large;
  };

  /// Half of the device's memory is for workloads; the rest is for queues.
  resident_workloads(const problem& of, backends::backend& device, const std::vector<planned_workload>& workloads)
      : problem_(of), device_(device), workloads_(workloads), capacity_(device.info().memory_bytes / 2) {}

  /// Brings the workload to the device unless it is there. Adds the time it took to times.load and times.upload.
  /// @param name for the message. @throws input_error for a workload that is not among those given, has become another one,
  ///   or cannot be read
  resident& get(std::int64_t row, const std::string& name, db::session_times& times);

  [[nodiscard]] bool holds(std::int64_t row) const;

  /// Takes all workloads but the one used last from the device. @return whether there was one
  bool keep_only_newest();

 private:
  [[nodiscard]] const planned_workload& planned(std::int64_t row, const std::string& name) const;
  void make_room(std::uint64_t bytes);

  const problem& problem_;
  backends::backend& device_;
  const std::vector<planned_workload>& workloads_;
  std::uint64_t capacity_;
  std::list<resident> residents_;  // the one used last is the first
};

}  // namespace mlmq::tuner
