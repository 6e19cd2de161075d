// SPDX-License-Identifier: Apache-2.0
// The list of fuzzed queues: every queue with all groups and parameters that select different code.
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "problems/small_queues/fuzzed_queue.hpp"
#include "problems/small_queues/parallel_heap_fuzzer.hpp"
#include "problems/small_queues/queue_fuzzer.hpp"

namespace mlmq::problems {
namespace {

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
