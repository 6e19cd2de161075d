// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/version.hpp"
#include "graph/decimals.hpp"
#include "graph/reverse.hpp"
#include "library/access.hpp"
#include "library/conversions.hpp"
#include "library/digraph_data.hpp"
#include "library/distance_scale.hpp"
#include "library/rows_on_device.hpp"
#include "mlmq/mlmq.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/graphs/sources.hpp"

namespace mlmq {
namespace {

template <class Weight>
detail::digraph_data from_arrays(std::vector<std::uint64_t> offsets, std::vector<vertex> targets,
                                 std::vector<Weight> weights, std::string name) {
  detail::digraph_data data;
  data.name = std::move(name);
  try {
    data.csr = {std::move(offsets), std::move(targets), std::move(weights)};
    // Same error as for a file: a graph without vertices has no source.
    if (data.csr.vertex_count() == 0) throw input_error("graph: no vertices, expected at least one");
  } catch (const input_error& error) {
    throw input_error(data.name + ": " + error.what());
  }
  data.default_source = problems::choose_sources(data.csr, problems::source_rule{}, data.name).at(0);
  return data;
}

digraph handle(detail::digraph_data data) {
  return detail::access::make<digraph>(std::make_shared<const detail::digraph_data>(std::move(data)));
}

}  // namespace

double detail::digraph_data::host_copy_ms() const {
  return device_rows == nullptr ? 0.0 : device_rows->host_copy_ms.load();
}

digraph detail::digraph_of(graph::csr_graph csr, std::string name, vertex default_source) {
  return handle({.csr = std::move(csr), .name = std::move(name), .default_source = default_source});
}

digraph detail::open_digraph(const std::string& name, const graph::read_options& options) {
  problems::opened_graph opened = problems::open_graph(name, options);
  return handle({.csr = std::move(opened.graph),
                 .name = std::move(opened.name),
                 .default_source = opened.source,
                 .notes = std::move(opened.notes),
                 .times = opened.times});
}

const graph::csr_graph& detail::csr_of(const digraph& graph) { return access::get(graph).csr; }

std::string detail::not_a_vertex(const digraph& graph, vertex v) {
  return fmt::format("vertex {}: {} has vertices 0 to {}", v, graph.name(), graph.vertex_count() - 1);
}

std::string library_version() { return program_version(); }

digraph digraph::open(const std::string& name, const read_options& options) {
  const auto type = options.weight_type ? std::optional(detail::type_of(*options.weight_type)) : std::nullopt;
  return detail::open_digraph(name, {.format = graph::file_format::automatic,
                                     .weight_seed = options.weight_seed,
                                     .ignore_weights = options.ignore_weights,
                                     .absolute_weights = options.absolute_weights,
                                     .weight_type = type,
                                     .exact_decimals = true,
                                     .undirected = options.undirected,
                                     .columns = {.source = options.source_column,
                                                 .target = options.target_column,
                                                 .weight = options.weight_column,
                                                 .direction = options.direction_column}});
}

digraph digraph::from_rows(std::vector<std::uint64_t> offsets, std::vector<vertex> targets,
                           std::vector<std::uint32_t> weights, std::string name) {
  return handle(from_arrays(std::move(offsets), std::move(targets), std::move(weights), std::move(name)));
}

digraph digraph::from_rows(std::vector<std::uint64_t> offsets, std::vector<vertex> targets, std::vector<float> weights,
                           std::string name) {
  return handle(from_arrays(std::move(offsets), std::move(targets), std::move(weights), std::move(name)));
}

digraph digraph::from_rows(std::vector<std::uint64_t> offsets, std::vector<vertex> targets, std::vector<double> weights,
                           std::string name) {
  return handle(from_arrays(std::move(offsets), std::move(targets), std::move(weights), std::move(name)));
}

digraph digraph::reversed() const {
  return handle(
      {.csr = graph::reversed(data_->csr), .name = data_->name + " reversed", .default_source = default_source()});
}

const std::string& digraph::name() const noexcept { return data_->name; }
vertex digraph::vertex_count() const noexcept { return data_->csr.vertex_count(); }
std::uint64_t digraph::edge_count() const noexcept { return data_->csr.edge_count(); }
vertex digraph::default_source() const noexcept { return data_->default_source; }
const std::vector<std::string>& digraph::notes() const noexcept { return data_->notes; }
open_times digraph::times_to_open() const noexcept {
  const graph::read_times& times = data_->times;
  return {.read = times.read_ms, .build = times.build_ms, .file_bytes = times.file_bytes};
}

std::uint64_t digraph::id_of(vertex v) const {
  if (v >= vertex_count()) throw input_error(detail::not_a_vertex(*this, v));
  return data_->csr.ids().id_of(v);
}

std::optional<vertex> digraph::find_id(std::uint64_t id) const noexcept { return data_->csr.ids().find(id); }

vertex digraph::vertex_of(std::uint64_t id) const {
  const std::optional<vertex> result = find_id(id);
  if (!result) throw input_error(data_->csr.ids().absence_text(name(), id));
  return *result;
}

vertex digraph::vertex_of(std::string_view name) const {
  const graph::file_ids& ids = data_->csr.ids();
  const std::optional<vertex> result = ids.find(name);
  if (!result) throw input_error(ids.absence_text(this->name(), name));
  return *result;
}

std::string digraph::name_of(vertex v) const {
  if (v >= vertex_count()) throw input_error(detail::not_a_vertex(*this, v));
  return data_->csr.ids().text_of(v);
}

bool digraph::has_names() const noexcept { return !data_->csr.ids().names().empty(); }

number_type digraph::weight_type() const noexcept {
  return detail::distance_scale(data_->csr, problem::sssp).delivered();
}

std::optional<unsigned> digraph::decimal_places() const noexcept { return data_->csr.decimal_places(); }

digraph digraph::with_decimal_places() const {
  if (weight_type() == number_type::uint32 || decimal_places()) return *this;
  std::optional<graph::csr_graph> whole = graph::with_decimal_places(data_->csr);
  if (!whole) return *this;
  return handle(
      {.csr = *std::move(whole), .name = data_->name, .default_source = data_->default_source, .notes = data_->notes});
}

}  // namespace mlmq
