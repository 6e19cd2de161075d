// SPDX-License-Identifier: Apache-2.0
// The list of fuzzed queues: every queue with all groups and parameters that select different code.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "kernels/queues/small/parallel_heap_check_abi.cuh"
#include "kernels/queues/small/storage.cuh"
#include "problems/small_queues/fuzzed_queue.hpp"
#include "problems/small_queues/queue_fuzzer.hpp"

namespace mlmq::problems {
namespace {

constexpr u64 none = no_element<u64>;
constexpr unsigned block_threads = 32;
/// The first half of the steps fills the heap, the second half empties it.
constexpr u32 steps = 48;

/// The insertions and removals of each step, and the expected results.
struct heap_script {
  u32 node = 0;
  u32 nodes = 0;  ///< capacity
  std::vector<u64> fresh;
  std::vector<u32> counts;
  std::vector<u64> removed;
  std::vector<u64> sizes;
};

heap_script make_script(random_stream& random) {
  heap_script script;
  script.node = std::array<u32, 4>{2, 8, 16, 64}[random.below(4)];
  // Each step may leave a partly filled node between full ones.
  script.nodes = steps + 2;
  const u64 spread = std::array<u64, 3>{5, 1000, none}[random.below(3)];
  const u64 inserting = 20 + random.below(80);
  const bool in_bulk = random.below(3) == 0;
  std::multiset<u64> model;
  for (u32 step = 0; step < steps; ++step) {
    for (u32 i = 0; i < script.node; ++i) {
      const bool has = random.below(100) < (step < steps / 2 ? inserting : 10);
      script.fresh.push_back(has ? random.next() % spread : none);
      if (has) model.insert(script.fresh.back());
    }
    const auto most = static_cast<u32>(random.below(script.node + 1));
    const bool removes_all = step >= steps / 2 || (in_bulk && step % 4 == 1);
    script.counts.push_back(removes_all ? script.node : most / (step % 2 + 1));
    for (u32 i = 0; i < script.node; ++i) {
      const bool leaves = i < script.counts.back() && !model.empty();
      script.removed.push_back(leaves ? *model.begin() : none);
      if (leaves) model.erase(model.begin());
    }
    script.sizes.push_back(model.size());
  }
  return script;
}

template <class T>
std::vector<T> download(backends::backend& device, const backends::device_memory& memory) {
  std::vector<T> result(memory.bytes() / sizeof(T));
  device.download(result.data(), memory, memory.bytes());
  return result;
}

std::string difference(const heap_script& script, const std::vector<u64>& removed, const std::vector<u64>& sizes) {
  for (std::size_t i = 0; i < removed.size(); ++i) {
    if (removed[i] == script.removed[i]) continue;
    return fmt::format("step {} removed {:#x} as number {}, not {:#x}", i / script.node, removed[i], i % script.node,
                       script.removed[i]);
  }
  for (std::size_t step = 0; step < sizes.size(); ++step) {
    if (sizes[step] == script.sizes[step]) continue;
    return fmt::format("the size after step {} is {}, not {}", step, sizes[step], script.sizes[step]);
  }
  return "";
}

/// Fuzzing of the parallel heap against a sequential model.
class parallel_heap_fuzzer final : public fuzzed_queue {
 public:
  /// @param by_grid whether all blocks of a grid work on the heap, instead of a single block
  explicit parallel_heap_fuzzer(bool by_grid) : by_grid_(by_grid) {}

  [[nodiscard]] backends::kernel_source variant() const override {
    return {.file = "queues/small/parallel_heap_check.cu",
            .entry = "parallel_heap_check",
            .block_threads = block_threads,
            .defines = {{"MLMQ_PARALLEL_GRID", by_grid_ ? "1" : "0"}, {"SIMT_CHECKED", "1"}}};
  }
  [[nodiscard]] outcome run(backends::simulator::simt_backend& device, const backends::kernel& compiled,
                            std::uint64_t seed) const override {
    random_stream random({seed, 0x5048454150u});
    const heap_script script = make_script(random);
    const auto allocate = [&](u64 words, u8 content, const std::string& name) {
      auto memory = device.allocate(words * sizeof(u64), name);
      device.fill(memory, 0, memory.bytes(), content);
      return memory;
    };
    const auto nodes = allocate(parallel_heap_elements(script.node, script.nodes), 0xFF, "the heap");
    const auto work = device.allocate(parallel_heap_work(script.node) * sizeof(u64), "the heap's work");
    const auto state = allocate(sizeof(parallel_heap_state) / sizeof(u64), 0, "the heap's state");
    const auto ended = allocate(1, 0, "counts");
    const auto fresh = backends::uploaded(device, script.fresh, "new elements");
    const auto counts = backends::uploaded(device, script.counts, "removals");
    const auto removed = device.allocate(script.removed.size() * sizeof(u64), "removed");
    const auto sizes = device.allocate(script.sizes.size() * sizeof(u64), "sizes");
    const parallel_heap_check_arguments arguments{.storage = {.nodes = nodes.as<u64>(),
                                                              .work = work.as<u64>(),
                                                              .state = state.as<parallel_heap_state>(),
                                                              .capacity_nodes = script.nodes,
                                                              .node = script.node},
                                                  .fresh = fresh.as<u64>(),
                                                  .counts = counts.as<u32>(),
                                                  .removed = removed.as<u64>(),
                                                  .sizes = sizes.as<u64>(),
                                                  .ended = ended.as<u32>(),
                                                  .arrived = ended.as<u32>() + 1,
                                                  .steps = steps};
    device.set_seed(seed);
    outcome result;
    try {
      device.launch(compiled, {.grid_blocks = by_grid_ ? static_cast<unsigned>(2 + random.below(3)) : 1,
                               .shared_bytes = 16,
                               .arguments = &arguments,
                               .argument_bytes = sizeof arguments,
                               .together = by_grid_});
    } catch (const backends::kernel_fault& fault) {
      result.message = fault.what();
    }
    result.operations = device.last_launch().operations();
    if (!result.message.empty()) return result;
    const u32 done = download<u32>(device, ended).front();
    if (done != steps) {
      result.message =
          fmt::format("step {} of {} failed with room for {} nodes of {}", done, steps, script.nodes, script.node);
      return result;
    }
    result.message = difference(script, download<u64>(device, removed), download<u64>(device, sizes));
    return result;
  }

 private:
  bool by_grid_;
};

/// Suffix of the names of queues with 32-bit elements.
constexpr std::string_view narrow = ",element=u32";
constexpr const char* parallel_by_block = "parallel_heap:team=block";
constexpr const char* parallel_by_grid = "parallel_heap:team=grid";

}  // namespace

std::vector<std::string> fuzzed_queues() {
  return {
      "heap:lanes=1,arity=2,layout=contiguous",
      "heap:lanes=1,arity=4,layout=interleaved",
      "heap:lanes=1,arity=8,layout=contiguous",
      "heap:lanes=2,arity=8,layout=interleaved",
      "heap:lanes=4,arity=4,layout=interleaved",
      "heap:lanes=8,arity=8,layout=contiguous",
      "heap:lanes=8,arity=2,layout=interleaved",
      "heap:lanes=32,arity=8,layout=contiguous",
      "heap:lanes=32,arity=2,layout=contiguous",
      "ring:lanes=1,direction=back,layout=contiguous",
      "ring:lanes=1,direction=front,layout=interleaved",
      "ring_cached:lanes=1,cache=2,layout=interleaved",
      "ring_cached:lanes=1,cache=8,layout=contiguous",
      "ring_cached:lanes=1,cache=4,pass_from=12",
      "ring_parallel:lanes=1,direction=front,layout=contiguous",
      "ring_parallel:lanes=8,direction=back,layout=interleaved",
      "ring_parallel:lanes=8,direction=front,layout=contiguous",
      "ring_parallel:lanes=32,direction=back,layout=contiguous",
      "ring_parallel:lanes=32,direction=front,layout=contiguous",
      "ring_parallel:lanes=64,direction=back,layout=contiguous",
      "ring_parallel:lanes=128,direction=front,layout=contiguous",
      "splay:lanes=1,allocator=next_fit,layout=contiguous",
      "splay:lanes=1,allocator=free_list,layout=interleaved",
      "two_level:lanes=1,run=8,second=pile,layout=interleaved",
      "two_level:lanes=1,run=4,second=heap,second_arity=4,layout=contiguous",
      "two_level:lanes=1,run=16,run_memory=shared,second=pile,layout=contiguous",
      "two_level:lanes=1,run=2,run_memory=shared,second=heap,second_arity=2,layout=interleaved",
      "two_level:lanes=2,second=pile,layout=interleaved",
      "two_level:lanes=8,second=pile,layout=contiguous",
      "two_level:lanes=8,second=heap,second_arity=8,layout=contiguous",
      "two_level:lanes=16,second=pile,layout=interleaved",
      "two_level:lanes=32,second=pile,layout=contiguous",
      "two_level:lanes=32,second=heap,second_arity=8,layout=interleaved",
      "bucket:lanes=32,buckets=32,layout=contiguous",
      "bucket:lanes=32,buckets=128,layout=contiguous",
      "bucket:lanes=32,buckets=1024,layout=contiguous",
      "heap:lanes=4,arity=4,layout=contiguous,element=u32",
      "ring:lanes=1,direction=back,layout=interleaved,element=u32",
      "splay:lanes=1,allocator=free_list,layout=contiguous,element=u32",
      "two_level:lanes=32,second=pile,layout=contiguous,element=u32",
      "two_level:lanes=1,run=8,second=heap,second_arity=4,layout=interleaved,element=u32",
      "bucket:lanes=32,buckets=256,layout=contiguous,element=u32",
      parallel_by_block,
      parallel_by_grid,
  };
}

std::unique_ptr<fuzzed_queue> make_fuzzed_queue(const std::string& name) {
  if (name == parallel_by_block) return std::make_unique<parallel_heap_fuzzer>(false);
  if (name == parallel_by_grid) return std::make_unique<parallel_heap_fuzzer>(true);
  // In the name, a colon precedes the first parameter.
  std::string label = "queue=" + name;
  if (const std::size_t colon = label.find(':'); colon != std::string::npos) label[colon] = ',';
  const bool is_narrow = label.ends_with(narrow);
  if (is_narrow) label.resize(label.size() - narrow.size());
  return std::make_unique<small_queue_fuzzer>(label, is_narrow ? 32U : 64U);
}

}  // namespace mlmq::problems
