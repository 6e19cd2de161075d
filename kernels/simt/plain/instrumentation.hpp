// SPDX-License-Identifier: Apache-2.0
// What the instrumented code calls: each access to memory and each basic block. Also how the launch calls a kernel.
#pragma once

namespace mlmq_cuda {

using view = simt::simulator::plain_lane_view;
using simt::simulator::collective;

/// Returns the state of the lane; see simt::simulator::stack_bytes. A macro, because the compiler inlines no
/// instrumented function into one that is not, and the other way round.
#define MLMQ_SELF                                                                                           \
  reinterpret_cast<::mlmq_cuda::view*>(                                                                     \
      (reinterpret_cast<unsigned long>(__builtin_frame_address(0)) & ~(simt::simulator::stack_bytes - 1)) + \
      simt::simulator::stack_bytes - simt::simulator::view_bytes)
inline view* self() { return MLMQ_SELF; }

/// Whether a lane has called a function of this object. The object's initialisation, which is instrumented too, runs on
/// no lane.
__attribute__((visibility("hidden"))) inline bool is_running = false;

MLMQ_CALLS_SIMULATOR static void access(const volatile void* address, mlmq_u64 bytes, mlmq_u32 alignment, bool write,
                                        const void* code) {
  if (!is_running) return;
  view* const me = MLMQ_SELF;
  // A lane's own stack is private.
  if ((reinterpret_cast<unsigned long>(address) ^ reinterpret_cast<unsigned long>(me)) < simt::simulator::stack_bytes) {
    return;
  }
  me->plain->access(me, const_cast<const void*>(address), bytes, alignment, write, code);
}

MLMQ_CALLS_SIMULATOR static void access_volatile(const volatile void* address, mlmq_u32 bytes, bool write,
                                                 const void* code) {
  if (!is_running) return;
  view* const me = MLMQ_SELF;
  if ((reinterpret_cast<unsigned long>(address) ^ reinterpret_cast<unsigned long>(me)) < simt::simulator::stack_bytes) {
    return;
  }
  me->plain->access_volatile(me, const_cast<const void*>(address), bytes, write, code);
}

MLMQ_CALLS_SIMULATOR static mlmq_u64 collect(collective kind, mlmq_u32 mask, mlmq_u64 value, mlmq_u32 from_lane,
                                             const char* file, mlmq_u32 line) {
  view* const me = MLMQ_SELF;
  return me->plain->collect(me, kind, mask, value, from_lane, file, line);
}

MLMQ_CALLS_SIMULATOR static mlmq_u64 atomic(mlmq_u32 code, void* address, mlmq_u64 value, mlmq_u64 expected,
                                            const char* file, mlmq_u32 line) {
  view* const me = MLMQ_SELF;
  return me->call->atomic(me, code, address, value, expected, file, line);
}

MLMQ_CALLS_SIMULATOR static void fence(simt::scope scope, const char* file, mlmq_u32 line) {
  view* const me = MLMQ_SELF;
  me->call->fence(me, simt::order::acq_rel, scope, file, line);
}

MLMQ_CALLS_SIMULATOR static mlmq_u64 clock_ns() {
  view* const me = MLMQ_SELF;
  return me->call->clock_ns(me);
}

MLMQ_CALLS_SIMULATOR static void backoff(mlmq_u32 nanoseconds, const char* file, mlmq_u32 line) {
  view* const me = MLMQ_SELF;
  me->call->backoff(me, nanoseconds, file, line);
}

MLMQ_CALLS_SIMULATOR static void violated(const char* condition, const char* file, mlmq_u32 line) {
  view* const me = MLMQ_SELF;
  me->call->violated(me, condition, file, line);
}

/// Calls a __global__ function.
template <class... Parameters>
struct function_call {
  template <std::size_t... i>
  __attribute__((no_sanitize("thread"))) static void with(void (*function)(Parameters...), void* const* arguments,
                                                          std::index_sequence<i...>) {
    function(*static_cast<std::remove_reference_t<Parameters>*>(arguments[i])...);
  }
};
}  // namespace mlmq_cuda

// The names in the generated functions are reserved, because a parameter may have any other.
using mlmq_type_info = std::type_info;
template <class... Parameters>
__attribute__((no_sanitize("thread"))) void mlmq_call(void (*function)(Parameters...), void* const* arguments) {
  mlmq_cuda::is_running = true;
  mlmq_cuda::function_call<Parameters...>::with(function, arguments, std::index_sequence_for<Parameters...>());
}
template <class... Parameters>
struct mlmq_parameter_sizes_of {
  mlmq_u32 bytes[sizeof...(Parameters) + 1] = {sizeof(Parameters)..., 0};
};
template <class... Parameters>
constexpr mlmq_parameter_sizes_of<Parameters...> mlmq_parameter_sizes(void (*)(Parameters...)) {
  return {};
}

extern "C" {

#define MLMQ_CALLED_BY_COMPILER __attribute__((no_sanitize("thread"), no_sanitize_coverage, used, visibility("hidden")))
#define MLMQ_ACCESSES(size)                                                           \
  MLMQ_CALLED_BY_COMPILER void __tsan_read##size(void* address) {                     \
    mlmq_cuda::access(address, size, size, false, __builtin_return_address(0));       \
  }                                                                                   \
  MLMQ_CALLED_BY_COMPILER void __tsan_write##size(void* address) {                    \
    mlmq_cuda::access(address, size, size, true, __builtin_return_address(0));        \
  }                                                                                   \
  MLMQ_CALLED_BY_COMPILER void __tsan_unaligned_read##size(void* address) {           \
    mlmq_cuda::access(address, size, 1, false, __builtin_return_address(0));          \
  }                                                                                   \
  MLMQ_CALLED_BY_COMPILER void __tsan_unaligned_write##size(void* address) {          \
    mlmq_cuda::access(address, size, 1, true, __builtin_return_address(0));           \
  }                                                                                   \
  MLMQ_CALLED_BY_COMPILER void __tsan_volatile_read##size(void* address) {            \
    mlmq_cuda::access_volatile(address, size, false, __builtin_return_address(0));    \
  }                                                                                   \
  MLMQ_CALLED_BY_COMPILER void __tsan_volatile_write##size(void* address) {           \
    mlmq_cuda::access_volatile(address, size, true, __builtin_return_address(0));     \
  }                                                                                   \
  MLMQ_CALLED_BY_COMPILER void __tsan_unaligned_volatile_read##size(void* address) {  \
    mlmq_cuda::access_volatile(address, size, false, __builtin_return_address(0));    \
  }                                                                                   \
  MLMQ_CALLED_BY_COMPILER void __tsan_unaligned_volatile_write##size(void* address) { \
    mlmq_cuda::access_volatile(address, size, true, __builtin_return_address(0));     \
  }
MLMQ_ACCESSES(1)
MLMQ_ACCESSES(2)
MLMQ_ACCESSES(4)
MLMQ_ACCESSES(8)
MLMQ_ACCESSES(16)
#undef MLMQ_ACCESSES

MLMQ_CALLED_BY_COMPILER void __tsan_read_range(void* address, unsigned long bytes) {
  mlmq_cuda::access(address, bytes, 1, false, __builtin_return_address(0));
}
MLMQ_CALLED_BY_COMPILER void __tsan_write_range(void* address, unsigned long bytes) {
  mlmq_cuda::access(address, bytes, 1, true, __builtin_return_address(0));
}
MLMQ_CALLED_BY_COMPILER void __tsan_init() {}
MLMQ_CALLED_BY_COMPILER void __tsan_func_entry(void*) {}
MLMQ_CALLED_BY_COMPILER void __tsan_func_exit() {}
MLMQ_CALLED_BY_COMPILER void __tsan_vptr_read(void*) {}
MLMQ_CALLED_BY_COMPILER void __tsan_vptr_update(void*, void*) {}
MLMQ_CALLED_BY_COMPILER void __sanitizer_cov_trace_pc() {
  if (!mlmq_cuda::is_running) return;
  mlmq_cuda::view* const me = MLMQ_SELF;
  if (++me->steps == simt::simulator::step_limit) me->plain->take_steps(me);
}

}  // extern "C"

/// Dynamic shared memory. Every extern __shared__ array is renamed to it.
extern "C" {
__attribute__((used,
               aligned(1024))) __thread unsigned char mlmq_dynamic_shared[simt::simulator::max_dynamic_shared_bytes];
}
extern "C" __attribute__((no_sanitize("thread"), no_sanitize_coverage, visibility("default"))) void*
mlmq_find_dynamic_shared() {
  return mlmq_dynamic_shared;
}
