// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <stop_token>
#include <utility>
#include <vector>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"
#include "library/impl.hpp"

namespace mlmq {
namespace detail {

selector::transfer_cost measure_transfer(backends::backend& device) {
  constexpr std::size_t small = std::size_t{4} << 10;
  constexpr std::size_t large = std::size_t{8} << 20;
  constexpr int attempts = 3;
  const std::vector<std::byte> data(large);
  const auto least_ms = [&](std::size_t bytes) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < attempts; ++i) {
      least = std::min(least, milliseconds_of([&] {
                         const backends::device_memory memory = device.allocate(bytes, "measuring transfers");
                         device.upload(memory, data.data(), bytes);
                       }));
    }
    return least;
  };
  const double least_small = least_ms(small);
  const double byte_ms = std::max(0.0, least_ms(large) - least_small) / static_cast<double>(large - small);
  return {.array_ms = std::max(0.0, least_small - static_cast<double>(small) * byte_ms), .byte_ms = byte_ms};
}

device_data::device_data(std::unique_ptr<backends::backend> opened)
    : process_id(::getpid()), backend(std::move(opened)) {
  const backends::device_info& info = backend->info();
  if (!info.modelled) transfer = measure_transfer(*backend);
  facts = {.selector = info.selector,
           .kind = info.kind,
           .name = info.name,
           .modelled = info.modelled,
           .array_ms = transfer.array_ms,
           .byte_ms = transfer.byte_ms};
}

device_data::~device_data() {
  if (!is_inherited()) return;
  // Destructors would wait for threads that do not exist in a forked process. The memory is freed with the process.
  static_cast<void>(queue.release());
  static_cast<void>(backend.release());
  if (host) host->abandon();
}

bool device_data::is_inherited() const noexcept { return ::getpid() != process_id; }

namespace {

void enter(device_data& device) noexcept {
  try {
    device.backend->enter();
  } catch (const std::exception&) {
    // The device is lost; its resources are freed with the process.
  }
}

}  // namespace

void device_data::free(backends::device_memory memory) noexcept {
  if (user.load() == std::this_thread::get_id()) {
    discarded.push_back(std::move(memory));
    return;
  }
  const device_lock lock(*this, device_lock::may_nest{});
  enter(*this);
  memory = backends::device_memory();
}

void device_lock::take() noexcept {
  device_.queue->is_busy = true;
  device_.user = std::this_thread::get_id();
  owns_ = true;
}

void device_lock::wait_unstoppably() noexcept {
  std::unique_lock waiting(device_.queue->mutex);
  device_.queue->idle.wait(waiting, [this] { return !device_.queue->is_busy; });
  take();
}

void device_lock::lock() {
  if (owns_) {
    device_.user = std::this_thread::get_id();
    return;
  }
  std::unique_lock waiting(device_.queue->mutex);
  if (!device_.queue->idle.wait(waiting, stop_token_of_thread(), [this] { return !device_.queue->is_busy; })) {
    throw stopped_error();
  }
  take();
}

device_lock::device_lock(device_data& device) : device_(device) {
  if (device.is_inherited()) {
    throw work_error(
        fmt::format("{} was opened before this process was forked, which does not copy its threads: open the "
                    "device in this process, and make solvers with it",
                    device.facts.selector));
  }
  if (device.user.load() == std::this_thread::get_id()) {
    throw work_error(device.facts.selector + " is already in use by the call that called this function");
  }
  lock();
}

device_lock::device_lock(device_data& device, may_nest) noexcept : device_(device) {
  if (!device.is_inherited() && device.user.load() != std::this_thread::get_id()) wait_unstoppably();
}

device_lock::~device_lock() { unlock(); }

void device_lock::unlock() noexcept {
  if (!owns_) return;
  if (!device_.discarded.empty()) {
    enter(device_);
    device_.discarded.clear();
  }
  owns_ = false;
  device_.user = std::thread::id();
  {
    const std::lock_guard held(device_.queue->mutex);
    device_.queue->is_busy = false;
  }
  device_.queue->idle.notify_one();
}

device adopt(std::unique_ptr<backends::backend> opened) {
  return access::make<device>(std::make_shared<device_data>(std::move(opened)));
}

}  // namespace detail

device::device(const std::string& selector)
    : data_(detail::translated([&] {
        return std::make_shared<detail::device_data>(
            backends::open_device(selector == "auto" ? backends::list_search_devices(selector).front() : selector));
      })) {}

const device_facts& device::facts() const noexcept { return data_->facts; }

void device::set_seed(std::uint64_t seed) {
  const detail::device_lock lock(*data_);
  data_->backend->set_seed(seed);
}

}  // namespace mlmq
