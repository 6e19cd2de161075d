// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/grid_workload.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "problems/astar/generate.hpp"
#include "problems/astar/grid_features.hpp"
#include "problems/astar/map_file.hpp"

namespace mlmq::astar {
namespace {

namespace fs = std::filesystem;
using tuner::workload_input;

constexpr std::array options_of_grids{
    tuner::named_meaning{"corners",
                         "diagonal steps past obstacles: cut (default for generated maps) or none (default for files)"},
    tuner::named_meaning{"density", "number of squares per cell of a generated map [0.2]"},
    tuner::named_meaning{"eta", "rate of the exponential distribution of the squares' sides in a generated map [1]"},
    tuner::named_meaning{"seed", "seed of a generated map [1]"}};

/// Returns the result of `make`; its errors are prefixed with the line of the experiment file.
template <class Make>
auto at_place(const workload_input& input, const Make& make) {
  try {
    return make();
  } catch (const input_error& error) {
    throw input_error(input.place.prefix() + error.what());
  }
}

/// Returns the file name without .map and .gz.
std::string map_of_file(const fs::path& file) {
  const fs::path name = file.extension() == ".gz" ? file.stem() : file.filename();
  return name.stem().string();
}

std::string folder_of(const fs::path& file) {
  const std::string name = fs::absolute(file).parent_path().filename().string();
  return name.empty() ? "map" : name;
}

corner_rule corners_of(const workload_input& input) {
  const auto corners = input.options.find("corners");
  return corners == input.options.end() ? corner_rule::none : corner_rule_from(corners->second);
}

db::workload_record record_of(const grid& map, const workload_input& input) {
  db::workload_record record;
  record.hash = content_hash()
                    .add(fmt::format("grid {} {} {}", map.width(), map.height(), name_of(map.corners())))
                    .add(std::as_bytes(std::span(map.all_moves())))
                    .hex();
  record.kind = "grid";
  record.name = input.name;
  record.workload_class = input.workload_class;
  record.origin = input.file;
  record.bytes = map.numbers();
  record.family = input.family;
  record.description_json = fmt::format(R"({{"corners":"{}"}})", name_of(map.corners()));
  record.features = features_of(map);
  return record;
}

class grids final : public tuner::workload_kind {
 public:
  [[nodiscard]] std::string name() const override { return "grid"; }
  [[nodiscard]] std::span<const tuner::named_meaning> options() const override { return options_of_grids; }
  [[nodiscard]] bool is_file(const fs::path& file) const override {
    return (file.extension() == ".gz" ? file.stem() : file).extension() == ".map";
  }
  [[nodiscard]] bool is_generated_by(std::string_view text) const override { return looks_generated(text); }

  void describe(workload_input& input, std::span<const tuner::setting> settings) const override {
    for (const tuner::setting& setting : settings) {
      if (input.file.empty()) {
        input.generated += fmt::format(":{}={}", setting.name, setting.value());
        continue;
      }
      if (setting.name != "corners") setting.fail("it applies only to generated maps");
      try {
        (void)corner_rule_from(setting.value());
      } catch (const input_error& error) {
        setting.fail(error.what());
      }
      if (setting.value() != name_of(corner_rule::none)) input.options["corners"] = setting.value();
    }
    if (input.file.empty()) {
      const recipe parsed = at_place(input, [&] { return recipe_of(input.generated); });
      input.generated = text_of(parsed);
      input.name = input.generated;
      input.family = family_of(parsed);
      input.workload_class = "squares";
    } else {
      input.family = map_of_file(input.file);
      input.name = input.family + (corners_of(input) == corner_rule::cut ? ":corners=cut" : "");
      input.workload_class = folder_of(input.file);
    }
  }

  [[nodiscard]] const tuner::workload_features& features() const override { return grid_feature_definitions(); }
  [[nodiscard]] std::string size_unit() const override { return "cells"; }

  [[nodiscard]] std::uint64_t expected_size(const workload_input& input) const override {
    if (input.file.empty()) {
      const recipe parsed = recipe_of(input.generated);
      return std::uint64_t{parsed.width} * parsed.height;
    }
    std::error_code ignored;
    const std::uintmax_t bytes = fs::file_size(input.file, ignored);
    if (ignored) return 0;
    return fs::path(input.file).extension() == ".gz" ? 20 * bytes : bytes;  // one letter per cell; gzip: 1/20
  }

  [[nodiscard]] std::unique_ptr<tuner::workload> load(const workload_input& input) const override {
    auto loaded = std::make_unique<grid_workload>(at_place(input, [&] {
      return input.file.empty() ? generate(recipe_of(input.generated)) : read_map(input.file, corners_of(input));
    }));
    loaded->record = record_of(loaded->map, input);
    return loaded;
  }
};

}  // namespace

const tuner::workload_kind& grid_kind() {
  static const grids kind;
  return kind;
}

const grid_workload& grid_of(const tuner::workload& workload) { return dynamic_cast<const grid_workload&>(workload); }

}  // namespace mlmq::astar
