// SPDX-License-Identifier: Apache-2.0
// The names of CUDA C++ on the simulator, included before a kernel file in plain CUDA C++. The kernel file is compiled
// with the instrumentation of -fsanitize=thread, so that every access to memory calls the simulator.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <typeinfo>

#include <math.h>
#include <stdlib.h>

// The kernel file may define short names of its own for integers.
#define u8 mlmq_u8
#define u32 mlmq_u32
#define u64 mlmq_u64
#include "simt/plain_api.hpp"
#undef u8
#undef u32
#undef u64

#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDA_ARCH__ 900
#define __CUDACC_VER_MAJOR__ 12
#define CUDART_VERSION 12000

// "used", so that the compiler does not replace a variable that only the host writes by its initial value. "inline"
// makes the shared variables of a kernel visible to the linker; otherwise the compiler does not instrument accesses to
// scalars.
//
// Macros of this folder expand to reserved words only, because a kernel file, or a parameter, may define any other.
#define __global__ inline __attribute__((__used__, __visibility__("default")))
#define __device__ __attribute__((__used__))
#define __constant__ __attribute__((__used__))
#define __host__
// Thread-local storage is one block of addresses, which the simulator finds, also for the variables of templates.
// The alignment leaves gaps in which accesses beyond the end of most variables are noticed.
#define __shared__ static __thread __attribute__((__aligned__(256)))
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((__always_inline__))
#ifndef __noinline__
#define __noinline__ __attribute__((__noinline__))
#endif
#define __align__(bytes) __attribute__((__aligned__(bytes)))
#define __CUDA_ALIGN__(bytes) __attribute__((__aligned__(bytes)))

// The caller's place in the kernel, for reports.
#define MLMQ_PLACE const char *file = __builtin_FILE(), mlmq_u32 line = __builtin_LINE()
// Functions that call the simulator read its tables, which are no memory of the device.
#define MLMQ_CALLS_SIMULATOR \
  __attribute__((no_sanitize("thread"), no_sanitize_coverage, noinline, unused, visibility("hidden")))

#include "simt/plain/atomics.hpp"
#include "simt/plain/instrumentation.hpp"
#include "simt/plain/intrinsics.hpp"
#include "simt/plain/math.hpp"
#include "simt/plain/vector_types.hpp"
