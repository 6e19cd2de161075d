// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/stopwatch.hpp"
#include "base/time_limit.hpp"
#include "problems/graphs/counters.hpp"
#include "problems/graphs/ell_rows.hpp"
#include "problems/growing_memory.hpp"
#include "problems/multi_source/core_on_device.hpp"
#include "problems/multi_source/device_solver.hpp"
#include "problems/multi_source/distance_reader.hpp"
#include "problems/multi_source/packed_rows.hpp"
#include "problems/multi_source/placed_graph.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "problems/time_limit.hpp"

namespace mlmq::multi_source {

extern const solver_traits block_row;

namespace {

/// Fraction of the device's memory; the rest is for the graph and for other users of the device.
constexpr double share_of_memory = 0.75;
/// Fraction of the device's memory for the distances of one batch.
constexpr double share_of_batch = 0.4;

constexpr std::array counted_by_blocks = {counter::pops,        counter::stale_pops,     counter::resplits,
                                          counter::relaxations, counter::updates,        counter::distance_atomics,
                                          counter::supersteps,  counter::bucket_switches};
constexpr std::array counted_by_groups = {counter::pops, counter::relaxations, counter::updates, counter::queue_atomics,
                                          counter::supersteps};

class kernel_solver final : public device_solver {
 public:
  explicit kernel_solver(const solver_input& input)
      : device_solver(input), near_capacity_(first_capacity(input, 4)), far_capacity_(first_capacity(input, 2)) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    if (input_.on_device.wide_offsets)
      throw backends::launch_error("multi-source searches support graphs of fewer than 2^32 edges");
    const host_parameters numbers(chosen);
    problems::require_reducible(chosen, input_.kind);
    if (numbers.reduction && numbers.by_place) {
      throw backends::launch_error("order=place: a core is searched in the given order; choose order=given");
    }
    const std::string before = std::exchange(numbers_.solver, "");
    const backends::device_info& info = input_.device.info();
    // If distances are kept, a group needs more shared memory and may not fit.
    const residence without = residence_of(numbers, *compiled, false);
    if (without.shared_bytes > info.shared_bytes_per_block) {
      throw backends::launch_error(fmt::format("a block needs {} bytes of shared memory, but {} has {}",
                                               without.shared_bytes, info.name, info.shared_bytes_per_block));
    }
    if (without.blocks == 0) throw does_not_fit(numbers, without);
    core_on_device* const former = std::exchange(core_, numbers.reduction ? &core_by(*numbers.reduction) : nullptr);
    if (before != numbers.solver || former != core_) release();
    place_rows(numbers);
    without_rows_ = without;
    with_rows_ = residence_of(numbers, *compiled, true);
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
    numbers_ = numbers;
  }

  [[nodiscard]] tuner::run_report run(const search_request& request, double time_limit_ms) override {
    return request.readers.empty() ? run_together(request, time_limit_ms) : run_batches(request, time_limit_ms);
  }

 private:
  /// Runs as many searches at a time as their distances fit.
  [[nodiscard]] tuner::run_report run_batches(const search_request& request, double time_limit_ms) {
    std::size_t together = rows_that_fit(share_of_batch);
    if (request.batch_searches > 0) together = std::min(together, request.batch_searches);
    tuner::run_report sum;
    for (std::size_t first = 0; first < request.sources.size(); first += together) {
      search_request part = request;
      part.sources = request.sources.subspan(first, std::min(together, request.sources.size() - first));
      part.keep = true;
      tuner::run_report report = run_together(part, std::max(1e-3, time_limit_ms - sum.milliseconds));
      if (report.result != db::outcome::ok) return report;
      report.milliseconds += input_.device.measure([&] {
        for (distance_reader* const reader : request.readers)
          reader->read(batch_of(part, first), control_.as<multi_source_control>());
      });
      if (download_control().status != static_cast<u32>(run_status::running)) {
        problems::report_timeout(report, time_limit_ms);
        return report;
      }
      report.milliseconds += sum.milliseconds;
      for (std::size_t i = 0; i < sum.counters.size(); ++i) report.counters[i].second += sum.counters[i].second;
      sum = std::move(report);
    }
    return sum;
  }

  /// Returns the kept distances of a request, whose first search is number `first`.
  [[nodiscard]] distance_batch batch_of(const search_request& request, std::size_t first) const {
    const graph::wide_distance_bits none = word_bytes() == sizeof(u32) ? graph::unreached : graph::wide_unreached;
    return {.distances = kept_distances(),
            .vertex_rows = nullptr,
            .column_searches = nullptr,
            .farthest = none - 1,
            .first_search = static_cast<u32>(first),
            .columns = static_cast<u32>(request.sources.size()),
            .group_columns = 1,
            .group_rows = static_cast<u32>(input_.graph.vertex_count())};
  }

  [[nodiscard]] tuner::run_report run_together(const search_request& request, double time_limit_ms) {
    if (resident(request.keep).blocks == 0) throw does_not_fit(numbers_, resident(request.keep));
    place(request);
    for (;;) {
      tuner::run_report report;
      const run_status status = run_once(request, time_limit_ms, report);
      report.milliseconds += starts_ms_;
      if (status == run_status::finished) return report;
      if (status == run_status::queue_full) {
        report.result = db::outcome::overflow;
        report.message = fmt::format("a pile was full at {} near or {} far elements", near_capacity_, far_capacity_);
        if (far_capacity_ >= std::min(most_elements(), input_.limits.largest)) return report;
        near_capacity_ *= 4;
        far_capacity_ *= 4;
        continue;
      }
      problems::report_timeout(report, time_limit_ms);
      return report;
    }
  }

  /// Returns a first capacity of a pile, for 1/`part` of the vertices.
  static std::size_t first_capacity(const solver_input& input, std::size_t part) {
    if (input.limits.first != 0) return input.limits.first;
    return std::max<std::size_t>(1024, input.graph.vertex_count() / part);
  }

  /// The blocks of a kernel that the device holds at once.
  struct residence {
    std::size_t shared_bytes = 0;
    unsigned blocks = 0;
  };

  [[nodiscard]] residence residence_of(const host_parameters& numbers, const backends::kernel& compiled,
                                       bool keeps) const {
    const backends::device_info& info = input_.device.info();
    residence result{.shared_bytes = numbers.solver == block_row.name ? block_search_bytes(numbers.near_items)
                                                                      : group_search_bytes(numbers.threads, keeps)};
    if (result.shared_bytes > info.shared_bytes_per_block) return result;
    result.blocks = std::min(compiled.resident_blocks(result.shared_bytes), numbers.blocks * info.multiprocessors);
    return result;
  }

  [[nodiscard]] backends::launch_error does_not_fit(const host_parameters& numbers, const residence& needed) const {
    return backends::launch_error(fmt::format("a block of {} threads with {} bytes of shared memory does not fit on {}",
                                              numbers.threads, needed.shared_bytes, input_.device.info().name));
  }

  [[nodiscard]] const residence& resident(bool keeps) const { return keeps ? with_rows_ : without_rows_; }

  /// Returns the core, which the first call makes.
  [[nodiscard]] core_on_device& core_by(graph::reduction_extent extent) {
    std::unique_ptr<core_on_device>& core = cores_[extent];
    if (core == nullptr) core = std::make_unique<core_on_device>(input_, extent);
    return *core;
  }

  /// Number of vertices that a search visits.
  [[nodiscard]] std::size_t searched_vertices() const {
    return core_ != nullptr ? core_->vertex_count() : input_.graph.vertex_count();
  }
  /// Number of words of a slot for the distances of an outer core.
  [[nodiscard]] std::size_t outer_size() const { return core_ != nullptr ? core_->outer_size() : 0; }
  /// Words with a bit for each vertex of the graph.
  [[nodiscard]] std::size_t mark_words() const {
    return core_ != nullptr ? (input_.graph.vertex_count() + 31) / 32 : 0;
  }

  /// Places the rows in the layout and order of a configuration.
  void place_rows(const host_parameters& numbers) {
    placed_ = nullptr;
    placed_graph* placed = nullptr;
    if (numbers.by_place) input_.ell_rows.with_room([&] { placed = &input_.placed.get(); });
    problems::resident_ell& ell_rows = core_ != nullptr    ? core_->ell_rows()
                                       : placed != nullptr ? placed->ell_rows
                                                           : input_.ell_rows;
    resident_packed_rows& packed_rows = core_ != nullptr    ? core_->packed_rows()
                                        : placed != nullptr ? placed->packed_rows
                                                            : input_.packed_rows;
    if (numbers.packed_rows) {
      ell_rows.with_room([&] { packed_rows.place(numbers.ell_width); });
      rows_ = packed_rows.address();
      packed_weight_bits_ = packed_rows.weight_bits();
    } else {
      ell_rows.with_room([&] { ell_rows.place(numbers.ell_width); });
      rows_ = ell_rows.address();
      packed_weight_bits_ = 0;
    }
    placed_ = placed;
  }

  [[nodiscard]] bool has_blocks() const { return numbers_.solver == block_row.name; }

  /// Converts vertices of the graph to their numbers on the device.
  [[nodiscard]] std::vector<graph::vertex_id> device_numbers(std::span<const graph::vertex_id> vertices) const {
    std::vector<graph::vertex_id> result(vertices.begin(), vertices.end());
    if (placed_ != nullptr) std::ranges::transform(result, result.begin(), [&](auto v) { return placed_->ranks[v]; });
    return result;
  }

  /// Orders searches by source, so that concurrent searches start from nearby sources and read the same rows.
  [[nodiscard]] static std::vector<u32> turns_of(std::span<const graph::vertex_id> sources) {
    std::vector<u32> turns(sources.size());
    std::iota(turns.begin(), turns.end(), u32{0});
    std::ranges::stable_sort(turns, {}, [&](u32 search) { return sources[search]; });
    return turns;
  }

  void release() {
    for (problems::growing_memory* memory :
         {&distances_, &near_piles_, &far_piles_, &marks_, &outer_distances_, &stamps_, &pieces_, &parts_})
      memory->release();
  }

  /// Upper bound for the elements of a search: more than one per edge.
  [[nodiscard]] std::size_t most_elements() const {
    return std::max<std::size_t>(4096, std::size_t{4} * (input_.graph.edge_count() + input_.graph.vertex_count()));
  }
  /// Returns the maximum number of pieces, because a frontier has each vertex at most once.
  [[nodiscard]] std::size_t piece_capacity() const {
    return input_.graph.vertex_count() + input_.graph.edge_count() / piece_edges + simt::warp_size;
  }

  void place(const search_request& request) {
    backends::backend& device = input_.device;
    reserve_results(request);
    const std::vector<graph::vertex_id> sources = device_numbers(request.sources);
    sources_.reserve(device, request.sources.size_bytes(), "sources");
    device.upload(sources_.memory(), sources.data(), request.sources.size_bytes());
    if (placed_ != nullptr) {
      const std::vector<u32> turns = turns_of(sources);
      turns_.reserve(device, turns.size() * sizeof(u32), "turns of searches");
      device.upload(turns_.memory(), turns.data(), turns.size() * sizeof(u32));
    }
    if (targets_ > 0) {
      targets_words_.reserve(device, request.targets.size_bytes(), "targets");
      device.upload(targets_words_.memory(), device_numbers(request.targets).data(), request.targets.size_bytes());
    }
    starts_ms_ = core_ != nullptr ? milliseconds_of([&] { core_->place(request); }) : 0;
  }

  /// Returns the memory of an active search of block_search, or of a group of group_search, in bytes.
  [[nodiscard]] std::size_t slot_bytes(bool keeps) const {
    const std::size_t n = searched_vertices();
    if (has_blocks())
      return (searches_in_place(keeps) ? 0 : n * word_bytes()) + (mark_words() + outer_size()) * sizeof(u32) +
             2 * (near_capacity_ + far_capacity_) * sizeof(u64);
    return n * (word_bytes() * simt::warp_size + sizeof(u32)) + 2 * piece_capacity() * sizeof(row_piece);
  }

  /// Returns whether a block works directly on the distances to be kept.
  [[nodiscard]] bool searches_in_place(bool keeps) const {
    return has_blocks() && keeps && placed_ == nullptr && core_ == nullptr;
  }

  /// Number of slots: limited by the searches, the configuration, the blocks that the device holds, and its memory.
  [[nodiscard]] unsigned slots(const search_request& request) const {
    const auto memory =
        static_cast<std::size_t>(share_of_memory * static_cast<double>(input_.device.info().memory_bytes));
    const std::size_t fit = memory > kept_bytes() ? (memory - kept_bytes()) / slot_bytes(request.keep) : 0;
    std::size_t needed = has_blocks() ? searches_ : (searches_ + simt::warp_size - 1) / simt::warp_size;
    needed = std::min<std::size_t>(needed, resident(request.keep).blocks);
    if (!has_blocks()) needed = std::min<std::size_t>(needed, numbers_.parts);
    if (has_blocks() && numbers_.concurrent > 0) needed = std::min<std::size_t>(needed, numbers_.concurrent);
    const std::size_t count = std::min(fit, needed);
    if (count == 0) {
      throw backends::out_of_device_memory(
          fmt::format("one search needs {} bytes in addition to the answers, and the device has no room for them",
                      slot_bytes(request.keep)));
    }
    return static_cast<unsigned>(count);
  }

  void reserve(unsigned slots, bool keeps) {
    backends::backend& device = input_.device;
    const std::size_t n = searched_vertices();
    const std::size_t width = has_blocks() ? 1 : simt::warp_size;
    if (!searches_in_place(keeps))
      distances_.reserve(device, slots * n * width * word_bytes(), "distances of searches");
    if (has_blocks()) {
      near_piles_.reserve(device, slots * 2 * near_capacity_ * sizeof(u64), "near piles");
      far_piles_.reserve(device, slots * 2 * far_capacity_ * sizeof(u64), "far piles");
      if (core_ != nullptr) marks_.reserve(device, slots * mark_words() * sizeof(u32), "marks of vertices");
      if (outer_size() != 0)
        outer_distances_.reserve(device, slots * outer_size() * sizeof(u32), "distances of a core");
    } else {
      stamps_.reserve(device, slots * n * sizeof(u32), "stamps");
      pieces_.reserve(device, slots * 2 * piece_capacity() * sizeof(row_piece), "frontiers");
      parts_.reserve(device, slots * sizeof(part_control), "control words of parts");
    }
  }

  run_status run_once(const search_request& request, double time_limit_ms, tuner::run_report& report) {
    backends::backend& device = input_.device;
    const unsigned count = slots(request);
    input_.ell_rows.with_room([&] { reserve(count, request.keep); });
    const problems::resident_graph& searched = core_ != nullptr     ? core_->on_device()
                                               : placed_ != nullptr ? placed_->on_device
                                                                    : input_.on_device;
    const double average_weight = core_ != nullptr ? core_->on_device().rows->average_weight : input_.average_weight;
    const multi_source_arguments arguments{
        .offsets = searched.offsets.address(),
        .edges = searched.edges.address(),
        .ell_rows = rows_,
        .graph_vertices = placed_ != nullptr ? placed_->device_names.as<const u32>() : nullptr,
        .device_vertices = placed_ != nullptr ? placed_->device_ranks.as<const u32>() : nullptr,
        .sources = sources_.as<const u32>(),
        .search_order = placed_ != nullptr ? turns_.as<const u32>() : nullptr,
        .distances = distances_.as<u32>(),
        .stored_distances = kept_distances(),
        .answers = answers_.as<multi_source_answer>(),
        .targets = targets_words_.as<const u32>(),
        .target_distances = kept_target_distances(),
        .near_piles = near_piles_.as<u64>(),
        .far_piles = far_piles_.as<u64>(),
        .stamps = stamps_.as<u32>(),
        .pieces = pieces_.as<row_piece>(),
        .control = control_.as<multi_source_control>(),
        .parts = parts_.as<part_control>(),
        .counters = counts_ ? counters_.as<u64>() : nullptr,
        .vertices = static_cast<u32>(searched_vertices()),
        .searches = static_cast<u32>(searches_),
        .target_count = static_cast<u32>(targets_),
        .delta = std::max(1U, problems::distance_word(numbers_.delta * average_weight, input_.graph.weights())),
        .cutoff = static_cast<u32>(std::min<graph::wide_distance_bits>(request.cutoff, graph::unreached)),
        .near_capacity = static_cast<u32>(near_capacity_),
        .far_capacity = static_cast<u32>(far_capacity_),
        .piece_capacity = static_cast<u32>(piece_capacity()),
        .part_count = count,
        .packed_weight_bits = packed_weight_bits_,
        .time_limit_ns = time_limit_ns_from_ms(time_limit_ms),
        .wide_cutoff = request.cutoff};
    core_search_arguments of_core{};
    if (core_ != nullptr) of_core = core_->arguments(arguments, marks_.as<u32>(), outer_distances_.as<u32>());
    watch(time_limit_ms);
    report.milliseconds = device.measure([&] {
      clear_words();
      if (core_ != nullptr) device.fill(marks_.memory(), 0, count * mark_words() * sizeof(u32), 0);
      if (!has_blocks()) device.fill(parts_.memory(), 0, count * sizeof(part_control), 0);
      device.launch(*kernel_, {.grid_blocks = has_blocks() ? count : resident(request.keep).blocks / count * count,
                               .shared_bytes = resident(request.keep).shared_bytes,
                               .arguments = core_ != nullptr ? &of_core : &arguments,
                               .argument_bytes = core_ != nullptr ? sizeof of_core : sizeof arguments,
                               .together = !has_blocks()});
    });
    const multi_source_control control = download_control();
    if (counts_) problems::report_counters(device, counters_, reported_counters(), report);
    // The kernel writes a status only if it stops early.
    if (control.status != static_cast<u32>(run_status::running)) return static_cast<run_status>(control.status);
    return control.next >= searches_ ? run_status::finished : run_status::timed_out;
  }

  /// Returns the counters that the kernel has.
  [[nodiscard]] std::span<const counter> reported_counters() const {
    if (has_blocks()) return counted_by_blocks;
    return counted_by_groups;
  }

  problems::growing_memory sources_;
  problems::growing_memory turns_;
  problems::growing_memory targets_words_;
  problems::growing_memory distances_;
  problems::growing_memory near_piles_;
  problems::growing_memory far_piles_;
  problems::growing_memory stamps_;
  problems::growing_memory pieces_;
  problems::growing_memory parts_;
  // For searches of a core.
  std::map<graph::reduction_extent, std::unique_ptr<core_on_device>> cores_;
  core_on_device* core_ = nullptr;  // null: searches are of the graph
  problems::growing_memory marks_;
  problems::growing_memory outer_distances_;
  double starts_ms_ = 0;       // milliseconds of finding where the searches of the last request begin
  std::size_t near_capacity_;  // capacity of a pile that this graph is known to need
  std::size_t far_capacity_;
  host_parameters numbers_{tuner::configuration()};
  std::shared_ptr<const backends::kernel> kernel_;
  residence without_rows_;  // if no distances are kept
  residence with_rows_;
  const placed_graph* placed_ = nullptr;  // graph whose numbers are used; null: the original numbers
  const void* rows_ = nullptr;            // rows in ELL or packed layout
  unsigned packed_weight_bits_ = 0;
};

std::vector<tuner::parameter_declaration> declare_block() {
  return {
      {.name = "delta",
       .type = tuner::value_type::real,
       .bind = tuner::binding::launch,
       .default_value = 8.0,
       .description = "increase of the threshold between near and far",
       .unit = "average_weight",
       .when = "solver == block",
       .minimum = 1.0 / 1024,
       .maximum = 1e9,
       .symbol = "Δ"},
      {.name = "near_items",
       .default_value = 1024,
       .description = "elements of a frontier that are kept in shared memory; the others are in global memory",
       .unit = "elements",
       .when = "solver == block",
       .minimum = 32,
       .maximum = 8192,
       .macro = {.name = "MLMQ_NEAR_ITEMS", .kernels = {"block", "group"}}},
      {.name = "ell_width",
       .default_value = 0,
       .description = "edges stored in place per row (ELL rows): 4, 8 or 16; 0: none, rows are found by their bounds",
       .unit = "edges",
       .when = "solver == block",
       .minimum = 0,
       .maximum = 16,
       .macro = {.name = "MLMQ_ELL_WIDTH", .kernels = {"block", "group"}},
       .limits = {{"ell_width == 0 or ell_width > 2 and power_of_two(ell_width)", "the width is 0, 4, 8 or 16"}}},
      {.name = "packed_rows",
       .type = tuner::value_type::boolean,
       .default_value = false,
       .description = "store an edge in place in 32 bits: its weight and the difference of its vertex numbers; rows "
                      "that do not fit are found by their bounds. Integer weights only",
       .when = "solver == block and ell_width > 0",
       .macro = {.name = "MLMQ_PACKED_ROWS", .kernels = {"block", "group"}}},
      {.name = "order",
       .type = tuner::value_type::text,
       .bind = tuner::binding::launch,
       .default_value = std::string("given"),
       .description = "order of the vertices in device memory; given: by number; place: neighbours next to each other, "
                      "with concurrent searches from nearby sources",
       .when = "solver == block",
       .allowed = {"given", "place"}},
      {.name = "heavy_degree",
       .default_value = 64,
       .description = "rows with at least this many edges are relaxed by a whole warp",
       .unit = "edges",
       .when = "solver == block",
       .minimum = 8,
       .maximum = 1 << 20,
       .macro = {.name = "MLMQ_HEAVY_DEGREE", .kernels = {"block", "group"}}},
      {.name = "concurrent",
       .bind = tuner::binding::launch,
       .default_value = 0,
       .description = "maximum number of concurrent searches; 0: as many as fit on the device",
       .unit = "searches",
       .when = "solver == block",
       .minimum = 0,
       .maximum = 1 << 20},
  };
}

std::vector<tuner::parameter_declaration> declare_group() {
  return {
      {.name = "parts",
       .bind = tuner::binding::launch,
       .default_value = 4,
       .description = "parts of the grid, each with a group of 32 searches",
       .when = "solver == group",
       .minimum = 1,
       .maximum = 1024},
  };
}

// Graphs with narrow and wide frontiers, hubs with long rows, and unreachable parts.
const std::vector<std::string> checked_graphs = {"road5", "rmat6", "del5", "path40"};

std::vector<problems::checked_configuration> checks_of_block() {
  return {
      {"batch:block:bounds", "solver=block,threads=64,blocks=1,near_items=32,delta=2,heavy_degree=8", checked_graphs},
      // Most elements in global memory, and a threshold that rises often.
      {"batch:block:narrow", "solver=block,threads=32,blocks=2,near_items=32,delta=0.1,ell_width=4", checked_graphs},
      {"batch:block:in_place", "solver=block,threads=64,blocks=1,near_items=64,delta=8,ell_width=8", checked_graphs},
      {"batch:block:placed", "solver=block,threads=64,blocks=1,near_items=32,delta=4,ell_width=4,order=place",
       checked_graphs},
      // Packed rows and others: some vertices of del5 have more than eight neighbours.
      {"batch:block:packed",
       "solver=block,threads=64,blocks=1,near_items=32,delta=4,ell_width=8,packed_rows=true,heavy_degree=9",
       {"road5", "del5", "path40"}},
      {"batch:block:core",
       "solver=block,threads=64,blocks=1,near_items=32,delta=2,reduction=chains",
       {"road7", "rmat6", "path40"}},
      {"batch:block:small_core",
       "solver=block,threads=64,blocks=1,near_items=32,delta=2,reduction=core",
       {"road9", "rmat7"}},
      {"batch:block:one", "solver=block,threads=64,blocks=2,near_items=32,delta=1e9,concurrent=1", checked_graphs},
  };
}

std::vector<problems::checked_configuration> checks_of_group() {
  return {
      {"batch:group:whole", "solver=group,threads=64,blocks=1,parts=1", checked_graphs},
      {"batch:group:parts", "solver=group,threads=32,blocks=2,parts=3", checked_graphs},
  };
}

std::unique_ptr<solver> make_kernel_solver(const solver_input& input) { return std::make_unique<kernel_solver>(input); }

}  // namespace

extern const solver_traits block_row{.name = "block",
                                     .meaning = "one GPU block per search",
                                     .declare = declare_block,
                                     .checks = checks_of_block,
                                     .make = make_kernel_solver};
extern const solver_traits group_row{.name = "group",
                                     .meaning = "one part of the grid per 32 concurrent searches",
                                     .declare = declare_group,
                                     .checks = checks_of_group,
                                     .make = make_kernel_solver};

}  // namespace mlmq::multi_source
