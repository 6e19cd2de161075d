// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/loaded_workloads.hpp"

namespace mlmq::compare {

std::shared_ptr<const tuner::workload> loaded_workloads::get(const tuner::workload_input& input) {
  constexpr std::uint64_t most_cached_bytes = std::uint64_t{2} << 30;
  for (const auto& [cached_input, workload] : cached_) {
    if (cached_input == input) return workload;
  }
  std::shared_ptr<const tuner::workload> workload = kind_.load(input);
  if (workload->record.bytes <= most_cached_bytes - cached_bytes_) {
    cached_bytes_ += workload->record.bytes;
    cached_.emplace_back(input, workload);
  }
  return workload;
}

}  // namespace mlmq::compare
