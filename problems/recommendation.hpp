// SPDX-License-Identifier: Apache-2.0
// Recommends configurations. `solve`, `tune`, `compare`, warm starts, `selector predict`, reports and libmlmq choose
// configurations only with this code.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "db/records.hpp"
#include "problems/recommendation_hook.hpp"
#include "problems/registry.hpp"
#include "selector/ranking_model.hpp"
#include "tuner/labelled_configuration.hpp"
#include "tuner/parameter.hpp"
#include "tuner/problem.hpp"

namespace mlmq::problems {

/// Which model ranks the candidates.
struct model_choice {
  enum class source {
    standard,  ///< the selector installed for the device, otherwise the shipped one
    shipped,   ///< the selector that comes with the program, if the problem has one
    given,     ///< `model`
  };
  source origin = source::standard;
  std::shared_ptr<const selector::ranking_model> model = nullptr;  ///< used with source::given
};

/// The parameters of a problem, and the labels of models that have been parsed. Thread-safe.
struct parsed_labels {
  explicit parsed_labels(const tuner::problem& problem)
      : parameters(tuner::parameter_set::from_declarations(problem.declarations(), problem.presets())) {}

  /// @throws input_error for an invalid label
  [[nodiscard]] tuner::labelled_configuration parsed(const std::string& label);

  const tuner::parameter_set parameters;

 private:
  std::mutex mutex_;
  std::map<std::string, tuner::labelled_configuration, std::less<>> configurations_;  ///< by label
};

/// Recommends configurations of one problem on one device. Not thread-safe.
class recommender {
 public:
  /// @param entry copied
  /// @throws input_error if the model was trained for another problem
  recommender(const problem_entry& entry, backends::device_info device, const model_choice& choice = {});

  /// The model that ranks; null if there is none for this problem and device.
  [[nodiscard]] const std::shared_ptr<const selector::ranking_model>& model() const { return model_; }
  [[nodiscard]] const backends::device_info& device() const { return device_; }
  [[nodiscard]] const tuner::parameter_set& parameters() const { return labels_->parameters; }

  /// Names of the features that recommend() needs, without duplicates.
  [[nodiscard]] std::span<const std::string_view> features() const { return features_; }

  /// The inputs of the model, one per feature; none without a model.
  /// @throws input_error for a missing feature that selectors may use
  [[nodiscard]] std::vector<double> model_values(const workload_facts& workload) const;

  /// Ranks the configurations that devices of this kind support. Returns at least one; the last one is a default.
  ///
  /// Only a launch shows whether a configuration fits on a device, so callers use the first one that launches.
  /// @throws input_error like model_values(), and if the model names a configuration that this program does not have
  [[nodiscard]] std::vector<recommended_configuration> recommend(const workload_facts& workload,
                                                                 const recommendation_request& request = {});

  /// Returns the milliseconds that the model expects of a search with its best candidate, judging by the size of the
  /// workload alone; nothing if it expects no times of this problem.
  [[nodiscard]] std::optional<double> expected_ms_by_size(double vertices, double edges) const;

  /// Returns the index of the model's best candidate; `selector predict --time` measures this step.
  /// @param values result of model_values(); a model must exist
  [[nodiscard]] std::size_t select(std::span<const double> values) const { return model_->select(values); }

  /// Parses a label. @throws input_error naming the model if this program does not have the
  /// configuration
  [[nodiscard]] tuner::labelled_configuration parsed_candidate(const std::string& label) const;

 private:
  [[nodiscard]] bool knows_device() const;
  [[nodiscard]] workload_facts adjusted(const workload_facts& workload) const;
  [[nodiscard]] std::vector<double> values_of(const workload_facts& adjusted) const;
  [[nodiscard]] bool runs(const tuner::configuration& chosen, const recommendation_question& question) const;
  [[nodiscard]] std::optional<double> expected_best_ms(const workload_facts& adjusted,
                                                       std::span<const double> values) const;
  [[nodiscard]] std::string reason_of_model(std::optional<double> predicted) const;
  [[nodiscard]] std::string reason_of_standard(bool has_ranked) const;

  problem_entry entry_;
  backends::device_info device_;
  std::unique_ptr<tuner::problem> problem_;
  std::shared_ptr<parsed_labels> labels_;
  std::shared_ptr<const selector::ranking_model> model_;
  std::vector<std::string_view> features_;
};

/// Ranks configurations for one workload; see recommender::recommend().
[[nodiscard]] std::vector<recommended_configuration> recommend(const problem_entry& entry,
                                                               const workload_facts& workload,
                                                               const backends::device_info& device,
                                                               const recommendation_request& request = {},
                                                               const model_choice& choice = {});

/// Returns the facts of a recorded workload. @param loaded the workload; null if it is not loaded
[[nodiscard]] workload_facts facts_of(const db::workload_record& record, const tuner::workload* loaded = nullptr);

/// Returns the properties of a recorded device, as far as they are known.
[[nodiscard]] backends::device_info device_of(const db::device_record& record);

/// Returns whether recommend() knows more than the default parameters: the problem has a selector, rules, or its own
/// defaults.
[[nodiscard]] bool has_recommendations(const problem_entry& entry, const backends::device_info& device);

}  // namespace mlmq::problems
