// SPDX-License-Identifier: Apache-2.0
// `mlmq solve GRAPH --sources …`: searches from many vertices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/distance_files.hpp"
#include "cli/graph_source.hpp"
#include "cli/npy.hpp"
#include "cli/output_file.hpp"
#include "cli/progress_line.hpp"
#include "cli/reduction_text.hpp"
#include "cli/result_report.hpp"
#include "cli/solve.hpp"
#include "cli/vertex_files.hpp"
#include "library/conversions.hpp"
#include "library/device_shares.hpp"
#include "problems/graphs/sources.hpp"
#include "tuner/shard.hpp"

namespace mlmq::cli {
namespace {

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

batch_options options_for(const solve_arguments& options) {
  batch_options result{.cutoff = options.cutoff,
                       .memory_bytes = options.memory_bytes,
                       .time_limit_ms = options.time_limit_ms,
                       .check = options.check};
  if (options.tries) result.tries = *options.tries;
  if (!options.chooses_configuration()) result.configurations = {options.configuration};
  if (!options.model.empty()) result.model = options.chosen_model();
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

/// The numbers that --reduce, --pairs or --path-sums writes, and how many belong to a search or a pair.
struct computed_numbers {
  std::vector<double> values;
  std::size_t columns = 1;
  batch_summary summary;
};

computed_numbers reduce_searches(solver& searches, const digraph& graph, const solve_arguments& options,
                                 std::span<const vertex> sources, const batch_options& settings) {
  computed_numbers result{.values = {}, .columns = 0, .summary = {}};
  std::vector<reduction> reductions;
  for (const std::string& text : options.reductions) {
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

const char* numpy_type_of(number_type type) {
  return type == number_type::uint32    ? npy_type<std::uint32_t>
         : type == number_type::float32 ? npy_type<float>
                                        : npy_type<double>;
}

void write_numbers(const solve_arguments& options, const computed_numbers& numbers) {
  if (options.output.empty()) return;
  const std::size_t rows = numbers.values.size() / numbers.columns;
  file_writer file(options.output);
  const bool is_list = !options.pairs.empty() && numbers.columns == 1;
  file.write(is_list ? npy_header("<f8", rows) : npy_header("<f8", rows, numbers.columns));
  file.write({reinterpret_cast<const char*>(numbers.values.data()), numbers.values.size() * sizeof(double)});
  file.commit();
}

/// Checks combinations of options that the tables of modes do not know. @throws input_error
void check_many_searches(const solve_arguments& options) {
  if (is_standard_output(options.output)) {
    throw input_error(
        "--output -: distances of many searches are written to NAME.npy or a folder, not to standard output");
  }
  if (!options.computes()) {
    if (!options.output.empty())
      (void)kind_of_output("--output", options.output, {output_kind::npy, output_kind::folder});
    return;
  }
  const char* const option = !options.pairs.empty()       ? "--pairs"
                             : !options.path_sums.empty() ? "--path-sums"
                                                          : "--reduce";
  const bool is_matrix = options.pairs.empty() && !options.path_sums.empty();
  if (is_matrix == options.targets.empty()) {
    throw input_error(is_matrix ? "--path-sums requires --targets or --pairs"
                                : fmt::format("--targets cannot be combined with {}", option));
  }
  if (option != std::string_view("--reduce") && !options.reductions.empty())
    throw input_error(fmt::format("--reduce cannot be combined with {}", option));
  if (!options.pairs.empty() && !options.sources.empty())
    throw input_error("--sources cannot be combined with --pairs: the file has the sources");
  if (!tuner::parse_shard(options.shard).is_whole())
    throw input_error(fmt::format("--shard cannot be combined with {}", option));
  if (options.output.empty()) return;
  (void)kind_of_output("--output", options.output, {output_kind::npy});
  check_replaceable_output(options.output);
}

/// Reads the quantities of --path-sums: one per edge of the graph. @throws input_error that names --path-sums
std::vector<std::uint32_t> read_quantities(const solve_arguments& options, const digraph& graph) {
  graph_options reading = options.graph;
  reading.name = options.path_sums;
  reading.weights = "uint32";
  reading.ignore_weights = false;
  reading.weight_seed.reset();
  try {
    const digraph opened = open_digraph(reading);
    const digraph quantities = options.reverse ? opened.reversed() : opened;
    const graph::csr_graph& expected = detail::csr_of(graph);
    const graph::csr_graph& rows = detail::csr_of(quantities);
    const bool has_ids = std::ranges::all_of(std::views::iota(vertex{0}, expected.vertex_count()), [&](vertex v) {
      return v < rows.vertex_count() && rows.ids().id_of(v) == expected.ids().id_of(v);
    });
    if (!has_ids || !std::ranges::equal(rows.offsets(), expected.offsets()) ||
        !std::ranges::equal(rows.targets(), expected.targets()))
      throw input_error(fmt::format("its edges are not those of {}, in the same order", graph.name()));
    return {rows.weight_bits().begin(), rows.weight_bits().end()};
  } catch (const input_error& error) {
    throw input_error(fmt::format("--path-sums {}: {}", options.path_sums, error.what()));
  }
}

/// Searches, and computes what --reduce, --pairs or --path-sums asks for.
computed_numbers compute(solver& searches, const digraph& graph, const solve_arguments& options,
                         std::span<const vertex> sources, std::span<const vertex> targets,
                         const batch_options& settings) {
  std::vector<std::uint32_t> quantities;
  if (!options.path_sums.empty()) quantities = read_quantities(options, graph);
  if (options.pairs.empty()) {
    return options.path_sums.empty()
               ? reduce_searches(searches, graph, options, sources, settings)
               : numbers_of(searches.sum_matrix_paths(sources, targets, quantities, settings), targets.size());
  }
  const auto [starts, ends] = pairs_in_file(graph, options.pairs);
  if (!options.path_sums.empty()) return numbers_of(searches.sum_pair_paths(starts, ends, quantities, settings), 1);
  pair_distances distances = searches.solve_pairs(starts, ends, settings);
  return {.values = std::move(distances.distances), .columns = 1, .summary = std::move(distances.summary)};
}

double searches_per_second(std::size_t searches, double milliseconds) {
  return static_cast<double>(searches) / milliseconds * 1e3;
}

/// Reports the searches of one device. @return the fields of the document
json_document report_share(const result_report& report, const device_facts& facts, const device_share& share,
                           const solve_arguments& options, std::size_t targets) {
  report.line("device", "{} ({})", facts.name, facts.selector);
  report.line("searches", "{}{}", share.searches, targets > 0 ? fmt::format(", {} targets each", targets) : "");
  json_document fields{
      {"name", facts.name}, {"selector", facts.selector}, {"modelled", facts.modelled}, {"searches", share.searches}};
  if (share.searches == 0) return fields;
  const solve_times& times = share.times;
  const double rate = searches_per_second(share.searches, times.solve);
  fields["tried"] = json_document::array();
  for (const tried_batch& tried : share.tried) {
    const double tried_rate = searches_per_second(tried.searches, tried.milliseconds);
    report.line("tried", "{:.4g}/s  {}", tried_rate, options.results.shown(tried.configuration));
    fields["tried"].push_back({{"configuration", tried.configuration}, {"searches_per_s", tried_rate}});
  }
  report.line("configuration", "{}  ({})", options.results.shown(share.choice.configuration), share.choice.reason);
  report.line("time", "{:.4f} ms{}, {:.4g} searches/s", times.solve, facts.modelled ? " modelled, not measured" : "",
              rate);
  report.line("elapsed", "{:.0f} ms: upload {:.0f}, compilation {:.0f}, preparation {:.0f}, {}", share.elapsed_ms,
              times.upload, times.compile, times.prepare,
              options.output.empty() ? "searches" : "searching and writing overlapped");
  fields.update({{"configuration", share.choice.configuration},
                 {"time_ms", times.solve},
                 {"searches_per_s", rate},
                 {"elapsed_ms", share.elapsed_ms},
                 {"upload_ms", times.upload},
                 {"compile_ms", times.compile},
                 {"prepare_ms", times.prepare}});
  return fields;
}

/// @param summary of no devices if no search was missing
/// @param targets number of targets per search; 0: all vertices
/// @param already number of searches whose distances were already written
void report_searches(result_report& report, const digraph& graph, const solve_arguments& options, const device& devices,
                     const batch_summary& summary, std::size_t targets, std::size_t already) {
  const bool computes = options.computes();
  const tuner::shard part = tuner::parse_shard(options.shard);
  report["problem"] = options.problem;
  report.graph(graph);
  report["targets"] = targets;
  if (options.cutoff) report["cutoff"] = *options.cutoff;
  const std::vector<device> members = devices.members();
  std::vector<device_share> shares = summary.devices;
  shares.resize(members.size());
  json_document fields = json_document::array();
  for (std::size_t i = 0; i < members.size(); ++i)
    fields.push_back(report_share(report, members[i].facts(), shares[i], options, targets));
  for (const std::string& reduced : options.reductions) report.line("reduced", "{}", reduced);
  if (!options.reductions.empty()) report["reductions"] = options.reductions;
  if (!options.pairs.empty()) report["pairs"] = options.pairs;
  if (!options.path_sums.empty()) {
    report.line("path sums", "{}", options.path_sums);
    report["path_sums"] = options.path_sums;
  }
  report["shard"] = {{"index", part.index}, {"count", part.count}};
  report["already_written"] = already;
  report["devices"] = std::move(fields);
  if (targets == 0 && already == 0 && !computes) report["digest"] = fmt::format("{:016x}", summary.digest);
  if (!options.output.empty()) {
    report.line(computes ? "results" : "distances", "{}", options.output);
    report["output"] = options.output;
  }
  if (options.check) report.line("check", "every {} is right", computes ? "result" : "distance");
  report["checked"] = options.check;
}

}  // namespace

int solve_many(const solve_arguments& options) {
  check_many_searches(options);
  const tuner::shard part = tuner::parse_shard(options.shard);
  step_times steps;
  const auto opened =
      options.open(fmt::format("{}", fmt::join(backends::list_search_devices(options.device), ",")), steps);
  const digraph& graph = opened.first;
  const device& devices = opened.second;
  result_report report(options.results, "solve-many", options.output);
  const std::vector<vertex> sources =
      options.pairs.empty() ? sources_in(graph, options.sources) : std::vector<vertex>();
  const std::vector<vertex> targets =
      options.targets.empty() ? std::vector<vertex>() : listed_vertices(graph, "--targets", options.targets);
  batch_options settings = options_for(options);
  solver searches(devices, graph, options.kind());
  batch_summary summary;
  std::size_t already = 0;  // rows
  const auto rows_of_shard = [&](std::size_t unit) {
    return detail::part_of({.first = 0, .count = sources.size()}, part.index - 1, part.count, unit);
  };
  if (options.computes()) {
    computed_numbers numbers = compute(searches, graph, options, sources, targets, settings);
    write_numbers(options, numbers);
    summary = std::move(numbers.summary);
  } else if (options.output.empty()) {
    settings.targets = targets;
    const detail::search_range rows = rows_of_shard(1);
    if (rows.count > 0) summary = searches.solve_many(std::span(sources).subspan(rows.first, rows.count), settings);
  } else {
    settings.targets = targets;
    const number_type type = options.kind() == problem::bfs ? number_type::uint32 : graph.weight_type();
    const distance_layout layout(options.output, numpy_type_of(type), sources.size(),
                                 targets.empty() ? graph.vertex_count() : targets.size());
    if (!layout.is_folder() && (devices.members().size() > 1 || !part.is_whole())) {
      throw input_error("--output: shards and several devices require a folder, not a file");
    }
    if (layout.is_folder()) layout.enter_folder(graph, options.problem, options.cutoff, sources, targets);
    const detail::search_range rows = rows_of_shard(layout.rows_of_file);
    const std::vector<std::size_t> missing = layout.missing_rows(rows.first, rows.count);
    already = rows.count - missing.size();
    if (already > 0) report.line("already done", "{} of {} searches", already, rows.count);
    progress shown(already, rows.count, options.results.quiet);
    summary = search_and_write(searches, sources, settings, layout, missing, shown);
    shown.end();
  }
  report_searches(report, graph, options, devices, summary, targets.size(), already);
  options.add_steps(steps, graph, summary.times,
                    summary.searches * (targets.empty() ? graph.vertex_count() : targets.size()));
  if (options.timings) steps.report(report);
  report.end();
  return exit_ok;
}

}  // namespace mlmq::cli
