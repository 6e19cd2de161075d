// SPDX-License-Identifier: Apache-2.0
// Workloads are read ahead in order, within the budget, and each once.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tuner/workload_loader.hpp"

using namespace mlmq;
using namespace mlmq::tuner;

namespace {

/// Workloads whose size is in their name; reading one waits until the test allows it.
class gated_kind final : public workload_kind {
 public:
  [[nodiscard]] std::string name() const override { return "gated"; }
  [[nodiscard]] std::span<const named_meaning> options() const override { return {}; }
  [[nodiscard]] bool is_file(const std::filesystem::path&) const override { return false; }
  [[nodiscard]] bool is_generated_by(std::string_view) const override { return true; }
  void describe(workload_input&, std::span<const setting>) const override {}
  [[nodiscard]] std::string size_unit() const override { return "units"; }
  [[nodiscard]] std::uint64_t expected_size(const workload_input& input) const override {
    return std::stoull(input.name);
  }
  [[nodiscard]] std::unique_ptr<workload> load(const workload_input& input) const override {
    std::unique_lock lock(mutex_);
    ++loads_[input.name];
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    if (input.generated == "broken") throw input_error("broken " + input.name);
    auto loaded = std::make_unique<workload>();
    loaded->record.name = input.name;
    return loaded;
  }

  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait_for_loads(std::size_t count) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return loads_.size() >= count; });
  }
  [[nodiscard]] std::map<std::string, int> loads() const {
    const std::lock_guard lock(mutex_);
    return loads_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::map<std::string, int> loads_;
  bool open_ = false;
};

planned_workload sized(std::int64_t row, const std::string& size) {
  planned_workload planned;
  planned.row = row;
  planned.input.name = size;
  return planned;
}

}  // namespace

TEST_CASE("workloads that fit into the budget are read ahead, and each is read once") {
  gated_kind kind;
  workload_loader loader(kind, 3, load_budget(10));
  const std::array next{sized(1, "4"), sized(2, "6"), sized(3, "5")};
  loader.read_ahead(next);
  kind.wait_for_loads(2);
  CHECK(kind.loads() == std::map<std::string, int>{{"4", 1}, {"6", 1}});  // 5 more would be too much
  CHECK_FALSE(loader.has_read(1));
  kind.open();
  CHECK(loader.take(next[0])->record.name == "4");
  CHECK(loader.take(next[1])->record.name == "6");
  CHECK(loader.take(next[2])->record.name == "5");
  CHECK(kind.loads() == std::map<std::string, int>{{"4", 1}, {"5", 1}, {"6", 1}});
}

TEST_CASE("a workload that is larger than the budget is read ahead alone") {
  gated_kind kind;
  workload_loader loader(kind, 2, load_budget(10));
  loader.read_ahead(std::array{sized(1, "40"), sized(2, "1")});
  kind.wait_for_loads(1);
  CHECK(kind.loads() == std::map<std::string, int>{{"40", 1}});
  kind.open();
  CHECK(loader.take(sized(1, "40"))->record.name == "40");
}

TEST_CASE("a workload that is no longer next is dropped, and read again on request") {
  gated_kind kind;
  kind.open();
  workload_loader loader(kind, 1, load_budget(10));
  loader.read_ahead(std::array{sized(1, "10")});
  while (!loader.has_read(1)) std::this_thread::yield();
  loader.read_ahead(std::array{sized(2, "9")});  // needs the room of the first
  while (!loader.has_read(2)) std::this_thread::yield();
  CHECK_FALSE(loader.has_read(1));
  CHECK(loader.take(sized(1, "10"))->record.name == "10");
  CHECK(kind.loads() == std::map<std::string, int>{{"10", 2}, {"9", 1}});
}

TEST_CASE("an error while reading ahead is reported to the caller that needs the workload") {
  gated_kind kind;
  kind.open();
  workload_loader loader(kind, 1, load_budget(10));
  planned_workload broken = sized(1, "3");
  broken.input.generated = "broken";
  loader.read_ahead(std::array{broken, sized(2, "2")});
  CHECK(loader.take(sized(2, "2"))->record.name == "2");
  CHECK_THROWS_WITH(loader.take(broken), "broken 3");
}

TEST_CASE("without threads nothing is read ahead") {
  gated_kind kind;
  kind.open();
  workload_loader loader(kind, 0, load_budget(10));
  CHECK_FALSE(loader.reads_ahead());
  loader.read_ahead(std::array{sized(1, "1")});
  CHECK(kind.loads().empty());
  CHECK(loader.take(sized(1, "1"))->record.name == "1");
}
