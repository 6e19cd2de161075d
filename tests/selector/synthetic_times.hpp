// SPDX-License-Identifier: Apache-2.0
// A synthetic record of a device whose times follow rules.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "selector/time_model.hpp"
#include "tests/selector/synthetic.hpp"

namespace mlmq::selector::synthetic {

/// Returns the time of a workload in milliseconds. A workload whose degrees are all alike ("dev_nnz" 0) is long and
/// thin: the device takes one step per vertex.
inline double device_ms(const workload_example& workload) {
  const double vertices = workload.features[0];
  const double edges = workload.features[1];
  return workload.features[4] == 0 ? 0.02 + 1e-3 * vertices : 0.02 + 1e-7 * (vertices + edges);
}

/// Returns workloads of 2^8 to 2^22 vertices; every eighth is long and thin.
inline std::vector<workload_example> workloads_of_all_sizes(std::size_t count, std::uint64_t seed = 7) {
  random numbers(seed);
  std::vector<workload_example> result;
  for (std::size_t i = 0; i < count; ++i) {
    const double vertices = std::round(std::exp2(8.0 + 14.0 * numbers.uniform()));
    const double degree = i % 8 == 0 ? 1.0 : 2.0 + 14.0 * numbers.uniform();
    const double deviation = i % 8 == 0 ? 0.0 : degree * (0.5 + numbers.uniform());
    result.push_back(
        {fmt::format("sized-{:03}", i),
         fmt::format("group-{}", i / 2),
         "road",
         {vertices, std::round(vertices * degree), degree, i % 8 == 0 ? 1.0 : degree * 4, deviation, 50, 20, 100}});
  }
  return result;
}

inline training_set device_record(std::size_t count = 96) {
  training_set set{features, workloads_of_all_sizes(count), {}, {}};
  for (const char* const label : {"first", "second"}) set.candidates.push_back({label, {{"name", label}}});
  for (std::size_t g = 0; g < set.workloads.size(); ++g) {
    const double best = device_ms(set.workloads[g]);
    set.observations.push_back({g, 0, best * (g % 2 == 0 ? 1 : 1.5), true});
    set.observations.push_back({g, 1, best * (g % 2 == 0 ? 1.5 : 1), true});
  }
  return set;
}

/// Returns a model that was trained on the record of the device.
inline model model_with_times(method kind = method::kernel) {
  model trained = train_model(device_record(), quick_settings(kind), {"a GPU", "cuda", "measured", "sssp", "0"});
  trained.times = fit_times(device_record(), trained.inputs.features, "sssp");
  return trained;
}

}  // namespace mlmq::selector::synthetic
