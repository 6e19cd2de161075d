// SPDX-License-Identifier: Apache-2.0
// Machine code shipped with the program, so that first calls do not compile. There is one read-only file per
// architecture, "sm_90.kernels". Code is used only if source, macros, architecture and compiler equal those of a
// compilation on this machine.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/code_archive.hpp"

namespace mlmq::backends {

/// Returns $MLMQ_MACHINE_CODE, or the install tree's share/mlmq/machine-code, or "" if neither exists.
[[nodiscard]] std::filesystem::path machine_code_folder();

/// Returns the path of an architecture's file in a folder. @param architecture "sm_90"
[[nodiscard]] std::filesystem::path machine_code_file(const std::filesystem::path& folder,
                                                      const std::string& architecture);

/// Returns the code shipped for an architecture. Null if there is none, or its index cannot be read.
[[nodiscard]] std::shared_ptr<const code_archive> shipped_for(const std::string& architecture);

/// Returns the machine code of a variant, or nothing if it was not shipped, is damaged or was rejected. @param hash see
/// variant_hash()
[[nodiscard]] std::optional<std::string> find_shipped(const std::string& hash, const std::string& architecture);

/// Makes find_shipped() ignore a variant that the device has rejected.
void refuse_shipped(const std::string& hash);

/// Makes the next calls open the files again, after one has been written.
void reopen_shipped();

/// Returns one entry per file in machine_code_folder(): its architecture and its state.
/// @param compiler  compiler of this machine, "NVRTC 13.0"; "" for none
[[nodiscard]] std::vector<std::pair<std::string, std::string>> report_shipped(const std::string& compiler);

}  // namespace mlmq::backends
