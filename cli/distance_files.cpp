// SPDX-License-Identifier: Apache-2.0
#include "cli/distance_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/npy.hpp"

namespace mlmq::cli {

std::filesystem::path distance_layout::file_of(std::size_t row) const {
  return is_folder() ? output / fmt::format("distances-{:09}.npy", first_of(row)) : output;
}

std::size_t distance_layout::rows_in_file_of(std::size_t row) const {
  return std::min(rows_of_file, rows - first_of(row));
}

std::string distance_layout::header_of(std::size_t row) const {
  return npy_header(type, rows_in_file_of(row), columns);
}

bool distance_layout::is_written(std::size_t row) const {
  return is_npy(file_of(row), header_of(row), rows_in_file_of(row) * columns * bytes_of_number());
}

void distance_files::append(std::size_t first, std::span<const std::byte> numbers) {
  const std::size_t row_bytes = layout_.columns * layout_.bytes_of_number();
  for (std::size_t row = first; !numbers.empty(); ++row) {
    if (row == layout_.first_of(row)) {
      open_ = std::make_unique<file_writer>(layout_.file_of(row));
      open_->write(layout_.header_of(row));
    }
    open_->write({reinterpret_cast<const char*>(numbers.data()), row_bytes});
    numbers = numbers.subspan(row_bytes);
    if (row + 1 < layout_.first_of(row) + layout_.rows_in_file_of(row)) continue;
    open_->commit();
    open_.reset();
  }
}

}  // namespace mlmq::cli
