// SPDX-License-Identifier: Apache-2.0
#include "library/batch_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <future>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "base/stopwatch.hpp"
#include "graph/check.hpp"
#include "graph/feature_list.hpp"
#include "library/access.hpp"
#include "library/device_data.hpp"
#include "library/device_lock.hpp"
#include "library/digraph_data.hpp"
#include "library/distance_scale.hpp"
#include "library/errors.hpp"
#include "library/path_graph.hpp"
#include "problems/graphs/graph_feature_kind.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/multi_source/batch_check.hpp"
#include "problems/multi_source/reached_share.hpp"
#include "problems/multi_source/sequential_search.hpp"
#include "problems/multi_source/solver.hpp"
#include "problems/time_limit.hpp"

namespace mlmq {

double distance_rows::at(std::size_t row, std::size_t column) const {
  if (on_device != nullptr) throw input_error("at() cannot read distances in device memory: use on_device");
  const std::size_t index = row * columns + column;
  if (type == number_type::float32) return static_cast<double>(float32[index]);
  if (type == number_type::float64) return float64[index];
  return uint32[index] == unreachable ? std::numeric_limits<double>::infinity() : static_cast<double>(uint32[index]);
}

namespace detail {
namespace {

constexpr std::uint64_t most_memory = std::uint64_t{16} << 30;
/// Fewer searches per block do not fill a GPU.
constexpr std::size_t minimum_searches_per_block = 1024;
/// Bytes per copy. The caller processes one copy while the next is being made.
constexpr std::size_t staging_size = std::size_t{32} << 20;

const problems::problem_entry& entry_of(problem kind) {
  return problems::find_problem(kind == problem::bfs ? "bfs_batch" : "sssp_batch");
}

std::shared_ptr<const tuner::workload> workload_of(const digraph& graph, const executor& single_searches,
                                                   std::shared_ptr<graph::lazy_arc_bound> arc_bound) {
  const auto workload = std::make_shared<problems::graph_workload>();
  workload->rows = single_searches.rows();
  workload->reductions = single_searches.reductions();
  workload->arc_bound = std::move(arc_bound);
  workload->graph = access::get(graph).csr;
  workload->record.name = graph.name();
  return workload;
}

double feature_of(const digraph_data& data, std::string_view name) {
  if (name == "max_nnz" && data.device_rows != nullptr && data.device_rows->largest_degree) {
    return static_cast<double>(*data.device_rows->largest_degree);
  }
  return problems::degree_feature(data.csr, name);
}

/// Returns the feature `hops`, or NaN if the rows would have to be fetched for it.
double hops_of(const digraph_data& data) {
  if (!data.csr.is_fetched()) return std::numeric_limits<double>::quiet_NaN();
  return graph::some_features(data.csr, std::array<std::string_view, 1>{"hops"}).front();
}

/// Returns the features of a graph by name. The function keeps the graph.
feature_value features_of(const digraph& graph) {
  return [data = access::share(graph), hops = std::optional<double>()](std::string_view name) mutable {
    if (name != "hops") return feature_of(*data, name);
    if (!hops) hops = hops_of(*data);
    return *hops;
  };
}

bool are_saturated(graph::weight_type type, std::span<const graph::distance_bits> distances) {
  return graph::has_saturated(type, distances);
}
bool are_saturated(graph::weight_type, std::span<const graph::wide_distance_bits> distances) {
  return graph::has_saturated(distances);
}

/// Completes the results of a reader after a run, in the rest of its time. @param report of the run; updated
void complete(multi_source::distance_reader& reader, tuner::run_report& report, double time_limit_ms) {
  if (report.result != db::outcome::ok) return;
  const tuner::run_report completion = reader.complete(std::max(0.0, time_limit_ms - report.milliseconds));
  report.milliseconds += completion.milliseconds;
  if (completion.result != db::outcome::ok) problems::report_timeout(report, time_limit_ms);
}

std::vector<multi_source::distance_reader*> pointers_to(const block_readers::reader_list& readers) {
  std::vector<multi_source::distance_reader*> pointers;
  for (const auto& reader : readers) pointers.push_back(reader.get());
  return pointers;
}

/// Converts distances to floats in place: only the words that mean "unreached" change.
template <class Float, class Bits>
std::span<const Float> as_floats(std::span<Bits> words, Bits none) {
  static_assert(sizeof(Float) == sizeof(Bits));
  for (Bits& word : words) {
    const Float number = word == none ? std::numeric_limits<Float>::infinity() : std::bit_cast<Float>(word);
    std::memcpy(&word, &number, sizeof number);
  }
  return {reinterpret_cast<const Float*>(words.data()), words.size()};
}

}  // namespace

void add(solve_times& sum, const solve_times& times) {
  sum.features += times.features;
  sum.choice += times.choice;
  sum.upload += times.upload;
  sum.compile += times.compile;
  sum.compiled |= times.compiled;
  sum.host_copy += times.host_copy;
  sum.prepare += times.prepare;
  sum.solve += times.solve;
  sum.download += times.download;
}

void require_vertex(const digraph& graph, const char* role, std::size_t index, vertex v) {
  if (v < graph.vertex_count()) return;
  throw input_error(fmt::format("{} {} (index {} of the list): {} has vertices 0 to {}", role, v, index, graph.name(),
                                graph.vertex_count() - 1));
}

void check_multi_source_request(const digraph& graph, std::span<const vertex> sources, const batch_options& options) {
  if (sources.empty()) throw input_error("no sources: expected at least one");
  for (std::size_t i = 0; i < sources.size(); ++i) require_vertex(graph, "source", i, sources[i]);
  for (std::size_t i = 0; i < options.targets.size(); ++i) require_vertex(graph, "target", i, options.targets[i]);
  if (options.cutoff && !(*options.cutoff >= 0)) {
    throw input_error(fmt::format("cutoff: {}, expected a number of at least 0", *options.cutoff));
  }
  if (options.tries == 0 || options.searches_per_try == 0 || options.searches_together == 0)
    throw input_error("tries, searches_per_try and searches_together: expected at least 1");
  require_time_limit(options.time_limit_ms);
}

/// A block of the searches.
struct multi_source_runner::search_block {
  std::size_t first;
  multi_source::search_set set;
  const batch_options& options;
  const take_distances& take;
  block_readers* readers;
  block_readers::reader_list& active_readers;  ///< of all blocks of the request
  unsigned buffer;
  /// Has the distances, once the block is searched. The next block, searched meanwhile, may activate another solver.
  multi_source::solver* solver = nullptr;

  /// Returns whether all distances of a search are needed.
  [[nodiscard]] bool keeps() const { return take && set.targets.empty(); }
};

multi_source_runner::multi_source_runner(std::shared_ptr<device_data> device, digraph graph, problem kind,
                                         executor& executor)
    : structure_(graph),
      arc_bound_(std::make_shared<graph::lazy_arc_bound>()),
      graph_(graph),
      kind_(kind),
      executor_(executor),
      runner_(std::move(device), entry_of(kind), workload_of(graph, executor, arc_bound_), features_of(graph),
              [graph_data = access::share(graph)] { return graph_data->host_copy_ms(); }) {}

multi_source_runner::~multi_source_runner() {
  const device_lock lock(runner_.device(), device_lock::may_nest());
  staging_ = {};
  device_decimals_ = {};
}

void multi_source_runner::update_weights(const digraph& graph,
                                         const std::shared_ptr<const problems::resident_weights>& on_device) {
  graph_ = graph;
  reach_.reset();
  // The features do not depend on the weights, which may be in device memory only.
  runner_.replace_workload(
      workload_of(graph, executor_, arc_bound_), features_of(structure_), [&](tuner::problem_instance& instance) {
        dynamic_cast<multi_source::search_instance&>(instance).update_weights(access::get(graph).csr, on_device);
      });
}

distance_scale multi_source_runner::scale() const { return {access::get(graph_).csr, kind_}; }

std::size_t multi_source_runner::rows_per_block(std::size_t searches, const batch_options& options, bool delivers,
                                                const block_readers* readers) const {
  const std::size_t columns = !options.targets.empty() ? options.targets.size() : delivers ? graph_.vertex_count() : 0;
  const bool copies_on_device = options.keep_on_device && scale().decimal_places;
  const std::size_t distance_bytes =
      problems::distance_bytes(type()) + (copies_on_device ? sizeof(double) : std::size_t{0});
  const std::size_t row_bytes = readers != nullptr ? readers->row_bytes() : columns * distance_bytes;
  if (row_bytes == 0) return std::numeric_limits<std::size_t>::max();
  const std::uint64_t memory = options.memory_bytes != 0
                                   ? options.memory_bytes
                                   : std::min(runner_.device().backend->info().memory_bytes / 4, most_memory);
  const std::uint64_t rows = memory / row_bytes;
  if (rows == 0) {
    throw memory_error(fmt::format("{}: the results of one search need {} bytes, but only {} are available",
                                   graph_.name(), row_bytes, memory));
  }
  if (readers != nullptr) return rows;
  // One block is searched while another is handed over; with more blocks, the first is delivered sooner.
  return std::max<std::size_t>(1,
                               std::min<std::uint64_t>(rows / 2, std::max(searches / 8, minimum_searches_per_block)));
}

multi_source_runner::block_plan multi_source_runner::make_plan(std::size_t searches, const batch_options& options,
                                                               bool delivers, const block_readers* readers) {
  block_plan result{.searches_per_block = rows_per_block(searches, options, delivers, readers),
                    .configurations = options.configurations};
  if (!options.configurations.empty()) return result;
  const std::vector<attempt>& recommended = runner_.recommended(options.model, plans_);
  if (recommended.front().is_one_by_one) {
    result.is_one_by_one = true;
    result.reason = recommended.front().reason;
    return result;
  }
  // The model has already measured these configurations.
  const attempt& best = recommended.front();
  if (best.chosen_by == choice::source::model) return result;
  if (best.trial_searches > 0) {
    result.class_trial = {.configurations = {},
                          .solver = best.trial_of,
                          .searches = std::min(best.trial_searches, result.searches_per_block)};
    for (const attempt& candidate : recommended) {
      if (candidate.trial_of == best.trial_of)
        result.class_trial.configurations.push_back(candidate.configuration.label());
    }
    return result;
  }
  // On a GPU, searches have shown which solver is the fastest.
  const std::string solver = multi_source::solver_of(best.configuration);
  const bool is_solver_known = runner_.device().backend->info().grid;
  for (const attempt& candidate : recommended) {
    if (!is_solver_known || multi_source::solver_of(candidate.configuration) == solver)
      result.candidates.push_back(candidate.configuration.label());
  }
  const std::size_t count = std::min<std::size_t>(options.tries, result.candidates.size());
  if (count < 2 || searches / 4 / options.searches_per_try < count) {
    result.candidates.clear();
    return result;
  }
  result.tries = count;
  result.reason = best.reason;
  return result;
}

void multi_source_runner::update_plans(std::span<const vertex> sources, const batch_options& options) {
  searches_ += sources.size();
  ++calls_;
  plans_ = {.searches = searches_,
            .calls = calls_,
            .may_search_one_by_one = !options.keep_on_device,
            .reaches_all = !options.cutoff.has_value(),
            .triable_searches = options.tries > 1 ? sources.size() : 0};
  if (!options.cutoff || !options.configurations.empty()) return;
  const graph::wide_distance_bits cutoff = scale().word_within(*options.cutoff);
  if (!reach_ || reach_->cutoff != cutoff) {
    // Other classes remain best if searches reach less.
    const attempt& best = runner_.recommended(options.model, plans_).front();
    if (best.chosen_by == choice::source::model ||
        !multi_source::solver_named(multi_source::solver_of(best.configuration)).has_hierarchy)
      return;
    reach_ = {.cutoff = cutoff,
              .share = multi_source::estimate_reached_share(searched_graph(), search_kind(), sources, cutoff)};
  }
  plans_.reached_share = reach_->share;
}

batch_summary multi_source_runner::run(std::span<const vertex> sources, const batch_options& options,
                                       const take_distances& take, block_readers* readers, device_lock& lock,
                                       const single_search& search_one, bool is_one_by_one) {
  if (readers != nullptr) readers->begin(graph_);
  batch_summary sum;
  if (const digraph_data& data = access::get(graph_);
      options.configurations.empty() && data.device_rows != nullptr && !data.device_rows->largest_degree) {
    // The choice needs features of rows that have not been checked. Fetch the rows here, so that the time does not
    // count as choice.
    sum.times.host_copy += milliseconds_of([&] { (void)data.csr.offsets(); });
  }
  const bool delivers = static_cast<bool>(take);
  block_plan plan;
  sum.times.choice += milliseconds_of([&] {
    update_plans(sources, options);
    plan = make_plan(sources.size(), options, delivers, readers);
  });
  block_readers::reader_list active_readers;
  if (is_one_by_one || plan.is_one_by_one) {
    search_block all_sources{.first = 0,
                             .set = search_set_of(sources, options),
                             .options = options,
                             .take = take,
                             .readers = readers,
                             .active_readers = active_readers,
                             .buffer = 0};
    batch_summary single = search_one_by_one(all_sources, search_one, lock);
    if (plan.is_one_by_one) single.choice.reason = fmt::format("{}; {}", plan.reason, single.choice.reason);
    single.times.choice += sum.times.choice;
    single.times.host_copy += sum.times.host_copy;
    return single;
  }
  const bool copies = delivers && !options.keep_on_device;
  if (copies) {
    const std::size_t columns = options.targets.empty() ? graph_.vertex_count() : options.targets.size();
    (void)reserve_staging(columns * problems::distance_bytes(type()),
                          std::min(plan.searches_per_block, sources.size()));
  }
  std::optional<search_block> finished_block;  // not handed over yet
  const auto search_next = [&](std::size_t count, std::span<const std::string> configurations) {
    const auto part = sources.subspan(sum.searches, count);
    search_block next_block{.first = sum.searches,
                            .set = search_set_of(part, options),
                            .options = options,
                            .take = take,
                            .readers = readers,
                            .active_readers = active_readers,
                            .buffer = finished_block ? 1 - finished_block->buffer : 0};
    const std::optional<search_block> previous_block = std::exchange(finished_block, std::nullopt);
    const batch_summary block_summary = search_and_hand_over(previous_block, next_block, configurations, sum, lock);
    sum.choice = block_summary.choice;
    add(sum.times, block_summary.times);
    sum.digest += block_summary.digest;
    sum.searches += count;
    if (copies) {
      finished_block.emplace(std::move(next_block));
    } else if (delivers) {
      // The next searches would use the device at the same time as the caller's work there.
      deliver_on_device(next_block, sum, lock);
    }
    return block_summary.times.solve;
  };
  // Returns the time; nothing if the configuration does not support this device or these weights.
  const auto try_next = [&](std::size_t count, const std::string& configuration) -> std::optional<double> {
    try {
      const double solve_ms = search_next(count, std::array{configuration});
      sum.tried.push_back({.configuration = sum.choice.configuration, .searches = count, .milliseconds = solve_ms});
      return solve_ms;
    } catch (const backends::launch_error&) {
    } catch (const backends::out_of_device_memory&) {
    }
    return std::nullopt;
  };
  while (!plan.class_trial.configurations.empty()) {
    const block_plan::trial trial = std::move(plan.class_trial);
    std::optional<double> solve_ms;
    for (const std::string& configuration : trial.configurations) {
      solve_ms = try_next(trial.searches, configuration);
      if (solve_ms) break;
    }
    sum.times.choice += milliseconds_of([&] {
      plans_.measured.push_back({.solver = trial.solver,
                                 .searches = trial.searches,
                                 .milliseconds = solve_ms.value_or(std::numeric_limits<double>::infinity())});
      plans_.triable_searches = sources.size() - sum.searches;
      plans_.may_search_one_by_one = false;
      plan = make_plan(sources.size() - sum.searches, options, delivers, readers);
    });
  }
  const std::size_t class_trials = sum.tried.size();
  std::string fastest;
  double best_rate = 0;
  for (std::size_t i = 0; sum.tried.size() - class_trials < plan.tries && i < plan.candidates.size(); ++i) {
    const std::size_t count = std::min(options.searches_per_try, plan.searches_per_block);
    const std::optional<double> solve_ms = try_next(count, plan.candidates[i]);
    if (!solve_ms) continue;
    const double rate = static_cast<double>(count) / *solve_ms;
    if (rate > best_rate) {
      best_rate = rate;
      fastest = sum.choice.configuration;
    }
  }
  const std::array chosen{fastest};
  while (sum.searches < sources.size()) {
    const std::size_t count = std::min(plan.searches_per_block, sources.size() - sum.searches);
    (void)search_next(count, fastest.empty() ? std::span<const std::string>(plan.configurations) : chosen);
  }
  if (finished_block) {
    lock.unlock();
    hand_over(*finished_block, sum);
    lock.lock();
  }
  if (!fastest.empty()) {
    sum.choice.chosen_by = choice::source::trial;
    sum.choice.reason =
        fmt::format("the fastest of {} configurations tried: {:.4g} searches per second; recommended first: {}",
                    sum.tried.size() - class_trials, best_rate * 1e3, plan.reason);
  }
  return sum;
}

batch_summary multi_source_runner::run_one(vertex source, const std::string& configuration, double time_limit_ms,
                                           std::span<std::byte> words) {
  const batch_options options{.time_limit_ms = time_limit_ms};
  const take_distances keep = [](const distance_rows&) {};
  block_readers::reader_list no_readers;
  search_block block{.first = 0,
                     .set = {.sources = {source}, .targets = {}, .cutoff = graph::wide_unreached},
                     .options = options,
                     .take = keep,
                     .readers = nullptr,
                     .active_readers = no_readers,
                     .buffer = 0};
  batch_summary result = search(block, std::array{configuration});
  result.times.download += milliseconds_of([&] { block.solver->copy_rows(0, 0, 1, words.data()); });
  return result;
}

std::optional<problems::prepared_search> multi_source_runner::prepared_search() const {
  const graph::csr_graph& csr = access::get(graph_).csr;
  if (type() != graph::weight_type::uint32 || !csr.is_fetched()) return std::nullopt;
  return problems::prepared_search_for(features_of(structure_), csr, runner_.device().backend->info());
}

batch_summary multi_source_runner::search_and_hand_over(const std::optional<search_block>& finished_block,
                                                        search_block& next_block,
                                                        std::span<const std::string> configurations, batch_summary& sum,
                                                        device_lock& lock) {
  if (!finished_block) return search(next_block, configurations);
  // The callback runs in the caller's thread. It may wait for another call that needs the device, so the device is
  // unlocked as soon as the search has ended.
  lock.pass_to({});
  std::future<batch_summary> pending_summary = std::async(std::launch::async, [&, token = stop_token_of_thread()] {
    const stop_scope scope(token);
    lock.pass_to(std::this_thread::get_id());
    const std::unique_ptr<device_lock, void (*)(device_lock*)> at_end(&lock,
                                                                      [](device_lock* locked) { locked->unlock(); });
    runner_.device().backend->enter();
    return search(next_block, configurations);
  });
  hand_over(*finished_block, sum);
  pending_summary.wait();
  lock.lock();
  return pending_summary.get();
}

batch_summary multi_source_runner::search(search_block& block, std::span<const std::string> configurations) {
  const std::string description = fmt::format("{}, {} searches", graph_.name(), block.set.sources.size());
  const run_request request{
      .configurations = configurations, .chosen_by = block.options.model, .description = description, .plans = plans_};
  const run_result result = runner_.run(request, [&](tuner::problem_instance& instance, solve_times&) {
    if (block.readers != nullptr) {
      block.readers->prepare(block.active_readers, *runner_.device().backend, block.first, block.set.sources.size());
    }
    const std::vector<multi_source::distance_reader*> pointers = pointers_to(block.active_readers);
    tuner::run_report report =
        dynamic_cast<multi_source::search_instance&>(instance).search({.sources = block.set.sources,
                                                                       .targets = block.set.targets,
                                                                       .cutoff = block.set.cutoff,
                                                                       .keep = block.keeps(),
                                                                       .buffer = block.buffer,
                                                                       .readers = pointers},
                                                                      block.options.time_limit_ms);
    for (multi_source::distance_reader* const reader : pointers) complete(*reader, report, block.options.time_limit_ms);
    return report;
  });
  block.solver = &dynamic_cast<multi_source::search_instance&>(runner_.instance()).active_solver();
  batch_summary summary;
  summary.choice = result.chosen;
  summary.times = result.times;
  if (block.readers != nullptr) {
    take_results(block, summary);
    return summary;
  }
  if (block.options.check) check(block);
  if (!block.set.targets.empty()) return summary;
  const std::vector<multi_source_answer> answers = block.solver->answers();
  for (std::size_t i = 0; i < answers.size(); ++i) summary.digest += digest_of(block.set.sources[i], answers[i].digest);
  const bool has_saturated = std::ranges::any_of(answers, [&](const multi_source_answer& answer) {
    // For 8-byte distances, `farthest` is the upper half; the lower half of infinity is 0.
    if (type() == graph::weight_type::float64) {
      const graph::wide_distance_bits farthest = graph::wide_distance_bits{answer.farthest} << 32;
      return graph::has_saturated(std::span(&farthest, 1));
    }
    return graph::has_saturated(type(), {&answer.farthest, 1});
  });
  require_in_range(has_saturated, graph_.name(), type());
  return summary;
}

void multi_source_runner::take_results(const search_block& block, batch_summary& summary) {
  block_readers::result_words results;
  summary.times.download += milliseconds_of([&] {
    for (const auto& reader : block.active_readers) results.push_back(reader->results());
  });
  for (const auto& reader : block.active_readers) require_in_range(reader->has_saturated(), graph_.name(), type());
  block.readers->take(results);
  if (block.options.check) check_results(block, results);
}

void multi_source_runner::check_results(const search_block& block, const block_readers::result_words& results) {
  const std::unique_ptr<backends::backend> processors = backends::open_device("cpu:1");
  const std::size_t searches = block.set.sources.size();
  block_readers::reader_list readers;
  block.readers->prepare(readers, *processors, block.first, searches);
  for (const auto& reader : readers) reader->begin(searches);
  std::mutex mutex;
  std::string error;
  const auto compare = [&](std::size_t search, const auto& row) {
    for (const auto& reader : readers) reader->read(search, row);
    std::vector<double> right(row.size());
    std::ranges::transform(row, right.begin(), [&, to_value = scale()](auto word) { return to_value.value_of(word); });
    const std::string wrong = block.readers->find_error(block.first + search, right);
    if (wrong.empty()) return;
    const std::lock_guard lock(mutex);
    error = fmt::format("{}: wrong answer: search from {}: {}", graph_.name(), graph_.id_of(block.set.sources[search]),
                        wrong);
  };
  multi_source::visit_verified_distances(searched_graph(), search_kind(), block.set,
                                         [&](std::size_t search, const multi_source::sequential_search& right) {
                                           if (type() == graph::weight_type::float64) {
                                             compare(search, right.wide_distances());
                                           } else {
                                             compare(search, right.distances());
                                           }
                                         });
  if (!error.empty()) throw work_error(error);
  for (std::size_t i = 0; i < readers.size(); ++i) {
    const std::vector<std::uint64_t> expected = readers[i]->results();
    const auto [wrong, right] = std::ranges::mismatch(results[i], expected);
    if (wrong == results[i].end() && right == expected.end()) continue;
    throw work_error(
        fmt::format("{}: wrong answer: word {} of result {}", graph_.name(), wrong - results[i].begin(), i));
  }
}

problems::search_kind multi_source_runner::search_kind() const {
  return kind_ == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp;
}

graph::csr_graph multi_source_runner::searched_graph() const { return detail::searched_graph(graph_, search_kind()); }

void multi_source_runner::check(const search_block& block) {
  const bool has_targets = !block.set.targets.empty();
  check_answers(block, has_targets ? std::vector<multi_source_answer>() : block.solver->answers(),
                has_targets ? multi_source::target_distances_of(*block.solver, searched_graph())
                            : multi_source::target_distance_array());
}

void multi_source_runner::check_answers(const search_block& block, std::span<const multi_source_answer> answers,
                                        const multi_source::target_distance_array& target_distances) {
  const graph::csr_graph csr = searched_graph();
  const multi_source::right_answers expected = multi_source::find_right_answers(csr, search_kind(), block.set);
  const std::string error = multi_source::find_error(csr, block.set, expected, answers, target_distances);
  if (!error.empty()) throw work_error(fmt::format("{}: wrong answer: {}", graph_.name(), error));
}

multi_source::search_set multi_source_runner::search_set_of(std::span<const vertex> sources,
                                                            const batch_options& options) const {
  return {.sources = {sources.begin(), sources.end()},
          .targets = options.targets,
          .cutoff = options.cutoff ? scale().word_within(*options.cutoff) : graph::wide_unreached};
}

template <class Bits>
void multi_source_runner::take_row(const search_block& block, std::size_t search, std::span<Bits> row,
                                   std::vector<multi_source_answer>& answers, std::vector<Bits>& target_distances,
                                   device_lock& lock) {
  constexpr Bits none = sizeof(Bits) == sizeof(graph::wide_distance_bits) ? static_cast<Bits>(graph::wide_unreached)
                                                                          : static_cast<Bits>(graph::unreached);
  // Unlike a batch, a single search leaves infinity in floats, and has no cutoff.
  const Bits infinity = type() == graph::weight_type::float64   ? static_cast<Bits>(std::bit_cast<u64>(HUGE_VAL))
                        : type() == graph::weight_type::float32 ? static_cast<Bits>(std::bit_cast<u32>(HUGE_VALF))
                                                                : none;
  if (infinity != none || block.set.cutoff != graph::wide_unreached) {
    std::ranges::replace_if(
        row, [&](Bits word) { return word == infinity || word > block.set.cutoff; }, none);
  }
  if (block.readers != nullptr) {
    for (const auto& reader : block.active_readers) reader->read(search, std::span<const Bits>(row));
    return;
  }
  std::vector<Bits> of_targets;
  std::span<Bits> delivered = row;
  if (block.set.targets.empty()) {
    answers.push_back(multi_source::answer_of(std::span<const Bits>(row)));
  } else {
    for (const vertex target : block.set.targets) of_targets.push_back(row[target]);
    // Delivering changes floats, and these are to be checked.
    target_distances.insert(target_distances.end(), of_targets.begin(), of_targets.end());
    delivered = of_targets;
  }
  if (!block.take) return;
  lock.unlock();
  block.take(rows_of<Bits>(delivered, search, 1, delivered.size()));
  lock.lock();
}

batch_summary multi_source_runner::search_one_by_one(search_block& block, const single_search& search_one,
                                                     device_lock& lock) {
  if (block.options.keep_on_device) {
    throw input_error(fmt::format("'{}': searches one after another do not leave their distances on the device",
                                  block.options.configurations.front()));
  }
  const std::vector<graph::vertex_id>& sources = block.set.sources;
  std::unique_ptr<backends::backend> processors;
  if (block.readers != nullptr) {
    processors = backends::open_device("cpu:1");
    block.readers->prepare(block.active_readers, *processors, 0, sources.size());
    for (const auto& reader : block.active_readers) reader->begin(sources.size());
  }
  std::vector<multi_source_answer> answers;
  std::vector<graph::distance_bits> narrow_targets;
  std::vector<graph::wide_distance_bits> wide_targets;
  const std::size_t row_bytes = graph_.vertex_count() * problems::distance_bytes(type());
  (void)reserve_staging(row_bytes, 1);
  void* const row = staging_.front().get();
  batch_summary sum;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    search_summary finished = search_one(sources[i], {static_cast<std::byte*>(row), row_bytes});
    sum.choice = std::move(finished.choice);
    add(sum.times, finished.times);
    ++sum.searches;
    if (type() == graph::weight_type::float64) {
      take_row(block, i, std::span(static_cast<graph::wide_distance_bits*>(row), graph_.vertex_count()), answers,
               wide_targets, lock);
    } else {
      take_row(block, i, std::span(static_cast<graph::distance_bits*>(row), graph_.vertex_count()), answers,
               narrow_targets, lock);
    }
  }
  if (block.readers != nullptr) {
    take_results(block, sum);
    return sum;
  }
  for (std::size_t i = 0; i < answers.size(); ++i) sum.digest += digest_of(sources[i], answers[i].digest);
  if (!block.options.check) return sum;
  multi_source::target_distance_array target_distances = std::move(narrow_targets);
  if (type() == graph::weight_type::float64) target_distances = std::move(wide_targets);
  check_answers(block, answers, target_distances);
  return sum;
}

std::size_t multi_source_runner::reserve_staging(std::size_t row_bytes, std::size_t rows) {
  const std::size_t buffer_rows = std::clamp<std::size_t>(staging_size / row_bytes, 1, rows);
  if (staging_bytes_ < buffer_rows * row_bytes) {
    staging_ = {};
    for (backends::host_memory& buffer : staging_)
      buffer = runner_.device().backend->allocate_host(buffer_rows * row_bytes);
    staging_bytes_ = buffer_rows * row_bytes;
  }
  return buffer_rows;
}

void multi_source_runner::hand_over(const search_block& block, batch_summary& sum) {
  if (type() == graph::weight_type::float64) return hand_over_words<graph::wide_distance_bits>(block, sum);
  hand_over_words<graph::distance_bits>(block, sum);
}

template <class Bits>
distance_rows multi_source_runner::rows_of(std::span<Bits> words, std::size_t first, std::size_t count,
                                           std::size_t columns) {
  distance_rows rows{.first = first, .rows = count, .columns = columns, .type = scale().delivered()};
  if constexpr (sizeof(Bits) == sizeof(graph::wide_distance_bits)) {
    rows.float64 = as_floats<double>(words, graph::wide_unreached);
  } else if (scale().decimal_places) {
    decimals_.resize(words.size());
    scale().write_values(words, decimals_);
    rows.float64 = decimals_;
  } else if (type() == graph::weight_type::float32) {
    rows.float32 = as_floats<float>(words, graph::unreached);
  } else {
    rows.uint32 = words;
  }
  return rows;
}

template <class Bits>
void multi_source_runner::hand_over_words(const search_block& block, batch_summary& sum) {
  const std::size_t rows = block.set.sources.size();
  const std::size_t columns = block.keeps() ? graph_.vertex_count() : block.set.targets.size();
  const std::size_t buffer_rows = reserve_staging(columns * sizeof(Bits), rows);
  const auto buffer_of = [&](std::size_t turn) { return static_cast<Bits*>(staging_.at(turn % 2).get()); };
  const auto copy = [&](std::size_t first, std::size_t turn) {
    return milliseconds_of(
        [&] { block.solver->copy_rows(block.buffer, first, std::min(buffer_rows, rows - first), buffer_of(turn)); });
  };
  sum.times.download += copy(0, 0);
  std::size_t turn = 0;
  for (std::size_t first = 0; first < rows; first += buffer_rows, ++turn) {
    const std::size_t count = std::min(buffer_rows, rows - first);
    std::future<double> next;
    if (first + count < rows) next = std::async(std::launch::async, copy, first + count, turn + 1);
    const std::span<Bits> words(buffer_of(turn), count * columns);
    if (!block.keeps()) require_in_range(are_saturated(type(), words), graph_.name(), type());
    block.take(rows_of(words, block.first + first, count, columns));
    if (next.valid()) sum.times.download += next.get();
  }
}

void multi_source_runner::deliver_on_device(const search_block& block, batch_summary& sum, device_lock& lock) {
  const backends::device_memory& words = block.solver->device_distances();
  const std::size_t rows = block.set.sources.size();
  const std::size_t columns = block.keeps() ? graph_.vertex_count() : block.set.targets.size();
  const auto finished = executor_.finisher().finish(words, rows * columns, type());
  require_in_range(finished.has_saturated, graph_.name(), type());
  sum.times.compile += finished.compile_ms;
  sum.times.solve += finished.milliseconds;
  const void* delivered = words.address();
  if (scale().decimal_places) {
    if (device_decimals_.bytes() < rows * columns * sizeof(double)) {
      device_decimals_ = {};
      device_decimals_ = runner_.device().backend->allocate(rows * columns * sizeof(double), "decimal distances");
    }
    const auto converted =
        executor_.finisher().write_decimals(words, rows * columns, scale().units(), device_decimals_);
    sum.times.compile += converted.compile_ms;
    sum.times.solve += converted.milliseconds;
    delivered = device_decimals_.address();
  }
  lock.unlock();
  block.take(
      {.first = block.first, .rows = rows, .columns = columns, .type = scale().delivered(), .on_device = delivered});
  lock.lock();
}

}  // namespace detail
}  // namespace mlmq
