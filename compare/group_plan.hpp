// SPDX-License-Identifier: Apache-2.0
// Who takes part in a group: what the selector chooses, the best on record, every competitor and every peer.
#pragma once

#include <optional>
#include <vector>

#include "compare/context.hpp"
#include "compare/group_runner.hpp"
#include "compare/stage.hpp"

namespace mlmq::compare {

class group_plan {
 public:
  /// @param common, on, where, runner must outlive this
  group_plan(const context& common, const stage& on, const group& where, group_runner& runner)
      : common_(common), stage_(on), where_(where), runner_(runner) {}

  /// Settles who takes part and records their trials: in turns, and for the counting of work. Nothing is recorded when
  /// the caller stops it. @throws tuner::device_lost
  void make();

 private:
  using configurations = std::vector<tuner::configuration>;

  [[nodiscard]] configurations choose();
  [[nodiscard]] tuner::configuration selected();
  [[nodiscard]] std::optional<tuner::configuration> best_on_record();
  [[nodiscard]] std::optional<tuner::configuration> best_competitor(const std::string& name);
  [[nodiscard]] std::optional<tuner::configuration> best_of_peer(const peer& program);
  [[nodiscard]] configurations ours_on_record() const;
  void measure_selected(const tuner::configuration& chosen);
  [[nodiscard]] std::optional<double> candidate_median(const peer& program, const tuner::configuration& chosen);

  const context& common_;
  const stage& stage_;
  const group& where_;
  group_runner& runner_;
};

}  // namespace mlmq::compare
