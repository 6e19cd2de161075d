// SPDX-License-Identifier: Apache-2.0
// Arrays that stay on the GPU: that they are not copied, whose memory they are in, and the order of work in a caller's
// stream.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu_test.hpp"
#include "graph/generate.hpp"
#include "mlmq/mlmq.hpp"

using namespace mlmq;
using Catch::Contains;

namespace {

/// The CUDA driver, loaded independently of the library, as in a caller's program.
class driver {
 public:
  using address = unsigned long long;
  using stream = void*;

  driver() : library_(::dlopen("libcuda.so.1", RTLD_NOW)) { REQUIRE(library_ != nullptr); }

  template <class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    auto* const function = reinterpret_cast<int (*)(Arguments...)>(::dlsym(library_, name));
    REQUIRE(function != nullptr);
    CAPTURE(name);
    REQUIRE(function(arguments...) == 0);
  }

  [[nodiscard]] std::size_t free_bytes() const {
    std::size_t free = 0;
    std::size_t total = 0;
    call("cuMemGetInfo_v2", &free, &total);
    return free;
  }
  [[nodiscard]] void* allocate(std::size_t bytes) const {
    address memory = 0;
    call("cuMemAlloc_v2", &memory, bytes);
    return reinterpret_cast<void*>(memory);
  }
  void copy_in(stream order, const void* target, const void* source, std::size_t bytes) const {
    call("cuMemcpyDtoDAsync_v2", address_of(target), address_of(source), bytes, order);
  }
  void fill_in(stream order, const void* target, unsigned char value, std::size_t bytes) const {
    call("cuMemsetD8Async", address_of(target), value, bytes, order);
  }
  [[nodiscard]] stream make_stream() const {
    stream created = nullptr;
    constexpr unsigned without_default_stream = 1;
    call("cuStreamCreate", &created, without_default_stream);
    return created;
  }
  void wait(stream order) const { call("cuStreamSynchronize", order); }
  /// Delays all later work in the stream by 200 ms.
  void delay(stream order) const {
    void (*const sleep)(void*) = [](void*) { ::usleep(200'000); };
    call("cuLaunchHostFunc", order, sleep, static_cast<void*>(nullptr));
  }

  static address address_of(const void* pointer) { return reinterpret_cast<address>(pointer); }

 private:
  void* library_;
};

graph::csr_graph roads() { return graph::generate_named("road18").graph; }

template <class T>
std::shared_ptr<void> put(const device& target, const std::vector<T>& values) {
  std::shared_ptr<void> memory = target.allocate(values.size() * sizeof(T));
  target.write(memory.get(), values.data(), values.size() * sizeof(T));
  return memory;
}

/// Rows in the layout that a search reads without conversion.
struct rows_on_gpu {
  rows_on_gpu(const device& target, const graph::csr_graph& csr) {
    offsets = put(target, std::vector<std::uint32_t>(csr.offsets().begin(), csr.offsets().end()));
    std::vector<std::uint64_t> words;
    for (std::size_t i = 0; i < csr.edge_count(); ++i) {
      words.push_back(csr.targets()[i] | static_cast<std::uint64_t>(csr.weight_bits()[i]) << 32);
    }
    pairs = put(target, words);
    bytes = words.size() * sizeof words[0];
    rows = {.vertices = csr.vertex_count(), .edges = csr.edge_count(), .offsets = offsets.get(), .pairs = pairs.get()};
  }

  std::shared_ptr<void> offsets;
  std::shared_ptr<void> pairs;
  std::size_t bytes = 0;  ///< size of the pairs
  device_rows rows;
};

std::vector<std::uint32_t> right_distances(const graph::csr_graph& csr, vertex source) {
  const digraph graph =
      digraph::from_rows({csr.offsets().begin(), csr.offsets().end()}, {csr.targets().begin(), csr.targets().end()},
                         std::vector<std::uint32_t>(csr.weight_bits().begin(), csr.weight_bits().end()));
  std::vector<std::uint32_t> distances(csr.vertex_count());
  solver(device("cpu"), graph).solve_into(source, distances);
  return distances;
}

solve_options keeping(driver::stream stream = nullptr) {
  return {.configurations = {"ell_width=0"}, .keep_on_device = true, .stream = stream};
}

}  // namespace

TEST_CASE("result rows in device memory allocate no further device memory", "[alone][cuda]") {
  const driver cuda;
  const device gpu(gpu_tests::device_selector());
  const graph::csr_graph csr = graph::generate_named("road21").graph;
  const rows_on_gpu mine(gpu, csr);
  const digraph graph = digraph::from_device(gpu, mine.rows, {.name = "mine"});
  constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
  const auto distances = static_cast<std::int64_t>(csr.vertex_count() * sizeof(std::uint32_t));
  const auto taken_by = [&](solver& search) {
    // The driver may free memory meanwhile.
    const auto before = static_cast<std::int64_t>(cuda.free_bytes());
    search.upload();
    return before - static_cast<std::int64_t>(cuda.free_bytes());
  };
  solver search(gpu, graph);
  const std::int64_t taken = taken_by(search);
  // Only the distances are added, and the memory that the driver takes for a kernel.
  CHECK(taken < distances + 8 * mebibyte);
  solver of_host(gpu, digraph::open("road21"));
  const std::int64_t taken_by_copies = taken_by(of_host);
  CHECK(taken_by_copies > static_cast<std::int64_t>(mine.bytes) + distances);
  std::printf("device memory: %jd bytes for rows on the device, %jd for rows on the host\n",
              static_cast<std::intmax_t>(taken), static_cast<std::intmax_t>(taken_by_copies));

  const solution answer = search.solve(7, keeping());
  CHECK(answer.times().download == 0);
  CHECK(answer.times().host_copy == 0);
  CHECK_FALSE(graph.on_host());
  std::vector<std::uint32_t> words(answer.device_distances().count);
  cuda.call("cuMemcpyDtoH_v2", static_cast<void*>(words.data()), driver::address_of(answer.device_distances().data),
            words.size() * sizeof words[0]);
  CHECK(words == right_distances(csr, 7));
  // Rows of another layout are converted on the GPU, too, for both graphs, and are right.
  for (solver* const searched : {&search, &of_host}) {
    const solution wide = searched->solve(7, {.configurations = {"ell_width=4"}, .place = placement::device});
    CHECK(std::ranges::equal(wide.distances_uint32(), words));
    CHECK(wide.times().host_copy == 0);
  }
  CHECK_FALSE(graph.on_host());
  CHECK(answer.check().empty());
  CHECK(graph.on_host());
  // Two handles of one GPU share its memory.
  solver again(device(gpu_tests::device_selector()), digraph::from_device(gpu, mine.rows));
  CHECK(again.solve(7, keeping()).times().host_copy == 0);
}

TEST_CASE("every row layout on the GPU gives equal distances and levels") {
  const device gpu(gpu_tests::device_selector());
  const graph::csr_graph csr = graph::generate_named("rmat12").graph;
  const std::vector<std::uint64_t> wide(csr.offsets().begin(), csr.offsets().end());
  const auto offsets64 = put(gpu, wide);
  const auto offsets32 = put(gpu, std::vector<std::uint32_t>(wide.begin(), wide.end()));
  const auto targets = put(gpu, std::vector<vertex>(csr.targets().begin(), csr.targets().end()));
  std::vector<float> floats;
  for (const std::uint32_t weight : csr.weight_bits()) floats.push_back(static_cast<float>(weight));
  const auto weights = put(gpu, floats);
  const digraph on_host = digraph::from_rows(wide, {csr.targets().begin(), csr.targets().end()}, floats);
  for (const unsigned bits : {32U, 64U}) {
    const digraph graph = digraph::from_device(gpu, {.vertices = csr.vertex_count(),
                                                     .edges = csr.edge_count(),
                                                     .offsets = (bits == 64 ? offsets64 : offsets32).get(),
                                                     .offset_bits = bits,
                                                     .targets = targets.get(),
                                                     .weights = weights.get(),
                                                     .weight_type = number_type::float32});
    CHECK(graph.default_source() == on_host.default_source());
    for (const problem kind : {problem::sssp, problem::bfs}) {
      solver gpu_solver(gpu, graph, kind);
      solver cpu_solver(device("cpu"), on_host, kind);
      const solution answer = gpu_solver.solve(3, keeping());
      const solution right = cpu_solver.solve(3);
      CHECK(answer.times().download == 0);
      const device_array array = answer.device_distances();
      std::vector<std::uint32_t> words(array.count);
      gpu.read(words.data(), array.data, words.size() * sizeof words[0]);
      for (vertex v = 0; v < array.count; ++v) {
        const double seen = array.type == number_type::float32 ? static_cast<double>(std::bit_cast<float>(words[v]))
                            : words[v] == unreachable          ? std::numeric_limits<double>::infinity()
                                                               : static_cast<double>(words[v]);
        if (seen != right.distance(v)) FAIL("vertex " << v << ": " << seen << ", not " << right.distance(v));
        if (answer.distance(v) != right.distance(v)) FAIL("vertex " << v);
      }
      // Many searches at a time also work, with blocks that stay on the GPU.
      std::size_t rows = 0;
      gpu_solver.solve_many(std::vector<vertex>{3, 3}, {.keep_on_device = true}, [&](const distance_rows& batch) {
        rows += batch.rows;
        CHECK(batch.on_device != nullptr);
        CHECK(batch.columns == array.count);
      });
      CHECK(rows == 2);
    }
  }
}

TEST_CASE("searches start after earlier work of the caller's stream and end before later work", "[cuda]") {
  const driver cuda;
  const device gpu(gpu_tests::device_selector());
  const graph::csr_graph csr = roads();
  const std::vector<std::uint32_t> right = right_distances(csr, 7);
  // The memory first holds the same edges, all of length 1.
  const graph::csr_graph ones = graph::with_unit_weights(csr);
  const std::vector<std::uint32_t> levels = right_distances(ones, 7);
  REQUIRE(levels != right);
  const rows_on_gpu source(gpu, csr);
  const rows_on_gpu before(gpu, ones);
  const rows_on_gpu mine(gpu, csr);
  const driver::stream stream = cuda.make_stream();
  const driver::stream other = cuda.make_stream();
  const auto come_late = [&](driver::stream order) {
    cuda.copy_in(order, mine.pairs.get(), before.pairs.get(), mine.bytes);
    cuda.wait(order);
    cuda.delay(order);
    cuda.copy_in(order, mine.pairs.get(), source.pairs.get(), mine.bytes);
  };

  cuda.fill_in(stream, mine.pairs.get(), 0xFF, mine.bytes);
  cuda.delay(stream);
  cuda.copy_in(stream, mine.pairs.get(), source.pairs.get(), mine.bytes);
  const digraph graph = digraph::from_device(gpu, mine.rows, {.stream = stream});
  solver search(gpu, graph);
  for (int i = 0; i < 3; ++i) {
    come_late(stream);
    const solution answer = search.solve(7, keeping(stream));
    // Work that is added to the stream now reads the results of the search.
    void* const copy = cuda.allocate(right.size() * sizeof right[0]);
    cuda.copy_in(stream, copy, answer.device_distances().data, right.size() * sizeof right[0]);
    std::vector<std::uint32_t> words(right.size());
    cuda.wait(stream);
    cuda.call("cuMemcpyDtoH_v2", static_cast<void*>(words.data()), driver::address_of(copy),
              words.size() * sizeof words[0]);
    cuda.call("cuMemFree_v2", driver::address_of(copy));
    CHECK(words == right);
  }
  // A search in another stream does not wait: this shows that the searches above did.
  come_late(stream);
  const solution overtaking = search.solve(7, keeping(other));
  CHECK(std::ranges::equal(overtaking.distances_uint32(), levels));
  cuda.wait(stream);
  // The time limit counts from when the search begins.
  solve_options hurried = keeping(stream);
  hurried.time_limit_ms = 100;
  come_late(stream);
  CHECK(std::ranges::equal(search.solve(7, hurried).distances_uint32(), right));
  // Searches wait for the default stream even if it is not named: they do not overtake streams of this kind.
  driver::stream blocking = nullptr;
  cuda.call("cuStreamCreate", &blocking, 0U);
  come_late(blocking);
  const solution last = search.solve(7, keeping());
  CHECK(std::ranges::equal(last.distances_uint32(), right));
  for (const driver::stream created : {stream, other, blocking}) cuda.call("cuStreamDestroy_v2", created);
}

TEST_CASE("host memory is refused as device memory", "[cuda]") {
  const driver cuda;
  const device gpu(gpu_tests::device_selector());
  const graph::csr_graph csr = roads();
  const rows_on_gpu mine(gpu, csr);
  const auto error_with = [&](const void* pairs, std::uint64_t edges) {
    device_rows rows = mine.rows;
    rows.pairs = pairs;
    rows.edges = edges;
    try {
      (void)digraph::from_device(gpu, rows, {.name = "mine"});
    } catch (const input_error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK(error_with(mine.pairs.get(), csr.edge_count()) == "none");
  const std::vector<std::uint64_t> host(csr.edge_count());
  CHECK_THAT(error_with(host.data(), csr.edge_count()),
             Contains("mine: the pairs") && Contains("not memory of cuda:0") && Contains("CUDA"));
  void* locked = nullptr;
  cuda.call("cuMemAllocHost_v2", &locked, mine.bytes);
  CHECK_THAT(error_with(locked, csr.edge_count()), Contains("it is host memory"));
  CHECK_THAT(error_with(mine.pairs.get(), std::uint64_t{1} << 31), Contains("the pairs"));
  // Answers may be written to page-locked memory.
  const std::vector<std::uint32_t> right = right_distances(csr, 7);
  const std::span<std::uint32_t> out(static_cast<std::uint32_t*>(locked), csr.vertex_count());
  solver search(gpu, digraph::from_device(gpu, mine.rows));
  const search_summary summary = search.solve_into(7, out, {.configurations = {"ell_width=0"}});
  CHECK(summary.times.download > 0);
  CHECK(std::ranges::equal(out, right));
  std::vector<std::uint32_t> pageable(csr.vertex_count());
  (void)search.solve_into(7, pageable, {.configurations = {"ell_width=0"}});
  CHECK(pageable == right);
  cuda.call("cuMemFreeHost", locked);

  int gpus = 0;
  cuda.call("cuDeviceGetCount", &gpus);
  if (gpus > 1) {
    const device other("cuda:1");
    CHECK_THROWS_WITH(digraph::from_device(other, mine.rows), Contains("it belongs to cuda:0"));
    // Searches on processors copy the graph to host memory.
    const digraph graph = digraph::from_device(gpu, mine.rows);
    const solution answer = solver(other, graph).solve(7, {.configurations = {"ell_width=0"}});
    CHECK(answer.times().host_copy > 0);
    CHECK(std::ranges::equal(answer.distances_uint32(), right));
  }
}
