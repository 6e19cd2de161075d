// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/checks/schedule_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "fill_in_abi.cuh"
#include "graph/adversarial.hpp"
#include "graph/reference.hpp"
#include "partitioned/partitioned_abi.cuh"
#include "problems/check_simulators.hpp"
#include "problems/parallel_jobs.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::problems {
namespace {

using clock = std::chrono::steady_clock;

/// Number of shapes. Every compile-time parameter except the queues has one value per shape; more would take long to
/// compile.
constexpr unsigned shape_count = 2;
/// A search of these graphs takes much less than a millisecond, with stalls a few milliseconds.
constexpr double longest_run_ms = 300;
constexpr std::uint64_t simulated_memory_bytes = std::uint64_t{1} << 30;

/// Values to try. A parameter without values here (such as one of a future queue) has its default.
const std::map<std::string, std::vector<std::string>, std::less<>>& small_values() {
  static const std::map<std::string, std::vector<std::string>, std::less<>> values = {
      {"l0_depth", {"2", "1"}},
      {"l1_sharing", {"warp", "block"}},
      {"l1_capacity", {"64"}},
      {"l1_batch", {"32", "3"}},
      {"l1_spill", {"everything", "worst"}},
      {"wb", {"0", "7"}},
      {"l1_delta", {"0.05", "4", "1000000"}},
      {"nf", {"0.5", "4", "1000000"}},
      {"bmax", {"8"}},
      {"bnum", {"1", "2"}},
      {"idle_buckets", {"0", "4"}},
      {"delta", {"0.05", "1", "8", "1000000"}},
      {"pnum", {"2", "3"}},
      {"l2_batch", {"5", "32"}},
      {"heavy_degree", {"8", "1073741824"}},
      {"split_degree", {"5", "0"}},
      {"ell_width", {"0", "4"}},
      {"ell_overflow", {"at_once", "queued"}},
      {"read_first", {"true", "false"}},
      {"prefetch", {"false", "true"}},
      {"threads", {"64", "96", "128"}},
      {"blocks_per_multiprocessor", {"0", "1"}},
  };
  return values;
}

/// Values of parameters that were added later. They do not draw from the random stream of the others.
const std::map<std::string, std::vector<std::string>, std::less<>>& small_younger_values() {
  static const std::map<std::string, std::vector<std::string>, std::less<>> values = {
      {"l2_share", {"1", "0"}},           {"parts", {"3", "0"}},         {"slot_arcs", {"2", "3"}},
      {"part_order", {"none", "window"}}, {"part_window", {"0.5", "4"}}, {"near_limit", {"0.1", "2"}}};
  return values;
}

/// Values of parameters that only competitors have.
const std::map<std::string, std::vector<std::string>, std::less<>>& small_baseline_values() {
  static const std::map<std::string, std::vector<std::string>, std::less<>> values = {
      {"one_block", {"0", "3", "24", "512"}}, {"delta_rule", {"degree", "fixed"}},
      {"delta_c", {"0.02", "1", "1000"}},     {"delta_fixed", {"0.05", "1", "1000000"}},
      {"adds_buckets", {"2", "7", "32"}},     {"adds_delta_mode", {"dynamic", "static"}},
      {"adds_load", {"0.01", "0.5", "100"}},  {"adds_open", {"1", "2", "32"}},
      {"adds_chunk", {"8", "100"}},           {"adds_least", {"1", "8", "32"}},
  };
  return values;
}

/// Values of the parameters of push_pull.
const std::map<std::string, std::vector<std::string>, std::less<>>& small_level_values() {
  static const std::map<std::string, std::vector<std::string>, std::less<>> values = {
      {"pull_share", {"0", "4", "1048576"}},
      {"pull_edges", {"0", "30"}},
      {"piece_edges", {"8", "32"}},
      {"long_row", {"8", "40"}},
      {"gather", {"0", "1073741824"}},
      {"one_block_edges", {"0", "40", "2048"}},
      {"one_block_graph", {"0", "0", "1000"}},
      {"read_edges", {"0", "64", "1073741824"}},
  };
  return values;
}

const tuner::parameter_declaration& declaration_of(const std::string& name) {
  for (const tuner::parameter_declaration& declared : search_declarations()) {
    if (declared.name == name) return declared;
  }
  throw work_error("no parameter '" + name + "'");
}

/// The choices that the seed of a schedule determines.
struct plan {
  std::string label;  ///< label of the configuration
  ring_limits limits;
  bool stalls = false;
  graph::vertex_id source = 0;
};

/// Returns whether arcs fit into 4 bytes in parts of these graphs.
bool can_pack(const graph::csr_graph& graph, search_kind problem) {
  if (problem == search_kind::bfs) return true;
  constexpr unsigned bits_of_targets = 16;
  const auto fits = [](std::uint32_t weight) { return fits_packed(0, weight, bits_of_targets); };
  return graph.weights() == graph::weight_type::uint32 && std::ranges::all_of(graph.weight_bits(), fits);
}

/// Returns the label with warps that read L2 themselves, without what only dispatchers allow.
std::string read_by_warps(const std::string& label) {
  std::string result;
  for (const std::string& entry : split(label, ',')) {
    const std::string name = entry.substr(0, entry.find('='));
    const bool needs_dispatcher =
        name == "l1_sharing" || name == "delta_mode" || name == "idle_buckets" || name == "l2_share";
    if (!needs_dispatcher) result += entry + ',';
  }
  return result + "l2_reader=every_warp";
}

/// Makes plans and configurations. Not shared between threads, because parameter_set is not thread-safe.
class planner {
 public:
  [[nodiscard]] tuner::configuration configuration(const std::string& label) const {
    return parameters_.parse_label(label);
  }

  /// @param graph the graph of the case
  [[nodiscard]] plan make(const schedule_case& test_case, const graph::csr_graph& graph) const {
    random_stream random({test_case.seed});
    const auto shape = static_cast<std::size_t>(random.below(shape_count));
    // The index of the pair gives adjacent pairs different values, independent of the selected pairs.
    const std::size_t place = place_of(test_case.queues);
    const std::vector<std::string>& l0 = declaration_of("l0").allowed;
    plan schedule;
    schedule.label = test_case.queues.has_queues() ? fmt::format("l0={},l1={},l2={}", l0[(place + shape) % l0.size()],
                                                                 test_case.queues.l1, test_case.queues.l2)
                                                   : "solver=" + test_case.queues.solver;
    // A separate stream: new parameters of competitors must not change the schedules of the queues.
    random_stream of_baselines({test_case.seed, 1});
    for (const tuner::parameter_declaration& declared : search_declarations()) {
      const auto entry = small_baseline_values().find(declared.name);
      if (entry == small_baseline_values().end()) continue;
      const std::vector<std::string>& values = entry->second;
      const std::uint64_t drawn = of_baselines.below(values.size());
      if (configuration(schedule.label).find(declared.name) == nullptr) continue;
      const bool compiled = declared.bind == tuner::binding::compile;
      schedule.label +=
          fmt::format(",{}={}", declared.name, values[compiled ? (shape + place) % values.size() : drawn]);
    }
    const tuner::configuration complete = configuration(schedule.label);
    random_stream of_levels({test_case.seed, 2});
    for (const auto& [name, values] : small_level_values()) {
      const std::uint64_t drawn = of_levels.below(values.size());
      if (complete.find(name) != nullptr) schedule.label += fmt::format(",{}={}", name, values[drawn]);
    }
    std::size_t compiled_before = 0;
    for (const tuner::parameter_declaration& declared : search_declarations()) {
      const auto entry = small_values().find(declared.name);
      if (entry == small_values().end()) continue;
      const std::vector<std::string>& values = entry->second;
      // Also drawn for inactive parameters, so that all pairs have the same source and so on.
      const std::uint64_t drawn = random.below(values.size());
      if (complete.find(declared.name) == nullptr) continue;
      const bool compiled = declared.bind == tuner::binding::compile;
      // Compile-time values follow from shape and pair, so that few variants are needed: each pair has two values of
      // each parameter, and their combinations differ between pairs.
      const std::size_t index =
          compiled ? (shape + (place >> (++compiled_before % 4))) % values.size() : static_cast<std::size_t>(drawn);
      schedule.label += fmt::format(",{}={}", declared.name, values[index]);
    }
    for (const auto& [name, values] : small_younger_values()) {
      if (complete.find(name) != nullptr)
        schedule.label += fmt::format(",{}={}", name, values[(shape + place) % values.size()]);
    }
    // Drawn from separate streams, like the parameters of competitors.
    const bool adapts = random_stream({test_case.seed, 2}).below(3) == 0;
    if (adapts && parameters_.is_active("delta_mode", complete)) schedule.label += ",delta_mode=adaptive";
    const bool adapts_open = random_stream({test_case.seed, 5}).below(3) == 0;
    if (adapts_open && parameters_.is_active("adds_open_mode", complete)) schedule.label += ",adds_open_mode=dynamic";
    const bool warps_read_l2 = random_stream({test_case.seed, 7}).below(3) == 0;
    if (warps_read_l2 && parameters_.is_active("l2_reader", complete)) schedule.label = read_by_warps(schedule.label);
    const bool launches_steps = random_stream({test_case.seed, 6}).below(2) == 0;
    if (launches_steps && parameters_.is_active("launches", complete) &&
        (schedule.label + ',').find(",one_block=0,") != std::string::npos) {
      schedule.label += ",launches=each_step";
    }
    const bool packs = random_stream({test_case.seed, 3}).below(2) == 0;
    random_stream of_groups({test_case.seed, 4});
    const bool groups = of_groups.below(2) == 0;
    const bool pulls = of_groups.below(2) == 0;
    if (parameters_.is_active("arcs", complete) && can_pack(graph, test_case.problem)) {
      if (groups) {
        schedule.label += pulls ? ",part_work=pulled_groups" : ",part_work=groups";
        // One warp has too few groups for the vertex of largest degree.
        if (const std::size_t threads_position = schedule.label.find(",threads=64");
            threads_position != std::string::npos) {
          schedule.label.replace(threads_position, 11, ",threads=96");
        }
      } else if (packs) {
        schedule.label += ",arcs=shared";
      }
    }
    const bool can_reduce = test_case.problem == search_kind::sssp && test_case.weights == graph::weight_type::uint32 &&
                            parameters_.is_active("reduction", complete);
    random_stream of_reduction({test_case.seed, 7});
    if (can_reduce && test_case.graph == "chains" && of_reduction.below(8) > 0) {
      schedule.label += of_reduction.below(4) == 0 ? ",reduction=leaves" : ",reduction=chains";
    } else if (can_reduce && (test_case.graph == "grid" || test_case.graph == "rmat") && of_reduction.below(6) == 0) {
      schedule.label += ",reduction=core";
    }
    const bool spreads_rows = random_stream({test_case.seed, 6}).below(3) == 0;
    if (spreads_rows && parameters_.is_active("hub_degree", complete)) schedule.label += ",hub_degree=4";
    // The minimum capacity of a heap.
    schedule.limits.first = random.below(3) == 0 ? 128 : 64;
    schedule.stalls = random.below(3) == 0;
    const std::uint64_t anywhere = random.below(graph.vertex_count());
    const bool is_anywhere = random.below(4) == 0 || test_case.graph == "chains";
    schedule.source = is_anywhere ? static_cast<graph::vertex_id>(anywhere) : 0;
    return schedule;
  }

 private:
  [[nodiscard]] static std::size_t place_of(const queue_pair& queues) {
    const std::vector<queue_pair> pairs = all_queue_pairs();
    return static_cast<std::size_t>(std::find(pairs.begin(), pairs.end(), queues) - pairs.begin());
  }

  tuner::parameter_set parameters_ = tuner::parameter_set::from_declarations(search_declarations());
};

/// The input of a schedule in addition to queues and seed.
struct input {
  std::string name;
  search_kind problem;
  graph::weight_type weights;
  graph::csr_graph graph;
  graph::csr_graph reference;  ///< graph whose distances are the correct answer
};

/// Checks the counters of push_pull: each vertex is found once, and pieces of pulled levels are not read.
std::string lost_levels(std::map<std::string, double> count, const std::vector<graph::distance_bits>& expected) {
  const auto unreached = std::ranges::count(expected, graph::unreached);
  const auto reached = static_cast<double>(expected.size()) - static_cast<double>(unreached);
  if (count["updates"] != reached) {
    return fmt::format("{:.0f} vertices were found, but {:.0f} are reachable", count["updates"], reached);
  }
  if (count["l2_reads"] > count["l2_writes"]) {
    return fmt::format("{:.0f} pieces of rows were written, but {:.0f} were read", count["l2_writes"],
                       count["l2_reads"]);
  }
  return "";
}

double most_starts_of(std::optional<graph::reduction_extent> extent) {
  if (!extent) return 1;
  return extent == graph::reduction_extent::core ? u32{most_seeds} : 2;
}

/// Checks that no element was lost or invented, which can happen even if the answer is correct.
/// @param most_starts number of vertices at which the search may have begun
/// @param expected the correct answer
/// @return "" or a description of the error
std::string lost_work(const tuner::run_report& report, const std::string& solver, double most_starts,
                      const std::vector<graph::distance_bits>& expected) {
  std::map<std::string, double> count(report.counters.begin(), report.counters.end());
  // Without queues, a vertex whose distance drops several times may be relaxed only once.
  if (!count.contains("updates")) return "";
  if (needs_unit_weights(solver)) return lost_levels(std::move(count), expected);
  // A vertex of near_pull whose distance drops several times in a superstep joins the frontier once.
  const bool counts_pieces = solver_named(solver).piece_parameters;
  const double parts = count["row_segments"] + count["ell_overflow"];
  const double starts = count["pops"] - count["updates"] - parts;
  if (!counts_pieces && (starts < 1 || starts > most_starts)) {
    return fmt::format(
        "{:.0f} distances were lowered and {:.0f} parts of rows were queued, but {:.0f} elements were "
        "processed, expected 1 to {:.0f} more than their sum",
        count["updates"], parts, count["pops"], most_starts);
  }
  if (count["l2_reads"] != count["l2_writes"]) {
    return fmt::format("{:.0f} elements were written to global queues, but {:.0f} were read", count["l2_writes"],
                       count["l2_reads"]);
  }
  return "";
}

std::string wrong_distance(const std::vector<graph::distance_bits>& distances,
                           const std::vector<graph::distance_bits>& expected, graph::weight_type type) {
  for (std::size_t v = 0; v < expected.size(); ++v) {
    if (distances[v] == expected[v]) continue;
    return fmt::format("the distance of vertex {} is {}, expected {}", v, graph::distance_value(type, distances[v]),
                       graph::distance_value(type, expected[v]));
  }
  return "";
}

class checker {
 public:
  checker(const schedule_check_options& options, const std::function<void(const schedule_check_progress&)>& progress)
      : options_(options),
        progress_(progress),
        queues_(options.queues.empty() ? all_queue_pairs() : options.queues),
        jobs_(options.jobs) {
    const std::vector<queue_pair> known_pairs = all_queue_pairs();
    for (const queue_pair& pair : queues_) {
      if (std::find(known_pairs.begin(), known_pairs.end(), pair) != known_pairs.end()) continue;
      throw input_error(fmt::format(
          "unknown queues '{}', expected an L1 queue ({}) with an L2 queue ({}), or a solver ({})", name_of(pair),
          fmt::join(declaration_of("l1").allowed, ", "), fmt::join(declaration_of("l2").allowed, ", "),
          fmt::join(declaration_of("solver").allowed, ", ")));
    }
    if (options_.graphs.empty()) {
      const auto names = graph::adversarial_names();
      options_.graphs.assign(names.begin(), names.end());
    }
    if (options_.problems.empty()) options_.problems = {search_kind::sssp, search_kind::bfs};
    if (options_.weights.empty()) options_.weights = {graph::weight_type::uint32, graph::weight_type::float32};
    // Inputs of bfs come last.
    std::ranges::sort(options_.problems);
    for (const search_kind problem : options_.problems) {
      if (problem == search_kind::sssp) first_of_levels_ += options_.weights.size() * options_.graphs.size();
      for (const graph::weight_type weights : options_.weights) {
        for (const std::string& name : options_.graphs) {
          graph::csr_graph graph = graph::adversarial_graph(name, weights);
          graph::csr_graph reference = problem == search_kind::bfs ? graph::with_unit_weights(graph) : graph;
          inputs_.push_back({name, problem, weights, std::move(graph), std::move(reference)});
        }
      }
    }
    if (first_of_levels_ < inputs_.size()) return;
    std::erase_if(queues_, [](const queue_pair& pair) { return needs_unit_weights(pair.solver); });
    if (queues_.empty()) throw input_error("solvers that ignore weights can only be checked with the problem bfs");
  }

  [[nodiscard]] schedule_check_report run() {
    schedule_check_report report;
    for (unsigned i = 0; i < jobs_.threads(); ++i) simulators_.emplace_back(options_.kernels, simulated_memory_bytes);
    const auto start = clock::now();
    compile_variants();
    report.variants = kernels_.size();
    const auto compiled = clock::now();
    report.compile_seconds = std::chrono::duration<double>(compiled - start).count();

    for (const queue_pair& pair : queues_) results_.push_back({.queues = pair});
    in_parallel(options_.schedules * queues_.size(), false,
                [this](std::uint64_t index, unsigned worker, const planner& plans) { run_one(index, worker, plans); });
    report.run_seconds = std::chrono::duration<double>(clock::now() - compiled).count();
    report.results = std::move(results_);
    report.failure = std::move(failure_);
    return report;
  }

 private:
  using job = std::function<void(std::uint64_t index, unsigned worker, const planner& plans)>;

  [[nodiscard]] const input& input_of(std::uint64_t index) const {
    const std::uint64_t turn = index / queues_.size();
    if (!needs_unit_weights(queues_[index % queues_.size()].solver)) return inputs_[turn % inputs_.size()];
    return inputs_[first_of_levels_ + turn % (inputs_.size() - first_of_levels_)];
  }
  /// Orders the cases by seed, then by pair of queues.
  [[nodiscard]] schedule_case case_of(std::uint64_t index) const {
    const input& tested = input_of(index);
    return {.queues = queues_[index % queues_.size()],
            .graph = tested.name,
            .weights = tested.weights,
            .problem = tested.problem,
            .seed = options_.seed + index / queues_.size()};
  }

  void in_parallel(std::uint64_t count, bool compiling, const job& work) {
    std::vector<planner> plans(jobs_.threads());
    jobs_.run(
        count, [&](std::uint64_t index, unsigned worker) { work(index, worker, plans[worker]); },
        [&](std::uint64_t done, std::uint64_t total) {
          if (progress_) progress_({.compiling = compiling, .done = done, .total = total});
        });
  }

  /// Returns the identity of a variant within this check.
  [[nodiscard]] static std::string key_of(const backends::kernel_source& source) {
    std::string key = fmt::format("{} {}", source.file, source.block_threads);
    for (const auto& [name, value] : source.defines) key += fmt::format(" {}={}", name, value);
    return key;
  }

  /// Returns the variant with counters and with the kernels' assertions.
  [[nodiscard]] static backends::kernel_source checked_variant(const graph_instance& instance,
                                                               const tuner::configuration& chosen) {
    backends::kernel_source source = instance.variant(chosen, tuner::instrumentation::counters);
    source.defines["SIMT_CHECKED"] = "1";
    return source;
  }

  void compile_variants() {
    const planner plans;
    std::map<std::string, backends::kernel_source> variants;
    std::set<std::string> seen;
    backends::backend& device = simulators_.front().get(false);
    // Many schedules need the same variants; each variant is compiled once.
    std::map<std::pair<search_kind, graph::weight_type>, std::unique_ptr<graph_instance>> instances;
    for (const input& tested : inputs_) {
      auto& instance = instances[{tested.problem, tested.weights}];
      if (!instance) instance = search(tested.problem).load_graph(device, tested.graph, tested.name);
    }
    // Enough schedules to cover every shape of every input; a missed variant is compiled when it is needed.
    const std::uint64_t most = std::min<std::uint64_t>(options_.schedules, 8 * inputs_.size());
    for (std::uint64_t index = 0; index < most * queues_.size(); ++index) {
      const schedule_case test_case = case_of(index);
      const plan schedule = plans.make(test_case, input_of(index).graph);
      try {
        const auto source =
            checked_variant(*instances.at({test_case.problem, test_case.weights}), plans.configuration(schedule.label));
        std::string key = key_of(source);
        if (seen.insert(key).second) variants.emplace(std::move(key), source);
      } catch (const backends::launch_error&) {
        // The configuration belongs to another graph; this one has heavier edges.
      }
    }
    std::vector<std::pair<std::string, backends::kernel_source>> list(variants.begin(), variants.end());
    in_parallel(list.size(), true, [&](std::uint64_t index, unsigned worker, const planner&) {
      const auto& [key, source] = list[index];
      add_kernel(key, source, worker);
    });
  }

  std::shared_ptr<const backends::kernel> add_kernel(const std::string& key, const backends::kernel_source& source,
                                                     unsigned worker) {
    auto kernel = simulators_[worker].get(false).compile(source);
    const std::lock_guard lock(kernels_mutex_);
    return kernels_.emplace(key, std::move(kernel)).first->second;
  }

  /// Returns a kernel, which all simulators of the same shape can run.
  std::shared_ptr<const backends::kernel> kernel_for(const backends::kernel_source& source, unsigned worker) {
    const std::string key = key_of(source);
    {
      const std::lock_guard lock(kernels_mutex_);
      if (const auto entry = kernels_.find(key); entry != kernels_.end()) return entry->second;
    }
    return add_kernel(key, source, worker);
  }

  void run_one(std::uint64_t index, unsigned worker, const planner& plans) {
    const auto start = clock::now();
    const input& tested = input_of(index);
    const schedule_case test_case = case_of(index);
    const plan schedule = plans.make(test_case, tested.graph);
    backends::simulator::simt_backend& device = simulators_[worker].get(schedule.stalls);
    const std::string wrong = try_schedule(device, tested, test_case, schedule, worker, plans);
    const std::lock_guard lock(results_mutex_);
    queue_pair_result& result = results_[index % queues_.size()];
    ++result.schedules;
    result.operations += device.last_launch().operations();
    result.seconds += std::chrono::duration<double>(clock::now() - start).count();
    if (wrong.empty()) return;
    ++result.failures;
    // All earlier schedules have begun and will end before the first failure is determined.
    jobs_.stop();
    if (index < failed_index_) {
      failed_index_ = index;
      failure_ = {.test_case = test_case, .configuration = schedule.label, .source = schedule.source, .message = wrong};
    }
  }

  /// Runs one schedule. @return "" or a description of the error
  [[nodiscard]] std::string try_schedule(backends::simulator::simt_backend& device, const input& tested,
                                         const schedule_case& test_case, const plan& schedule, unsigned worker,
                                         const planner& plans) {
    // Each schedule has its own instance, because a remembered capacity would change the next schedule.
    const auto instance = search(test_case.problem, schedule.limits).load_graph(device, tested.graph, tested.name);
    const tuner::configuration chosen = plans.configuration(schedule.label);
    instance->prepare(chosen, kernel_for(checked_variant(*instance, chosen), worker), tuner::instrumentation::counters);
    device.set_seed(test_case.seed);
    try {
      const tuner::run_report report = instance->run_from(schedule.source, longest_run_ms);
      if (report.result != db::outcome::ok) return report.message;
      const std::vector<graph::distance_bits> expected = graph::dijkstra(tested.reference, schedule.source);
      const std::string wrong = wrong_distance(instance->distances(), expected, tested.reference.weights());
      if (!wrong.empty()) return wrong;
      return lost_work(report, test_case.queues.solver, most_starts_of(reduction_of(chosen)), expected);
    } catch (const backends::kernel_fault& fault) {
      return fault.what();
    }
  }

  schedule_check_options options_;
  const std::function<void(const schedule_check_progress&)>& progress_;
  std::vector<queue_pair> queues_;
  std::vector<input> inputs_;
  std::size_t first_of_levels_ = 0;           // index of the first input of bfs
  std::vector<check_simulators> simulators_;  // one per thread
  std::mutex kernels_mutex_;
  std::map<std::string, std::shared_ptr<const backends::kernel>> kernels_;
  parallel_jobs jobs_;
  std::mutex results_mutex_;
  std::vector<queue_pair_result> results_;
  std::uint64_t failed_index_ = std::numeric_limits<std::uint64_t>::max();
  std::optional<schedule_failure> failure_;
};

}  // namespace

std::vector<queue_pair> all_queue_pairs() {
  std::vector<queue_pair> pairs;
  for (const std::string& l1 : declaration_of("l1").allowed) {
    for (const std::string& l2 : declaration_of("l2").allowed) pairs.push_back({l1, l2});
  }
  for (const solver_traits& solver : all_solvers()) {
    if (solver.on_grid && !solver.combines_queues)
      pairs.push_back({.l1 = "", .l2 = "", .solver = std::string(solver.name)});
  }
  return pairs;
}

std::string name_of(const queue_pair& queues) {
  return queues.has_queues() ? queues.l1 + "," + queues.l2 : queues.solver;
}

schedule_check_report check_schedules(const schedule_check_options& options,
                                      const std::function<void(const schedule_check_progress&)>& progress) {
  return checker(options, progress).run();
}

}  // namespace mlmq::problems
