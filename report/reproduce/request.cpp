// SPDX-License-Identifier: Apache-2.0
#include "report/reproduce/request.hpp"

#include <nlohmann/json.hpp>

namespace mlmq::reproduce {

figure_files files_of(const figure& figure, const std::filesystem::path& folder) {
  const std::string stem = figure.file_stem();
  return {.request = folder / (stem + ".json"),
          .svg = folder / (stem + ".svg"),
          .png = folder / (stem + ".png"),
          .csv = folder / (stem + ".csv"),
          .picks = folder / (stem + ".picks.csv")};
}

std::string to_json(const figure& figure, const plot_request& request) {
  nlohmann::ordered_json numbers = nlohmann::ordered_json::array();
  for (const paper_number& paper_value : figure.paper) {
    nlohmann::ordered_json number{{"measure", paper_value.measure}, {"what", paper_value.description}};
    if (paper_value.value) {
      number["value"] = *paper_value.value;
    } else {
      number["text"] = paper_value.text;
    }
    number["unit"] = paper_value.unit;
    number["where"] = paper_value.measured_on;
    numbers.push_back(std::move(number));
  }
  const nlohmann::ordered_json document{{"figure", figure.name},
                                        {"title", figure.title},
                                        {"problem", figure.problem},
                                        {"database", std::filesystem::absolute(request.database).string()},
                                        {"recorded", request.origin == data_origin::recorded},
                                        {"device", request.device},
                                        {"processors", request.processors},
                                        {"experiments", request.experiments},
                                        {"workloads", request.workloads},
                                        {"picks", request.picks.string()},
                                        {"incomplete", request.incomplete},
                                        {"width", request.width},
                                        {"stamp", request.stamp},
                                        {"paper", std::move(numbers)}};
  return document.dump(2) + "\n";
}

}  // namespace mlmq::reproduce
