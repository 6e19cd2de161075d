// SPDX-License-Identifier: Apache-2.0
// Words of a block's shared memory that many warps read and lower all the time, named by 32 bits: an array of names
// fits into registers, and an access takes one instruction.
//
//   name_of(address)             the name of a word of this block's shared memory; the next word's name is 4 more
//   load_word(name)              like load_atomic<relaxed, block>
//   store_word(name, value)      like store_atomic<relaxed, block>
//   lower_word(name, value)      like atomic_min<relaxed, block>, without a result to wait for
//   lower_of_device(address, v)  the same for a word of global memory, like atomic_min<relaxed, device>
//   load_words(name, values)     N adjacent words that no longer change, aligned to the largest power of two in N, up
//                                to 4
#pragma once

#include "simt/simt.cuh"

namespace simt {

using word_name = u32;

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)

SIMT_DEVICE word_name name_of(const u32* address) {
  // Hides the value from the compiler, so that it does not recompute it in each iteration of a loop.
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

template <u32 N>
SIMT_DEVICE void load_words(word_name first, u32 (&values)[N]) {
  constexpr u32 words_at_once = N % 4 == 0 ? 4 : N % 2 == 0 ? 2 : 1;
#pragma unroll
  for (u32 i = 0; i < N; i += words_at_once) {
    const word_name address = first + 4 * i;
    if constexpr (words_at_once == 4) {
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(values[i]), "=r"(values[i + 1]), "=r"(values[i + 2]), "=r"(values[i + 3])
                   : "r"(address));
    } else if constexpr (words_at_once == 2) {
      asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(values[i]), "=r"(values[i + 1]) : "r"(address));
    } else {
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(values[i]) : "r"(address));
    }
  }
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

template <u32 N>
SIMT_DEVICE void load_words(word_name first, u32 (&values)[N], SIMT_PLACE) {
  for (u32 i = 0; i < N; ++i) values[i] = load(detail::named_word(first + 4 * i), file, line);
}

#undef SIMT_PLACE

#endif

}  // namespace simt
