// SPDX-License-Identifier: Apache-2.0
#include "graph/file_ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"

namespace mlmq::graph {

struct file_ids::name_index {
  std::vector<std::string> names;
  std::unordered_map<std::string_view, vertex_id> vertices;  ///< the keys refer to `names`
};

file_ids file_ids::named(std::vector<std::string> names) {
  file_ids ids = counted_from(0, static_cast<vertex_id>(names.size()));
  const auto index = std::make_shared<name_index>();
  index->names = std::move(names);
  index->vertices.reserve(index->names.size());
  for (vertex_id v = 0; v < ids.count_; ++v) index->vertices.emplace(index->names[v], v);
  ids.names_ = index;
  return ids;
}

std::span<const std::string> file_ids::names() const noexcept {
  return names_ == nullptr ? std::span<const std::string>() : names_->names;
}

std::string file_ids::text_of(vertex_id v) const {
  return names_ == nullptr ? std::to_string(id_of(v)) : names_->names[v];
}

std::optional<vertex_id> file_ids::find(std::string_view text) const {
  if (names_ == nullptr) {
    const auto id = parse_id(text);
    return id ? find(*id) : std::nullopt;
  }
  const auto match = names_->vertices.find(text);
  return match == names_->vertices.end() ? std::nullopt : std::optional(match->second);
}

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

std::string file_ids::absence_text(const std::string& graph_name, std::string_view text) const {
  if (names_ != nullptr) {
    // Finding a similar name takes time in proportion to the number of names.
    constexpr std::size_t most_compared = 100'000;
    const std::string similar = names_->names.size() <= most_compared ? did_you_mean(text, names_->names) : "";
    return fmt::format("{} has no vertex '{}'; its vertices have names, such as '{}'{}", graph_name, text,
                       names_->names.front(), similar);
  }
  if (const auto id = parse_id(text)) return absence_text(graph_name, *id);
  return fmt::format("'{}' is not the id of a vertex; the ids of {} run from {}", text, graph_name, range_text());
}

std::optional<std::uint64_t> parse_id(std::string_view text) noexcept {
  const char* const end = text.data() + text.size();
  std::uint64_t id = 0;
  const auto whole = std::from_chars(text.data(), end, id);
  if (whole.ec == std::errc() && whole.ptr == end) return id <= file_ids::largest ? std::optional(id) : std::nullopt;
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  constexpr double first_inexact = 9007199254740992.0;  // 2^53
  double number = 0;
  const auto decimal = std::from_chars(text.data(), end, number);
  const bool is_id =
      decimal.ec == std::errc() && decimal.ptr == end && number < first_inexact && std::trunc(number) == number;
  return is_id ? std::optional(static_cast<std::uint64_t>(number)) : std::nullopt;
}

}  // namespace mlmq::graph
