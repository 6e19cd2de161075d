// SPDX-License-Identifier: Apache-2.0
// Reads an input as a graph file of a given format. The input must either be refused with an input_error or give a
// valid graph. Variants of the graph (compressed, written and read again, without weights, with both directions) must
// agree with it.
#pragma once

#include <zlib.h>

#include <optional>
#include <string>

#include "base/error.hpp"
#include "graph/io.hpp"
#include "tests/fuzz/graph_rules.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace mlmq::fuzz {

inline std::string compressed(std::string_view content) {
  z_stream stream{};
  require(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib starts");
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib compresses");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// Returns the graph, or nothing if the file is refused.
inline std::optional<graph::csr_graph> try_reading(const std::filesystem::path& file,
                                                   const graph::read_options& options) {
  try {
    graph::csr_graph graph = graph::read_graph(file, options);
    require_valid(graph);
    return graph;
  } catch (const input_error&) {
    return std::nullopt;
  }
}

inline void require_written_graph_reads_back(const graph::csr_graph& graph, graph::file_format format) {
  // The file is written through a temporary file, which needs a folder. `run` provides a folder in memory.
  static const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("mlmq-fuzz-" + std::to_string(::getpid()));
  graph::write_graph(graph, file, format);
  const auto again = try_reading(file, {.format = format});
  std::filesystem::remove(file);
  require(again.has_value(), "what was written can be read");
  require(same_graph(graph, *again), "what was written reads back as it was");
}

/// Checks the rules that hold for every format. @return the graph, if the content is one
inline std::optional<graph::csr_graph> fuzz_reading(graph::file_format format, memory_file& file,
                                                    std::string_view content) {
  static memory_file packed;
  file.set(content);
  const auto graph = try_reading(file.path(), {.format = format});
  if (!graph) return std::nullopt;

  packed.set(compressed(content));
  const auto unpacked = try_reading(packed.path(), {.format = format});
  // A file that is compressed twice is not a graph.
  const bool was_packed = content.starts_with("\x1F\x8B");
  require(unpacked.has_value() != was_packed, "a file can be read compressed as well as not");
  if (unpacked) require(same_graph(*graph, *unpacked), "a compressed file holds the same graph");

  const auto unweighted = try_reading(file.path(), {.format = format, .ignore_weights = true});
  require(unweighted && std::ranges::equal(unweighted->targets(), graph->targets()) &&
              std::ranges::equal(unweighted->offsets(), graph->offsets()),
          "weights do not change who is whose neighbour");
  return graph;
}

/// Checks a format that can be read but not written.
inline void fuzz_read_only(graph::file_format format, std::string_view content) {
  static memory_file file;
  (void)fuzz_reading(format, file, content);
}

inline void fuzz_reader(graph::file_format format, std::string_view content) {
  static memory_file file;
  const auto graph = fuzz_reading(format, file, content);
  if (!graph) return;

  const auto directed = try_reading(file.path(), {.format = format, .undirected = false});
  const auto undirected = try_reading(file.path(), {.format = format, .undirected = true});
  require(directed && undirected, "both directions can be asked for");
  graph::edge_offset loops = 0;
  for (graph::vertex_id v = 0; v < directed->vertex_count(); ++v) {
    for (auto i = directed->offsets()[v]; i < directed->offsets()[v + std::size_t{1}]; ++i) {
      loops += directed->targets()[i] == v ? 1 : 0;
    }
  }
  require(undirected->edge_count() == 2 * directed->edge_count() - loops,
          "every edge but self-loops is mirrored, once");
  require(same_graph(*graph, *directed) || same_graph(*graph, *undirected), "the file decides between the two");

  if (graph->vertex_count() <= 4096) require_written_graph_reads_back(*graph, format);
}

}  // namespace mlmq::fuzz
