// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/multi_source_problem.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/multi_source/queries.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::multi_source {

std::string multi_source_problem::name() const { return fmt::format("{}_{}", name_of(kind_), declared_.name); }

const tuner::workload_kind& multi_source_problem::workloads() const { return problems::graph_kind(); }

std::uint64_t multi_source_problem::count_queries(const tuner::query_rules& rules) const {
  return multi_source::count_queries(rules, declared_.query_settings);
}

std::vector<tuner::query> multi_source_problem::choose_queries(const tuner::workload& workload,
                                                               const tuner::query_rules& rules) const {
  if (problems::graph_of(workload).vertex_count() == 0) {
    throw input_error(workload.record.name + ": the graph has no vertices, so no search can begin");
  }
  return queries_of(rules, declared_.query_settings);
}

std::string multi_source_problem::source_hash(const tuner::configuration& chosen) const {
  const std::string solver = tuner::parameter_values(declared_.parameters, chosen).text("solver");
  static std::mutex guard;
  static std::map<std::pair<std::string, std::string>, std::string> hashes;  // by problem and solver
  const std::lock_guard lock(guard);
  std::string& hash = hashes[{declared_.name, solver}];
  if (hash.empty()) hash = code_hash(solver);
  return hash;
}

}  // namespace mlmq::multi_source
