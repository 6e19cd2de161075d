// SPDX-License-Identifier: Apache-2.0
#include "tuner/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/classify.hpp"
#include "graph/features.hpp"
#include "graph/generate.hpp"
#include "graph/hash.hpp"
#include "graph/io.hpp"

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
  return request.float_weights ? std::move(name) + "-float" : name;
}

input file_input(const fs::path& file, const graph_request& request, const source_rule& standard) {
  return {.name = with_weights(graph_name_of(file), request),
          .file = fs::absolute(file).lexically_normal().string(),
          .generated = "",
          .request = request,
          .sources = request.sources.value_or(standard),
          .graph_class = ""};
}

input generated_input(const graph_request& request, const source_rule& standard) {
  return {.name = with_weights(request.what, request),
          .file = "",
          .generated = request.what,
          .request = request,
          .sources = request.sources.value_or(standard),
          .graph_class = ""};
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

/// What the user named on the command line: a folder, a file or pattern, or else something to
/// generate.
void add_named(const experiment_file& experiment, const std::string& name, std::vector<input>& inputs) {
  graph_request request;
  request.what = name;
  std::error_code ignored;
  if (fs::is_directory(name, ignored)) {
    for (const fs::path& file : graph_files_in(name)) inputs.push_back(file_input(file, request, experiment.sources));
    return;
  }
  const bool is_pattern = name.find_first_of("*?[") != std::string::npos;
  if (!is_pattern && !graph::looks_like_file(name) && !fs::exists(name, ignored)) {
    inputs.push_back(generated_input(request, experiment.sources));
    return;
  }
  request.from = graph_request::origin::file;
  request.what = fs::absolute(name).string();
  for (const fs::path& file : graph_files(experiment, request)) {
    inputs.push_back(file_input(file, request, experiment.sources));
  }
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

/// What `make` gives; its errors say which line of the experiment asked for it.
template <class Make>
auto at_place(const input& wanted, const Make& make) {
  try {
    return make();
  } catch (const input_error& error) {
    throw input_error(wanted.request.place.prefix() + error.what());
  }
}

}  // namespace

std::string graph_name_of(const fs::path& file) {
  fs::path name = file.filename();
  if (name.extension() == ".gz") name = name.stem();
  return is_graph_file(file) ? name.stem().string() : name.string();
}

graph::generated_graph open_graph(const std::string& name, const graph::read_options& options) {
  std::error_code ignored;
  if (!graph::looks_like_file(name) && !fs::exists(name, ignored)) return graph::generate_named(name);
  graph::generated_graph loaded;
  loaded.graph = graph::read_graph(name, options);
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
    if (request.from == graph_request::origin::generate) {
      inputs.push_back(generated_input(request, experiment.sources));
      continue;
    }
    for (const fs::path& file : graph_files(experiment, request)) {
      inputs.push_back(file_input(file, request, experiment.sources));
    }
  }
  if (inputs.empty()) {
    throw input_error(experiment.file.string() + ": no graphs; list some under 'graphs' or name them with --graphs");
  }
  return inputs;
}

loaded_input load_input(const input& wanted) {
  loaded_input loaded;
  std::string known_class;
  if (wanted.file.empty()) {
    graph::generated_graph made = at_place(wanted, [&] { return graph::generate_named(wanted.generated); });
    loaded.graph = std::move(made.graph);
    known_class = made.graph_class;
  } else {
    graph::read_options options;
    options.weight_seed = wanted.request.weight_seed.value_or(options.weight_seed);
    options.ignore_weights = wanted.request.ignore_weights.value_or(options.ignore_weights);
    loaded.graph = graph::read_graph(wanted.file, options);
  }
  if (wanted.request.float_weights) loaded.graph = graph::with_float_weights(loaded.graph);
  const graph::graph_features features = graph::compute_features(loaded.graph);
  loaded.record.hash = graph::graph_hash(loaded.graph);
  loaded.record.name = wanted.name;
  loaded.record.graph_class = known_class.empty() ? graph::graph_class(features) : known_class;
  loaded.record.path = wanted.file;
  loaded.record.weight_type = loaded.graph.weights() == graph::weight_type::uint32 ? "uint32" : "float32";
  loaded.record.vertices = loaded.graph.vertex_count();
  loaded.record.edges = loaded.graph.edge_count();
  const auto values = features.as_array();
  for (std::size_t i = 0; i < values.size(); ++i) {
    loaded.record.features.emplace_back(graph::feature_names()[i], values[i]);
  }
  loaded.sources = at_place(wanted, [&] { return choose_sources(loaded.graph, wanted.sources, wanted.name); });
  return loaded;
}

std::vector<graph::vertex_id> choose_sources(const graph::csr_graph& graph, const source_rule& rule,
                                             const std::string& graph_name) {
  if (rule.choose == source_rule::choice::listed) {
    for (const graph::vertex_id source : rule.listed) {
      if (source >= graph.vertex_count()) {
        throw input_error(fmt::format("{}: source {} is not a vertex; the graph has vertices 0 to {}", graph_name,
                                      source, graph.vertex_count() - 1));
      }
    }
    return rule.listed;
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

}  // namespace mlmq::tuner
