// SPDX-License-Identifier: Apache-2.0
#include "problems/small_queues/queue_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/random.hpp"

namespace mlmq::problems {
namespace {

constexpr u64 none = no_element<u64>;

/// Returns the queue that receives the element sent by lane `rank` of a queue's group.
std::uint32_t receiver(std::uint32_t queue, std::uint32_t rank, std::uint32_t groups_per_block, std::uint32_t queues) {
  const std::uint32_t base = queue / groups_per_block * groups_per_block;
  const std::uint32_t in_block = std::min(groups_per_block, queues - base);
  return base + (queue - base + 1 + rank) % in_block;
}

/// Distribution of the elements of a script.
enum class drawing { wide, few_values, rising, falling, equal };
constexpr unsigned drawings = 5;

class script_maker {
 public:
  script_maker(const script_limits& limits, std::uint64_t seed)
      : limits_(limits), random_({seed, 0x5155455545u}), sizes_(limits.queues) {
    drawing_ = static_cast<drawing>(random_.below(drawings));
    insert_percent_ = std::array<std::uint32_t, 4>{30, 50, 60, 80}[random_.below(4)];
    script_ = {.queues = limits.queues,
               .width = limits.width,
               .steps = 0,
               .capacity = limits.capacity,
               .operations = {},
               .operands = {},
               .refused = {}};
  }

  queue_script make() {
    for (std::uint32_t i = 0; i < limits_.steps; ++i) add_step(false);
    // Empties the queues; long queues are not emptied completely, because their order has been checked by then.
    constexpr std::uint32_t most = 40;
    for (std::uint32_t i = 0; i < most && *std::max_element(sizes_.begin(), sizes_.end()) != 0; ++i) add_step(true);
    return std::move(script_);
  }

 private:
  u64 element() {
    const u64 bits = random_.next();
    if (limits_.keys != 0) return element_with_key(bits);
    switch (drawing_) {
      case drawing::wide:
        return limits_.element_bits == 64 ? bits % none : (bits >> 32) % no_element<u32>;
      case drawing::few_values:
        return bits % 7;
      case drawing::rising:
        return (u64{script_.steps} << (limits_.element_bits / 2 + 1)) + bits % 64;
      case drawing::falling:
        return (u64{1000 - script_.steps} << (limits_.element_bits / 2 + 1)) + bits % 64;
      default:
        return 42;
    }
  }

  /// Returns an element with a key within the moving window.
  u64 element_with_key(u64 bits) {
    u64 lowest = 1000;
    if (limits_.keys_move && drawing_ == drawing::rising) lowest += script_.steps;
    if (limits_.keys_move && drawing_ == drawing::falling) lowest -= script_.steps;
    const std::uint32_t half = limits_.element_bits / 2;
    return (lowest + bits % limits_.keys) << half | bits >> (64 - half + 4);
  }

  void add_step(bool emptying) {
    const std::size_t first = script_.operations.size();
    script_.operations.resize(first + limits_.queues, static_cast<std::uint32_t>(small_step::nothing));
    script_.refused.resize(first + limits_.queues, 0);
    script_.operands.resize((first + limits_.queues) * limits_.width, none);
    std::vector<std::uint32_t> incoming(limits_.queues);
    for (std::uint32_t queue = 0; queue < limits_.queues; ++queue) {
      u64* const operands = &script_.operands[(first + queue) * limits_.width];
      const small_step step = emptying ? small_step::remove_many : draw();
      script_.operations[first + queue] = static_cast<std::uint32_t>(step);
      fill(step, queue, operands, incoming, emptying, script_.refused[first + queue]);
    }
    deliver(first, incoming);
    ++script_.steps;
  }

  small_step draw() {
    const std::uint64_t drawn = random_.below(100);
    if (drawn < 2) return random_.below(4) == 0 ? small_step::clear : small_step::nothing;
    if (script_.steps % limits_.send_every == 0 && drawn < 40) return small_step::send;
    const bool inserts = random_.below(100) < insert_percent_;
    const bool many = random_.below(100) < 35;
    if (inserts) return many ? small_step::insert_many : small_step::insert;
    return many ? small_step::remove_many : small_step::remove;
  }

  void fill(small_step step, std::uint32_t queue, u64* operands, std::vector<std::uint32_t>& incoming, bool emptying,
            std::uint32_t& refused) {
    std::uint32_t& size = sizes_[queue];
    const std::uint32_t width = limits_.width;
    const auto removes = [&](std::uint32_t count) { size -= std::min(size, count); };
    switch (step) {
      case small_step::insert:
        operands[0] = element();
        refused = size == limits_.capacity ? 1 : 0;
        size += 1 - refused;
        break;
      case small_step::remove:
        removes(1);
        break;
      case small_step::insert_many: {
        const std::uint64_t share = random_.below(101);
        for (std::uint32_t lane = 0; lane < width && size < limits_.capacity; ++lane) {
          if (random_.below(100) >= share) continue;
          operands[lane] = element();
          ++size;
        }
        break;
      }
      case small_step::remove_many: {
        const auto count = emptying ? width : static_cast<std::uint32_t>(random_.below(width + 1));
        operands[0] = count;
        removes(count);
        break;
      }
      case small_step::send:
        for (std::uint32_t lane = 0; lane < width; ++lane) {
          if (random_.below(3) == 0) continue;
          operands[lane] = element();
          ++incoming[receiver(queue, lane, limits_.groups_per_block, limits_.queues)];
        }
        break;
      case small_step::clear:
        size = 0;
        break;
      case small_step::nothing:
        break;
    }
  }

  /// Delivers sent elements; if a queue would overflow, replaces all sends of the step by no operation.
  void deliver(std::size_t first, const std::vector<std::uint32_t>& incoming) {
    bool fits = true;
    for (std::uint32_t queue = 0; queue < limits_.queues; ++queue) {
      if (sizes_[queue] + incoming[queue] > limits_.capacity) fits = false;
    }
    for (std::uint32_t queue = 0; queue < limits_.queues; ++queue) {
      if (fits) {
        sizes_[queue] += incoming[queue];
      } else if (script_.operations[first + queue] == static_cast<std::uint32_t>(small_step::send)) {
        script_.operations[first + queue] = static_cast<std::uint32_t>(small_step::nothing);
      }
    }
  }

  script_limits limits_;
  random_stream random_;
  drawing drawing_;
  std::uint32_t insert_percent_;
  std::vector<std::uint32_t> sizes_;
  queue_script script_;
};

/// The sequential model of the queues.
class model {
 public:
  model(const queue_script& script, std::uint32_t groups_per_block, std::uint32_t key_shift)
      : script_(script), groups_per_block_(groups_per_block), key_shift_(key_shift), queues_(script.queues) {}

  std::string compare(const script_record& record) {
    for (std::uint32_t step = 0; step < script_.steps; ++step) {
      for (std::uint32_t queue = 0; queue < script_.queues; ++queue) {
        const std::string wrong = apply(step, queue, record);
        if (!wrong.empty()) return fmt::format("queue {}, step {}: {}", queue, step, wrong);
      }
      for (std::uint32_t queue = 0; queue < script_.queues; ++queue) deliver(step, queue);
      for (std::uint32_t queue = 0; queue < script_.queues; ++queue) {
        const std::string wrong = state_difference(step, queue, record);
        if (!wrong.empty()) return fmt::format("queue {} after step {}: {}", queue, step, wrong);
      }
    }
    return "";
  }

 private:
  [[nodiscard]] small_step operation_at(std::size_t index) const {
    return static_cast<small_step>(script_.operations[index]);
  }
  [[nodiscard]] const u64* operands(std::size_t index) const { return &script_.operands[index * script_.width]; }
  [[nodiscard]] u64 key(u64 e) const { return e == none ? none : e >> key_shift_; }
  static std::string text(u64 e) { return e == none ? "nothing" : fmt::format("{:#x}", e); }

  std::string apply(std::uint32_t step, std::uint32_t queue, const script_record& record) {
    const std::size_t index = script_.index_of(step, queue);
    const u64* const step_operands = operands(index);
    const u64* const results = &record.results[index * script_.width];
    std::multiset<u64>& content = queues_[queue];
    std::uint32_t removed = 0;
    switch (operation_at(index)) {
      case small_step::insert:
        if (script_.refused[index] == 0) content.insert(step_operands[0]);
        break;
      case small_step::insert_many:
        std::for_each(step_operands, step_operands + script_.width, [&](u64 e) {
          if (e != none) content.insert(e);
        });
        break;
      case small_step::remove:
        removed = 1;
        break;
      case small_step::remove_many:
        removed = static_cast<std::uint32_t>(step_operands[0]);
        break;
      case small_step::clear:
        content.clear();
        break;
      default:
        break;
    }
    if (record.refused[index] != script_.refused[index]) {
      return fmt::format("with {} of {} elements it {}", content.size(), script_.capacity,
                         record.refused[index] != 0 ? "was said to be full" : "was not said to be full");
    }
    for (std::uint32_t place = 0; place < script_.width; ++place) {
      const u64 expected = place < removed && !content.empty() ? *content.begin() : none;
      if (key(results[place]) != key(expected)) {
        return fmt::format("removed {} as number {}, not {}", text(results[place]), place, text(expected));
      }
      if (expected == none) continue;
      const auto exact = content.find(results[place]);
      if (exact == content.end()) return fmt::format("removed {}, which is not in the queue", text(results[place]));
      content.erase(exact);
    }
    return "";
  }

  void deliver(std::uint32_t step, std::uint32_t queue) {
    const std::size_t index = script_.index_of(step, queue);
    if (operation_at(index) != small_step::send) return;
    for (std::uint32_t lane = 0; lane < script_.width; ++lane) {
      if (operands(index)[lane] == none) continue;
      queues_[receiver(queue, lane, groups_per_block_, script_.queues)].insert(operands(index)[lane]);
    }
  }

  std::string state_difference(std::uint32_t step, std::uint32_t queue, const script_record& record) const {
    const std::size_t index = script_.index_of(step, queue);
    const std::multiset<u64>& content = queues_[queue];
    if (record.sizes[index] != content.size()) {
      return fmt::format("its size is {}, not {}", record.sizes[index], content.size());
    }
    const u64 least = content.empty() ? none : *content.begin();
    if (key(record.leasts[index]) == key(least)) return "";
    return fmt::format("its least element is {}, not {}", text(record.leasts[index]), text(least));
  }

  const queue_script& script_;
  std::uint32_t groups_per_block_;
  std::uint32_t key_shift_;
  std::vector<std::multiset<u64>> queues_;
};

}  // namespace

queue_script make_script(const script_limits& limits, std::uint64_t seed) { return script_maker(limits, seed).make(); }

std::string first_difference(const queue_script& script, std::uint32_t groups_per_block, std::uint32_t key_shift,
                             const script_record& record) {
  return model(script, groups_per_block, key_shift).compare(record);
}

}  // namespace mlmq::problems
