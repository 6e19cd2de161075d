// SPDX-License-Identifier: Apache-2.0
// The contents of a page that is refreshed while a sweep adds trials to the databases.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "report/contents.hpp"

namespace mlmq::report {

class live_contents {
 public:
  /// @throws like collect(), but databases without finished trials are allowed
  live_contents(std::vector<std::string> databases, const contents_options& options);

  /// Collects the contents again if a database has changed. Collecting takes at most a tenth of the time, so a large
  /// database is read less often. @throws like collect()
  void refresh();

  [[nodiscard]] const report_contents& contents() const { return contents_; }
  /// Returns a text that changes with the contents.
  [[nodiscard]] std::string tag() const;

 private:
  void collect_now();

  std::vector<std::string> databases_;
  contents_options options_;
  report_contents contents_;
  std::string state_;  ///< sizes and times of the files
  std::size_t version_ = 0;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace mlmq::report
