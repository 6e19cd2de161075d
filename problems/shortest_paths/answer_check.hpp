// SPDX-License-Identifier: Apache-2.0
// Whether the distances that a search has left on the device are right.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"

namespace mlmq::problems {

/// Proves the first answer for a source edge by edge (graph::check_distances); shortest distances are unique, so that
/// equality with a proven answer proves the next.
class answer_check {
 public:
  enum class place {
    host,    ///< answers are copied to the host and compared there
    device,  ///< compared by a kernel, at the speed of device memory; a copy of the proven answer stays there
  };

  /// @param distances n of distance_bytes() on `device`, which a search writes; must outlive this, as must `device`
  answer_check(backends::backend& device, const graph::csr_graph& graph, const backends::device_memory& distances,
               place where);

  /// Where comparing is faster: a simulated device would simulate it, and that of processors is host memory anyway.
  [[nodiscard]] static place best_place(const backends::device_info& device);

  /// "" or what is wrong with the distances from `source`.
  /// @throws backends::kernel_fault
  [[nodiscard]] std::string operator()(graph::vertex_id source);

  /// Whether a distance of the answer that was found right last is beyond its type (graph::has_saturated()).
  [[nodiscard]] bool has_saturated() const { return saturated_; }

  /// The distances, as they are.
  [[nodiscard]] graph::distance_array download() const;

 private:
  /// Where the comparison runs, made when first needed.
  struct on_device {
    std::shared_ptr<const backends::kernel> compare;
    backends::device_memory proven;
    backends::device_memory differ;
  };

  /// As download(), to found_.
  void find();
  [[nodiscard]] bool is_proven(graph::vertex_id source);
  [[nodiscard]] bool is_equal_on_device() const;
  void keep(graph::vertex_id source);

  backends::backend& device_;
  graph::csr_graph graph_;
  const backends::device_memory& distances_;
  place where_;
  std::optional<graph::vertex_id> proven_source_;  // of one answer at a time: it is as large as the vertices
  bool saturated_ = false;                         // likewise
  graph::distance_array found_;                    // kept, since fresh memory costs more than copying into it
  graph::distance_array proven_;
  std::optional<on_device> on_device_;
};

}  // namespace mlmq::problems
