// SPDX-License-Identifier: Apache-2.0
// Atomic functions. Each exists for the device, for the block (_block) and for the system (_system); the simulator
// treats the block's like the device's.
#pragma once

#include "simt/plain/instrumentation.hpp"

namespace mlmq_cuda {

using simt::simulator::atomic_operation;
using simt::simulator::plain_atomic;

/// @param operation  an atomic_operation or a plain_atomic
template <class T, class Operation>
inline T update(Operation operation, T* address, T value, T expected, const char* file, mlmq_u32 line) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomic functions work on 4 and 8 bytes");
  unsigned long long value_bits = 0;
  unsigned long long expected_bits = 0;
  __builtin_memcpy(&value_bits, &value, sizeof(T));
  __builtin_memcpy(&expected_bits, &expected, sizeof(T));
  const simt::simulator::atomic_code code(static_cast<atomic_operation>(operation), simt::order::relaxed,
                                          simt::scope::device, sizeof(T));
  const unsigned long long bits = atomic(code.bits, const_cast<void*>(static_cast<const volatile void*>(address)),
                                         value_bits, expected_bits, file, line);
  T old;
  __builtin_memcpy(&old, &bits, sizeof(T));
  return old;
}

}  // namespace mlmq_cuda

#define MLMQ_ATOMIC(name, T, operation)                                                                   \
  inline T name(T* address, T value, MLMQ_PLACE) {                                                        \
    return ::mlmq_cuda::update<T>(::mlmq_cuda::operation, address, value, static_cast<T>(0), file, line); \
  }
#define MLMQ_ATOMIC_SCOPES(name, T, operation) \
  MLMQ_ATOMIC(name, T, operation)              \
  MLMQ_ATOMIC(name##_block, T, operation)      \
  MLMQ_ATOMIC(name##_system, T, operation)

#define MLMQ_ATOMIC_BITS(name, operation)           \
  MLMQ_ATOMIC_SCOPES(name, int, operation)          \
  MLMQ_ATOMIC_SCOPES(name, unsigned int, operation) \
  MLMQ_ATOMIC_SCOPES(name, unsigned long long, operation)
MLMQ_ATOMIC_BITS(atomicAdd, atomic_operation::add)
MLMQ_ATOMIC_SCOPES(atomicAdd, float, plain_atomic::add_real)
MLMQ_ATOMIC_SCOPES(atomicAdd, double, plain_atomic::add_real)
MLMQ_ATOMIC_BITS(atomicAnd, plain_atomic::bit_and)
MLMQ_ATOMIC_BITS(atomicOr, atomic_operation::bit_or)
MLMQ_ATOMIC_BITS(atomicXor, plain_atomic::bit_xor)
MLMQ_ATOMIC_BITS(atomicExch, atomic_operation::exchange)
MLMQ_ATOMIC_SCOPES(atomicExch, float, atomic_operation::exchange)
MLMQ_ATOMIC_SCOPES(atomicMin, int, plain_atomic::min_signed)
MLMQ_ATOMIC_SCOPES(atomicMin, unsigned int, atomic_operation::min)
MLMQ_ATOMIC_SCOPES(atomicMin, unsigned long long, atomic_operation::min)
MLMQ_ATOMIC_SCOPES(atomicMin, long long, plain_atomic::min_signed)
MLMQ_ATOMIC_SCOPES(atomicMax, int, plain_atomic::max_signed)
MLMQ_ATOMIC_SCOPES(atomicMax, unsigned int, plain_atomic::max)
MLMQ_ATOMIC_SCOPES(atomicMax, unsigned long long, plain_atomic::max)
MLMQ_ATOMIC_SCOPES(atomicMax, long long, plain_atomic::max_signed)
MLMQ_ATOMIC_SCOPES(atomicInc, unsigned int, plain_atomic::increment)
MLMQ_ATOMIC_SCOPES(atomicDec, unsigned int, plain_atomic::decrement)
#undef MLMQ_ATOMIC_BITS
#undef MLMQ_ATOMIC_SCOPES
#undef MLMQ_ATOMIC

#define MLMQ_ATOMIC_SUB(name, T)                                                                                     \
  inline T name(T* address, T value, MLMQ_PLACE) {                                                                   \
    return static_cast<T>(::mlmq_cuda::update<unsigned int>(::mlmq_cuda::atomic_operation::add,                      \
                                                            reinterpret_cast<unsigned int*>(address),                \
                                                            0u - static_cast<unsigned int>(value), 0u, file, line)); \
  }
MLMQ_ATOMIC_SUB(atomicSub, int)
MLMQ_ATOMIC_SUB(atomicSub, unsigned int)
MLMQ_ATOMIC_SUB(atomicSub_block, int)
MLMQ_ATOMIC_SUB(atomicSub_block, unsigned int)
#undef MLMQ_ATOMIC_SUB

#define MLMQ_ATOMIC_CAS(name, T)                                                                                     \
  inline T name(T* address, T expected, T desired, MLMQ_PLACE) {                                                     \
    return ::mlmq_cuda::update<T>(::mlmq_cuda::atomic_operation::compare_exchange, address, desired, expected, file, \
                                  line);                                                                             \
  }
MLMQ_ATOMIC_CAS(atomicCAS, int)
MLMQ_ATOMIC_CAS(atomicCAS, unsigned int)
MLMQ_ATOMIC_CAS(atomicCAS, unsigned long long)
MLMQ_ATOMIC_CAS(atomicCAS_block, int)
MLMQ_ATOMIC_CAS(atomicCAS_block, unsigned int)
MLMQ_ATOMIC_CAS(atomicCAS_system, int)
MLMQ_ATOMIC_CAS(atomicCAS_system, unsigned int)
#undef MLMQ_ATOMIC_CAS
