// SPDX-License-Identifier: Apache-2.0
#include "db/store.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "db/connection.hpp"

namespace mlmq::db {

store store::open(const std::filesystem::path& file, open_mode mode, std::chrono::milliseconds busy_timeout) {
  return store(std::make_unique<connection>(file, mode, busy_timeout));
}

store store::open_record(const std::filesystem::path& file, const std::string& code) {
  store record = open(file, open_mode::read_only);
  record.owned_->show_code(code);
  return record;
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

void store::on_busy(std::function<void()> hook, std::chrono::milliseconds timeout) {
  owned_->on_busy(std::move(hook), timeout);
}

const std::filesystem::path& store::file() const { return owned_->file(); }

bool store::is_in_place() const { return owned_->is_in_place(); }

void store::require_in_place() const {
  if (is_in_place()) return;
  const std::filesystem::path copy = owned_->rescue();
  throw work_error(
      fmt::format("{}: the database was deleted or replaced while in use; all its results are saved in {}: "
                  "rename that file to the name of the database and rerun the command to continue",
                  file().string(), copy.string()));
}

}  // namespace mlmq::db
