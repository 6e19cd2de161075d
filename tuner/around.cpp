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

known_values values_of(std::span<const configuration> known) {
  known_values all;
  for (const configuration& one : known) {
    for (const auto& [name, v] : one.values()) all[name].insert(v);
  }
  return all;
}

/// What a parameter of the parent could be instead.
std::vector<value> others(const known_values& all, const std::string& name, const value& from) {
  std::set<value> found = all.at(name);
  if (const double* const real = std::get_if<double>(&from); real != nullptr && *real > 0) {
    found.insert(*real * 2);
    found.insert(*real / 2);
  }
  found.erase(from);
  return {found.begin(), found.end()};
}

std::optional<configuration> changed(const parameter_set& parameters, const configuration& parent,
                                     const known_values& all, random_stream& random) {
  std::vector<std::string> names;
  for (const auto& [name, v] : parent.values()) {
    if (!others(all, name, v).empty()) names.push_back(name);
  }
  if (names.empty()) return std::nullopt;
  configuration child = parent;
  const std::uint64_t steps = random.below(3) == 0 ? 2 : 1;
  for (std::uint64_t step = 0; step < steps; ++step) {
    const std::string& name = names[random.below(names.size())];
    const std::vector<value> choices = others(all, name, parent.at(name));
    child.set(name, choices[random.below(choices.size())]);
  }
  try {
    return parameters.complete(child);
  } catch (const input_error&) {
    return std::nullopt;  // a value that there is not, or one that makes another parameter inactive
  }
}

}  // namespace

std::vector<configuration> configurations_around(const parameter_set& parameters,
                                                 std::span<const configuration> parents,
                                                 std::span<const configuration> known, std::size_t count,
                                                 std::uint64_t seed,
                                                 const std::function<bool(const configuration&)>& fits) {
  const known_values all = values_of(known);
  std::set<configuration> seen(known.begin(), known.end());
  std::vector<configuration> found;
  random_stream random{seed, known.size()};
  for (std::size_t attempt = 0; !parents.empty() && found.size() < count && attempt < count * attempts_for_each;
       ++attempt) {
    const auto child = changed(parameters, parents[attempt % parents.size()], all, random);
    if (child && seen.insert(*child).second && fits(*child)) found.push_back(*child);
  }
  return found;
}

}  // namespace mlmq::tuner
