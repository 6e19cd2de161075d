// SPDX-License-Identifier: Apache-2.0
#include "tuner/around.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/random.hpp"

namespace mlmq::tuner {
namespace {

constexpr std::size_t attempts_for_each = 200;

using known_values = std::map<std::string, std::set<value>>;

known_values values_of(std::span<const configuration> configurations) {
  known_values result;
  for (const configuration& candidate : configurations) {
    for (const auto& [name, v] : candidate.values()) result[name].insert(v);
  }
  return result;
}

/// Returns the other values that a parameter of the parent may take.
std::vector<value> alternative_values(const known_values& value_sets, const std::string& name, const value& current) {
  std::set<value> result = value_sets.at(name);
  if (const double* const real = std::get_if<double>(&current); real != nullptr && *real > 0) {
    result.insert(*real * 2);
    result.insert(*real / 2);
  }
  result.erase(current);
  return {result.begin(), result.end()};
}

std::optional<configuration> mutated(const parameter_set& parameters, const configuration& parent,
                                     const known_values& value_sets, random_stream& random) {
  std::vector<std::string> names;
  for (const auto& [name, v] : parent.values()) {
    if (!alternative_values(value_sets, name, v).empty()) names.push_back(name);
  }
  if (names.empty()) return std::nullopt;
  configuration child = parent;
  const std::uint64_t steps = random.below(3) == 0 ? 2 : 1;
  for (std::uint64_t step = 0; step < steps; ++step) {
    const std::string& name = names[random.below(names.size())];
    const std::vector<value> choices = alternative_values(value_sets, name, parent.at(name));
    child.set(name, choices[random.below(choices.size())]);
  }
  try {
    return parameters.complete(child);
  } catch (const input_error&) {
    return std::nullopt;  // an invalid value, or one that makes another parameter inactive
  }
}

}  // namespace

std::vector<configuration> configurations_around(const parameter_set& parameters,
                                                 std::span<const configuration> parents,
                                                 std::span<const configuration> existing, std::size_t count,
                                                 std::uint64_t seed,
                                                 const std::function<bool(const configuration&)>& fits) {
  const known_values value_sets = values_of(existing);
  std::set<configuration> seen(existing.begin(), existing.end());
  std::vector<configuration> children;
  random_stream random{seed, existing.size()};
  for (std::size_t attempt = 0; !parents.empty() && children.size() < count && attempt < count * attempts_for_each;
       ++attempt) {
    const auto child = mutated(parameters, parents[attempt % parents.size()], value_sets, random);
    if (child && seen.insert(*child).second && fits(*child)) children.push_back(*child);
  }
  return children;
}

}  // namespace mlmq::tuner
