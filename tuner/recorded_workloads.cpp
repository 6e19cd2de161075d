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

/// Adds what one request stands for, if it has the workload's name.
void add_inputs(const workload_kind& kind, const workload_request& request, const std::string& name,
                std::vector<workload_input>& to) {
  try {
    for (workload_input& one : list_workloads(kind, request, {})) {
      if (one.name == name && std::find(to.begin(), to.end(), one) == to.end()) to.push_back(std::move(one));
    }
  } catch (const input_error&) {
    // Gone, or no longer to be generated.
  }
}

/// Adds what the files are with options that commands may have given them, behind the others.
void add_read_with(const std::map<std::string, std::string>& options, const workload_kind& kind,
                   std::vector<workload_input>& to) {
  for (const auto& [option, value] : options) {
    const auto known = kind.options();
    const auto is_it = [&](const named_meaning& one) { return one.name == option; };
    if (std::none_of(known.begin(), known.end(), is_it)) continue;
    for (std::size_t i = 0, end = to.size(); i < end; ++i) {
      workload_input one = to[i];
      if (!one.file.empty() && one.options.emplace(option, value).second) to.push_back(std::move(one));
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
  for (const workload_input& one : named->second) {
    if (one.name == workload.name) candidates.push_back(one);
  }
  const bool is_file = !workload.origin.empty();
  std::error_code ignored;
  if (is_file && !fs::exists(workload.origin, ignored)) return candidates;
  // How the workload was read is in the experiment's file, where it is now on record.
  std::vector<workload_request> requests;
  try {
    requests = parse_experiment(recorded_.experiment_text(experiment), "recorded experiment").workloads;
  } catch (const input_error&) {
    // Of another program version, or no experiment file at all (mlmq compare).
  }
  workload_request plain;
  plain.from = is_file ? workload_request::origin::file : workload_request::origin::generate;
  plain.what = workload.name;
  requests.push_back(plain);
  for (workload_request& request : requests) {
    if ((request.from == workload_request::origin::file) != is_file) continue;
    if (is_file) request.what = workload.origin;
    add_inputs(kind, request, workload.name, candidates);
  }
  return candidates;
}

const workload_input* recorded_workloads::find(std::int64_t workload, std::int64_t experiment,
                                               const workload_kind& kind) {
  const auto [place, is_new] = found_.try_emplace(workload);
  if (is_new) {
    const db::workload_record record = recorded_.workload(workload);
    if (record.kind != kind.name()) return nullptr;
    for (workload_input& one : candidates_for(record, experiment, kind)) {
      try {
        if (kind.load(one)->record.hash != record.hash) continue;
      } catch (const input_error&) {
        continue;
      }
      place->second = std::move(one);
      break;
    }
  }
  return place->second ? &*place->second : nullptr;
}

}  // namespace mlmq::tuner
