// SPDX-License-Identifier: Apache-2.0
// All problems of this program, by name. Each problem's folder registers its own; nothing else names them.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/recommendation_hook.hpp"
#include "problems/solve_hook.hpp"
#include "tuner/comparison_rules.hpp"
#include "tuner/problem.hpp"

namespace mlmq::selector {
struct rule_of_thumb;
}

namespace mlmq::problems {

/// A problem as its folder registers it.
struct problem_entry {
  std::string name;         ///< what problem::name() says
  std::string description;  ///< one line for a person
  std::unique_ptr<tuner::problem> (*make)() = nullptr;
  /// What selectors are compared with besides the best fixed configuration; null: nothing.
  const selector::rule_of_thumb* rule = nullptr;
  /// What side-by-side runs ask of it; without, any problem can be compared.
  tuner::comparison_rules comparison = {};
  /// What `mlmq solve` does with it; null: it is solved in some other way, or not at all. Of static storage.
  const solve_hook* solve = nullptr;
  /// What recommend() (recommendation.hpp) asks of it; null: the defaults are recommended, unless a selector is installed.
  /// It has static storage.
  const recommendation_hook* recommendation = nullptr;
};

/// Registers problems for its lifetime. In a library made by mlmq_add_problem(NAME …) an object of static storage, with
/// external linkage under the name mlmq_registers_NAME, by which the linker finds it.
class problem_registration {
 public:
  /// @param registered_in the file of the caller, for messages
  problem_registration(std::initializer_list<problem_entry> entries, const char* registered_in = __builtin_FILE());
  problem_registration(const problem_registration&) = delete;
  problem_registration& operator=(const problem_registration&) = delete;
  ~problem_registration();

 private:
  std::vector<std::string> added_;
  bool refused_ = false;  ///< another problem has one of the names
};

/// By name. @throws work_error when two have one name, with the files of both
[[nodiscard]] const std::vector<problem_entry>& all_problems();

/// Null for an unknown name, such as that of a problem on record that another program has.
/// @throws work_error as all_problems()
[[nodiscard]] const problem_entry* known_problem(std::string_view name);

/// @throws input_error for an unknown name, listing the known ones
[[nodiscard]] const problem_entry& find_problem(const std::string& name);

/// @throws input_error as find_problem()
[[nodiscard]] std::unique_ptr<tuner::problem> make_problem(const std::string& name);

}  // namespace mlmq::problems
