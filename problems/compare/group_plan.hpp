// SPDX-License-Identifier: Apache-2.0
// Chooses the contestants of a group: the selector's choice, the best on record, every competitor and every peer.
#pragma once

#include <optional>
#include <vector>

#include "problems/compare/context.hpp"
#include "problems/compare/device_session.hpp"
#include "problems/compare/group_runner.hpp"

namespace mlmq::compare {

class group_plan {
 public:
  /// @param common, session, group, runner  must outlive this
  group_plan(const context& common, const device_session& session, const group& group, group_runner& runner)
      : common_(common), session_(session), group_(group), runner_(runner) {}

  /// Chooses the contestants and records their trials, for the interleaved rounds and for counting work. Records
  /// nothing if the caller stops the comparison. @throws tuner::device_lost
  void make();

 private:
  using configurations = std::vector<tuner::configuration>;

  [[nodiscard]] configurations choose();
  [[nodiscard]] tuner::configuration selected_configuration();
  [[nodiscard]] std::optional<tuner::configuration> best_on_record();
  [[nodiscard]] std::optional<tuner::configuration> best_competitor(const std::string& name);
  [[nodiscard]] std::optional<tuner::configuration> best_of_peer(const peer& program);
  [[nodiscard]] configurations ours_on_record() const;
  void measure_selected(const tuner::configuration& configuration);
  [[nodiscard]] std::optional<double> candidate_median(const peer& program, const tuner::configuration& configuration);

  const context& common_;
  const device_session& session_;
  const group& group_;
  group_runner& runner_;
};

}  // namespace mlmq::compare
