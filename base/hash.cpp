// SPDX-License-Identifier: Apache-2.0
#include "base/hash.hpp"

#include <xxhash.h>

#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace mlmq {

struct content_hash::state {
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> xxh{XXH3_createState(), XXH3_freeState};
};

content_hash::content_hash() : state_(std::make_unique<state>()) { XXH3_128bits_reset(state_->xxh.get()); }

content_hash::~content_hash() = default;

content_hash& content_hash::add(std::span<const std::byte> bytes) {
  std::array<unsigned char, 8> length{};
  for (std::size_t i = 0; i < length.size(); ++i) {
    length[i] = static_cast<unsigned char>(static_cast<std::uint64_t>(bytes.size()) >> (8 * i));
  }
  XXH3_128bits_update(state_->xxh.get(), length.data(), length.size());
  XXH3_128bits_update(state_->xxh.get(), bytes.data(), bytes.size());
  return *this;
}

content_hash& content_hash::add(std::string_view text) {
  return add(std::as_bytes(std::span(text.data(), text.size())));
}

std::string content_hash::hex() const {
  const XXH128_hash_t digest = XXH3_128bits_digest(state_->xxh.get());
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

std::string hash_text(std::string_view text) { return content_hash().add(text).hex(); }

}  // namespace mlmq
