// SPDX-License-Identifier: Apache-2.0
#include "library/exploration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/code_cache.hpp"

namespace mlmq::detail {
namespace {

const code_cache& winners() {
  static const code_cache cache("winners", ".txt", {.most_bytes = 1'000'000, .is_synced = false});
  return cache;
}

}  // namespace

std::optional<std::string> exploration::next() {
  if (running_) race_.note(*std::exchange(running_, std::nullopt), std::numeric_limits<double>::infinity());
  if (race_.decided()) return std::nullopt;
  running_ = race_.next();
  return labels_[*running_];
}

void exploration::note(const std::string& label, double milliseconds) {
  const auto match = std::find(labels_.begin(), labels_.end(), label);
  if (match == labels_.end() || race_.decided()) return;
  running_.reset();
  race_.note(static_cast<std::size_t>(match - labels_.begin()), milliseconds);
}

std::string exploration::reason() const {
  return fmt::format("expected to be the fastest, after {} searches with {} configurations", race_.runs(),
                     race_.started());
}

std::optional<std::string> kept_winner(const std::string& key) { return winners().find(key); }

void keep_winner(const std::string& key, const std::string& label) {
  winners().forget(key);
  static_cast<void>(winners().find_or_make(key, [&] { return label; }));
}

}  // namespace mlmq::detail
