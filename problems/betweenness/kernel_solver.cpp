// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/time_limit.hpp"
#include "problems/betweenness/solver.hpp"
#include "problems/graphs/counters.hpp"
#include "problems/graphs/graph_feature_kind.hpp"
#include "problems/growing_memory.hpp"
#include "problems/recommendation.hpp"
#include "problems/time_limit.hpp"

namespace mlmq::betweenness {
namespace {

/// Fraction of the device's memory for counting the paths of sources.
constexpr double share_of_memory = 0.15;
constexpr std::uint64_t most_for_distances = std::uint64_t{4} << 30;

constexpr std::array counted_by_kernel = {counter::pops, counter::relaxations, counter::supersteps};

/// Bytes of a slot per vertex.
constexpr std::size_t slot_bytes_per_vertex = sizeof(double) + 3 * sizeof(u32);

class kernel_solver final : public solver {
 public:
  explicit kernel_solver(const betweenness_input& input)
      : input_(input),
        control_(input.device.allocate(sizeof(multi_source_control), "control words")),
        fault_(input.device.allocate(sizeof(fault_report), "the report of a fault")),
        counters_(input.device.allocate(counter_count * sizeof(u64), "counters")),
        scores_(input.device.allocate(input.graph.vertex_count() * sizeof(fixed_score), "scores")) {}
  kernel_solver(const kernel_solver&) = delete;
  kernel_solver& operator=(const kernel_solver&) = delete;
  /// Stops the watchdog, which writes to the object's memory.
  ~kernel_solver() override { input_.device.set_watchdog({}); }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const betweenness_numbers numbers(chosen);
    const backends::device_info& info = input_.device.info();
    const unsigned resident = compiled->resident_blocks(sizeof(betweenness_words));
    const unsigned most_blocks = std::min(resident, numbers.blocks * info.multiprocessors);
    if (most_blocks == 0) {
      throw backends::launch_error(fmt::format("a block of {} threads does not fit on {}", numbers.threads, info.name));
    }
    prepare_searches(numbers.search);
    most_blocks_ = most_blocks;
    concurrent_ = numbers.concurrent;
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
  }

  [[nodiscard]] tuner::run_report run(const betweenness_request& request, double time_limit_ms) override {
    backends::backend& device = input_.device;
    device.fill(scores_, 0, scores_.bytes(), 0);
    if (counts_) device.fill(counters_, 0, counters_.bytes(), 0);
    const std::size_t together = rows_together(request.memory_bytes);
    tuner::run_report report;
    for (std::size_t first = 0; first < request.sources.size(); first += together) {
      const auto part = request.sources.subspan(first, std::min(together, request.sources.size() - first));
      const double remaining_ms = time_limit_ms - report.milliseconds;
      if (remaining_ms <= 0) return timed_out(std::move(report), time_limit_ms);
      tuner::run_report searched = input_.searches.search({.sources = part, .keep = true}, remaining_ms);
      report.milliseconds += searched.milliseconds;
      if (searched.result != db::outcome::ok) {
        report.result = searched.result;
        report.message = std::move(searched.message);
        return report;
      }
      if (!add_up(part, request, remaining_ms - searched.milliseconds, report))
        return timed_out(std::move(report), time_limit_ms);
    }
    if (counts_) problems::report_counters(device, counters_, counted_by_kernel, report);
    return report;
  }

  [[nodiscard]] std::vector<fixed_score> scores() override {
    std::vector<fixed_score> result(input_.graph.vertex_count());
    input_.device.download(result.data(), scores_, result.size() * sizeof(fixed_score));
    return result;
  }

 private:
  static tuner::run_report timed_out(tuner::run_report report, double time_limit_ms) {
    problems::report_timeout(report, time_limit_ms);
    return report;
  }

  /// Prepares the first default configuration that has this solver and that the device can run.
  /// @throws backends::launch_error
  void prepare_searches(const std::string& search_solver) {
    if (searches_by_ == search_solver) return;
    // Ignores installed selectors, because recorded times must not depend on them.
    problems::recommender searches(problems::find_problem(input_.searching.name()), input_.device.info(),
                                   {.origin = problems::model_choice::source::shipped});
    problems::workload_facts facts{.name = input_.name};
    for (const std::string_view name : searches.features())
      facts.features.emplace(name, problems::degree_feature(input_.graph, name));
    std::vector<tuner::configuration> configurations;
    for (const auto& recommended : searches.recommend(facts)) configurations.push_back(recommended.configuration);
    // The solver may not be among the defaults for this graph.
    for (const char* const other :
         {"solver=block,threads=64,blocks=1,near_items=128", "solver=group,threads=64,blocks=1,parts=1"}) {
      configurations.push_back(searches.parameters().parse_label(other));
    }
    std::optional<backends::launch_error> reason;
    searches_by_ = "";
    for (const tuner::configuration& chosen : configurations) {
      if (search_solver != "auto" && multi_source::solver_of(chosen) != search_solver) continue;
      try {
        const auto mode = tuner::instrumentation::none;
        input_.searches.prepare(chosen, input_.device.compile(input_.searches.variant(chosen, mode)), mode);
        searches_by_ = search_solver;
        return;
      } catch (const backends::launch_error& error) {
        reason = error;
      }
    }
    throw backends::launch_error(*reason);
  }

  [[nodiscard]] std::size_t rows_together(std::uint64_t memory_bytes) const {
    const std::uint64_t memory =
        memory_bytes != 0 ? memory_bytes : std::min(input_.device.info().memory_bytes / 4, most_for_distances);
    const std::size_t bytes = std::size_t{input_.graph.vertex_count()} * sizeof(graph::distance_bits);
    if (memory >= bytes) return static_cast<std::size_t>(memory / bytes);
    throw backends::out_of_device_memory(
        fmt::format("{}: the distances of one search need {} bytes, but only {} are available for all searches",
                    input_.name, bytes, memory));
  }

  /// Number of slots: limited by the sources, the configuration, the blocks that the device holds, and its memory.
  [[nodiscard]] unsigned slots(std::size_t sources) const {
    const auto memory =
        static_cast<std::size_t>(share_of_memory * static_cast<double>(input_.device.info().memory_bytes));
    const std::size_t fit = memory / (slot_bytes_per_vertex * input_.graph.vertex_count());
    std::size_t needed = std::min<std::size_t>(sources, most_blocks_);
    if (concurrent_ > 0) needed = std::min<std::size_t>(needed, concurrent_);
    return static_cast<unsigned>(std::max<std::size_t>(1, std::min(fit, needed)));
  }

  void reserve(unsigned slots) {
    backends::backend& device = input_.device;
    const std::size_t vertices = std::size_t{slots} * input_.graph.vertex_count();
    paths_.reserve(device, vertices * sizeof(double), "numbers of paths");
    open_predecessors_.reserve(device, vertices * sizeof(u32), "numbers of predecessors");
    order_.reserve(device, vertices * sizeof(u32), "orders of vertices");
    waves_.reserve(device, vertices * sizeof(u32), "waves of vertices");
  }

  /// Adds the scores of sources whose distances are on the device. @return false if it exceeded the time limit
  bool add_up(std::span<const graph::vertex_id> sources, const betweenness_request& request, double time_limit_ms,
              tuner::run_report& report) {
    if (time_limit_ms <= 0) return false;
    backends::backend& device = input_.device;
    const unsigned count = slots(sources.size());
    reserve(count);
    sources_.reserve(device, sources.size_bytes(), "sources");
    device.upload(sources_.memory(), sources.data(), sources.size_bytes());
    const problems::resident_graph& resident = input_.searches.on_device();
    const bool floats = input_.graph.weights() == graph::weight_type::float32;
    const betweenness_arguments arguments{
        .offsets = resident.offsets.address(),
        .edges = resident.edges.address(),
        .sources = sources_.as<const u32>(),
        .distances = input_.searches.active_solver().device_distances().as<const u32>(),
        .paths = paths_.as<double>(),
        .open_predecessors = open_predecessors_.as<u32>(),
        .order = order_.as<u32>(),
        .waves = waves_.as<u32>(),
        .scores = scores_.as<fixed_score>(),
        .control = control_.as<multi_source_control>(),
        .fault = fault_.as<fault_report>(),
        .counters = counts_ ? counters_.as<u64>() : nullptr,
        .vertices = static_cast<u32>(input_.graph.vertex_count()),
        .searches = static_cast<u32>(sources.size()),
        .saturated = floats ? std::bit_cast<u32>(std::numeric_limits<float>::infinity()) : graph::saturated_distance,
        .endpoints = request.endpoints ? 1U : 0U,
        .units = request.units,
        .time_limit_ns = time_limit_ns_from_ms(time_limit_ms)};
    device.set_watchdog(problems::watchdog_for(
        time_limit_ms, [this] { input_.device.poke(control_, offsetof(multi_source_control, host_abort), 1); }));
    report.milliseconds += device.measure([&] {
      device.fill(control_, 0, control_.bytes(), 0);
      device.fill(fault_, 0, fault_.bytes(), 0);
      device.fill(open_predecessors_.memory(), 0, std::size_t{count} * input_.graph.vertex_count() * sizeof(u32), 0);
      device.launch(*kernel_, {.grid_blocks = count,
                               .shared_bytes = sizeof(betweenness_words),
                               .arguments = &arguments,
                               .argument_bytes = sizeof arguments});
    });
    fault_report fault{};
    device.download(&fault, fault_, sizeof fault);
    if (fault.kind != static_cast<u32>(path_fault::none)) {
      throw input_error(
          message_of(static_cast<path_fault>(fault.kind), input_.graph, input_.name, sources[fault.search]));
    }
    multi_source_control control{};
    device.download(&control, control_, sizeof control);
    return control.status == static_cast<u32>(run_status::running) && control.next >= sources.size();
  }

  const betweenness_input& input_;
  backends::device_memory control_;
  backends::device_memory fault_;
  backends::device_memory counters_;
  backends::device_memory scores_;
  problems::growing_memory sources_;
  problems::growing_memory paths_;
  problems::growing_memory open_predecessors_;
  problems::growing_memory order_;
  problems::growing_memory waves_;
  std::string searches_by_;  ///< value of the parameter `search` for which the searches are prepared; "": not prepared
  std::shared_ptr<const backends::kernel> kernel_;
  unsigned most_blocks_ = 0;
  unsigned concurrent_ = 0;
  bool counts_ = false;
};

}  // namespace

std::unique_ptr<solver> make_kernel_solver(const betweenness_input& input) {
  return std::make_unique<kernel_solver>(input);
}

}  // namespace mlmq::betweenness
