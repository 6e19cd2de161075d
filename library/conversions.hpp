// SPDX-License-Identifier: Apache-2.0
// Converts between the handles of the library and the types of the layers below it, for the command and for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mlmq/configuration.hpp"
#include "mlmq/device.hpp"
#include "mlmq/graph.hpp"
#include "mlmq/solver.hpp"

namespace mlmq::backends {
class backend;
struct device_info;
}  // namespace mlmq::backends
namespace mlmq::graph {
class csr_graph;
struct graph_size;
struct read_options;
}  // namespace mlmq::graph
namespace mlmq::selector {
class ranking_model;
}  // namespace mlmq::selector

namespace mlmq::detail {

/// Makes a handle for a device that was opened elsewhere, by a test.
[[nodiscard]] device adopt(std::unique_ptr<backends::backend> opened);
/// Returns the properties that the backend reports. Valid as long as a copy of the handle exists.
[[nodiscard]] const backends::device_info& info_of(const device& opened);

/// Makes a handle for a graph that was built elsewhere.
[[nodiscard]] digraph digraph_of(graph::csr_graph csr, std::string name, vertex default_source = 0);
/// Like digraph::open(), with all options of the reader.
[[nodiscard]] digraph open_digraph(const std::string& name, const graph::read_options& options);
/// Checks that a graph with integer weights fits on each member of a device. @throws memory_error
void require_room(const device& opened, const graph::graph_size& size, problem kind, const std::string& name);
/// Returns the rows of a graph. Valid as long as a copy of the handle exists.
[[nodiscard]] const graph::csr_graph& csr_of(const digraph& graph);

/// Which vertices a search reached.
struct reach {
  std::size_t vertices = 0;  ///< number of reached vertices
  double longest = 0;        ///< largest distance
};
[[nodiscard]] reach reach_of(const solution& answer);

/// Makes a handle for a model that was built or read elsewhere.
[[nodiscard]] model model_of(std::shared_ptr<const selector::ranking_model> ranking);

}  // namespace mlmq::detail
