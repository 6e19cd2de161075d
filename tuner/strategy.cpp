// SPDX-License-Identifier: Apache-2.0
#include "tuner/strategy.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "tuner/annealing.hpp"
#include "tuner/genetic_search.hpp"
#include "tuner/local_search.hpp"
#include "tuner/model_search.hpp"

namespace mlmq::tuner {
namespace {

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
