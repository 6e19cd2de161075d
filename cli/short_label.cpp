// SPDX-License-Identifier: Apache-2.0
#include "cli/short_label.hpp"

#include "base/error.hpp"
#include "problems/registry.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::cli {

std::string short_label(const std::string& label) {
  // Both problems have the same parameters, those of --config.
  static const auto parameters =
      tuner::parameter_set::from_declarations(problems::make_problem("sssp")->declarations());
  try {
    const tuner::configuration known = parameters.parse_label(label);
    // A label of another version may lack a parameter, which is not to be taken for its default.
    return known.label() == label ? parameters.short_label(known) : label;
  } catch (const input_error&) {
    return label;
  }
}

}  // namespace mlmq::cli
