// SPDX-License-Identifier: Apache-2.0
// Sweeps on whatever device a test brings.
#pragma once

#include "tuner/in_process_sweep.hpp"

namespace mlmq::tuner::test {

using tuner::in_process_options;
using tuner::in_process_summary;
using tuner::sweep_in_process;

}  // namespace mlmq::tuner::test
