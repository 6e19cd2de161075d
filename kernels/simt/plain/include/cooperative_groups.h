// SPDX-License-Identifier: Apache-2.0
// Header of CUDA, for kernel files on the simulator.
#pragma once

#include "simt/plain/cooperative_groups.hpp"
