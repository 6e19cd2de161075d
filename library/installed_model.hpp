// SPDX-License-Identifier: Apache-2.0
// The selector that was installed for a device, as a model of the library.
#pragma once

#include <memory>
#include <string_view>

#include "library/impl.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::detail {

/// Whether it is model::standard(), which means what is installed for a device.
[[nodiscard]] bool is_standard(const model& asked);

/// What is installed for the device and the problem; null when there is nothing, or what is there cannot be used: then
/// standard error has a line about it, once in a process. A file that has not changed is read once in a process.
/// @param parameters of the problem, which must understand the configurations that it chooses from
[[nodiscard]] std::shared_ptr<const model_data> installed_model(std::string_view device, std::string_view problem,
                                                                const tuner::parameter_set& parameters);

/// The model of a file. @throws input_error as model::read()
[[nodiscard]] std::shared_ptr<const model_data> read_installed(const std::filesystem::path& file);

}  // namespace mlmq::detail
