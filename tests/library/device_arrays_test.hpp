// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of arrays on a device: a simulator that counts allocations, and rows in its memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/generate.hpp"
#include "graph/reference.hpp"
#include "library/conversions.hpp"
#include "mlmq/mlmq.hpp"
#include "sssp_test.hpp"

namespace mlmq::tests {

inline device simulator() { return detail::adopt(problems::tests::open_simulator()); }

struct real_device {
  std::unique_ptr<backends::backend> real = problems::tests::open_simulator();
};

/// The simulator, with counted allocations.
class watched_device final : real_device, public problems::tests::tampered_device {
 public:
  /// @param is_modelled false: the device's times count as measured, so that processors are compared with it
  explicit watched_device(bool is_modelled = true) : tampered_device(*real), info_(real->info()) {
    info_.modelled = is_modelled;
  }
  [[nodiscard]] const backends::device_info& info() const override { return info_; }

 private:
  backends::device_info info_;
};

struct watched {
  std::unique_ptr<watched_device> owned;
  watched_device& counts;
  device handle;

  explicit watched(bool is_modelled = true)
      : owned(std::make_unique<watched_device>(is_modelled)), counts(*owned), handle(detail::adopt(std::move(owned))) {}
};

/// Rows in device memory that belong to the caller.
class caller_rows {
 public:
  explicit caller_rows(const device& target) : target_(target) {}

  template <class T>
  const void* put(const std::vector<T>& values) {
    const std::shared_ptr<void> memory = target_.allocate(values.size() * sizeof(T));
    target_.write(memory.get(), values.data(), values.size() * sizeof(T));
    allocations_.push_back(memory);
    return memory.get();
  }

  enum class layout { apart, pairs, without_weights };

  device_rows upload(const graph::csr_graph& csr, unsigned offset_bits, layout order) {
    device_rows rows{.vertices = csr.vertex_count(), .edges = csr.edge_count(), .offset_bits = offset_bits};
    const std::vector<std::uint64_t> wide(csr.offsets().begin(), csr.offsets().end());
    rows.offsets = offset_bits == 64 ? put(wide) : put(std::vector<std::uint32_t>(wide.begin(), wide.end()));
    const std::vector<vertex> targets(csr.targets().begin(), csr.targets().end());
    const std::vector<std::uint32_t> weights(csr.weight_bits().begin(), csr.weight_bits().end());
    if (order == layout::pairs) {
      std::vector<std::uint32_t> pairs;
      for (std::size_t i = 0; i < targets.size(); ++i) pairs.insert(pairs.end(), {targets[i], weights[i]});
      rows.pairs = put(pairs);
    } else {
      rows.targets = put(targets);
      if (order == layout::apart) rows.weights = put(weights);
    }
    if (order != layout::without_weights && csr.weights() == graph::weight_type::float32) {
      rows.weight_type = number_type::float32;
    }
    return rows;
  }

 private:
  device target_;
  std::vector<std::shared_ptr<void>> allocations_;
};

inline graph::csr_graph small_graph(graph::weight_type type, const char* name = "rmat7") {
  const graph::csr_graph csr = graph::generate_named(name).graph;
  return type == graph::weight_type::float32 ? graph::with_weight_type(csr, graph::weight_type::float32) : csr;
}

inline std::vector<double> distances_of(const graph::csr_graph& csr, vertex source) {
  std::vector<double> distances;
  for (const graph::distance_bits bits : graph::dijkstra(csr, source)) {
    distances.push_back(graph::distance_value(csr.weights(), bits));
  }
  return distances;
}

inline std::vector<double> distances_of(const solution& answer, vertex count) {
  std::vector<double> distances;
  for (vertex v = 0; v < count; ++v) distances.push_back(answer.distance(v));
  return distances;
}

inline solve_options options_with(const std::string& configuration, bool keeps = false) {
  solve_options options;
  options.configurations = {configuration};
  options.keep_on_device = keeps;
  return options;
}

}  // namespace mlmq::tests
