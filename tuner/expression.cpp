// SPDX-License-Identifier: Apache-2.0
// A recursive-descent parser with one function per precedence level. It emits a program for a stack machine, which
// represents texts as numbers; the parser therefore allows only comparisons of two texts.
#include "tuner/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tuner/element_type.hpp"
#include "tuner/expression_tokens.hpp"

namespace mlmq::tuner {
namespace {

using binary_function = double (*)(double, double);
using unary_function = double (*)(double);

struct binary_operator {
  std::string_view written;
  binary_function compute;
  exact_number (*compute_exactly)(const exact_number&, const exact_number&);
  std::string_view cpp;  ///< in C++, with {} for the operands
};

struct unary_operator {
  std::string_view written;
  unary_function compute;
  exact_number (*compute_exactly)(const exact_number&);
  std::string_view cpp;  ///< in C++, with {} for the operand
};

/// Pushes a value, or applies an operator to the top one or two values of the stack.
struct instruction {
  const binary_operator* binary = nullptr;
  const unary_operator* unary = nullptr;
  std::optional<std::size_t> slot = std::nullopt;  ///< slot of a parameter
  exact_number constant = {};                      ///< if `slot` is not set
};

exact_number truth(bool holds) { return holds ? 1.0 : 0.0; }

exact_number conjunction(const exact_number& a, const exact_number& b) { return truth(a.real() != 0 && b.real() != 0); }
exact_number disjunction(const exact_number& a, const exact_number& b) { return truth(a.real() != 0 || b.real() != 0); }

constexpr std::array<binary_operator, 19> binary_operators = {
    {{"+", [](double a, double b) { return a + b; }, [](const exact_number& a, const exact_number& b) { return a + b; },
      "({} + {})"},
     {"-", [](double a, double b) { return a - b; }, [](const exact_number& a, const exact_number& b) { return a - b; },
      "({} - {})"},
     {"*", [](double a, double b) { return a * b; }, [](const exact_number& a, const exact_number& b) { return a * b; },
      "({} * {})"},
     {"/", [](double a, double b) { return a / b; }, [](const exact_number& a, const exact_number& b) { return a / b; },
      "({} / {})"},
     {"//", [](double a, double b) { return std::floor(a / b); }, exact_number::floor_quotient, "std::floor({} / {})"},
     {"%", [](double a, double b) { return std::fmod(a, b); }, exact_number::remainder, "std::fmod({}, {})"},
     {"^", [](double a, double b) { return std::pow(a, b); }, exact_number::power, "std::pow({}, {})"},
     {"==", [](double a, double b) { return a == b ? 1.0 : 0.0; },
      [](const exact_number& a, const exact_number& b) { return truth(exact_number::equal(a, b)); }, "({} == {})"},
     {"!=", [](double a, double b) { return a != b ? 1.0 : 0.0; },
      [](const exact_number& a, const exact_number& b) { return truth(!exact_number::equal(a, b)); }, "({} != {})"},
     {"<", [](double a, double b) { return a < b ? 1.0 : 0.0; },
      [](const exact_number& a, const exact_number& b) { return truth(exact_number::order(a, b) < 0); }, "({} < {})"},
     {"<=", [](double a, double b) { return a <= b ? 1.0 : 0.0; },
      [](const exact_number& a, const exact_number& b) { return truth(exact_number::order(a, b) <= 0); }, "({} <= {})"},
     {">", [](double a, double b) { return a > b ? 1.0 : 0.0; },
      [](const exact_number& a, const exact_number& b) { return truth(exact_number::order(a, b) > 0); }, "({} > {})"},
     {">=", [](double a, double b) { return a >= b ? 1.0 : 0.0; },
      [](const exact_number& a, const exact_number& b) { return truth(exact_number::order(a, b) >= 0); }, "({} >= {})"},
     {"and", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }, conjunction, "({} != 0 && {} != 0)"},
     {"&&", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }, conjunction, "({} != 0 && {} != 0)"},
     {"or", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }, disjunction, "({} != 0 || {} != 0)"},
     {"||", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }, disjunction, "({} != 0 || {} != 0)"},
     {"min", [](double a, double b) { return std::min(a, b); },
      [](const exact_number& a, const exact_number& b) { return exact_number::order(b, a) < 0 ? b : a; },
      "std::min<double>({}, {})"},
     {"max", [](double a, double b) { return std::max(a, b); },
      [](const exact_number& a, const exact_number& b) { return exact_number::order(a, b) < 0 ? b : a; },
      "std::max<double>({}, {})"}}};

double is_power_of_two(double a) {
  int exponent = 0;
  return a >= 1 && std::frexp(a, &exponent) == 0.5 ? 1 : 0;
}

/// The signs, and the functions with one argument.
constexpr std::array<unary_operator, 6> unary_operators = {
    {{"-", [](double a) { return -a; }, [](const exact_number& a) { return -a; }, "(-{})"},
     {"!", [](double a) { return a == 0 ? 1.0 : 0.0; }, [](const exact_number& a) { return truth(a.real() == 0); },
      "({} == 0)"},
     {"abs", [](double a) { return std::abs(a); }, [](const exact_number& a) { return a.real() < 0 ? -a : a; },
      "std::fabs({})"},
     {"ceil", [](double a) { return std::ceil(a); }, [](const exact_number& a) { return a.ceil(); }, "std::ceil({})"},
     {"floor", [](double a) { return std::floor(a); }, [](const exact_number& a) { return a.floor(); },
      "std::floor({})"},
     {"power_of_two", is_power_of_two, [](const exact_number& a) { return truth(a.is_power_of_two()); },
      "[](double a) { int e = 0; return a >= 1 && std::frexp(a, &e) == 0.5; }({})"}}};

/// Returns `pattern` with its {} replaced by the operands.
std::string with_operands(std::string_view pattern, std::initializer_list<std::string> operands) {
  std::string text;
  for (const std::string& operand : operands) {
    const std::size_t place = pattern.find("{}");
    text.append(pattern.substr(0, place)).append(operand);
    pattern.remove_prefix(place + 2);
  }
  return text.append(pattern);
}

/// Returns the operator written like this, or nullptr.
template <class Operators>
auto* operator_named(const Operators& operators, std::string_view written) {
  const auto match = std::ranges::find(operators, written, [](const auto& candidate) { return candidate.written; });
  return match == operators.end() ? nullptr : &*match;
}

class parser {
 public:
  parser(const condition& source, const symbol_table& symbols)
      : source_(source), symbols_(symbols), tokens_(tokens_of(source, symbols)) {}

  /// Returns the texts that are constants, by the position of their instruction in program().
  [[nodiscard]] const std::map<std::size_t, std::string>& texts() const { return texts_; }

  std::vector<instruction> program() {
    disjunction();
    if (current().kind == token_kind::close) fail(current(), "')' without '('");
    require_end_of_value();
    return std::move(program_);
  }

 private:
  /// Limits the recursion depth, and with it the use of the call stack.
  static constexpr int max_depth = 200;

  [[nodiscard]] const token& current() const { return tokens_[position_]; }
  [[nodiscard]] bool is(token_kind kind) const { return current().kind == kind; }
  const token& take() { return tokens_[position_++]; }
  void emit(const unary_operator* compute) { program_.push_back({.unary = compute}); }
  void emit_unary(std::string_view written) { emit(operator_named(unary_operators, written)); }
  void emit(const token& sign) { program_.push_back({.binary = operator_named(binary_operators, sign.written)}); }

  [[noreturn]] void fail(const token& t, const std::string& message) const { fail_at(source_, t.position, message); }

  void enter() {
    if (++depth_ > max_depth) fail(current(), "more than " + std::to_string(max_depth) + " levels of nesting");
  }
  void leave() { --depth_; }

  void disjunction() {
    conjunction();
    while (is(token_kind::disjunction)) {
      const token& sign = take();
      conjunction();
      emit(sign);
    }
  }

  void conjunction() {
    compared_ = false;
    condition_part();
    while (is(token_kind::conjunction)) {
      const token& sign = take();
      compared_ = false;
      condition_part();
      emit(sign);
    }
  }

  /// Parses at most one comparison; `not` applies to all of it.
  void condition_part() {
    enter();
    if (is(token_kind::negation)) {
      ++position_;
      condition_part();
      emit_unary("!");
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
    if (compared_) fail(current(), "comparisons cannot be chained; join them with 'and'");
    compared_ = true;
    return take();
  }

  void text_comparison() {
    const token& left_operand = take();
    const bool is_equality = current().written == "==" || current().written == "!=";
    if (!is(token_kind::comparison) || !is_equality || tokens_[position_ + 1].kind != token_kind::text)
      fail_for_text(left_operand);
    const token& sign = take_comparison();
    const token& right_operand = take();
    if (is(token_kind::sign) || is(token_kind::product) || is(token_kind::power)) fail_for_text(left_operand);
    if (is(token_kind::comparison)) take_comparison();  // rejects the comparison
    push(left_operand);
    push(right_operand);
    emit(sign);
  }

  [[noreturn]] void fail_for_text(const token& t) const {
    fail(t, "'" + t.written + "' is a text, which can only be compared with another text, using == or !=");
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
      fail(current(), "'" + current().written + "' after another sign needs parentheses");
    }
    power();
    if (sign.written == "!") emit_unary("!");
    if (sign.written == "-") emit_unary("-");
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
    const token& t = current();
    switch (t.kind) {
      case token_kind::number:
      case token_kind::parameter:
        push(take());
        return;
      case token_kind::text:
        fail_for_text(t);
      case token_kind::function:
        ++position_;
        if (!is(token_kind::open)) fail(t, "expected '(' after '" + t.written + "'");
        if (t.written == "sizeof") {
          size_of(t);
        } else {
          function(t);
        }
        return;
      case token_kind::open:
        ++position_;
        in_parentheses();
        close(t);
        return;
      default:
        fail(t, "a value is missing before " + (t.kind == token_kind::end ? t.written : "'" + t.written + "'"));
    }
  }

  void function(const token& name) {
    const unary_operator* const unary = operator_named(unary_operators, name.written);
    int arguments = 0;
    do {
      ++position_;  // the parenthesis or a comma
      in_parentheses();
      if (++arguments > 1 && unary == nullptr) emit(name);
    } while (is(token_kind::comma));
    close(name);
    if (unary == nullptr) return;
    if (arguments != 1) fail(name, "'" + name.written + "' takes one argument");
    emit(unary);
  }

  /// Emits the size of a type: a number, or the sum over the types that the value of a parameter may name.
  void size_of(const token& name) {
    ++position_;
    const token& type = take();
    if (type.kind != token_kind::text) fail(name, "'sizeof' takes the name of a type, or a parameter with such names");
    close(name);
    if (!type.slot) {
      const element_type* const match = find_type(type.written);
      if (match == nullptr) fail(type, "'" + type.written + "' is no type whose size is known");
      program_.push_back({.constant = static_cast<double>(match->element_bytes())});
      return;
    }
    program_.push_back({.constant = 0.0});
    for (const std::string& type_name : type_names()) {
      const std::optional<double> id = symbols_.text_number(type_name);
      if (!id) continue;
      push(type);
      push({.kind = token_kind::text, .written = type_name, .position = type.position, .constant = *id});
      emit({.kind = token_kind::comparison, .written = "=="});
      program_.push_back({.constant = static_cast<double>(find_type(type_name)->element_bytes())});
      emit({.kind = token_kind::product, .written = "*"});
      emit({.kind = token_kind::sign, .written = "+"});
    }
  }

  void in_parentheses() {
    enter();
    const bool compared_outside = compared_;
    disjunction();
    compared_ = compared_outside;
    leave();
  }

  void close(const token& opened) {
    if (is(token_kind::end)) fail(opened, "the parenthesis is not closed");
    if (!is(token_kind::close)) require_end_of_value();
    ++position_;
  }

  /// Reports an error unless the expression ends here.
  void require_end_of_value() const {
    if (is(token_kind::end)) return;
    if (is(token_kind::comma)) fail(current(), "',' is only allowed between the arguments of a function");
    fail(current(), "an operator is missing before '" + current().written + "'");
  }

  void push(const token& t) {
    if (t.kind == token_kind::text && !t.slot) texts_[program_.size()] = t.written;
    program_.push_back({.slot = t.slot, .constant = t.constant});
  }

  const condition& source_;
  const symbol_table& symbols_;
  std::vector<token> tokens_;
  std::size_t position_ = 0;
  int depth_ = 0;
  bool compared_ = false;  ///< whether this level has a comparison since the last `and`, `or` or comma
  std::vector<instruction> program_;
  std::map<std::size_t, std::string> texts_;  ///< text constants by the position of their instruction
};

}  // namespace

void symbol_table::add_parameter(std::string name, value_type type) {
  slots_.emplace(std::move(name), types_.size());
  types_.push_back(type);
}

void symbol_table::add_text(const std::string& text) { texts_.emplace(text, static_cast<double>(texts_.size())); }

std::optional<std::size_t> symbol_table::slot(std::string_view name) const {
  const auto entry = slots_.find(name);
  return entry == slots_.end() ? std::nullopt : std::optional(entry->second);
}

std::optional<double> symbol_table::text_number(std::string_view text) const {
  const auto entry = texts_.find(text);
  return entry == texts_.end() ? std::nullopt : std::optional(entry->second);
}

exact_number symbol_table::number(const value& v) const {
  switch (type_of(v)) {
    case value_type::boolean:
      return std::get<bool>(v) ? 1.0 : 0.0;
    case value_type::integer:
      return std::get<std::int64_t>(v);
    case value_type::real:
      return std::get<double>(v);
    case value_type::text:
      break;
  }
  if (const auto id = text_number(std::get<std::string>(v))) return *id;
  throw work_error("the text '" + std::get<std::string>(v) + "' is not a value of any parameter");
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
  std::map<std::size_t, std::string> texts;  // parser::texts()
};

expression::expression(const condition& source, const symbol_table& symbols)
    : source_(source), compiled_(std::make_unique<compiled>()) {
  parser parsed(source_, symbols);
  compiled_->program = parsed.program();
  compiled_->texts = parsed.texts();
  for (const instruction& step : compiled_->program) {
    if (step.slot) mentions_.push_back(*step.slot);
  }
  std::sort(mentions_.begin(), mentions_.end());
  mentions_.erase(std::unique(mentions_.begin(), mentions_.end()), mentions_.end());
}

expression::~expression() = default;
expression::expression(expression&&) noexcept = default;
expression& expression::operator=(expression&&) noexcept = default;

bool expression::holds(std::span<const exact_number> slots) const {
  const double result = evaluate(slots).real();
  return result != 0 && !std::isnan(result);  // NaN, such as 0/0, counts as false
}

exact_number expression::evaluate(std::span<const exact_number> slots) const {
  // Doubles are exact, and faster, as long as all whole numbers are below 2^53.
  const std::optional<double> small = evaluate_small(slots);
  if (small) return *small;
  std::vector<exact_number> stack;
  try {
    for (const instruction& step : compiled_->program) {
      if (step.binary != nullptr) {
        const exact_number last = stack.back();
        stack.pop_back();
        stack.back() = step.binary->compute_exactly(stack.back(), last);
      } else if (step.unary != nullptr) {
        stack.back() = step.unary->compute_exactly(stack.back());
      } else {
        stack.push_back(step.slot ? slots[*step.slot] : step.constant);
      }
    }
  } catch (const input_error& error) {
    throw input_error(source_.place.prefix() + "'" + source_.text + "': " + error.what());
  }
  return stack.back();
}

std::optional<double> expression::evaluate_small(std::span<const exact_number> slots) const {
  constexpr double certain = 9007199254740992;  // 2^53
  // Without an allocation, and without memory that threads would share.
  std::array<double, 16> stack{};
  std::size_t size = 0;
  for (const instruction& step : compiled_->program) {
    if (step.binary != nullptr) {
      --size;
      stack[size - 1] = step.binary->compute(stack[size - 1], stack[size]);
    } else if (step.unary != nullptr) {
      stack[size - 1] = step.unary->compute(stack[size - 1]);
    } else {
      if (size == stack.size()) return std::nullopt;
      stack[size++] = (step.slot ? slots[*step.slot] : step.constant).real();
    }
    if (std::abs(stack[size - 1]) >= certain) return std::nullopt;
  }
  return stack[0];
}

std::string expression::to_cpp(std::span<const std::string> names) const {
  std::vector<std::string> stack;
  const auto pop = [&stack] {
    std::string last = std::move(stack.back());
    stack.pop_back();
    return last;
  };
  for (std::size_t i = 0; i < compiled_->program.size(); ++i) {
    const instruction& step = compiled_->program[i];
    if (step.binary != nullptr) {
      const std::string second = pop();
      const std::string first = pop();
      stack.push_back(with_operands(step.binary->cpp, {first, second}));
    } else if (step.unary != nullptr) {
      stack.push_back(with_operands(step.unary->cpp, {pop()}));
    } else if (step.slot) {
      stack.push_back(names[*step.slot]);
    } else if (const auto text = compiled_->texts.find(i); text != compiled_->texts.end()) {
      stack.push_back(to_json(value(text->second)));
    } else {
      stack.push_back(to_json(value(step.constant.real())));  // with a fraction, so that it is a double
    }
  }
  return stack.back();
}

}  // namespace mlmq::tuner
