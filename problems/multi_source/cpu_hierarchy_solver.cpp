// SPDX-License-Identifier: Apache-2.0
// Many searches on processors by an elimination hierarchy: a thread searches from 16 sources at a time.
#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <utility>

#include "backends/cpu/searches/thread_team.hpp"
#include "problems/multi_source/built_hierarchy.hpp"
#include "problems/multi_source/distance_reader.hpp"
#include "problems/multi_source/found_distances.hpp"
#include "problems/multi_source/hierarchy_search.hpp"
#include "problems/multi_source/solver.hpp"
#include "problems/team_run.hpp"

namespace mlmq::multi_source {
namespace {

class cpu_hierarchy_solver final : public solver {
 public:
  explicit cpu_hierarchy_solver(const solver_input& input) : input_(input), runs_(input.device) {}

  void prepare(const tuner::configuration&, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    hierarchy_ = &input_.hierarchy.get();
    searchers_.clear();  // those of former weights
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
  }

  [[nodiscard]] tuner::run_report run(const search_request& request, double time_limit_ms) override {
    choose_positions(request.targets);
    answers_.assign(request.sources.size(), {});
    current_ = &buffers_.at(request.buffer);
    current_->assign(request.sources.size(), request, input_.graph.vertex_count(), graph::unreached);
    const std::uint64_t before = relaxations();
    tuner::run_report report = runs_.run(
        *kernel_, time_limit_ms, [&](cpu::thread_team& team, cpu::stop_signal& stop) { run_all(team, request, stop); });
    if (counts_) {
      const std::size_t groups = (request.sources.size() + hierarchy_lanes - 1) / hierarchy_lanes;
      report.counters.emplace_back("pops", static_cast<double>(groups * positions_.size()));
      report.counters.emplace_back("relaxations", static_cast<double>(relaxations() - before));
    }
    return report;
  }

  [[nodiscard]] bool adopt_weights() override { return true; }

  void copy_rows(unsigned buffer, std::size_t first, std::size_t count, void* destination) override {
    buffers_.at(buffer).copy_rows(first, count, destination);
  }
  [[nodiscard]] std::vector<multi_source_answer> answers() override { return answers_; }
  [[nodiscard]] std::vector<graph::distance_bits> distances(std::size_t first, std::size_t count) override {
    return current_->rows(first, count);
  }
  [[nodiscard]] const backends::device_memory& device_distances() const override {
    throw backends::launch_error("processors have no memory of their own to keep distances in");
  }
  [[nodiscard]] std::vector<graph::distance_bits> target_distances() override { return current_->of_targets; }
  [[nodiscard]] std::vector<graph::wide_distance_bits> wide_distances(std::size_t, std::size_t) override { return {}; }
  [[nodiscard]] std::vector<graph::wide_distance_bits> wide_target_distances() override { return {}; }

 private:
  struct placed_target {
    std::uint32_t position;
    std::size_t column;
  };

  /// Chooses the positions to visit: all, or the targets and their ancestors.
  void choose_positions(std::span<const graph::vertex_id> targets) {
    const graph::elimination& tree = *hierarchy_->tree;
    targets_.clear();
    for (std::size_t i = 0; i < targets.size(); ++i) targets_.push_back({tree.position_of[targets[i]], i});
    std::ranges::sort(targets_, {}, &placed_target::position);
    if (targets.empty()) {
      positions_.resize(tree.vertices());
      std::iota(positions_.begin(), positions_.end(), 0U);
      return;
    }
    positions_.clear();
    std::vector<bool> is_chosen(tree.vertices(), false);
    for (const placed_target& target : targets_) {
      for (std::uint32_t p = target.position; !is_chosen[p]; p = tree.parent[p]) {
        is_chosen[p] = true;
        positions_.push_back(p);
      }
    }
    std::ranges::sort(positions_);
  }

  void run_all(cpu::thread_team& team, const search_request& request, cpu::stop_signal& stop) {
    while (searchers_.size() < team.size()) searchers_.emplace_back(*hierarchy_);
    std::atomic<std::size_t> next = 0;
    team.run([&](unsigned rank) {
      const auto take_group = [&] { return next.fetch_add(hierarchy_lanes); };
      for (std::size_t first = take_group(); first < request.sources.size() && !stop.poll(); first = take_group())
        run_group(searchers_[rank], request, first, stop);
    });
  }

  void run_group(hierarchy_search& searcher, const search_request& request, std::size_t first, cpu::stop_signal& stop) {
    const std::size_t count = std::min(hierarchy_lanes, request.sources.size() - first);
    const std::vector<graph::vertex_id>& vertices = hierarchy_->tree->vertex_at;
    const bool has_cutoff = request.cutoff < hierarchy_->no_path();
    const std::size_t n = input_.graph.vertex_count();
    std::vector<graph::distance_bits> rows_to_read(request.readers.empty() ? 0 : count * n);
    lane_answers sums;
    std::size_t next_target = 0;
    const bool is_complete =
        searcher.run(request.sources.subspan(first, count), positions_, [&](const swept_rows& rows) {
          if (has_cutoff) cut(rows, static_cast<std::uint32_t>(request.cutoff));
          if (request.targets.empty() && request.readers.empty()) sums.add(rows, vertices, hierarchy_->no_path());
          if (request.keep) write_rows(rows, count, current_->distances.data() + first * n);
          if (!request.readers.empty()) write_rows(rows, count, rows_to_read.data());
          for (; next_target < targets_.size() && targets_[next_target].position <= rows.positions.back();
               ++next_target)
            keep_target(rows, targets_[next_target], first, count);
          return !stop.poll();
        });
    if (!is_complete || !request.targets.empty()) return;
    for (distance_reader* const reader : request.readers) {
      for (std::size_t lane = 0; lane < count; ++lane)
        reader->read(first + lane, std::span<const graph::distance_bits>(rows_to_read).subspan(lane * n, n));
    }
    for (std::size_t lane = 0; lane < count; ++lane) answers_[first + lane] = sums.answer(lane);
  }

  void cut(const swept_rows& rows, std::uint32_t cutoff) const {
    for (lane_distances& distances : rows.distances) {
      for (std::uint32_t& distance : distances.lanes) distance = distance > cutoff ? hierarchy_->no_path() : distance;
    }
  }

  [[nodiscard]] graph::distance_bits to_bits(std::uint32_t distance) const {
    return distance < hierarchy_->no_path() ? distance : graph::unreached;
  }

  /// @param destination `count` rows with one distance per vertex
  void write_rows(const swept_rows& rows, std::size_t count, graph::distance_bits* destination) const {
    const std::size_t n = input_.graph.vertex_count();
    for (std::size_t i = 0; i < rows.positions.size(); ++i) {
      graph::distance_bits* const column = destination + hierarchy_->tree->vertex_at[rows.positions[i]];
      for (std::size_t lane = 0; lane < count; ++lane) column[lane * n] = to_bits(rows.distances[i].lanes[lane]);
    }
  }

  void keep_target(const swept_rows& rows, const placed_target& target, std::size_t first, std::size_t count) {
    const auto row =
        static_cast<std::size_t>(std::ranges::lower_bound(rows.positions, target.position) - rows.positions.begin());
    for (std::size_t lane = 0; lane < count; ++lane) {
      current_->of_targets[(first + lane) * targets_.size() + target.column] = to_bits(rows.distances[row].lanes[lane]);
    }
  }

  [[nodiscard]] std::uint64_t relaxations() const {
    std::uint64_t sum = 0;
    for (const hierarchy_search& searcher : searchers_) sum += searcher.relaxations();
    return sum;
  }

  const solver_input& input_;
  problems::abortable_runs runs_;
  const graph::search_hierarchy* hierarchy_ = nullptr;
  std::shared_ptr<const backends::kernel> kernel_;
  std::vector<hierarchy_search> searchers_;  // one per thread
  std::vector<std::uint32_t> positions_;
  std::vector<placed_target> targets_;  // ascending
  std::vector<multi_source_answer> answers_;
  std::array<found_distances<graph::distance_bits>, 2> buffers_;
  found_distances<graph::distance_bits>* current_ = buffers_.data();  // buffer of the last run
  bool counts_ = false;
};

}  // namespace

extern const solver_traits cpu_hierarchy_row{
    .name = "cpu_hierarchy",
    .meaning = "one thread per 16 searches of a hierarchy",
    .on_grid = false,
    .has_hierarchy = true,
    .make = [](const solver_input& input) -> std::unique_ptr<solver> {
      return std::make_unique<cpu_hierarchy_solver>(input);
    },
    .source_hash = [] { return std::string(MLMQ_BATCH_HIERARCHY_SOURCE_HASH); }};

}  // namespace mlmq::multi_source
