// SPDX-License-Identifier: Apache-2.0
// The problem skeleton: how many vertices of a graph have at least `degree` out-edges. TODO marks what to replace.
#include <fmt/format.h>

#include <array>
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

std::span<const tuner::parameter_declaration> declared() {  // TODO: what to tune
  static const std::vector<tuner::parameter_declaration> declarations = {{.name = "threads",
                                                                          .default_value = 64,
                                                                          .description = "threads per block",
                                                                          .minimum = 32,
                                                                          .maximum = 1024,
                                                                          .limits = {tuner::whole_warps()}},
                                                                         {.name = "blocks",
                                                                          .bind = tuner::binding::launch,
                                                                          .default_value = 2,
                                                                          .description = "number of blocks launched",
                                                                          .minimum = 1,
                                                                          .maximum = 4096}};
  return declarations;
}

backends::kernel_source bare_kernel() {
  return {.file = "skeleton.cu", .entry = "skeleton", .block_threads = 0, .defines = {}, .folder = MLMQ_PROBLEM_FOLDER};
}

/// A graph on a device.
class instance final : public tuner::problem_instance {
 public:
  instance(backends::backend& device, const graph::csr_graph& graph)
      : device_(device),
        offsets_(graph.offsets().begin(), graph.offsets().end()),
        on_device_(backends::uploaded(device, offsets_, "row offsets")),
        result_(device.allocate(sizeof(u64), "result")) {}

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
    blocks_ = tuner::parameter_values(declared(), chosen).whole("blocks");
    kernel_ = std::move(compiled);
  }

  [[nodiscard]] tuner::run_report run(const tuner::query& query, double /*time_limit_ms*/) override {
    degree_ = query.whole_number("degree");
    const skeleton_arguments arguments{.offsets = on_device_.as<const u64>(),
                                       .vertices = offsets_.size() - 1,
                                       .degree = degree_,
                                       .result = result_.as<u64>()};
    tuner::run_report report;
    report.milliseconds = device_.measure([&] {
      device_.fill(result_, 0, result_.bytes(), 0);
      device_.launch(*kernel_, {.grid_blocks = blocks_,
                                .shared_bytes = 0,
                                .arguments = &arguments,
                                .argument_bytes = sizeof arguments,
                                .together = false});
    });
    device_.download(&answer_, result_, sizeof answer_);
    return report;
  }

  [[nodiscard]] std::string check() override {  // TODO: an independent way to the answer
    u64 expected = 0;
    for (std::size_t v = 0; v + 1 < offsets_.size(); ++v) expected += offsets_[v + 1] - offsets_[v] >= degree_ ? 1 : 0;
    return answer_ == expected ? "" : fmt::format("the result is {}, not {}", answer_, expected);
  }

 private:
  backends::backend& device_;
  std::vector<u64> offsets_;
  backends::device_memory on_device_;
  backends::device_memory result_;
  std::shared_ptr<const backends::kernel> kernel_;
  unsigned blocks_ = 0;
  u64 degree_ = 0;
  u64 answer_ = 0;
};

class skeleton_problem final : public tuner::problem {
 public:
  [[nodiscard]] std::string name() const override { return "skeleton"; }
  [[nodiscard]] const tuner::workload_kind& workloads() const override { return problems::graph_kind(); }
  [[nodiscard]] std::span<const tuner::parameter_declaration> declarations() const override { return declared(); }
  [[nodiscard]] std::span<const tuner::named_meaning> query_settings() const override { return settings; }
  [[nodiscard]] std::span<const tuner::named_meaning> counters() const override { return {}; }
  [[nodiscard]] tuner::work_ratio work() const override { return {}; }
  [[nodiscard]] std::uint64_t count_queries(const tuner::query_rules& rules) const override {
    for (const tuner::query_rule& rule : rules) tuner::require_known_settings(rule, settings);
    return rules.empty() ? 1 : rules.size();
  }
  [[nodiscard]] std::vector<tuner::query> choose_queries(const tuner::workload& /*workload*/,
                                                         const tuner::query_rules& rules) const override {
    if (rules.empty()) return {{{"degree", "2"}}};
    std::vector<tuner::query> queries;  // TODO: one or more queries per rule
    for (const tuner::query_rule& rule : rules) {
      const tuner::setting* const degree = rule.find("degree");
      queries.push_back({{"degree", std::to_string(degree == nullptr ? 2 : degree->whole_number())}});
    }
    return queries;
  }
  [[nodiscard]] std::string source_hash(const tuner::configuration& /*chosen*/) const override {
    return backends::kernel_sources::load(backends::search_folders(bare_kernel()), bare_kernel().file).code_hash();
  }
  [[nodiscard]] std::unique_ptr<tuner::problem_instance> load(backends::backend& device,
                                                              const tuner::workload& workload) const override {
    return std::make_unique<instance>(device, problems::graph_of(workload));
  }

 private:
  static constexpr std::array settings{tuner::named_meaning{"degree", "least number of out-edges [2]"}};
};

}  // namespace

extern "C" {
extern const mlmq::problems::problem_registration mlmq_registers_skeleton;
const mlmq::problems::problem_registration mlmq_registers_skeleton(
    {{.name = "skeleton", .description = "TODO: one line about skeleton", .make = [] {
        return std::unique_ptr<mlmq::tuner::problem>(std::make_unique<skeleton_problem>());
      }}});
}
