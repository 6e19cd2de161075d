// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <utility>

#include "backends/cpu/cpu_backend.hpp"
#include "base/time_limit.hpp"
#include "cpu_solvers/thread_team.hpp"
#include "problems/search_batches/sequential_search.hpp"
#include "problems/search_batches/solver.hpp"

namespace mlmq::batches {
namespace {

using clock = std::chrono::steady_clock;

class cpu_solver final : public solver {
 public:
  explicit cpu_solver(const batch_input& input)
      : input_(input), abort_word_(input.device.allocate(sizeof(std::uint32_t), "the abort word")) {}
  cpu_solver(const cpu_solver&) = delete;
  cpu_solver& operator=(const cpu_solver&) = delete;
  /// The watchdog pokes its memory.
  ~cpu_solver() override { input_.device.set_watchdog({}); }

  void prepare(const tuner::configuration&, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
  }

  [[nodiscard]] tuner::run_report run(const batch_request& asked, double time_limit_ms) override {
    backends::backend& device = input_.device;
    device.poke(abort_word_, 0, 0);
    device.set_watchdog({.limit_ms = 2 * time_limit_ms + 1000, .grace_ms = 2000, .fire = [this] {
                           input_.device.poke(abort_word_, 0, 1);
                         }});
    is_target_.clear();
    different_targets_ = 0;
    if (!asked.targets.empty()) {
      is_target_.assign(input_.graph.vertex_count(), 0);
      for (const graph::vertex_id target : asked.targets) is_target_[target] = 1;
      different_targets_ = static_cast<std::size_t>(std::count(is_target_.begin(), is_target_.end(), 1));
    }
    const std::size_t searches = asked.sources.size();
    answers_.assign(searches, {});
    now_ = &buffers_.at(asked.buffer);
    if (is_wide()) {
      now_->wide.assign(searches, asked, input_.graph.vertex_count(), graph::wide_unreached);
    } else {
      now_->narrow.assign(searches, asked, input_.graph.vertex_count(), graph::unreached);
    }
    run_state state{.until = clock::now() + time_limit_from_ms(time_limit_ms)};
    const cpu::work_counts before = work();
    const backends::team_work of_team = [&](cpu::thread_team& team) { run_all(team, asked, state); };
    tuner::run_report report;
    report.milliseconds = device.measure([&] {
      device.launch(*kernel_,
                    {.grid_blocks = 1, .shared_bytes = 0, .arguments = &of_team, .argument_bytes = sizeof of_team});
    });
    if (counts_) report_work(before, report);
    if (state.stopped) {
      report.result = db::outcome::timeout;
      report.message = fmt::format("not finished after {:.4g} ms", time_limit_ms);
    }
    return report;
  }

  void copy_rows(unsigned buffer, std::size_t first, std::size_t count, void* to) override {
    if (is_wide()) return buffers_.at(buffer).wide.copy_rows(first, count, to);
    buffers_.at(buffer).narrow.copy_rows(first, count, to);
  }

  [[nodiscard]] std::vector<batch_answer> answers() override { return answers_; }
  [[nodiscard]] std::vector<graph::distance_bits> distances(std::size_t first, std::size_t count) override {
    return now_->narrow.rows(first, count);
  }
  [[nodiscard]] const backends::device_memory& device_distances() const override {
    throw backends::launch_error("processors have no memory of their own to keep distances in");
  }
  [[nodiscard]] std::vector<graph::distance_bits> target_distances() override { return now_->narrow.of_targets; }
  [[nodiscard]] std::vector<graph::wide_distance_bits> wide_distances(std::size_t first, std::size_t count) override {
    return now_->wide.rows(first, count);
  }
  [[nodiscard]] std::vector<graph::wide_distance_bits> wide_target_distances() override {
    return now_->wide.of_targets;
  }

 private:
  /// What is kept of all searches of a run.
  template <class Bits>
  struct found_distances {
    std::size_t columns = 0;
    std::vector<Bits> of_targets;
    std::vector<Bits> kept;

    void assign(std::size_t searches, const batch_request& asked, std::size_t vertices, Bits none) {
      columns = asked.targets.empty() ? vertices : asked.targets.size();
      of_targets.assign(searches * asked.targets.size(), none);
      kept.assign(asked.keep ? searches * vertices : 0, none);
    }
    [[nodiscard]] std::vector<Bits> rows(std::size_t first, std::size_t count) const {
      const auto begin = kept.begin() + static_cast<std::ptrdiff_t>(first * columns);
      return {begin, begin + static_cast<std::ptrdiff_t>(count * columns)};
    }
    void copy_rows(std::size_t first, std::size_t count, void* to) const {
      const std::vector<Bits>& words = kept.empty() ? of_targets : kept;
      std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(first * columns), count * columns,
                  static_cast<Bits*>(to));
    }
  };
  struct buffered {
    found_distances<graph::distance_bits> narrow;
    found_distances<graph::wide_distance_bits> wide;  // instead, of float64
  };

  [[nodiscard]] bool is_wide() const { return input_.graph.weights() == graph::weight_type::float64; }

  struct run_state {
    clock::time_point until;
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> stopped = false;
  };

  void run_all(cpu::thread_team& team, const batch_request& asked, run_state& state) {
    const problems::resident_graph& there = input_.on_device;
    const cpu::search_graph graph{.vertices = input_.graph.vertex_count(),
                                  .weights = input_.graph.weights(),
                                  .unit_weights = input_.kind == problems::search_kind::bfs,
                                  .wide_offsets = there.wide_offsets,
                                  .offsets = there.offsets.address(),
                                  .edges = there.edges.address()};
    while (searchers_.size() < team.size()) searchers_.emplace_back(graph);
    team.run([&](unsigned rank) {
      sequential_search& searcher = searchers_[rank];
      std::atomic_ref<std::uint32_t> abort(*abort_word_.as<std::uint32_t>());
      const auto is_over = [&] {
        if (abort.load(std::memory_order_relaxed) == 0 && clock::now() < state.until) return state.stopped.load();
        state.stopped = true;
        return true;
      };
      for (std::size_t i = state.next++; i < asked.sources.size() && !is_over(); i = state.next++) {
        if (searcher.run(asked.sources[i], is_target_, different_targets_, asked.cutoff, is_over)) {
          if (is_wide()) {
            keep(i, asked, searcher.wide_distances(), now_->wide);
          } else {
            keep(i, asked, searcher.distances(), now_->narrow);
          }
        }
      }
    });
  }

  template <class Bits>
  void keep(std::size_t search, const batch_request& asked, std::span<const Bits> found, found_distances<Bits>& to) {
    for (std::size_t i = 0; i < asked.targets.size(); ++i) {
      to.of_targets[search * asked.targets.size() + i] = found[asked.targets[i]];
    }
    if (asked.targets.empty()) answers_[search] = answer_of(found);
    if (asked.keep) std::ranges::copy(found, to.kept.begin() + static_cast<std::ptrdiff_t>(search * found.size()));
  }

  [[nodiscard]] cpu::work_counts work() const {
    cpu::work_counts sum;
    for (const sequential_search& one : searchers_) sum += one.work();
    return sum;
  }

  void report_work(const cpu::work_counts& before, tuner::run_report& report) const {
    const cpu::work_counts after = work();
    report.counters.emplace_back("pops", static_cast<double>(after.pops - before.pops));
    report.counters.emplace_back("stale_pops", static_cast<double>(after.stale_pops - before.stale_pops));
    report.counters.emplace_back("relaxations", static_cast<double>(after.relaxations - before.relaxations));
    report.counters.emplace_back("updates", static_cast<double>(after.updates - before.updates));
  }

  const batch_input& input_;
  backends::device_memory abort_word_;
  std::shared_ptr<const backends::kernel> kernel_;
  std::vector<sequential_search> searchers_;  // one for each thread
  std::vector<std::uint8_t> is_target_;
  std::size_t different_targets_ = 0;
  std::vector<batch_answer> answers_;
  std::array<buffered, 2> buffers_;
  buffered* now_ = buffers_.data();  // that of the last run
  bool counts_ = false;
};

}  // namespace

backends::kernel_source cpu_variant(const std::string& solver) {
  return {.file = backends::team_work_file,
          .entry = solver,
          .block_threads = 1,
          .defines = {{"SOURCES", cpu_source_hash()}},
          .folder = {}};
}

std::string cpu_source_hash() { return MLMQ_BATCH_SOURCE_HASH; }

std::unique_ptr<solver> make_cpu_solver(const batch_input& input) { return std::make_unique<cpu_solver>(input); }

}  // namespace mlmq::batches
