// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of shortest paths: small graphs that are hard for a work queue, and searches on a device.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "problems/shortest_paths/search.hpp"
#include "tuner/configuration.hpp"

namespace mlmq::problems::tests {

struct hard_graph {
  std::string name;
  graph::csr_graph graph;
  std::vector<graph::vertex_id> sources;
};

/// Returns most graphs of graph/adversarial.hpp, and a power-law graph.
[[nodiscard]] std::vector<hard_graph> hard_graphs(graph::weight_type weights);
/// @throws std::logic_error if no graph has this name
[[nodiscard]] hard_graph hard_graph_named(const std::string& name, graph::weight_type weights);
/// Returns a chain whose distances, as numbers, are far beyond the largest float.
[[nodiscard]] graph::csr_graph chain_to_infinity();

/// Returns the number of edges of a shortest path to each vertex.
[[nodiscard]] std::vector<graph::distance_bits> levels_of(const graph::csr_graph& graph, graph::vertex_id source);

/// Returns the complete configuration of a label that lists differences from the defaults.
[[nodiscard]] tuner::configuration configuration_of(const std::string& label);

/// Returns the factor by which the number of tried schedules is multiplied: $MLMQ_FUZZ, or 1.
[[nodiscard]] std::uint64_t fuzz_factor();

/// Opens the program's simulator. Compiled variants stay in the build folder for the next test.
[[nodiscard]] std::unique_ptr<backends::backend> open_simulator(const std::string& selector = "simt");

/// Wraps another device: counts launches, and injects rare events on demand.
class tampered_device : public backends::backend {
 public:
  explicit tampered_device(backends::backend& real) : real_(real) {}

  unsigned launches = 0;
  bool fire_watchdog = false;  ///< act as if the time were up, once the launch's arguments are in place
  double fault_after_ms = 0;   ///< time after which the launch ends with a fault that is not sticky; 0: no fault
  bool damage_answer = false;  ///< add one to the last word of a download
  std::string full_for;        ///< allocations of memory with this name fail
  std::string full_once_for;   ///< the next allocation of memory with this name fails
  std::map<std::string, unsigned> allocations;  ///< number of successful allocations, by name

  [[nodiscard]] const backends::device_info& info() const override { return real_.info(); }
  [[nodiscard]] std::shared_ptr<const backends::kernel> compile(const backends::kernel_source& source) override {
    return real_.compile(source);
  }
  [[nodiscard]] backends::device_memory allocate(std::size_t bytes, const std::string& name) override {
    if (name == full_for || name == full_once_for) {
      full_once_for.clear();
      throw backends::out_of_device_memory("made by the test");
    }
    ++allocations[name];
    return real_.allocate(bytes, name);
  }
  void upload(const backends::device_memory& target, const void* source, std::size_t bytes) override {
    real_.upload(target, source, bytes);
  }
  void download(void* target, const backends::device_memory& source, std::size_t bytes) override;
  [[nodiscard]] backends::device_memory borrow(void* address, std::size_t bytes, const std::string& name) override {
    return real_.borrow(address, bytes, name);
  }
  void read(void* target, const void* source, std::size_t bytes) override { real_.read(target, source, bytes); }
  void wait_for_stream(void* stream) override { real_.wait_for_stream(stream); }
  void fill(const backends::device_memory& memory, std::size_t offset, std::size_t bytes, std::uint8_t value) override {
    real_.fill(memory, offset, bytes, value);
  }
  void launch(const backends::kernel& variant, const backends::launch_spec& spec) override;
  double measure(const std::function<void()>& queue_work) override { return real_.measure(queue_work); }
  void set_seed(std::uint64_t seed) override { real_.set_seed(seed); }
  void set_watchdog(backends::watchdog guard) override { guard_ = std::move(guard); }
  void poke(const backends::device_memory& memory, std::size_t offset, std::uint32_t value) override {
    real_.poke(memory, offset, value);
  }
  [[nodiscard]] bool is_guarded() const { return static_cast<bool>(guard_.fire); }

 private:
  void release(void*) noexcept override {}  // the memory belongs to the real device

  backends::backend& real_;
  backends::watchdog guard_;
};

/// Searches of one graph on one device.
class search {
 public:
  search(backends::backend& device, const graph::csr_graph& graph, ring_limits limits = {},
         search_kind kind = search_kind::sssp);

  void prepare(const tuner::configuration& chosen,
               tuner::instrumentation instrumentation_kind = tuner::instrumentation::none);
  [[nodiscard]] tuner::run_report run(graph::vertex_id source, std::uint64_t seed = 1, double time_limit_ms = 1000);
  [[nodiscard]] problems::graph_instance& instance() { return *instance_; }

 private:
  backends::backend& device_;
  std::unique_ptr<problems::graph_instance> instance_;
};

/// Returns "" if the last run of `tried` from `source` has Dijkstra's distances and passes the instance's own check.
[[nodiscard]] std::string disagreement(search& tried, const graph::csr_graph& graph, graph::vertex_id source);

[[nodiscard]] std::map<std::string, std::uint64_t> counters_of(const tuner::run_report& report);

}  // namespace mlmq::problems::tests
