// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "backends/no_compiler.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"
#include "base/stopwatch.hpp"
#include "graph/new_weights.hpp"
#include "library/access.hpp"
#include "library/batch_runner.hpp"
#include "library/betweenness_runner.hpp"
#include "library/block_readers.hpp"
#include "library/configuration_chooser.hpp"
#include "library/device_data.hpp"
#include "library/device_lock.hpp"
#include "library/device_shares.hpp"
#include "library/digraph_data.hpp"
#include "library/distance_scale.hpp"
#include "library/errors.hpp"
#include "library/executor.hpp"
#include "library/path_sums.hpp"
#include "library/solution_data.hpp"
#include "library/timed_search.hpp"
#include "problems/graphs/resident_weights.hpp"
#include "problems/multi_source/solver.hpp"
#include "problems/shortest_paths/parameters.hpp"

namespace mlmq {

/// An executor and its chooser, for one device.
class detail::solver_data {
 public:
  solver_data(std::shared_ptr<device_data> device, const digraph& graph, problem kind)
      : graph_(graph),
        weighted_graph_(graph),
        kind_(kind),
        device_(std::move(device)),
        path_graphs_(device_, kind == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp) {
    make_executor();
  }

  [[nodiscard]] device_data& device() const { return executor_->device(); }
  /// Returns the graph with its first weights. Any thread may call it.
  [[nodiscard]] const digraph& graph() const { return graph_; }
  [[nodiscard]] problem kind() const { return kind_; }
  /// Returns the type of the distances that callers receive, whatever the weights are.
  [[nodiscard]] number_type delivered_type() const {
    return distance_scale(access::get(graph_).csr, kind_).delivered();
  }
  [[nodiscard]] bool is_resident() const { return executor_->on_device().instance != nullptr; }
  void enter() { executor_->device().backend->enter(); }
  double upload() { return executor_->upload(); }

  [[nodiscard]] mlmq::choice choose(const solve_options& options) {
    if (use_of(options.configurations) == configuration_use::many)
      return runner_lease(*this).runner->choose(options.configurations.front());
    solve_times times;
    return executor_->describe(*chooser_->attempts(placed(options), times, false).front());
  }
  /// Waits for the caller's work in a stream, if the search may depend on it.
  /// @param keeps  whether the solution stays on the device
  /// @throws input_error  for an invalid stream, or if the device has no memory of its own
  void wait_for_stream(void* stream, bool keeps);

  [[nodiscard]] solution solve(vertex source, const solve_options& options);
  /// @param output  one number of delivered_type() per vertex
  [[nodiscard]] search_summary solve_into(vertex source, std::span<std::byte> output, const solve_options& options);
  /// Searches for solve_many(), which has its own use of elimination hierarchies.
  /// @param output  like that of solve_into(), but of the type of distances that searches leave
  [[nodiscard]] search_summary solve_alone(vertex source, std::span<std::byte> output, const solve_options& options);
  [[nodiscard]] std::vector<tried> try_out(std::span<const vertex> sources, unsigned count,
                                           const solve_options& options);
  /// @throws input_error  for weights of another type or number, or while other calls use runners
  void update_weights(graph::csr_graph::weight_array weights);
  void update_weights(const device_weight_array& weights);

  /// Takes a runner that no other call uses. Called with the device locked.
  [[nodiscard]] std::unique_ptr<multi_source_runner> take_multi_source_runner() {
    const std::lock_guard lock(idle_mutex_);
    ++runners_in_use_;
    if (idle_multi_source_runners_.empty())
      return std::make_unique<multi_source_runner>(device_, weighted_graph_, kind_, *executor_);
    std::unique_ptr<multi_source_runner> runner = std::move(idle_multi_source_runners_.back());
    idle_multi_source_runners_.pop_back();
    return runner;
  }
  /// Keeps a runner, with what it has compiled and allocated, for the next call.
  void keep(std::unique_ptr<multi_source_runner> runner) {
    const std::lock_guard lock(idle_mutex_);
    --runners_in_use_;
    idle_multi_source_runners_.push_back(std::move(runner));
  }
  /// A runner for the duration of a call.
  struct runner_lease {
    explicit runner_lease(solver_data& solver) : owner(solver), runner(solver.take_multi_source_runner()) {}
    runner_lease(const runner_lease&) = delete;
    runner_lease& operator=(const runner_lease&) = delete;
    ~runner_lease() { owner.keep(std::move(runner)); }
    solver_data& owner;
    std::unique_ptr<multi_source_runner> runner;
  };
  /// Returns which searches the first configuration of a list is for; any if there is none.
  [[nodiscard]] configuration_use use_of(std::span<const std::string> configurations);
  [[nodiscard]] path_graph_cache& path_graphs() { return path_graphs_; }
  /// Adds the other devices of a solver, whose first device this is.
  void add_device(std::shared_ptr<device_data> device) {
    others_.push_back(std::make_unique<solver_data>(std::move(device), graph_, kind_));
  }
  /// Returns the first device of a solver and the others.
  [[nodiscard]] std::vector<solver_data*> devices() {
    std::vector<solver_data*> devices{this};
    for (const std::unique_ptr<solver_data>& other : others_) devices.push_back(other.get());
    return devices;
  }
  [[nodiscard]] shared_requests& shared() { return shared_; }
  /// Replaces the weights by those of another device, which is locked too.
  void take_weights_of(const solver_data& other) { adopt(access::get(other.weighted_graph_).csr, nullptr); }
  [[nodiscard]] betweenness_runner& betweenness() {
    if (betweenness_runner_ == nullptr)
      betweenness_runner_ = std::make_unique<betweenness_runner>(device_, weighted_graph_, kind_);
    return *betweenness_runner_;
  }

 private:
  /// @param on_device  the weights in memory of the device, or null
  void adopt(graph::csr_graph weighted, const std::shared_ptr<const problems::resident_weights>& on_device);

  const digraph graph_;
  digraph weighted_graph_;  ///< with the weights of the last update; used with the device locked
  problem kind_;
  std::shared_ptr<device_data> device_;
  path_graph_cache path_graphs_;
  /// @param output  one number of the type of distances that searches leave, per vertex; infinity in floats
  [[nodiscard]] search_summary solve_into_words(vertex source, std::span<std::byte> output,
                                                const solve_options& options);
  /// The result of a finished search, before its distances are delivered.
  struct search_result {
    resident& place;
    std::shared_ptr<const attempt> candidate;
    tuner::run_report report;
    bool is_copied = false;
    solve_times times;
  };
  /// @param output  receives the distances, see executor::run()
  [[nodiscard]] search_result search(vertex source, const solve_options& options, std::span<std::byte> output);
  /// Returns the options with the only possible placement, if there is just one.
  [[nodiscard]] solve_options placed(const solve_options& options) const;

  void make_executor() {
    executor_.emplace(device_, weighted_graph_, kind_);
    chooser_.emplace(*executor_, [this](double search_ms) { return elimination_ms(search_ms); });
  }
  /// Returns the expected time of preparing an elimination hierarchy; nothing if searches are not expected to become
  /// faster.
  [[nodiscard]] std::optional<double> elimination_ms(double search_ms);
  /// Searches with a solver of many searches if the caller requests it, or if the graph has been prepared for that.
  /// @param words  returns memory for the words of the distances; called at most once
  /// @return nothing: search() has to search
  [[nodiscard]] std::optional<batch_summary> search_as_many(vertex source, const solve_options& options,
                                                            const std::function<std::span<std::byte>()>& words);

  std::string elimination_;                        ///< configuration of searches over an elimination hierarchy
  std::map<std::string, configuration_use> uses_;  ///< by text of a configuration

  // Made again for new weights. The runners refer to the executor, whose address stays the same.
  std::optional<executor> executor_;
  std::optional<configuration_chooser> chooser_;
  std::mutex idle_mutex_;
  std::vector<std::unique_ptr<multi_source_runner>> idle_multi_source_runners_;  // several after nested calls
  std::size_t runners_in_use_ = 0;
  std::unique_ptr<betweenness_runner> betweenness_runner_;  // created by the first call of betweenness()
  std::vector<std::unique_ptr<solver_data>> others_;        // the other devices of a solver
  shared_requests shared_;                                  // of all devices of a solver, kept by the first
};

namespace detail {

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
  chooser_.reset();
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

solver_data::search_result solver_data::search(vertex source, const solve_options& requested,
                                               std::span<std::byte> output) {
  const solve_options options = placed(requested);
  const tuner::instrumentation mode = instrumentation_of(options);
  solve_times times;
  attempt_list attempts = chooser_->attempts(options, times, true);
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    // If a rule's suggestion cannot be compiled or does not fit into memory, skip it.
    const auto is_final_failure = [&] {
      if (attempts[i]->chosen_by != choice::source::rule || i + 1 == attempts.size()) return true;
      executor_->note_unfit(attempts[i]->configuration.label(), mode);
      return false;
    };
    try {
      resident& place = executor_->make_ready(*attempts[i], mode, times);
      auto [report, is_copied] =
          executor_->run(place, *attempts[i], source, mode, options.time_limit_ms, output, times);
      if (mode == tuner::instrumentation::none) chooser_->note(*attempts[i], times.solve);
      return {.place = place,
              .candidate = std::move(attempts[i]),
              .report = std::move(report),
              .is_copied = is_copied,
              .times = times};
    } catch (const backends::launch_error&) {
      if (!attempts[i]->on_host) executor_->note_unfit(attempts[i]->configuration.label(), mode);
      if (attempts[i]->on_host && i + 1 == attempts.size()) {
        // The processors were chosen by the size of the graph alone, so there are no other attempts yet.
        solve_options pinned = options;
        pinned.place = placement::device;
        for (auto& candidate : chooser_->attempts(pinned, times, true)) attempts.push_back(std::move(candidate));
      }
      // Report the error of the last attempt.
      if (i + 1 == attempts.size()) throw;
    } catch (const backends::no_compiler&) {
      if (is_final_failure()) throw;
    } catch (const backends::compile_error&) {
      if (is_final_failure()) throw;
    } catch (const backends::out_of_device_memory&) {
      if (is_final_failure()) throw;
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
  if (type == graph::weight_type::float64) distances = std::vector<graph::wide_distance_bits>();
  return std::visit(
      [count](auto& numbers) {
        numbers.resize(count);
        return std::as_writable_bytes(std::span(numbers));
      },
      distances);
}

}  // namespace

std::optional<double> solver_data::elimination_ms(double search_ms) {
  const auto prepared = runner_lease(*this).runner->prepared_search();
  if (!prepared || prepared->search_ms >= search_ms) return std::nullopt;
  elimination_ = prepared->label;
  return prepared->preparation_ms;
}

configuration_use solver_data::use_of(std::span<const std::string> configurations) {
  if (configurations.empty()) return configuration_use::any;
  const auto [entry, is_new] = uses_.try_emplace(configurations.front(), configuration_use::any);
  if (is_new) entry->second = detail::use_of(configurations.front());
  return entry->second;
}

std::optional<batch_summary> solver_data::search_as_many(vertex source, const solve_options& options,
                                                         const std::function<std::span<std::byte>()>& words) {
  if (use_of(options.configurations) == configuration_use::many) {
    const std::string& configuration = options.configurations.front();
    if (options.keep_on_device || options.counters || options.timeline) {
      throw input_error(
          fmt::format("'{}': searches of solve_many() have no counters and no timeline, and solve() does "
                      "not leave their distances on the device",
                      configuration));
    }
    return runner_lease(*this).runner->run_one(source, configuration, options.time_limit_ms, words());
  }
  if (!chooser_->takes_elimination(options)) return std::nullopt;
  try {
    batch_summary result = runner_lease(*this).runner->run_one(source, elimination_, options.time_limit_ms, words());
    chooser_->note_elimination(result.times.solve);
    result.choice.chosen_by = choice::source::rule;
    result.choice.reason = "an elimination hierarchy: its searches have taken as long as preparing it";
    return result;
  } catch (const backends::launch_error&) {
  } catch (const backends::no_compiler&) {
  } catch (const backends::compile_error&) {
  } catch (const backends::out_of_device_memory&) {
  }
  chooser_->give_up_elimination();
  return std::nullopt;
}

solution solver_data::solve(vertex source, const solve_options& options) {
  const auto data = std::make_shared<solution_data>(weighted_graph_, kind_, source);
  const auto room = [&] { return room_for(data->distances, executor_->distance_type(), data->vertex_count()); };
  if (std::optional<batch_summary> finished = search_as_many(source, options, room)) {
    data->chosen = std::move(finished->choice);
    data->times = finished->times;
    return access::make<solution>(std::shared_ptr<const solution_data>(data));
  }
  const bool copies_at_once = !options.keep_on_device && executor_->is_copied_at_once();
  search_result answer = search(source, options, copies_at_once ? room() : std::span<std::byte>());
  if (options.keep_on_device) {
    executor_->keep(*data, answer.times);
  } else {
    if (!answer.is_copied) executor_->download(answer.place, *data, answer.times);
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
  if (!scale.decimal_places) return solve_into_words(source, output, options);
  const std::span numbers(reinterpret_cast<double*>(output.data()), output.size() / sizeof(double));
  std::vector<graph::distance_bits> words(numbers.size());
  search_summary summary = solve_into_words(source, std::as_writable_bytes(std::span(words)), options);
  summary.times.download += milliseconds_of([&] { scale.write_values(words, numbers); });
  return summary;
}

search_summary solver_data::solve_into_words(vertex source, std::span<std::byte> output, const solve_options& options) {
  if (std::optional<batch_summary> finished = search_as_many(source, options, [&] { return output; })) {
    executor_->finish_copied(output);
    return {.choice = std::move(finished->choice), .times = finished->times, .counters = {}, .timeline = {}};
  }
  return solve_alone(source, output, options);
}

search_summary solver_data::solve_alone(vertex source, std::span<std::byte> output, const solve_options& options) {
  search_result answer = search(source, options, executor_->is_copied_at_once() ? output : std::span<std::byte>());
  answer.is_copied ? executor_->finish_copied(output) : executor_->write(answer.place, output, answer.times);
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
  const attempt_list attempts = chooser_->attempts(device_options, unused, true);
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

}  // namespace detail

std::string complete_configuration(const std::string& text) {
  const bool is_for_many = detail::use_of(text) == detail::configuration_use::many;
  const auto declarations = is_for_many ? multi_source::declared_parameters() : problems::search_declarations();
  return tuner::parameter_set::from_declarations(declarations).parse_label(text).label();
}

solver::solver(const device& device, const digraph& graph, problem kind) {
  const std::vector<mlmq::device> members = device.members();
  if (detail::access::get(graph).device_rows != nullptr)
    (void)detail::single_device(device, "a graph whose rows are in memory of a device is searched");
  data_ = std::make_shared<detail::solver_data>(detail::access::share(members.front()), graph, kind);
  for (const mlmq::device& other : std::span(members).subspan(1)) data_->add_device(detail::access::share(other));
}

namespace {

/// Changes the weights of all devices. They are locked first, since a stop request must not leave them with different
/// weights.
template <class Weights>
void update(detail::solver_data& data, Weights weights) {
  const detail::shared_requests::change change(data.shared());
  const std::vector<detail::solver_data*> devices = data.devices();
  std::vector<std::unique_ptr<detail::device_lock>> locks;
  for (detail::solver_data* const device : devices)
    locks.push_back(std::make_unique<detail::device_lock>(device->device()));
  detail::translated([&] {
    data.enter();
    data.update_weights(std::move(weights));
    for (detail::solver_data* const other : std::span(devices).subspan(1)) {
      other->enter();
      other->take_weights_of(data);
    }
  });
}

}  // namespace

double solver::upload() {
  double milliseconds = 0;
  for (detail::solver_data* const next : data_->devices()) {
    const detail::device_lock lock(next->device());
    milliseconds += detail::translated([&] {
      next->enter();
      return next->upload();
    });
  }
  return milliseconds;
}

void solver::update_weights(std::span<const std::uint32_t> weights) {
  update(*data_, std::vector<std::uint32_t>(weights.begin(), weights.end()));
}
void solver::update_weights(std::span<const float> weights) {
  update(*data_, std::vector<float>(weights.begin(), weights.end()));
}
void solver::update_weights(std::span<const double> weights) {
  update(*data_, std::vector<double>(weights.begin(), weights.end()));
}

void solver::update_weights(const device_weight_array& weights) { update(*data_, weights); }

bool solver::resident() const {
  return std::ranges::all_of(data_->devices(), [](detail::solver_data* data) {
    const detail::device_lock lock(data->device());
    return data->is_resident();
  });
}

choice solver::choose(const solve_options& options) {
  const detail::device_lock lock(data_->device());
  return detail::translated([&] {
    data_->enter();
    return data_->choose(options);
  });
}

namespace {

void check_search(const digraph& graph, vertex source, const solve_options& options) {
  if (source >= graph.vertex_count()) {
    throw input_error(
        fmt::format("source {}: {} has vertices 0 to {}", source, graph.name(), graph.vertex_count() - 1));
  }
  detail::require_time_limit(options.time_limit_ms);
}

}  // namespace

std::vector<tried> solver::try_out(std::span<const vertex> sources, unsigned count, const solve_options& options) {
  if (sources.empty() || count == 0)
    throw input_error("nothing to try: expected at least one source and a count of at least 1");
  for (const vertex source : sources) check_search(data_->graph(), source, options);
  if (!options.configurations.empty())
    throw input_error("nothing to try: expected no configurations, because the model chooses which to try");
  if (options.counters || options.timeline) {
    throw input_error("counters and a timeline would distort the times to compare: turn them off");
  }
  const detail::device_lock lock(data_->device());
  return detail::translated([&] {
    data_->enter();
    data_->wait_for_stream(options.stream, false);
    return data_->try_out(sources, count, options);
  });
}

solution solver::solve(vertex source, const solve_options& options) {
  check_search(data_->graph(), source, options);
  if (options.counters && options.timeline)
    throw input_error("counters and a timeline cannot be recorded in one search: choose one of them");
  const detail::device_lock lock(data_->device());
  return detail::translated([&] {
    data_->enter();
    data_->wait_for_stream(options.stream, options.keep_on_device);
    return data_->solve(source, options);
  });
}

namespace {

/// @param type  type of the `count` numbers at `out`
search_summary search_into(detail::solver_data& data, vertex source, std::span<std::byte> out, std::size_t count,
                           number_type type, const solve_options& options) {
  check_search(data.graph(), source, options);
  if (options.counters && options.timeline)
    throw input_error("counters and a timeline cannot be recorded in one search: choose one of them");
  if (options.keep_on_device)
    throw input_error("distances cannot both stay on the device and be written to host memory");
  if (const number_type expected = data.delivered_type(); expected != type) {
    throw input_error(fmt::format("the distances of {} are {}: pass solve_into() an array of this type",
                                  data.graph().name(), graph::name_of(detail::type_of(expected))));
  }
  if (count != data.graph().vertex_count()) {
    throw input_error(fmt::format("an array of {} distances, but {} has {} vertices", count, data.graph().name(),
                                  data.graph().vertex_count()));
  }
  const detail::device_lock lock(data.device());
  return detail::translated([&] {
    data.enter();
    data.wait_for_stream(options.stream, false);
    return data.solve_into(source, out, options);
  });
}

}  // namespace

search_summary solver::solve_into(vertex source, std::span<std::uint32_t> out, const solve_options& options) {
  return search_into(*data_, source, std::as_writable_bytes(out), out.size(), number_type::uint32, options);
}

search_summary solver::solve_into(vertex source, std::span<float> out, const solve_options& options) {
  return search_into(*data_, source, std::as_writable_bytes(out), out.size(), number_type::float32, options);
}

search_summary solver::solve_into(vertex source, std::span<double> out, const solve_options& options) {
  return search_into(*data_, source, std::as_writable_bytes(out), out.size(), number_type::float64, options);
}

namespace {

/// Runs a request that has been checked.
batch_summary search_many(detail::solver_data& data, std::span<const vertex> sources, const batch_options& options,
                          const take_distances& take, detail::block_readers* readers) {
  detail::device_lock lock(data.device());
  return detail::translated([&] {
    data.enter();
    data.wait_for_stream(options.stream, options.keep_on_device);
    const solve_options single{.configurations = options.configurations,
                               .model = options.model,
                               .place = placement::device,
                               .time_limit_ms = options.time_limit_ms};
    const auto search_one = [&](vertex source, std::span<std::byte> distances) {
      return data.solve_alone(source, distances, single);
    };
    const bool is_one_by_one = data.use_of(options.configurations) == detail::configuration_use::single;
    return detail::solver_data::runner_lease(data).runner->run(sources, options, take, readers, lock, search_one,
                                                               is_one_by_one);
  });
}

/// Adds a part of the searches that a device has made.
void add(device_share& device, const batch_summary& part, double elapsed_ms) {
  device.searches += part.searches;
  device.choice = part.choice;
  detail::add(device.times, part.times);
  if (device.tried.empty()) device.tried = part.tried;
  device.elapsed_ms += elapsed_ms;
}

/// Shares the searches of a request among the devices of a solver.
/// @param search  runs a part on a device
/// @param calls_back  whether it calls a function of the caller
batch_summary share(
    detail::solver_data& solver, std::size_t searches, const batch_options& options,
    const std::function<batch_summary(detail::solver_data& device, const detail::search_range& part)>& search,
    bool calls_back = false) {
  const std::vector<detail::solver_data*> devices = solver.devices();
  std::vector<device_share> shares(devices.size());
  batch_summary sum;
  std::mutex mutex;
  const auto search_part = [&](std::size_t device, const detail::search_range& part) {
    const auto start = std::chrono::steady_clock::now();
    const batch_summary done = search(*devices[device], part);
    const std::lock_guard lock(mutex);
    add(shares[device], done, milliseconds_since(start));
    sum.searches += done.searches;
    sum.digest += done.digest;
  };
  if (devices.size() == 1) {
    search_part(0, {.first = 0, .count = searches});
  } else {
    if (options.keep_on_device || options.stream != nullptr)
      throw input_error("keep_on_device and stream: a solver with several devices has neither");
    const detail::shared_requests::request request(solver.shared(), calls_back);
    std::vector<std::string> names;
    for (const detail::solver_data* const next : devices) names.push_back(next->device().facts.name);
    detail::share_searches(names, searches, options.searches_together, search_part);
  }
  const auto longest =
      std::ranges::max_element(shares, {}, [](const device_share& device) { return device.times.solve; });
  sum.choice = longest->choice;
  sum.times = longest->times;
  sum.tried = longest->tried;
  sum.devices = std::move(shares);
  return sum;
}

}  // namespace

batch_summary solver::solve_many(std::span<const vertex> sources, const batch_options& options,
                                 const take_distances& take) {
  detail::check_multi_source_request(data_->graph(), sources, options);
  std::mutex taking;
  const auto search = [&](detail::solver_data& device, const detail::search_range& part) {
    take_distances take_part;
    if (take) {
      take_part = [&](const distance_rows& block) {
        distance_rows numbered = block;
        numbered.first += part.first;
        const std::lock_guard lock(taking);
        throw_if_stopped();
        take(numbered);
      };
    }
    return search_many(device, sources.subspan(part.first, part.count), options, take_part, nullptr);
  };
  return share(*data_, sources.size(), options, search, static_cast<bool>(take));
}

reduced_searches solver::reduce(std::span<const vertex> sources, std::span<const reduction> reductions,
                                const batch_options& options) {
  detail::check_multi_source_request(data_->graph(), sources, options);
  detail::check_reductions(data_->graph(), reductions, options);
  reduced_searches result;
  for (const reduction& quantity : reductions) {
    const std::size_t columns = quantity.columns();
    result.tables.push_back({.columns = columns, .values = std::vector<double>(sources.size() * columns)});
  }
  result.summary =
      share(*data_, sources.size(), options, [&](detail::solver_data& device, const detail::search_range& part) {
        batch_options limited = options;
        const double cutoff = options.cutoff.value_or(std::numeric_limits<double>::infinity());
        detail::reduction_tables tables(device.graph(), device.kind(), reductions);
        if (tables.cutoff() < cutoff) limited.cutoff = tables.cutoff();
        batch_summary summary = search_many(device, sources.subspan(part.first, part.count), limited, {}, &tables);
        const std::vector<reduced_table> rows = std::move(tables).tables();
        for (std::size_t i = 0; i < rows.size(); ++i) {
          std::ranges::copy(rows[i].values, result.tables[i].values.begin() +
                                                static_cast<std::ptrdiff_t>(part.first * rows[i].columns));
        }
        return summary;
      });
  return result;
}

namespace {

/// Searches pairs on one device. @param quantities to be summed along the paths; null: none
path_sums search_pairs_on(detail::solver_data& device, std::span<const vertex> sources, std::span<const vertex> targets,
                          const std::span<const std::uint32_t>* quantities, const batch_options& options) {
  detail::grouped_pairs pairs(device.graph().vertex_count(), device.kind(), sources, targets);
  if (quantities != nullptr) pairs.sum_along_paths(device.path_graphs(), *quantities);
  path_sums result{.distances = {}, .sums = {}, .summary = search_many(device, pairs.sources(), options, {}, &pairs)};
  result.distances = std::move(pairs).distances();
  result.sums = std::move(pairs).path_sums();
  return result;
}

path_sums search_pairs(detail::solver_data& data, std::span<const vertex> sources, std::span<const vertex> targets,
                       const std::span<const std::uint32_t>* quantities, const batch_options& options) {
  detail::check_multi_source_request(data.graph(), sources, options);
  detail::check_pairs(data.graph(), sources, targets, options);
  if (quantities != nullptr) detail::check_quantities(data.graph(), *quantities);
  path_sums result;
  if (data.devices().size() == 1) {
    result.summary =
        share(data, sources.size(), options, [&](detail::solver_data& device, const detail::search_range&) {
          result = search_pairs_on(device, sources, targets, quantities, options);
          return result.summary;
        });
    return result;
  }
  result.distances.resize(sources.size());
  if (quantities != nullptr) result.sums.resize(sources.size());
  // Pairs of one source belong to one device, so that it is searched once.
  std::vector<std::size_t> by_source(sources.size());
  std::iota(by_source.begin(), by_source.end(), std::size_t{0});
  std::ranges::stable_sort(by_source, {}, [&](std::size_t i) { return sources[i]; });
  std::vector<std::size_t> first_pair;  // of each different source
  for (std::size_t i = 0; i < by_source.size(); ++i) {
    if (i == 0 || sources[by_source[i]] != sources[by_source[i - 1]]) first_pair.push_back(i);
  }
  first_pair.push_back(by_source.size());
  const std::size_t different = first_pair.size() - 1;
  result.summary = share(data, different, options, [&](detail::solver_data& device, const detail::search_range& part) {
    const std::size_t begin = first_pair[part.first];
    const auto pairs = std::span(by_source).subspan(begin, first_pair[part.first + part.count] - begin);
    std::vector<vertex> part_sources;
    std::vector<vertex> part_targets;
    for (const std::size_t i : pairs) {
      part_sources.push_back(sources[i]);
      part_targets.push_back(targets[i]);
    }
    path_sums sums = search_pairs_on(device, part_sources, part_targets, quantities, options);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      result.distances[pairs[i]] = sums.distances[i];
      if (quantities != nullptr) result.sums[pairs[i]] = sums.sums[i];
    }
    return std::move(sums.summary);
  });
  return result;
}

}  // namespace

pair_distances solver::solve_pairs(std::span<const vertex> sources, std::span<const vertex> targets,
                                   const batch_options& options) {
  path_sums result = search_pairs(*data_, sources, targets, nullptr, options);
  return {.distances = std::move(result.distances), .summary = std::move(result.summary)};
}

path_sums solver::sum_pair_paths(std::span<const vertex> sources, std::span<const vertex> targets,
                                 std::span<const std::uint32_t> quantities, const batch_options& options) {
  return search_pairs(*data_, sources, targets, &quantities, options);
}

path_sums solver::sum_matrix_paths(std::span<const vertex> sources, std::span<const vertex> targets,
                                   std::span<const std::uint32_t> quantities, const batch_options& options) {
  if (targets.empty()) throw input_error("no targets: expected at least one");
  detail::check_multi_source_request(data_->graph(), sources, options);
  for (std::size_t i = 0; i < targets.size(); ++i) detail::require_vertex(data_->graph(), "target", i, targets[i]);
  detail::check_pair_count(sources.size() * targets.size());
  std::vector<vertex> pair_sources;
  std::vector<vertex> pair_targets;
  for (const vertex source : sources) {
    pair_sources.insert(pair_sources.end(), targets.size(), source);
    pair_targets.insert(pair_targets.end(), targets.begin(), targets.end());
  }
  return sum_pair_paths(pair_sources, pair_targets, quantities, options);
}

betweenness_scores solver::betweenness(const betweenness_options& options, const follow_betweenness& follow) {
  detail::check_betweenness(options);
  const detail::device_lock lock(data_->device());
  return detail::translated([&] {
    data_->enter();
    return data_->betweenness().run(options, follow);
  });
}

}  // namespace mlmq
