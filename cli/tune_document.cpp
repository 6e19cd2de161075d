// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_document.hpp"

#include "cli/status_document.hpp"

namespace mlmq::cli {
namespace {

const char* outcome_name(tune::install_outcome outcome) {
  switch (outcome) {
    case tune::install_outcome::installed:
      return "installed";
    case tune::install_outcome::kept:
      return "kept";
    case tune::install_outcome::overtaken:
      return "overtaken";
    case tune::install_outcome::written:
      break;
  }
  return "written";
}

/// Returns the name of the selector that `mlmq solve` uses from now on, or null if another command has changed it.
json_document used_name(const tune::tuned_selector& tuned, const tune::installation& done) {
  if (done.outcome == tune::install_outcome::overtaken) return nullptr;
  if (done.outcome == tune::install_outcome::installed && done.is_used) return selector_name(tuned);
  return tuned.current_name;
}

}  // namespace

json_document scores_document(const std::vector<selector::strategy_evaluation>& strategies) {
  json_document result = json_document::array();
  for (const selector::strategy_evaluation& strategy : strategies) {
    result.push_back({{"name", strategy.name},
                      {"mean_relative", strategy.mean_relative},
                      {"near_best", strategy.near_best},
                      {"worst", strategy.worst}});
  }
  return result;
}

json_document tune_document(const tune::tuned_selector& tuned, const selector::time_source& source,
                            const measured_amounts& amounts, const tune::installation& done,
                            const std::filesystem::path& folder) {
  json_document result = begin_document("tune");
  result["device"] = source.device_name;
  result["problem"] = source.problem;
  result["times"] = source.times;
  result["graphs"] = {{"given", amounts.graphs},
                      {"learned_from", tuned.graphs},
                      {"learned_from_record", tuned.recorded_graphs},
                      {"also_on_record", tuned.also_recorded},
                      {"left_out", amounts.left_out}};
  result["configurations"] = tuned.configurations;
  result["unfit"] = amounts.unfit;
  result["sampled"] = amounts.sampled;
  result["out_of_time"] = amounts.out_of_time;
  result["strategies"] = scores_document(tuned.strategies());
  result["best_fixed"] = tuned.best_fixed;
  result["best"] = json_document::array();
  for (const db::best_result& best : amounts.best) result["best"].push_back(best_document(best));
  result["made"] = {{"name", selector_name(tuned)}, {"learned_by", tuned.learned_by}};
  std::string reason = verdict_text(tuned, source.device_name, amounts, done);
  if (reason.ends_with('\n')) reason.pop_back();
  result["selector"] = {{"outcome", outcome_name(done.outcome)}, {"used", used_name(tuned, done)}, {"reason", reason}};
  if (!done.file.empty()) result["selector"]["file"] = done.file.string();
  result["files"] = {{"database", (folder / "results.sqlite").string()},
                     {"selector", (folder / selector::tuned_file_name).string()},
                     {"model", (folder / "model.json").string()},
                     {"header", (folder / "model.hpp").string()},
                     {"summary", (folder / "summary.txt").string()}};
  return result;
}

}  // namespace mlmq::cli
