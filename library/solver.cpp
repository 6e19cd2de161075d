// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>
#include <variant>

#include "backends/no_compiler.hpp"
#include "base/error.hpp"
#include "library/batch_runner.hpp"
#include "library/betweenness_runner.hpp"
#include "library/chooser.hpp"
#include "library/executor.hpp"
#include "library/timed_search.hpp"
#include "problems/shortest_paths/parameters.hpp"

namespace mlmq {

/// What chooses and what runs, in turns.
class detail::solver_data {
 public:
  solver_data(std::shared_ptr<device_data> on, const digraph& searched, problem which)
      : graph_(searched), kind_(which), on_(on), runs_(std::move(on), searched, which), chooses_(runs_) {}

  [[nodiscard]] device_data& device() const { return runs_.device(); }
  [[nodiscard]] const digraph& graph() const { return graph_; }
  /// Of the distances.
  [[nodiscard]] graph::weight_type type() const {
    return kind_ == problem::bfs ? graph::weight_type::uint32 : access::get(graph_).csr.weights();
  }
  [[nodiscard]] bool is_resident() const { return runs_.here().instance != nullptr; }
  void enter() { runs_.device().own->enter(); }
  double upload() { return runs_.upload(); }

  [[nodiscard]] mlmq::choice choose(const solve_options& options) {
    solve_times times;
    return runs_.described(*chooses_.attempts(placed(options), times, false).front());
  }
  /// Waits for the caller's work, where it may have to do with the search.
  /// @param keeps whether the answer stays on the device
  /// @throws input_error for a stream that there is not, and for an answer that cannot stay
  void wait_for_stream(void* stream, bool keeps);

  [[nodiscard]] solution solve(vertex source, const solve_options& options);
  /// @param to a number of type() for each vertex
  [[nodiscard]] search_summary solve_into(vertex source, std::span<std::byte> to, const solve_options& options);
  [[nodiscard]] std::vector<tried> try_out(std::span<const vertex> sources, unsigned count,
                                           const solve_options& options);
  /// Takes a runner that no other call uses. Called with the device locked.
  [[nodiscard]] std::unique_ptr<batch_runner> take_batch_runner() {
    const std::lock_guard lock(idle_mutex_);
    if (idle_batch_runners_.empty()) return std::make_unique<batch_runner>(on_, graph_, kind_, runs_);
    std::unique_ptr<batch_runner> runner = std::move(idle_batch_runners_.back());
    idle_batch_runners_.pop_back();
    return runner;
  }
  /// Keeps a runner, with what it has compiled and allocated, for the next call.
  void keep(std::unique_ptr<batch_runner> runner) {
    const std::lock_guard lock(idle_mutex_);
    idle_batch_runners_.push_back(std::move(runner));
  }
  [[nodiscard]] betweenness_runner& centralities() {
    if (centralities_ == nullptr) centralities_ = std::make_unique<betweenness_runner>(on_, graph_, kind_);
    return *centralities_;
  }

 private:
  digraph graph_;
  problem kind_;
  std::shared_ptr<device_data> on_;
  /// A search that was done, whose answer is where it was found.
  struct found_answer {
    resident& place;
    std::shared_ptr<const attempt> by;
    tuner::run_report report;
    bool is_copied = false;
    solve_times times;
  };
  /// @param to where the distances are wanted, as executor::run() has it
  [[nodiscard]] found_answer search(vertex source, const solve_options& options, std::span<std::byte> to);
  /// What is asked for, with the only place where it can be.
  [[nodiscard]] solve_options placed(const solve_options& options) const;

  executor runs_;
  chooser chooses_;
  std::mutex idle_mutex_;
  std::vector<std::unique_ptr<batch_runner>> idle_batch_runners_;  // more than one after calls within calls
  std::unique_ptr<betweenness_runner> centralities_;               // from the first call of betweenness() on
};

namespace detail {

void require_time_limit(double milliseconds) {
  if (milliseconds > 0 && std::isfinite(milliseconds)) return;
  throw input_error(fmt::format("time limit: {} ms is not above 0", milliseconds));
}

void solver_data::wait_for_stream(void* stream, bool keeps) {
  backends::backend& own = *runs_.device().own;
  if (keeps && !own.info().grid) {
    throw input_error(
        fmt::format("{}: processors have no memory of their own in which an answer could stay", own.info().selector));
  }
  if (stream != nullptr || keeps || runs_.are_rows_here()) own.wait_for_stream(stream);
}

solve_options solver_data::placed(const solve_options& options) const {
  solve_options here = options;
  if (options.keep_on_device || access::get(graph_).elsewhere != nullptr) here.place = placement::device;
  return here;
}

solver_data::found_answer solver_data::search(vertex source, const solve_options& asked, std::span<std::byte> to) {
  const solve_options options = placed(asked);
  const tuner::instrumentation what = instrumentation_of(options);
  solve_times times;
  attempt_list all = chooses_.attempts(options, times, true);
  for (std::size_t i = 0; i < all.size(); ++i) {
    // Without a compiler, and where memory is short, a rule's suggestion is none.
    const auto is_a_loss = [&] {
      if (all[i]->by != choice::chooser::rule || i + 1 == all.size()) return true;
      runs_.note_unfit(all[i]->configuration.label(), what);
      return false;
    };
    try {
      resident& place = runs_.make_ready(*all[i], what, times);
      auto [report, is_copied] = runs_.run(place, *all[i], source, what, options.time_limit_ms, to, times);
      if (what == tuner::instrumentation::none) chooses_.note(*all[i], times.solve);
      return {
          .place = place, .by = std::move(all[i]), .report = std::move(report), .is_copied = is_copied, .times = times};
    } catch (const backends::launch_error&) {
      if (!all[i]->on_host) runs_.note_unfit(all[i]->configuration.label(), what);
      if (all[i]->on_host && i + 1 == all.size()) {
        // The processors were chosen by the size of the graph, and nothing else was looked at.
        solve_options pinned = options;
        pinned.place = placement::device;
        for (auto& one : chooses_.attempts(pinned, times, true)) all.push_back(std::move(one));
      }
      // The last one's reason is as good as any.
      if (i + 1 == all.size()) throw;
    } catch (const backends::no_compiler&) {
      if (is_a_loss()) throw;
    } catch (const backends::compile_error&) {
      if (is_a_loss()) throw;
    } catch (const backends::out_of_device_memory&) {
      if (is_a_loss()) throw;
    }
  }
  throw work_error("no configuration to try");
}

namespace {

/// Room for one number for each vertex.
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

solution solver_data::solve(vertex source, const solve_options& options) {
  const auto answer = std::make_shared<solution_data>(graph_, kind_, source);
  std::span<std::byte> room;
  if (!options.keep_on_device && runs_.is_copied_at_once()) {
    room = room_for(answer->distances, type(), answer->vertex_count());
  }
  found_answer found = search(source, options, room);
  if (options.keep_on_device) {
    runs_.keep(*answer, found.times);
  } else if (!found.is_copied) {
    runs_.bring(found.place, *answer, found.times);
  }
  answer->chosen = runs_.described(*found.by);
  answer->times = found.times;
  answer->counters = std::move(found.report.counters);
  answer->timeline = intervals_of(found.report.timeline);
  return access::make<solution>(std::shared_ptr<const solution_data>(answer));
}

search_summary solver_data::solve_into(vertex source, std::span<std::byte> to, const solve_options& options) {
  found_answer found = search(source, options, runs_.is_copied_at_once() ? to : std::span<std::byte>());
  search_summary summary;
  summary.exact = found.is_copied ? runs_.finish_copied(to) : runs_.write(found.place, to, found.times);
  summary.choice = runs_.described(*found.by);
  summary.times = found.times;
  summary.counters = std::move(found.report.counters);
  summary.timeline = intervals_of(found.report.timeline);
  return summary;
}

std::vector<tried> solver_data::try_out(std::span<const vertex> sources, unsigned count, const solve_options& options) {
  solve_options here_only = options;
  here_only.place = placement::device;
  solve_times unused;
  std::vector<double> best(sources.size(), std::numeric_limits<double>::infinity());
  std::vector<tried> result;
  const attempt_list all = chooses_.attempts(here_only, unused, true);
  runs_.upload(unused);
  // Before the first is timed: who compiles beside a search delays it.
  runs_.compile_all(std::span(all).first(std::min<std::size_t>(count, all.size())), tuner::instrumentation::none);
  for (const std::shared_ptr<const attempt>& shared : all) {
    const attempt& one = *shared;
    if (one.by == choice::chooser::standard || result.size() == count) break;
    const std::string label = one.configuration.label();
    std::optional<double> mean;
    try {
      mean = mean_time(runs_.make_ready(one, tuner::instrumentation::none, unused), label, sources, best,
                       options.time_limit_ms);
    } catch (const backends::launch_error&) {
      runs_.note_unfit(label, tuner::instrumentation::none);
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
    throw unsuitable_error(fmt::format("{}: none of the model's candidates can run on {}, there is nothing to try",
                                       runs_.data().name, runs_.device().facts.name));
  }
  if (!result.front().milliseconds) {
    throw search_error(fmt::format("{}: none of the {} configurations that were tried found the paths within {} ms",
                                   runs_.data().name, result.size(), options.time_limit_ms),
                       search_error::reason::failed);
  }
  chooses_.prefer(options.model, result.front().configuration,
                  fmt::format("the fastest of {} tried: {:.4g} ms on average over {} source{}", result.size(),
                              *result.front().milliseconds, sources.size(), sources.size() == 1 ? "" : "s"));
  return result;
}

}  // namespace detail

std::string complete_configuration(const std::string& text) {
  return tuner::parameter_set::from_declarations(problems::search_declarations()).parse_label(text).label();
}

solver::solver(const device& where, const digraph& what, problem kind)
    : data_(std::make_shared<detail::solver_data>(detail::access::share(where), what, kind)) {}

double solver::upload() {
  const detail::device_lock lock(data_->device());
  return detail::translated([&] {
    data_->enter();
    return data_->upload();
  });
}

bool solver::resident() const {
  const detail::device_lock lock(data_->device());
  return data_->is_resident();
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
  if (sources.empty() || count == 0) throw input_error("nothing to try: no source, or a count of 0");
  for (const vertex source : sources) check_search(data_->graph(), source, options);
  if (!options.configurations.empty()) throw input_error("configurations are given: there is nothing to try");
  if (options.counters || options.timeline) {
    throw input_error("times of searches that count or record work cannot be compared: try without");
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
  if (options.counters && options.timeline) throw input_error("counters and a timeline cannot be had of one search");
  const detail::device_lock lock(data_->device());
  return detail::translated([&] {
    data_->enter();
    data_->wait_for_stream(options.stream, options.keep_on_device);
    return data_->solve(source, options);
  });
}

namespace {

/// @param type of the `count` numbers at `out`
search_summary search_into(detail::solver_data& searched, vertex source, std::span<std::byte> out, std::size_t count,
                           graph::weight_type type, const solve_options& options) {
  check_search(searched.graph(), source, options);
  if (options.counters && options.timeline) throw input_error("counters and a timeline cannot be had of one search");
  if (options.keep_on_device)
    throw input_error("distances cannot both stay on the device and be written to host memory");
  if (searched.type() != type) {
    throw input_error(fmt::format("the distances of {} are {}: give solve_into() an array of these",
                                  searched.graph().name(), graph::name_of(searched.type())));
  }
  if (count != searched.graph().vertex_count()) {
    throw input_error(fmt::format("room for {} distances, but {} has {} vertices", count, searched.graph().name(),
                                  searched.graph().vertex_count()));
  }
  const detail::device_lock lock(searched.device());
  return detail::translated([&] {
    searched.enter();
    searched.wait_for_stream(options.stream, false);
    return searched.solve_into(source, out, options);
  });
}

}  // namespace

search_summary solver::solve_into(vertex source, std::span<std::uint32_t> out, const solve_options& options) {
  return search_into(*data_, source, std::as_writable_bytes(out), out.size(), graph::weight_type::uint32, options);
}

search_summary solver::solve_into(vertex source, std::span<float> out, const solve_options& options) {
  return search_into(*data_, source, std::as_writable_bytes(out), out.size(), graph::weight_type::float32, options);
}

search_summary solver::solve_into(vertex source, std::span<double> out, const solve_options& options) {
  return search_into(*data_, source, std::as_writable_bytes(out), out.size(), graph::weight_type::float64, options);
}

batch_summary solver::solve_many(std::span<const vertex> sources, const batch_options& options,
                                 const take_distances& take) {
  detail::check_batch(data_->graph(), sources, options);
  detail::device_lock lock(data_->device());
  return detail::translated([&] {
    data_->enter();
    data_->wait_for_stream(options.stream, options.keep_on_device);
    struct runner_lease {
      explicit runner_lease(detail::solver_data& solver) : owner(solver), runner(solver.take_batch_runner()) {}
      runner_lease(const runner_lease&) = delete;
      runner_lease& operator=(const runner_lease&) = delete;
      ~runner_lease() { owner.keep(std::move(runner)); }
      detail::solver_data& owner;
      std::unique_ptr<detail::batch_runner> runner;
    };
    return runner_lease(*data_).runner->run(sources, options, take, lock);
  });
}

betweenness_scores solver::betweenness(const betweenness_options& options, const follow_betweenness& follow) {
  detail::check_betweenness(options);
  const detail::device_lock lock(data_->device());
  return detail::translated([&] {
    data_->enter();
    return data_->centralities().run(options, follow);
  });
}

}  // namespace mlmq
