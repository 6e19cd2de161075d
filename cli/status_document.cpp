// SPDX-License-Identifier: Apache-2.0
#include "cli/status_document.hpp"

#include "cli/record_options.hpp"

namespace mlmq::cli {
namespace {

json_document experiment_document(const db::experiment_status& status) {
  json_document result{{"name", status.experiment.name},
                       {"trials", status.counts.total},
                       {"done", status.counts.done},
                       {"running", status.counts.running},
                       {"pending", status.counts.pending}};
  result["outcomes"] = json_document::object();
  for (const auto& [outcome, count] : status.counts.outcomes) result["outcomes"][db::to_string(outcome)] = count;
  if (status.seconds_left) result["seconds_left"] = *status.seconds_left;
  result["devices"] = json_document::array();
  for (const db::device_progress& device : status.counts.devices) {
    result["devices"].push_back({{"name", device.name},
                                 {"kind", device.kind},
                                 {"trials", device.total},
                                 {"done", device.done},
                                 {"ok", device.ok},
                                 {"compile_s", device.compile_s},
                                 {"upload_s", device.upload_s},
                                 {"measure_s", device.measure_s},
                                 {"check_s", device.check_s}});
  }
  return result;
}

}  // namespace

json_document best_document(const db::best_result& best) {
  json_document result{
      {"problem", best.problem},     {"workload", best.workload}, {"class", best.workload_class},
      {"query", best.query},         {"device", best.device},     {"configuration", best.label},
      {"median_ms", best.median_ms}, {"spread", best.spread},     {"configurations_ok", best.candidates}};
  for (const auto& [name, value] : best.metrics) result["metrics"][name] = value;
  if (!best.criterion.is_time()) result["best_by"] = best.criterion.name;
  if (!best.rate_unit.empty()) {
    result["rate"] = best.rate;
    result["rate_unit"] = best.rate_unit;
  }
  return result;
}

json_document status_document(const db::status& state) {
  json_document result = begin_document("db-status");
  result["database"] = state.file;
  result["other_code"] = other_code_document(state.hidden);
  for (const char* list : {"experiments", "running", "failures", "best", "winners"})
    result[list] = json_document::array();
  for (const db::experiment_status& experiment : state.experiments)
    result["experiments"].push_back(experiment_document(experiment));
  for (const db::running_trial& trial : state.running) {
    result["running"].push_back({{"worker", trial.worker},
                                 {"workload", trial.workload},
                                 {"query", trial.query},
                                 {"configuration", trial.label},
                                 {"seconds", trial.seconds}});
  }
  for (const db::failure_count& failure : state.failures) {
    result["failures"].push_back({{"outcome", db::to_string(failure.result)},
                                  {"message", failure.message},
                                  {"count", failure.count},
                                  {"example", failure.example}});
  }
  for (const db::best_result& best : state.best) result["best"].push_back(best_document(best));
  for (const db::final_winner& winner : state.winners) {
    result["winners"].push_back({{"workload", winner.workload},
                                 {"query", winner.query},
                                 {"device", winner.device},
                                 {"configuration", winner.label},
                                 {"median_ms", winner.median_ms},
                                 {"first_median_ms", winner.first_median_ms},
                                 {"lead", winner.lead}});
  }
  return result;
}

}  // namespace mlmq::cli
