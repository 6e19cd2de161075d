// SPDX-License-Identifier: Apache-2.0
#include "cli/replay_inputs.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "db/store.hpp"
#include "problems/registry.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/import_results.hpp"
#include "tuner/results_file.hpp"

namespace mlmq::cli {
namespace {

void add_database(const std::string& name, const std::string& experiment_name, std::vector<replay_input>& inputs) {
  const auto store = db::store::open(name, db::open_mode::read_only);
  const std::vector<db::experiment_row> experiments = store.experiments();
  if (experiment_name.empty() && experiments.size() != 1) {
    throw input_error(fmt::format("{}: has {} experiments; choose one with --experiment", name, experiments.size()));
  }
  const db::experiment_row experiment =
      experiment_name.empty() ? experiments.front() : store.find_experiment(experiment_name);
  const tuner::experiment_file file = tuner::parse_experiment(experiment.space_text, experiment.name);
  std::shared_ptr<const tuner::problem> problem;
  if (!file.problem.starts_with(tuner::imported_problem_prefix)) problem = problems::problem_of(file);
  for (tuner::recorded_workload& recorded : tuner::read_recorded(store, experiment)) {
    tuner::replayed_space space = tuner::space_of_recorded(experiment, problem.get(), recorded);
    inputs.push_back({std::move(recorded), std::move(space), problem});
  }
}

void add_results(const std::string& name, const std::optional<tuner::t1_input>& t1, std::vector<replay_input>& inputs) {
  tuner::results_file read = tuner::read_results_file(name);
  if (t1) tuner::convert_to_types(read, *t1);
  tuner::recorded_workload recorded = tuner::recorded_from(read);
  tuner::replayed_space space = tuner::space_of_recorded(t1 ? t1->space : tuner::space_definition{}, recorded);
  // Without a T1 input the file's configurations are all that is known of the space.
  if (!t1) space.is_whole = true;
  inputs.push_back({std::move(recorded), std::move(space), nullptr});
}

}  // namespace

std::vector<replay_input> read_replay_inputs(const replay_files& files) {
  std::optional<tuner::t1_input> t1;
  if (!files.t1.empty()) t1 = tuner::read_t1_input(files.t1);
  std::vector<replay_input> inputs;
  for (const std::string& name : files.names) {
    if (tuner::is_results_file(name)) {
      add_results(name, t1, inputs);
    } else {
      add_database(name, files.experiment, inputs);
    }
  }
  return inputs;
}

}  // namespace mlmq::cli
