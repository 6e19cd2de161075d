// SPDX-License-Identifier: Apache-2.0
#include "problems/graphs/graph_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "graph/classify.hpp"
#include "graph/feature_list.hpp"
#include "graph/hash.hpp"
#include "graph/weight_rule.hpp"
#include "problems/graphs/graph_feature_kind.hpp"
#include "problems/graphs/resident_graph.hpp"
#include "problems/graphs/saved_graph.hpp"
#include "problems/graphs/sources.hpp"

namespace mlmq::problems {
namespace {

namespace fs = std::filesystem;
using tuner::setting;
using tuner::workload_input;

constexpr std::array graph_options{
    tuner::named_meaning{"weights", "own (default), or the distribution of random weights"},
    tuner::named_meaning{"weight_seed", "seed of random weights"},
    tuner::named_meaning{"ignore_weights", "true: replace the file's weights by random ones"},
    tuner::named_meaning{"negative_weights", "refuse (default), or absolute: take the absolute values"},
    tuner::named_meaning{"weight_type",
                         "type of weights and distances: uint32, float32 or float64 [the type of the graph's weights]"},
    tuner::named_meaning{"weight_column", "column of a table of edges with the weights [as its header says]"},
    tuner::named_meaning{"source_column", "column with the vertices that edges leave"},
    tuner::named_meaning{"target_column", "column with the vertices that edges enter"},
    tuner::named_meaning{"direction_column", "column that says which edges lead in both directions"},
    tuner::named_meaning{
        "family",
        "family of a file, such as where it comes from: a selector is never tested on a family that it "
        "learned from [name of the file]"}};

constexpr std::array<std::pair<const char*, std::string graph::named_columns::*>, 4> column_options{
    {{"weight_column", &graph::named_columns::weight},
     {"source_column", &graph::named_columns::source},
     {"target_column", &graph::named_columns::target},
     {"direction_column", &graph::named_columns::direction}}};

/// Returns the result of `make`; its errors are prefixed with the line of the experiment file.
template <class Make>
auto at_place(const workload_input& input, const Make& make) {
  try {
    return make();
  } catch (const input_error& error) {
    throw input_error(input.place.prefix() + error.what());
  }
}

const setting* find(std::span<const setting> settings, std::string_view name) {
  const auto match = std::find_if(settings.begin(), settings.end(), [&](const setting& s) { return s.name == name; });
  return match == settings.end() ? nullptr : &*match;
}

/// The parsed options of an input.
struct weight_options {
  explicit weight_options(const workload_input& input) {
    const auto text = [&](const char* name) -> const std::string* {
      const auto option = input.options.find(name);
      return option == input.options.end() ? nullptr : &option->second;
    };
    if (const auto* seed = text("weight_seed")) weight_seed = std::stoull(*seed);
    if (const auto* ignore = text("ignore_weights")) ignore_weights = *ignore == "true";
    absolute_weights = text("negative_weights") != nullptr;
    if (const auto* type = text("weight_type")) weight_type = graph::weight_type_from(*type);
    if (const auto* distribution = text("weights")) {
      drawn_weights = {.distribution = graph::weight_distribution_from(*distribution), .seed = weight_seed.value_or(1)};
    }
  }

  std::optional<std::uint64_t> weight_seed;         ///< seed of the weights, for a graph without weights
  std::optional<bool> ignore_weights;               ///< whether to draw weights even if the graph has weights
  bool absolute_weights = false;                    ///< for files: use absolute values of negative weights
  std::optional<graph::weight_type> weight_type;    ///< requested type of weights
  std::optional<graph::weight_rule> drawn_weights;  ///< for files: drawn weights that replace those of the file
};

/// Returns the setting `weights` if it requests drawn weights, which "own" does not; otherwise null.
const setting* drawn_weights_of(std::span<const setting> settings) {
  const setting* const weights = find(settings, "weights");
  return weights != nullptr && weights->value() != "own" ? weights : nullptr;
}

/// Checks the settings and keeps those that differ from the defaults.
void read_options(workload_input& input, std::span<const setting> settings) {
  const bool is_file = !input.file.empty();
  const setting* const drawn = drawn_weights_of(settings);
  if (drawn != nullptr) {
    try {
      input.options["weights"] = graph::name_of(graph::weight_distribution_from(drawn->value()));
    } catch (const input_error& error) {
      drawn->fail(std::string(error.what()) + " (or own)");
    }
  }
  if (const setting* const seed = find(settings, "weight_seed")) {
    // If there are several values of `weights`, one may be "own", which needs no seed.
    const setting* const weights = find(settings, "weights");
    if (!is_file && drawn == nullptr && (weights == nullptr || !weights->one_of_several)) {
      seed->fail("it applies only to random weights, but 'weights' does not request any");
    }
    if (is_file || drawn != nullptr) input.options["weight_seed"] = std::to_string(seed->whole_number());
  }
  if (const setting* const ignore = find(settings, "ignore_weights")) {
    if (!is_file) ignore->fail("it applies only to files; use 'weights' for a generated graph");
    if (find(settings, "weights") != nullptr)
      ignore->fail("'weights' already replaces the weights of the graph; remove this option");
    input.options["ignore_weights"] = ignore->boolean() ? "true" : "false";
  }
  if (const setting* const negative = find(settings, "negative_weights")) {
    const std::string& rule = negative->value();
    if (rule != "absolute" && rule != "refuse") negative->fail("expected refuse or absolute, got '" + rule + "'");
    if (!is_file) negative->fail("a generated graph has no negative weights; remove this option");
    if (rule == "absolute") input.options["negative_weights"] = rule;
  }
  if (const setting* const family = find(settings, "family"); family != nullptr && !is_file)
    family->fail("it applies only to files");
  for (const auto& [name, member] : column_options) {
    const setting* const column = find(settings, name);
    if (column == nullptr) continue;
    if (!is_file) column->fail("it applies only to files");
    input.options[name] = column->value();
  }
  if (const setting* const type = find(settings, "weight_type")) {
    try {
      input.options["weight_type"] = graph::name_of(graph::weight_type_from(type->value()));
    } catch (const input_error& error) {
      type->fail(error.what());
    }
  }
}

/// Moves the weight options into the generator's text, because generators handle them.
void move_weights_to_text(workload_input& input) {
  for (const char* const name : {"weights", "weight_seed"}) {
    const auto option = input.options.find(name);
    if (option == input.options.end()) continue;
    input.generated += fmt::format(":{}={}", name, option->second);
    input.options.erase(option);
  }
}

class graph_files final : public tuner::workload_kind {
 public:
  [[nodiscard]] std::string name() const override { return "graph"; }
  [[nodiscard]] std::span<const tuner::named_meaning> options() const override { return graph_options; }

  [[nodiscard]] bool is_file(const fs::path& file) const override {
    // A table in a folder can contain anything.
    const auto format = graph::written_format(file);
    return format.has_value() && *format != graph::file_format::csv;
  }

  [[nodiscard]] bool is_generated_by(std::string_view text) const override { return graph::is_generator_name(text); }

  void describe(workload_input& input, std::span<const setting> settings) const override {
    read_options(input, settings);
    if (input.file.empty()) {
      move_weights_to_text(input);
      input.name = input.generated;
      input.family = at_place(input, [&] { return graph::family_of_generated(input.generated); });
      input.workload_class = at_place(input, [&] { return graph::expected_size(input.generated).graph_class; });
    } else {
      input.name = graph_name_of(input.file);
      const setting* const family = find(settings, "family");
      input.family = family != nullptr ? family->value() : input.name;
      for (const char* const name : {"weights", "weight_seed"}) {
        // A seed without `weights` applies to a file without weights: it changes the content, not the name.
        if (!input.options.contains("weights") || !input.options.contains(name)) continue;
        input.name += fmt::format(":{}={}", name, input.options.at(name));
      }
      if (const auto column = input.options.find("weight_column"); column != input.options.end())
        input.name += fmt::format(":weight_column={}", column->second);
    }
    if (const auto type = input.options.find("weight_type"); type != input.options.end()) {
      if (type->second == "float32") input.name += "-float";
      if (type->second == "float64") input.name += "-float64";
    }
  }

  [[nodiscard]] std::string size_unit() const override { return "edges"; }

  [[nodiscard]] std::uint64_t expected_size(const workload_input& input) const override {
    if (input.file.empty()) return graph::expected_size(input.generated).edges;
    // Text takes about 12 bytes per edge, compressed text a third of that; half of the files list each edge once.
    std::error_code ignored;
    const std::uintmax_t bytes = fs::file_size(input.file, ignored);
    if (bytes == static_cast<std::uintmax_t>(-1)) return 0;
    return fs::path(input.file).extension() == ".gz" ? bytes / 3 : bytes / 9;
  }

  [[nodiscard]] const tuner::workload_features& features() const override { return graph_features(); }

  [[nodiscard]] std::unique_ptr<tuner::workload> load(const workload_input& input) const override {
    auto loaded = std::make_unique<graph_workload>();
    const weight_options requested(input);
    std::string known_class;
    if (input.file.empty()) {
      graph::generated_graph generated = at_place(input, [&] { return graph::generate_named(input.generated); });
      loaded->graph = std::move(generated.graph);
      known_class = generated.graph_class;
    } else {
      graph::read_options options;
      options.weight_seed = requested.weight_seed.value_or(options.weight_seed);
      // Drawn weights replace those of the file, which may then be weights that a search cannot use.
      options.ignore_weights = requested.ignore_weights.value_or(requested.drawn_weights.has_value());
      options.absolute_weights = requested.absolute_weights;
      for (const auto& [name, member] : column_options) {
        if (const auto column = input.options.find(name); column != input.options.end())
          options.columns.*member = column->second;
      }
      if (!requested.drawn_weights) options.weight_type = requested.weight_type;
      loaded->graph = graph::read_graph(input.file, options, &loaded->notes);
    }
    // Drawn after reading, so that the structure of a graph does not depend on its weights.
    if (requested.drawn_weights) loaded->graph = graph::with_drawn_weights(loaded->graph, *requested.drawn_weights);
    if (requested.weight_type) {
      loaded->graph = at_place(input, [&] { return graph::with_weight_type(loaded->graph, *requested.weight_type); });
    }
    loaded->record = record_of(loaded->graph, input.name, known_class);
    loaded->record.origin = input.file;
    // Notes of the reader, such as a file without weights, without the file name.
    std::vector<std::string> remarks;
    for (const std::string& note : loaded->notes) {
      const std::string before = input.file + ": ";
      remarks.push_back(note.starts_with(before) ? note.substr(before.size()) : note);
    }
    if (!remarks.empty()) {
      auto description = nlohmann::ordered_json::parse(loaded->record.description_json);
      description["remarks"] = remarks;
      loaded->record.description_json =
          description.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    }
    loaded->record.family = input.family;
    return loaded;
  }

  [[nodiscard]] bool save(const tuner::workload& loaded, int file) const override {
    return save_graph(dynamic_cast<const graph_workload&>(loaded), file);
  }
  [[nodiscard]] std::unique_ptr<tuner::workload> restore(const fs::path& file) const override {
    return restore_graph(file);
  }
};

}  // namespace

const tuner::workload_kind& graph_kind() {
  static const graph_files kind;
  return kind;
}

const graph::csr_graph& graph_of(const tuner::workload& workload) {
  return dynamic_cast<const graph_workload&>(workload).graph;
}

row_store* rows_of(const tuner::workload& workload) { return dynamic_cast<const graph_workload&>(workload).rows.get(); }

db::workload_record record_of(const graph::csr_graph& graph, std::string name, std::string graph_class) {
  // One thread suffices, because several graphs are read concurrently.
  const graph::feature_values features = graph::all_features(graph, 1);
  db::workload_record record;
  record.hash = graph::graph_hash(graph);
  record.kind = graph_kind().name();
  record.name = std::move(name);
  record.workload_class = graph_class.empty() ? graph::graph_class(graph::table2_of(features)) : std::move(graph_class);
  // Offsets, edges with weights, and distances.
  const std::uint64_t word = distance_bytes(graph.weights());
  record.bytes = (8 + word) * graph.vertex_count() + 2 * word * graph.edge_count();
  record.description_json = fmt::format(R"({{"weights":"{}"}})", graph::name_of(graph.weights()));
  for (std::size_t i = 0; i < features.size(); ++i) {
    record.features.emplace_back(graph::feature_definitions()[i].name, features[i]);
  }
  return record;
}

opened_graph open_graph(const std::string& name, const graph::read_options& options) {
  std::error_code ignored;
  if (!graph::looks_like_file(name) && !fs::exists(name, ignored)) {
    opened_graph generated;
    generated.times.build_ms =
        milliseconds_of([&] { static_cast<graph::generated_graph&>(generated) = graph::generate_named(name); });
    if (options.weight_type) generated.graph = graph::with_weight_type(generated.graph, *options.weight_type);
    return generated;
  }
  opened_graph loaded;
  loaded.graph = graph::read_graph(name, options, &loaded.notes, &loaded.times);
  loaded.name = graph_name_of(name);
  loaded.source = choose_sources(loaded.graph, source_rule{}, loaded.name).at(0);
  return loaded;
}

std::string graph_name_of(const fs::path& file) {
  fs::path name = file.filename();
  if (name.extension() == ".gz") name = name.stem();
  return graph::written_format(file) ? name.stem().string() : name.string();
}

}  // namespace mlmq::problems
