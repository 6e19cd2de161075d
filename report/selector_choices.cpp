// SPDX-License-Identifier: Apache-2.0
#include "report/selector_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "problems/recommendation.hpp"
#include "problems/registry.hpp"
#include "selector/candidates.hpp"
#include "selector/evaluate.hpp"
#include "selector/model_inputs.hpp"
#include "selector/ranking_model.hpp"
#include "selector/training_data.hpp"
#include "selector/tuned_file.hpp"

namespace mlmq::report {
namespace {

constexpr const char* may_be_trained_here = "may have been trained on these workloads";

/// The training set with one row per workload, and the corresponding workloads of the result set.
struct evaluated_set {
  selector::training_set set;
  selector::performance_matrix performance;
  std::map<std::string, std::size_t> candidate_of;    ///< by label
  std::map<std::string, std::size_t> example_of;      ///< by the example's name
  std::vector<const db::workload_record*> record_of;  ///< one per entry of set.workloads
  std::vector<std::size_t> solved;                    ///< examples, in the order of the rows

  explicit evaluated_set(selector::training_set averages) : set(std::move(averages)), performance(set) {
    for (std::size_t c = 0; c < set.candidates.size(); ++c) candidate_of.emplace(set.candidates[c].label, c);
    for (std::size_t w = 0; w < set.workloads.size(); ++w) {
      example_of.emplace(set.workloads[w].name, w);
      if (performance.solved(w)) solved.push_back(w);
    }
  }

  [[nodiscard]] selector_choice choice(std::size_t example, const std::string& label) const {
    const auto candidate = candidate_of.find(label);
    selector_choice result{.configuration = label};
    if (candidate != candidate_of.end() && performance.measured(example, candidate->second)) {
      result.relative = performance.relative(example, candidate->second);
    }
    return result;
  }
};

/// Returns the labels of the configurations recommended by the program's selector and rules, best first.
std::vector<std::string> shipped_ranking(const problems::problem_entry& problem, const db::workload_record& workload,
                                         const db::device_record& device) {
  std::vector<std::string> labels;
  for (const problems::recommended_configuration& next :
       problems::recommend(problem, problems::facts_of(workload), problems::device_of(device), {},
                           {.origin = problems::model_choice::source::shipped})) {
    if (next.origin != problems::candidate_origin::standard) labels.push_back(next.configuration.label());
  }
  return labels;
}

void evaluate_learned(selector_evaluation& evaluation, const evaluated_set& examples,
                      const problems::problem_entry* problem, const selector_evaluation_options& options) {
  selector::evaluation_options settings;
  settings.folds = options.folds;
  settings.seed = options.seed;
  settings.cover_tolerance = selector::standard_tolerance;
  settings.most_candidates = selector::standard_candidates;
  if (problem != nullptr) settings.rules = problem->rules;
  const std::vector<selector::learning> learnings{selector::standard_learning(selector::standard_method)};
  selector::evaluation_report report;
  try {
    report = selector::evaluate(examples.set, learnings, settings);
  } catch (const input_error& error) {
    evaluation.notes.push_back(fmt::format("No cross-validation: {}.", error.what()));
    return;
  }
  const std::string learned(selector::to_string(learnings.front().algorithm));
  for (const selector::strategy_choices& strategy : report.strategies) {
    const bool is_rule = std::ranges::any_of(
        report.rules, [&](const selector::rule_record& used) { return used.rule->name == strategy.name; });
    if (strategy.name != learned && strategy.name != selector::best_fixed_name && !is_rule) continue;
    evaluated_selector result;
    if (strategy.name == learned) {
      result.name = "learned here, cross-validated";
      result.meaning = fmt::format(
          "A selector learned from this record by cross-validation with {} folds: for each workload, it is trained "
          "on the folds without the workload's family.",
          report.folds);
    } else if (strategy.name == selector::best_fixed_name) {
      result.name = "best fixed, cross-validated";
      result.meaning =
          "For each workload, the configuration with the best mean over the folds without the workload's family.";
    } else {
      result.name = strategy.name;
      result.meaning = "A published rule of thumb.";
    }
    std::map<std::string, const selector::held_out_choice*> by_name;
    for (std::size_t w = 0; w < report.workloads.size(); ++w)
      by_name.emplace(report.workloads[w].name, &strategy.workloads[w].front());
    for (const std::size_t w : examples.solved) {
      const auto match = by_name.find(examples.set.workloads[w].name);
      if (match == by_name.end()) {
        result.choices.emplace_back();
      } else {
        result.choices.push_back(examples.choice(w, match->second->selected));
      }
    }
    evaluation.selectors.push_back(std::move(result));
  }
}

void evaluate_shipped(selector_evaluation& evaluation, const evaluated_set& examples,
                      const problems::problem_entry& problem, const result_set& set) {
  if (set.device->modelled || set.device->kind == "cpu") return;
  evaluated_selector result{.name = "selector of the program",
                            .meaning =
                                "The selector shipped with the program. It may have been trained on these "
                                "workloads; this is then training performance, not test performance.",
                            .training = may_be_trained_here,
                            .choices = {}};
  try {
    for (const std::size_t w : examples.solved) {
      const std::vector<std::string> ranking = shipped_ranking(problem, *examples.record_of[w], *set.device);
      if (ranking.empty()) return;
      // Skip configurations that the device cannot run.
      const auto usable = std::find_if(ranking.begin(), ranking.end(), [&](const std::string& label) {
        return examples.choice(w, label).relative > 0;
      });
      result.choices.push_back(examples.choice(w, usable != ranking.end() ? *usable : ranking.front()));
    }
  } catch (const input_error& error) {
    evaluation.notes.push_back(fmt::format("The selector of the program cannot be evaluated: {}.", error.what()));
    return;
  }
  evaluation.selectors.push_back(std::move(result));
}

void evaluate_model(selector_evaluation& evaluation, const evaluated_set& examples, const std::string& file,
                    const problems::problem_entry& problem, const db::device_record& device) {
  problems::recommender recommends(
      problem, problems::device_of(device),
      {.origin = problems::model_choice::source::given, .model = selector::read_ranking_model(file)});
  evaluated_selector result{.name = fmt::format("model {}", file),
                            .meaning = "A model file. It may have been trained on these workloads.",
                            .training = may_be_trained_here,
                            .choices = {}};
  for (const std::size_t w : examples.solved) {
    const auto recommended = recommends.recommend(problems::facts_of(*examples.record_of[w]));
    const auto pick =
        std::ranges::find(recommended, problems::candidate_origin::model, &problems::recommended_configuration::origin);
    result.choices.push_back(pick == recommended.end() ? selector_choice()
                                                       : examples.choice(w, pick->configuration.label()));
  }
  evaluation.selectors.push_back(std::move(result));
}

/// Returns the evaluation in a tuned selector; empty if the file has none, or if it is for other workloads.
std::optional<selector::tuned_about> evaluated_in(const std::filesystem::path& file, const evaluated_set& examples,
                                                  const result_set& set) {
  const std::string text = read_file(file);
  if (!selector::is_tuned_file(text)) return std::nullopt;
  selector::tuned_about about = selector::about_from_text(text, file.string());
  const auto is_known = [&](const std::string& name) {
    const auto example = examples.example_of.find(name);
    return example != examples.example_of.end() && examples.performance.solved(example->second);
  };
  const selector::strategy_evaluations& scores = about.evaluation;
  if (about.device != set.device->name || about.problem != set.problem || scores.strategies.empty() ||
      !std::all_of(scores.workloads.begin(), scores.workloads.end(), is_known))
    return std::nullopt;
  return about;
}

/// Reads the named file, or else tuned_file_name in the folder of the database.
std::optional<selector::tuned_about> stored_evaluation(const std::string& database, const evaluated_set& examples,
                                                       const result_set& set,
                                                       const selector_evaluation_options& options) {
  if (options.model_file) return evaluated_in(*options.model_file, examples, set);
  const std::filesystem::path file = std::filesystem::path(database).parent_path() / selector::tuned_file_name;
  std::error_code failure;
  return std::filesystem::exists(file, failure) ? evaluated_in(file, examples, set) : std::nullopt;
}

/// Shows the scores that 'mlmq tune' computed, for the workloads that it evaluated.
void show_evaluation(selector_evaluation& evaluation, const selector::tuned_about& about,
                     const std::vector<std::size_t>& places) {
  std::vector<evaluated_workload> workloads;
  for (const std::size_t place : places) workloads.push_back(evaluation.workloads[place]);
  evaluation.workloads = std::move(workloads);
  for (const selector::strategy_evaluation& strategy : about.evaluation.strategies) {
    if (strategy.choices.empty()) continue;
    evaluated_selector shown{
        .name = strategy.name,
        .meaning =
            fmt::format("Evaluated by 'mlmq tune' on {}, on workloads that it was not trained on.", about.creation_day),
        .choices = {}};
    for (std::size_t w = 0; w < strategy.choices.size(); ++w) {
      shown.choices.push_back({.configuration = about.evaluation.configurations[strategy.choices[w].front()],
                               .relative = strategy.relative[w]});
    }
    evaluation.selectors.push_back(std::move(shown));
  }
}

}  // namespace

selector_evaluation evaluate_selectors(const std::string& database, const result_set& set,
                                       const selector_evaluation_options& options) {
  selector_evaluation evaluation;
  const problems::problem_entry* const problem = problems::known_problem(set.problem);
  const tuner::workload_features* kind = &tuner::unnamed_features();
  std::unique_ptr<tuner::problem> instance;
  if (problem != nullptr) {
    instance = problem->make();
    kind = &instance->workloads().features();
  }
  selector::training_data data;
  try {
    data = selector::load_training_data({database}, set.problem, *kind, set.device->name);
    if (data.set.features.empty()) throw input_error("no features of the workloads are on record");
    const std::vector<std::string> standard{"standard"};
    data.set = selector::keep_features(
        data.set, selector::sort_features(selector::expand_feature_list(standard, data.set.features, *kind), *kind));
  } catch (const input_error& error) {
    evaluation.missing_reason = error.what();
    return evaluation;
  }
  evaluated_set examples(selector::mean_over_queries(data.set));
  std::map<std::string, std::size_t> index_of;
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    const db::workload_record& workload = *set.workloads[w];
    index_of.emplace(fmt::format("{} ({})", workload.name, workload.hash.substr(0, 8)),
                     w);  // same name as in load_training_data()
  }
  for (const selector::workload_example& example : examples.set.workloads)
    examples.record_of.push_back(set.workloads[index_of.at(example.name)]);
  for (const std::size_t w : examples.solved) {
    std::size_t best = 0;
    for (std::size_t c = 0; c < examples.set.candidates.size(); ++c) {
      if (examples.performance.relative(w, c) > examples.performance.relative(w, best)) best = c;
    }
    evaluation.workloads.push_back({.workload = index_of.at(examples.set.workloads[w].name),
                                    .best = examples.set.candidates[best].label,
                                    .best_ms = examples.performance.best_milliseconds(w)});
  }
  std::optional<selector::tuned_about> stored;
  try {
    stored = stored_evaluation(database, examples, set, options);
  } catch (const input_error& error) {
    if (options.model_file) throw;
    evaluation.notes.push_back(fmt::format("The evaluation of 'mlmq tune' is not shown: {}.", error.what()));
  }
  if (stored) {
    std::vector<std::size_t> places;
    for (const std::string& name : stored->evaluation.workloads) {
      const auto place = std::find(examples.solved.begin(), examples.solved.end(), examples.example_of.at(name));
      places.push_back(static_cast<std::size_t>(place - examples.solved.begin()));
    }
    show_evaluation(evaluation, *stored, places);
    return evaluation;
  }
  evaluate_learned(evaluation, examples, problem, options);
  if (problem != nullptr) evaluate_shipped(evaluation, examples, *problem, set);
  if (options.model_file && problem != nullptr)
    evaluate_model(evaluation, examples, *options.model_file, *problem, *set.device);
  if (evaluation.selectors.empty() && evaluation.missing_reason.empty())
    evaluation.missing_reason = evaluation.notes.empty() ? "no selector can be evaluated" : evaluation.notes.front();
  return evaluation;
}

}  // namespace mlmq::report
