// SPDX-License-Identifier: Apache-2.0
#include "library/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <limits>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "graph/check.hpp"
#include "tuner/variant_cache.hpp"

namespace mlmq::detail {

executor::executor(std::shared_ptr<device_data> on, digraph searched, problem which)
    : device_(std::move(on)),
      graph_(std::move(searched)),
      kind_(which),
      searched_(which == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp),
      rows_(are_rows_here() ? std::make_shared<problems::row_store>(*device_->own, data().elsewhere->rows)
                            : std::make_shared<problems::row_store>()) {}

executor::~executor() {
  const device_lock lock(*device_, device_lock::may_nest{});
  try {
    device_->own->enter();
  } catch (const std::exception&) {
    // The device is lost; what is left there goes with the process.
  }
  here_.instance.reset();
  there_.instance.reset();
  finisher_.reset();
  spare_->close();
}

processors& executor::host() const {
  if (!device_->host) device_->host.emplace();
  return *device_->host;
}

void executor::upload(resident& to, backends::backend& device, solve_times& times) const {
  if (to.instance != nullptr) return;
  add_time(times.upload, times, data(),
           [&] { to.instance = searched_.load_graph(device, data().csr, data().name, rows_.get()); });
}

double executor::upload() {
  solve_times times;
  upload(times);
  return times.upload + times.mirror;
}

void executor::compile_all(std::span<const std::shared_ptr<const attempt>> all, tuner::instrumentation mode) {
  std::vector<std::pair<std::string, backends::kernel_source>> missing;
  std::vector<backends::kernel_source> variants;
  for (const std::shared_ptr<const attempt>& one : all) {
    const std::string& label = one->configuration.label();
    if (here_.kernels[{label, mode}] != nullptr) continue;
    try {
      variants.push_back(here_.instance->variant(one->configuration, mode));
      missing.emplace_back(label, variants.back());
    } catch (const backends::launch_error&) {
      // Who makes it ready is told.
    }
  }
  if (missing.size() < 2) return;
  const auto threads = std::min<std::size_t>(missing.size(), std::max(1U, std::thread::hardware_concurrency()));
  tuner::variant_cache together(*device_->own, static_cast<unsigned>(threads));
  together.prefetch(variants);
  for (const auto& [label, variant] : missing) {
    try {
      here_.kernels[{label, mode}] = together.get(variant);
    } catch (const backends::compile_error&) {
      // Likewise.
    }
  }
}

resident& executor::make_ready(const attempt& tried, tuner::instrumentation mode, solve_times& times) {
  resident& place = tried.on_host ? there_ : here_;
  backends::backend& device = tried.on_host ? host().backend() : *device_->own;
  problems::require_fit(problems::solver_of(tried.configuration), device.info());
  upload(place, device, times);
  const std::string& label = tried.configuration.label();
  if (place.is_prepared && place.prepared.second == mode && place.prepared.first == label) return place;
  const std::pair wanted(label, mode);
  std::shared_ptr<const backends::kernel>& compiled = place.kernels[wanted];
  if (compiled == nullptr) {
    backends::kernel_source source;
    add_time(times.prepare, times, data(), [&] { source = place.instance->variant(tried.configuration, mode); });
    compiled = device.compile(source);
    times.compile += compiled->properties().compile_ms;
    times.compiled = !compiled->properties().from_cache;
  }
  place.is_prepared = false;
  add_time(times.prepare, times, data(), [&] { place.instance->prepare(tried.configuration, compiled, mode); });
  place.prepared = wanted;
  place.is_prepared = true;
  return place;
}

bool executor::is_copied_at_once() const {
  constexpr std::size_t most = std::size_t{512} << 10;
  return data().csr.vertex_count() * problems::distance_bytes(distance_type()) <= most;
}

std::pair<tuner::run_report, bool> executor::run(resident& place, const attempt& tried, vertex source,
                                                 tuner::instrumentation mode, double time_limit_ms,
                                                 std::span<std::byte> to, solve_times& times) {
  auto [report, is_copied] = place.instance->run_from(source, time_limit_ms, to);
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
  return {std::move(report), is_copied};
}

void executor::bring(resident& place, solution_data& to, solve_times& times) const {
  times.download += milliseconds_of([&] { to.distances = place.instance->all_distances(); });
}

problems::finished_distances& executor::finisher() {
  if (!finisher_) finisher_.emplace(*device_->own);
  return *finisher_;
}

void executor::keep(solution_data& to, solve_times& times) {
  const backends::device_memory& found = here_.instance->device_distances();
  if (distance_type() != graph::weight_type::uint32) {
    const auto note = [&](const problems::finished_distances::result& looked) {
      times.compile += looked.compile_ms;
      times.solve += looked.milliseconds;
      return looked.has_saturated;
    };
    // Infinite distances cannot be told from such that no path leads to when both are infinite.
    if (note(finisher().look(found, data().csr.vertex_count(), distance_type()))) bring(here_, to, times);
    (void)note(finisher().finish(found, data().csr.vertex_count(), distance_type()));
  }
  to.kept = std::make_unique<const kept_distances>(device_, spare_, here_.instance->take_distances(spare_->take()));
}

namespace {

/// @return whether a distance is beyond its type
template <class Float, class Bits>
bool finish_on_host(graph::weight_type type, std::span<Bits> distances, Bits none) {
  const bool has_saturated = [&] {
    if constexpr (sizeof(Bits) == sizeof(graph::wide_distance_bits))
      return graph::has_saturated(distances);
    else
      return graph::has_saturated(type, distances);
  }();
  if (type != graph::weight_type::uint32) {
    std::ranges::replace(distances, none, std::bit_cast<Bits>(std::numeric_limits<Float>::infinity()));
  }
  return has_saturated;
}

}  // namespace

bool executor::finish_copied(std::span<std::byte> to) const {
  const std::size_t count = data().csr.vertex_count();
  if (distance_type() == graph::weight_type::float64) {
    return !finish_on_host<double>(distance_type(),
                                   std::span(reinterpret_cast<graph::wide_distance_bits*>(to.data()), count),
                                   graph::wide_unreached);
  }
  return !finish_on_host<float>(distance_type(), std::span(reinterpret_cast<graph::distance_bits*>(to.data()), count),
                                graph::unreached);
}

bool executor::write(resident& place, std::span<std::byte> to, solve_times& times) {
  const backends::device_memory& found = place.instance->device_distances();
  bool has_saturated = false;
  const bool on_device = &place == &here_ && device_->own->info().grid;
  if (on_device) {
    const auto looked = finisher().finish(found, data().csr.vertex_count(), distance_type());
    has_saturated = looked.has_saturated;
    times.compile += looked.compile_ms;
    times.solve += looked.milliseconds;
  }
  times.download += milliseconds_of([&] {
    (&place == &here_ ? *device_->own : host().backend()).download(to.data(), found, to.size());
    if (!on_device) has_saturated = !finish_copied(to);
  });
  return !has_saturated;
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
