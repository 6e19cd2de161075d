// SPDX-License-Identifier: Apache-2.0
#include "problems/small_queues/queue_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/random.hpp"

namespace mlmq::problems {
namespace {

constexpr u64 none = no_element<u64>;

/// The queue that gets what lane `rank` of a queue's group sends.
std::uint32_t receiver(std::uint32_t queue, std::uint32_t rank, std::uint32_t groups_a_block, std::uint32_t queues) {
  const std::uint32_t base = queue / groups_a_block * groups_a_block;
  const std::uint32_t in_block = std::min(groups_a_block, queues - base);
  return base + (queue - base + 1 + rank) % in_block;
}

/// How the elements of one script are drawn.
enum class drawing { wide, few_values, rising, falling, equal };
constexpr unsigned drawings = 5;

class script_maker {
 public:
  script_maker(const script_limits& limits, std::uint64_t seed)
      : limits_(limits), random_({seed, 0x5155455545u}), sizes_(limits.queues) {
    how_ = static_cast<drawing>(random_.below(drawings));
    insert_percent_ = std::array<std::uint32_t, 4>{30, 50, 60, 80}[random_.below(4)];
    script_ = {.queues = limits.queues,
               .width = limits.width,
               .steps = 0,
               .capacity = limits.capacity,
               .what = {},
               .operands = {},
               .refused = {}};
  }

  queue_script make() {
    for (std::uint32_t i = 0; i < limits_.steps; ++i) add_step(false);
    // Everything comes out again; long queues are cut short, their order has been seen by then.
    constexpr std::uint32_t most = 40;
    for (std::uint32_t i = 0; i < most && *std::max_element(sizes_.begin(), sizes_.end()) != 0; ++i) add_step(true);
    return std::move(script_);
  }

 private:
  u64 element() {
    const u64 bits = random_.next();
    if (limits_.keys != 0) return element_with_key(bits);
    switch (how_) {
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

  /// Keys within a window that moves.
  u64 element_with_key(u64 bits) {
    u64 lowest = 1000;
    if (limits_.keys_move && how_ == drawing::rising) lowest += script_.steps;
    if (limits_.keys_move && how_ == drawing::falling) lowest -= script_.steps;
    const std::uint32_t half = limits_.element_bits / 2;
    return (lowest + bits % limits_.keys) << half | bits >> (64 - half + 4);
  }

  void add_step(bool emptying) {
    const std::size_t first = script_.what.size();
    script_.what.resize(first + limits_.queues, static_cast<std::uint32_t>(small_step::nothing));
    script_.refused.resize(first + limits_.queues, 0);
    script_.operands.resize((first + limits_.queues) * limits_.width, none);
    std::vector<std::uint32_t> incoming(limits_.queues);
    for (std::uint32_t queue = 0; queue < limits_.queues; ++queue) {
      u64* const operands = &script_.operands[(first + queue) * limits_.width];
      const small_step what = emptying ? small_step::remove_many : draw();
      script_.what[first + queue] = static_cast<std::uint32_t>(what);
      fill(what, queue, operands, incoming, emptying, script_.refused[first + queue]);
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

  void fill(small_step what, std::uint32_t queue, u64* operands, std::vector<std::uint32_t>& incoming, bool emptying,
            std::uint32_t& refused) {
    std::uint32_t& size = sizes_[queue];
    const std::uint32_t width = limits_.width;
    const auto removes = [&](std::uint32_t count) { size -= std::min(size, count); };
    switch (what) {
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
          ++incoming[receiver(queue, lane, limits_.groups_a_block, limits_.queues)];
        }
        break;
      case small_step::clear:
        size = 0;
        break;
      case small_step::nothing:
        break;
    }
  }

  /// The senders of a step in which a queue would overflow do nothing.
  void deliver(std::size_t first, const std::vector<std::uint32_t>& incoming) {
    bool fits = true;
    for (std::uint32_t queue = 0; queue < limits_.queues; ++queue) {
      if (sizes_[queue] + incoming[queue] > limits_.capacity) fits = false;
    }
    for (std::uint32_t queue = 0; queue < limits_.queues; ++queue) {
      if (fits) {
        sizes_[queue] += incoming[queue];
      } else if (script_.what[first + queue] == static_cast<std::uint32_t>(small_step::send)) {
        script_.what[first + queue] = static_cast<std::uint32_t>(small_step::nothing);
      }
    }
  }

  script_limits limits_;
  random_stream random_;
  drawing how_;
  std::uint32_t insert_percent_;
  std::vector<std::uint32_t> sizes_;
  queue_script script_;
};

/// The queues as they must be, one after the other step.
class model {
 public:
  model(const queue_script& script, std::uint32_t groups_a_block, std::uint32_t key_shift)
      : script_(script), groups_a_block_(groups_a_block), key_shift_(key_shift), queues_(script.queues) {}

  std::string compare(const script_record& found) {
    for (std::uint32_t step = 0; step < script_.steps; ++step) {
      for (std::uint32_t queue = 0; queue < script_.queues; ++queue) {
        const std::string wrong = apply(step, queue, found);
        if (!wrong.empty()) return fmt::format("queue {}, step {}: {}", queue, step, wrong);
      }
      for (std::uint32_t queue = 0; queue < script_.queues; ++queue) deliver(step, queue);
      for (std::uint32_t queue = 0; queue < script_.queues; ++queue) {
        const std::string wrong = state_difference(step, queue, found);
        if (!wrong.empty()) return fmt::format("queue {} after step {}: {}", queue, step, wrong);
      }
    }
    return "";
  }

 private:
  [[nodiscard]] small_step what(std::size_t at) const { return static_cast<small_step>(script_.what[at]); }
  [[nodiscard]] const u64* operands(std::size_t at) const { return &script_.operands[at * script_.width]; }
  [[nodiscard]] u64 key(u64 e) const { return e == none ? none : e >> key_shift_; }
  static std::string text(u64 e) { return e == none ? "nothing" : fmt::format("{:#x}", e); }

  std::string apply(std::uint32_t step, std::uint32_t queue, const script_record& found) {
    const std::size_t at = script_.at(step, queue);
    const u64* const given = operands(at);
    const u64* const results = &found.results[at * script_.width];
    std::multiset<u64>& content = queues_[queue];
    std::uint32_t removed = 0;
    switch (what(at)) {
      case small_step::insert:
        if (script_.refused[at] == 0) content.insert(given[0]);
        break;
      case small_step::insert_many:
        std::for_each(given, given + script_.width, [&](u64 e) {
          if (e != none) content.insert(e);
        });
        break;
      case small_step::remove:
        removed = 1;
        break;
      case small_step::remove_many:
        removed = static_cast<std::uint32_t>(given[0]);
        break;
      case small_step::clear:
        content.clear();
        break;
      default:
        break;
    }
    if (found.refused[at] != script_.refused[at]) {
      return fmt::format("with {} of {} elements it {}", content.size(), script_.capacity,
                         found.refused[at] != 0 ? "was said to be full" : "was not said to be full");
    }
    for (std::uint32_t place = 0; place < script_.width; ++place) {
      const u64 expected = place < removed && !content.empty() ? *content.begin() : none;
      if (key(results[place]) != key(expected)) {
        return fmt::format("removed {} as number {}, not {}", text(results[place]), place, text(expected));
      }
      if (expected == none) continue;
      const auto exact = content.find(results[place]);
      if (exact == content.end()) return fmt::format("removed {}, which is not there", text(results[place]));
      content.erase(exact);
    }
    return "";
  }

  void deliver(std::uint32_t step, std::uint32_t queue) {
    const std::size_t at = script_.at(step, queue);
    if (what(at) != small_step::send) return;
    for (std::uint32_t lane = 0; lane < script_.width; ++lane) {
      if (operands(at)[lane] == none) continue;
      queues_[receiver(queue, lane, groups_a_block_, script_.queues)].insert(operands(at)[lane]);
    }
  }

  std::string state_difference(std::uint32_t step, std::uint32_t queue, const script_record& found) const {
    const std::size_t at = script_.at(step, queue);
    const std::multiset<u64>& content = queues_[queue];
    if (found.sizes[at] != content.size()) {
      return fmt::format("its size is {}, not {}", found.sizes[at], content.size());
    }
    const u64 least = content.empty() ? none : *content.begin();
    if (key(found.leasts[at]) == key(least)) return "";
    return fmt::format("its least element is {}, not {}", text(found.leasts[at]), text(least));
  }

  const queue_script& script_;
  std::uint32_t groups_a_block_;
  std::uint32_t key_shift_;
  std::vector<std::multiset<u64>> queues_;
};

}  // namespace

queue_script make_script(const script_limits& limits, std::uint64_t seed) { return script_maker(limits, seed).make(); }

std::string first_difference(const queue_script& script, std::uint32_t groups_a_block, std::uint32_t key_shift,
                             const script_record& found) {
  return model(script, groups_a_block, key_shift).compare(found);
}

}  // namespace mlmq::problems
