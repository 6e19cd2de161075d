// SPDX-License-Identifier: Apache-2.0
#include "cli/listed_selectors.hpp"

#include <utility>

#include "cli/tune_document.hpp"

namespace mlmq::cli {

const char* listed_selector::state() const {
  if (!found.about) return "damaged";
  return is_used ? "used" : "not used";
}

std::vector<listed_selector> list_selectors() {
  std::vector<listed_selector> all;
  for (selector::installed_selector& one : selector::installed_selectors()) {
    listed_selector& listed = all.emplace_back();
    if (one.about) {
      const auto used = selector::installed_file(one.about->device, one.about->problem);
      listed.is_used = used && *used == one.file;
    }
    listed.found = std::move(one);
  }
  return all;
}

json_document selectors_document(const std::vector<listed_selector>& all) {
  json_document result = json_document::array();
  for (const listed_selector& one : all) {
    json_document entry{
        {"device", nullptr}, {"problem", nullptr}, {"made", nullptr}, {"graphs", nullptr}, {"strategies", nullptr}};
    if (one.found.about) {
      entry["device"] = one.found.about->device;
      entry["problem"] = one.found.about->problem;
      entry["made"] = one.found.about->made;
      entry["graphs"] = one.found.about->workloads;
      entry["strategies"] = scores_document(one.found.about->evaluation.ways);
    }
    entry["for"] = one.found.place == selector::install_place::user ? "user" : "system";
    entry["state"] = one.state();
    if (!one.found.damage.empty()) entry["damage"] = one.found.damage;
    entry["file"] = one.found.file.string();
    result.push_back(std::move(entry));
  }
  return result;
}

}  // namespace mlmq::cli
