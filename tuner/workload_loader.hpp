// SPDX-License-Identifier: Apache-2.0
// Reads the next workloads of a worker in background threads while its device measures.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "tuner/load_budget.hpp"
#include "tuner/sweep_plan.hpp"
#include "tuner/workload.hpp"

namespace mlmq::tuner {

class workload_loader {
 public:
  /// @param kind must outlive the loader
  /// @param threads number of background threads, which start with the first request; 0: nothing is read ahead
  workload_loader(const workload_kind& kind, unsigned threads, load_budget budget);
  workload_loader(const workload_loader&) = delete;
  workload_loader& operator=(const workload_loader&) = delete;
  /// Waits for the workloads that are being read.
  ~workload_loader();

  [[nodiscard]] bool reads_ahead() const { return thread_count_ > 0; }

  /// Reads these workloads in the background, in this order, as far as the budget allows. Drops all others.
  void read_ahead(std::span<const planned_workload> next);

  /// Returns whether take() would not wait.
  [[nodiscard]] bool has_read(std::int64_t row) const;

  /// Returns the workload, which the loader then forgets. Waits while a thread is reading it, and reads it in the
  /// calling thread if none has begun. @throws what workload_kind::load() throws
  [[nodiscard]] std::unique_ptr<workload> take(const planned_workload& planned);

 private:
  enum class stage { waiting, reading, read };
  struct entry {
    planned_workload planned;
    std::uint64_t size = 0;
    stage state = stage::waiting;
    bool is_wanted = true;
    std::unique_ptr<workload> loaded = nullptr;
    std::exception_ptr error = nullptr;
  };
  using entry_list = std::list<entry>;

  void read_in_background();
  void read(entry& work);
  entry_list::iterator find(std::int64_t row);
  entry_list::iterator next_to_read();
  void remove(entry_list::iterator place);

  const workload_kind& kind_;
  unsigned thread_count_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  load_budget budget_;
  entry_list entries_;  // in the order of the last request
  bool ending_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace mlmq::tuner
