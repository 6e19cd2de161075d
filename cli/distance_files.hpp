// SPDX-License-Identifier: Apache-2.0
// Output files of multi-source searches: one matrix, or a folder of matrices with a fixed number of rows each.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "base/file_writer.hpp"

namespace mlmq::cli {

/// Layout of the distance matrix with one row per search, in one or several files.
struct distance_layout {
  std::filesystem::path output;  ///< NAME.npy, or NAME/ for a folder
  std::string type;              ///< NumPy type, such as "<u4"
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t rows_of_file = 0;  ///< rows per file of a folder; otherwise all rows

  /// Returns the size of a number: the last character of its NumPy type.
  [[nodiscard]] std::size_t bytes_of_number() const { return static_cast<std::size_t>(type.back() - '0'); }
  [[nodiscard]] bool is_folder() const { return !output.has_filename(); }
  /// Returns the file of a row; the file begins with row `first_of(row)`.
  [[nodiscard]] std::filesystem::path file_of(std::size_t row) const;
  [[nodiscard]] std::size_t first_of(std::size_t row) const { return row / rows_of_file * rows_of_file; }
  [[nodiscard]] std::size_t rows_in_file_of(std::size_t row) const;
  [[nodiscard]] std::string header_of(std::size_t row) const;
  /// Returns whether the file of the row exists and is complete.
  [[nodiscard]] bool is_written(std::size_t row) const;
};

/// Writes rows into their files. A file gets its name when it is complete.
class distance_files {
 public:
  explicit distance_files(distance_layout layout) : layout_(std::move(layout)) {}

  /// Appends a row to its file. The rows of a file must come in their order; its first row creates it.
  /// @throws work_error
  void append(std::size_t row, std::span<const std::byte> numbers);

 private:
  distance_layout layout_;
  std::map<std::size_t, file_writer> open_;  ///< by first row
};

}  // namespace mlmq::cli
