// SPDX-License-Identifier: Apache-2.0
// Workloads of kernels: named sizes, such as n=1024, and names of types, such as type=float.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/value.hpp"
#include "tuner/workload.hpp"

namespace mlmq::kernel {

/// Reads a size: a number, or a word such as the name of a type. @throws input_error for a truth, and for what is
/// neither
[[nodiscard]] tuner::value size_value(const std::string& text);

/// A workload with its values, in the order of the kind's sizes.
struct size_workload final : tuner::workload {
  std::vector<std::pair<std::string, tuner::value>> sizes;
};

/// What the workloads of a kernel have in common.
struct size_rules {
  std::vector<std::string> sizes = {};  ///< their names; every workload has all of them
  std::set<std::string> reals = {};     ///< those of which the experiment file gives a value with a fraction
  std::string data_text = {};           ///< decides what arrays contain, part of the identity of workloads
  std::filesystem::path folder = {};    ///< of the data files
  /// Files whose contents are part of the identity, too; names of sizes stand for their values.
  std::vector<std::string> data_files = {};
  /// Throws input_error for a file that cannot be right for these sizes, before it is read.
  std::function<void(std::span<const std::pair<std::string, tuner::value>> sizes)> check_files = {};
  std::string note = {};  ///< for users, with every workload
};

/// The kind of workload of one kernel. The tuner knows it by the name "sizes".
class size_kind final : public tuner::workload_kind {
 public:
  explicit size_kind(size_rules rules);

  [[nodiscard]] std::string name() const override { return "sizes"; }
  [[nodiscard]] std::span<const tuner::named_meaning> options() const override { return options_; }
  [[nodiscard]] bool is_described_by_options() const override { return true; }
  [[nodiscard]] bool is_file(const std::filesystem::path& /*file*/) const override { return false; }
  [[nodiscard]] bool is_generated_by(std::string_view text) const override {
    return text.find('=') != std::string_view::npos;
  }
  void describe(tuner::workload_input& input, std::span<const tuner::setting> settings) const override;
  [[nodiscard]] std::string size_unit() const override { return "elements"; }
  [[nodiscard]] std::uint64_t expected_size(const tuner::workload_input& input) const override;
  [[nodiscard]] std::vector<std::pair<std::string, tuner::value>> sizes(
      const tuner::workload_input& input) const override {
    return parse(input);
  }
  [[nodiscard]] std::unique_ptr<tuner::workload> load(const tuner::workload_input& input) const override;
  /// Returns the sizes of a workload by its name. @throws input_error for another workload
  [[nodiscard]] std::vector<std::pair<std::string, tuner::value>> values_of(const std::string& workload) const;

 private:
  /// Returns the values of "n=1024,type=float". @throws input_error at the place of the input
  [[nodiscard]] std::vector<std::pair<std::string, tuner::value>> parse(const tuner::workload_input& input) const;

  size_rules rules_;
  std::vector<tuner::named_meaning> options_;  // views of the names in rules_
};

}  // namespace mlmq::kernel
