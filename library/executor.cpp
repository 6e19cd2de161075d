// SPDX-License-Identifier: Apache-2.0
#include "library/executor.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/stopwatch.hpp"
#include "graph/check.hpp"
#include "library/device_lock.hpp"
#include "library/errors.hpp"
#include "library/solution_data.hpp"
#include "library/stage_time.hpp"
#include "problems/graphs/helper_kernels.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"

namespace mlmq::detail {

executor::executor(std::shared_ptr<device_data> device, digraph graph, problem kind,
                   std::shared_ptr<graph::lazily_reduced_graphs> reductions)
    : device_(std::move(device)),
      graph_(std::move(graph)),
      kind_(kind),
      searched_(kind == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp),
      rows_(are_rows_here() ? std::make_shared<problems::row_store>(*device_->backend, data().device_rows->rows)
                            : std::make_shared<problems::row_store>()),
      reductions_(std::move(reductions)) {}

executor::~executor() {
  free_on(*device_, [&] {
    on_device_.instance.reset();
    on_host_.instance.reset();
    finisher_.reset();
    spare_->close();
  });
}

processors& executor::host() const {
  if (!device_->host) device_->host.emplace();
  return *device_->host;
}

void executor::upload(resident& place, backends::backend& device, solve_times& times) const {
  if (place.instance != nullptr) return;
  add_time(times.upload, times, host_copy_clock_of_graph(),
           [&] { place.instance = searched_.load_graph(device, data().csr, data().name, rows_.get(), reductions_); });
}

const graph::csr_graph& executor::core(graph::reduction_extent extent, solve_times& times) {
  upload(times);
  const graph::csr_graph* result = nullptr;
  times.prepare += milliseconds_of([&] { result = &on_device_.instance->core_by(extent); });
  return *result;
}

bool executor::compile_reduction_ahead() {
  backends::backend& device = *device_->backend;
  if (!device.info().grid) return true;
  if (!reduction_ahead_.valid()) {
    reduction_ahead_ = std::async(std::launch::async, [&device] {
      for (const char* const name : {"reduce_graph", "fill_in"}) {
        (void)device.compile(problems::helper_variant(name, device.info()));
      }
    });
  }
  if (reduction_ahead_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  try {
    reduction_ahead_.get();
  } catch (const std::runtime_error&) {
    // core() meets the same error.
  }
  return true;
}

double executor::upload() {
  solve_times times;
  upload(times);
  return times.upload + times.host_copy;
}

resident& executor::make_ready(const attempt& candidate, tuner::instrumentation mode, solve_times& times) {
  resident& place = candidate.on_host ? on_host_ : on_device_;
  backends::backend& device = candidate.on_host ? host().backend() : *device_->backend;
  problems::require_fit(problems::solver_of(candidate.configuration), device.info());
  upload(place, device, times);
  place.variants.make_ready(*place.instance, device, candidate.configuration, mode, times);
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
  require_ok(report, data().name);
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
  finish_on_device(times);
  backends::device_memory spare = spare_->take();
  solution.device_distances = std::make_unique<const kept_distances>(
      device_, spare_,
      scale().decimal_places ? decimals_on_device(std::move(spare), times)
                             : on_device_.instance->take_distances(std::move(spare)));
}

backends::device_memory executor::decimals_on_device(backends::device_memory spare, solve_times& times) {
  const std::size_t count = data().csr.vertex_count();
  backends::device_memory numbers = std::move(spare);
  if (numbers.bytes() == 0) numbers = device_->backend->allocate(count * sizeof(double), "distances");
  const auto pass = finisher().write_decimals(on_device_.instance->device_distances(), count, scale().units(), numbers);
  times.compile += pass.compile_ms;
  times.solve += pass.milliseconds;
  return numbers;
}

void executor::finish_on_device(solve_times& times) {
  const auto pass =
      finisher().finish(on_device_.instance->device_distances(), data().csr.vertex_count(), distance_type());
  times.compile += pass.compile_ms;
  times.solve += pass.milliseconds;
  require_in_range(pass.has_saturated, data().name, distance_type());
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

void executor::finish_copied(std::span<std::byte> output) const {
  const std::size_t count = data().csr.vertex_count();
  const bool has_saturated =
      distance_type() == graph::weight_type::float64
          ? finish_on_host<double>(distance_type(),
                                   std::span(reinterpret_cast<graph::wide_distance_bits*>(output.data()), count),
                                   graph::wide_unreached)
          : finish_on_host<float>(distance_type(),
                                  std::span(reinterpret_cast<graph::distance_bits*>(output.data()), count),
                                  graph::unreached);
  require_in_range(has_saturated, data().name, distance_type());
}

void executor::write(resident& place, std::span<std::byte> output, solve_times& times) {
  const backends::device_memory& distances = place.instance->device_distances();
  const bool is_on_device = &place == &on_device_ && device_->backend->info().grid;
  if (is_on_device) finish_on_device(times);
  times.download += milliseconds_of([&] {
    (&place == &on_device_ ? *device_->backend : host().backend()).download(output.data(), distances, output.size());
    if (!is_on_device) finish_copied(output);
  });
}

mlmq::choice executor::describe(const attempt& candidate) const {
  const backends::backend& device = candidate.on_host ? device_->host->backend() : *device_->backend;
  return choice_of(candidate, device.info());
}

}  // namespace mlmq::detail
