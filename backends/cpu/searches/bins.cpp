// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/searches/bins.hpp"

namespace mlmq::cpu {

void bins::clear() noexcept {
  // Skip bins without a bit, which are empty. A small search would otherwise spend most of its time on clearing a
  // thousand bins.
  take_all([](std::uint64_t, entry) {});
  base_ = 0;
}

std::uint64_t bins::lowest() const noexcept {
  // One pass around the ring, starting at the base. The first word is checked twice, for its upper and its lower bits.
  const std::uint64_t start = base_ % window;
  std::uint64_t word = start / 64;
  std::uint64_t bits = filled_[word] & ~std::uint64_t{0} << start % 64;
  for (std::uint64_t looked = 0; looked <= window / 64; ++looked) {
    if (bits != 0) {
      const std::uint64_t place = word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
      return std::min(base_ + (place - start) % window, later_.lowest());
    }
    word = (word + 1) % (window / 64);
    bits = filled_[word];
  }
  return later_.lowest();
}

void bins::exchange(std::uint64_t bucket, entry_buffer<entry>& with) noexcept {
  if (bucket - base_ >= window) return;
  const std::uint64_t place = bucket % window;
  swap(bins_[place], with);
  const std::uint64_t bit = std::uint64_t{1} << place % 64;
  filled_[place / 64] = bins_[place].size() > 0 ? filled_[place / 64] | bit : filled_[place / 64] & ~bit;
}

void bins::advance(std::uint64_t base) {
  base_ = base;
  // Distribute waiting entries only when the base reaches them, not when they enter the window. The remaining ones are
  // then a whole window away, so each entry is checked once per `window` buckets.
  if (later_.lowest() != base) return;
  for (const waiting& item : later_.take()) push(item.bucket, item.element);
}

}  // namespace mlmq::cpu
