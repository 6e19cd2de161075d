// SPDX-License-Identifier: Apache-2.0
#include "graph/file_ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mlmq::graph {

file_ids file_ids::counted_from(std::uint64_t first, vertex_id count) {
  file_ids ids;
  ids.first_ = first;
  ids.count_ = count;
  return ids;
}

file_ids file_ids::listed(std::vector<std::uint64_t> ids) {
  const auto count = static_cast<vertex_id>(ids.size());
  if (ids.empty()) return {};
  file_ids result = counted_from(ids.front(), count);
  // Equal ids have a unique representation, so that equal graphs have equal hashes.
  if (ids.back() - ids.front() != std::uint64_t{count} - 1) {
    result.list_ = std::make_shared<const std::vector<std::uint64_t>>(std::move(ids));
  }
  return result;
}

std::optional<vertex_id> file_ids::find(std::uint64_t id) const noexcept {
  if (list_ != nullptr) {
    const auto match = std::lower_bound(list_->begin(), list_->end(), id);
    if (match == list_->end() || *match != id) return std::nullopt;
    return static_cast<vertex_id>(match - list_->begin());
  }
  if (id < first_ || id - first_ >= count_) return std::nullopt;
  return static_cast<vertex_id>(id - first_);
}

std::string file_ids::range_text() const {
  return fmt::format("{} to {}{}", id_of(0), id_of(count_ - 1), have_gaps() ? ", with gaps" : "");
}

std::string file_ids::absence_text(const std::string& graph_name, std::uint64_t id) const {
  return fmt::format("{} has no vertex {}; its ids run from {}", graph_name, id, range_text());
}

}  // namespace mlmq::graph
