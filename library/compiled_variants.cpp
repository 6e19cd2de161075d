// SPDX-License-Identifier: Apache-2.0
#include "library/compiled_variants.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "library/stage_time.hpp"
#include "tuner/variant_cache.hpp"

namespace mlmq::detail {

void compiled_variants::make_ready(tuner::problem_instance& instance, backends::backend& device,
                                   const labelled_configuration& configuration, tuner::instrumentation mode,
                                   solve_times& times) {
  const std::string& label = configuration.label();
  if (prepared_ && prepared_->second == mode && prepared_->first == label) return;
  const variant_name name(label, mode);
  std::shared_ptr<const backends::kernel>& compiled = kernels_[name];
  if (compiled == nullptr) {
    backends::kernel_source source;
    add_time(times.prepare, times, host_copy_ms_, [&] { source = instance.variant(configuration, mode); });
    compiled = device.compile(source);
    times.compile += compiled->properties().compile_ms;
    times.compiled = !compiled->properties().from_cache;
  }
  prepared_.reset();
  add_time(times.prepare, times, host_copy_ms_, [&] { instance.prepare(configuration, compiled, mode); });
  prepared_ = name;
}

bool compiled_variants::compile_ahead(tuner::problem_instance& instance, backends::backend& device,
                                      const labelled_configuration& configuration, tuner::instrumentation mode,
                                      solve_times& times) {
  std::shared_ptr<const backends::kernel>& compiled = kernels_[{configuration.label(), mode}];
  if (compiled != nullptr) return true;
  try {
    if (!ahead_.valid()) {
      backends::kernel_source source;
      add_time(times.prepare, times, host_copy_ms_, [&] { source = instance.variant(configuration, mode); });
      ahead_ = std::async(std::launch::async, [&device, source] { return device.compile(source); });
    }
    if (ahead_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    compiled = ahead_.get();
  } catch (const std::runtime_error&) {
    // make_ready() meets the same error.
  }
  return true;
}

void compiled_variants::compile_all(const tuner::problem_instance& instance, backends::backend& device,
                                    std::span<const std::shared_ptr<const attempt>> attempts,
                                    tuner::instrumentation mode) {
  std::vector<variant_name> missing;
  std::vector<backends::kernel_source> variants;
  for (const std::shared_ptr<const attempt>& candidate : attempts) {
    const variant_name name(candidate->configuration.label(), mode);
    if (kernels_[name] != nullptr) continue;
    try {
      variants.push_back(instance.variant(candidate->configuration, mode));
      missing.push_back(name);
    } catch (const backends::launch_error&) {
      // make_ready() reports this error.
    }
  }
  if (missing.size() < 2) return;
  const auto threads = std::min<std::size_t>(missing.size(), std::max(1U, std::thread::hardware_concurrency()));
  tuner::variant_cache cache(device, static_cast<unsigned>(threads));
  cache.prefetch(variants);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    try {
      kernels_[missing[i]] = cache.get(variants[i]);
    } catch (const backends::compile_error&) {
      // make_ready() reports this error.
    }
  }
}

}  // namespace mlmq::detail
