// SPDX-License-Identifier: Apache-2.0
// This file does not compile, on purpose.
#include "simt/simt.cuh"

struct broken_arguments {
  u32 value;
};

SIMT_KERNEL(broken, broken_arguments) { undeclared_name(arguments.value); }
