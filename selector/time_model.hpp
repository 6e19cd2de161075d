// SPDX-License-Identifier: Apache-2.0
// How long a search will take: what is needed to weigh one place against another, where relative performance is not enough.
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

/// Milliseconds for each vertex and each edge at several places, from what is known of a workload: their logarithm is linear
/// in the logarithms of features, plus what some recorded workloads deviate from that, as far as the workload is like them.
/// Features beyond what was recorded count as the most extreme on record, so that times grow as the workload does; unknown ones
/// count as average. Logarithms are made of the bits of floats, so that the same record gives the same numbers on every
/// machine.
struct time_fit {
  std::vector<runtime::time_axis> axes;  ///< of some of the values that it is given, ascending
  std::vector<float> landmarks;          ///< axes × landmarks: where the workloads are whose deviations are known
  /// Terms × places: of 1, of each axis, and of the likeness to each landmark, (1 + d/4)^-4 of d = 0.16 Σ |difference|.
  std::vector<float> weights;
  std::vector<float> least;        ///< per place: the lowest logarithm on record
  std::vector<float> most;         ///< per place: the highest
  std::vector<float> least_items;  ///< per place: items of the smallest workload; a smaller one takes as long

  [[nodiscard]] std::size_t places() const { return least.size(); }
  [[nodiscard]] std::size_t landmark_count() const { return axes.empty() ? 0 : landmarks.size() / axes.size(); }

  /// Valid as long as this is, and `placed`: the axes, which may be of values elsewhere.
  [[nodiscard]] runtime::time_fit view(std::span<const runtime::time_axis> placed) const;

  /// @param values features; NaN: unknown
  /// @param items vertices and edges of the workload
  /// @return one for each place
  [[nodiscard]] std::vector<double> milliseconds(std::span<const float> values, double items) const;
};

/// What a search with a configuration took on the machine of the record, on a workload that any machine can make.
struct calibration {
  std::string workload;  ///< a generator's name
  std::string query;     ///< "source=0"
  double milliseconds = 0;
};

/// The workloads, small enough to be quick and large enough for the clock, with which a machine is compared with that of a
/// record: of few and of many edges a vertex.
inline constexpr const char* calibration_workloads[] = {"road12", "rmat12"};

/// Expected times. The first place is the device, with the best of the model's candidates; the others are the searchers.
struct time_model {
  /// A configuration for processors.
  struct searcher {
    std::string label;
    std::vector<calibration> calibrations;  ///< of calibration_workloads; none where they are not on record
  };

  std::string problem;                ///< what was solved: "sssp"; times of another problem are not expected
  std::vector<std::string> features;  ///< names of what by_features asks for; of those that the model's choice asks for
  time_fit by_size;                   ///< of the values vertices and edges: what can be said when nothing else is known
  time_fit by_features;
  std::string processors;           ///< of what processors the searchers' times are; "" without searchers
  unsigned processor_threads = 0;   ///< of these; 0: not known
  std::vector<searcher> searchers;  ///< by label; none when the record has no trials on processors
};

/// A workload of the record that is one of calibration_workloads.
struct calibration_input {
  std::string example;   ///< workload_example::name
  std::string workload;  ///< the generator's name
  std::string query;
};

/// Times of searches on processors, to be learned beside those of a device.
struct processor_record {
  training_set set;      ///< its workloads may be others than the device's
  std::string name;      ///< of the processors
  unsigned threads = 0;  ///< of these; 0: not known
  std::vector<calibration_input> calibrations;
};

/// Learns from the best time of each workload, and from what each candidate for processors took on it. A candidate that
/// succeeded on fewer than 10 workloads is left out. The order of the sets' records does not matter.
/// @param device the candidates that the model chooses from
/// @param processors null when there are no trials on processors
/// @param names of those features that the model's choice asks for; of weights only how unequal they are is used
/// @return nothing when the record does not have the sizes of its workloads, the features "m" and "nnz", or fewer than 10
/// workloads that were solved
[[nodiscard]] std::optional<time_model> fit_times(const training_set& device, const processor_record* processors,
                                                  std::span<const std::string> names, const std::string& problem);

/// @throws input_error when the sizes do not fit each other or a number is not finite
void check_times(const time_model& model);

}  // namespace mlmq::selector
