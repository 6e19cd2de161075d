// SPDX-License-Identifier: Apache-2.0
#include "reproduce/request.hpp"

#include <nlohmann/json.hpp>

namespace mlmq::reproduce {

figure_files files_of(const figure& what, const std::filesystem::path& folder) {
  const std::string stem = what.file_stem();
  return {.request = folder / (stem + ".json"),
          .svg = folder / (stem + ".svg"),
          .png = folder / (stem + ".png"),
          .csv = folder / (stem + ".csv"),
          .picks = folder / (stem + ".picks.csv")};
}

std::string to_json(const figure& what, const plot_request& request) {
  nlohmann::ordered_json numbers = nlohmann::ordered_json::array();
  for (const paper_number& one : what.paper) {
    nlohmann::ordered_json number{{"measure", one.measure}, {"what", one.what}};
    if (one.value) {
      number["value"] = *one.value;
    } else {
      number["text"] = one.text;
    }
    number["unit"] = one.unit;
    number["where"] = one.where;
    numbers.push_back(std::move(number));
  }
  const nlohmann::ordered_json all{{"figure", what.name},
                                   {"title", what.title},
                                   {"problem", what.problem},
                                   {"database", std::filesystem::absolute(request.database).string()},
                                   {"recorded", request.origin == data_origin::recorded},
                                   {"device", request.device},
                                   {"processors", request.processors},
                                   {"experiments", request.experiments},
                                   {"workloads", request.workloads},
                                   {"picks", request.picks.string()},
                                   {"incomplete", request.incomplete},
                                   {"paper", std::move(numbers)}};
  return all.dump(2) + "\n";
}

}  // namespace mlmq::reproduce
