// SPDX-License-Identifier: Apache-2.0
// Options that take a duration: a number with a unit.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace mlmq::cli {

/// How an option takes its duration.
struct duration_format {
  std::string_view stored_unit;  ///< unit of the variable: "us", "ms", "s", "min" or "h"
  bool zero_allowed = false;
};

/// Adds an option that takes a duration such as "90s", "1.5min" or "2h".
///
/// @param value  in `stored_unit`; must live until the command line has been parsed; 0: the option has no default
CLI::Option* add_duration_option(CLI::App& command, const std::string& name, double& value,
                                 const duration_format& format, const std::string& description);

}  // namespace mlmq::cli
