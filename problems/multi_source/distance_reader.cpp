// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/distance_reader.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "graph/check.hpp"
#include "problems/growing_memory.hpp"
#include "problems/shortest_paths/parameters.hpp"

namespace mlmq::multi_source {
namespace {

using graph::weight_type;

/// Tasks per warp, so that all warps are busy until the end.
constexpr std::size_t tasks_per_warp = 4;
/// A task of fewer entries does not amortise its start and its end.
constexpr std::size_t least_piece_entries = 512;

std::uint64_t saturated_word(weight_type type) {
  if (type == weight_type::float64) return std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
  if (type == weight_type::float32) return std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity());
  return graph::saturated_distance;
}

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

/// The memory for results, on the device or on the host, and the launches.
class result_memory {
 public:
  result_memory(backends::backend& device, weight_type type) : device_(device), type_(type) {}

  /// Makes room for `words` results with the value `first`, and compiles the kernel.
  void begin(std::size_t words, std::uint64_t first, const backends::kernel_source& variant) {
    words_ = words;
    saturated_ = false;
    if (!is_on_device()) return host_.assign(words, first);
    if (kernel_ == nullptr) kernel_ = device_.compile(variant);
    memory_.reserve(device_, std::max<std::size_t>(words, 1) * sizeof(u64), "results of searches");
    flag_.reserve(device_, sizeof(u32), "whether a distance is too large");
    static_cast<void>(device_.measure([&] {
      device_.fill(memory_.memory(), 0, memory_.memory().bytes(), first == 0 ? 0 : 0xFF);
      device_.fill(flag_.memory(), 0, sizeof(u32), 0);
    }));
  }

  template <class Arguments>
  void launch(Arguments arguments, std::size_t tasks, std::size_t shared_bytes) {
    if (tasks == 0) return;
    arguments.results = memory_.as<u64>();
    arguments.saturated_flag = flag_.as<u32>();
    arguments.saturated = saturated_word(type_);
    constexpr std::size_t block_warps = reduction_threads / simt::warp_size;
    const std::size_t blocks =
        std::min<std::size_t>(resident_blocks(shared_bytes), (tasks + block_warps - 1) / block_warps);
    device_.launch(*kernel_, {.grid_blocks = static_cast<unsigned>(blocks),
                              .shared_bytes = shared_bytes,
                              .arguments = &arguments,
                              .argument_bytes = sizeof arguments,
                              .together = false});
  }

  [[nodiscard]] std::size_t resident_blocks(std::size_t shared_bytes) const {
    return std::max(1U, kernel_->resident_blocks(shared_bytes));
  }
  [[nodiscard]] bool is_on_device() const { return device_.info().grid; }
  [[nodiscard]] std::span<std::uint64_t> on_host(std::size_t first, std::size_t count) {
    return std::span(host_).subspan(first, count);
  }
  template <class Bits>
  void note(Bits distance) {
    if (distance == saturated_word(type_)) saturated_.store(true, std::memory_order_relaxed);
  }

  [[nodiscard]] std::vector<std::uint64_t> results() const {
    if (!is_on_device()) return host_;
    std::vector<std::uint64_t> words(words_);
    if (words_ > 0) device_.download(words.data(), memory_.memory(), words_ * sizeof(u64));
    return words;
  }
  [[nodiscard]] bool has_saturated() const {
    if (!is_on_device()) return saturated_;
    u32 flag = 0;
    device_.download(&flag, flag_.memory(), sizeof flag);
    return flag != 0;
  }

 private:
  backends::backend& device_;
  weight_type type_;
  std::shared_ptr<const backends::kernel> kernel_;
  problems::growing_memory memory_;
  problems::growing_memory flag_;
  std::vector<std::uint64_t> host_;
  std::atomic<bool> saturated_ = false;
  std::size_t words_ = 0;
};

class reducer final : public distance_reader {
 public:
  reducer(backends::backend& device, weight_type type, reduction quantity)
      : device_(device),
        type_(type),
        quantity_(std::move(quantity)),
        width_(reduction_width(quantity_)),
        results_(device, type) {
    if (width_ > most_reduction_words) throw std::logic_error("a reduction has too many words per search");
    if (!results_.is_on_device()) return;
    vertices_ = backends::uploaded(device, quantity_.vertices, "vertices of a reduction");
    values_ = backends::uploaded(device, quantity_.values, "values of vertices");
    limits_ = backends::uploaded(device, quantity_.limits, "limits of distances");
  }

  void begin(std::size_t searches) override {
    results_.begin(searches * width_, first_word(quantity_.kind), reduction_variant(quantity_.kind, type_));
  }

  void read(const distance_batch& batch) override {
    const std::size_t entries = quantity_.vertices.size();
    if (entries == 0) return;
    order_by_row(batch);
    const std::size_t shared_bytes = reduction_bytes(static_cast<u32>(width_));
    const std::size_t column_sets =
        batch.group_columns < simt::warp_size ? batch.columns : (batch.columns + simt::warp_size - 1) / simt::warp_size;
    const std::size_t enough_tasks =
        results_.resident_blocks(shared_bytes) * reduction_threads / simt::warp_size * tasks_per_warp;
    // The nearest vertices of several pieces cannot be combined.
    const std::size_t most_pieces =
        quantity_.kind == reduction_kind::nearest ? 1 : (entries + least_piece_entries - 1) / least_piece_entries;
    const std::size_t pieces = std::clamp<std::size_t>(enough_tasks / column_sets, 1, most_pieces);
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

  [[nodiscard]] std::vector<std::uint64_t> results() override { return results_.results(); }
  [[nodiscard]] bool has_saturated() override { return results_.has_saturated(); }

 private:
  /// Orders the entries of a sum by their rows, so that a warp reads memory in order. The device meanwhile searches.
  void order_by_row(const distance_batch& batch) {
    if (batch.vertex_rows == nullptr || batch.vertex_rows == ordered_by_ || quantity_.kind == reduction_kind::nearest)
      return;
    ordered_by_ = batch.vertex_rows;
    std::vector<u32> rows(std::size_t{std::ranges::max(quantity_.vertices)} + 1);
    device_.read(rows.data(), batch.vertex_rows, rows.size() * sizeof(u32));
    std::vector<u32> order(quantity_.vertices.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](u32 entry) { return rows[quantity_.vertices[entry]]; });
    std::vector<graph::vertex_id> vertices;
    for (const u32 entry : order) vertices.push_back(quantity_.vertices[entry]);
    device_.upload(vertices_, vertices.data(), vertices.size() * sizeof(graph::vertex_id));
    if (quantity_.values.empty()) return;
    std::vector<std::uint64_t> values;
    for (const u32 entry : order) values.push_back(quantity_.values[entry]);
    device_.upload(values_, values.data(), values.size() * sizeof(std::uint64_t));
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
  void read(const distance_batch& batch) override {
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
