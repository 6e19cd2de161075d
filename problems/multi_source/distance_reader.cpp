// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/distance_reader.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "problems/multi_source/result_memory.hpp"
#include "problems/shortest_paths/parameters.hpp"

namespace mlmq::multi_source {
namespace {

using graph::weight_type;

/// A task of fewer entries does not amortise its start and its end.
constexpr std::size_t least_piece_entries = 512;

const char* name_of(reduction_kind kind) {
  switch (kind) {
    case reduction_kind::binned_sums:
      return "binned_sums";
    case reduction_kind::exponential_sum:
      return "exponential_sum";
    case reduction_kind::gaussian_sum:
      return "gaussian_sum";
    case reduction_kind::linear_sum:
      return "linear_sum";
    case reduction_kind::distance_sum:
      return "distance_sum";
    case reduction_kind::farthest:
      return "farthest";
    case reduction_kind::nearest:
      break;
  }
  return "nearest";
}

/// Ordering the entries takes about as long as reading this many searches of a road network out of order takes longer.
constexpr std::size_t least_ordered_searches = 64;

class reducer final : public distance_reader {
 public:
  reducer(backends::backend& device, weight_type type, reduction quantity)
      : device_(device),
        type_(type),
        quantity_(std::move(quantity)),
        width_(reduction_width(quantity_, type)),
        results_(device, type) {
    if (width_ > most_reduction_words) throw std::logic_error("a reduction has too many words per search");
    if (!results_.is_on_device()) return;
    vertices_ = backends::uploaded(device, quantity_.vertices, "vertices of a reduction");
    values_ = backends::uploaded(device, quantity_.values, "values of vertices");
    limits_ = backends::uploaded(device, quantity_.limits, "limits of distances");
  }

  void begin(std::size_t searches) override {
    is_worth_ordering_ = searches >= least_ordered_searches;
    results_.begin(searches * width_, first_word(quantity_.kind), reduction_variant(quantity_.kind, type_));
  }

  void read(const distance_batch& batch, multi_source_control*) override {
    const std::size_t entries = quantity_.vertices.size();
    if (entries == 0) return;
    order_by_row(batch);
    const std::size_t shared_bytes = reduction_bytes(static_cast<u32>(width_));
    const std::size_t column_sets =
        batch.group_columns < simt::warp_size ? batch.columns : (batch.columns + simt::warp_size - 1) / simt::warp_size;
    // The nearest vertices of several pieces cannot be combined.
    const std::size_t most_pieces =
        quantity_.kind == reduction_kind::nearest ? 1 : (entries + least_piece_entries - 1) / least_piece_entries;
    const std::size_t pieces =
        std::clamp<std::size_t>(results_.enough_tasks(shared_bytes) / column_sets, 1, most_pieces);
    results_.launch(reduction_arguments{.batch = batch,
                                        .vertices = vertices_.as<const u32>(),
                                        .values = values_.as<const u64>(),
                                        .limits = limits_.as<const u64>(),
                                        .results = nullptr,
                                        .saturated_flag = nullptr,
                                        .saturated = 0,
                                        .rate = quantity_.rate,
                                        .entries = static_cast<u32>(entries),
                                        .piece_entries = static_cast<u32>((entries + pieces - 1) / pieces),
                                        .width = static_cast<u32>(width_)},
                    column_sets * pieces, shared_bytes);
  }
  void read(std::size_t search, std::span<const graph::distance_bits> row) override { read_row(search, row); }
  void read(std::size_t search, std::span<const graph::wide_distance_bits> row) override { read_row(search, row); }

  [[nodiscard]] bool needs_sums_only() const override {
    return quantity_.has_all_vertices && type_ == weight_type::uint32 &&
           (quantity_.kind == reduction_kind::distance_sum || quantity_.kind == reduction_kind::farthest);
  }
  void read_sums(std::span<const multi_source_answer> sums) override {
    std::vector<std::uint64_t> words;
    for (const multi_source_answer& sum : sums) {
      results_.note(sum.farthest);
      if (quantity_.kind == reduction_kind::farthest) {
        words.push_back(sum.farthest);
      } else {
        words.insert(words.end(), {sum.digest - sum.reached, sum.reached});
      }
    }
    results_.replace(std::move(words));
  }

  [[nodiscard]] std::vector<std::uint64_t> results() override { return results_.results(); }
  [[nodiscard]] bool has_saturated() override { return results_.has_saturated(); }

 private:
  /// Orders the entries of a sum by their rows, so that a warp reads memory in order. The device meanwhile searches.
  void order_by_row(const distance_batch& batch) {
    if (batch.vertex_rows == nullptr || batch.vertex_rows == ordered_by_ || !is_worth_ordering_ ||
        quantity_.kind == reduction_kind::nearest)
      return;
    ordered_by_ = batch.vertex_rows;
    std::vector<u32> rows(std::size_t{std::ranges::max(quantity_.vertices)} + 1);
    device_.read(rows.data(), batch.vertex_rows, rows.size() * sizeof(u32));
    const std::vector<u32> order = entries_by_row(rows);
    std::vector<graph::vertex_id> vertices;
    for (const u32 entry : order) vertices.push_back(quantity_.vertices[entry]);
    device_.upload(vertices_, vertices.data(), vertices.size() * sizeof(graph::vertex_id));
    if (quantity_.values.empty()) return;
    std::vector<std::uint64_t> values;
    for (const u32 entry : order) values.push_back(quantity_.values[entry]);
    device_.upload(values_, values.data(), values.size() * sizeof(std::uint64_t));
  }

  /// Counting sort: the search of a large graph may take less time than a comparison sort of its vertices.
  /// @param rows  of the vertices
  [[nodiscard]] std::vector<u32> entries_by_row(std::span<const u32> rows) const {
    std::vector<u32> next(std::size_t{std::ranges::max(rows)} + 2);
    for (const graph::vertex_id v : quantity_.vertices) ++next[rows[v] + std::size_t{1}];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<u32> order(quantity_.vertices.size());
    for (u32 entry = 0; entry < order.size(); ++entry) order[next[rows[quantity_.vertices[entry]]]++] = entry;
    return order;
  }

  template <class Bits>
  void read_row(std::size_t search, std::span<const Bits> row) {
    reduce_row(quantity_, type_, row, results_.on_host(search * width_, width_));
    for (const graph::vertex_id v : quantity_.vertices) results_.note(row[v]);
  }

  backends::backend& device_;
  weight_type type_;
  reduction quantity_;
  std::size_t width_;
  result_memory results_;
  backends::device_memory vertices_;
  backends::device_memory values_;
  backends::device_memory limits_;
  bool is_worth_ordering_ = false;
  const u32* ordered_by_ = nullptr;  ///< rows by which the entries on the device are ordered
};

class pair_reader final : public distance_reader {
 public:
  pair_reader(backends::backend& device, weight_type type, std::vector<std::uint32_t> first_pair,
              std::vector<graph::vertex_id> vertices)
      : type_(type), first_pair_(std::move(first_pair)), vertices_(std::move(vertices)), results_(device, type) {
    if (!results_.is_on_device()) return;
    device_first_pair_ = backends::uploaded(device, first_pair_, "pairs of searches");
    device_vertices_ = backends::uploaded(device, vertices_, "vertices of pairs");
  }

  void begin(std::size_t searches) override {
    if (searches + 1 != first_pair_.size()) throw std::logic_error("pairs of other searches");
    results_.begin(vertices_.size(), no_result, pair_variant(type_));
  }
  void read(const distance_batch& batch, multi_source_control*) override {
    results_.launch(pair_arguments{.batch = batch,
                                   .first_pair = device_first_pair_.as<const u32>(),
                                   .vertices = device_vertices_.as<const u32>(),
                                   .results = nullptr,
                                   .saturated_flag = nullptr,
                                   .saturated = 0},
                    batch.columns, 0);
  }
  void read(std::size_t search, std::span<const graph::distance_bits> row) override { read_row(search, row); }
  void read(std::size_t search, std::span<const graph::wide_distance_bits> row) override { read_row(search, row); }

  [[nodiscard]] std::vector<std::uint64_t> results() override { return results_.results(); }
  [[nodiscard]] bool has_saturated() override { return results_.has_saturated(); }

 private:
  template <class Bits>
  void read_row(std::size_t search, std::span<const Bits> row) {
    const std::size_t first = first_pair_[search];
    const std::span<std::uint64_t> words = results_.on_host(first, first_pair_[search + 1] - first);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Bits distance = row[vertices_[first + i]];
      results_.note(distance);
      words[i] = distance == static_cast<Bits>(~Bits{0}) ? no_result : std::uint64_t{distance};
    }
  }

  weight_type type_;
  std::vector<std::uint32_t> first_pair_;
  std::vector<graph::vertex_id> vertices_;
  result_memory results_;
  backends::device_memory device_first_pair_;
  backends::device_memory device_vertices_;
};

}  // namespace

std::unique_ptr<distance_reader> make_reducer(backends::backend& device, weight_type type, reduction quantity) {
  return std::make_unique<reducer>(device, type, std::move(quantity));
}

std::unique_ptr<distance_reader> make_pair_reader(backends::backend& device, weight_type type,
                                                  std::vector<std::uint32_t> first_pair,
                                                  std::vector<graph::vertex_id> vertices) {
  return std::make_unique<pair_reader>(device, type, std::move(first_pair), std::move(vertices));
}

backends::kernel_source reduction_variant(reduction_kind kind, weight_type type) {
  return {.file = "reductions/reduce_distances.cu",
          .entry = "reduce_distances",
          .block_threads = reduction_threads,
          .defines = {{"MLMQ_REDUCTION", name_of(kind)}, {"MLMQ_DISTANCE", problems::distance_class(type)}},
          .folder = {}};
}

backends::kernel_source pair_variant(weight_type type) {
  return {.file = "reductions/read_pairs.cu",
          .entry = "read_pairs",
          .block_threads = reduction_threads,
          .defines = {{"MLMQ_DISTANCE", problems::distance_class(type)}},
          .folder = {}};
}

}  // namespace mlmq::multi_source
