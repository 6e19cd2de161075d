// SPDX-License-Identifier: Apache-2.0
// Many searches by an elimination hierarchy on a device.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/time_limit.hpp"
#include "problems/graphs/counters.hpp"
#include "problems/growing_memory.hpp"
#include "problems/multi_source/built_hierarchy.hpp"
#include "problems/multi_source/hierarchy_pieces.hpp"
#include "problems/multi_source/solver.hpp"
#include "problems/time_limit.hpp"

namespace mlmq::multi_source {
namespace {

/// Fraction of the device's memory for the searches of one launch.
constexpr double share_of_one_launch = 0.5;
constexpr std::array counted_by_sweeps = {counter::pops, counter::relaxations};
constexpr std::uint32_t no_source = 0xFFFF'FFFF;

static_assert(hierarchy_no_path == graph::no_path);
static_assert(sizeof(graph::ancestor_arc) == sizeof(hierarchy_item));

/// hierarchy_pieces in device memory.
struct resident_pieces {
  resident_pieces(backends::backend& device, hierarchy_pieces cut)
      : pieces(backends::uploaded(device, cut.pieces, "pieces of the hierarchy")),
        items(backends::uploaded(device, cut.items, "arcs of the hierarchy")),
        boundaries(backends::uploaded(device, cut.boundaries, "boundaries of pieces")),
        order(backends::uploaded(device, cut.order, "the order of pieces")),
        vertex_rows(backends::uploaded(device, cut.vertex_rows, "rows of vertices")),
        piece_count(static_cast<u32>(cut.pieces.size())),
        row_count(cut.row_count),
        row_of(std::move(cut.vertex_rows)) {}

  backends::device_memory pieces;
  backends::device_memory items;
  backends::device_memory boundaries;
  backends::device_memory order;
  backends::device_memory vertex_rows;
  u32 piece_count;
  u32 row_count;
  std::vector<std::uint32_t> row_of;  ///< of each vertex; only if all rows are stored
};

class hierarchy_solver final : public solver {
 public:
  explicit hierarchy_solver(const solver_input& input)
      : input_(input),
        hierarchy_(input.hierarchy.get()),
        vertices_(backends::uploaded(input.device, ascent_vertices(hierarchy_), "the elimination tree")),
        ascent_arcs_(backends::uploaded(input.device, hierarchy_.upward.arcs, "upward arcs")),
        control_(input.device.allocate(sizeof(multi_source_control), "control words")),
        counters_(input.device.allocate(counter_count * sizeof(u64), "counters")) {}
  hierarchy_solver(const hierarchy_solver&) = delete;
  hierarchy_solver& operator=(const hierarchy_solver&) = delete;
  /// Stops the watchdog, which writes to the object's memory.
  ~hierarchy_solver() override { input_.device.set_watchdog({}); }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const hierarchy_parameters numbers(chosen);
    const backends::device_info& info = input_.device.info();
    warp_words_ = hierarchy_warp_words(numbers.slots, numbers.lane_searches, hierarchy_.tree->height());
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

  [[nodiscard]] tuner::run_report run(const search_request& request, double time_limit_ms) override {
    place(request);
    tuner::run_report report;
    const run_status status = run_once(request, time_limit_ms, report);
    if (status != run_status::finished) problems::report_timeout(report, time_limit_ms);
    return report;
  }

  void copy_rows(unsigned buffer, std::size_t first, std::size_t count, void* destination) override {
    const buffered& source = buffers_.at(buffer);
    const backends::device_memory& memory = source.keeps ? source.distances.memory() : source.target_distances.memory();
    const std::size_t row = source.columns * sizeof(u32);
    input_.device.download_concurrently(destination, memory, first * row, count * row);
  }
  [[nodiscard]] std::vector<multi_source_answer> answers() override {
    std::vector<multi_source_answer> result(searches_);
    input_.device.download(result.data(), answers_.memory(), searches_ * sizeof(multi_source_answer));
    return result;
  }
  [[nodiscard]] std::vector<graph::distance_bits> distances(std::size_t first, std::size_t count) override {
    const std::size_t n = input_.graph.vertex_count();
    // A download starts at the begin of the memory, so rows before `first` are downloaded and dropped.
    std::vector<graph::distance_bits> result((first + count) * n);
    input_.device.download(result.data(), current_->distances.memory(), result.size() * sizeof(u32));
    result.erase(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(first * n));
    return result;
  }
  [[nodiscard]] std::vector<graph::distance_bits> target_distances() override {
    std::vector<graph::distance_bits> result(searches_ * targets_);
    if (!result.empty())
      input_.device.download(result.data(), current_->target_distances.memory(), result.size() * sizeof(u32));
    return result;
  }
  [[nodiscard]] std::vector<graph::wide_distance_bits> wide_distances(std::size_t, std::size_t) override { return {}; }
  [[nodiscard]] std::vector<graph::wide_distance_bits> wide_target_distances() override { return {}; }
  [[nodiscard]] const backends::device_memory& device_distances() const override {
    return current_->keeps ? current_->distances.memory() : current_->target_distances.memory();
  }

 private:
  struct buffered {
    bool keeps = false;
    std::size_t columns = 0;
    problems::growing_memory target_distances;
    problems::growing_memory distances;
  };

  [[nodiscard]] const resident_pieces& pieces_for(bool stores_all) {
    std::optional<resident_pieces>& pieces = pieces_.at(stores_all ? 1 : 0);
    if (!pieces) {
      const piece_limits limits{.vertices = numbers_.piece_vertices, .slots = numbers_.slots};
      pieces.emplace(input_.device, cut_into_pieces(hierarchy_, limits, stores_all));
    }
    return *pieces;
  }

  [[nodiscard]] u32 columns() const { return group_columns(numbers_.lane_searches); }

  /// Orders the searches by the positions of their sources, so that those of a group share long paths.
  void place(const search_request& request) {
    backends::backend& device = input_.device;
    searches_ = request.sources.size();
    targets_ = request.targets.size();
    current_ = &buffers_.at(request.buffer);
    current_->keeps = request.keep;
    current_->columns = request.keep ? input_.graph.vertex_count() : targets_;
    const std::vector<std::uint32_t>& position_of = hierarchy_.tree->position_of;
    std::vector<u32> searches(searches_);
    std::iota(searches.begin(), searches.end(), 0U);
    std::ranges::stable_sort(searches, {}, [&](u32 search) { return position_of[request.sources[search]]; });
    const std::size_t padded = (searches_ + columns() - 1) / columns() * columns();
    std::vector<u32> positions(padded, no_source);
    for (std::size_t i = 0; i < searches_; ++i) positions[i] = position_of[request.sources[searches[i]]];
    searches.resize(padded, 0);
    upload(source_positions_, positions, "sources");
    upload(column_searches_, searches, "searches");
    answers_.reserve(device, searches_ * sizeof(multi_source_answer), "answers");
    if (targets_ > 0) {
      std::vector<u32> rows(targets_);
      const std::vector<std::uint32_t>& row_of = pieces_for(true).row_of;
      std::ranges::transform(request.targets, rows.begin(), [&](graph::vertex_id target) { return row_of[target]; });
      upload(target_rows_, rows, "targets");
      current_->target_distances.reserve(device, searches_ * targets_ * sizeof(u32), "distances of targets");
    }
    if (request.keep)
      current_->distances.reserve(device, searches_ * input_.graph.vertex_count() * sizeof(u32), "distances");
  }

  void upload(problems::growing_memory& memory, const std::vector<u32>& words, const char* name) {
    memory.reserve(input_.device, words.size() * sizeof(u32), name);
    input_.device.upload(memory.memory(), words.data(), words.size() * sizeof(u32));
  }

  /// Returns how many groups one launch searches, limited by the memory for their rows.
  [[nodiscard]] std::size_t groups_together(const resident_pieces& pieces) const {
    const auto memory =
        static_cast<std::size_t>(share_of_one_launch * static_cast<double>(input_.device.info().memory_bytes));
    const std::size_t kept_bytes = buffers_[0].distances.memory().bytes() + buffers_[1].distances.memory().bytes();
    const std::size_t needed = std::size_t{pieces.row_count + hierarchy_.tree->height()} * columns() * sizeof(u32) +
                               pieces.piece_count * sizeof(u32);
    const std::size_t fit = memory > kept_bytes ? (memory - kept_bytes) / needed : 0;
    if (fit == 0) {
      throw backends::out_of_device_memory(fmt::format(
          "a group of {} searches needs {} bytes in addition to the answers, and the device has no room for them",
          columns(), needed));
    }
    return std::min(fit, (searches_ + columns() - 1) / columns());
  }

  run_status run_once(const search_request& request, double time_limit_ms, tuner::run_report& report) {
    backends::backend& device = input_.device;
    const resident_pieces& pieces = pieces_for(request.keep || targets_ > 0);
    const std::size_t together = groups_together(pieces);
    from_below_.reserve(device, together * hierarchy_.tree->height() * columns() * sizeof(u32), "upward distances");
    rows_.reserve(device, std::max<std::size_t>(4, together * pieces.row_count * columns() * sizeof(u32)),
                  "distances of searches");
    progress_.reserve(device, together * (pieces.piece_count + 2) * sizeof(u32), "progress of groups");
    hierarchy_arguments arguments{
        .vertices = vertices_.as<const ascent_vertex>(),
        .ascent_arcs = ascent_arcs_.as<const hierarchy_item>(),
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
        .answers = targets_ > 0 ? nullptr : answers_.as<multi_source_answer>(),
        .vertex_rows = pieces.vertex_rows.as<const u32>(),
        .stored_distances = request.keep ? current_->distances.as<u32>() : nullptr,
        .target_rows = target_rows_.as<const u32>(),
        .target_distances = current_->target_distances.as<u32>(),
        .control = control_.as<multi_source_control>(),
        .counters = counts_ ? counters_.as<u64>() : nullptr,
        .searches = 0,
        .groups = 0,
        .round_groups = numbers_.round_groups,
        .order_length = pieces.piece_count,
        .piece_count = pieces.piece_count,
        .row_count = pieces.row_count,
        .height = hierarchy_.tree->height(),
        .graph_vertices = static_cast<u32>(input_.graph.vertex_count()),
        .target_count = static_cast<u32>(targets_),
        .cutoff = static_cast<u32>(std::min<graph::wide_distance_bits>(request.cutoff, graph::no_path)),
        .warp_words = warp_words_,
        .time_limit_ns = time_limit_ns_from_ms(time_limit_ms)};
    device.set_watchdog(problems::watchdog_for(
        time_limit_ms, [this] { input_.device.poke(control_, offsetof(multi_source_control, host_abort), 1); }));
    report.milliseconds = device.measure([&] {
      device.fill(control_, 0, control_.bytes(), 0);
      if (counts_) device.fill(counters_, 0, counters_.bytes(), 0);
      device.fill(answers_.memory(), 0, searches_ * sizeof(multi_source_answer), 0);
      for (std::size_t first = 0; first < searches_; first += together * columns()) {
        arguments.searches = static_cast<u32>(std::min(searches_ - first, together * columns()));
        arguments.groups = (arguments.searches + columns() - 1) / columns();
        device.fill(control_, offsetof(multi_source_control, next), sizeof(u32), 0);
        device.fill(progress_.memory(), 0, together * (pieces.piece_count + 2) * sizeof(u32), 0);
        device.launch(*kernel_, {.grid_blocks = blocks_,
                                 .shared_bytes = shared_bytes_,
                                 .arguments = &arguments,
                                 .argument_bytes = sizeof arguments});
        arguments.source_positions += together * columns();
        arguments.column_searches += together * columns();
      }
    });
    multi_source_control control{};
    device.download(&control, control_, sizeof control);
    if (counts_) problems::report_counters(device, counters_, counted_by_sweeps, report);
    // The kernel writes a status only if it stops early.
    return control.status == static_cast<u32>(run_status::running) ? run_status::finished
                                                                   : static_cast<run_status>(control.status);
  }

  const solver_input& input_;
  const graph::search_hierarchy& hierarchy_;
  backends::device_memory vertices_;
  backends::device_memory ascent_arcs_;
  backends::device_memory control_;
  backends::device_memory counters_;
  std::array<std::optional<resident_pieces>, 2> pieces_;  // the second one stores all rows
  problems::growing_memory source_positions_;
  problems::growing_memory column_searches_;
  problems::growing_memory target_rows_;
  problems::growing_memory answers_;
  problems::growing_memory from_below_;
  problems::growing_memory rows_;
  problems::growing_memory progress_;
  std::array<buffered, 2> buffers_;
  buffered* current_ = buffers_.data();  // buffer of the last run
  std::size_t searches_ = 0;
  std::size_t targets_ = 0;
  hierarchy_parameters numbers_{tuner::configuration()};
  std::shared_ptr<const backends::kernel> kernel_;
  u32 warp_words_ = 0;
  std::size_t shared_bytes_ = 0;
  unsigned blocks_ = 0;
  bool counts_ = false;
};

}  // namespace

std::unique_ptr<solver> make_hierarchy_solver(const solver_input& input) {
  return std::make_unique<hierarchy_solver>(input);
}

}  // namespace mlmq::multi_source
