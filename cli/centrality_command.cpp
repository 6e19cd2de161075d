// SPDX-License-Identifier: Apache-2.0
// `mlmq centrality GRAPH`: the betweenness of every vertex.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/graph_source.hpp"
#include "cli/interruption.hpp"
#include "cli/npy.hpp"
#include "cli/output_file.hpp"
#include "cli/progress_line.hpp"
#include "cli/result_options.hpp"
#include "cli/result_report.hpp"
#include "cli/solving_device.hpp"
#include "cli/usage.hpp"
#include "cli/vertex_files.hpp"
#include "mlmq/mlmq.hpp"
#include "problems/betweenness/solver.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::cli {
namespace {

/// Time limit of exact scores that were not requested explicitly.
constexpr double max_unrequested_seconds = 120;
/// Minimum time after which the time per source is considered known.
constexpr double seconds_of_trial = 1;
/// Number of sources that the message proposes.
constexpr std::size_t proposed_samples = 1024;

struct centrality_arguments {
  graph_options graph;
  std::string problem = default_graph_problem();
  std::string samples;
  std::string pairs = "auto";
  std::string configuration = "auto";
  std::string device = "auto";
  std::string output;
  std::size_t top = 10;
  std::uint64_t memory_bytes = 0;
  std::uint64_t seed = 1;
  bool normalized = false;
  bool endpoints = false;
  bool check = false;
  result_options results;
};

output_kind format_of(const std::filesystem::path& file) {
  return kind_of_output("--output", file, {output_kind::text, output_kind::csv, output_kind::npy});
}

std::string scores_text(const digraph& graph, const betweenness_scores& scores, output_kind format) {
  if (format == output_kind::npy) return npy_array(std::span(scores.values));
  std::string text = format == output_kind::csv
                         ? "vertex,betweenness\n"
                         : fmt::format("# VERTEX BETWEENNESS, of {}, from {} sources{}\n", graph.name(), scores.sources,
                                       scores.exact() ? " (all)" : fmt::format(" of {}", scores.population));
  const char between = format == output_kind::csv ? ',' : ' ';
  for (vertex v = 0; v < graph.vertex_count(); ++v) {
    fmt::format_to(std::back_inserter(text), "{}{}{}\n", vertex_text(graph, v), between, scores.values[v]);
  }
  return text;
}

/// @return nothing for all sources
std::optional<std::size_t> samples_in(const std::string& text) {
  if (text.empty() || text == "all") return std::nullopt;
  std::size_t samples = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), samples);
  if (error != std::errc() || end != text.data() + text.size() || samples == 0) {
    throw input_error(fmt::format("--samples {}: expected a number of sources, at least 1, or all", text));
  }
  return samples;
}

vertex_pairs pairs_in(const std::string& text) {
  if (text == "ordered") return vertex_pairs::ordered;
  return text == "unordered" ? vertex_pairs::unordered : vertex_pairs::automatic;
}

void check_configuration(const std::string& text) {
  try {
    (void)tuner::parameter_set::from_declarations(betweenness::declared_parameters()).parse_label(text);
  } catch (const input_error& error) {
    throw input_error(std::string("--config: ") + error.what());
  }
}

/// Opens the device; "auto" without a GPU means the processors, not the simulator.
device device_for(const std::string& name) {
  if (name == "auto" && backends::traits_of(backends::list_devices(name).front()).modelled) {
    return device(backends::processors_selector());
  }
  return device(name);
}

/// Shows progress, stops the computation on Ctrl-C, and rejects exact scores that would take too long unless requested.
class progress_monitor {
 public:
  progress_monitor(const digraph& graph, const device& search_device, bool asked_for_all, bool quiet)
      : line_(quiet), graph_(graph), device_(search_device), asked_for_all_(asked_for_all) {}

  bool operator()(const betweenness_progress& now) {
    const auto done = static_cast<double>(now.sources_done);
    const double total_seconds = now.seconds / done * static_cast<double>(now.sources);
    const double seconds_left = total_seconds - now.seconds;
    if (asked_for_all_ && now.seconds >= seconds_of_trial && seconds_left > max_unrequested_seconds) {
      line_.end();
      const double proposed = now.seconds / done * static_cast<double>(proposed_samples);
      throw input_error(
          fmt::format("{}: exact scores, from all {} vertices with out-edges, would take about {} on {}; use --samples "
                      "{} to estimate them in about {}, or --samples all to compute them anyway",
                      graph_.name(), now.sources, duration_text(total_seconds), device_.facts().name, proposed_samples,
                      duration_text(proposed)));
    }
    if (line_.due()) {
      line_.show({.done = now.sources_done,
                  .total = now.sources,
                  .unit = "sources",
                  .details = fmt::format("{:.4g}/s", done / now.seconds),
                  .seconds_left = seconds_left});
    }
    return !interrupted();
  }
  void end() { line_.end(); }

 private:
  progress_line line_;
  const digraph& graph_;
  const device& device_;
  bool asked_for_all_;
};

/// The vertices with the highest scores, highest first.
std::vector<vertex> highest(const betweenness_scores& scores, std::size_t count) {
  std::vector<vertex> ranked(scores.values.size());
  std::iota(ranked.begin(), ranked.end(), vertex{0});
  count = std::min(count, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count), ranked.end(),
                    [&](vertex a, vertex b) {
                      return scores.values[a] != scores.values[b] ? scores.values[a] > scores.values[b] : a < b;
                    });
  ranked.resize(count);
  return ranked;
}

void report_scores(result_report& report, const centrality_arguments& options, const digraph& graph,
                   const device_facts& device, const betweenness_scores& scores) {
  report["problem"] = options.problem;
  report.graph(graph);
  report.device(device.name, device.selector, device.modelled);
  if (scores.exact()) {
    report.line("scores", "exact, from all {} vertices with out-edges", scores.population);
  } else {
    report.line("scores", "estimated, from {} of {} vertices with out-edges", scores.sources, scores.population);
  }
  report["exact"] = scores.exact();
  report["sources"] = scores.sources;
  report["population"] = scores.population;
  report.line("pairs", "{}",
              options.normalized       ? "normalized: share of all pairs"
              : scores.unordered_pairs ? "unordered"
                                       : "ordered");
  report["unordered_pairs"] = scores.unordered_pairs;
  report["normalized"] = options.normalized;
  report["endpoints"] = options.endpoints;
  if (scores.sources > 0) {
    report.configuration(scores.choice.configuration, fmt::format("  ({})", scores.choice.reason));
    report.time(scores.times.solve, device.modelled,
                fmt::format(", {:.4g} sources/s", static_cast<double>(scores.sources) / scores.times.solve * 1e3));
  }
  report["highest"] = json_document::array();
  for (const vertex v : highest(scores, options.top)) {
    report.line(report["highest"].empty() ? "highest" : "", "vertex {}  {:.8g}", vertex_text(graph, v),
                scores.values[v]);
    report["highest"].push_back({{"vertex", vertex_document(graph, v)}, {"score", scores.values[v]}});
  }
  if (options.check) report.line("check", "every score is right");
  if (!options.output.empty()) report["output"] = options.output;
  report["checked"] = options.check;
}

int centrality(const centrality_arguments& options) {
  const std::optional<std::size_t> samples = samples_in(options.samples);
  result_report report(options.results, "centrality", options.output);
  std::optional<output_kind> format;
  if (!options.output.empty()) {
    format = format_of(options.output);
    check_output(options.output);
  }
  betweenness_options settings{.samples = samples,
                               .seed = options.seed,
                               .normalized = options.normalized,
                               .endpoints = options.endpoints,
                               .pairs = pairs_in(options.pairs),
                               .memory_bytes = options.memory_bytes,
                               .check = options.check};
  if (options.configuration != "auto") {
    check_configuration(options.configuration);
    settings.configurations = {options.configuration};
  }
  const digraph graph = open_digraph(options.graph);
  print_notes(graph.notes());
  device search_device = device_for(options.device);
  search_device.set_seed(options.seed);
  solver search(search_device, graph, graph_problem(options.problem));
  // Ctrl-C stops the computation after the current sources.
  note_interruptions();
  progress_monitor progress(graph, search_device, options.samples.empty(), options.results.quiet);
  const betweenness_scores scores =
      search.betweenness(settings, [&](const betweenness_progress& now) { return progress(now); });
  progress.end();
  end_on_interruption();
  const std::size_t planned_sources = std::min(samples.value_or(scores.population), scores.population);
  if (!scores.complete) {
    throw work_error(
        fmt::format("stopped after {} of {} sources; nothing was written", scores.sources, planned_sources));
  }

  report_scores(report, options, graph, search_device.facts(), scores);
  if (format) {
    write_output(options.output, scores_text(graph, scores, *format));
    report.line("written", "{}", options.output);
  }
  report.end();
  return exit_ok;
}

}  // namespace

void add_centrality_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand(
      "centrality", "Compute the betweenness of each vertex: the share of all shortest paths that pass through it");
  const auto options = std::make_shared<centrality_arguments>();
  options->graph.add_to(*command);
  command->add_option("--problem", options->problem, "sssp: weighted paths; bfs: every edge has length 1")
      ->check(one_of(graph_problem_names()))
      ->capture_default_str();
  command->add_option("--samples", options->samples,
                      "number of random sources to estimate the scores from; all: exact scores, however long they take "
                      "[all, if that takes less than two minutes]");
  command->add_option("--seed", options->seed, "seed of the random sources and of the simulator's schedule")
      ->capture_default_str();
  command->add_flag("--normalized", options->normalized, "divide each score by the number of pairs of other vertices");
  command->add_flag("--endpoints", options->endpoints, "count a path for its first and last vertex, too");
  command
      ->add_option("--pairs", options->pairs,
                   "ordered: count a path and its reverse as two; unordered: count them as one; auto: unordered for an "
                   "undirected graph")
      ->check(one_of({"auto", "ordered", "unordered"}))
      ->capture_default_str();
  command->add_option("--output", options->output,
                      "file for the scores: an array in NAME.npy, or one line per vertex, with its id, in NAME.csv or "
                      "NAME.txt; -: the lines on standard output, without the report");
  command->add_option("--top", options->top, "number of highest scores to show")->capture_default_str();
  command
      ->add_option("--config", options->configuration,
                   "auto: chosen for the graph; or KEY=VALUE,… (docs/reference/parameters.md, sssp_betweenness)")
      ->type_name("CONFIGURATION")
      ->capture_default_str();
  command
      ->add_option("--device", options->device,
                   "cuda:N, cpu, cpu:N, simt, simt:SxW; auto: a GPU, or processors if there is none")
      ->type_name("DEVICE")
      ->capture_default_str();
  command
      ->add_option("--memory", options->memory_bytes,
                   "device memory for distances, such as 8GiB [a quarter of the device's memory, at most 4 GiB]")
      ->transform(size_in_bytes())
      ->type_name("SIZE");
  command->add_flag("--check", options->check,
                    "recompute the scores on processors with a different algorithm, and compare");
  options->results.add_format(*command);
  options->results.add_quiet(*command);
  options->results.add_verbose(*command);
  takes_no_files(*command, {"--samples", "--config", "--device"});
  writes_files(*command, {"--output"});
  command->callback([options, &status] { status = centrality(*options); });
}

}  // namespace mlmq::cli
