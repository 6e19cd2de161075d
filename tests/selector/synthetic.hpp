// SPDX-License-Identifier: Apache-2.0
// A synthetic record of trials in which the best configuration depends on the workload, and inputs for comparing
// models.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "selector/encoding.hpp"
#include "selector/forest.hpp"
#include "selector/inference.hpp"
#include "selector/train.hpp"
#include "tests/support/scratch_folder.hpp"

namespace mlmq::selector::synthetic {

/// The generator xorshift64*, which gives the same numbers everywhere.
class random {
 public:
  explicit random(std::uint64_t seed) : state_(seed * 2654435769U + 1) {}

  std::uint64_t next() {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return state_ * 0x2545f4914f6cdd1dU;
  }

  /// Returns a number in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

 private:
  std::uint64_t state_;
};

/// The features of the synthetic workloads: those of Table 2.
inline const std::vector<std::string> features{"m",       "nnz",        "avg_nnz",    "max_nnz",
                                               "dev_nnz", "avg_weight", "dev_weight", "max_weight"};

/// Returns workloads, half of them road-like, half power-law, with three sources (a group) per graph.
inline std::vector<workload_example> workloads(std::size_t count, random& numbers) {
  std::vector<workload_example> result;
  for (std::size_t i = 0; i < count; ++i) {
    const bool road = (i / 3) % 2 == 0;
    const double vertices = std::round(std::exp2(14.0 + 8.0 * numbers.uniform()));
    const double degree = road ? 2.0 + numbers.uniform() : 8.0 + 40.0 * numbers.uniform();
    const double weight = 1.0 + 1000.0 * numbers.uniform();
    result.push_back({fmt::format("workload-{:03}", i),
                      fmt::format("group-{}", i / 3),
                      road ? "road" : "power-law",
                      {vertices, std::round(vertices * degree), degree, road ? 9.0 : vertices / 10.0,
                       road ? 0.9 : degree * 4.0, weight, weight / 3.0, weight * 2.0}});
  }
  return result;
}

inline std::vector<candidate> candidates() {
  std::vector<candidate> result;
  const auto add = [&](std::vector<std::pair<std::string, std::string>> parameters) {
    std::string label;
    for (const auto& [name, value] : parameters) label += (label.empty() ? "" : ",") + name + "=" + value;
    result.push_back({label, std::move(parameters)});
  };
  for (const char* l2 : {"bucket", "heap", "vector"}) {
    for (const char* delta : {"0.5", "4", "32"}) {
      add({{"l1", "none"}, {"l2", l2}, {"delta", delta}});
      for (const char* nf : {"2", "8"}) add({{"l1", "near_far"}, {"nf", nf}, {"l2", l2}, {"delta", delta}});
    }
  }
  return result;
}

/// Returns the time of a configuration: its slowdown against an ideal queue. Road-like workloads are fastest with a
/// fine delta and a bucket queue, power-law workloads with a coarse delta and vectors, large workloads with the
/// near-far queue.
inline double milliseconds(const workload_example& workload, const candidate& configuration) {
  const bool road = workload.workload_class == "road";
  const bool large = workload.features[0] > 400000;
  double slowdown = 1.0;
  for (const auto& [name, value] : configuration.parameters) {
    if (name == "delta") slowdown += 0.3 * std::abs(std::log2(std::stod(value)) - (road ? -1.0 : 5.0));
    if (name == "l2") slowdown += value == (road ? "bucket" : "vector") ? 0.0 : value == "heap" ? 1.5 : 0.6;
    if (name == "l1") slowdown += (value == "near_far") == large ? 0.0 : 0.4;
    if (name == "nf") slowdown += value == "2" ? 0.1 : 0.0;
  }
  return 1e-6 * workload.features[1] * slowdown;
}

inline training_set make(std::size_t graph_count = 48, std::uint64_t seed = 1) {
  random numbers(seed);
  training_set set{features, workloads(graph_count, numbers), candidates(), {}};
  for (std::size_t g = 0; g < set.workloads.size(); ++g) {
    for (std::size_t c = 0; c < set.candidates.size(); ++c)
      set.observations.push_back(
          {g, c, milliseconds(set.workloads[g], set.candidates[c]) * (1.0 + 0.02 * numbers.uniform()), true});
  }
  return set;
}

/// Returns the same workloads with more features: one that decides the time and that not every workload has, one
/// without information, and one that is constant.
inline training_set make_wide(std::size_t graph_count = 48) {
  training_set set = make(graph_count);
  for (const char* const name : {"hops", "clustering", "reach_share"}) set.features.emplace_back(name);
  random numbers(5);
  for (std::size_t g = 0; g < set.workloads.size(); ++g) {
    const double hops = std::round(std::exp2(12.0 * numbers.uniform()));
    for (const double value : {g % 5 == 0 ? std::nan("") : hops, numbers.uniform(), 1.0})
      set.workloads[g].features.push_back(value);
    for (observation& measurement : set.observations) {
      if (measurement.workload == g && measurement.candidate % 4 == 1)
        measurement.milliseconds *= hops > 64 ? 0.3 : 3.0;
    }
  }
  return set;
}

/// Returns workloads of two kinds, which differ by the distance between the tail of their degrees and the average;
/// neither value alone separates the kinds. The first candidate is best for workloads with an even number.
inline training_set make_tailed(std::size_t graph_count = 40) {
  training_set set;
  set.features = {"avg_nnz", "degree_p99", "clustering", "avg_weight"};
  const std::vector<candidate> designed = candidates();
  set.candidates = {designed[0], designed[13]};
  random numbers(6);
  for (std::size_t g = 0; g < graph_count; ++g) {
    const double average = 2.0 + 60.0 * numbers.uniform();
    set.workloads.push_back({fmt::format("tailed-{:03}", g),
                             fmt::format("group-{}", g),
                             "power-law",
                             {average, average * (g % 2 == 0 ? 1.5 : 12.0), 0.25, 3.0}});
    for (std::size_t c = 0; c < 2; ++c) set.observations.push_back({g, c, c == g % 2 ? 1.0 : 2.0, true});
  }
  return set;
}

inline learning quick_settings(method kind = method::boosted) {
  learning settings = standard_learning(kind);
  if (kind == method::forest) {
    settings.trees.trees_per_round = 30;
    return settings;
  }
  settings.trees.rounds = 60;
  settings.trees.max_depth = 5;
  settings.trees.eta = 0.2;
  settings.trees.min_child_weight = 1;
  settings.trees.colsample = 0.6;
  return settings;
}

inline model quick_model(method kind = method::boosted) {
  return train_model(make(), quick_settings(kind), {"synthetic device", "simt", "modelled", "sssp", "0"});
}

/// Returns a model of two trees of depth 2 or less: small enough to test its file cut off at every byte.
inline model tiny_model() {
  learning settings = standard_learning(method::boosted);
  settings.trees.rounds = 2;
  settings.trees.max_depth = 2;
  training_set set = make(12);
  const std::array<std::size_t, 3> few{0, 8, 20};
  return train_model(keep_candidates(set, few), settings, {});
}

/// Returns inputs that reveal a wrong comparison: every cut and its neighbours, missing values, extreme numbers, and
/// random rows near the cuts.
/// @param cuts the thresholds of each input
inline std::vector<std::vector<float>> revealing_rows(std::vector<std::vector<float>> cuts, std::size_t random_rows,
                                                      random& numbers) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::size_t columns = cuts.size();
  // Cuts lie near values of the training data, so they are good random inputs.
  for (std::vector<float>& some : cuts) some.insert(some.end(), {0.0F, 1.0F});
  const auto random_row = [&] {
    std::vector<float> row;
    for (const std::vector<float>& values : cuts) {
      const float value = values[numbers.below(values.size())];
      const auto kind = numbers.below(8);
      row.push_back(kind == 0   ? std::numeric_limits<float>::quiet_NaN()
                    : kind == 1 ? value
                                : value * static_cast<float>(0.5 + numbers.uniform()));
    }
    return row;
  };
  std::vector<std::vector<float>> rows;
  for (std::size_t column = 0; column < columns; ++column) {
    std::vector<float> values{std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::denorm_min(),
                              -std::numeric_limits<float>::denorm_min(),
                              std::numeric_limits<float>::min(),
                              std::numeric_limits<float>::max(),
                              std::numeric_limits<float>::lowest(),
                              -0.0F};
    for (float cut : cuts[column]) {
      values.push_back(cut);
      values.push_back(std::nextafter(cut, infinity));
      values.push_back(std::nextafter(cut, -infinity));
    }
    for (float value : values) {
      rows.push_back(random_row());
      rows.back()[column] = value;
    }
  }
  rows.emplace_back(columns, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < random_rows; ++i) rows.push_back(random_row());
  return rows;
}

/// Returns the thresholds of each input in a set of trees.
inline std::vector<std::vector<float>> cuts_of(const tree_data& trees) {
  std::vector<std::vector<float>> cuts;
  for (std::size_t i = 0; i + 1 < trees.cut_begin.size(); ++i)
    cuts.emplace_back(trees.cuts.begin() + trees.cut_begin[i], trees.cuts.begin() + trees.cut_begin[i + 1]);
  return cuts;
}

/// Returns the thresholds of each input in some trees.
inline std::vector<std::vector<float>> cuts_of(const forest& trees, std::size_t inputs) {
  std::vector<std::vector<float>> cuts(inputs);
  for (std::size_t node = 0; node < trees.feature.size(); ++node) {
    if (trees.feature[node] >= 0 && static_cast<std::size_t>(trees.feature[node]) < inputs)
      cuts[static_cast<std::size_t>(trees.feature[node])].push_back(trees.value[node]);
  }
  return cuts;
}

/// Returns the features of a workload of the set that `chooser` uses, in the order of `chooser`.
inline feature_values model_inputs(const class selector& chooser, const training_set& set,
                                   const workload_example& workload) {
  return pick_features(chooser.features(), set.features, workload.features);
}

using tests::scratch_folder;

}  // namespace mlmq::selector::synthetic
