// SPDX-License-Identifier: Apache-2.0
// The parameters of small queues. Macros, defaults, checks and the reference page are derived from these declarations.
#include <string>
#include <utility>
#include <vector>

#include "problems/small_queues/small_queues.hpp"

namespace mlmq::problems {
namespace {

using tuner::binding;
using tuner::parameter_declaration;
using tuner::value_type;

constexpr int largest_group = 256;
constexpr int largest_capacity = 1 << 24;

std::vector<parameter_declaration> declare_all() {
  return {
      {.name = "queue",
       .type = value_type::text,
       .default_value = "heap",
       .description = "type of the queue of each entity or search",
       .allowed = small_queue_names(),
       .symbol = "CB-SEQ, CB-SEQ-SP, CB-PAR, heap, splay tree",
       .macro = {.name = "MLMQ_SMALL_QUEUE", .prefix = "small_"},
       .limits = {{"queue != bucket or lanes == 32", "a warp owns a queue of buckets"},
                  {"queue != ring and queue != ring_cached and queue != splay or lanes == 1",
                   "one thread owns such a queue"},
                  {"queue == ring_parallel or lanes <= 32", "a warp at most owns such a queue"}}},
      {.name = "layout",
       .type = value_type::text,
       .default_value = "contiguous",
       .description = "one queue after the other, or the queues of a warp interleaved",
       .allowed = {"contiguous", "interleaved"},
       .macro = {.name = "MLMQ_SMALL_LAYOUT", .prefix = "layout_"}},
      {.name = "lanes",
       .default_value = 1,
       .description = "number of threads that share a queue, a power of two",
       .unit = "threads",
       .minimum = 1,
       .maximum = largest_group,
       .symbol = "CB-PAR: k",
       .macro = {.name = "MLMQ_SMALL_LANES"},
       .limits = {{"power_of_two(lanes)", "threads of a warp or a block form equal groups"}}},
      {.name = "queue_capacity",
       .bind = binding::launch,
       .default_value = 256,
       .description = "elements of a queue, a power of two",
       .unit = "elements",
       .minimum = 32,
       .maximum = largest_capacity,
       .limits = {{"power_of_two(queue_capacity)", "places are computed by a mask"}}},
      {.name = "arity",
       .default_value = 4,
       .description = "children of a node: 2, 4 or 8",
       .when = "queue == heap",
       .minimum = 2,
       .maximum = 8,
       .symbol = "binary heap",
       .macro = {.name = "MLMQ_SMALL_ARITY"},
       .limits = {{"power_of_two(arity)", "places of children are computed by shifts"}}},
      {.name = "direction",
       .type = value_type::text,
       .default_value = "back",
       .description = "end of the circular buffer from which an insertion searches its position",
       .when = "queue == ring or queue == ring_parallel",
       .allowed = {"back", "front"},
       .symbol = "back-to-front, front-to-back",
       .macro = {.name = "MLMQ_SMALL_DIRECTION", .prefix = "from_"}},
      {.name = "cache",
       .default_value = 8,
       .description = "number of new elements inserted per pass over the circular buffer",
       .unit = "elements",
       .when = "queue == ring_cached",
       .minimum = 2,
       .maximum = 16,
       .symbol = "CB-SEQ-SP: 8 new items",
       .macro = {.name = "MLMQ_SMALL_CACHE"}},
      {.name = "pass_from",
       .default_value = 0,
       .description =
           "size of the circular buffer from which new elements are inserted by a pass from the front; while "
           "it is smaller, from the back",
       .unit = "elements",
       .when = "queue == ring_cached",
       .minimum = 0,
       .maximum = largest_capacity,
       .silent_default = true,
       .symbol = "CB-SEQ, CB-SEQ-SP",
       .macro = {.name = "MLMQ_SMALL_PASS_FROM"}},
      {.name = "allocator",
       .type = value_type::text,
       .default_value = "next_fit",
       .description = "allocator of nodes of the splay tree",
       .when = "queue == splay",
       .allowed = {"next_fit", "free_list"},
       .macro = {.name = "MLMQ_SMALL_ALLOCATOR", .prefix = "allocator_"}},
      {.name = "second",
       .type = value_type::text,
       .default_value = "pile",
       .description = "second level of a queue of two levels: an unsorted pile, or a heap",
       .when = "queue == two_level",
       .allowed = {"pile", "heap"},
       .macro = {.name = "MLMQ_SMALL_SECOND", .prefix = "second_"}},
      {.name = "second_arity",
       .default_value = 8,
       .description = "children of a node of the heap that is the second level: 2, 4 or 8",
       .when = "second == heap",
       .minimum = 2,
       .maximum = 8,
       .macro = {.name = "MLMQ_SMALL_SECOND_ARITY"},
       .limits = {{"power_of_two(second_arity)", "places of children are computed by shifts"}}},
      {.name = "run",
       .default_value = 8,
       .description = "elements of the first level, a power of two; with several lanes, each lane holds one element",
       .unit = "elements",
       .when = "queue == two_level and lanes == 1",
       .minimum = 2,
       .maximum = longest_run,
       .macro = {.name = "MLMQ_SMALL_RUN"},
       .limits = {{"power_of_two(run)", "places are computed by a mask"}}},
      {.name = "run_memory",
       .type = value_type::text,
       .default_value = "registers",
       .description = "memory of the first level of a single lane; with several lanes it is in registers",
       .when = "queue == two_level and lanes == 1",
       .allowed = {"registers", "shared"},
       .macro = {.name = "MLMQ_SMALL_RUN_MEMORY", .prefix = "run_in_"}},
      {.name = "buckets",
       .default_value = 256,
       .description = "number of consecutive integer keys that a queue holds at a time, a power of two",
       .unit = "keys",
       .when = "queue == bucket",
       .minimum = 32,
       .maximum = 1024,
       .macro = {.name = "MLMQ_SMALL_BUCKETS"},
       .limits = {{"power_of_two(buckets)", "places are computed by a mask"}}},
  };
}

}  // namespace

std::vector<std::string> small_queue_names() {
  return {"heap", "ring", "ring_cached", "ring_parallel", "splay", "two_level", "bucket"};
}

std::vector<parameter_declaration> small_queue_declarations(const std::string& only) {
  std::vector<parameter_declaration> declarations = declare_all();
  if (only.empty()) return declarations;
  for (parameter_declaration& declaration : declarations)
    declaration.when = declaration.when.empty() ? only : "(" + only + ") and (" + declaration.when + ")";
  return declarations;
}

}  // namespace mlmq::problems
