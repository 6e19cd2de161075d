// SPDX-License-Identifier: Apache-2.0
// PHOLD, a benchmark of discrete-event simulation: the rate of events that a device executes with various queues.
//
//   mlmq::phold_simulator simulator(mlmq::device("cuda:0"), {.entities = 32768, .events = 128, .rate = 0.1});
//   mlmq::phold_run run = simulator.run_events(20'000'000);
//   double speed = run.events_per_second();
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mlmq/configuration.hpp"
#include "mlmq/device.hpp"
#include "mlmq/error.hpp"

namespace mlmq {

namespace detail {
struct access;
class phold_simulator_data;
struct phold_run_data;
}  // namespace detail

/// The simulated model (docs/internals/phold.md). Times are in units of virtual time.
struct phold_model {
  std::uint64_t entities = 1024;  ///< 1 to 2^24
  std::uint64_t events = 128;     ///< per entity, on average: 1 to 2^24; at most 2^30 in total
  double rate = 0.1;              ///< rate of the exponential delays: 10^-6 to 1000
  double lookahead = 10;          ///< minimum time between an event and the event it creates: 0.001 to 10^5
  std::uint64_t seed = 1;         ///< seed of all random draws, below 2^63
};

struct phold_options {
  /// Configurations to try, such as "solver=queues,queue=heap" (docs/reference/parameters.md, phold); "" means all
  /// defaults. The first that the device can run is used. Empty: the configurations that the model ranks.
  std::vector<std::string> configurations = {};
  mlmq::model model = mlmq::model::standard();  ///< used when `configurations` is empty
  double time_limit_ms = 60'000;                ///< for the simulation alone, above 0
  bool counters = false;                        ///< count work, which makes the simulation slower
};

/// A finished simulation. Events and hash are the same on every device, with every queue.
class MLMQ_API phold_run {
 public:
  [[nodiscard]] std::uint64_t events() const noexcept;
  /// Returns a hash of all executed events: entity, number, identity and time.
  [[nodiscard]] std::uint64_t hash() const noexcept;
  /// Returns the virtual time before which all events were executed.
  [[nodiscard]] double end() const noexcept;
  /// Returns the events per second of times().solve, which includes creating the initial events.
  [[nodiscard]] double events_per_second() const noexcept;

  [[nodiscard]] const mlmq::choice& choice() const noexcept;
  [[nodiscard]] const solve_times& times() const noexcept;
  /// Returns work by counter name ("windows", "moves"; `mlmq problems phold`); empty unless counters were requested.
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& counters() const noexcept;

  /// Repeats the simulation on processors, which may take long. The result is cached for other runs of the same model
  /// and end. @return "", or a readable error message
  [[nodiscard]] std::string check() const;

 private:
  friend struct detail::access;
  explicit phold_run(std::shared_ptr<const detail::phold_run_data> data) : data_(std::move(data)) {}
  std::shared_ptr<const detail::phold_run_data> data_;
};

/// A model on a device.
class MLMQ_API phold_simulator {
 public:
  /// @param options default options of the calls
  /// @throws input_error for an invalid model
  explicit phold_simulator(const device& device, const phold_model& model, phold_options options = {});

  /// Returns the model as text, in the syntax of `mlmq solve`.
  [[nodiscard]] const std::string& name() const noexcept;

  /// Returns the configuration that a run would try first, without compiling it. A run may skip it if the device turns
  /// out to be unable to run it. @throws input_error
  [[nodiscard]] mlmq::choice choose() const;
  [[nodiscard]] mlmq::choice choose(const phold_options& options) const;

  /// Executes all events before the virtual time `end`, from the start of the simulation. Runs share compiled kernels
  /// and memory.
  /// @throws input_error for an end that is not above 0 or too large for the model, an invalid configuration, a time
  ///   limit that is not above 0, or a model of another problem
  /// @throws unsuitable_error if the device can run none of the given configurations
  /// @throws search_error, compile_error, memory_error, device_error
  [[nodiscard]] phold_run run_until(double end);
  [[nodiscard]] phold_run run_until(double end, const phold_options& options);

  /// Like run_until(). The end is the smallest multiple of the lookahead before which a model in steady state executes
  /// at least `count` events. @throws like run_until(); input_error for a count that is not above 0
  [[nodiscard]] phold_run run_events(double count);
  [[nodiscard]] phold_run run_events(double count, const phold_options& options);

 private:
  std::shared_ptr<detail::phold_simulator_data> data_;
};

}  // namespace mlmq
