// SPDX-License-Identifier: Apache-2.0
#include "db/store.hpp"

#include <utility>

#include "db/connection.hpp"

namespace mlmq::db {

store store::open(const std::filesystem::path& file, open_mode mode, std::chrono::milliseconds busy_timeout) {
  return store(std::make_unique<connection>(file, mode, busy_timeout));
}

store::store(std::unique_ptr<connection> opened)
    : trial_inputs(*opened),
      experiment_plans(*opened),
      trial_claims(*opened),
      trial_results(*opened),
      owned_(std::move(opened)) {}
store::store(store&&) noexcept = default;
store& store::operator=(store&&) noexcept = default;
store::~store() = default;

void store::on_busy(std::function<void()> hook, std::chrono::milliseconds patience) {
  owned_->on_busy(std::move(hook), patience);
}

const std::filesystem::path& store::file() const { return owned_->file(); }

}  // namespace mlmq::db
