// SPDX-License-Identifier: Apache-2.0
// A few searches by the supernodes of an elimination hierarchy on a device.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/time_limit.hpp"
#include "graph/hierarchy/merged_elimination.hpp"
#include "problems/graphs/counters.hpp"
#include "problems/growing_memory.hpp"
#include "problems/multi_source/built_hierarchy.hpp"
#include "problems/multi_source/device_solver.hpp"
#include "problems/multi_source/device_weights.hpp"
#include "problems/multi_source/distance_reader.hpp"
#include "problems/multi_source/supernodes.hpp"
#include "problems/time_limit.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::multi_source {
namespace {

constexpr std::array counted_by_supernodes = {counter::pops, counter::relaxations};

/// Arcs of a supernode per thread of a block beyond which the block takes longer than a barrier of all blocks.
constexpr std::size_t most_arcs_per_thread = 16;

/// The supernodes of an elimination in device memory, with the lengths of its arcs.
class resident_supernodes {
 public:
  resident_supernodes(const solver_input& input, const graph::elimination& tree)
      : weights(input, tree, weight_use::all_arcs), height(tree.height()) {
    const supernode_levels supernodes = find_supernodes(tree);
    const auto by_vertex = [&](const std::vector<std::uint32_t>& by_position) {
      std::vector<u32> values(supernodes.position_of.size());
      std::ranges::transform(supernodes.position_of, values.begin(), [&](u32 p) { return by_position[p]; });
      return values;
    };
    row_of.resize(tree.vertices());
    std::ranges::transform(tree.position_of, row_of.begin(), [&](u32 p) { return supernodes.number_at[p]; });
    vertices = backends::uploaded(input.device, supernodes.vertices, "vertices of the hierarchy");
    depths = backends::uploaded(input.device, by_vertex(tree.depth), "depths of vertices");
    heads = backends::uploaded(input.device, supernodes.heads, "heads of arcs");
    bounds = backends::uploaded(input.device, supernodes.bounds, "bounds of levels");
    graph_vertices = backends::uploaded(input.device, by_vertex(tree.vertex_at), "numbers of vertices");
    vertex_rows = backends::uploaded(input.device, row_of, "rows of vertices");
    levels = supernodes.levels();
    most_arcs = supernodes.most_arcs;
    weights.find();
  }

  /// Returns how many levels from the top on have supernodes of more arcs.
  [[nodiscard]] u32 levels_beyond(std::size_t arcs) const {
    const auto end = std::ranges::find_if(most_arcs, [&](std::size_t most) { return most <= arcs; });
    return static_cast<u32>(end - most_arcs.begin());
  }

  device_weights weights;
  backends::device_memory vertices;
  backends::device_memory depths;
  backends::device_memory heads;
  backends::device_memory bounds;
  backends::device_memory graph_vertices;
  backends::device_memory vertex_rows;
  std::vector<u32> row_of;             ///< of each vertex of the graph
  std::vector<std::size_t> most_arcs;  ///< of a supernode, by level
  u32 levels = 0;
  u32 height;
};

struct supernode_parameters {
  explicit supernode_parameters(const tuner::parameter_values& values)
      : threads(values.whole("threads")),
        blocks(values.whole("blocks")),
        columns(values.whole("columns")),
        added_arcs(values.whole("added_arcs")) {}

  unsigned threads;
  unsigned blocks;      ///< blocks per multiprocessor
  unsigned columns;     ///< searches that are swept together
  unsigned added_arcs;  ///< limit per vertex, to merge supernodes
};

class supernode_solver final : public device_solver {
 public:
  explicit supernode_solver(const solver_input& input)
      : device_solver(input),
        tree_(input.hierarchy.tree()),
        progress_(input.device.allocate(sizeof(supernode_control), "words of the barrier")) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const supernode_parameters numbers(tuner::parameter_values(declared_parameters(), chosen));
    const backends::device_info& info = input_.device.info();
    if (!supernodes_ || added_arcs_ != numbers.added_arcs) {
      supernodes_.reset();
      supernodes_.emplace(input_, graph::with_merged_supernodes(*tree_, numbers.added_arcs));
      added_arcs_ = numbers.added_arcs;
    }
    shared_bytes_ = supernode_shared_bytes(supernodes_->height, supernodes_->levels);
    if (shared_bytes_ > info.shared_bytes_per_block) {
      throw backends::launch_error(fmt::format("a path of {} vertices needs {} bytes of shared memory, but {} has {}",
                                               supernodes_->height, shared_bytes_, info.name,
                                               info.shared_bytes_per_block));
    }
    blocks_ = std::min(compiled->resident_blocks(shared_bytes_), numbers.blocks * info.multiprocessors);
    if (blocks_ == 0) {
      throw backends::launch_error(fmt::format("a block of {} threads does not fit on {}", numbers.threads, info.name));
    }
    columns_ = numbers.columns;
    wide_levels_ = supernodes_->levels_beyond(most_arcs_per_thread * numbers.threads);
    const std::size_t words = std::max<std::size_t>(1, std::size_t{tree_->vertices()} * columns_);
    from_below_.reserve(input_.device, words * sizeof(u32), "upward distances");
    distances_.reserve(input_.device, words * sizeof(u32), "distances of searches");
    lowest_.reserve(input_.device, std::size_t{columns_} * (wide_levels_ + 1) * sizeof(u32), "paths of searches");
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
  }

  [[nodiscard]] bool adopt_weights() override {
    if (supernodes_) supernodes_->weights.find();
    return true;
  }

  [[nodiscard]] tuner::run_report run(const search_request& request, double time_limit_ms) override {
    reserve_results(request);
    upload_rows(source_rows_, request.sources, "sources");
    upload_rows(target_rows_, request.targets, "targets");
    tuner::run_report report;
    const run_status status = run_once(request, time_limit_ms, report);
    if (status != run_status::finished) problems::report_timeout(report, time_limit_ms);
    return report;
  }

 private:
  void upload_rows(problems::growing_memory& memory, std::span<const graph::vertex_id> vertices, const char* name) {
    if (vertices.empty()) return;
    std::vector<u32> rows(vertices.size());
    std::ranges::transform(vertices, rows.begin(), [&](graph::vertex_id v) { return supernodes_->row_of[v]; });
    memory.reserve(input_.device, rows.size() * sizeof(u32), name);
    input_.device.upload(memory.memory(), rows.data(), rows.size() * sizeof(u32));
  }

  run_status run_once(const search_request& request, double time_limit_ms, tuner::run_report& report) {
    backends::backend& device = input_.device;
    const resident_supernodes& nodes = *supernodes_;
    const arc_lengths lengths = nodes.weights.shortest();
    supernode_arguments arguments{
        .vertices = nodes.vertices.as<const supernode_vertex>(),
        .depths = nodes.depths.as<const u32>(),
        .heads = nodes.heads.as<const u32>(),
        .upward = lengths.upward,
        .downward = lengths.downward,
        .graph_vertices = nodes.graph_vertices.as<const u32>(),
        .level_bounds = nodes.bounds.as<const u32>(),
        .sources = source_rows_.as<const u32>(),
        .lowest = lowest_.as<u32>(),
        .from_below = from_below_.as<u32>(),
        .distances = distances_.as<u32>(),
        .answers = targets_ > 0 || !request.readers.empty() ? nullptr : answers_.as<multi_source_answer>(),
        .stored_distances = kept_distances(),
        .targets = target_rows_.as<const u32>(),
        .target_distances = targets_ > 0 ? kept_target_distances() : nullptr,
        .control = control_.as<multi_source_control>(),
        .progress = progress_.as<supernode_control>(),
        .counters = counts_ ? counters_.as<u64>() : nullptr,
        .searches = 0,
        .levels = nodes.levels,
        .wide_levels = wide_levels_,
        .height = nodes.height,
        .vertex_count = tree_->vertices(),
        .target_count = static_cast<u32>(targets_),
        .cutoff = input_.hierarchy.farthest_within(request.cutoff),
        .time_limit_ns = time_limit_ns_from_ms(time_limit_ms)};
    watch(time_limit_ms);
    report.milliseconds = device.measure([&] {
      clear_words();
      device.fill(progress_, 0, progress_.bytes(), 0);
      for (std::size_t first = 0; first < searches_; first += columns_) {
        arguments.searches = static_cast<u32>(std::min<std::size_t>(searches_ - first, columns_));
        device.fill(progress_, 0, offsetof(supernode_control, begin_ns), 0);
        device.launch(*kernel_, {.grid_blocks = blocks_,
                                 .shared_bytes = shared_bytes_,
                                 .arguments = &arguments,
                                 .argument_bytes = sizeof arguments});
        for (distance_reader* const reader : request.readers)
          reader->read(batch_of(arguments, static_cast<u32>(first)), arguments.control);
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
    arguments.sources += searches;
    if (arguments.answers != nullptr) arguments.answers += searches;
    if (arguments.stored_distances != nullptr) arguments.stored_distances += searches * arguments.vertex_count;
    if (arguments.target_distances != nullptr) arguments.target_distances += searches * arguments.target_count;
  }

  [[nodiscard]] distance_batch batch_of(const supernode_arguments& arguments, u32 first_search) const {
    return {.distances = arguments.distances,
            .vertex_rows = supernodes_->vertex_rows.as<const u32>(),
            .column_searches = nullptr,
            .farthest = arguments.cutoff,
            .first_search = first_search,
            .columns = arguments.searches,
            .group_columns = columns_,
            .group_rows = arguments.vertex_count};
  }

  std::shared_ptr<const graph::elimination> tree_;
  std::optional<resident_supernodes> supernodes_;
  backends::device_memory progress_;
  problems::growing_memory source_rows_;
  problems::growing_memory target_rows_;
  problems::growing_memory lowest_;
  problems::growing_memory from_below_;
  problems::growing_memory distances_;
  std::shared_ptr<const backends::kernel> kernel_;
  u32 wide_levels_ = 0;
  u32 columns_ = 1;
  u32 added_arcs_ = 0;
  u32 shared_bytes_ = 0;
  unsigned blocks_ = 0;
};

std::vector<tuner::parameter_declaration> declare_supernode() {
  return {
      {.name = "columns",
       .default_value = 1,
       .description = "searches that are swept together, so that each arc is read once for all of them",
       .unit = "searches",
       .when = "solver == supernode",
       .minimum = 1,
       .maximum = 4,
       .macro = {.name = "MLMQ_COLUMNS", .kernels = {"supernode"}},
       .limits = {{"power_of_two(columns)", "1, 2 or 4 searches are swept together"}}},
      {.name = "added_arcs",
       .bind = tuner::binding::launch,
       .default_value = 8,
       .description = "maximum number of arcs that are added to a vertex so that it belongs to the supernode of its "
                      "parent: more make fewer levels, but more work",
       .unit = "arcs",
       .when = "solver == supernode",
       .minimum = 0,
       .maximum = 64},
  };
}

std::vector<problems::checked_configuration> checks_of_supernode() {
  return {
      {"batch:supernode:one", "solver=supernode,threads=64,blocks=2,columns=1", {"road6", "del5", "path40"}},
      {"batch:supernode:columns", "solver=supernode,threads=96,blocks=1,columns=4", {"road6", "del5", "rmat6"}},
      // The first level of the lattice has a supernode of more than 512 arcs, which all blocks search upwards.
      {"batch:supernode:hubs",
       "solver=supernode,threads=32,blocks=2,columns=2,added_arcs=0",
       {"lattice8:dims=3", "rmat7"}},
  };
}

std::unique_ptr<solver> make_supernode_solver(const solver_input& input) {
  return std::make_unique<supernode_solver>(input);
}

}  // namespace

extern const solver_traits supernode_row{.name = "supernode",
                                         .meaning = "the same with all of the GPU for a few searches",
                                         .has_hierarchy = true,
                                         .folder = "hierarchy/",
                                         .declare = declare_supernode,
                                         .checks = checks_of_supernode,
                                         .make = make_supernode_solver};

}  // namespace mlmq::multi_source
