// SPDX-License-Identifier: Apache-2.0
#include "cli/training_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/version.hpp"
#include "graph/feature_list.hpp"
#include "tuner/configuration.hpp"

namespace mlmq::cli {
namespace {

selector::candidate candidate_of(const tuner::configuration& configuration) {
  selector::candidate candidate{.label = configuration.label(), .parameters = {}};
  for (const auto& [name, value] : configuration.values()) {
    candidate.parameters.emplace_back(name, tuner::to_text(value));
  }
  return candidate;
}

/// Collects rows of several databases: equal graphs and configurations become one.
class collector {
 public:
  explicit collector(selector::grouping groups) : groups_(groups) {}

  void add(const db::training_data& data) {
    for (const db::training_row& row : data.rows) {
      const auto configuration = tuner::configuration::from_json(row.parameters_json);
      // Other people's programs are on record beside ours, but cannot be chosen.
      const tuner::value* const solver = configuration.find("solver");
      if (solver != nullptr && *solver == tuner::value(std::string("peer"))) continue;
      const db::graph_record& graph = data.graphs.at(row.graph);
      const selector::observation observation{.graph = graph_index(graph, row.source),
                                              .candidate = candidate_index(configuration),
                                              .milliseconds = row.median_ms.value_or(0),
                                              .ok = row.median_ms.has_value()};
      // The first database that has a trial decides, so the order of the command line is the order of trust.
      if (seen_.emplace(observation.graph, observation.candidate).second) set.observations.push_back(observation);
    }
  }

  /// An input without a right answer of any candidate teaches nothing: not even that one of them is bad. Its distances may
  /// be beyond 32 bits, or nothing is fast enough for it.
  void drop_unsolved() {
    std::vector<bool> solved(set.graphs.size());
    for (const selector::observation& one : set.observations) {
      if (one.ok) solved[one.graph] = true;
    }
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < solved.size(); ++i) {
      if (!solved[i]) continue;
      records_[kept.size()] = records_[i];
      inputs[kept.size()] = inputs[i];
      kept.push_back(i);
    }
    if (kept.empty()) return;  // nothing to learn from: who trains says so
    records_.resize(kept.size());
    inputs.resize(kept.size());
    set = selector::keep_graphs(set, kept);
  }

  /// What any graph has on record is a feature of all.
  void give_features() {
    for (const graph::feature_definition& one : graph::feature_definitions()) {
      if (!any_has(one.name)) continue;
      set.features.emplace_back(one.name);
      for (std::size_t i = 0; i < records_.size(); ++i) {
        const std::optional<double> value = records_[i].feature(one.name);
        set.graphs[i].features.push_back(value ? graph::told_to_selectors(one.name, *value, records_[i].edges)
                                               : std::numeric_limits<double>::quiet_NaN());
      }
    }
  }

  selector::training_set set;
  std::vector<training_input> inputs;

 private:
  std::size_t graph_index(const db::graph_record& record, std::uint64_t source) {
    const auto [place, is_new] = graphs_.try_emplace({record.hash, source}, set.graphs.size());
    if (is_new) {
      set.graphs.push_back({.name = fmt::format("{} from {} ({})", record.name, source, record.hash.substr(0, 8)),
                            .group = groups_ == selector::grouping::family && !record.family.empty()
                                         ? record.family
                                         : selector::group_of(record.name, groups_),
                            .graph_class = record.graph_class,
                            .features = {},
                            .graph = fmt::format("{} ({})", record.name, record.hash.substr(0, 8))});
      records_.push_back(record);
      inputs.push_back({.graph = record.name, .graph_class = record.graph_class, .source = source});
    }
    return place->second;
  }

  [[nodiscard]] bool any_has(std::string_view feature) const {
    return std::any_of(records_.begin(), records_.end(),
                       [&](const db::graph_record& record) { return record.feature(feature).has_value(); });
  }

  std::size_t candidate_index(const tuner::configuration& configuration) {
    const auto [place, is_new] = candidates_.try_emplace(configuration.label(), set.candidates.size());
    if (is_new) set.candidates.push_back(candidate_of(configuration));
    return place->second;
  }

  selector::grouping groups_;
  std::vector<db::graph_record> records_;  ///< one for each of set.graphs
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> graphs_;
  std::map<std::string, std::size_t> candidates_;
  std::set<std::pair<std::size_t, std::size_t>> seen_;
};

using device_map = std::map<std::string, db::device_record>;

/// Those whose names have `part` in them.
device_map named(const device_map& devices, const std::string& part) {
  device_map result;
  for (const auto& [hash, record] : devices) {
    if (record.name.find(part) != std::string::npos) result.emplace(hash, record);
  }
  return result;
}

/// Processors, or all others.
device_map of_kind(const device_map& devices, bool processors) {
  device_map result;
  for (const auto& [hash, record] : devices) {
    if ((record.kind == "cpu") == processors) result.emplace(hash, record);
  }
  return result;
}

std::vector<std::string> names_of(const device_map& devices) {
  std::vector<std::string> names;
  for (const auto& [hash, record] : devices) names.push_back(record.name);
  return names;
}

/// The trials of all devices, and what these are.
struct recorded {
  std::vector<db::training_data> parts;  ///< in the order of the databases
  device_map devices;
};

recorded read_all(const std::vector<std::string>& databases, const std::string& problem,
                  const std::vector<db::trial_filter>& scopes) {
  recorded all;
  for (const std::string& file : databases) {
    const auto store = db::store::open(file, db::open_mode::read_only);
    for (db::trial_filter filter : scopes) {
      filter.problem = problem;
      all.parts.push_back(store.training(filter));
      for (const db::training_row& row : all.parts.back().rows) {
        if (!all.devices.contains(row.device_hash)) all.devices.emplace(row.device_hash, store.device(row.device));
      }
    }
  }
  return all;
}

collector collect(const recorded& all, const std::string& device_hash, selector::grouping groups) {
  collector result(groups);
  for (db::training_data part : all.parts) {
    std::erase_if(part.rows, [&](const db::training_row& row) { return row.device_hash != device_hash; });
    result.add(part);
  }
  result.drop_unsolved();
  result.give_features();
  return result;
}

/// @throws input_error when several are possible
std::optional<selector::processor_record> processors_of(const recorded& all, const std::string& part,
                                                        selector::grouping groups) {
  const device_map wanted = named(of_kind(all.devices, true), part);
  if (wanted.empty()) {
    if (part.empty()) return std::nullopt;
    throw input_error(fmt::format("no finished trials on processors named like '{}'; there are trials of {}", part,
                                  fmt::join(names_of(all.devices), ", ")));
  }
  if (wanted.size() > 1)
    throw input_error(fmt::format("trials of several kinds of processors: {}; choose one with --processors",
                                  fmt::join(names_of(wanted), ", ")));
  collector found = collect(all, wanted.begin()->first, groups);
  selector::processor_record result{.set = std::move(found.set),
                                    .name = wanted.begin()->second.name,
                                    .threads = static_cast<unsigned>(wanted.begin()->second.multiprocessors),
                                    .calibrations = {}};
  for (std::size_t g = 0; g < found.inputs.size(); ++g) {
    for (const char* const name : selector::calibration_graphs) {
      if (found.inputs[g].graph == name)
        result.calibrations.push_back({result.set.graphs[g].name, name, found.inputs[g].source});
    }
  }
  return result;
}

}  // namespace

training_data load_training_data(const std::vector<std::string>& databases, const std::string& problem,
                                 const recorded_devices& devices, const std::vector<db::trial_filter>& scopes,
                                 selector::grouping groups) {
  const recorded all = read_all(databases, problem, scopes);
  const std::string& part = devices.device;
  device_map wanted = named(all.devices, part);
  if (wanted.empty()) {
    throw input_error(
        fmt::format("no finished trials of problem '{}'{} in {}{}", problem,
                    part.empty() ? "" : " on a device named like '" + part + "'", fmt::join(databases, ", "),
                    all.devices.empty() ? "" : fmt::format("; there are {}", fmt::join(names_of(all.devices), ", "))));
  }
  if (const device_map others = of_kind(wanted, false); !others.empty()) wanted = others;
  if (wanted.size() > 1) {
    throw input_error(
        fmt::format("trials of several devices: {}; choose one with --device", fmt::join(names_of(wanted), ", ")));
  }
  const auto& [hash, record] = *wanted.begin();
  collector found = collect(all, hash, groups);
  training_data result{.set = std::move(found.set),
                       .inputs = std::move(found.inputs),
                       .source = {.device_name = record.name,
                                  .device_kind = record.kind,
                                  .times = record.kind == "simt" ? "modelled" : "measured",
                                  .problem = problem,
                                  .program_version = program_version()}};
  // Modelled times are not to be compared with measured ones.
  if (devices.processors && record.kind != "cpu" && record.kind != "simt")
    result.processors = processors_of(all, *devices.processors, groups);
  return result;
}

}  // namespace mlmq::cli
