// SPDX-License-Identifier: Apache-2.0
#include "library/place_chooser.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace mlmq::detail {

bool place_chooser::weighs_processors(const solve_options& options) const {
  return options.configurations.empty() && options.place == placement::best && runs_.device().own->info().grid &&
         !runs_.device().facts.modelled && runs_.data().elsewhere == nullptr && !options.keep_on_device;
}

double place_chooser::transfer_ms(const selector::transfer_cost& cost, bool is_resident) const {
  return selector::transfer_ms(cost, runs_.vertices(), runs_.edges(), runs_.kind() != problem::bfs, is_resident);
}

/// The candidate for processors that the model ranks first, or the one whose time is predictable.
place_chooser::host_search place_chooser::first_on_host(ranking& model_ranking, const tuner::named_features* features) {
  host_search result;
  if (const problems::recommended_configuration* const best = model_ranking.best_on_processors(features)) {
    result.what.configuration = best->configuration;
    result.what.predicted = best->predicted;
  } else {
    result.what.configuration = model_ranking.parse(predictable_solver);
  }
  const std::optional<double> before = runs_.there().measured(result.what.configuration.label());
  result.known = before.has_value();
  result.solve_ms =
      before ? *before
             : runs_.host().item_ms(runs_.searched(), result.what.configuration) * (runs_.vertices() + runs_.edges());
  return result;
}

/// The fastest of those whose times the model expects, as measured before, or else as expected here.
place_chooser::host_search place_chooser::fastest_on_host(ranking& model_ranking, std::span<const double> recorded_ms) {
  const std::span<const labelled_configuration> searchers = model_ranking.searchers();
  std::vector<processors::option> options;
  for (std::size_t i = 0; i < searchers.size(); ++i) {
    options.push_back({searchers[i], recorded_ms[i], runs_.there().measured(searchers[i].label()),
                       model_ranking.model().searchers()[i].calibrations});
  }
  const auto [best, solve_ms] =
      runs_.host().fastest(runs_.searched(), options, model_ranking.model().recorded_threads());
  host_search result;
  result.what.configuration = options[best].configuration;
  result.solve_ms = solve_ms;
  result.known = options[best].measured_ms.has_value();
  return result;
}

/// What is expected of both places.
/// @param recorded_ms as ranking_model::expected(), or nothing
/// @param features, first features of the graph, and the attempt on the device; null if only the size of the graph is known
place_chooser::both_places place_chooser::weigh(ranking& model_ranking, std::span<const double> recorded_ms,
                                                const tuner::named_features* features, const attempt* first) {
  both_places both;
  both.on_host = recorded_ms.size() > 1 ? fastest_on_host(model_ranking, recorded_ms.subspan(1))
                                        : first_on_host(model_ranking, features);
  both.on_host.what.on_host = true;
  both.on_host.what.by = choice::chooser::times;
  both.device.transfer_ms = transfer_ms(runs_.device().transfer, runs_.here().instance != nullptr);
  if (first != nullptr) {
    both.device.solve_ms = runs_.here().measured(first->configuration.label());
    both.device.predicted = first->predicted;
  }
  if (!both.device.solve_ms && !recorded_ms.empty()) both.device.solve_ms = recorded_ms.front();
  // What the device would take follows from predictions of searches that are not the first.
  const double slowdown = runs_.there().instance == nullptr ? first_search_slowdown : 1;
  both.verdict = selector::weigh(
      both.device, {.transfer_ms = transfer_ms(runs_.host().transfer(), runs_.there().instance != nullptr),
                    .solve_ms = both.on_host.solve_ms,
                    .predicted = both.on_host.what.predicted,
                    .slowdown = slowdown});
  both.on_host.solve_ms *= slowdown;
  return both;
}

/// What speaks for the processors, in numbers.
std::string place_chooser::reason_for(const both_places& both, bool measured_here, const char* from_what) const {
  const std::string& name = runs_.device().facts.selector;
  const double device_ms = both.verdict.device_ms;
  std::string text =
      fmt::format("the processors: {:.3g} ms {}, of which {:.3g} for the search, while ", *both.verdict.processors_ms,
                  both.on_host.known ? "as before" : "expected", both.on_host.solve_ms);
  if (*both.verdict.processors_ms < both.device.transfer_ms) {
    return text +
           fmt::format("bringing graph and answer to and from {} alone takes {:.3g} ms", name, both.device.transfer_ms);
  }
  if (measured_here) return text + fmt::format("{} took {:.3g} ms", name, device_ms);
  if (!both.device.solve_ms) return text + fmt::format("{} is predicted to take {:.3g} ms", name, device_ms);
  return text + fmt::format("{} is expected to take {:.3g} ms{}, of which {:.3g} for the search", name, device_ms,
                            from_what, *both.device.solve_ms);
}

bool place_chooser::expects_times(const ranking& model_ranking) const {
  return model_ranking.model().times_of() == runs_.searched().name();
}

std::optional<attempt> place_chooser::sooner_by_size(ranking& model_ranking) {
  std::vector<double> recorded_ms;
  if (expects_times(model_ranking))
    recorded_ms = model_ranking.model().expected_by_size(runs_.vertices(), runs_.edges());
  both_places weighed = weigh(model_ranking, recorded_ms, nullptr, nullptr);
  if (!weighed.verdict.on_processors) return std::nullopt;
  weighed.on_host.what.reason = reason_for(weighed, false, " by the size of the graph");
  return weighed.on_host.what;
}

std::optional<attempt> place_chooser::sooner_on_host(ranking& model_ranking, const tuner::named_features& features,
                                                     attempt& first) {
  if (expected_by_ != &model_ranking) {
    expected_by_ = nullptr;
    expected_ms_.clear();
    if (expects_times(model_ranking))
      expected_ms_ = model_ranking.model().expected(model_ranking.values(features), runs_.vertices(), runs_.edges());
    expected_by_ = &model_ranking;
  }
  both_places weighed = weigh(model_ranking, expected_ms_, &features, &first);
  const bool measured_here = runs_.here().measured(first.configuration.label()).has_value();
  if (!weighed.verdict.on_processors) {
    if (weighed.device.solve_ms && weighed.verdict.processors_ms)
      first.reason += fmt::format("; {:.3g} ms {}, of which {:.3g} for the search, and {:.3g} ms on the processors",
                                  weighed.verdict.device_ms, measured_here ? "as before" : "expected",
                                  *weighed.device.solve_ms, *weighed.verdict.processors_ms);
    return std::nullopt;
  }
  weighed.on_host.what.reason = reason_for(weighed, measured_here, "");
  return weighed.on_host.what;
}

}  // namespace mlmq::detail
