// SPDX-License-Identifier: Apache-2.0
#include "tuner/shared_workloads.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "base/error.hpp"
#include "tuner/load_budget.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::tuner {

std::unique_ptr<workload> workload_kind::restore(const std::filesystem::path& file) const {
  throw work_error(file.string() + ": this kind of workload cannot be restored");
}

std::shared_ptr<sharing_budget> sharing_budget::of_machine() {
  constexpr std::uint64_t share_of_memory = 8;
  constexpr std::size_t most_files = 256;  // processes often may open no more than 1,024
  static const auto budget = std::make_shared<sharing_budget>(bytes_of_machine() / share_of_memory, most_files);
  return budget;
}

bool sharing_budget::reserve(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (count_ == 0 || bytes > bytes_) {
    refused_ = true;
    return false;
  }
  --count_;
  bytes_ -= bytes;
  return true;
}

void sharing_budget::release(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  ++count_;
  bytes_ += bytes;
}

bool sharing_budget::take_refused() {
  const std::lock_guard lock(mutex_);
  return std::exchange(refused_, false);
}

std::shared_ptr<const shared_workload> shared_workload::copy_of(const workload_kind& kind, const workload& loaded,
                                                                std::shared_ptr<sharing_budget> budget) {
  const std::uint64_t bytes = loaded.record.bytes;
  if (!budget->reserve(bytes)) return nullptr;
  // The object returns the reserved bytes, also if writing fails.
  const std::shared_ptr<const shared_workload> shared(
      new shared_workload(descriptor(::memfd_create("workload", MFD_CLOEXEC)), bytes, std::move(budget)));
  return shared->file_ && kind.save(loaded, shared->file_.get()) ? shared : nullptr;
}

shared_workload::shared_workload(descriptor file, std::uint64_t bytes, std::shared_ptr<sharing_budget> budget)
    : file_(std::move(file)), bytes_(bytes), budget_(std::move(budget)) {}

shared_workload::~shared_workload() { budget_->release(bytes_); }

std::string shared_workload::file() const { return fmt::format("/proc/{}/fd/{}", ::getpid(), file_.get()); }

std::unique_ptr<workload> restore_or_load(const workload_kind& kind, const planned_workload& planned) {
  if (!planned.shared_file.empty()) {
    try {
      std::unique_ptr<workload> restored = kind.restore(planned.shared_file);
      if (restored->record.hash == planned.hash) return restored;
    } catch (const work_error&) {
      // Like a file with another workload: the supervisor has released this one.
    }
  }
  return kind.load(planned.input);
}

}  // namespace mlmq::tuner
