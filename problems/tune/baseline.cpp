// SPDX-License-Identifier: Apache-2.0
#include "problems/tune/baseline.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <memory>

#include "problems/recommendation.hpp"

namespace mlmq::tune {
namespace {

problems::workload_facts facts_of(const std::vector<std::string>& names, const selector::workload_example& workload) {
  problems::workload_facts facts{.name = workload.name};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!std::isnan(workload.features[i])) facts.features.emplace(names[i], workload.features[i]);
  }
  return facts;
}

/// Returns the workload's key in baseline::held_out.
const std::string& name_in(const selector::workload_example& workload) {
  return workload.workload.empty() ? workload.name : workload.workload;
}

baseline baseline_of(const std::shared_ptr<problems::recommender>& recommends,
                     const std::vector<std::string>& features) {
  const bool has_model = recommends->model() != nullptr && recommends->device().grid;
  return {.name = has_model ? "shipped selector" : "default configuration",
          .is_installed = false,
          .recommended = [recommends, features](const selector::workload_example& workload) {
            std::vector<std::string> recommended;
            for (const auto& next : recommends->recommend(facts_of(features, workload)))
              recommended.push_back(next.configuration.label());
            return recommended;
          }};
}

}  // namespace

bool baseline::knows(const selector::workload_example& workload) const {
  const auto entry = held_out.find(name_in(workload));
  return entry != held_out.end() && !entry->second.empty();
}

std::vector<std::string> baseline::candidates(const selector::workload_example& workload) const {
  return knows(workload) ? held_out.at(name_in(workload)) : recommended(workload);
}

std::vector<std::string> baseline::choices(const selector::workload_example& workload,
                                           const std::function<bool(const std::string&)>& runs) const {
  const std::vector<std::string> usable = candidates(workload);
  if (knows(workload)) return usable;
  for (const std::string& label : usable) {
    if (runs(label)) return {label};
  }
  return {usable.front()};
}

std::vector<baseline> baselines(const problems::problem_entry& entry, const backends::device_info& device,
                                const std::vector<std::string>& features) {
  using source = problems::model_choice::source;
  std::vector<baseline> compared;
  const auto in_use = std::make_shared<problems::recommender>(entry, device);
  if (in_use->model() != nullptr && in_use->model()->about() != nullptr) {
    const selector::tuned_about& about = *in_use->model()->about();
    baseline installed = baseline_of(in_use, features);
    installed.name = fmt::format("selector of {}", about.creation_day);
    // The selector of a related problem is not replaced, and its held-out choices are for that problem.
    installed.is_installed = about.problem == entry.name;
    if (installed.is_installed) installed.held_out = about.held_out;
    compared.push_back(std::move(installed));
  }
  compared.push_back(baseline_of(
      std::make_shared<problems::recommender>(entry, device, problems::model_choice{.origin = source::shipped}),
      features));
  return compared;
}

}  // namespace mlmq::tune
