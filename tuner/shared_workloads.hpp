// SPDX-License-Identifier: Apache-2.0
// Shares loaded workloads with the other processes of a sweep, so that only one process reads or generates them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/descriptor.hpp"
#include "tuner/workload.hpp"

namespace mlmq::tuner {

struct planned_workload;

/// Memory that a process may use for shared workloads. Thread-safe.
class sharing_budget {
 public:
  sharing_budget(std::uint64_t bytes, std::size_t count) : bytes_(bytes), count_(count) {}

  /// Returns the budget of this process, an eighth of this machine's memory.
  [[nodiscard]] static std::shared_ptr<sharing_budget> of_machine();

  /// Reserves memory for one workload. @return false if the budget does not suffice
  [[nodiscard]] bool reserve(std::uint64_t bytes);
  void release(std::uint64_t bytes);
  /// Returns whether reserve() has failed since the last call.
  [[nodiscard]] bool take_refused();

 private:
  std::mutex mutex_;
  std::uint64_t bytes_;  // left
  std::size_t count_;    // left
  bool refused_ = false;
};

/// A workload in an anonymous file in memory. The system frees the memory when this object is destroyed, or this
/// process ends, and no process maps the file any more.
class shared_workload {
 public:
  /// Copies a workload. @return null if its kind does not support that or the budget does not suffice
  [[nodiscard]] static std::shared_ptr<const shared_workload> copy_of(const workload_kind& kind, const workload& loaded,
                                                                      std::shared_ptr<sharing_budget> budget);
  shared_workload(const shared_workload&) = delete;
  shared_workload& operator=(const shared_workload&) = delete;
  ~shared_workload();

  /// Returns the name under which processes of the same user can open the file.
  [[nodiscard]] std::string file() const;

 private:
  shared_workload(descriptor file, std::uint64_t bytes, std::shared_ptr<sharing_budget> budget);

  descriptor file_;
  std::uint64_t bytes_;
  std::shared_ptr<sharing_budget> budget_;
};

/// Returns the workload from its shared file if there is one, else loads it. @throws what workload_kind::load() throws
[[nodiscard]] std::unique_ptr<workload> restore_or_load(const workload_kind& kind, const planned_workload& planned);

}  // namespace mlmq::tuner
