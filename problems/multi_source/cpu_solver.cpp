// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/searches/thread_team.hpp"
#include "graph/reduced_graph.hpp"
#include "problems/multi_source/distance_reader.hpp"
#include "problems/multi_source/found_distances.hpp"
#include "problems/multi_source/host_search_graph.hpp"
#include "problems/multi_source/processor_work.hpp"
#include "problems/multi_source/sequential_search.hpp"
#include "problems/multi_source/solver.hpp"
#include "problems/shortest_paths/device_reduction.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "problems/team_run.hpp"

namespace mlmq::multi_source {
namespace {

/// The core of a graph that has been reduced.
struct searched_core {
  searched_core(const solver_input& input, graph::reduction_extent extent)
      : steps(problems::reduce(input.device, input.graph, input.on_device, extent, input.reductions)),
        rows(steps.back().core, problems::search_kind::sssp) {}

  std::vector<problems::reduced_rows> steps;
  host_search_graph rows;
};

/// What a thread needs for searches of a core.
struct core_searcher {
  std::vector<graph::start_finder<graph::distance_bits>> finders;  ///< one per step of the reduction
  std::vector<graph::distance_bits> filled = {};                   ///< memory for the distances of all vertices
  std::vector<graph::distance_bits> outer = {};                    ///< memory for those of the first of two cores
};

class cpu_solver final : public solver {
 public:
  explicit cpu_solver(const solver_input& input) : input_(input), runs_(input.device) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    problems::require_reducible(chosen, input_.kind);
    const std::optional<graph::reduction_extent> extent = problems::reduction_of(chosen);
    const searched_core* const former = std::exchange(core_, nullptr);
    if (extent) {
      std::unique_ptr<const searched_core>& core = cores_[*extent];
      if (core == nullptr) core = std::make_unique<searched_core>(input_, *extent);
      core_ = core.get();
    }
    if (core_ != former) {
      searchers_.clear();
      core_searchers_.clear();
    }
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
  }

  [[nodiscard]] tuner::run_report run(const search_request& request, double time_limit_ms) override {
    mark_targets(request.targets);
    const std::size_t searches = request.sources.size();
    answers_.assign(searches, {});
    current_ = &buffers_.at(request.buffer);
    if (is_wide()) {
      current_->wide.assign(searches, request, input_.graph.vertex_count(), graph::wide_unreached);
    } else {
      current_->narrow.assign(searches, request, input_.graph.vertex_count(), graph::unreached);
    }
    const cpu::work_counts before = work_of(searchers_);
    tuner::run_report report = runs_.run(
        *kernel_, time_limit_ms, [&](cpu::thread_team& team, cpu::stop_signal& stop) { run_all(team, request, stop); });
    if (counts_) report_work(before, work_of(searchers_), report);
    return report;
  }

  void copy_rows(unsigned buffer, std::size_t first, std::size_t count, void* destination) override {
    if (is_wide()) return buffers_.at(buffer).wide.copy_rows(first, count, destination);
    buffers_.at(buffer).narrow.copy_rows(first, count, destination);
  }

  [[nodiscard]] std::vector<multi_source_answer> answers() override { return answers_; }
  [[nodiscard]] std::vector<graph::distance_bits> distances(std::size_t first, std::size_t count) override {
    return current_->narrow.rows(first, count);
  }
  [[nodiscard]] const backends::device_memory& device_distances() const override {
    throw backends::launch_error("processors have no memory of their own to keep distances in");
  }
  [[nodiscard]] std::vector<graph::distance_bits> target_distances() override { return current_->narrow.of_targets; }
  [[nodiscard]] std::vector<graph::wide_distance_bits> wide_distances(std::size_t first, std::size_t count) override {
    return current_->wide.rows(first, count);
  }
  [[nodiscard]] std::vector<graph::wide_distance_bits> wide_target_distances() override {
    return current_->wide.of_targets;
  }

 private:
  struct buffered {
    found_distances<graph::distance_bits> narrow;
    found_distances<graph::wide_distance_bits> wide;  // used instead of `narrow` for float64
  };

  [[nodiscard]] bool is_wide() const { return input_.graph.weights() == graph::weight_type::float64; }

  /// Marks the vertices whose distances end a search: the targets, or in a core the ends of their fragments.
  void mark_targets(std::span<const graph::vertex_id> targets) {
    is_target_.clear();
    different_targets_ = 0;
    if (targets.empty()) return;
    is_target_.assign(input_.graph.vertex_count(), 0);
    for (const graph::vertex_id target : targets) is_target_[target] = 1;
    if (core_ != nullptr) {
      for (const problems::reduced_rows& step : core_->steps) mark_ends(*step.on_processors);
    }
    different_targets_ = static_cast<std::size_t>(std::count(is_target_.begin(), is_target_.end(), 1));
  }

  /// Marks the ends of the fragments of marked vertices in their place.
  void mark_ends(const graph::reduced_graph& reduced) {
    std::vector<std::uint8_t> is_end(reduced.core().vertex_count(), 0);
    const std::size_t count = reduced.rows_per_vertex();
    for (std::size_t v = 0; v < reduced.structure().vertex_count(); ++v) {
      if (is_target_[v] == 0) continue;
      for (const auto& row : reduced.rows<graph::distance_bits>().subspan(v * count, count)) {
        for (const graph::vertex_id end : row.ends) {
          if (end < is_end.size()) is_end[end] = 1;
        }
      }
    }
    is_target_ = std::move(is_end);
  }

  void run_all(cpu::thread_team& team, const search_request& request, cpu::stop_signal& stop) {
    const cpu::search_graph graph =
        core_ == nullptr ? view_of(input_.graph, input_.on_device, input_.kind) : core_->rows.view();
    while (searchers_.size() < team.size()) {
      searchers_.emplace_back(graph);
      if (core_ == nullptr) continue;
      core_searchers_.push_back({.finders = problems::make_start_finders(input_.graph, core_->steps)});
    }
    std::atomic<std::size_t> next = 0;
    team.run([&](unsigned rank) {
      sequential_search& searcher = searchers_[rank];
      const auto is_over = [&stop] { return stop.poll(); };
      for (std::size_t i = next++; i < request.sources.size() && !is_over(); i = next++) {
        if (core_ != nullptr) {
          search_core(searcher, core_searchers_[rank], i, request, is_over);
        } else if (searcher.run(request.sources[i], is_target_, different_targets_, request.cutoff, is_over)) {
          if (is_wide()) {
            keep(i, request, searcher.wide_distances(), current_->wide);
          } else {
            keep(i, request, searcher.distances(), current_->narrow);
          }
        }
      }
    });
  }

  /// Makes a search of a reduced graph.
  void search_core(sequential_search& searcher, core_searcher& memory, std::size_t search,
                   const search_request& request, const std::function<bool()>& is_over) {
    const std::span<const graph::seed_vertex> seeds =
        graph::find_seeds<graph::distance_bits>(memory.finders, request.sources[search]);
    const bool is_reduced_twice = core_->steps.size() > 1;
    const graph::wide_distance_bits offset = graph::wide_distance_bits{memory.finders.front().last().offset} +
                                             (is_reduced_twice ? memory.finders.back().last().offset : 0);
    const bool has_targets = !request.targets.empty();
    const bool is_limited = request.cutoff < graph::unreached;
    // Distances of the core count from the nearest seed.
    const graph::wide_distance_bits cutoff =
        is_limited && request.cutoff >= offset ? request.cutoff - offset : request.cutoff;
    const bool reaches_core = !is_limited || request.cutoff >= offset;
    // The core may have no vertex to end the search at: targets near the source, or vertices that nothing leads to.
    const bool searches = reaches_core && (!has_targets || different_targets_ > 0);
    if (!searcher.run(searches ? seeds : seeds.first(0), is_target_, different_targets_, cutoff, is_over)) return;
    std::span<const graph::distance_bits> of_core(searcher.distances().data(), searcher.distances().size() + 1);
    if (is_reduced_twice) {
      const graph::reduced_graph& reduced = *core_->steps.back().on_processors;
      const graph::core_start<graph::distance_bits>& start = memory.finders.back().last();
      memory.outer.resize(reduced.structure().vertex_count() + std::size_t{1}, graph::unreached);
      reduced.fill_in<graph::distance_bits>(start, of_core, memory.outer, 0, reduced.structure().vertex_count());
      graph::reduced_graph::fill_in_fragment<graph::distance_bits>(start, memory.outer);
      of_core = memory.outer;
    }
    const graph::reduced_graph& reduced = *core_->steps.front().on_processors;
    const graph::core_start<graph::distance_bits>& start = memory.finders.front().last();
    const auto limited = [&](graph::distance_bits distance) {
      return distance > request.cutoff ? graph::unreached : distance;
    };
    if (has_targets) {
      for (std::size_t i = 0; i < request.targets.size(); ++i) {
        const graph::vertex_id target = request.targets[i];
        current_->narrow.of_targets[search * request.targets.size() + i] =
            limited(std::min(reduced.distance_of<graph::distance_bits>(start, of_core, target),
                             memory.finders.front().length_inside(target)));
      }
      if (!request.keep) return;
    }
    std::vector<graph::distance_bits>& filled = memory.filled;
    filled.resize(input_.graph.vertex_count());
    reduced.fill_in<graph::distance_bits>(start, of_core, filled, 0, filled.size());
    graph::reduced_graph::fill_in_fragment<graph::distance_bits>(start, filled);
    if (is_limited) std::ranges::transform(filled, filled.begin(), limited);
    keep<graph::distance_bits>(search, request, filled, current_->narrow);
  }

  template <class Bits>
  void keep(std::size_t search, const search_request& request, std::span<const Bits> row,
            found_distances<Bits>& results) {
    for (distance_reader* const reader : request.readers) reader->read(search, row);
    for (std::size_t i = 0; i < request.targets.size(); ++i) {
      results.of_targets[search * request.targets.size() + i] = row[request.targets[i]];
    }
    if (request.targets.empty() && request.readers.empty()) answers_[search] = answer_of(row);
    if (request.keep)
      std::ranges::copy(row, results.distances.begin() + static_cast<std::ptrdiff_t>(search * row.size()));
  }

  const solver_input& input_;
  problems::abortable_runs runs_;
  std::shared_ptr<const backends::kernel> kernel_;
  std::map<graph::reduction_extent, std::unique_ptr<const searched_core>> cores_;
  const searched_core* core_ = nullptr;        // of the present configuration, if it reduces the graph
  std::vector<sequential_search> searchers_;   // one per thread
  std::vector<core_searcher> core_searchers_;  // one per thread, for searches of a core
  std::vector<std::uint8_t> is_target_;
  std::size_t different_targets_ = 0;
  std::vector<multi_source_answer> answers_;
  std::array<buffered, 2> buffers_;
  buffered* current_ = buffers_.data();  // buffer of the last run
  bool counts_ = false;
};

}  // namespace

extern const solver_traits cpu_dijkstra_row{
    .name = "cpu_dijkstra",
    .meaning = "one thread per search",
    .on_grid = false,
    .make = [](const solver_input& input) -> std::unique_ptr<solver> { return std::make_unique<cpu_solver>(input); },
    .source_hash = [] { return std::string(MLMQ_BATCH_SOURCE_HASH); }};

}  // namespace mlmq::multi_source
