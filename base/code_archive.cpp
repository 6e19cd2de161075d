// SPDX-License-Identifier: Apache-2.0
#include "base/code_archive.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/code_cache.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"

namespace mlmq {
namespace {

constexpr std::string_view first_line = "mlmq code archive 1";
/// Upper bound of the unpacked sizes, so that a damaged index cannot make the program allocate more.
constexpr std::uint64_t most_unpacked = std::uint64_t{64} << 20;
constexpr std::uint64_t most_index = std::uint64_t{16} << 20;
constexpr std::size_t index_block = std::size_t{64} << 10;

/// Reads exactly `count` bytes at the offset `begin`; empty if that fails.
std::optional<std::string> read_at(int file, std::uint64_t begin, std::uint64_t count) {
  std::string bytes(count, '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::pread(file, bytes.data() + filled, bytes.size() - filled, static_cast<off_t>(begin + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    filled += static_cast<std::size_t>(got);
  }
  return bytes;
}

/// Reads the lines of the index in order.
class index_reader {
 public:
  index_reader(const std::filesystem::path& name, int file, std::uint64_t bytes)
      : name_(name), file_(file), bytes_(bytes) {}

  [[noreturn]] void fail(const std::string& reason) const {
    throw input_error(fmt::format("{}: line {}: {}", name_.string(), line_, reason));
  }

  [[nodiscard]] std::string_view next() {
    ++line_;
    std::size_t end = text_.find('\n', position_);
    while (end == std::string::npos) {
      const std::size_t before = text_.size();
      const std::uint64_t more = std::min<std::uint64_t>(index_block, bytes_ - before);
      if (more == 0 || before > most_index) fail("the index has no end");
      std::optional<std::string> block = read_at(file_, before, more);
      if (!block) fail("cannot be read");
      text_ += *block;
      end = text_.find('\n', before);
    }
    const std::string_view line = std::string_view(text_).substr(position_, end - position_);
    position_ = end + 1;
    return line;
  }

  /// Returns the text after `word` and a blank. @throws input_error if the next line starts with another word
  [[nodiscard]] std::string_view next_of(std::string_view word) {
    const std::string_view line = next();
    if (!line.starts_with(word) || line.size() < word.size() + 2 || line[word.size()] != ' ') {
      fail(fmt::format("expected '{}' and a value", word));
    }
    return line.substr(word.size() + 1);
  }

  [[nodiscard]] std::uint64_t number(std::string_view text) const {
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size()) fail("expected a whole number");
    return value;
  }

  /// Returns all text that next() has returned so far.
  [[nodiscard]] std::string_view so_far() const { return std::string_view(text_).substr(0, position_); }

 private:
  const std::filesystem::path& name_;
  int file_;
  std::uint64_t bytes_;
  std::string text_;
  std::size_t position_ = 0;
  std::size_t line_ = 0;
};

std::string pack(std::string_view bytes) {
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  std::string packed(size, '\0');
  if (::compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                  static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION) != Z_OK) {
    throw work_error("zlib cannot compress the code");
  }
  packed.resize(size);
  return packed;
}

std::optional<std::string> unpack(std::string_view packed, std::uint64_t unpacked) {
  std::string bytes(unpacked, '\0');
  uLongf size = static_cast<uLongf>(unpacked);
  if (::uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                   static_cast<uLong>(packed.size())) != Z_OK ||
      size != unpacked) {
    return std::nullopt;
  }
  return bytes;
}

bool is_word(std::string_view text) { return !text.empty() && text.find_first_of(" \n") == std::string_view::npos; }

}  // namespace

code_archive::code_archive(const std::filesystem::path& file)
    : file_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat about {};
  if (!file_ || ::fstat(file_.get(), &about) != 0) {
    throw input_error(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  }
  if (!S_ISREG(about.st_mode)) throw input_error(fmt::format("{}: not a regular file", file.string()));
  bytes_ = static_cast<std::uint64_t>(about.st_size);
  index_reader index(file, file_.get(), bytes_);
  if (index.next() != first_line) index.fail(fmt::format("expected '{}'", first_line));
  made_by_ = index.next_of("by");
  made_for_ = index.next_of("for");
  const std::uint64_t count = index.number(index.next_of("kernels"));
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string_view rest = index.next();
    std::array<std::string_view, 4> words;
    for (std::string_view& word : words) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      word = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (!rest.empty() || words[0].empty()) index.fail("expected a key and three numbers");
    const place location{
        .begin = index.number(words[1]), .packed = index.number(words[2]), .unpacked = index.number(words[3])};
    if (location.unpacked > most_unpacked || location.packed > bytes_ || location.begin > bytes_)
      index.fail("a size or an offset is too large");
    if (!index_.emplace(words[0], location).second) index.fail("duplicate key");
  }
  const std::string hash = hash_text(index.so_far());
  if (index.next_of("end") != hash) index.fail("the index is damaged");
  const std::uint64_t text = index.so_far().size();
  for (auto& [key, where] : index_) {
    where.begin += text;
    if (where.begin + where.packed > bytes_) {
      throw input_error(fmt::format("{}: the code of {} is incomplete", file.string(), key));
    }
  }
}

std::optional<std::string> code_archive::find(const std::string& key) const {
  const auto entry = index_.find(key);
  if (entry == index_.end()) return std::nullopt;
  const place& location = entry->second;
  const std::optional<std::string> packed = read_at(file_.get(), location.begin, location.packed);
  if (!packed) return std::nullopt;
  std::optional<std::string> sealed = unpack(*packed, location.unpacked);
  return sealed ? unseal_code(key, std::move(*sealed)) : std::nullopt;
}

std::size_t code_archive::count_damaged() const {
  return static_cast<std::size_t>(
      std::count_if(index_.begin(), index_.end(), [this](const auto& code) { return !find(code.first); }));
}

void code_archive::write(const std::filesystem::path& file, const std::string& compiler, const std::string& target,
                         const std::map<std::string, std::string>& code) {
  const auto require = [&](bool is_right, const char* requirement) {
    if (!is_right) throw work_error(fmt::format("{}: {} cannot be written", file.string(), requirement));
  };
  require(!compiler.empty() && compiler.find('\n') == std::string::npos, "an empty or multi-line compiler name");
  require(!target.empty() && target.find('\n') == std::string::npos, "an empty or multi-line target name");
  std::string index = fmt::format("{}\nby {}\nfor {}\nkernels {}\n", first_line, compiler, target, code.size());
  std::string text;
  for (const auto& [key, bytes] : code) {
    require(is_word(key), "a key with blanks");
    const std::string sealed = seal_code(key, bytes);
    const std::string packed = pack(sealed);
    index += fmt::format("{} {} {} {}\n", key, text.size(), packed.size(), sealed.size());
    text += packed;
  }
  const std::string hash = hash_text(index);
  write_file_atomically(file, fmt::format("{}end {}\n", index, hash) + text);
}

}  // namespace mlmq
