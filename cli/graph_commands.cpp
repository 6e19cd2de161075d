// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "base/thread_team.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/graph_output.hpp"
#include "cli/graph_source.hpp"
#include "cli/json_output.hpp"
#include "cli/print_text.hpp"
#include "cli/result_options.hpp"
#include "cli/usage.hpp"
#include "db/format.hpp"
#include "graph/classify.hpp"
#include "graph/feature_list.hpp"
#include "graph/feature_pass.hpp"
#include "graph/feature_samples.hpp"
#include "graph/features.hpp"
#include "graph/hash.hpp"
#include "graph/hierarchy/arc_bound.hpp"
#include "graph/reduced_graph.hpp"
#include "graph/reduction.hpp"
#include "problems/graphs/graph_workload.hpp"

namespace mlmq::cli {

void graph_options::add_to(CLI::App& command) {
  command
      .add_option("graph", name,
                  "graph file (.gr, .mtx, .txt, …, also .gz), or name of a generated graph: road14, del12, rmat16")
      ->required();
  command.add_option("--weight-seed", weight_seed, "seed of random weights for a graph that has none [1]");
  command.add_flag("--ignore-weights", ignore_weights, "replace the file's weights by random ones");
  command
      .add_option("--negative-weights", negative_weights,
                  "refuse files with negative weights, or take the absolute values")
      ->check(one_of({"refuse", "absolute"}))
      ->capture_default_str();
  command
      .add_option("--weights", weights,
                  "type of weights and distances [uint32 for whole numbers, float32 for decimal numbers]")
      ->check(one_of({"uint32", "float32", "float64"}));
  auto* const directed_flag = command.add_flag("--directed", directed, "treat every entry as one directed edge");
  command.add_flag("--undirected", undirected, "add the reverse of every edge")->excludes(directed_flag);
  constexpr const char* table_option = "column of a table of edges (.csv) with the {} [{}]";
  command.add_option("--weight-column", columns.weight,
                     fmt::format(fmt::runtime(table_option), "weights", "weight, cost, length, …, as its header says"));
  command.add_option("--source-column", columns.source,
                     fmt::format(fmt::runtime(table_option), "vertices that edges leave", "source, from, …"));
  command.add_option("--target-column", columns.target,
                     fmt::format(fmt::runtime(table_option), "vertices that edges enter", "target, to, …"));
  command
      .add_option("--direction-column", columns.direction,
                  "column of a table of edges that says which of them lead in both directions [oneway, directed, Type]")
      ->excludes("--directed")
      ->excludes("--undirected");
  reads_files(command, {"graph"});
  takes_no_files(command, {"--weight-column", "--source-column", "--target-column", "--direction-column"});
}

void graph_options::check() const {
  std::error_code ignored;
  if (graph::looks_like_file(name) || std::filesystem::exists(name, ignored)) return;
  const char* const unused = weight_seed                    ? "--weight-seed"
                             : ignore_weights               ? "--ignore-weights"
                             : directed                     ? "--directed"
                             : undirected                   ? "--undirected"
                             : negative_weights != "refuse" ? "--negative-weights"
                             : !columns.weight.empty()      ? "--weight-column"
                             : !columns.source.empty()      ? "--source-column"
                             : !columns.target.empty()      ? "--target-column"
                             : !columns.direction.empty()   ? "--direction-column"
                                                            : nullptr;
  if (unused == nullptr) return;
  static_cast<void>(graph::generate_named(name));  // report an invalid name first
  throw input_error(fmt::format("{}: '{}' is generated; this option applies only to files", unused, name));
}

graph::read_options graph_options::reading() const {
  graph::read_options options;
  options.weight_seed = weight_seed.value_or(options.weight_seed);
  options.ignore_weights = ignore_weights;
  options.absolute_weights = negative_weights == "absolute";
  if (!weights.empty()) options.weight_type = graph::weight_type_from(weights);
  if (directed) options.undirected = false;
  if (undirected) options.undirected = true;
  options.columns = columns;
  return options;
}

graph::generated_graph graph_options::load() const {
  check();
  problems::opened_graph loaded = problems::open_graph(name, reading());
  print_notes(loaded.notes);
  if (loaded.graph_class.empty()) loaded.graph_class = graph::graph_class(graph::compute_features(loaded.graph));
  return loaded;
}

void print_notes(std::span<const std::string> notes) {
  // Graphs of one folder often have the same note: print it once.
  constexpr std::size_t most_alike = 3;
  const auto text_of = [](const std::string& note) { return note.substr(std::min(note.find(": "), note.size())); };
  std::map<std::string, std::size_t> alike;
  for (const std::string& note : notes) ++alike[text_of(note)];
  for (const std::string& note : notes) {
    std::size_t& count = alike[text_of(note)];
    if (count == 0) continue;
    const std::string others = count > most_alike ? fmt::format(" and {} others", count - 1) : "";
    print_note("{}", on_one_line(others.empty() ? note : note.substr(0, note.find(": ")) + others + text_of(note)));
    if (!others.empty()) count = 0;
  }
}

namespace {

/// How far a graph reduces.
struct reduced_size {
  graph::vertex_id without_leaves = 0;                     ///< vertices that are left without leaves and trees
  graph::vertex_id vertices = 0;                           ///< that are left without chains, too
  std::optional<graph::edge_offset> edges = std::nullopt;  ///< nothing: a chain is too long for a weight
  graph::vertex_id core_vertices = 0;                      ///< that are left without vertices of low degree, too
  std::optional<graph::edge_offset> core_edges = std::nullopt;
  double milliseconds = 0;       ///< to remove leaves and chains
  double core_milliseconds = 0;  ///< then to remove vertices of low degree
};

/// Largest numbers of vertices and edges that `graph info` reduces, because it takes minutes beyond them.
constexpr std::uint64_t most_reduced = std::uint64_t{1} << 27;
constexpr std::uint64_t most_without_low_degrees = std::uint64_t{1} << 24;

/// @return nothing if the graph is too large
std::optional<reduced_size> size_of_reduced(const graph::csr_graph& graph) {
  if (graph.vertex_count() + graph.edge_count() > most_reduced) return std::nullopt;
  thread_team team(0);
  reduced_size size;
  size.without_leaves = graph::reduction::make(graph, graph::eliminated_vertices::leaves, team).core_size();
  graph::lazily_reduced_graphs reductions;
  std::shared_ptr<const graph::reduced_graph> without_chains;
  try {
    size.milliseconds =
        milliseconds_of([&] { without_chains = reductions.get(graph, graph::eliminated_vertices::chains, team); });
    size.vertices = without_chains->core().vertex_count();
    size.edges = without_chains->core().edge_count();
    if (size.vertices + *size.edges > most_without_low_degrees) return size;
    std::shared_ptr<const graph::reduced_graph> core;
    size.core_milliseconds = milliseconds_of(
        [&] { core = reductions.get(without_chains->core(), graph::eliminated_vertices::low_degree, team); });
    size.core_vertices = core->core().vertex_count();
    size.core_edges = core->core().edge_count();
  } catch (const input_error&) {
    if (without_chains == nullptr) {
      size.vertices = graph::reduction::make(graph, graph::eliminated_vertices::chains, team).core_size();
    }
  }
  return size;
}

json_document reduced_document(const reduced_size& size) {
  json_document document = {{"vertices_without_leaves", size.without_leaves},
                            {"vertices", size.vertices},
                            {"edges", size.edges ? json_document(*size.edges) : json_document()},
                            {"milliseconds", size.milliseconds}};
  if (size.core_edges) {
    document["core"] = {
        {"vertices", size.core_vertices}, {"edges", *size.core_edges}, {"milliseconds", size.core_milliseconds}};
  }
  return document;
}

void print_reduced(const reduced_size& size) {
  print_text(
      "reduced         {} vertices without leaves; {} vertices{} without chains\n", size.without_leaves, size.vertices,
      size.edges ? fmt::format(" and {} edges", *size.edges) : std::string(" (a chain is too long for a weight)"));
  if (size.core_edges) {
    print_text("core            {} vertices and {} edges without those of low degree, too\n", size.core_vertices,
               *size.core_edges);
  }
}

/// @param eliminates whether to show graph::arc_bound()
void print_info(const graph_options& options, bool as_json, bool eliminates) {
  const graph::generated_graph loaded = options.load();
  // One thread hashes while others look at the graph.
  std::future<std::string> hash = std::async(std::launch::async, [&] { return graph::graph_hash(loaded.graph); });
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  const graph::feature_pass pass = graph::run_feature_pass(loaded.graph, 0);
  const auto passed = clock::now();
  (void)graph::sampled_features(loaded.graph, pass.widest);
  const std::chrono::duration<double, std::milli> sampling = clock::now() - passed;
  const std::chrono::duration<double, std::milli> passing = passed - start;
  const graph::graph_features features = graph::table2_of(graph::pass_features(pass));
  const std::optional<reduced_size> reduced = size_of_reduced(loaded.graph);
  if (as_json) {
    json_document document = begin_document("graph-info");
    document["name"] = loaded.name;
    document["class"] = loaded.graph_class;
    document["vertices"] = loaded.graph.vertex_count();
    document["edges"] = loaded.graph.edge_count();
    document["degree"] = {
        {"average", features.avg_nnz}, {"largest", features.max_nnz}, {"deviation", features.dev_nnz}};
    if (loaded.graph.edge_count() > 0) {
      document["weights"] = {{"type", graph::name_of(loaded.graph.weights())},
                             {"smallest", graph::smallest_weight(loaded.graph)},
                             {"largest", features.max_weight},
                             {"average", features.avg_weight},
                             {"deviation", features.dev_weight}};
    }
    document["negated_weights"] = loaded.graph.negated_weights();
    const graph::file_ids& ids = loaded.graph.ids();
    document["ids"] = {{"first", ids.id_of(0)}, {"last", ids.id_of(ids.count() - 1)}, {"gaps", ids.have_gaps()}};
    document["default_source"] = ids.id_of(loaded.source);
    if (reduced) document["reduced"] = reduced_document(*reduced);
    if (eliminates) document["arc_bound"] = graph::arc_bound(loaded.graph);
    document["hash"] = hash.get();
    print_document(document);
    return;
  }
  print_text("name            {}\n", loaded.name);
  print_text("vertices        {}\n", loaded.graph.vertex_count());
  print_text("edges           {}\n", loaded.graph.edge_count());
  print_text("degree          average {:.3f}, largest {:.0f}, deviation {:.3f}\n", features.avg_nnz, features.max_nnz,
             features.dev_nnz);
  if (loaded.graph.edge_count() > 0) {
    print_text("weights         {}, {:g} to {:g}, average {:.4g}, deviation {:.4g}\n",
               graph::name_of(loaded.graph.weights()), graph::smallest_weight(loaded.graph), features.max_weight,
               features.avg_weight, features.dev_weight);
  }
  if (loaded.graph.negated_weights() > 0) {
    print_text("negative        {} weights, replaced by their absolute values\n", loaded.graph.negated_weights());
  }
  print_text("class           {}\n", loaded.graph_class);
  print_text("vertex ids      {}\n", loaded.graph.ids().range_text());
  print_text("default source  {}\n", loaded.graph.ids().id_of(loaded.source));
  if (reduced) {
    print_reduced(*reduced);
  } else {
    print_text("reduced         not counted: more than {} vertices and edges\n", most_reduced);
  }
  if (eliminates) print_text("elimination     at most {:.4g} arcs per vertex\n", graph::arc_bound(loaded.graph));
  print_text("hash            {}\n", hash.get());
  const std::string reducing = reduced ? fmt::format(", reduction {:.3f} ms and {:.3f} ms for the core",
                                                     reduced->milliseconds, reduced->core_milliseconds)
                                       : "";
  print_text(
      "times           features {:.3f} ms for one pass and {:.3f} ms for samples{}, on this machine's processors\n",
      passing.count(), sampling.count(), reducing);
}

/// Prints the definitions of the graph features and their cost.
void print_definitions(const std::string& format) {
  db::table rows;
  rows.columns = {"feature", "cost", "meaning"};
  for (const graph::feature_definition& definition : graph::feature_definitions()) {
    rows.rows.push_back({db::text_cell(std::string(definition.name)),
                         db::text_cell(std::string(graph::name_of(definition.cost))),
                         db::text_cell(std::string(definition.meaning))});
  }
  print_data(db::render(rows, db::table_format_from(format)));
}

/// @param count number of features to show, the first of graph::feature_definitions()
void print_features(const std::vector<std::string>& names, std::size_t count, const std::string& format) {
  const db::table_format form = db::table_format_from(format);
  db::table rows;
  rows.columns = {"graph", "class"};
  for (const graph::feature_definition& feature : graph::feature_definitions().first(count)) {
    rows.columns.emplace_back(feature.name);
  }
  for (const std::string& name : names) {
    graph_options options;
    options.name = name;
    const graph::generated_graph loaded = options.load();
    std::vector<db::cell> row = {db::text_cell(loaded.name), db::text_cell(loaded.graph_class)};
    const graph::feature_values values = graph::all_features(loaded.graph);
    for (std::size_t i = 0; i < count; ++i) row.push_back(db::number_cell(values.at(i)));
    rows.rows.push_back(std::move(row));
  }
  print_data(db::render(rows, form));
}

/// Prints a CSV table (RFC 4180) of ids and names.
void print_names(graph_options options) {
  options.ignore_weights = true;
  options.check();
  const graph::file_ids ids = problems::open_graph(options.name, options.reading()).graph.ids();
  const std::span<const std::string> names = ids.names();
  if (names.empty()) throw input_error(fmt::format("{}: the vertices have no names, only numeric ids", options.name));
  db::table rows;
  rows.columns = {"id", "name"};
  for (std::size_t v = 0; v < names.size(); ++v) rows.rows.push_back({db::count_cell(v), db::text_cell(names[v])});
  print_data(db::render(rows, db::table_format::csv));
}

}  // namespace

void add_graph_commands(CLI::App& app) {
  CLI::App* const group = app.add_subcommand("graph", "Inspect, convert and generate graphs");
  group->require_subcommand(1);

  CLI::App* const info = group->add_subcommand("info", "Show the size, degrees, weights and class of a graph");
  const auto info_options = std::make_shared<graph_options>();
  const auto info_results = std::make_shared<result_options>();
  const auto eliminates = std::make_shared<bool>(false);
  info_options->add_to(*info);
  info->add_flag("--elimination", *eliminates,
                 "also show how many arcs per vertex an elimination hierarchy needs at most");
  info_results->add_format(*info);
  info->callback(
      [info_options, info_results, eliminates] { print_info(*info_options, info_results->as_json(), *eliminates); });

  CLI::App* const features =
      group->add_subcommand("features", "Compute the eight features of the MLMQ paper, or all recorded features");
  const auto names = std::make_shared<std::vector<std::string>>();
  const auto features_format = std::make_shared<std::string>("table");
  const auto all_features = std::make_shared<bool>(false);
  const auto list = std::make_shared<bool>(false);
  auto* const listing = features->add_flag("--list", *list, "list the features and their costs");
  features->add_option("graphs", *names, "graph files, or names of generated graphs")->excludes(listing);
  features->add_flag("--all", *all_features, "compute all features, not only the eight of the MLMQ paper")
      ->excludes(listing);
  features->add_option("--format", *features_format, "output format")
      ->check(one_of({"table", "csv", "json"}))
      ->capture_default_str();
  reads_files(*features, {"graphs"});
  features->callback([names, all_features, list, features_format] {
    if (*list) return print_definitions(*features_format);
    if (names->empty())
      throw input_error("'graphs' is missing, and --list is not given; see 'mlmq graph features --help'");
    print_features(*names, *all_features ? graph::feature_definitions().size() : graph::feature_count,
                   *features_format);
  });

  CLI::App* const names_of =
      group->add_subcommand("names", "Print a CSV table of vertex ids and names, for a file with named vertices");
  const auto named = std::make_shared<graph_options>();
  named->add_to(*names_of);
  names_of->callback([named] { print_names(*named); });

  struct conversion {
    graph_options input;
    graph_output output;
  };
  CLI::App* const convert = group->add_subcommand("convert", "Write a graph in another format");
  const auto converted = std::make_shared<conversion>();
  converted->input.add_to(*convert);
  converted->output.add_to(*convert);
  convert->callback([converted] {
    const graph::file_format format = converted->output.check();
    const graph::generated_graph loaded = converted->input.load();
    converted->output.write(loaded.graph, format);
  });

  CLI::App* const generate = group->add_subcommand(
      "generate", "Generate a graph: road14, del12, lattice16, small14, circuit14, rmat16, power14, grid9, …");
  const auto generated = std::make_shared<conversion>();
  generate
      ->add_option(
          "what", generated->input.name,
          "generator name with log2 of the approximate number of vertices, and options after colons: rmat16:seed=7")
      ->required();
  generated->output.add_to(*generate);
  takes_no_files(*generate, {"what"});
  generate->callback([generated] {
    const graph::file_format format = generated->output.check();
    generated->output.write(graph::generate_named(generated->input.name).graph, format);
  });
}

}  // namespace mlmq::cli
