// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "graph/feature_list.hpp"
#include "library/impl.hpp"
#include "library/installed_model.hpp"
#include "selector/inference.hpp"
#include "selector/shipped.hpp"
#include "selector/tuned_file.hpp"

namespace mlmq {
namespace {

struct shipped_model : detail::model_data {
  shipped_model() {
    if (selector::shipped_time_count() > 0) times_of_ = selector::shipped_time_problem();
    recorded_threads_ = selector::shipped_processor_threads();
    for (std::size_t i = 1; i < selector::shipped_time_count(); ++i) {
      detail::searcher one{.label = std::string(selector::shipped_time_label(i)), .calibrations = {}};
      for (const selector::shipped_calibration& known : selector::shipped_calibrations(i))
        one.calibrations.push_back({std::string(known.workload), std::string(known.query), known.milliseconds});
      searchers_.push_back(std::move(one));
    }
  }

  [[nodiscard]] std::span<const std::string_view> features() const override { return selector::shipped_features(); }

  [[nodiscard]] std::vector<detail::ranked_label> ranked(std::span<const double> values) const override {
    std::vector<detail::ranked_label> all;
    for (const std::size_t candidate : selector::shipped_ranked(values)) {
      all.push_back({.label = std::string(selector::shipped_label(candidate)),
                     .predicted = double{selector::shipped_predict(values, candidate)}});
    }
    return all;
  }

  [[nodiscard]] std::vector<double> expected_by_size(double vertices, double edges) const override {
    return selector::shipped_times_by_size(vertices, edges);
  }

  [[nodiscard]] std::vector<double> expected(std::span<const double> values, double vertices,
                                             double edges) const override {
    return selector::shipped_times(values, vertices, edges);
  }
};

/// Stands for what is installed for a device, which is found when it is known (standard_model_for()); where nothing looks for
/// that, it is the shipped one.
struct standard_model final : shipped_model {};

struct model_of_file final : detail::model_data {
  explicit model_of_file(const std::filesystem::path& file)
      : model_of_file(selector::selector::from_model_file(file), file) {}

  /// What was tuned on this machine.
  model_of_file(selector::tuned_file tuned, const std::filesystem::path& file)
      : model_of_file(selector::selector(std::move(tuned.chooser)), file) {
    origin_ = fmt::format("the selector tuned on this device ({}, {} workload{}, {})", tuned.about.made,
                          tuned.about.workloads, tuned.about.workloads == 1 ? "" : "s", file.string());
  }

  model_of_file(selector::selector read, const std::filesystem::path& file)
      : trained(std::move(read)), names(trained.features().begin(), trained.features().end()) {
    name_ = file.string();
    trained_for_ = trained.provenance().source.problem;
    if (trained_for_.empty()) trained_for_ = "sssp";
    if (!is_for_graphs(*this)) return;
    try {
      for (const std::string_view name : names) (void)graph::feature_index(name);
    } catch (const input_error& error) {
      throw input_error(
          fmt::format("{}: trained with features that this program does not know: {}", file.string(), error.what()));
    }
    if (trained.times() == nullptr) return;
    times_of_ = trained.times()->problem;
    recorded_threads_ = trained.times()->processor_threads;
    for (const selector::time_model::searcher& one : trained.times()->searchers)
      searchers_.push_back({one.label, one.calibrations});
  }

  [[nodiscard]] std::span<const std::string_view> features() const override { return names; }

  [[nodiscard]] std::vector<detail::ranked_label> ranked(std::span<const double> values) const override {
    std::vector<detail::ranked_label> all;
    for (const selector::ranked_candidate& one : trained.ranked(values)) {
      all.push_back({.label = trained.label(one.candidate), .predicted = double{one.predicted}});
    }
    return all;
  }

  [[nodiscard]] std::vector<double> expected_by_size(double vertices, double edges) const override {
    return trained.expected_by_size(vertices, edges);
  }

  [[nodiscard]] std::vector<double> expected(std::span<const double> values, double vertices,
                                             double edges) const override {
    return trained.expected(values, vertices, edges);
  }

  selector::selector trained;
  std::vector<std::string_view> names;  ///< of its features
};

}  // namespace

bool detail::is_for_graphs(const model_data& model) {
  const std::string_view problem = model.trained_for();
  return problem.empty() || problem == "sssp" || problem == "bfs";
}

model model::shipped() {
  static const std::shared_ptr<const detail::model_data> only = std::make_shared<const shipped_model>();
  return model(only);
}

bool detail::is_standard(const model& asked) { return access::share(asked) == access::share(model::standard()); }

std::shared_ptr<const detail::model_data> detail::read_installed(const std::filesystem::path& file) {
  return std::make_shared<const model_of_file>(selector::tuned_file_from_text(read_file(file), file.string()), file);
}

model model::standard() {
  static const std::shared_ptr<const detail::model_data> only = std::make_shared<const standard_model>();
  return model(only);
}

model model::read(const std::filesystem::path& file) { return model(std::make_shared<const model_of_file>(file)); }

}  // namespace mlmq
