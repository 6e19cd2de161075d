// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "backends/registry.hpp"
#include "base/error.hpp"
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

std::shared_ptr<device_data> single_device(const device& handle, std::string_view user) {
  if (handle.members().size() > 1)
    throw input_error(fmt::format("{}: {} on one device, not on several", handle.facts().selector, user));
  return access::share(handle);
}

namespace {

std::shared_ptr<device_data> open(const std::string& selector) {
  return std::make_shared<device_data>(backends::open_device(selector));
}

/// Opening a GPU takes a tenth of a second, so all are opened at the same time.
std::vector<std::shared_ptr<device_data>> open_all(std::span<const std::string> selectors) {
  std::vector<std::future<std::shared_ptr<device_data>>> opened;
  for (const std::string& selector : selectors) opened.push_back(std::async(std::launch::async, open, selector));
  std::vector<std::shared_ptr<device_data>> devices;
  for (auto& device : opened) devices.push_back(device.get());
  return devices;
}

device_facts facts_of(std::span<const std::shared_ptr<device_data>> devices) {
  device_facts joined = devices.front()->facts;
  for (const std::shared_ptr<device_data>& next : devices.subspan(1)) {
    const device_facts& facts = next->facts;
    joined.selector += "," + facts.selector;
    joined.kind += "," + facts.kind;
    joined.name += "," + facts.name;
    joined.modelled = joined.modelled || facts.modelled;
    joined.array_ms = std::max(joined.array_ms, facts.array_ms);
    joined.byte_ms = std::max(joined.byte_ms, facts.byte_ms);
  }
  return joined;
}

}  // namespace

void require_room(const device& opened, const graph::graph_size& size, problem kind, const std::string& name) {
  for (const device& member : opened.members()) {
    const device_lock lock(*access::share(member));
    translated([&] {
      backends::backend& backend = *access::get(member).backend;
      backend.enter();
      problems::require_room(backend, static_cast<graph::vertex_id>(size.vertices), size.edges,
                             graph::weight_type::uint32, kind == problem::bfs, name);
    });
  }
}

const backends::device_info& info_of(const device& opened) { return access::get(opened).backend->info(); }

}  // namespace detail

device::device(const std::string& selector) {
  detail::translated([&] {
    std::vector<std::string> selectors = backends::list_search_devices(selector);
    if (selector == "auto") selectors.resize(1);
    std::vector<std::shared_ptr<detail::device_data>> devices = detail::open_all(selectors);
    data_ = devices.front();
    if (devices.size() == 1) return;
    const device_facts facts = detail::facts_of(devices);
    group_ = std::make_shared<const detail::device_group>(
        detail::device_group{.members = std::move(devices), .facts = facts});
  });
}

const device_facts& device::facts() const noexcept { return group_ == nullptr ? data_->facts : group_->facts; }

std::vector<device> device::members() const {
  if (group_ == nullptr) return {*this};
  std::vector<device> devices;
  for (const std::shared_ptr<detail::device_data>& member : group_->members) devices.push_back(device(member));
  return devices;
}

void device::set_seed(std::uint64_t seed) {
  for (const device& member : members()) {
    const detail::device_lock lock(*member.data_);
    member.data_->backend->set_seed(seed);
  }
}

}  // namespace mlmq
