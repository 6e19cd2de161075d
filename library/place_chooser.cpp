// SPDX-License-Identifier: Apache-2.0
#include "library/place_chooser.hpp"

#include <fmt/format.h>

#include <limits>

namespace mlmq::detail {

bool place_chooser::weighs_processors(const solve_options& options) const {
  return options.configurations.empty() && options.place == placement::best &&
         executor_.device().backend->info().grid && !executor_.device().facts.modelled &&
         executor_.data().device_rows == nullptr && !options.keep_on_device;
}

double place_chooser::transfer_ms(const problems::transfer_cost& cost, bool is_resident) const {
  return problems::transfer_ms(cost, executor_.vertices(), executor_.edges(), executor_.kind() != problem::bfs,
                               is_resident);
}

place_chooser::host_search place_chooser::fastest_on_host(ranking& model_ranking) {
  const double slowdown = executor_.host().slowdown(executor_.searched(), model_ranking.on_processors());
  const double first_slowdown = executor_.on_host().instance == nullptr ? first_search_slowdown : 1;
  double least_ms = std::numeric_limits<double>::infinity();
  host_search result;
  for (const problems::recommended_configuration& candidate : model_ranking.searches_on_processors()) {
    const std::optional<double> measured_ms = executor_.on_host().measured(candidate.configuration.label());
    const double milliseconds = measured_ms.value_or(candidate.expected_ms.value_or(least_ms) * slowdown);
    if (milliseconds >= least_ms) continue;
    least_ms = milliseconds;
    result = {.candidate = attempt_of(candidate), .cost = {}, .is_measured = measured_ms.has_value()};
  }
  result.candidate.on_host = true;
  result.candidate.chosen_by = choice::source::times;
  result.cost = {.transfer_ms = transfer_ms(executor_.host().transfer(), executor_.on_host().instance != nullptr),
                 .search_ms = least_ms * first_slowdown};
  return result;
}

problems::placed_search place_chooser::on_device(std::optional<double> search_ms) const {
  return {.transfer_ms = transfer_ms(executor_.device().transfer, executor_.on_device().instance != nullptr),
          .search_ms = search_ms};
}

/// Formats the reason for choosing the processors, with numbers.
std::string place_chooser::reason_for(const host_search& on_host, const problems::placed_search& device,
                                      bool measured_here, const char* from_what) const {
  const std::string& name = executor_.device().facts.selector;
  const double host_ms = on_host.cost.milliseconds();
  std::string text = fmt::format("the processors: {:.3g} ms {}, of which {:.3g} ms for the search, while ", host_ms,
                                 on_host.is_measured ? "as before" : "expected", *on_host.cost.search_ms);
  if (host_ms < device.transfer_ms) {
    return text + fmt::format("transferring the graph and the answer to and from {} alone takes {:.3g} ms", name,
                              device.transfer_ms);
  }
  if (measured_here) return text + fmt::format("{} took {:.3g} ms", name, device.milliseconds());
  return text + fmt::format("{} is expected to take {:.3g} ms{}, of which {:.3g} ms for the search", name,
                            device.milliseconds(), from_what, device.search_ms.value_or(0));
}

std::optional<attempt> place_chooser::faster_by_size(ranking& model_ranking) {
  const problems::placed_search device = on_device(model_ranking.expected_ms_by_size());
  host_search on_host = fastest_on_host(model_ranking);
  if (!problems::is_sooner(on_host.cost, device)) return std::nullopt;
  on_host.candidate.reason = reason_for(on_host, device, false, " (estimated from the size of the graph)");
  return on_host.candidate;
}

std::optional<attempt> place_chooser::sooner_on_host(ranking& model_ranking, attempt& first) {
  const std::optional<double> measured_ms = executor_.on_device().measured(first.configuration.label());
  const problems::placed_search device = on_device(measured_ms ? measured_ms : first.expected_ms);
  host_search on_host = fastest_on_host(model_ranking);
  if (problems::is_sooner(on_host.cost, device)) {
    on_host.candidate.reason = reason_for(on_host, device, measured_ms.has_value(), "");
    return on_host.candidate;
  }
  if (device.search_ms)
    first.reason += fmt::format(
        "; {:.3g} ms {}, of which {:.3g} ms for the search, compared with {:.3g} ms on the processors",
        device.milliseconds(), measured_ms ? "as before" : "expected", *device.search_ms, on_host.cost.milliseconds());
  return std::nullopt;
}

}  // namespace mlmq::detail
