// SPDX-License-Identifier: Apache-2.0
#include "library/chooser.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/stopwatch.hpp"
#include "problems/shortest_paths/part_rule.hpp"

namespace mlmq::detail {
namespace {

constexpr std::string_view parts_solver = "partitioned";

bool is_in_parts(const attempt& candidate) { return problems::solver_of(candidate.configuration) == parts_solver; }

}  // namespace

tuner::instrumentation instrumentation_of(const solve_options& options) {
  return options.timeline   ? tuner::instrumentation::timeline
         : options.counters ? tuner::instrumentation::counters
                            : tuner::instrumentation::none;
}

chooser::chooser(executor& runs)
    : runs_(runs),
      features_(runs.data().csr),
      places_(runs),
      adoption_(problems::expected_split_ms(runs.data().csr), [this] { return suits_parts(); }),
      parameters_(tuner::parameter_set::from_declarations(runs.searched().declarations())) {}

void chooser::note(const attempt& by, double ms) {
  if (by.on_host || by.by == choice::chooser::caller) return;
  adoption_.note(is_in_parts(by), ms);
}

bool chooser::suits_parts() const {
  // Rows that are on the device alone are not fetched for this.
  if (listed_.ranked_by == nullptr || !runs_.data().csr.is_fetched()) return false;
  const auto recommended = listed_.ranked_by->recommended(features_.values(), problems::graph_split::worthwhile);
  return problems::solver_of(recommended.front().configuration) == parts_solver;
}

ranking& chooser::ranking_by(const model& chosen) {
  std::unique_ptr<ranking>& entry = rankings_[access::share(chosen)];
  if (entry == nullptr) entry = std::make_unique<ranking>(runs_, access::get(chosen).choice);
  return *entry;
}

void chooser::prefer(const model& asked, std::string configuration, std::string reason) {
  tried_out_ = {&ranking_by(asked), std::move(configuration), std::move(reason)};
  listed_ = {};
}

attempt_list chooser::attempts(const solve_options& options, solve_times& times, bool for_search) {
  attempt_list all;
  for (const std::string& text : options.configurations) all.push_back(given(text));
  if (!all.empty()) return all;
  ranking& chosen_by = ranking_by(options.model);
  const auto names = chosen_by.features();
  const bool weighs = options.partition != partitioning::always && places_.weighs_processors(options);
  const bool only_size_is_known = runs_.here().instance == nullptr && features_.lacks(names);
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
    sampling = features_.start_sampling(names);
  }
  if (is_to_go) runs_.upload(times);
  const double mirror_before = runs_.data().mirror_ms();
  const double features_ms = features_.find(names, std::move(sampling), runs_.here().instance.get());
  const double mirror_ms = runs_.data().mirror_ms() - mirror_before;
  times.features += std::max(0.0, features_ms - mirror_ms);
  times.mirror += mirror_ms;
  times.choice += milliseconds_of([&] {
    all = on_device(options, chosen_by);
    if (!weighs) return;
    attempt first = *all.front();
    std::optional<attempt> sooner = places_.sooner_on_host(chosen_by, features_.values(), first);
    // What speaks for the device is noted in the attempt there.
    all.front() = std::make_shared<const attempt>(std::move(first));
    if (sooner) all.insert(all.begin(), std::make_shared<const attempt>(std::move(*sooner)));
  });
  return all;
}

/// The text is read once: that takes as long as some searches.
std::shared_ptr<const attempt> chooser::given(const std::string& text) {
  std::shared_ptr<const attempt>& known = given_[text];
  if (known == nullptr) {
    known = std::make_shared<const attempt>(attempt{.configuration = parameters_.parse_label(text),
                                                    .on_host = false,
                                                    .by = choice::chooser::caller,
                                                    .predicted = std::nullopt,
                                                    .reason = "given"});
  }
  return known;
}

const attempt_list& chooser::on_device(const solve_options& options, ranking& model_ranking) {
  const tuner::instrumentation what = instrumentation_of(options);
  const std::size_t unfit = runs_.here().unfit.size();
  const problems::graph_split split = options.partition == partitioning::always ? problems::graph_split::requested
                                      : options.partition == partitioning::automatic && adoption_.is_due()
                                          ? problems::graph_split::worthwhile
                                          : problems::graph_split::never;
  if (listed_.ranked_by != &model_ranking || listed_.what != what || listed_.unfit != unfit || listed_.split != split) {
    listed_ = {};
    listed_ = {.ranked_by = &model_ranking,
               .what = what,
               .unfit = unfit,
               .split = split,
               .all = make_list(model_ranking, what, split)};
  }
  return listed_.all;
}

attempt_list chooser::make_list(ranking& model_ranking, tuner::instrumentation mode, problems::graph_split split) {
  std::vector<attempt> all;
  for (problems::recommended_configuration& next : model_ranking.recommended(features_.values(), split)) {
    // A default is tried whatever happened: its failure is the message.
    const bool is_unfit = runs_.here().unfit.contains({next.configuration.label(), mode});
    if (is_unfit && next.origin != problems::candidate_origin::standard) continue;
    all.push_back(attempt_of(std::move(next)));
  }
  const auto fastest = std::find_if(all.begin(), all.end(), [&](const attempt& next) {
    return tried_out_.ranked_by == &model_ranking && next.by != choice::chooser::standard && !is_in_parts(next) &&
           next.configuration.label() == tried_out_.configuration;
  });
  if (fastest != all.end()) {
    fastest->by = choice::chooser::trial;
    fastest->reason = tried_out_.reason;
    std::rotate(std::find_if_not(all.begin(), fastest, is_in_parts), fastest, std::next(fastest));
  }
  attempt_list shared;
  for (attempt& next : all) shared.push_back(std::make_shared<const attempt>(std::move(next)));
  return shared;
}

}  // namespace mlmq::detail
