// SPDX-License-Identifier: Apache-2.0
// Memory of devices that callers fill and read themselves, and graphs whose rows are there.
#include <fmt/format.h>

#include <bit>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "library/impl.hpp"
#include "problems/shortest_paths/device_rows.hpp"

namespace mlmq {
namespace detail {

double digraph_data::mirror_ms() const { return elsewhere == nullptr ? 0.0 : elsewhere->mirror_ms.load(); }

bool rows_on_device::are_on(const backends::backend& device) const {
  if (where->own.get() == &device) return true;
  // The same GPU opened twice: both have its primary context.
  const backends::device_info& one = where->own->info();
  const backends::device_info& other = device.info();
  return one.kind == "cuda" && other.kind == "cuda" && one.uuid == other.uuid;
}

namespace {

constexpr vertex most_vertices = no_vertex - 1;

void require_aligned(const char* what, const void* address, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes == 0) return;
  throw input_error(fmt::format("{}: {} is not a multiple of {} bytes, the size of one", what, address, bytes));
}

/// What a look at the pointers tells.
problems::device_rows checked_shape(const device_rows& rows) {
  if (rows.vertices == 0) throw input_error("graph: no vertices, expected at least one");
  if (rows.vertices > most_vertices) {
    throw input_error(fmt::format("graph: {} vertices, at most {} are possible", rows.vertices, most_vertices));
  }
  if (rows.offset_bits != 32 && rows.offset_bits != 64) {
    throw input_error(fmt::format("the offsets: {} bits, expected 32 or 64", rows.offset_bits));
  }
  if (rows.offset_bits == 32 && rows.edges > std::numeric_limits<std::uint32_t>::max()) {
    throw input_error(fmt::format("the offsets: {} edges cannot be counted with 32 bits", rows.edges));
  }
  if (rows.offsets == nullptr) throw input_error("the offsets: there are none");
  if (rows.pairs != nullptr && (rows.targets != nullptr || rows.weights != nullptr)) {
    throw input_error("there are pairs, and targets or weights beside them: expected one or the other");
  }
  if (rows.pairs == nullptr && rows.targets == nullptr && rows.edges > 0) {
    throw input_error(fmt::format("there are neither targets nor pairs for {} edges", rows.edges));
  }
  if (rows.weight_type == number_type::float64) {
    throw input_error("weights of float64 cannot be searched where they are: use from_rows(), or float32");
  }
  const bool has_weights = rows.weights != nullptr || rows.pairs != nullptr;
  if (!has_weights && rows.edges > 0 && rows.weight_type != number_type::uint32) {
    throw input_error("there are no weights, so that all are 1, of type uint32: not float32");
  }
  require_aligned("the offsets", rows.offsets, rows.offset_bits / 8);
  require_aligned("the targets", rows.targets, sizeof(vertex));
  require_aligned("the weights", rows.weights, sizeof(std::uint32_t));
  require_aligned("the pairs", rows.pairs, sizeof(std::uint64_t));
  return {.vertices = rows.vertices,
          .edges = rows.edges,
          .offsets = rows.offsets,
          .wide_offsets = rows.offset_bits == 64,
          .targets = static_cast<const std::uint32_t*>(rows.targets),
          .weights = static_cast<const std::uint32_t*>(rows.weights),
          .pairs = static_cast<const std::uint64_t*>(rows.pairs),
          .type = rows.weight_type == number_type::float32 ? graph::weight_type::float32 : graph::weight_type::uint32};
}

/// @throws input_error unless all arrays are memory of the device
void require_memory_of(backends::backend& device, const problems::device_rows& rows) {
  const auto require = [&](const void* array, std::uint64_t count, std::size_t bytes, const char* what) {
    if (array == nullptr) return;
    if (count > std::numeric_limits<std::size_t>::max() / bytes) throw input_error(fmt::format("{}: too many", what));
    (void)device.borrow(const_cast<void*>(array), count * bytes, what);
  };
  require(rows.offsets, std::uint64_t{rows.vertices} + 1,
          rows.wide_offsets ? sizeof(std::uint64_t) : sizeof(std::uint32_t), "the offsets");
  require(rows.targets, rows.edges, sizeof(std::uint32_t), "the targets");
  require(rows.weights, rows.edges, sizeof(std::uint32_t), "the weights");
  require(rows.pairs, rows.edges, sizeof(std::uint64_t), "the pairs");
}

/// Reads single numbers of rows, to say what is wrong with them.
class row_reader {
 public:
  row_reader(backends::backend& device, const problems::device_rows& rows) : device_(device), rows_(rows) {}

  [[nodiscard]] std::uint64_t offset(std::uint64_t at) const {
    if (rows_.wide_offsets) return number(static_cast<const std::uint64_t*>(rows_.offsets) + at);
    return number(static_cast<const std::uint32_t*>(rows_.offsets) + at);
  }
  [[nodiscard]] vertex target(std::uint64_t edge) const {
    if (rows_.pairs != nullptr) return static_cast<vertex>(number(rows_.pairs + edge));
    return number(rows_.targets + edge);
  }
  [[nodiscard]] std::uint32_t weight_bits(std::uint64_t edge) const {
    if (rows_.pairs != nullptr) return static_cast<std::uint32_t>(number(rows_.pairs + edge) >> 32);
    return number(rows_.weights + edge);
  }

 private:
  template <class T>
  [[nodiscard]] T number(const T* at) const {
    T value{};
    device_.read(&value, at, sizeof value);
    return value;
  }

  backends::backend& device_;
  const problems::device_rows& rows_;
};

/// @throws input_error for a broken rule, in the words of graph::csr_graph
problems::row_faults checked_rows(backends::backend& device, const problems::device_rows& rows) {
  const row_reader at(device, rows);
  if (const std::uint64_t first = at.offset(0); first != 0) {
    throw input_error(fmt::format("graph: the first offset is {}, expected 0", first));
  }
  if (const std::uint64_t last = at.offset(rows.vertices); last != rows.edges) {
    throw input_error(fmt::format("graph: the last offset is {}, expected the {} edges", last, rows.edges));
  }
  const problems::row_faults faults = problems::pass_over_rows(device, rows, {}, true, false).faults;
  if (faults.fall) {
    throw input_error(fmt::format("graph: the offsets fall from {} to {} at vertex {}", at.offset(*faults.fall),
                                  at.offset(*faults.fall + 1), *faults.fall));
  }
  if (faults.target) {
    throw input_error(fmt::format("graph: edge {} leads to vertex {}, but there are {} vertices (0 to {})",
                                  *faults.target, at.target(*faults.target), rows.vertices, rows.vertices - 1));
  }
  if (!faults.weight) return faults;
  const std::uint32_t bits = at.weight_bits(*faults.weight);
  if (rows.type == graph::weight_type::uint32) {
    throw input_error(fmt::format("graph: edge {} has weight {}, at most {} is possible", *faults.weight, bits,
                                  graph::largest_weight));
  }
  throw input_error(fmt::format("graph: edge {} has weight {}, expected a finite number of at least 0{}",
                                *faults.weight, std::bit_cast<float>(bits),
                                std::bit_cast<float>(bits) == 0.0F ? ", and of a pair a zero without sign" : ""));
}

digraph_data graph_of(const std::shared_ptr<rows_on_device>& source, vertex default_source, const std::string& name) {
  return {.csr = graph::csr_graph::deferred(source->rows.vertices, source->rows.edges, source->rows.type,
                                            [source] {
                                              graph::csr_graph found;
                                              source->mirror_ms.store(source->mirror_ms + milliseconds_of([&] {
                                                                        found = translated([&] {
                                                                          return problems::download_rows(
                                                                              *source->where->own, source->rows);
                                                                        });
                                                                      }));
                                              return found;
                                            }),
          .name = name,
          .default_source = default_source,
          .notes = {},
          .elsewhere = source};
}

}  // namespace
}  // namespace detail

digraph digraph::from_device(const device& where, const device_rows& rows, const device_rows_options& options) {
  const std::shared_ptr<detail::device_data> on = detail::access::share(where);
  try {
    const auto source = std::make_shared<detail::rows_on_device>();
    source->where = on;
    source->owner = options.owner;
    source->rows = detail::checked_shape(rows);
    if (!on->own->info().grid) {
      throw input_error(fmt::format("{}: processors have no memory of their own; use from_rows()", on->facts.selector));
    }
    vertex widest = 0;
    const detail::device_lock lock(*on);
    detail::translated([&] {
      on->own->enter();
      on->own->wait_for_stream(options.stream);
      detail::require_memory_of(*on->own, source->rows);
      if (!options.check) return;
      const problems::row_faults found = detail::checked_rows(*on->own, source->rows);
      source->largest_degree = found.largest_degree;
      widest = found.widest;
    });
    return detail::access::make<digraph>(
        std::make_shared<const detail::digraph_data>(detail::graph_of(source, widest, options.name)));
  } catch (const input_error& error) {
    throw input_error(options.name + ": " + error.what());
  }
}

bool digraph::on_host() const noexcept { return data_->csr.is_fetched(); }

namespace {

backends::backend& with_memory(detail::device_data& device) {
  device.own->enter();
  if (!device.own->info().grid) {
    throw input_error(fmt::format("{}: processors have no memory of their own", device.facts.selector));
  }
  return *device.own;
}

}  // namespace

std::shared_ptr<void> device::allocate(std::size_t bytes) const {
  struct allocation {
    std::shared_ptr<detail::device_data> of;
    backends::device_memory memory;

    allocation(std::shared_ptr<detail::device_data> device, backends::device_memory allocated)
        : of(std::move(device)), memory(std::move(allocated)) {}
    allocation(const allocation&) = delete;
    allocation& operator=(const allocation&) = delete;
    ~allocation() { of->free(std::move(memory)); }
  };
  const detail::device_lock lock(*data_);
  return detail::translated([&] {
    const auto made = std::make_shared<allocation>(data_, with_memory(*data_).allocate(bytes, "memory of the caller"));
    return std::shared_ptr<void>(made, made->memory.address());
  });
}

void device::write(void* to, const void* from, std::size_t bytes) const {
  const detail::device_lock lock(*data_);
  detail::translated([&] {
    backends::backend& own = with_memory(*data_);
    own.upload(own.borrow(to, bytes, "what is to be written"), from, bytes);
    // A copy from host memory that can be swapped may end after the call that made it.
    own.wait_for_stream(nullptr);
  });
}

void device::read(void* to, const void* from, std::size_t bytes) const {
  const detail::device_lock lock(*data_);
  detail::translated([&] {
    backends::backend& own = with_memory(*data_);
    own.download(to, own.borrow(const_cast<void*>(from), bytes, "what is to be read"), bytes);
  });
}

}  // namespace mlmq
