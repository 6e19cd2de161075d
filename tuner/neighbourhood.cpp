// SPDX-License-Identifier: Apache-2.0
#include "tuner/neighbourhood.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace mlmq::tuner {
namespace {

bool is_number(const value& v) { return std::holds_alternative<std::int64_t>(v) || std::holds_alternative<double>(v); }

double number_of(const value& v) {
  const auto* whole = std::get_if<std::int64_t>(&v);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(v);
}

/// Returns the values of a parameter by preference: the wished one, then by distance for numbers, then the default.
std::vector<value> by_preference(const parameter& p, const value* wished) {
  std::vector<value> result = p.values;
  const auto distance = [&](const value& v) {
    if (wished == nullptr) return v == p.declared.default_value ? 0.0 : 1.0;
    if (v == *wished) return 0.0;
    if (is_number(v) && is_number(*wished)) return std::abs(number_of(v) - number_of(*wished));
    return v == p.declared.default_value ? 1.0 : 2.0;
  };
  std::stable_sort(result.begin(), result.end(),
                   [&](const value& a, const value& b) { return distance(a) < distance(b); });
  return result;
}

std::size_t agreements(const configuration& a, const configuration& b) {
  return static_cast<std::size_t>(std::count_if(a.values().begin(), a.values().end(), [&](const auto& entry) {
    const value* other = b.find(entry.first);
    return other != nullptr && *other == entry.second;
  }));
}

}  // namespace

/// Decides the parameters in order, each by preference, and backtracks until the restrictions hold.
struct neighbourhood::completion {
  const search_space& space;
  const configuration& wished;
  bool strict = true;                  // keep wished values that the parameter has
  const parameter* changed = nullptr;  // has the value `new_value`
  const value* new_value = nullptr;
  parameter_set::decisions state;
  configuration chosen = {};
  int attempts = 0;

  static constexpr int most_attempts = 1000;

  [[nodiscard]] bool holds(const expression* e) const {
    return e == nullptr || (parameter_set::all_active(*e, state) && e->holds(state.numbers));
  }

  [[nodiscard]] std::vector<value> options(std::size_t slot) const {
    const parameter& p = space.parameters().parameters()[slot];
    const value* wish = wished.find(p.declared.name);
    if (wish == nullptr && p.declared.silent_default) wish = &p.declared.default_value;
    if (!holds(space.parameters().vary_when(slot))) return {p.declared.default_value};
    if (changed == &p) return {*new_value};
    // A value from a configuration in which the parameter is not varied may not be among the values of the space.
    if (strict && wish != nullptr && std::ranges::find(p.values, *wish) != p.values.end()) return {*wish};
    return by_preference(p, wish);
  }

  bool decide(std::size_t position) {
    const parameter_set& parameters = space.parameters();
    if (position == parameters.order().size()) {
      ++attempts;
      return space.contains(chosen);
    }
    const std::size_t slot = parameters.order()[position];
    const parameter_declaration& declared = parameters.parameters()[slot].declared;
    if (!holds(parameters.active_when(slot))) {
      state.active[slot] = 0;
      return decide(position + 1);
    }
    for (const value& option : options(slot)) {
      if (attempts >= most_attempts) return false;
      state.active[slot] = 1;
      state.numbers[slot] = parameters.symbols().number(option);
      if (declared.is_silent(option)) {
        chosen.erase(declared.name);
      } else {
        chosen.set(declared.name, option);
      }
      if (decide(position + 1)) return true;
    }
    chosen.erase(declared.name);
    state.active[slot] = 0;
    return false;
  }
};

neighbourhood::codes::codes(std::span<const configuration> listed) {
  std::map<std::string, std::map<value, std::uint16_t>> by_name;
  for (const configuration& c : listed) {
    for (const auto& [name, v] : c.values()) {
      auto& value_codes = by_name[name];
      const std::size_t next = std::min<std::size_t>(value_codes.size() + 1, unknown - 1);
      value_codes.emplace(v, static_cast<std::uint16_t>(next));
    }
  }
  for (auto& [name, value_codes] : by_name) {
    names.push_back(name);
    numbers.push_back(std::move(value_codes));
  }
  for (const configuration& c : listed) append(rows, c);
}

void neighbourhood::codes::append(std::vector<std::uint16_t>& row, const configuration& c) const {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const value* const v = c.find(names[i]);
    if (v == nullptr) {
      row.push_back(absent);
      continue;
    }
    const auto entry = numbers[i].find(*v);
    row.push_back(entry == numbers[i].end() ? unknown : entry->second);
  }
}

bool neighbourhood::codes::is_one_step(const std::uint16_t* a, const std::uint16_t* b) const {
  std::size_t different = 0;
  std::size_t in_one_only = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (a[i] == b[i]) continue;
    ++(a[i] == absent || b[i] == absent ? in_one_only : different);
  }
  return different == 0 ? in_one_only == 1 : different == 1;
}

neighbourhood::neighbourhood(const search_space& space, step_size step)
    : space_(space), step_(step), listed_(space.listed()) {}

std::vector<value> neighbourhood::steps_of(const parameter& p, const value& current) const {
  std::vector<value> others;
  if (step_ == step_size::any || !is_number(current)) {
    std::ranges::copy_if(p.values, std::back_inserter(others), [&](const value& v) { return v != current; });
    return others;
  }
  const value* below = nullptr;
  const value* above = nullptr;
  for (const value& v : p.values) {
    if (number_of(v) < number_of(current) && (below == nullptr || number_of(v) > number_of(*below))) below = &v;
    if (number_of(v) > number_of(current) && (above == nullptr || number_of(v) < number_of(*above))) above = &v;
  }
  for (const value* v : {below, above}) {
    if (v != nullptr) others.push_back(*v);
  }
  return others;
}

std::vector<configuration> neighbourhood::neighbours_of(const configuration& c) const {
  std::vector<configuration> result;
  std::set<configuration> seen = {c};
  for (const parameter& p : space_.parameters().parameters()) {
    if (!space_.has_product()) break;
    if (p.values.size() < 2 && c.find(p.declared.name) == nullptr) continue;
    const value* current = c.find(p.declared.name);
    if (current == nullptr && p.declared.silent_default) current = &p.declared.default_value;
    if (current == nullptr) continue;
    for (const value& new_value : steps_of(p, *current)) {
      completion search{.space = space_,
                        .wished = c,
                        .changed = &p,
                        .new_value = &new_value,
                        .state = space_.parameters().undecided()};
      // If `when` keeps the parameter from being varied, the result is `c` itself, which is skipped.
      if (!search.decide(0)) continue;
      if (seen.insert(search.chosen).second) result.push_back(std::move(search.chosen));
    }
  }
  std::vector<std::uint16_t> row;
  listed_.append(row, c);
  for (std::size_t i = 0; i < space_.listed().size(); ++i) {
    if (!listed_.is_one_step(row.data(), &listed_.rows[i * row.size()])) continue;
    const configuration& listed = space_.listed()[i];
    if (seen.insert(listed).second) result.push_back(listed);
  }
  return result;
}

std::optional<configuration> neighbourhood::nearest(const configuration& wished) const {
  if (space_.contains(wished)) return wished;
  for (const bool strict : {true, false}) {
    if (!space_.has_product()) break;
    completion search{.space = space_, .wished = wished, .strict = strict, .state = space_.parameters().undecided()};
    if (search.decide(0)) return std::move(search.chosen);
  }
  const auto best = std::ranges::max_element(space_.listed(), {},
                                             [&](const configuration& listed) { return agreements(wished, listed); });
  if (best == space_.listed().end()) return std::nullopt;
  return *best;
}

}  // namespace mlmq::tuner
