// SPDX-License-Identifier: Apache-2.0
// Outcome of a sweep, for callers that use its trials or run further sweeps.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "db/records.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::tuner {

struct sweep_outcome {
  std::string experiment = {};                  ///< its name
  std::vector<std::string> workloads = {};      ///< content hashes, in the order of the experiment
  std::vector<std::string> left_out = {};       ///< files of workloads that were left out
  std::vector<db::device_record> devices = {};  ///< one per worker
  std::vector<unfit_configuration> unfit = {};  ///< configurations that were left out
  std::size_t done = 0;                         ///< finished trials
  std::size_t failed = 0;                       ///< failed trials, including earlier runs
  std::size_t elsewhere = 0;                    ///< trials that another sweep is measuring
  bool interrupted = false;                     ///< whether Ctrl-C ended it
  bool out_of_time = false;                     ///< whether the time limit ended it
};

}  // namespace mlmq::tuner
