// SPDX-License-Identifier: Apache-2.0
// Tuning parameters: declarations by a problem, values in a search space, and activity conditions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/configuration.hpp"
#include "tuner/expression.hpp"
#include "tuner/source_place.hpp"
#include "tuner/value.hpp"

namespace mlmq::tuner {

/// Named configurations, such as those of a paper. A problem declares them; `preset=NAME` stands for one in labels and
/// experiment files.
struct preset {
  std::string_view name;    ///< consists of letters, digits, '_' and '-'
  std::string_view label;   ///< differences from the defaults, "k=v,k=v"; must not refer to another preset
  std::string_view source;  ///< origin, for users
};

/// Key that selects a preset in a configuration.
inline constexpr std::string_view preset_key = "preset";

/// Way to pass a value to the kernel: compiled in, which makes a new variant, or passed at launch.
enum class binding { compile, launch };

/// Returns "compile" or "launch".
[[nodiscard]] std::string_view name_of(binding b) noexcept;

/// Macro that passes the value of a parameter to a kernel. Booleans are 0 or 1, numbers are decimal,
/// reals with a fraction or an exponent.
struct macro_definition {
  std::string name = {};                  ///< "MLMQ_L1_BATCH"; empty: no macro
  std::string prefix = {};                ///< texts: prefix of the value; with "l1_", vector becomes l1_vector
  std::string one_for = {};               ///< texts: the macro is 1 for this value and 0 for all others
  std::vector<std::string> kernels = {};  ///< names of the kernels that read it; empty: all

  [[nodiscard]] bool read_by(std::string_view kernel) const;
};

/// A condition on one or more parameters without which no kernel can be built or launched. It holds for configurations
/// in which a mentioned parameter is inactive.
struct parameter_limit {
  std::string condition;  ///< expression, as in `restrictions` of an experiment file
  std::string reason;     ///< end of the error message, without a full stop
};

/// Returns the limit of a parameter `threads` (threads per block): a multiple of 32.
[[nodiscard]] parameter_limit whole_warps();

/// Declaration of a parameter. Checks, defaults, macros and the reference page are derived from it.
struct parameter_declaration {
  std::string name = {};
  value_type type = value_type::integer;
  binding bind = binding::compile;
  value default_value = {};               ///< default; must be allowed and of the declared type
  std::string description = {};           ///< one line, for users
  std::string unit = {};                  ///< e.g. "average_weight"; empty: a plain number or text
  std::string when = {};                  ///< the parameter exists only when this expression holds; empty: always
  std::vector<std::string> allowed = {};  ///< texts only; empty: any text
  std::optional<double> minimum = std::nullopt;  ///< numbers only, inclusive
  std::optional<double> maximum = std::nullopt;  ///< numbers only, inclusive
  /// Configurations leave the parameter out if it has its default. Used for parameters that were added later, so that
  /// the identity of recorded configurations does not change. Files cannot change its default.
  bool silent_default = false;
  std::string symbol = {};                       ///< symbol in the papers, such as "NF"; empty: none
  std::optional<value> inactive = std::nullopt;  ///< value for kernels while the parameter is inactive; absent: the
                                                 ///< default
  macro_definition macro = {};                   ///< macro, for compile-time binding
  std::vector<parameter_limit> limits =
      {};  ///< in addition to the range; a joint limit belongs to any of its parameters

  /// Returns whether configurations with this value leave the parameter out.
  [[nodiscard]] bool is_silent(const value& v) const { return silent_default && v == default_value; }
};

/// Returns the allowed values as text: "32 to 1024", "at least 1", "none, vector", or the name of the type.
[[nodiscard]] std::string describe_allowed(const parameter_declaration& declaration);

/// Converts `v` to the declared type; an integer may stand for a real.
/// @throws input_error "FILE:LINE: parameter 'NAME': VALUE …; allowed: …"
[[nodiscard]] value checked_value(const parameter_declaration& declaration, const value& v, const source_place& place);

/// A parameter of a search space.
struct parameter {
  parameter_declaration declared;
  std::vector<value> values;  ///< values to try, in this order; not empty, of the declared type, without duplicates
  /// Condition under which an active parameter is varied; otherwise it keeps its default. Empty: always varied.
  condition vary_when;
  source_place place;       ///< location of the parameter
  source_place when_place;  ///< location of declared.when
};

/// The parameters of a problem or a space, with compiled conditions. A condition that mentions an inactive parameter
/// does not hold.
///
/// Movable, not copyable. One object must not be used by two threads at once.
class parameter_set {
 public:
  /// Partial assignment, with one entry per parameter.
  struct decisions {
    std::vector<exact_number> numbers;  ///< see symbol_table::number
    std::vector<char> active;
  };

  /// @throws input_error for an invalid or repeated name, missing values, a value that is not allowed, an invalid
  ///     condition, or cyclic dependencies between conditions
  explicit parameter_set(std::vector<parameter> parameters, std::span<const preset> presets = {});

  /// Creates a set of all parameters of a problem, each with its default as its only value.
  [[nodiscard]] static parameter_set from_declarations(std::span<const parameter_declaration> declarations,
                                                       std::span<const preset> presets = {});

  [[nodiscard]] std::span<const parameter> parameters() const noexcept { return parameters_; }
  /// Returns null for an unknown name.
  [[nodiscard]] const parameter* find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  /// A slot is a position in parameters().
  [[nodiscard]] const symbol_table& symbols() const noexcept { return symbols_; }

  /// Returns the slots in topological order: every parameter follows those that its conditions mention, and the
  /// declared order is kept otherwise.
  [[nodiscard]] std::span<const std::size_t> order() const noexcept { return order_; }
  /// Returns the activity condition, or null if the parameter is always active.
  [[nodiscard]] const expression* active_when(std::size_t slot) const;
  /// Returns the condition under which the parameter is varied, or null if it is varied whenever it is active.
  [[nodiscard]] const expression* vary_when(std::size_t slot) const;

  [[nodiscard]] decisions undecided() const;
  /// Returns the assignment of `c`; names that are not in this set are ignored.
  [[nodiscard]] decisions decided(const configuration& c) const;
  /// Returns whether the parameter is active in a complete configuration: named there, or at its silent default.
  [[nodiscard]] bool is_active(std::string_view name, const configuration& c) const;
  /// Returns whether all parameters that `e` mentions are active.
  [[nodiscard]] static bool all_active(const expression& e, const decisions& state);

  /// Returns `partial` completed with the defaults of all active parameters that it leaves out. Values of a `preset`
  /// take precedence over defaults; those of inactive parameters are ignored.
  /// @throws input_error starting with `place` for an unknown name or preset, an invalid value, a value of an inactive
  /// parameter, or a broken limit
  [[nodiscard]] configuration complete(const configuration& partial, const source_place& place = {}) const;

  /// Parses and completes a label "k=v,k=v", as written by configuration::label() or typed by a user; texts with
  /// commas, blanks or equals signs are in quotes. "" and "defaults" mean all defaults.
  /// @throws input_error like complete(), and for an entry that is not NAME=VALUE or a repeated name
  [[nodiscard]] configuration parse_label(std::string_view text) const;

  /// Returns a short label for users: "preset=NAME" if a preset matches, else the differences from the defaults, or
  /// "defaults". parse_label() turns it back into `c`; if that fails, because `c` comes from another program version,
  /// the whole label is returned.
  /// @param shown  names of parameters that are in the label even at their defaults; then no preset stands for them
  [[nodiscard]] std::string short_label(const configuration& c, std::span<const std::string> shown = {}) const;

  struct compiled_limit {
    expression condition;
    std::string reason;

    [[nodiscard]] bool allows(const decisions& state) const {
      return !all_active(condition, state) || condition.holds(state.numbers);
    }
  };
  /// Returns the limits of all parameters, in declaration order.
  [[nodiscard]] std::span<const compiled_limit> limits() const noexcept { return limits_; }
  /// Returns a message about the first broken limit of a complete configuration, or "".
  [[nodiscard]] std::string broken_limit(const configuration& complete) const {
    return broken_limit(decided(complete), complete);
  }

  /// Compile-time and launch-time parameters.
  struct parts {
    configuration compile;
    configuration launch;
  };
  /// @throws work_error if `c` has a parameter that is not in this set
  [[nodiscard]] parts split(const configuration& c) const;

 private:
  /// Returns the number of a value. A text without a symbol gets a unique number from its position in `unnamed`.
  [[nodiscard]] exact_number number(const value& v, std::vector<std::string>& unnamed) const;
  /// Parses a label without completing it.
  [[nodiscard]] configuration values_in(std::string_view label) const;
  [[nodiscard]] configuration values_of_preset(const value& name, const source_place& place) const;
  [[nodiscard]] std::string broken_limit(const decisions& state, const configuration& complete) const;
  /// Returns the parameters with their names in the papers.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> paper_names() const;
  void add_symbols();
  void compile_conditions();
  void sort_by_dependency();
  [[noreturn]] void fail_for_circle(const std::vector<char>& placed) const;
  [[nodiscard]] std::vector<std::size_t> dependencies(std::size_t slot) const;

  std::vector<parameter> parameters_;
  std::vector<preset> presets_;
  symbol_table symbols_;
  std::vector<std::optional<expression>> active_when_;
  std::vector<std::optional<expression>> vary_when_;
  std::vector<std::size_t> order_;
  std::vector<compiled_limit> limits_;
};

/// Returns the end of a message about an unknown name: the parameters that have the name in the papers, or
/// did_you_mean().
/// @param symbols  pairs of a parameter and its names in the papers (parameter_declaration::symbol)
[[nodiscard]] std::string name_hint(std::string_view unknown, std::span<const std::string> known_names,
                                    std::span<const std::pair<std::string, std::string>> symbols);

}  // namespace mlmq::tuner
