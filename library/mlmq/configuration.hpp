// SPDX-License-Identifier: Apache-2.0
// Configurations: what they are, who chooses them, and what it takes to work with one.
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

/// A selector: what says which configuration suits a graph, a map or a simulation.
class MLMQ_API model {
 public:
  /// What is used unless said otherwise: for a device that `mlmq tune` has installed a selector for, that one; else
  /// shipped(). An installed one that is damaged is passed over, with a warning on standard error.
  [[nodiscard]] static model standard();
  /// What is part of the library: a selector for each of them.
  [[nodiscard]] static model shipped();
  /// A file of `mlmq selector train` or `mlmq tune`; what it was trained for is what it can choose for. @throws input_error
  [[nodiscard]] static model read(const std::filesystem::path& file);

 private:
  friend struct detail::access;
  explicit model(std::shared_ptr<const detail::model_data> data) : data_(std::move(data)) {}
  std::shared_ptr<const detail::model_data> data_;
};

/// The configuration that `text` stands for, with every parameter that it leaves out: "delta=8,l2=bucket" with the
/// rest, sorted by name; docs/reference/parameters.md describes the parameters.
/// @throws input_error for a name, a value or a combination that there is not
[[nodiscard]] MLMQ_API std::string complete_configuration(const std::string& text);

/// A configuration, and who chose it.
struct choice {
  enum class chooser {
    caller,    ///< it was given
    model,     ///< the model ranked it first of what the device can run
    trial,     ///< it was the fastest of those that solver::try_out() tried
    times,     ///< expected times spoke for the processors instead of the solver's device
    standard,  ///< the default: of the problem for such graphs, or for want of anything better
    rule,      ///< a rule for graphs of one kind: levels of a graph with hubs, or the graph in parts
  };

  std::string configuration;  ///< complete
  std::string device;         ///< where it runs: the selector, "cuda:0"
  std::string device_name;    ///< "NVIDIA H200"
  chooser by = chooser::caller;
  std::optional<double> predicted = std::nullopt;  ///< relative performance, best time / time; not from all models
  std::string reason;                              ///< for a person
};

/// Milliseconds. What was there already takes none: a second search has no upload.
struct solve_times {
  /// To find what the model knows of a graph: on the device's clock where the graph has been brought there, and what
  /// was waited for samples of it, which a thread of this machine takes while solve() brings it there; none where its size
  /// was enough to choose. What is found of a map counts as choice.
  double features = 0;
  double choice = 0;      ///< to rank the candidates, and to find out how fast the processors are where that matters
  double upload = 0;      ///< to bring the graph, the map or the pairs to the device, device memory included
  double compile = 0;     ///< to compile the kernel, or to load it where it was compiled before: cached, or shipped
  double prepare = 0;     ///< to make the queues in device memory, or to split the graph into parts
  double solve = 0;       ///< what was asked for, on the device's clock; modelled where device_facts::modelled
  double download = 0;    ///< to bring the answer back; 0 where a small one is copied behind the search
  bool compiled = false;  ///< whether `compile` is more than loading
  /// To bring the rows of digraph::from_device() to the host, where something needed them there; in none of the others.
  double mirror = 0;
};

}  // namespace mlmq
