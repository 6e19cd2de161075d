// SPDX-License-Identifier: Apache-2.0
#include "graph/delaunay.hpp"

#include <algorithm>
#include <boost/polygon/voronoi.hpp>
#include <numeric>

namespace mlmq::graph {
namespace {

using diagram = boost::polygon::voronoi_diagram<double>;

/// Returns the position of the first occurrence of each distinct point, sorted by x, then y. Adds an edge for each
/// later occurrence.
std::vector<vertex_id> first_occurrences(std::span<const grid_point> points,
                                         std::vector<std::pair<vertex_id, vertex_id>>& edges) {
  std::vector<vertex_id> order(points.size());
  std::iota(order.begin(), order.end(), vertex_id{0});
  std::sort(order.begin(), order.end(), [&](vertex_id a, vertex_id b) {
    const grid_point p = points[a];
    const grid_point q = points[b];
    if (p.x != q.x) return p.x < q.x;
    if (p.y != q.y) return p.y < q.y;
    return a < b;
  });
  std::size_t count = 0;
  for (const vertex_id v : order) {
    if (count > 0 && points[order[count - 1]].x == points[v].x && points[order[count - 1]].y == points[v].y) {
      edges.emplace_back(order[count - 1], v);
    } else {
      order[count++] = v;
    }
  }
  order.resize(count);
  return order;
}

}  // namespace

std::vector<std::pair<vertex_id, vertex_id>> delaunay_edges(std::span<const grid_point> points) {
  std::vector<std::pair<vertex_id, vertex_id>> edges;
  const std::vector<vertex_id> sites = first_occurrences(points, edges);
  if (sites.size() > 1) {
    boost::polygon::voronoi_builder<std::int32_t> builder;
    for (const vertex_id v : sites) builder.insert_point(points[v].x, points[v].y);
    diagram voronoi;
    builder.construct(&voronoi);
    const auto add = [&edges](vertex_id a, vertex_id b) { edges.emplace_back(std::min(a, b), std::max(a, b)); };
    const auto site_of = [&sites](const diagram::edge_type& edge) { return sites[edge.cell()->source_index()]; };

    // Sites whose cells share a side are neighbours. The list contains both halves of each side.
    for (const diagram::edge_type& edge : voronoi.edges()) {
      const vertex_id a = site_of(edge);
      const vertex_id b = site_of(*edge.twin());
      if (a < b) add(a, b);
    }
    // Where more than three cells meet, their sites lie on one empty circle, and the edges between neighbouring sites
    // enclose a convex polygon without a triangulation.
    std::vector<vertex_id> around;
    for (const diagram::vertex_type& vertex : voronoi.vertices()) {
      around.clear();
      const diagram::edge_type* edge = vertex.incident_edge();
      do {
        around.push_back(site_of(*edge));
        edge = edge->rot_next();
      } while (edge != vertex.incident_edge());
      if (around.size() <= 3) continue;
      std::rotate(around.begin(), std::min_element(around.begin(), around.end()), around.end());
      for (std::size_t i = 2; i + 1 < around.size(); ++i) add(around[0], around[i]);
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace mlmq::graph
