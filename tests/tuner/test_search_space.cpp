// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <ctime>
#include <set>

#include "base/error.hpp"
#include "base/random.hpp"
#include "message.hpp"
#include "tests/support/speed.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/search_space.hpp"

using mlmq::random_stream;
using namespace mlmq::tuner;

namespace {

source_place line(int number) { return {"space.yaml", number}; }

parameter_request request(const std::string& name, const std::vector<value>& values, int line_number,
                          const std::string& active_when = "") {
  parameter_request r;
  r.name = name;
  r.place = line(line_number);
  for (const value& v : values) r.values.emplace_back(v, line(line_number));
  r.bind = std::pair(binding::compile, line(line_number));
  if (!active_when.empty()) r.when = condition{active_when, line(line_number)};
  return r;
}

std::vector<value> numbers(std::int64_t first, std::int64_t last) {
  std::vector<value> result;
  for (std::int64_t i = first; i <= last; ++i) result.emplace_back(i);
  return result;
}

std::vector<value> texts(std::initializer_list<const char*> words) {
  std::vector<value> result;
  for (const char* word : words) result.emplace_back(std::string(word));
  return result;
}

std::vector<std::string> labels(const search_space& space) {
  std::vector<std::string> result;
  for (std::uint64_t i = 0; i < space.count(); ++i) result.push_back(space.at(i).label());
  return result;
}

std::string error(const space_definition& definition, std::span<const parameter_declaration> declared = {}) {
  return message_of([&] { search_space(definition, declared); });
}

const std::vector<parameter_declaration>& declarations() {
  static const std::vector<parameter_declaration> list = {
      {"l1", value_type::text, binding::compile, std::string("none"), "", "", "", {"none", "vector"}},
      {"wb", value_type::integer, binding::compile, std::int64_t{8}, "", "", "l1 == vector", {}, 1, 64},
      {"delta", value_type::real, binding::launch, 4.0, "", "average_weight", "", {}, 0.25},
      {"threads", value_type::integer, binding::compile, std::int64_t{128}, "", "", "", {}, 32, 1024}};
  return list;
}

}  // namespace

TEST_CASE("a space lists active parameters only, the last one fastest") {
  space_definition d;
  d.parameters = {request("l1", texts({"none", "vector"}), 1), request("wb", numbers(1, 2), 2, "l1 == vector"),
                  request("threads", {std::int64_t{64}, std::int64_t{128}}, 3)};
  const search_space space(d);
  CHECK(labels(space) == std::vector<std::string>{"l1=none,threads=64", "l1=none,threads=128",
                                                  "l1=vector,threads=64,wb=1", "l1=vector,threads=128,wb=1",
                                                  "l1=vector,threads=64,wb=2", "l1=vector,threads=128,wb=2"});
  CHECK_THROWS_AS((void)space.at(6), mlmq::work_error);
}

TEST_CASE("a restriction on an inactive parameter is satisfied") {
  space_definition d;
  d.parameters = {request("l1", texts({"none", "vector"}), 1), request("wb", numbers(1, 3), 2, "l1 == vector")};
  d.restrictions = {{"wb >= 2", line(5)}};
  CHECK(labels(search_space(d)) == std::vector<std::string>{"l1=none", "l1=vector,wb=2", "l1=vector,wb=3"});
}

TEST_CASE("a condition may mention a later parameter") {
  space_definition d;
  d.parameters = {request("wb", numbers(1, 2), 1, "l1 == vector"), request("l1", texts({"none", "vector"}), 2)};
  CHECK(labels(search_space(d)) == std::vector<std::string>{"l1=none", "l1=vector,wb=1", "l1=vector,wb=2"});
}

TEST_CASE("contradictory restrictions name the first that leaves nothing") {
  space_definition d;
  d.parameters = {request("a", numbers(1, 4), 1), request("b", numbers(1, 4), 2)};
  d.restrictions = {{"a < b", line(10)}, {"a > 1", line(11)}, {"b < 3", line(12)}, {"a != b", line(13)}};
  CHECK(error(d) ==
        "space.yaml:12: no configuration satisfies the restriction 'b < 3' together with those "
        "before it");
  d.restrictions = {{"a > 4", line(10)}};
  CHECK(error(d) == "space.yaml:10: no configuration satisfies the restriction 'a > 4'");
  d.restrictions = {{"1 == 2", line(10)}};
  CHECK(error(d) == "space.yaml:10: no configuration satisfies the restriction '1 == 2'");
}

TEST_CASE("definitions without a problem say everything themselves") {
  space_definition d;
  d.parameters = {request("a", {}, 4)};
  CHECK(error(d) == "space.yaml:4: parameter 'a' has no values");
  d.parameters = {request("a", numbers(1, 2), 4)};
  d.parameters[0].bind.reset();
  CHECK(error(d) == "space.yaml:4: parameter 'a' needs 'bind: compile' or 'bind: launch'");
  d.parameters = {request("a", {std::int64_t{1}, std::string("auto")}, 4)};
  CHECK(error(d) == "space.yaml:4: parameter 'a': values mix integer (1) and text (auto)");
  d.parameters = {request("a", {std::int64_t{1}, 2.5}, 4)};
  const search_space promoted(d);
  CHECK(promoted.at(0).at("a") == value(1.0));
  CHECK(promoted.parameters().find("a")->declared.type == value_type::real);
  d.parameters = {request("a", {2.0, std::int64_t{2}}, 4)};
  CHECK(error(d) ==
        "space.yaml:4: parameter 'a': 2 and 2.0 are the same value, since a parameter with a real number has only real "
        "values; remove one of them");
  d.parameters = {request("a", {2.0, 0.5, 2.0}, 4)};
  CHECK(error(d) == "space.yaml:4: parameter 'a' has the value 2.0 twice");
  CHECK(error(space_definition{{"space.yaml", 0}, false, {}, {}, {}}) ==
        "space.yaml: the search space has neither parameters nor configurations");
}

TEST_CASE("a space is completed from the problem's declarations") {
  space_definition written;
  written.parameters = {request("l1", texts({"none", "vector"}), 1)};
  const search_space space(written, declarations());
  CHECK(labels(space) == std::vector<std::string>{"delta=4,l1=none,threads=128", "delta=4,l1=vector,threads=128,wb=8"});

  // Writing out a default does not change the configurations.
  space_definition spelled = written;
  spelled.parameters.push_back(request("delta", {std::int64_t{4}}, 2));
  spelled.parameters.back().bind.reset();
  spelled.parameters.push_back(request("wb", {std::int64_t{8}}, 3, "l1 == vector"));
  const search_space same(spelled, declarations());
  CHECK(labels(same) == labels(space));
  CHECK(same.at(1).hash() == space.at(1).hash());
  CHECK(same.parameters().find("delta")->declared.bind == binding::launch);
  CHECK(same.parameters().split(same.at(1)).launch.label() == "delta=4");
}

TEST_CASE("a file's condition on a declared parameter says where it is varied") {
  space_definition d;
  d.parameters = {request("l1", texts({"vector", "none"}), 1),
                  request("threads", {std::int64_t{64}, std::int64_t{128}}, 2),
                  request("wb", numbers(1, 2), 3, "threads == 64")};
  CHECK(labels(search_space(d, declarations())) ==
        std::vector<std::string>{"delta=4,l1=vector,threads=64,wb=1", "delta=4,l1=vector,threads=64,wb=2",
                                 "delta=4,l1=vector,threads=128,wb=8", "delta=4,l1=none,threads=64",
                                 "delta=4,l1=none,threads=128"});
}

TEST_CASE("a silent default is in the space without being named") {
  std::vector<parameter_declaration> declared = declarations();
  declared.insert(declared.begin(),
                  {"solver", value_type::text, binding::compile, std::string("queue"), "", "", "", {"queue", "sort"}});
  declared.front().silent_default = true;
  space_definition definition;
  definition.parameters = {request("solver", texts({"queue", "sort"}), 2), request("wb", numbers(1, 1), 3)};
  const search_space open_space(definition, declared);
  CHECK(labels(open_space) ==
        std::vector<std::string>{"delta=4,l1=none,threads=128", "delta=4,l1=none,solver=sort,threads=128"});
  for (std::uint64_t i = 0; i < open_space.count(); ++i) CHECK(open_space.contains(open_space.at(i)));
  definition.restrictions = {{"solver == queue", line(4)}};
  CHECK(labels(search_space(definition, declared)) == std::vector<std::string>{"delta=4,l1=none,threads=128"});

  definition.restrictions.clear();
  definition.parameters.front().values.erase(definition.parameters.front().values.begin());
  const search_space narrowed_space(definition, declared);
  CHECK(labels(narrowed_space) == std::vector<std::string>{"delta=4,l1=none,solver=sort,threads=128"});
  CHECK_FALSE(narrowed_space.contains(open_space.at(0)));

  definition.parameters.front().default_value = std::pair(value(std::string("sort")), line(5));
  CHECK_THAT(error(definition, declared), Catch::Contains("space.yaml:5: the default of 'solver' is fixed at queue"));
}

TEST_CASE("a silent default with a condition is in the space where that holds") {
  std::vector<parameter_declaration> declared = declarations();
  declared.push_back(
      {"mode", value_type::text, binding::compile, std::string("fixed"), "", "", "l1 == vector", {"fixed", "free"}});
  declared.back().silent_default = true;
  space_definition definition;
  definition.parameters = {request("l1", texts({"vector", "none"}), 1), request("mode", texts({"fixed", "free"}), 2),
                           request("wb", numbers(1, 1), 3)};
  const search_space space(definition, declared);
  CHECK(labels(space) == std::vector<std::string>{"delta=4,l1=vector,threads=128,wb=1",
                                                  "delta=4,l1=vector,mode=free,threads=128,wb=1",
                                                  "delta=4,l1=none,threads=128"});
  for (std::uint64_t i = 0; i < space.count(); ++i) CHECK(space.contains(space.at(i)));

  definition.parameters[1].values.erase(definition.parameters[1].values.begin());
  const search_space free_alone(definition, declared);
  CHECK_FALSE(free_alone.contains(space.at(0)));
  CHECK(free_alone.contains(space.at(1)));
  CHECK(free_alone.contains(space.at(2)));
}

TEST_CASE("contradictions of the declarations are refused") {
  const auto with = [](parameter_request r) {
    space_definition d;
    d.parameters = {std::move(r)};
    return error(d, declarations());
  };
  CHECK(with(request("treads", numbers(64, 64), 3)) ==
        "space.yaml:3: unknown parameter 'treads'; did you mean 'threads'?");
  CHECK(with(request("delta", {1.0}, 3)) ==
        "space.yaml:3: parameter 'delta' cannot have 'bind: compile'; allowed: launch");
  CHECK(with(request("threads", {std::int64_t{64}, std::int64_t{2048}}, 3)) ==
        "space.yaml:3: parameter 'threads': 2048 is out of range; allowed: integers 32 to 1024");
  CHECK(with(request("threads", {64.0}, 3)) ==
        "space.yaml:3: parameter 'threads': 64.0 is a real; allowed: integers 32 to 1024");
  CHECK(with(request("threads", {std::int64_t{64}, 64.0}, 3)) ==
        "space.yaml:3: parameter 'threads': 64.0 is a real; allowed: integers 32 to 1024");
  CHECK(with(request("threads", texts({"many"}), 3)) ==
        "space.yaml:3: parameter 'threads': many is a text; allowed: integers 32 to 1024");
  CHECK(with(request("l1", texts({"vectr"}), 3)) ==
        "space.yaml:3: parameter 'l1': unknown value 'vectr'; allowed: none, vector");
  parameter_request r = request("wb", numbers(8, 8), 3);
  r.unit = std::pair(std::string("bytes"), line(4));
  CHECK(with(r) == "space.yaml:4: parameter 'wb' cannot have 'unit: bytes'; allowed: none, leave 'unit' out");
  r = request("wb", numbers(8, 8), 3);
  r.default_value = std::pair(value(std::int64_t{100}), line(5));
  CHECK(with(r) == "space.yaml:5: parameter 'wb': 100 is out of range; allowed: integers 1 to 64");
}

TEST_CASE("listed configurations follow the product and are not repeated") {
  const auto listed = [](std::initializer_list<std::pair<const char*, value>> entries, int line_number) {
    configuration_request r;
    r.place = line(line_number);
    for (const auto& [name, v] : entries) r.values.set(name, v);
    return r;
  };
  space_definition d;
  d.parameters = {request("l1", texts({"none"}), 1)};
  d.restrictions = {{"threads <= 512", line(2)}};
  d.configurations = {listed({}, 3), listed({{"l1", std::string("vector")}, {"delta", std::int64_t{1}}}, 4),
                      listed({{"l1", std::string("vector")}, {"delta", 1.0}, {"wb", std::int64_t{8}}}, 5)};
  const search_space space(d, declarations());
  CHECK(labels(space) == std::vector<std::string>{"delta=4,l1=none,threads=128", "delta=1,l1=vector,threads=128,wb=8"});
  CHECK(space.contains(space.at(1)));
  CHECK_FALSE(space.contains(configuration()));

  d.has_product = false;
  d.parameters.clear();
  CHECK(search_space(d, declarations()).count() == 2);

  const auto with = [&](configuration_request r) {
    d.configurations = {std::move(r)};
    return error(d, declarations());
  };
  CHECK(with(listed({{"detla", 1.0}}, 7)) == "space.yaml:7: unknown parameter 'detla'; did you mean 'delta'?");
  CHECK(with(listed({{"wb", std::int64_t{8}}}, 7)) ==
        "space.yaml:7: parameter 'wb' does not apply here: it requires l1 == vector");
  CHECK(with(listed({{"threads", std::int64_t{16}}}, 7)) ==
        "space.yaml:7: parameter 'threads': 16 is out of range; allowed: integers 32 to 1024");
  CHECK(with(listed({{"threads", std::int64_t{1024}}}, 7)) ==
        "space.yaml:7: the configuration delta=4,l1=none,threads=1024 does not satisfy the "
        "restriction 'threads <= 512'");
}

TEST_CASE("a product of ten million with strong restrictions takes under a second of processor time") {
  space_definition d;
  for (int i = 0; i < 7; ++i) {
    d.parameters.push_back(request(fmt::format("p{}", i), numbers(0, 9), i + 1));
  }
  // Every parameter is mentioned together with every other one, so partial results cannot be dropped early.
  d.restrictions = {{"p0 < p1", line(20)}, {"p1 < p2", line(20)}, {"p2 < p3", line(20)},
                    {"p3 < p4", line(20)}, {"p4 < p5", line(20)}, {"p0 + p1 + p2 + p3 + p4 + p5 + p6 == 40", line(21)}};
  const double start = mlmq::tests::processor_seconds();
  const search_space space(d);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < space.count(); ++i) {
    sum += static_cast<std::uint64_t>(std::get<std::int64_t>(space.at(i).at("p6")));
  }
  const double took = mlmq::tests::processor_seconds() - start;
  std::uint64_t expected = 0;
  std::uint64_t expected_sum = 0;
  for (int subset = 0; subset < 1024; ++subset) {
    int members = 0;
    int total = 0;
    for (int bit = 0; bit < 10; ++bit) {
      if ((subset >> bit & 1) == 0) continue;
      ++members;
      total += bit;
    }
    if (members != 6 || total > 40 || total < 31) continue;
    ++expected;
    expected_sum += static_cast<std::uint64_t>(40 - total);
  }
  CHECK(space.count() == expected);
  CHECK(sum == expected_sum);
  CHECK(took < 1.0);
}

TEST_CASE("a huge space is counted without being listed") {
  space_definition d;
  for (int i = 0; i < 12; ++i) {
    d.parameters.push_back(request(fmt::format("p{}", i), numbers(0, 29), i + 1));
  }
  d.restrictions = {{"p0 < p1", line(20)}};
  d.place = line(0);
  const search_space space(d);
  CHECK(space.count() == 435u * 590490000000000u);
  CHECK(space.at(space.count() - 1).label() ==
        "p0=28,p1=29,p10=29,p11=29,p2=29,p3=29,p4=29,p5=29,p6=29,p7=29,p8=29,p9=29");
  d.parameters.push_back(request("q", numbers(0, 999), 30));
  CHECK(search_space(d).count() == search_space::most_counted);
}

TEST_CASE("counts saturate, and configurations of larger spaces are drawn uniformly") {
  space_definition d;
  d.place = line(0);
  d.parameters.push_back(request("mode", numbers(0, 2), 1));
  for (int i = 0; i < 300; ++i) d.parameters.push_back(request(fmt::format("p{}", i), numbers(0, 9), 2, "mode < 2"));
  const search_space wide(d);
  CHECK(wide.count() == search_space::most_counted);
  CHECK(wide.count_text() == "more than 2^63");
  CHECK_FALSE(wide.is_counted());
  CHECK_THROWS_AS(wide.at(0), mlmq::work_error);
  random_stream bits = random_stream::from_state(1);
  std::array<int, 3> modes{};
  int zeros = 0;
  for (int i = 0; i < 300; ++i) {
    const configuration drawn = wide.draw(bits);
    CHECK(wide.contains(drawn));
    ++modes.at(static_cast<std::size_t>(std::get<std::int64_t>(drawn.at("mode"))));
    for (const auto& [name, v] : drawn.values()) zeros += name != "mode" && v == value(std::int64_t{0}) ? 1 : 0;
  }
  CHECK(modes[2] == 0);  // one of 2 * 10^300 + 1
  CHECK(modes[0] > 100);
  CHECK(modes[1] > 100);
  CHECK(std::abs(zeros / 9000.0 - 1) < 0.05);

  // Even numbers of ways must not wrap to 0.
  space_definition even;
  even.place = line(0);
  for (int i = 0; i < 64; ++i) even.parameters.push_back(request(fmt::format("p{}", i), numbers(0, 1), i + 1));
  CHECK(search_space(even).count() == search_space::most_counted);
  even.parameters.pop_back();
  CHECK(search_space(even).count() == search_space::most_counted);
  even.parameters.pop_back();
  CHECK(search_space(even).count() == std::uint64_t{1} << 62);
  CHECK(search_space(even).is_counted());

  for (int i = 300; i < 1000; ++i) d.parameters.push_back(request(fmt::format("p{}", i), numbers(0, 1), 9));
  CHECK(error(d) == "space.yaml: 1001 parameters are too many; the limit is 1000");
}

TEST_CASE("restrictions over sizes hold in the space of a workload") {
  space_definition d;
  d.place = line(0);
  d.parameters = {request("vec", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}}, 1),
                  request("threads", {std::int64_t{32}, std::int64_t{64}}, 2)};
  d.restrictions = {{"n % (threads * vec) == 0", line(3)}};
  CHECK(error(d) == "space.yaml:3: in 'n % (threads * vec) == 0' at 1: unknown name 'n'; did you mean 'and'?");
  d.sizes = {{.name = "n", .values = {std::int64_t{128}, std::int64_t{96}}, .fixed = {}},
             {.name = "type", .values = texts({"float", "double"}), .fixed = {}}};
  CHECK(search_space(d).count() == 6);
  CHECK(search_space(d).depends_on_sizes());
  using sizes = std::vector<std::pair<std::string, value>>;
  const search_space of_128(d.with_sizes(sizes{{"n", std::int64_t{128}}}));
  CHECK(labels(of_128) == std::vector<std::string>{"threads=32,vec=1", "threads=64,vec=1", "threads=32,vec=2",
                                                   "threads=64,vec=2", "threads=32,vec=4"});
  CHECK(search_space(d.with_sizes(sizes{{"n", std::int64_t{96}}})).count() == 1);
  CHECK_THROWS_AS(search_space(d.with_sizes(sizes{{"n", std::int64_t{7}}})), no_configuration);
  d.restrictions.push_back({"type == float or vec == 1", line(4)});
  CHECK(search_space(d.with_sizes(sizes{{"n", std::int64_t{128}}, {"type", std::string("double")}})).count() == 2);
  configuration listed;
  listed.set("vec", std::int64_t{4});
  listed.set("threads", std::int64_t{64});
  d.has_product = false;
  d.configurations = {{listed, line(5)}};
  CHECK(search_space(d).count() == 1);
  CHECK_THROWS_AS(search_space(d.with_sizes(sizes{{"n", std::int64_t{128}}})), no_configuration);
  d.parameters.push_back(request("n", numbers(1, 2), 6));
  CHECK(error(d) == "space.yaml:6: 'n' is both a parameter and a size of the workloads");
}

namespace {

// A random space whose conditions are kept as data, so that the test can evaluate them independently.
struct comparison {
  std::size_t parameter = 0;
  bool equal = true;
  std::int64_t number = 0;
};
struct either {  // comparison or comparison
  std::vector<comparison> terms;
  [[nodiscard]] std::string text() const {
    std::string result;
    for (const comparison& c : terms) {
      if (!result.empty()) result += " or ";
      result += fmt::format("p{}", c.parameter) + (c.equal ? " == " : " > ") + std::to_string(c.number);
    }
    return result;
  }
  // Returns nothing if a parameter is absent.
  [[nodiscard]] std::optional<bool> truth(const std::vector<std::optional<std::int64_t>>& assignment) const {
    bool any = false;
    for (const comparison& c : terms) {
      if (!assignment[c.parameter]) return std::nullopt;
      any = any || (c.equal ? *assignment[c.parameter] == c.number : *assignment[c.parameter] > c.number);
    }
    return any;
  }
};
struct random_parameter {
  std::vector<std::int64_t> values;
  std::int64_t preset = 0;
  either active_when;  // no terms: always
  either vary_when;    // no terms: always
};
struct random_space {
  std::vector<random_parameter> parameters;
  std::vector<either> restrictions;
};

random_space make_random_space(random_stream& bits, bool declared) {
  random_space space;
  const std::size_t n = 1 + bits.below_by_division(5);
  // Conditions only refer to parameters earlier in a random order, so there is no cycle.
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[bits.below_by_division(i)]);
  std::vector<std::size_t> rank(n);
  for (std::size_t i = 0; i < n; ++i) rank[order[i]] = i;
  const auto one_of = [&](std::size_t earlier) {
    either e;
    const std::size_t terms = 1 + bits.below_by_division(2);
    for (std::size_t t = 0; t < terms; ++t) {
      e.terms.push_back({order[bits.below_by_division(earlier)], bits.below_by_division(2) == 0,
                         static_cast<std::int64_t>(bits.below_by_division(4))});
    }
    return e;
  };
  for (std::size_t i = 0; i < n; ++i) {
    random_parameter p;
    const std::uint64_t count = 1 + bits.below_by_division(3);
    for (std::uint64_t v = 0; v < count; ++v) {
      p.values.push_back(static_cast<std::int64_t>((v * 3 + bits.below_by_division(3)) % 10));
    }
    p.preset = bits.below_by_division(2) == 0 ? p.values.front() : 11;
    if (rank[i] > 0 && bits.below_by_division(2) == 0) p.active_when = one_of(rank[i]);
    if (declared && rank[i] > 0 && bits.below_by_division(2) == 0) p.vary_when = one_of(rank[i]);
    space.parameters.push_back(p);
  }
  const std::uint64_t restrictions = bits.below_by_division(3);
  for (std::uint64_t r = 0; r < restrictions; ++r) space.restrictions.push_back(one_of(n));
  return space;
}

// Tries every assignment of a value or the default to every parameter and keeps the consistent
// ones.
std::set<std::string> brute_force(const random_space& space) {
  const std::size_t n = space.parameters.size();
  std::set<std::string> consistent_labels;
  std::vector<std::size_t> choice(n, 0);  // 0: absent, 1: default, 2…: a value
  for (;;) {
    std::vector<std::optional<std::int64_t>> assignment(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (choice[i] == 1) assignment[i] = space.parameters[i].preset;
      if (choice[i] > 1) assignment[i] = space.parameters[i].values[choice[i] - 2];
    }
    bool consistent = true;
    for (std::size_t i = 0; i < n; ++i) {
      const random_parameter& p = space.parameters[i];
      const bool active = p.active_when.terms.empty() || p.active_when.truth(assignment).value_or(false);
      const bool varied = p.vary_when.terms.empty() || p.vary_when.truth(assignment).value_or(false);
      const std::size_t kind = std::min<std::size_t>(choice[i], 2);
      consistent = consistent && kind == (active ? (varied ? 2u : 1u) : 0u);
    }
    for (const either& restriction : space.restrictions) {
      consistent = consistent && restriction.truth(assignment).value_or(true);
    }
    if (consistent) {
      configuration c;
      for (std::size_t i = 0; i < n; ++i) {
        if (assignment[i]) c.set(fmt::format("p{}", i), *assignment[i]);
      }
      consistent_labels.insert(c.label());
    }
    std::size_t digit = 0;
    while (digit < n && ++choice[digit] == space.parameters[digit].values.size() + 2) {
      choice[digit++] = 0;
    }
    if (digit == n) return consistent_labels;
  }
}

}  // namespace

namespace {

/// Returns restrictions that involve all of `width` parameters with 40 values each: there are as many partial sums as
/// configurations.
space_definition entangled(int width, const std::string& restriction) {
  space_definition d;
  d.place = line(1);
  for (int i = 0; i < width; ++i) d.parameters.push_back(request(fmt::format("p{}", i), numbers(1, 40), 2));
  d.restrictions.push_back({restriction, line(9)});
  return d;
}

}  // namespace

TEST_CASE("a space whose restrictions are too entangled to count is bounded and sampled") {
  const search_space space(entangled(6, "p0 * p1 + p2 * p3 + p4 * p5 < 300"));
  CHECK_FALSE(space.is_counted());
  CHECK(space.count() == 4'096'000'000u);  // 40^6, without the restriction
  random_stream bits = random_stream::from_state(1);
  for (int i = 0; i < 100; ++i) {
    const configuration c = space.draw(bits);
    CHECK(space.contains(c));
    const auto number = [&](const char* name) { return std::get<std::int64_t>(*c.find(name)); };
    CHECK(number("p0") * number("p1") + number("p2") * number("p3") + number("p4") * number("p5") < 300);
  }
  CHECK_FALSE(space.find(space.count() - 1));  // the configuration in which all are 40
  CHECK(space.find(0)->label() == "p0=1,p1=1,p2=1,p3=1,p4=1,p5=1");
  CHECK_THROWS_AS(space.at(space.count() - 1), mlmq::work_error);
  CHECK(message_of([&] { (void)space.list(1000); }) ==
        "space.yaml:1: up to 4096000000 configurations are too many here; the limit is 1000");
}

TEST_CASE("a space too entangled to count in which hardly anything is allowed is not searched for ever") {
  const search_space space(entangled(6, "p0 * p1 + p2 * p3 + p4 * p5 < 0"));
  random_stream bits = random_stream::from_state(1);
  const std::string message = message_of([&] { (void)space.draw(bits); });
  CHECK(message.starts_with("space.yaml:1: the restrictions reject all 1000000 configurations drawn at random"));
}

TEST_CASE("a space is listed up to a limit") {
  space_definition d;
  d.place = line(1);
  d.parameters.push_back(request("a", numbers(1, 5), 2));
  const search_space space(d);
  CHECK(space.is_counted());
  CHECK(space.list(5).size() == 5);
  CHECK(message_of([&] { (void)space.list(4); }) == "space.yaml:1: 5 configurations are too many here; the limit is 4");
}

namespace {

const std::vector<parameter_declaration>& limited_declarations() {
  static const std::vector<parameter_declaration> declared = {
      {.name = "bmax",
       .default_value = std::int64_t{32},
       .minimum = 8,
       .maximum = 32,
       .limits = {{"power_of_two(bmax)", "rings are found by a mask"}}},
      {.name = "bnum",
       .default_value = std::int64_t{2},
       .minimum = 1,
       .maximum = 16,
       .limits = {{"bnum + 2 < bmax", "two more are looked at"}}}};
  return declared;
}

}  // namespace

TEST_CASE("limits that the problem declares are checked at their line, and joint ones restrict the product") {
  space_definition d;
  d.place = line(1);
  d.parameters = {request("bmax", {std::int64_t{8}, std::int64_t{12}}, 3)};
  CHECK(error(d, limited_declarations()) ==
        "space.yaml:3: parameter 'bmax': 12 violates the limit 'power_of_two(bmax)': rings are found by a mask");
  d.parameters = {
      request("bmax", {std::int64_t{8}, std::int64_t{16}}, 3),
      request("bnum", {std::int64_t{1}, std::int64_t{5}, std::int64_t{6}, std::int64_t{13}, std::int64_t{14}}, 4)};
  const search_space space(d, limited_declarations());
  CHECK(labels(space) == std::vector<std::string>{"bmax=8,bnum=1", "bmax=8,bnum=5", "bmax=16,bnum=1", "bmax=16,bnum=5",
                                                  "bmax=16,bnum=6", "bmax=16,bnum=13"});
  CHECK(space.left_out_by_limits() == 4);
  d.parameters = {request("bmax", {std::int64_t{8}}, 3), request("bnum", {std::int64_t{7}, std::int64_t{8}}, 4)};
  CHECK(error(d, limited_declarations()) ==
        "space.yaml:1: no configuration satisfies the limit 'bnum + 2 < bmax' together with those before it: two more "
        "are "
        "looked at");
  d.parameters.clear();
  d.has_product = false;
  configuration_request listed{.values = {}, .place = line(7)};
  listed.values.set("bmax", std::int64_t{8});
  listed.values.set("bnum", std::int64_t{6});
  d.configurations = {listed};
  CHECK(error(d, limited_declarations()) ==
        "space.yaml:7: bmax=8,bnum=6 violates the limit 'bnum + 2 < bmax': two more are looked at");
}

TEST_CASE("enumeration equals brute force on random spaces") {
  random_stream bits = random_stream::from_state(2024);
  int empty_spaces = 0;
  for (int round = 0; round < 1500; ++round) {
    const bool declared = round % 2 == 1;
    const random_space raw = make_random_space(bits, declared);
    space_definition d;
    std::vector<parameter_declaration> declarations;
    for (std::size_t i = 0; i < raw.parameters.size(); ++i) {
      const random_parameter& p = raw.parameters[i];
      std::vector<value> values(p.values.begin(), p.values.end());
      const std::string name = fmt::format("p{}", i);
      d.parameters.push_back(request(name, values, 1, declared ? p.vary_when.text() : p.active_when.text()));
      if (declared) {
        declarations.push_back({name, value_type::integer, binding::compile, p.preset, "", "", p.active_when.text()});
      }
    }
    for (const either& restriction : raw.restrictions) {
      d.restrictions.push_back({restriction.text(), line(2)});
    }
    const std::set<std::string> expected = brute_force(raw);
    if (expected.empty()) {
      ++empty_spaces;
      REQUIRE(error(d, declarations).find("no configuration satisfies") != std::string::npos);
      continue;
    }
    const search_space space(d, declarations);
    const std::vector<std::string> listed_labels = labels(space);
    REQUIRE(listed_labels.size() == expected.size());
    REQUIRE(std::set<std::string>(listed_labels.begin(), listed_labels.end()) == expected);
    for (std::uint64_t i = 0; i < space.count(); ++i) REQUIRE(space.contains(space.at(i)));
  }
  CHECK(empty_spaces > 0);
}

TEST_CASE("a space of 1.9 million configurations is counted and sampled within a second") {
  // The space of the full convolution of Kernel Tuner's examples.
  std::string filter = "[3";
  for (int size = 5; size < 35; size += 2) filter += ", " + std::to_string(size);
  filter += "]";
  const std::string text =
      "name: n\nproblem: p\nparameters:\n"
      "  filter_width: {values: " +
      filter +
      ", bind: compile}\n"
      "  filter_height: {values: " +
      filter +
      ", bind: compile}\n"
      "  block_x: {values: [16, 32, 48, 64, 80, 96, 112, 128], bind: compile}\n"
      "  block_y: {values: [1, 2, 4, 8, 16, 32], bind: compile}\n"
      "  tile_x: {values: [1, 2, 3, 4, 5, 6, 7, 8], bind: compile}\n"
      "  tile_y: {values: [1, 2, 3, 4, 5, 6, 7, 8], bind: compile}\n"
      "  use_padding: {values: [0, 1], bind: compile}\n"
      "  read_only: {values: [0, 1], bind: compile}\n"
      "restrictions: [use_padding == 0 or block_x % 32 != 0, block_x * block_y <= 1024]\n"
      "workloads: [{generate: path5}]\n";
  const std::clock_t begin = std::clock();
  const search_space space(parse_experiment(text, "s").space);
  random_stream bits{1};
  std::set<configuration> drawn;
  for (int i = 0; i < 1000; ++i) {
    const configuration c = space.draw(bits);
    drawn.insert(c);
    const auto number = [&](const char* name) { return std::get<std::int64_t>(c.at(name)); };
    if (number("block_x") * number("block_y") > 1024 || (number("use_padding") == 1 && number("block_x") % 32 == 0)) {
      FAIL("forbidden: " << c.label());
    }
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::uint64_t shapes = 0;
  for (int x = 16; x <= 128; x += 16) {
    for (int y = 1; y <= 32; y *= 2) {
      if (x * y <= 1024) shapes += x % 32 == 0 ? 1 : 2;
    }
  }
  CHECK(space.count() == 16 * 16 * 8 * 8 * 2 * shapes);
  CHECK(drawn.size() > 990);
  CHECK(seconds < 1);
}
