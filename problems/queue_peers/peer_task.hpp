// SPDX-License-Identifier: Apache-2.0
// What a peer is asked: one workload and one query.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/records.hpp"
#include "problems/queue_peers/peer_file.hpp"
#include "tuner/query.hpp"
#include "tuner/workload.hpp"

namespace mlmq::queue_peers {

/// The numbers that a peer printed in lines "NAME NUMBER", in their order.
using printed_numbers = std::map<std::string, std::vector<double>>;

class peer_task {
 public:
  virtual ~peer_task() = default;

  /// Returns "", or why a peer cannot be asked this.
  [[nodiscard]] virtual std::string unfit_reason(const queue_peer& program) const = 0;

  /// Returns the values of the problem's placeholders. Writes the files that they name.
  [[nodiscard]] virtual std::map<std::string, std::string> values() = 0;

  /// Checks the answer of the last process. @return "" or a description of the first error
  [[nodiscard]] virtual std::string find_error(const printed_numbers& printed) = 0;

  /// Adds the counters of a correct answer.
  virtual void add_counters(const printed_numbers& printed, db::trial_result& result) const = 0;
};

/// @throws input_error if the workload cannot answer the query
[[nodiscard]] std::unique_ptr<peer_task> phold_task(const tuner::workload& workload, const tuner::query& query);
[[nodiscard]] std::unique_ptr<peer_task> astar_task(const tuner::workload& workload, const tuner::query& query);
[[nodiscard]] std::unique_ptr<peer_task> multi_source_task(const tuner::workload& workload, const tuner::query& query);

/// Returns the expected number of events that GPUPQ executes before the virtual time `end`. It counts time in integers:
/// the initial times and the delays, which are drawn from exponential distributions, are rounded down.
/// @param end, lookahead whole numbers
[[nodiscard]] double expected_events(double population, double rate, double lookahead, double end);

}  // namespace mlmq::queue_peers
