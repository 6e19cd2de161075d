// SPDX-License-Identifier: Apache-2.0
#include "tuner/variant_cache.hpp"

#include <algorithm>
#include <chrono>

namespace mlmq::tuner {

variant_cache::variant_cache(backends::backend& device, unsigned threads) : device_(device) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { compile_ahead(); });
}

variant_cache::~variant_cache() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_or_end_.notify_all();
}

std::string variant_cache::key_of(const backends::kernel_source& query) {
  std::string key = query.folder + '/' + query.file + ' ' + query.entry + ' ' + std::to_string(query.block_threads);
  for (const auto& [name, value] : query.defines) key += ' ' + name + '=' + value;
  return key;
}

variant_cache::entry& variant_cache::find_or_add(const backends::kernel_source& query) {
  std::unique_ptr<entry>& found = entries_[key_of(query)];
  if (found == nullptr) {
    found = std::make_unique<entry>();
    found->query = query;
  }
  return *found;
}

void variant_cache::prefetch(std::span<const backends::kernel_source> queries) {
  {
    const std::lock_guard lock(mutex_);
    for (const backends::kernel_source& query : queries) {
      const bool known = entries_.contains(key_of(query));
      entry& work = find_or_add(query);
      if (!known) queue_.push_back(&work);
    }
  }
  work_or_end_.notify_all();
}

variant_cache::kernel_pointer variant_cache::get(const backends::kernel_source& query) {
  const auto start = std::chrono::steady_clock::now();
  entry* work = nullptr;
  bool compile_here = false;
  {
    const std::lock_guard lock(mutex_);
    work = &find_or_add(query);
    compile_here = !work->begun;
    work->begun = true;
  }
  if (compile_here) compile(*work);
  work->result.wait();
  {
    const std::lock_guard lock(mutex_);
    totals_.waited_ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  return work->result.get();
}

void variant_cache::compile(entry& work) {
  try {
    kernel_pointer compiled = device_.compile(work.query);
    const backends::kernel_properties& properties = compiled->properties();
    {
      const std::lock_guard lock(mutex_);
      ++totals_.variants;
      if (properties.from_cache) {
        ++totals_.from_disk;
      } else {
        totals_.compile_ms += properties.compile_ms;
        totals_.longest_ms = std::max(totals_.longest_ms, properties.compile_ms);
      }
    }
    work.promise.set_value(std::move(compiled));
  } catch (...) {
    work.promise.set_exception(std::current_exception());
  }
}

void variant_cache::compile_ahead() {
  for (;;) {
    entry* work = nullptr;
    {
      std::unique_lock lock(mutex_);
      work_or_end_.wait(lock, [this] { return ending_ || !queue_.empty(); });
      if (ending_) return;
      work = queue_.front();
      queue_.pop_front();
      if (work->begun) continue;
      work->begun = true;
    }
    compile(*work);
  }
}

variant_cache::statistics variant_cache::totals() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

}  // namespace mlmq::tuner
