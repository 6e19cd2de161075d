// SPDX-License-Identifier: Apache-2.0
#include "graph/io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/stopwatch.hpp"
#include "graph/decimals.hpp"
#include "graph/formats.hpp"

namespace mlmq::graph {
namespace {

constexpr std::string_view known_extensions =
    ".gr, .mtx, .txt, .el, .wel, .snap, .tsv, .graph, .metis, .csv or .npz, or one of these with .gz";

/// Returns the last ending of the name in lower case, without ".gz".
std::string format_ending(std::filesystem::path file) {
  if (file.extension() == ".gz") file.replace_extension();
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return ending;
}

/// Distinguishes the two formats with the ending .gr. A Galois file starts with the little-endian word 1, so it has a
/// zero among its first bytes, or is shorter and starts with the byte 1. Text files have neither.
bool starts_like_galois(const std::filesystem::path& file) {
  byte_source source(file);
  std::array<char, 8> start{};
  const std::size_t count = source.read(start);
  return count > 0 && (start[0] == 1 || std::find(start.begin(), start.begin() + count, '\0') != start.begin() + count);
}

/// Returns the format that belongs to the ending of the name; dimacs for .gr.
std::optional<file_format> named_format(const std::filesystem::path& file) {
  const std::string ending = format_ending(file);
  if (ending == ".mtx") return file_format::matrix_market;
  if (ending == ".gr") return file_format::dimacs;
  if (ending == ".graph" || ending == ".metis") return file_format::metis;
  if (ending == ".csv") return file_format::csv;
  if (ending == ".npz") return file_format::scipy;
  for (const std::string_view name : {".txt", ".el", ".wel", ".snap", ".tsv"}) {
    if (ending == name) return file_format::snap;
  }
  return std::nullopt;
}

file_format detect(const std::filesystem::path& file) {
  const std::optional<file_format> format = named_format(file);
  if (!format) {
    throw input_error(fmt::format("{}: the file name does not end in a known extension, expected {}", file.string(),
                                  known_extensions));
  }
  return *format == file_format::dimacs && starts_like_galois(file) ? file_format::galois : *format;
}

csr_graph read_as(file_format format, const std::filesystem::path& file, const read_options& options,
                  file_remarks& remarks) {
  const bool may_be_table =
      format == file_format::automatic || format == file_format::csv || format == file_format::snap;
  if (!may_be_table && !options.columns.empty()) throw input_error(columns_need_table);
  switch (format) {
    case file_format::dimacs:
      return read_dimacs(file, options, remarks);
    case file_format::galois:
      return read_galois(file, options, remarks);
    case file_format::matrix_market:
      return read_matrix_market(file, options, remarks);
    case file_format::snap:
      return starts_with_header(file) ? read_csv(file, options, remarks) : read_snap(file, options, remarks);
    case file_format::metis:
      return read_metis(file, options, remarks);
    case file_format::csv:
      return read_csv(file, options, remarks);
    case file_format::scipy:
      return read_scipy(file, options, remarks);
    case file_format::automatic:
      break;
  }
  return read_as(detect(file), file, options, remarks);
}

/// Describes the defaults for what the file does not specify, unless the caller specified it; "" if there are none.
std::string default_notes(const file_remarks& remarks, const read_options& options) {
  std::string text;
  if (remarks.lacks_weights && !options.ignore_weights) {
    text = fmt::format("has no weights: whole numbers from 1 to 100 are drawn, with seed {}", options.weight_seed);
  }
  if (remarks.rounds_weights) {
    text += text.empty() ? "" : "; ";
    text +=
        "decimal weights are rounded to 32-bit floats, and so is each sum, to 6e-8 of itself; --weights float64 "
        "(weight_type) keeps 53 bits, without the tuned queues";
  }
  if (remarks.lacks_direction && !options.undirected) {
    text += text.empty() ? "" : "; ";
    text += "does not say whether edges are directed: each keeps the direction of its line";
  }
  return text;
}

/// @param rounded the graph of the file with float32 weights @param remarks are those of the returned graph
csr_graph with_exact_decimals(csr_graph rounded, const std::filesystem::path& file, const read_options& options,
                              file_remarks& remarks) {
  csr_graph exact = std::move(rounded);
  if (remarks.rounds_weights) {
    read_options wide_options = options;
    wide_options.weight_type = weight_type::float64;
    remarks = {};
    exact = read_as(options.format, file, wide_options, remarks);
  }
  if (auto whole = with_decimal_places(exact)) {
    remarks.notes.push_back(fmt::format("decimal weights are searched as whole multiples of {:.{}f}, without rounding",
                                        1 / power_of_ten(*whole->decimal_places()), *whole->decimal_places()));
    return *std::move(whole);
  }
  if (exact.weights() == weight_type::float64) {
    remarks.notes.emplace_back(
        "decimal weights are float64, because they are no multiples of 10^-9 whose sums fit 32 bits, and float32 would "
        "round them; --weights float32 (weight_type) rounds weights and sums to 6e-8 of themselves, and has the tuned "
        "queues");
  }
  return exact;
}

void require_file(const std::filesystem::path& file) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (const auto kind = irregular_kind(status.type()); !kind.empty()) {
    throw input_error(fmt::format("{}: {}, expected a graph file", file.string(), kind));
  }
  if (!std::filesystem::exists(status)) throw input_error(fmt::format("{}: no such file", file.string()));
}

}  // namespace

std::string renumbering(const csr_graph& graph, std::uint64_t first) {
  const file_ids& ids = graph.ids();
  if (ids.count_from(first)) return "";
  const std::string range = file_ids::counted_from(first, ids.count()).range_text();
  if (ids.have_gaps()) {
    return fmt::format("the {} vertices (ids {}) are numbered {} here, in the same order", ids.count(),
                       ids.range_text(), range);
  }
  return fmt::format("vertices {} are numbered {} here", ids.range_text(), range);
}

std::uint64_t parallel_edge_count(const csr_graph& graph) {
  std::uint64_t parallel = 0;
  std::vector<vertex_id> row;
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    const auto begin = graph.targets().begin() + static_cast<std::ptrdiff_t>(graph.offsets()[v]);
    row.assign(begin, graph.targets().begin() + static_cast<std::ptrdiff_t>(graph.offsets()[v + std::size_t{1}]));
    std::sort(row.begin(), row.end());
    parallel += static_cast<std::uint64_t>(row.end() - std::unique(row.begin(), row.end()));
  }
  return parallel;
}

csr_graph file_remarks::build(std::uint64_t vertices, const edge_list& edges, const build_options& options) {
  csr_graph graph;
  build_ms += milliseconds_of([&] { graph = build_csr(vertices, edges, options); });
  return graph;
}

csr_graph read_graph(const std::filesystem::path& file, const read_options& options, std::vector<std::string>* notes,
                     read_times* times) {
  require_file(file);
  const auto start = std::chrono::steady_clock::now();
  try {
    file_remarks remarks;
    csr_graph graph = read_as(options.format, file, options, remarks);
    if (options.exact_decimals && !options.weight_type && graph.weights() == weight_type::float32)
      graph = with_exact_decimals(std::move(graph), file, options, remarks);
    std::vector<std::string>& lines = remarks.notes;
    if (const std::string text = default_notes(remarks, options); !text.empty()) lines.push_back(text);
    if (options.weight_type) graph = with_weight_type(graph, *options.weight_type);
    if (const std::uint64_t negative = graph.negated_weights(); negative > 0) {
      lines.push_back(fmt::format("negative weights: {}, taken as their absolute values", negative));
    }
    for (const std::string& note : lines) {
      if (notes != nullptr) notes->push_back(fmt::format("{}: {}", file.string(), note));
    }
    if (times != nullptr) {
      *times = {.read_ms = milliseconds_since(start) - remarks.build_ms,
                .build_ms = remarks.build_ms,
                .file_bytes = std::filesystem::file_size(file)};
    }
    return graph;
  } catch (const input_error& error) {
    // Exceptions from building the rows do not name the file.
    const std::string_view message = error.what();
    if (message.starts_with(file.string())) throw;
    throw input_error(fmt::format("{}: {}", file.string(), message));
  } catch (const std::bad_alloc&) {
    throw input_error(fmt::format("{}: the graph does not fit into memory", file.string()));
  }
}

std::optional<file_format> written_format(const std::filesystem::path& file) { return named_format(file); }

namespace {

/// Describes the vertices that no line of an edge list mentions.
std::string isolated_vertices_text(const csr_graph& graph) {
  std::vector<bool> mentioned(graph.vertex_count(), false);
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    if (graph.offsets()[v + std::size_t{1}] > graph.offsets()[v]) mentioned[v] = true;
  }
  for (const vertex_id target : graph.targets()) mentioned[target] = true;
  const auto lost = std::count(mentioned.begin(), mentioned.end(), false);
  return lost == 0 ? "" : fmt::format("vertices without an edge, which an edge list cannot hold: {}", lost);
}

std::string joined(std::string text, const std::string& more) {
  if (!text.empty() && !more.empty()) text += "; ";
  return text + more;
}

std::string write_in(const csr_graph& graph, const std::filesystem::path& file, file_format format) {
  if (graph.vertex_count() == 0) {
    throw input_error(fmt::format("{}: the graph has no vertices", file.string()));
  }
  if (format == file_format::automatic) format = written_format(file).value_or(file_format::automatic);
  switch (format) {
    case file_format::dimacs:
      write_dimacs(graph, file);
      return renumbering(graph, 1);
    case file_format::galois:
      write_galois(graph, file);
      return renumbering(graph, 0);
    case file_format::matrix_market:
      write_matrix_market(graph, file);
      return renumbering(graph, 1);
    case file_format::snap:
      if (graph.edge_count() == 0) {
        throw input_error(fmt::format("{}: the graph has no edges, which an edge list cannot hold", file.string()));
      }
      write_snap(graph, file);
      return isolated_vertices_text(graph);
    case file_format::csv:
      if (graph.edge_count() == 0) {
        throw input_error(fmt::format("{}: the graph has no edges, which a table of edges cannot hold", file.string()));
      }
      write_csv(graph, file);
      return isolated_vertices_text(graph);
    case file_format::metis:
      write_metis(graph, file);
      return renumbering(graph, 1);
    case file_format::scipy: {
      write_scipy(graph, file);
      const std::uint64_t parallel = parallel_edge_count(graph);
      return joined(
          renumbering(graph, 0),
          parallel == 0
              ? ""
              : fmt::format("parallel edges, whose weights SciPy adds up when it merges entries: {}", parallel));
    }
    case file_format::automatic:
      break;
  }
  throw input_error(
      fmt::format("{}: the file name does not end in a known extension, expected {}", file.string(), known_extensions));
}

}  // namespace

std::string write_graph(const csr_graph& graph, const std::filesystem::path& file, file_format format) {
  std::string changed = write_in(graph, file, format);
  if (graph.weights() != weight_type::float64) return changed;
  return joined(std::move(changed),
                "readers of the file get float32 weights unless they request float64 (--weights float64)");
}

}  // namespace mlmq::graph
