// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <tuple>
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
  template <class Bits>
  struct member;  // state of one thread for distances of the type Bits, kept between searches
  template <class Bits>
  using member_list = std::vector<std::unique_ptr<member<Bits>>>;
  template <class Layout, bool Counting>
  class search;

  /// Searches a graph whose distances are of the type Bits.
  template <class Bits>
  [[nodiscard]] search_result run_for(thread_team& team, const search_request& request);

  std::tuple<member_list<graph::distance_bits>, member_list<graph::wide_distance_bits>> members_;
};

}  // namespace mlmq::cpu
