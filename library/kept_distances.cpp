// SPDX-License-Identifier: Apache-2.0
#include "library/kept_distances.hpp"

#include "library/device_lock.hpp"

namespace mlmq::detail {
namespace {

/// Number of cached buffers: a caller may hold one solution while the next is computed.
constexpr std::size_t most_spare = 2;

}  // namespace

backends::device_memory spare_memory::take() {
  const std::lock_guard lock(mutex_);
  if (buffers_.empty()) return {};
  backends::device_memory last = std::move(buffers_.back());
  buffers_.pop_back();
  return last;
}

bool spare_memory::keep(backends::device_memory& memory) {
  const std::lock_guard lock(mutex_);
  if (is_closed_ || buffers_.size() >= most_spare) return false;
  buffers_.push_back(std::move(memory));
  return true;
}

void spare_memory::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  buffers_.clear();
}

kept_distances::~kept_distances() {
  const std::shared_ptr<spare_memory> spare = home.lock();
  if (spare == nullptr || !spare->keep(memory)) free_memory(*device, std::move(memory));
}

}  // namespace mlmq::detail
