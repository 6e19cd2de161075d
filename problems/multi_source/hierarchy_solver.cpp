// SPDX-License-Identifier: Apache-2.0
// Many searches by an elimination hierarchy on a device.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
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
#include "problems/multi_source/hierarchy_pieces.hpp"
#include "problems/time_limit.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::multi_source {
namespace {

/// Fraction of the device's memory for the searches of one launch.
constexpr double share_of_one_launch = 0.5;
constexpr std::array counted_by_sweeps = {counter::pops, counter::relaxations};
constexpr std::uint32_t no_source = 0xFFFF'FFFF;

struct hierarchy_parameters {
  explicit hierarchy_parameters(const tuner::configuration& chosen)
      : hierarchy_parameters(tuner::parameter_values(declared_parameters(), chosen)) {}
  explicit hierarchy_parameters(const tuner::parameter_values& values)
      : threads(values.whole("threads")),
        blocks(values.whole("blocks")),
        lane_searches(values.whole("lane_searches")),
        slots(values.whole("slots")),
        piece_vertices(values.whole("piece_vertices")),
        round_groups(values.whole("round_groups")) {}

  unsigned threads;
  unsigned blocks;         ///< blocks per multiprocessor
  unsigned lane_searches;  ///< searches of a lane
  unsigned slots;          ///< ancestors whose distances a warp has in shared memory
  unsigned piece_vertices;
  unsigned round_groups;  ///< groups of searches that are swept together
};

/// hierarchy_pieces in device memory.
struct resident_pieces {
  resident_pieces(backends::backend& device, hierarchy_pieces cut, device_weights& weights)
      : pieces(backends::uploaded(device, cut.pieces, "pieces of the hierarchy")),
        drafts(backends::uploaded(device, cut.items, "arcs of the elimination")),
        items(device.allocate(drafts.bytes(), "arcs of the hierarchy")),
        boundaries(backends::uploaded(device, cut.boundaries, "boundaries of pieces")),
        order(backends::uploaded(device, cut.order, "the order of pieces")),
        vertex_rows(backends::uploaded(device, cut.vertex_rows, "rows of vertices")),
        piece_count(static_cast<u32>(cut.pieces.size())),
        row_count(cut.row_count),
        row_of(std::move(cut.vertex_rows)) {
    device.copy(items, drafts, drafts.bytes());  // also the items after the last one, which are read ahead
    write_items(weights);
  }

  void write_items(device_weights& weights) { weights.write(pieces, piece_count, drafts, items); }

  backends::device_memory pieces;
  backends::device_memory drafts;  ///< see device_weights::write()
  backends::device_memory items;
  backends::device_memory boundaries;
  backends::device_memory order;
  backends::device_memory vertex_rows;
  u32 piece_count;
  u32 row_count;
  std::vector<std::uint32_t> row_of;  ///< of each vertex; only if all rows are stored
};

class hierarchy_solver final : public device_solver {
 public:
  explicit hierarchy_solver(const solver_input& input)
      : device_solver(input), tree_(input.hierarchy.tree()), weights_(input, *tree_, weight_use::needed_arcs) {
    weights_.find();
  }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const hierarchy_parameters numbers(chosen);
    const backends::device_info& info = input_.device.info();
    warp_words_ = hierarchy_warp_words(numbers.slots, numbers.lane_searches);
    shared_bytes_ = std::size_t{numbers.threads / simt::warp_size} * warp_words_ * sizeof(u32);
    if (shared_bytes_ > info.shared_bytes_per_block) {
      throw backends::launch_error(fmt::format("a block needs {} bytes of shared memory, but {} has {}", shared_bytes_,
                                               info.name, info.shared_bytes_per_block));
    }
    blocks_ = std::min(compiled->resident_blocks(shared_bytes_), numbers.blocks * info.multiprocessors);
    if (blocks_ == 0) {
      throw backends::launch_error(
          fmt::format("a block of {} threads with {} bytes of shared memory does not fit on {}", numbers.threads,
                      shared_bytes_, info.name));
    }
    if (numbers.slots != numbers_.slots || numbers.piece_vertices != numbers_.piece_vertices) {
      for (std::optional<resident_pieces>& pieces : pieces_) pieces.reset();
    }
    numbers_ = numbers;
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
    static_cast<void>(pieces_for(false));
  }

  [[nodiscard]] bool adopt_weights() override {
    weights_.find();
    for (std::optional<resident_pieces>& pieces : pieces_) {
      if (pieces) pieces->write_items(weights_);
    }
    return true;
  }

  [[nodiscard]] tuner::run_report run(const search_request& request, double time_limit_ms) override {
    place(request);
    tuner::run_report report;
    const run_status status = run_once(request, time_limit_ms, report);
    if (status != run_status::finished) problems::report_timeout(report, time_limit_ms);
    return report;
  }

 private:
  [[nodiscard]] const resident_pieces& pieces_for(bool stores_all) {
    std::optional<resident_pieces>& pieces = pieces_.at(stores_all ? 1 : 0);
    if (!pieces) {
      const piece_limits limits{.vertices = numbers_.piece_vertices, .slots = numbers_.slots};
      pieces.emplace(input_.device, cut_into_pieces(*tree_, limits, stores_all), weights_);
    }
    return *pieces;
  }

  [[nodiscard]] u32 columns() const { return group_columns(numbers_.lane_searches); }

  /// Orders the searches by the positions of their sources, so that those of a group share long paths.
  void place(const search_request& request) {
    reserve_results(request);
    const std::vector<std::uint32_t>& position_of = tree_->position_of;
    std::vector<u32> searches(searches_);
    std::iota(searches.begin(), searches.end(), 0U);
    std::ranges::stable_sort(searches, {}, [&](u32 search) { return position_of[request.sources[search]]; });
    const std::size_t padded = (searches_ + columns() - 1) / columns() * columns();
    std::vector<u32> positions(padded, no_source);
    for (std::size_t i = 0; i < searches_; ++i) positions[i] = position_of[request.sources[searches[i]]];
    searches.resize(padded, 0);
    upload(source_positions_, positions, "sources");
    upload(column_searches_, searches, "searches");
    if (targets_ > 0) {
      std::vector<u32> rows(targets_);
      const std::vector<std::uint32_t>& row_of = pieces_for(true).row_of;
      std::ranges::transform(request.targets, rows.begin(), [&](graph::vertex_id target) { return row_of[target]; });
      upload(target_rows_, rows, "targets");
    }
  }

  void upload(problems::growing_memory& memory, const std::vector<u32>& words, const char* name) {
    memory.reserve(input_.device, words.size() * sizeof(u32), name);
    input_.device.upload(memory.memory(), words.data(), words.size() * sizeof(u32));
  }

  /// Returns how many groups one launch searches, limited by the memory for their rows.
  [[nodiscard]] std::size_t groups_together(const search_request& request, const resident_pieces& pieces) const {
    const auto memory =
        static_cast<std::size_t>(share_of_one_launch * static_cast<double>(input_.device.info().memory_bytes));
    const std::size_t needed =
        std::size_t{pieces.row_count + tree_->height()} * columns() * sizeof(u32) + pieces.piece_count * sizeof(u32);
    const std::size_t fit = memory > kept_bytes() ? (memory - kept_bytes()) / needed : 0;
    if (fit == 0) {
      throw backends::out_of_device_memory(fmt::format(
          "a group of {} searches needs {} bytes in addition to the answers, and the device has no room for them",
          columns(), needed));
    }
    const std::size_t most = request.batch_searches == 0 ? searches_ : std::min(searches_, request.batch_searches);
    return std::min(fit, (most + columns() - 1) / columns());
  }

  run_status run_once(const search_request& request, double time_limit_ms, tuner::run_report& report) {
    backends::backend& device = input_.device;
    const bool sums_only =
        !request.readers.empty() && std::ranges::all_of(request.readers, &distance_reader::needs_sums_only);
    const bool has_answers = targets_ == 0 && (request.readers.empty() || sums_only);
    const resident_pieces& pieces = pieces_for(request.keep || !has_answers);
    const std::size_t together = groups_together(request, pieces);
    from_below_.reserve(device, together * tree_->height() * columns() * sizeof(u32), "upward distances");
    rows_.reserve(device, std::max<std::size_t>(4, together * pieces.row_count * columns() * sizeof(u32)),
                  "distances of searches");
    progress_.reserve(device, together * (pieces.piece_count + 2) * sizeof(u32), "progress of groups");
    hierarchy_arguments arguments{.vertices = weights_.vertices().as<const ascent_vertex>(),
                                  .ascent_arcs = weights_.ascent_arcs().as<const hierarchy_item>(),
                                  .pieces = pieces.pieces.as<const sweep_piece>(),
                                  .items = pieces.items.as<const hierarchy_item>(),
                                  .boundaries = pieces.boundaries.as<const u32>(),
                                  .order = pieces.order.as<const u32>(),
                                  .source_positions = source_positions_.as<const u32>(),
                                  .column_searches = column_searches_.as<const u32>(),
                                  .from_below = from_below_.as<u32>(),
                                  .rows = rows_.as<u32>(),
                                  .ascended = progress_.as<u32>(),
                                  .is_swept = progress_.as<u32>() + 2 * together,
                                  .swept = progress_.as<u32>() + together,
                                  .answers = has_answers ? answers_.as<multi_source_answer>() : nullptr,
                                  .vertex_rows = pieces.vertex_rows.as<const u32>(),
                                  .stored_distances = kept_distances(),
                                  .target_rows = target_rows_.as<const u32>(),
                                  .target_distances = kept_target_distances(),
                                  .control = control_.as<multi_source_control>(),
                                  .counters = counts_ ? counters_.as<u64>() : nullptr,
                                  .searches = 0,
                                  .groups = 0,
                                  .round_groups = numbers_.round_groups,
                                  .order_length = pieces.piece_count,
                                  .piece_count = pieces.piece_count,
                                  .row_count = pieces.row_count,
                                  .height = tree_->height(),
                                  .graph_vertices = static_cast<u32>(input_.graph.vertex_count()),
                                  .target_count = static_cast<u32>(targets_),
                                  .cutoff = input_.hierarchy.farthest_within(request.cutoff),
                                  .warp_words = warp_words_,
                                  .sums_only = sums_only ? 1U : 0U,
                                  .time_limit_ns = time_limit_ns_from_ms(time_limit_ms)};
    watch(time_limit_ms);
    report.milliseconds = device.measure([&] {
      clear_words();
      for (std::size_t first = 0; first < searches_; first += together * columns()) {
        arguments.searches = static_cast<u32>(std::min(searches_ - first, together * columns()));
        arguments.groups = (arguments.searches + columns() - 1) / columns();
        device.fill(control_, offsetof(multi_source_control, next), sizeof(u32), 0);
        device.fill(progress_.memory(), 0, together * (pieces.piece_count + 2) * sizeof(u32), 0);
        device.launch(*kernel_, {.grid_blocks = blocks_,
                                 .shared_bytes = shared_bytes_,
                                 .arguments = &arguments,
                                 .argument_bytes = sizeof arguments});
        if (!sums_only) {
          for (distance_reader* const reader : request.readers) reader->read(batch_of(arguments), arguments.control);
        }
        arguments.source_positions += together * columns();
        arguments.column_searches += together * columns();
      }
    });
    const multi_source_control control = download_control();
    if (sums_only) {
      const std::vector<multi_source_answer> sums = answers();
      for (distance_reader* const reader : request.readers) reader->read_sums(sums);
    }
    if (counts_) problems::report_counters(device, counters_, counted_by_sweeps, report);
    // The kernel writes a status only if it stops early.
    return control.status == static_cast<u32>(run_status::running) ? run_status::finished
                                                                   : static_cast<run_status>(control.status);
  }

  /// Returns the distances that a launch finds, if it stores those of all vertices.
  [[nodiscard]] distance_batch batch_of(const hierarchy_arguments& arguments) const {
    return {.distances = arguments.rows,
            .vertex_rows = arguments.vertex_rows,
            .column_searches = arguments.column_searches,
            .farthest = arguments.cutoff,
            .first_search = 0,
            .columns = arguments.searches,
            .group_columns = columns(),
            .group_rows = arguments.row_count};
  }

  std::shared_ptr<const graph::elimination> tree_;
  device_weights weights_;
  std::array<std::optional<resident_pieces>, 2> pieces_;  // the second one stores all rows
  problems::growing_memory source_positions_;
  problems::growing_memory column_searches_;
  problems::growing_memory target_rows_;
  problems::growing_memory from_below_;
  problems::growing_memory rows_;
  problems::growing_memory progress_;
  hierarchy_parameters numbers_{tuner::configuration()};
  std::shared_ptr<const backends::kernel> kernel_;
  u32 warp_words_ = 0;
  std::size_t shared_bytes_ = 0;
  unsigned blocks_ = 0;
};

std::vector<tuner::parameter_declaration> declare_hierarchy() {
  return {
      {.name = "lane_searches",
       .default_value = 4,
       .description = "searches of each lane of a warp; more need more registers and shared memory",
       .unit = "searches",
       .when = "solver == hierarchy",
       .minimum = 1,
       .maximum = 8,
       .macro = {.name = "MLMQ_LANE_SEARCHES", .kernels = {"hierarchy"}},
       .limits = {{"power_of_two(lane_searches)", "a lane has 1, 2, 4 or 8 searches"}}},
      {.name = "slots",
       .bind = tuner::binding::launch,
       .default_value = 24,
       .description = "ancestors of a vertex whose distances a warp keeps in shared memory",
       .unit = "vertices",
       .when = "solver == hierarchy",
       .minimum = 2,
       .maximum = 1024},
      {.name = "piece_vertices",
       .bind = tuner::binding::launch,
       .default_value = 256,
       .description = "maximum size of a piece of the elimination tree, which a warp sweeps without a barrier",
       .unit = "vertices",
       .when = "solver == hierarchy",
       .minimum = 1,
       .maximum = 1 << 20},
      {.name = "round_groups",
       .bind = tuner::binding::launch,
       .default_value = 128,
       .description = "groups of searches that are swept in a round; the top of the tree is swept one round ahead",
       .unit = "groups",
       .when = "solver == hierarchy",
       .minimum = 1,
       .maximum = 4096},
  };
}

std::vector<problems::checked_configuration> checks_of_hierarchy() {
  return {
      // Pieces of few vertices, so that warps wait for each other often.
      {"batch:hierarchy:small",
       "solver=hierarchy,threads=64,blocks=2,lane_searches=1,slots=4,piece_vertices=3,round_groups=1",
       {"road5", "del5", "path40"}},
      {"batch:hierarchy:rounds",
       "solver=hierarchy,threads=96,blocks=1,lane_searches=1,slots=12,piece_vertices=10,round_groups=2",
       {"road6", "rmat6", "path40"}},
      {"batch:hierarchy:wide",
       "solver=hierarchy,threads=64,blocks=1,lane_searches=4,slots=32,piece_vertices=8,round_groups=4",
       {"road6", "del5", "rmat6"}},
  };
}

std::unique_ptr<solver> make_hierarchy_solver(const solver_input& input) {
  return std::make_unique<hierarchy_solver>(input);
}

}  // namespace

extern const solver_traits hierarchy_row{.name = "hierarchy",
                                         .meaning = "sweeps down an elimination hierarchy",
                                         .has_hierarchy = true,
                                         .folder = "hierarchy/",
                                         .declare = declare_hierarchy,
                                         .checks = checks_of_hierarchy,
                                         .make = make_hierarchy_solver};

}  // namespace mlmq::multi_source
