// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/graph_source.hpp"
#include "db/statistics.hpp"
#include "graph/check.hpp"
#include "graph/features.hpp"
#include "problems/registry.hpp"
#include "selector/inference.hpp"
#include "selector/shipped.hpp"

namespace mlmq::cli {
namespace {

struct solve_options {
  graph_options graph;
  std::optional<graph::vertex_id> source;
  std::string configuration = "auto";
  std::string model;
  std::string device = "auto";
  std::string output;
  unsigned repeat = 1;
  double time_limit_ms = 60'000;
  std::uint64_t seed = 1;
  bool check = false;
  bool counters = false;
};

/// The label of the configuration that the selector picks for a graph.
std::string selected_label(const graph::csr_graph& graph, const std::string& model_file) {
  const std::array<double, 8> features = graph::compute_features(graph).as_array();
  if (model_file.empty()) return std::string(selector::shipped_label(selector::shipped_select(features)));
  const selector::selector chosen = selector::selector::from_model_file(model_file);
  return chosen.label(chosen.select(features));
}

std::string distances_text(const graph::csr_graph& graph, const std::vector<graph::distance_bits>& distances) {
  std::string text;
  for (std::size_t v = 0; v < distances.size(); ++v) {
    if (distances[v] == graph::unreached) {
      fmt::format_to(std::back_inserter(text), "{} inf\n", v);
    } else {
      fmt::format_to(std::back_inserter(text), "{} {}\n", v, graph::distance_value(graph.weights(), distances[v]));
    }
  }
  return text;
}

void print_answer(const graph::csr_graph& graph, const std::vector<graph::distance_bits>& distances) {
  std::size_t reached = 0;
  graph::distance_bits longest = 0;
  for (const graph::distance_bits distance : distances) {
    if (distance == graph::unreached) continue;
    ++reached;
    longest = std::max(longest, distance);
  }
  fmt::print("reached        {} of {} vertices, longest distance {}\n", reached, distances.size(),
             graph::distance_value(graph.weights(), longest));
}

int solve(const solve_options& options) {
  const graph::generated_graph loaded = options.graph.load();
  const graph::vertex_id source = options.source.value_or(loaded.source);
  if (source >= loaded.graph.vertex_count()) {
    throw input_error(fmt::format("--source {}: {} has vertices 0 to {}", source, loaded.name,
                                  loaded.graph.vertex_count() - 1));
  }
  const auto problem = problems::make_problem("sssp");
  const auto parameters = tuner::parameter_set::from_declarations(problem->declarations());
  const bool automatic = options.configuration == "auto";
  const std::string label = automatic ? selected_label(loaded.graph, options.model) : options.configuration;
  const tuner::configuration chosen = parameters.parse_label(label);

  const auto device = backends::open_device(options.device);
  device->set_seed(options.seed);
  const auto instance = problem->load(*device, loaded.graph, loaded.name);
  const auto what = options.counters ? tuner::instrumentation::counters : tuner::instrumentation::none;
  const auto compiled = device->compile(instance->variant(chosen, what));
  instance->prepare(chosen, compiled, what);

  std::vector<double> times;
  tuner::run_report report;
  for (unsigned i = 0; i < options.repeat; ++i) {
    report = instance->run(source, options.time_limit_ms);
    if (report.result != db::outcome::ok) {
      throw work_error(fmt::format("{}: {}: {}", loaded.name, db::to_string(report.result), report.message));
    }
    times.push_back(report.milliseconds);
  }
  const std::vector<graph::distance_bits> distances = instance->distances();

  fmt::print("graph          {}, {} vertices, {} edges, source {}\n", loaded.name, loaded.graph.vertex_count(),
             loaded.graph.edge_count(), source);
  fmt::print("configuration  {}{}\n", chosen.label(), automatic ? " (chosen by the selector)" : "");
  fmt::print("device         {} ({})\n", device->info().name, device->info().selector);
  fmt::print("kernel         {:.0f} ms to {}\n", compiled->properties().compile_ms,
             compiled->properties().from_cache ? "load from the cache" : "compile");
  fmt::print("time           {:.4f} ms{}{}\n", db::median(times),
             device->info().modelled ? " modelled, not measured" : "",
             times.size() > 1 ? fmt::format(", median of {}", times.size()) : "");
  print_answer(loaded.graph, distances);
  for (const auto& [name, value] : report.counters) fmt::print("{:<15}{:.0f}\n", name, value);
  if (graph::has_saturated(loaded.graph.weights(), distances)) {
    throw work_error(loaded.name + ": a distance is beyond 32 bits; scale the weights down or use decimal weights");
  }
  if (!options.output.empty()) write_file_atomically(options.output, distances_text(loaded.graph, distances));
  if (options.check) {
    const std::string wrong = instance->check();
    if (!wrong.empty()) throw work_error(loaded.name + ": wrong answer: " + wrong);
    fmt::print("check          every distance is right\n");
  }
  return exit_ok;
}

}  // namespace

void add_solve_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand("solve", "Shortest paths from one vertex to all");
  const auto options = std::make_shared<solve_options>();
  options->graph.add_to(*command);
  command->add_option("--source", options->source, "start vertex, from 0 [the vertex with most out-edges]");
  command->add_option("--config", options->configuration,
                      "auto: what the selector picks; or KEY=VALUE,… (see docs/search-space.md)")
      ->capture_default_str();
  command->add_option("--model", options->model, "model.json to choose with, instead of the shipped selector");
  command->add_option("--device", options->device, "auto, cuda:N, simt or simt:SxW")->capture_default_str();
  command->add_option("--output", options->output, "file for the distances: one line VERTEX DISTANCE each");
  command->add_option("--repeat", options->repeat, "runs; the median time is shown")
      ->check(CLI::Range(1U, 1'000'000U))
      ->capture_default_str();
  command->add_option("--time-limit", options->time_limit_ms, "milliseconds for one run")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--seed", options->seed, "schedule of the simulator")->capture_default_str();
  command->add_flag("--check", options->check, "prove the answer optimal");
  command->add_flag("--counters", options->counters, "count work (slower)");
  command->callback([options, &status] { status = solve(*options); });
}

}  // namespace mlmq::cli
