// SPDX-License-Identifier: Apache-2.0
#include "cli/solve_many.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <numeric>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/distance_files.hpp"
#include "cli/output_file.hpp"
#include "cli/progress_line.hpp"
#include "cli/solve_many_report.hpp"
#include "cli/solve_workload.hpp"
#include "cli/vertex_files.hpp"
#include "graph/check.hpp"
#include "graph/hash.hpp"
#include "library/impl.hpp"
#include "problems/search_batches/solver.hpp"
#include "problems/shortest_paths/sources.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::cli {
namespace {

constexpr std::size_t bytes_of_file = std::size_t{256} << 20;
/// However short rows are, a large batch has so many files that devices and shards can share them.
constexpr std::size_t least_files = 16;
constexpr std::size_t least_rows_of_file = 1024;

/// @return nothing when the text is not N:random or N:random:SEED
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
    throw input_error(fmt::format("--sources {}: expected N:random or N:random:SEED, with N from 1 on{}", text,
                                  parts[1] == "random" ? "" : did_you_mean(parts[1], rules)));
  }
  std::vector<vertex> sources = problems::choose_sources(
      detail::access::get(graph).csr, {.choose = problems::source_rule::choice::random, .count = *count, .seed = *seed},
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
    std::vector<vertex> all(graph.vertex_count());
    std::iota(all.begin(), all.end(), vertex{0});
    return all;
  }
  if (auto random = drawn(graph, text)) return *random;
  return listed_vertices(graph, "--sources", text);
}

std::string ids_text(const digraph& graph, std::span<const vertex> vertices) {
  std::string text;
  for (const vertex v : vertices) fmt::format_to(std::back_inserter(text), "{}\n", graph.id_of(v));
  return text;
}

/// What a folder has the distances of.
std::string description_of(const digraph& graph, const many_request& asked, const distance_layout& layout,
                           const std::string& sources, const std::string& targets) {
  return fmt::format(
      "graph {}\ncontent {}\nproblem {}\nsources {} {}\ntargets {} {}\ncutoff {}\nnumbers {}\nrows of a file {}\n",
      graph.name(), graph::graph_hash(detail::access::get(graph).csr), asked.kind == problem::bfs ? "bfs" : "sssp",
      layout.rows, hash_text(sources), targets.empty() ? 0 : layout.columns, hash_text(targets),
      asked.cutoff ? fmt::format("{}", *asked.cutoff) : "none", layout.type, layout.rows_of_file);
}

/// Makes the folder, or finds that it has the distances of these very searches.
void enter_folder(const digraph& graph, const many_request& asked, const distance_layout& layout,
                  std::span<const vertex> sources, std::span<const vertex> targets) {
  const std::string source_ids = ids_text(graph, sources);
  const std::string target_ids = ids_text(graph, targets);
  const std::string wanted = description_of(graph, asked, layout, source_ids, target_ids);
  std::error_code ignored;
  if (!std::filesystem::exists(layout.output, ignored)) make_output_folder(layout.output);
  const std::filesystem::path description = layout.output / "searches.txt";
  if (std::ifstream stream(description); stream) {
    const std::string found{std::istreambuf_iterator<char>(stream), {}};
    if (found == wanted) return;
    throw input_error(fmt::format("--output {}: the folder has the distances of other searches (searches.txt)",
                                  layout.output.string()));
  }
  if (!std::filesystem::is_empty(layout.output)) {
    throw input_error(fmt::format("--output {}: the folder is not empty, and no searches have been written there",
                                  layout.output.string()));
  }
  // First: other shards that begin at the same time look for it.
  write_output(description, wanted);
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

distance_layout layout_for(const digraph& graph, const many_request& asked, std::size_t searches, std::size_t targets) {
  distance_layout layout{.output = asked.output,
                         .type = numpy_type_of(asked.kind == problem::bfs ? number_type::uint32 : graph.weight_type()),
                         .rows = searches,
                         .columns = targets > 0 ? targets : graph.vertex_count()};
  layout.rows_of_file = layout.rows;
  if (layout.is_folder()) {
    const std::size_t shared = std::max(least_rows_of_file, (layout.rows + least_files - 1) / least_files);
    layout.rows_of_file = std::clamp<std::size_t>(bytes_of_file / (layout.bytes_of_number() * layout.columns), 1,
                                                  std::min(layout.rows, shared));
  } else {
    check_replaceable_output(asked.output);
  }
  return layout;
}

batch_options options_for(const many_request& asked, std::vector<vertex> targets) {
  batch_options how{.targets = std::move(targets),
                    .cutoff = asked.cutoff,
                    .memory_bytes = asked.memory_bytes,
                    .time_limit_ms = asked.time_limit_ms,
                    .check = asked.check};
  how.tries = asked.tries;
  if (asked.configuration != "auto") {
    check_batch_configuration(asked.configuration);
    how.configurations = {asked.configuration};
  } else if (!asked.model.empty()) {
    how.model = model_for(asked.model);
  }
  return how;
}

/// How far the searches have come, for a person. Threads may share one.
class progress {
 public:
  progress(std::size_t done, std::size_t all, bool quiet) : line_(quiet), begin_(done), done_(done), all_(all) {}

  void add(std::size_t searches) {
    const std::lock_guard lock(mutex_);
    done_ += searches;
    if (!line_.due()) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const double rate = static_cast<double>(done_ - begin_) / seconds;
    line_.show({.done = done_,
                .total = all_,
                .unit = "searches",
                .details = fmt::format("{:.4g}/s", rate),
                .seconds_left = static_cast<double>(all_ - done_) / rate});
  }
  void end() { line_.end(); }

 private:
  std::mutex mutex_;
  progress_line line_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t begin_;
  std::size_t done_;
  std::size_t all_;
};

/// Adds what later searches took.
void add(batch_summary& sum, batch_summary one) {
  one.times.solve += sum.times.solve;
  one.times.compile += sum.times.compile;
  one.times.download += sum.times.download;
  one.times.upload += sum.times.upload;
  one.times.prepare += sum.times.prepare;
  one.searches += sum.searches;
  one.exact = one.exact && sum.exact;
  if (one.tried.empty()) one.tried = std::move(sum.tried);
  sum = std::move(one);
}

/// Rows from `begin` to before `end`.
struct share {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The part `index` of `count` of a share, in whole units, counted from 0.
share part_of(const share& all, std::size_t index, std::size_t count, std::size_t unit) {
  const std::size_t units = (all.end - all.begin + unit - 1) / unit;
  const auto place = [&](std::size_t i) { return std::min(all.end, all.begin + units * i / count * unit); };
  return {.begin = place(index), .end = place(index + 1)};
}

std::size_t written_rows(const distance_layout& layout, const share& rows) {
  std::size_t written = 0;
  for (std::size_t row = rows.begin; row < rows.end; row += layout.rows_in_file_of(row)) {
    if (layout.is_folder() && layout.is_written(row)) written += layout.rows_in_file_of(row);
  }
  return written;
}

/// Searches what has not been written yet of a share, each run of missing files at a time. @return what was done
batch_summary search_and_write(solver& searches, std::span<const vertex> sources, const batch_options& how,
                               const distance_layout& layout, const share& rows, progress& shown) {
  distance_files files(layout);
  const auto is_written = [&](std::size_t row) { return layout.is_folder() && layout.is_written(row); };
  batch_summary sum;
  for (std::size_t row = rows.begin; row < rows.end;) {
    std::size_t end = row;
    while (end < rows.end && !is_written(end)) end += layout.rows_in_file_of(end);
    if (end > row) {
      add(sum, searches.solve_many(sources.subspan(row, end - row), how, [&](const distance_rows& found) {
        files.append(row + found.first, bytes_of(found));
        shown.add(found.rows);
      }));
    }
    row = end;
    while (row < rows.end && is_written(row)) row += layout.rows_in_file_of(row);
  }
  return sum;
}

/// Each device has a part of the searches, all at the same time. @throws what the first device threw that failed
void share_among(std::vector<device_work>& devices, const share& all, std::size_t unit,
                 const std::function<batch_summary(device& where, const share& rows)>& work) {
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          const share mine = part_of(all, i, devices.size(), unit);
          const auto start = std::chrono::steady_clock::now();
          if (mine.begin < mine.end) devices[i].done = work(devices[i].where, mine);
          devices[i].elapsed =
              std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        } catch (...) {
          devices[i].failure = std::current_exception();
        }
      });
    }
  }
  for (const device_work& one : devices) {
    if (one.failure) std::rethrow_exception(one.failure);
  }
}

}  // namespace

void check_batch_configuration(const std::string& label) {
  try {
    (void)tuner::parameter_set::from_declarations(batches::declared_parameters()).parse_label(label);
  } catch (const input_error& error) {
    throw input_error(std::string("--config: ") + error.what());
  }
}

int solve_many(std::vector<device> where, const digraph& graph, const many_request& asked) {
  if (asked.configuration != "auto" && !asked.model.empty()) {
    throw input_error("--config and --model cannot go together: a model chooses the configuration");
  }
  if (is_standard_output(asked.output)) {
    throw input_error("--output -: distances of many searches go into NAME.npy or a folder, not to standard output");
  }
  const std::vector<vertex> sources = sources_in(graph, asked.sources);
  const std::vector<vertex> targets =
      asked.targets.empty() ? std::vector<vertex>() : listed_vertices(graph, "--targets", asked.targets);
  const batch_options how = options_for(asked, targets);
  std::vector<device_work> devices;
  for (device& one : where) devices.push_back({.where = std::move(one), .done = {}, .failure = {}});
  share rows{.begin = 0, .end = sources.size()};
  std::size_t already = 0;  // rows
  if (asked.output.empty()) {
    rows = part_of(rows, asked.shard - 1, asked.shards, 1);
    share_among(devices, rows, 1, [&](device& on, const share& mine) {
      solver searches(on, graph, asked.kind);
      return searches.solve_many(std::span(sources).subspan(mine.begin, mine.end - mine.begin), how);
    });
  } else {
    const distance_layout layout = layout_for(graph, asked, sources.size(), targets.size());
    if (!layout.is_folder() && (devices.size() > 1 || asked.shards > 1)) {
      throw input_error("--output: shards and several devices write into a folder, not into one file");
    }
    if (layout.is_folder()) enter_folder(graph, asked, layout, sources, targets);
    rows = part_of(rows, asked.shard - 1, asked.shards, layout.rows_of_file);
    already = written_rows(layout, rows);
    if (already > 0) {
      asked.results.tell(asked.output)("there already  {} of {} searches\n", already, rows.end - rows.begin);
    }
    progress shown(already, rows.end - rows.begin, asked.results.quiet);
    share_among(devices, rows, layout.rows_of_file, [&](device& on, const share& mine) {
      solver searches(on, graph, asked.kind);
      return search_and_write(searches, sources, how, layout, mine, shown);
    });
    shown.end();
  }
  if (!std::ranges::all_of(devices, [](const device_work& one) { return one.done.exact; })) {
    throw work_error(graph.name() + ": " + graph::saturated_message);
  }
  report_searches(graph, asked, devices, targets.size(), already);
  return exit_ok;
}

}  // namespace mlmq::cli
