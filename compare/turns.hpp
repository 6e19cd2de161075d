// SPDX-License-Identifier: Apache-2.0
// The rounds of a group. Everyone runs once in a round, in an order drawn anew for every round: what drifts (clocks,
// temperature, other users) hits all alike, and nobody always follows the same one.
#pragma once

#include <cstdint>
#include <vector>

#include "compare/context.hpp"
#include "compare/group_runner.hpp"
#include "compare/stage.hpp"
#include "db/records.hpp"

namespace mlmq::compare {

class turns {
 public:
  /// Claims what is not finished. @param common, on, where, runner must outlive this
  turns(const context& common, const stage& on, const group& where, group_runner& runner,
        const std::vector<db::planned_trial>& planned);

  /// Records everyone's samples, unless the caller stops it: then the trials are for whoever continues.
  /// @throws tuner::device_lost, after the trial that lost it is recorded
  void take();

 private:
  struct contestant {
    std::int64_t trial = 0;
    tuner::configuration chosen;
    const peer* program = nullptr;  // null: a configuration of the problem
    db::trial_result result = {};   // of all turns so far
    bool out = false;               // failed: has no more turns
  };

  void take_turn(contestant& one, std::uint64_t round);
  [[nodiscard]] db::trial_result measure(contestant& one, std::uint64_t round);
  [[nodiscard]] std::uint64_t samples_of_turn(const peer& program, std::uint64_t round) const;

  const context& common_;
  const stage& stage_;
  const group& where_;
  group_runner& runner_;
  std::vector<contestant> all_;
};

}  // namespace mlmq::compare
