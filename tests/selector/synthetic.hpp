// SPDX-License-Identifier: Apache-2.0
// A made-up record of trials in which the best configuration depends on the graph, and inputs for
// comparing models.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "selector/encoding.hpp"
#include "selector/forest.hpp"
#include "selector/inference.hpp"
#include "selector/train.hpp"

namespace mlmq::selector::synthetic {

/// xorshift64*: the same numbers everywhere.
class random {
 public:
  explicit random(std::uint64_t seed) : state_(seed * 2654435769U + 1) {}

  std::uint64_t next() {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return state_ * 0x2545f4914f6cdd1dU;
  }

  /// In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

 private:
  std::uint64_t state_;
};

/// What the synthetic graphs have: the features of Table 2.
inline const std::vector<std::string> features{"m",       "nnz",        "avg_nnz",    "max_nnz",
                                               "dev_nnz", "avg_weight", "dev_weight", "max_weight"};

/// Half road-like, half power-law; three sources (a group) per graph.
inline std::vector<graph_example> graphs(std::size_t count, random& numbers) {
  std::vector<graph_example> result;
  for (std::size_t i = 0; i < count; ++i) {
    const bool road = (i / 3) % 2 == 0;
    const double vertices = std::round(std::exp2(14.0 + 8.0 * numbers.uniform()));
    const double degree = road ? 2.0 + numbers.uniform() : 8.0 + 40.0 * numbers.uniform();
    const double weight = 1.0 + 1000.0 * numbers.uniform();
    result.push_back({fmt::format("graph-{:03}", i),
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

/// Slowdown against an ideal queue: roads want a fine delta and a bucket queue, power-law graphs a
/// coarse one and vectors; large graphs want the near-far queue.
inline double milliseconds(const graph_example& graph, const candidate& one) {
  const bool road = graph.graph_class == "road";
  const bool large = graph.features[0] > 400000;
  double slowdown = 1.0;
  for (const auto& [name, value] : one.parameters) {
    if (name == "delta") slowdown += 0.3 * std::abs(std::log2(std::stod(value)) - (road ? -1.0 : 5.0));
    if (name == "l2") slowdown += value == (road ? "bucket" : "vector") ? 0.0 : value == "heap" ? 1.5 : 0.6;
    if (name == "l1") slowdown += (value == "near_far") == large ? 0.0 : 0.4;
    if (name == "nf") slowdown += value == "2" ? 0.1 : 0.0;
  }
  return 1e-6 * graph.features[1] * slowdown;
}

inline training_set make(std::size_t graph_count = 48, std::uint64_t seed = 1) {
  random numbers(seed);
  training_set set{features, graphs(graph_count, numbers), candidates(), {}};
  for (std::size_t g = 0; g < set.graphs.size(); ++g) {
    for (std::size_t c = 0; c < set.candidates.size(); ++c)
      set.observations.push_back(
          {g, c, milliseconds(set.graphs[g], set.candidates[c]) * (1.0 + 0.02 * numbers.uniform()), true});
  }
  return set;
}

/// The same graphs with more known of them: something that decides a time and that not every graph has, something that
/// tells nothing, and something that is the same everywhere.
inline training_set make_wide(std::size_t graph_count = 48) {
  training_set set = make(graph_count);
  for (const char* const name : {"hops", "clustering", "reach_share"}) set.features.emplace_back(name);
  random numbers(5);
  for (std::size_t g = 0; g < set.graphs.size(); ++g) {
    const double hops = std::round(std::exp2(12.0 * numbers.uniform()));
    for (const double value : {g % 5 == 0 ? std::nan("") : hops, numbers.uniform(), 1.0})
      set.graphs[g].features.push_back(value);
    for (observation& one : set.observations) {
      if (one.graph == g && one.candidate % 4 == 1) one.milliseconds *= hops > 64 ? 0.3 : 3.0;
    }
  }
  return set;
}

/// Graphs of two kinds, which differ by how far the tail of their degrees lies from the average: by neither alone. Even
/// ones are for the first candidate.
inline training_set make_tailed(std::size_t graph_count = 40) {
  training_set set;
  set.features = {"avg_nnz", "degree_p99", "clustering", "avg_weight"};
  const std::vector<candidate> all = candidates();
  set.candidates = {all[0], all[13]};
  random numbers(6);
  for (std::size_t g = 0; g < graph_count; ++g) {
    const double average = 2.0 + 60.0 * numbers.uniform();
    set.graphs.push_back({fmt::format("tailed-{:03}", g),
                          fmt::format("group-{}", g),
                          "power-law",
                          {average, average * (g % 2 == 0 ? 1.5 : 12.0), 0.25, 3.0}});
    for (std::size_t c = 0; c < 2; ++c) set.observations.push_back({g, c, c == g % 2 ? 1.0 : 2.0, true});
  }
  return set;
}

inline learning quick_settings(method how = method::relative) {
  learning settings = standard_learning(how);
  if (how == method::forest) {
    settings.trees.trees_per_round = 30;
    return settings;
  }
  settings.trees.rounds = 40;
  settings.trees.max_depth = 5;
  settings.trees.eta = 0.3;
  return settings;
}

inline model quick_model(method how = method::relative) {
  return train_model(make(), quick_settings(how), {"synthetic device", "simt", "modelled", "sssp", "0"});
}

/// Two trees of depth 2 or less: small enough to cut at every byte.
inline model tiny_model() {
  learning settings = standard_learning(method::relative);
  settings.trees.rounds = 2;
  settings.trees.max_depth = 2;
  training_set set = make(12);
  const std::array<std::size_t, 3> few{0, 8, 20};
  return train_model(keep_candidates(set, few), settings, {});
}

/// Inputs around which a wrong comparison shows: every threshold and its neighbours, missing
/// values, extreme numbers, and random rows near the training data. `columns` inputs each.
inline std::vector<std::vector<float>> revealing_rows(const forest& trees, std::size_t columns, std::size_t random_rows,
                                                      random& numbers) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  // Splits compare with values of the training data, so thresholds are good random inputs.
  std::vector<std::vector<float>> thresholds(columns, {0.0F, 1.0F});
  for (std::size_t node = 0; node < trees.feature.size(); ++node) {
    if (trees.feature[node] >= 0 && static_cast<std::size_t>(trees.feature[node]) < columns)
      thresholds[static_cast<std::size_t>(trees.feature[node])].push_back(trees.value[node]);
  }
  const auto random_row = [&] {
    std::vector<float> row;
    for (const std::vector<float>& values : thresholds) {
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
    for (float threshold : thresholds[column]) {
      values.push_back(threshold);
      values.push_back(std::nextafter(threshold, infinity));
      values.push_back(std::nextafter(threshold, -infinity));
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

/// What `chooser` wants to know of a graph of the set.
inline graph_features known(const class selector& chooser, const training_set& set, const graph_example& graph) {
  return pick_features(chooser.features(), set.features, graph.features);
}

/// Of a row with a value for each of the model's features those that `chooser` (a selector or scorer::graph) asks for.
template <typename Chooser>
std::vector<double> asked(const Chooser& chooser, const model& trained, const std::vector<float>& row) {
  const std::vector<double> values(row.begin(), row.end());
  if constexpr (std::is_same_v<Chooser, class selector>) {
    return pick_features(chooser.features(), trained.graph.features, values);
  } else {
    return pick_features(chooser.features, trained.graph.features, values);
  }
}

/// What the model should predict of every candidate (fastest) on every row of graph features, from XGBoost's own
/// predictions.
inline std::vector<float> predicted_by_xgboost(const model& trained, const std::vector<std::vector<float>>& graphs) {
  dense_matrix matrix{0, trained.feature_names.size(), {}};
  for (const auto& graph : graphs) {
    const std::vector<float> inputs = trained.graph.inputs(std::vector<double>(graph.begin(), graph.end()));
    for (const auto& encoding : trained.encodings) {
      matrix.values.insert(matrix.values.end(), inputs.begin(), inputs.end());
      matrix.values.insert(matrix.values.end(), encoding.begin(), encoding.end());
      ++matrix.rows;
    }
  }
  std::vector<float> sums(matrix.rows, 0.0F);
  for (const model_member& member : trained.members) {
    if (parse_xgboost_json(member.xgboost_json).outputs > 1) {
      dense_matrix only_graphs{graphs.size(), trained.graph.size(), {}};
      for (std::size_t row = 0; row < matrix.rows; row += trained.candidates.size()) {
        const auto first = matrix.values.begin() + static_cast<std::ptrdiff_t>(row * matrix.columns);
        only_graphs.values.insert(only_graphs.values.end(), first,
                                  first + static_cast<std::ptrdiff_t>(trained.graph.size()));
      }
      std::vector<float> starts;
      for (std::size_t row = 0; !member.starts.empty() && row < graphs.size(); ++row)
        starts.insert(starts.end(), member.starts.begin(), member.starts.end());
      const auto predicted = xgboost_model::from_json(member.xgboost_json).predict(only_graphs, starts);
      for (std::size_t row = 0; row < matrix.rows; ++row) sums[row] += member.weight * predicted.at(row);
      continue;
    }
    std::vector<float> starts;
    for (std::size_t row = 0; !member.starts.empty() && row < matrix.rows; ++row)
      starts.push_back(member.starts[row % trained.candidates.size()]);
    const auto predicted = xgboost_model::from_json(member.xgboost_json).predict(matrix, starts);
    for (std::size_t row = 0; row < matrix.rows; ++row) sums[row] += member.weight * predicted[row];
  }
  return sums;
}

/// A folder that is gone when the test ends.
class scratch_folder {
 public:
  scratch_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mlmq-selector-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a scratch folder");
    path_ = pattern;
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace mlmq::selector::synthetic
