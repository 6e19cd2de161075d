// SPDX-License-Identifier: Apache-2.0
#include "cli/present_choice.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/print_text.hpp"
#include "problems/registry.hpp"
#include "problems/shortest_paths/processor_rule.hpp"
#include "selector/inference.hpp"
#include "selector/installed.hpp"
#include "selector/shipped.hpp"
#include "selector/told_features.hpp"

namespace mlmq::cli {
namespace {

using labels = std::vector<std::string>;

selector::named_features named(const std::vector<std::string>& names, const selector::workload_example& workload) {
  selector::named_features result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!std::isnan(workload.features[i])) result.emplace(names[i], workload.features[i]);
  }
  return result;
}

/// By what held_out knows it.
const std::string& name_in(const selector::workload_example& workload) {
  return workload.workload.empty() ? workload.name : workload.workload;
}

bool is_of_graphs(const std::string& problem) { return problem == "sssp" || problem == "bfs"; }

present_way program_way(const std::string& problem, const backends::device_info& device,
                        const tuner::parameter_set& parameters, const std::vector<std::string>& features,
                        const tuner::workload_features& kind) {
  const auto complete = [&parameters](std::string_view label) { return parameters.parse_label(label).label(); };
  if (is_of_graphs(problem) && device.grid) {
    return {
        .name = "shipped selector", .is_installed = false, .ranked = [=, &kind](const selector::workload_example& one) {
          labels all;
          const auto values =
              selector::told_features(named(features, one), selector::shipped_features(), kind, one.name);
          for (const std::size_t candidate : selector::shipped_ranked(values))
            all.push_back(complete(selector::shipped_label(candidate)));
          return all;
        }};
  }
  if (is_of_graphs(problem)) {
    const auto kind_of_search = problem == "bfs" ? problems::search_kind::bfs : problems::search_kind::sssp;
    const unsigned threads = device.multiprocessors;
    return {.name = "default configuration",
            .is_installed = false,
            .ranked = [=](const selector::workload_example& workload) {
              const selector::named_features values = named(features, workload);
              const auto feature = [&values](const char* name, double unknown) {
                const auto value = values.find(name);
                return value == values.end() ? unknown : value->second;
              };
              const bool equal = feature("weight_variation", 1) == 0;
              labels ranked;
              for (const auto& search : problems::rank_processor_searches(kind_of_search, feature("m", 0),
                                                                          feature("nnz", 0), threads, equal))
                ranked.push_back(complete(search.label));
              return ranked;
            }};
  }
  const problems::problem_entry* const entry = problems::known_problem(problem);
  const bool chooses = entry != nullptr && entry->solve != nullptr && entry->solve->choose != nullptr;
  return {.name = chooses && device.grid && !device.modelled ? "shipped selector" : "default configuration",
          .is_installed = false,
          .ranked = [=](const selector::workload_example& one) {
            labels all;
            if (chooses) {
              const selector::named_features known = named(features, one);
              const auto feature = [&known](std::string_view name) {
                const auto found = known.find(std::string(name));
                return found == known.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
              };
              for (const auto& suggested : entry->solve->choose(feature, device))
                all.push_back(complete(suggested.label));
            }
            all.push_back(complete(""));
            return all;
          }};
}

}  // namespace

bool present_way::knows(const selector::workload_example& workload) const {
  const auto known = held_out.find(name_in(workload));
  return known != held_out.end() && !known->second.empty();
}

std::vector<std::string> present_way::favourites(const selector::workload_example& workload) const {
  return knows(workload) ? held_out.at(name_in(workload)) : ranked(workload);
}

std::vector<std::string> present_way::choices(const selector::workload_example& workload,
                                              const std::function<bool(const std::string&)>& runs) const {
  const labels all = favourites(workload);
  if (knows(workload)) return all;
  for (const std::string& label : all) {
    if (runs(label)) return {label};
  }
  return {all.front()};
}

std::vector<present_way> present_ways(const std::string& problem, const backends::device_info& device,
                                      const tuner::parameter_set& parameters, const std::vector<std::string>& features,
                                      const tuner::workload_features& kind) {
  std::vector<present_way> all;
  if (const auto file = selector::installed_file(device.name, problem)) {
    try {
      selector::tuned_file read = selector::tuned_file_from_text(read_file(*file), file->string());
      const auto trained = std::make_shared<const selector::selector>(std::move(read.chooser));
      for (const selector::candidate& one : trained->candidates()) (void)parameters.parse_label(one.label);
      all.push_back({.name = fmt::format("selector of {}", read.about.made),
                     .is_installed = true,
                     .ranked =
                         [trained, features, &parameters](const selector::workload_example& one) {
                           labels found;
                           const auto values = selector::pick_features(trained->features(), features, one.features);
                           for (const selector::ranked_candidate& next : trained->ranked(values))
                             found.push_back(parameters.parse_label(trained->label(next.candidate)).label());
                           return found;
                         },
                     .held_out = std::move(read.about.held_out)});
    } catch (const input_error& error) {
      print_text(stderr, "mlmq: warning: the installed selector cannot be used, and will be replaced: {}\n",
                 error.what());
    }
  }
  all.push_back(program_way(problem, device, parameters, features, kind));
  return all;
}

}  // namespace mlmq::cli
