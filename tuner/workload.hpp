// SPDX-License-Identifier: Apache-2.0
// A workload is what is brought to a device and stays there while queries are run on it: a graph with weights, a
// simulation model, a map. The tuner knows it by this interface; a problem's folder implements it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/records.hpp"
#include "tuner/query.hpp"
#include "tuner/source_place.hpp"
#include "tuner/workload_features.hpp"

namespace mlmq::tuner {

/// A workload in host memory. Its kind derives what the problem's instances need from it.
struct workload {
  virtual ~workload() = default;

  db::workload_record record;      ///< with all features
  std::vector<std::string> notes;  ///< what a person should know, such as lines of a file that were passed over
};

/// A workload that can be loaded: a file, or a text that generates it. Plain values, so that it can be sent to a worker
/// process.
struct workload_input {
  std::string name;  ///< file name without endings, or what is generated, and what the options make of it
  std::string file;  ///< empty for what is generated
  std::string generated;
  std::map<std::string, std::string> options = {};  ///< of the kind
  query_rules queries = {};
  std::string workload_class = {};  ///< where it is known before loading
  std::string family = {};          ///< the name without what makes it a variant
  source_place place = {};          ///< in the experiment file, for messages

  bool operator==(const workload_input& other) const {
    return name == other.name && file == other.file && generated == other.generated && options == other.options;
  }
};

/// All workloads of one kind. Without state: the functions may be called by several threads at a time.
class workload_kind {
 public:
  virtual ~workload_kind() = default;

  /// "graph", as databases and messages have it.
  [[nodiscard]] virtual std::string name() const = 0;

  /// What an entry of `workloads` may have besides `generate`, `file` and `queries`.
  [[nodiscard]] virtual std::span<const named_meaning> options() const = 0;

  /// Whether a file of a folder is such a workload, by its name.
  [[nodiscard]] virtual bool is_file(const std::filesystem::path& file) const = 0;

  /// Whether `text` begins like what generates such a workload; the rest of it may be wrong.
  [[nodiscard]] virtual bool is_generated_by(std::string_view text) const = 0;

  /// Checks the options and fills in name, class and family. `settings` are those of the experiment file, one value each.
  /// @throws input_error at the place of the input or setting, for what cannot be used
  virtual void describe(workload_input& input, std::span<const setting> settings) const = 0;

  /// What expected_size() counts: "edges".
  [[nodiscard]] virtual std::string size_unit() const = 0;
  /// About how much there is to do with it, without loading it: edges of a graph, entities of a model.
  [[nodiscard]] virtual std::uint64_t expected_size(const workload_input& input) const = 0;

  /// For the life of the program.
  [[nodiscard]] virtual const workload_features& features() const { return unnamed_features(); }

  /// @throws input_error at the place of the input when it cannot be read or generated
  [[nodiscard]] virtual std::unique_ptr<workload> load(const workload_input& input) const = 0;
};

}  // namespace mlmq::tuner
