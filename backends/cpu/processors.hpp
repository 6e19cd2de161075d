// SPDX-License-Identifier: Apache-2.0
// What the system says about its processors.
#pragma once

#include <cstdint>
#include <string>

namespace mlmq::backends {

struct processor_info {
  std::string model;         ///< "Intel(R) Xeon(R) Platinum 8480C"; "unknown processor" where the system does not say
  std::string architecture;  ///< "x86_64"
  std::string system;        ///< "Linux 6.1.0"
  unsigned usable = 1;       ///< hardware threads that this process may run on
  std::uint64_t memory_bytes = 0;
};

[[nodiscard]] processor_info find_processors();

}  // namespace mlmq::backends
