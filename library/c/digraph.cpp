// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "library/c/handles.hpp"

using namespace mlmq::c;

namespace {

std::string name_or(const char* name, const char* standard) { return name == nullptr ? standard : name; }

/// @throws input_error if there are more vertices than a vertex number can represent
mlmq::vertex checked_count(std::uint64_t vertices, const std::string& name) {
  if (vertices >= MLMQ_NO_VERTEX) {
    throw mlmq::input_error(fmt::format("{}: {} vertices, expected at most {}", name, vertices, MLMQ_NO_VERTEX - 1));
  }
  return static_cast<mlmq::vertex>(vertices);
}

template <class Weight>
std::vector<Weight> weights_of(const void* first, std::uint64_t count) {
  if (first == nullptr) return std::vector<Weight>(count, Weight{1});
  const auto* const weights = static_cast<const Weight*>(first);
  return {weights, weights + count};
}

mlmq_read_options read_defaults() {
  const mlmq::read_options defaults;
  return {.struct_size = sizeof(mlmq_read_options),
          .weight_seed = defaults.weight_seed,
          .ignore_weights = defaults.ignore_weights,
          .absolute_weights = defaults.absolute_weights,
          .weight_type = -1,
          .undirected = -1,
          .weight_column = nullptr,
          .source_column = nullptr,
          .target_column = nullptr,
          .direction_column = nullptr};
}

mlmq_device_rows rows_defaults() {
  const mlmq::device_rows defaults;
  mlmq_device_rows rows{};
  rows.struct_size = sizeof rows;
  rows.offset_bits = defaults.offset_bits;
  rows.weight_type = type_of(defaults.weight_type);
  return rows;
}

}  // namespace

void mlmq_read_options_init(mlmq_read_options* options, size_t struct_size) {
  init_struct(options, struct_size, read_defaults());
}

void mlmq_device_rows_init(mlmq_device_rows* rows, size_t struct_size) {
  init_struct(rows, struct_size, rows_defaults());
}

mlmq_status mlmq_digraph_open(const char* name, const mlmq_read_options* options, mlmq_digraph** graph) {
  return guarded([&] {
    required(graph, "graph");
    const mlmq_read_options settings =
        with_defaults(options, read_defaults(), offsetof(mlmq_read_options, weight_column), "mlmq_read_options");
    mlmq::read_options read_options{.weight_seed = settings.weight_seed,
                                    .ignore_weights = to_bool(settings.ignore_weights, "ignore_weights"),
                                    .absolute_weights = to_bool(settings.absolute_weights, "absolute_weights"),
                                    .weight_column = name_or(settings.weight_column, ""),
                                    .source_column = name_or(settings.source_column, ""),
                                    .target_column = name_or(settings.target_column, ""),
                                    .direction_column = name_or(settings.direction_column, "")};
    if (settings.weight_type != -1)
      read_options.weight_type = type_of(static_cast<mlmq_number_type>(settings.weight_type));
    if (settings.undirected != -1) read_options.undirected = to_bool(settings.undirected, "undirected");
    *graph = new mlmq_digraph{mlmq::digraph::open(required(name, "name"), read_options)};
  });
}

mlmq_status mlmq_digraph_reversed(const mlmq_digraph* graph, mlmq_digraph** reversed) {
  return guarded([&] {
    required(reversed, "reversed");
    *reversed = new mlmq_digraph{required(graph, "graph")->value.reversed()};
  });
}

mlmq_status mlmq_digraph_from_rows(uint64_t vertices, uint64_t edges, const uint64_t* offsets,
                                   const mlmq_vertex* targets, mlmq_number_type weight_type, const void* weights,
                                   const char* name, mlmq_digraph** graph) {
  return guarded([&] {
    required(graph, "graph");
    const std::string graph_name = name_or(name, "graph");
    const std::span rows = span_of(offsets, std::size_t{checked_count(vertices, graph_name)} + 1, "offsets");
    const std::span ends = span_of(targets, edges, "targets");
    const auto make = [&](auto numbers) {
      return mlmq::digraph::from_rows({rows.begin(), rows.end()}, {ends.begin(), ends.end()}, std::move(numbers),
                                      graph_name);
    };
    switch (type_of(weights == nullptr ? MLMQ_UINT32 : weight_type)) {
      case mlmq::number_type::uint32:
        *graph = new mlmq_digraph{make(weights_of<std::uint32_t>(weights, edges))};
        break;
      case mlmq::number_type::float32:
        *graph = new mlmq_digraph{make(weights_of<float>(weights, edges))};
        break;
      case mlmq::number_type::float64:
        *graph = new mlmq_digraph{make(weights_of<double>(weights, edges))};
        break;
    }
  });
}

mlmq_status mlmq_digraph_with_decimal_places(const mlmq_digraph* graph, mlmq_digraph** exact) {
  return guarded([&] {
    required(exact, "exact");
    *exact = new mlmq_digraph{required(graph, "graph")->value.with_decimal_places()};
  });
}

int mlmq_digraph_decimal_places(const mlmq_digraph* graph) {
  const std::optional<unsigned> places = graph->value.decimal_places();
  return places ? static_cast<int>(*places) : -1;
}

mlmq_status mlmq_digraph_from_device(const mlmq_device* device, const mlmq_device_rows* rows, mlmq_digraph** graph) {
  return guarded([&] {
    required(graph, "graph");
    const mlmq_device_rows settings =
        with_defaults(required(rows, "rows"), rows_defaults(), sizeof *rows, "mlmq_device_rows");
    std::shared_ptr<const void> owner;
    if (settings.release != nullptr) owner = {settings.owner, settings.release};
    const std::string graph_name = name_or(settings.name, "graph");
    const mlmq::device_rows arrays{.vertices = checked_count(settings.vertices, graph_name),
                                   .edges = settings.edges,
                                   .offsets = settings.offsets,
                                   .offset_bits = settings.offset_bits,
                                   .targets = settings.targets,
                                   .weights = settings.weights,
                                   .weight_type = type_of(settings.weight_type),
                                   .pairs = settings.pairs};
    *graph = new mlmq_digraph{mlmq::digraph::from_device(required(device, "device")->value, arrays,
                                                         {.name = graph_name,
                                                          .check = !to_bool(settings.unchecked, "unchecked"),
                                                          .stream = settings.stream,
                                                          .owner = std::move(owner)})};
  });
}

void mlmq_digraph_free(mlmq_digraph* graph) { delete graph; }

const char* mlmq_digraph_name(const mlmq_digraph* graph) { return graph->value.name().c_str(); }
mlmq_vertex mlmq_digraph_vertex_count(const mlmq_digraph* graph) { return graph->value.vertex_count(); }
uint64_t mlmq_digraph_edge_count(const mlmq_digraph* graph) { return graph->value.edge_count(); }
mlmq_number_type mlmq_digraph_weight_type(const mlmq_digraph* graph) { return type_of(graph->value.weight_type()); }
int mlmq_digraph_on_host(const mlmq_digraph* graph) { return graph->value.on_host() ? 1 : 0; }
mlmq_vertex mlmq_digraph_default_source(const mlmq_digraph* graph) { return graph->value.default_source(); }
void mlmq_digraph_open_times(const mlmq_digraph* graph, double* read_ms, double* build_ms, uint64_t* file_bytes) {
  const mlmq::open_times times = graph->value.times_to_open();
  if (read_ms != nullptr) *read_ms = times.read;
  if (build_ms != nullptr) *build_ms = times.build;
  if (file_bytes != nullptr) *file_bytes = times.file_bytes;
}
size_t mlmq_digraph_note_count(const mlmq_digraph* graph) { return graph->value.notes().size(); }

const char* mlmq_digraph_note(const mlmq_digraph* graph, size_t i) {
  const std::vector<std::string>& notes = graph->value.notes();
  return i < notes.size() ? notes[i].c_str() : nullptr;
}

mlmq_status mlmq_digraph_id_of(const mlmq_digraph* graph, mlmq_vertex v, uint64_t* id) {
  return guarded([&] { *required(id, "id") = required(graph, "graph")->value.id_of(v); });
}

mlmq_status mlmq_digraph_vertex_of(const mlmq_digraph* graph, uint64_t id, mlmq_vertex* v) {
  return guarded([&] { *required(v, "v") = required(graph, "graph")->value.vertex_of(id); });
}

mlmq_status mlmq_digraph_name_of(const mlmq_digraph* graph, mlmq_vertex v, char** text) {
  return guarded([&] { write_message(text, required(graph, "graph")->value.name_of(v)); });
}

mlmq_status mlmq_digraph_vertex_named(const mlmq_digraph* graph, const char* name, mlmq_vertex* v) {
  return guarded(
      [&] { *required(v, "v") = required(graph, "graph")->value.vertex_of(std::string_view(required(name, "name"))); });
}
