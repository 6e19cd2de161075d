// SPDX-License-Identifier: Apache-2.0
// A workload resides on a device while queries run on it: a graph with weights, a simulation model, a map. The tuner
// uses this interface; the folder of a problem implements it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/records.hpp"
#include "tuner/query.hpp"
#include "tuner/source_place.hpp"
#include "tuner/value.hpp"
#include "tuner/workload_features.hpp"

namespace mlmq::tuner {

/// A workload in host memory. Each kind derives its own type with the data that the problem's instances need.
struct workload {
  virtual ~workload() = default;

  db::workload_record record;      ///< with all features
  std::vector<std::string> notes;  ///< notes for users, such as skipped lines of a file
};

/// Describes a workload that can be loaded: a file or a generator. It has plain values only, so that it can be sent to
/// a worker process.
struct workload_input {
  std::string name;  ///< file name without extensions, or generator; includes the effect of options
  std::string file;  ///< empty if generated
  std::string generated;
  std::map<std::string, std::string> options = {};  ///< options of the workload kind
  query_rules queries = {};
  std::string workload_class = {};  ///< if known before loading
  std::string family = {};          ///< name without the parts that distinguish variants
  source_place place = {};          ///< in the experiment file, for messages
  bool is_found = false;            ///< in a folder or by a pattern; otherwise the user has named it

  bool operator==(const workload_input& other) const {
    return name == other.name && file == other.file && generated == other.generated && options == other.options;
  }
};

/// A kind of workload. Stateless: the functions are thread-safe.
class workload_kind {
 public:
  virtual ~workload_kind() = default;

  /// Returns the name in databases and messages, such as "graph".
  [[nodiscard]] virtual std::string name() const = 0;

  /// Returns the options that an entry of `workloads` may have in addition to `generate`, `file` and `queries`.
  [[nodiscard]] virtual std::span<const named_meaning> options() const = 0;

  /// Returns whether options alone describe a workload, so that entries need neither `generate` nor `file`.
  [[nodiscard]] virtual bool is_described_by_options() const { return false; }

  /// Returns whether a file is such a workload, by its name.
  [[nodiscard]] virtual bool is_file(const std::filesystem::path& file) const = 0;

  /// Returns whether `text` begins like a generator of such a workload; the rest may be invalid.
  [[nodiscard]] virtual bool is_generated_by(std::string_view text) const = 0;

  /// Checks the options and fills in name, class and family.
  /// @param settings settings of the experiment file, one value each
  /// @throws input_error at the place of an invalid input or setting
  virtual void describe(workload_input& input, std::span<const setting> settings) const = 0;

  /// Returns the unit of expected_size(), such as "edges".
  [[nodiscard]] virtual std::string size_unit() const = 0;
  /// Estimates the size without loading the workload: edges of a graph, entities of a model.
  [[nodiscard]] virtual std::uint64_t expected_size(const workload_input& input) const = 0;

  /// Returns the features of this kind; the object lives until the program ends.
  [[nodiscard]] virtual const workload_features& features() const { return unnamed_features(); }

  /// Returns the sizes of a workload that restrictions may mention, if they are known without loading it.
  [[nodiscard]] virtual std::vector<std::pair<std::string, value>> sizes(const workload_input& /*input*/) const {
    return {};
  }

  /// @throws input_error at the place of the input if it cannot be read or generated
  [[nodiscard]] virtual std::unique_ptr<workload> load(const workload_input& input) const = 0;

  /// Writes a loaded workload to a new file for restore(), which is faster than load().
  /// @param file descriptor of an empty file
  /// @return false if this workload cannot be written
  [[nodiscard]] virtual bool save(const workload& /*loaded*/, int /*file*/) const { return false; }
  /// Returns the workload that save() has written. @throws work_error if the file cannot be read
  [[nodiscard]] virtual std::unique_ptr<workload> restore(const std::filesystem::path& file) const;
};

}  // namespace mlmq::tuner
