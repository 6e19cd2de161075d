// SPDX-License-Identifier: Apache-2.0
// The inputs of trials: devices, hosts, workloads and configurations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "db/records.hpp"
#include "db/store_part.hpp"

namespace mlmq::db {

/// The put functions add missing rows and return the row's id. They update names, labels and paths of an existing row,
/// but never its identity.
class trial_inputs : store_part {
 public:
  using store_part::store_part;

  std::int64_t put_device(const device_record& device);
  std::int64_t put_host(const host_record& host);
  /// Features are added or replaced by name.
  std::int64_t put_workload(const workload_record& workload);
  std::int64_t put_configuration(const configuration_record& configuration);
  /// Puts all of them in one transaction. Returns the ids in the same order.
  std::vector<std::int64_t> put_configurations(std::span<const configuration_record> configurations);
  /// @throws std::invalid_argument if the row does not exist
  [[nodiscard]] device_record device(std::int64_t id) const;
  [[nodiscard]] workload_record workload(std::int64_t id) const;
  /// Returns all workloads with their features, ordered by name and hash.
  [[nodiscard]] std::vector<workload_record> workloads() const;
  [[nodiscard]] configuration_record configuration(std::int64_t id) const;
};

}  // namespace mlmq::db
