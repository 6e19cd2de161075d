// SPDX-License-Identifier: Apache-2.0
#include "drawn_parameters.hpp"

#include <stdexcept>

#include "problems/shortest_paths/parameters.hpp"
#include "sssp_test.hpp"

namespace mlmq::problems::tests {

const std::map<std::string, std::vector<std::string>>& drawn_values() {
  static const std::map<std::string, std::vector<std::string>> choices = {
      {"l0_depth", {"1", "2", "5"}},
      {"l0_spill", {"warp", "full"}},
      {"l2_reader", {"dispatcher"}},  // test_sssp_answers.cpp has the other one, which excludes some values
      {"l1_sharing", {"warp", "block"}},
      {"l1_capacity", {"64", "128", "512"}},
      {"l1_batch", {"1", "9", "32"}},
      {"l1_spill", {"everything", "worst"}},
      {"wb", {"0", "1", "7"}},
      {"l1_delta", {"0.05", "4", "1000000"}},
      {"nf", {"0.5", "4", "1000000"}},
      {"bmax", {"8", "16", "32"}},
      {"bnum", {"1", "2", "5"}},
      {"idle_buckets", {"0", "3"}},
      {"delta", {"0.05", "1", "8", "1000000"}},
      {"delta_mode", {"fixed", "adaptive"}},
      {"pnum", {"2", "4", "7"}},
      {"l2_batch", {"1", "5", "32"}},
      {"l2_share", {"0", "1", "5"}},
      {"heavy_degree", {"1", "8", "1073741824"}},
      {"split_degree", {"0", "1", "20"}},
      {"dispatcher_pause", {"0", "50", "400"}},
      {"ell_width", {"0", "2", "4", "8", "16"}},
      {"ell_overflow", {"at_once", "queued"}},
      {"read_first", {"true", "false"}},
      {"prefetch", {"false", "true"}},
      {"threads", {"64", "128", "256"}},
      {"blocks_per_multiprocessor", {"0", "1"}},
      {"reduction", {"none"}},  // counts are compared with the whole graph; test_reduced_search.cpp has the others
  };
  return choices;
}

const tuner::parameter_declaration& declaration_of(const std::string& name) {
  for (const tuner::parameter_declaration& declared : problems::search_declarations()) {
    if (declared.name == name) return declared;
  }
  throw std::logic_error("no parameter '" + name + "'");
}

std::string draw(std::string label, tuner::binding bind, random_stream& random) {
  const auto parameters = tuner::parameter_set::from_declarations(problems::search_declarations());
  for (const tuner::parameter_declaration& declared : problems::search_declarations()) {
    const std::string& name = declared.name;
    if (declared.bind != bind || name == "solver" || name == "l0" || name == "l1" || name == "l2") continue;
    if (("," + label).find("," + name + "=") != std::string::npos) continue;
    // The values drawn so far may activate further parameters.
    if (!parameters.is_active(name, configuration_of(label))) continue;
    const std::vector<std::string>& values = drawn_values().at(name);
    label += "," + name + "=" + values[random.below_by_division(values.size())];
  }
  return label;
}

}  // namespace mlmq::problems::tests
