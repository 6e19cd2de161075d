// SPDX-License-Identifier: Apache-2.0
// Paths through a room, then thousands of searches on a map: paths [DEVICE [MAP [SEARCHES]]]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mlmq/mlmq.hpp>
#include <string>
#include <vector>

namespace {

const std::vector<std::string> room = {
    "......",  //
    ".@@@..",  //
    ".@....",  //
    ".@.@@@",  //
    "....@.",
};

mlmq::grid map_of(const std::vector<std::string>& rows) {
  std::vector<std::uint8_t> free;
  for (const std::string& row : rows) {
    for (const char letter : row) free.push_back(letter == '.' ? 1 : 0);
  }
  return mlmq::grid::from_cells(static_cast<std::uint32_t>(rows.front().size()),
                                static_cast<std::uint32_t>(rows.size()), free, mlmq::corner_rule::none, "room");
}

void show(const std::vector<mlmq::cell>& path) {
  std::vector<std::string> drawing = room;
  for (const mlmq::cell& step : path) drawing[step.y][step.x] = 'o';
  for (const std::string& row : drawing) std::printf("%s\n", row.c_str());
}

void measure(const mlmq::device& device, const std::string& name, std::size_t searches) {
  const mlmq::grid map = mlmq::grid::open(name);
  mlmq::path_finder finder(device, map);
  const mlmq::path_answers answers = finder.solve(map.random_pairs(searches));
  std::size_t reached = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) reached += answers[i].reached ? 1 : 0;
  const mlmq::solve_times& times = answers.times();
  std::printf("%s on %s: %zu of %zu reached, %.4f ms, kernel %.1f ms\n", map.name().c_str(),
              answers.choice().device_name.c_str(), reached, answers.size(), times.solve, times.compile);
  std::printf("%s\n%s\n", answers.choice().configuration.c_str(), answers.choice().reason.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const mlmq::device device(argc > 1 ? argv[1] : "auto");
    mlmq::path_finder finder(device, map_of(room), {.paths = true});
    const std::vector<mlmq::grid_pair> pairs = {{{5, 1}, {0, 4}}, {{1, 4}, {1, 4}}, {{5, 1}, {5, 4}}};
    const mlmq::path_answers answers = finder.solve(pairs);  // one launch for all of them
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const mlmq::path_answer answer = answers[i];
      if (!answer.reached) {
        std::printf("no path\n");
        continue;
      }
      std::printf("%.4f: %u straight and %u diagonal steps\n", answer.length, answer.straight, answer.diagonal);
      show(answers.path(i));
    }
    if (argc > 2) measure(device, argv[2], argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 4096);
    return 0;
  } catch (const mlmq::input_error& error) {
    std::fprintf(stderr, "paths: %s\n", error.what());  // the name of a device or a map
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "paths: %s\n", error.what());
    return 1;
  }
}
