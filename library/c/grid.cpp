// SPDX-License-Identifier: Apache-2.0
// Grid maps, and paths on them.
#include <optional>

#include "library/c/handles.hpp"

using namespace mlmq::c;

namespace {

/// Returns nothing for the rule of the file.
std::optional<mlmq::corner_rule> rule_of(mlmq_corner_rule corners) {
  switch (corners) {
    case MLMQ_CORNERS_CUT:
      return mlmq::corner_rule::cut;
    case MLMQ_CORNERS_NONE:
      return mlmq::corner_rule::none;
    case MLMQ_CORNERS_OF_FILE:
      return std::nullopt;
  }
  throw mlmq::input_error(fmt::format("corners: {} is not an mlmq_corner_rule", static_cast<int>(corners)));
}

mlmq_path_options path_defaults() {
  mlmq_path_options options{};
  options.struct_size = sizeof options;
  options.time_limit_ms = mlmq::path_options{}.time_limit_ms;
  return options;
}

mlmq::path_options options_of(const mlmq_path_options* options) {
  const mlmq_path_options settings = with_defaults(options, path_defaults(), sizeof *options, "mlmq_path_options");
  return {.configurations = to_strings(settings.configurations, settings.configuration_count),
          .model = model_or_standard(settings.model),
          .time_limit_ms = settings.time_limit_ms,
          .counters = to_bool(settings.counters, "counters"),
          .paths = to_bool(settings.paths, "paths")};
}

mlmq_path_answer answer_of(const mlmq::path_answer& answer) {
  return {.length = answer.length, .straight = answer.straight, .diagonal = answer.diagonal};
}

}  // namespace

mlmq_status mlmq_grid_open(const char* name, mlmq_corner_rule corners, mlmq_grid** map) {
  return guarded([&] {
    required(map, "map");
    *map = new mlmq_grid{mlmq::grid::open(required(name, "name"), rule_of(corners))};
  });
}

mlmq_status mlmq_grid_from_cells(uint32_t width, uint32_t height, const uint8_t* cells, mlmq_corner_rule corners,
                                 const char* name, mlmq_grid** map) {
  return guarded([&] {
    required(map, "map");
    const std::optional<mlmq::corner_rule> rule = rule_of(corners);
    if (!rule) throw mlmq::input_error("corners: MLMQ_CORNERS_OF_FILE is only for mlmq_grid_open()");
    const std::span free = span_of(cells, std::size_t{width} * height, "cells");
    *map = new mlmq_grid{mlmq::grid::from_cells(width, height, free, *rule, name == nullptr ? "grid" : name)};
  });
}

void mlmq_grid_free(mlmq_grid* map) { delete map; }
const char* mlmq_grid_name(const mlmq_grid* map) { return map->value.name().c_str(); }
uint32_t mlmq_grid_width(const mlmq_grid* map) { return map->value.width(); }
uint32_t mlmq_grid_height(const mlmq_grid* map) { return map->value.height(); }
int mlmq_grid_is_free(const mlmq_grid* map, uint32_t x, uint32_t y) { return map->value.is_free(x, y) ? 1 : 0; }

mlmq_corner_rule mlmq_grid_corners(const mlmq_grid* map) {
  return map->value.corners() == mlmq::corner_rule::cut ? MLMQ_CORNERS_CUT : MLMQ_CORNERS_NONE;
}

mlmq_status mlmq_grid_random_pairs(const mlmq_grid* map, size_t count, uint64_t seed, mlmq_grid_pair* pairs) {
  return guarded([&] {
    const std::span out = span_of(pairs, count, "pairs");
    const std::vector<mlmq::grid_pair> drawn = required(map, "map")->value.random_pairs(count, seed);
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = {.start = {.x = drawn[i].start.x, .y = drawn[i].start.y},
                .goal = {.x = drawn[i].goal.x, .y = drawn[i].goal.y}};
    }
  });
}

void mlmq_path_options_init(mlmq_path_options* options, size_t struct_size) {
  init_struct(options, struct_size, path_defaults());
}

mlmq_status mlmq_path_finder_create(const mlmq_device* device, const mlmq_grid* map, mlmq_path_finder** finder) {
  return guarded([&] {
    required(finder, "finder");
    *finder = new mlmq_path_finder{mlmq::path_finder(required(device, "device")->value, required(map, "map")->value)};
  });
}

void mlmq_path_finder_free(mlmq_path_finder* finder) { delete finder; }

mlmq_status mlmq_path_finder_choose(const mlmq_path_finder* finder, const mlmq_path_options* options,
                                    mlmq_choice** choice) {
  return guarded([&] {
    required(choice, "choice");
    *choice = new mlmq_choice{required(finder, "finder")->value.choose(options_of(options))};
  });
}

mlmq_status mlmq_path_finder_solve(mlmq_path_finder* finder, const mlmq_grid_pair* pairs, size_t pair_count,
                                   const mlmq_path_options* options, mlmq_path_answers** answers) {
  return guarded([&] {
    required(answers, "answers");
    std::vector<mlmq::grid_pair> requested_pairs;
    requested_pairs.reserve(pair_count);
    for (const mlmq_grid_pair& pair : span_of(pairs, pair_count, "pairs")) {
      requested_pairs.push_back(
          {.start = {.x = pair.start.x, .y = pair.start.y}, .goal = {.x = pair.goal.x, .y = pair.goal.y}});
    }
    mlmq::path_answers path_answers = required(finder, "finder")->value.solve(requested_pairs, options_of(options));
    mlmq_summary summary{.searches = pair_count,
                         .choice = {path_answers.choice()},
                         .times = path_answers.times(),
                         .counters = path_answers.counters()};
    *answers = new mlmq_path_answers{std::move(path_answers), std::move(summary)};
  });
}

void mlmq_path_answers_free(mlmq_path_answers* answers) { delete answers; }
size_t mlmq_path_answers_count(const mlmq_path_answers* answers) { return answers->value.size(); }
int mlmq_path_answers_shortest(const mlmq_path_answers* answers) { return answers->value.shortest() ? 1 : 0; }
const mlmq_summary* mlmq_path_answers_summary(const mlmq_path_answers* answers) { return &answers->summary; }

mlmq_status mlmq_path_answers_get(const mlmq_path_answers* answers, size_t i, mlmq_path_answer* answer) {
  return guarded([&] { *required(answer, "answer") = answer_of(required(answers, "answers")->value[i]); });
}

mlmq_status mlmq_path_answers_copy(const mlmq_path_answers* answers, mlmq_path_answer* results, size_t count) {
  return guarded([&] {
    const mlmq::path_answers& source = required(answers, "answers")->value;
    if (count != source.size()) {
      throw mlmq::input_error(fmt::format("an array of {} answers, expected {}", count, source.size()));
    }
    const std::span out = span_of(results, count, "results");
    for (std::size_t i = 0; i < count; ++i) out[i] = answer_of(source[i]);
  });
}

mlmq_status mlmq_path_answers_path(const mlmq_path_answers* answers, size_t i, mlmq_cell* path, size_t capacity,
                                   size_t* count) {
  return guarded([&] { write_path(required(answers, "answers")->value.path(i), path, capacity, count); });
}

mlmq_status mlmq_path_answers_check(const mlmq_path_answers* answers, unsigned threads, char** message) {
  return guarded([&] { write_message(message, required(answers, "answers")->value.check(threads)); });
}
