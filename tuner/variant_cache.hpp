// SPDX-License-Identifier: Apache-2.0
// Cache of compiled variants of one device, which compiles ahead on all cores.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "backends/backend.hpp"

namespace mlmq::tuner {

/// Thread-safe. The device must outlive the cache.
class variant_cache {
 public:
  using kernel_pointer = std::shared_ptr<const backends::kernel>;

  /// @param threads number of threads that compile ahead; 0: one per core
  explicit variant_cache(backends::backend& device, unsigned threads = 0);
  variant_cache(const variant_cache&) = delete;
  variant_cache& operator=(const variant_cache&) = delete;
  /// Waits for running compilations and drops the queued ones.
  ~variant_cache();

  /// Compiles these in the background, in this order, unless already known.
  void prefetch(std::span<const backends::kernel_source> sources);

  /// Returns the compiled variant. Waits for a running compilation, or compiles in the calling thread.
  /// @throws backends::compile_error on every call if the compilation failed
  [[nodiscard]] kernel_pointer get(const backends::kernel_source& source);

  /// Returns whether get() would not wait: the variant is compiled, or its compilation has failed.
  [[nodiscard]] bool is_ready(const backends::kernel_source& source) const;

  struct statistics {
    std::size_t variants = 0;   ///< compiled or read from the disk cache
    std::size_t from_disk = 0;  ///< of these, the variants read from the disk cache
    double compile_ms = 0;      ///< sum over the variants that were compiled
    double longest_ms = 0;
    double waited_ms = 0;  ///< wall time that callers of get() waited
  };
  [[nodiscard]] statistics totals() const;

 private:
  struct entry {
    backends::kernel_source source;
    std::promise<kernel_pointer> promise;
    std::shared_future<kernel_pointer> result = promise.get_future().share();
    bool begun = false;
  };

  static std::string key_of(const backends::kernel_source& source);
  entry& find_or_add(const backends::kernel_source& source);  // under the lock
  void compile(entry& work);
  void compile_ahead();

  backends::backend& device_;
  mutable std::mutex mutex_;
  std::condition_variable work_or_end_;
  bool ending_ = false;
  std::map<std::string, std::unique_ptr<entry>> entries_;
  std::deque<entry*> queue_;
  statistics totals_;
  std::vector<std::jthread> threads_;
};

}  // namespace mlmq::tuner
