// SPDX-License-Identifier: Apache-2.0
// Information from the operating system about the processors.
#pragma once

#include <cstdint>
#include <string>

namespace mlmq::backends {

struct processor_info {
  std::string model;         ///< "Intel(R) Xeon(R) Platinum 8480C"; "unknown processor" if the system does not report
                             ///< it
  std::string architecture;  ///< "x86_64"
  std::string system;        ///< "Linux 6.1.0"
  unsigned usable = 1;       ///< number of hardware threads that this process may use
  std::uint64_t memory_bytes = 0;
};

[[nodiscard]] processor_info find_processors();

}  // namespace mlmq::backends
