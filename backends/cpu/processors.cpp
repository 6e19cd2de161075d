// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/processors.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

namespace mlmq::backends {
namespace {

std::string model_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

unsigned usable_threads() {
  // Unlike hardware_concurrency(), this respects taskset and the CPU sets of containers.
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

processor_info find_processors() {
  processor_info info{.model = model_name(), .architecture = "", .system = "", .usable = usable_threads()};
  utsname names{};
  if (::uname(&names) == 0) {
    info.architecture = names.machine;
    info.system = std::string(names.sysname) + " " + names.release;
  }
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) {
    info.memory_bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
  }
  return info;
}

}  // namespace mlmq::backends
