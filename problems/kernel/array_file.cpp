// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/array_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/file_reader.hpp"
#include "base/text.hpp"

namespace mlmq::kernel {
namespace {

constexpr std::size_t longest_header = std::size_t{1} << 20;
constexpr std::size_t longest_line = std::size_t{1} << 24;  // of a CSV file; more for the numbers of an array
constexpr std::size_t longest_number = 64;                  // characters with a comma and blanks

/// Returns the offset of the numbers in a .npy file. @param start  of the file
std::uint64_t parse_npy(const file_reader& opened, std::string_view start, const element_type& type,
                        std::uint64_t numbers, const std::string& file) {
  const auto fail = [&](const std::string& message) { throw input_error(file + ": " + message); };
  if (start.size() < 12) fail("it is truncated");
  if (start[6] < 1 || start[6] > 3) fail("it is not a .npy file of version 1 to 3");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(start[i])); };
  const bool is_first_version = start[6] == 1;
  const std::size_t length =
      is_first_version ? byte(8) + 256 * byte(9) : byte(8) + 256 * (byte(9) + 256 * (byte(10) + 256 * byte(11)));
  const std::size_t before = is_first_version ? 10 : 12;
  if (opened.bytes() < before + length) fail("it is truncated");
  if (length > longest_header) fail(fmt::format("its header has {} bytes", length));
  std::string header(length, ' ');
  opened.read_whole(before, header);
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
  const std::uint64_t rest = opened.bytes() - before - length;
  if (rest != numbers * type.bytes) {
    fail(fmt::format("it has {} bytes of numbers, expected {} numbers of {} bytes", rest, numbers, type.bytes));
  }
  return before + length;
}

bool is_csv(const std::filesystem::path& file) { return file.extension() == ".csv"; }

/// Returns the offset of the numbers in a .npy file or a file of raw numbers, which has the right type and size.
std::uint64_t start_of_numbers(const file_reader& opened, const std::filesystem::path& file, const std::string& array,
                               const element_type& type, std::size_t count) {
  const std::uint64_t numbers = std::uint64_t{count} * type.numbers;
  std::array<char, 12> buffer{};
  const std::string_view start(buffer.data(), opened.read(0, buffer));
  if (start.starts_with("\x93NUMPY")) {
    return parse_npy(opened, start, type, numbers, fmt::format("{}: array '{}'", file.string(), array));
  }
  if (opened.bytes() != numbers * type.bytes) {
    throw input_error(fmt::format("{}: it has {} bytes, expected {} numbers of {} bytes", file.string(), opened.bytes(),
                                  numbers, type.bytes));
  }
  return 0;
}

/// Reads lines of a file, a piece at a time.
class line_reader {
 public:
  line_reader(const file_reader& opened, std::size_t longest) : opened_(opened), longest_(longest) {}

  /// Returns the next line without its end, or nothing after the last line. Of a line that is too long, returns the
  /// beginning: it is longer than `longest`.
  std::optional<std::string> next() {
    std::string line;
    for (;;) {
      if (used_ == piece_.size()) {
        piece_.resize(std::size_t{1} << 16);
        used_ = 0;
        piece_.resize(opened_.read(position_, piece_));
        position_ += piece_.size();
        if (piece_.empty()) return line.empty() ? std::nullopt : std::optional(std::move(line));
      }
      const std::size_t end = piece_.find('\n', used_);
      line.append(piece_, used_, std::min(end, piece_.size()) - used_);
      used_ = end == std::string::npos ? piece_.size() : end + 1;
      if (end != std::string::npos || line.size() > longest_) return line;
    }
  }

 private:
  const file_reader& opened_;
  std::size_t longest_;
  std::uint64_t position_ = 0;
  std::string piece_;
  std::size_t used_ = 0;
};

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

std::vector<std::byte> read_csv(const file_reader& opened, const std::string& file, const std::string& array,
                                const element_type& type, std::size_t count) {
  const std::size_t numbers = count * type.numbers;
  std::vector<std::byte> contents;  // grows with what the file has
  std::size_t position = 0;
  std::optional<std::size_t> column;
  std::size_t line_number = 0;
  const auto fail = [&](const std::string& message) {
    throw input_error(fmt::format("{}:{}: {}", file, line_number, message));
  };
  const auto add = [&](const std::string& cell) {
    const std::optional<tuner::exact_number> number = number_in(cell);
    if (!number) fail("'" + cell.substr(0, longest_number) + "' is not a number");
    if (position == numbers) fail(fmt::format("array '{}' has more than the expected {} numbers", array, numbers));
    if (contents.size() == position * type.bytes) {
      contents.resize(std::min(numbers, std::max<std::size_t>(2 * position, 1024)) * type.bytes);
    }
    if (!store_number(type, contents.data(), position, *number)) {
      fail(fmt::format("{} cannot hold {}", type.name, cell));
    }
    ++position;
  };
  line_reader lines(opened, longest_line + longest_number * numbers);
  while (const std::optional<std::string> line = lines.next()) {
    ++line_number;
    if (line->size() > longest_line + longest_number * numbers) fail("the line is too long");
    const std::vector<std::string> cells = cells_of(*line);
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

void check_array(const std::filesystem::path& file, const std::string& array, const element_type& type,
                 std::size_t count) {
  const file_reader opened(file);
  if (!is_csv(file)) (void)start_of_numbers(opened, file, array, type, count);
}

std::vector<std::byte> read_array(const std::filesystem::path& file, const std::string& array, const element_type& type,
                                  std::size_t count) {
  const file_reader opened(file);
  if (is_csv(file)) return read_csv(opened, file.string(), array, type, count);
  const std::uint64_t start = start_of_numbers(opened, file, array, type, count);
  std::vector<std::byte> contents(count * type.numbers * type.bytes);
  opened.read_whole(start, std::span(reinterpret_cast<char*>(contents.data()), contents.size()));
  return contents;
}

}  // namespace mlmq::kernel
