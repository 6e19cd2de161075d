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

std::string variant_cache::key_of(const backends::kernel_source& source) {
  std::string key = source.folder + '/' + source.file + ' ' + source.entry + ' ' + std::to_string(source.block_threads);
  for (const auto& [name, value] : source.defines) key += ' ' + name + '=' + value;
  for (const std::string& function : source.functions) key += '\n' + function;
  for (const std::string& option : source.options) key += '\n' + option;
  return key;
}

variant_cache::entry& variant_cache::find_or_add(const backends::kernel_source& source) {
  std::unique_ptr<entry>& slot = entries_[key_of(source)];
  if (slot == nullptr) {
    slot = std::make_unique<entry>();
    slot->source = source;
  }
  return *slot;
}

void variant_cache::prefetch(std::span<const backends::kernel_source> sources) {
  {
    const std::lock_guard lock(mutex_);
    for (const backends::kernel_source& source : sources) {
      const bool is_known = entries_.contains(key_of(source));
      entry& work = find_or_add(source);
      if (!is_known) queue_.push_back(&work);
    }
  }
  work_or_end_.notify_all();
}

variant_cache::kernel_pointer variant_cache::get(const backends::kernel_source& source) {
  const auto start = std::chrono::steady_clock::now();
  entry* work = nullptr;
  bool compile_here = false;
  {
    const std::lock_guard lock(mutex_);
    work = &find_or_add(source);
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

bool variant_cache::is_ready(const backends::kernel_source& source) const {
  const std::lock_guard lock(mutex_);
  const auto known_entry = entries_.find(key_of(source));
  return known_entry != entries_.end() &&
         known_entry->second->result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

void variant_cache::compile(entry& work) {
  try {
    kernel_pointer compiled = device_.compile(work.source);
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
