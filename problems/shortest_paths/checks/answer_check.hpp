// SPDX-License-Identifier: Apache-2.0
// Checks the distances that a search left on the device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"

namespace mlmq::problems {

/// Proves the first answer for a source edge by edge (graph::check_distances). Shortest distances are unique, so later
/// answers only have to equal the proven one.
class answer_check {
 public:
  enum class place {
    host,    ///< answers are copied to the host and compared there
    device,  ///< compared by a kernel, at the speed of device memory; a copy of the proven answer stays there
  };

  /// @param distances n of distance_bytes() on `device`, which a search writes; must outlive this, as must `device`
  answer_check(backends::backend& device, const graph::csr_graph& graph, const backends::device_memory& distances,
               place location);

  /// Returns the place where a comparison is faster. A simulated device would simulate it; the memory of processors is
  /// host memory.
  [[nodiscard]] static place best_place(const backends::device_info& device);

  /// Checks the distances from `source`.
  /// @return "" or a description of the first error
  /// @throws backends::kernel_fault
  [[nodiscard]] std::string operator()(graph::vertex_id source);

  /// Returns whether the last correct answer has a distance that is too large for its type (graph::has_saturated()).
  [[nodiscard]] bool has_saturated() const { return saturated_; }

  /// Downloads the distances without a check.
  [[nodiscard]] graph::distance_array download() const;

 private:
  /// Device memory and kernel of the comparison, created on first use.
  struct on_device {
    std::shared_ptr<const backends::kernel> compare;
    backends::device_memory proven;
    backends::device_memory differs;
  };

  /// Like download(), but into `downloaded_`.
  void download_answer();
  [[nodiscard]] bool is_proven(graph::vertex_id source);
  [[nodiscard]] bool is_equal_on_device() const;
  void keep(graph::vertex_id source);

  backends::backend& device_;
  graph::csr_graph graph_;
  const backends::device_memory& distances_;
  place location_;
  std::optional<graph::vertex_id> proven_source_;  // of the only proven answer, since one takes O(n) memory
  bool saturated_ = false;                         // of the proven answer
  graph::distance_array downloaded_;               // reused: allocating costs more than copying
  graph::distance_array proven_;
  std::optional<on_device> on_device_;
};

}  // namespace mlmq::problems
