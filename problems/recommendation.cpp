// SPDX-License-Identifier: Apache-2.0
#include "problems/recommendation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "problems/installed_model.hpp"
#include "selector/model_inputs.hpp"

namespace mlmq::problems {
namespace {

using selector::ranking_model;

constexpr const char* none_fits = "the default: none of the selector's candidates fits on this device";

bool are_related(const problem_entry& entry, std::string_view problem) {
  if (entry.recommendation != nullptr && entry.recommendation->related_problem == problem) return true;
  const problem_entry* const other = known_problem(problem);
  return other != nullptr && other->recommendation != nullptr && other->recommendation->related_problem == entry.name;
}

void require_problem(const ranking_model& model, const problem_entry& entry) {
  const std::string_view problem = model.trained_for();
  if (problem.empty() || problem == entry.name || are_related(entry, problem)) return;
  throw input_error(
      fmt::format("{}: the selector was trained for problem '{}', not for '{}'", model.name(), problem, entry.name));
}

/// Returns the selector installed for the device: the problem's own, otherwise that of the related problem.
std::shared_ptr<const ranking_model> installed_for(const problem_entry& entry, const backends::device_info& device,
                                                   const tuner::parameter_set& parameters,
                                                   const tuner::workload_features& kind) {
  auto model = installed_model(device.name, entry.name, parameters, kind);
  if (model == nullptr && entry.recommendation != nullptr && !entry.recommendation->related_problem.empty())
    model = installed_model(device.name, entry.recommendation->related_problem, parameters, kind);
  return model;
}

std::shared_ptr<const ranking_model> model_for(const problem_entry& entry, const backends::device_info& device,
                                               const model_choice& choice, const tuner::parameter_set& parameters,
                                               const tuner::workload_features& kind) {
  std::shared_ptr<const ranking_model> model;
  if (choice.origin == model_choice::source::given) {
    require_problem(*choice.model, entry);
    return choice.model;
  }
  if (choice.origin == model_choice::source::standard) model = installed_for(entry, device, parameters, kind);
  if (model == nullptr && entry.recommendation != nullptr && entry.recommendation->shipped != nullptr)
    model = entry.recommendation->shipped(device);
  return model;
}

/// Parsing the labels of a selector takes a millisecond, so all recommenders of a problem share the results.
std::shared_ptr<parsed_labels> labels_of(const problem_entry& entry, const tuner::problem& problem) {
  static std::mutex mutex;
  static std::map<std::unique_ptr<tuner::problem> (*)(), std::shared_ptr<parsed_labels>> by_problem;
  const std::lock_guard lock(mutex);
  std::shared_ptr<parsed_labels>& labels = by_problem[entry.make];
  if (labels == nullptr) labels = std::make_shared<parsed_labels>(problem);
  return labels;
}

}  // namespace

tuner::labelled_configuration parsed_labels::parsed(const std::string& label) {
  const std::lock_guard lock(mutex_);
  const auto entry = configurations_.find(label);
  if (entry != configurations_.end()) return entry->second;
  return configurations_.emplace(label, parameters.parse_label(label)).first->second;
}

double recommendation_question::feature(std::string_view name) const {
  const auto value = workload.features.find(name);
  return value == workload.features.end() ? std::numeric_limits<double>::quiet_NaN() : value->second;
}

double recommendation_question::model_feature(std::string_view name) const {
  if (model == nullptr) return std::numeric_limits<double>::quiet_NaN();
  const auto names = model->features();
  const auto index = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  return index < model_values.size() ? model_values[index] : std::numeric_limits<double>::quiet_NaN();
}

recommender::recommender(const problem_entry& entry, backends::device_info device, const model_choice& choice)
    : entry_(entry),
      device_(std::move(device)),
      problem_(entry.make()),
      labels_(labels_of(entry_, *problem_)),
      model_(model_for(entry_, device_, choice, labels_->parameters, problem_->workloads().features())) {
  if (model_ != nullptr && !knows_device()) model_ = nullptr;
  const auto add = [this](std::string_view name) {
    if (std::ranges::find(features_, name) == features_.end()) features_.push_back(name);
  };
  if (model_ != nullptr) std::ranges::for_each(model_->features(), add);
  if (entry_.recommendation != nullptr) std::ranges::for_each(entry_.recommendation->features, add);
}

/// Returns whether the model has a candidate that runs on the device. Otherwise its features would be computed
/// needlessly.
bool recommender::knows_device() const {
  if (device_.grid) return true;
  const std::vector<std::string> labels = model_->candidates();
  return std::ranges::any_of(
      labels, [this](const std::string& label) { return entry_.comparison.runs_on(parsed_candidate(label), device_); });
}

workload_facts recommender::adjusted(const workload_facts& workload) const {
  workload_facts changed = workload;
  if (entry_.recommendation != nullptr && entry_.recommendation->adjust != nullptr)
    entry_.recommendation->adjust(changed.features);
  return changed;
}

std::vector<double> recommender::values_of(const workload_facts& adjusted) const {
  if (model_ == nullptr) return {};
  return selector::select_model_inputs(adjusted.features, model_->features(), problem_->workloads().features(),
                                       adjusted.name);
}

std::vector<double> recommender::model_values(const workload_facts& workload) const {
  return values_of(adjusted(workload));
}

tuner::labelled_configuration recommender::parsed_candidate(const std::string& label) const {
  try {
    return labels_->parsed(label);
  } catch (const input_error& error) {
    throw input_error(
        fmt::format("{}: the selector may choose '{}', which this program does not support ({}); train a selector with "
                    "'mlmq selector train', or give a configuration",
                    model_->name(), label, error.what()));
  }
}

bool recommender::runs(const tuner::configuration& chosen, const recommendation_question& question) const {
  if (!entry_.comparison.runs_on(chosen, device_)) return false;
  return entry_.recommendation == nullptr || entry_.recommendation->fits == nullptr ||
         entry_.recommendation->fits(chosen, question);
}

std::optional<double> recommender::expected_ms_by_size(double vertices, double edges) const {
  if (model_ == nullptr || model_->times_of() != entry_.name) return std::nullopt;
  return model_->expected_best_ms({}, vertices, edges);
}

std::optional<double> recommender::expected_best_ms(const workload_facts& adjusted,
                                                    std::span<const double> values) const {
  if (model_ == nullptr || model_->times_of() != entry_.name) return std::nullopt;
  const auto vertices = adjusted.features.find("m");
  const auto edges = adjusted.features.find("nnz");
  if (vertices == adjusted.features.end() || edges == adjusted.features.end()) return std::nullopt;
  return model_->expected_best_ms(values, vertices->second, edges->second);
}

std::string recommender::reason_of_model(std::optional<double> predicted) const {
  return predicted ? fmt::format("{}: relative performance {:.2f} predicted", model_->origin(), *predicted)
                   : fmt::format("{}: ranked first of what this device can run", model_->origin());
}

std::string recommender::reason_of_standard(bool has_ranked) const {
  if (has_ranked || (model_ != nullptr && device_.grid)) return none_fits;
  return !device_.grid      ? "the default on processors"
         : device_.modelled ? "the default on a simulated device"
                            : "the default";
}

std::vector<recommended_configuration> recommender::recommend(const workload_facts& workload,
                                                              const recommendation_request& request) {
  const workload_facts facts = adjusted(workload);
  const std::vector<double> values = values_of(facts);
  const recommendation_question question{
      .workload = facts, .device = device_, .request = request, .model = model_.get(), .model_values = values};
  std::vector<recommended_configuration> recommended;
  const std::optional<double> best_ms = expected_best_ms(facts, values);
  if (model_ != nullptr) {
    for (const selector::predicted_label& next : model_->ranked(values)) {
      tuner::labelled_configuration configuration = parsed_candidate(next.label);
      if (!runs(configuration, question)) continue;
      recommended.push_back({.configuration = std::move(configuration),
                             .origin = candidate_origin::model,
                             .predicted = next.predicted,
                             .reason = reason_of_model(next.predicted),
                             .expected_ms = best_ms});
    }
  }
  const bool has_ranked = !recommended.empty();
  const recommendation_hook none;
  const recommendation_hook& hook = entry_.recommendation != nullptr ? *entry_.recommendation : none;
  if (hook.by_rule != nullptr) {
    std::vector<recommended_configuration> of_rules;
    for (named_candidate& named : hook.by_rule(question, recommended)) {
      of_rules.push_back({.configuration = labels_->parsed(named.label),
                          .origin = candidate_origin::rule,
                          // Ranked like the model's best candidate.
                          .predicted = has_ranked ? recommended.front().predicted : std::nullopt,
                          .reason = std::move(named.reason),
                          .expected_ms = named.expected_ms ? named.expected_ms : best_ms});
    }
    recommended.insert(recommended.begin(), of_rules.begin(), of_rules.end());
  }
  std::vector<named_candidate> standard;
  if (hook.standard != nullptr) standard = hook.standard(question);
  if (standard.empty()) standard.push_back({.label = ""});
  for (named_candidate& named : standard) {
    recommended.push_back({.configuration = labels_->parsed(named.label),
                           .origin = candidate_origin::standard,
                           .predicted = std::nullopt,
                           .reason = named.reason.empty() ? reason_of_standard(has_ranked) : std::move(named.reason),
                           .is_one_by_one = named.is_one_by_one,
                           .expected_ms = named.expected_ms,
                           .trial_searches = named.trial_searches,
                           .trial_of = std::move(named.trial_of)});
  }
  return recommended;
}

std::vector<recommended_configuration> recommend(const problem_entry& entry, const workload_facts& workload,
                                                 const backends::device_info& device,
                                                 const recommendation_request& request, const model_choice& choice) {
  return recommender(entry, device, choice).recommend(workload, request);
}

workload_facts facts_of(const db::workload_record& record, const tuner::workload* loaded) {
  return {.name = record.name, .features = {record.features.begin(), record.features.end()}, .loaded = loaded};
}

backends::device_info device_of(const db::device_record& record) {
  backends::device_info device;
  static_cast<backends::device_traits&>(device) = backends::traits_of_kind(record.kind);
  device.modelled = record.modelled;
  device.kind = record.kind;
  device.name = record.name;
  device.architecture = record.architecture;
  device.memory_bytes = record.memory_bytes;
  device.multiprocessors = static_cast<unsigned>(std::max(record.multiprocessors, 0));
  // Not recorded; a launch shows whether a configuration fits.
  device.shared_bytes_per_block = std::size_t{227} << 10;
  device.cluster_blocks = 16;
  return device;
}

bool has_recommendations(const problem_entry& entry, const backends::device_info& device) {
  return entry.recommendation != nullptr || recommender(entry, device).model() != nullptr;
}

}  // namespace mlmq::problems
