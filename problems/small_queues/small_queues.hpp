// SPDX-License-Identifier: Apache-2.0
// Parameters and memory of small queues, shared by problems with many small queues. A problem adds
// small_queue_declarations() to its own declarations; its kernel includes queues/small/selected.cuh, which selects the
// queue of a configuration by the macros of tuner::parameter_values::macros().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "kernels/queues/small/storage.cuh"
#include "tuner/parameter.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::problems {

/// Returns the parameters `queue`, `layout`, `lanes`, `arity`, `queue_capacity` and so on.
/// @param only expression that is true if a configuration has small queues; empty: always
[[nodiscard]] std::vector<tuner::parameter_declaration> small_queue_declarations(const std::string& only = "");

/// Returns the names of all queues, which are the values of the parameter `queue`.
[[nodiscard]] std::vector<std::string> small_queue_names();

/// The parameters of small queues that host code uses.
struct small_queue_choice {
  /// @param values must satisfy the limits of the declarations
  explicit small_queue_choice(const tuner::parameter_values& values);

  std::string queue;
  unsigned lanes = 1;     ///< lanes of the group that owns a queue; more than 32: the block
  unsigned capacity = 0;  ///< elements, a power of two, according to the configuration; the problem may need more

  /// Returns the requirements of a queue with another capacity, a power of two.
  /// @param element_bytes 4 or 8
  [[nodiscard]] small_queue_shape shape(unsigned of_capacity, unsigned element_bytes) const;
  /// Returns the dynamic shared memory of a block of `threads` threads: first that of the group, if it is the block
  /// (block_group::scratch_bytes), then that of the queues.
  [[nodiscard]] unsigned shared_bytes(unsigned threads) const;

 private:
  unsigned arity_;
  std::string second_;
  unsigned second_arity_;
  unsigned buckets_;
  unsigned shared_run_ = 0;  // elements of a run in shared memory; 0: it is in registers
};

/// Device memory of many small queues with elements of type Element.
template <class Element>
class small_queue_memory {
 public:
  /// @throws backends::out_of_device_memory
  small_queue_memory(backends::backend& device, const small_queue_choice& choice, std::uint32_t queues,
                     std::uint32_t capacity)
      : shape_(choice.shape(capacity, sizeof(Element))),
        queues_(queues),
        capacity_(capacity),
        elements_(device.allocate(small_queue_elements(shape_, queues) * sizeof(Element), "the queues' elements")),
        state_(device.allocate(small_queue_state_words(shape_, queues) * sizeof(u32), "the queues' state")) {}

  [[nodiscard]] small_queue_storage<Element> view() const {
    return {.elements = elements_.as<Element>(),
            .state = state_.as<u32>(),
            .queues = queues_,
            .capacity = capacity_,
            .places = shape_.places};
  }
  /// Enqueues the work that empties all queues.
  void clear(backends::backend& device) const { device.fill(state_, 0, state_.bytes(), 0); }
  [[nodiscard]] std::uint64_t bytes() const { return elements_.bytes() + state_.bytes(); }

 private:
  small_queue_shape shape_;
  std::uint32_t queues_;
  std::uint32_t capacity_;
  backends::device_memory elements_;
  backends::device_memory state_;
};

}  // namespace mlmq::problems
