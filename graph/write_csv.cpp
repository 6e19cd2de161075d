// SPDX-License-Identifier: Apache-2.0
#include "base/file_writer.hpp"
#include "graph/edge_lines.hpp"
#include "graph/formats.hpp"

namespace mlmq::graph {

void write_csv(const csr_graph& graph, const std::filesystem::path& file) {
  file_writer out(file);
  out.write("source,target,weight\n");
  write_edge_lines(graph, out, "", graph.ids(), ',');
  out.commit();
}

}  // namespace mlmq::graph
