// SPDX-License-Identifier: Apache-2.0
#include "cli/recorded_problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "db/query.hpp"
#include "problems/registry.hpp"

namespace mlmq::cli {
namespace {

/// The one column that a question gives, sorted, each value once.
std::set<std::string> values_of(const std::string& database, const std::string& sql) {
  std::set<std::string> values;
  for (const auto& row : db::run_query(std::filesystem::path(database), sql).rows) values.insert(row.front().text);
  return values;
}

}  // namespace

std::string recorded_problem(const std::vector<std::string>& databases, const std::string& asked) {
  if (!asked.empty()) return asked;
  std::set<std::string> found;
  for (const std::string& database : databases) {
    found.merge(values_of(database,
                          "SELECT DISTINCT problem FROM configuration WHERE id IN "
                          "(SELECT configuration FROM trial WHERE outcome IS NOT NULL)"));
  }
  if (found.size() == 1) return *found.begin();
  throw input_error(found.empty() ? fmt::format("no finished trials in {}", fmt::join(databases, ", "))
                                  : fmt::format("finished trials of several problems: {}; choose one with --problem",
                                                fmt::join(found, ", ")));
}

std::string problem_of_workloads(const std::string& database, const std::string& asked) {
  if (!asked.empty()) return asked;
  const std::set<std::string> kinds = values_of(database, "SELECT DISTINCT kind FROM workload");
  if (kinds.empty()) throw input_error(database + ": no workloads on record");
  if (kinds.size() > 1) {
    throw input_error(fmt::format("{}: workloads of several kinds: {}; choose a problem that takes them with --problem",
                                  database, fmt::join(kinds, ", ")));
  }
  for (const problems::problem_entry& one : problems::all_problems()) {
    if (one.make()->workloads().name() == *kinds.begin()) return one.name;
  }
  throw input_error(fmt::format("{}: no problem takes workloads of the kind '{}'", database, *kinds.begin()));
}

const tuner::workload_features& features_of_problem(const std::string& problem) {
  const problems::problem_entry* const known = problems::known_problem(problem);
  return known == nullptr ? tuner::unnamed_features() : known->make()->workloads().features();
}

}  // namespace mlmq::cli
