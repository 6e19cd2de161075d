// SPDX-License-Identifier: Apache-2.0
// A few searches by the supernodes of an elimination hierarchy on a device.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/time_limit.hpp"
#include "problems/graphs/counters.hpp"
#include "problems/growing_memory.hpp"
#include "problems/multi_source/built_hierarchy.hpp"
#include "problems/multi_source/device_solver.hpp"
#include "problems/multi_source/device_weights.hpp"
#include "problems/multi_source/distance_reader.hpp"
#include "problems/multi_source/supernodes.hpp"
#include "problems/time_limit.hpp"

namespace mlmq::multi_source {
namespace {

constexpr std::array counted_by_supernodes = {counter::pops, counter::relaxations};

class supernode_solver final : public device_solver {
 public:
  explicit supernode_solver(const solver_input& input)
      : device_solver(input),
        tree_(input.hierarchy.tree()),
        weights_(input),
        progress_(input.device.allocate(sizeof(supernode_control), "words of the barrier")) {
    const supernode_levels supernodes = find_supernodes(*tree_);
    levels_ = supernodes.levels();
    vertices_ = backends::uploaded(input.device, supernodes.vertices, "vertices of the hierarchy");
    order_ = backends::uploaded(input.device, supernodes.order, "vertices by level");
    bounds_ = backends::uploaded(input.device, supernodes.bounds, "bounds of levels");
    graph_vertices_ = backends::uploaded(input.device, tree_->vertex_at, "numbers of vertices");
    vertex_rows_ = backends::uploaded(input.device, tree_->position_of, "rows of vertices");
    weights_.find();
  }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const supernode_parameters numbers(chosen);
    const backends::device_info& info = input_.device.info();
    blocks_ = std::min(compiled->resident_blocks(supernode_shared_bytes), numbers.blocks * info.multiprocessors);
    if (blocks_ == 0) {
      throw backends::launch_error(fmt::format("a block of {} threads does not fit on {}", numbers.threads, info.name));
    }
    columns_ = numbers.columns;
    const std::size_t words = std::max<std::size_t>(1, std::size_t{tree_->vertices()} * columns_);
    from_below_.reserve(input_.device, words * sizeof(u32), "upward distances");
    distances_.reserve(input_.device, words * sizeof(u32), "distances of searches");
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
  }

  [[nodiscard]] bool adopt_weights() override {
    weights_.find();
    return true;
  }

  [[nodiscard]] tuner::run_report run(const search_request& request, double time_limit_ms) override {
    reserve_results(request);
    upload_positions(source_positions_, request.sources, "sources");
    upload_positions(target_positions_, request.targets, "targets");
    tuner::run_report report;
    const run_status status = run_once(request, time_limit_ms, report);
    if (status != run_status::finished) problems::report_timeout(report, time_limit_ms);
    return report;
  }

 private:
  void upload_positions(problems::growing_memory& memory, std::span<const graph::vertex_id> vertices,
                        const char* name) {
    if (vertices.empty()) return;
    std::vector<u32> positions(vertices.size());
    std::ranges::transform(vertices, positions.begin(), [&](graph::vertex_id v) { return tree_->position_of[v]; });
    memory.reserve(input_.device, positions.size() * sizeof(u32), name);
    input_.device.upload(memory.memory(), positions.data(), positions.size() * sizeof(u32));
  }

  run_status run_once(const search_request& request, double time_limit_ms, tuner::run_report& report) {
    backends::backend& device = input_.device;
    const arc_lengths lengths = weights_.shortest();
    supernode_arguments arguments{
        .vertices = vertices_.as<const supernode_vertex>(),
        .heads = weights_.heads().as<const u32>(),
        .upward = lengths.upward,
        .downward = lengths.downward,
        .graph_vertices = graph_vertices_.as<const u32>(),
        .order = order_.as<const u32>(),
        .level_bounds = bounds_.as<const u32>(),
        .source_positions = source_positions_.as<const u32>(),
        .from_below = from_below_.as<u32>(),
        .distances = distances_.as<u32>(),
        .answers = targets_ > 0 || !request.readers.empty() ? nullptr : answers_.as<multi_source_answer>(),
        .stored_distances = kept_distances(),
        .target_positions = target_positions_.as<const u32>(),
        .target_distances = targets_ > 0 ? kept_target_distances() : nullptr,
        .control = control_.as<multi_source_control>(),
        .progress = progress_.as<supernode_control>(),
        .counters = counts_ ? counters_.as<u64>() : nullptr,
        .searches = 0,
        .levels = levels_,
        .vertex_count = tree_->vertices(),
        .target_count = static_cast<u32>(targets_),
        .cutoff = static_cast<u32>(std::min<graph::wide_distance_bits>(request.cutoff, input_.hierarchy.no_path())),
        .time_limit_ns = time_limit_ns_from_ms(time_limit_ms)};
    watch(time_limit_ms);
    report.milliseconds = device.measure([&] {
      clear_words();
      device.fill(progress_, 0, progress_.bytes(), 0);
      for (std::size_t first = 0; first < searches_; first += columns_) {
        arguments.searches = static_cast<u32>(std::min<std::size_t>(searches_ - first, columns_));
        device.fill(progress_, 0, offsetof(supernode_control, begin_ns), 0);
        device.launch(*kernel_, {.grid_blocks = blocks_,
                                 .shared_bytes = supernode_shared_bytes,
                                 .arguments = &arguments,
                                 .argument_bytes = sizeof arguments});
        for (distance_reader* const reader : request.readers)
          reader->read(batch_of(arguments, static_cast<u32>(first)));
        skip_searches(arguments);
      }
    });
    const multi_source_control control = download_control();
    if (counts_) problems::report_counters(device, counters_, counted_by_supernodes, report);
    // The kernel writes a status only if it stops early.
    return control.status == static_cast<u32>(run_status::running) ? run_status::finished
                                                                   : static_cast<run_status>(control.status);
  }

  /// Makes the arguments those of the next searches.
  static void skip_searches(supernode_arguments& arguments) {
    const std::size_t searches = arguments.searches;
    arguments.source_positions += searches;
    if (arguments.answers != nullptr) arguments.answers += searches;
    if (arguments.stored_distances != nullptr) arguments.stored_distances += searches * arguments.vertex_count;
    if (arguments.target_distances != nullptr) arguments.target_distances += searches * arguments.target_count;
  }

  [[nodiscard]] distance_batch batch_of(const supernode_arguments& arguments, u32 first_search) const {
    return {.distances = arguments.distances,
            .vertex_rows = vertex_rows_.as<const u32>(),
            .column_searches = nullptr,
            .farthest = std::min(arguments.cutoff, input_.hierarchy.no_path() - 1),
            .first_search = first_search,
            .columns = arguments.searches,
            .group_columns = columns_,
            .group_rows = arguments.vertex_count};
  }

  std::shared_ptr<const graph::elimination> tree_;
  device_weights weights_;
  backends::device_memory progress_;
  backends::device_memory vertices_;
  backends::device_memory order_;
  backends::device_memory bounds_;
  backends::device_memory graph_vertices_;
  backends::device_memory vertex_rows_;
  problems::growing_memory source_positions_;
  problems::growing_memory target_positions_;
  problems::growing_memory from_below_;
  problems::growing_memory distances_;
  std::shared_ptr<const backends::kernel> kernel_;
  u32 levels_ = 0;
  u32 columns_ = 1;
  unsigned blocks_ = 0;
};

}  // namespace

std::unique_ptr<solver> make_supernode_solver(const solver_input& input) {
  return std::make_unique<supernode_solver>(input);
}

}  // namespace mlmq::multi_source
