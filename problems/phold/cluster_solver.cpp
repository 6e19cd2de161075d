// SPDX-License-Identifier: Apache-2.0
#include "problems/phold/cluster_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "base/time_limit.hpp"
#include "phold/cluster_abi.cuh"
#include "problems/phold/bucket_clock.hpp"
#include "problems/phold/phold.hpp"
#include "problems/phold/run_launcher.hpp"

namespace mlmq::phold {
namespace {

constexpr std::uint32_t least_buckets = 4;
/// Nodes have 16-bit numbers, one of which means "no node".
constexpr std::uint64_t most_nodes = 65'534;

/// Returns a capacity for a random number of events with this mean that is hardly ever exceeded, even among millions.
std::uint64_t room_for(double mean, double at_least) {
  constexpr double deviations = 7;
  return static_cast<std::uint64_t>(std::ceil((mean + deviations * std::sqrt(mean) + at_least) / 4)) * 4;
}

/// Returns the capacities of a block with the smallest ring; nothing if it does not fit.
std::optional<cluster_arguments> sizes_for(const model_settings& settings, unsigned blocks, std::uint64_t growth,
                                           std::size_t shared_bytes) {
  const std::uint64_t entities = (settings.entities + blocks - 1) / blocks;
  // Fraction of all events in one block, and of one block's events in a window that go to another given block.
  const double share = static_cast<double>(entities) / static_cast<double>(settings.entities);
  const double in_block = static_cast<double>(settings.population()) * share;
  const double in_window = static_cast<double>(settings.entities) * densest(settings, settings.lookahead) * share;
  const std::uint64_t due = growth * room_for(in_window, 32);
  const std::uint64_t letters = growth * room_for(in_window * share, 8);
  // Messages are filed before the events executed at the same time are removed.
  const std::uint64_t pool = growth * room_for(in_block, 32) + due;
  if (pool > most_nodes || entities > most_nodes || due > most_nodes) return std::nullopt;
  cluster_arguments arguments{};
  arguments.initial_events = static_cast<u32>(settings.population());
  arguments.entities = static_cast<u32>(entities);
  arguments.pool_capacity = static_cast<u32>(pool);
  arguments.due_capacity = static_cast<u32>(due);
  arguments.letters = static_cast<u32>(letters);
  arguments.buckets = least_buckets;
  if (lay_out_cluster(arguments, blocks).bytes > shared_bytes) return std::nullopt;
  return arguments;
}

class cluster_solver final : public solver {
 public:
  explicit cluster_solver(const solver_input& input) : input_(input), launcher_(input.device) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const tuner::parameter_values values(phold_declarations(), chosen);
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
    blocks_ = values.whole("cluster_blocks");
    ring_ = values.whole("ring_buckets");
    growth_ = 1;
  }

  [[nodiscard]] tuner::run_report run(std::uint64_t end, double time_limit_ms, trace& executed) override {
    cluster_arguments arguments = arguments_for(end, time_limit_ms);
    return run_with_room(
        [&](tuner::run_report& report) { return run_once(arguments, time_limit_ms, report, executed); },
        [&] {
          growth_ *= 2;
          try {
            arguments = arguments_for(end, time_limit_ms);
          } catch (const backends::launch_error&) {
            return false;
          }
          return true;
        },
        [&] {
          return fmt::format("a block was full at {} events, {} in a window, or {} from one block to another",
                             arguments.pool_capacity, arguments.due_capacity, arguments.letters);
        },
        time_limit_ms);
  }

 private:
  /// @throws backends::launch_error if the model does not fit
  [[nodiscard]] cluster_arguments arguments_for(std::uint64_t end, double time_limit_ms) const {
    const model_settings& settings = input_.settings;
    const model m = model_of(settings);
    const bucket_clock clock = bucket_clock::make(m.lookahead, end, 1);
    if (clock.factor == 0) {
      throw backends::launch_error(
          fmt::format("the run has too many windows for a cluster: its end is {:.3g} lookaheads away",
                      static_cast<double>(end) / static_cast<double>(m.lookahead)));
    }
    std::optional<cluster_arguments> sized =
        sizes_for(settings, blocks_, growth_, input_.device.info().shared_bytes_per_block);
    if (!sized) throw too_large();
    cluster_arguments arguments = *sized;
    arguments.model = m;
    arguments.control = launcher_.control();
    arguments.sums = launcher_.sums();
    arguments.end = end;
    arguments.time_limit_ns = time_limit_ns_from_ms(time_limit_ms);
    arguments.windows = clock.windows(end);
    arguments.time_shift = clock.time_shift;
    arguments.bucket_factor = clock.factor;
    const std::uint32_t needed =
        std::max(least_buckets, ring_ != 0 ? std::bit_ceil(ring_)
                                           : ring_buckets(settings, settings.lookahead, 1, std::uint64_t{1} << 20));
    while (arguments.buckets < needed) {
      cluster_arguments larger = arguments;
      larger.buckets *= 2;
      if (!fits(larger)) break;
      arguments = larger;
    }
    return arguments;
  }

  [[nodiscard]] bool fits(const cluster_arguments& arguments) const {
    return lay_out_cluster(arguments, blocks_).bytes <= input_.device.info().shared_bytes_per_block;
  }

  [[nodiscard]] backends::launch_error too_large() const {
    return backends::launch_error{
        fmt::format("the events of {} entities do not fit into the shared memory of a cluster of {} blocks",
                    input_.settings.entities, blocks_)};
  }

  run_status run_once(const cluster_arguments& arguments, double time_limit_ms, tuner::run_report& report,
                      trace& executed) {
    const std::size_t shared_bytes = lay_out_cluster(arguments, blocks_).bytes;
    if (kernel_->resident_clusters(blocks_, shared_bytes) == 0) {
      throw backends::launch_error(
          fmt::format("{} has no room for a cluster of {} blocks with {} bytes of shared memory each",
                      input_.device.info().name, blocks_, shared_bytes));
    }
    return launcher_.run(
        [&] {
          input_.device.launch(*kernel_, {.grid_blocks = blocks_,
                                          .shared_bytes = shared_bytes,
                                          .arguments = &arguments,
                                          .argument_bytes = sizeof arguments,
                                          .together = false,
                                          .cluster_blocks = blocks_});
        },
        time_limit_ms, counts_, report, executed);
  }

  const solver_input& input_;
  run_launcher launcher_;
  std::shared_ptr<const backends::kernel> kernel_;
  bool counts_ = false;
  unsigned blocks_ = 16;
  unsigned ring_ = 0;
  std::uint64_t growth_ = 1;
};

}  // namespace

bool fits_into_cluster(const model_settings& settings, unsigned blocks, std::size_t shared_bytes) {
  return sizes_for(settings, blocks, 1, shared_bytes).has_value();
}

std::unique_ptr<solver> make_cluster_solver(const solver_input& input) {
  return std::make_unique<cluster_solver>(input);
}

}  // namespace mlmq::phold
