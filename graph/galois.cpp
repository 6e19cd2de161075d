// SPDX-License-Identifier: Apache-2.0
// Galois binary, version 1: four header words, end offsets, targets, weights; all little-endian.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "base/file_writer.hpp"
#include "base/thread_team.hpp"
#include "graph/array_checks.hpp"
#include "graph/formats.hpp"
#include "graph/weights.hpp"

namespace mlmq::graph {
namespace {

static_assert(std::endian::native == std::endian::little, "the file's byte order is the memory's");

constexpr std::uint64_t header_size = 32;
/// Number of vertices whose data takes longer to read than a thread takes to start.
constexpr std::size_t elements_per_block = std::size_t{1} << 18;
/// Largest weight of the format, whose weights are signed.
constexpr std::uint32_t largest_stored_weight = 0x7FFFFFFFu;

struct header {
  std::uint64_t version;
  std::uint64_t edge_data_size;
  std::uint64_t vertices;
  std::uint64_t edges;
};
static_assert(sizeof(header) == header_size);

/// Positions of the arrays in the file.
struct layout {
  std::uint64_t vertices;
  std::uint64_t edges;
  bool weighted;
  std::uint64_t targets_at;
  std::uint64_t weights_at;
};

[[noreturn]] void fail(const std::filesystem::path& file, std::uint64_t byte, std::string_view message) {
  throw input_error(fmt::format("{}: byte {}: {}", file.string(), byte, message));
}

/// Checks the header against the size of the file before it reads or allocates anything else.
layout parse_header(std::span<const std::byte> bytes, const std::filesystem::path& file) {
  const std::uint64_t size = bytes.size();
  if (size < header_size) {
    fail(file, size, fmt::format("the file ends within the {}-byte Galois header", header_size));
  }
  header head{};
  std::memcpy(&head, bytes.data(), header_size);
  if (head.version != 1) fail(file, 0, fmt::format("version {}, expected 1", head.version));
  if (head.edge_data_size != 0 && head.edge_data_size != 4) {
    fail(file, 8, fmt::format("edge data of {} bytes, expected 0 or 4", head.edge_data_size));
  }
  if (head.vertices == 0) fail(file, 16, "the graph has no vertices");
  if (head.vertices > 0xFFFFFFFEu) {
    fail(file, 16, fmt::format("{} vertices, expected at most {}", head.vertices, 0xFFFFFFFEu));
  }
  const std::uint64_t targets_at = header_size + 8 * head.vertices;
  // Check the upper bounds first, so that no sum below can wrap around.
  if (targets_at > size || head.edges > size / 4) {
    fail(file, size,
         fmt::format("the file ends early: {} vertices and {} edges need more bytes", head.vertices, head.edges));
  }
  const std::uint64_t padding = 4 * (head.edges % 2);
  const std::uint64_t weights_at = targets_at + 4 * head.edges + padding;
  const std::uint64_t expected = weights_at + head.edge_data_size * head.edges;
  // Without edge data, some writers omit the padding, because nothing follows that needs alignment.
  const bool unpadded = head.edge_data_size == 0 && size == expected - padding;
  if (size != expected && !unpadded) {
    fail(file, std::min(size, expected),
         fmt::format("the file has {} bytes, but {} vertices and {} edges need {}", size, head.vertices, head.edges,
                     expected));
  }
  return {.vertices = head.vertices,
          .edges = head.edges,
          .weighted = head.edge_data_size == 4,
          .targets_at = targets_at,
          .weights_at = weights_at};
}

uninitialized_vector<edge_offset> read_offsets(std::span<const std::byte> bytes, const layout& header,
                                               const std::filesystem::path& file) {
  uninitialized_vector<edge_offset> offsets(header.vertices + 1);
  offsets.front() = 0;
  const auto* const ends = reinterpret_cast<const edge_offset*>(bytes.data() + header_size);
  for_each_block(header.vertices, elements_per_block, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) {
      const edge_offset start = v == 0 ? 0 : ends[v - 1];
      if (ends[v] < start || ends[v] > header.edges) {
        fail(file, header_size + 8 * v,
             fmt::format("the edges of vertex {} end at {}, expected {} to {}", v, ends[v], start, header.edges));
      }
      offsets[v + 1] = ends[v];
    }
  });
  if (offsets.back() != header.edges) {
    fail(file, header_size + 8 * (header.vertices - 1),
         fmt::format("the edges of the last vertex end at {}, expected {}", offsets.back(), header.edges));
  }
  return offsets;
}

std::span<const std::uint32_t> words(std::span<const std::byte> bytes, std::uint64_t offset, std::uint64_t count) {
  return {reinterpret_cast<const std::uint32_t*>(bytes.data() + offset), count};
}

std::vector<std::uint32_t> seeded_weights(std::span<const edge_offset> offsets, std::span<const vertex_id> targets,
                                          std::uint64_t seed) {
  std::vector<std::uint32_t> weights(targets.size());
  for_each_block(offsets.size() - 1, elements_per_block, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) {
      for (edge_offset i = offsets[v]; i < offsets[v + 1]; ++i) {
        weights[i] = seeded_weight(seed, static_cast<vertex_id>(v), targets[i]);
      }
    }
  });
  return weights;
}

csr_graph mirrored(const csr_graph& graph, file_remarks& remarks) {
  edge_list edges;
  edges.type = graph.weights();
  edges.targets.assign(graph.targets().begin(), graph.targets().end());
  edges.weight_bits.assign(graph.weight_bits().begin(), graph.weight_bits().end());
  edges.sources.reserve(graph.edge_count());
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    edges.sources.resize(graph.offsets()[v + std::size_t{1}], v);
  }
  return remarks.build(graph.vertex_count(), edges, {.symmetric = true});
}

/// The bytes of the file, and the arrays that cannot be used in place.
struct file_and_arrays {
  std::shared_ptr<const void> file;
  uninitialized_vector<edge_offset> offsets;
  std::vector<std::uint32_t> weights;
};

}  // namespace

csr_graph read_galois(const std::filesystem::path& file, const read_options& options, file_remarks& remarks) {
  const loaded_bytes content = load_bytes(file);
  const layout header = parse_header(content.bytes, file);
  remarks.lacks_weights = !header.weighted;
  const auto owner = std::make_shared<file_and_arrays>();
  owner->file = content.owner;
  owner->offsets = read_offsets(content.bytes, header, file);
  const std::span<const vertex_id> targets = words(content.bytes, header.targets_at, header.edges);
  if (const auto i = first_at_least(targets, static_cast<vertex_id>(header.vertices))) {
    fail(file, header.targets_at + 4 * *i,
         fmt::format("edge {} leads to vertex {}, expected 0 to {}", *i, targets[*i], header.vertices - 1));
  }

  std::span<const std::uint32_t> weights;
  std::uint64_t negated = 0;
  if (!header.weighted || options.ignore_weights) {
    owner->weights = seeded_weights(owner->offsets, targets, options.weight_seed);
    weights = owner->weights;
  } else {
    weights = words(content.bytes, header.weights_at, header.edges);
    const auto first = first_at_least(weights, largest_stored_weight + 1);
    if (first && !options.absolute_weights) {
      refuse_negative([&] {
        fail(file, header.weights_at + 4 * *first,
             fmt::format("edge {} has weight {}, which is negative; {}", *first,
                         std::bit_cast<std::int32_t>(weights[*first]), negative_weight_hint));
      });
    }
    if (first) {
      owner->weights.assign(weights.begin(), weights.end());
      for (std::uint32_t& bits : owner->weights) {
        if (bits <= largest_stored_weight) continue;
        bits = 0 - bits;  // two's complement
        ++negated;
      }
      weights = owner->weights;
    }
  }
  csr_graph graph(owner->offsets, targets, weights, weight_type::uint32, owner, array_checks::done);
  return (options.undirected.value_or(false) ? mirrored(graph, remarks) : graph).with_negated_weights(negated);
}

std::optional<graph_size> announced_size(const std::filesystem::path& file) {
  // Reading the header of a compressed file would decompress all of it.
  if (file.extension() != ".gr") return std::nullopt;
  try {
    const loaded_bytes content = load_bytes(file);
    const layout header = parse_header(content.bytes, file);
    return graph_size{.vertices = header.vertices, .edges = header.edges};
  } catch (const input_error&) {
    return std::nullopt;  // read_graph() reports it
  }
}

void write_galois(const csr_graph& graph, const std::filesystem::path& file) {
  if (graph.weights() != weight_type::uint32) {
    throw input_error(fmt::format(
        "{}: the Galois binary format has integer weights only; write the DIMACS text format instead", file.string()));
  }
  const auto weights = graph.weight_bits();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > largest_stored_weight) {
      throw input_error(
          fmt::format("{}: edge {} has weight {}, but the Galois binary format holds at most {}; write the DIMACS "
                      "text format instead",
                      file.string(), i, weights[i], largest_stored_weight));
    }
  }
  file_writer out(file);
  const auto put = [&out](const auto& array) {
    const auto bytes = std::as_bytes(std::span(array));
    out.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  put(std::vector<std::uint64_t>{1, 4, graph.vertex_count(), graph.edge_count()});
  put(graph.offsets().subspan(1));
  put(graph.targets());
  if (graph.edge_count() % 2 == 1) put(std::vector<std::uint32_t>{0});
  put(weights);
  out.commit();
}

}  // namespace mlmq::graph
