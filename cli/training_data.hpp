// SPDX-License-Identifier: Apache-2.0
// From recorded trials to what the selector learns from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/records.hpp"
#include "db/store.hpp"
#include "selector/grouping.hpp"
#include "selector/model_file.hpp"
#include "selector/time_model.hpp"
#include "selector/training_set.hpp"

namespace mlmq::cli {

/// What an input of the training set is called by itself.
struct training_input {
  std::string graph;
  std::string graph_class;
  std::uint64_t source = 0;
};

struct training_data {
  selector::training_set set;          ///< an instance for each graph and source
  std::vector<training_input> inputs;  ///< one for each of set.graphs
  selector::time_source source;
  /// Of processors, when the record has trials on them beside those of another device.
  std::optional<selector::processor_record> processors = std::nullopt;
};

/// Which of the recorded devices are meant: parts of their names. Where a record has processors and other devices, it is
/// about the others: times of processors are only what these are weighed against.
struct recorded_devices {
  std::string device;  ///< may be empty when there is one only, or one beside processors
  /// May be empty when there is one kind of processors only; absent: their times are not wanted.
  std::optional<std::string> processors = std::nullopt;
};

/// The finished trials of one problem on one device, from one or more databases. The features of the set are those of
/// graph::feature_definitions() that any of its graphs has on record; where a graph lacks one of them, it is unknown.
/// @param groups which graphs are one group: see selector/grouping.hpp
/// @param devices which of those on record
/// @param scopes only trials of any of these; their problems are not looked at
/// @throws input_error when there are none, or several devices match (naming them): times of different devices, and
///   modelled and measured times, are never mixed
[[nodiscard]] training_data load_training_data(const std::vector<std::string>& databases, const std::string& problem,
                                               const recorded_devices& devices,
                                               const std::vector<db::trial_filter>& scopes = {{}},
                                               selector::grouping groups = selector::grouping::family);

}  // namespace mlmq::cli
