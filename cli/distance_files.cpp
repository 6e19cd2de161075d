// SPDX-License-Identifier: Apache-2.0
#include "cli/distance_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "cli/npy.hpp"
#include "cli/output_file.hpp"
#include "cli/vertex_files.hpp"
#include "graph/hash.hpp"
#include "library/conversions.hpp"

namespace mlmq::cli {

namespace {

constexpr std::size_t bytes_of_file = std::size_t{256} << 20;
/// Minimum number of files of a large batch, so that devices and shards can share them even if rows are short.
constexpr std::size_t least_files = 16;
constexpr std::size_t least_rows_of_file = 1024;

std::string ids_text(const digraph& graph, std::span<const vertex> vertices) {
  std::string text;
  for (const vertex v : vertices) fmt::format_to(std::back_inserter(text), "{}\n", vertex_text(graph, v));
  return text;
}

}  // namespace

distance_layout::distance_layout(const std::string& file_or_folder, const char* numpy_type, std::size_t searches,
                                 std::size_t distances)
    : output(file_or_folder), type(numpy_type), rows(searches), columns(distances), rows_of_file(searches) {
  if (!is_folder()) {
    check_replaceable_output(output);
    return;
  }
  const std::size_t shared = std::max(least_rows_of_file, (rows + least_files - 1) / least_files);
  rows_of_file = std::clamp<std::size_t>(bytes_of_file / (bytes_of_number() * columns), 1, std::min(rows, shared));
}

void distance_layout::enter_folder(const digraph& graph, const std::string& problem, std::optional<double> cutoff,
                                   std::span<const vertex> sources, std::span<const vertex> targets) const {
  const std::string source_ids = ids_text(graph, sources);
  const std::string target_ids = ids_text(graph, targets);
  const std::string expected = fmt::format(
      "graph {}\ncontent {}\nproblem {}\nsources {} {}\ntargets {} {}\ncutoff {}\nnumbers {}\nrows of a file {}\n",
      graph.name(), graph::graph_hash(detail::csr_of(graph)), problem, rows, hash_text(source_ids), targets.size(),
      hash_text(target_ids), cutoff ? fmt::format("{}", *cutoff) : "none", type, rows_of_file);
  std::error_code ignored;
  if (!std::filesystem::exists(output, ignored)) make_output_folder(output);
  const std::filesystem::path description = output / "searches.txt";
  if (std::ifstream stream(description); stream) {
    const std::string existing{std::istreambuf_iterator<char>(stream), {}};
    if (existing == expected) return;
    throw input_error(fmt::format("--output {}: the folder has the distances of different searches (see searches.txt)",
                                  output.string()));
  }
  if (!std::filesystem::is_empty(output))
    throw input_error(fmt::format("--output {}: the folder is not empty and has no searches.txt", output.string()));
  // Write the description first, since other shards may start at the same time and look for it.
  write_output(description, expected);
  write_output(output / "sources.txt", source_ids);
  if (!targets.empty()) write_output(output / "targets.txt", target_ids);
}

std::vector<std::size_t> distance_layout::missing_rows(std::size_t first, std::size_t count) const {
  std::vector<std::size_t> missing;
  for (std::size_t row = first; row < first + count; row += rows_in_file_of(row)) {
    if (is_folder() && is_written(row)) continue;
    for (std::size_t i = row; i < row + rows_in_file_of(row); ++i) missing.push_back(i);
  }
  return missing;
}

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
