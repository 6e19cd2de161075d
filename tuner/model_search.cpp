// SPDX-License-Identifier: Apache-2.0
#include "tuner/model_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/error.hpp"

namespace mlmq::tuner {
namespace {

constexpr std::uint64_t largest_listed_space = 4096;
constexpr std::size_t sample_of_larger = 1000;
constexpr std::size_t best_with_neighbours = 5;

}  // namespace

model_search::model_search(const strategy_settings& settings, const search_space& space, const strategy_guide& guide)
    : learning_strategy(settings, space, guide),
      near_(space, step_size::any),
      learn_(guide.learn),
      begin_with_(static_cast<std::size_t>(std::clamp<std::uint64_t>(settings.budget.value_or(60) / 12, 4, 8))) {
  if (!learn_) throw work_error("the strategy 'model' needs strategy_guide::learn");
}

/// Appends a row: numbers and booleans as they are, texts one-hot encoded.
void model_search::add_row(number_table& table, const configuration& c) const {
  constexpr float absent = std::numeric_limits<float>::quiet_NaN();
  const std::size_t before = table.values.size();
  for (const parameter& p : space().parameters().parameters()) {
    const value* v = c.find(p.declared.name);
    if (v == nullptr && space().parameters().is_active(p.declared.name, c)) v = &p.declared.default_value;
    if (p.declared.type == value_type::text) {
      for (const value& option : p.values) {
        table.values.push_back(v == nullptr ? absent : *v == option ? 1.0F : 0.0F);
      }
      continue;
    }
    float number = absent;
    if (v != nullptr) number = static_cast<float>(space().parameters().symbols().number(*v));
    table.values.push_back(number);
  }
  table.columns = table.values.size() - before;
}

std::vector<configuration> model_search::candidates() {
  std::set<configuration> unseen;
  const auto add = [&](configuration c) {
    if (find(c) == nullptr) unseen.insert(std::move(c));
  };
  if (space().count() <= largest_listed_space) {
    for (configuration& c : space().list(largest_listed_space)) add(std::move(c));
    return {unseen.begin(), unseen.end()};
  }
  for (std::size_t i = 0; i < sample_of_larger; ++i) add(space().at(space().draw(bits())));
  std::vector<std::pair<double, const configuration*>> best;
  for (const auto& [c, result] : known_results()) {
    if (result.milliseconds) best.emplace_back(*result.milliseconds, &c);
  }
  std::ranges::sort(best, {}, &std::pair<double, const configuration*>::first);
  for (std::size_t i = 0; i < std::min(best.size(), best_with_neighbours); ++i) {
    for (configuration& c : near_.neighbours_of(*best[i].second)) add(std::move(c));
  }
  return {unseen.begin(), unseen.end()};
}

void model_search::rank() {
  is_ranked_ = true;
  ranked_ = candidates();
  double slowest = 0;
  for (const auto& [c, result] : known_results()) slowest = std::max(slowest, result.milliseconds.value_or(0));
  number_table training_rows;
  std::vector<float> labels;
  for (const auto& [c, result] : known_results()) {
    if (!result.reported) continue;
    add_row(training_rows, c);
    labels.push_back(static_cast<float>(std::log(std::max(result.milliseconds.value_or(2 * slowest), 1e-9))));
  }
  number_table candidate_rows;
  for (const configuration& c : ranked_) add_row(candidate_rows, c);
  if (ranked_.empty() || training_rows.columns == 0) return;
  const std::vector<float> predicted = learn_(training_rows, labels, candidate_rows);
  std::vector<std::size_t> order(ranked_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Trees predict equal times for many candidates: break ties at random.
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[bits().below_by_division(i)]);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return predicted[i]; });
  std::vector<configuration> sorted;
  for (const std::size_t i : order) sorted.push_back(std::move(ranked_[i]));
  ranked_ = std::move(sorted);
}

configuration model_search::choose() {
  ++chosen_;
  const bool has_result =
      std::ranges::any_of(known_results(), [](const auto& entry) { return entry.second.milliseconds > 0; });
  if (chosen_ <= begin_with_ || !has_result) return fresh_start();
  if (chosen_ % 8 == 0) return fresh_random();
  if (!is_ranked_) rank();
  while (!ranked_.empty()) {
    configuration best = std::move(ranked_.back());
    ranked_.pop_back();
    if (find(best) == nullptr) return best;
  }
  return fresh_random();
}

void model_search::learn(const configuration& /*tried*/, std::optional<double> /*milliseconds*/) { is_ranked_ = false; }

}  // namespace mlmq::tuner
