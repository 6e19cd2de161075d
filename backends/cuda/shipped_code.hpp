// SPDX-License-Identifier: Apache-2.0
// Machine code that came with the program: kernels of first calls, so that these compile nothing. One file for each
// architecture, "sm_90.kernels", which is only read. Only what is equal counts: the same source, macros, architecture
// and compiler as would be compiled here.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/code_archive.hpp"

namespace mlmq::backends {

/// $MLMQ_MACHINE_CODE, or the install tree's share/mlmq/machine-code; "" where there is neither.
[[nodiscard]] std::filesystem::path machine_code_folder();

/// The file of an architecture in a folder. @param architecture "sm_90"
[[nodiscard]] std::filesystem::path machine_code_file(const std::filesystem::path& folder,
                                                      const std::string& architecture);

/// Returns the code that was shipped for an architecture. Null if there is none, or its index cannot be read.
[[nodiscard]] std::shared_ptr<const code_archive> shipped_for(const std::string& architecture);

/// The machine code of a variant; nothing when it was not shipped, is damaged or was refused. @param hash variant_hash
[[nodiscard]] std::optional<std::string> find_shipped(const std::string& hash, const std::string& architecture);

/// From now on find_shipped() does not give it: the device does not take it.
void refuse_shipped(const std::string& hash);

/// From now on files are opened again: one of them has been written.
void reopen_shipped();

/// A line for each file in machine_code_folder(): its architecture, and what is to say of it.
/// @param compiler that is here, "NVRTC 13.0"; "" for none
[[nodiscard]] std::vector<std::pair<std::string, std::string>> report_shipped(const std::string& compiler);

}  // namespace mlmq::backends
