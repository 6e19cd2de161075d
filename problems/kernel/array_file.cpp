// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/array_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

namespace mlmq::kernel {
namespace {

/// Parses the header of a .npy file. Returns the offset of the numbers.
std::size_t parse_npy(const std::string& bytes, const element_type& type, std::size_t numbers,
                      const std::string& file) {
  const auto fail = [&](const std::string& message) { throw input_error(file + ": " + message); };
  if (bytes.size() < 10 || bytes[6] < 1 || bytes[6] > 3) fail("it is not a .npy file of version 1 to 3");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const bool is_first_version = bytes[6] == 1;
  if (bytes.size() < 12) fail("it is truncated");
  const std::size_t length =
      is_first_version ? byte(8) + 256 * byte(9) : byte(8) + 256 * (byte(9) + 256 * (byte(10) + 256 * byte(11)));
  const std::size_t start = (is_first_version ? 10 : 12) + length;
  if (bytes.size() < start) fail("it is truncated");
  const std::string header = bytes.substr(is_first_version ? 10 : 12, length);
  if (!type.npy.empty() && header.find("'" + type.npy + "'") == std::string::npos) {
    constexpr std::string_view key = "'descr': '";
    const std::size_t begin = header.find(key);
    const std::size_t end = begin == std::string::npos ? begin : header.find('\'', begin + key.size());
    const bool is_plain = end != std::string::npos;
    fail(fmt::format("it has numbers of type {}, expected {} ({})",
                     is_plain ? header.substr(begin + key.size(), end - begin - key.size()) : "structure", type.npy,
                     type.name));
  }
  if (header.find("'fortran_order': True") != std::string::npos) fail("its order is Fortran's; store it in C order");
  if (bytes.size() - start != numbers * type.bytes) {
    fail(fmt::format("it has {} bytes of numbers, expected {} numbers of {} bytes", bytes.size() - start, numbers,
                     type.bytes));
  }
  return start;
}

std::optional<tuner::exact_number> number_in(std::string_view cell) {
  const auto parsed = [cell]<class T>(T number) -> std::optional<tuner::exact_number> {
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    if (error != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
    return number;
  };
  // Not every whole number is a double.
  if (const auto whole = parsed(std::int64_t{})) return whole;
  if (const auto whole = parsed(std::uint64_t{})) return whole;
  return parsed(double{});
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells = split(line, ',');
  for (std::string& cell : cells) {
    const std::size_t first = cell.find_first_not_of(" \t\r\"");
    const std::size_t last = cell.find_last_not_of(" \t\r\"");
    cell = first == std::string::npos ? "" : cell.substr(first, last - first + 1);
  }
  return cells;
}

std::vector<std::byte> read_csv(const std::string& bytes, const std::string& file, const std::string& array,
                                const element_type& type, std::size_t count) {
  const std::size_t numbers = count * type.numbers;
  std::vector<std::byte> contents(numbers * type.bytes);
  std::size_t position = 0;
  std::optional<std::size_t> column;
  std::size_t line_number = 0;
  const auto fail = [&](const std::string& message) {
    throw input_error(fmt::format("{}:{}: {}", file, line_number, message));
  };
  const auto add = [&](const std::string& cell) {
    const std::optional<tuner::exact_number> number = number_in(cell);
    if (!number) fail("'" + cell + "' is not a number");
    if (position < numbers) {
      if (!store_number(type, contents.data(), position, *number)) {
        fail(fmt::format("{} cannot hold {}", type.name, cell));
      }
    }
    ++position;
  };
  for (const std::string& line : split(bytes, '\n')) {
    ++line_number;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() == 1 && cells.front().empty()) continue;
    const bool has_names =
        line_number == 1 && std::ranges::any_of(cells, [](const std::string& cell) { return !number_in(cell); });
    if (has_names) {
      const auto match = std::ranges::find(cells, array);
      if (match == cells.end()) fail("no column is named '" + array + "'" + did_you_mean(array, cells));
      column = static_cast<std::size_t>(match - cells.begin());
    } else if (!column) {
      for (const std::string& cell : cells) add(cell);
    } else if (*column < cells.size() && !cells[*column].empty()) {
      add(cells[*column]);
    }
  }
  if (position != numbers) {
    throw input_error(fmt::format("{}: array '{}' has {} numbers there, expected {}", file, array, position, numbers));
  }
  return contents;
}

}  // namespace

std::vector<std::byte> read_array(const std::filesystem::path& file, const std::string& array, const element_type& type,
                                  std::size_t count) {
  const std::string bytes = read_file(file);
  if (file.extension() == ".csv") return read_csv(bytes, file.string(), array, type, count);
  const std::size_t numbers = count * type.numbers;
  std::size_t start = 0;
  if (bytes.starts_with("\x93NUMPY")) {
    start = parse_npy(bytes, type, numbers, fmt::format("{}: array '{}'", file.string(), array));
  } else if (bytes.size() != numbers * type.bytes) {
    throw input_error(fmt::format("{}: it has {} bytes, expected {} numbers of {} bytes", file.string(), bytes.size(),
                                  numbers, type.bytes));
  }
  std::vector<std::byte> contents(numbers * type.bytes);
  std::memcpy(contents.data(), bytes.data() + start, contents.size());
  return contents;
}

}  // namespace mlmq::kernel
