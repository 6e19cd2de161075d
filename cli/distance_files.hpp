// SPDX-License-Identifier: Apache-2.0
// Output files of multi-source searches: one matrix, or a folder of matrices with a fixed number of rows each.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file_writer.hpp"
#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

/// Layout of the distance matrix with one row per search, in one or several files.
struct distance_layout {
  std::filesystem::path output;  ///< NAME.npy, or NAME/ for a folder
  std::string type;              ///< NumPy type, such as "<u4"
  std::size_t rows;
  std::size_t columns;
  std::size_t rows_of_file;  ///< rows per file of a folder; otherwise all rows

  /// @throws input_error for a file that cannot be replaced
  distance_layout(const std::string& file_or_folder, const char* numpy_type, std::size_t searches,
                  std::size_t distances);

  /// Creates the folder, or checks that it has the distances of the same searches. @throws input_error, work_error
  void enter_folder(const digraph& graph, const std::string& problem, std::optional<double> cutoff,
                    std::span<const vertex> sources, std::span<const vertex> targets) const;
  /// Returns the rows, among `count` from `first`, whose files are not complete.
  [[nodiscard]] std::vector<std::size_t> missing_rows(std::size_t first, std::size_t count) const;

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
