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

constexpr unsigned log2_site = 8;         ///< log2 of the number of pages of one site
constexpr unsigned log2_first_pages = 4;  ///< log2 of the number of pages that exist before any is copied
constexpr std::uint64_t most_times = 32;  ///< no page has more than this many times the average degree

/// Pages come in rounds. The first pages are spread evenly over all numbers; each further round adds a page in the
/// middle between any two neighbours. Thus the copied page can have a nearby number and yet be older. Old pages have
/// been copied most often, which causes the power law.
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

  /// Returns the links of all pages, page by page. The weights are 0.
  edge_list write() {
    vertex_id page_spacing = pages_ >> std::min(log2_vertices_, log2_first_pages);
    for (std::uint64_t page = 0; page < pages_; page += page_spacing) write_first(static_cast<vertex_id>(page));
    while (page_spacing > 1) {
      page_spacing /= 2;
      for (std::uint64_t page = page_spacing; page < pages_; page += 2 * std::uint64_t{page_spacing}) {
        write_copy(static_cast<vertex_id>(page), page_spacing);
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

  /// Draws the target of a new link: a page in the other half of a block around `page`, where all block sizes up to the
  /// site are equally likely; or any page.
  vertex_id new_link(vertex_id page) {
    if (happens(remote_)) return static_cast<vertex_id>(random_.below(pages_));
    const vertex_id half = vertex_id{1} << random_.below(std::min(log2_vertices_, log2_site));
    return page ^ half ^ static_cast<vertex_id>(random_.below(half));
  }

  void write_first(vertex_id page) {
    for (std::size_t i = 0; i < degree(page); ++i) links_[first_link_[page] + i] = new_link(page);
  }

  /// Draws one of the 16 nearest pages that existed before this round.
  vertex_id prototype(vertex_id page, vertex_id page_spacing) {
    const std::uint64_t steps = 2 * random_.below(16) + 1;  // minus 16: an odd number from -15 to 15
    return static_cast<vertex_id>((page + (steps + (std::uint64_t{pages_} - 16)) * page_spacing) % pages_);
  }

  void write_copy(vertex_id page, vertex_id page_spacing) {
    vertex_id origin = prototype(page, page_spacing);
    std::size_t position = 0;
    for (std::size_t i = 0; i < degree(page); ++i, ++position) {
      // If the copied page has too few links, continue with the links of another page.
      if (position >= degree(origin)) {
        origin = prototype(page, page_spacing);
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
  uninitialized_vector<vertex_id> links_;
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
