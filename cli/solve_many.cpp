// SPDX-License-Identifier: Apache-2.0
#include "cli/solve_many.hpp"
#include "cli/graph_problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/distance_files.hpp"
#include "cli/npy.hpp"
#include "cli/output_file.hpp"
#include "cli/progress_line.hpp"
#include "cli/reduction_text.hpp"
#include "cli/solve_many_report.hpp"
#include "cli/solve_workload.hpp"
#include "cli/vertex_files.hpp"
#include "graph/hash.hpp"
#include "library/conversions.hpp"
#include "library/device_shares.hpp"
#include "problems/graphs/sources.hpp"

namespace mlmq::cli {
namespace {

constexpr std::size_t bytes_of_file = std::size_t{256} << 20;
/// Minimum number of files of a large batch, so that devices and shards can share them even if rows are short.
constexpr std::size_t least_files = 16;
constexpr std::size_t least_rows_of_file = 1024;

/// Draws random sources. @return nothing if the text is not N:random or N:random:SEED
std::optional<std::vector<vertex>> drawn(const digraph& graph, const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  std::error_code ignored;
  const auto count = whole_number_in(parts[0]);
  const bool is_random =
      parts.size() > 1 && (parts[1] == "random" || (count && !std::filesystem::exists(text, ignored)));
  if (!is_random) return std::nullopt;
  const auto seed = parts.size() == 3 ? whole_number_in(parts[2]) : std::uint64_t{1};
  if (parts.size() > 3 || parts[1] != "random" || !count || *count == 0 || !seed) {
    const std::vector<std::string> rules{"random"};
    throw input_error(fmt::format("--sources {}: expected N:random or N:random:SEED, with N at least 1{}", text,
                                  parts[1] == "random" ? "" : did_you_mean(parts[1], rules)));
  }
  std::vector<vertex> sources = problems::choose_sources(
      detail::csr_of(graph), {.choose = problems::source_rule::choice::random, .count = *count, .seed = *seed},
      graph.name());
  if (sources.empty()) throw input_error(fmt::format("--sources {}: {} has no edges", text, graph.name()));
  if (sources.size() < *count) {
    throw input_error(
        fmt::format("--sources {}: {} has {} vertices with out-edges", text, graph.name(), sources.size()));
  }
  return sources;
}

std::vector<vertex> sources_in(const digraph& graph, const std::string& text) {
  if (text == "all") {
    std::vector<vertex> vertices(graph.vertex_count());
    std::iota(vertices.begin(), vertices.end(), vertex{0});
    return vertices;
  }
  if (auto random = drawn(graph, text)) return *random;
  return listed_vertices(graph, "--sources", text);
}

std::string ids_text(const digraph& graph, std::span<const vertex> vertices) {
  std::string text;
  for (const vertex v : vertices) fmt::format_to(std::back_inserter(text), "{}\n", vertex_text(graph, v));
  return text;
}

/// Returns a description of the searches whose distances a folder has.
std::string description_of(const digraph& graph, const multi_source_request& request, const distance_layout& layout,
                           const std::string& sources, const std::string& targets) {
  return fmt::format(
      "graph {}\ncontent {}\nproblem {}\nsources {} {}\ntargets {} {}\ncutoff {}\nnumbers {}\nrows of a file {}\n",
      graph.name(), graph::graph_hash(detail::csr_of(graph)), problem_name(request.kind), layout.rows,
      hash_text(sources), targets.empty() ? 0 : layout.columns, hash_text(targets),
      request.cutoff ? fmt::format("{}", *request.cutoff) : "none", layout.type, layout.rows_of_file);
}

/// Creates the folder, or checks that it has the distances of the same searches.
void enter_folder(const digraph& graph, const multi_source_request& request, const distance_layout& layout,
                  std::span<const vertex> sources, std::span<const vertex> targets) {
  const std::string source_ids = ids_text(graph, sources);
  const std::string target_ids = ids_text(graph, targets);
  const std::string expected = description_of(graph, request, layout, source_ids, target_ids);
  std::error_code ignored;
  if (!std::filesystem::exists(layout.output, ignored)) make_output_folder(layout.output);
  const std::filesystem::path description = layout.output / "searches.txt";
  if (std::ifstream stream(description); stream) {
    const std::string existing{std::istreambuf_iterator<char>(stream), {}};
    if (existing == expected) return;
    throw input_error(fmt::format("--output {}: the folder has the distances of different searches (see searches.txt)",
                                  layout.output.string()));
  }
  if (!std::filesystem::is_empty(layout.output)) {
    throw input_error(
        fmt::format("--output {}: the folder is not empty and has no searches.txt", layout.output.string()));
  }
  // Write the description first, since other shards may start at the same time and look for it.
  write_output(description, expected);
  write_output(layout.output / "sources.txt", source_ids);
  if (!targets.empty()) write_output(layout.output / "targets.txt", target_ids);
}

const char* numpy_type_of(number_type type) {
  switch (type) {
    case number_type::uint32:
      return "<u4";
    case number_type::float32:
      return "<f4";
    case number_type::float64:
      break;
  }
  return "<f8";
}

std::span<const std::byte> bytes_of(const distance_rows& rows) {
  switch (rows.type) {
    case number_type::uint32:
      return std::as_bytes(rows.uint32);
    case number_type::float32:
      return std::as_bytes(rows.float32);
    case number_type::float64:
      break;
  }
  return std::as_bytes(rows.float64);
}

distance_layout layout_for(const digraph& graph, const multi_source_request& request, std::size_t searches,
                           std::size_t targets) {
  distance_layout layout{
      .output = request.output,
      .type = numpy_type_of(request.kind == problem::bfs ? number_type::uint32 : graph.weight_type()),
      .rows = searches,
      .columns = targets > 0 ? targets : graph.vertex_count()};
  layout.rows_of_file = layout.rows;
  if (layout.is_folder()) {
    const std::size_t shared = std::max(least_rows_of_file, (layout.rows + least_files - 1) / least_files);
    layout.rows_of_file = std::clamp<std::size_t>(bytes_of_file / (layout.bytes_of_number() * layout.columns), 1,
                                                  std::min(layout.rows, shared));
  } else {
    check_replaceable_output(request.output);
  }
  return layout;
}

batch_options options_for(const multi_source_request& request, std::vector<vertex> targets) {
  batch_options result{.targets = std::move(targets),
                       .cutoff = request.cutoff,
                       .memory_bytes = request.memory_bytes,
                       .time_limit_ms = request.time_limit_ms,
                       .check = request.check};
  result.tries = request.tries;
  if (request.configuration != "auto") {
    check_multi_source_configuration(request.configuration);
    result.configurations = {request.configuration};
  } else if (!request.model.empty()) {
    result.model = model_for(request.model);
  }
  return result;
}

/// Thread-safe progress display of the searches.
class progress {
 public:
  progress(std::size_t done, std::size_t total, bool quiet) : line_(quiet), begin_(done), done_(done), total_(total) {}

  void add(std::size_t searches) {
    const std::lock_guard lock(mutex_);
    done_ += searches;
    if (!line_.due()) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const double rate = static_cast<double>(done_ - begin_) / seconds;
    line_.show({.done = done_,
                .total = total_,
                .unit = "searches",
                .details = fmt::format("{:.4g}/s", rate),
                .seconds_left = static_cast<double>(total_ - done_) / rate});
  }
  void end() { line_.end(); }

 private:
  std::mutex mutex_;
  progress_line line_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t begin_;
  std::size_t done_;
  std::size_t total_;
};

/// Returns the rows whose files are not complete.
std::vector<std::size_t> missing_rows(const distance_layout& layout, const detail::search_range& rows) {
  std::vector<std::size_t> missing;
  const std::size_t end = rows.first + rows.count;
  for (std::size_t row = rows.first; row < end; row += layout.rows_in_file_of(row)) {
    if (layout.is_folder() && layout.is_written(row)) continue;
    for (std::size_t i = row; i < row + layout.rows_in_file_of(row); ++i) missing.push_back(i);
  }
  return missing;
}

/// The numbers that --reduce, --pairs or --path-sums writes, and how many belong to a search or a pair.
struct computed_numbers {
  std::vector<double> values;
  std::size_t columns = 1;
  batch_summary summary;
};

computed_numbers reduce_searches(solver& searches, const digraph& graph, const multi_source_request& request,
                                 std::span<const vertex> sources, const batch_options& settings) {
  computed_numbers result{.values = {}, .columns = 0, .summary = {}};
  std::vector<reduction> reductions;
  for (const std::string& text : request.reductions) {
    reductions.push_back(reduction_in(graph, text));
    result.columns += reductions.back().columns();
  }
  reduced_searches reduced = searches.reduce(sources, reductions, settings);
  result.values.reserve(sources.size() * result.columns);
  for (std::size_t row = 0; row < sources.size(); ++row) {
    for (std::size_t i = 0; i < reductions.size(); ++i) {
      const reduced_table& table = reduced.tables[i];
      const bool has_members = reductions[i].kind == reduction::quantity::nearest;
      for (std::size_t column = 0; column < table.columns; ++column) {
        const double value = table.value(row, column);
        const bool is_member = has_members && column >= reductions[i].count && value >= 0;
        result.values.push_back(is_member ? static_cast<double>(graph.id_of(static_cast<vertex>(value))) : value);
      }
    }
  }
  result.summary = std::move(reduced.summary);
  return result;
}

/// Returns rows of `targets` distances and as many sums; infinity if there is no path.
computed_numbers numbers_of(path_sums&& sums, std::size_t targets) {
  computed_numbers result{.values = {}, .columns = 2 * targets, .summary = std::move(sums.summary)};
  result.values.reserve(2 * sums.sums.size());
  for (std::size_t first = 0; first < sums.sums.size(); first += targets) {
    for (std::size_t i = first; i < first + targets; ++i) result.values.push_back(sums.distances[i]);
    for (std::size_t i = first; i < first + targets; ++i) {
      result.values.push_back(sums.sums[i] == no_path_sum ? std::numeric_limits<double>::infinity()
                                                          : static_cast<double>(sums.sums[i]));
    }
  }
  return result;
}

computed_numbers solve_pairs(solver& searches, const digraph& graph, const multi_source_request& request,
                             const batch_options& settings) {
  const auto [sources, targets] = pairs_in_file(graph, request.pairs);
  if (!request.path_sums.empty())
    return numbers_of(searches.sum_pair_paths(sources, targets, request.quantities, settings), 1);
  pair_distances distances = searches.solve_pairs(sources, targets, settings);
  return {.values = std::move(distances.distances), .columns = 1, .summary = std::move(distances.summary)};
}

/// Searches the rows whose files are missing, and writes them.
batch_summary search_and_write(solver& searches, std::span<const vertex> sources, batch_options settings,
                               const distance_layout& layout, std::span<const std::size_t> rows, progress& shown) {
  std::vector<vertex> missing;
  for (const std::size_t row : rows) missing.push_back(sources[row]);
  if (missing.empty()) return {};
  settings.searches_together = layout.rows_of_file;
  distance_files files(layout);
  return searches.solve_many(missing, settings, [&](const distance_rows& block) {
    const std::span<const std::byte> numbers = bytes_of(block);
    const std::size_t row_bytes = numbers.size() / block.rows;
    for (std::size_t i = 0; i < block.rows; ++i)
      files.append(rows[block.first + i], numbers.subspan(i * row_bytes, row_bytes));
    shown.add(block.rows);
  });
}

void write_numbers(const multi_source_request& request, const computed_numbers& numbers) {
  if (request.output.empty()) return;
  const std::size_t rows = numbers.values.size() / numbers.columns;
  file_writer file(request.output);
  const bool is_list = !request.pairs.empty() && numbers.columns == 1;
  file.write(is_list ? npy_header("<f8", rows) : npy_header("<f8", rows, numbers.columns));
  file.write({reinterpret_cast<const char*>(numbers.values.data()), numbers.values.size() * sizeof(double)});
  file.commit();
}

/// @throws input_error for options that --reduce, --pairs and --path-sums do not have
void check_computed_request(const multi_source_request& request) {
  const char* const option = !request.pairs.empty()       ? "--pairs"
                             : !request.path_sums.empty() ? "--path-sums"
                                                          : "--reduce";
  const bool is_matrix = request.pairs.empty() && !request.path_sums.empty();
  if (is_matrix == request.targets.empty()) {
    throw input_error(is_matrix ? "--path-sums requires --targets or --pairs"
                                : fmt::format("--targets cannot be combined with {}", option));
  }
  if (option != std::string_view("--reduce") && !request.reductions.empty())
    throw input_error(fmt::format("--reduce cannot be combined with {}", option));
  if (!request.pairs.empty() && !request.sources.empty())
    throw input_error("--sources cannot be combined with --pairs: the file has the sources");
  if (request.shards > 1) throw input_error(fmt::format("--shard cannot be combined with {}", option));
  if (request.output.empty()) return;
  (void)kind_of_output("--output", request.output, {output_kind::npy});
  check_replaceable_output(request.output);
}

}  // namespace

void check_multi_source_configuration(const std::string& label) {
  try {
    (void)complete_configuration(label);
  } catch (const input_error& error) {
    throw input_error(std::string("--config: ") + error.what());
  }
}

int solve_multi_source(const device& devices, const digraph& graph, const multi_source_request& request) {
  if (request.configuration != "auto" && !request.model.empty()) {
    throw input_error("--config and --model cannot be combined: a model chooses the configuration");
  }
  if (is_standard_output(request.output)) {
    throw input_error(
        "--output -: distances of many searches are written to NAME.npy or a folder, not to standard output");
  }
  const bool computes = request.computes();
  if (!computes && !request.output.empty())
    (void)kind_of_output("--output", request.output, {output_kind::npy, output_kind::folder});
  if (computes) check_computed_request(request);
  const std::vector<vertex> sources =
      request.pairs.empty() ? sources_in(graph, request.sources) : std::vector<vertex>();
  const std::vector<vertex> targets =
      request.targets.empty() ? std::vector<vertex>() : listed_vertices(graph, "--targets", request.targets);
  const batch_options settings = options_for(request, computes ? std::vector<vertex>() : targets);
  solver searches(devices, graph, request.kind);
  batch_summary summary;
  std::size_t already = 0;  // rows
  const auto rows_of_shard = [&](std::size_t unit) {
    return detail::part_of({.first = 0, .count = sources.size()}, request.shard - 1, request.shards, unit);
  };
  if (computes) {
    computed_numbers numbers =
        !request.pairs.empty() ? solve_pairs(searches, graph, request, settings)
        : !request.path_sums.empty()
            ? numbers_of(searches.sum_matrix_paths(sources, targets, request.quantities, settings), targets.size())
            : reduce_searches(searches, graph, request, sources, settings);
    write_numbers(request, numbers);
    summary = std::move(numbers.summary);
  } else if (request.output.empty()) {
    const detail::search_range rows = rows_of_shard(1);
    if (rows.count > 0) summary = searches.solve_many(std::span(sources).subspan(rows.first, rows.count), settings);
  } else {
    const distance_layout layout = layout_for(graph, request, sources.size(), targets.size());
    if (!layout.is_folder() && (devices.members().size() > 1 || request.shards > 1)) {
      throw input_error("--output: shards and several devices require a folder, not a file");
    }
    if (layout.is_folder()) enter_folder(graph, request, layout, sources, targets);
    const detail::search_range rows = rows_of_shard(layout.rows_of_file);
    const std::vector<std::size_t> missing = missing_rows(layout, rows);
    already = rows.count - missing.size();
    if (already > 0) {
      request.results.make_printer(request.output)("already done   {} of {} searches\n", already, rows.count);
    }
    progress shown(already, rows.count, request.results.quiet);
    summary = search_and_write(searches, sources, settings, layout, missing, shown);
    shown.end();
  }
  report_searches(graph, request, devices, summary, targets.size(), already);
  return exit_ok;
}

}  // namespace mlmq::cli
