// SPDX-License-Identifier: Apache-2.0
// Features of recorded graphs, computed anew.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "fakes.hpp"
#include "graph/feature_list.hpp"
#include "tuner/feature_update.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using mlmq::tuner::test::temporary_folder;

std::vector<input> inputs_named(const std::vector<std::string>& names) { return list_inputs(experiment_file(), names); }

/// As an older program recorded it: fewer features, and one by another definition.
db::graph_record old_record(const std::string& name) {
  db::graph_record record = load_input(inputs_named({name}).front()).record;
  record.features.resize(8);
  record.features[3].second += 1;
  record.graph_class = "as it was";
  return record;
}

}  // namespace

TEST_CASE("recorded graphs get all features, as a sweep would record them, and nothing else changes") {
  const temporary_folder folder;
  auto store = db::store::open(folder.path() / "r.sqlite", db::open_mode::read_write_create);
  const std::int64_t road = store.put_graph(old_record("road6"));
  const std::int64_t mesh = store.put_graph(old_record("del6"));
  std::vector<std::string> seen;
  const auto inputs = inputs_named({"rmat6", "road6", "path5"});
  feature_update_report report = update_features(store, inputs, [&](const std::string& name) { seen.push_back(name); });
  CHECK(seen == std::vector<std::string>{"road6"});  // the others are not on record and not generated
  CHECK(report.graphs == 1);
  CHECK(report.added == graph::feature_definitions().size() - 8);
  CHECK(report.changed == 1);
  CHECK(report.missing == std::vector<std::string>{"del6"});
  CHECK(report.others.empty());
  const db::graph_record now = store.graph(road);
  for (const auto& [name, value] : load_input(inputs[1]).record.features) CHECK(now.feature(name) == value);
  CHECK(now.graph_class == "as it was");
  CHECK(store.graph(mesh).features.size() == 8);

  report = update_features(store, inputs);
  CHECK(report.graphs == 1);
  CHECK(report.added + report.changed == 0);
}

TEST_CASE("a graph of the same name with other content is left alone") {
  const temporary_folder folder;
  auto store = db::store::open(folder.path() / "r.sqlite", db::open_mode::read_write_create);
  db::graph_record other = old_record("road6");
  other.hash = std::string(32, '0');
  const std::int64_t id = store.put_graph(other);
  const feature_update_report report = update_features(store, inputs_named({"road6"}));
  CHECK(report.graphs == 0);
  CHECK(report.others == std::vector<std::string>{"road6"});
  CHECK(report.missing == std::vector<std::string>{"road6"});
  CHECK(store.graph(id).features.size() == 8);
}

TEST_CASE("a graph that is listed twice is updated once") {
  const temporary_folder folder;
  auto store = db::store::open(folder.path() / "r.sqlite", db::open_mode::read_write_create);
  store.put_graph(old_record("road6"));
  const feature_update_report report = update_features(store, inputs_named({"road6", "road6"}));
  CHECK(report.graphs == 1);
  CHECK(report.others.empty());
  CHECK(report.missing.empty());
}
