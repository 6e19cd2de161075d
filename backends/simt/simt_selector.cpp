// SPDX-License-Identifier: Apache-2.0
#include "backends/simt/simt_selector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/error.hpp"

namespace mlmq::backends::simulator {
namespace {

constexpr unsigned most_multiprocessors = 256;
constexpr unsigned most_warps = 64;

bool parse_number(std::string_view text, unsigned most, unsigned& number) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end == text.data() + text.size() && number >= 1 && number <= most;
}

}  // namespace

unsigned gpu_shape::resident_blocks(unsigned block_warps, std::size_t shared_bytes) const {
  if (block_warps == 0 || block_warps > warps || shared_bytes > shared_bytes_per_block) return 0;
  const auto by_memory =
      static_cast<unsigned>(shared_bytes_per_multiprocessor / (shared_bytes + reserved_bytes_per_block));
  return multiprocessors * std::min({warps / block_warps, by_memory, blocks_per_multiprocessor});
}

gpu_shape parse_simt_selector(const std::string& selector) {
  gpu_shape shape;
  if (selector == "simt") return shape;
  std::string_view text = selector;
  if (text.starts_with("simt:")) {
    text.remove_prefix(5);
    const std::size_t cross = text.find('x');
    if (cross != std::string_view::npos &&
        parse_number(text.substr(0, cross), most_multiprocessors, shape.multiprocessors) &&
        parse_number(text.substr(cross + 1), most_warps, shape.warps)) {
      return shape;
    }
  }
  throw input_error(fmt::format(
      "device '{}': a simulated GPU is 'simt' or 'simt:SxW' with S multiprocessors (1 to {}) and W warps on each (1 to "
      "{}), such as simt:4x8",
      selector, most_multiprocessors, most_warps));
}

}  // namespace mlmq::backends::simulator
