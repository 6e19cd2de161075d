// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "report/reproduce/plotting.hpp"
#include "tests/report/reproduce/fixture.hpp"

using namespace mlmq;
using namespace mlmq::reproduce;
using namespace mlmq::reproduce::tests;
using Catch::Matchers::Contains;

TEST_CASE("a Python without the plotting packages is refused, with the packages to install") {
  ::setenv("MLMQ_PYTHON", "/nowhere/python", 1);
  CHECK_THROWS_AS(find_python(), input_error);
  CHECK_THROWS_WITH(find_python(), Contains("/nowhere/python") && Contains("python3-matplotlib"));
  ::setenv("MLMQ_PYTHON", "/bin/false", 1);
  CHECK_THROWS_WITH(find_python(), Contains("/bin/false"));
  ::setenv("MLMQ_PYTHON", "/bin/true", 1);
  CHECK(find_python() == "/bin/true");
  ::unsetenv("MLMQ_PYTHON");
}

TEST_CASE("a script gets its request, and its output is returned") {
  const figure_folder folder;
  // The shell stands in for Python: it accepts the option -B.
  folder.write("script", "echo \"drawn from $1\"\n");
  CHECK(run_script("/bin/bash", folder.path() / "script", "the request", folder.path()) == "drawn from the request\n");
}

TEST_CASE("the message of a failing script is passed on") {
  const figure_folder folder;
  folder.write("script", "echo 'no such device' >&2; exit 2\n");
  CHECK_THROWS_AS(run_script("/bin/bash", folder.path() / "script", "", folder.path()), work_error);
  CHECK_THROWS_WITH(run_script("/bin/bash", folder.path() / "script", "", folder.path()), Contains("no such device"));
  folder.write("script", "exit 4\n");
  CHECK_THROWS_WITH(run_script("/bin/bash", folder.path() / "script", "", folder.path()), Contains("exit status 4"));
}
