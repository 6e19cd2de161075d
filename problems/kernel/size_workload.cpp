// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/size_workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "problems/kernel/bindings.hpp"

namespace mlmq::kernel {
namespace {

std::optional<double> number_of(const tuner::value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

}  // namespace

tuner::value size_value(const std::string& text) {
  tuner::value value = tuner::plain_value(text);
  if (std::holds_alternative<bool>(value)) throw input_error("'" + text + "' is a truth, not a number or a word");
  if (std::holds_alternative<std::string>(value) && !tuner::is_plain_text(text)) {
    throw input_error("'" + text + "' is neither a number nor a word");
  }
  return value;
}

size_kind::size_kind(size_rules rules) : rules_(std::move(rules)) {
  for (const std::string& size : rules_.sizes) options_.push_back({size, "a size of the kernel"});
}

std::vector<std::pair<std::string, tuner::value>> size_kind::parse(const tuner::workload_input& input) const {
  std::vector<std::pair<std::string, tuner::value>> values;
  const auto fail = [&](const std::string& message) {
    throw input_error(fmt::format("{}workload '{}': {}", input.place.prefix(), input.generated, message));
  };
  if (rules_.sizes.empty() && !input.generated.empty())
    fail("no size is known; the experiment file of a kernel defines them");
  std::vector<std::pair<std::string, std::string>> written;
  if (!input.generated.empty()) {
    for (const std::string& entry : split(input.generated, ',')) {
      const std::size_t equals = entry.find('=');
      if (equals == 0 || equals == std::string::npos || equals + 1 == entry.size()) {
        fail("expected NAME=VALUE,NAME=VALUE with the sizes " + fmt::format("{}", fmt::join(rules_.sizes, ", ")));
      }
      written.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }
  for (const auto& [name, value] : written) {
    if (std::find(rules_.sizes.begin(), rules_.sizes.end(), name) == rules_.sizes.end()) {
      fail("unknown size '" + name + "'" + did_you_mean(name, rules_.sizes));
    }
  }
  for (const std::string& size : rules_.sizes) {
    const auto is_size = [&](const auto& entry) { return entry.first == size; };
    const auto count = std::count_if(written.begin(), written.end(), is_size);
    if (count == 0) fail("the size '" + size + "' is missing");
    if (count > 1) fail("the size '" + size + "' is given twice");
    const std::string& text = std::find_if(written.begin(), written.end(), is_size)->second;
    try {
      tuner::value value = size_value(text);
      // The name of a workload has the real number 2 as n=2.
      if (rules_.reals.contains(size)) value = tuner::convert(value, tuner::value_type::real).value_or(value);
      values.emplace_back(size, std::move(value));
    } catch (const input_error& error) {
      fail(fmt::format("size '{}': {}", size, error.what()));
    }
  }
  return values;
}

std::vector<std::pair<std::string, tuner::value>> size_kind::values_of(const std::string& workload) const {
  tuner::workload_input input;
  input.generated = workload;
  return parse(input);
}

void size_kind::describe(tuner::workload_input& input, std::span<const tuner::setting> settings) const {
  for (const tuner::setting& setting : settings) {
    if (setting.is_quoted && tuner::is_ambiguous(setting.value())) {
      setting.fail("the text '" + setting.value() + "' looks like a number or a truth; remove the quotes");
    }
    if (!input.generated.empty()) input.generated += ',';
    input.generated += setting.name + '=' + setting.value();
  }
  // The order of the file's keys does not matter.
  const auto values = parse(input);
  input.generated.clear();
  std::string words;
  for (const auto& [name, value] : values) {
    if (!input.generated.empty()) input.generated += ',';
    input.generated += name + '=' + tuner::to_text(value);
    if (const auto* word = std::get_if<std::string>(&value)) words += (words.empty() ? "" : " ") + *word;
  }
  input.name = input.generated;
  input.family = input.name;
  input.workload_class = words.empty() ? name() : words;
}

std::uint64_t size_kind::expected_size(const tuner::workload_input& input) const {
  double size = 1;
  for (const auto& [name, value] : parse(input)) size *= std::max(1.0, number_of(value).value_or(1));
  return size < 1e18 ? static_cast<std::uint64_t>(size) : std::uint64_t{1'000'000'000'000'000'000};
}

std::unique_ptr<tuner::workload> size_kind::load(const tuner::workload_input& input) const {
  auto loaded = std::make_unique<size_workload>();
  loaded->sizes = parse(input);
  if (!rules_.note.empty()) loaded->notes.push_back(fmt::format("{}: {}", input.name, rules_.note));
  db::workload_record& record = loaded->record;
  record.kind = name();
  record.name = input.name;
  record.workload_class = input.workload_class.empty() ? name() : input.workload_class;
  record.family = input.family;
  for (const auto& [size, value] : loaded->sizes) {
    if (const auto number = number_of(value)) record.features.emplace_back(size, *number);
  }
  if (rules_.check_files) rules_.check_files(loaded->sizes);
  content_hash hash;
  hash.add("sizes of a kernel").add(input.generated).add(rules_.data_text);
  const bindings values(loaded->sizes);
  for (const std::string& file : rules_.data_files) hash.add_file(rules_.folder / values.substituted(file));
  record.hash = hash.hex();
  return loaded;
}

}  // namespace mlmq::kernel
