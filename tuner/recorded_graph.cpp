// SPDX-License-Identifier: Apache-2.0
#include "tuner/recorded_graph.hpp"

#include <filesystem>
#include <utility>

#include "base/error.hpp"

namespace mlmq::tuner {
namespace {

namespace fs = std::filesystem;

/// Sources are on record: any that is found quickly will do.
source_rules any_source() {
  source_rule rule;
  rule.choose = source_rule::choice::first;
  return {rule};
}

/// Adds what one request stands for, if it has the graph's name.
void add_inputs(const graph_request& request, const std::string& name, std::vector<input>& to) {
  experiment_file only;
  only.graphs = {request};
  only.graphs.front().sources = any_source();
  try {
    for (input& one : list_inputs(only, {})) {
      if (one.name == name) to.push_back(std::move(one));
    }
  } catch (const input_error&) {
    // Gone, or no longer to be generated.
  }
}

}  // namespace

recorded_graphs::recorded_graphs(const db::store& recorded, std::span<const std::string> named) : recorded_(recorded) {
  experiment_file any;
  any.sources = any_source();
  if (!named.empty()) named_ = list_inputs(any, named);
}

std::vector<input> recorded_graphs::candidates_for(const db::graph_record& graph, std::int64_t experiment) const {
  std::vector<input> candidates;
  for (const input& one : named_) {
    if (one.name == graph.name) candidates.push_back(one);
  }
  const bool is_file = !graph.path.empty();
  std::error_code ignored;
  if (is_file && !fs::exists(graph.path, ignored)) return candidates;
  // How the graph was read is in the experiment's file, where it is now on record.
  std::vector<graph_request> requests;
  try {
    requests = parse_experiment(recorded_.experiment_text(experiment), "recorded experiment").graphs;
  } catch (const input_error&) {
    // Of another program version, or no experiment file at all (mlmq compare).
  }
  graph_request plain;
  plain.from = is_file ? graph_request::origin::file : graph_request::origin::generate;
  plain.what = graph.name;
  requests.push_back(plain);
  for (graph_request& request : requests) {
    if ((request.from == graph_request::origin::file) != is_file) continue;
    if (is_file) request.what = graph.path;
    add_inputs(request, graph.name, candidates);
  }
  return candidates;
}

const input* recorded_graphs::find(std::int64_t graph, std::int64_t experiment) {
  const auto [place, is_new] = found_.try_emplace(graph);
  if (is_new) {
    const db::graph_record record = recorded_.graph(graph);
    for (input& one : candidates_for(record, experiment)) {
      try {
        if (load_input(one).record.hash != record.hash) continue;
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
