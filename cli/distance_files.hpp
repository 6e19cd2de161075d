// SPDX-License-Identifier: Apache-2.0
// Where the distances of many searches go: one matrix, or a folder with a matrix for every so many searches.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/file_writer.hpp"

namespace mlmq::cli {

/// A matrix of all searches, in a file or in several.
struct distance_layout {
  std::filesystem::path output;  ///< NAME.npy, or a folder
  std::string type;              ///< NumPy's name of the numbers, such as "<u4"
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t rows_of_file = 0;  ///< in a folder; in one file all

  /// Which their name ends with.
  [[nodiscard]] std::size_t bytes_of_number() const { return static_cast<std::size_t>(type.back() - '0'); }
  [[nodiscard]] bool is_folder() const { return output.extension() != ".npy"; }
  /// The file that the row is in, which begins with row `first_of(row)`.
  [[nodiscard]] std::filesystem::path file_of(std::size_t row) const;
  [[nodiscard]] std::size_t first_of(std::size_t row) const { return row / rows_of_file * rows_of_file; }
  [[nodiscard]] std::size_t rows_in_file_of(std::size_t row) const;
  [[nodiscard]] std::string header_of(std::size_t row) const;
  /// Whether the file is there, whole.
  [[nodiscard]] bool is_written(std::size_t row) const;
};

/// Writes rows into the files where they belong. A file has its name when it is whole.
class distance_files {
 public:
  explicit distance_files(distance_layout layout) : layout_(std::move(layout)) {}

  /// Rows one after the other; the first of a file begins it. @param first number of the first row @throws work_error
  void append(std::size_t first, std::span<const std::byte> numbers);

 private:
  distance_layout layout_;
  std::unique_ptr<file_writer> open_;
};

}  // namespace mlmq::cli
