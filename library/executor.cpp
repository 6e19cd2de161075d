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
#include "base/stopwatch.hpp"
#include "graph/check.hpp"
#include "library/device_lock.hpp"
#include "library/solution_data.hpp"
#include "library/stage_time.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "tuner/variant_cache.hpp"

namespace mlmq::detail {

executor::executor(std::shared_ptr<device_data> device, digraph graph, problem kind)
    : device_(std::move(device)),
      graph_(std::move(graph)),
      kind_(kind),
      searched_(kind == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp),
      rows_(are_rows_here() ? std::make_shared<problems::row_store>(*device_->backend, data().device_rows->rows)
                            : std::make_shared<problems::row_store>()) {}

executor::~executor() {
  const device_lock lock(*device_, device_lock::may_nest{});
  try {
    device_->backend->enter();
  } catch (const std::exception&) {
    // The device is lost; its resources are freed with the process.
  }
  on_device_.instance.reset();
  on_host_.instance.reset();
  finisher_.reset();
  spare_->close();
}

processors& executor::host() const {
  if (!device_->host) device_->host.emplace();
  return *device_->host;
}

void executor::upload(resident& place, backends::backend& device, solve_times& times) const {
  if (place.instance != nullptr) return;
  add_time(times.upload, times, data(),
           [&] { place.instance = searched_.load_graph(device, data().csr, data().name, rows_.get()); });
}

double executor::upload() {
  solve_times times;
  upload(times);
  return times.upload + times.mirror;
}

void executor::compile_all(std::span<const std::shared_ptr<const attempt>> attempts, tuner::instrumentation mode) {
  std::vector<std::pair<std::string, backends::kernel_source>> missing;
  std::vector<backends::kernel_source> variants;
  for (const std::shared_ptr<const attempt>& candidate : attempts) {
    const std::string& label = candidate->configuration.label();
    if (on_device_.kernels[{label, mode}] != nullptr) continue;
    try {
      variants.push_back(on_device_.instance->variant(candidate->configuration, mode));
      missing.emplace_back(label, variants.back());
    } catch (const backends::launch_error&) {
      // make_ready() reports this error.
    }
  }
  if (missing.size() < 2) return;
  const auto threads = std::min<std::size_t>(missing.size(), std::max(1U, std::thread::hardware_concurrency()));
  tuner::variant_cache cache(*device_->backend, static_cast<unsigned>(threads));
  cache.prefetch(variants);
  for (const auto& [label, variant] : missing) {
    try {
      on_device_.kernels[{label, mode}] = cache.get(variant);
    } catch (const backends::compile_error&) {
      // make_ready() reports this error.
    }
  }
}

resident& executor::make_ready(const attempt& candidate, tuner::instrumentation mode, solve_times& times) {
  resident& place = candidate.on_host ? on_host_ : on_device_;
  backends::backend& device = candidate.on_host ? host().backend() : *device_->backend;
  problems::require_fit(problems::solver_of(candidate.configuration), device.info());
  upload(place, device, times);
  const std::string& label = candidate.configuration.label();
  if (place.is_prepared && place.prepared.second == mode && place.prepared.first == label) return place;
  const std::pair variant_key(label, mode);
  std::shared_ptr<const backends::kernel>& compiled = place.kernels[variant_key];
  if (compiled == nullptr) {
    backends::kernel_source source;
    add_time(times.prepare, times, data(), [&] { source = place.instance->variant(candidate.configuration, mode); });
    compiled = device.compile(source);
    times.compile += compiled->properties().compile_ms;
    times.compiled = !compiled->properties().from_cache;
  }
  place.is_prepared = false;
  add_time(times.prepare, times, data(), [&] { place.instance->prepare(candidate.configuration, compiled, mode); });
  place.prepared = variant_key;
  place.is_prepared = true;
  return place;
}

bool executor::is_copied_at_once() const {
  constexpr std::size_t most = std::size_t{512} << 10;
  return data().csr.vertex_count() * problems::distance_bytes(distance_type()) <= most;
}

std::pair<tuner::run_report, bool> executor::run(resident& place, const attempt& candidate, vertex source,
                                                 tuner::instrumentation mode, double time_limit_ms,
                                                 std::span<std::byte> output, solve_times& times) {
  auto [report, is_copied] = place.instance->run_from(source, time_limit_ms, output);
  if (report.result != db::outcome::ok) {
    using reason = search_error::reason;
    throw search_error(fmt::format("{}: {}: {}", data().name, db::to_string(report.result), report.message),
                       report.result == db::outcome::timeout    ? reason::time_limit
                       : report.result == db::outcome::overflow ? reason::queue_full
                                                                : reason::failed);
  }
  times.solve = report.milliseconds;
  if (mode == tuner::instrumentation::none) {
    resident::mean& mean = place.solve_ms[candidate.configuration.label()];
    mean.sum += report.milliseconds;
    ++mean.count;
  }
  return {std::move(report), is_copied};
}

void executor::download(resident& place, solution_data& solution, solve_times& times) const {
  times.download += milliseconds_of([&] { solution.distances = place.instance->all_distances(); });
}

problems::finished_distances& executor::finisher() {
  if (!finisher_) finisher_.emplace(*device_->backend);
  return *finisher_;
}

void executor::keep(solution_data& solution, solve_times& times) {
  const backends::device_memory& distances = on_device_.instance->device_distances();
  if (distance_type() != graph::weight_type::uint32) {
    const auto note = [&](const problems::finished_distances::result& pass) {
      times.compile += pass.compile_ms;
      times.solve += pass.milliseconds;
      return pass.has_saturated;
    };
    // After conversion, saturated and unreached distances would both be infinite, so keep a copy on the host.
    if (note(finisher().look(distances, data().csr.vertex_count(), distance_type())))
      download(on_device_, solution, times);
    (void)note(finisher().finish(distances, data().csr.vertex_count(), distance_type()));
  }
  solution.device_distances =
      std::make_unique<const kept_distances>(device_, spare_, on_device_.instance->take_distances(spare_->take()));
}

namespace {

/// @return whether a distance exceeds the range of its type
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

bool executor::finish_copied(std::span<std::byte> output) const {
  const std::size_t count = data().csr.vertex_count();
  if (distance_type() == graph::weight_type::float64) {
    return !finish_on_host<double>(distance_type(),
                                   std::span(reinterpret_cast<graph::wide_distance_bits*>(output.data()), count),
                                   graph::wide_unreached);
  }
  return !finish_on_host<float>(
      distance_type(), std::span(reinterpret_cast<graph::distance_bits*>(output.data()), count), graph::unreached);
}

bool executor::write(resident& place, std::span<std::byte> output, solve_times& times) {
  const backends::device_memory& distances = place.instance->device_distances();
  bool has_saturated = false;
  const bool is_on_device = &place == &on_device_ && device_->backend->info().grid;
  if (is_on_device) {
    const auto pass = finisher().finish(distances, data().csr.vertex_count(), distance_type());
    has_saturated = pass.has_saturated;
    times.compile += pass.compile_ms;
    times.solve += pass.milliseconds;
  }
  times.download += milliseconds_of([&] {
    (&place == &on_device_ ? *device_->backend : host().backend()).download(output.data(), distances, output.size());
    if (!is_on_device) has_saturated = !finish_copied(output);
  });
  return !has_saturated;
}

mlmq::choice executor::describe(const attempt& candidate) const {
  return {.configuration = candidate.configuration.label(),
          .device = candidate.on_host ? device_->host->backend().info().selector : device_->facts.selector,
          .device_name = candidate.on_host ? device_->host->backend().info().name : device_->facts.name,
          .by = candidate.chosen_by,
          .predicted = candidate.predicted,
          .reason = candidate.reason};
}

}  // namespace mlmq::detail
