// SPDX-License-Identifier: Apache-2.0
// Tuning parameters: what a problem declares about them, which values a space gives them, and when
// they are active.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/configuration.hpp"
#include "tuner/expression.hpp"
#include "tuner/preset.hpp"
#include "tuner/source_place.hpp"
#include "tuner/value.hpp"

namespace mlmq::tuner {

/// How a value reaches the kernel: compiled in (a new variant) or passed at launch (the same
/// variant).
enum class binding { compile, launch };

/// "compile" or "launch".
[[nodiscard]] std::string_view name_of(binding b) noexcept;

/// The macro that tells a kernel the value of a parameter. A boolean is 0 or 1, a number is in decimals.
struct macro_definition {
  std::string name = {};                  ///< "MLMQ_L1_BATCH"; empty: no kernel has one
  std::string prefix = {};                ///< of a text: with "l1_" the value vector is the word l1_vector
  std::string one_for = {};               ///< of a text: the macro is 1 for this value and 0 for all others
  std::vector<std::string> kernels = {};  ///< that read it, as the problem calls them; empty: all

  [[nodiscard]] bool read_by(std::string_view kernel) const;
};

/// A condition that every configuration satisfies, over one parameter or several, because no kernel can be built or launched
/// otherwise. It holds for a configuration in which a parameter that it mentions is inactive.
struct parameter_limit {
  std::string condition;  ///< an expression, as in `restrictions` of an experiment file
  std::string reason;     ///< end of the error message, without a full stop
};

/// The limit of a parameter `threads`, the number of threads of a block.
[[nodiscard]] parameter_limit whole_warps();

/// All that a problem says about one of its parameters: checks, defaults, macros and the reference page follow from it.
struct parameter_declaration {
  std::string name = {};
  value_type type = value_type::integer;
  binding bind = binding::compile;
  value default_value = {};               ///< of `type`, and allowed
  std::string description = {};           ///< one line for a person
  std::string unit = {};                  ///< e.g. "average_weight"; empty: a plain number or text
  std::string when = {};                  ///< the parameter exists only when this expression holds; empty: always
  std::vector<std::string> allowed = {};  ///< texts only; empty: any text
  std::optional<double> minimum = std::nullopt;  ///< numbers only, inclusive
  std::optional<double> maximum = std::nullopt;  ///< numbers only, inclusive
  /// A configuration names the parameter only where its value is not the default: a parameter that came later must not
  /// change the identity of what has been recorded. No file may change its default.
  bool silent_default = false;
  std::string symbol = {};                       ///< what the papers call it, "NF"; empty: nothing
  std::optional<value> inactive = std::nullopt;  ///< what kernels get where it is inactive, if not the default
  macro_definition macro = {};                   ///< of what is compiled in
  std::vector<parameter_limit> limits = {};      ///< in addition to the range; a joint one at any of its parameters

  /// Whether a configuration with this value of the parameter leaves it out.
  [[nodiscard]] bool is_silent(const value& v) const { return silent_default && v == default_value; }
};

/// "32 to 1024", "at least 1", "none, vector", or the name of the type: what the values may be.
[[nodiscard]] std::string describe_allowed(const parameter_declaration& declaration);

/// `v` as a value of the declared type (an integer may stand for a real).
/// @throws input_error "FILE:LINE: parameter 'NAME': VALUE …; allowed: …"
[[nodiscard]] value checked_value(const parameter_declaration& declaration, const value& v, const source_place& place);

/// A parameter of a search space.
struct parameter {
  parameter_declaration declared;
  std::vector<value> values;  ///< to try, in this order; not empty, of the declared type, each once
  /// Where it does not hold, an active parameter is not varied but keeps its default. Empty: varied
  /// always.
  condition vary_when;
  source_place place;       ///< of the parameter
  source_place when_place;  ///< of declared.when
};

/// The parameters of a problem or a space, with their conditions understood. A condition that
/// mentions an inactive parameter does not hold.
///
/// Movable, not copyable. One object must not be used by two threads at once.
class parameter_set {
 public:
  /// What has been decided about the parameters, one entry for each.
  struct decisions {
    std::vector<double> numbers;  ///< see symbol_table::number
    std::vector<char> active;
  };

  /// @throws input_error for a bad name, a name given twice, no values, a value that is not
  /// allowed, a condition that cannot be read, or conditions that depend on each other in a circle
  explicit parameter_set(std::vector<parameter> parameters, std::span<const preset> presets = {});

  /// Every parameter of a problem, each with its default as its only value.
  [[nodiscard]] static parameter_set from_declarations(std::span<const parameter_declaration> declarations,
                                                       std::span<const preset> presets = {});

  [[nodiscard]] std::span<const parameter> parameters() const noexcept { return parameters_; }
  /// Null when there is none of this name.
  [[nodiscard]] const parameter* find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  /// A slot is a position in parameters().
  [[nodiscard]] const symbol_table& symbols() const noexcept { return symbols_; }

  /// The slots, such that every parameter comes after those its conditions mention; otherwise in
  /// the given order.
  [[nodiscard]] std::span<const std::size_t> order() const noexcept { return order_; }
  /// Null when the parameter is always active.
  [[nodiscard]] const expression* when(std::size_t slot) const;
  /// Null when the parameter is varied whenever it is active.
  [[nodiscard]] const expression* vary_when(std::size_t slot) const;

  [[nodiscard]] decisions undecided() const;
  /// The decisions that `c` stands for; names that are not of this set are passed over.
  [[nodiscard]] decisions decided(const configuration& c) const;
  /// Whether the parameter is active in a complete configuration: it is named there, or has its silent default.
  [[nodiscard]] bool is_active(std::string_view name, const configuration& c) const;
  /// Whether all parameters that `e` mentions are active.
  [[nodiscard]] static bool all_active(const expression& e, const decisions& state);

  /// `given`, with the default of every active parameter that it leaves out. Where it has a `preset`, the values of the
  /// preset go before the defaults; those that what is given makes inactive are passed over.
  /// @throws input_error starting with `place` for an unknown name or preset, a value that is not allowed, a value for a
  /// parameter that is inactive in this configuration, a name that changed its meaning and could mean either, or a broken
  /// limit
  [[nodiscard]] configuration complete(const configuration& given, const source_place& place = {}) const;

  /// "k=v,k=v", as configuration::label writes it and a person types it, made complete; "" and "defaults": nothing is
  /// given.
  /// @throws input_error like complete(), and for an entry that is not NAME=VALUE or a name given
  /// twice
  [[nodiscard]] configuration parse_label(std::string_view text) const;

  /// For a person: "preset=NAME" where there is such a preset, else only what differs from the defaults, or "defaults".
  /// parse_label() makes `c` of it again; where that is not so (`c` is of another version of the program) it is the whole
  /// label.
  [[nodiscard]] std::string short_label(const configuration& c) const;

  struct compiled_limit {
    expression condition;
    std::string reason;

    [[nodiscard]] bool allows(const decisions& state) const {
      return !all_active(condition, state) || condition.holds(state.numbers);
    }
  };
  /// The limits of all parameters, in their order.
  [[nodiscard]] std::span<const compiled_limit> limits() const noexcept { return limits_; }
  /// Says which values of a complete configuration break which limit, and why; "" if it keeps all limits.
  [[nodiscard]] std::string broken_limit(const configuration& complete) const {
    return broken_limit(decided(complete), complete);
  }

  /// What must be compiled in and what is passed at launch.
  struct parts {
    configuration compile;
    configuration launch;
  };
  /// @throws work_error when `c` has a parameter that is not of this set
  [[nodiscard]] parts split(const configuration& c) const;

 private:
  /// A text that no expression can name gets a number of its own, by its place in `unnamed`.
  [[nodiscard]] double number(const value& v, std::vector<std::string>& unnamed) const;
  /// The values that a label gives, not completed.
  [[nodiscard]] configuration values_in(std::string_view label) const;
  [[nodiscard]] configuration values_of_preset(const value& name, const source_place& place) const;
  /// The value that `values` has for `name`, if it could be meant for the parameter that formerly had this name.
  [[nodiscard]] const value* ambiguous_value(std::string_view name, const configuration& values) const;
  /// @param base the values of a preset, which make a name clear as well
  void require_clear_names(const configuration& values, const configuration& base, const source_place& place) const;
  [[nodiscard]] std::string broken_limit(const decisions& state, const configuration& complete) const;
  void add_symbols();
  void compile_conditions();
  void sort_by_dependency();
  [[noreturn]] void fail_for_circle(const std::vector<char>& placed) const;
  [[nodiscard]] std::vector<std::size_t> dependencies(std::size_t slot) const;

  std::vector<parameter> parameters_;
  std::vector<preset> presets_;
  symbol_table symbols_;
  std::vector<std::optional<expression>> when_;
  std::vector<std::optional<expression>> vary_when_;
  std::vector<std::size_t> order_;
  std::vector<compiled_limit> limits_;
};

}  // namespace mlmq::tuner
