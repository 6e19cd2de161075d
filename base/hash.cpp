// SPDX-License-Identifier: Apache-2.0
#include "base/hash.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/file_reader.hpp"

namespace mlmq {

struct content_hash::state {
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> xxh{XXH3_createState(), XXH3_freeState};
};

content_hash::content_hash() : state_(std::make_unique<state>()) { XXH3_128bits_reset(state_->xxh.get()); }

content_hash::~content_hash() = default;

void content_hash::add_length(std::uint64_t bytes) {
  std::array<unsigned char, 8> length{};
  for (std::size_t i = 0; i < length.size(); ++i) length[i] = static_cast<unsigned char>(bytes >> (8 * i));
  XXH3_128bits_update(state_->xxh.get(), length.data(), length.size());
}

content_hash& content_hash::add(std::span<const std::byte> bytes) {
  add_length(bytes.size());
  XXH3_128bits_update(state_->xxh.get(), bytes.data(), bytes.size());
  return *this;
}

content_hash& content_hash::add_file(const std::filesystem::path& file) {
  const file_reader reader(file);
  std::vector<char> piece(std::size_t{1} << 20);
  add_length(reader.bytes());
  for (std::uint64_t position = 0; position < reader.bytes();) {
    piece.resize(std::min<std::uint64_t>(piece.size(), reader.bytes() - position));
    reader.read_whole(position, piece);
    XXH3_128bits_update(state_->xxh.get(), piece.data(), piece.size());
    position += piece.size();
  }
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
