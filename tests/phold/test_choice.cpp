// SPDX-License-Identifier: Apache-2.0
// The shipped selector's choices can run on their device.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "problems/recommendation.hpp"
#include "problems/registry.hpp"
#include "tests/phold/phold_test.hpp"

using namespace mlmq;
using namespace mlmq::phold;
using Catch::Contains;

namespace {

std::string choice_for(const std::string& model, const backends::device_info& device) {
  const auto workload = workload_of(model);
  const std::vector<problems::recommended_configuration> recommended =
      problems::recommend(problems::find_problem("phold"), problems::facts_of(workload->record, workload.get()), device,
                          {}, {.origin = problems::model_choice::source::shipped});
  return recommended.front().configuration.label();
}

}  // namespace

TEST_CASE("a cluster is chosen where the device has clusters and the model fits") {
  const std::string model = "phold:entities=1024:events=128:rate=0.001";
  backends::device_info device;
  device.shared_bytes_per_block = 227 * 1024;
  device.cluster_blocks = 16;
  CHECK_THAT(choice_for(model, device), Contains("solver=cluster"));
  CHECK_THAT(choice_for("phold:entities=32768:events=128:rate=0.001", device), Contains("solver=calendar"));

  backends::device_info without = device;
  without.cluster_blocks = 1;
  CHECK_THAT(choice_for(model, without), Contains("solver=") && !Contains("solver=cluster"));
  backends::device_info small = device;
  small.shared_bytes_per_block = 99 * 1024;
  CHECK_THAT(choice_for(model, small), Contains("solver=") && !Contains("solver=cluster"));
}
