// SPDX-License-Identifier: Apache-2.0
#include "tuner/search_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::tuner {
namespace {

/// Returns the common type: real if any value is real. Other mixtures are errors.
value_type common_type(const parameter_request& request) {
  const value& first = request.values.front().first;
  value_type type = type_of(first);
  for (const auto& [v, place] : request.values) {
    const value_type other = type_of(v);
    if (other == type) continue;
    const auto is_number = [](value_type t) { return t == value_type::integer || t == value_type::real; };
    if (!is_number(type) || !is_number(other)) {
      throw input_error(place.prefix() + "parameter '" + request.name + "': values mix " +
                        std::string(name_of(type_of(first))) + " (" + to_text(first) + ") and " +
                        std::string(name_of(other)) + " (" + to_text(v) + ")");
    }
    type = value_type::real;
  }
  return type;
}

std::vector<std::pair<std::string, std::string>> symbols_of(std::span<const parameter_declaration> declarations) {
  std::vector<std::pair<std::string, std::string>> symbols;
  for (const parameter_declaration& declared : declarations) symbols.emplace_back(declared.name, declared.symbol);
  return symbols;
}

/// @throws input_error for a number that is written as an integer and as a real
void require_distinct_numbers(const parameter_request& request) {
  for (const auto& [whole, whole_place] : request.values) {
    if (type_of(whole) != value_type::integer) continue;
    for (const auto& [real, place] : request.values) {
      if (type_of(real) != value_type::real || convert(whole, value_type::real) != real) continue;
      throw input_error(fmt::format(
          "{}parameter '{}': {} and {} are the same value, since a parameter with a real number has only real values; "
          "remove one of them",
          place.prefix(), request.name, to_json(whole), to_json(real)));
    }
  }
}

void require_values(const parameter_request& request) {
  if (request.values.empty()) {
    throw input_error(request.place.prefix() + "parameter '" + request.name + "' has no values");
  }
}

/// Creates a parameter without a declaration.
parameter undeclared_parameter(const parameter_request& request) {
  if (!request.bind) {
    throw input_error(request.place.prefix() + "parameter '" + request.name +
                      "' needs 'bind: compile' or 'bind: launch'");
  }
  parameter p;
  p.place = request.place;
  p.declared.name = request.name;
  p.declared.type = common_type(request);
  p.declared.bind = request.bind->first;
  p.declared.description = request.description;
  if (request.unit) p.declared.unit = request.unit->first;
  if (request.when) {
    p.declared.when = request.when->text;
    p.when_place = request.when->place;
  }
  for (const auto& [v, place] : request.values) {
    if (const auto* text = std::get_if<std::string>(&v)) p.declared.allowed.push_back(*text);
  }
  p.declared.default_value = request.values.front().first;
  return p;
}

parameter declared_parameter(const parameter_request& request, const parameter_declaration& declaration) {
  parameter p;
  p.place = request.place;
  p.declared = declaration;
  if (!request.description.empty()) p.declared.description = request.description;
  if (request.bind && request.bind->first != declaration.bind) {
    throw input_error(request.bind->second.prefix() + "parameter '" + request.name +
                      "' cannot have 'bind: " + std::string(name_of(request.bind->first)) +
                      "'; allowed: " + std::string(name_of(declaration.bind)));
  }
  if (request.unit && request.unit->first != declaration.unit) {
    throw input_error(request.unit->second.prefix() + "parameter '" + request.name +
                      "' cannot have 'unit: " + request.unit->first +
                      "'; allowed: " + (declaration.unit.empty() ? "none, leave 'unit' out" : declaration.unit));
  }
  if (request.when) p.vary_when = *request.when;
  return p;
}

}  // namespace

space_definition space_definition::with_sizes(std::span<const std::pair<std::string, value>> of_workload) const {
  space_definition result = *this;
  for (workload_size& size : result.sizes) {
    for (const auto& [name, v] : of_workload) {
      if (name == size.name) size.fixed = v;
    }
  }
  return result;
}

std::vector<parameter> check_against(const space_definition& definition,
                                     std::span<const parameter_declaration> declarations) {
  std::vector<std::string> known_names;
  for (const parameter_declaration& declaration : declarations) known_names.push_back(declaration.name);

  std::vector<parameter> result;
  std::vector<char> written(declarations.size(), 0);
  for (const parameter_request& request : definition.parameters) {
    require_values(request);
    parameter p;
    if (declarations.empty()) {
      p = undeclared_parameter(request);
    } else {
      const auto match = std::find(known_names.begin(), known_names.end(), request.name);
      if (match == known_names.end()) {
        throw input_error(request.place.prefix() + "unknown parameter '" + request.name + "'" +
                          name_hint(request.name, known_names, symbols_of(declarations)));
      }
      const auto position = static_cast<std::size_t>(match - known_names.begin());
      written[position] = 1;
      p = declared_parameter(request, declarations[position]);
    }
    if (p.declared.type == value_type::real) require_distinct_numbers(request);
    for (const auto& [v, place] : request.values) {
      p.values.push_back(checked_value(p.declared, v, place));
    }
    if (request.default_value) {
      const auto& [v, place] = *request.default_value;
      if (p.declared.silent_default && v != p.declared.default_value) {
        throw input_error(place.prefix() + "the default of '" + request.name + "' is fixed at " +
                          to_text(p.declared.default_value) +
                          ", because labels of configurations omit it; list the value under 'values' instead");
      }
      p.declared.default_value = checked_value(p.declared, v, place);
    }
    result.push_back(std::move(p));
  }
  for (std::size_t i = 0; i < declarations.size(); ++i) {
    if (!written[i]) result.push_back({declarations[i], {declarations[i].default_value}, {}, {}, {}});
  }
  return result;
}

/// The product of the parameters under restrictions. Parameters are decided in the order of parameter_set::order(); a
/// step is a position in that order.
class search_space::product {
 public:
  product(const parameter_set& parameters, std::span<const expression> restrictions)
      : parameters_(parameters), restrictions_(restrictions), state_(parameters.undecided()) {
    chosen_.resize(parameters.parameters().size());
    plan_steps();
  }

  /// Counts the configurations, up to most_counted; returns nothing if that would take too long.
  std::optional<std::uint64_t> count() {
    looks_left_ = most_options;
    remembered_left_ = most_remembered;
    const number_of_ways result = completions(0);
    if (looks_left_ == 0) return std::nullopt;
    return result.count;
  }

  configuration configuration_at(std::uint64_t index) {
    looks_left_ = remembered_left_ = std::numeric_limits<std::uint64_t>::max();
    configuration result;
    for (std::size_t at_step = 0; at_step < steps_.size(); ++at_step) {
      const step& s = steps_[at_step];
      const auto [first, last] = options(s);
      for (std::size_t option = first; option < last; ++option) {
        if (!choose(s, option)) continue;
        const std::uint64_t below = completions(at_step + 1).count;
        if (index < below) break;
        index -= below;
      }
      name_choice(s, result);
    }
    return result;
  }

  /// Draws a configuration uniformly, for products that have too many to number.
  configuration draw(random_stream& bits) {
    looks_left_ = remembered_left_ = std::numeric_limits<std::uint64_t>::max();
    configuration result;
    for (std::size_t at_step = 0; at_step < steps_.size(); ++at_step) {
      const step& s = steps_[at_step];
      const auto [first, last] = options(s);
      // Each option replaces the chosen one with its share of the completions so far.
      std::size_t chosen = last;
      number_of_ways sum;
      for (std::size_t option = first; option < last; ++option) {
        if (!choose(s, option)) continue;
        const number_of_ways below = completions(at_step + 1);
        sum.add(below);
        if (below.count == 0) continue;
        const double uniform = static_cast<double>(bits.next() >> 11) * 0x1p-53;
        if (uniform < std::exp2(below.logarithm - sum.logarithm)) chosen = option;
      }
      (void)choose(s, chosen);
      name_choice(s, result);
    }
    return result;
  }

  bool contains(const configuration& c) {
    std::size_t matched = 0;
    for (const step& s : steps_) {
      const parameter_declaration& declared = parameters_.parameters()[s.slot].declared;
      const value* const named = c.find(declared.name);
      const auto [first, last] = options(s);
      const bool is_silent = named == nullptr && declared.silent_default && first != s.inactive();
      const value* const v = is_silent ? &declared.default_value : named;
      std::size_t option = s.inactive();
      if (v) {
        const auto match = std::find(s.values.begin(), s.values.end(), *v);
        if (match == s.values.end()) return false;
        option = static_cast<std::size_t>(match - s.values.begin());
        if (named != nullptr) ++matched;
      }
      if (option < first || option >= last || !choose(s, option)) return false;
    }
    return matched == c.values().size();
  }

 private:
  /// Limits of counting, which correspond to about a second and some hundred megabytes.
  static constexpr std::uint64_t most_options = 20'000'000;
  static constexpr std::uint64_t most_remembered = 4'000'000;

  /// Number of completions of a partial configuration. The logarithm is for proportions of numbers beyond most_counted.
  struct number_of_ways {
    std::uint64_t count = 0;                                      ///< at most most_counted
    double logarithm = -std::numeric_limits<double>::infinity();  ///< to base 2

    void add(const number_of_ways& other) {
      count = other.count > most_counted - count ? most_counted : count + other.count;
      const auto [less, more] = std::minmax(logarithm, other.logarithm);
      if (other.count > 0) logarithm = more + std::log2(1 + std::exp2(less - more));
    }
  };

  struct step {
    std::size_t slot = 0;
    std::vector<value> values;  // values to try, then the default if it is not among them
    std::vector<exact_number> numbers;
    std::size_t tried = 0;                                // number of values to try
    std::size_t default_option = 0;                       // position of the default in `values`
    std::vector<const expression*> decided_restrictions;  // restrictions that this step decides
    // Earlier slots that this and later steps use, with their numbers of options. The number of completions depends on
    // nothing else, which makes counts reusable.
    std::vector<std::pair<std::size_t, std::uint64_t>> looked_at;
    bool remembers = false;  // whether the options of `looked_at` fit the key
    std::unordered_map<std::uint64_t, number_of_ways> counts;

    [[nodiscard]] std::size_t inactive() const { return values.size(); }
  };

  void plan_steps() {
    const auto order = parameters_.order();
    std::vector<std::size_t> step_of(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) step_of[order[i]] = i;
    // The last step that uses each slot.
    std::vector<std::size_t> last_look(order.size(), 0);
    const auto note = [&](const expression* e, std::size_t step_index) {
      if (!e) return;
      for (const std::size_t slot : e->mentions()) {
        last_look[slot] = std::max(last_look[slot], step_index);
      }
    };
    steps_.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      fill_values(steps_[i], order[i]);
      note(parameters_.active_when(order[i]), i);
      note(parameters_.vary_when(order[i]), i);
    }
    for (const expression& restriction : restrictions_) {
      std::size_t last = 0;
      for (const std::size_t slot : restriction.mentions()) last = std::max(last, step_of[slot]);
      note(&restriction, last);
      if (!steps_.empty()) steps_[last].decided_restrictions.push_back(&restriction);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      step& s = steps_[i];
      std::uint64_t keys = 1;
      s.remembers = true;
      for (std::size_t before = 0; before < i; ++before) {
        const std::size_t slot = order[before];
        if (last_look[slot] < i) continue;
        const std::uint64_t slot_options = steps_[before].values.size() + 1;
        s.looked_at.emplace_back(slot, slot_options);
        if (__builtin_mul_overflow(keys, slot_options, &keys)) s.remembers = false;
      }
    }
  }

  void fill_values(step& s, std::size_t slot) const {
    const parameter& p = parameters_.parameters()[slot];
    s.slot = slot;
    s.values = p.values;
    s.tried = p.values.size();
    const auto position = std::find(s.values.begin(), s.values.end(), p.declared.default_value);
    s.default_option = static_cast<std::size_t>(position - s.values.begin());
    if (position == s.values.end()) s.values.push_back(p.declared.default_value);
    for (const value& v : s.values) s.numbers.push_back(parameters_.symbols().number(v));
  }

  [[nodiscard]] bool condition_holds(const expression* e) const {
    return !e || (parameter_set::all_active(*e, state_) && e->holds(state_.numbers));
  }

  /// Returns the range of options under the current decisions: the first one and one past the last.
  [[nodiscard]] std::pair<std::size_t, std::size_t> options(const step& s) const {
    if (!condition_holds(parameters_.active_when(s.slot))) return {s.inactive(), s.inactive() + 1};
    if (!condition_holds(parameters_.vary_when(s.slot))) {
      return {s.default_option, s.default_option + 1};
    }
    return {0, s.tried};
  }

  /// Decides a step. Returns false if a restriction forbids the option.
  bool choose(const step& s, std::size_t option) {
    chosen_[s.slot] = option;
    state_.active[s.slot] = option != s.inactive();
    if (state_.active[s.slot]) state_.numbers[s.slot] = s.numbers[option];
    return std::all_of(s.decided_restrictions.begin(), s.decided_restrictions.end(),
                       [&](const expression* restriction) {
                         return !parameter_set::all_active(*restriction, state_) || restriction->holds(state_.numbers);
                       });
  }

  [[nodiscard]] std::uint64_t key(const step& s) const {
    std::uint64_t result = 0;
    for (const auto& [slot, slot_options] : s.looked_at) {
      result = result * slot_options + chosen_[slot];
    }
    return result;
  }

  /// Adds the value that a step has chosen. completions() overwrites only the later steps.
  void name_choice(const step& s, configuration& result) const {
    const parameter_declaration& declared = parameters_.parameters()[s.slot].declared;
    const bool named = state_.active[s.slot] && !declared.is_silent(s.values[chosen_[s.slot]]);
    if (named) result.set(declared.name, s.values[chosen_[s.slot]]);
  }

  /// Returns the number of ways to decide the steps from `at_step` on.
  number_of_ways completions(std::size_t at_step) {
    if (at_step == steps_.size()) return {.count = 1, .logarithm = 0};
    step& s = steps_[at_step];
    const std::uint64_t my_key = s.remembers ? key(s) : 0;
    if (s.remembers) {
      const auto remembered = s.counts.find(my_key);
      if (remembered != s.counts.end()) return remembered->second;
    }
    number_of_ways sum;
    const auto [first, last] = options(s);
    for (std::size_t option = first; option < last; ++option) {
      if (looks_left_ == 0) return {};
      --looks_left_;
      if (choose(s, option)) sum.add(completions(at_step + 1));
    }
    if (s.remembers) {
      s.counts.emplace(my_key, sum);
      if (--remembered_left_ == 0) looks_left_ = 0;
    }
    return sum;
  }

  const parameter_set& parameters_;
  std::span<const expression> restrictions_;
  std::vector<step> steps_;
  std::vector<std::size_t> chosen_;  // option of each slot
  parameter_set::decisions state_;
  std::uint64_t looks_left_ = 0;  // remaining options until counting is given up
  std::uint64_t remembered_left_ = 0;
};

namespace {

constexpr int most_draws = 1'000'000;

/// @throws input_error at the place of a value that breaks a limit of its parameter alone
void require_single_limits(const space_definition& definition, const parameter_set& parameters) {
  for (const parameter_set::compiled_limit& limit : parameters.limits()) {
    if (limit.condition.mentions().size() != 1) continue;
    const std::size_t slot = limit.condition.mentions().front();
    const parameter& p = parameters.parameters()[slot];
    const auto request = std::ranges::find(definition.parameters, p.declared.name, &parameter_request::name);
    if (request == definition.parameters.end()) continue;
    parameter_set::decisions state = parameters.undecided();
    state.active[slot] = 1;
    for (const auto& [v, place] : request->values) {
      state.numbers[slot] = parameters.symbols().number(*convert(v, p.declared.type));
      if (limit.allows(state)) continue;
      throw input_error(place.prefix() + "parameter '" + p.declared.name + "': " + to_text(v) +
                        " violates the limit '" + limit.condition.source().text + "': " + limit.reason);
    }
  }
}

/// Returns whether a listed configuration satisfies the restrictions of the file for this workload.
/// @throws input_error if it breaks a restriction that mentions no size
bool satisfies(const parameter_set& parameters, std::span<const expression> restrictions,
               const space_definition& definition, const configuration& c, const source_place& place) {
  const parameter_set::decisions state = parameters.decided(c);
  for (const expression& restriction : restrictions) {
    if (!parameter_set::all_active(restriction, state) || restriction.holds(state.numbers)) continue;
    for (const std::size_t slot : restriction.mentions()) {
      const std::string& name = parameters.parameters()[slot].declared.name;
      if (std::ranges::find(definition.sizes, name, &workload_size::name) != definition.sizes.end()) return false;
    }
    throw input_error(place.prefix() + "the configuration " + c.label() + " does not satisfy the restriction '" +
                      restriction.source().text + "'");
  }
  return true;
}

/// Returns a size as a parameter with one value, which configurations leave out.
parameter parameter_of(const workload_size& size) {
  parameter p;
  p.declared.name = size.name;
  p.declared.default_value = size.fixed ? *size.fixed : size.values.at(0);
  p.declared.type = type_of(p.declared.default_value);
  p.declared.silent_default = true;
  for (const value& v : size.values) {
    // Conditions may compare with the texts of other workloads.
    if (const auto* text = std::get_if<std::string>(&v)) p.declared.allowed.push_back(*text);
  }
  if (const auto* text = std::get_if<std::string>(&p.declared.default_value)) p.declared.allowed.push_back(*text);
  p.values = {p.declared.default_value};
  return p;
}

}  // namespace

search_space::search_space(const space_definition& definition, std::span<const parameter_declaration> declarations,
                           std::span<const preset> presets)
    : place_(definition.place) {
  std::vector<parameter> parameters = check_against(definition, declarations);
  if (parameters.size() > most_parameters) {
    throw input_error(fmt::format("{}{} parameters are too many; the limit is {}", place_.prefix(), parameters.size(),
                                  most_parameters));
  }
  for (const workload_size& size : definition.sizes) {
    const auto same = std::ranges::find(definition.parameters, size.name, &parameter_request::name);
    if (same != definition.parameters.end()) {
      throw input_error(same->place.prefix() + "'" + size.name + "' is both a parameter and a size of the workloads");
    }
    parameters.push_back(parameter_of(size));
  }
  parameters_ = std::make_unique<parameter_set>(std::move(parameters), presets);
  const auto mentions_unknown_size = [&](const expression& restriction) {
    return std::ranges::any_of(restriction.mentions(), [&](std::size_t slot) {
      const std::string& name = parameters_->parameters()[slot].declared.name;
      const auto size = std::ranges::find(definition.sizes, name, &workload_size::name);
      if (size != definition.sizes.end()) depends_on_sizes_ = true;
      return size != definition.sizes.end() && !size->fixed;
    });
  };
  for (const condition& restriction : definition.restrictions) {
    expression written(restriction, parameters_->symbols());
    if (!mentions_unknown_size(written)) restrictions_.push_back(std::move(written));
  }
  const std::size_t written_restrictions = restrictions_.size();
  require_single_limits(definition, *parameters_);
  for (const parameter_set::compiled_limit& limit : parameters_->limits()) {
    restrictions_.emplace_back(condition{limit.condition.source().text, definition.place}, parameters_->symbols());
  }
  const std::span<const expression> restrictions = restrictions_;
  if (definition.has_product) {
    product_ = std::make_unique<product>(*parameters_, restrictions);
    std::optional<std::uint64_t> counted = product_->count();
    if (!counted) {
      product_ = std::make_unique<product>(*parameters_, restrictions);  // forgets the counts
      unrestricted_ = std::make_unique<product>(*parameters_, std::span<const expression>());
      counted = unrestricted_->count();
      if (!counted)
        throw input_error(definition.place.prefix() +
                          "the search space has too many conditions for its configurations to be counted");
    }
    product_count_ = *counted;
    // Find the first restriction that, together with the previous ones, excludes all configurations.
    for (std::size_t n = 1; product_count_ == 0; ++n) {
      if (product(*parameters_, restrictions.first(n)).count().value_or(1) > 0) continue;
      const condition& culprit = restrictions[n - 1].source();
      const bool is_limit = n > written_restrictions;
      throw no_configuration(culprit.place.prefix() + "no configuration satisfies the " +
                             (is_limit ? "limit '" : "restriction '") + culprit.text + "'" +
                             (n > 1 ? " together with those before it" : "") +
                             (is_limit ? ": " + parameters_->limits()[n - 1 - written_restrictions].reason : ""));
    }
  }
  for (const configuration_request& request : definition.configurations) {
    configuration c = parameters_->complete(request.values, request.place);
    if (!satisfies(*parameters_, restrictions, definition, c, request.place)) continue;
    if (!contains(c)) listed_.push_back(std::move(c));
  }
  if (count() == 0 && !definition.configurations.empty()) {
    throw no_configuration(definition.place.prefix() + "no listed configuration satisfies the restrictions");
  }
  if (count() == 0) {
    throw input_error(definition.place.prefix() + "the search space has neither parameters nor configurations");
  }
}

std::optional<std::uint64_t> search_space::left_out_by_limits() const {
  if (product_ == nullptr || !is_counted()) return std::nullopt;
  if (parameters_->limits().empty()) return 0;
  const std::span<const expression> restrictions = restrictions_;
  product without_limits(*parameters_, restrictions.first(restrictions.size() - parameters_->limits().size()));
  const std::optional<std::uint64_t> count = without_limits.count();
  return count && *count < most_counted ? std::optional(*count - product_count_) : std::nullopt;
}

search_space search_space::of_list(std::vector<configuration> configurations) {
  std::map<std::string, std::set<value>> values;
  for (const configuration& c : configurations) {
    for (const auto& [name, v] : c.values()) values[name].insert(v);
  }
  std::vector<parameter> parameters;
  for (const auto& [name, of_name] : values) {
    parameter p;
    p.declared.name = name;
    p.declared.type = type_of(*of_name.begin());
    p.declared.default_value = *of_name.begin();
    p.values.assign(of_name.begin(), of_name.end());
    parameters.push_back(std::move(p));
  }
  search_space space;
  space.parameters_ = std::make_unique<parameter_set>(std::move(parameters));
  space.listed_ = std::move(configurations);
  return space;
}

search_space::~search_space() = default;
search_space::search_space(search_space&&) noexcept = default;
search_space& search_space::operator=(search_space&&) noexcept = default;

const parameter_set& search_space::parameters() const noexcept { return *parameters_; }

std::uint64_t search_space::count() const noexcept {
  return std::min<std::uint64_t>(product_count_ + listed_.size(), most_counted);
}

std::string search_space::count_text() const {
  if (count() == most_counted) return "more than 2^63";
  return (is_counted() ? "" : "up to ") + std::to_string(count());
}

std::optional<configuration> search_space::find(std::uint64_t index) const {
  if (index >= count() || product_count_ >= most_counted)
    throw work_error("configuration " + std::to_string(index) + " is out of range");
  if (index >= product_count_) return listed_[index - product_count_];
  if (!unrestricted_) return product_->configuration_at(index);
  configuration numbered = unrestricted_->configuration_at(index);
  if (!product_->contains(numbered)) return std::nullopt;
  return numbered;
}

configuration search_space::at(std::uint64_t index) const {
  if (std::optional<configuration> match = find(index)) return *std::move(match);
  throw work_error("the restrictions forbid the configuration " + std::to_string(index));
}

configuration search_space::draw(random_stream& bits) const {
  for (int i = 0; i < most_draws; ++i) {
    if (product_count_ < most_counted) {
      if (std::optional<configuration> drawn = find(bits.below_by_division(count()))) return *std::move(drawn);
      continue;
    }
    configuration drawn = (unrestricted_ ? unrestricted_ : product_)->draw(bits);
    if (!unrestricted_ || product_->contains(drawn)) return drawn;
  }
  throw input_error(
      place_.prefix() + "the restrictions reject all " + std::to_string(most_draws) +
      " configurations drawn at random; use 'when' conditions instead, or fewer parameters per restriction");
}

std::vector<configuration> search_space::list(std::uint64_t most) const {
  if (count() > most) {
    throw input_error(place_.prefix() + count_text() + " configurations are too many here; the limit is " +
                      std::to_string(most));
  }
  std::vector<configuration> result;
  for (std::uint64_t i = 0; i < count(); ++i) {
    if (std::optional<configuration> match = find(i)) result.push_back(*std::move(match));
  }
  return result;
}

bool search_space::contains(const configuration& c) const {
  return (product_ && product_->contains(c)) || std::find(listed_.begin(), listed_.end(), c) != listed_.end();
}

}  // namespace mlmq::tuner
