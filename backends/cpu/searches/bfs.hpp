// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backends/cpu/searches/search.hpp"

namespace mlmq::cpu {

/// Direction-optimising breadth-first search (Beamer, Asanović, Patterson): small levels push to their neighbours; for
/// large levels, the unreached vertices search for a neighbour in them. Only for graphs with unit weights; without
/// reverse edges every level pushes. The calling thread searches small graphs alone.
class bfs final : public solver {
 public:
  bfs();
  ~bfs() override;
  [[nodiscard]] search_result run(thread_team& team, const search_request& request) override;

 private:
  struct member;   // state of one thread, kept between searches
  struct bitmaps;  // the current and the next level as sets of vertices
  template <class Layout, bool Counting>
  class search;

  std::vector<std::unique_ptr<member>> members_;
  std::unique_ptr<bitmaps> bitmaps_;
  thread_team caller_{1};  // searches small graphs
};

}  // namespace mlmq::cpu
