// SPDX-License-Identifier: Apache-2.0
#include "graph/number_lines.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/thread_team.hpp"

namespace mlmq::graph {
namespace {

// The fuzzer's files are small.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr std::size_t piece_bytes = 64;
#else
constexpr std::size_t piece_bytes = std::size_t{1} << 19;
#endif

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }

/// The edges of some lines.
class parsed_piece {
 public:
  explicit parsed_piece(const weight_column& no_weights) : weights(no_weights) {}

  /// Parses whole lines. @return false if a line has another form
  bool parse(std::string_view text, const line_form& form) {
    position_ = text.data();
    end_ = position_ + text.size();
    constexpr std::size_t usual_line = 12;
    ids.reserve(2 * text.size() / usual_line);
    for (; position_ != end_; ++lines) {
      if (!is_line_end(*position_) && !parse_line(form)) return false;
      if (position_ != end_ && *position_ == '\r') ++position_;
      if (position_ == end_ || *position_ != '\n') return false;
      ++position_;
    }
    return true;
  }

  uninitialized_vector<std::uint64_t> ids;
  weight_column weights;
  std::uint64_t lines = 0;

 private:
  bool parse_line(const line_form& form) {
    if (static_cast<std::size_t>(end_ - position_) < form.prefix.size() ||
        std::string_view(position_, form.prefix.size()) != form.prefix)
      return false;
    position_ += form.prefix.size();
    std::uint64_t source = 0;
    std::uint64_t target = 0;
    for (std::size_t field = 0; field < form.fields; ++field) {
      if (!pass_separator(form, field == 0)) return false;
      if (field == form.source   ? !parse_id(form, source)
          : field == form.target ? !parse_id(form, target)
                                 : !pass(form, field))
        return false;
    }
    if (form.separator == ' ') pass_blanks();
    ids.push_back(source);
    ids.push_back(target);
    return position_ == end_ || is_line_end(*position_);
  }

  bool pass_separator(const line_form& form, bool is_first) {
    if (form.separator == ' ') return pass_blanks() || is_first;
    if (is_first) return true;
    return position_ != end_ && *position_++ == form.separator;
  }

  bool pass_blanks() {
    const char* const first = position_;
    while (position_ != end_ && is_blank(*position_)) ++position_;
    return position_ != first;
  }

  /// Reads digits. @return false if there are none, or more than surely fit
  bool parse_digits(std::uint64_t& number) {
    constexpr std::ptrdiff_t most_digits = 18;
    const char* const first = position_;
    for (; position_ != end_ && is_digit(*position_); ++position_)
      number = 10 * number + static_cast<std::uint64_t>(*position_ - '0');
    return position_ != first && position_ - first <= most_digits;
  }

  bool parse_id(const line_form& form, std::uint64_t& id) {
    const char* const first = position_;
    return parse_digits(id) && (*first != '0' || position_ - first == 1) && id >= form.least_id &&
           id <= form.largest_id;
  }

  /// Reads a weight, or passes another field.
  bool pass(const line_form& form, std::size_t field) {
    const char* const first = position_;
    if (field == form.weight) {
      std::uint64_t number = 0;
      if (parse_digits(number) && is_field_end(form) && weights.add_whole(number)) return true;
      position_ = first;
    }
    while (!is_field_end(form)) {
      if (*position_ == '"') return false;
      ++position_;
    }
    if (field != form.weight) return true;
    // Errors are found again by the caller, who knows the number of the line.
    static const line_place no_place{std::filesystem::path()};
    weights.add({first, static_cast<std::size_t>(position_ - first)}, no_place);
    return !weights.has_too_large();
  }

  [[nodiscard]] bool is_field_end(const line_form& form) const {
    return position_ == end_ || is_line_end(*position_) || *position_ == form.separator || is_blank(*position_);
  }

  const char* position_ = nullptr;
  const char* end_ = nullptr;
};

/// Cuts text into pieces of whole lines.
std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n', std::min(piece_bytes, text.size() - 1));
    pieces.push_back(text.substr(0, newline == std::string_view::npos ? text.size() : newline + 1));
    text.remove_prefix(pieces.back().size());
  }
  return pieces;
}

}  // namespace

bool number_lines::read(text_reader& reader, const line_form& form, std::uint64_t most_edges,
                        uninitialized_vector<std::uint64_t>& ids, weight_column& weights) {
  if (reader.position() < other_until_) return false;
  const std::string_view text = reader.buffered_lines();
  if (text.size() < piece_bytes) return false;
  other_until_ = reader.position() + text.size();
  const std::vector<std::string_view> pieces = pieces_of(text);
  std::vector<parsed_piece> parsed(pieces.size(), parsed_piece(no_weights_));
  std::vector<unsigned char> is_parsed(pieces.size(), 0);
  for_each_block(pieces.size(), 1, [&](std::size_t i, std::size_t, std::size_t) {
    try {
      is_parsed[i] = parsed[i].parse(pieces[i], form) ? 1 : 0;
    } catch (const input_error&) {
    }
  });
  std::uint64_t edges = 0;
  std::uint64_t lines = 0;
  for (const parsed_piece& piece : parsed) {
    edges += piece.ids.size() / 2;
    lines += piece.lines;
  }
  if (std::ranges::count(is_parsed, 0) > 0 || edges > most_edges) return false;
  std::vector<std::size_t> places;
  for (const parsed_piece& piece : parsed) {
    places.push_back(ids.size());
    ids.resize(ids.size() + piece.ids.size());
  }
  for_each_block(parsed.size(), 1, [&](std::size_t i, std::size_t, std::size_t) {
    std::ranges::copy(parsed[i].ids, ids.begin() + static_cast<std::ptrdiff_t>(places[i]));
  });
  for (parsed_piece& piece : parsed) weights.append(piece.weights);
  reader.skip(text.size(), lines);
  return true;
}

void number_lines::read_all(text_reader& reader, const line_form& form, std::uint64_t most_edges, edge_list& edges,
                            weight_column& weights) {
  constexpr std::size_t edges_per_block = std::size_t{1} << 17;
  uninitialized_vector<std::uint64_t> ids;
  while (read(reader, form, most_edges - edges.size(), ids, weights)) {
    const std::size_t before = edges.size();
    edges.sources.resize(before + ids.size() / 2);
    edges.targets.resize(before + ids.size() / 2);
    for_each_block(ids.size() / 2, edges_per_block, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        edges.sources[before + i] = static_cast<vertex_id>(ids[2 * i] - form.least_id);
        edges.targets[before + i] = static_cast<vertex_id>(ids[2 * i + 1] - form.least_id);
      }
    });
    ids.clear();
  }
}

}  // namespace mlmq::graph
