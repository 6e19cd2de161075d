// SPDX-License-Identifier: Apache-2.0
// Recomputing the features of recorded graphs.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "fakes.hpp"
#include "graph/feature_list.hpp"
#include "tuner/feature_update.hpp"
#include "tuner/workload_list.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using mlmq::tuner::test::temporary_folder;

std::vector<workload_input> inputs_named(const std::vector<std::string>& names) {
  return list_workloads(problems::graph_kind(), names);
}

db::workload_record load_record(const workload_input& input) { return problems::graph_kind().load(input)->record; }

/// Returns a workload recorded by an older program: with fewer features, one of them by another definition.
db::workload_record old_record(const std::string& name) {
  db::workload_record record = load_record(inputs_named({name}).front());
  record.features.resize(8);
  record.features[3].second += 1;
  record.workload_class = "as it was";
  return record;
}

}  // namespace

TEST_CASE("recorded graphs get all features, as a sweep would record them, and nothing else changes") {
  const temporary_folder folder;
  auto store = db::store::open(folder.path() / "r.sqlite", db::open_mode::read_write_create);
  const std::int64_t road = store.put_workload(old_record("road6"));
  const std::int64_t mesh = store.put_workload(old_record("del6"));
  std::vector<std::string> seen;
  const auto inputs = inputs_named({"rmat6", "road6", "path5"});
  feature_update_report report =
      update_features(store, problems::graph_kind(), inputs, [&](const std::string& name) { seen.push_back(name); });
  CHECK(seen == std::vector<std::string>{"road6"});  // the others are not on record and not generated
  CHECK(report.workloads == 1);
  CHECK(report.added == graph::feature_definitions().size() - 8);
  CHECK(report.changed == 1);
  CHECK(report.missing == std::vector<std::string>{"del6"});
  CHECK(report.others.empty());
  const db::workload_record now = store.workload(road);
  for (const auto& [name, value] : load_record(inputs[1]).features) CHECK(now.feature(name) == value);
  CHECK(now.workload_class == "as it was");
  CHECK(store.workload(mesh).features.size() == 8);

  report = update_features(store, problems::graph_kind(), inputs);
  CHECK(report.workloads == 1);
  CHECK(report.added + report.changed == 0);
}

TEST_CASE("a graph of the same name with other content is left alone") {
  const temporary_folder folder;
  auto store = db::store::open(folder.path() / "r.sqlite", db::open_mode::read_write_create);
  db::workload_record other = old_record("road6");
  other.hash = std::string(32, '0');
  const std::int64_t id = store.put_workload(other);
  const feature_update_report report = update_features(store, problems::graph_kind(), inputs_named({"road6"}));
  CHECK(report.workloads == 0);
  CHECK(report.others == std::vector<std::string>{"road6"});
  CHECK(report.missing == std::vector<std::string>{"road6"});
  CHECK(store.workload(id).features.size() == 8);
}

TEST_CASE("a graph that is listed twice is updated once") {
  const temporary_folder folder;
  auto store = db::store::open(folder.path() / "r.sqlite", db::open_mode::read_write_create);
  store.put_workload(old_record("road6"));
  const feature_update_report report = update_features(store, problems::graph_kind(), inputs_named({"road6", "road6"}));
  CHECK(report.workloads == 1);
  CHECK(report.others.empty());
  CHECK(report.missing.empty());
}
