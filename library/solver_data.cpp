// SPDX-License-Identifier: Apache-2.0
#include "library/solver_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "backends/no_compiler.hpp"
#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "graph/new_weights.hpp"
#include "library/device_lock.hpp"
#include "library/errors.hpp"
#include "library/resident.hpp"
#include "library/solution_data.hpp"
#include "mlmq/graph.hpp"

namespace mlmq::detail {
namespace {

/// Returns the median of three searches, or nothing if one fails or takes longer than `limit_ms`.
std::optional<double> median_time(resident& place, vertex source, double limit_ms) {
  constexpr int runs = 3;
  std::array<double, runs> times{};
  if (place.instance->run_from(source, limit_ms).result != db::outcome::ok) return std::nullopt;  // warm-up
  for (double& time_ms : times) {
    const tuner::run_report report = place.instance->run_from(source, limit_ms);
    if (report.result != db::outcome::ok) return std::nullopt;
    time_ms = report.milliseconds;
  }
  std::sort(times.begin(), times.end());
  return times[runs / 2];
}

std::optional<double> mean_time(resident& place, const std::string& label, std::span<const vertex> sources,
                                std::vector<double>& best, double limit_ms) {
  constexpr double give_up_at = 4;      // multiple of the best time so far
  constexpr double least_limit_ms = 5;  // the limit includes time before the kernel starts
  double sum = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const double limit = std::min(limit_ms, std::max(least_limit_ms, give_up_at * best[i]));
    const auto milliseconds = median_time(place, sources[i], limit);
    if (!milliseconds) return std::nullopt;
    best[i] = std::min(best[i], *milliseconds);
    resident::mean& measured = place.solve_ms[label];
    measured.sum += *milliseconds;
    ++measured.count;
    sum += *milliseconds;
  }
  return sum / static_cast<double>(sources.size());
}

}  // namespace

void solver_data::wait_for_stream(void* stream, bool keeps) {
  backends::backend& backend = *executor_->device().backend;
  if (keeps && !backend.info().grid) {
    throw input_error(fmt::format("{}: processors have no memory of their own in which distances could stay",
                                  backend.info().selector));
  }
  if (stream != nullptr || keeps || executor_->are_rows_here()) backend.wait_for_stream(stream);
}

namespace {

/// Weights in device memory, which any thread may free.
struct kept_weights {
  std::shared_ptr<device_data> device;
  problems::resident_weights weights;

  kept_weights(std::shared_ptr<device_data> owner, problems::resident_weights copied)
      : device(std::move(owner)), weights(std::move(copied)) {}
  kept_weights(const kept_weights&) = delete;
  kept_weights& operator=(const kept_weights&) = delete;
  ~kept_weights() { free_memory(*device, std::move(weights.memory)); }
};

}  // namespace

void solver_data::update_weights(graph::csr_graph::weight_array weights) {
  adopt(graph::with_weights(access::get(graph_).csr, std::move(weights)), nullptr);
}

void solver_data::update_weights(const device_weight_array& weights) {
  const graph::csr_graph& first = access::get(graph_).csr;
  backends::backend& backend = *device_->backend;
  if (!backend.info().grid)
    throw input_error(fmt::format("{}: processors have no memory of their own; use host memory", device_->facts.name));
  const graph::weight_type type = type_of(weights.type);
  if (type == graph::weight_type::float64)
    throw input_error("float64 weights in device memory are not supported: use host memory");
  graph::require_new_weights(first, type, weights.count);
  constexpr std::size_t bytes = sizeof(std::uint32_t);
  if (reinterpret_cast<std::uintptr_t>(weights.weights) % bytes != 0) {
    throw input_error(fmt::format("the new weights: address {} is not aligned to {} bytes, the size of an element",
                                  weights.weights, bytes));
  }
  backend.wait_for_stream(weights.stream);
  backends::device_memory borrowed;
  if (weights.count > 0)
    borrowed = backend.borrow(const_cast<void*>(weights.weights), weights.count * bytes, "the new weights");
  const auto resident =
      std::make_shared<const kept_weights>(device_, problems::copy_weights(backend, borrowed, weights.count, type));
  const graph::csr_graph structure = first.with_ids(graph::file_ids::counted_from(0, first.vertex_count()));
  const auto download = [resident, structure] {
    return translated(
        [&] { return problems::download_weights(*resident->device->backend, resident->weights, structure); });
  };
  const auto weighted = graph::csr_graph::deferred(first.vertex_count(), first.edge_count(), type, download);
  adopt(weighted.with_ids(first.ids()), {resident, &resident->weights});
}

void solver_data::adopt(graph::csr_graph weighted, const std::shared_ptr<const problems::resident_weights>& on_device) {
  const digraph_data& first = access::get(graph_);
  digraph_data data{
      .csr = std::move(weighted), .name = first.name, .default_source = first.default_source, .notes = first.notes};
  const std::lock_guard lock(idle_mutex_);
  if (runners_in_use_ > 0) throw input_error(searches_run);
  const graph::weight_type former_type = access::get(weighted_graph_).csr.weights();
  weighted_graph_ = access::make<digraph>(std::make_shared<const digraph_data>(std::move(data)));
  path_graphs_.clear();
  betweenness_runner_.reset();
  reductions_->forget_weights();
  make_executor();
  // A runner that fails remains unusable, so it must be gone then.
  std::vector<std::unique_ptr<multi_source_runner>> runners = std::move(idle_multi_source_runners_);
  idle_multi_source_runners_.clear();
  // Decimal weights may now be floats, for which other runners are made.
  if (access::get(weighted_graph_).csr.weights() != former_type) return;
  for (std::unique_ptr<multi_source_runner>& runner : runners) {
    runner->update_weights(weighted_graph_, on_device);
    idle_multi_source_runners_.push_back(std::move(runner));
  }
}

solve_options solver_data::placed(const solve_options& options) const {
  solve_options result = options;
  if (options.keep_on_device || access::get(weighted_graph_).device_rows != nullptr) result.place = placement::device;
  return result;
}

solver_data::search_result solver_data::make_attempt(const std::shared_ptr<const attempt>& candidate, vertex source,
                                                     const solve_options& options,
                                                     const std::function<std::span<std::byte>()>& room,
                                                     solve_times& times) {
  if (candidate->is_for_many) {
    const std::string label = candidate->configuration.label();
    if (options.keep_on_device || options.counters || options.timeline) {
      throw input_error(
          fmt::format("'{}': searches of solve_many() have no counters and no timeline, and solve() does "
                      "not leave their distances on the device",
                      label));
    }
    const batch_summary finished = runner_lease(*this).runner->run_one(source, label, options.time_limit_ms, room());
    add(times, finished.times);
    return {.place = nullptr, .candidate = candidate, .report = {}, .is_copied = true, .times = times};
  }
  const tuner::instrumentation mode = instrumentation_of(options);
  resident& place = executor_->make_ready(*candidate, mode, times);
  const bool copies_at_once = !options.keep_on_device && executor_->is_copied_at_once();
  auto [report, is_copied] = executor_->run(place, *candidate, source, mode, options.time_limit_ms,
                                            copies_at_once ? room() : std::span<std::byte>(), times);
  return {.place = &place, .candidate = candidate, .report = std::move(report), .is_copied = is_copied, .times = times};
}

solver_data::search_result solver_data::search(vertex source, const solve_options& requested, attempt_purpose purpose,
                                               const std::function<std::span<std::byte>()>& room) {
  const solve_options options = placed(requested);
  const tuner::instrumentation mode = instrumentation_of(options);
  solve_times times;
  attempt_list attempts = chooser_->attempts(options, times, purpose);
  const auto add_attempts = [&](const solve_options& limited) {
    for (auto& candidate : chooser_->attempts(limited, times, purpose)) attempts.push_back(std::move(candidate));
  };
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const std::shared_ptr<const attempt> candidate = attempts[i];
    // If a rule's suggestion cannot be compiled or does not fit into memory, skip it.
    const auto is_final_failure = [&] {
      const bool is_only_one = i + 1 == attempts.size();
      if (candidate->chosen_by != choice::source::rule || (is_only_one && !candidate->is_for_many)) return true;
      chooser_->give_up(*candidate, mode);
      if (is_only_one) add_attempts(options);
      return false;
    };
    // If the graph cannot be reduced, begin again without.
    const auto takes_whole_graph = [&] {
      if (!chooser_->has_reduced(*candidate)) return false;
      chooser_->give_up(*candidate, mode);
      attempts = chooser_->attempts(options, times, purpose);
      i = ~std::size_t{0};  // the next one is the first
      return true;
    };
    try {
      search_result result = make_attempt(candidate, source, options, room, times);
      if (mode == tuner::instrumentation::none) chooser_->note(*candidate, result.times.solve);
      return result;
    } catch (const backends::launch_error&) {
      if (candidate->is_for_many) {
        if (is_final_failure() && i + 1 == attempts.size()) throw;
        continue;
      }
      // Another configuration may fit the device.
      if (i + 1 == attempts.size() && takes_whole_graph()) continue;
      if (!candidate->on_host) executor_->note_unfit(candidate->configuration.label(), mode);
      if (candidate->on_host && i + 1 == attempts.size()) {
        // The processors were chosen by the size of the graph alone, so there are no other attempts yet.
        solve_options pinned = options;
        pinned.place = placement::device;
        add_attempts(pinned);
      }
      // Report the error of the last attempt.
      if (i + 1 == attempts.size()) throw;
    } catch (const backends::no_compiler&) {
      if (is_final_failure()) throw;
    } catch (const backends::compile_error&) {
      if (is_final_failure()) throw;
    } catch (const backends::out_of_device_memory&) {
      if (!takes_whole_graph() && is_final_failure()) throw;
    }
  }
  throw work_error("no configuration to try");
}

namespace {

/// Converts the points of all curves to one entry per interval.
std::vector<timeline_interval> intervals_of(const std::vector<db::timeline_point>& points) {
  std::map<double, timeline_interval> intervals;
  for (const db::timeline_point& point : points) {
    timeline_interval& interval = intervals[point.time_ms];
    interval.start_ms = point.time_ms;
    if (point.name == "vertices") interval.vertices = point.value;
    if (point.name == "active_warps") interval.active_warps = point.value;
  }
  std::vector<timeline_interval> result;
  for (const auto& [start_ms, interval] : intervals) result.push_back(interval);
  return result;
}

/// Allocates one number per vertex.
std::span<std::byte> room_for(graph::distance_array& distances, graph::weight_type type, std::size_t count) {
  if (type == graph::weight_type::float64) distances = uninitialized_vector<graph::wide_distance_bits>();
  return std::visit(
      [count](auto& numbers) {
        numbers.resize(count);
        return std::as_writable_bytes(std::span(numbers));
      },
      distances);
}

}  // namespace

configuration_use solver_data::use_of(std::span<const std::string> configurations) {
  if (configurations.empty()) return configuration_use::any;
  const auto [entry, is_new] = uses_.try_emplace(configurations.front(), configuration_use::any);
  if (is_new) entry->second = detail::use_of(configurations.front());
  return entry->second;
}

solution solver_data::solve(vertex source, const solve_options& options) {
  const auto data = std::make_shared<solution_data>(weighted_graph_, kind_, source);
  search_result answer = search(source, options, attempt_purpose::search, [&] {
    return room_for(data->distances, executor_->distance_type(), data->vertex_count());
  });
  if (options.keep_on_device) {
    executor_->keep(*data, answer.times);
  } else if (answer.place != nullptr) {
    if (!answer.is_copied) executor_->download(*answer.place, *data, answer.times);
    require_in_range(data->is_wide() ? graph::has_saturated(data->wide())
                                     : graph::has_saturated(executor_->distance_type(), data->narrow()),
                     this->graph().name(), executor_->distance_type());
  }
  data->chosen = executor_->describe(*answer.candidate);
  data->times = answer.times;
  data->counters = std::move(answer.report.counters);
  data->timeline = intervals_of(answer.report.timeline);
  return access::make<solution>(std::shared_ptr<const solution_data>(data));
}

search_summary solver_data::solve_into(vertex source, std::span<std::byte> output, const solve_options& options) {
  const distance_scale scale = executor_->scale();
  if (!scale.decimal_places) return solve_into_words(source, output, options, attempt_purpose::search);
  const std::span numbers(reinterpret_cast<double*>(output.data()), output.size() / sizeof(double));
  std::vector<graph::distance_bits> words(numbers.size());
  search_summary summary =
      solve_into_words(source, std::as_writable_bytes(std::span(words)), options, attempt_purpose::search);
  summary.times.download += milliseconds_of([&] { scale.write_values(words, numbers); });
  return summary;
}

search_summary solver_data::solve_into_words(vertex source, std::span<std::byte> output, const solve_options& options,
                                             attempt_purpose purpose) {
  search_result answer = search(source, options, purpose, [&] { return output; });
  answer.is_copied ? executor_->finish_copied(output) : executor_->write(*answer.place, output, answer.times);
  search_summary summary;
  summary.choice = executor_->describe(*answer.candidate);
  summary.times = answer.times;
  summary.counters = std::move(answer.report.counters);
  summary.timeline = intervals_of(answer.report.timeline);
  return summary;
}

std::vector<tried> solver_data::try_out(std::span<const vertex> sources, unsigned count, const solve_options& options) {
  solve_options device_options = options;
  device_options.place = placement::device;
  device_options.tries = 0;
  solve_times unused;
  std::vector<double> best(sources.size(), std::numeric_limits<double>::infinity());
  std::vector<tried> result;
  const attempt_list attempts = chooser_->attempts(device_options, unused, attempt_purpose::search_of_many);
  executor_->upload(unused);
  // Compile before timing, because compilation would slow down the timed searches.
  executor_->compile_all(std::span(attempts).first(std::min<std::size_t>(count, attempts.size())),
                         tuner::instrumentation::none);
  for (const std::shared_ptr<const attempt>& shared : attempts) {
    const attempt& candidate = *shared;
    if (candidate.chosen_by == choice::source::standard || result.size() == count) break;
    const std::string label = candidate.configuration.label();
    std::optional<double> mean;
    try {
      mean = mean_time(executor_->make_ready(candidate, tuner::instrumentation::none, unused), label, sources, best,
                       options.time_limit_ms);
    } catch (const backends::launch_error&) {
      executor_->note_unfit(label, tuner::instrumentation::none);
      continue;
    } catch (const backends::kernel_fault& fault) {
      if (fault.sticky) throw;
    } catch (const backends::compile_error&) {
    } catch (const backends::out_of_device_memory&) {
    }
    result.push_back({label, mean});
  }
  std::stable_sort(result.begin(), result.end(), [](const tried& a, const tried& b) {
    constexpr double never = std::numeric_limits<double>::infinity();
    return a.milliseconds.value_or(never) < b.milliseconds.value_or(never);
  });
  if (result.empty()) {
    throw unsuitable_error(fmt::format("{}: none of the model's candidates can run on {}", executor_->data().name,
                                       executor_->device().facts.name));
  }
  if (!result.front().milliseconds) {
    throw search_error(fmt::format("{}: none of the {} tried configurations finished within {} ms",
                                   executor_->data().name, result.size(), options.time_limit_ms),
                       search_error::reason::failed);
  }
  chooser_->prefer(
      options.model, result.front().configuration,
      fmt::format("the fastest of {} configurations tried: {:.4g} ms on average over {} source{}", result.size(),
                  *result.front().milliseconds, sources.size(), sources.size() == 1 ? "" : "s"));
  return result;
}

}  // namespace mlmq::detail
