// SPDX-License-Identifier: Apache-2.0
#include "library/first_kernels.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "library/path_sums.hpp"
#include "problems/betweenness/solver.hpp"
#include "problems/graphs/device_features.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/graphs/helper_kernels.hpp"
#include "problems/multi_source/device_weights.hpp"
#include "problems/multi_source/distance_reader.hpp"
#include "problems/multi_source/solver.hpp"
#include "problems/recommendation.hpp"
#include "problems/registry.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"

namespace mlmq::detail {
namespace {

using backends::kernel_source;
using graph::weight_type;
using problems::search_kind;

/// Kind of search and type of its distances.
constexpr std::array searches{
    std::pair(search_kind::sssp, weight_type::uint32), std::pair(search_kind::sssp, weight_type::float32),
    std::pair(search_kind::sssp, weight_type::float64), std::pair(search_kind::bfs, weight_type::uint32)};

class kernel_list {
 public:
  void add(kernel_source kernel) {
    if (seen_.emplace(kernel.file, kernel.entry, kernel.block_threads, kernel.defines).second)
      kernels_.push_back(std::move(kernel));
  }
  [[nodiscard]] std::vector<kernel_source> take() { return std::move(kernels_); }

 private:
  std::set<std::tuple<std::string, std::string, unsigned, std::map<std::string, std::string>>> seen_;
  std::vector<kernel_source> kernels_;
};

/// A GPU with the properties that kernels depend on before they are compiled.
backends::device_info any_gpu() {
  backends::device_info gpu;
  gpu.warp_slots = 48;  // minimum of all supported GPUs
  gpu.multiprocessors = 1;
  return gpu;
}

void add_helpers(kernel_list& list) {
  for (const weight_type weights : {weight_type::uint32, weight_type::float32}) {
    list.add(problems::features_variant(weights, false, any_gpu()));
  }
  for (const char* const name : problems::helper_kernels) list.add(problems::helper_variant(name, any_gpu()));
}

/// One graph of each kind that the rules for single-source, multi-source and betweenness searches distinguish.
struct graph_kind {
  double vertices;
  double edges;
  double largest_degree;
  double hops;
};
constexpr std::array graph_kinds{graph_kind{1e6, 1.6e7, 1e5, 6},  graph_kind{1e5, 1e6, 1e4, 5},
                                 graph_kind{1e4, 1e5, 1e3, 5},    graph_kind{1e6, 6e6, 12, 600},
                                 graph_kind{1e6, 2.6e6, 6, 1000}, graph_kind{1e5, 2.6e5, 6, 400},
                                 graph_kind{1e5, 2.2e5, 6, 600}};

std::shared_ptr<problems::graph_workload> workload_with(weight_type weights) {
  auto workload = std::make_shared<problems::graph_workload>();
  if (weights == weight_type::float32) workload->graph = graph::csr_graph({0}, {}, std::vector<float>());
  if (weights == weight_type::float64) workload->graph = graph::csr_graph({0}, {}, std::vector<double>());
  return workload;
}

/// Calls visit(configuration) for everything that is recommended for some graph with these weights when no selector is
/// installed. Configurations may repeat.
template <class Visit>
void visit_recommended(const std::string& problem, weight_type weights, const Visit& visit) {
  problems::recommender recommender(problems::find_problem(problem), any_gpu(),
                                    {.origin = problems::model_choice::source::shipped});
  const auto workload = workload_with(weights);
  for (const graph_kind& kind : graph_kinds) {
    problems::workload_facts facts{.name = "a graph", .loaded = workload.get()};
    for (const std::string_view name : recommender.features())
      facts.features.emplace(name, std::numeric_limits<double>::quiet_NaN());
    for (const auto& [name, value] : {std::pair("m", kind.vertices), std::pair("nnz", kind.edges),
                                      std::pair("max_nnz", kind.largest_degree), std::pair("hops", kind.hops)})
      facts.features.insert_or_assign(name, value);
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::numeric_limits<std::size_t>::max()}) {
      for (const auto& recommendation : recommender.recommend(facts, {.searches = count}))
        visit(recommendation.configuration);
    }
  }
}

void add_searches(kernel_list& list) {
  for (const auto& [kind, weights] : searches) {
    visit_recommended(std::string(problems::name_of(kind)), weights, [&](const tuner::configuration& configuration) {
      list.add(problems::solver_variant(configuration, {.kind = kind, .weights = weights}));
    });
  }
}

void add_multi_source_kernels(kernel_list& list) {
  for (const auto& [kind, weights] : searches) {
    visit_recommended(fmt::format("{}_batch", problems::name_of(kind)), weights,
                      [&](const tuner::configuration& configuration) {
                        try {
                          list.add(multi_source::kernel_variant(configuration, kind, weights, false));
                        } catch (const backends::launch_error&) {
                          // This configuration does not support these weights; the search would use the next one.
                        }
                      });
  }
  using multi_source::weight_use;
  const multi_source::weight_kernels kernels =
      multi_source::weight_kernels_for(any_gpu(), weight_use::needed_arcs, false);
  list.add(kernels.finder);
  list.add(kernels.writer);
  list.add(multi_source::weight_kernels_for(any_gpu(), weight_use::all_arcs, false).finder);
}

void add_reductions(kernel_list& list) {
  using enum reduction_kind;
  list.add(edge_place_variant());
  for (const weight_type type : {weight_type::uint32, weight_type::float32, weight_type::float64}) {
    list.add(multi_source::pair_variant(type));
    list.add(path_sum_variant(type));
    for (const reduction_kind kind :
         {binned_sums, exponential_sum, gaussian_sum, linear_sum, distance_sum, farthest, nearest})
      list.add(multi_source::reduction_variant(kind, type));
  }
}

void add_betweenness(kernel_list& list) {
  for (const auto& [kind, weights] : searches) {
    if (weights == weight_type::float64) continue;
    visit_recommended(fmt::format("{}_betweenness", problems::name_of(kind)), weights,
                      [&](const tuner::configuration& configuration) {
                        list.add(betweenness::kernel_variant(configuration, kind, weights, false));
                      });
  }
}

}  // namespace

std::vector<kernel_source> first_kernels() {
  kernel_list list;
  add_searches(list);
  add_helpers(list);
  add_multi_source_kernels(list);
  add_reductions(list);
  add_betweenness(list);
  return list.take();
}

std::vector<kernel_source> kernels_of(std::span<const tuner::configuration> configurations, search_kind kind,
                                      weight_type weights) {
  kernel_list list;
  for (const tuner::configuration& chosen : configurations) {
    const std::string solver = problems::solver_of(chosen);
    if (problems::is_cpu_solver(solver) || solver == "partitioned") continue;
    problems::require_weight_type(solver, weights);
    list.add(problems::solver_variant(chosen, {.kind = kind, .weights = weights}));
  }
  return list.take();
}

}  // namespace mlmq::detail
