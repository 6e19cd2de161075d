// SPDX-License-Identifier: Apache-2.0
#include "tuner/expression_tokens.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::tuner {
namespace {

constexpr std::array<std::string_view, 12> words_of_language = {
    "and", "or", "not", "true", "false", "min", "max", "abs", "ceil", "floor", "power_of_two", "sizeof"};
constexpr std::array<std::string_view, 7> function_names = {"min",   "max",          "abs",   "ceil",
                                                            "floor", "power_of_two", "sizeof"};

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_word_start(c) || is_digit(c); }

class lexer {
 public:
  lexer(const condition& source, const symbol_table& symbols)
      : source_(source), text_(source.text), symbols_(symbols) {}

  token next() {
    while (position_ < text_.size() && std::string_view(" \t\r\n").find(text_[position_]) != std::string::npos)
      ++position_;
    if (position_ == text_.size()) return {token_kind::end, "the end", position_};
    const char c = text_[position_];
    if (is_word_start(c)) return word();
    if (is_digit(c) || c == '.') return number();
    if (c == '"' || c == '\'') return quoted(c);
    return sign();
  }

 private:
  token word() {
    const std::size_t start = position_;
    while (position_ < text_.size() && is_word(text_[position_])) ++position_;
    const std::string name = text_.substr(start, position_ - start);
    if (name == "and") return {token_kind::conjunction, name, start};
    if (name == "or") return {token_kind::disjunction, name, start};
    if (name == "not") return {token_kind::negation, name, start};
    if (const auto truth = parse_value(name, value_type::boolean)) {
      return {token_kind::number, name, start, std::get<bool>(*truth) ? 1.0 : 0.0};
    }
    if (std::ranges::find(function_names, name) != function_names.end()) return {token_kind::function, name, start};
    if (const auto slot = symbols_.slot(name)) {
      const auto kind = symbols_.type(*slot) == value_type::text ? token_kind::text : token_kind::parameter;
      return {kind, name, start, 0.0, slot};
    }
    if (const auto id = symbols_.text_number(name)) return {token_kind::text, name, start, *id};
    fail_at(source_, start, "unknown name '" + name + "'" + did_you_mean_or_closest(name, symbols_.words()));
  }

  token number() {
    const std::size_t start = position_;
    // An exponent may carry a sign, which is otherwise an operator.
    while (position_ < text_.size() &&
           (is_word(text_[position_]) || text_[position_] == '.' ||
            ((text_[position_] == '+' || text_[position_] == '-') &&
             (text_[position_ - 1] == 'e' || text_[position_ - 1] == 'E') && position_ > start))) {
      ++position_;
    }
    const std::string written = text_.substr(start, position_ - start);
    const std::optional<exact_number> parsed = parse_number(written);
    if (!parsed) {
      const bool is_too_large = written.find_first_not_of("0123456789") == std::string::npos && written.front() != '0';
      fail_at(source_, start,
              "'" + written + "' is not a number" + (is_too_large ? " that can be represented exactly" : ""));
    }
    return {token_kind::number, written, start, *parsed};
  }

  token quoted(char quote) {
    const std::size_t start = position_;
    const std::size_t end = text_.find(quote, start + 1);
    if (end == std::string::npos) fail_at(source_, start, "the quote is not closed");
    position_ = end + 1;
    const std::string content = text_.substr(start + 1, end - start - 1);
    const auto id = symbols_.text_number(content);
    if (!id) {
      fail_at(source_, start, "no parameter has the value '" + content + "'" + did_you_mean(content, symbols_.words()));
    }
    return {token_kind::text, content, start, *id};
  }

  token sign() {
    struct operator_sign {
      std::string_view written;
      token_kind kind;
    };
    // Longer operators come first.
    static constexpr std::array<operator_sign, 19> signs = {{{"&&", token_kind::conjunction},
                                                             {"||", token_kind::disjunction},
                                                             {"==", token_kind::comparison},
                                                             {"!=", token_kind::comparison},
                                                             {"<=", token_kind::comparison},
                                                             {">=", token_kind::comparison},
                                                             {"//", token_kind::product},
                                                             {"<", token_kind::comparison},
                                                             {">", token_kind::comparison},
                                                             {"!", token_kind::prefix},
                                                             {"+", token_kind::sign},
                                                             {"-", token_kind::sign},
                                                             {"*", token_kind::product},
                                                             {"/", token_kind::product},
                                                             {"%", token_kind::product},
                                                             {"^", token_kind::power},
                                                             {"(", token_kind::open},
                                                             {")", token_kind::close},
                                                             {",", token_kind::comma}}};
    for (const auto& candidate : signs) {
      if (text_.compare(position_, candidate.written.size(), candidate.written) == 0) {
        const std::size_t start = position_;
        position_ += candidate.written.size();
        return {candidate.kind, std::string(candidate.written), start};
      }
    }
    if (text_[position_] == '=') fail_at(source_, position_, "'=' is not a comparison; use '=='");
    fail_at(source_, position_, std::string("unexpected '") + text_[position_] + "'");
  }

  const condition& source_;
  const std::string& text_;
  const symbol_table& symbols_;
  std::size_t position_ = 0;
};

}  // namespace

std::span<const std::string_view> language_words() noexcept { return words_of_language; }

std::vector<token> tokens_of(const condition& source, const symbol_table& symbols) {
  lexer reader(source, symbols);
  std::vector<token> result;
  do {
    result.push_back(reader.next());
  } while (result.back().kind != token_kind::end);
  return result;
}

void fail_at(const condition& source, std::size_t position, const std::string& message) {
  throw input_error(source.place.prefix() + "in '" + source.text + "' at " + std::to_string(position + 1) + ": " +
                    message);
}

bool is_parameter_name(std::string_view word) noexcept {
  return !word.empty() && is_word_start(word.front()) && std::all_of(word.begin(), word.end(), is_word) &&
         std::find(words_of_language.begin(), words_of_language.end(), word) == words_of_language.end() &&
         !parse_value(word, value_type::boolean);
}

}  // namespace mlmq::tuner
