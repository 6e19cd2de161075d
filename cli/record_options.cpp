// SPDX-License-Identifier: Apache-2.0
#include "cli/record_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "cli/file_roles.hpp"
#include "cli/print_text.hpp"
#include "db/query.hpp"
#include "problems/registry.hpp"

namespace mlmq::cli {
namespace {

/// Returns the distinct values of a query with one column.
std::set<std::string> values_of(const std::string& database, const std::string& sql) {
  std::set<std::string> values;
  for (const auto& row : db::run_query(std::filesystem::path(database), sql).rows) values.insert(row.front().text);
  return values;
}

}  // namespace

void code_option::add_to(CLI::App& command) {
  command
      .add_option("--code", code,
                  "kernel code of the trials: newest (without code that newer code has replaced on the same device), "
                  "all, or a prefix of a kernel_source_hash")
      ->capture_default_str();
  takes_no_files(command, {"--code"});
}

void note_hidden_trials(const db::hidden_trials& hidden) {
  const std::string text = db::hidden_trials_text(hidden);
  if (!text.empty()) print_note("{}; --code all includes them", text);
}

json_document other_code_document(const db::hidden_trials& hidden) {
  return {{"trials", hidden.count}, {"versions", hidden.versions}};
}

std::string recorded_problem(const std::vector<std::string>& databases, const std::string& requested) {
  if (!requested.empty()) return requested;
  std::set<std::string> recorded_problems;
  for (const std::string& database : databases) {
    recorded_problems.merge(values_of(database,
                                      "SELECT DISTINCT problem FROM configuration WHERE id IN "
                                      "(SELECT configuration FROM trial WHERE outcome IS NOT NULL)"));
  }
  if (recorded_problems.size() == 1) return *recorded_problems.begin();
  throw input_error(recorded_problems.empty()
                        ? fmt::format("no finished trials in {}", fmt::join(databases, ", "))
                        : fmt::format("finished trials of several problems: {}; choose one with --problem",
                                      fmt::join(recorded_problems, ", ")));
}

std::string problem_of_workloads(const std::string& database, const std::string& requested) {
  if (!requested.empty()) return requested;
  const std::set<std::string> kinds = values_of(database, "SELECT DISTINCT kind FROM workload");
  if (kinds.empty()) throw input_error(database + ": no recorded workloads");
  if (kinds.size() > 1) {
    throw input_error(fmt::format("{}: workloads of several kinds: {}; choose a problem with --problem", database,
                                  fmt::join(kinds, ", ")));
  }
  for (const problems::problem_entry& entry : problems::all_problems()) {
    if (entry.make()->workloads().name() == *kinds.begin()) return entry.name;
  }
  throw input_error(fmt::format("{}: no problem has workloads of the kind '{}'", database, *kinds.begin()));
}

}  // namespace mlmq::cli
