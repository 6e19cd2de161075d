// SPDX-License-Identifier: Apache-2.0
#include "library/place_chooser.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace mlmq::detail {

bool place_chooser::weighs_processors(const solve_options& options) const {
  return options.configurations.empty() && options.place == placement::best &&
         executor_.device().backend->info().grid && !executor_.device().facts.modelled &&
         executor_.data().device_rows == nullptr && !options.keep_on_device;
}

double place_chooser::transfer_ms(const selector::transfer_cost& cost, bool is_resident) const {
  return selector::transfer_ms(cost, executor_.vertices(), executor_.edges(), executor_.kind() != problem::bfs,
                               is_resident);
}

/// Returns the model's best candidate for processors, or the solver with a predictable time if there is none.
place_chooser::host_search place_chooser::first_on_host(ranking& model_ranking, const tuner::named_features* features) {
  host_search result;
  if (const problems::recommended_configuration* const best = model_ranking.best_on_processors(features)) {
    result.candidate.configuration = best->configuration;
    result.candidate.predicted = best->predicted;
  } else {
    result.candidate.configuration = model_ranking.parse(predictable_solver);
  }
  const std::optional<double> measured_ms = executor_.on_host().measured(result.candidate.configuration.label());
  result.is_measured = measured_ms.has_value();
  result.solve_ms = measured_ms ? *measured_ms
                                : executor_.host().item_ms(executor_.searched(), result.candidate.configuration) *
                                      (executor_.vertices() + executor_.edges());
  return result;
}

/// Returns the fastest candidate with a predicted time, using times measured here where available.
place_chooser::host_search place_chooser::fastest_on_host(ranking& model_ranking, std::span<const double> recorded_ms) {
  const std::span<const labelled_configuration> searchers = model_ranking.searchers();
  std::vector<processors::option> options;
  for (std::size_t i = 0; i < searchers.size(); ++i) {
    options.push_back({searchers[i], recorded_ms[i], executor_.on_host().measured(searchers[i].label()),
                       model_ranking.model().searchers()[i].calibrations});
  }
  const auto [best, solve_ms] =
      executor_.host().fastest(executor_.searched(), options, model_ranking.model().recorded_threads());
  host_search result;
  result.candidate.configuration = options[best].configuration;
  result.solve_ms = solve_ms;
  result.is_measured = options[best].measured_ms.has_value();
  return result;
}

/// Compares the expected times on the device and on the processors.
/// @param recorded_ms  result of ranking_model::expected(), or empty
/// @param features, first  features of the graph, and the attempt on the device; null if only the size of the graph is
///   known
place_chooser::place_comparison place_chooser::weigh(ranking& model_ranking, std::span<const double> recorded_ms,
                                                     const tuner::named_features* features, const attempt* first) {
  place_comparison comparison;
  comparison.on_host = recorded_ms.size() > 1 ? fastest_on_host(model_ranking, recorded_ms.subspan(1))
                                              : first_on_host(model_ranking, features);
  comparison.on_host.candidate.on_host = true;
  comparison.on_host.candidate.chosen_by = choice::source::times;
  comparison.device.transfer_ms = transfer_ms(executor_.device().transfer, executor_.on_device().instance != nullptr);
  if (first != nullptr) {
    comparison.device.solve_ms = executor_.on_device().measured(first->configuration.label());
    comparison.device.predicted = first->predicted;
  }
  if (!comparison.device.solve_ms && !recorded_ms.empty()) comparison.device.solve_ms = recorded_ms.front();
  // The device's predicted time excludes first searches, so only the processors' time is adjusted.
  const double slowdown = executor_.on_host().instance == nullptr ? first_search_slowdown : 1;
  comparison.verdict =
      selector::weigh(comparison.device,
                      {.transfer_ms = transfer_ms(executor_.host().transfer(), executor_.on_host().instance != nullptr),
                       .solve_ms = comparison.on_host.solve_ms,
                       .predicted = comparison.on_host.candidate.predicted,
                       .slowdown = slowdown});
  comparison.on_host.solve_ms *= slowdown;
  return comparison;
}

/// Formats the reason for choosing the processors, with numbers.
std::string place_chooser::reason_for(const place_comparison& comparison, bool measured_here,
                                      const char* from_what) const {
  const std::string& name = executor_.device().facts.selector;
  const double device_ms = comparison.verdict.device_ms;
  std::string text = fmt::format(
      "the processors: {:.3g} ms {}, of which {:.3g} ms for the search, while ", *comparison.verdict.processors_ms,
      comparison.on_host.is_measured ? "as before" : "expected", comparison.on_host.solve_ms);
  if (*comparison.verdict.processors_ms < comparison.device.transfer_ms) {
    return text + fmt::format("transferring the graph and the answer to and from {} alone takes {:.3g} ms", name,
                              comparison.device.transfer_ms);
  }
  if (measured_here) return text + fmt::format("{} took {:.3g} ms", name, device_ms);
  if (!comparison.device.solve_ms) return text + fmt::format("{} is predicted to take {:.3g} ms", name, device_ms);
  return text + fmt::format("{} is expected to take {:.3g} ms{}, of which {:.3g} ms for the search", name, device_ms,
                            from_what, *comparison.device.solve_ms);
}

bool place_chooser::expects_times(const ranking& model_ranking) const {
  return model_ranking.model().times_of() == executor_.searched().name();
}

std::optional<attempt> place_chooser::faster_by_size(ranking& model_ranking) {
  std::vector<double> recorded_ms;
  if (expects_times(model_ranking))
    recorded_ms = model_ranking.model().expected_by_size(executor_.vertices(), executor_.edges());
  place_comparison comparison = weigh(model_ranking, recorded_ms, nullptr, nullptr);
  if (!comparison.verdict.on_processors) return std::nullopt;
  comparison.on_host.candidate.reason = reason_for(comparison, false, " (estimated from the size of the graph)");
  return comparison.on_host.candidate;
}

std::optional<attempt> place_chooser::sooner_on_host(ranking& model_ranking, const tuner::named_features& features,
                                                     attempt& first) {
  if (expected_by_ != &model_ranking) {
    expected_by_ = nullptr;
    expected_ms_.clear();
    if (expects_times(model_ranking))
      expected_ms_ =
          model_ranking.model().expected(model_ranking.values(features), executor_.vertices(), executor_.edges());
    expected_by_ = &model_ranking;
  }
  place_comparison comparison = weigh(model_ranking, expected_ms_, &features, &first);
  const bool measured_here = executor_.on_device().measured(first.configuration.label()).has_value();
  if (!comparison.verdict.on_processors) {
    if (comparison.device.solve_ms && comparison.verdict.processors_ms)
      first.reason +=
          fmt::format("; {:.3g} ms {}, of which {:.3g} ms for the search, compared with {:.3g} ms on the processors",
                      comparison.verdict.device_ms, measured_here ? "as before" : "expected",
                      *comparison.device.solve_ms, *comparison.verdict.processors_ms);
    return std::nullopt;
  }
  comparison.on_host.candidate.reason = reason_for(comparison, measured_here, "");
  return comparison.on_host.candidate;
}

}  // namespace mlmq::detail
