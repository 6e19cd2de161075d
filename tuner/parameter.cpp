// SPDX-License-Identifier: Apache-2.0
#include "tuner/parameter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::tuner {
namespace {

constexpr std::string_view all_defaults = "defaults";

std::string joined(std::span<const std::string> words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

bool is_in_range(const parameter_declaration& declaration, double number) {
  return !(declaration.minimum && number < *declaration.minimum) &&
         !(declaration.maximum && number > *declaration.maximum);
}

double as_double(const value& v) {
  if (const auto* whole = std::get_if<std::int64_t>(&v)) return static_cast<double>(*whole);
  return std::get<double>(v);
}

/// NAME=VALUE in a label.
struct label_entry {
  std::string name;
  std::string content;
  bool is_quoted = false;
};

std::string without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") + 1 - first));
}

/// Returns the position after the text in quotes that begins at `start`, or nothing if it does not end.
std::optional<std::size_t> end_of_quotes(std::string_view text, std::size_t start) {
  for (std::size_t i = start + 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return std::nullopt;
}

/// Splits "k=v,k=v"; a value may be in quotes, as in JSON. Returns nothing for "".
/// @throws input_error for an entry that is not NAME=VALUE
std::vector<label_entry> entries_of(std::string_view text) {
  std::vector<label_entry> entries;
  if (without_blanks(text).empty()) return entries;
  const auto fail = [&](std::string_view entry) {
    throw input_error("configuration '" + std::string(text) + "': expected NAME=VALUE, got '" + without_blanks(entry) +
                      "'");
  };
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t equals = text.find_first_of("=,", start);
    if (equals == std::string_view::npos || text[equals] == ',') fail(text.substr(start, equals - start));
    label_entry entry{.name = without_blanks(text.substr(start, equals - start)), .content = {}};
    const std::size_t first = std::min(text.find_first_not_of(" \t", equals + 1), text.size());
    std::size_t end = std::min(text.find(',', equals), text.size());
    if (first < text.size() && text[first] == '"') {
      const std::optional<std::size_t> close = end_of_quotes(text, first);
      end = close ? std::min(text.find(',', *close), text.size()) : text.size();
      const auto quoted = nlohmann::json::parse(text.substr(first, end - first), nullptr, false);
      if (!quoted.is_string()) fail(text.substr(start, end - start));
      entry.content = quoted.get<std::string>();
      entry.is_quoted = true;
    } else {
      entry.content = without_blanks(text.substr(equals + 1, end - equals - 1));
      if (entry.content.find('=') != std::string::npos) fail(text.substr(start, end - start));
    }
    if (entry.name.empty()) fail(text.substr(start, end - start));
    entries.push_back(std::move(entry));
    start = end + 1;
  }
  return entries;
}

/// Rejects names that labels and expressions could not contain.
void check_name(const parameter& p) {
  if (!is_parameter_name(p.declared.name)) {
    throw input_error(p.place.prefix() + "'" + p.declared.name +
                      "' is not a valid parameter name: use letters, digits and '_', but none of the words "
                      "and, or, not, true, false, min, max, abs, ceil, floor, power_of_two, sizeof");
  }
}

/// Reports errors in the declaration itself.
void check_declaration(const parameter_declaration& declared) {
  const auto fail = [&](const char* problem) { throw work_error("parameter '" + declared.name + "' " + problem); };
  if (declared.inactive && type_of(*declared.inactive) != declared.type) fail("has an inactive value of another type");
  const macro_definition& macro = declared.macro;
  if (!macro.name.empty() && declared.bind != binding::compile) fail("has a macro, but its binding is not compile");
  if (!(macro.prefix.empty() && macro.one_for.empty()) && declared.type != value_type::text) {
    fail("is not a text: its macro needs 'prefix' or 'one_for'");
  }
}

void check_values(parameter& p) {
  if (p.values.empty()) {
    throw input_error(p.place.prefix() + "parameter '" + p.declared.name + "' has no values");
  }
  for (value& v : p.values) v = checked_value(p.declared, v, p.place);
  p.declared.default_value = checked_value(p.declared, p.declared.default_value, p.place);
  std::vector<value> sorted = p.values;
  std::sort(sorted.begin(), sorted.end());
  const auto duplicate = std::adjacent_find(sorted.begin(), sorted.end());
  if (duplicate != sorted.end()) {
    const bool is_text = p.declared.type == value_type::text;
    throw input_error(p.place.prefix() + "parameter '" + p.declared.name + "' has the value " +
                      (is_text ? to_text(*duplicate) : to_json(*duplicate)) + " twice");
  }
}

/// Returns whether `name` is one of the names in `symbols`, such as "Δ, F"; upper and lower case are the same.
bool is_symbol(std::string_view name, std::string_view symbols) {
  const std::vector<std::string> listed = split(symbols, ',');
  return std::ranges::any_of(listed, [&](const std::string& symbol) {
    return std::ranges::equal(
        symbol, name, {}, [](unsigned char c) { return std::tolower(c); },
        [](unsigned char c) { return std::tolower(c); });
  });
}

}  // namespace

std::string name_hint(std::string_view unknown, std::span<const std::string> known_names,
                      std::span<const std::pair<std::string, std::string>> symbols) {
  std::vector<std::string> meant;
  for (const auto& [parameter, symbol] : symbols) {
    if (is_symbol(unknown, symbol)) meant.push_back("'" + parameter + "'");
  }
  if (meant.empty()) return did_you_mean_or_closest(unknown, known_names);
  return fmt::format("; the papers' {} is {}", unknown, fmt::join(meant, " or "));
}

bool macro_definition::read_by(std::string_view kernel) const {
  return !name.empty() && (kernels.empty() || std::find(kernels.begin(), kernels.end(), kernel) != kernels.end());
}

parameter_limit whole_warps() { return {"threads % 32 == 0", "a block consists of whole warps of 32 threads"}; }

std::string_view name_of(binding b) noexcept { return b == binding::compile ? "compile" : "launch"; }

std::string describe_allowed(const parameter_declaration& declaration) {
  switch (declaration.type) {
    case value_type::boolean:
      return "true, false";
    case value_type::text: {
      std::vector<std::string> texts;
      for (const std::string& text : declaration.allowed) texts.push_back(label_text(text));
      return texts.empty() ? "text" : joined(texts, ", ");
    }
    case value_type::integer:
    case value_type::real:
      break;
  }
  const std::string kind = declaration.type == value_type::integer ? "integers " : "numbers ";
  const auto& [low, high] = std::pair(declaration.minimum, declaration.maximum);
  if (low && high) return kind + shortest_decimal(*low) + " to " + shortest_decimal(*high);
  if (low) return kind + "from " + shortest_decimal(*low);
  if (high) return kind + "up to " + shortest_decimal(*high);
  return declaration.type == value_type::integer ? "integers" : "numbers";
}

value checked_value(const parameter_declaration& declaration, const value& v, const source_place& place) {
  const auto fail = [&](const std::string& problem) {
    throw input_error(place.prefix() + "parameter '" + declaration.name + "': " + problem +
                      "; allowed: " + describe_allowed(declaration));
  };
  const auto converted = convert(v, declaration.type);
  if (!converted) {
    fail((type_of(v) == value_type::text ? to_text(v) : to_json(v)) + " is " +
         (type_of(v) == value_type::integer ? "an " : "a ") + std::string(name_of(type_of(v))));
  }
  switch (declaration.type) {
    case value_type::boolean:
      break;
    case value_type::integer:
    case value_type::real:
      if (!is_in_range(declaration, as_double(*converted))) {
        fail(to_text(*converted) + " is out of range");
      }
      break;
    case value_type::text: {
      const std::string& text = std::get<std::string>(*converted);
      if (!is_usable_text(text)) {
        fail("'" + text + "' is empty or has characters that are not printable ASCII");
      }
      if (!declaration.allowed.empty() &&
          std::find(declaration.allowed.begin(), declaration.allowed.end(), text) == declaration.allowed.end()) {
        fail("unknown value '" + text + "'");
      }
      break;
    }
  }
  return *converted;
}

parameter_set::parameter_set(std::vector<parameter> parameters, std::span<const preset> presets)
    : parameters_(std::move(parameters)), presets_(presets.begin(), presets.end()) {
  for (parameter& p : parameters_) {
    check_name(p);
    check_declaration(p.declared);
    check_values(p);
  }
  add_symbols();
  compile_conditions();
  sort_by_dependency();
  if (!presets_.empty() && find(preset_key) != nullptr) {
    throw work_error("a problem with presets cannot have a parameter named 'preset'");
  }
}

parameter_set parameter_set::from_declarations(std::span<const parameter_declaration> declarations,
                                               std::span<const preset> presets) {
  std::vector<parameter> parameters;
  for (const parameter_declaration& declaration : declarations) {
    parameters.push_back({declaration, {declaration.default_value}, {}, {}, {}});
  }
  return parameter_set(std::move(parameters), presets);
}

void parameter_set::add_symbols() {
  for (const parameter& p : parameters_) {
    if (symbols_.slot(p.declared.name)) {
      throw input_error(p.place.prefix() + "parameter '" + p.declared.name + "' is given twice");
    }
    symbols_.add_parameter(p.declared.name, p.declared.type);
  }
  const auto add_if_text = [&](const value& v) {
    if (const auto* text = std::get_if<std::string>(&v)) symbols_.add_text(*text);
  };
  for (const parameter& p : parameters_) {
    for (const std::string& text : p.declared.allowed) symbols_.add_text(text);
    for (const value& v : p.values) add_if_text(v);
    if (p.declared.type == value_type::text) add_if_text(p.declared.default_value);
  }
}

void parameter_set::compile_conditions() {
  const auto compile = [&](const condition& source) -> std::optional<expression> {
    if (source.text.empty()) return std::nullopt;
    return expression(source, symbols_);
  };
  for (const parameter& p : parameters_) {
    active_when_.push_back(compile({p.declared.when, p.when_place}));
    vary_when_.push_back(compile(p.vary_when));
    for (const parameter_limit& limit : p.declared.limits)
      limits_.push_back({expression({limit.condition, p.place}, symbols_), limit.reason});
  }
}

std::vector<std::size_t> parameter_set::dependencies(std::size_t slot) const {
  std::vector<std::size_t> result;
  for (const expression* e : {active_when(slot), vary_when(slot)}) {
    if (e) result.insert(result.end(), e->mentions().begin(), e->mentions().end());
  }
  return result;
}

void parameter_set::sort_by_dependency() {
  std::vector<char> placed(parameters_.size(), 0);
  const auto is_ready = [&](std::size_t slot) {
    const auto needed = dependencies(slot);
    return std::all_of(needed.begin(), needed.end(), [&](std::size_t s) { return placed[s] != 0; });
  };
  while (order_.size() < parameters_.size()) {
    std::size_t next = 0;
    while (next < parameters_.size() && (placed[next] || !is_ready(next))) ++next;
    if (next == parameters_.size()) fail_for_circle(placed);
    placed[next] = 1;
    order_.push_back(next);
  }
}

void parameter_set::fail_for_circle(const std::vector<char>& placed) const {
  // Every remaining parameter depends on another remaining one, so following the dependencies finds a cycle.
  const auto left_dependency = [&](std::size_t slot) {
    const auto needed = dependencies(slot);
    return *std::find_if(needed.begin(), needed.end(), [&](std::size_t s) { return !placed[s]; });
  };
  std::vector<std::size_t> path;
  auto slot = static_cast<std::size_t>(std::find(placed.begin(), placed.end(), 0) - placed.begin());
  auto seen = path.end();
  while ((seen = std::find(path.begin(), path.end(), slot)) == path.end()) {
    path.push_back(slot);
    slot = left_dependency(slot);
  }
  std::vector<std::string> circle;
  for (auto s = seen; s != path.end(); ++s) circle.push_back(parameters_[*s].declared.name);
  circle.push_back(parameters_[slot].declared.name);
  throw input_error(parameters_[slot].place.prefix() + "conditions ('when') form a cycle: " + joined(circle, " -> "));
}

const parameter* parameter_set::find(std::string_view name) const {
  const auto slot = symbols_.slot(name);
  return slot ? &parameters_[*slot] : nullptr;
}

std::vector<std::string> parameter_set::names() const {
  std::vector<std::string> result;
  for (const parameter& p : parameters_) result.push_back(p.declared.name);
  return result;
}

const expression* parameter_set::active_when(std::size_t slot) const {
  return active_when_[slot] ? &*active_when_[slot] : nullptr;
}

const expression* parameter_set::vary_when(std::size_t slot) const {
  return vary_when_[slot] ? &*vary_when_[slot] : nullptr;
}

std::vector<std::pair<std::string, std::string>> parameter_set::paper_names() const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const parameter& p : parameters_) result.emplace_back(p.declared.name, p.declared.symbol);
  return result;
}

parameter_set::decisions parameter_set::undecided() const {
  return {std::vector<exact_number>(parameters_.size()), std::vector<char>(parameters_.size(), 0)};
}

bool parameter_set::all_active(const expression& e, const decisions& state) {
  return std::all_of(e.mentions().begin(), e.mentions().end(),
                     [&](std::size_t slot) { return state.active[slot] != 0; });
}

exact_number parameter_set::number(const value& v, std::vector<std::string>& unnamed) const {
  const auto* text = std::get_if<std::string>(&v);
  if (!text || symbols_.text_number(*text)) return symbols_.number(v);
  const auto position = std::find(unnamed.begin(), unnamed.end(), *text);
  const double id = -1.0 - static_cast<double>(position - unnamed.begin());
  if (position == unnamed.end()) unnamed.push_back(*text);
  return id;
}

parameter_set::decisions parameter_set::decided(const configuration& c) const {
  decisions state = undecided();
  std::vector<std::string> unnamed;
  for (const auto& [name, v] : c.values()) {
    if (const auto slot = symbols_.slot(name)) {
      state.active[*slot] = 1;
      state.numbers[*slot] = number(v, unnamed);
    }
  }
  for (const std::size_t slot : order_) {
    const parameter_declaration& declared = parameters_[slot].declared;
    if (!declared.silent_default || state.active[slot] != 0) continue;
    const expression* const condition = active_when(slot);
    if (condition != nullptr && !(all_active(*condition, state) && condition->holds(state.numbers))) continue;
    state.active[slot] = 1;
    state.numbers[slot] = number(declared.default_value, unnamed);
  }
  return state;
}

bool parameter_set::is_active(std::string_view name, const configuration& c) const {
  if (c.find(name) != nullptr) return true;
  const auto slot = symbols_.slot(name);
  return slot && parameters_[*slot].declared.silent_default && decided(c).active[*slot] != 0;
}

configuration parameter_set::values_of_preset(const value& name, const source_place& place) const {
  std::vector<std::string> preset_names;
  for (const preset& entry : presets_) {
    preset_names.emplace_back(entry.name);
    if (to_text(name) == entry.name) return values_in(entry.label);
  }
  if (preset_names.empty()) throw input_error(place.prefix() + "this problem has no presets");
  const std::string hint = did_you_mean(to_text(name), preset_names);
  throw input_error(place.prefix() + "unknown preset '" + to_text(name) + "'" +
                    (hint.empty() ? "; known: " + joined(preset_names, ", ") : hint));
}

configuration parameter_set::complete(const configuration& partial, const source_place& place) const {
  const value* const named = find(preset_key) == nullptr ? partial.find(preset_key) : nullptr;
  const configuration base = named == nullptr ? configuration() : values_of_preset(*named, place);
  for (const auto& entry : partial.values()) {
    if (named == &entry.second) continue;
    if (!symbols_.slot(entry.first)) {
      throw input_error(place.prefix() + "unknown parameter '" + entry.first + "'" +
                        name_hint(entry.first, names(), paper_names()));
    }
  }
  std::vector<std::string> unnamed;
  configuration result;
  decisions state = undecided();
  for (const std::size_t slot : order_) {
    const parameter_declaration& declared = parameters_[slot].declared;
    const expression* condition = active_when(slot);
    const bool active = !condition || (all_active(*condition, state) && condition->holds(state.numbers));
    const value* v = partial.find(declared.name);
    if (!active) {
      if (v) {
        throw input_error(place.prefix() + "parameter '" + declared.name + "' does not apply here: it requires " +
                          declared.when);
      }
      continue;
    }
    if (v == nullptr) v = base.find(declared.name);
    const value chosen = v ? checked_value(declared, *v, place) : declared.default_value;
    state.active[slot] = 1;
    state.numbers[slot] = number(chosen, unnamed);
    if (!declared.is_silent(chosen)) result.set(declared.name, chosen);
  }
  const std::string broken = broken_limit(state, result);
  if (!broken.empty()) throw input_error(place.prefix() + broken);
  return result;
}

std::string parameter_set::broken_limit(const decisions& state, const configuration& complete) const {
  for (const compiled_limit& limit : limits_) {
    if (limit.allows(state)) continue;
    configuration values;
    for (const std::size_t slot : limit.condition.mentions()) {
      const parameter_declaration& declared = parameters_[slot].declared;
      const value* const named = complete.find(declared.name);
      values.set(declared.name, named != nullptr ? *named : declared.default_value);
    }
    return values.label() + " violates the limit '" + limit.condition.source().text + "': " + limit.reason;
  }
  return "";
}

configuration parameter_set::parse_label(std::string_view text) const { return complete(values_in(text)); }

configuration parameter_set::values_in(std::string_view text) const {
  configuration values;
  if (text == all_defaults) return values;
  for (const label_entry& entry : entries_of(text)) {
    const std::string& name = entry.name;
    const std::string& content = entry.content;
    if (values.find(name)) throw input_error("parameter '" + name + "' is given twice");
    const parameter* p = find(name);
    if (!p && name == preset_key) {
      values.set(name, content);
      continue;
    }
    if (!p) {
      throw input_error("unknown parameter '" + name + "'" + name_hint(name, names(), paper_names()));
    }
    const bool is_text = p->declared.type == value_type::text;
    const auto parsed = entry.is_quoted && !is_text ? std::nullopt : parse_value(content, p->declared.type);
    if (!parsed) {
      throw input_error("parameter '" + name + "': '" + content + "' is not " +
                        (p->declared.type == value_type::integer ? "an " : "a ") +
                        std::string(name_of(p->declared.type)) + "; allowed: " + describe_allowed(p->declared));
    }
    values.set(name, *parsed);
  }
  return values;
}

std::string parameter_set::short_label(const configuration& c, std::span<const std::string> shown) const {
  for (const preset& entry : presets_) {
    if (!shown.empty()) break;
    const std::string label = std::string(preset_key) + "=" + std::string(entry.name);
    if (parse_label(label) == c) return label;
  }
  configuration different;
  for (const auto& [name, v] : c.values()) {
    const parameter* p = find(name);
    const bool is_shown = std::ranges::find(shown, name) != shown.end();
    if (is_shown || p == nullptr || p->declared.default_value != v) different.set(name, v);
  }
  std::string label = different.empty() ? std::string(all_defaults) : different.label();
  try {
    if (parse_label(label) == c) return label;
  } catch (const input_error&) {
    // Written by another version of the program.
  }
  return c.label();
}

parameter_set::parts parameter_set::split(const configuration& c) const {
  parts result;
  for (const auto& [name, v] : c.values()) {
    const parameter* p = find(name);
    if (!p) throw work_error("configuration " + c.label() + ": unknown parameter '" + name + "'");
    (p->declared.bind == binding::compile ? result.compile : result.launch).set(name, v);
  }
  return result;
}

}  // namespace mlmq::tuner
