// SPDX-License-Identifier: Apache-2.0
#include "library/first_kernels.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "library/chooser.hpp"
#include "problems/betweenness/favourites.hpp"
#include "problems/betweenness/solver.hpp"
#include "problems/registry.hpp"
#include "problems/search_batches/favourites.hpp"
#include "problems/search_batches/solver.hpp"
#include "problems/shortest_paths/device_features.hpp"
#include "problems/shortest_paths/helper_kernels.hpp"
#include "problems/shortest_paths/level_rule.hpp"
#include "selector/shipped.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::detail {
namespace {

using backends::kernel_source;
using graph::weight_type;
using problems::search_kind;

/// Kind of search, and what its distances are.
constexpr std::array searches{
    std::pair(search_kind::sssp, weight_type::uint32), std::pair(search_kind::sssp, weight_type::float32),
    std::pair(search_kind::sssp, weight_type::float64), std::pair(search_kind::bfs, weight_type::uint32)};

class kernel_list {
 public:
  void add(kernel_source one) {
    if (known_.emplace(one.file, one.entry, one.block_threads, one.defines).second) all_.push_back(std::move(one));
  }
  [[nodiscard]] std::vector<kernel_source> take() { return std::move(all_); }

 private:
  std::set<std::tuple<std::string, std::string, unsigned, std::map<std::string, std::string>>> known_;
  std::vector<kernel_source> all_;
};

/// A GPU as far as kernels depend on it before they are compiled.
backends::device_info any_gpu() {
  backends::device_info gpu;
  gpu.warp_slots = 48;  // of the least that is sold
  gpu.multiprocessors = 1;
  return gpu;
}

tuner::parameter_set parameters_of(const char* problem) {
  const auto made = problems::make_problem(problem);
  return tuner::parameter_set::from_declarations(made->declarations(), made->presets());
}

void add_searches(kernel_list& to) {
  const tuner::parameter_set parameters = parameters_of("sssp");
  std::vector<std::string> labels{"", wide_default};
  for (std::size_t i = 0; i < selector::shipped_candidate_count(); ++i) labels.emplace_back(selector::shipped_label(i));
  labels.insert(labels.end(), problems::level_searches.begin(), problems::level_searches.end());
  for (const std::string& label : labels) {
    const tuner::configuration chosen = parameters.parse_label(label);
    const std::string solver = problems::solver_of(chosen);
    if (problems::is_cpu_solver(solver)) continue;
    for (const auto& [kind, weights] : searches) {
      if (!problems::can_hold(solver, weights)) continue;
      if (kind != search_kind::bfs && problems::needs_unit_weights(solver)) continue;
      to.add(problems::solver_variant(chosen, {.kind = kind, .weights = weights}));
    }
  }
}

void add_helpers(kernel_list& to) {
  for (const weight_type weights : {weight_type::uint32, weight_type::float32}) {
    to.add(problems::features_variant(weights, false, any_gpu()));
  }
  for (const char* const name : problems::helper_kernels) to.add(problems::helper_variant(name, any_gpu()));
}

/// Graphs of each kind that favourites of batches and of betweenness tell apart.
struct graph_kind {
  double vertices;
  double edges;
  double largest_degree;

  [[nodiscard]] double feature(std::string_view name) const {
    return name == "m" ? vertices : name == "nnz" ? edges : largest_degree;
  }
};
constexpr std::array graph_kinds{graph_kind{1e6, 1.6e7, 1e5}, graph_kind{1e6, 6e6, 12}, graph_kind{1e6, 2.6e6, 6},
                                 graph_kind{1e5, 2.6e5, 6}, graph_kind{1e5, 2.2e5, 6}};

void add_batches(kernel_list& to) {
  const tuner::parameter_set parameters = parameters_of("sssp_batch");
  for (const graph_kind& graph : graph_kinds) {
    for (const std::size_t count : {std::size_t{0}, std::numeric_limits<std::size_t>::max()}) {
      const auto feature = [&](std::string_view name) { return graph.feature(name); };
      for (const problems::suggested_configuration& one : batches::favourites(feature, any_gpu(), count)) {
        const tuner::configuration chosen = parameters.parse_label(one.label);
        for (const auto& [kind, weights] : searches) {
          try {
            to.add(batches::kernel_variant(chosen, kind, weights, false));
          } catch (const backends::launch_error&) {
            // Some cannot hold some weights. The next favourite is taken then.
          }
        }
      }
    }
  }
}

void add_betweenness(kernel_list& to) {
  const tuner::parameter_set parameters = parameters_of("sssp_betweenness");
  for (const graph_kind& graph : graph_kinds) {
    const auto feature = [&](std::string_view name) { return graph.feature(name); };
    for (const problems::suggested_configuration& one : centrality::favourites(feature, any_gpu())) {
      for (const auto& [kind, weights] : searches) {
        if (weights == weight_type::float64) continue;
        to.add(centrality::kernel_variant(parameters.parse_label(one.label), kind, weights, false));
      }
    }
  }
}

}  // namespace

std::vector<kernel_source> first_kernels() {
  kernel_list all;
  add_searches(all);
  add_helpers(all);
  add_batches(all);
  add_betweenness(all);
  return all.take();
}

}  // namespace mlmq::detail
