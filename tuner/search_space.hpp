// SPDX-License-Identifier: Apache-2.0
// The configurations a tuner may try: counted and indexed without listing them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::tuner {

/// A parameter as an experiment file writes it; what is left out comes from the problem's
/// declaration.
struct parameter_request {
  std::string name;
  source_place place;
  /// Where each value stands is kept for messages.
  std::vector<std::pair<value, source_place>> values;
  std::optional<std::pair<value, source_place>> default_value;
  std::optional<std::pair<binding, source_place>> bind;
  std::optional<condition> when;
  std::optional<std::pair<std::string, source_place>> unit;
  std::string description;
};

/// One entry of `configurations`.
struct configuration_request {
  configuration given;
  source_place place;
};

/// A search space as written.
struct space_definition {
  source_place place;       ///< for messages about the whole
  bool has_product = true;  ///< whether the product of the parameters belongs to the space
  std::vector<parameter_request> parameters;
  std::vector<condition> restrictions;
  std::vector<configuration_request> configurations;  ///< besides the product
};

/// The parameters of a space: what `definition` writes, checked against what the problem declares
/// (`known`) and completed from it. A declared parameter that the definition leaves out follows
/// with its default as its only value, so that a configuration is complete and its identity does
/// not depend on what a file spells out.
///
/// A declared parameter is active where its declared `when` holds; the `when` of the definition
/// then only says where it is varied, and elsewhere it keeps its default. Without declarations
/// (`known` empty) the definition's `when` decides about activity, `bind` is required, and the type
/// is that of the values.
/// @throws input_error naming the place, the parameter and what is allowed
[[nodiscard]] std::vector<parameter> check_against(const space_definition& definition,
                                                   std::span<const parameter_declaration> known);

/// All configurations of the product that satisfy the restrictions and the limits that the problem declares, then the listed ones that are
/// not among them. A restriction that mentions an inactive parameter is satisfied.
///
/// The order of the product: parameters in the order of their declaration (but after those their
/// `when` mentions), the last one fastest. Counting remembers how many completions a partial
/// configuration has, by the decided parameters that still matter, so neither count() nor at()
/// visits the configurations. Where restrictions join so many parameters that this would take too
/// long, the space is numbered as if there were none, and a number may have no configuration.
///
/// Movable, not copyable. One object must not be used by two threads at once.
class search_space {
 public:
  /// @param known the problem's declarations; empty to take the definition as it is
  /// @param presets of the problem, for listed configurations
  /// @throws input_error as check_against(), for a value or a listed configuration that breaks a rule or a limit, and "no
  /// configuration satisfies …" naming the first restriction or limit that leaves none
  explicit search_space(const space_definition& definition, std::span<const parameter_declaration> known = {},
                        std::span<const preset> presets = {});
  /// Exactly these configurations, in this order; at least one, each once. No conditions, no restrictions: what a
  /// configuration leaves out is inactive in it.
  [[nodiscard]] static search_space of_list(std::vector<configuration> all);
  ~search_space();
  search_space(search_space&&) noexcept;
  search_space& operator=(search_space&&) noexcept;

  [[nodiscard]] const parameter_set& parameters() const noexcept;

  /// How many numbers there are, at least 1: of configurations when is_counted(), else at least as many.
  [[nodiscard]] std::uint64_t count() const noexcept;

  /// Whether every number below count() has a configuration.
  [[nodiscard]] bool is_counted() const noexcept { return !unrestricted_; }

  /// How many configurations of the product are left out because they break limits that the problem declares; nothing where
  /// that is too many to count.
  [[nodiscard]] std::optional<std::uint64_t> left_out_by_limits() const;

  /// The configuration at `index` in the order of enumeration, nothing when the restrictions forbid it.
  /// @throws work_error when index >= count()
  [[nodiscard]] std::optional<configuration> find(std::uint64_t index) const;

  /// The same where there is one. @throws work_error when there is none
  [[nodiscard]] configuration at(std::uint64_t index) const;

  /// The number of a configuration; each is as likely as the others.
  /// @throws input_error when the restrictions forbid each of the million configurations that it tries
  [[nodiscard]] std::uint64_t draw(random_stream& bits) const;

  /// All of them. @throws input_error when count() is above `most`
  [[nodiscard]] std::vector<configuration> list(std::uint64_t most) const;

  [[nodiscard]] bool contains(const configuration& c) const;

  [[nodiscard]] bool has_product() const noexcept { return product_ != nullptr; }
  /// The configurations that are not in the product, at the end of the order.
  [[nodiscard]] std::span<const configuration> listed() const noexcept { return listed_; }

 private:
  search_space() = default;

  class product;
  std::unique_ptr<parameter_set> parameters_;
  std::vector<expression> restrictions_;
  source_place place_;
  std::unique_ptr<product> product_;
  std::unique_ptr<product> unrestricted_;  // numbers a product that cannot be counted with its restrictions
  std::uint64_t product_count_ = 0;
  std::vector<configuration> listed_;  // those that are not in the product
};

}  // namespace mlmq::tuner
