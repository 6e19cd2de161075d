// SPDX-License-Identifier: Apache-2.0
// One device of a comparison, who may take part there, and the sweeps that tell the best of several parameter sets.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "compare/context.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/variant_cache.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::compare {

/// How candidates are measured: as contestants, but no more often than it takes to choose one.
[[nodiscard]] tuner::measurement_settings candidate_settings(tuner::measurement_settings of_contestants);

class stage {
 public:
  /// Opens the device. @param common must outlive this @throws input_error for a device that is not here
  stage(const context& common, const std::string& selector);

  [[nodiscard]] backends::backend& device() const noexcept { return *device_; }
  [[nodiscard]] const backends::device_info& info() const { return device_->info(); }
  [[nodiscard]] tuner::variant_cache& variants() noexcept { return variants_; }
  /// Of the device in the database.
  [[nodiscard]] std::int64_t row() const noexcept { return row_; }

  /// Whether the recommended configuration is one of the contestants.
  [[nodiscard]] bool has_selector() const { return common_.who.has_selector(info()); }
  /// Those of both experiment files that run here.
  [[nodiscard]] const std::vector<tuner::configuration>& candidates() const noexcept { return candidates_; }
  /// Of these, those of one contestant.
  [[nodiscard]] std::vector<tuner::configuration> candidates_of(const std::string& contestant) const;
  [[nodiscard]] const std::vector<const peer*>& peers() const noexcept { return peers_; }
  /// Nobody takes part.
  [[nodiscard]] bool is_empty() const { return !has_selector() && candidates_.empty() && peers_.empty(); }

  /// Measures the candidates on all queries of a workload, where they are not on record, in a sweep of its own, whose
  /// times are not those of the table. @throws tuner::device_lost
  void measure_candidates(const tuner::workload_input& on);

 private:
  [[nodiscard]] std::optional<tuner::experiment_file> candidates_file() const;
  [[nodiscard]] tuner::experiment_file of_one_workload(const tuner::workload_input& wanted) const;

  const context& common_;
  std::unique_ptr<backends::backend> device_;
  tuner::variant_cache variants_;
  std::int64_t row_;
  std::optional<tuner::experiment_file> file_;  // with the candidates as its configurations
  std::vector<tuner::configuration> candidates_;
  std::vector<const peer*> peers_;
};

}  // namespace mlmq::compare
