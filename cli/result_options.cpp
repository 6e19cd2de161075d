// SPDX-License-Identifier: Apache-2.0
#include "cli/result_options.hpp"

#include <vector>

#include "base/error.hpp"
#include "problems/registry.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::cli {
namespace {

std::vector<tuner::parameter_set> all_parameters() {
  std::vector<tuner::parameter_set> result;
  for (const problems::problem_entry& entry : problems::all_problems()) {
    const auto problem = entry.make();
    result.push_back(tuner::parameter_set::from_declarations(problem->declarations(), problem->presets()));
  }
  return result;
}

}  // namespace

std::string short_label(const std::string& label, std::span<const std::string> varied) {
  static const std::vector<tuner::parameter_set> parameters = all_parameters();
  for (const tuner::parameter_set& of_problem : parameters) {
    try {
      const tuner::configuration configuration = of_problem.parse_label(label);
      // A label of another version may lack a parameter, whose value then need not be the default.
      if (configuration.label() == label) return of_problem.short_label(configuration, varied);
    } catch (const input_error&) {
      continue;  // the label belongs to another problem
    }
  }
  return label;
}

std::string chosen_by(const choice& decision) {
  switch (decision.chosen_by) {
    case choice::source::caller:
      return "";
    case choice::source::model:
      return " (chosen by " + decision.reason.substr(0, decision.reason.find(": ")) + ')';
    case choice::source::trial:
    case choice::source::times:
    case choice::source::standard:
    case choice::source::rule:
      break;
  }
  return " (" + decision.reason + ')';
}

}  // namespace mlmq::cli
