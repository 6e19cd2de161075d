// SPDX-License-Identifier: Apache-2.0
// What is behind the handles of mlmq/mlmq.hpp.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "base/stopwatch.hpp"
#include "graph/csr.hpp"
#include "library/processors.hpp"
#include "mlmq/mlmq.hpp"
#include "selector/placement.hpp"
#include "selector/time_model.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"
#include "tuner/problem.hpp"

namespace mlmq::detail {

struct digraph_data {
  graph::csr_graph csr;
  std::string name;
  vertex default_source = 0;
  std::vector<std::string> notes = {};
};

struct device_data {
  explicit device_data(std::unique_ptr<backends::backend> opened);

  /// One call at a time on the device and on all its solvers.
  std::mutex mutex;
  std::unique_ptr<backends::backend> own;
  device_facts facts;
  selector::transfer_cost transfer;

  /// This machine's processors beside a GPU, from the first time that they are weighed.
  std::optional<processors> host;
};

/// The library's name for a type, and back.
[[nodiscard]] constexpr number_type number_type_of(graph::weight_type type) noexcept {
  switch (type) {
    case graph::weight_type::uint32:
      return number_type::uint32;
    case graph::weight_type::float32:
      return number_type::float32;
    case graph::weight_type::float64:
      break;
  }
  return number_type::float64;
}
[[nodiscard]] constexpr graph::weight_type type_of(number_type type) noexcept {
  switch (type) {
    case number_type::uint32:
      return graph::weight_type::uint32;
    case number_type::float32:
      return graph::weight_type::float32;
    case number_type::float64:
      break;
  }
  return graph::weight_type::float64;
}

/// A configuration that a model can choose.
struct ranked_label {
  std::string label;
  std::optional<double> predicted = std::nullopt;  ///< relative performance, where a model says it
};

/// A configuration for processors whose time a model expects, and what it took on the machine of the record.
struct searcher {
  std::string label;
  std::vector<selector::calibration> calibrations;
};

struct model_data {
  virtual ~model_data() = default;
  /// What to call it, for a person.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The problem that it was trained for, by the name of the tuner's; "": it is what the library has for any problem.
  [[nodiscard]] std::string_view trained_for() const { return trained_for_; }
  /// What it wants to know of a workload: of a graph names of graph::feature_definitions().
  [[nodiscard]] virtual std::span<const std::string_view> features() const = 0;
  /// Best first. `values`: one for each of features().
  [[nodiscard]] virtual std::vector<ranked_label> ranked(std::span<const double> values) const = 0;

  /// The problem of which it expects times, by the name of the tuner's; "" when it expects none.
  [[nodiscard]] std::string_view times_of() const { return times_of_; }
  /// The configurations for processors of which it does.
  [[nodiscard]] std::span<const searcher> searchers() const { return searchers_; }
  /// Threads of the machine of these times; 0: not known.
  [[nodiscard]] unsigned recorded_threads() const { return recorded_threads_; }
  /// Milliseconds of the best candidate on the device, then of each of searchers(), as far as the size of a graph tells.
  [[nodiscard]] virtual std::vector<double> expected_by_size(double vertices, double edges) const = 0;
  /// The same from what is known of the graph. `values`: one for each of features().
  [[nodiscard]] virtual std::vector<double> expected(std::span<const double> values, double vertices,
                                                     double edges) const = 0;

 protected:
  std::string name_ = "the model";
  std::string trained_for_;
  std::string times_of_;
  std::vector<searcher> searchers_;
  unsigned recorded_threads_ = 0;
};

/// Whether searches of graphs can be chosen by it.
[[nodiscard]] bool is_for_graphs(const model_data& model);

/// The way from a handle to what is behind it, and back.
struct access {
  template <class Handle, class Data>
  [[nodiscard]] static Handle make(std::shared_ptr<Data> data) {
    return Handle(std::move(data));
  }
  template <class Handle>
  [[nodiscard]] static const auto& get(const Handle& handle) {
    return *handle.data_;
  }
  template <class Handle>
  [[nodiscard]] static auto share(const Handle& handle) {
    return handle.data_;
  }
};

struct solution_data {
  solution_data(digraph searched, problem which, vertex from) : graph(std::move(searched)), kind(which), source(from) {}

  digraph graph;
  problem kind;
  vertex source;
  mlmq::choice chosen;
  solve_times times;
  std::vector<std::pair<std::string, double>> counters;
  std::vector<timeline_interval> timeline;
  graph::distance_array distances;

  /// Of a type of 4 bytes, or of float64.
  [[nodiscard]] const std::vector<graph::distance_bits>& narrow() const {
    return std::get<std::vector<graph::distance_bits>>(distances);
  }
  [[nodiscard]] const std::vector<graph::wide_distance_bits>& wide() const {
    return std::get<std::vector<graph::wide_distance_bits>>(distances);
  }
  [[nodiscard]] bool is_wide() const { return type() == graph::weight_type::float64; }

  /// The distances as floats, when they are that: made for the first caller that asks.
  mutable std::once_flag floats_made;
  mutable std::vector<float> floats;
  mutable std::vector<double> doubles;

  [[nodiscard]] graph::weight_type type() const {
    return kind == problem::bfs ? graph::weight_type::uint32 : access::get(graph).csr.weights();
  }
};

/// What to tell who takes `v` for a vertex of the graph.
[[nodiscard]] std::string not_a_vertex(const digraph& graph, vertex v);

/// @throws input_error unless it is a number above 0
void require_time_limit(double milliseconds);

/// A device that was opened elsewhere: a test's.
[[nodiscard]] device adopt(std::unique_ptr<backends::backend> opened);

/// What `work` gives, its exceptions of other layers as those of mlmq/error.hpp.
template <class Work>
auto translated(const Work& work) {
  try {
    return work();
  } catch (const backends::launch_error& error) {
    throw unsuitable_error(error.what());
  } catch (const backends::compile_error& error) {
    throw mlmq::compile_error(error.what());
  } catch (const backends::out_of_device_memory& error) {
    throw memory_error(error.what());
  } catch (const backends::kernel_fault& error) {
    throw device_error(error.what(), error.sticky);
  }
}

}  // namespace mlmq::detail
