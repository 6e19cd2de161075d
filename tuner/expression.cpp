// SPDX-License-Identifier: Apache-2.0
// muParser computes; this file reads the words, so that texts, word operators and messages with
// positions are possible, and what muParser would accept in silence (assignment, chained
// comparisons, arithmetic with texts) is refused.
#include "tuner/expression.hpp"

#include <muParser.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::tuner {
namespace {

constexpr std::array<std::string_view, 8> language_words = {"and", "or", "not", "true", "false", "min", "max", "abs"};

enum class token_kind {
  number,      // also true and false
  parameter,   // of a numeric or boolean type
  text,        // a text constant or a parameter of type text
  function,    //
  open,        //
  close,       //
  comma,       //
  negation,    // not
  prefix,      // !
  sign,        // + - : binary or prefix, by where it stands
  arithmetic,  // * / % ^
  equality,    // == !=
  order,       // < <= > >=
  logic,       // and or
  end
};

struct token {
  token_kind kind = token_kind::end;
  std::string written;     // for messages
  std::string translated;  // for muParser
  std::size_t position = 0;
};

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_word_start(c) || is_digit(c); }

std::string variable_name(std::size_t slot) { return std::string("p").append(std::to_string(slot)); }

/// The words and signs of one expression.
class lexer {
 public:
  lexer(const condition& source, const symbol_table& symbols)
      : source_(source), text_(source.text), symbols_(symbols) {}

  [[nodiscard]] std::vector<token> tokens() {
    std::vector<token> result;
    do {
      result.push_back(next());
    } while (result.back().kind != token_kind::end);
    return result;
  }

  [[nodiscard]] const std::vector<std::size_t>& mentions() const noexcept { return mentions_; }

  [[noreturn]] void fail(std::size_t position, const std::string& message) const {
    throw input_error(source_.place.prefix() + "in '" + text_ + "' at " + std::to_string(position + 1) + ": " +
                      message);
  }

 private:
  token next() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string::npos) {
      ++at_;
    }
    if (at_ == text_.size()) return {token_kind::end, "the end", "", at_};
    const char c = text_[at_];
    if (is_word_start(c)) return word();
    if (is_digit(c) || c == '.') return number();
    if (c == '"' || c == '\'') return quoted(c);
    return sign();
  }

  token word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string name = text_.substr(start, at_ - start);
    if (name == "and") return {token_kind::logic, name, "&&", start};
    if (name == "or") return {token_kind::logic, name, "||", start};
    if (name == "not") return {token_kind::negation, name, "!(", start};
    if (name == "true") return {token_kind::number, name, "1", start};
    if (name == "false") return {token_kind::number, name, "0", start};
    if (name == "min" || name == "max" || name == "abs") {
      return {token_kind::function, name, name, start};
    }
    if (const auto slot = symbols_.slot(name)) {
      mentions_.push_back(*slot);
      const auto kind = symbols_.type(*slot) == value_type::text ? token_kind::text : token_kind::parameter;
      return {kind, name, variable_name(*slot), start};
    }
    if (const auto id = symbols_.text_number(name)) {
      return {token_kind::text, name, shortest_decimal(*id), start};
    }
    fail(start, "unknown name '" + name + "'" + did_you_mean(name, symbols_.words()));
  }

  token number() {
    const std::size_t start = at_;
    // An exponent may carry a sign, which is otherwise an operator.
    while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.' ||
                                  ((text_[at_] == '+' || text_[at_] == '-') &&
                                   (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') && at_ > start))) {
      ++at_;
    }
    const std::string written = text_.substr(start, at_ - start);
    const auto parsed = parse_value(written, value_type::real);
    if (!parsed) fail(start, "'" + written + "' is not a number");
    return {token_kind::number, written, shortest_decimal(std::get<double>(*parsed)), start};
  }

  token quoted(char quote) {
    const std::size_t start = at_;
    const std::size_t end = text_.find(quote, start + 1);
    if (end == std::string::npos) fail(start, "the quote is not closed");
    at_ = end + 1;
    const std::string content = text_.substr(start + 1, end - start - 1);
    const auto id = symbols_.text_number(content);
    if (!id) {
      fail(start, "no parameter has the value '" + content + "'" + did_you_mean(content, symbols_.words()));
    }
    return {token_kind::text, content, shortest_decimal(*id), start};
  }

  token sign() {
    struct operator_sign {
      std::string_view written;
      token_kind kind;
    };
    // Longer ones first.
    static constexpr std::array<operator_sign, 18> signs = {{{"&&", token_kind::logic},
                                                             {"||", token_kind::logic},
                                                             {"==", token_kind::equality},
                                                             {"!=", token_kind::equality},
                                                             {"<=", token_kind::order},
                                                             {">=", token_kind::order},
                                                             {"<", token_kind::order},
                                                             {">", token_kind::order},
                                                             {"!", token_kind::prefix},
                                                             {"+", token_kind::sign},
                                                             {"-", token_kind::sign},
                                                             {"*", token_kind::arithmetic},
                                                             {"/", token_kind::arithmetic},
                                                             {"%", token_kind::arithmetic},
                                                             {"^", token_kind::arithmetic},
                                                             {"(", token_kind::open},
                                                             {")", token_kind::close},
                                                             {",", token_kind::comma}}};
    for (const auto& candidate : signs) {
      if (text_.compare(at_, candidate.written.size(), candidate.written) == 0) {
        const std::size_t start = at_;
        at_ += candidate.written.size();
        const std::string written(candidate.written);
        return {candidate.kind, written, written, start};
      }
    }
    if (text_[at_] == '=') fail(at_, "'=' does not compare; write '=='");
    fail(at_, std::string("unexpected '") + text_[at_] + "'");
  }

  const condition& source_;
  const std::string& text_;
  const symbol_table& symbols_;
  std::size_t at_ = 0;
  std::vector<std::size_t> mentions_;
};

/// Checks that values and operators alternate, parentheses close, and comparisons are not chained.
void check_grammar(const lexer& reader, const std::vector<token>& tokens) {
  struct level {
    std::size_t opened_at = 0;
    std::string function;  // empty: plain parentheses
    int arguments = 1;
    bool compared = false;
  };
  std::vector<level> levels(1);
  bool value_expected = true;
  bool after_sign = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const token& t = tokens[i];
    const bool starts_value = t.kind == token_kind::number || t.kind == token_kind::parameter ||
                              t.kind == token_kind::text || t.kind == token_kind::function ||
                              t.kind == token_kind::open || t.kind == token_kind::negation ||
                              t.kind == token_kind::prefix;
    if (starts_value && !value_expected) {
      reader.fail(t.position, "an operator is missing before '" + t.written + "'");
    }
    if (!starts_value && value_expected && t.kind != token_kind::sign) {
      reader.fail(t.position,
                  "a value is missing before " + (t.kind == token_kind::end ? t.written : "'" + t.written + "'"));
    }
    // muParser takes one sign before a value.
    if (after_sign && (t.kind == token_kind::sign || t.kind == token_kind::prefix || t.kind == token_kind::negation)) {
      reader.fail(t.position, "'" + t.written + "' after another sign needs parentheses");
    }
    after_sign = value_expected && (t.kind == token_kind::sign || t.kind == token_kind::prefix);
    switch (t.kind) {
      case token_kind::number:
      case token_kind::parameter:
      case token_kind::text:
        value_expected = false;
        break;
      case token_kind::function:
        if (tokens[i + 1].kind != token_kind::open) {
          reader.fail(t.position, "'" + t.written + "' needs parentheses");
        }
        levels.push_back({t.position, t.written, 1, false});
        ++i;
        break;
      case token_kind::open:
        levels.push_back({t.position, "", 1, false});
        break;
      case token_kind::close:
        if (levels.size() == 1) reader.fail(t.position, "')' without '('");
        if (levels.back().function == "abs" && levels.back().arguments != 1) {
          reader.fail(levels.back().opened_at, "'abs' takes one argument");
        }
        levels.pop_back();
        break;
      case token_kind::comma:
        if (levels.back().function.empty()) {
          reader.fail(t.position, "',' belongs between the arguments of a function");
        }
        ++levels.back().arguments;
        levels.back().compared = false;
        value_expected = true;
        break;
      case token_kind::negation:
      case token_kind::prefix:
        break;
      case token_kind::sign:
      case token_kind::arithmetic:
        value_expected = true;
        break;
      case token_kind::equality:
      case token_kind::order:
        if (levels.back().compared) {
          reader.fail(t.position, "comparisons cannot be chained; join them with 'and'");
        }
        levels.back().compared = true;
        value_expected = true;
        break;
      case token_kind::logic:
        levels.back().compared = false;
        value_expected = true;
        break;
      case token_kind::end:
        if (levels.size() > 1) reader.fail(levels.back().opened_at, "the parenthesis is not closed");
        break;
    }
  }
}

/// Texts are numbers to muParser, so anything but comparing two of them for equality would compute
/// nonsense.
void check_texts(const lexer& reader, const std::vector<token>& tokens) {
  const auto kind_at = [&](std::size_t i) { return tokens[i].kind; };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (kind_at(i) != token_kind::text) continue;
    const bool compared = kind_at(i + 1) == token_kind::equality && kind_at(i + 2) == token_kind::text;
    const bool alone_before = i == 0 || kind_at(i - 1) == token_kind::open || kind_at(i - 1) == token_kind::comma ||
                              kind_at(i - 1) == token_kind::logic || kind_at(i - 1) == token_kind::negation;
    const bool alone_after = compared && (kind_at(i + 3) == token_kind::end || kind_at(i + 3) == token_kind::close ||
                                          kind_at(i + 3) == token_kind::comma || kind_at(i + 3) == token_kind::logic);
    if (!compared || !alone_before || !alone_after) {
      reader.fail(tokens[i].position, "'" + tokens[i].written +
                                          "' is a text, which can only be compared with another "
                                          "text, by == or !=");
    }
    i += 2;
  }
}

/// The expression for muParser. `not` reaches up to the next `and`, `or`, comma or end of its
/// level, so it becomes `!` and parentheses that are closed there.
std::string translation(const std::vector<token>& tokens) {
  std::string result;
  std::vector<int> open_negations(1, 0);  // of each level of parentheses
  for (const token& t : tokens) {
    switch (t.kind) {
      case token_kind::close:
      case token_kind::comma:
      case token_kind::logic:
      case token_kind::end:
        result.append(static_cast<std::size_t>(open_negations.back()), ')');
        open_negations.back() = 0;
        if (t.kind == token_kind::close) open_negations.pop_back();
        break;
      case token_kind::open:
        open_negations.push_back(0);
        break;
      case token_kind::negation:
        ++open_negations.back();
        break;
      default:
        break;
    }
    result += t.translated;
    // muParser knows a function by the parenthesis right after it.
    if (t.kind != token_kind::function) result += ' ';
  }
  return result;
}

}  // namespace

void symbol_table::add_parameter(std::string name, value_type type) {
  slots_.emplace(std::move(name), types_.size());
  types_.push_back(type);
}

void symbol_table::add_text(const std::string& text) { texts_.emplace(text, static_cast<double>(texts_.size())); }

std::optional<std::size_t> symbol_table::slot(std::string_view name) const {
  const auto found = slots_.find(name);
  return found == slots_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> symbol_table::text_number(std::string_view text) const {
  const auto found = texts_.find(text);
  return found == texts_.end() ? std::nullopt : std::optional(found->second);
}

double symbol_table::number(const value& v) const {
  switch (type_of(v)) {
    case value_type::boolean:
      return std::get<bool>(v) ? 1 : 0;
    case value_type::integer:
      return static_cast<double>(std::get<std::int64_t>(v));
    case value_type::real:
      return std::get<double>(v);
    case value_type::text:
      break;
  }
  if (const auto id = text_number(std::get<std::string>(v))) return *id;
  throw work_error("the text '" + std::get<std::string>(v) + "' is no value of any parameter");
}

std::vector<std::string> symbol_table::words() const {
  std::vector<std::string> result;
  for (const auto& entry : slots_) result.push_back(entry.first);
  for (const auto& entry : texts_) result.push_back(entry.first);
  result.insert(result.end(), language_words.begin(), language_words.end());
  return result;
}

bool is_parameter_name(std::string_view word) noexcept {
  return !word.empty() && is_word_start(word.front()) && std::all_of(word.begin(), word.end(), is_word) &&
         std::find(language_words.begin(), language_words.end(), word) == language_words.end();
}

struct expression::compiled {
  mu::Parser parser;
  std::vector<double> variables;  // one per mention; muParser holds their addresses
};

expression::expression(const condition& source, const symbol_table& symbols)
    : source_(source), compiled_(std::make_unique<compiled>()) {
  lexer reader(source_, symbols);
  const std::vector<token> tokens = reader.tokens();
  check_grammar(reader, tokens);
  check_texts(reader, tokens);

  mentions_ = reader.mentions();
  std::sort(mentions_.begin(), mentions_.end());
  mentions_.erase(std::unique(mentions_.begin(), mentions_.end()), mentions_.end());
  compiled_->variables.resize(mentions_.size());

  const std::string translated = translation(tokens);
  try {
    mu::Parser& parser = compiled_->parser;
    const auto negate = [](double operand) { return operand == 0 ? 1.0 : 0.0; };
    parser.DefineInfixOprt("!", negate);
    parser.DefineOprt(
        "%", [](double a, double b) { return std::fmod(a, b); }, mu::prMUL_DIV);
    for (std::size_t i = 0; i < mentions_.size(); ++i) {
      parser.DefineVar(variable_name(mentions_[i]), &compiled_->variables[i]);
    }
    parser.SetExpr(translated);
    parser.Eval();
  } catch (const mu::ParserError& error) {
    reader.fail(0, error.GetMsg());
  }
}

expression::~expression() = default;
expression::expression(expression&&) noexcept = default;
expression& expression::operator=(expression&&) noexcept = default;

bool expression::holds(std::span<const double> slots) const {
  for (std::size_t i = 0; i < mentions_.size(); ++i) {
    compiled_->variables[i] = slots[mentions_[i]];
  }
  const double result = compiled_->parser.Eval();
  return result != 0 && !std::isnan(result);  // 0/0 is no reason to run something
}

}  // namespace mlmq::tuner
