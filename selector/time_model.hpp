// SPDX-License-Identifier: Apache-2.0
// Predicts how long a search takes. Comparing two places needs times; relative performance is not enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "selector/runtime.hpp"
#include "selector/training_set.hpp"

namespace mlmq::selector {

/// Predicts milliseconds per vertex and edge at several places. The logarithm of the time is linear in the logarithms
/// of features, plus the deviations of recorded workloads (landmarks), weighted by similarity. Features outside the
/// recorded range are clamped to it, so that times scale with the size of the workload; unknown features count as
/// average. Logarithms are computed from the bits of floats, so that the same record gives the same numbers on every
/// machine.
struct time_fit {
  std::vector<runtime::time_axis> axes;  ///< axes for some of the input values, ascending
  std::vector<float> landmarks;          ///< axes × landmarks: positions of the workloads with known deviations
  /// Terms × places. The terms are 1, each axis, and the similarity to each landmark, (1 + d/4)^-4 with d = 0.16 Σ
  /// |difference|.
  std::vector<float> weights;
  std::vector<float> least;        ///< per place: the lowest logarithm on record
  std::vector<float> most;         ///< per place: the highest
  std::vector<float> least_items;  ///< per place: items of the smallest workload; smaller ones take the same time

  [[nodiscard]] std::size_t places() const { return least.size(); }
  [[nodiscard]] std::size_t landmark_count() const { return axes.empty() ? 0 : landmarks.size() / axes.size(); }

  /// The view is valid as long as this object and `placed` are. @param placed the axes, possibly with other value
  /// indices
  [[nodiscard]] runtime::time_fit view(std::span<const runtime::time_axis> placed) const;

  /// @param values features; NaN: unknown
  /// @param items number of vertices and edges of the workload
  /// @return one time per place
  [[nodiscard]] std::vector<double> milliseconds(std::span<const float> values, double items) const;
};

/// A recorded time of a configuration on a workload that any machine can generate.
struct calibration {
  std::string workload;  ///< a generator's name
  std::string query;     ///< "source=0"
  double milliseconds = 0;
};

/// Workloads for comparing a machine with the machine of the record: small enough to be quick and large enough to time,
/// with few and with many edges per vertex.
inline constexpr const char* calibration_workloads[] = {"road12", "rmat12"};

/// Model of search times. The first place is the device, with the best of the model's candidates; the others are the
/// searchers.
struct time_model {
  /// A configuration for processors.
  struct searcher {
    std::string label;
    std::vector<calibration> calibrations;  ///< those of calibration_workloads that are on record
  };

  std::string problem;                ///< the solved problem: "sssp"; times of other problems are not predicted
  std::vector<std::string> features;  ///< names of the inputs of by_features; a subset of the model's features
  time_fit by_size;                   ///< inputs: vertices and edges; for workloads of which only the size is known
  time_fit by_features;
  std::string processors;           ///< name of the processors that the searchers ran on; "" without searchers
  unsigned processor_threads = 0;   ///< their threads; 0: unknown
  std::vector<searcher> searchers;  ///< by label; none when the record has no trials on processors
};

/// A recorded workload that is one of calibration_workloads.
struct calibration_input {
  std::string example;   ///< workload_example::name
  std::string workload;  ///< the generator's name
  std::string query;
};

/// Recorded searches on processors, for learning their times together with those of a device.
struct processor_record {
  training_set set;      ///< its workloads may differ from those of the device
  std::string name;      ///< name of the processors
  unsigned threads = 0;  ///< their threads; 0: unknown
  std::vector<calibration_input> calibrations;
};

/// Fits times to the best time of each workload on the device, and to the time of each candidate for processors.
/// Candidates that succeeded on fewer than 10 workloads are left out. The order of the sets' records does not matter.
/// @param device record with the candidates that the model chooses from
/// @param processors null if there are no trials on processors
/// @param names features of the model; features that measure the size of weights are not used
/// @return nothing if the record lacks the features "m" and "nnz", or has fewer than 10 solved workloads
[[nodiscard]] std::optional<time_model> fit_times(const training_set& device, const processor_record* processors,
                                                  std::span<const std::string> names, const std::string& problem);

/// @throws input_error if the sizes are inconsistent or a number is not finite
void check_times(const time_model& model);

}  // namespace mlmq::selector
