// SPDX-License-Identifier: Apache-2.0
// Configurations, models that choose them, and the times of a call.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "mlmq/error.hpp"

namespace mlmq {

namespace detail {
struct access;
struct model_data;
}  // namespace detail

/// A selector: a model that chooses the configuration for a graph, a map or a simulation.
class MLMQ_API model {
 public:
  /// Returns the default model: the selector that `mlmq tune` has installed for the device, or else shipped(). A
  /// damaged installed selector is ignored, with a warning on standard error.
  [[nodiscard]] static model standard();
  /// Returns the selectors that are part of the library.
  [[nodiscard]] static model shipped();
  /// Reads a file written by `mlmq selector train` or `mlmq tune`. The model can choose only for the problem that it
  /// was trained for. @throws input_error
  [[nodiscard]] static model read(const std::filesystem::path& file);

 private:
  friend struct detail::access;
  explicit model(std::shared_ptr<const detail::model_data> data) : data_(std::move(data)) {}
  std::shared_ptr<const detail::model_data> data_;
};

/// Returns the complete configuration for `text`: "delta=8,l2=bucket" plus all other parameters with their defaults,
/// sorted by name; docs/reference/parameters.md describes the parameters.
/// @throws input_error for an unknown name, an invalid value, or an unsupported combination
[[nodiscard]] MLMQ_API std::string complete_configuration(const std::string& text);

/// A configuration, and how it was chosen.
struct choice {
  /// Where a configuration comes from.
  enum class source {
    caller,    ///< given by the caller
    model,     ///< ranked first by the model among those that the device can run
    trial,     ///< the fastest of those that solver::try_out() tried
    times,     ///< the processors were expected to be faster than the solver's device
    standard,  ///< the default of the problem for such graphs, or of the library
    rule,      ///< a rule for one kind of graph: graphs with hubs, or partitioned search
  };

  std::string configuration;  ///< with all parameters
  std::string device;         ///< selector of the device that runs it: "cuda:0"
  std::string device_name;    ///< for example "NVIDIA H200"
  source chosen_by = source::caller;
  /// predicted relative performance, best time / time, if the model predicts it
  std::optional<double> predicted = std::nullopt;
  std::string reason;  ///< readable explanation
};

/// Durations in milliseconds. Steps whose result is reused take 0: a second search has no upload.
struct solve_times {
  /// Computing the features that the model needs: device time if the graph is on the device, plus the time spent
  /// waiting for samples that a host thread takes during the upload; 0 if the size of the graph is enough to choose.
  /// Features of a map count as choice.
  double features = 0;
  double choice = 0;      ///< ranking the candidates, and measuring the speed of the processors if needed
  double upload = 0;      ///< uploading the graph, map or pairs, including memory allocation
  double compile = 0;     ///< compiling the kernel, or loading it from the cache or the shipped kernels
  double prepare = 0;     ///< initialising the queues in device memory, or partitioning the graph
  double solve = 0;       ///< the search itself, in device time; modelled if device_facts::modelled
  double download = 0;    ///< downloading the answer; 0 if a small one was copied as part of the search
  bool compiled = false;  ///< whether `compile` includes compilation, not just loading
  /// Copying the rows of digraph::from_device() to the host, if needed; not included in the other times.
  double host_copy = 0;
};

}  // namespace mlmq
