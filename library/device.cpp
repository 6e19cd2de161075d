// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "backends/registry.hpp"
#include "library/access.hpp"
#include "library/conversions.hpp"
#include "library/device_data.hpp"
#include "library/device_lock.hpp"
#include "library/errors.hpp"
#include "library/transfer_cost.hpp"

namespace mlmq {
namespace detail {

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

device adopt(std::unique_ptr<backends::backend> opened) {
  return access::make<device>(std::make_shared<device_data>(std::move(opened)));
}

const backends::device_info& info_of(const device& opened) { return access::get(opened).backend->info(); }

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
