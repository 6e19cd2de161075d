// SPDX-License-Identifier: Apache-2.0
// The configurations that a tuner may try, counted and indexed without listing them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::tuner {

/// A parameter of an experiment file. Missing properties come from the problem's declaration.
struct parameter_request {
  std::string name;
  source_place place;
  /// Values with their locations, for messages.
  std::vector<std::pair<value, source_place>> values;
  std::optional<std::pair<value, source_place>> default_value;
  std::optional<std::pair<binding, source_place>> bind;
  std::optional<condition> when;
  std::optional<std::pair<std::string, source_place>> unit;
  std::string description;
};

/// One entry of `configurations`.
struct configuration_request {
  configuration values;
  source_place place;
};

/// No configuration satisfies the restrictions.
class no_configuration : public input_error {
 public:
  using input_error::input_error;
};

/// A size of the workloads, which restrictions may mention like a parameter.
struct workload_size {
  std::string name;
  std::vector<value> values;   ///< of all workloads, each once
  std::optional<value> fixed;  ///< of the one workload that the space is for
};

/// A search space as written.
struct space_definition {
  source_place place;       ///< for messages about the whole
  bool has_product = true;  ///< whether the product of the parameters belongs to the space
  std::vector<parameter_request> parameters;
  std::vector<condition> restrictions;
  std::vector<configuration_request> configurations;  ///< listed configurations, in addition to the product
  std::vector<workload_size> sizes = {};

  /// Returns the space of one workload. @param of_workload  its sizes; other names are ignored
  [[nodiscard]] space_definition with_sizes(std::span<const std::pair<std::string, value>> of_workload) const;
};

/// Returns the parameters of a space: those of `definition`, checked against the problem's declarations and completed
/// from them. Declared parameters that are missing in the definition follow with their default as the only value, so
/// that configurations are complete and their identity does not depend on what a file spells out.
///
/// A declared parameter is active if its declared `when` holds; the `when` of the definition only restricts where it is
/// varied, and elsewhere it keeps its default. If `declarations` is empty, the definition's `when` decides about
/// activity, `bind` is required, and the type is that of the values.
/// @throws input_error naming the place, the parameter and what is allowed
[[nodiscard]] std::vector<parameter> check_against(const space_definition& definition,
                                                   std::span<const parameter_declaration> declarations);

/// All configurations of the product that satisfy the restrictions and the declared limits, followed by the listed ones
/// that are not among them. A restriction that mentions an inactive parameter is satisfied.
///
/// A restriction that mentions a size holds in the space of a workload (space_definition::with_sizes); without a
/// workload it is satisfied. Listed configurations that break it are left out.
///
/// The product is ordered by declaration (but parameters follow those that their `when` mentions), the last parameter
/// varying fastest. Counting memoises the number of completions of a partial configuration, keyed by the decided
/// parameters that later steps use, so that count() and at() do not visit all configurations. If the restrictions
/// couple too many parameters for this, the space is numbered without them, and some indices have no configuration.
/// Counts saturate at `most_counted`; larger spaces have no indices, but draw() works.
///
/// Movable, not copyable. One object must not be used by two threads at once.
class search_space {
 public:
  static constexpr std::uint64_t most_counted = std::uint64_t{1} << 63;
  static constexpr std::size_t most_parameters = 1000;

  /// @param declarations the problem's declarations; empty to take the definition as it is
  /// @param presets presets of the problem, for listed configurations
  /// @throws input_error like check_against(), for a value or a listed configuration that breaks a restriction or a
  /// limit, for more than `most_parameters`, and if no configuration is left, naming the first restriction or limit
  /// that excludes all (no_configuration)
  explicit search_space(const space_definition& definition, std::span<const parameter_declaration> declarations = {},
                        std::span<const preset> presets = {});
  /// Creates a space of exactly these configurations, in this order. There must be at least one and no duplicates. The
  /// space has no conditions or restrictions: parameters that a configuration leaves out are inactive in it.
  [[nodiscard]] static search_space of_list(std::vector<configuration> configurations);
  ~search_space();
  search_space(search_space&&) noexcept;
  search_space& operator=(search_space&&) noexcept;

  [[nodiscard]] const parameter_set& parameters() const noexcept;

  /// Returns the number of configurations, at least 1, or an upper bound if they are not counted; most_counted stands
  /// for all larger numbers.
  [[nodiscard]] std::uint64_t count() const noexcept;

  /// Returns whether every index below count() has a configuration.
  [[nodiscard]] bool is_counted() const noexcept { return !unrestricted_ && product_count_ < most_counted; }

  /// Returns the number for users: "1000", "up to 1000", "more than 2^63".
  [[nodiscard]] std::string count_text() const;

  /// Returns whether a restriction mentions a size, so that workloads have different spaces.
  [[nodiscard]] bool depends_on_sizes() const noexcept { return depends_on_sizes_; }

  /// Returns how many configurations of the product break limits of the problem, or nothing if there are too many to
  /// count.
  [[nodiscard]] std::optional<std::uint64_t> left_out_by_limits() const;

  /// Returns the configuration at `index`, or nothing if the restrictions forbid it. @throws work_error if index >=
  /// count(), and in a space of most_counted
  [[nodiscard]] std::optional<configuration> find(std::uint64_t index) const;

  /// Like find(), but throws work_error if the restrictions forbid the configuration.
  [[nodiscard]] configuration at(std::uint64_t index) const;

  /// Draws a configuration uniformly. Listed configurations are not drawn from a space of most_counted.
  /// @throws input_error if a million draws find no allowed configuration
  [[nodiscard]] configuration draw(random_stream& bits) const;

  /// Returns all configurations. @throws input_error if count() is above `most`
  [[nodiscard]] std::vector<configuration> list(std::uint64_t most) const;

  [[nodiscard]] bool contains(const configuration& c) const;

  [[nodiscard]] bool has_product() const noexcept { return product_ != nullptr; }
  /// Returns the configurations that are not in the product; they come last in the order.
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
  bool depends_on_sizes_ = false;
  std::vector<configuration> listed_;  // those that are not in the product
};

}  // namespace mlmq::tuner
