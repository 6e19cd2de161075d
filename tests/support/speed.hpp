// SPDX-License-Identifier: Apache-2.0
// Whether this build has its usual speed, for tests that depend on measured times.
#pragma once

namespace mlmq::tests {

/// ThreadSanitizer makes searches on processors ten times as slow: they last longer than expected, and are not chosen.
#ifdef __SANITIZE_THREAD__
inline constexpr bool has_usual_speed = false;
#else
inline constexpr bool has_usual_speed = true;
#endif

}  // namespace mlmq::tests
