// SPDX-License-Identifier: Apache-2.0
#include "cli/status_document.hpp"

#include "cli/code_option.hpp"

namespace mlmq::cli {
namespace {

json_document experiment_document(const db::experiment_status& one) {
  json_document result{{"name", one.experiment.name},
                       {"trials", one.counts.total},
                       {"done", one.counts.done},
                       {"running", one.counts.running},
                       {"pending", one.counts.pending}};
  result["outcomes"] = json_document::object();
  for (const auto& [outcome, count] : one.counts.outcomes) result["outcomes"][db::to_string(outcome)] = count;
  if (one.seconds_left) result["seconds_left"] = *one.seconds_left;
  result["devices"] = json_document::array();
  for (const db::device_status& device : one.devices) {
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

json_document best_document(const db::best_result& one) {
  json_document result{{"problem", one.problem},     {"workload", one.workload}, {"class", one.workload_class},
                       {"query", one.query},         {"device", one.device},     {"configuration", one.label},
                       {"median_ms", one.median_ms}, {"spread", one.spread},     {"configurations_ok", one.candidates}};
  if (!one.rate_unit.empty()) {
    result["rate"] = one.rate;
    result["rate_unit"] = one.rate_unit;
  }
  return result;
}

}  // namespace

json_document status_document(const db::status& state) {
  json_document result = begin_document("db-status");
  result["database"] = state.file;
  result["other_code"] = other_code_document(state.hidden);
  for (const char* list : {"experiments", "running", "failures", "best", "winners"}) result[list] = json_document::array();
  for (const db::experiment_status& one : state.experiments) result["experiments"].push_back(experiment_document(one));
  for (const db::running_trial& one : state.running) {
    result["running"].push_back({{"worker", one.worker},
                                 {"workload", one.workload},
                                 {"query", one.query},
                                 {"configuration", one.label},
                                 {"seconds", one.seconds}});
  }
  for (const db::failure_count& one : state.failures) {
    result["failures"].push_back({{"outcome", db::to_string(one.result)},
                                  {"message", one.message},
                                  {"count", one.count},
                                  {"example", one.example}});
  }
  for (const db::best_result& one : state.best) result["best"].push_back(best_document(one));
  for (const db::final_winner& one : state.winners) {
    result["winners"].push_back({{"workload", one.workload},
                                 {"query", one.query},
                                 {"device", one.device},
                                 {"configuration", one.label},
                                 {"median_ms", one.median_ms},
                                 {"first_median_ms", one.first_median_ms},
                                 {"lead", one.lead}});
  }
  return result;
}

}  // namespace mlmq::cli
