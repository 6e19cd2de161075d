// SPDX-License-Identifier: Apache-2.0
#include "tuner/strategy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "tuner/learning_strategy.hpp"
#include "tuner/model_search.hpp"

namespace mlmq::tuner {
namespace {

/// Strategy `annealing`: a random walk that accepts worse configurations less and less often as the budget is spent.
///
/// Metropolis' rule on the logarithm of the time: a configuration that takes r times as long is accepted with
/// probability r^(-1/T). T falls geometrically from 0.2 to 0.002 over the budget.
class annealing final : public learning_strategy {
 public:
  annealing(const strategy_settings& settings, const search_space& space, const strategy_guide& guide)
      : learning_strategy(settings, space, guide), near_(space, settings.neighbours) {}

 private:
  [[nodiscard]] configuration choose() override {
    if (!current_cost_) return fresh_start();
    // Steps between known configurations cost nothing. The limit ends a walk that finds only known ones.
    for (int steps = 0; steps < 200 && !neighbours_.empty(); ++steps) {
      configuration candidate = neighbours_[bits().below_by_division(neighbours_.size())];
      const known_result* result = find(candidate);
      if (result == nullptr) return candidate;
      if (result->reported) consider(candidate, result->cost);
    }
    return fresh_random();
  }
  void learn(const configuration& tried, std::optional<double> cost) override { consider(tried, cost); }
  void consider(const configuration& candidate, std::optional<double> cost) {
    if (!cost) return;
    const double temperature = 0.2 * std::pow(0.01, progress());
    const bool accepted = !current_cost_ || *cost <= *current_cost_ ||
                          uniform() < std::exp(-std::log(*cost / *current_cost_) / temperature);
    if (!accepted) return;
    current_cost_ = cost;
    neighbours_ = near_.neighbours_of(candidate);
  }

  neighbourhood near_;
  std::optional<double> current_cost_;
  std::vector<configuration> neighbours_;  // neighbours of the current configuration
};

/// Strategy `genetic`: recombines and mutates the best known configurations.
///
/// Steady state: a child replaces the worst member if it is better. Each parameter of a child comes from one of two
/// parents, each the better of two random members; every other child is then mutated in one parameter.
class genetic_search final : public learning_strategy {
 public:
  genetic_search(const strategy_settings& settings, const search_space& space, const strategy_guide& guide)
      : learning_strategy(settings, space, guide),
        near_(space, step_size::any),
        // Evaluations are expensive, and a small population converges quickly.
        size_(static_cast<std::size_t>(std::clamp<std::uint64_t>(settings.budget.value_or(100) / 8, 4, 10))) {}

 private:
  struct member {
    configuration candidate;
    double cost = 0;
  };
  [[nodiscard]] configuration choose() override {
    if (founders_ < size_ || members_.size() < 2) {
      ++founders_;
      return fresh_start();
    }
    const member& first = parent();
    const member& second = parent();
    configuration child = cross(first.candidate, second.candidate);
    for (int changes = 0; changes < 20; ++changes) {
      const bool is_new = find(child) == nullptr;
      if (is_new && (changes > 0 || bits().below_by_division(2) == 0)) return child;
      const std::vector<configuration> others = near_.neighbours_of(child);
      if (others.empty()) break;
      child = others[bits().below_by_division(others.size())];
    }
    return find(child) == nullptr ? child : fresh_random();
  }
  void learn(const configuration& tried, std::optional<double> cost) override {
    if (!cost) return;
    const auto place = std::ranges::upper_bound(members_, *cost, {}, &member::cost);
    members_.insert(place, {tried, *cost});
    if (members_.size() > size_) members_.pop_back();
  }
  [[nodiscard]] const member& parent() {
    return members_[std::min(bits().below_by_division(members_.size()), bits().below_by_division(members_.size()))];
  }
  [[nodiscard]] configuration cross(const configuration& a, const configuration& b) {
    configuration wished = a;
    for (const auto& [name, of_b] : b.values()) {
      if (a.find(name) == nullptr || bits().below_by_division(2) == 1) wished.set(name, of_b);
    }
    return near_.nearest(wished).value_or(a);
  }

  neighbourhood near_;
  std::size_t size_;             // size of the population
  std::size_t founders_ = 0;     // number of founders proposed so far
  std::vector<member> members_;  // population, best first
};

/// Strategy `local`: moves to the first better neighbour and restarts at local optima.
///
/// Visits neighbours, which differ in one parameter, in random order. Restarts from a random configuration at a local
/// optimum.
class local_search final : public learning_strategy {
 public:
  local_search(const strategy_settings& settings, const search_space& space, const strategy_guide& guide)
      : learning_strategy(settings, space, guide), near_(space, settings.neighbours) {}

 private:
  [[nodiscard]] configuration choose() override {
    while (!neighbours_.empty()) {
      const configuration candidate = std::move(neighbours_.back());
      neighbours_.pop_back();
      const known_result* result = find(candidate);
      if (result == nullptr) return candidate;
      // Already measured from another configuration: using the result again is free.
      if (result->cost && *result->cost < *current_cost_) move_to(candidate, *result->cost);
    }
    current_cost_.reset();
    return fresh_start();
  }
  void learn(const configuration& tried, std::optional<double> cost) override {
    if (cost && (!current_cost_ || *cost < *current_cost_)) move_to(tried, *cost);
  }
  void move_to(const configuration& c, double cost) {
    current_cost_ = cost;
    neighbours_ = near_.neighbours_of(c);
    for (std::size_t i = neighbours_.size(); i > 1; --i) {
      std::swap(neighbours_[i - 1], neighbours_[bits().below_by_division(i)]);
    }
  }

  neighbourhood near_;
  std::optional<double> current_cost_;     // nothing before the first success
  std::vector<configuration> neighbours_;  // unvisited neighbours of the current configuration
};

class exhaustive : public strategy {
 public:
  explicit exhaustive(const search_space& space) : space_(space) {}

  std::optional<configuration> next() override {
    while (index_ != space_.count()) {
      if (std::optional<configuration> candidate = space_.find(index_++)) return candidate;
    }
    return std::nullopt;
  }
  std::optional<std::uint64_t> total() const override {
    return space_.is_counted() ? std::optional(space_.count()) : std::nullopt;
  }

 private:
  const search_space& space_;
  std::uint64_t index_ = 0;
};

/// Sparse Fisher-Yates shuffle of all indices: only touched entries are stored, so that a small sample of a huge space
/// needs little memory. For an uncounted space, configurations are drawn until a
/// new one is found.
class random_sample : public strategy {
 public:
  random_sample(const search_space& space, std::uint64_t count, std::uint64_t seed)
      : space_(space), total_(std::min(count, space.count())), bits_(random_stream::from_state(seed)) {}

  std::optional<configuration> next() override {
    if (drawn_ == total_) return std::nullopt;
    if (!space_.is_counted()) return next_uncounted();
    const std::uint64_t pick = drawn_ + bits_.below_by_division(space_.count() - drawn_);
    const std::uint64_t index = entry(pick);
    moved_[pick] = entry(drawn_);
    moved_.erase(drawn_++);
    return space_.at(index);
  }
  std::optional<std::uint64_t> total() const override { return total_; }

 private:
  std::optional<configuration> next_uncounted() {
    // After this many failed draws hardly any configurations are left.
    for (int i = 0; i < 1000; ++i) {
      configuration drawn = space_.draw(bits_);
      if (!seen_.insert(drawn).second) continue;
      ++drawn_;
      return drawn;
    }
    total_ = drawn_;
    return std::nullopt;
  }

  [[nodiscard]] std::uint64_t entry(std::uint64_t position) const {
    const auto match = moved_.find(position);
    return match == moved_.end() ? position : match->second;
  }

  const search_space& space_;
  std::uint64_t total_;
  random_stream bits_;
  std::uint64_t drawn_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> moved_;
  std::set<configuration> seen_;  // of a space that is not counted
};

using maker = std::unique_ptr<strategy> (*)(const strategy_settings&, const search_space&, const strategy_guide&);

struct known_strategy {
  const char* name;
  bool learns;
  maker make;
};

template <class Strategy>
std::unique_ptr<strategy> make_learning(const strategy_settings& settings, const search_space& space,
                                        const strategy_guide& guide) {
  return std::make_unique<Strategy>(settings, space, guide);
}

constexpr std::array<known_strategy, 6> all_strategies{{
    {"exhaustive", false,
     [](const strategy_settings&, const search_space& space, const strategy_guide&) -> std::unique_ptr<strategy> {
       return std::make_unique<exhaustive>(space);
     }},
    {"random", false,
     [](const strategy_settings& settings, const search_space& space,
        const strategy_guide&) -> std::unique_ptr<strategy> {
       return std::make_unique<random_sample>(space, *settings.count, settings.seed.value_or(1));
     }},
    {"local", true, make_learning<local_search>},
    {"annealing", true, make_learning<annealing>},
    {"genetic", true, make_learning<genetic_search>},
    {"model", true, make_learning<model_search>},
}};

const known_strategy* find_strategy(const std::string& name) {
  const auto entry = std::ranges::find(all_strategies, name, [](const known_strategy& s) { return s.name; });
  return entry == all_strategies.end() ? nullptr : &*entry;
}

}  // namespace

std::optional<std::uint64_t> strategy_settings::most_evaluations(const search_space& space) const {
  if (!budget) return std::nullopt;
  return std::min(*budget, space.count());
}

bool strategy_settings::learns() const {
  const known_strategy* entry = find_strategy(name);
  return entry != nullptr && entry->learns;
}

void strategy::report(const configuration& /*tried*/, const evaluation& /*result*/) {}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const known_strategy& entry : all_strategies) names.emplace_back(entry.name);
  return names;
}

void check_strategy(const strategy_settings& settings) {
  const auto fail = [&](const std::string& message) { throw input_error(settings.place.prefix() + message); };
  const known_strategy* entry = find_strategy(settings.name);
  if (entry == nullptr) {
    const std::vector<std::string> names = strategy_names();
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    fail("unknown strategy '" + settings.name + "'" + did_you_mean(settings.name, names) + " (known: " + list + ")");
  }
  const auto refuse = [&](bool is_set, const std::string& key, const std::string& advice) {
    if (is_set) fail("strategy '" + settings.name + "' has no '" + key + "'" + advice);
  };
  const bool walks = settings.name == "local" || settings.name == "annealing";
  refuse(!walks && settings.neighbours != step_size::any, "neighbours", "; only 'local' and 'annealing' have it");
  if (entry->learns) {
    refuse(settings.count.has_value(), "count", "; 'budget' limits the number of configurations");
    if (!settings.budget && !settings.seconds) {
      fail("strategy '" + settings.name + "' needs 'budget' (evaluations per workload) or 'seconds' (per workload)");
    }
    return;
  }
  const bool is_random = settings.name == "random";
  if (!is_random) {
    refuse(settings.count.has_value(), "count", "; use 'random' for a sample");
    refuse(settings.seed.has_value(), "seed", "; use 'random' for a sample");
  }
  const std::string advice =
      is_random ? "; 'count' is the number of configurations to draw" : "; it tries every configuration";
  refuse(settings.budget.has_value(), "budget", advice);
  refuse(settings.seconds.has_value(), "seconds", advice);
  refuse(settings.batch.has_value(), "batch", "; it does not learn from results");
  refuse(settings.warm_start, "warm_start", "; it does not learn from results");
  if (is_random && !settings.count) fail("strategy 'random' needs 'count', the number of configurations to draw");
}

std::unique_ptr<strategy> make_strategy(const strategy_settings& settings, const search_space& space,
                                        const strategy_guide& guide) {
  check_strategy(settings);
  return find_strategy(settings.name)->make(settings, space, guide);
}

std::vector<configuration> proposals(strategy& s) {
  std::vector<configuration> result;
  while (auto proposed = s.next()) result.push_back(*std::move(proposed));
  return result;
}

}  // namespace mlmq::tuner
