// SPDX-License-Identifier: Apache-2.0
// The parameters of phold. Macros, defaults, checks and the reference page are derived from these declarations.
#include <string>
#include <utility>
#include <vector>

#include "phold/calendar_abi.cuh"
#include "problems/phold/phold.hpp"
#include "problems/small_queues/small_queues.hpp"

namespace mlmq::phold {
namespace {

using tuner::binding;
using tuner::parameter_declaration;
using tuner::value_type;

const std::vector<std::string> calendar_alone = {"phold_calendar"};
const std::vector<std::string> cluster_alone = {"phold_cluster"};
const std::vector<std::string> queues_alone = {"phold_queues"};
const std::vector<std::string> parallel_heap_alone = {"phold_parallel_heap"};

std::vector<parameter_declaration> declare_all() {
  return {
      {.name = "solver",
       .type = value_type::text,
       .default_value = "calendar",
       .description = "simulation method on a GPU: one calendar per entity; one block with one calendar; a cluster of "
                      "blocks with all events in shared memory; one queue per entity; or one parallel heap with all "
                      "events; on processors: one heap, one heap per entity, or calendars on all threads",
       .allowed = {"calendar", "one_block", "cluster", "queues", "parallel_heap", "cpu_heap", "cpu_heaps",
                   "cpu_calendar"}},
      {.name = "threads",
       .default_value = 256,
       .description = "threads per block, a multiple of 32",
       .unit = "threads",
       .when = "solver == calendar or solver == one_block or solver == cluster or solver == queues or solver == "
               "parallel_heap",
       .minimum = 32,
       .maximum = 1024,
       .symbol = "block size",
       .limits = {tuner::whole_warps()}},
      {.name = "blocks_per_multiprocessor",
       .bind = binding::launch,
       .default_value = 0,
       .description = "resident blocks per multiprocessor; 0: as many as fit",
       .unit = "blocks",
       .when = "solver == calendar or solver == queues or solver == parallel_heap",
       .minimum = 0,
       .maximum = 32},
      {.name = "bucket_lanes",
       .default_value = 16,
       .description = "threads that execute the events of a bucket together: 2, 4, 8, 16 or 32",
       .unit = "threads",
       .when = "solver == calendar",
       .minimum = 2,
       .maximum = 32,
       .macro = {.name = "MLMQ_PHOLD_LANES", .kernels = calendar_alone},
       .limits = {{"power_of_two(bucket_lanes)", "the lanes of a warp form equal groups"}}},
      {.name = "bucket_items",
       .default_value = 2,
       .description = "events that a thread executes at a time",
       .unit = "events",
       .when = "solver == calendar",
       .minimum = 1,
       .maximum = 8,
       .macro = {.name = "MLMQ_PHOLD_ITEMS", .kernels = calendar_alone}},
      {.name = "bucket_events",
       .bind = binding::launch,
       .default_value = 64,
       .description =
           "maximum average number of events per bucket: the width is the lookahead, halved until this holds",
       .unit = "events",
       .when = "solver == calendar",
       .minimum = 1,
       .maximum = 512},
      {.name = "cluster_blocks",
       .default_value = 16,
       .description = "blocks per cluster, each on its own multiprocessor: 2, 4, 8 or 16",
       .unit = "blocks",
       .when = "solver == cluster",
       .minimum = 2,
       .maximum = 16,
       .macro = {.name = "MLMQ_PHOLD_BLOCKS", .kernels = cluster_alone},
       .limits = {{"power_of_two(cluster_blocks)", "a cluster has 2, 4, 8 or 16 blocks"}}},
      {.name = "ring_buckets",
       .bind = binding::launch,
       .default_value = 0,
       .description = "number of buckets of a calendar, rounded up to a power of two; later events wait in a list, or "
                      "in the last bucket of a cluster; 0: enough for nearly all delays, if they fit",
       .unit = "buckets",
       .when = "solver == calendar or solver == cluster",
       .minimum = 0,
       .maximum = 1 << 20},
      {.name = "bucket_capacity",
       .bind = binding::launch,
       .default_value = 0,
       .description = "capacity of a bucket in events; 0: computed, and increased if it is too small",
       .unit = "events",
       .when = "solver == calendar",
       .minimum = 0,
       .maximum = max_bucket_capacity},
      {.name = "near_events",
       .bind = binding::launch,
       .default_value = 1024,
       .description = "approximate number of events in the open bucket, which determines the width of buckets",
       .unit = "events",
       .when = "solver == one_block",
       .minimum = 1,
       .maximum = 6144},
      {.name = "node_events",
       .bind = binding::launch,
       .default_value = 32768,
       .description = "maximum number of events of a node of the parallel heap, a power of two; fewer if the model has "
                      "fewer events",
       .unit = "events",
       .when = "solver == parallel_heap",
       .minimum = 32,
       .maximum = 1 << 20,
       .limits = {{"power_of_two(node_events)", "a node is sorted by a network for powers of two"}}},
      {.name = "root_events",
       .type = value_type::text,
       .default_value = "earliest",
       .description = "events of the root of the parallel heap that are executed together: the earliest of each entity "
                      "in the window; or all, which is no simulation but the speed of the heap by itself",
       .when = "solver == parallel_heap",
       .allowed = {"earliest", "all"},
       .macro = {.name = "MLMQ_PHOLD_ALL_OF_ROOT", .one_for = "all", .kernels = parallel_heap_alone}},
      {.name = "mode",
       .type = value_type::text,
       .default_value = "drain",
       .description = "events that an entity executes in a window: all of them, or only the earliest",
       .when = "solver == queues",
       .allowed = {"drain", "earliest"},
       .macro = {.name = "MLMQ_PHOLD_DRAINS", .one_for = "drain", .kernels = queues_alone}},
      {.name = "launches",
       .type = value_type::text,
       .default_value = "one",
       .description = "one launch with a grid barrier per window, or one launch per window",
       .when = "solver == queues",
       .allowed = {"one", "each_window"},
       .macro = {.name = "MLMQ_PHOLD_ONE_LAUNCH", .one_for = "one", .kernels = queues_alone}},
  };
}

}  // namespace

std::span<const parameter_declaration> phold_declarations() {
  static const std::vector<parameter_declaration> declarations = [] {
    std::vector<parameter_declaration> joined = declare_all();
    for (parameter_declaration& declaration : problems::small_queue_declarations("solver == queues")) {
      declaration.macro.kernels = queues_alone;
      if (declaration.name == "queue") {
        declaration.limits.push_back(
            {"queue != bucket", "this queue orders by keys of 32 bits, but PHOLD needs a total order of events"});
      }
      joined.push_back(std::move(declaration));
    }
    return joined;
  }();
  return declarations;
}

}  // namespace mlmq::phold
