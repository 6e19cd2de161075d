// SPDX-License-Identifier: Apache-2.0
#include "tests/vector_sum/vector_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/random.hpp"
#include "base/text.hpp"

namespace mlmq::vector_sum {
namespace {

using tuner::workload_input;

constexpr std::string_view word = "vector";
constexpr std::string_view file_ending = ".numbers";
constexpr std::uint64_t largest_exponent = 24;
constexpr std::uint64_t largest_spread = std::uint64_t{1} << 32;

constexpr std::array options_of_vectors{
    tuner::named_meaning{"spread", "numbers are below it [1000]; of what is generated"},
    tuner::named_meaning{"seed", "of numbers that are generated [1]"}};

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Parameters of a generated vector.
struct recipe {
  std::uint64_t size = 0;
  std::uint64_t spread = 1000;
  std::uint64_t seed = 1;
};

[[noreturn]] void refuse(const workload_input& input, const std::string& message) {
  throw input_error(fmt::format("{}'{}' generates no vector: {}", input.place.prefix(), input.generated, message));
}

recipe recipe_of(const workload_input& input) {
  const std::vector<std::string> parts = split(input.generated, ':');
  const auto exponent = parts.front().starts_with(word) ? number_in(std::string_view(parts.front()).substr(word.size()))
                                                        : std::optional<std::uint64_t>();
  if (!exponent || *exponent > largest_exponent) {
    refuse(input, fmt::format("expected vectorN, 2^N numbers with N from 0 to {}", largest_exponent));
  }
  recipe result{.size = std::uint64_t{1} << *exponent};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = std::min(parts[i].find('='), parts[i].size());
    const std::string name = parts[i].substr(0, equals);
    const auto number = number_in(std::string_view(parts[i]).substr(std::min(equals + 1, parts[i].size())));
    if (name != "spread" && name != "seed") refuse(input, "unknown '" + name + "'; known: spread, seed");
    if (!number) refuse(input, "expected a whole number from 0 in '" + parts[i] + "'");
    (name == "spread" ? result.spread : result.seed) = *number;
  }
  if (result.spread < 1 || result.spread > largest_spread) refuse(input, "spread is from 1 to 2^32");
  return result;
}

std::vector<std::uint32_t> read_numbers(const workload_input& input) {
  std::vector<std::uint32_t> numbers;
  std::istringstream lines(read_file(input.file));
  for (std::string line; std::getline(lines, line);) {
    const auto number = number_in(line);
    if (!number || *number > std::numeric_limits<std::uint32_t>::max()) {
      throw input_error(
          fmt::format("{}:{}: expected a number below 2^32, got '{}'", input.file, numbers.size() + 1, line));
    }
    numbers.push_back(static_cast<std::uint32_t>(*number));
  }
  if (numbers.empty()) throw input_error(input.file + ": it has no numbers");
  return numbers;
}

db::workload_record record_of(std::span<const std::uint32_t> numbers, const workload_input& input) {
  const auto size = static_cast<double>(numbers.size());
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  db::workload_record record;
  record.hash = content_hash().add(word).add(std::as_bytes(numbers)).hex();
  record.kind = word;
  record.name = input.name;
  record.workload_class = numbers.size() < 1024 ? "short" : "long";
  record.origin = input.file;
  record.bytes = numbers.size_bytes();
  record.family = input.family;
  record.features = {
      {"mean", sum / size}, {"size", size}, {"spread", 1.0 + *std::max_element(numbers.begin(), numbers.end())}};
  return record;
}

class vectors final : public tuner::workload_kind {
 public:
  [[nodiscard]] std::string name() const override { return std::string(word); }
  [[nodiscard]] std::span<const tuner::named_meaning> options() const override { return options_of_vectors; }
  [[nodiscard]] bool is_file(const std::filesystem::path& file) const override {
    return file.extension() == file_ending;
  }
  [[nodiscard]] bool is_generated_by(std::string_view text) const override { return text.starts_with(word); }

  void describe(workload_input& input, std::span<const tuner::setting> settings) const override {
    for (const tuner::setting& setting : settings) {
      if (!input.file.empty()) setting.fail("it is for vectors that are generated");
      input.generated += fmt::format(":{}={}", setting.name, setting.whole_number());
    }
    if (!input.file.empty()) {
      input.name = std::filesystem::path(input.file).stem().string();
      input.family = input.name;
      return;
    }
    (void)recipe_of(input);
    input.name = input.generated;
    input.family = split(input.generated, ':').front();
  }

  [[nodiscard]] std::string size_unit() const override { return "numbers"; }

  [[nodiscard]] std::uint64_t expected_size(const workload_input& input) const override {
    if (input.file.empty()) return recipe_of(input).size;
    std::error_code ignored;
    const std::uintmax_t bytes = std::filesystem::file_size(input.file, ignored);
    return ignored ? 0 : bytes / 4;  // an estimate: some digits, and the end of the line
  }

  [[nodiscard]] std::unique_ptr<tuner::workload> load(const workload_input& input) const override {
    auto loaded = std::make_unique<vector_workload>();
    if (input.file.empty()) {
      const recipe result = recipe_of(input);
      random_stream random{result.size, result.spread, result.seed};
      loaded->numbers.resize(result.size);
      for (std::uint32_t& number : loaded->numbers) number = static_cast<std::uint32_t>(random.below(result.spread));
    } else {
      loaded->numbers = read_numbers(input);
    }
    loaded->record = record_of(loaded->numbers, input);
    return loaded;
  }
};

}  // namespace

const tuner::workload_kind& vector_kind() {
  static const vectors kind;
  return kind;
}

std::span<const std::uint32_t> numbers_of(const tuner::workload& workload) {
  return dynamic_cast<const vector_workload&>(workload).numbers;
}

}  // namespace mlmq::vector_sum
