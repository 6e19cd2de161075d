// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "cpu_solvers/search.hpp"
#include "library/graph_features.hpp"
#include "library/impl.hpp"
#include "library/search_types.hpp"
#include "library/timed_search.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/search.hpp"
#include "selector/placement.hpp"

namespace mlmq {
namespace {

using detail::access;
using tuner::instrumentation;

const char* name_of(problem kind) { return kind == problem::bfs ? "bfs" : "sssp"; }

tuner::parameter_set search_parameters() {
  return tuner::parameter_set::from_declarations(problems::search_declarations());
}

instrumentation instrumentation_of(const solve_options& options) {
  return options.timeline   ? instrumentation::timeline
         : options.counters ? instrumentation::counters
                            : instrumentation::none;
}

constexpr const char* processors_default = "solver=delta_stepping";

}  // namespace

struct detail::solver_data {
  solver_data(std::shared_ptr<device_data> on, digraph what, problem which)
      : where(std::move(on)),
        graph(std::move(what)),
        kind(which),
        searched(which == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp),
        parameters(tuner::parameter_set::from_declarations(searched.declarations())),
        features(data().csr, data().name, which == problem::bfs) {}
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
  problems::search searched;
  tuner::parameter_set parameters;

  resident here;   ///< on the solver's device
  resident there;  ///< on the processors beside it

  graph_features features;
  known_model known;                               ///< the model that was asked last
  std::optional<labelled_configuration> standard;  ///< for want of anything better
  std::shared_ptr<const model_data> ranked_by;
  std::vector<candidate> ranked;
  /// The fastest of those that were tried for a model.
  struct winner {
    std::shared_ptr<const model_data> of;
    std::string configuration;
    std::string reason;
  };
  winner tried_out;

  [[nodiscard]] const digraph_data& data() const { return access::get(graph); }

  /// @return milliseconds
  double upload(resident& to, backends::backend& device) const {
    if (to.instance != nullptr) return 0;
    return milliseconds_of([&] { to.instance = searched.load_graph(device, data().csr, data().name); });
  }

  /// The candidates of the model, best first. @throws input_error when they are not of this program
  const std::vector<candidate>& rank(const model& chooser) {
    const auto ranker = access::share(chooser);
    if (ranked_by == ranker) return ranked;
    ranked_by.reset();
    ranked = ranked_for(*ranker, features.values(ranker->features()));
    ranked_by = ranker;
    return ranked;
  }

  [[nodiscard]] std::vector<candidate> ranked_for(const model_data& ranker, std::span<const double> values) const {
    std::vector<candidate> all;
    for (const ranked_label& one : ranker.ranked(values)) {
      tuner::configuration configuration = understood(one.label);
      const bool for_processors = is_for_processors(configuration);
      all.push_back({std::move(configuration), one.predicted, for_processors});
    }
    return all;
  }

  /// What does not depend on the graph. @throws input_error when it is not of this program
  const known_model& look_at(const model& chooser) {
    const auto ranker = access::share(chooser);
    if (known.of == ranker) return known;
    known = {};
    const std::vector<double> unknown(ranker->features().size(), std::numeric_limits<double>::quiet_NaN());
    known.candidates = ranked_for(*ranker, unknown);
    for (candidate& one : known.candidates) one.predicted.reset();
    for (const searcher& one : ranker->searchers()) known.searchers.push_back(understood(one.label));
    known.of = ranker;
    return known;
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

  /// A search on the processors beside the device.
  struct host_search {
    attempt what;
    double solve_ms = 0;
    bool known = false;  ///< from searches before
  };

  processors& host() const {
    if (!where->host) where->host.emplace();
    return *where->host;
  }

  [[nodiscard]] double vertices() const { return static_cast<double>(data().csr.vertex_count()); }
  [[nodiscard]] double edges() const { return static_cast<double>(data().csr.edge_count()); }

  [[nodiscard]] double transfer_ms(const selector::transfer_cost& cost, bool is_resident) const {
    return selector::transfer_ms(cost, vertices(), edges(), kind != problem::bfs, is_resident);
  }

  /// The candidate for processors that the model ranks first, or the one whose time is predictable.
  [[nodiscard]] host_search first_on_host(std::span<const candidate> candidates) {
    const auto found = std::find_if(candidates.begin(), candidates.end(), [this](const candidate& c) {
      return c.for_processors &&
             (kind == problem::bfs || !cpu::needs_unit_weights(problems::solver_of(c.configuration)));
    });
    host_search result;
    if (found == candidates.end()) {
      result.what.configuration = parameters.parse_label(predictable_solver);
    } else {
      result.what.configuration = found->configuration;
      result.what.predicted = found->predicted;
    }
    const std::optional<double> before = there.measured(result.what.configuration.label());
    result.known = before.has_value();
    result.solve_ms = before ? *before : host().item_ms(searched, result.what.configuration) * (vertices() + edges());
    return result;
  }

  /// The fastest of those whose times the model expects, as measured before, or else as expected here.
  [[nodiscard]] host_search fastest_on_host(const known_model& from, std::span<const double> recorded_ms) {
    std::vector<processors::option> options;
    for (std::size_t i = 0; i < from.searchers.size(); ++i) {
      options.push_back({from.searchers[i], recorded_ms[i], there.measured(from.searchers[i].label()),
                         from.of->searchers()[i].calibrations});
    }
    const auto [best, solve_ms] = host().fastest(searched, options, from.of->recorded_threads());
    host_search result;
    result.what.configuration = options[best].configuration;
    result.solve_ms = solve_ms;
    result.known = options[best].measured_ms.has_value();
    return result;
  }

  struct both_places {
    host_search on_host;
    selector::place_expectation device;
    selector::placement_verdict verdict;
  };
  /// What is expected of both places.
  /// @param recorded_ms as model_data::expected(), or nothing
  /// @param first what would be tried on the device; null as long as only the size of the graph is known
  [[nodiscard]] both_places weigh(const model& chooser, std::span<const double> recorded_ms, const attempt* first) {
    both_places both;
    if (recorded_ms.size() > 1) {
      both.on_host = fastest_on_host(look_at(chooser), recorded_ms.subspan(1));
    } else {
      both.on_host = first_on_host(first != nullptr ? ranked : look_at(chooser).candidates);
    }
    both.on_host.what.on_host = true;
    both.on_host.what.by = choice::chooser::times;
    both.device.transfer_ms = transfer_ms(where->transfer, here.instance != nullptr);
    if (first != nullptr) {
      both.device.solve_ms = here.measured(first->configuration.label());
      both.device.predicted = first->predicted;
    }
    if (!both.device.solve_ms && !recorded_ms.empty()) both.device.solve_ms = recorded_ms.front();
    // What the device would take follows from predictions of searches that are not the first.
    const double slowdown = there.instance == nullptr ? first_search_slowdown : 1;
    both.verdict =
        selector::weigh(both.device, {.transfer_ms = transfer_ms(host().transfer(), there.instance != nullptr),
                                      .solve_ms = both.on_host.solve_ms,
                                      .predicted = both.on_host.what.predicted,
                                      .slowdown = slowdown});
    both.on_host.solve_ms *= slowdown;
    return both;
  }

  /// What speaks for the processors, in numbers.
  [[nodiscard]] std::string reason_for(const both_places& both, bool measured_here, const char* from_what) const {
    const std::string& name = where->facts.selector;
    const double device_ms = both.verdict.device_ms;
    std::string text =
        fmt::format("the processors: {:.3g} ms {}, of which {:.3g} for the search, while ", *both.verdict.processors_ms,
                    both.on_host.known ? "as before" : "expected", both.on_host.solve_ms);
    if (*both.verdict.processors_ms < both.device.transfer_ms) {
      return text + fmt::format("bringing graph and answer to and from {} alone takes {:.3g} ms", name,
                                both.device.transfer_ms);
    }
    if (measured_here) return text + fmt::format("{} took {:.3g} ms", name, device_ms);
    if (!both.device.solve_ms) return text + fmt::format("{} is predicted to take {:.3g} ms", name, device_ms);
    return text + fmt::format("{} is expected to take {:.3g} ms{}, of which {:.3g} for the search", name, device_ms,
                              from_what, *both.device.solve_ms);
  }

  [[nodiscard]] bool expects_times(const model& chooser) const {
    return access::get(chooser).times_of() == name_of(kind);
  }

  /// The processors, when by the size of the graph alone less time is expected to go by there. Nothing else is known of it,
  /// and it is not on the device.
  std::optional<attempt> sooner_by_size(const model& chooser) {
    std::vector<double> recorded_ms;
    if (expects_times(chooser)) recorded_ms = access::get(chooser).expected_by_size(vertices(), edges());
    both_places both = weigh(chooser, recorded_ms, nullptr);
    if (!both.verdict.on_processors) return std::nullopt;
    both.on_host.what.reason = reason_for(both, false, " by the size of the graph");
    return both.on_host.what;
  }

  /// The same when its features are known, against `first` on the device, of which it notes what speaks for it.
  std::optional<attempt> sooner_on_host(const model& chooser, attempt& first) {
    const model_data& asked = access::get(chooser);
    std::vector<double> recorded_ms;
    if (expects_times(chooser)) recorded_ms = asked.expected(features.values(asked.features()), vertices(), edges());
    both_places both = weigh(chooser, recorded_ms, &first);
    const bool measured_here = here.measured(first.configuration.label()).has_value();
    if (!both.verdict.on_processors) {
      if (both.device.solve_ms && both.verdict.processors_ms)
        first.reason += fmt::format("; {:.3g} ms {}, of which {:.3g} for the search, and {:.3g} ms on the processors",
                                    both.verdict.device_ms, measured_here ? "as before" : "expected",
                                    *both.device.solve_ms, *both.verdict.processors_ms);
      return std::nullopt;
    }
    both.on_host.what.reason = reason_for(both, measured_here, "");
    return both.on_host.what;
  }

  /// Whether the processors beside the device may be chosen. Modelled and measured times are never weighed against each
  /// other, and on processors there is nothing to weigh.
  [[nodiscard]] bool weighs_processors(const solve_options& options) const {
    return options.configurations.empty() && options.place == placement::best && where->own->info().grid &&
           !where->facts.modelled;
  }

  /// What to try, in this order.
  /// @param for_search the graph may be brought to the device on the way
  std::vector<attempt> attempts(const solve_options& options, solve_times& times, bool for_search) {
    std::vector<attempt> all;
    for (const std::string& text : options.configurations) {
      all.push_back({.configuration = parameters.parse_label(text),
                     .on_host = false,
                     .by = choice::chooser::caller,
                     .predicted = std::nullopt,
                     .reason = "given"});
    }
    if (!all.empty()) return all;
    const model_data& chooser = access::get(options.model);
    const bool weighs = weighs_processors(options);
    const bool only_size_is_known = here.instance == nullptr && features.lacks(chooser.features());
    if (weighs && only_size_is_known) {
      std::optional<attempt> sooner;
      times.choice += milliseconds_of([&] { sooner = sooner_by_size(options.model); });
      if (sooner) return {std::move(*sooner)};
    }
    // Where there is nothing to choose, or not much doubt, the graph goes to the device first, which finds the features
    // sooner than processors do.
    const bool goes_first = options.place == placement::device || (weighs && only_size_is_known);
    // While the one copies, another can look around.
    graph_features::samples sampling;
    if (goes_first && for_search && here.instance == nullptr) sampling = features.start_sampling(chooser.features());
    if (goes_first && for_search) times.upload += upload(here, *where->own);
    times.features += features.find(chooser.features(), std::move(sampling), here.instance.get());
    times.choice += milliseconds_of([&] {
      all = on_device(options);
      if (!weighs) return;
      if (auto sooner = sooner_on_host(options.model, all.front())) all.insert(all.begin(), std::move(*sooner));
    });
    return all;
  }

  /// What to try on the solver's device, the features of the graph being known.
  std::vector<attempt> on_device(const solve_options& options) {
    const bool on_processors = !where->own->info().grid;
    std::vector<attempt> all;
    bool has_any = false;
    for (const candidate& one : rank(options.model)) {
      has_any = has_any || one.for_processors == on_processors;
      const bool is_unfit = here.unfit.contains({one.configuration.label(), instrumentation_of(options)});
      if (one.for_processors != on_processors || is_unfit) continue;
      all.push_back({.configuration = one.configuration,
                     .on_host = false,
                     .by = choice::chooser::model,
                     .predicted = one.predicted,
                     .reason = one.predicted
                                   ? fmt::format("the selector: relative performance {:.2f} predicted", *one.predicted)
                                   : "the selector: ranked first of what this device can run"});
    }
    const auto fastest = std::find_if(all.begin(), all.end(), [&](const attempt& one) {
      return tried_out.of == access::share(options.model) && one.configuration.label() == tried_out.configuration;
    });
    if (fastest != all.end()) {
      fastest->by = choice::chooser::trial;
      fastest->reason = tried_out.reason;
      std::rotate(all.begin(), fastest, fastest + 1);
    }
    const std::string none_fits = "the default: none of the selector's candidates fits on this device";
    if (!standard) standard = parameters.parse_label(on_processors ? processors_default : "");
    all.push_back({.configuration = *standard,
                   .on_host = false,
                   .by = choice::chooser::standard,
                   .predicted = std::nullopt,
                   .reason = on_processors && !has_any ? "the default on processors" : none_fits});
    return all;
  }

  [[nodiscard]] mlmq::choice described(const attempt& tried) const {
    return {.configuration = tried.configuration.label(),
            .device = tried.on_host ? where->host->backend().info().selector : where->facts.selector,
            .device_name = tried.on_host ? where->host->backend().info().name : where->facts.name,
            .by = tried.by,
            .predicted = tried.predicted,
            .reason = tried.reason};
  }

  /// Uploads, compiles and prepares. @throws backends::launch_error when the device cannot run it
  resident& make_ready(const attempt& tried, instrumentation what, solve_times& times) {
    resident& place = tried.on_host ? there : here;
    backends::backend& device = tried.on_host ? host().backend() : *where->own;
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
    std::vector<attempt> all = attempts(options, times, true);
    for (std::size_t i = 0; i < all.size(); ++i) {
      try {
        resident& place = make_ready(all[i], what, times);
        return run(place, all[i], source, options, times);
      } catch (const backends::launch_error&) {
        if (!all[i].on_host) here.unfit.emplace(all[i].configuration.label(), what);
        if (all[i].on_host && i + 1 == all.size()) {
          // The processors were chosen by the size of the graph, and nothing else was looked at.
          solve_options pinned = options;
          pinned.place = placement::device;
          for (attempt& one : attempts(pinned, times, true)) all.push_back(std::move(one));
        }
        // The last one's reason is as good as any.
        if (i + 1 == all.size()) throw;
      }
    }
    throw work_error("no configuration to try");
  }

  std::vector<tried> try_out(std::span<const vertex> sources, unsigned count, const solve_options& options) {
    solve_options here_only = options;
    here_only.place = placement::device;
    solve_times unused;
    std::vector<double> best(sources.size(), std::numeric_limits<double>::infinity());
    std::vector<tried> result;
    for (const attempt& one : attempts(here_only, unused, true)) {
      if (one.by == choice::chooser::standard || result.size() == count) break;
      const std::string label = one.configuration.label();
      std::optional<double> mean;
      try {
        mean = detail::mean_time(make_ready(one, instrumentation::none, unused), label, sources, best,
                                 options.time_limit_ms);
      } catch (const backends::launch_error&) {
        here.unfit.emplace(label, instrumentation::none);
        continue;
      } catch (const backends::kernel_fault& fault) {
        if (fault.sticky) throw;
      } catch (const backends::compile_error&) {
      } catch (const backends::out_of_device_memory&) {
      }
      result.push_back({label, mean});
    }
    std::stable_sort(result.begin(), result.end(), [](const tried& a, const tried& b) {
      constexpr double never = std::numeric_limits<double>::infinity();
      return a.milliseconds.value_or(never) < b.milliseconds.value_or(never);
    });
    if (result.empty()) {
      throw unsuitable_error(fmt::format("{}: none of the model's candidates can run on {}, there is nothing to try",
                                         data().name, where->facts.name));
    }
    if (!result.front().milliseconds) {
      throw search_error(fmt::format("{}: none of the {} configurations that were tried found the paths within {} ms",
                                     data().name, result.size(), options.time_limit_ms),
                         search_error::reason::failed);
    }
    tried_out = {access::share(options.model), result.front().configuration,
                 fmt::format("the fastest of {} tried: {:.4g} ms on average over {} source{}", result.size(),
                             *result.front().milliseconds, sources.size(), sources.size() == 1 ? "" : "s")};
    return result;
  }

  solution run(resident& place, const attempt& tried, vertex source, const solve_options& options, solve_times times) {
    const tuner::run_report report = place.instance->run_from(source, options.time_limit_ms);
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
    return data_->described(data_->attempts(options, times, false).front());
  });
}

namespace {

void check_search(const digraph& graph, vertex source, const solve_options& options) {
  if (source >= graph.vertex_count()) {
    throw input_error(
        fmt::format("source {}: {} has vertices 0 to {}", source, graph.name(), graph.vertex_count() - 1));
  }
  if (!(options.time_limit_ms > 0) || !std::isfinite(options.time_limit_ms)) {
    throw input_error(fmt::format("time limit: {} ms is not above 0", options.time_limit_ms));
  }
}

}  // namespace

std::vector<tried> solver::try_out(std::span<const vertex> sources, unsigned count, const solve_options& options) {
  if (sources.empty() || count == 0) throw input_error("nothing to try: no source, or a count of 0");
  for (const vertex source : sources) check_search(data_->graph, source, options);
  if (!options.configurations.empty()) throw input_error("configurations are given: there is nothing to try");
  if (options.counters || options.timeline) {
    throw input_error("times of searches that count or record work cannot be compared: try without");
  }
  const std::lock_guard lock(data_->where->mutex);
  return detail::translated([&] {
    data_->where->own->enter();
    return data_->try_out(sources, count, options);
  });
}

solution solver::solve(vertex source, const solve_options& options) {
  check_search(data_->graph, source, options);
  if (options.counters && options.timeline) throw input_error("counters and a timeline cannot be had of one search");
  const std::lock_guard lock(data_->where->mutex);
  return detail::translated([&] {
    data_->where->own->enter();
    return data_->solve(source, options);
  });
}

}  // namespace mlmq
