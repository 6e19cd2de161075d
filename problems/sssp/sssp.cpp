// SPDX-License-Identifier: Apache-2.0
#include "problems/sssp/sssp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <numeric>

#include "backends/kernel_sources.hpp"
#include "graph/check.hpp"
#include "problems/sssp/parameters.hpp"
#include "sssp_abi.cuh"

namespace mlmq::problems {
namespace {

using backends::device_memory;

constexpr const char* kernel_file = "sssp.cu";

/// In the order of mlmq::counter.
constexpr std::array<const char*, counter_count> counter_names = {
    "pops",      "stale_pops", "resplits", "relaxations", "updates",   "distance_atomics", "l0_writes",     "l0_reads",
    "l1_writes", "l1_reads",   "l1_spills", "l2_writes",  "l2_reads", "l2_claims",        "queue_atomics", "polls"};

double average_weight(const graph::csr_graph& graph) {
  double sum = 0;
  for (const std::uint32_t bits : graph.weight_bits()) {
    sum += graph.weights() == graph::weight_type::uint32 ? static_cast<double>(bits)
                                                         : static_cast<double>(std::bit_cast<float>(bits));
  }
  return sum > 0 ? sum / static_cast<double>(graph.edge_count()) : 1.0;
}

/// A graph on a device, in the layout of sssp_arguments.
struct resident_graph {
  resident_graph(backends::backend& device, const graph::csr_graph& graph, const std::string& name)
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
    std::vector<std::uint64_t> interleaved(graph.edge_count());
    for (std::size_t i = 0; i < interleaved.size(); ++i) {
      interleaved[i] = graph.targets()[i] | static_cast<std::uint64_t>(graph.weight_bits()[i]) << 32;
    }
    edges = device.allocate(interleaved.size() * sizeof(std::uint64_t), "the edges of " + name);
    device.upload(edges, interleaved.data(), edges.bytes());
    distances = device.allocate(n * sizeof(std::uint32_t), "the distances of " + name);
  }

  bool wide_offsets;
  device_memory offsets;
  device_memory edges;
  device_memory distances;
};

/// The rings of the L2 queue. A search needs all slots empty at its start and leaves them so when it finishes.
class ring_storage {
 public:
  explicit ring_storage(backends::backend& device) : device_(device) {}

  /// Makes room for `rings` rings of `capacity` slots each, all empty, for one search.
  /// @throws backends::out_of_device_memory; a later call may ask for less
  void reserve(unsigned rings, std::size_t capacity) {
    const std::size_t bytes = rings * capacity * sizeof(std::uint64_t);
    if (slots_.bytes() < bytes) {
      slots_ = device_memory();
      empty_ = false;
      slots_ = device_.allocate(bytes, fmt::format("an L2 queue of {} rings of {} slots", rings, capacity));
    }
    if (!empty_) device_.measure([this] { device_.fill(slots_, 0, slots_.bytes(), 0xFF); });
    // However the search ends, by an exception too: unless it finishes, what it left behind is removed.
    empty_ = false;
  }

  /// The search has finished.
  void note_empty() { empty_ = true; }

  [[nodiscard]] u64* slots() const { return slots_.as<u64>(); }

 private:
  backends::backend& device_;
  device_memory slots_;
  bool empty_ = false;
};

class sssp_instance final : public tuner::problem_instance {
 public:
  sssp_instance(backends::backend& device, const graph::csr_graph& graph, std::string name, ring_limits limits)
      : device_(device),
        limits_(limits),
        graph_(graph),
        name_(std::move(name)),
        average_weight_(average_weight(graph)),
        on_device_(device, graph, name_),
        control_(device.allocate(sizeof(control_block), "control words")),
        counters_(device.allocate(counter_count * sizeof(u64), "work counters")),
        rings_(device) {}
  sssp_instance(const sssp_instance&) = delete;
  sssp_instance& operator=(const sssp_instance&) = delete;
  /// The watchdog pokes this instance's memory.
  ~sssp_instance() override { device_.set_watchdog({}); }

  [[nodiscard]] backends::kernel_source variant(const tuner::configuration& chosen,
                                                tuner::instrumentation what) const override {
    const sssp_configuration numbers(chosen);
    return {.file = kernel_file,
            .entry = "sssp",
            .block_threads = numbers.threads,
            .defines = numbers.defines(graph_.weights(), on_device_.wide_offsets,
                                       what == tuner::instrumentation::counters)};
  }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation what) override {
    const sssp_configuration numbers(chosen);
    kernel_ = std::move(compiled);
    counting_ = what == tuner::instrumentation::counters;
    ring_count_ = numbers.bnum;
    buckets_per_distance_ =
        numbers.delta > 0 ? static_cast<float>(1.0 / (numbers.delta * average_weight_)) : 1.0F;
    shared_bytes_ = block_shared_bytes(numbers.threads, numbers.l1_capacity);
    if (shared_bytes_ > device_.info().shared_bytes_per_block) {
      throw backends::launch_error(fmt::format("a block needs {} bytes of shared memory; {} has {}", shared_bytes_,
                                               device_.info().name, device_.info().shared_bytes_per_block));
    }
    grid_blocks_ = kernel_->resident_blocks(shared_bytes_);
    if (numbers.blocks_per_multiprocessor > 0) {
      // One more block for the manager.
      grid_blocks_ =
          std::min(grid_blocks_, numbers.blocks_per_multiprocessor * device_.info().multiprocessors + 1);
    }
    if (grid_blocks_ < 2) {
      throw backends::launch_error(
          fmt::format("only {} block of {} threads is resident on {}; a search needs two: one for the manager",
                      grid_blocks_, numbers.threads, device_.info().name));
    }
  }

  [[nodiscard]] tuner::run_report run(graph::vertex_id source, double time_limit_ms) override {
    source_ = source;
    std::size_t& capacity = capacity_[ring_count_];
    if (capacity == 0) capacity = first_capacity();
    rings_.reserve(ring_count_, capacity);
    for (;;) {
      tuner::run_report report;
      const run_status status = run_once(source, time_limit_ms, capacity, report);
      if (status == run_status::finished) {
        rings_.note_empty();
        return report;
      }
      if (status != run_status::queue_full) return failed(report, status, time_limit_ms, capacity);
      // A full queue is not the configuration's fault: room for more is made, and remembered for this graph.
      if (capacity >= limits_.largest) return failed(report, status, time_limit_ms, capacity);
      const std::size_t larger = std::min(4 * capacity, limits_.largest);
      try {
        rings_.reserve(ring_count_, larger);
      } catch (const backends::out_of_device_memory& error) {
        report = failed(report, status, time_limit_ms, capacity);
        report.message += fmt::format(" and {} do not fit: {}", larger, error.what());
        return report;
      }
      capacity = larger;
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
    return std::bit_ceil(std::max<std::size_t>(4096, ring_count_ == 1 ? 2 * n : n / 2));
  }

  run_status run_once(graph::vertex_id source, double time_limit_ms, std::size_t capacity, tuner::run_report& report) {
    const sssp_arguments arguments{
        .offsets = on_device_.offsets.address(),
        .edges = on_device_.edges.as<u64>(),
        .distances = on_device_.distances.as<u32>(),
        .control = control_.as<control_block>(),
        .slots = rings_.slots(),
        .counters = counting_ ? counters_.as<u64>() : nullptr,
        .capacity_mask = static_cast<u32>(capacity - 1),
        .source = source,
        .buckets_per_distance = buckets_per_distance_,
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

  [[nodiscard]] tuner::run_report failed(tuner::run_report report, run_status status, double time_limit_ms,
                                         std::size_t capacity) const {
    switch (status) {
      case run_status::queue_full:
        report.result = db::outcome::overflow;
        report.message = fmt::format("a ring of the L2 queue was full at {} slots", capacity);
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
  ring_limits limits_;
  graph::csr_graph graph_;
  std::string name_;
  double average_weight_;
  resident_graph on_device_;
  device_memory control_;
  device_memory counters_;
  ring_storage rings_;

  std::shared_ptr<const backends::kernel> kernel_;
  bool counting_ = false;
  unsigned ring_count_ = 1;
  float buckets_per_distance_ = 1;
  std::size_t shared_bytes_ = 0;
  unsigned grid_blocks_ = 0;
  std::map<unsigned, std::size_t> capacity_;  // slots of a ring, by number of rings

  graph::vertex_id source_ = 0;
  std::map<graph::vertex_id, std::vector<graph::distance_bits>> proven_;
};

}  // namespace

std::span<const tuner::parameter_declaration> sssp::declarations() const { return sssp_declarations(); }

std::string sssp::source_hash() const {
  return backends::kernel_sources::load(backends::kernel_folder(), kernel_file).hash();
}

std::unique_ptr<tuner::problem_instance> sssp::load(backends::backend& device, const graph::csr_graph& graph,
                                                    const std::string& graph_name) const {
  return std::make_unique<sssp_instance>(device, graph, graph_name, limits_);
}

}  // namespace mlmq::problems
