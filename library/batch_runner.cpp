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
#include <utility>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "graph/check.hpp"
#include "problems/search_batches/batch_check.hpp"
#include "problems/shortest_paths/graph_workload.hpp"

namespace mlmq {

double distance_rows::at(std::size_t row, std::size_t column) const {
  if (on_device != nullptr) throw input_error("the distances are in the memory of the device");
  const std::size_t place = row * columns + column;
  if (type == number_type::float32) return static_cast<double>(float32[place]);
  if (type == number_type::float64) return float64[place];
  return uint32[place] == unreachable ? std::numeric_limits<double>::infinity() : static_cast<double>(uint32[place]);
}

namespace detail {
namespace {

constexpr std::uint64_t most_memory = std::uint64_t{16} << 30;
/// Fewer searches together do not fill a GPU.
constexpr std::size_t least_together = 1024;
/// Bytes of a copy: what the caller does with one goes on while the next is made.
constexpr std::size_t staging_size = std::size_t{32} << 20;

void add(solve_times& sum, const solve_times& one) {
  sum.choice += one.choice;
  sum.upload += one.upload;
  sum.compile += one.compile;
  sum.compiled |= one.compiled;
  sum.mirror += one.mirror;
  sum.prepare += one.prepare;
  sum.solve += one.solve;
  sum.download += one.download;
}

const problems::problem_entry& entry_of(problem kind) {
  return problems::find_problem(kind == problem::bfs ? "bfs_batch" : "sssp_batch");
}

std::shared_ptr<const tuner::workload> workload_of(const digraph& searched, std::shared_ptr<problems::row_store> rows) {
  const auto made = std::make_shared<problems::graph_workload>();
  made->rows = std::move(rows);
  made->graph = access::get(searched).csr;
  made->record.name = searched.name();
  return made;
}

double feature_of(const digraph_data& searched, std::string_view name) {
  const graph::csr_graph& graph = searched.csr;
  if (name == "m") return static_cast<double>(graph.vertex_count());
  if (name == "nnz") return static_cast<double>(graph.edge_count());
  if (name != "max_nnz") return std::numeric_limits<double>::quiet_NaN();
  if (searched.elsewhere != nullptr && searched.elsewhere->largest_degree) {
    return static_cast<double>(*searched.elsewhere->largest_degree);
  }
  graph::edge_offset largest = 0;
  for (std::size_t v = 0; v < graph.vertex_count(); ++v) {
    largest = std::max(largest, graph.offsets()[v + 1] - graph.offsets()[v]);
  }
  return static_cast<double>(largest);
}

graph::wide_distance_bits word_of(double cutoff, graph::weight_type type) {
  if (type == graph::weight_type::float64) return problems::wide_distance_word(cutoff);
  if (type == graph::weight_type::float32) {
    const double most = static_cast<double>(std::numeric_limits<float>::max());
    auto rounded = static_cast<float>(std::min(cutoff, most));
    // Not above what was asked for.
    if (static_cast<double>(rounded) > cutoff) rounded = std::nextafter(rounded, 0.0F);
    return std::bit_cast<graph::distance_bits>(rounded);
  }
  return static_cast<graph::distance_bits>(
      std::min(std::floor(cutoff), static_cast<double>(graph::saturated_distance)));
}

bool are_saturated(graph::weight_type type, std::span<const graph::distance_bits> distances) {
  return graph::has_saturated(type, distances);
}
bool are_saturated(graph::weight_type, std::span<const graph::wide_distance_bits> distances) {
  return graph::has_saturated(distances);
}

/// Distances as floats, where they are: the same bits but for those that stand for no number.
template <class Float, class Bits>
std::span<const Float> as_floats(std::span<Bits> words, Bits none) {
  static_assert(sizeof(Float) == sizeof(Bits));
  for (Bits& word : words) {
    const Float number = word == none ? std::numeric_limits<Float>::infinity() : std::bit_cast<Float>(word);
    std::memcpy(&word, &number, sizeof number);
  }
  return {reinterpret_cast<const Float*>(words.data()), words.size()};
}

void require_vertex(const digraph& graph, const char* what, std::size_t place, vertex v) {
  if (v < graph.vertex_count()) return;
  throw input_error(fmt::format("{} {} (number {} of the list): {} has vertices 0 to {}", what, v, place, graph.name(),
                                graph.vertex_count() - 1));
}

}  // namespace

void check_batch(const digraph& graph, std::span<const vertex> sources, const batch_options& options) {
  if (sources.empty()) throw input_error("there is no source to search from");
  for (std::size_t i = 0; i < sources.size(); ++i) require_vertex(graph, "source", i, sources[i]);
  for (std::size_t i = 0; i < options.targets.size(); ++i) require_vertex(graph, "target", i, options.targets[i]);
  if (options.cutoff && !(*options.cutoff >= 0)) {
    throw input_error(fmt::format("cutoff: {} is not a number from 0 on", *options.cutoff));
  }
  if (options.tries == 0 || options.searches_per_try == 0)
    throw input_error("tries, and searches for each, are at least 1");
  require_time_limit(options.time_limit_ms);
}

/// Some of the searches.
struct batch_runner::block {
  std::size_t first;
  batches::search_set set;
  const batch_options& options;
  const take_distances& take;
  unsigned buffer;

  /// Whether all distances of a search are wanted.
  [[nodiscard]] bool keeps() const { return take && set.targets.empty(); }
};

batch_runner::batch_runner(std::shared_ptr<device_data> on, digraph searched, problem which, executor& beside)
    : graph_(searched),
      kind_(which),
      beside_(beside),
      runs_(std::move(on), entry_of(which), workload_of(searched, beside.rows()),
            [known = access::share(searched)](std::string_view name) { return feature_of(*known, name); }) {}

batch_runner::~batch_runner() {
  const device_lock lock(runs_.device(), device_lock::may_nest());
  staging_ = {};
}

graph::weight_type batch_runner::type() const {
  return kind_ == problem::bfs ? graph::weight_type::uint32 : access::get(graph_).csr.weights();
}

std::size_t batch_runner::rows_together(std::size_t searches, const batch_options& options, bool delivers) const {
  const std::size_t columns = !options.targets.empty() ? options.targets.size() : delivers ? graph_.vertex_count() : 0;
  if (columns == 0) return std::numeric_limits<std::size_t>::max();
  const std::uint64_t memory = options.memory_bytes != 0
                                   ? options.memory_bytes
                                   : std::min(runs_.device().own->info().memory_bytes / 4, most_memory);
  const std::size_t row_bytes = columns * problems::distance_bytes(type());
  const std::uint64_t rows = memory / row_bytes;
  if (rows == 0) {
    throw memory_error(fmt::format("{}: the {} distances of one search need {} bytes, and there are {} for all",
                                   graph_.name(), columns, row_bytes, memory));
  }
  // One block is searched while another is handed over; the more blocks, the sooner that begins.
  return std::max<std::size_t>(1, std::min<std::uint64_t>(rows / 2, std::max(searches / 8, least_together)));
}

batch_runner::plan batch_runner::planned(std::size_t searches, const batch_options& options, bool delivers) {
  plan result{.together = rows_together(searches, options, delivers), .configurations = options.configurations};
  if (!options.configurations.empty()) return result;
  const std::vector<attempt>& recommended = runs_.recommended(options.model, searches_);
  // A model has measured them already.
  if (recommended.front().by == choice::chooser::model) return result;
  const std::size_t count = std::min<std::size_t>(options.tries, recommended.size());
  if (count < 2 || searches / 4 / options.searches_per_try < count) return result;
  result.tries = count;
  for (const attempt& next : recommended) result.tried.push_back(next.configuration.label());
  return result;
}

batch_summary batch_runner::run(std::span<const vertex> sources, const batch_options& options,
                                const take_distances& take, device_lock& lock) {
  searches_ += sources.size();
  batch_summary sum;
  if (const digraph_data& data = access::get(graph_);
      options.configurations.empty() && data.elsewhere != nullptr && !data.elsewhere->largest_degree) {
    // Of rows that nobody has checked, what chooses has to ask them, here, so that it does not count as choice.
    add_time(sum.times.mirror, sum.times, data, [&] { (void)data.csr.offsets(); });
  }
  const bool delivers = static_cast<bool>(take);
  const plan how = planned(sources.size(), options, delivers);
  const bool copies = delivers && !options.keep_on_device;
  if (copies) {
    const std::size_t columns = options.targets.empty() ? graph_.vertex_count() : options.targets.size();
    (void)reserve_staging(columns * problems::distance_bytes(type()), std::min(how.together, sources.size()));
  }
  std::optional<block> searched;  // and not handed over yet
  const auto search_next = [&](std::size_t count, std::span<const std::string> configurations) {
    const auto part = sources.subspan(sum.searches, count);
    block asked{.first = sum.searches,
                .set = {.sources = {part.begin(), part.end()},
                        .targets = options.targets,
                        .cutoff = options.cutoff ? word_of(*options.cutoff, type()) : graph::wide_unreached},
                .options = options,
                .take = take,
                .buffer = searched ? 1 - searched->buffer : 0};
    const std::optional<block> before = std::exchange(searched, std::nullopt);
    const batch_summary done = search_beside(before, asked, configurations, sum, lock);
    sum.choice = done.choice;
    add(sum.times, done.times);
    sum.exact = sum.exact && done.exact;
    sum.searches += count;
    if (copies) {
      searched.emplace(std::move(asked));
    } else if (delivers) {
      // The next searches would be on the device at the same time as what the caller does there.
      deliver_on_device(asked, sum, lock);
    }
    return done.times.solve;
  };
  std::string fastest;
  double best_rate = 0;
  for (std::size_t i = 0; sum.tried.size() < how.tries && i < how.tried.size(); ++i) {
    const std::size_t count = std::min(options.searches_per_try, how.together);
    double took = 0;
    try {
      took = search_next(count, std::array{how.tried[i]});
    } catch (const backends::launch_error&) {
      continue;  // for another device, or for other weights
    }
    sum.tried.push_back({.configuration = sum.choice.configuration, .searches = count, .milliseconds = took});
    const double rate = static_cast<double>(count) / took;
    if (rate > best_rate) {
      best_rate = rate;
      fastest = sum.choice.configuration;
    }
  }
  const std::array chosen{fastest};
  while (sum.searches < sources.size()) {
    const std::size_t count = std::min(how.together, sources.size() - sum.searches);
    (void)search_next(count, fastest.empty() ? std::span<const std::string>(how.configurations) : chosen);
  }
  if (searched) {
    lock.unlock();
    hand_over(*searched, sum);
    lock.lock();
  }
  if (!fastest.empty()) {
    sum.choice.by = choice::chooser::trial;
    sum.choice.reason =
        fmt::format("the fastest of {} tried: {:.4g} searches a second", sum.tried.size(), best_rate * 1e3);
  }
  return sum;
}

batch_summary batch_runner::search_beside(const std::optional<block>& searched, const block& asked,
                                          std::span<const std::string> configurations, batch_summary& sum,
                                          device_lock& lock) {
  if (!searched) return search(asked, configurations);
  // What the caller is given, it is given in its own thread. There it may wait for another call that needs the device,
  // so that the device is unlocked when the search has ended.
  lock.pass_to({});
  std::future<batch_summary> later = std::async(std::launch::async, [&, token = stop_token_of_thread()] {
    const stop_scope scope(token);
    lock.pass_to(std::this_thread::get_id());
    const std::unique_ptr<device_lock, void (*)(device_lock*)> at_end(&lock, [](device_lock* held) { held->unlock(); });
    runs_.device().own->enter();
    return search(asked, configurations);
  });
  hand_over(*searched, sum);
  batch_summary block_summary = later.get();
  lock.lock();
  return block_summary;
}

batch_summary batch_runner::search(const block& asked, std::span<const std::string> configurations) {
  const std::string what = fmt::format("{}, {} searches", graph_.name(), asked.set.sources.size());
  const run_request request{
      .configurations = configurations, .chosen_by = asked.options.model, .what = what, .searches = searches_};
  const double mirror_before = access::get(graph_).mirror_ms();
  const run_result result = runs_.run(request, [&](tuner::problem_instance& ready, solve_times&) {
    return dynamic_cast<batches::batch_instance&>(ready).search({.sources = asked.set.sources,
                                                                 .targets = asked.set.targets,
                                                                 .cutoff = asked.set.cutoff,
                                                                 .keep = asked.keeps(),
                                                                 .buffer = asked.buffer},
                                                                asked.options.time_limit_ms);
  });
  batch_summary done;
  done.choice = result.chosen;
  done.times = result.times;
  // Rows that are elsewhere are brought to the host by what makes others of them.
  const double mirror = access::get(graph_).mirror_ms() - mirror_before;
  const double of_upload = std::min(mirror, result.times.upload);
  done.times.mirror += mirror;
  done.times.upload -= of_upload;
  done.times.prepare = std::max(0.0, result.times.prepare - (mirror - of_upload));
  if (asked.options.check) check(asked);
  if (asked.keeps()) {
    batches::solver& solved = dynamic_cast<batches::batch_instance&>(runs_.instance()).solved_by();
    done.exact = std::ranges::none_of(solved.answers(), [&](const batch_answer& one) {
      // Of 8 bytes it is the upper half, that of infinity has nothing else.
      if (type() == graph::weight_type::float64) {
        const graph::wide_distance_bits farthest = graph::wide_distance_bits{one.farthest} << 32;
        return graph::has_saturated(std::span(&farthest, 1));
      }
      return graph::has_saturated(type(), {&one.farthest, 1});
    });
  }
  return done;
}

void batch_runner::check(const block& asked) {
  batches::solver& solved = dynamic_cast<batches::batch_instance&>(runs_.instance()).solved_by();
  const auto kind = kind_ == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp;
  // What is told of distances goes by the type of the weights.
  const bool is_unit = kind_ == problem::bfs && access::get(graph_).csr.weights() != graph::weight_type::uint32;
  const graph::csr_graph csr = is_unit ? graph::with_unit_weights(access::get(graph_).csr) : access::get(graph_).csr;
  const batches::right_answers right = batches::find_right_answers(csr, kind, asked.set);
  const bool has_targets = !asked.set.targets.empty();
  const std::string wrong =
      batches::what_is_wrong(csr, asked.set, right, has_targets ? std::vector<batch_answer>() : solved.answers(),
                             has_targets ? batches::target_distances_of(solved, csr) : graph::distance_array());
  if (!wrong.empty()) throw work_error(fmt::format("{}: wrong answer: {}", graph_.name(), wrong));
}

std::size_t batch_runner::reserve_staging(std::size_t row_bytes, std::size_t rows) {
  const std::size_t wanted = std::clamp<std::size_t>(staging_size / row_bytes, 1, rows);
  if (staging_bytes_ < wanted * row_bytes) {
    staging_ = {};
    for (backends::host_memory& one : staging_) one = runs_.device().own->allocate_host(wanted * row_bytes);
    staging_bytes_ = wanted * row_bytes;
  }
  return wanted;
}

void batch_runner::hand_over(const block& searched, batch_summary& sum) {
  if (type() == graph::weight_type::float64) return hand_over_words<graph::wide_distance_bits>(searched, sum);
  hand_over_words<graph::distance_bits>(searched, sum);
}

template <class Bits>
void batch_runner::hand_over_words(const block& searched, batch_summary& sum) {
  batches::solver& solved = dynamic_cast<batches::batch_instance&>(runs_.instance()).solved_by();
  const std::size_t rows = searched.set.sources.size();
  const std::size_t columns = searched.keeps() ? graph_.vertex_count() : searched.set.targets.size();
  const std::size_t piece = reserve_staging(columns * sizeof(Bits), rows);
  const auto words_of = [&](std::size_t turn) { return static_cast<Bits*>(staging_.at(turn % 2).get()); };
  const auto copy = [&](std::size_t first, std::size_t turn) {
    return milliseconds_of(
        [&] { solved.copy_rows(searched.buffer, first, std::min(piece, rows - first), words_of(turn)); });
  };
  sum.times.download += copy(0, 0);
  std::size_t turn = 0;
  for (std::size_t first = 0; first < rows; first += piece, ++turn) {
    const std::size_t count = std::min(piece, rows - first);
    std::future<double> next;
    if (first + count < rows) next = std::async(std::launch::async, copy, first + count, turn + 1);
    const std::span<Bits> words(words_of(turn), count * columns);
    if (!searched.keeps() && are_saturated(type(), words)) sum.exact = false;
    distance_rows given{
        .first = searched.first + first, .rows = count, .columns = columns, .type = number_type_of(type())};
    if constexpr (sizeof(Bits) == sizeof(graph::wide_distance_bits)) {
      given.float64 = as_floats<double>(words, graph::wide_unreached);
    } else if (type() == graph::weight_type::float32) {
      given.float32 = as_floats<float>(words, graph::unreached);
    } else {
      given.uint32 = words;
    }
    searched.take(given);
    if (next.valid()) sum.times.download += next.get();
  }
}

void batch_runner::deliver_on_device(const block& searched, batch_summary& sum, device_lock& lock) {
  const batches::solver& solved = dynamic_cast<batches::batch_instance&>(runs_.instance()).solved_by();
  const backends::device_memory& words = solved.device_distances();
  const std::size_t rows = searched.set.sources.size();
  const std::size_t columns = searched.keeps() ? graph_.vertex_count() : searched.set.targets.size();
  const auto finished = beside_.finisher().finish(words, rows * columns, type());
  if (finished.has_saturated) sum.exact = false;
  sum.times.compile += finished.compile_ms;
  sum.times.solve += finished.milliseconds;
  lock.unlock();
  searched.take({.first = searched.first,
                 .rows = rows,
                 .columns = columns,
                 .type = number_type_of(type()),
                 .on_device = words.address()});
  lock.lock();
}

}  // namespace detail
}  // namespace mlmq
