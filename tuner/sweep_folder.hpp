// SPDX-License-Identifier: Apache-2.0
// A folder that the workers of one sweep share.
#pragma once

namespace mlmq::tuner {

/// Environment variable of workers: a folder of this user's that lasts as long as the sweep, for what one worker
/// computes and others need, too.
inline constexpr const char* sweep_folder_variable = "MLMQ_SWEEP_FOLDER";

}  // namespace mlmq::tuner
