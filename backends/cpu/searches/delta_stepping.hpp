// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backends/cpu/searches/search.hpp"

namespace mlmq::cpu {

/// Δ-stepping (Meyer and Sanders) that treats all edges alike and lets a thread finish small buckets alone ("bucket
/// fusion", Zhang et al.). The calling thread works alone while buckets are small, and all threads in phases otherwise
/// (bucket_phases.hpp).
class delta_stepping final : public solver {
 public:
  delta_stepping();
  ~delta_stepping() override;
  [[nodiscard]] search_result run(thread_team& team, const search_request& request) override;

 private:
  struct member;  // state of one thread, kept between searches
  template <class Layout, bool Counting>
  class search;

  std::vector<std::unique_ptr<member>> members_;
};

}  // namespace mlmq::cpu
