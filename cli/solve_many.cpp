// SPDX-License-Identifier: Apache-2.0
#include "cli/solve_many.hpp"
#include "cli/graph_problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/stopwatch.hpp"
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
#include "problems/graphs/sources.hpp"
#include "problems/multi_source/solver.hpp"
#include "tuner/parameter.hpp"

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

/// Adds the times and counts of later searches.
void add(batch_summary& sum, batch_summary latest) {
  latest.times.solve += sum.times.solve;
  latest.times.compile += sum.times.compile;
  latest.times.download += sum.times.download;
  latest.times.upload += sum.times.upload;
  latest.times.prepare += sum.times.prepare;
  latest.searches += sum.searches;
  latest.digest += sum.digest;
  if (latest.tried.empty()) latest.tried = std::move(sum.tried);
  sum = std::move(latest);
}

/// Half-open range of rows, from `begin` to `end`.
struct share {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Returns part `index` (from 0) of `count` of a share, in whole units.
share part_of(const share& whole, std::size_t index, std::size_t count, std::size_t unit) {
  const std::size_t units = (whole.end - whole.begin + unit - 1) / unit;
  const auto place = [&](std::size_t i) { return std::min(whole.end, whole.begin + units * i / count * unit); };
  return {.begin = place(index), .end = place(index + 1)};
}

std::size_t written_rows(const distance_layout& layout, const share& rows) {
  std::size_t written = 0;
  for (std::size_t row = rows.begin; row < rows.end; row += layout.rows_in_file_of(row)) {
    if (layout.is_folder() && layout.is_written(row)) written += layout.rows_in_file_of(row);
  }
  return written;
}

/// Divides rows among devices. Devices of one model get equal parts at once, because each further launch would cost
/// time. Devices of different models take parts when they are free, the larger the faster they have been. Thread-safe.
class row_queue {
 public:
  /// @param unit parts consist of whole units
  row_queue(const share& total, std::size_t unit, std::span<const device_work> devices)
      : unassigned_(total),
        first_rows_(std::min(most_first_rows, (total.end - total.begin) / (8 * devices.size()))),
        unit_(unit),
        rates_(devices.size(), 0) {
    const bool is_uniform = std::ranges::all_of(devices, [&](const device_work& work) {
      return work.search_device.facts().name == devices.front().search_device.facts().name;
    });
    for (std::size_t i = 0; is_uniform && i < devices.size(); ++i) {
      equal_parts_.push_back(part_of(total, i, devices.size(), unit));
    }
  }

  /// Returns the next part of a device; empty if there is none.
  /// @param rows, milliseconds how many rows the device has finished in what time
  share next(std::size_t device, std::size_t rows, double milliseconds) {
    const std::lock_guard lock(mutex_);
    if (!equal_parts_.empty()) return std::exchange(equal_parts_[device], {});
    if (rows > 0) rates_[device] = static_cast<double>(rows) / milliseconds;
    const bool are_rates_known = std::ranges::all_of(rates_, [](double rate) { return rate > 0; });
    const double share_of_device = are_rates_known ? rates_[device] / std::reduce(rates_.begin(), rates_.end()) : 0;
    // Half of the expected share, so that the rest can correct the estimate.
    const auto expected =
        static_cast<std::size_t>(share_of_device * static_cast<double>(unassigned_.end - unassigned_.begin) / 2);
    const std::size_t count = (std::max({expected, first_rows_, unit_}) + unit_ - 1) / unit_ * unit_;
    const share part{.begin = unassigned_.begin, .end = std::min(unassigned_.end, unassigned_.begin + count)};
    unassigned_.begin = part.end;
    return part;
  }

 private:
  static constexpr std::size_t most_first_rows = 256;

  std::mutex mutex_;
  std::vector<share> equal_parts_;  // empty for devices of different models
  share unassigned_;
  std::size_t first_rows_;  // of every part until all rates are known
  std::size_t unit_;
  std::vector<double> rates_;  // rows per millisecond; 0: unknown
};

/// Runs the searches of a share whose files are missing, one contiguous range at a time.
/// @param sum receives the summary of these searches
void search_and_write(solver& searches, std::span<const vertex> sources, const batch_options& settings,
                      const distance_layout& layout, const share& rows, progress& shown, batch_summary& sum) {
  distance_files files(layout);
  const auto is_written = [&](std::size_t row) { return layout.is_folder() && layout.is_written(row); };
  for (std::size_t row = rows.begin; row < rows.end;) {
    std::size_t end = row;
    while (end < rows.end && !is_written(end)) end += layout.rows_in_file_of(end);
    if (end > row) {
      add(sum, searches.solve_many(sources.subspan(row, end - row), settings, [&](const distance_rows& block) {
        files.append(row + block.first, bytes_of(block));
        shown.add(block.rows);
      }));
    }
    row = end;
    while (row < rows.end && is_written(row)) row += layout.rows_in_file_of(row);
  }
}

/// Divides the searches among the devices, which work in parallel. @throws the exception of the first failed device
/// @param work runs the searches of a part and adds to the summary
void share_among(std::vector<device_work>& devices, const digraph& graph, problem kind, const share& total,
                 std::size_t unit,
                 const std::function<void(solver& searches, const share& rows, batch_summary& sum)>& work) {
  row_queue rows(total, unit, devices);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      threads.emplace_back([&, i] {
        device_work& current = devices[i];
        const auto start = std::chrono::steady_clock::now();
        try {
          std::optional<solver> searches;
          std::size_t finished = 0;
          for (share part = rows.next(i, 0, 0); part.begin < part.end; part = rows.next(i, finished, current.elapsed)) {
            if (!searches) searches.emplace(current.search_device, graph, kind);
            work(*searches, part, current.done);
            finished += part.end - part.begin;
            current.elapsed = milliseconds_since(start);
          }
        } catch (...) {
          current.failure = std::current_exception();
        }
      });
    }
  }
  for (const device_work& work_item : devices) {
    if (work_item.failure) std::rethrow_exception(work_item.failure);
  }
}

/// The numbers that --reduce, --pairs or --path-sums writes, and how many belong to a search or a pair.
struct computed_numbers {
  std::vector<double> values;
  std::size_t columns = 1;
};

/// Shares rows of results among the devices.
/// @param compute returns the values of some rows, and the summary
computed_numbers compute_on(
    std::vector<device_work>& devices, const digraph& graph, problem kind, std::size_t rows, std::size_t columns,
    const std::function<std::pair<std::vector<double>, batch_summary>(solver&, const share&)>& compute) {
  computed_numbers result{.values = std::vector<double>(rows * columns), .columns = columns};
  share_among(devices, graph, kind, {.begin = 0, .end = rows}, 1,
              [&](solver& searches, const share& part, batch_summary& sum) {
                auto [values, summary] = compute(searches, part);
                std::ranges::copy(values, result.values.begin() + static_cast<std::ptrdiff_t>(part.begin * columns));
                add(sum, std::move(summary));
              });
  return result;
}

computed_numbers reduce_searches(std::vector<device_work>& devices, const digraph& graph,
                                 const multi_source_request& request, std::span<const vertex> sources,
                                 const batch_options& settings) {
  std::vector<reduction> reductions;
  std::size_t columns = 0;
  for (const std::string& text : request.reductions) {
    reductions.push_back(reduction_in(graph, text));
    columns += reductions.back().columns();
  }
  return compute_on(devices, graph, request.kind, sources.size(), columns, [&](solver& searches, const share& part) {
    reduced_searches reduced =
        searches.reduce(sources.subspan(part.begin, part.end - part.begin), reductions, settings);
    std::vector<double> values;
    for (std::size_t row = 0; row < part.end - part.begin; ++row) {
      for (std::size_t i = 0; i < reductions.size(); ++i) {
        const reduced_table& table = reduced.tables[i];
        const bool has_members = reductions[i].kind == reduction::quantity::nearest;
        for (std::size_t column = 0; column < table.columns; ++column) {
          const double value = table.value(row, column);
          const bool is_member = has_members && column >= reductions[i].count && value >= 0;
          values.push_back(is_member ? static_cast<double>(graph.id_of(static_cast<vertex>(value))) : value);
        }
      }
    }
    return std::pair(std::move(values), std::move(reduced.summary));
  });
}

/// Returns rows of `targets` distances and as many sums; infinity if there is no path.
std::vector<double> rows_of(const path_sums& sums, std::size_t targets) {
  std::vector<double> values;
  values.reserve(2 * sums.sums.size());
  for (std::size_t first = 0; first < sums.sums.size(); first += targets) {
    for (std::size_t i = first; i < first + targets; ++i) values.push_back(sums.distances[i]);
    for (std::size_t i = first; i < first + targets; ++i) {
      values.push_back(sums.sums[i] == no_path_sum ? std::numeric_limits<double>::infinity()
                                                   : static_cast<double>(sums.sums[i]));
    }
  }
  return values;
}

computed_numbers sum_matrix_paths(std::vector<device_work>& devices, const digraph& graph,
                                  const multi_source_request& request, std::span<const vertex> sources,
                                  std::span<const vertex> targets, const batch_options& settings) {
  return compute_on(devices, graph, request.kind, sources.size(), 2 * targets.size(),
                    [&](solver& searches, const share& part) {
                      path_sums sums = searches.sum_matrix_paths(sources.subspan(part.begin, part.end - part.begin),
                                                                 targets, request.quantities, settings);
                      return std::pair(rows_of(sums, targets.size()), std::move(sums.summary));
                    });
}

computed_numbers solve_pairs(std::vector<device_work>& devices, const digraph& graph,
                             const multi_source_request& request, const batch_options& settings) {
  const auto pairs = pairs_in_file(graph, request.pairs);
  // Pairs of one source are neighbours, so that few sources are searched by several devices.
  std::vector<std::size_t> order(pairs.first.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return pairs.first[i]; });
  std::vector<vertex> sources;
  std::vector<vertex> targets;
  for (const std::size_t i : order) {
    sources.push_back(pairs.first[i]);
    targets.push_back(pairs.second[i]);
  }
  const std::size_t columns = request.path_sums.empty() ? 1 : 2;
  computed_numbers numbers =
      compute_on(devices, graph, request.kind, sources.size(), columns, [&](solver& searches, const share& part) {
        const std::size_t count = part.end - part.begin;
        const auto part_sources = std::span(sources).subspan(part.begin, count);
        const auto part_targets = std::span(targets).subspan(part.begin, count);
        if (request.path_sums.empty()) {
          pair_distances distances = searches.solve_pairs(part_sources, part_targets, settings);
          return std::pair(std::move(distances.distances), std::move(distances.summary));
        }
        path_sums sums = searches.sum_pair_paths(part_sources, part_targets, request.quantities, settings);
        return std::pair(rows_of(sums, 1), std::move(sums.summary));
      });
  std::vector<double> in_file_order(numbers.values.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t column = 0; column < columns; ++column)
      in_file_order[order[i] * columns + column] = numbers.values[i * columns + column];
  }
  numbers.values = std::move(in_file_order);
  return numbers;
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
    (void)tuner::parameter_set::from_declarations(multi_source::declared_parameters()).parse_label(label);
  } catch (const input_error& error) {
    throw input_error(std::string("--config: ") + error.what());
  }
}

bool is_multi_source_configuration(const std::string& label) {
  try {
    check_multi_source_configuration(label);
    return true;
  } catch (const input_error&) {
    return false;
  }
}

int solve_multi_source(std::vector<device> devices, const digraph& graph, const multi_source_request& request) {
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
  std::vector<device_work> per_device;
  for (device& search_device : devices)
    per_device.push_back({.search_device = std::move(search_device), .done = {}, .failure = {}});
  share rows{.begin = 0, .end = sources.size()};
  std::size_t already = 0;  // rows
  if (computes) {
    const computed_numbers numbers = !request.pairs.empty() ? solve_pairs(per_device, graph, request, settings)
                                     : !request.path_sums.empty()
                                         ? sum_matrix_paths(per_device, graph, request, sources, targets, settings)
                                         : reduce_searches(per_device, graph, request, sources, settings);
    write_numbers(request, numbers);
  } else if (request.output.empty()) {
    rows = part_of(rows, request.shard - 1, request.shards, 1);
    share_among(per_device, graph, request.kind, rows, 1, [&](solver& searches, const share& part, batch_summary& sum) {
      add(sum, searches.solve_many(std::span(sources).subspan(part.begin, part.end - part.begin), settings));
    });
  } else {
    const distance_layout layout = layout_for(graph, request, sources.size(), targets.size());
    if (!layout.is_folder() && (per_device.size() > 1 || request.shards > 1)) {
      throw input_error("--output: shards and several devices require a folder, not a file");
    }
    if (layout.is_folder()) enter_folder(graph, request, layout, sources, targets);
    rows = part_of(rows, request.shard - 1, request.shards, layout.rows_of_file);
    already = written_rows(layout, rows);
    if (already > 0) {
      request.results.make_printer(request.output)("already done   {} of {} searches\n", already,
                                                   rows.end - rows.begin);
    }
    progress shown(already, rows.end - rows.begin, request.results.quiet);
    share_among(per_device, graph, request.kind, rows, layout.rows_of_file,
                [&](solver& searches, const share& part, batch_summary& sum) {
                  search_and_write(searches, sources, settings, layout, part, shown, sum);
                });
    shown.end();
  }
  report_searches(graph, request, per_device, targets.size(), already);
  return exit_ok;
}

}  // namespace mlmq::cli
