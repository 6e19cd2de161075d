// SPDX-License-Identifier: Apache-2.0
// A problem that tests the queue of skeleton.cuh: every vertex of a graph that is written into it is taken out once.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "backends/kernel_sources.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/registry.hpp"
#include "skeleton_abi.cuh"
#include "tuner/parameter_values.hpp"
#include "tuner/problem.hpp"

namespace {

using namespace mlmq;

std::span<const tuner::parameter_declaration> declared() {  // TODO: the parameters of your queue
  static const std::vector<tuner::parameter_declaration> declarations = {
      {.name = "threads",
       .default_value = 64,
       .description = "threads per block",
       .minimum = 32,
       .maximum = 1024,
       .limits = {tuner::whole_warps()}},
      {.name = "capacity",
       .default_value = 64,
       .description = "elements of the queue of a warp",
       .minimum = 32,
       .maximum = 256,
       .macro = {.name = "QUEUE_CAPACITY"},
       .limits = {{"power_of_two(capacity)", "positions in a ring are computed with a mask"}}},
      {.name = "batch",
       .default_value = 32,
       .description = "elements that a warp reads at once",
       .minimum = 1,
       .maximum = 32,
       .macro = {.name = "QUEUE_BATCH"}}};
  return declarations;
}

backends::kernel_source bare_kernel() {
  return {.file = "skeleton.cu", .entry = "skeleton", .block_threads = 0, .defines = {}, .folder = MLMQ_PROBLEM_FOLDER};
}

/// A graph on a device.
class instance final : public tuner::problem_instance {
 public:
  instance(backends::backend& device, const graph::csr_graph& graph)
      : device_(device), taken_(graph.vertex_count()), on_device_(device.allocate(taken_.size() * 4, "taken")) {}

  [[nodiscard]] backends::kernel_source variant(const tuner::configuration& chosen,
                                                tuner::instrumentation /*mode*/) const override {
    const tuner::parameter_values values(declared(), chosen);
    backends::kernel_source source = bare_kernel();
    source.block_threads = values.whole("threads");
    source.defines = values.macros(source.entry);
    return source;
  }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation /*mode*/) override {
    const tuner::parameter_values values(declared(), chosen);
    shared_bytes_ = values.whole("threads") / 32 * values.whole("capacity") * sizeof(u64);
    kernel_ = std::move(compiled);
  }

  [[nodiscard]] tuner::run_report run(const tuner::query& /*query*/, double /*time_limit_ms*/) override {
    const skeleton_arguments arguments{.taken = on_device_.as<u32>(), .vertices = static_cast<u32>(taken_.size())};
    tuner::run_report report;
    report.milliseconds = device_.measure([&] {
      device_.fill(on_device_, 0, on_device_.bytes(), 0);
      device_.launch(*kernel_, {.grid_blocks = 2,
                                .shared_bytes = shared_bytes_,
                                .arguments = &arguments,
                                .argument_bytes = sizeof arguments,
                                .together = false});
    });
    device_.download(taken_.data(), on_device_, on_device_.bytes());
    return report;
  }

  [[nodiscard]] std::string check() override {  // TODO: what your queue promises beyond that
    for (std::size_t v = 0; v < taken_.size(); ++v) {
      if (taken_[v] != 1) return fmt::format("vertex {} was taken {} times", v, taken_[v]);
    }
    return "";
  }

 private:
  backends::backend& device_;
  std::vector<u32> taken_;  // how often each vertex came out of a queue
  backends::device_memory on_device_;
  std::shared_ptr<const backends::kernel> kernel_;
  unsigned shared_bytes_ = 0;
};

class skeleton_problem final : public tuner::problem {
 public:
  [[nodiscard]] std::string name() const override { return "skeleton"; }
  [[nodiscard]] const tuner::workload_kind& workloads() const override { return problems::graph_kind(); }
  [[nodiscard]] std::span<const tuner::parameter_declaration> declarations() const override { return declared(); }
  [[nodiscard]] std::span<const tuner::named_meaning> query_settings() const override { return {}; }
  [[nodiscard]] std::span<const tuner::named_meaning> counters() const override { return {}; }
  [[nodiscard]] tuner::work_ratio work() const override { return {}; }
  [[nodiscard]] std::uint64_t count_queries(const tuner::query_rules& rules) const override {
    for (const tuner::query_rule& rule : rules) tuner::require_known_settings(rule, {});
    return 1;
  }
  [[nodiscard]] std::vector<tuner::query> choose_queries(const tuner::workload& /*workload*/,
                                                         const tuner::query_rules& /*rules*/) const override {
    return {{{"order", "index"}}};
  }
  [[nodiscard]] std::string source_hash(const tuner::configuration& /*chosen*/) const override {
    return backends::kernel_sources::load(backends::search_folders(bare_kernel()), bare_kernel().file).code_hash();
  }
  [[nodiscard]] std::unique_ptr<tuner::problem_instance> load(backends::backend& device,
                                                              const tuner::workload& workload) const override {
    return std::make_unique<instance>(device, problems::graph_of(workload));
  }
};

}  // namespace

extern "C" {
extern const mlmq::problems::problem_registration mlmq_registers_skeleton;
const mlmq::problems::problem_registration mlmq_registers_skeleton(
    {{.name = "skeleton", .description = "test of the queue skeleton", .make = [] {
        return std::unique_ptr<mlmq::tuner::problem>(std::make_unique<skeleton_problem>());
      }}});
}
