// SPDX-License-Identifier: Apache-2.0
// Runs any workload of any problem on one device: chooses a configuration, compiles, prepares and runs it, and records
// the times. Used by the command `mlmq solve WORKLOAD` and by the libmlmq classes for maps and simulations.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "library/attempt.hpp"
#include "library/compiled_variants.hpp"
#include "mlmq/configuration.hpp"
#include "mlmq/device.hpp"
#include "problems/recommendation.hpp"
#include "problems/registry.hpp"
#include "tuner/problem.hpp"
#include "tuner/workload.hpp"

namespace mlmq::detail {

/// Returns the value of a feature by name, or NaN if it is unknown.
using feature_value = std::function<double(std::string_view)>;

/// A run of any problem.
struct run_request {
  /// Configurations to try: the first that the device can run is used. Empty: the configurations that `chosen_by`
  /// ranks.
  std::span<const std::string> configurations = {};
  model chosen_by = model::standard();
  tuner::instrumentation mode = tuner::instrumentation::none;
  /// Applies other options to a configuration; empty: no change.
  std::function<void(tuner::configuration&)> adapt = {};
  std::string description = {};                 ///< description of the run, for error messages
  problems::recommendation_request plans = {};  ///< used when `configurations` is empty
};

struct run_result {
  tuner::run_report report;  ///< its outcome is ok
  choice chosen;
  solve_times times;  ///< excluding `download`
};

/// Not thread-safe: the caller must have locked and entered the device. The destructor does both itself.
class workload_runner {
 public:
  /// @param feature  returns features of the workload
  /// @param host_copy_ms  see compiled_variants
  workload_runner(std::shared_ptr<device_data> device, const problems::problem_entry& problem,
                  std::shared_ptr<const tuner::workload> workload, feature_value feature,
                  host_copy_clock host_copy_ms = {});
  workload_runner(const mlmq::device& device, const problems::problem_entry& problem,
                  std::shared_ptr<const tuner::workload> workload, feature_value feature);
  workload_runner(const workload_runner&) = delete;
  workload_runner& operator=(const workload_runner&) = delete;
  ~workload_runner();

  [[nodiscard]] device_data& device() const { return *device_; }

  /// Uploads the workload unless it is already on the device. @return milliseconds
  double upload() {
    solve_times times;
    upload(times);
    return times.upload + times.host_copy;
  }
  [[nodiscard]] bool is_resident() const { return instance_ != nullptr; }
  /// Returns the instance. Requires upload().
  [[nodiscard]] tuner::problem_instance& instance() const { return *instance_; }

  /// Replaces the workload by a similar one.
  /// @param adopt  called with the instance, if there is one, to make it one of the new workload
  void replace_workload(std::shared_ptr<const tuner::workload> workload, feature_value feature,
                        const std::function<void(tuner::problem_instance&)>& adopt);

  /// Returns the configuration that run() would try first. @throws input_error
  [[nodiscard]] choice choose(const run_request& request);

  /// Returns the configurations that run() would try if none are given, best first. @throws input_error
  [[nodiscard]] const std::vector<attempt>& recommended(const model& chosen_by,
                                                        const problems::recommendation_request& plans);

  /// Prepares the first configuration that the device can run and calls `run` with the instance and the times to add
  /// to.
  /// @throws input_error  for configurations and models of another problem
  /// @throws backends::launch_error  if the device can run none of the configurations
  /// @throws search_error  if the outcome is not ok
  [[nodiscard]] run_result run(
      const run_request& request,
      const std::function<tuner::run_report(tuner::problem_instance& ready, solve_times& times)>& run);

 private:
  [[nodiscard]] std::vector<attempt> attempts(const run_request& request, solve_times& times);
  [[nodiscard]] const labelled_configuration& parsed(const std::string& text);
  void upload(solve_times& times);

  std::shared_ptr<device_data> device_;
  problems::problem_entry entry_;
  std::unique_ptr<tuner::problem> problem_;
  tuner::parameter_set parameters_;
  std::shared_ptr<const tuner::workload> workload_;
  feature_value feature_;
  host_copy_clock host_copy_ms_;

  std::map<std::shared_ptr<const model_data>, problems::recommender> recommenders_;
  std::shared_ptr<const model_data> ranker_;       ///< model of the cached ranking
  problems::recommendation_request ranked_plans_;  ///< of the cached ranking
  std::vector<attempt> ranking_;
  /// keyed by text, because parsing takes as long as several searches
  std::map<std::string, labelled_configuration> parsed_configurations_;

  std::unique_ptr<tuner::problem_instance> instance_;
  compiled_variants variants_;
};

}  // namespace mlmq::detail
