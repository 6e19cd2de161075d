// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/heavy_tail.hpp"
#include "graph/weights.hpp"

namespace mlmq::graph {
namespace {

constexpr unsigned log2_site = 8;         ///< pages of one site
constexpr unsigned log2_first_pages = 4;  ///< log2 of the number of pages that exist before any is copied
constexpr std::uint64_t most_times = 32;  ///< no page has more than this many times the average degree

/// Pages come in rounds. The first ones are spread evenly over all numbers; each further round puts a page in the
/// middle between any two neighbours. The page that is copied from so can be near in numbering and yet be older, and
/// what is old has been copied most often: that makes the power law.
class web_writer {
 public:
  web_writer(unsigned log2_vertices, const web_shape& shape, std::uint64_t seed)
      : log2_vertices_(log2_vertices),
        pages_(vertex_id{1} << log2_vertices),
        copied_(share_of_32_bits(shape.copied)),
        remote_(share_of_32_bits(shape.remote)),
        random_({0x776562 /* web */, log2_vertices, seed}) {
    const auto most = std::min<std::uint64_t>(static_cast<std::uint64_t>(shape.degree * most_times), pages_ - 1);
    first_link_.reserve(pages_ + std::size_t{1});
    first_link_.push_back(0);
    for (vertex_id page = 0; page < pages_; ++page) {
      first_link_.push_back(first_link_.back() + heavy_tailed(shape.degree, most, random_));
    }
    links_.resize(first_link_.back());
  }

  /// The links of all pages, one page after the other. The weights are left at 0.
  edge_list write() {
    vertex_id apart = pages_ >> std::min(log2_vertices_, log2_first_pages);
    for (std::uint64_t page = 0; page < pages_; page += apart) write_first(static_cast<vertex_id>(page));
    while (apart > 1) {
      apart /= 2;
      for (std::uint64_t page = apart; page < pages_; page += 2 * std::uint64_t{apart}) {
        write_copy(static_cast<vertex_id>(page), apart);
      }
    }
    edge_list edges;
    edges.sources.reserve(links_.size());
    for (vertex_id page = 0; page < pages_; ++page) edges.sources.insert(edges.sources.end(), degree(page), page);
    edges.targets = std::move(links_);
    edges.weight_bits.resize(edges.sources.size());
    return edges;
  }

 private:
  [[nodiscard]] std::size_t degree(vertex_id page) const {
    return first_link_[page + std::size_t{1}] - first_link_[page];
  }

  [[nodiscard]] bool happens(std::uint64_t share) { return (random_.next() >> 32) < share; }

  /// To the other half of the smallest block that holds both ends, all blocks up to the site alike; or anywhere.
  vertex_id new_link(vertex_id page) {
    if (happens(remote_)) return static_cast<vertex_id>(random_.below(pages_));
    const vertex_id half = vertex_id{1} << random_.below(std::min(log2_vertices_, log2_site));
    return page ^ half ^ static_cast<vertex_id>(random_.below(half));
  }

  void write_first(vertex_id page) {
    for (std::size_t i = 0; i < degree(page); ++i) links_[first_link_[page] + i] = new_link(page);
  }

  /// One of the 16 nearest pages that were there before this round.
  vertex_id prototype(vertex_id page, vertex_id apart) {
    const std::uint64_t steps = 2 * random_.below(16) + 1;  // less 16: from -15 to 15, odd
    return static_cast<vertex_id>((page + (steps + (std::uint64_t{pages_} - 16)) * apart) % pages_);
  }

  void write_copy(vertex_id page, vertex_id apart) {
    vertex_id origin = prototype(page, apart);
    std::size_t position = 0;
    for (std::size_t i = 0; i < degree(page); ++i, ++position) {
      // The page that is copied from may have fewer links: then another one's follow.
      if (position >= degree(origin)) {
        origin = prototype(page, apart);
        position = 0;
      }
      const bool copy = happens(copied_) && position < degree(origin);
      links_[first_link_[page] + i] = copy ? links_[first_link_[origin] + position] : new_link(page);
    }
  }

  unsigned log2_vertices_;
  vertex_id pages_;
  std::uint64_t copied_;
  std::uint64_t remote_;
  random_stream random_;
  std::vector<std::size_t> first_link_;
  std::vector<vertex_id> links_;
};

}  // namespace

csr_graph generate_web(unsigned log2_vertices, const web_shape& shape, std::uint64_t seed) {
  if (log2_vertices < 1 || log2_vertices > 30) {
    throw input_error(fmt::format("web: log2 of the vertices is {}, expected 1 to 30", log2_vertices));
  }
  const vertex_id pages = vertex_id{1} << log2_vertices;
  const auto most = static_cast<double>(std::min(pages - 1, 1000u));
  if (!(shape.degree >= 1 && shape.degree <= most)) {
    throw input_error(fmt::format("web: average degree {}, expected 1 to {}", shape.degree, most));
  }
  if (!(shape.copied >= 0 && shape.copied <= 1)) {
    throw input_error(fmt::format("web: a share of {} copied, expected 0 to 1", shape.copied));
  }
  if (!(shape.remote >= 0 && shape.remote <= 1)) {
    throw input_error(fmt::format("web: a share of {} remote, expected 0 to 1", shape.remote));
  }
  edge_list edges = web_writer(log2_vertices, shape, seed).write();
  fill_seeded_weights(edges, seed);
  return build_csr(pages, edges, {.symmetric = shape.undirected, .drop_self_loops = true, .merge_duplicates = true});
}

}  // namespace mlmq::graph
