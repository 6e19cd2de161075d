// SPDX-License-Identifier: Apache-2.0
// A parser by recursive descent, one function for each strength of operators; it writes a program for a machine with a
// stack. Texts are numbers to that machine, so the parser allows no more than comparing two of them.
#include "tuner/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tuner/expression_tokens.hpp"

namespace mlmq::tuner {
namespace {

using binary_function = double (*)(double, double);
using unary_function = double (*)(double);

/// Pushes a value, changes the last one, or puts one in place of the last two.
struct instruction {
  binary_function of_two = nullptr;
  unary_function of_one = nullptr;
  std::optional<std::size_t> slot = std::nullopt;  ///< of a parameter
  double number = 0;                               ///< otherwise
};

struct binary_operator {
  std::string_view written;
  binary_function compute;
};
constexpr std::array<binary_operator, 18> binary_operators = {
    {{"+", [](double a, double b) { return a + b; }},
     {"-", [](double a, double b) { return a - b; }},
     {"*", [](double a, double b) { return a * b; }},
     {"/", [](double a, double b) { return a / b; }},
     {"%", [](double a, double b) { return std::fmod(a, b); }},
     {"^", [](double a, double b) { return std::pow(a, b); }},
     {"==", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
     {"!=", [](double a, double b) { return a != b ? 1.0 : 0.0; }},
     {"<", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
     {"<=", [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
     {">", [](double a, double b) { return a > b ? 1.0 : 0.0; }},
     {">=", [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
     {"and", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }},
     {"&&", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }},
     {"or", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }},
     {"||", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }},
     {"min", [](double a, double b) { return std::min(a, b); }},
     {"max", [](double a, double b) { return std::max(a, b); }}}};

double negative(double a) { return -a; }
double negated(double a) { return a == 0 ? 1 : 0; }
double magnitude(double a) { return std::abs(a); }

double is_power_of_two(double a) {
  int exponent = 0;
  return a >= 1 && std::frexp(a, &exponent) == 0.5 ? 1 : 0;
}

/// The function of one argument with this name; nullptr for others.
unary_function unary_function_named(std::string_view name) {
  if (name == "abs") return magnitude;
  if (name == "power_of_two") return is_power_of_two;
  return nullptr;
}

class parser {
 public:
  parser(const condition& source, const symbol_table& symbols) : source_(source), tokens_(tokens_of(source, symbols)) {}

  std::vector<instruction> program() {
    either();
    if (now().kind == token_kind::close) fail(now(), "')' without '('");
    require_end_of_value();
    return std::move(program_);
  }

 private:
  /// Deeper nesting would take more stack than there may be.
  static constexpr int deepest = 200;

  [[nodiscard]] const token& now() const { return tokens_[at_]; }
  [[nodiscard]] bool is(token_kind kind) const { return now().kind == kind; }
  const token& take() { return tokens_[at_++]; }
  void emit(unary_function compute) { program_.push_back({.of_one = compute}); }
  void emit(const token& sign) {
    const auto* const found = std::find_if(binary_operators.begin(), binary_operators.end(),
                                           [&](const binary_operator& one) { return one.written == sign.written; });
    program_.push_back({.of_two = found->compute});
  }

  [[noreturn]] void fail(const token& t, const std::string& message) const { fail_at(source_, t.position, message); }

  void enter() {
    if (++depth_ > deepest) fail(now(), "more than " + std::to_string(deepest) + " levels of nesting");
  }
  void leave() { --depth_; }

  void either() {
    both();
    while (is(token_kind::either)) {
      const token& sign = take();
      both();
      emit(sign);
    }
  }

  void both() {
    compared_ = false;
    condition_part();
    while (is(token_kind::both)) {
      const token& sign = take();
      compared_ = false;
      condition_part();
      emit(sign);
    }
  }

  /// At most one comparison; `not` reaches over all of it.
  void condition_part() {
    enter();
    if (is(token_kind::negation)) {
      ++at_;
      condition_part();
      emit(negated);
    } else if (is(token_kind::text)) {
      text_comparison();
    } else {
      sum();
      while (is(token_kind::comparison)) {
        const token& sign = take_comparison();
        sum();
        emit(sign);
      }
    }
    leave();
  }

  const token& take_comparison() {
    if (compared_) fail(now(), "comparisons cannot be chained; join them with 'and'");
    compared_ = true;
    return take();
  }

  void text_comparison() {
    const token& left = take();
    const bool is_equality = now().written == "==" || now().written == "!=";
    if (!is(token_kind::comparison) || !is_equality || tokens_[at_ + 1].kind != token_kind::text) fail_for_text(left);
    const token& sign = take_comparison();
    const token& right = take();
    if (is(token_kind::sign) || is(token_kind::product) || is(token_kind::power)) fail_for_text(left);
    if (is(token_kind::comparison)) take_comparison();  // refuses it
    push(left);
    push(right);
    emit(sign);
  }

  [[noreturn]] void fail_for_text(const token& t) const {
    fail(t, "'" + t.written + "' is a text, which can only be compared with another text, by == or !=");
  }

  void sum() {
    product();
    while (is(token_kind::sign)) {
      const token& sign = take();
      product();
      emit(sign);
    }
  }

  void product() {
    signed_value();
    while (is(token_kind::product)) {
      const token& sign = take();
      signed_value();
      emit(sign);
    }
  }

  void signed_value() {
    if (is(token_kind::negation)) return condition_part();
    if (!is(token_kind::sign) && !is(token_kind::prefix)) return power();
    const token& sign = take();
    if (is(token_kind::sign) || is(token_kind::prefix) || is(token_kind::negation)) {
      fail(now(), "'" + now().written + "' after another sign needs parentheses");
    }
    power();
    if (sign.written == "!") emit(negated);
    if (sign.written == "-") emit(negative);
  }

  void power() {
    single_value();
    if (!is(token_kind::power)) return;
    enter();
    const token& sign = take();
    signed_value();
    emit(sign);
    leave();
  }

  void single_value() {
    const token& t = now();
    switch (t.kind) {
      case token_kind::number:
      case token_kind::parameter:
        push(take());
        return;
      case token_kind::text:
        fail_for_text(t);
      case token_kind::function:
        ++at_;
        if (!is(token_kind::open)) fail(t, "'" + t.written + "' needs parentheses");
        function(t);
        return;
      case token_kind::open:
        ++at_;
        in_parentheses();
        close(t);
        return;
      default:
        fail(t, "a value is missing before " + (t.kind == token_kind::end ? t.written : "'" + t.written + "'"));
    }
  }

  void function(const token& name) {
    const unary_function of_one = unary_function_named(name.written);
    int arguments = 0;
    do {
      ++at_;  // the parenthesis or a comma
      in_parentheses();
      if (++arguments > 1 && of_one == nullptr) emit(name);
    } while (is(token_kind::comma));
    close(name);
    if (of_one == nullptr) return;
    if (arguments != 1) fail(name, "'" + name.written + "' takes one argument");
    emit(of_one);
  }

  void in_parentheses() {
    enter();
    const bool compared_outside = compared_;
    either();
    compared_ = compared_outside;
    leave();
  }

  void close(const token& opened) {
    if (is(token_kind::end)) fail(opened, "the parenthesis is not closed");
    if (!is(token_kind::close)) require_end_of_value();
    ++at_;
  }

  /// After a whole expression only its end can come.
  void require_end_of_value() const {
    if (is(token_kind::end)) return;
    if (is(token_kind::comma)) fail(now(), "',' belongs between the arguments of a function");
    fail(now(), "an operator is missing before '" + now().written + "'");
  }

  void push(const token& t) { program_.push_back({.slot = t.slot, .number = t.number}); }

  const condition& source_;
  std::vector<token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool compared_ = false;  ///< whether this level has a comparison since the last `and`, `or` or comma
  std::vector<instruction> program_;
};

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
  result.insert(result.end(), language_words().begin(), language_words().end());
  return result;
}

struct expression::compiled {
  std::vector<instruction> program;
  std::vector<double> stack;  // kept, so that holds() allocates nothing
};

expression::expression(const condition& source, const symbol_table& symbols)
    : source_(source), compiled_(std::make_unique<compiled>()) {
  compiled_->program = parser(source_, symbols).program();
  for (const instruction& one : compiled_->program) {
    if (one.slot) mentions_.push_back(*one.slot);
  }
  std::sort(mentions_.begin(), mentions_.end());
  mentions_.erase(std::unique(mentions_.begin(), mentions_.end()), mentions_.end());
}

expression::~expression() = default;
expression::expression(expression&&) noexcept = default;
expression& expression::operator=(expression&&) noexcept = default;

bool expression::holds(std::span<const double> slots) const {
  std::vector<double>& stack = compiled_->stack;
  stack.clear();
  for (const instruction& one : compiled_->program) {
    if (one.of_two != nullptr) {
      const double last = stack.back();
      stack.pop_back();
      stack.back() = one.of_two(stack.back(), last);
    } else if (one.of_one != nullptr) {
      stack.back() = one.of_one(stack.back());
    } else {
      stack.push_back(one.slot ? slots[*one.slot] : one.number);
    }
  }
  const double result = stack.back();
  return result != 0 && !std::isnan(result);  // 0/0 is no reason to run something
}

}  // namespace mlmq::tuner
