// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/graph_source.hpp"
#include "cli/output_file.hpp"
#include "cli/usage.hpp"
#include "db/statistics.hpp"
#include "graph/check.hpp"
#include "graph/feature_list.hpp"
#include "graph/feature_pass.hpp"
#include "problems/registry.hpp"
#include "selector/inference.hpp"
#include "selector/shipped.hpp"

namespace mlmq::cli {
namespace {

struct solve_options {
  graph_options graph;
  std::optional<graph::vertex_id> source;
  std::string problem = "sssp";
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

/// What the selector is told of a graph, and what it took to find out.
struct timed_features {
  std::array<double, graph::feature_count> values{};
  double milliseconds = 0;
  std::string where;  ///< for a person
};

/// On the device if it can, where the graph is already.
timed_features features_for(const graph::csr_graph& graph, tuner::problem_instance& instance, bool modelled) {
  const auto values_of = [](const graph::feature_pass& pass) {
    return graph::table2_of(graph::pass_features(pass)).as_array();
  };
  if (const auto found = instance.features()) {
    return {values_of(found->pass), found->milliseconds, modelled ? "on the device, modelled" : "on the device"};
  }
  const auto start = std::chrono::steady_clock::now();
  const auto values = values_of(graph::run_feature_pass(graph, 0));
  return {values, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count(),
          "on the processors"};
}

/// The labels of the selector's candidates, best first.
std::vector<std::string> ranked_labels(const std::array<double, graph::feature_count>& features,
                                       const std::string& model_file) {
  std::vector<std::string> labels;
  if (!model_file.empty()) {
    const selector::selector chosen = selector::selector::from_model_file(model_file);
    for (const selector::ranked_candidate& candidate : chosen.ranked(features)) {
      labels.push_back(chosen.label(candidate.candidate));
    }
    return labels;
  }
  for (const std::size_t candidate : selector::shipped_ranked(features)) {
    labels.emplace_back(selector::shipped_label(candidate));
  }
  return labels;
}

/// A configuration, compiled and ready to run on an instance.
struct prepared_configuration {
  tuner::configuration chosen;
  std::shared_ptr<const backends::kernel> compiled;
  std::string chosen_by;  ///< for a person; empty when the user chose
};

prepared_configuration prepare(backends::backend& device, tuner::problem_instance& instance,
                               tuner::configuration chosen, tuner::instrumentation what) {
  auto compiled = device.compile(instance.variant(chosen, what));
  instance.prepare(chosen, compiled, what);
  return {.chosen = std::move(chosen), .compiled = std::move(compiled), .chosen_by = ""};
}

/// @throws input_error when the selector was trained for other parameters than this program has
tuner::configuration selected_configuration(const tuner::parameter_set& parameters, const std::string& label) {
  try {
    return parameters.parse_label(label);
  } catch (const input_error& error) {
    throw input_error(fmt::format(
        "the selector picks '{}', which this program does not have ({}); train one with 'mlmq selector train' and name "
        "it with --model, or choose with --config",
        label, error.what()));
  }
}

/// The best-ranked candidate that this device can launch; it may be smaller than the one the selector was trained on.
prepared_configuration prepare_selected(backends::backend& device, tuner::problem_instance& instance,
                                        const tuner::parameter_set& parameters, const std::vector<std::string>& labels,
                                        tuner::instrumentation what) {
  // The selector knows GPUs only.
  const bool on_processors = device.info().kind == "cpu";
  for (const std::string& label : on_processors ? std::vector<std::string>() : labels) {
    try {
      prepared_configuration ready = prepare(device, instance, selected_configuration(parameters, label), what);
      ready.chosen_by = " (chosen by the selector)";
      return ready;
    } catch (const backends::launch_error&) {
      continue;
    }
  }
  const char* const standard = on_processors ? "solver=delta_stepping" : "";
  prepared_configuration ready = prepare(device, instance, parameters.parse_label(standard), what);
  ready.chosen_by = on_processors ? " (the default on processors)"
                                  : " (the default: none of the selector's candidates fits on this device)";
  return ready;
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

tuner::configuration written_configuration(const tuner::parameter_set& parameters, const std::string& label) {
  try {
    return parameters.parse_label(label);
  } catch (const input_error& error) {
    throw input_error(std::string("--config: ") + error.what());
  }
}

int solve(const solve_options& options) {
  const bool automatic = options.configuration == "auto";
  if (!automatic && !options.model.empty()) {
    throw input_error("--config and --model cannot go together: a model chooses the configuration");
  }
  check_output(options.output);
  const graph::generated_graph loaded = options.graph.load();
  const graph::vertex_id source = options.source.value_or(loaded.source);
  if (source >= loaded.graph.vertex_count()) {
    throw input_error(
        fmt::format("--source {}: {} has vertices 0 to {}", source, loaded.name, loaded.graph.vertex_count() - 1));
  }
  const auto problem = problems::make_problem(options.problem);
  const auto parameters = tuner::parameter_set::from_declarations(problem->declarations());
  const tuner::configuration written = written_configuration(parameters, automatic ? "" : options.configuration);

  const auto device = backends::open_device(options.device);
  device->set_seed(options.seed);
  const auto what = options.counters ? tuner::instrumentation::counters : tuner::instrumentation::none;
  const auto instance = problem->load(*device, loaded.graph, loaded.name);
  timed_features features;
  if (automatic) features = features_for(loaded.graph, *instance, device->info().modelled);
  const prepared_configuration ready =
      automatic ? prepare_selected(*device, *instance, parameters, ranked_labels(features.values, options.model), what)
                : prepare(*device, *instance, written, what);

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
  fmt::print("configuration  {}{}\n", ready.chosen.label(), ready.chosen_by);
  fmt::print("device         {} ({})\n", device->info().name, device->info().selector);
  if (device->info().kind == "cpu") {
    fmt::print("kernel         compiled in\n");
  } else {
    fmt::print("kernel         {:.0f} ms to {}\n", ready.compiled->properties().compile_ms,
               ready.compiled->properties().from_cache ? "load from the cache" : "compile");
  }
  fmt::print("time           {:.4f} ms{}{}\n", db::median(times),
             device->info().modelled ? " modelled, not measured" : "",
             times.size() > 1 ? fmt::format(", median of {}", times.size()) : "");
  if (automatic) {
    fmt::print("features       {:.4f} ms {}, {:.1f} % of the time\n", features.milliseconds, features.where,
               100 * features.milliseconds / db::median(times));
  }
  print_answer(loaded.graph, distances);
  for (const auto& [name, value] : report.counters) fmt::print("{:<15}{:.0f}\n", name, value);
  if (graph::has_saturated(loaded.graph.weights(), distances)) {
    throw work_error(loaded.name + ": a distance is beyond 32 bits; scale the weights down or use decimal weights");
  }
  if (!options.output.empty()) write_output(options.output, distances_text(loaded.graph, distances));
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
  command->add_option("--problem", options->problem, "sssp: by weights; bfs: every edge has length 1")
      ->capture_default_str();
  command->add_option("--source", options->source, "start vertex, from 0 [the vertex with most out-edges]");
  command
      ->add_option("--config", options->configuration,
                   "auto: what the selector picks; or KEY=VALUE,… (see docs/queues.md)")
      ->capture_default_str();
  command->add_option("--model", options->model, "model.json to choose with, instead of the shipped selector");
  command->add_option("--device", options->device, "auto, cuda:N, simt, simt:SxW, cpu or cpu:N")->capture_default_str();
  command->add_option("--output", options->output, "file for the distances: one line VERTEX DISTANCE each");
  command->add_option("--repeat", options->repeat, "runs; the median time is shown")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--time-limit", options->time_limit_ms, "milliseconds for one run")
      ->check(positive_number())
      ->capture_default_str();
  command->add_option("--seed", options->seed, "schedule of the simulator")->capture_default_str();
  command->add_flag("--check", options->check, "prove the answer optimal");
  command->add_flag("--counters", options->counters, "count work (slower)");
  command->callback([options, &status] { status = solve(*options); });
}

}  // namespace mlmq::cli
