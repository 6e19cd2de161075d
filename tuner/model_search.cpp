// SPDX-License-Identifier: Apache-2.0
#include "tuner/model_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace mlmq::tuner {
namespace {

constexpr std::size_t sample_of_larger = 4096;
constexpr std::size_t longest_ranking = 256;
/// After this many results, another proposal comes from each ranking.
constexpr std::size_t results_per_proposal = 100;

}  // namespace

std::size_t model_search::encoded_parameter::columns() const {
  const std::size_t varying = declared->declared.type == value_type::text ? values.size() : 1;
  return varying + (is_sometimes_absent ? 1 : 0);
}

void model_search::encoded_parameter::append(std::vector<float>& row, const value* v) const {
  if (is_sometimes_absent) row.push_back(v == nullptr ? 0.0F : 1.0F);
  if (declared->declared.type == value_type::text) {
    // Two different texts have the distance 1.
    for (const value& option : values) row.push_back(v != nullptr && *v == option ? 0.70710678F : 0.0F);
    return;
  }
  float coordinate = 0.5F;
  if (v != nullptr && values.size() > 1) {
    const auto rank = std::ranges::lower_bound(values, *v) - values.begin();
    coordinate = static_cast<float>(rank) / static_cast<float>(values.size() - 1);
  }
  row.push_back(coordinate);
}

model_search::model_search(const strategy_settings& settings, const search_space& space, const strategy_guide& guide)
    : learning_strategy(settings, space, guide),
      near_(space, step_size::any),
      begin_with_(static_cast<std::size_t>(std::clamp<std::uint64_t>(settings.budget.value_or(20) / 4, 3, 5))),
      best_cost_(std::numeric_limits<double>::infinity()) {}

void model_search::encode_parameters() {
  const parameter_set& parameters = space().parameters();
  for (std::size_t slot = 0; slot < parameters.parameters().size(); ++slot) {
    const parameter& p = parameters.parameters()[slot];
    std::set<value> values(p.values.begin(), p.values.end());
    bool is_sometimes_absent = parameters.active_when(slot) != nullptr;
    for (const configuration& listed : space().listed()) {
      const value* const v = listed.find(p.declared.name);
      if (v != nullptr) {
        values.insert(*v);
      } else if (p.declared.silent_default) {
        values.insert(p.declared.default_value);
      } else {
        is_sometimes_absent = true;
      }
    }
    if (values.size() < 2 && !is_sometimes_absent) continue;
    encoded_.push_back({&p, {values.begin(), values.end()}, is_sometimes_absent});
  }
  candidate_points points;
  points.group_count = std::max<std::size_t>(encoded_.size(), 1);
  for (std::size_t group = 0; group < encoded_.size(); ++group) {
    points.groups.insert(points.groups.end(), encoded_[group].columns(), group);
  }
  // A space of one configuration has no varying parameter.
  if (encoded_.empty()) points.groups.push_back(0);
  if (space().count() <= largest_listed_space) {
    candidates_ = space().list(largest_listed_space);
  } else {
    std::set<configuration> sample;
    for (std::size_t i = 0; i < sample_of_larger; ++i) sample.insert(space().draw(bits()));
    candidates_.assign(sample.begin(), sample.end());
  }
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    positions_.emplace(candidates_[i], i);
    const std::vector<float> row = encode(candidates_[i]);
    points.values.insert(points.values.end(), row.begin(), row.end());
  }
  model_.emplace(std::move(points));
}

std::vector<float> model_search::encode(const configuration& c) const {
  std::vector<float> row;
  for (const encoded_parameter& p : encoded_) {
    const std::string& name = p.declared->declared.name;
    const value* v = c.find(name);
    if (v == nullptr && space().parameters().is_active(name, c)) v = &p.declared->declared.default_value;
    p.append(row, v);
  }
  if (encoded_.empty()) row.push_back(0);
  return row;
}

std::size_t model_search::candidate(const configuration& c) {
  const auto [entry, is_new] = positions_.emplace(c, candidates_.size());
  if (is_new) {
    candidates_.push_back(c);
    model_->append(encode(c));
  }
  return entry->second;
}

void model_search::rank() {
  const std::vector<double> improvements = model_->improvements();
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (find(candidates_[i]) == nullptr) unknown.push_back(i);
  }
  const std::size_t count = std::min(unknown.size(), longest_ranking);
  std::ranges::partial_sort(unknown, unknown.begin() + static_cast<std::ptrdiff_t>(count), [&](auto a, auto b) {
    return improvements[a] != improvements[b] ? improvements[a] > improvements[b] : a < b;
  });
  unknown.resize(count);
  ranked_.assign(unknown.rbegin(), unknown.rend());
  ranked_at_ = reported_;
}

configuration model_search::choose() {
  if (!model_) encode_parameters();
  ++chosen_;
  if (chosen_ <= begin_with_ || model_->observed_times() < 2) return fresh_start();
  if (ranked_.empty() || reported_ - ranked_at_ > reported_ / results_per_proposal) rank();
  while (!ranked_.empty()) {
    const configuration& best = candidates_[ranked_.back()];
    ranked_.pop_back();
    if (find(best) == nullptr) return best;
  }
  return fresh_random();
}

void model_search::learn(const configuration& tried, std::optional<double> cost) {
  if (!model_) encode_parameters();
  ++reported_;
  std::optional<double> logarithm;
  if (cost) logarithm = std::log(std::max(*cost, 1e-9));
  model_->observe(candidate(tried), logarithm);
  if (!cost || *cost >= best_cost_) return;
  best_cost_ = *cost;
  if (space().count() <= largest_listed_space) return;
  for (const configuration& c : near_.neighbours_of(tried)) (void)candidate(c);
}

}  // namespace mlmq::tuner
