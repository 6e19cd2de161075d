// SPDX-License-Identifier: Apache-2.0
#include "tuner/strategy.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tuner/random.hpp"

namespace mlmq::tuner {
namespace {

class exhaustive : public strategy {
 public:
  explicit exhaustive(const search_space& space) : space_(space) {}

  std::optional<configuration> next() override {
    if (index_ == space_.count()) return std::nullopt;
    return space_.at(index_++);
  }
  std::optional<std::uint64_t> total() const override { return space_.count(); }

 private:
  const search_space& space_;
  std::uint64_t index_ = 0;
};

/// A Fisher-Yates shuffle of all indices of which only the touched entries are stored, so that a
/// small sample of a huge space stays small.
class random_sample : public strategy {
 public:
  random_sample(const search_space& space, std::uint64_t count, std::uint64_t seed)
      : space_(space), total_(std::min(count, space.count())), bits_(seed) {}

  std::optional<configuration> next() override {
    if (drawn_ == total_) return std::nullopt;
    const std::uint64_t pick = drawn_ + bits_.below(space_.count() - drawn_);
    const std::uint64_t index = entry(pick);
    moved_[pick] = entry(drawn_);
    moved_.erase(drawn_++);
    return space_.at(index);
  }
  std::optional<std::uint64_t> total() const override { return total_; }

 private:
  [[nodiscard]] std::uint64_t entry(std::uint64_t position) const {
    const auto found = moved_.find(position);
    return found == moved_.end() ? position : found->second;
  }

  const search_space& space_;
  std::uint64_t total_;
  random_bits bits_;
  std::uint64_t drawn_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> moved_;
};

}  // namespace

void strategy::report(const configuration& /*tried*/, std::optional<double> /*milliseconds*/) {}

std::vector<std::string> strategy_names() { return {"exhaustive", "random"}; }

std::unique_ptr<strategy> make_strategy(const strategy_settings& settings, const search_space& space) {
  const auto fail = [&](const std::string& message) { throw input_error(settings.place.prefix() + message); };
  if (settings.name == "exhaustive") {
    if (settings.count || settings.seed) {
      fail(std::string("strategy 'exhaustive' has no '") + (settings.count ? "count" : "seed") +
           "'; use 'random' for a sample");
    }
    return std::make_unique<exhaustive>(space);
  }
  if (settings.name == "random") {
    if (!settings.count) fail("strategy 'random' needs 'count', how many configurations to draw");
    return std::make_unique<random_sample>(space, *settings.count, settings.seed.value_or(1));
  }
  const std::vector<std::string> names = strategy_names();
  throw input_error(settings.place.prefix() + "unknown strategy '" + settings.name + "'" +
                    did_you_mean(settings.name, names) + " (known: exhaustive, random)");
}

std::vector<configuration> proposals(strategy& s) {
  std::vector<configuration> result;
  while (auto proposed = s.next()) result.push_back(*std::move(proposed));
  return result;
}

}  // namespace mlmq::tuner
