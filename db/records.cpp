// SPDX-License-Identifier: Apache-2.0
#include "db/records.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json_reason.hpp"
#include "base/text.hpp"

namespace mlmq::db {

std::optional<double> workload_record::feature(std::string_view named) const {
  for (const auto& [key, value] : features) {
    if (key == named) return value;
  }
  return std::nullopt;
}

std::vector<double> workload_record::features_named(std::span<const std::string_view> names) const {
  std::vector<double> values;
  for (const std::string_view requested : names) {
    const std::optional<double> value = feature(requested);
    if (!value)
      throw input_error(
          fmt::format("workload '{}' has no recorded feature '{}'; 'mlmq db features' adds it without measuring again",
                      name, requested));
    values.push_back(*value);
  }
  return values;
}

std::string_view to_string(outcome value) {
  switch (value) {
    case outcome::ok:
      return "ok";
    case outcome::compile_error:
      return "compile_error";
    case outcome::launch_error:
      return "launch_error";
    case outcome::timeout:
      return "timeout";
    case outcome::wrong_answer:
      return "wrong_answer";
    case outcome::overflow:
      return "overflow";
    case outcome::crashed:
      return "crashed";
    case outcome::constraint:
      return "constraint";
  }
  throw std::invalid_argument("unknown outcome");
}

outcome outcome_from(std::string_view name) {
  std::vector<std::string> names;
  std::string list;
  for (const outcome value : all_outcomes) {
    if (to_string(value) == name) return value;
    names.emplace_back(to_string(value));
    list += (list.empty() ? "" : ", ") + names.back();
  }
  throw input_error(fmt::format("unknown outcome '{}'{} (known: {})", name, did_you_mean(name, names), list));
}

std::string canonical_json(std::string_view text, std::string_view subject) {
  try {
    // nlohmann::json keeps the keys of an object sorted.
    return nlohmann::json::parse(text).dump();
  } catch (const nlohmann::json::exception& error) {
    throw input_error(fmt::format("{} is not valid JSON: {}", subject, json_reason(error)));
  }
}

std::string device_record::hash() const {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  content_hash hash;
  hash.add("device").add(kind).add(name).add(architecture);
  hash.add(std::to_string(multiprocessors)).add(std::to_string((memory_bytes + gib / 2) / gib));
  if (modelled) hash.add(canonical_json(description_json, "the description of a device"));
  return hash.hex();
}

std::string host_record::hash() const {
  content_hash hash;
  hash.add("host").add(name).add(canonical_json(description_json, "the description of a host"));
  return hash.hex();
}

std::string configuration_record::hash() const {
  content_hash hash;
  hash.add("configuration").add(problem);
  hash.add(canonical_json(parameters_json, "the parameters of a configuration"));
  return hash.hex();
}

std::string experiment_hash(const std::string& name, const std::string& space_text,
                            const std::string& canonical_settings) {
  return content_hash().add("experiment").add(name).add(space_text).add(canonical_settings).hex();
}

std::string variant_record::hash() const {
  content_hash hash;
  hash.add("variant").add(problem).add(canonical_json(defines_json, "the defines of a variant"));
  hash.add(source_hash).add(compiler).add(architecture);
  return hash.hex();
}

}  // namespace mlmq::db
