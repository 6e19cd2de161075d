// SPDX-License-Identifier: Apache-2.0
// Files that may be gzip data, whole or damaged, read in both available ways.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/targets.hpp"

using namespace mlmq;
using fuzz::require;

namespace {

/// Decompresses in pieces of an odd size; returns nothing if the data is damaged.
std::optional<std::string> read_in_pieces(const std::filesystem::path& file) {
  byte_source source(file);
  std::array<char, 997> piece{};
  std::string text;
  for (std::size_t count = piece.size(); count == piece.size();) {
    count = source.read(piece);
    text.append(piece.data(), count);
  }
  require(source.read(piece) == 0, "nothing follows the end");
  return source.failure().empty() ? std::optional(text) : std::nullopt;
}

}  // namespace

void mlmq::fuzz::gzip(std::string_view bytes) {
  static fuzz::memory_file file;
  file.set(bytes);
  const auto in_pieces = read_in_pieces(file.path());
  try {
    const loaded_bytes whole = load_bytes(file.path());
    require(in_pieces && std::ranges::equal(std::as_bytes(std::span(*in_pieces)), whole.bytes),
            "both ways give the same bytes");
  } catch (const input_error&) {
    require(!in_pieces, "both ways find the damage");
  }
}
