// SPDX-License-Identifier: Apache-2.0
#include "library/configuration_chooser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "backends/no_compiler.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/stopwatch.hpp"
#include "graph/hash.hpp"
#include "library/access.hpp"
#include "library/model_data.hpp"
#include "problems/multi_source/solver.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"

namespace mlmq::detail {
namespace {

bool is_in_parts(const tuner::configuration& configuration) {
  return problems::solver_named(problems::solver_of(configuration)).splits_graph;
}

}  // namespace

tuner::instrumentation instrumentation_of(const solve_options& options) {
  return options.timeline   ? tuner::instrumentation::timeline
         : options.counters ? tuner::instrumentation::counters
                            : tuner::instrumentation::none;
}

namespace {

bool can_parse(const tuner::parameter_set& parameters, const std::string& text) {
  try {
    (void)parameters.parse_label(text);
    return true;
  } catch (const input_error&) {
    return false;
  }
}

}  // namespace

configuration_use use_of(const std::string& configuration) {
  using tuner::parameter_set;
  const bool is_for_single = can_parse(
      parameter_set::from_declarations(problems::search_declarations(), problems::search_presets()), configuration);
  const bool is_for_many =
      can_parse(parameter_set::from_declarations(multi_source::declared_parameters()), configuration);
  return is_for_single == is_for_many ? configuration_use::any
         : is_for_many                ? configuration_use::many
                                      : configuration_use::single;
}

namespace {

labelled_configuration parsed_for_many(const std::string& label) {
  return tuner::parameter_set::from_declarations(multi_source::declared_parameters()).parse_label(label);
}

problems::search_kind search_kind_of(const executor& searching) {
  return searching.kind() == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp;
}

/// Milliseconds of searches after which the cost of an elimination hierarchy is estimated, which reads the graph.
double least_ms_for_elimination(const graph::csr_graph& graph) {
  return 5 + 2e-6 * static_cast<double>(graph.vertex_count() + graph.edge_count());
}

}  // namespace

configuration_chooser::configuration_chooser(executor& executor,
                                             std::function<std::optional<problems::prepared_search>()> find_elimination)
    : executor_(executor),
      whole_(executor.data().csr, std::nullopt),
      place_chooser_(executor),
      adoption_({{.expected_ms = [this](double) { return chains_ms(); }},
                 {.expected_ms = [this](double) { return low_degrees_ms(); }, .after = chains},
                 {.expected_ms =
                      [this](double) {
                        return fits_in_parts()
                                   ? std::optional(problems::expected_split_ms(cached_list_.searched->graph))
                                   : std::nullopt;
                      },
                  .least_ms = problems::least_split_ms(executor.data().csr)},
                 {.expected_ms = [this](double search_ms) { return elimination_ms(search_ms); },
                  .least_ms = least_ms_for_elimination(executor.data().csr)}}),
      parameters_(
          tuner::parameter_set::from_declarations(executor.searched().declarations(), executor.searched().presets())),
      find_elimination_(std::move(find_elimination)) {}

void configuration_chooser::note(const attempt& finished, double ms) {
  if (finished.on_host || finished.chosen_by == choice::source::caller) return;
  const auto extent = problems::reduction_of(finished.configuration);
  std::vector<std::size_t> used;
  if (extent) used.push_back(index_of(*extent));
  if (is_in_parts(finished.configuration)) used.push_back(parts);
  if (finished.is_for_many) used.assign(1, elimination);
  adoption_.note(used, ms);
  if (!exploration_) return;
  exploration_->note(finished.configuration.label(), ms);
}

void configuration_chooser::give_up(const attempt& failed, tuner::instrumentation mode) {
  if (failed.is_for_many) {
    adoption_.give_up(elimination);
  } else if (has_reduced(failed)) {
    adoption_.give_up(index_of(*problems::reduction_of(failed.configuration)));
  } else {
    executor_.note_unfit(failed.configuration.label(), mode);
  }
}

std::string configuration_chooser::winner_key() const {
  content_hash hash;
  hash.add("mlmq winner 1").add(executor_.device().facts.name).add(executor_.searched().name());
  hash.add(graph::graph_hash(executor_.data().csr));
  return hash.hex();
}

void configuration_chooser::explore(const solve_options& options, solve_times& times, attempt_list& attempts) {
  ranking& model_ranking = ranking_by(options.model, whole_);
  // Processors and partitioned searches are chosen by other rules.
  if (attempts.front()->on_host || is_in_parts(attempts.front()->configuration)) return;
  if (explored_ != &model_ranking) {
    attempt_list compared;
    for (const std::shared_ptr<const attempt>& candidate : attempts) {
      if (compared.size() < selector::race::entrants_per_try * options.tries &&
          candidate->chosen_by != choice::source::standard)
        compared.push_back(candidate);
    }
    explored_ = &model_ranking;
    exploration_.reset();
    if (compared.size() < 2) return;
    std::vector<std::string> labels;
    std::vector<double> predicted;
    for (const std::shared_ptr<const attempt>& candidate : compared) {
      labels.push_back(candidate->configuration.label());
      predicted.push_back(candidate->predicted.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    const std::optional<std::string> winner_label =
        executor_.data().csr.is_fetched() ? kept_winner(winner_key()) : std::nullopt;
    if (winner_label && std::find(labels.begin(), labels.end(), *winner_label) != labels.end()) {
      prefer(options.model, *winner_label, "the fastest of those that an earlier process compared on this graph");
      attempts = on_device(options, whole_);
      return;
    }
    executor_.upload(times);
    // The others are compiled when they first run, if they do.
    compared.resize(std::min<std::size_t>(compared.size(), options.tries));
    times.compile += milliseconds_of([&] { executor_.compile_all(compared, tuner::instrumentation::none); });
    exploration_.emplace(std::move(labels), predicted, exploration::searches_per_try * options.tries);
  }
  if (!exploration_) return;
  for (std::optional<std::string> label = exploration_->next(); label; label = exploration_->next()) {
    const auto match = std::find_if(attempts.begin(), attempts.end(), [&](const auto& candidate) {
      return candidate->chosen_by != choice::source::standard && candidate->configuration.label() == *label;
    });
    if (match == attempts.end()) continue;  // it turned out to be unfit
    std::rotate(attempts.begin(), match, std::next(match));
    return;
  }
  if (executor_.data().csr.is_fetched()) keep_winner(winner_key(), exploration_->winner());
  prefer(options.model, exploration_->winner(), exploration_->reason());
  exploration_.reset();
  attempts = on_device(options, whole_);
}

std::optional<double> configuration_chooser::elimination_ms(double search_ms) {
  const std::optional<problems::prepared_search> prepared = find_elimination_();
  if (!prepared || prepared->search_ms >= search_ms) return std::nullopt;
  elimination_search_ = std::make_shared<const attempt>(
      attempt{.configuration = parsed_for_many(prepared->label),
              .chosen_by = choice::source::rule,
              .predicted = std::nullopt,
              .reason = "an elimination hierarchy: its searches have taken as long as preparing it",
              .is_for_many = true});
  return prepared->preparation_ms;
}

bool configuration_chooser::suits(const attempt& candidate, const searched_graph& searched) {
  return !searched.extent || problems::solver_named(problems::solver_of(candidate.configuration)).several_seeds;
}

void configuration_chooser::reduce(attempt& candidate, const searched_graph& searched) const {
  if (!searched.extent || !suits(candidate, searched)) return;
  const char* const removed = searched.extent == graph::reduction_extent::core
                                  ? "leaves, chains and vertices with few neighbours"
                                  : "leaves and chains";
  candidate.configuration = parameters_.parse_label(
      fmt::format("{},reduction={}", candidate.configuration.label(), graph::name_of(*searched.extent)));
  candidate.reason += fmt::format("; without {}, since the searches have taken as long as removing them", removed);
}

bool configuration_chooser::takes_elimination(const solve_options& options) const {
  return adoption_.is_due(elimination) && options.partition == partitioning::automatic && !options.keep_on_device &&
         !exploration_ && instrumentation_of(options) == tuner::instrumentation::none;
}

bool configuration_chooser::fits_in_parts() const {
  // Do not fetch rows that are only on the device.
  if (cached_list_.ranked_by == nullptr || !executor_.data().csr.is_fetched()) return false;
  const auto recommended =
      cached_list_.ranked_by->recommended(cached_list_.searched->features.values(), problems::graph_split::worthwhile);
  return is_in_parts(recommended.front().configuration);
}

ranking& configuration_chooser::ranking_by(const model& chosen, searched_graph& searched) {
  std::unique_ptr<ranking>& entry = searched.rankings[access::share(chosen)];
  if (entry == nullptr) entry = std::make_unique<ranking>(executor_, searched.graph, access::get(chosen).choice);
  return *entry;
}

std::optional<double> configuration_chooser::chains_ms() const {
  const auto expected =
      problems::expect_reduction(executor_.data().csr, search_kind_of(executor_), executor_.device().backend->info());
  return expected ? std::optional(expected->milliseconds) : std::nullopt;
}

std::optional<double> configuration_chooser::low_degrees_ms() const {
  const reduced_graph& former = reduced_[chains];
  return problems::expect_low_degree_reduction(former.is_ready ? former.searched->graph : executor_.data().csr,
                                               search_kind_of(executor_), executor_.device().backend->info());
}

bool configuration_chooser::prepare_core(reduced_graph& reduced, const solve_options& options, solve_times& times) {
  if (!reduced.searched) {
    if (!executor_.compile_reduction_ahead()) return false;
    reduced.searched.emplace(executor_.core(reduced.extent, times), reduced.extent);
  }
  if (!executor_.device().backend->info().grid) return true;
  searched_graph& searched = *reduced.searched;
  ranking& chosen_by = ranking_by(options.model, searched);
  find_features(searched, chosen_by, {}, times);
  for (auto& recommendation : chosen_by.recommended(searched.features.values(), problems::graph_split::never)) {
    attempt first = attempt_of(std::move(recommendation));
    if (!suits(first, searched)) continue;
    reduce(first, searched);
    return executor_.compile_ahead(first, instrumentation_of(options), times);
  }
  return true;
}

configuration_chooser::searched_graph& configuration_chooser::searched_in(const solve_options& options, bool for_search,
                                                                          solve_times& times) {
  // Configurations to be compared are those of the whole graph.
  if (options.tries > 1 || instrumentation_of(options) != tuner::instrumentation::none) return whole_;
  for (const std::size_t index : {core, chains}) {
    reduced_graph& reduced = reduced_[index];
    if (!adoption_.is_due(index)) continue;
    try {
      if (for_search && !reduced.is_ready) reduced.is_ready = prepare_core(reduced, options, times);
    } catch (const backends::launch_error&) {
      adoption_.give_up(index);
    } catch (const backends::no_compiler&) {
      adoption_.give_up(index);
    } catch (const backends::compile_error&) {
      adoption_.give_up(index);
    } catch (const backends::out_of_device_memory&) {
      adoption_.give_up(index);
    }
    if (reduced.is_ready) return *reduced.searched;
    if (for_search) adoption_.postpone(index);
  }
  return whole_;
}

void configuration_chooser::prefer(const model& chosen_model, std::string configuration, std::string reason) {
  searched_graph& compared = cached_list_.searched == nullptr ? whole_ : *cached_list_.searched;
  trial_winner_ = {&ranking_by(chosen_model, compared), std::move(configuration), std::move(reason)};
  cached_list_ = {};
}

attempt_list configuration_chooser::attempts(const solve_options& options, solve_times& times,
                                             attempt_purpose purpose) {
  const bool for_search = purpose != attempt_purpose::description;
  attempt_list result;
  for (const std::string& text : options.configurations) result.push_back(caller_attempt(text));
  if (!result.empty()) return result;
  if (purpose == attempt_purpose::search && takes_elimination(options)) return {elimination_search_};
  const tuner::instrumentation mode = instrumentation_of(options);
  ranking& by_whole_graph = ranking_by(options.model, whole_);
  const bool weighs = options.partition != partitioning::always && place_chooser_.weighs_processors(options);
  const bool only_size_is_known =
      executor_.on_device().instance == nullptr && whole_.features.lacks(by_whole_graph.features());
  if (weighs && only_size_is_known) {
    std::optional<attempt> host_attempt;
    times.choice += milliseconds_of([&] { host_attempt = place_chooser_.faster_by_size(by_whole_graph); });
    if (host_attempt) return {std::make_shared<const attempt>(std::move(*host_attempt))};
  }
  // If there is no choice, or little doubt about it, upload the graph first: the device computes the features faster
  // than processors do.
  const bool uploads_first = options.place == placement::device || (weighs && only_size_is_known);
  const bool uploads_now = uploads_first && (for_search || executor_.are_rows_here());
  // If the graph is in host memory, another thread samples it during the upload.
  graph_features::samples sampling;
  if (uploads_now && executor_.on_device().instance == nullptr && executor_.data().csr.is_fetched()) {
    sampling = whole_.features.start_sampling(by_whole_graph.features());
  }
  if (uploads_now) executor_.upload(times);
  find_features(whole_, by_whole_graph, std::move(sampling), times);
  searched_graph& searched = searched_in(options, for_search, times);
  ranking& chosen_by = ranking_by(options.model, searched);
  if (&searched != &whole_) find_features(searched, chosen_by, {}, times);
  if (for_search && options.partition == partitioning::automatic && adoption_.is_due(parts) && !are_parts_ready_ &&
      !exploration_) {
    attempt in_parts =
        attempt_of(chosen_by.recommended(searched.features.values(), problems::graph_split::worthwhile).front());
    reduce(in_parts, searched);
    are_parts_ready_ = executor_.compile_ahead(in_parts, mode, times);
    if (!are_parts_ready_) adoption_.postpone(parts);
  }
  times.choice += milliseconds_of([&] {
    result = on_device(options, searched);
    if (!weighs) return;
    attempt device_attempt = *result.front();
    std::optional<attempt> host_attempt = place_chooser_.sooner_on_host(by_whole_graph, device_attempt);
    // sooner_on_host() appended the reason for the device.
    result.front() = std::make_shared<const attempt>(std::move(device_attempt));
    if (host_attempt) result.insert(result.begin(), std::make_shared<const attempt>(std::move(*host_attempt)));
  });
  if (for_search && options.tries > 1 && mode == tuner::instrumentation::none) explore(options, times, result);
  // The device cannot run them.
  if (cached_list_.split == problems::graph_split::worthwhile && !result.front()->on_host &&
      !is_in_parts(result.front()->configuration))
    adoption_.give_up(parts);
  return result;
}

void configuration_chooser::find_features(searched_graph& searched, const ranking& model_ranking,
                                          graph_features::samples sampling, solve_times& times) {
  const double host_copy_before = executor_.data().host_copy_ms();
  problems::graph_instance* const on_device = &searched == &whole_ ? executor_.on_device().instance.get() : nullptr;
  const double features_ms = searched.features.find(model_ranking.features(), std::move(sampling), on_device);
  const double host_copy_ms = executor_.data().host_copy_ms() - host_copy_before;
  times.features += std::max(0.0, features_ms - host_copy_ms);
  times.host_copy += host_copy_ms;
}

/// Parses the text once, because parsing takes as long as several searches.
std::shared_ptr<const attempt> configuration_chooser::caller_attempt(const std::string& text) {
  std::shared_ptr<const attempt>& parsed = parsed_configurations_[text];
  if (parsed != nullptr) return parsed;
  const bool is_for_many = use_of(text) == configuration_use::many;
  parsed = std::make_shared<const attempt>(detail::caller_attempt(
      is_for_many ? parsed_for_many(text) : labelled_configuration(parameters_.parse_label(text)), is_for_many));
  return parsed;
}

const attempt_list& configuration_chooser::on_device(const solve_options& options, searched_graph& searched) {
  ranking& model_ranking = ranking_by(options.model, searched);
  const tuner::instrumentation mode = instrumentation_of(options);
  const std::size_t unfit = executor_.on_device().variants.unfit_count();
  const problems::graph_split split =
      options.partition == partitioning::always ? problems::graph_split::requested
      : options.partition == partitioning::automatic && adoption_.is_due(parts) && are_parts_ready_
          ? problems::graph_split::worthwhile
          : problems::graph_split::never;
  if (cached_list_.ranked_by != &model_ranking || cached_list_.mode != mode || cached_list_.unfit != unfit ||
      cached_list_.split != split) {
    cached_list_ = {};
    cached_list_ = {.searched = &searched,
                    .ranked_by = &model_ranking,
                    .mode = mode,
                    .unfit = unfit,
                    .split = split,
                    .attempts = make_list(searched, model_ranking, mode, split)};
  }
  return cached_list_.attempts;
}

attempt_list configuration_chooser::make_list(searched_graph& searched, ranking& model_ranking,
                                              tuner::instrumentation mode, problems::graph_split split) {
  std::vector<attempt> candidates;
  for (problems::recommended_configuration& recommendation :
       model_ranking.recommended(searched.features.values(), split)) {
    attempt candidate = attempt_of(std::move(recommendation));
    if (!suits(candidate, searched)) continue;
    reduce(candidate, searched);
    // Defaults are always tried: if they fail, their failure is the error message.
    const bool is_unfit = executor_.on_device().variants.is_unfit(candidate.configuration.label(), mode);
    if (is_unfit && candidate.chosen_by != choice::source::standard) continue;
    candidates.push_back(std::move(candidate));
  }
  const auto fastest = std::find_if(candidates.begin(), candidates.end(), [&](const attempt& candidate) {
    return trial_winner_.ranked_by == &model_ranking && candidate.chosen_by != choice::source::standard &&
           !is_in_parts(candidate.configuration) && candidate.configuration.label() == trial_winner_.configuration;
  });
  if (fastest != candidates.end()) {
    fastest->chosen_by = choice::source::trial;
    fastest->reason = trial_winner_.reason;
    const auto first_unsplit = std::find_if(
        candidates.begin(), fastest, [](const attempt& candidate) { return !is_in_parts(candidate.configuration); });
    std::rotate(first_unsplit, fastest, std::next(fastest));
  }
  attempt_list shared;
  for (attempt& candidate : candidates) shared.push_back(std::make_shared<const attempt>(std::move(candidate)));
  return shared;
}

}  // namespace mlmq::detail
