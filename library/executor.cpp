// SPDX-License-Identifier: Apache-2.0
#include "library/executor.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "base/error.hpp"

namespace mlmq::detail {

executor::executor(std::shared_ptr<device_data> on, digraph searched, problem which)
    : device_(std::move(on)),
      graph_(std::move(searched)),
      kind_(which),
      searched_(which == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp) {}

executor::~executor() {
  const std::lock_guard lock(device_->mutex);
  try {
    device_->own->enter();
  } catch (const std::exception&) {
    // The device is lost; what is left there goes with the process.
  }
  here_.instance.reset();
  there_.instance.reset();
}

processors& executor::host() const {
  if (!device_->host) device_->host.emplace();
  return *device_->host;
}

double executor::upload(resident& to, backends::backend& device) const {
  if (to.instance != nullptr) return 0;
  return milliseconds_of([&] { to.instance = searched_.load_graph(device, data().csr, data().name); });
}

resident& executor::make_ready(const attempt& tried, tuner::instrumentation mode, solve_times& times) {
  resident& place = tried.on_host ? there_ : here_;
  backends::backend& device = tried.on_host ? host().backend() : *device_->own;
  problems::require_fit(problems::solver_of(tried.configuration), device.info());
  times.upload += upload(place, device);
  const std::pair wanted(tried.configuration.label(), mode);
  if (place.is_prepared && place.prepared == wanted) return place;
  std::shared_ptr<const backends::kernel>& compiled = place.kernels[wanted];
  if (compiled == nullptr) {
    compiled = device.compile(place.instance->variant(tried.configuration, mode));
    times.compile += compiled->properties().compile_ms;
    times.compiled = !compiled->properties().from_cache;
  }
  place.is_prepared = false;
  times.prepare += milliseconds_of([&] { place.instance->prepare(tried.configuration, compiled, mode); });
  place.prepared = wanted;
  place.is_prepared = true;
  return place;
}

solution executor::run(resident& place, const attempt& tried, vertex source, tuner::instrumentation mode,
                       double time_limit_ms, solve_times times) {
  const tuner::run_report report = place.instance->run_from(source, time_limit_ms);
  if (report.result != db::outcome::ok) {
    using reason = search_error::reason;
    throw search_error(fmt::format("{}: {}: {}", data().name, db::to_string(report.result), report.message),
                       report.result == db::outcome::timeout    ? reason::time_limit
                       : report.result == db::outcome::overflow ? reason::queue_full
                                                                : reason::failed);
  }
  times.solve = report.milliseconds;
  if (mode == tuner::instrumentation::none) {
    resident::mean& mean = place.solve_ms[tried.configuration.label()];
    mean.sum += report.milliseconds;
    ++mean.count;
  }
  const auto answer = std::make_shared<solution_data>(graph_, kind_, source);
  times.download = milliseconds_of([&] { answer->distances = place.instance->all_distances(); });
  answer->chosen = described(tried);
  answer->times = times;
  answer->counters = report.counters;
  answer->timeline = intervals_of(report.timeline);
  return access::make<solution>(std::shared_ptr<const solution_data>(answer));
}

mlmq::choice executor::described(const attempt& tried) const {
  return {.configuration = tried.configuration.label(),
          .device = tried.on_host ? device_->host->backend().info().selector : device_->facts.selector,
          .device_name = tried.on_host ? device_->host->backend().info().name : device_->facts.name,
          .by = tried.by,
          .predicted = tried.predicted,
          .reason = tried.reason};
}

}  // namespace mlmq::detail
