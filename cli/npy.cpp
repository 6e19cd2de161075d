// SPDX-License-Identifier: Apache-2.0
#include "cli/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <fstream>
#include <string_view>

namespace mlmq::cli {

static_assert(std::endian::native == std::endian::little, "numbers are written as they are in memory");

namespace {

std::string header_of(const std::string& type, const std::string& shape) {
  constexpr std::string_view magic{"\x93NUMPY\x01\x00", 8};
  constexpr std::size_t alignment = 64;
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  // Pad the header, with its two length bytes and the final newline, to a multiple of 64 bytes.
  const std::size_t rest = (magic.size() + 2 + text.size() + 1) % alignment;
  text.append(rest == 0 ? 0 : alignment - rest, ' ');
  text += '\n';
  std::string header(magic);
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace

std::string npy_header(const std::string& type, std::size_t rows, std::size_t columns) {
  return header_of(type, fmt::format("{}, {}", rows, columns));
}

std::string npy_header(const std::string& type, std::size_t length) {
  return header_of(type, fmt::format("{},", length));
}

bool is_npy(const std::filesystem::path& file, const std::string& header, std::size_t number_bytes) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  if (error || bytes != header.size() + number_bytes) return false;
  std::ifstream stream(file, std::ios::binary);
  std::string first(header.size(), ' ');
  return stream.read(first.data(), static_cast<std::streamsize>(first.size())) && first == header;
}

}  // namespace mlmq::cli
