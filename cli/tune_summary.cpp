// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "cli/result_options.hpp"
#include "cli/status_document.hpp"
#include "cli/sweep_summary.hpp"
#include "db/format.hpp"

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

std::string selector_name(const tune::tuned_selector& tuned) {
  return tuned.is_fixed ? "best fixed configuration" : "new selector";
}

namespace {

/// Returns a count with its noun, such as "1 graph" or "2 graphs".
std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string strategies_text(const tune::tuned_selector& tuned, const std::string& noun) {
  const std::string heading = fmt::format("on {}s not learned from", noun);
  const std::size_t width = heading.size() + 2;
  std::string text =
      fmt::format("\n{:<{}}{:>18}{:>20}{:>8}\n", heading, width, "mean of best/time", "within 0.9 of best", "worst");
  for (const selector::strategy_evaluation& strategy : tuned.strategies()) {
    text += fmt::format("{:<{}}{:>18.3f}{:>18.0f} %{:>8.3f}\n", strategy.name, width, strategy.mean_relative,
                        100 * strategy.near_best, strategy.worst);
  }
  return text;
}

/// Returns a table of the best configurations, or nothing if the experiment file has neither metrics nor an objective.
std::string best_text(const std::vector<db::best_result>& best, std::span<const std::string> varied) {
  std::set<std::string> metrics;
  for (const db::best_result& row : best) {
    for (const auto& [name, value] : row.metrics) metrics.insert(name);
  }
  if (metrics.empty()) return "";
  const auto number = [](double value) { return db::cell{db::cell_kind::real, fmt::format("{:.4g}", value)}; };
  db::table rows{{"workload", "query", "best by", "configuration", "median ms"}, {}};
  rows.columns.insert(rows.columns.end(), metrics.begin(), metrics.end());
  for (const db::best_result& row : best) {
    rows.rows.push_back({db::text_cell(row.workload), db::text_cell(row.query), db::text_cell(row.criterion.name),
                         db::text_cell(short_label(row.label, varied)), number(row.median_ms)});
    for (const std::string& name : metrics) {
      const auto metric = std::ranges::find(row.metrics, name, &std::pair<std::string, double>::first);
      rows.rows.back().push_back(metric == row.metrics.end() ? db::text_cell("") : number(metric->second));
    }
  }
  return "\n" + db::render(rows, db::table_format::aligned);
}

}  // namespace

std::string verdict_text(const tune::tuned_selector& tuned, const std::string& device, const measured_amounts& amounts,
                         const tune::installation& done) {
  const std::string& user = amounts.user;
  const std::string numbers = tuned.outcome == tune::verdict::unknown
                                  ? std::string()
                                  : fmt::format("{:.3f} against {:.3f}", tuned.fresh_relative, tuned.current_relative);
  switch (done.outcome) {
    case tune::install_outcome::written:
      return fmt::format("{} has the {}{}; nothing was installed, and {} keeps using the {} on {}.\n",
                         done.file.string(), selector_name(tuned), numbers.empty() ? "" : " (" + numbers + ")", user,
                         tuned.current_name, device);
    case tune::install_outcome::overtaken:
      return fmt::format(
          "Another selector was installed or removed for {} in the meantime: nothing was changed; rerun "
          "this command to compare with it.\n",
          device);
    case tune::install_outcome::installed:
      if (!done.is_used) {
        return fmt::format(
            "The {} was installed for all users without a selector of their own for {}; you have one, and {} keeps "
            "using "
            "it.\n",
            selector_name(tuned), device, user);
      }
      return fmt::format("From now on {} uses the {} on {}: it is better than the {} ({}).\n", user,
                         selector_name(tuned), device, tuned.current_name, numbers);
    case tune::install_outcome::kept:
      break;
  }
  if (tuned.outcome == tune::verdict::current) {
    return fmt::format("{} keeps using the {} on {}: the {} is not better ({}).\n", user, tuned.current_name, device,
                       selector_name(tuned), numbers);
  }
  if (tuned.strategies().empty()) {
    return fmt::format("{} keeps using the {} on {}: {}.\n", user, tuned.current_name, device,
                       selector::too_few_to_judge(tuned.graphs, counted(tuned.graphs, amounts.noun)));
  }
  return fmt::format(
      "{} keeps using the {} on {}: there was no time to measure what it chooses; rerun this command to continue.\n",
      user, tuned.current_name, device);
}

std::string summary_text(const tune::tuned_selector& tuned, const selector::time_source& source,
                         const measured_amounts& amounts, const tune::installation& done) {
  std::string text =
      fmt::format("Learned from {}, {} times of {}, {} configurations", counted(tuned.graphs, amounts.noun),
                  source.times, source.device_name, tuned.configurations);
  if (amounts.sampled > 0) text += fmt::format(" ({} tried around the best ones)", amounts.sampled);
  text += '\n';
  if (tuned.recorded_graphs > 0)
    text += fmt::format("and from {} on record, of {} device\n", counted(tuned.recorded_graphs, amounts.noun),
                        tuned.same_device ? "this" : "another");
  if (tuned.graphs < amounts.graphs) {
    text += fmt::format("{} of {} were not measured completely{} and are left out\n", amounts.graphs - tuned.graphs,
                        counted(amounts.graphs, amounts.noun), amounts.out_of_time ? " when the time was up" : "");
  }
  if (amounts.unfit > 0) {
    text += fmt::format("{} cannot run on {} and {} left out\n",
                        amounts.unfit == 1 ? "1 configuration" : fmt::format("{} configurations", amounts.unfit),
                        source.device_name, amounts.unfit == 1 ? "is" : "are");
  }
  if (source.times == "modelled") {
    text += fmt::format("All times are modelled for a simulated GPU, {}: they do not predict those of a real GPU\n",
                        source.device_name);
  }
  if (!amounts.left_out.empty()) text += left_out_text(amounts.left_out) + '\n';
  if (amounts.out_of_time) text += "The time was up before everything was measured; rerun this command to continue\n";
  if (!tuned.strategies().empty()) text += strategies_text(tuned, amounts.noun);
  if (!tuned.strategies().empty() && tuned.also_recorded > 0) {
    text +=
        fmt::format("{} of the {}s {} on the shipped record, so the shipped selector knows them; the others do not\n",
                    tuned.also_recorded, amounts.noun, tuned.also_recorded == 1 ? "is" : "are");
  }
  text += best_text(amounts.best, amounts.varied);
  text += fmt::format("\nbest fixed configuration: {}\n", short_label(tuned.best_fixed, amounts.varied));
  if (!tuned.is_fixed) text += fmt::format("the new selector starts from {}\n", tuned.learned_by);
  text += '\n' + verdict_text(tuned, source.device_name, amounts, done);
  if (done.outcome == tune::install_outcome::installed || done.outcome == tune::install_outcome::written)
    text += done.file.string() + "\n";
  if (tuned.program_is_best) {
    text += fmt::format("The {} is better than the installed one: 'mlmq selector remove \"{}\"' goes back to it.\n",
                        tuned.strategies().at(1).name, source.device_name);
  }
  return text;
}

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
  std::vector<std::string> left_out;
  for (const tuner::left_out_workload& workload : amounts.left_out) left_out.push_back(workload.file);
  json_document result = begin_document("tune");
  result["device"] = source.device_name;
  result["problem"] = source.problem;
  result["times"] = source.times;
  result["graphs"] = {{"given", amounts.graphs},
                      {"learned_from", tuned.graphs},
                      {"learned_from_record", tuned.recorded_graphs},
                      {"also_on_record", tuned.also_recorded},
                      {"left_out", left_out}};
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
