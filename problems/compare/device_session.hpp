// SPDX-License-Identifier: Apache-2.0
// One device of a comparison, its contestants, and the sweeps that find the best of several parameter sets.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "problems/compare/context.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/variant_cache.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::compare {

/// Returns how to measure candidates: like contestants, but with only as many repeats as needed to choose one.
[[nodiscard]] tuner::measurement_settings candidate_settings(tuner::measurement_settings settings);

class device_session {
 public:
  /// Opens the device. @param common  must outlive this @throws input_error if the device is not available
  device_session(const context& common, const std::string& selector);

  [[nodiscard]] backends::backend& device() const noexcept { return *device_; }
  [[nodiscard]] const backends::device_info& info() const { return device_->info(); }
  [[nodiscard]] tuner::variant_cache& variants() noexcept { return variants_; }
  /// Returns the row of the device in the database.
  [[nodiscard]] std::int64_t row() const noexcept { return row_; }

  /// Returns whether the recommended configuration is one of the contestants.
  [[nodiscard]] bool has_selector() const { return common_.contestants.has_selector(info()); }
  /// Returns the configurations of both experiment files that run on this device.
  [[nodiscard]] const std::vector<tuner::configuration>& candidates() const noexcept { return candidates_; }
  /// Returns the candidates of one contestant.
  [[nodiscard]] std::vector<tuner::configuration> candidates_of(const std::string& contestant) const;
  [[nodiscard]] const std::vector<const peer*>& peers() const noexcept { return peers_; }
  /// Returns whether no contestant runs on this device.
  [[nodiscard]] bool is_empty() const { return !has_selector() && candidates_.empty() && peers_.empty(); }

  /// Measures the candidates on all queries of a workload, unless they are on record, in a separate sweep whose times
  /// do not appear in the table. @throws tuner::device_lost
  void measure_candidates(const tuner::workload_input& input);

 private:
  [[nodiscard]] std::optional<tuner::experiment_file> candidates_file() const;
  [[nodiscard]] tuner::experiment_file single_workload_file(const tuner::workload_input& input) const;

  const context& common_;
  std::unique_ptr<backends::backend> device_;
  tuner::variant_cache variants_;
  std::int64_t row_;
  std::optional<tuner::experiment_file> file_;  // experiment whose configurations are the candidates
  std::vector<tuner::configuration> candidates_;
  std::vector<const peer*> peers_;
};

}  // namespace mlmq::compare
