// SPDX-License-Identifier: Apache-2.0
#include "problems/small_queues/queue_fuzzer.hpp"

#include <algorithm>
#include <array>

#include "base/random.hpp"
#include "kernels/queues/small/check_abi.cuh"
#include "problems/small_queues/queue_script.hpp"

namespace mlmq::problems {
namespace {

/// Two warps, so that inboxes connect threads of several warps; more if a block owns a queue.
constexpr unsigned least_threads = 64;
std::span<const tuner::parameter_declaration> declared() {
  static const std::vector<tuner::parameter_declaration> declarations = small_queue_declarations();
  return declarations;
}

/// The device memory of a launch, except the queues.
class recorded_script {
 public:
  recorded_script(backends::backend& device, const queue_script& script)
      : script_(script),
        steps_(backends::uploaded(device, script.operations, "steps")),
        operands_(backends::uploaded(device, script.operands, "operands")),
        results_(device.allocate(script.operands.size() * sizeof(u64), "results")),
        leasts_(device.allocate(script.operations.size() * sizeof(u64), "least elements")),
        sizes_(device.allocate(script.operations.size() * sizeof(u32), "sizes")),
        refused_(device.allocate(script.operations.size() * sizeof(u32), "refusals")) {}

  template <class Element>
  void fill_in(small_check_arguments<Element>& arguments) const {
    arguments.steps = steps_.as<u32>();
    arguments.operands = operands_.as<u64>();
    arguments.results = results_.as<u64>();
    arguments.leasts = leasts_.as<u64>();
    arguments.sizes = sizes_.as<u32>();
    arguments.refused = refused_.as<u32>();
    arguments.step_count = script_.steps;
    arguments.width = script_.width;
  }

  [[nodiscard]] script_record download(backends::backend& device) const {
    script_record result;
    const auto get = [&](auto& values, const backends::device_memory& memory, std::size_t count) {
      values.resize(count);
      device.download(values.data(), memory, memory.bytes());
    };
    get(result.results, results_, script_.operands.size());
    get(result.leasts, leasts_, script_.operations.size());
    get(result.sizes, sizes_, script_.operations.size());
    get(result.refused, refused_, script_.operations.size());
    return result;
  }

 private:
  const queue_script& script_;
  backends::device_memory steps_;
  backends::device_memory operands_;
  backends::device_memory results_;
  backends::device_memory leasts_;
  backends::device_memory sizes_;
  backends::device_memory refused_;
};

}  // namespace

small_queue_fuzzer::small_queue_fuzzer(const std::string& label, unsigned element_bits)
    : chosen_(tuner::parameter_set::from_declarations(declared()).parse_label(label)),
      element_bits_(element_bits),
      lanes_(small_queue_choice(tuner::parameter_values(declared(), chosen_)).lanes),
      orders_keys_(tuner::parameter_values(declared(), chosen_).text("queue") == "bucket") {}

backends::kernel_source small_queue_fuzzer::variant() const {
  const tuner::parameter_values values(declared(), chosen_);
  backends::kernel_source source{.file = "queues/small/check.cu",
                                 .entry = "small_queue_check",
                                 .block_threads = std::max(least_threads, lanes_ > simt::warp_size ? lanes_ : 0),
                                 .defines = values.macros("small_queues")};
  source.defines.emplace("SIMT_CHECKED", "1");
  source.defines.emplace("MLMQ_SMALL_CHECK_ELEMENT", element_bits_ == 64 ? "u64" : "u32");
  return source;
}

fuzzed_queue::outcome small_queue_fuzzer::run(backends::simulator::simt_backend& device,
                                              const backends::kernel& compiled, std::uint64_t seed) const {
  return element_bits_ == 64 ? run_with<u64>(device, compiled, seed) : run_with<u32>(device, compiled, seed);
}

template <class Element>
fuzzed_queue::outcome small_queue_fuzzer::run_with(backends::simulator::simt_backend& device,
                                                   const backends::kernel& compiled, std::uint64_t seed) const {
  random_stream random({seed, 0x534D414C4Cu});
  const small_queue_choice choice(tuner::parameter_values(declared(), chosen_));
  const unsigned threads = variant().block_threads;
  const std::uint32_t groups = threads / lanes_;
  const auto blocks = static_cast<std::uint32_t>(1 + random.below(lanes_ >= 16 ? 2 : 1));
  // Some of the last groups of the grid have no queue.
  const auto without = static_cast<std::uint32_t>(random.below(2) == 0 ? 0 : random.below(groups));
  // A moving window stays within the buckets for 40 steps.
  const unsigned buckets = tuner::parameter_values(declared(), chosen_).whole("buckets");
  const script_limits limits{.queues = blocks * groups - without,
                             .groups_per_block = groups,
                             .width = lanes_,
                             .capacity = std::array<std::uint32_t, 3>{32, 64, 128}[random.below(3)],
                             .steps = lanes_ == 1  ? 80U
                                      : lanes_ < 8 ? 48U
                                                   : 40U,
                             .element_bits = element_bits_,
                             .send_every = static_cast<std::uint32_t>(1 + random.below(8)),
                             .keys = !orders_keys_  ? 0U
                                     : buckets > 64 ? buckets / 2
                                                    : buckets,
                             .keys_move = buckets > 64};
  const queue_script script = make_script(limits, seed);
  const small_queue_memory<Element> queues(device, choice, limits.queues, limits.capacity);
  const recorded_script recorded(device, script);
  const std::uint32_t inbox_capacity = std::max(lanes_, simt::warp_size);
  const auto mail = device.allocate(inbox_elements(inbox_capacity, limits.queues) * sizeof(Element), "inboxes");
  const auto mail_counts = device.allocate(limits.queues * sizeof(u32), "inbox counts");
  const auto counts = device.allocate(2 * sizeof(u64), "counts");
  queues.clear(device);
  device.fill(mail_counts, 0, mail_counts.bytes(), 0);
  device.fill(counts, 0, counts.bytes(), 0);

  small_check_arguments<Element> arguments{};
  arguments.storage = queues.view();
  arguments.inboxes = {.elements = mail.as<Element>(),
                       .counts = mail_counts.as<u32>(),
                       .queues = limits.queues,
                       .capacity = inbox_capacity};
  recorded.fill_in(arguments);
  arguments.counts = counts.as<u64>();
  arguments.send_every = limits.send_every;
  arguments.reload_every = static_cast<u32>(1 + random.below(20));
  device.set_seed(seed);
  outcome result;
  try {
    device.launch(compiled, {.grid_blocks = blocks,
                             .shared_bytes = choice.shared_bytes(threads),
                             .arguments = &arguments,
                             .argument_bytes = sizeof arguments,
                             .together = false});
    result.operations = device.last_launch().operations();
  } catch (const backends::kernel_fault& fault) {
    result.operations = device.last_launch().operations();
    result.message = fault.what();
    return result;
  }
  result.message = first_difference(script, groups, orders_keys_ ? element_bits_ / 2 : 0, recorded.download(device));
  return result;
}

}  // namespace mlmq::problems
