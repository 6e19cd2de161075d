// SPDX-License-Identifier: Apache-2.0
// Any workload of any problem on one device: chooses a configuration, compiles and prepares it, runs, and says what that
// took. The command `mlmq solve WORKLOAD` and the classes of libmlmq for maps and simulations are written with it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "library/search_types.hpp"
#include "problems/recommendation.hpp"
#include "problems/registry.hpp"
#include "tuner/workload.hpp"

namespace mlmq::detail {

/// The value of a feature by its name; NaN: unknown.
using feature_value = std::function<double(std::string_view)>;

/// What is asked of a run, whatever the problem.
struct run_request {
  /// Empty: what `chosen_by` ranks first among what the device can run. Otherwise the first of these that it can run.
  std::span<const std::string> configurations = {};
  model chosen_by = model::standard();
  tuner::instrumentation mode = tuner::instrumentation::none;
  /// What other options make of a configuration; empty: nothing.
  std::function<void(tuner::configuration&)> adapt = {};
  std::string what = {};     ///< who a failure belongs to, for a person
  std::size_t searches = 1;  ///< see problems::recommendation_request
};

struct run_result {
  tuner::run_report report;  ///< which is ok
  choice chosen;
  solve_times times;  ///< without `download`
};

/// Not thread-safe: who uses it has locked the device and entered it. The destructor does both itself.
class workload_runner {
 public:
  /// @param feature the value of a feature of the workload, NaN where it is unknown
  workload_runner(std::shared_ptr<device_data> on, const problems::problem_entry& of,
                  std::shared_ptr<const tuner::workload> what, feature_value feature);
  workload_runner(const workload_runner&) = delete;
  workload_runner& operator=(const workload_runner&) = delete;
  ~workload_runner();

  [[nodiscard]] device_data& device() const { return *device_; }

  /// Brings the workload to the device, unless it is there. @return milliseconds
  double upload();
  [[nodiscard]] bool is_resident() const { return instance_ != nullptr; }
  /// After upload().
  [[nodiscard]] tuner::problem_instance& instance() const { return *instance_; }

  /// What run() would try first. @throws input_error
  [[nodiscard]] choice choose(const run_request& asked);

  /// What run() would try without given configurations, best first. @throws input_error
  [[nodiscard]] const std::vector<attempt>& recommended(const model& chosen_by, std::size_t searches);

  /// Makes ready what the device can run of what is chosen, and calls `run` with the instance and times to add to.
  /// @throws input_error for configurations and models that the problem does not have
  /// @throws backends::launch_error when the device can run none
  /// @throws search_error when the report is not ok
  [[nodiscard]] run_result run(
      const run_request& asked,
      const std::function<tuner::run_report(tuner::problem_instance& ready, solve_times& times)>& run);

 private:
  [[nodiscard]] std::vector<attempt> attempts(const run_request& asked, solve_times& times);
  [[nodiscard]] const labelled_configuration& parsed(const std::string& text);
  void make_ready(const labelled_configuration& chosen, tuner::instrumentation mode, solve_times& times);
  [[nodiscard]] choice described(const attempt& tried) const;

  using variant_name = std::pair<std::string, tuner::instrumentation>;

  std::shared_ptr<device_data> device_;
  problems::problem_entry entry_;
  std::unique_ptr<tuner::problem> problem_;
  tuner::parameter_set parameters_;
  std::shared_ptr<const tuner::workload> workload_;
  feature_value feature_;

  std::map<std::shared_ptr<const model_data>, problems::recommender> recommenders_;
  std::shared_ptr<const model_data> ranker_;  ///< whose ranking is kept
  std::size_t ranked_searches_ = 0;           ///< for this number of searches
  std::vector<attempt> ranking_;
  std::map<std::string, labelled_configuration> given_;  ///< by the text: to read it takes as long as some searches

  std::unique_ptr<tuner::problem_instance> instance_;
  std::map<variant_name, std::shared_ptr<const backends::kernel>> kernels_;
  std::set<variant_name> unfit_;  ///< what the device turned out not to be able to run
  std::optional<variant_name> prepared_;
};

}  // namespace mlmq::detail
