// SPDX-License-Identifier: Apache-2.0
#include "tuner/recorded_workloads.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace mlmq::tuner {
namespace {

namespace fs = std::filesystem;

/// Adds the inputs of one request that have the workload's name.
void add_inputs(const workload_kind& kind, const workload_request& request, const std::string& name,
                std::vector<workload_input>& inputs) {
  try {
    for (workload_input& input : list_workloads(kind, request, {})) {
      if (input.name == name && std::find(inputs.begin(), inputs.end(), input) == inputs.end())
        inputs.push_back(std::move(input));
    }
  } catch (const input_error&) {
    // The file is gone, or the generator no longer exists.
  }
}

/// Appends copies of the file inputs with options that commands may have applied.
void add_read_with(const std::map<std::string, std::string>& options, const workload_kind& kind,
                   std::vector<workload_input>& inputs) {
  for (const auto& [option, value] : options) {
    const auto kind_options = kind.options();
    const auto is_this_option = [&](const named_meaning& candidate) { return candidate.name == option; };
    if (std::none_of(kind_options.begin(), kind_options.end(), is_this_option)) continue;
    for (std::size_t i = 0, end = inputs.size(); i < end; ++i) {
      workload_input variant = inputs[i];
      if (!variant.file.empty() && variant.options.emplace(option, value).second) inputs.push_back(std::move(variant));
    }
  }
}

}  // namespace

std::vector<workload_input> recorded_workloads::candidates_for(const db::workload_record& workload,
                                                               std::int64_t experiment, const workload_kind& kind) {
  std::vector<workload_input> candidates = entries_for(workload, experiment, kind);
  add_read_with(file_options_, kind, candidates);
  return candidates;
}

std::vector<workload_input> recorded_workloads::entries_for(const db::workload_record& workload,
                                                            std::int64_t experiment, const workload_kind& kind) {
  const auto [named, is_new] = named_inputs_.try_emplace(kind.name());
  if (is_new) named->second = list_workloads(kind, named_);
  std::vector<workload_input> candidates;
  for (const workload_input& input : named->second) {
    if (input.name == workload.name) candidates.push_back(input);
  }
  const bool is_file = !workload.origin.empty();
  std::error_code ignored;
  if (is_file && !fs::exists(workload.origin, ignored)) return candidates;
  // The recorded experiment file has the options with which the workload was read; its location is the recorded one.
  std::vector<workload_request> requests;
  try {
    requests = parse_experiment(recorded_.experiment_text(experiment), "recorded experiment").workloads;
  } catch (const input_error&) {
    // Written by another program version, or not an experiment file (mlmq compare).
  }
  workload_request plain;
  plain.source = is_file ? workload_request::origin::file : workload_request::origin::generate;
  plain.specifier = workload.name;
  requests.push_back(plain);
  for (workload_request& request : requests) {
    if ((request.source == workload_request::origin::file) != is_file) continue;
    if (is_file) request.specifier = workload.origin;
    add_inputs(kind, request, workload.name, candidates);
  }
  return candidates;
}

const workload_input* recorded_workloads::find(std::int64_t workload, std::int64_t experiment,
                                               const workload_kind& kind) {
  const auto [place, is_new] = located_inputs_.try_emplace(workload);
  if (is_new) {
    const db::workload_record record = recorded_.workload(workload);
    if (record.kind != kind.name()) return nullptr;
    for (workload_input& candidate : candidates_for(record, experiment, kind)) {
      try {
        if (kind.load(candidate)->record.hash != record.hash) continue;
      } catch (const input_error&) {
        continue;
      }
      place->second = std::move(candidate);
      break;
    }
  }
  return place->second ? &*place->second : nullptr;
}

}  // namespace mlmq::tuner
