// SPDX-License-Identifier: Apache-2.0
// The problem `kernel`: an experiment file describes a kernel in plain CUDA C++, which is then tuned like any problem.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/kernel_sources.hpp"
#include "db/export.hpp"
#include "db/status.hpp"
#include "problems/kernel/definition.hpp"
#include "problems/kernel/size_workload.hpp"
#include "tuner/problem.hpp"

namespace mlmq::kernel {

class kernel_problem final : public tuner::problem {
 public:
  /// Makes a problem without a definition, which describes recorded results but cannot run.
  kernel_problem();
  /// @throws input_error  "FILE:LINE: …" for an invalid definition
  explicit kernel_problem(const tuner::experiment_file& experiment);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] const tuner::workload_kind& workloads() const override { return kind_; }
  [[nodiscard]] std::span<const tuner::parameter_declaration> declarations() const override { return declarations_; }
  [[nodiscard]] std::span<const tuner::named_meaning> query_settings() const override { return {}; }
  [[nodiscard]] std::span<const tuner::named_meaning> counters() const override { return counters_; }
  [[nodiscard]] tuner::work_ratio work() const override { return {}; }
  [[nodiscard]] std::string rate_counter() const override;
  [[nodiscard]] std::uint64_t count_queries(const tuner::query_rules& rules) const override;
  [[nodiscard]] std::vector<tuner::query> choose_queries(const tuner::workload& workload,
                                                         const tuner::query_rules& rules) const override;
  [[nodiscard]] std::vector<std::string> notes() const override;
  [[nodiscard]] std::string source_hash(const tuner::configuration& chosen) const override;
  [[nodiscard]] std::unique_ptr<tuner::problem_instance> load(backends::backend& device,
                                                              const tuner::workload& workload) const override;
  /// Returns launch code for the results of this kernel in `best` (launch_export.hpp).
  [[nodiscard]] std::vector<db::exported_file> launch_files(std::span<const db::best_result> best) const;

 private:
  /// Returns the definition. @throws input_error for a problem without one
  [[nodiscard]] const definition& defined() const;
  /// Loads a source with all files that its includes reach. @throws input_error if there is no such file
  [[nodiscard]] backends::kernel_sources load_sources(const std::filesystem::path& source,
                                                      const std::map<std::string, placed_text>& defines,
                                                      std::map<std::string, std::string> macros) const;
  /// Returns the code hash of a source, and keeps it for code_hash() unless macros decide which files it has.
  [[nodiscard]] std::string planned_code(const std::filesystem::path& source,
                                         const std::map<std::string, placed_text>& defines,
                                         std::map<std::string, std::string> macros) const;
  /// Returns the code hash of a variant's files when they were read first, by which a compiler notices that they have
  /// changed since.
  [[nodiscard]] std::string code_hash(const backends::kernel_source& variant) const;
  /// Returns the hash of what decides which results are right.
  [[nodiscard]] std::string check_hash() const;

  std::shared_ptr<const definition> definition_;
  std::vector<tuner::parameter_declaration> declarations_;
  std::vector<tuner::named_meaning> counters_;
  size_kind kind_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string> source_hashes_;  // by the macros, if these name headers, else one
  mutable std::map<std::string, std::string> code_hashes_;    // by file, and by the macros if these name headers
  mutable bool macros_name_headers_ = false;
};

}  // namespace mlmq::kernel
