// SPDX-License-Identifier: Apache-2.0
#include "tuner/python_expression.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tuner/expression_tokens.hpp"

namespace mlmq::tuner {
namespace {

constexpr std::size_t longest_list = 1'000'000;
constexpr int most_nested = 100;

enum class lexeme_kind { number, name, text, symbol, end };

struct lexeme {
  lexeme_kind kind = lexeme_kind::end;
  std::string written;
  std::size_t position = 0;
};

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::vector<lexeme> split_python(const condition& source) {
  static constexpr std::array<std::string_view, 6> long_symbols{"**", "//", "==", "!=", "<=", ">="};
  const std::string& text = source.text;
  std::vector<lexeme> result;
  std::size_t start = 0;
  while (start < text.size()) {
    const char first = text[start];
    if (std::isspace(static_cast<unsigned char>(first)) != 0) {
      ++start;
      continue;
    }
    std::size_t end = start + 1;
    lexeme_kind kind = lexeme_kind::symbol;
    if (is_digit(first) || (first == '.' && end < text.size() && is_digit(text[end]))) {
      kind = lexeme_kind::number;
      while (end < text.size() && (is_name_character(text[end]) || text[end] == '.' ||
                                   ((text[end] == '-' || text[end] == '+') && (text[end - 1] | 0x20) == 'e'))) {
        ++end;
      }
    } else if (is_name_character(first)) {
      kind = lexeme_kind::name;
      while (end < text.size() && is_name_character(text[end])) ++end;
    } else if (first == '"' || first == '\'') {
      kind = lexeme_kind::text;
      end = text.find(first, end);
      if (end == std::string::npos) fail_at(source, start, "the text has no closing quote");
      result.push_back({kind, text.substr(start + 1, end - start - 1), start});
      start = end + 1;
      continue;
    } else {
      for (const std::string_view symbol : long_symbols) {
        if (text.compare(start, symbol.size(), symbol) == 0) end = start + symbol.size();
      }
    }
    result.push_back({kind, text.substr(start, end - start), start});
    start = end;
  }
  result.push_back({lexeme_kind::end, "", text.size()});
  return result;
}

/// A recursive-descent parser. Its functions for scalars return the text in the language of `restrictions`.
class python_parser {
 public:
  explicit python_parser(const condition& source) : source_(source), lexemes_(split_python(source)) {}

  std::string whole_condition() {
    std::string result = disjunction();
    require_end();
    return result;
  }
  std::vector<value> whole_list() {
    std::vector<value> result = list();
    require_end();
    return result;
  }

 private:
  [[nodiscard]] const lexeme& current() const { return lexemes_[next_]; }
  [[nodiscard]] bool is(std::string_view written) const {
    return current().written == written &&
           (current().kind == lexeme_kind::symbol || current().kind == lexeme_kind::name);
  }
  bool accept(std::string_view written) {
    if (!is(written)) return false;
    ++next_;
    return true;
  }
  void expect(std::string_view written) {
    if (!accept(written)) fail(fmt::format("expected '{}', {}", written, description_of_current()));
  }
  void require_end() {
    if (current().kind != lexeme_kind::end) fail("unexpected '" + current().written + "'");
  }
  [[nodiscard]] std::string description_of_current() const {
    return current().kind == lexeme_kind::end ? "but the text ends" : "got '" + current().written + "'";
  }
  [[noreturn]] void fail(const std::string& message) const { fail_at(source_, current().position, message); }

  std::string disjunction() {
    if (++depth_ > most_nested) fail("the expression is nested too deeply");
    std::string result = conjunction();
    while (accept("or")) result += " or " + conjunction();
    --depth_;
    return result;
  }
  std::string conjunction() {
    std::string result = negation();
    while (accept("and")) result += " and " + negation();
    return result;
  }
  std::string negation() {
    if (!accept("not")) return comparison();
    if (++depth_ > most_nested) fail("the expression is nested too deeply");
    std::string result = "not " + negation();
    --depth_;
    return result;
  }
  std::string comparison() {
    std::string operand_text = sum();
    std::string chain;
    int links = 0;
    for (;; ++links) {
      std::string link;
      const bool is_excluded = is("not") && lexemes_[next_ + 1].written == "in";
      if (is_excluded) ++next_;
      if (accept("in")) {
        link = membership(operand_text, is_excluded);
      } else {
        const std::string symbol = current().written;
        if (!accept("==") && !accept("!=") && !accept("<=") && !accept(">=") && !accept("<") && !accept(">")) break;
        std::string right = sum();
        link = operand_text + " " + symbol + " " + right;
        operand_text = std::move(right);
      }
      chain += (chain.empty() ? "" : " and ") + link;
    }
    if (links == 0) return operand_text;
    return links == 1 ? chain : "(" + chain + ")";
  }
  /// Parses the values after `in`.
  std::string membership(const std::string& operand_text, bool is_excluded) {
    const char* const close = is("(") ? ")" : "]";
    if (!accept("[") && !accept("(")) fail("expected a list of values after 'in', " + description_of_current());
    std::string result;
    while (!accept(close)) {
      if (!result.empty()) {
        expect(",");
        if (accept(close)) break;
      }
      result += (result.empty() ? ""
                 : is_excluded  ? " and "
                                : " or ") +
                operand_text + (is_excluded ? " != " : " == ") + sum();
    }
    if (result.empty()) return is_excluded ? "true" : "false";
    return "(" + result + ")";
  }
  std::string sum() {
    std::string result = product();
    while (is("+") || is("-")) {
      result += " " + lexemes_[next_++].written + " ";
      result += product();
    }
    return result;
  }
  std::string product() {
    std::string result = signed_power();
    while (is("*") || is("/") || is("//") || is("%")) {
      result += " " + lexemes_[next_++].written + " ";
      result += signed_power();
    }
    return result;
  }
  std::string signed_power() {
    if (is("-") || is("+")) {
      if (++depth_ > most_nested) fail("the expression is nested too deeply");
      std::string result = lexemes_[next_++].written;
      result += signed_power();
      --depth_;
      return result;
    }
    std::string result = operand();
    if (!accept("**")) return result;
    if (++depth_ > most_nested) fail("the expression is nested too deeply");
    result += " ^ " + signed_power();
    --depth_;
    return result;
  }
  std::string operand() {
    const lexeme& first = current();
    if (accept("(")) {
      std::string inner = disjunction();
      expect(")");
      return "(" + inner + ")";
    }
    if (first.kind == lexeme_kind::number) {
      ++next_;
      return first.written;
    }
    if (first.kind == lexeme_kind::text) {
      ++next_;
      return "\"" + first.written + "\"";
    }
    if (first.kind != lexeme_kind::name || is("for") || is("if") || is("lambda")) {
      fail("expected a value, " + description_of_current());
    }
    ++next_;
    if (first.written == "True") return "true";
    if (first.written == "False") return "false";
    if (!accept("(")) return first.written;
    std::string call = first.written + "(" + disjunction();
    while (accept(",")) call += ", " + disjunction();
    expect(")");
    return call + ")";
  }

  std::vector<value> list() {
    if (++depth_ > most_nested) fail("the expression is nested too deeply");
    std::vector<value> result = single_list();
    while (accept("+")) {
      for (value& v : single_list()) result.push_back(std::move(v));
      if (result.size() > longest_list) fail("more than a million values");
    }
    --depth_;
    return result;
  }
  std::vector<value> single_list() {
    if (accept("list")) {
      expect("(");
      std::vector<value> result = list();
      expect(")");
      return result;
    }
    if (accept("range")) return range();
    if (accept("(")) {
      std::vector<value> result = list();
      expect(")");
      return result;
    }
    expect("[");
    std::vector<value> result;
    const std::size_t first_element = next_;
    while (!accept("]")) {
      if (!result.empty()) {
        expect(",");
        if (accept("]")) break;
      }
      const std::string element = disjunction();
      if (result.empty() && accept("for")) return comprehension(element, first_element);
      result.push_back(evaluate(element, first_element, "", {}));
    }
    return result;
  }
  std::vector<value> range() {
    expect("(");
    std::vector<double> bounds;
    do {
      const std::size_t start = next_;
      const value bound = evaluate(disjunction(), start, "", {});
      const auto* whole = std::get_if<std::int64_t>(&bound);
      if (whole == nullptr) fail("range() takes whole numbers");
      bounds.push_back(static_cast<double>(*whole));
    } while (accept(","));
    expect(")");
    if (bounds.size() > 3) fail("range() takes at most three numbers");
    const double first = bounds.size() == 1 ? 0 : bounds[0];
    const double last = bounds.size() == 1 ? bounds[0] : bounds[1];
    const double step = bounds.size() == 3 ? bounds[2] : 1;
    if (step == 0) fail("the step of range() is 0");
    if ((last - first) / step > static_cast<double>(longest_list)) fail("more than a million values");
    std::vector<value> result;
    for (double number = first; step > 0 ? number < last : number > last; number += step) {
      result.emplace_back(static_cast<std::int64_t>(number));
    }
    return result;
  }
  std::vector<value> comprehension(const std::string& element, std::size_t element_start) {
    const std::string variable = current().written;
    if (current().kind != lexeme_kind::name) fail("expected a name after 'for', " + description_of_current());
    ++next_;
    expect("in");
    const std::vector<value> items = list();
    std::string filter;
    const std::size_t filter_start = next_;
    if (accept("if")) filter = disjunction();
    expect("]");
    std::vector<value> result;
    for (const value& item : items) {
      if (!filter.empty() && !is_true(evaluate(filter, filter_start, variable, item))) continue;
      result.push_back(evaluate(element, element_start, variable, item));
    }
    return result;
  }
  static bool is_true(const value& v) {
    if (const auto* flag = std::get_if<bool>(&v)) return *flag;
    if (const auto* whole = std::get_if<std::int64_t>(&v)) return *whole != 0;
    return true;
  }

  /// Evaluates a translated scalar in which `variable` (if not empty) has the value `item`.
  /// @param start the first lexeme of the scalar, for messages
  [[nodiscard]] value evaluate(const std::string& translated, std::size_t start, const std::string& variable,
                               const value& item) const {
    if (translated == "true" || translated == "false") return translated == "true";
    if (translated.size() > 1 && translated.front() == '"' && translated.find('"', 1) == translated.size() - 1) {
      return translated.substr(1, translated.size() - 2);
    }
    symbol_table symbols;
    std::vector<exact_number> numbers;
    if (!variable.empty()) {
      if (!is_parameter_name(variable)) fail_at(source_, lexemes_[start].position, "'" + variable + "' is reserved");
      if (variable == translated) return item;
      if (type_of(item) == value_type::text) {
        fail_at(source_, lexemes_[start].position, "texts cannot be computed");
      }
      symbols.add_parameter(variable, type_of(item));
      numbers.push_back(symbols.number(item));
    }
    exact_number number;
    try {
      number = expression({translated, {}}, symbols).evaluate(numbers);
    } catch (const input_error&) {
      fail_at(source_, lexemes_[start].position, "not a number or a text: " + translated);
    }
    if (!std::isfinite(number.real())) fail_at(source_, lexemes_[start].position, "not a finite number: " + translated);
    const auto whole = number.whole();
    if (!whole || translated.find('.') != std::string::npos) return number.real();
    if (*whole > std::numeric_limits<std::int64_t>::max() || *whole < std::numeric_limits<std::int64_t>::min()) {
      fail_at(source_, lexemes_[start].position, translated + " does not fit a signed 64-bit integer");
    }
    return static_cast<std::int64_t>(*whole);
  }

  const condition& source_;
  std::vector<lexeme> lexemes_;
  std::size_t next_ = 0;
  int depth_ = 0;
};

}  // namespace

condition translate_condition(const condition& python) {
  return {python_parser(python).whole_condition(), python.place};
}

std::vector<value> evaluate_list(const condition& python) { return python_parser(python).whole_list(); }

}  // namespace mlmq::tuner
