// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_document.hpp"

#include <map>
#include <vector>

#include "cli/code_option.hpp"
#include "cli/sweep_summary.hpp"

namespace mlmq::cli {
namespace {

json_document outcomes_document(const std::map<db::outcome, std::size_t>& outcomes) {
  json_document result = json_document::object();
  for (const auto& [outcome, count] : outcomes) result[db::to_string(outcome)] = count;
  return result;
}

}  // namespace

json_document sweep_document(tuner::sweep& swept, const tuner::sweep_summary& summary, const std::string& database,
                             std::size_t retried) {
  const tuner::sweep_progress& progress = summary.progress;
  json_document result = begin_document("sweep");
  result["experiment"] = swept.experiment().name;
  result["problem"] = swept.experiment().problem;
  result["database"] = database;
  result["trials"] = progress.total;
  result["done"] = progress.done;
  result["failed"] = count_failed(summary.outcomes);
  result["outcomes"] = outcomes_document(summary.outcomes);
  result["this_run"] = {{"done", progress.measured},
                        {"failed", count_failed(progress.outcomes)},
                        {"outcomes", outcomes_document(progress.outcomes)},
                        {"retried", retried},
                        {"finals", progress.finals},
                        {"seconds", summary.total_ms / 1000}};
  result["running_elsewhere"] = summary.running_elsewhere;
  result["other_code"] = other_code_document(summary.other_code);
  result["interrupted"] = summary.interrupted;
  result["workers_lost"] = summary.workers_lost;
  result["devices"] = json_document::array();
  const std::vector<backends::device_info>& devices = swept.devices();
  for (std::size_t i = 0; i < summary.devices.size(); ++i) {
    result["devices"].push_back({{"name", devices.at(i).name},
                                 {"selector", summary.devices[i].selector},
                                 {"modelled", devices[i].modelled},
                                 {"seconds", summary.devices[i].times.wall / 1000}});
  }
  result["notes"] = summary.notes;
  return result;
}

}  // namespace mlmq::cli
