// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "cpu_solvers/search.hpp"
#include "graph/feature_list.hpp"
#include "graph/feature_pass.hpp"
#include "graph/feature_samples.hpp"
#include "graph/generate.hpp"
#include "library/impl.hpp"
#include "problems/registry.hpp"
#include "problems/search/cpu_solver.hpp"
#include "problems/search/solver.hpp"
#include "selector/placement.hpp"

namespace mlmq {
namespace {

using detail::access;
using tuner::instrumentation;

const char* name_of(problem kind) { return kind == problem::bfs ? "bfs" : "sssp"; }

tuner::parameter_set search_parameters() {
  return tuner::parameter_set::from_declarations(problems::make_problem("sssp")->declarations());
}

instrumentation instrumentation_of(const solve_options& options) {
  return options.timeline   ? instrumentation::timeline
         : options.counters ? instrumentation::counters
                            : instrumentation::none;
}

/// One entry for each interval, from the points of all curves.
std::vector<timeline_interval> intervals_of(const std::vector<db::timeline_point>& points) {
  std::map<double, timeline_interval> intervals;
  for (const db::timeline_point& point : points) {
    timeline_interval& interval = intervals[point.time_ms];
    interval.start_ms = point.time_ms;
    if (point.name == "vertices") interval.vertices = point.value;
    if (point.name == "active_warps") interval.active_warps = point.value;
  }
  std::vector<timeline_interval> all;
  for (const auto& [start_ms, interval] : intervals) all.push_back(interval);
  return all;
}

bool is_for_processors(const tuner::configuration& chosen) {
  return problems::is_cpu_solver(problems::solver_of(chosen));
}

/// The graph on one device, with what has been compiled for it and what its searches took.
struct resident {
  std::unique_ptr<tuner::problem_instance> instance;
  std::map<std::pair<std::string, instrumentation>, std::shared_ptr<const backends::kernel>> kernels;
  std::pair<std::string, instrumentation> prepared{"", instrumentation::none};
  bool is_prepared = false;

  struct mean {
    double sum = 0;
    unsigned count = 0;
  };
  std::map<std::string, mean> solve_ms;                     ///< by configuration, without counters
  std::set<std::pair<std::string, instrumentation>> unfit;  ///< what the device turned out not to be able to run

  [[nodiscard]] std::optional<double> measured(const std::string& configuration) const {
    const auto found = solve_ms.find(configuration);
    if (found == solve_ms.end()) return std::nullopt;
    return found->second.sum / found->second.count;
  }
};

/// A candidate of a model, as this program understands it.
struct candidate {
  tuner::configuration configuration;
  std::optional<double> predicted = std::nullopt;
  bool for_processors = false;
};

/// Something to try.
struct attempt {
  tuner::configuration configuration;
  bool on_host = false;  ///< on the processors beside the solver's device
  choice::chooser by = choice::chooser::caller;
  std::optional<double> predicted;
  std::string reason;
};

/// What a time on processors is expected from: two graphs of few and of many edges a vertex, small enough to be quick
/// and large enough for the clock.
constexpr const char* calibration_graphs[] = {"road12", "rmat12"};
/// One thread that takes each vertex and each edge once or little more: its time follows from the size of the graph
/// alone, within a factor of four over all kinds of graphs and 4,000 to 10^6 vertices (docs/library.md has times).
constexpr const char* predictable_solver = "solver=dijkstra";
constexpr const char* processors_default = "solver=delta_stepping";

double items(const graph::csr_graph& graph) {
  return static_cast<double>(graph.vertex_count()) + static_cast<double>(graph.edge_count());
}

/// Milliseconds for each vertex and each edge; of the calibration graphs the slower one counts.
double measure_item_ms(backends::backend& processors, const tuner::problem& what, const tuner::configuration& chosen) {
  constexpr int attempts = 4;  // the first finds caches cold and threads asleep
  double slowest = 0;
  for (const char* const name : calibration_graphs) {
    const graph::generated_graph made = graph::generate_named(name);
    const auto instance = what.load(processors, made.graph, made.name);
    instance->prepare(chosen, processors.compile(instance->variant(chosen, instrumentation::none)),
                      instrumentation::none);
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < attempts; ++i) {
      const tuner::run_report report = instance->run(made.source, 10'000);
      if (report.result == db::outcome::ok) least = std::min(least, report.milliseconds);
    }
    slowest = std::max(slowest, least / items(made.graph));
  }
  return slowest;
}

}  // namespace

struct detail::solver_data {
  solver_data(std::shared_ptr<device_data> on, digraph what, problem which)
      : where(std::move(on)),
        graph(std::move(what)),
        kind(which),
        searched(problems::make_problem(name_of(which))),
        parameters(tuner::parameter_set::from_declarations(searched->declarations())) {}
  solver_data(const solver_data&) = delete;
  solver_data& operator=(const solver_data&) = delete;

  ~solver_data() {
    const std::lock_guard lock(where->mutex);
    try {
      where->own->enter();
    } catch (const std::exception&) {
      // The device is lost; what is left there goes with the process.
    }
    here.instance.reset();
    there.instance.reset();
  }

  std::shared_ptr<device_data> where;
  digraph graph;
  problem kind;
  std::unique_ptr<tuner::problem> searched;
  tuner::parameter_set parameters;

  resident here;   ///< on the solver's device
  resident there;  ///< on the processors beside it

  std::map<std::string, double, std::less<>> features;  ///< found so far, by name
  graph::vertex_id widest = 0;                          ///< of the largest degree, once those of a pass are found
  std::shared_ptr<const model_data> ranked_by;
  std::vector<candidate> ranked;

  [[nodiscard]] const digraph_data& data() const { return access::get(graph); }

  /// @return milliseconds
  double upload(resident& to, backends::backend& device) const {
    if (to.instance != nullptr) return 0;
    return milliseconds_of([&] { to.instance = searched->load(device, data().csr, data().name); });
  }

  void keep(const graph::feature_values& found, std::size_t first) {
    const auto definitions = graph::feature_definitions();
    for (std::size_t i = 0; i < found.size(); ++i) features[std::string(definitions[first + i].name)] = found[i];
  }

  [[nodiscard]] bool lacks(std::span<const std::string_view> names) const {
    return std::any_of(names.begin(), names.end(), [this](std::string_view name) { return !features.contains(name); });
  }

  /// Those that are not known yet, and no class of them that is not wanted. @return milliseconds
  double find_features(std::span<const std::string_view> wanted) {
    double taken = 0;
    if (features.empty() && !wanted.empty()) taken += find_pass_features();
    if (lacks(wanted)) {
      taken += milliseconds_of([&] { keep(graph::sampled_features(data().csr, widest), graph::pass_feature_count()); });
    }
    return taken;
  }

  /// By the device when the graph is there already. @return milliseconds
  double find_pass_features() {
    if (here.instance != nullptr) {
      if (const auto found = here.instance->features()) {
        widest = found->pass.widest;
        keep(graph::pass_features(found->pass), 0);
        return found->milliseconds;
      }
    }
    return milliseconds_of([&] {
      constexpr unsigned all_processors = 0;
      const graph::feature_pass found = graph::run_feature_pass(data().csr, all_processors);
      widest = found.widest;
      keep(graph::pass_features(found), 0);
    });
  }

  /// The candidates of the model, best first. @throws input_error when they are not of this program
  const std::vector<candidate>& rank(const model& chooser) {
    const auto ranker = access::share(chooser);
    if (ranked_by == ranker) return ranked;
    ranked_by.reset();
    ranked.clear();
    std::vector<double> values;
    for (const std::string_view name : ranker->features()) values.push_back(features.find(name)->second);
    for (const ranked_label& one : ranker->ranked(values)) {
      ranked.push_back({.configuration = understood(one.label), .predicted = one.predicted, .for_processors = false});
      ranked.back().for_processors = is_for_processors(ranked.back().configuration);
    }
    ranked_by = ranker;
    return ranked;
  }

  [[nodiscard]] tuner::configuration understood(const std::string& label) const {
    try {
      return parameters.parse_label(label);
    } catch (const input_error& error) {
      throw input_error(fmt::format(
          "the selector picks '{}', which this program does not have ({}); train one with 'mlmq selector train', or "
          "give a configuration",
          label, error.what()));
    }
  }

  /// What the model says of the search on processors, or the one whose time is predictable.
  [[nodiscard]] attempt best_on_host() const {
    const auto found = std::find_if(ranked.begin(), ranked.end(), [this](const candidate& c) {
      return c.for_processors &&
             (kind == problem::bfs || !cpu::needs_unit_weights(problems::solver_of(c.configuration)));
    });
    attempt best;
    best.on_host = true;
    best.by = choice::chooser::times;
    if (found == ranked.end()) {
      best.configuration = parameters.parse_label(predictable_solver);
    } else {
      best.configuration = found->configuration;
      best.predicted = found->predicted;
    }
    return best;
  }

  device_data::processors& host() const {
    if (!where->host) {
      device_data::processors opened;
      opened.backend = backends::open_device("cpu");
      opened.transfer = measure_transfer(*opened.backend);
      where->host = std::move(opened);
    }
    return *where->host;
  }

  [[nodiscard]] double transfer_ms(const transfer_cost& cost, bool is_resident) const {
    const auto n = static_cast<double>(data().csr.vertex_count());
    const auto m = static_cast<double>(data().csr.edge_count());
    const double answer = cost.of(1, 4 * n);
    if (is_resident) return answer;
    const double offset_bytes = m > static_cast<double>(std::numeric_limits<std::uint32_t>::max()) ? 8 : 4;
    const double edge_bytes = kind == problem::bfs ? 4 : 8;
    return answer + cost.of(3, offset_bytes * (n + 1) + edge_bytes * m);
  }

  /// The processors, when less time is expected to go by there than on the device with `first`.
  std::optional<attempt> better_on_host(const attempt& first) {
    attempt other = best_on_host();
    const std::string label = other.configuration.label();
    device_data::processors& processors = host();
    selector::place_expectation device{.transfer_ms = transfer_ms(where->transfer, here.instance != nullptr),
                                       .solve_ms = here.measured(first.configuration.label()),
                                       .predicted = first.predicted};
    selector::place_expectation on_host{.transfer_ms = transfer_ms(processors.transfer, there.instance != nullptr),
                                        .solve_ms = there.measured(label),
                                        .predicted = other.predicted};
    const bool known = on_host.solve_ms.has_value();
    if (!known) {
      double& item_ms = processors.item_ms[std::string(name_of(kind)) + ' ' + label];
      if (item_ms == 0) item_ms = measure_item_ms(*processors.backend, *searched, other.configuration);
      on_host.solve_ms = item_ms * items(data().csr);
    }
    const selector::placement_verdict verdict = selector::weigh(device, on_host);
    if (!verdict.on_processors) return std::nullopt;
    const std::string& name = where->facts.selector;
    other.reason = fmt::format(
        "the processors: {:.3g} ms {}, of which {:.3g} for the search, while {} {} {:.3g} ms", *verdict.processors_ms,
        known ? "as before" : "expected", *on_host.solve_ms,
        verdict.device_is_bound ? fmt::format("bringing graph and answer to and from {} alone", name) : name,
        device.solve_ms           ? "took"
        : verdict.device_is_bound ? "takes"
                                  : "is predicted to take",
        verdict.device_ms);
    return other;
  }

  /// What to try, in this order.
  std::vector<attempt> attempts(const solve_options& options, solve_times& times) {
    const instrumentation what = instrumentation_of(options);
    std::vector<attempt> all;
    for (const std::string& text : options.configurations) {
      all.push_back({.configuration = parameters.parse_label(text),
                     .on_host = false,
                     .by = choice::chooser::caller,
                     .predicted = std::nullopt,
                     .reason = "given"});
    }
    if (!all.empty()) return all;

    const bool on_processors = where->facts.kind == "cpu";
    // Where there is nothing to choose, the graph goes to the device first.
    if (options.place == placement::device) times.upload += upload(here, *where->own);
    times.features = find_features(access::get(options.model).features());
    times.choice = milliseconds_of([&] {
      for (const candidate& one : rank(options.model)) {
        if (one.for_processors != on_processors || here.unfit.contains({one.configuration.label(), what})) continue;
        all.push_back({.configuration = one.configuration,
                       .on_host = false,
                       .by = choice::chooser::model,
                       .predicted = one.predicted,
                       .reason = one.predicted ? fmt::format("the selector: relative performance {:.2f} predicted",
                                                             *one.predicted)
                                               : "the selector: ranked first of what this device can run"});
      }
      const std::string none_fits = "the default: none of the selector's candidates fits on this device";
      all.push_back({.configuration = parameters.parse_label(on_processors ? processors_default : ""),
                     .on_host = false,
                     .by = choice::chooser::standard,
                     .predicted = std::nullopt,
                     .reason = on_processors && all.empty() ? "the default on processors" : none_fits});
      // Modelled and measured times are never weighed against each other.
      if (options.place != placement::best || on_processors || where->facts.modelled) return;
      if (std::optional<attempt> other = better_on_host(all.front())) all.insert(all.begin(), std::move(*other));
    });
    return all;
  }

  [[nodiscard]] mlmq::choice described(const attempt& tried) const {
    return {.configuration = tried.configuration.label(),
            .device = tried.on_host ? "cpu" : where->facts.selector,
            .device_name = tried.on_host ? where->host->backend->info().name : where->facts.name,
            .by = tried.by,
            .predicted = tried.predicted,
            .reason = tried.reason};
  }

  /// Uploads, compiles and prepares. @throws backends::launch_error when the device cannot run it
  resident& make_ready(const attempt& tried, instrumentation what, solve_times& times) {
    resident& place = tried.on_host ? there : here;
    backends::backend& device = tried.on_host ? *host().backend : *where->own;
    problems::require_fit(problems::solver_of(tried.configuration), device.info());
    times.upload += upload(place, device);
    const std::pair wanted(tried.configuration.label(), what);
    if (place.is_prepared && place.prepared == wanted) return place;
    std::shared_ptr<const backends::kernel>& compiled = place.kernels[wanted];
    if (compiled == nullptr) {
      compiled = device.compile(place.instance->variant(tried.configuration, what));
      times.compile += compiled->properties().compile_ms;
      times.compiled = !compiled->properties().from_cache;
    }
    place.is_prepared = false;
    times.prepare += milliseconds_of([&] { place.instance->prepare(tried.configuration, compiled, what); });
    place.prepared = wanted;
    place.is_prepared = true;
    return place;
  }

  solution solve(vertex source, const solve_options& options) {
    const instrumentation what = instrumentation_of(options);
    solve_times times;
    const std::vector<attempt> all = attempts(options, times);
    for (std::size_t i = 0; i < all.size(); ++i) {
      try {
        resident& place = make_ready(all[i], what, times);
        return run(place, all[i], source, options, times);
      } catch (const backends::launch_error&) {
        if (!all[i].on_host) here.unfit.emplace(all[i].configuration.label(), what);
        // The last one's reason is as good as any.
        if (i + 1 == all.size()) throw;
      }
    }
    throw work_error("no configuration to try");
  }

  solution run(resident& place, const attempt& tried, vertex source, const solve_options& options, solve_times times) {
    const tuner::run_report report = place.instance->run(source, options.time_limit_ms);
    if (report.result != db::outcome::ok) {
      using reason = search_error::reason;
      throw search_error(fmt::format("{}: {}: {}", data().name, db::to_string(report.result), report.message),
                         report.result == db::outcome::timeout    ? reason::time_limit
                         : report.result == db::outcome::overflow ? reason::queue_full
                                                                  : reason::failed);
    }
    times.solve = report.milliseconds;
    if (instrumentation_of(options) == instrumentation::none) {
      resident::mean& mean = place.solve_ms[tried.configuration.label()];
      mean.sum += report.milliseconds;
      ++mean.count;
    }
    const auto answer = std::make_shared<solution_data>(graph, kind, source);
    times.download = milliseconds_of([&] { answer->distances = place.instance->distances(); });
    answer->chosen = described(tried);
    answer->times = times;
    answer->counters = report.counters;
    answer->timeline = intervals_of(report.timeline);
    return access::make<solution>(std::shared_ptr<const solution_data>(answer));
  }
};

std::string complete_configuration(const std::string& text) { return search_parameters().parse_label(text).label(); }

solver::solver(const device& where, const digraph& what, problem kind)
    : data_(std::make_shared<detail::solver_data>(access::share(where), what, kind)) {}

double solver::upload() {
  const std::lock_guard lock(data_->where->mutex);
  return detail::translated([&] {
    data_->where->own->enter();
    return data_->upload(data_->here, *data_->where->own);
  });
}

bool solver::resident() const {
  const std::lock_guard lock(data_->where->mutex);
  return data_->here.instance != nullptr;
}

choice solver::choose(const solve_options& options) {
  const std::lock_guard lock(data_->where->mutex);
  return detail::translated([&] {
    data_->where->own->enter();
    solve_times times;
    return data_->described(data_->attempts(options, times).front());
  });
}

solution solver::solve(vertex source, const solve_options& options) {
  if (source >= data_->graph.vertex_count()) {
    throw input_error(fmt::format("source {}: {} has vertices 0 to {}", source, data_->graph.name(),
                                  data_->graph.vertex_count() - 1));
  }
  if (!(options.time_limit_ms > 0) || !std::isfinite(options.time_limit_ms)) {
    throw input_error(fmt::format("time limit: {} ms is not above 0", options.time_limit_ms));
  }
  if (options.counters && options.timeline) throw input_error("counters and a timeline cannot be had of one search");
  const std::lock_guard lock(data_->where->mutex);
  return detail::translated([&] {
    data_->where->own->enter();
    return data_->solve(source, options);
  });
}

}  // namespace mlmq
