// SPDX-License-Identifier: Apache-2.0
// Kernels on weak memory with warps that stall, and bugs planted into copies of the kernels. The simulator or the check
// of the answer must find each bug.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/simt/simt_backend.hpp"
#include "base/files.hpp"
#include "tests/phold/phold_test.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;
using namespace mlmq::phold;

namespace {

std::unique_ptr<backends::simulator::simt_backend> harsh_device(const std::string& kernels) {
  backends::simulator::simulator_settings settings;
  settings.kernels = kernels;
  settings.includes = kernels;
  settings.memory_bytes = std::uint64_t{1} << 28;
  settings.weak_memory_cycles = 40'000;
  settings.stall_every = 50;
  return std::make_unique<backends::simulator::simt_backend>("simt:2x4", settings);
}

/// Long enough for the many barriers of a parallel heap.
constexpr double time_limit_ms = 40;

/// Returns the first error under these seeds, or "" if there is none.
std::string wrong_with(const std::string& kernels, const std::string& label, unsigned seeds) {
  const auto device = harsh_device(kernels);
  loaded_model model(*device, "phold:entities=24:events=3:rate=0.03");
  model.prepare(label);
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    device->set_seed(seed);
    try {
      const tuner::run_report report = model.run("320", time_limit_ms);
      if (report.result != db::outcome::ok) return "outcome " + std::string(db::to_string(report.result));
      if (std::string wrong = model.check(); !wrong.empty()) return wrong;
    } catch (const backends::kernel_fault& fault) {
      return fault.what();
    }
  }
  return "";
}

const std::string calendar_label = "solver=calendar,threads=64,bucket_lanes=4,bucket_events=1,ring_buckets=8";
const std::string block_label = "solver=one_block,threads=64,near_events=64";
const std::string cluster_label = "solver=cluster,threads=64,cluster_blocks=2,ring_buckets=8";
const std::string heap_label = "solver=parallel_heap,threads=64,node_events=32";
const std::string queues_label = "solver=queues,threads=64,queue=heap,lanes=8";

/// A change of a kernel file that makes it wrong.
struct planted_bug {
  std::string label;
  std::string file;
  std::string right;
  std::string wrong;
};

const std::vector<planted_bug>& bugs() {
  static const std::vector<planted_bug> bugs = {
      {calendar_label, "block_barrier.cuh", "load_atomic<simt::order::acquire, simt::scope::device>(generation_)",
       "load_atomic<simt::order::relaxed, simt::scope::device>(generation_)"},
      {calendar_label, "block_barrier.cuh", "atomic_add<order::acq_rel, scope::device>(arrived_",
       "atomic_add<order::relaxed, scope::device>(arrived_"},
      {calendar_label, "block_barrier.cuh", "store_atomic<order::release, scope::device>(generation_",
       "store_atomic<order::relaxed, scope::device>(generation_"},
      {calendar_label, "block_barrier.cuh", "before == passed_ * blocks_ - 1", "before >= passed_ * blocks_ - 2"},
      {calendar_label, "phold/calendar.cu", "limit);\n      simt::sync_warp();", "limit);"},
      {calendar_label, "phold/calendar.cu", "simt::store(arguments_.counts + number_of(bucket, entity), 0u)",
       "static_cast<void>(0)"},
      {calendar_label, "phold/calendar.cu", "file_again(first);\n", "static_cast<void>(first);\n"},
      {calendar_label, "phold/calendar.cu", "ranks[k] += others.second < keys[k] ? 1u : 0u;", ""},
      {calendar_label, "phold/calendar.cu", "limit = least_at(end < arguments_.end ? end : arguments_.end)",
       "limit = least_at(end)"},
      {block_label, "phold/one_block.cu", "parity);\n      simt::sync_block();\n", "parity);\n"},
      {block_label, "phold/one_block.cu", "other_event < event || ", ""},
      {block_label, "phold/one_block.cu", "store_chain(owner % entity_chains, nothing);", ""},
      {cluster_label, "phold/cluster.cu", "take_due_letters(current);\n      simt::sync_block();",
       "take_due_letters(current);"},
      {cluster_label, "phold/cluster.cu", "takers());\n      simt::sync_block();", "takers());"},
      {cluster_label, "phold/cluster.cu", "other_event < event || ", ""},
      {cluster_label, "phold/cluster.cu", "simt::store(chains(parity) + owner, nothing);", ""},
      {cluster_label, "phold/cluster.cu", "received.window == current.window && ", ""},
      {cluster_label, "phold/cluster.cu", ".next_third = current.next_third == 2 ? 0 : current.next_third + 1",
       ".next_third = current.next_third == 1 ? 0 : 1"},
      {cluster_label, "phold/cluster.cu", "bucket > current.window + 1 ? bucket : current.window + 2", "bucket"},
      {cluster_label, "phold/cluster.cu", "exchange.wait();", "simt::sync_block();"},
      {heap_label, "phold/parallel_heap.cu", "if (!team_.sync()) return false;\n    }\n    for", "}\n    for"},
      {heap_label, "phold/parallel_heap.cu", "if (window_end < bound) bound = window_end;", ""},
      {heap_label, "phold/parallel_heap.cu", " && is_earliest(e)", ""},
      {heap_label, "phold/parallel_heap.cu", "arguments_.earliest + drawing, no_event",
       "arguments_.earliest + drawing, u64{0}"},
      {queues_label, "phold/queues.cu", "owner_.rank(), parity ^ 1)", "owner_.rank(), parity)"},
      {queues_label, "phold/queues.cu", "if (exists && remains < least_) least_ = remains;", ""},
      {queues_label, "phold/queues.cu", "no_event);\n    }\n    const u64 bound_time",
       "first);\n    }\n    const u64 bound_time"},
      {queues_label, "phold/model.cuh", "time_of(executed) + m.lookahead + drawn.delay",
       "time_of(executed) + drawn.delay"},
  };
  return bugs;
}

}  // namespace

TEST_CASE("all kernels on weak memory") {
  for (const std::string& label :
       {calendar_label, block_label, cluster_label, queues_label, queues_label + ",launches=each_window,mode=earliest",
        std::string("solver=queues,threads=64,queue=two_level,lanes=8"), heap_label}) {
    CAPTURE(label);
    CHECK(wrong_with(backends::kernel_folder(), label, 20) == "");
  }
}

TEST_CASE("a cluster that is full is repeated with twice the room, as long as there is more") {
  const tests::scratch_folder folder;
  const std::filesystem::path copy = folder.path() / "kernels";
  std::filesystem::copy(backends::kernel_folder(), copy, std::filesystem::copy_options::recursive);
  const auto leave_room = [&](const std::string& room) {
    const std::string condition = "place < arguments_.letters)";
    std::string text = read_file(std::filesystem::path(backends::kernel_folder()) / "phold/cluster.cu");
    const std::size_t place = text.find(condition);
    REQUIRE(place != std::string::npos);
    write_file_atomically(copy / "phold/cluster.cu", text.replace(place, condition.size(), "place < " + room + ")"));
  };
  leave_room("arguments_.letters / 8");
  CHECK(wrong_with(copy.string(), cluster_label, 3) == "");
  leave_room("0");
  CHECK_THAT(wrong_with(copy.string(), cluster_label, 1), Catch::Contains("overflow"));
}

TEST_CASE("planted bugs are found") {
  for (const planted_bug& bug : tests::share_of(bugs())) {
    CAPTURE(bug.file, bug.right, bug.wrong);
    const tests::scratch_folder folder;
    const std::filesystem::path copy = folder.path() / "kernels";
    std::filesystem::copy(backends::kernel_folder(), copy, std::filesystem::copy_options::recursive);
    const std::filesystem::path file = copy / bug.file;
    std::string text = read_file(file);
    const std::size_t place = text.find(bug.right);
    REQUIRE(place != std::string::npos);
    write_file_atomically(file, text.replace(place, bug.right.size(), bug.wrong));
    CHECK_FALSE(wrong_with(copy.string(), bug.label, 20).empty());
  }
}
