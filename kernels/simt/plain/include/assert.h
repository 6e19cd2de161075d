// SPDX-License-Identifier: Apache-2.0
// Header of the C library, for kernel files on the simulator. Like that, each inclusion defines the macro again.
#undef assert
#ifdef NDEBUG
#define assert(...) static_cast<void>(0)
#else
#define assert(...) ((__VA_ARGS__) ? static_cast<void>(0) : ::mlmq_violated(#__VA_ARGS__, __FILE__, __LINE__))
#endif
