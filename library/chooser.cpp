// SPDX-License-Identifier: Apache-2.0
#include "library/chooser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "library/installed_model.hpp"
#include "problems/shortest_paths/level_rule.hpp"
#include "problems/shortest_paths/part_rule.hpp"
#include "problems/shortest_paths/processor_rule.hpp"

namespace mlmq::detail {
namespace {

constexpr std::string_view levels_solver = "push_pull";
constexpr std::string_view parts_solver = "partitioned";

}  // namespace

tuner::instrumentation instrumentation_of(const solve_options& options) {
  return options.timeline   ? tuner::instrumentation::timeline
         : options.counters ? tuner::instrumentation::counters
                            : tuner::instrumentation::none;
}

chooser::chooser(executor& runs)
    : runs_(runs),
      features_(runs.data().csr, runs.data().name, runs.kind() == problem::bfs),
      ranks_(runs.searched().declarations()),
      places_(runs, ranks_),
      adoption_(problems::expected_split_ms(runs.data().csr), [&runs] {
        // Rows that are on the device alone are not fetched for this.
        const graph::csr_graph& graph = runs.data().csr;
        return graph.is_fetched() && problems::part_search_for(graph, runs.device().own->info()).has_value();
      }) {}

void chooser::note(const attempt& by, double ms) {
  if (by.on_host || by.by == choice::chooser::caller) return;
  adoption_.note(problems::solver_of(by.configuration) == parts_solver, ms);
}

const model& chooser::meant_by(const model& asked) {
  if (!is_standard(asked)) return asked;
  if (!standard_model_) {
    std::shared_ptr<const model_data> installed;
    const std::string& device = runs_.device().facts.name;
    if (runs_.kind() == problem::bfs) installed = installed_model(device, "bfs", ranks_.parameters());
    if (installed == nullptr) installed = installed_model(device, "sssp", ranks_.parameters());
    standard_model_ = installed == nullptr ? model::shipped() : access::make<model>(std::move(installed));
  }
  return *standard_model_;
}

void chooser::prefer(const model& asked, std::string configuration, std::string reason) {
  tried_out_ = {access::share(meant_by(asked)), std::move(configuration), std::move(reason)};
  listed_ = {};
}

attempt_list chooser::attempts(const solve_options& options, solve_times& times, bool for_search) {
  attempt_list all;
  for (const std::string& text : options.configurations) all.push_back(given(text));
  if (!all.empty()) return all;
  const model& chosen_by = meant_by(options.model);
  const model_data& known = access::get(chosen_by);
  if (!is_for_graphs(known)) {
    throw input_error(fmt::format("{}: it was trained for problem '{}', not for shortest paths in graphs", known.name(),
                                  known.trained_for()));
  }
  const bool on_processors = !runs_.device().own->info().grid;
  if (on_processors && !ranks_.has_candidate_for_processors(access::share(chosen_by))) {
    times.choice += milliseconds_of([&] { (void)by_size(); });
    return {by_size()};
  }
  const auto wanted = known.features();
  const bool weighs = options.partition != partitioning::always && places_.weighs_processors(options);
  const bool only_size_is_known = runs_.here().instance == nullptr && features_.lacks(wanted);
  if (weighs && only_size_is_known) {
    std::optional<attempt> sooner;
    times.choice += milliseconds_of([&] { sooner = places_.sooner_by_size(chosen_by); });
    if (sooner) return {std::make_shared<const attempt>(std::move(*sooner))};
  }
  // Where there is nothing to choose, or not much doubt, the graph goes to the device first, which finds the features
  // sooner than processors do.
  const bool goes_first = options.place == placement::device || (weighs && only_size_is_known);
  const bool is_to_go = goes_first && (for_search || runs_.are_rows_here());
  // While the one copies, another can look around, if the graph is in host memory.
  graph_features::samples sampling;
  if (is_to_go && runs_.here().instance == nullptr && runs_.data().csr.is_fetched()) {
    sampling = features_.start_sampling(wanted);
  }
  if (is_to_go) runs_.upload(times);
  const double mirror_before = runs_.data().mirror_ms();
  const double features_ms = features_.find(wanted, std::move(sampling), runs_.here().instance.get());
  const double mirror_ms = runs_.data().mirror_ms() - mirror_before;
  times.features += std::max(0.0, features_ms - mirror_ms);
  times.mirror += mirror_ms;
  times.choice += milliseconds_of([&] {
    all = on_device(options, access::share(chosen_by));
    if (!weighs) return;
    attempt first = *all.front();
    std::optional<attempt> sooner = places_.sooner_on_host(
        chosen_by, [&] { return features_.values(wanted); }, first);
    // What speaks for the device is noted in the attempt there.
    all.front() = std::make_shared<const attempt>(std::move(first));
    if (sooner) all.insert(all.begin(), std::make_shared<const attempt>(std::move(*sooner)));
  });
  return all;
}

const std::shared_ptr<const attempt>& chooser::by_size() {
  if (by_size_ == nullptr) {
    const unsigned threads = runs_.device().own->info().multiprocessors;
    const auto kind = runs_.kind() == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp;
    const graph::csr_graph& graph = runs_.data().csr;
    const bool equal = kind == problems::search_kind::sssp && graph.is_fetched() && problems::has_equal_weights(graph);
    const problems::processor_search fastest =
        problems::rank_processor_searches(kind, runs_.vertices(), runs_.edges(), threads, equal).front();
    by_size_ = std::make_shared<const attempt>(
        attempt{.configuration = ranks_.parse(fastest.label),
                .on_host = false,
                .by = choice::chooser::standard,
                .predicted = std::nullopt,
                .reason = fmt::format("the fastest expected search on {} thread{}, by the size of the graph: {:.2g} ms",
                                      threads, threads == 1 ? "" : "s", fastest.expected_ms)});
  }
  return by_size_;
}

/// The text is read once: that takes as long as some searches.
std::shared_ptr<const attempt> chooser::given(const std::string& text) {
  std::shared_ptr<const attempt>& known = given_[text];
  if (known == nullptr) {
    known = std::make_shared<const attempt>(attempt{.configuration = ranks_.parse(text),
                                                    .on_host = false,
                                                    .by = choice::chooser::caller,
                                                    .predicted = std::nullopt,
                                                    .reason = "given"});
  }
  return known;
}

const attempt_list& chooser::on_device(const solve_options& options, const std::shared_ptr<const model_data>& model) {
  const tuner::instrumentation what = instrumentation_of(options);
  const std::size_t unfit = runs_.here().unfit.size();
  partitioning in_parts = options.partition;
  if (in_parts == partitioning::automatic && !adoption_.is_due()) in_parts = partitioning::never;
  if (listed_.of != model || listed_.what != what || listed_.unfit != unfit || listed_.in_parts != in_parts) {
    listed_ = {};
    listed_ = {
        .of = model, .what = what, .unfit = unfit, .in_parts = in_parts, .all = make_list(model, what, in_parts)};
  }
  return listed_.all;
}

attempt_list chooser::make_list(const std::shared_ptr<const model_data>& model, tuner::instrumentation what,
                                partitioning in_parts) {
  const bool on_processors = !runs_.device().own->info().grid;
  std::vector<attempt> all;
  for (const candidate& one : ranks_.of(model, [&] { return features_.values(model->features()); })) {
    // A model is of searches with distances of 4 bytes; what it ranks is a guess where they have 8.
    if (!problems::can_hold(problems::solver_of(one.configuration), runs_.distance_type())) continue;
    const bool is_unfit = runs_.here().unfit.contains({one.configuration.label(), what});
    if (one.for_processors != on_processors || is_unfit) continue;
    all.push_back(
        {.configuration = one.configuration,
         .on_host = false,
         .by = choice::chooser::model,
         .predicted = one.predicted,
         .reason = one.predicted
                       ? fmt::format("{}: relative performance {:.2f} predicted", model->origin(), *one.predicted)
                       : fmt::format("{}: ranked first of what this device can run", model->origin())});
  }
  if (auto levels = by_levels(*model, what)) {
    // For the choice of a place: as fast as what the model ranks first.
    if (!all.empty()) levels->predicted = all.front().predicted;
    all.insert(all.begin(), std::move(*levels));
  }
  std::optional<attempt> parts;
  if (in_parts != partitioning::never) parts = by_parts(what, in_parts == partitioning::always);
  const auto fastest = std::find_if(all.begin(), all.end(), [&](const attempt& one) {
    return tried_out_.of == model && one.configuration.label() == tried_out_.configuration;
  });
  if (fastest != all.end()) {
    fastest->by = choice::chooser::trial;
    fastest->reason = tried_out_.reason;
    std::rotate(all.begin(), fastest, fastest + 1);
  }
  if (parts) {
    if (!all.empty()) parts->predicted = all.front().predicted;  // likewise
    all.insert(all.begin(), std::move(*parts));
  }
  attempt_list shared;
  for (attempt& one : all) shared.push_back(std::make_shared<const attempt>(std::move(one)));
  shared.push_back(on_processors ? by_size() : by_default());
  return shared;
}

const std::shared_ptr<const attempt>& chooser::by_default() {
  if (by_default_ == nullptr) {
    const bool is_wide = runs_.distance_type() == graph::weight_type::float64;
    by_default_ = std::make_shared<const attempt>(attempt{
        .configuration = ranks_.parse(is_wide ? wide_default : ""),
        .on_host = false,
        .by = choice::chooser::standard,
        .predicted = std::nullopt,
        .reason = is_wide ? "the default for distances of 8 bytes, which none of the selector's candidates holds"
                          : "the default: none of the selector's candidates fits on this device"});
  }
  return by_default_;
}

std::optional<attempt> chooser::by_rule(const std::optional<std::string>& label, tuner::instrumentation what,
                                        std::string reason) const {
  if (!label) return std::nullopt;
  labelled_configuration chosen = ranks_.parse(*label);
  if (runs_.here().unfit.contains({chosen.label(), what})) return std::nullopt;
  return attempt{.configuration = std::move(chosen),
                 .on_host = false,
                 .by = choice::chooser::rule,
                 .predicted = std::nullopt,
                 .reason = std::move(reason)};
}

std::optional<attempt> chooser::by_parts(tuner::instrumentation what, bool is_asked_for) const {
  const auto label = problems::part_search_for(runs_.data().csr, runs_.device().own->info());
  return by_rule(label, what,
                 is_asked_for ? "the graph in parts, as was asked for"
                              : "the graph in parts: its searches have taken as long as splitting it");
}

std::optional<attempt> chooser::by_levels(const model_data& model, tuner::instrumentation what) const {
  if (runs_.kind() != problem::bfs || !runs_.device().own->info().grid) return std::nullopt;
  const auto knows_levels = [](const candidate& one) {
    return problems::solver_of(one.configuration) == levels_solver;
  };
  if (std::ranges::any_of(ranks_.last(), knows_levels)) return std::nullopt;
  const auto names = model.features();
  const auto label = problems::level_search_for(names, features_.values(names));
  return by_rule(label, what, "levels, pushed and pulled: the default for breadth-first search of a graph with hubs");
}

}  // namespace mlmq::detail
