// SPDX-License-Identifier: Apache-2.0
// Device memory that callers read and write, and graphs whose rows are in device memory.
#include <fmt/format.h>

#include <bit>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "library/access.hpp"
#include "library/device_data.hpp"
#include "library/device_lock.hpp"
#include "library/digraph_data.hpp"
#include "library/errors.hpp"
#include "library/rows_on_device.hpp"
#include "mlmq/device.hpp"
#include "mlmq/graph.hpp"
#include "problems/graphs/device_rows.hpp"

namespace mlmq {
namespace detail {

bool rows_on_device::are_on(const backends::backend& backend) const {
  if (device->backend.get() == &backend) return true;
  // Two handles of the same GPU share its primary context.
  const backends::device_info& own_info = device->backend->info();
  const backends::device_info& other_info = backend.info();
  return own_info.kind == "cuda" && other_info.kind == "cuda" && own_info.uuid == other_info.uuid;
}

namespace {

constexpr vertex most_vertices = no_vertex - 1;

void require_aligned(const char* description, const void* address, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes == 0) return;
  throw input_error(
      fmt::format("{}: address {} is not aligned to {} bytes, the size of an element", description, address, bytes));
}

/// Checks what can be checked without reading the arrays.
problems::device_rows checked_shape(const device_rows& rows) {
  if (rows.vertices == 0) throw input_error("graph: no vertices, expected at least one");
  if (rows.vertices > most_vertices) {
    throw input_error(fmt::format("graph: {} vertices, expected at most {}", rows.vertices, most_vertices));
  }
  if (rows.offset_bits != 32 && rows.offset_bits != 64) {
    throw input_error(fmt::format("offset_bits: {}, expected 32 or 64", rows.offset_bits));
  }
  if (rows.offset_bits == 32 && rows.edges > std::numeric_limits<std::uint32_t>::max()) {
    throw input_error(fmt::format("offset_bits: 32 is too small for {} edges, expected 64", rows.edges));
  }
  if (rows.offsets == nullptr) throw input_error("the offsets: null, expected an address in device memory");
  if (rows.pairs != nullptr && (rows.targets != nullptr || rows.weights != nullptr)) {
    throw input_error("both pairs and targets or weights are given, expected only one of the two layouts");
  }
  if (rows.pairs == nullptr && rows.targets == nullptr && rows.edges > 0) {
    throw input_error(
        fmt::format("neither targets nor pairs are given for {} edges, expected one of them", rows.edges));
  }
  if (rows.weight_type == number_type::float64) {
    throw input_error("float64 weights in device memory are not supported: use from_rows() or float32 weights");
  }
  const bool has_weights = rows.weights != nullptr || rows.pairs != nullptr;
  if (!has_weights && rows.edges > 0 && rows.weight_type != number_type::uint32) {
    throw input_error("weight_type: float32 without weights, expected uint32, the type of the implied weights of 1");
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
  const auto require = [&](const void* array, std::uint64_t count, std::size_t bytes, const char* description) {
    if (array == nullptr) return;
    if (count > std::numeric_limits<std::size_t>::max() / bytes)
      throw input_error(fmt::format("{}: {} elements are more than memory can hold", description, count));
    (void)device.borrow(const_cast<void*>(array), count * bytes, description);
  };
  require(rows.offsets, std::uint64_t{rows.vertices} + 1,
          rows.wide_offsets ? sizeof(std::uint64_t) : sizeof(std::uint32_t), "the offsets");
  require(rows.targets, rows.edges, sizeof(std::uint32_t), "the targets");
  require(rows.weights, rows.edges, sizeof(std::uint32_t), "the weights");
  require(rows.pairs, rows.edges, sizeof(std::uint64_t), "the pairs");
}

/// Reads single elements of rows, for error messages.
class row_reader {
 public:
  row_reader(backends::backend& device, const problems::device_rows& rows) : device_(device), rows_(rows) {}

  [[nodiscard]] std::uint64_t offset(std::uint64_t index) const {
    if (rows_.wide_offsets) return number(static_cast<const std::uint64_t*>(rows_.offsets) + index);
    return number(static_cast<const std::uint32_t*>(rows_.offsets) + index);
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
  [[nodiscard]] T number(const T* address) const {
    T value{};
    device_.read(&value, address, sizeof value);
    return value;
  }

  backends::backend& device_;
  const problems::device_rows& rows_;
};

/// @throws input_error for a broken rule, worded like graph::csr_graph
problems::row_faults checked_rows(backends::backend& device, const problems::device_rows& rows) {
  const row_reader reader(device, rows);
  if (const std::uint64_t first = reader.offset(0); first != 0) {
    throw input_error(fmt::format("graph: the first offset is {}, expected 0", first));
  }
  if (const std::uint64_t last = reader.offset(rows.vertices); last != rows.edges) {
    throw input_error(fmt::format("graph: the last offset is {}, expected the {} edges", last, rows.edges));
  }
  const problems::row_faults faults = problems::pass_over_rows(device, rows, {}, true, false).faults;
  if (faults.decreasing_row) {
    throw input_error(fmt::format("graph: the offsets fall from {} to {} at vertex {}",
                                  reader.offset(*faults.decreasing_row), reader.offset(*faults.decreasing_row + 1),
                                  *faults.decreasing_row));
  }
  if (faults.target) {
    throw input_error(fmt::format("graph: edge {} leads to vertex {}, but there are {} vertices (0 to {})",
                                  *faults.target, reader.target(*faults.target), rows.vertices, rows.vertices - 1));
  }
  if (!faults.weight) return faults;
  const std::uint32_t bits = reader.weight_bits(*faults.weight);
  if (rows.type == graph::weight_type::uint32) {
    throw input_error(fmt::format("graph: edge {} has weight {}, at most {} is possible", *faults.weight, bits,
                                  graph::largest_weight));
  }
  throw input_error(fmt::format("graph: edge {} has weight {}, expected a finite number of at least 0{}",
                                *faults.weight, std::bit_cast<float>(bits),
                                std::bit_cast<float>(bits) == 0.0F ? ", and no negative zero in pairs" : ""));
}

graph::csr_graph fetch(const rows_on_device& resident_rows) {
  graph::csr_graph graph;
  const double elapsed_ms = milliseconds_of([&] {
    graph = translated([&] { return problems::download_rows(*resident_rows.device->backend, resident_rows.rows); });
  });
  resident_rows.host_copy_ms.store(resident_rows.host_copy_ms + elapsed_ms);
  return graph;
}

digraph_data graph_of(const std::shared_ptr<rows_on_device>& resident_rows, vertex default_source,
                      const std::string& name) {
  return {
      .csr = graph::csr_graph::deferred(resident_rows->rows.vertices, resident_rows->rows.edges,
                                        resident_rows->rows.type, [resident_rows] { return fetch(*resident_rows); }),
      .name = name,
      .default_source = default_source,
      .notes = {},
      .device_rows = resident_rows};
}

}  // namespace
}  // namespace detail

digraph digraph::from_device(const device& device, const device_rows& rows, const device_rows_options& options) {
  const std::shared_ptr<detail::device_data> data = detail::single_device(device, "rows in device memory are");
  try {
    const auto resident_rows = std::make_shared<detail::rows_on_device>();
    resident_rows->device = data;
    resident_rows->owner = options.owner;
    resident_rows->rows = detail::checked_shape(rows);
    if (!data->backend->info().grid) {
      throw input_error(
          fmt::format("{}: processors have no memory of their own; use from_rows()", data->facts.selector));
    }
    vertex widest = 0;
    const detail::device_lock lock(*data);
    detail::translated([&] {
      data->backend->enter();
      data->backend->wait_for_stream(options.stream);
      detail::require_memory_of(*data->backend, resident_rows->rows);
      if (!options.check) return;
      const problems::row_faults faults = detail::checked_rows(*data->backend, resident_rows->rows);
      resident_rows->largest_degree = faults.largest_degree;
      widest = faults.widest;
    });
    return detail::access::make<digraph>(
        std::make_shared<const detail::digraph_data>(detail::graph_of(resident_rows, widest, options.name)));
  } catch (const input_error& error) {
    throw input_error(options.name + ": " + error.what());
  }
}

bool digraph::on_host() const noexcept { return data_->csr.is_fetched(); }

namespace {

backends::backend& with_memory(detail::device_data& device) {
  device.backend->enter();
  if (!device.backend->info().grid) {
    throw input_error(
        fmt::format("{}: processors have no memory of their own; use host memory", device.facts.selector));
  }
  return *device.backend;
}

}  // namespace

std::shared_ptr<void> device::allocate(std::size_t bytes) const {
  struct allocation {
    std::shared_ptr<detail::device_data> owner;
    backends::device_memory memory;

    allocation(std::shared_ptr<detail::device_data> device, backends::device_memory allocated)
        : owner(std::move(device)), memory(std::move(allocated)) {}
    allocation(const allocation&) = delete;
    allocation& operator=(const allocation&) = delete;
    ~allocation() { detail::free_memory(*owner, std::move(memory)); }
  };
  (void)detail::single_device(*this, "memory is");
  const detail::device_lock lock(*data_);
  return detail::translated([&] {
    const auto allocated =
        std::make_shared<allocation>(data_, with_memory(*data_).allocate(bytes, "memory of the caller"));
    return std::shared_ptr<void>(allocated, allocated->memory.address());
  });
}

void device::write(void* destination, const void* source, std::size_t bytes) const {
  (void)detail::single_device(*this, "memory is");
  const detail::device_lock lock(*data_);
  detail::translated([&] {
    backends::backend& backend = with_memory(*data_);
    backend.upload(backend.borrow(destination, bytes, "the memory to write"), source, bytes);
    // A copy from host memory that can be swapped may end after the call that made it.
    backend.wait_for_stream(nullptr);
  });
}

void device::read(void* destination, const void* source, std::size_t bytes) const {
  (void)detail::single_device(*this, "memory is");
  const detail::device_lock lock(*data_);
  detail::translated([&] {
    backends::backend& backend = with_memory(*data_);
    backend.download(destination, backend.borrow(const_cast<void*>(source), bytes, "the memory to read"), bytes);
  });
}

}  // namespace mlmq
