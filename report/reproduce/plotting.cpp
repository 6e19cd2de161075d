// SPDX-License-Identifier: Apache-2.0
#include "report/reproduce/plotting.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"

namespace mlmq::reproduce {
namespace {

constexpr std::chrono::minutes longest_drawing{10};

bool can_draw(const std::string& python) {
  try {
    return run_process({python, "-c", "import matplotlib, numpy"}, {.time = longest_drawing}).exit_code == 0;
  } catch (const work_error&) {
    return false;  // no such program
  }
}

}  // namespace

std::string find_python() {
  std::vector<std::string> candidates = {"/usr/bin/python3", "python3"};
  if (const char* const configured = std::getenv("MLMQ_PYTHON"); configured != nullptr && *configured != '\0')
    candidates = {configured};
  for (const std::string& candidate : candidates) {
    if (can_draw(candidate)) return candidate;
  }
  throw input_error(fmt::format(
      "no Python with numpy and matplotlib was found ({}); install python3-numpy and python3-matplotlib, or name one "
      "in "
      "MLMQ_PYTHON",
      candidates.size() == 1 ? "MLMQ_PYTHON is " + candidates.front() : "tried /usr/bin/python3 and python3"));
}

std::string run_script(const std::string& python, const std::filesystem::path& script,
                       const std::filesystem::path& request, const std::filesystem::path& modules) {
  // Python searches the folder of the script first.
  const char* const inherited = std::getenv("PYTHONPATH");
  const std::string path = modules.string() + (inherited == nullptr ? "" : fmt::format(":{}", inherited));
  const process_result result = run_process(
      {"env", "PYTHONPATH=" + path, python, "-B", script.string(), request.string()}, {.time = longest_drawing});
  if (result.timed_out) throw work_error(script.string() + ": was stopped after ten minutes");
  if (result.exit_code != 0) {
    constexpr int is_not_on_record = 3;
    const std::string message = result.output.substr(0, result.output.find_last_not_of('\n') + 1);
    if (result.exit_code == is_not_on_record) throw not_on_record(message);
    throw work_error(message.empty() ? fmt::format("{}: exit status {}", script.string(), result.exit_code) : message);
  }
  return result.output;
}

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
