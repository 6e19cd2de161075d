// SPDX-License-Identifier: Apache-2.0
// What problems have in common whose queries are sets of sources in one graph.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "problems/shortest_paths/search.hpp"
#include "tuner/problem.hpp"

namespace mlmq::multi_source {

/// The declarations of such a problem, which must outlive it.
struct problem_declarations {
  const char* name;  ///< the part behind "sssp_" or "bfs_"
  std::span<const tuner::parameter_declaration> parameters;
  std::span<const tuner::named_meaning> query_settings;
  std::span<const tuner::named_meaning> counters;
};

class multi_source_problem : public tuner::problem {
 public:
  multi_source_problem(problems::search_kind kind, const problem_declarations& declared)
      : kind_(kind), declared_(declared) {}

  [[nodiscard]] std::string name() const final;
  [[nodiscard]] const tuner::workload_kind& workloads() const final;
  [[nodiscard]] std::span<const tuner::parameter_declaration> declarations() const final {
    return declared_.parameters;
  }
  [[nodiscard]] std::span<const tuner::named_meaning> query_settings() const final { return declared_.query_settings; }
  [[nodiscard]] std::span<const tuner::named_meaning> counters() const final { return declared_.counters; }
  [[nodiscard]] std::string rate_counter() const final { return "searches"; }
  [[nodiscard]] tuner::work_ratio work() const final { return {"pops", "m", "pops/vertex"}; }
  [[nodiscard]] std::uint64_t count_queries(const tuner::query_rules& rules) const final;
  [[nodiscard]] std::vector<tuner::query> choose_queries(const tuner::workload& workload,
                                                         const tuner::query_rules& rules) const final;
  [[nodiscard]] std::string source_hash(const tuner::configuration& chosen) const final;

 protected:
  [[nodiscard]] problems::search_kind kind() const { return kind_; }
  /// Returns the hash of the source code of a solver.
  [[nodiscard]] virtual std::string code_hash(const std::string& solver) const = 0;

 private:
  problems::search_kind kind_;
  problem_declarations declared_;
};

}  // namespace mlmq::multi_source
