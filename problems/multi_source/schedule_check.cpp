// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/schedule_check.hpp"

#include "problems/instance_check.hpp"
#include "problems/multi_source/batch.hpp"

namespace mlmq::multi_source {
namespace {

/// One full group and a partial one.
constexpr const char* checked_searches = "35";
constexpr double checked_time_limit_ms = 20;

}  // namespace

std::vector<std::string> checked_subjects() { return problems::names_of(checked_configurations()); }

problems::check_report run_schedule_check(const problems::check_request& request,
                                          const problems::check_observer& progress) {
  const search_problem problem(problems::search_kind::sssp);
  const tuner::query_rule rule{.settings = {{.name = "sources", .values = {checked_searches}, .place = {}}}};
  return problems::check_instances({.problem = problem,
                                    .configurations = checked_configurations(),
                                    .queries = {rule},
                                    .time_limit_ms = checked_time_limit_ms},
                                   request, progress);
}

}  // namespace mlmq::multi_source
