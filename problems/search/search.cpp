// SPDX-License-Identifier: Apache-2.0
#include "problems/search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "backends/kernel_sources.hpp"
#include "graph/check.hpp"
#include "problems/search/parameters.hpp"
#include "search_abi.cuh"

namespace mlmq::problems {
namespace {

using backends::device_memory;

/// "sssp" has the kernel `sssp` in sssp.cu, "bfs" the kernel `bfs` in bfs.cu.
std::string kernel_file(search_kind kind) { return std::string(name_of(kind)) + ".cu"; }

/// In the order of mlmq::counter.
constexpr std::array<const char*, counter_count> counter_names = {
    "pops",      "stale_pops", "resplits",  "relaxations", "updates",  "distance_atomics", "l0_writes",     "l0_reads",
    "l1_writes", "l1_reads",   "l1_spills", "l2_writes",   "l2_reads", "l2_claims",        "queue_atomics", "polls"};

double average_weight(const graph::csr_graph& graph) {
  double sum = 0;
  for (const std::uint32_t bits : graph.weight_bits()) {
    sum += graph.weights() == graph::weight_type::uint32 ? static_cast<double>(bits)
                                                         : static_cast<double>(std::bit_cast<float>(bits));
  }
  return sum > 0 ? sum / static_cast<double>(graph.edge_count()) : 1.0;
}

/// A graph on a device, in the layout of search_arguments.
struct resident_graph {
  /// @param unit_weights leaves the weights out
  resident_graph(backends::backend& device, const graph::csr_graph& graph, const std::string& name, bool unit_weights)
      : wide_offsets(graph.edge_count() > std::numeric_limits<std::uint32_t>::max()) {
    const std::size_t n = graph.vertex_count();
    if (wide_offsets) {
      offsets = device.allocate((n + 1) * sizeof(std::uint64_t), "the row starts of " + name);
      device.upload(offsets, graph.offsets().data(), offsets.bytes());
    } else {
      const std::vector<std::uint32_t> narrow(graph.offsets().begin(), graph.offsets().end());
      offsets = device.allocate((n + 1) * sizeof(std::uint32_t), "the row starts of " + name);
      device.upload(offsets, narrow.data(), offsets.bytes());
    }
    if (unit_weights) {
      edges = device.allocate(graph.edge_count() * sizeof(graph::vertex_id), "the edges of " + name);
      device.upload(edges, graph.targets().data(), edges.bytes());
    } else {
      std::vector<std::uint64_t> interleaved(graph.edge_count());
      for (std::size_t i = 0; i < interleaved.size(); ++i) {
        interleaved[i] = graph.targets()[i] | static_cast<std::uint64_t>(graph.weight_bits()[i]) << 32;
      }
      edges = device.allocate(interleaved.size() * sizeof(std::uint64_t), "the edges of " + name);
      device.upload(edges, interleaved.data(), edges.bytes());
    }
    distances = device.allocate(n * sizeof(std::uint32_t), "the distances of " + name);
  }

  bool wide_offsets;
  device_memory offsets;
  device_memory edges;
  device_memory distances;
};

/// How the memory of the L2 queue is divided.
struct queue_layout {
  unsigned parts = 0;        ///< rings or heaps
  std::size_t capacity = 0;  ///< slots of each part
  bool heaps = false;

  /// A heap has a header for each node of 32 slots.
  [[nodiscard]] std::size_t bytes() const {
    return parts * (capacity + (heaps ? capacity / 32 : 0)) * sizeof(std::uint64_t);
  }
  bool operator==(const queue_layout&) const = default;
};

/// The memory of the L2 queue. Memory of all ones is an empty queue; a search that finishes leaves an empty queue of its
/// layout behind.
class queue_storage {
 public:
  explicit queue_storage(backends::backend& device) : device_(device) {}

  /// Makes an empty queue for one search.
  /// @throws backends::out_of_device_memory; a later call may ask for less
  void reserve(const queue_layout& layout) {
    if (slots_.bytes() < layout.bytes()) {
      slots_ = device_memory();
      empty_as_.reset();
      slots_ = device_.allocate(layout.bytes(), fmt::format("an L2 queue of {} {} of {} slots", layout.parts,
                                                            layout.heaps ? "heaps" : "rings", layout.capacity));
    }
    // Emptied rings are all ones whatever their layout; emptied heaps keep old elements, under headers that say so.
    const bool is_empty = empty_as_ && (*empty_as_ == layout || (!empty_as_->heaps && !layout.heaps));
    if (!is_empty) device_.measure([this] { device_.fill(slots_, 0, slots_.bytes(), 0xFF); });
    // However the search ends, by an exception too: unless it finishes, what it left behind is removed.
    empty_as_.reset();
  }

  /// The search has finished.
  void note_empty(const queue_layout& layout) { empty_as_ = layout; }

  [[nodiscard]] u64* slots() const { return slots_.as<u64>(); }

 private:
  backends::backend& device_;
  device_memory slots_;
  std::optional<queue_layout> empty_as_;
};

class search_instance final : public tuner::problem_instance {
 public:
  search_instance(backends::backend& device, const graph::csr_graph& graph, std::string name, search_kind kind,
                  ring_limits limits)
      : device_(device),
        kind_(kind),
        limits_(limits),
        graph_(graph),
        name_(std::move(name)),
        average_weight_(average_weight(graph)),
        on_device_(device, graph, name_, kind == search_kind::bfs),
        control_(device.allocate(sizeof(control_block), "control words")),
        counters_(device.allocate(counter_count * sizeof(u64), "work counters")),
        queue_(device) {}
  search_instance(const search_instance&) = delete;
  search_instance& operator=(const search_instance&) = delete;
  /// The watchdog pokes this instance's memory.
  ~search_instance() override { device_.set_watchdog({}); }

  [[nodiscard]] backends::kernel_source variant(const tuner::configuration& chosen,
                                                tuner::instrumentation what) const override {
    const search_configuration numbers(chosen);
    if (numbers.threads % 32 != 0) {
      throw backends::launch_error(fmt::format("threads={}: a block consists of whole warps of 32", numbers.threads));
    }
    return {.file = kernel_file(kind_),
            .entry = std::string(name_of(kind_)),
            .block_threads = numbers.threads,
            .defines = numbers.defines({.weights = graph_.weights(),
                                        .unit_weights = kind_ == search_kind::bfs,
                                        .wide_offsets = on_device_.wide_offsets,
                                        .counters = what == tuner::instrumentation::counters})};
  }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation what) override {
    const search_configuration numbers(chosen);
    kernel_ = std::move(compiled);
    counting_ = what == tuner::instrumentation::counters;
    layout_ = {.parts = numbers.parts(), .capacity = 0, .heaps = numbers.has_heaps()};
    buckets_per_distance_ = numbers.delta > 0 ? static_cast<float>(1.0 / (numbers.delta * average_weight_)) : 1.0F;
    l1_width_ = distance_word(numbers.l1_delta);
    near_far_start_ = distance_word(numbers.nf);
    shared_bytes_ = block_shared_bytes(numbers.threads, numbers.l1_capacity);
    if (shared_bytes_ > device_.info().shared_bytes_per_block) {
      throw backends::launch_error(fmt::format("a block needs {} bytes of shared memory; {} has {}", shared_bytes_,
                                               device_.info().name, device_.info().shared_bytes_per_block));
    }
    grid_blocks_ = kernel_->resident_blocks(shared_bytes_);
    if (numbers.blocks_per_multiprocessor > 0) {
      // One more block for the manager.
      grid_blocks_ = std::min(grid_blocks_, numbers.blocks_per_multiprocessor * device_.info().multiprocessors + 1);
    }
    if (grid_blocks_ < 2) {
      throw backends::launch_error(
          fmt::format("only {} block of {} threads is resident on {}; a search needs two: one for the manager",
                      grid_blocks_, numbers.threads, device_.info().name));
    }
  }

  [[nodiscard]] tuner::run_report run(graph::vertex_id source, double time_limit_ms) override {
    source_ = source;
    std::size_t& capacity = capacity_[{layout_.parts, layout_.heaps}];
    if (capacity == 0) capacity = first_capacity();
    layout_.capacity = capacity;
    queue_.reserve(layout_);
    for (;;) {
      tuner::run_report report;
      const run_status status = run_once(source, time_limit_ms, report);
      if (status == run_status::finished) {
        queue_.note_empty(layout_);
        return report;
      }
      if (status != run_status::queue_full) return failed(report, status, time_limit_ms);
      // A full queue is not the configuration's fault: room for more is made, and remembered for this graph.
      if (capacity >= limits_.largest) return failed(report, status, time_limit_ms);
      queue_layout larger = layout_;
      larger.capacity = std::min(4 * capacity, limits_.largest);
      try {
        queue_.reserve(larger);
      } catch (const backends::out_of_device_memory& error) {
        report = failed(report, status, time_limit_ms);
        report.message += fmt::format(" and {} do not fit: {}", larger.capacity, error.what());
        return report;
      }
      layout_ = larger;
      capacity = larger.capacity;
    }
  }

  [[nodiscard]] std::string check() override {
    const std::vector<graph::distance_bits> found = distances();
    // Shortest distances are unique: once a set is proven for a source, equality proves the next.
    if (const auto known = proven_.find(source_); known != proven_.end() && known->second == found) return "";
    const graph::check_result result = graph::check_distances(graph_, source_, found);
    if (!result.ok) return result.message;
    proven_.clear();  // one at a time: a set is as large as the vertices
    proven_.emplace(source_, found);
    return "";
  }

  [[nodiscard]] std::vector<graph::distance_bits> distances() override {
    std::vector<graph::distance_bits> values(graph_.vertex_count());
    device_.download(values.data(), on_device_.distances, values.size() * sizeof(graph::distance_bits));
    return values;
  }

 private:
  /// Every vertex may wait in the queue several times, but rarely do more than a share of them wait at once.
  [[nodiscard]] std::size_t first_capacity() const {
    if (limits_.first != 0) return limits_.first;
    const std::size_t n = graph_.vertex_count();
    if (layout_.heaps) return std::bit_ceil(std::max<std::size_t>(4096, 8 * n / layout_.parts));
    return std::bit_ceil(std::max<std::size_t>(4096, layout_.parts == 1 ? 2 * n : n / 2));
  }

  /// A length in average weights as a distance of the kernel.
  [[nodiscard]] u32 distance_word(double average_weights) const {
    const double length = average_weights * average_weight_;
    if (graph_.weights() == graph::weight_type::float32) {
      return std::bit_cast<u32>(static_cast<float>(std::min(length, 3e38)));
    }
    return static_cast<u32>(std::min(std::round(length), static_cast<double>(graph::saturated_distance)));
  }

  run_status run_once(graph::vertex_id source, double time_limit_ms, tuner::run_report& report) {
    const search_arguments arguments{
        .offsets = on_device_.offsets.address(),
        .edges = on_device_.edges.address(),
        .distances = on_device_.distances.as<u32>(),
        .control = control_.as<control_block>(),
        .slots = queue_.slots(),
        .counters = counting_ ? counters_.as<u64>() : nullptr,
        .capacity_mask = static_cast<u32>(layout_.capacity - 1),
        .source = source,
        .buckets_per_distance = buckets_per_distance_,
        .l1_width = l1_width_,
        .near_far_start = near_far_start_,
        .time_limit_ns = static_cast<u64>(time_limit_ms * 1e6),
        .full_wait_ns = 200'000,
    };
    device_.set_watchdog({.limit_ms = 2 * time_limit_ms + 1000, .grace_ms = 2000, .fire = [this] {
                            device_.poke(control_, offsetof(control_block, host_abort), 1);
                          }});
    report.milliseconds = device_.measure([&] {
      device_.fill(on_device_.distances, 0, on_device_.distances.bytes(), 0xFF);
      device_.fill(control_, 0, control_.bytes(), 0);
      if (counting_) device_.fill(counters_, 0, counters_.bytes(), 0);
      device_.launch(*kernel_, {.grid_blocks = grid_blocks_,
                                .shared_bytes = shared_bytes_,
                                .arguments = &arguments,
                                .argument_bytes = sizeof arguments});
    });
    u32 status = 0;
    device_.download(&status, control_, sizeof status);
    if (counting_) {
      std::array<u64, counter_count> sums{};
      device_.download(sums.data(), counters_, sizeof sums);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        report.counters.emplace_back(counter_names[i], static_cast<double>(sums[i]));
      }
    }
    return static_cast<run_status>(status);
  }

  [[nodiscard]] tuner::run_report failed(tuner::run_report report, run_status status, double time_limit_ms) const {
    switch (status) {
      case run_status::queue_full:
        report.result = db::outcome::overflow;
        report.message =
            fmt::format("a {} of the L2 queue was full at {} slots", layout_.heaps ? "heap" : "ring", layout_.capacity);
        break;
      case run_status::timed_out:
      case run_status::aborted:
        report.result = db::outcome::timeout;
        report.message = fmt::format("not finished after {:.4g} ms", time_limit_ms);
        break;
      default:
        report.result = db::outcome::launch_error;
        report.message = "the kernel ended without a status";
    }
    return report;
  }

  backends::backend& device_;
  search_kind kind_;
  ring_limits limits_;
  graph::csr_graph graph_;
  std::string name_;
  double average_weight_;
  resident_graph on_device_;
  device_memory control_;
  device_memory counters_;
  queue_storage queue_;

  std::shared_ptr<const backends::kernel> kernel_;
  bool counting_ = false;
  queue_layout layout_;
  float buckets_per_distance_ = 1;
  u32 l1_width_ = 0;
  u32 near_far_start_ = 0;
  std::size_t shared_bytes_ = 0;
  unsigned grid_blocks_ = 0;
  std::map<std::pair<unsigned, bool>, std::size_t> capacity_;  // slots of a part, by number and kind of parts

  graph::vertex_id source_ = 0;
  std::map<graph::vertex_id, std::vector<graph::distance_bits>> proven_;
};

/// The same graph with all weights 1; targets are shared.
graph::csr_graph with_unit_weights(const graph::csr_graph& graph) {
  struct storage {
    graph::csr_graph original;
    std::vector<std::uint32_t> ones;
  };
  const auto kept = std::make_shared<const storage>(graph, std::vector<std::uint32_t>(graph.edge_count(), 1U));
  return {std::vector<graph::edge_offset>(graph.offsets().begin(), graph.offsets().end()), kept->original.targets(),
          kept->ones, graph::weight_type::uint32, kept};
}

}  // namespace

std::string_view name_of(search_kind kind) { return kind == search_kind::sssp ? "sssp" : "bfs"; }

std::span<const tuner::parameter_declaration> search::declarations() const { return search_declarations(); }

std::string search::source_hash() const {
  return backends::kernel_sources::load(backends::kernel_folder(), kernel_file(kind_)).hash();
}

std::unique_ptr<tuner::problem_instance> search::load(backends::backend& device, const graph::csr_graph& graph,
                                                      const std::string& graph_name) const {
  return std::make_unique<search_instance>(device, kind_ == search_kind::bfs ? with_unit_weights(graph) : graph,
                                           graph_name, kind_, limits_);
}

}  // namespace mlmq::problems
