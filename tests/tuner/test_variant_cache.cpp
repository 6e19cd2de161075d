// SPDX-License-Identifier: Apache-2.0
// Every variant is compiled once, whichever thread requests it, and whenever.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <latch>
#include <mutex>
#include <thread>

#include "fakes.hpp"
#include "tuner/variant_cache.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using namespace mlmq::tuner::test;
using namespace std::chrono_literals;

backends::kernel_source variant(int number) {
  return {.file = "fake.cu", .entry = "fake", .block_threads = 32, .defines = {{"alpha", std::to_string(number)}}};
}

std::vector<backends::kernel_source> variants(int count) {
  std::vector<backends::kernel_source> sources;
  for (int i = 0; i < count; ++i) sources.push_back(variant(i));
  return sources;
}

/// A door that blocks compilations until it is opened.
class door {
 public:
  void wait() { latch_.wait(); }
  void open() { latch_.count_down(); }

 private:
  std::latch latch_{1};
};

/// Returns whether `condition` becomes true within ten seconds.
template <class Condition>
bool soon(const Condition& condition) {
  for (int i = 0; i < 10'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

}  // namespace

TEST_CASE("asking again gives the same kernel without compiling again") {
  fake_backend device;
  variant_cache cache(device, 2);
  const auto first = cache.get(variant(1));
  CHECK(cache.get(variant(1)) == first);
  CHECK(cache.get(variant(2)) != first);
  CHECK(device.compiled() == std::map<std::string, int>{{"alpha=1", 1}, {"alpha=2", 1}});
}

TEST_CASE("every part of a source tells variants apart") {
  fake_backend device;
  variant_cache cache(device, 1);
  const auto base = cache.get(variant(1));
  for (auto change : std::vector<std::function<void(backends::kernel_source&)>>{
           [](auto& s) { s.file.push_back('x'); }, [](auto& s) { s.entry.push_back('x'); },
           [](auto& s) { s.block_threads = 64; }, [](auto& s) { s.defines.emplace("beta", "1"); },
           [](auto& s) { s.functions = {"sum<float>"}; }, [](auto& s) { s.functions = {"sum<int>"}; },
           [](auto& s) { s.options = {"--use_fast_math"}; }, [](auto& s) { s.folder = "/elsewhere"; }}) {
    backends::kernel_source changed = variant(1);
    change(changed);
    CHECK(cache.get(changed) != base);
  }
}

TEST_CASE("many threads that get and prefetch the same variants compile each once") {
  fake_backend device;
  device.on_compile = [](const backends::kernel_source&) {
    std::this_thread::sleep_for(1ms);
    return backends::kernel_properties{};
  };
  variant_cache cache(device, 3);
  const auto sources = variants(20);
  std::mutex mutex;
  std::map<std::string, std::set<const backends::kernel*>> loaded;
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&, caller] {
        if (caller % 2 == 0) cache.prefetch(sources);
        for (std::size_t i = 0; i < sources.size(); ++i) {
          const auto& source = sources[(i * 7 + static_cast<std::size_t>(caller) * 5) % sources.size()];
          const auto kernel = cache.get(source);
          const std::lock_guard lock(mutex);
          loaded[text_of(source)].insert(kernel.get());
        }
      });
    }
  }
  for (const auto& [text, times] : device.compiled()) {
    CAPTURE(text);
    CHECK(times == 1);
  }
  CHECK(device.compiled().size() == sources.size());
  for (const auto& [text, kernels] : loaded) CHECK(kernels.size() == 1);
  CHECK(cache.totals().variants == sources.size());
}

TEST_CASE("prefetched variants are compiled in order, before they are requested") {
  fake_backend device;
  std::mutex mutex;
  std::vector<std::string> order;
  device.on_compile = [&](const backends::kernel_source& source) {
    const std::lock_guard lock(mutex);
    order.push_back(text_of(source));
    return backends::kernel_properties{};
  };
  variant_cache cache(device, 1);
  cache.prefetch(variants(5));
  cache.prefetch(variants(6));
  CHECK(soon([&] { return cache.totals().variants == 6; }));
  CHECK(order == std::vector<std::string>{"alpha=0", "alpha=1", "alpha=2", "alpha=3", "alpha=4", "alpha=5"});
}

TEST_CASE("a caller compiles a requested variant at once if no thread has started on it") {
  fake_backend device;
  door busy;
  device.on_compile = [&](const backends::kernel_source& source) {
    if (text_of(source) == "alpha=0") busy.wait();
    return backends::kernel_properties{};
  };
  variant_cache cache(device, 1);
  cache.prefetch(variants(50));
  // The only thread is blocked by the first variant; the caller does not wait for it to reach the last one.
  CHECK(soon([&] { return !device.compiled().empty(); }));
  CHECK(cache.get(variant(49)) != nullptr);
  CHECK(device.compiled().size() == 2);
  busy.open();
  CHECK(soon([&] { return cache.totals().variants == 50; }));
  CHECK(device.compiled().at("alpha=49") == 1);
}

TEST_CASE("an error of the compiler reaches every caller, every time, and is not tried again") {
  fake_backend device;
  door all_wait;
  device.on_compile = [&](const backends::kernel_source&) -> backends::kernel_properties {
    all_wait.wait();
    throw backends::compile_error("no such thing");
  };
  variant_cache cache(device, 1);
  std::atomic<int> errors = 0;
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&] {
        try {
          static_cast<void>(cache.get(variant(1)));
        } catch (const backends::compile_error& error) {
          if (std::string(error.what()) == "no such thing") ++errors;
        }
      });
    }
    CHECK(soon([&] { return !device.compiled().empty(); }));
    all_wait.open();
  }
  CHECK(errors == 4);
  CHECK_THROWS_AS(cache.get(variant(1)), backends::compile_error);
  CHECK(device.compiled().at("alpha=1") == 1);
  CHECK(cache.totals().variants == 0);
}

TEST_CASE("an error while compiling ahead is reported to the caller that requests the variant") {
  fake_backend device;
  device.on_compile = [](const backends::kernel_source& source) -> backends::kernel_properties {
    if (text_of(source) == "alpha=0") throw backends::compile_error("bad");
    return {};
  };
  variant_cache cache(device, 1);
  cache.prefetch(variants(2));
  CHECK(soon([&] { return cache.totals().variants == 1; }));
  CHECK_THROWS_WITH(cache.get(variant(0)), "bad");
  CHECK(cache.get(variant(1)) != nullptr);
}

TEST_CASE("the destructor waits for running compilations and drops those that have not begun") {
  fake_backend device;
  std::atomic<int> finished = 0;
  device.on_compile = [&](const backends::kernel_source&) {
    std::this_thread::sleep_for(20ms);
    ++finished;
    return backends::kernel_properties{};
  };
  std::size_t begun = 0;
  {
    variant_cache cache(device, 2);
    cache.prefetch(variants(1000));
    CHECK(soon([&] { return device.compiled().size() >= 2; }));
  }
  begun = device.compiled().size();
  CHECK(static_cast<std::size_t>(finished) == begun);
  CHECK(begun < 1000);
  std::this_thread::sleep_for(50ms);
  CHECK(device.compiled().size() == begun);
}

TEST_CASE("a kernel outlives the cache that made it") {
  fake_backend device;
  variant_cache::kernel_pointer kernel;
  {
    variant_cache cache(device, 1);
    kernel = cache.get(variant(1));
  }
  CHECK(kernel->resident_blocks(0) == 8);
}

TEST_CASE("the totals tell compiled variants from those read from disk") {
  fake_backend device;
  device.on_compile = [](const backends::kernel_source& source) {
    const double number = std::stod(source.defines.at("alpha"));
    backends::kernel_properties properties;
    properties.compile_ms = 10 * number;
    properties.from_cache = number > 2;
    return properties;
  };
  variant_cache cache(device, 1);
  CHECK(cache.totals().variants == 0);
  CHECK(cache.totals().waited_ms == 0);
  for (const int number : {1, 2, 3, 4, 2}) static_cast<void>(cache.get(variant(number)));
  const variant_cache::statistics totals = cache.totals();
  CHECK(totals.variants == 4);
  CHECK(totals.from_disk == 2);
  CHECK(totals.compile_ms == 30);
  CHECK(totals.longest_ms == 20);
  CHECK(totals.waited_ms > 0);
}

TEST_CASE("the time that callers waited is measured") {
  fake_backend device;
  device.on_compile = [](const backends::kernel_source&) {
    std::this_thread::sleep_for(30ms);
    return backends::kernel_properties{};
  };
  variant_cache cache(device, 1);
  static_cast<void>(cache.get(variant(1)));
  CHECK(cache.totals().waited_ms >= 30);
  CHECK(cache.totals().waited_ms < 10'000);
}
