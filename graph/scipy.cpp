// SPDX-License-Identifier: Apache-2.0
// Sparse matrices written by scipy.sparse.save_npz: a ZIP archive of arrays in NumPy's format.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/zip_archive.hpp"
#include "graph/formats.hpp"
#include "graph/text_reader.hpp"
#include "graph/weights.hpp"

namespace mlmq::graph {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are read as they lie");

/// An array with at most one dimension.
class array {
 public:
  /// Reads an array. @throws input_error naming the file and the array
  array(const zip_archive& archive, const std::filesystem::path& file, const std::string& name)
      : place_(fmt::format("{}: {}.npy", file.string(), name)), bytes_(archive.read(name + ".npy")) {
    constexpr std::string_view magic = "\x93NUMPY";
    const std::string_view text(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    if (!text.starts_with(magic) || text.size() < 12) fail("is not a NumPy array");
    const auto byte = [&](std::size_t position) { return std::to_integer<std::size_t>(bytes_[position]); };
    const bool is_long = byte(6) >= 2;
    const std::size_t length = byte(8) | byte(9) << 8 | (is_long ? byte(10) << 16 | byte(11) << 24 : 0);
    const std::size_t begin = is_long ? 12 : 10;
    if (length > text.size() - begin) fail("is incomplete");
    const std::string_view header = text.substr(begin, length);
    const std::string_view type = quoted_after(header, "'descr':");
    if (type.size() < 3 || (type[0] != '<' && type[0] != '|')) {
      fail(fmt::format("has the type {}, expected plain little-endian values", in_quotes(type)));
    }
    kind_ = type[1];
    const auto size = parse_count(type.substr(2));
    if (!size || *size > 64) fail(fmt::format("has the unsupported type {}", in_quotes(type)));
    item_ = *size * (kind_ == 'U' ? 4 : 1);
    parse_shape(header);
    data_ = begin + length;
    if (item_ == 0 || bytes_.size() - data_ != count_ * item_) fail("is not as long as its header says");
  }

  [[nodiscard]] char kind() const { return kind_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool is_double() const { return kind_ == 'f' && item_ == 8; }

  /// Returns a text scalar of bytes or 4-byte characters.
  [[nodiscard]] std::string text() const {
    std::string result;
    const std::size_t step = kind_ == 'U' ? 4 : 1;
    if (kind_ != 'U' && kind_ != 'S') fail("is not text");
    for (std::size_t offset = data_; offset < data_ + item_; offset += step) {
      const char character = static_cast<char>(bytes_[offset]);
      if (character != '\0') result += character;
    }
    return result;
  }

  /// Returns element i, an integer of any width. @throws input_error if it is negative
  [[nodiscard]] std::uint64_t count_at(std::size_t i) const {
    const std::int64_t value = signed_at(i);
    if (value < 0 && kind_ == 'i') fail(fmt::format("element {} is negative", i));
    return static_cast<std::uint64_t>(value);
  }

  [[nodiscard]] std::int64_t signed_at(std::size_t i) const {
    if (kind_ != 'i' && kind_ != 'u') fail("does not contain integers");
    std::uint64_t bits = 0;
    if (item_ > sizeof bits) fail("has numbers of more than 8 bytes");
    std::memcpy(&bits, bytes_.data() + data_ + i * item_, item_);
    const auto unused = static_cast<int>(8 * (sizeof bits - item_));
    if (kind_ == 'u') return static_cast<std::int64_t>(bits);
    return static_cast<std::int64_t>(bits << unused) >> unused;
  }

  [[nodiscard]] double real_at(std::size_t i) const {
    if (item_ == 8) return load<double>(i);
    if (item_ == 4) return load<float>(i);
    fail("has floats of an unsupported size, expected 4 or 8 bytes");
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw input_error(fmt::format("{}: {}", place_, message));
  }

 private:
  template <class Number>
  [[nodiscard]] Number load(std::size_t i) const {
    Number value;
    std::memcpy(&value, bytes_.data() + data_ + i * item_, sizeof value);
    return value;
  }

  [[nodiscard]] std::string_view quoted_after(std::string_view header, std::string_view key) const {
    const std::size_t position = header.find(key);
    if (position == std::string_view::npos) fail("has an invalid header");
    const std::size_t open = header.find('\'', position + key.size());
    const std::size_t close = open == std::string_view::npos ? open : header.find('\'', open + 1);
    if (close == std::string_view::npos) fail("has an invalid header");
    return header.substr(open + 1, close - open - 1);
  }

  void parse_shape(std::string_view header) {
    constexpr std::string_view key = "'shape':";
    const std::size_t position = header.find(key);
    const std::size_t open = position == std::string_view::npos ? position : header.find('(', position);
    const std::size_t close = open == std::string_view::npos ? open : header.find(')', open);
    if (close == std::string_view::npos) fail("has an invalid header");
    std::string_view inside = header.substr(open + 1, close - open - 1);
    std::string_view token = next_token(inside);
    if (token.ends_with(',')) token.remove_suffix(1);
    if (token.empty()) return;  // a scalar
    const auto count = parse_count(token);
    if (!count || !next_token(inside).empty()) fail("has more than one dimension");
    if (*count > std::numeric_limits<std::size_t>::max() / 64) fail("is incomplete");
    count_ = *count;
  }

  std::string place_;
  std::vector<std::byte> bytes_;
  char kind_ = 0;
  std::size_t item_ = 0;
  std::size_t count_ = 1;
  std::size_t data_ = 0;
};

/// Returns the row or column of each stored entry of a compressed matrix.
uninitialized_vector<vertex_id> expand(const array& starts, std::uint64_t vertices, std::size_t entries) {
  if (starts.size() != vertices + 1) {
    starts.fail(fmt::format("has {} elements, expected {}", starts.size(), vertices + 1));
  }
  uninitialized_vector<vertex_id> values(entries);
  std::uint64_t before = starts.count_at(0);
  if (before != 0) starts.fail("does not begin with 0");
  for (std::uint64_t v = 0; v < vertices; ++v) {
    const std::uint64_t end = starts.count_at(v + 1);
    if (end < before || end > entries) starts.fail(fmt::format("element {} is {}, out of order", v + 1, end));
    for (; before < end; ++before) values[before] = static_cast<vertex_id>(v);
  }
  if (before != entries) starts.fail(fmt::format("ends with {}, expected {} entries", before, entries));
  return values;
}

uninitialized_vector<vertex_id> indices_of(const array& values, std::uint64_t vertices) {
  uninitialized_vector<vertex_id> indices(values.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::uint64_t index = values.count_at(i);
    if (index >= vertices) values.fail(fmt::format("element {} is {}, expected 0 to {}", i, index, vertices - 1));
    indices[i] = static_cast<vertex_id>(index);
  }
  return indices;
}

/// Adds the weights. @return the number of negative weights
std::uint64_t add_weights(const array& data, const read_options& options, edge_list& edges, file_remarks& remarks) {
  const bool whole = data.kind() != 'f';
  const weight_type type = options.weight_type.value_or(whole ? weight_type::uint32 : weight_type::float32);
  if (type == weight_type::uint32 && !whole) data.fail("has floats, but weights of type uint32 were requested");
  edges.type = type;
  std::uint64_t negative = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const bool huge = data.kind() == 'u' && data.signed_at(i) < 0;  // above 2^63
    double value = 0;
    std::uint64_t number = 0;
    bool minus = false;
    if (whole) {
      const std::int64_t signed_value = data.signed_at(i);
      minus = !huge && signed_value < 0;
      number = minus ? std::uint64_t{0} - static_cast<std::uint64_t>(signed_value)
                     : static_cast<std::uint64_t>(signed_value);
      value = static_cast<double>(number);
    } else {
      value = data.real_at(i);
      if (!std::isfinite(value)) data.fail(fmt::format("element {} is not finite", i));
      minus = value < 0;
      value = std::abs(value);
    }
    if (minus) {
      if (!options.absolute_weights) {
        refuse_negative(
            [&] { data.fail(fmt::format("element {} is negative ({}{}); {}", i, "-", value, negative_weight_hint)); });
      }
      ++negative;
    }
    if (type == weight_type::uint32) {
      if (number > largest_weight) {
        data.fail(fmt::format("element {} is {}, expected at most {}", i, number, largest_weight));
      }
      edges.weight_bits.push_back(static_cast<std::uint32_t>(number));
    } else if (type == weight_type::float64) {
      edges.wide_weight_bits.push_back(std::bit_cast<std::uint64_t>(value));
    } else {
      if (value > static_cast<double>(std::numeric_limits<float>::max())) {
        data.fail(fmt::format("element {} is too large for a 32-bit float", i));
      }
      const auto rounded = static_cast<float>(value);
      if (!options.weight_type && static_cast<double>(rounded) != value) remarks.rounds_weights = true;
      edges.weight_bits.push_back(std::bit_cast<std::uint32_t>(rounded));
    }
  }
  return negative;
}

}  // namespace

csr_graph read_scipy(const std::filesystem::path& file, const read_options& options, file_remarks& remarks) {
  const zip_archive archive(file);
  if (!archive.contains("format.npy") || !archive.contains("shape.npy")) {
    throw input_error(
        fmt::format("{}: contains no sparse matrix, expected a file written by scipy.sparse.save_npz", file.string()));
  }
  const std::string format = array(archive, file, "format").text();
  const array shape(archive, file, "shape");
  if (shape.size() != 2) shape.fail("does not have two numbers");
  const std::uint64_t vertices = shape.count_at(0);
  if (shape.count_at(1) != vertices) {
    shape.fail(fmt::format("the matrix is {} x {}, expected a square matrix", vertices, shape.count_at(1)));
  }
  if (vertices == 0) shape.fail("the graph has no vertices");
  if (vertices > 0xFFFFFFFEu) shape.fail(fmt::format("{} vertices, expected at most {}", vertices, 0xFFFFFFFEu));
  edge_list edges;
  if (format == "csr" || format == "csc") {
    const array indices(archive, file, "indices");
    uninitialized_vector<vertex_id> inner = indices_of(indices, vertices);
    uninitialized_vector<vertex_id> outer = expand(array(archive, file, "indptr"), vertices, inner.size());
    edges.sources = format == "csr" ? std::move(outer) : inner;
    edges.targets = format == "csr" ? std::move(inner) : std::move(outer);
  } else if (format == "coo") {
    edges.sources = indices_of(array(archive, file, "row"), vertices);
    edges.targets = indices_of(array(archive, file, "col"), vertices);
  } else {
    throw input_error(
        fmt::format("{}: the matrix has the format {}, expected csr, csc or coo", file.string(), in_quotes(format)));
  }
  const array data(archive, file, "data");
  if (data.size() != edges.sources.size() || data.size() != edges.targets.size()) {
    data.fail(fmt::format("has {} elements, expected {}", data.size(), edges.sources.size()));
  }
  if (std::string_view("iufb").find(data.kind()) == std::string_view::npos) {
    data.fail("has values that cannot be weights, expected integers, floats or booleans");
  }
  remarks.lacks_weights = data.kind() == 'b';
  remarks.lacks_direction = true;
  std::uint64_t negative = 0;
  if (data.kind() == 'b' || options.ignore_weights) {
    fill_seeded_weights(edges, options.weight_seed);
  } else {
    negative = add_weights(data, options, edges, remarks);
  }
  csr_graph graph = remarks.build(vertices, edges);
  if (const std::uint64_t parallel = parallel_edge_count(graph); parallel > 0) {
    remarks.notes.push_back(fmt::format(
        "entries at the place of another: {}, taken as parallel edges, of which the lightest counts; SciPy would add "
        "them up",
        parallel));
  }
  if (options.undirected.value_or(false)) graph = remarks.build(vertices, edges, {.symmetric = true});
  return graph.with_negated_weights(negative);
}

}  // namespace mlmq::graph
