// SPDX-License-Identifier: Apache-2.0
// Bugs planted into the kernels, one at a time, are found by the fuzzing of the queues; without bugs, nothing is found.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "base/files.hpp"
#include "graph/adversarial.hpp"
#include "problems/shortest_paths/checks/schedule_check.hpp"
#include "tests/support/share.hpp"

namespace {

using namespace mlmq;
using problems::check_schedules;
using problems::schedule_check_options;
using problems::schedule_check_report;
namespace fs = std::filesystem;

/// A change at one place in a kernel file.
struct change {
  std::string file;
  std::string right;  ///< code that occurs once
  std::string wrong;
};

struct planted_bug {
  std::string name;
  std::vector<change> changes;
  problems::queue_pair queues;
  /// Number of schedules of this pair of queues until the first failure, as measured with these seeds.
  std::uint64_t schedules;
  /// Part of the report; empty if the report depends on the schedule.
  std::string reported;
  bool of_cores = false;  ///< whether it concerns searches of the cores of reduced graphs
};

/// A copy of the kernel sources with one bug.
class planted_kernels {
 public:
  explicit planted_kernels(const std::vector<change>& changes)
      : folder_(fs::temp_directory_path() / fmt::format("mlmq_planted_{}", ::getpid())) {
    fs::remove_all(folder_);
    fs::copy(backends::kernel_folder(), folder_, fs::copy_options::recursive);
    for (const change& replacement : changes) {
      std::string text = read_file(folder_ / replacement.file);
      const std::size_t place = text.find(replacement.right);
      INFO(replacement.file << " has changed: this test looks for one\n" << replacement.right);
      REQUIRE(place != std::string::npos);
      REQUIRE(text.find(replacement.right, place + 1) == std::string::npos);
      text.replace(place, replacement.right.size(), replacement.wrong);
      write_file_atomically(folder_ / replacement.file, text);
    }
  }
  planted_kernels(const planted_kernels&) = delete;
  planted_kernels& operator=(const planted_kernels&) = delete;
  ~planted_kernels() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::string folder() const { return folder_.string(); }

 private:
  fs::path folder_;
};

/// Returns the number of schedules in which a bug is searched. It leaves room for changes of kernels and for new
/// graphs.
std::uint64_t most_schedules(const planted_bug& bug) { return std::max<std::uint64_t>(448, 4 * bug.schedules); }

/// Returns the graphs on which bugs are searched: "chains", or all others, as the numbers of schedules were measured.
std::vector<std::string> graphs_for(bool of_cores) {
  std::vector<std::string> graphs;
  for (const std::string_view name : graph::adversarial_names()) {
    if ((name == "chains") == of_cores) graphs.emplace_back(name);
  }
  return graphs;
}

schedule_check_options options_for(const problems::queue_pair& queues, std::uint64_t schedules) {
  schedule_check_options options;
  options.graphs = graphs_for(false);
  options.queues = {queues};
  // One problem and weight type: few variants to compile for each bug.
  options.problems = {problems::search_kind::sssp};
  options.weights = {graph::weight_type::uint32};
  options.schedules = schedules;
  return options;
}

/// Removes the address from a message, since memory lies elsewhere in every process.
std::string without_address(const std::string& message) { return message.substr(0, message.find("address 0x")); }

/// Checks that the bug is found, that the report suffices to reproduce it, and that the same schedule passes without
/// it.
void is_found(const planted_bug& bug) {
  const planted_kernels planted(bug.changes);
  schedule_check_options options = options_for(bug.queues, most_schedules(bug));
  options.graphs = graphs_for(bug.of_cores);
  options.kernels = planted.folder();
  const schedule_check_report report = check_schedules(options);
  REQUIRE(report.failure);
  const problems::schedule_failure& failure = *report.failure;
  CAPTURE(failure.test_case.graph, failure.test_case.seed, failure.configuration, failure.message);
  CHECK(failure.test_case.queues == bug.queues);
  CHECK(failure.message.find(bug.reported) != std::string::npos);
  if (failure.test_case.seed > 4 * bug.schedules) {
    WARN(bug.name << ": found by schedule " << failure.test_case.seed << ", not by " << bug.schedules);
  }

  schedule_check_options again = options;
  again.graphs = {failure.test_case.graph};
  again.seed = failure.test_case.seed;
  again.schedules = 1;
  const schedule_check_report reproduced = check_schedules(again);
  REQUIRE(reproduced.failure);
  CHECK(reproduced.failure->configuration == failure.configuration);
  CHECK(reproduced.failure->source == failure.source);
  CHECK(without_address(reproduced.failure->message) == without_address(failure.message));

  again.kernels.clear();
  const schedule_check_report right = check_schedules(again);
  if (right.failure) FAIL_CHECK("without the bug: " << right.failure->message);
}

void all_are_found(const std::vector<planted_bug>& bugs) {
  for (const planted_bug& bug : tests::share_of(bugs)) {
    DYNAMIC_SECTION(bug.name << " (" << problems::name_of(bug.queues) << ")") { is_found(bug); }
  }
}

// The steps of the kernels' protocol, and how each is broken.

const change idle_not_released = {"queues/worker.cuh",
                                  "simt::store_atomic<order::release, scope::block>(mailbox_, mailbox::idle)",
                                  "simt::store_atomic<order::relaxed, scope::block>(mailbox_, mailbox::idle)"};
const change idle_not_acquired = {"queues/dispatcher.cuh",
                                  "simt::load_atomic<order::acquire, scope::block>(&block->mailbox[lane])",
                                  "simt::load_atomic<order::relaxed, scope::block>(&block->mailbox[lane])"};
const change mail_not_released = {"queues/dispatcher.cuh",
                                  "simt::store_atomic<order::release, scope::block>(&block->mailbox[lane],\n",
                                  "simt::store_atomic<order::relaxed, scope::block>(&block->mailbox[lane],\n"};
const change mail_not_acquired = {"queues/worker.cuh",
                                  "mail = simt::load_atomic<order::acquire, scope::block>(mailbox_)",
                                  "mail = simt::load_atomic<order::relaxed, scope::block>(mailbox_)"};
const change done_not_released = {"queues/dispatcher.cuh",
                                  "simt::reduce_add<order::release, scope::device>(&control->done",
                                  "simt::reduce_add<order::relaxed, scope::device>(&control->done"};
const change done_not_acquired = {"queues/manager.cuh",
                                  "simt::load_atomic<order::acquire, scope::device>(&control->done)",
                                  "simt::load_atomic<order::relaxed, scope::device>(&control->done)"};
const change done_read_last = {
    "queues/manager.cuh", "Problem::is_over(done, written)",
    "Problem::is_over(\n"
    "    simt::shuffle(lane == 0 ? simt::load_atomic<order::acquire, scope::device>(&control->done) : 0, 0), written)"};

const change node_not_released = {
    "queues/l2_heaps.cuh",
    "simt::store_atomic<simt::order::release, simt::scope::device>(header(heap, heaps, node), free_lock)",
    "simt::store_atomic<simt::order::relaxed, simt::scope::device>(header(heap, heaps, node), free_lock)"};
const change node_not_acquired = {"queues/l2_heaps.cuh",
                                  "simt::atomic_compare_exchange<simt::order::acquire, simt::scope::device>(word",
                                  "simt::atomic_compare_exchange<simt::order::relaxed, simt::scope::device>(word"};

// The barrier of all blocks after a superstep.
const change barrier_passed_early = {"supersteps/barrier.cuh", "(seen) != simt::grid_blocks()",
                                     "(seen) + 1 < simt::grid_blocks()"};
const change arrival_not_released = {"supersteps/barrier.cuh",
                                     "simt::reduce_add<simt::order::release, simt::scope::device>(progress, arrival)",
                                     "simt::reduce_add<simt::order::relaxed, simt::scope::device>(progress, arrival)"};
const change arrivals_not_acquired = {
    "supersteps/barrier.cuh", "    seen = simt::load_atomic<simt::order::acquire, simt::scope::device>(progress);\n  }",
    "    seen = simt::load_atomic<simt::order::relaxed, simt::scope::device>(progress);\n  }"};

const problems::queue_pair near_far = {"", "", "near_far"};
const problems::queue_pair bellman_ford = {"", "", "bellman_ford"};
const problems::queue_pair adds = {"", "", "adds"};
const problems::queue_pair partitioned = {"", "", "partitioned"};
const problems::queue_pair near_pull = {"", "", "near_pull"};

constexpr const char* race = "simt: data race";
constexpr const char* assertion = "simt: assertion";
constexpr const char* unreached = "is inf, expected";

}  // namespace

TEST_CASE("nothing is found in the queues as they are") {
  const std::vector<problems::queue_pair> queue_pairs = {{"none", "vector"},     {"vector", "vector"},
                                                         {"none", "bucket"},     {"none", "heap"},
                                                         {"none", "multi_heap"}, near_far,
                                                         bellman_ford,           adds};
  for (const problems::queue_pair& queues : tests::share_of(queue_pairs)) {
    const schedule_check_report report = check_schedules(options_for(queues, 112));
    CAPTURE(problems::name_of(queues));
    if (report.failure) FAIL_CHECK(report.failure->test_case.seed << ": " << report.failure->message);
  }
}

TEST_CASE("a missing release or acquire is found in every global queue") {
  all_are_found({
      {"a worker is idle before it has released its writes", {idle_not_released}, {"none", "vector"}, 2, unreached},
      {"a worker is idle before it has released its writes", {idle_not_released}, {"none", "bucket"}, 5, unreached},
      {"a worker is idle before it has released its writes", {idle_not_released}, {"none", "multi_heap"}, 3, ""},
      {"a dispatcher counts what it has not acquired", {idle_not_acquired}, {"none", "vector"}, 2, unreached},
      {"a dispatcher does not release its mail", {mail_not_released}, {"none", "heap"}, 1, ""},
      {"a worker does not acquire its mail", {mail_not_acquired}, {"none", "multi_heap"}, 1, ""},
      {"a dispatcher does not release what is done", {done_not_released}, {"none", "vector"}, 2, unreached},
      {"a dispatcher does not release what is done", {done_not_released}, {"none", "bucket"}, 5, unreached},
      {"a dispatcher does not release what is done", {done_not_released}, {"none", "heap"}, 2, unreached},
      {"the manager does not acquire what is done", {done_not_acquired}, {"none", "vector"}, 2, unreached},
      {"the manager does not acquire what is done", {done_not_acquired}, {"none", "multi_heap"}, 6, unreached},
      {"a heap's node is not released", {node_not_released}, {"none", "heap"}, 1, race},
      {"a heap's node is not acquired", {node_not_acquired}, {"none", "multi_heap"}, 1, race},
  });
}

TEST_CASE("a missing barrier between the lanes of a warp is found") {
  const std::string barrier = "    simt::sync_warp();\n";
  const std::string idle = "    if (simt::lane() == 0) simt::store_atomic<order::release, scope::block>(mailbox_";
  const std::string mail = "a shuffle alone orders nothing.\n";
  const std::string acquired = "visible to every lane, and orders it before lane 0's release.\n";
  const std::string look = "    const u32 done = simt::shuffle(word, 0);";
  const std::string unlock = "  SIMT_DEVICE void unlock(u32 heap, u32 heaps, u32 node) {\n";
  all_are_found({
      {"between a worker's writes and its release",
       {{"queues/worker.cuh", barrier + idle, idle}},
       {"none", "bucket"},
       91,
       ""},
      {"between a worker's acquire and its reads",
       {{"queues/worker.cuh", mail + barrier, mail}},
       {"none", "heap"},
       3,
       ""},
      {"between a dispatcher's acquires and its release",
       {{"queues/dispatcher.cuh", acquired + barrier, acquired}},
       {"none", "bucket"},
       19,
       ""},
      {"between the manager's acquire and its look",
       {{"queues/manager.cuh", barrier + look, look}},
       {"none", "multi_heap"},
       19,
       ""},
      {"between the writes to a node and its release",
       {{"queues/l2_heaps.cuh", unlock + barrier, unlock}},
       {"none", "multi_heap"},
       3,
       race},
  });
}

TEST_CASE("an end that is found too early is found") {
  // The subqueues are read before the count of finished work.
  const std::string look =
      "    simt::quad counts = {0, 0, 0, 0};\n"
      "    if (lane < L2::subqueue_count) counts = l2.load_counts(l2.subqueue_in_order(window, lane));\n"
      "    const u32 written = simt::warp_add(counts.y);\n";
  const std::string first = "    u32 word = 0;\n    if (lane == 0) word = simt::load_atomic<order::acquire";
  const std::vector<change> written_read_first = {{"queues/manager.cuh", look, ""},
                                                  {"queues/manager.cuh", first, look + first}};
  // Elements of a heap exist before they are counted.
  const std::string count =
      "    if (simt::lane() == 0) {\n"
      "      simt::atomic_add<simt::order::relaxed, simt::scope::device>(this->written(heap), count);\n"
      "      this->counters_.add(queue_counter::atomics, 1);\n"
      "    }\n";
  const std::vector<change> counted_late = {
      {"queues/l2_heaps.cuh", count, "    const u32 all = count;\n"},
      {"queues/l2_heaps.cuh", "path(attempt, carried), carried, count)) return;",
       "path(attempt, carried), carried, count)) {\n"
       "        if (simt::lane() == 0) {\n"
       "          simt::atomic_add<simt::order::relaxed, simt::scope::device>(this->written(heap), all);\n"
       "        }\n"
       "        return;\n"
       "      }"}};
  all_are_found({
      {"what is done is read after what was written", {done_read_last}, {"none", "vector"}, 2, unreached},
      {"what is done is read after what was written", {done_read_last}, {"none", "bucket"}, 5, unreached},
      {"what was written is read before what is done", written_read_first, {"none", "heap"}, 2, unreached},
      {"elements are counted after they can be taken", counted_late, {"none", "heap"}, 2, assertion},
      {"elements are counted after they can be taken", counted_late, {"none", "multi_heap"}, 4, assertion},
  });
}

TEST_CASE("a ring that loses, doubles or invents elements is found") {
  const std::string rings = "queues/l2_rings.cuh";
  all_are_found({
      {"a writer gives up when the slot is taken",
       {{rings, "simt::backoff(100);", "simt::backoff(100); return;"}},
       {"none", "vector"},
       3,
       ""},
      {"a writer overwrites what has not been read",
       {{rings,
         "if (simt::atomic_compare_exchange<order::relaxed, scope::device>(destination, empty, e) == empty) return;\n"
         "    const",
         "simt::store_atomic<order::relaxed, scope::device>(destination, e);\n    return;\n    const"}},
       {"none", "bucket"},
       3,
       ""},
      {"a dispatcher claims more than there is",
       {{rings, "count = available < requested ? available : requested;", "count = requested;"}},
       {"none", "vector"},
       2,
       ""},
      {"a dispatcher does not give back what it was promised in vain",
       {{rings, "(promised(ring), count - requested);", "(promised(ring), 0u);"}},
       {"none", "vector"},
       2,
       ""},
      {"a dispatcher believes in more than it has seen",
       {{rings, "const u32 available = end - before;", "const u32 available = end + 1 - before;"}},
       {"none", "bucket"},
       5,
       ""},
      {"a worker takes what another one has taken",
       {{rings, "if (e != empty) return true;", "return true;"}},
       {"none", "vector"},
       25,
       ""},
  });
}

TEST_CASE("a queue of blocks that warps read themselves and that loses or doubles elements is found") {
  const std::string blocks = "queues/l2_blocks.cuh";
  const std::string worker = "queues/worker.cuh";
  all_are_found({
      {"two writers find the same block empty",
       {{blocks, "while (simt::load_atomic<order::acquire, scope::device>(state) != empty) {",
         "while (static_cast<u32>(simt::load_atomic<order::acquire, scope::device>(state)) != "
         "static_cast<u32>(empty)) {"}},
       {"none", "vector"},
       25,
       ""},
      {"a block is published before its elements",
       {{blocks, "simt::store_atomic<order::release, scope::device>(state_of(subqueue, block)",
         "simt::store_atomic<order::relaxed, scope::device>(state_of(subqueue, block)"}},
       {"none", "bucket"},
       25,
       ""},
      {"elements are counted as done when they are taken",
       {{worker, "      if (count != 0) {\n        taken_ += count;",
         "      if (count != 0) {\n        if (simt::lane() == 0) simt::reduce_add<order::release, "
         "scope::device>(&storage_.control->done, count);"}},
       {"vector", "vector"},
       25,
       ""},
  });
}

TEST_CASE("a spill that loses an element is found") {
  const std::string deque = "queues/warp_deque.cuh";
  all_are_found({
      {"the worst half, without its last element",
       {{deque, "const u32 count = size_ - keep;", "const u32 count = size_ - keep - (keep != 0 ? 1 : 0);"}},
       {"vector", "vector"},
       8,
       ""},
      {"a run, without the last batch's first element",
       {{deque, "const bool valid = done + simt::lane() < count;",
         "const bool valid = done + simt::lane() < count && (done + simt::warp_size < count || simt::lane() != 0);"}},
       {"vector", "bucket"},
       3,
       ""},
  });
}

TEST_CASE("a heap whose locks or whose order are broken is found") {
  const std::string heaps = "queues/l2_heaps.cuh";
  all_are_found({
      {"an insertion does not lock the child",
       {{heaps, "const bool locked = !descends || lock(heap, heaps, child);", "const bool locked = true;"}},
       {"none", "heap"},
       3,
       ""},
      {"a removal does not lock the right child",
       {{heaps, "if (!lock(heap, heaps, right_child)) {", "if (false) {"}},
       {"none", "heap"},
       9,
       ""},
      {"a batch is not sorted",
       {{heaps, "element carried = sort_lanes(valid ? e : empty);", "element carried = valid ? e : empty;"}},
       {"none", "multi_heap"},
       3,
       ""},
      {"a node keeps what may be larger than its children",
       {{heaps, "if (is_last) keep", "keep"}},
       {"none", "heap"},
       14,
       assertion},
      {"a removal leaves the rest in the child with the smaller maximum",
       {{heaps, "left_most > right_most", "left_most < right_most"}},
       {"none", "multi_heap"},
       22,
       assertion},
  });
}

TEST_CASE("a broken superstep is found") {
  const std::string search = "baselines/frontier_search.cuh";
  all_are_found({
      {"a block passes the barrier before the last one arrives", {barrier_passed_early}, near_far, 3, ""},
      {"the words of a superstep are cleared while a block still waits for its end",
       {{"baselines/frontier_piles.cuh", "number % 4", "number % 3"}},
       near_far,
       46,
       "livelock"},
      {"a block's arrival does not release its writes", {arrival_not_released}, bellman_ford, 3, ""},
      {"the last arrival is not acquired", {arrivals_not_acquired}, bellman_ford, 3, ""},
      {"block 0 does not release what it did alone",
       {{search, "simt::store_atomic<order::release, scope::device>(&control_->resumed",
         "simt::store_atomic<order::relaxed, scope::device>(&control_->resumed"}},
       near_far,
       1,
       ""},
      {"a split loses what stays far",
       {{search, "counts_.add(counter::resplits, 1);", "valid = simt::lane() != 0;"}},
       near_far,
       7,
       ""},
      {"a block that continues alone forgets long rows",
       {{search, "if (next == frontier_step::expand && slices_ != 0) next = frontier_step::slices;", ""}},
       bellman_ford,
       3,
       ""},
  });
}

TEST_CASE("a manager of ADDS that reads, gives or ends too early is found") {
  const std::string manager = "baselines/adds_manager.cuh";
  all_are_found({
      {"what is reserved is taken for written",
       {{manager, "? end - read_ : 0;", "? reserved_ - read_ : 0;"}},
       adds,
       3,
       ""},
      {"written elements are counted, whichever they are",
       {{manager, "return simt::first_set(low);", "return simt::popcount(static_cast<u32>(bits));"}},
       adds,
       121,
       ""},
      {"what is written is not acquired",
       {{manager, "written = simt::load_atomic<order::acquire, scope::device>(",
         "written = simt::load_atomic<order::relaxed, scope::device>("}},
       adds,
       3,
       ""},
      {"what one lane has acquired is not ordered before the others' flags",
       {{manager, "{\n      simt::sync_warp();\n      simt::fence", "{\n      simt::fence"}},
       adds,
       3,
       ""},
      {"a worker does not release what it has written",
       {{"baselines/adds_buckets.cuh", "simt::reduce_add<order::release, scope::device>(arguments_.written",
         "simt::reduce_add<order::relaxed, scope::device>(arguments_.written"}},
       adds,
       3,
       ""},
      {"the lanes' elements are not ordered before the count of them",
       {{"baselines/adds_buckets.cuh", "may read the element.\n    simt::sync_warp();\n", "may read the element.\n"}},
       adds,
       3,
       ""},
      {"what is assigned is not passed on",
       {{manager, "simt::fence<order::acq_rel, scope::device>();", ""}},
       adds,
       3,
       ""},
      {"an account is settled with the assignment that followed",
       {{manager, "retire_completed(done, turns_of_done);", "retire_completed(done, turns_);"}},
       adds,
       22,
       ""},
      {"what is assigned is forgotten in the look for the end",
       {{manager, "(outstanding_ == 0 && read_ == reserved_)", "(read_ == reserved_)"}},
       adds,
       2,
       ""},
      {"a worker is done before it has released its writes",
       {{"baselines/adds_worker.cuh", "simt::reduce_add<order::release, scope::device>(",
         "simt::reduce_add<order::relaxed, scope::device>("}},
       adds,
       2,
       ""},
      {"a bucket that closes is taken for read",
       {{manager, "    open_ = next_open;\n", "    open_ = next_open;\n    if (!is_open()) read_ = reserved_;\n"}},
       adds,
       4,
       ""},
      {"storage is given away while a worker reads it",
       {{manager, "before + count == block_elements();", "before + count >= block_elements() - 8;"}},
       adds,
       2,
       ""},
  });
}

TEST_CASE("a search by near_pull that forgets edges, pieces or barriers is found") {
  const std::string search = "near_pull/search.cuh";
  const std::string push = "near_pull/push.cuh";
  const std::string frontier = "near_pull/frontier.cuh";
  all_are_found({
      {"a block passes the barrier before the last one arrives", {barrier_passed_early}, near_pull, 3, ""},
      {"the words of a barrier are cleared while a block still waits there",
       {{frontier, "number % 4", "number % 2"}},
       near_pull,
       3,
       ""},
      {"a block's arrival does not release its writes", {arrival_not_released}, near_pull, 3, ""},
      {"the last arrival is not acquired", {arrivals_not_acquired}, near_pull, 3, ""},
      {"edges beyond the limit are forgotten",
       {{push, "output_.note_outer(length[i] >= range.limit);", ""},
        {frontier, "note_outer(edges != part[i].degree);", ""}},
       near_pull,
       3,
       unreached},
      {"edges that lead exactly to the limit before are left out",
       {{push, "length[i] >= range.floor", "(range.floor == 0 || length[i] > range.floor)"}},
       near_pull,
       3,
       ""},
      {"rows are not gathered again for the next limit",
       {{search, "return is_pulled ? step_kind::pull : step_kind::gather;",
         "return is_pulled ? step_kind::pull : step_kind::push;"}},
       near_pull,
       3,
       ""},
      {"a vertex joins only the first frontier",
       {{push, "joins[i] = stamp != output_.step;", "joins[i] = stamp == 0;"}},
       near_pull,
       3,
       ""},
      {"a vertex joins a frontier for each lowering",
       {{push, "joins[i] = stamp != output_.step;", ""}},
       near_pull,
       3,
       ""},
      {"edges shorter than a limit are taken for longer",
       {{"near_rows.cu", "weight >= arguments.limits[i]", "weight > arguments.limits[i] / 2"}},
       near_pull,
       3,
       ""},
      {"the last edges of a row are not ordered",
       {{"near_rows.cu", "const bool valid = first + lane() < end;", "const bool valid = first + lane() + 1 < end;"}},
       near_pull,
       3,
       ""},
      {"vertices that have pulled do not push",
       {{"near_pull/pull.cuh", "add(v, is_found);", "add(v, is_found && v == 0);"}},
       near_pull,
       3,
       ""},
  });
}

TEST_CASE("a search of a core that lacks a seed, or fills in wrongly, is found") {
  const std::string fill = "fill_in.cu";
  all_are_found({
      {"the second seed of a queue is forgotten",
       {{"search.cuh", "lane < arguments.seed_count", "lane == 0"}},
       {"vector", "bucket"},
       32,
       "",
       true},
      {"the second seed of a queue has the distance 0",
       {{"search.cuh", "      l2.write(make_element(seed.vertex, seed.distance), is_writer);",
         "      l2.write(make_element(seed.vertex, 0), is_writer);"}},
       {"vector", "bucket"},
       2,
       "",
       true},
      {"the second seed of a part is forgotten",
       {{"partitioned/partitioned.cu", "simt::block_index() != arguments.seed_parts[i]", "i != 0"}},
       partitioned,
       32,
       "",
       true},
      {"groups start from twice the distance",
       {{"partitioned/grouped_memory.cuh", "2 * of_source + 1", "4 * of_source + 1"}},
       partitioned,
       46,
       "",
       true},
      {"the distance of the first seed is not added",
       {{fill, "integer_distance::extend(distance, arguments_.offset)", "distance"}},
       {"vector", "bucket"},
       2,
       "",
       true},
      {"one path into the fragment is not looked at",
       {{fill, "lesser(over(row.x, row.z), over(row.y, row.w))", "over(row.x, row.z)"}},
       {"vector", "bucket"},
       2,
       "",
       true},
      {"the fragment of the source is left out",
       {{fill, "if (arguments_.few_inside[i].vertex == vertex)", "if (false)"}},
       {"vector", "bucket"},
       2,
       "",
       true},
      {"a path inside the fragment of the source is taken even if it is longer",
       {{fill, "distance = lesser(distance, arguments_.few_inside[i].length);",
         "distance = arguments_.few_inside[i].length;"}},
       {"vector", "bucket"},
       2,
       "",
       true},
      {"edges to a chain are forgotten",
       {{"reduce_graph.cu", "link.back = lesser(link.back, other.back);", ""}},
       {"vector", "bucket"},
       2,
       "",
       true},
      {"a jump along a chain forgets the length before it",
       {{"reduce_graph.cu", "joined(seen.away, next.away)", "next.away"}},
       {"vector", "bucket"},
       2,
       "",
       true},
      {"the lengths from the ends of a chain are those to them",
       {{"reduce_graph.cu", "{first.back, second.back}", "{first.away, second.away}"}},
       {"vector", "bucket"},
       2,
       "",
       true},
  });
}

TEST_CASE("a part that rests too early, or does not send its results, is found") {
  const std::string worker = "partitioned/group_worker.cuh";
  const std::string control = "partitioned/control.cuh";
  all_are_found({
      {"a warp says that it rests without a look at its words",
       {{worker, "if (simt::any(is_marked(word))) marked_groups |= 1u << k;", ""}},
       partitioned,
       6,
       ""},
      {"what was found within a group is not passed on",
       {{worker, "is_marked(word) || has_fallen;", "is_marked(word);"}},
       partitioned,
       3,
       ""},
      {"the sender says that it rests without a look at its words",
       {{control, "for (u32 group = 0; group < groups; ++group) has_sent = send(group) || has_sent;", ""}},
       partitioned,
       3,
       ""},
      {"a block rests as soon as no block works",
       {{control, "    rounds_until_idle_ = 2;\n  }", "  }"}},
       partitioned,
       35,
       ""},
      {"what was taken in is not counted as work",
       {{control, "      note_busy();\n    }\n  }", "    }\n  }"}},
       partitioned,
       161,
       ""},
  });
}
