// SPDX-License-Identifier: Apache-2.0
#include "tuner/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <queue>
#include <set>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/classify.hpp"
#include "graph/feature_list.hpp"
#include "graph/generate.hpp"
#include "graph/hash.hpp"
#include "graph/io.hpp"
#include "graph/weight_rule.hpp"

namespace mlmq::tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::array graph_endings = {".gr", ".mtx", ".txt", ".el", ".wel", ".snap", ".tsv"};

bool is_graph_file(const fs::path& file) {
  fs::path name = file.filename();
  if (name.extension() == ".gz") name = name.stem();
  return std::find(graph_endings.begin(), graph_endings.end(), name.extension()) != graph_endings.end();
}

std::string with_weights(std::string name, const graph_request& request) {
  if (request.drawn_weights) {
    name += ":weights=" + std::string(graph::name_of(request.drawn_weights->distribution));
    if (request.weight_seed) name += ":weight_seed=" + std::to_string(request.drawn_weights->seed);
  }
  return request.float_weights ? std::move(name) + "-float" : name;
}

/// What `make` gives; its errors say which line of the experiment asked for it.
template <class Make>
auto at_place(const graph_request& request, const Make& make) {
  try {
    return make();
  } catch (const input_error& error) {
    throw input_error(request.place.prefix() + error.what());
  }
}

input file_input(const fs::path& file, const graph_request& request, const source_rules& standard) {
  return {.name = with_weights(graph_name_of(file), request),
          .file = fs::absolute(file).lexically_normal().string(),
          .generated = "",
          .request = request,
          .sources = request.sources.value_or(standard),
          .graph_class = "",
          .family = graph_name_of(file)};
}

input generated_input(const graph_request& request, const source_rules& standard) {
  return {.name = with_weights(request.what, request),
          .file = "",
          .generated = request.what,
          .request = request,
          .sources = request.sources.value_or(standard),
          .graph_class = at_place(request, [&] { return graph::expected_size(request.what).graph_class; }),
          .family = graph::family_of_generated(request.what)};
}

std::vector<fs::path> graph_files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && is_graph_file(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) throw input_error(folder.string() + ": no graph files in this folder");
  return files;
}

void add_requested(const graph_request& request, const fs::path& listed_in, const source_rules& standard,
                   std::vector<input>& inputs) {
  if (request.from == graph_request::origin::generate) {
    inputs.push_back(generated_input(request, standard));
    return;
  }
  for (const fs::path& path : graph_files(listed_in, request)) {
    if (!fs::is_directory(path)) {
      inputs.push_back(file_input(path, request, standard));
      continue;
    }
    for (const fs::path& file : at_place(request, [&] { return graph_files_in(path); })) {
      inputs.push_back(file_input(file, request, standard));
    }
  }
}

bool is_list_of_graphs(const std::string& name) {
  const fs::path ending = fs::path(name).extension();
  return ending == ".yaml" || ending == ".yml";
}

/// What the user named on the command line: a folder, a file or pattern, a list of graphs, or else something to
/// generate.
void add_named(const experiment_file& experiment, const std::string& name, std::vector<input>& inputs) {
  if (is_list_of_graphs(name)) {
    const graph_list list = load_graph_list(name);
    for (const graph_request& request : list.graphs) {
      add_requested(request, list.file, list.sources.value_or(experiment.sources), inputs);
    }
    return;
  }
  graph_request request;
  request.what = name;
  std::error_code ignored;
  const bool is_pattern = name.find_first_of("*?[") != std::string::npos;
  if (!is_pattern && !graph::looks_like_file(name) && !fs::exists(name, ignored)) {
    inputs.push_back(generated_input(request, experiment.sources));
    return;
  }
  request.from = graph_request::origin::file;
  request.what = fs::absolute(name).string();
  add_requested(request, experiment.file, experiment.sources, inputs);
}

std::vector<graph::vertex_id> vertices_with_edges(const graph::csr_graph& graph) {
  std::vector<graph::vertex_id> vertices;
  const auto offsets = graph.offsets();
  for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
    if (offsets[v + 1] > offsets[v]) vertices.push_back(v);
  }
  if (vertices.empty()) {
    vertices.resize(graph.vertex_count());
    std::iota(vertices.begin(), vertices.end(), graph::vertex_id{0});
  }
  return vertices;
}

}  // namespace

std::string graph_name_of(const fs::path& file) {
  fs::path name = file.filename();
  if (name.extension() == ".gz") name = name.stem();
  return is_graph_file(file) ? name.stem().string() : name.string();
}

opened_graph open_graph(const std::string& name, const graph::read_options& options) {
  std::error_code ignored;
  if (!graph::looks_like_file(name) && !fs::exists(name, ignored)) return {graph::generate_named(name), {}};
  opened_graph loaded;
  loaded.graph = graph::read_graph(name, options, &loaded.notes);
  loaded.name = graph_name_of(name);
  loaded.graph_class = graph::graph_class(graph::compute_features(loaded.graph));
  loaded.source = choose_sources(loaded.graph, source_rule{}, loaded.name).at(0);
  return loaded;
}

std::vector<input> list_inputs(const experiment_file& experiment, std::span<const std::string> instead) {
  std::vector<input> inputs;
  for (const std::string& name : instead) add_named(experiment, name, inputs);
  if (!instead.empty()) return inputs;
  for (const graph_request& request : experiment.graphs) {
    add_requested(request, experiment.file, experiment.sources, inputs);
  }
  if (inputs.empty()) {
    throw input_error(experiment.file.string() + ": no graphs; list some under 'graphs' or name them with --graphs");
  }
  return inputs;
}

std::vector<input> inputs_of(const shard& part, const std::vector<input>& inputs) {
  if (part.is_whole() || part.by != shard::division::graphs) return inputs;
  constexpr std::uint64_t fixed_cost = 1'000'000;
  std::vector<std::uint64_t> cost;
  for (const input& one : inputs) {
    const auto sources = std::max<std::uint64_t>(1, count_of(one.sources));
    cost.push_back((expected_edges(one) + fixed_cost) * sources);
  }
  std::vector<std::size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return cost[a] != cost[b] ? cost[a] > cost[b] : std::pair(inputs[a].name, a) < std::pair(inputs[b].name, b);
  });
  using load = std::pair<std::uint64_t, std::uint64_t>;  // cost so far, index of the part
  std::priority_queue<load, std::vector<load>, std::greater<>> parts;
  for (std::uint64_t index = 1; index <= part.count; ++index) parts.emplace(0, index);
  std::vector<bool> is_mine(inputs.size(), false);
  for (const std::size_t i : order) {
    const auto [so_far, index] = parts.top();
    parts.pop();
    parts.emplace(so_far + cost[i], index);
    is_mine[i] = index == part.index;
  }
  std::vector<input> mine;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (is_mine[i]) mine.push_back(inputs[i]);
  }
  return mine;
}

std::uint64_t expected_edges(const input& wanted) {
  if (wanted.file.empty()) return graph::expected_size(wanted.generated).edges;
  // Text takes about 12 bytes an edge, compressed a third of that; half of the files list every edge once.
  std::error_code ignored;
  const std::uintmax_t bytes = fs::file_size(wanted.file, ignored);
  if (bytes == static_cast<std::uintmax_t>(-1)) return 0;
  return fs::path(wanted.file).extension() == ".gz" ? bytes / 3 : bytes / 9;
}

loaded_input load_input(const input& wanted) {
  loaded_input loaded;
  std::string known_class;
  if (wanted.file.empty()) {
    graph::generated_graph made = at_place(wanted.request, [&] { return graph::generate_named(wanted.generated); });
    loaded.graph = std::move(made.graph);
    known_class = made.graph_class;
  } else {
    graph::read_options options;
    options.weight_seed = wanted.request.weight_seed.value_or(options.weight_seed);
    // What is drawn replaces the file's weights, which then need not be such as a search can use.
    options.ignore_weights = wanted.request.ignore_weights.value_or(wanted.request.drawn_weights.has_value());
    options.absolute_weights = wanted.request.absolute_weights;
    loaded.graph = graph::read_graph(wanted.file, options, &loaded.notes);
  }
  // After reading, so that a graph has the same structure whatever its weights.
  if (const auto& rule = wanted.request.drawn_weights) loaded.graph = graph::with_drawn_weights(loaded.graph, *rule);
  if (wanted.request.float_weights) loaded.graph = graph::with_float_weights(loaded.graph);
  // By one thread, because several graphs are read at a time.
  const graph::feature_values features = graph::all_features(loaded.graph, 1);
  loaded.record.hash = graph::graph_hash(loaded.graph);
  loaded.record.name = wanted.name;
  loaded.record.graph_class = known_class.empty() ? graph::graph_class(graph::table2_of(features)) : known_class;
  loaded.record.path = wanted.file;
  loaded.record.family = wanted.family;
  loaded.record.weight_type = loaded.graph.weights() == graph::weight_type::uint32 ? "uint32" : "float32";
  loaded.record.vertices = loaded.graph.vertex_count();
  loaded.record.edges = loaded.graph.edge_count();
  for (std::size_t i = 0; i < features.size(); ++i) {
    loaded.record.features.emplace_back(graph::feature_definitions()[i].name, features[i]);
  }
  loaded.sources = at_place(wanted.request, [&] { return choose_sources(loaded.graph, wanted.sources, wanted.name); });
  return loaded;
}

std::vector<graph::vertex_id> choose_sources(const graph::csr_graph& graph, const source_rule& rule,
                                             const std::string& graph_name) {
  if (rule.choose == source_rule::choice::listed) {
    std::vector<graph::vertex_id> listed;
    for (const std::uint64_t id : rule.listed) {
      const auto source = graph.ids().find(id);
      if (!source) throw input_error(fmt::format("source {}: {}", id, graph.ids().absence_text(graph_name, id)));
      listed.push_back(*source);
    }
    return listed;
  }
  std::vector<graph::vertex_id> candidates;
  if (rule.choose == source_rule::choice::random) {
    candidates = vertices_with_edges(graph);
  } else {
    candidates.resize(graph.vertex_count());
    std::iota(candidates.begin(), candidates.end(), graph::vertex_id{0});
  }
  const std::size_t count = std::min<std::size_t>(rule.count, candidates.size());
  if (rule.choose == source_rule::choice::random) {
    random_stream random = random_stream::from_state(rule.seed);
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(candidates[i], candidates[i + random.below_by_division(candidates.size() - i)]);
    }
  } else if (rule.choose == source_rule::choice::max_degree) {
    const auto degree = [&](graph::vertex_id v) { return graph.offsets()[v + 1] - graph.offsets()[v]; };
    const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(candidates.begin(), end, candidates.end(), [&](graph::vertex_id a, graph::vertex_id b) {
      return degree(a) != degree(b) ? degree(a) > degree(b) : a < b;
    });
  }
  candidates.resize(count);
  return candidates;
}

std::vector<graph::vertex_id> choose_sources(const graph::csr_graph& graph, const source_rules& rules,
                                             const std::string& graph_name) {
  std::vector<graph::vertex_id> all;
  for (const source_rule& rule : rules) {
    for (const graph::vertex_id source : choose_sources(graph, rule, graph_name)) {
      if (std::find(all.begin(), all.end(), source) == all.end()) all.push_back(source);
    }
  }
  return all;
}

}  // namespace mlmq::tuner
