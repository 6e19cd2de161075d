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

void distance_files::append(std::size_t row, std::span<const std::byte> numbers) {
  const std::size_t first = layout_.first_of(row);
  if (row == first) open_.try_emplace(first, layout_.file_of(row)).first->second.write(layout_.header_of(row));
  file_writer& file = open_.at(first);
  file.write({reinterpret_cast<const char*>(numbers.data()), numbers.size()});
  if (row + 1 < first + layout_.rows_in_file_of(row)) return;
  file.commit();
  open_.erase(first);
}

}  // namespace mlmq::cli
