// SPDX-License-Identifier: Apache-2.0
// PHOLD, the benchmark of discrete-event simulation: how many events a device executes in a second, with which queues.
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

/// What is simulated (docs/internals/phold.md). Times are in units of virtual time.
struct phold_model {
  std::uint64_t entities = 1024;  ///< 1 to 2^24
  std::uint64_t events = 128;     ///< of each entity, on average: 1 to 2^24, and 2^30 of all entities at most
  double rate = 0.1;              ///< of the exponential delays: 10^-6 to 1000
  double lookahead = 10;          ///< least time between an event and the one that it creates: 0.001 to 10^5
  std::uint64_t seed = 1;         ///< of all draws, below 2^63
};

struct phold_options {
  /// Empty: what the model ranks first among what the device can run. Otherwise the first of these that the device can run,
  /// as text, such as "solver=queues,queue=heap" (docs/reference/parameters.md, phold); "" is all defaults.
  std::vector<std::string> configurations = {};
  mlmq::model model = mlmq::model::standard();  ///< used when `configurations` is empty
  double time_limit_ms = 60'000;               ///< for the simulation alone, above 0
  bool counters = false;                       ///< count work, which makes the simulation slower
};

/// What was executed. Events and hash are the same on every device, with every queue.
class MLMQ_API phold_run {
 public:
  [[nodiscard]] std::uint64_t events() const noexcept;
  /// Of all executed events: entity, number, identity and time.
  [[nodiscard]] std::uint64_t hash() const noexcept;
  /// The virtual time before which all events were executed.
  [[nodiscard]] double end() const noexcept;
  /// By times().solve, which includes the creation of the events at the start.
  [[nodiscard]] double events_per_second() const noexcept;

  [[nodiscard]] const mlmq::choice& choice() const noexcept;
  [[nodiscard]] const solve_times& times() const noexcept;
  /// Work by name ("windows", "moves"; `mlmq problems phold`); empty unless it was asked for.
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& counters() const noexcept;

  /// Simulates once more on processors, which may take long: "", or what is wrong, for a person. The result is kept for
  /// other runs of the same model and end.
  [[nodiscard]] std::string check() const;

 private:
  friend struct detail::access;
  explicit phold_run(std::shared_ptr<const detail::phold_run_data> data) : data_(std::move(data)) {}
  std::shared_ptr<const detail::phold_run_data> data_;
};

/// A model on a device.
class MLMQ_API phold_simulator {
 public:
  /// @param options for calls that are given none
  /// @throws input_error for a model that there is not
  explicit phold_simulator(const device& where, const phold_model& what, phold_options options = {});

  /// The model as text, as for `mlmq solve`.
  [[nodiscard]] const std::string& name() const noexcept;

  /// What a run would choose now, without anything being compiled: a configuration that the device turns out not to be
  /// able to run is passed over only by a run. @throws input_error
  [[nodiscard]] mlmq::choice choose() const;
  [[nodiscard]] mlmq::choice choose(const phold_options& options) const;

  /// Executes all events before the virtual time `end`, from the beginning. Runs share compiled kernels and memory.
  /// @throws input_error for an end that is not above 0 or too late for the model, a configuration that there is not, a time
  ///   limit that is not above 0, or a model of another problem
  /// @throws unsuitable_error when the device can run none of the given configurations
  /// @throws search_error, compile_error, memory_error, device_error
  [[nodiscard]] phold_run run_until(double end);
  [[nodiscard]] phold_run run_until(double end, const phold_options& options);

  /// The same until the virtual time, in whole lookaheads, in which a model that has run for long executes at least `count`
  /// events. @throws as run_until(); input_error for a count that is not above 0
  [[nodiscard]] phold_run run_events(double count);
  [[nodiscard]] phold_run run_events(double count, const phold_options& options);

 private:
  std::shared_ptr<detail::phold_simulator_data> data_;
};

}  // namespace mlmq
