// SPDX-License-Identifier: Apache-2.0
// Words of a block's shared memory that many warps read and lower all the time, named by 32 bits: an array of names fits
// into registers, and an access takes one instruction.
//
//   name_of(address)             the name of a word of this block's shared memory; that of the word behind it is 4 more
//   load_word(name)              as load_atomic<relaxed, block>
//   store_word(name, value)      as store_atomic<relaxed, block>
//   lower_word(name, value)      as atomic_min<relaxed, block>, without a result: nobody waits for it
//   lower_of_device(address, v)  the same of a word of global memory, as atomic_min<relaxed, device>
#pragma once

#include "simt/simt.cuh"

namespace simt {

using word_name = u32;

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)

SIMT_DEVICE word_name name_of(const u32* address) {
  // What the compiler cannot see through it does not compute again in each turn of a loop.
  word_name name;
  asm volatile("mov.b32 %0, %1;" : "=r"(name) : "r"(detail::shared_address(address)));
  return name;
}

SIMT_DEVICE u32 load_word(word_name word) {
  u32 value;
  if constexpr (shared_words_by_atomics) {
    asm volatile("atom.relaxed.cta.shared.or.b32 %0, [%1], 0;" : "=r"(value) : "r"(word) : "memory");
  } else {
    asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(word) : "memory");
  }
  return value;
}

SIMT_DEVICE void store_word(word_name word, u32 value) {
  if constexpr (shared_words_by_atomics) {
    u32 old;
    asm volatile("atom.relaxed.cta.shared.exch.b32 %0, [%1], %2;" : "=r"(old) : "r"(word), "r"(value) : "memory");
    static_cast<void>(old);
  } else {
    asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"(word), "r"(value) : "memory");
  }
}

SIMT_DEVICE void lower_word(word_name word, u32 value) {
  asm volatile("red.relaxed.cta.shared.min.u32 [%0], %1;" ::"r"(word), "r"(value) : "memory");
}

SIMT_DEVICE void lower_of_device(u32* address, u32 value) {
  asm volatile("red.relaxed.gpu.global.min.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

#else

#define SIMT_PLACE const char *file = __builtin_FILE(), u32 line = __builtin_LINE()

namespace detail {

SIMT_DEVICE u32* named_word(word_name word) { return reinterpret_cast<u32*>(shared_memory() + word); }

}  // namespace detail

SIMT_DEVICE word_name name_of(const u32* address) {
  return static_cast<word_name>(reinterpret_cast<unsigned long>(address) -
                                reinterpret_cast<unsigned long>(shared_memory()));
}

SIMT_DEVICE u32 load_word(word_name word, SIMT_PLACE) {
  return load_atomic<order::relaxed, scope::block>(detail::named_word(word), file, line);
}
SIMT_DEVICE void store_word(word_name word, u32 value, SIMT_PLACE) {
  store_atomic<order::relaxed, scope::block>(detail::named_word(word), value, file, line);
}
SIMT_DEVICE void lower_word(word_name word, u32 value, SIMT_PLACE) {
  atomic_min<order::relaxed, scope::block>(detail::named_word(word), value, file, line);
}
SIMT_DEVICE void lower_of_device(u32* address, u32 value, SIMT_PLACE) {
  atomic_min<order::relaxed, scope::device>(address, value, file, line);
}

#undef SIMT_PLACE

#endif

}  // namespace simt
