// SPDX-License-Identifier: Apache-2.0
// The registry of all problems of this program, by name. Each problem's folder registers its own problems.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/registration.hpp"
#include "db/export.hpp"
#include "db/status.hpp"
#include "problems/recommendation_hook.hpp"
#include "problems/solve_hook.hpp"
#include "tuner/comparison_rules.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/problem.hpp"
#include "tuner/workload_features.hpp"

namespace mlmq::selector {
struct rule_of_thumb;
}

namespace mlmq::problems {

/// A registered problem.
struct problem_entry {
  std::string name;         ///< problem::name()
  std::string description;  ///< one line for the user
  std::unique_ptr<tuner::problem> (*make)() = nullptr;
  /// Makes a problem that the experiment file itself defines, with the key `kernel`; null: files must not have the key.
  /// The problem's name() is the name of this entry, a colon, and a name of the definition.
  std::unique_ptr<tuner::problem> (*make_defined)(const tuner::experiment_file&) = nullptr;
  /// Writes code that launches the fastest configurations, for programs of users; null: there are no such launches.
  /// @param best  results of any problem
  std::vector<db::exported_file> (*launch_files)(const tuner::experiment_file&,
                                                 std::span<const db::best_result> best) = nullptr;
  /// Returns a first experiment file for a source; null: the problem has no sources of users.
  /// @param folder  of the experiment file
  std::string (*first_experiment)(const std::filesystem::path& source, const std::filesystem::path& folder) = nullptr;
  /// Baseline for selectors, in addition to the best fixed configuration; null: none.
  std::vector<const selector::rule_of_thumb*> rules = {};
  /// Rules for comparisons; the defaults suit any problem.
  tuner::comparison_rules comparison = {};
  /// Functions for `mlmq solve`, with static storage; null: it solves the problem in another way, or not at all.
  const solve_hook* solve = nullptr;
  /// Functions for recommend() (recommendation.hpp), with static storage; null: it recommends the defaults, unless a
  /// selector is installed.
  const recommendation_hook* recommendation = nullptr;

  static constexpr const char* duplicate = "two problems are named";
  [[nodiscard]] const std::string& key() const { return name; }
  [[nodiscard]] bool precedes(const problem_entry& other) const { return name < other.name; }
};

/// Registers problems for its lifetime. A library made by mlmq_add_problem(NAME …) has an object of static storage with
/// external linkage named mlmq_registers_NAME, by which the linker keeps it.
using problem_registration = registration<problem_entry>;

/// Returns all problems, sorted by name. @throws work_error if two have the same name, with the files of both
[[nodiscard]] inline const std::vector<problem_entry>& all_problems() { return problem_registration::entries(); }

/// Returns the problem of a name; null for an unknown name, such as that of a recorded problem of another program. The
/// name may be that of a problem that an experiment file defined.
/// @throws work_error like all_problems()
[[nodiscard]] const problem_entry* known_problem(std::string_view name);

/// Returns the problem of a name. @throws input_error for an unknown name, listing the known ones
[[nodiscard]] const problem_entry& find_problem(const std::string& name);

/// Makes the problem of a name. @throws input_error like find_problem()
[[nodiscard]] std::unique_ptr<tuner::problem> make_problem(const std::string& name);

/// Makes the problem of an experiment file. @throws input_error like find_problem(), and for an invalid definition
[[nodiscard]] std::unique_ptr<tuner::problem> problem_of(const tuner::experiment_file& experiment);

/// Returns the workload features of a problem, or unnamed_features() for an unknown problem.
/// @throws work_error like all_problems()
[[nodiscard]] const tuner::workload_features& features_of_problem(const std::string& problem);

}  // namespace mlmq::problems
