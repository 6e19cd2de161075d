// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/search.hpp"

#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/searches/search.hpp"
#include "backends/kernel_sources.hpp"
#include "backends/registry.hpp"
#include "base/hash.hpp"
#include "graph/check.hpp"
#include "problems/graphs/counters.hpp"
#include "problems/graphs/device_features.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/graphs/resident_graph.hpp"
#include "problems/graphs/sources.hpp"
#include "problems/shortest_paths/checks/answer_check.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/reduced_search.hpp"
#include "problems/shortest_paths/resident_search.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::problems {
namespace {

class search_instance final : public graph_instance {
 public:
  search_instance(backends::backend& device, const graph::csr_graph& graph, const std::string& name, search_kind kind,
                  ring_limits limits, row_store* store, std::shared_ptr<graph::lazily_reduced_graphs> reductions)
      : device_(device),
        name_(name),
        kind_(kind),
        limits_(limits),
        reductions_(reductions == nullptr ? std::make_shared<graph::lazily_reduced_graphs>() : std::move(reductions)),
        whole_(device, graph, name, kind, limits, store),
        check_(device, graph, distances(), answer_check::best_place(device.info())) {}

  [[nodiscard]] backends::kernel_source variant(const tuner::configuration& chosen,
                                                tuner::instrumentation mode) const override {
    require_reducible(chosen, kind_);
    const auto extent = reduction_of(chosen);
    return extent ? reduced_by(*extent).core().variant(chosen, mode) : whole_.variant(chosen, mode);
  }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const auto extent = reduction_of(chosen);
    prepared_ = extent ? &reduced_by(*extent) : nullptr;
    (prepared_ == nullptr ? whole_ : prepared_->core()).prepare(chosen, std::move(compiled), mode);
  }

  /// Returns nothing for processors, which read the graph in host memory, and for weights of 8 bytes, which the kernel
  /// does not support.
  [[nodiscard]] std::optional<device_features> features() override {
    if (!device_.info().grid || graph().weights() == graph::weight_type::float64) return std::nullopt;
    return find_features(device_, graph(), whole_.on_device(), kind_ == search_kind::bfs);
  }

  [[nodiscard]] const graph::csr_graph& core_by(graph::reduction_extent extent) override {
    return reduced_by(extent).core().graph();
  }

  [[nodiscard]] tuner::run_report run(const tuner::query& query, double time_limit_ms) override {
    return run_from(source_of(graph(), query, name_), time_limit_ms);
  }

  [[nodiscard]] tuner::run_report run_from(graph::vertex_id source, double time_limit_ms) override {
    return run_from(source, time_limit_ms, {}).first;
  }

  [[nodiscard]] std::pair<tuner::run_report, bool> run_from(graph::vertex_id source, double time_limit_ms,
                                                            std::span<std::byte> destination) override {
    source_ = source;
    if (distances().bytes() == 0) {
      distances() = device_.allocate(resident_graph::distance_bytes(graph()), "the distances of " + name_);
    }
    if (prepared_ != nullptr) return prepared_->run(source, time_limit_ms, distances(), destination);
    const graph::seed_vertex seed{.vertex = source, .distance = 0};
    return whole_.run(std::span(&seed, 1), time_limit_ms, {.destination = destination});
  }

  [[nodiscard]] std::string check() override { return check_(source_); }

  [[nodiscard]] std::string beyond_range() override {
    return check_.has_saturated() ? name_ + ": " + graph::saturated_message(graph().weights()) : "";
  }

  [[nodiscard]] graph::distance_array all_distances() override { return check_.download(); }

  [[nodiscard]] const backends::device_memory& device_distances() const override { return distances(); }
  [[nodiscard]] backends::device_memory take_distances(backends::device_memory spare) override {
    return std::exchange(distances(), std::move(spare));
  }

 private:
  [[nodiscard]] const graph::csr_graph& graph() const { return whole_.graph(); }
  [[nodiscard]] backends::device_memory& distances() { return whole_.on_device().distances; }
  [[nodiscard]] const backends::device_memory& distances() const { return whole_.on_device().distances; }

  /// Returns the search of the reduced graph, which the first call makes.
  [[nodiscard]] reduced_search& reduced_by(graph::reduction_extent extent) const {
    std::unique_ptr<reduced_search>& search = reduced_[extent];
    if (search == nullptr) {
      search =
          std::make_unique<reduced_search>(device_, graph(), whole_.on_device(), name_, extent, *reductions_, limits_);
    }
    return *search;
  }

  backends::backend& device_;
  std::string name_;
  search_kind kind_;
  ring_limits limits_;
  std::shared_ptr<graph::lazily_reduced_graphs> reductions_;
  resident_search whole_;
  mutable std::map<graph::reduction_extent, std::unique_ptr<reduced_search>> reduced_;
  reduced_search* prepared_ = nullptr;  ///< of the present configuration, if it reduces the graph

  graph::vertex_id source_ = 0;
  answer_check check_;
};

}  // namespace

std::string_view name_of(search_kind kind) { return kind == search_kind::sssp ? "sssp" : "bfs"; }

std::span<const tuner::parameter_declaration> search::declarations() const { return search_declarations(); }
std::span<const tuner::preset> search::presets() const { return search_presets(); }

std::string search::source_hash(const tuner::configuration& chosen) const {
  const bool on_processors = is_cpu_solver(solver_of(chosen));
  if (on_processors) return std::string(cpu::solver_source_hash());
  const auto hash_of = [this](const std::string& file) {
    std::string& hash = source_hashes_[file];
    if (hash.empty()) hash = backends::kernel_sources::load(backends::kernel_folder(), file).code_hash();
    return hash;
  };
  const std::string hash = hash_of(solver_file(solver_of(chosen), kind_));
  if (!reduction_of(chosen)) return hash;
  content_hash combined;
  combined.add(hash).add(hash_of("fill_in.cu")).add(hash_of("reduce_graph.cu"));
  return combined.hex();
}

std::string search::unfit_reason(const tuner::configuration& chosen, const backends::device_info& device) const {
  const std::string name = solver_of(chosen);
  try {
    require_fit(name, device);
    require_kind(name, kind_);
    require_reducible(chosen, kind_);
    if (!device.grid) return "";
    const unsigned threads = tuner::parameter_values(search_declarations(), chosen).whole("threads");
    std::string reason = backends::unfit_block_reason(threads, device);
    const auto require_grid = solver_named(name).require_grid;
    if (reason.empty() && require_grid != nullptr) require_grid(chosen, device);
    return reason;
  } catch (const backends::launch_error& error) {
    return error.what();
  }
}

const tuner::workload_kind& search::workloads() const { return graph_kind(); }

std::span<const tuner::named_meaning> search::query_settings() const { return source_settings(); }

std::span<const tuner::named_meaning> search::counters() const { return counter_meanings(); }

std::uint64_t search::count_queries(const tuner::query_rules& rules) const {
  const std::vector<source_rule> source_rules = source_rules_of(rules);
  return std::accumulate(source_rules.begin(), source_rules.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const source_rule& rule) { return sum + rule.count; });
}

std::vector<tuner::query> search::choose_queries(const tuner::workload& workload,
                                                 const tuner::query_rules& rules) const {
  const graph::csr_graph& graph = graph_of(workload);
  std::vector<tuner::query> queries;
  for (const graph::vertex_id source : choose_sources(graph, source_rules_of(rules), workload.record.name)) {
    queries.push_back(query_of(graph, source));
  }
  return queries;
}

std::unique_ptr<tuner::problem_instance> search::load(backends::backend& device,
                                                      const tuner::workload& workload) const {
  return load_graph(device, graph_of(workload), workload.record.name);
}

std::unique_ptr<graph_instance> search::load_graph(backends::backend& device, const graph::csr_graph& graph,
                                                   const std::string& graph_name, row_store* store,
                                                   std::shared_ptr<graph::lazily_reduced_graphs> reductions) const {
  return std::make_unique<search_instance>(device, kind_ == search_kind::bfs ? graph::with_unit_weights(graph) : graph,
                                           graph_name, kind_, limits_, store, std::move(reductions));
}

}  // namespace mlmq::problems
