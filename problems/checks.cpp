// SPDX-License-Identifier: Apache-2.0
#include "problems/checks.hpp"

namespace mlmq::problems {

std::vector<std::string> subjects_named(const check_entry& check, const std::string& name) {
  std::vector<std::string> matches;
  for (std::string& subject : check.subjects()) {
    if (name == check.name || subject == name || subject.starts_with(name + ":")) matches.push_back(std::move(subject));
  }
  return matches;
}

}  // namespace mlmq::problems
