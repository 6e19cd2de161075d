// SPDX-License-Identifier: Apache-2.0
#include "cli/listed_selectors.hpp"

#include <utility>

#include "cli/tune_summary.hpp"

namespace mlmq::cli {

const char* listed_selector::state() const {
  if (!installed.about) return "damaged";
  return is_used ? "used" : "not used";
}

std::vector<listed_selector> list_selectors() {
  std::vector<listed_selector> result;
  for (selector::installed_selector& installed : selector::installed_selectors()) {
    listed_selector& listed = result.emplace_back();
    if (installed.about) {
      const auto used = selector::installed_file(installed.about->device, installed.about->problem);
      listed.is_used = used && *used == installed.file;
    }
    listed.installed = std::move(installed);
  }
  return result;
}

json_document selectors_document(const std::vector<listed_selector>& selectors) {
  json_document result = json_document::array();
  for (const listed_selector& listed : selectors) {
    json_document entry{
        {"device", nullptr}, {"problem", nullptr}, {"made", nullptr}, {"graphs", nullptr}, {"strategies", nullptr}};
    if (listed.installed.about) {
      entry["device"] = listed.installed.about->device;
      entry["problem"] = listed.installed.about->problem;
      entry["made"] = listed.installed.about->creation_day;
      entry["graphs"] = listed.installed.about->workloads;
      entry["strategies"] = scores_document(listed.installed.about->evaluation.strategies);
    }
    entry["for"] = listed.installed.place == selector::install_place::user ? "user" : "system";
    entry["state"] = listed.state();
    if (!listed.installed.damage.empty()) entry["damage"] = listed.installed.damage;
    entry["file"] = listed.installed.file.string();
    result.push_back(std::move(entry));
  }
  return result;
}

}  // namespace mlmq::cli
