// SPDX-License-Identifier: Apache-2.0
#include "cli/short_label.hpp"

#include <vector>

#include "base/error.hpp"
#include "problems/registry.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::cli {
namespace {

std::vector<tuner::parameter_set> all_parameters() {
  std::vector<tuner::parameter_set> all;
  for (const problems::problem_entry& one : problems::all_problems()) {
    const auto made = one.make();
    all.push_back(tuner::parameter_set::from_declarations(made->declarations(), made->presets()));
  }
  return all;
}

}  // namespace

std::string short_label(const std::string& label) {
  static const std::vector<tuner::parameter_set> parameters = all_parameters();
  for (const tuner::parameter_set& of_problem : parameters) {
    try {
      const tuner::configuration known = of_problem.parse_label(label);
      // A label of another version may lack a parameter, which is not to be taken for its default.
      if (known.label() == label) return of_problem.short_label(known);
    } catch (const input_error&) {
      continue;  // it is of another problem
    }
  }
  return label;
}

std::string chosen_by(const choice& made) {
  switch (made.by) {
    case choice::chooser::caller:
      return "";
    case choice::chooser::model:
      return " (chosen by " + made.reason.substr(0, made.reason.find(": ")) + ')';
    case choice::chooser::trial:
    case choice::chooser::times:
    case choice::chooser::standard:
    case choice::chooser::rule:
      break;
  }
  return " (" + made.reason + ')';
}

}  // namespace mlmq::cli
