// SPDX-License-Identifier: Apache-2.0
#include "queue_test.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

namespace mlmq::tests {

test_device device_for_queues(bool stalls) {
  backends::simulator::simulator_settings settings = backends::simulator::tests::test_settings();
  settings.stall_every = stalls ? 60 : 0;
  return test_device(settings, "simt:8x8");
}

u32 random_numbers::lanes() {
  switch (below(8)) {
    case 0:
      return 0;
    case 1:
      return 1u << below(simt::warp_size);
    case 2:
    case 3:
      return ~0u;
    case 4:
      return 0x55555555u << below(2);
    case 5:
      return first_lanes(below(simt::warp_size));
    default:
      return static_cast<u32>(engine_());
  }
}

elements chosen(const lane_elements& lane_values, u32 lanes) {
  elements some;
  for (u32 lane = 0; lane < simt::warp_size; ++lane) {
    if ((lanes >> lane & 1) != 0) some.push_back(lane_values[lane]);
  }
  return some;
}

elements sorted(elements values) {
  std::sort(values.begin(), values.end());
  return values;
}

script random_script(random_numbers& random, u32 steps, u32 write_percent, u32 first_vertex,
                     const distances& distance) {
  script steps_drawn(steps);
  for (u32 i = 0; i < steps; ++i) {
    const bool writes = random.chance(write_percent);
    steps_drawn[i].operation = {writes ? action::write : action::read, writes ? random.lanes() : 0, simt::warp_size, 0};
    for (u64& e : steps_drawn[i].elements) e = element_of(first_vertex++, distance(random, i));
  }
  return steps_drawn;
}

elements written_by(const script& steps) {
  elements written;
  for (const scripted_step& now : steps) {
    if (now.operation.kind == action::write) append(written, chosen(now.elements, now.operation.lanes));
  }
  return written;
}

namespace {

void launch_on(test_device& device, const backends::kernel& kernel, const queue_launch& launch,
               const script_arguments& arguments) {
  try {
    device.run(kernel, arguments, launch.grid_blocks, launch.shared_bytes);
  } catch (const backends::kernel_fault& fault) {
    FAIL(fault.what());
  }
}

}  // namespace

queue_outcome run(test_device& device, const backends::kernel& kernel, const queue_launch& launch,
                  const std::vector<script>& scripts, std::uint64_t seed) {
  const std::size_t warps = launch.grid_blocks * launch.block_threads / simt::warp_size;
  std::vector<step> steps;
  elements input;
  std::size_t written = 0;
  for (const script& script_of_warp : scripts) {
    REQUIRE(script_of_warp.size() == scripts.front().size());
    for (const scripted_step& now : script_of_warp) {
      steps.push_back(now.operation);
      input.insert(input.end(), now.elements.begin(), now.elements.end());
      written += now.operation.kind == action::write ? chosen(now.elements, now.operation.lanes).size() : 0;
    }
  }
  // A warp that only takes elements records at least one element each time, or that there was none.
  const std::size_t longest = 4 * scripts.front().size() + 2 * written + 64;

  script_arguments arguments = launch.arguments;
  const auto step_memory = device.make(steps, "steps");
  const auto element_memory = device.make(input, "elements");
  const auto record_memory = device->allocate(warps * longest * sizeof(record), "records");
  const auto count_memory = device.make(std::vector<u32>(warps), "record counts");
  const auto counter_memory = device.make(std::vector<u64>(counter_count), "counters");
  queue_control control{};
  control.beyond = ~0u;
  for (subqueue_control& subqueue : control.subqueues) {
    subqueue.words = {arguments.first_position, arguments.first_position, arguments.first_position, 0};
  }
  const auto control_memory = device.make(std::vector<queue_control>{control}, "control");
  const u32 headers = launch.headers ? launch.capacity / simt::warp_size : 0;
  const auto slot_memory =
      device.make(elements(std::max(1u, launch.subqueues * (launch.capacity + headers)), empty_slot), "slots");
  arguments.storage.control = control_memory.as<queue_control>();
  arguments.storage.slots = slot_memory.as<u64>();
  arguments.counters = counter_memory.as<u64>();
  arguments.storage.capacity_mask = launch.capacity - 1;
  arguments.steps = step_memory.as<step>();
  arguments.elements = element_memory.as<u64>();
  arguments.records = record_memory.as<record>();
  arguments.record_counts = count_memory.as<u32>();
  arguments.steps_per_warp = static_cast<u32>(scripts.front().size());
  arguments.records_per_warp = static_cast<u32>(longest);

  device->set_seed(seed);
  launch_on(device, kernel, launch, arguments);

  queue_outcome outcome{};
  const std::vector<u32> counts = device.read<u32>(count_memory);
  const std::vector<record> records = device.read<record>(record_memory);
  for (std::size_t warp = 0; warp < warps; ++warp) {
    REQUIRE(counts[warp] <= longest);
    const auto first = records.begin() + static_cast<std::ptrdiff_t>(warp * longest);
    outcome.logs.emplace_back(first, first + counts[warp]);
  }
  const std::vector<u64> counters = device.read<u64>(counter_memory);
  std::copy(counters.begin(), counters.end(), outcome.counters.begin());
  outcome.control = device.read<queue_control>(control_memory).front();
  outcome.slots = device.read<u64>(slot_memory);
  return outcome;
}

void check_conserved(const elements& in, const elements& out) {
  const elements sorted_in = sorted(in);
  const elements sorted_out = sorted(out);
  elements lost;
  elements invented;
  std::set_difference(sorted_in.begin(), sorted_in.end(), sorted_out.begin(), sorted_out.end(),
                      std::back_inserter(lost));
  std::set_difference(sorted_out.begin(), sorted_out.end(), sorted_in.begin(), sorted_in.end(),
                      std::back_inserter(invented));
  CHECK(lost == elements());
  REQUIRE(invented == elements());
  REQUIRE(sorted_in.size() == sorted_out.size());
}

void check_follows(const script& steps, const std::vector<record>& log, warp_model& model, u32 capacity) {
  elements out;
  std::size_t in = 0;
  auto next = log.begin();
  const auto read_is = [&](const record& entry, const elements& expected) {
    const elements read = elements_in(entry);
    REQUIRE(read == expected);
    REQUIRE(entry.lanes == first_lanes(read.size()));
    append(out, read);
  };
  for (u32 i = 0; i < steps.size(); ++i) {
    CAPTURE(i);
    const step& now = steps[i].operation;
    if (now.kind == action::write) {
      elements down;
      for (; next != log.end() && next->step == i; ++next) {
        REQUIRE(next->kind == event::spilled);
        append(down, elements_in(*next));
      }
      REQUIRE(down == model.write(steps[i].elements, now.lanes));
      in += chosen(steps[i].elements, now.lanes).size();
      append(out, down);
      REQUIRE(in - out.size() <= capacity);
    } else {
      REQUIRE(next != log.end());
      REQUIRE(next->kind == event::read);
      REQUIRE(next->step == i);
      const elements expected = model.read();
      REQUIRE(next->answer == (expected.empty() ? 0 : ~0u));
      read_is(*next++, expected);
    }
  }
  for (; next != log.end(); ++next) {
    REQUIRE(next->kind == event::remaining);
    read_is(*next, model.read());
  }
  REQUIRE(model.read() == elements());
  check_conserved(written_by(steps), out);
}

}  // namespace mlmq::tests
