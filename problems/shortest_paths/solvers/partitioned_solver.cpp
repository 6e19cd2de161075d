// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/partitioned_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "base/time_limit.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/search_launcher.hpp"

namespace mlmq::problems {
namespace {

/// Message for the only possible overflow.
constexpr const char* overflow_message =
    "a distance is 2147483646 or more, which groups cannot represent: choose part_work=sweeps";

/// Groups: the largest distance of a second source, with which the sums of most graphs stay exact.
constexpr u64 farthest_seed = saturated_mark / 4;

constexpr std::array reported = {counter::pops, counter::distance_atomics, counter::l2_writes, counter::l2_reads,
                                 counter::polls};

/// Maximum number of arcs per thread: with more, most arcs are no longer in registers, and a sweep takes long.
constexpr unsigned most_arcs_per_thread = 128;

class partitioned_solver final : public solver {
 public:
  explicit partitioned_solver(const search_input& input)
      : input_(input),
        launcher_(input, sizeof(partitioned_control), offsetof(partitioned_control, host_abort),
                  {.distances = false, .spare_control = true}) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const part_plan plan = plan_parts(chosen, input_.graph, input_.parts, input_.device.info());
    const auto blocks = static_cast<unsigned>(plan.parts->parts.size());
    launcher_.prepare(std::move(compiled),
                      {.threads = partitioned_numbers(chosen).threads,
                       .shared_bytes = plan.parts->shared_bytes(),
                       .per_multiprocessor = 0,
                       .least = blocks,
                       .most = blocks},
                      mode);
    const partitioned_numbers numbers(chosen);
    // At least the smallest distance; otherwise the window would admit no vertex.
    window_ = std::max(distance_word(numbers.window * input_.average_weight, input_.graph.weights()), u32{1});
    if (plan.parts != parts_) upload(plan.parts);
  }

  [[nodiscard]] tuner::run_report run(std::span<const graph::seed_vertex> seeds, double time_limit_ms) override {
    if (parts_->shape.has_groups() && seeds.back().distance > farthest_seed) {
      tuner::run_report report;
      report.result = db::outcome::overflow;
      report.message =
          "the seeds of the search are too far apart for groups: choose part_work=sweeps, or reduction=none";
      return report;
    }
    if (!is_clean_) reset_mailboxes();
    partitioned_arguments arguments{
        .parts = pieces_.as<graph_part>(),
        .vertices = vertices_.as<u32>(),
        .slot_vertices = slot_vertices_.as<u32>(),
        .arcs = arcs_.as<u64>(),
        .packed_arcs = packed_arcs_.as<u32>(),
        .out_words = out_words_.as<u32>(),
        .in_vertices = in_vertices_.as<u32>(),
        .inbox = inbox_.as<u32>(),
        .answers = answers_.as<u64>(),
        .distances = input_.on_device.distances.as<u32>(),
        .control = static_cast<partitioned_control*>(launcher_.control()),
        .next_control = static_cast<partitioned_control*>(launcher_.spare_control()),
        .counters = launcher_.counters(),
        .source_part = parts_->part_of[seeds.front().vertex],
        .source_vertex = parts_->place_of[seeds.front().vertex],
        .target_bits = parts_->target_bits,
        .window = window_,
        .time_limit_ns = time_limit_ns_from_ms(time_limit_ms),
        .seed_count = static_cast<u32>(seeds.size()),
        .seeds = {},
        .seed_parts = {},
    };
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      arguments.seeds[i] = {.vertex = parts_->place_of[seeds[i].vertex],
                            .distance = static_cast<u32>(seeds[i].distance)};
      arguments.seed_parts[i] = parts_->part_of[seeds[i].vertex];
    }
    is_clean_ = false;
    tuner::run_report report = run_in_room(
        overflow_message,
        [&](tuner::run_report& attempt) { return launcher_.run(arguments, time_limit_ms, reported, attempt); },
        time_limit_ms);
    is_clean_ = report.result == db::outcome::ok;
    return report;
  }

 private:
  void upload(std::shared_ptr<const graph_parts> parts) {
    parts_.reset();
    const auto place = [this](backends::device_memory& memory, const auto& words, const char* description) {
      memory = backends::device_memory();
      // Kernels get a valid address even for an empty array.
      memory = input_.device.allocate(std::max(sizeof(u64), std::span(words).size_bytes()), description);
      if (!words.empty()) input_.device.upload(memory, words.data(), std::span(words).size_bytes());
    };
    place(pieces_, parts->parts, "the parts of a graph");
    place(vertices_, parts->vertices, "vertices of parts");
    place(slot_vertices_, parts->slot_vertices, "slots of parts");
    place(arcs_, parts->arcs, "arcs of parts");
    place(packed_arcs_, parts->packed_arcs, "arcs of parts");
    place(out_words_, parts->out_words, "outboxes");
    place(in_vertices_, parts->in_vertices, "inboxes");
    inbox_ = backends::device_memory();
    inbox_ = input_.device.allocate(std::max<std::size_t>(1, parts->in_vertices.size()) * sizeof(u32), "inboxes");
    answers_ = backends::device_memory();
    answers_ = input_.device.allocate(parts->parts.size() * sizeof(u64), "answers of blocks");
    parts_ = std::move(parts);
    is_clean_ = false;
  }

  /// Resets the inboxes and answers after a run that did not finish.
  void reset_mailboxes() {
    (void)input_.device.measure([this] {
      input_.device.fill(inbox_, 0, inbox_.bytes(), 0xFF);
      input_.device.fill(answers_, 0, answers_.bytes(), 0);
    });
  }

  const search_input& input_;
  search_launcher launcher_;
  std::shared_ptr<const graph_parts> parts_;
  backends::device_memory pieces_;
  backends::device_memory vertices_;
  backends::device_memory slot_vertices_;
  backends::device_memory arcs_;
  backends::device_memory packed_arcs_;
  backends::device_memory out_words_;
  backends::device_memory in_vertices_;
  backends::device_memory inbox_;
  backends::device_memory answers_;
  u32 window_ = 0;         // a distance
  bool is_clean_ = false;  // inboxes and answers are in their initial state
};

}  // namespace

std::unique_ptr<solver> make_partitioned_solver(const search_input& input) {
  return std::make_unique<partitioned_solver>(input);
}

namespace {

/// @throws backends::launch_error if a part does not fit into the shared memory of a block
void require_shared(const graph_parts& parts, const backends::device_info& device) {
  if (const u64 bytes = parts.shared_bytes(); bytes > device.shared_bytes_per_block) {
    throw backends::launch_error(
        fmt::format("solver partitioned: a part would take {} bytes of shared memory, but a block can have {}: "
                    "choose more parts{}",
                    bytes, device.shared_bytes_per_block, parts.shape.is_packed() ? ", or arcs=registers" : ""));
  }
}

part_plan plan_groups(const partitioned_numbers& numbers, unsigned parts, const graph::csr_graph& graph,
                      part_store& store, const backends::device_info& device) {
  const unsigned warps = worker_warps(numbers.threads);
  const auto require_warps = [&](std::uint64_t groups) {
    if (groups <= groups_per_warp * warps) return;
    throw backends::launch_error(fmt::format(
        "solver partitioned: a part would have {} groups of {} vertices, but {} warps handle at most {}: choose "
        "more threads or parts",
        groups, group_places, warps, groups_per_warp * warps));
  };
  // Checked before the parts are built, which takes a while.
  const std::uint64_t least =
      std::max<std::uint64_t>(graph.vertex_count(), graph.edge_count() / numbers.shape.slot_arcs);
  require_warps(least / parts / group_places);
  part_plan plan{.parts = store.get(parts, numbers.shape), .slots_per_thread = 1};
  require_warps(plan.parts->most_slots() / group_places);
  require_shared(*plan.parts, device);
  return plan;
}

}  // namespace

part_plan plan_parts(const tuner::configuration& chosen, const graph::csr_graph& graph, part_store& store,
                     const backends::device_info& device) {
  const partitioned_numbers numbers(chosen);
  const unsigned slot_arcs = numbers.shape.slot_arcs;
  const unsigned workers = worker_warps(numbers.threads) * simt::warp_size;
  const unsigned parts = numbers.parts == 0 ? default_part_count(graph, device) : numbers.parts;
  const auto too_large = [&](std::uint64_t slots, const char* remedy) {
    return backends::launch_error(
        fmt::format("solver partitioned: a part would have {} slots of {} arcs, but {} threads hold at most {}: {}",
                    slots, slot_arcs, workers, most_arcs_per_thread / slot_arcs * workers, remedy));
  };
  const std::uint64_t most_slots = std::uint64_t{most_arcs_per_thread / slot_arcs} * workers;
  if (numbers.shape.has_groups()) return plan_groups(numbers, parts, graph, store, device);
  // Checked before the parts are built, which takes a while.
  if (const std::uint64_t least = graph.edge_count() / slot_arcs / parts; least > most_slots) {
    throw too_large(least, "the graph is too large for this solver, or needs more threads or parts");
  }
  part_plan plan{.parts = store.get(parts, numbers.shape), .slots_per_thread = 1};
  const unsigned slots = plan.parts->most_slots();
  if (slots > most_slots) throw too_large(slots, "choose more threads or parts, or another solver for such long rows");
  require_shared(*plan.parts, device);
  plan.slots_per_thread = std::max(1U, (slots + workers - 1) / workers);
  return plan;
}

void set_part_traits(const tuner::configuration& chosen, const search_input& input, variant_traits& traits) {
  const part_plan plan = plan_parts(chosen, input.graph, input.parts, input.device.info());
  traits.slots_per_thread = plan.slots_per_thread;
  traits.has_exact_sums = reduction_of(chosen) ? plan.parts->shape.has_groups() &&
                                                     plan.parts->largest_sum + farthest_seed < saturated_mark / 2
                                               : plan.parts->has_exact_sums();
}

void add_part_macros(const variant_traits& traits, std::map<std::string, std::string>& macros) {
  if (traits.has_exact_sums) macros["MLMQ_DISTANCE"] = "exact_integer_distance";
  macros.emplace("MLMQ_SLOTS_PER_THREAD", std::to_string(std::max(1U, traits.slots_per_thread)));
}

}  // namespace mlmq::problems
