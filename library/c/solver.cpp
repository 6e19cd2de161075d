// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <memory>

#include "library/c/handles.hpp"

using namespace mlmq::c;

namespace {

mlmq_solve_options solve_defaults() {
  const mlmq::solve_options defaults;
  mlmq_solve_options options{};
  options.struct_size = sizeof options;
  options.place = MLMQ_PLACE_BEST;
  options.partition = MLMQ_PARTITION_AUTOMATIC;
  options.time_limit_ms = defaults.time_limit_ms;
  return options;
}

mlmq_batch_options batch_defaults() {
  const mlmq::batch_options defaults;
  mlmq_batch_options options{};
  options.struct_size = sizeof options;
  options.tries = defaults.tries;
  options.searches_per_try = defaults.searches_per_try;
  options.searches_together = defaults.searches_together;
  options.cutoff = std::numeric_limits<double>::infinity();
  options.memory_bytes = defaults.memory_bytes;
  options.time_limit_ms = defaults.time_limit_ms;
  return options;
}

mlmq::placement place_of(mlmq_placement place) {
  switch (place) {
    case MLMQ_PLACE_BEST:
      return mlmq::placement::best;
    case MLMQ_PLACE_DEVICE:
      return mlmq::placement::device;
  }
  throw mlmq::input_error(fmt::format("place: {} is not an mlmq_placement", static_cast<int>(place)));
}

mlmq::partitioning partitioning_of(mlmq_partitioning partition) {
  switch (partition) {
    case MLMQ_PARTITION_NEVER:
      return mlmq::partitioning::never;
    case MLMQ_PARTITION_AUTOMATIC:
      return mlmq::partitioning::automatic;
    case MLMQ_PARTITION_ALWAYS:
      return mlmq::partitioning::always;
  }
  throw mlmq::input_error(fmt::format("partition: {} is not an mlmq_partitioning", static_cast<int>(partition)));
}

mlmq::problem problem_of(mlmq_problem problem) {
  switch (problem) {
    case MLMQ_SSSP:
      return mlmq::problem::sssp;
    case MLMQ_BFS:
      return mlmq::problem::bfs;
  }
  throw mlmq::input_error(fmt::format("problem: {} is not an mlmq_problem", static_cast<int>(problem)));
}

mlmq::solve_options options_of(const mlmq_solve_options* options) {
  const mlmq_solve_options settings = with_defaults(options, solve_defaults(), sizeof *options, "mlmq_solve_options");
  return {.configurations = to_strings(settings.configurations, settings.configuration_count),
          .model = model_or_standard(settings.model),
          .place = place_of(settings.place),
          .partition = partitioning_of(settings.partition),
          .tries = settings.tries,
          .time_limit_ms = settings.time_limit_ms,
          .counters = to_bool(settings.counters, "counters"),
          .timeline = to_bool(settings.timeline, "timeline"),
          .keep_on_device = to_bool(settings.keep_on_device, "keep_on_device"),
          .stream = settings.stream};
}

mlmq::batch_options options_of(const mlmq_batch_options* options) {
  const mlmq_batch_options settings = with_defaults(options, batch_defaults(), sizeof *options, "mlmq_batch_options");
  const std::span targets = span_of(settings.targets, settings.target_count, "targets");
  mlmq::batch_options result{.configurations = to_strings(settings.configurations, settings.configuration_count),
                             .model = model_or_standard(settings.model),
                             .tries = settings.tries,
                             .searches_per_try = settings.searches_per_try,
                             .targets = {targets.begin(), targets.end()},
                             .memory_bytes = settings.memory_bytes,
                             .time_limit_ms = settings.time_limit_ms,
                             .check = to_bool(settings.check, "check"),
                             .searches_together = settings.searches_together,
                             .keep_on_device = to_bool(settings.keep_on_device, "keep_on_device"),
                             .stream = settings.stream};
  if (settings.cutoff != std::numeric_limits<double>::infinity()) result.cutoff = settings.cutoff;
  return result;
}

mlmq_reduction reduction_defaults() {
  const mlmq::reduction defaults;
  mlmq_reduction reduction{};
  reduction.struct_size = sizeof reduction;
  reduction.kind = MLMQ_CLOSENESS;
  reduction.decay = MLMQ_EXPONENTIAL;
  reduction.scale = defaults.scale;
  reduction.count = defaults.count;
  return reduction;
}

mlmq::decay decay_of(mlmq_decay decay) {
  switch (decay) {
    case MLMQ_EXPONENTIAL:
      return mlmq::decay::exponential;
    case MLMQ_GAUSSIAN:
      return mlmq::decay::gaussian;
    case MLMQ_LINEAR:
      return mlmq::decay::linear;
  }
  throw mlmq::input_error(fmt::format("decay: {} is not an mlmq_decay", static_cast<int>(decay)));
}

mlmq::reduction reduction_of(const mlmq_reduction* reduction) {
  const mlmq_reduction settings =
      with_defaults(required(reduction, "reduction"), reduction_defaults(), sizeof *reduction, "mlmq_reduction");
  const auto numbers = [](const double* first, std::size_t count, const char* name) {
    const std::span values = span_of(first, count, name);
    return std::vector<double>(values.begin(), values.end());
  };
  switch (settings.kind) {
    case MLMQ_SUMS_WITHIN:
      return mlmq::reduction::within(numbers(settings.limits, settings.limit_count, "limits"),
                                     numbers(settings.opportunities, settings.opportunity_count, "opportunities"));
    case MLMQ_DECAYED_SUM:
      return mlmq::reduction::decayed(decay_of(settings.decay), settings.scale,
                                      numbers(settings.opportunities, settings.opportunity_count, "opportunities"));
    case MLMQ_HISTOGRAM:
      return mlmq::reduction::histogram(numbers(settings.limits, settings.limit_count, "limits"));
    case MLMQ_CLOSENESS:
      return mlmq::reduction::closeness();
    case MLMQ_ECCENTRICITY:
      return mlmq::reduction::eccentricity();
    case MLMQ_NEAREST: {
      const std::span members = span_of(settings.members, settings.member_count, "members");
      return mlmq::reduction::nearest({members.begin(), members.end()}, settings.count);
    }
  }
  throw mlmq::input_error(fmt::format("kind: {} is not an mlmq_quantity", static_cast<int>(settings.kind)));
}

mlmq_summary summary_of(mlmq::search_summary&& search) {
  return {.searches = 1,
          .choice = {std::move(search.choice)},
          .times = search.times,
          .counters = std::move(search.counters),
          .timeline = std::move(search.timeline)};
}

mlmq_summary summary_of(mlmq::batch_summary&& batch) {
  mlmq_summary result{
      .searches = batch.searches, .choice = {std::move(batch.choice)}, .times = batch.times, .digest = batch.digest};
  for (mlmq::tried_batch& trial : batch.tried) {
    result.tried.push_back({std::move(trial.configuration), trial.searches, trial.milliseconds});
  }
  return result;
}

void write_summary(mlmq_summary** output, mlmq_summary&& summary) {
  if (output != nullptr) *output = new mlmq_summary(std::move(summary));
}

mlmq_distance_rows rows_of(const mlmq::distance_rows& distances) {
  mlmq_distance_rows rows{.struct_size = sizeof rows,
                          .first = distances.first,
                          .rows = distances.rows,
                          .columns = distances.columns,
                          .type = type_of(distances.type),
                          .on_device = distances.on_device != nullptr ? 1 : 0,
                          .distances = distances.on_device};
  if (rows.on_device != 0) return rows;
  switch (distances.type) {
    case mlmq::number_type::uint32:
      rows.distances = distances.uint32.data();
      break;
    case mlmq::number_type::float32:
      rows.distances = distances.float32.data();
      break;
    case mlmq::number_type::float64:
      rows.distances = distances.float64.data();
      break;
  }
  return rows;
}

const void* distances_of(const mlmq::solution& solution) {
  switch (solution.type()) {
    case mlmq::number_type::float32:
      return solution.distances_float32().data();
    case mlmq::number_type::float64:
      return solution.distances_float64().data();
    case mlmq::number_type::uint32:
      break;
  }
  return solution.distances_uint32().data();
}

void require_type(mlmq_number_type requested, mlmq::number_type actual) {
  if (type_of(requested) == actual) return;
  throw mlmq::input_error(
      fmt::format("the distances are {}, but the array is of type {}", name_of(actual), name_of(type_of(requested))));
}

void require_count(std::size_t actual, std::size_t expected, const char* unit) {
  if (actual != expected)
    throw mlmq::input_error(fmt::format("an array of {} {}, expected {}", actual, unit, expected));
}

/// @param count number of distances and of sums
/// @param sum mlmq::path_sums(mlmq::solver&)
template <class Sum>
mlmq_status sum_paths(mlmq_solver* solver, std::size_t count, double* distances, std::uint64_t* sums,
                      mlmq_summary** summary, const Sum& sum) {
  return guarded([&] {
    mlmq::solver& handle = required(solver, "solver")->value;
    const std::span distances_out = span_of(distances, count, "distances");
    const std::span sums_out = span_of(sums, count, "sums");
    mlmq::path_sums result = sum(handle);
    std::ranges::copy(result.distances, distances_out.begin());
    std::ranges::copy(result.sums, sums_out.begin());
    write_summary(summary, summary_of(std::move(result.summary)));
  });
}

}  // namespace

void mlmq_solve_options_init(mlmq_solve_options* options, size_t struct_size) {
  init_struct(options, struct_size, solve_defaults());
}

void mlmq_batch_options_init(mlmq_batch_options* options, size_t struct_size) {
  init_struct(options, struct_size, batch_defaults());
}

void mlmq_reduction_init(mlmq_reduction* reduction, size_t struct_size) {
  init_struct(reduction, struct_size, reduction_defaults());
}

void mlmq_device_array_init(mlmq_device_array* array, size_t struct_size) {
  mlmq_device_array none{};
  none.device = "";
  init_struct(array, struct_size, none);
}

mlmq_status mlmq_solver_create(const mlmq_device* device, const mlmq_digraph* graph, mlmq_problem problem,
                               mlmq_solver** solver) {
  return guarded([&] {
    required(solver, "solver");
    const mlmq::digraph& digraph = required(graph, "graph")->value;
    *solver = new mlmq_solver{mlmq::solver(required(device, "device")->value, digraph, problem_of(problem)), digraph,
                              problem_of(problem)};
  });
}

void mlmq_solver_free(mlmq_solver* solver) { delete solver; }

mlmq_status mlmq_solver_upload(mlmq_solver* solver, double* milliseconds) {
  return guarded([&] {
    const double upload_ms = required(solver, "solver")->value.upload();
    if (milliseconds != nullptr) *milliseconds = upload_ms;
  });
}

mlmq_status mlmq_solver_update_weights(mlmq_solver* solver, mlmq_number_type type, const void* weights, size_t count) {
  return guarded([&] {
    mlmq::solver& handle = required(solver, "solver")->value;
    with_numbers(type, const_cast<void*>(weights), count, "weights",
                 [&](const auto& numbers) { handle.update_weights(numbers); });
  });
}

mlmq_status mlmq_solver_update_weights_from_device(mlmq_solver* solver, mlmq_number_type type, const void* weights,
                                                   size_t count, void* stream) {
  return guarded([&] {
    required(solver, "solver")
        ->value.update_weights(
            mlmq::device_weight_array{.weights = weights, .count = count, .type = type_of(type), .stream = stream});
  });
}

mlmq_status mlmq_solver_resident(const mlmq_solver* solver, int* resident) {
  return guarded([&] { *required(resident, "resident") = required(solver, "solver")->value.resident() ? 1 : 0; });
}

mlmq_status mlmq_solver_choose(mlmq_solver* solver, const mlmq_solve_options* options, mlmq_choice** choice) {
  return guarded([&] {
    required(choice, "choice");
    *choice = new mlmq_choice{required(solver, "solver")->value.choose(options_of(options))};
  });
}

mlmq_status mlmq_solver_try_out(mlmq_solver* solver, const mlmq_vertex* sources, size_t source_count,
                                unsigned configurations, const mlmq_solve_options* options, mlmq_summary** summary) {
  return guarded([&] {
    mlmq::solver& handle = required(solver, "solver")->value;
    const mlmq::solve_options settings = options_of(options);
    const auto tried = handle.try_out(span_of(sources, source_count, "sources"), configurations, settings);
    if (summary == nullptr) return;
    mlmq_summary result{.searches = source_count * tried.size(), .choice = {handle.choose(settings)}, .times = {}};
    for (const mlmq::tried& trial : tried) {
      result.tried.push_back(
          {trial.configuration, source_count, trial.milliseconds.value_or(std::numeric_limits<double>::quiet_NaN())});
    }
    write_summary(summary, std::move(result));
  });
}

mlmq_status mlmq_solver_solve(mlmq_solver* solver, mlmq_vertex source, const mlmq_solve_options* options,
                              mlmq_solution** solution) {
  return guarded([&] {
    required(solution, "solution");
    mlmq::solution answer = required(solver, "solver")->value.solve(source, options_of(options));
    mlmq_summary summary{.searches = 1,
                         .choice = {answer.choice()},
                         .times = answer.times(),
                         .counters = answer.counters(),
                         .timeline = answer.timeline()};
    *solution = new mlmq_solution{std::move(answer), solver->graph.vertex_count(), std::move(summary)};
  });
}

mlmq_status mlmq_solver_solve_into(mlmq_solver* solver, mlmq_vertex source, const mlmq_solve_options* options,
                                   mlmq_number_type type, void* distances, size_t count, mlmq_summary** summary) {
  return guarded([&] {
    mlmq::solver& handle = required(solver, "solver")->value;
    const mlmq::solve_options settings = options_of(options);
    write_summary(summary, with_numbers(type, distances, count, "distances", [&](const auto& out) {
                    return summary_of(handle.solve_into(source, out, settings));
                  }));
  });
}

void mlmq_solution_free(mlmq_solution* solution) { delete solution; }
mlmq_vertex mlmq_solution_source(const mlmq_solution* solution) { return solution->value.source(); }
mlmq_number_type mlmq_solution_type(const mlmq_solution* solution) { return type_of(solution->value.type()); }
size_t mlmq_solution_count(const mlmq_solution* solution) { return solution->count; }
const mlmq_summary* mlmq_solution_summary(const mlmq_solution* solution) { return &solution->summary; }

mlmq_status mlmq_solution_distance(const mlmq_solution* solution, mlmq_vertex v, double* distance) {
  return guarded([&] { *required(distance, "distance") = required(solution, "solution")->value.distance(v); });
}

mlmq_status mlmq_solution_distances(const mlmq_solution* solution, const void** distances) {
  return guarded([&] { *required(distances, "distances") = distances_of(required(solution, "solution")->value); });
}

mlmq_status mlmq_solution_copy_distances(const mlmq_solution* solution, mlmq_number_type type, void* distances,
                                         size_t count) {
  return guarded([&] {
    const mlmq::solution& source = required(solution, "solution")->value;
    require_type(type, source.type());
    require_count(count, solution->count, "distances");
    with_numbers(type, distances, count, "distances",
                 [&](const auto& out) { std::memcpy(out.data(), distances_of(source), out.size_bytes()); });
  });
}

mlmq_status mlmq_solution_device_distances(const mlmq_solution* solution, mlmq_device_array* array) {
  return guarded([&] {
    const mlmq::device_array distances = required(solution, "solution")->value.device_distances();
    write_struct(array,
                 {.struct_size = 0,
                  .data = distances.data,
                  .count = distances.count,
                  .type = type_of(distances.type),
                  .device = solution->value.choice().device.c_str()},
                 sizeof *array, "mlmq_device_array");
  });
}

mlmq_status mlmq_solution_predecessors(const mlmq_solution* solution, unsigned threads, mlmq_vertex* predecessors,
                                       size_t count) {
  return guarded([&] {
    const mlmq::solution& answer = required(solution, "solution")->value;
    require_count(count, solution->count, "vertices");
    const std::span out = span_of(predecessors, count, "predecessors");
    const std::vector<mlmq::vertex> result = answer.predecessors(threads);
    std::copy(result.begin(), result.end(), out.begin());
  });
}

mlmq_status mlmq_solution_path(const mlmq_solution* solution, mlmq_vertex v, mlmq_vertex* path, size_t capacity,
                               size_t* count) {
  return guarded([&] { write_path(required(solution, "solution")->value.path(v), path, capacity, count); });
}

mlmq_status mlmq_solution_check(const mlmq_solution* solution, char** message) {
  return guarded([&] { write_message(message, required(solution, "solution")->value.check()); });
}

mlmq_status mlmq_solver_solve_many(mlmq_solver* solver, const mlmq_vertex* sources, size_t source_count,
                                   const mlmq_batch_options* options, mlmq_take_distances take, void* user,
                                   mlmq_summary** summary) {
  return guarded([&] {
    mlmq::take_distances forward;
    if (take != nullptr) {
      forward = [&](const mlmq::distance_rows& block) {
        const mlmq_distance_rows rows = rows_of(block);
        if (take(&rows, user) != 0) throw stopped();
      };
    }
    write_summary(summary, summary_of(required(solver, "solver")
                                          ->value.solve_many(span_of(sources, source_count, "sources"),
                                                             options_of(options), forward)));
  });
}

mlmq_status mlmq_solver_solve_many_into(mlmq_solver* solver, const mlmq_vertex* sources, size_t source_count,
                                        const mlmq_batch_options* options, mlmq_number_type type, void* distances,
                                        size_t count, mlmq_summary** summary) {
  return guarded([&] {
    mlmq_solver& handle = *required(solver, "solver");
    const mlmq::batch_options settings = options_of(options);
    if (settings.keep_on_device) throw mlmq::input_error("keep_on_device: must be 0 for distances in host memory");
    require_type(type, handle.problem == mlmq::problem::bfs ? mlmq::number_type::uint32 : handle.graph.weight_type());
    const std::size_t columns = settings.targets.empty() ? handle.graph.vertex_count() : settings.targets.size();
    if (count % columns != 0 || count / columns != source_count) {
      throw mlmq::input_error(
          fmt::format("an array of {} distances, expected {} rows of {}", count, source_count, columns));
    }
    mlmq_summary result = with_numbers(type, distances, count, "distances", [&](const auto& out) {
      return summary_of(handle.value.solve_many(
          span_of(sources, source_count, "sources"), settings, [&](const mlmq::distance_rows& block) {
            const auto destination = out.subspan(block.first * columns, block.rows * columns);
            std::memcpy(destination.data(), rows_of(block).distances, destination.size_bytes());
          }));
    });
    write_summary(summary, std::move(result));
  });
}

mlmq_status mlmq_solver_reduce(mlmq_solver* solver, const mlmq_vertex* sources, size_t source_count,
                               const mlmq_reduction* const* reductions, size_t reduction_count,
                               const mlmq_batch_options* options, double* values, size_t count,
                               mlmq_summary** summary) {
  return guarded([&] {
    mlmq::solver& handle = required(solver, "solver")->value;
    std::vector<mlmq::reduction> quantities;
    std::size_t columns = 0;
    for (const mlmq_reduction* const reduction : span_of(reductions, reduction_count, "reductions")) {
      quantities.push_back(reduction_of(reduction));
      columns += quantities.back().columns();
    }
    const std::span out = span_of(values, count, "values");
    if (count != source_count * columns) {
      throw mlmq::input_error(
          fmt::format("an array of {} values, expected {} rows of {}", count, source_count, columns));
    }
    mlmq::reduced_searches reduced =
        handle.reduce(span_of(sources, source_count, "sources"), quantities, options_of(options));
    auto next = out.begin();
    for (const mlmq::reduced_table& table : reduced.tables) next = std::ranges::copy(table.values, next).out;
    write_summary(summary, summary_of(std::move(reduced.summary)));
  });
}

mlmq_status mlmq_solver_sum_pair_paths(mlmq_solver* solver, const mlmq_vertex* sources, const mlmq_vertex* targets,
                                       size_t count, const uint32_t* quantities, size_t quantity_count,
                                       const mlmq_batch_options* options, double* distances, uint64_t* sums,
                                       mlmq_summary** summary) {
  return sum_paths(solver, count, distances, sums, summary, [&](mlmq::solver& handle) {
    return handle.sum_pair_paths(span_of(sources, count, "sources"), span_of(targets, count, "targets"),
                                 span_of(quantities, quantity_count, "quantities"), options_of(options));
  });
}

mlmq_status mlmq_solver_sum_matrix_paths(mlmq_solver* solver, const mlmq_vertex* sources, size_t source_count,
                                         const mlmq_vertex* targets, size_t target_count, const uint32_t* quantities,
                                         size_t quantity_count, const mlmq_batch_options* options, double* distances,
                                         uint64_t* sums, size_t count, mlmq_summary** summary) {
  return sum_paths(solver, count, distances, sums, summary, [&](mlmq::solver& handle) {
    if (count != source_count * target_count) {
      throw mlmq::input_error(
          fmt::format("arrays of {} results, expected {} rows of {}", count, source_count, target_count));
    }
    return handle.sum_matrix_paths(span_of(sources, source_count, "sources"), span_of(targets, target_count, "targets"),
                                   span_of(quantities, quantity_count, "quantities"), options_of(options));
  });
}

mlmq_status mlmq_solver_solve_pairs(mlmq_solver* solver, const mlmq_vertex* sources, const mlmq_vertex* targets,
                                    size_t count, const mlmq_batch_options* options, double* distances,
                                    mlmq_summary** summary) {
  return guarded([&] {
    mlmq::solver& handle = required(solver, "solver")->value;
    const std::span out = span_of(distances, count, "distances");
    mlmq::pair_distances pairs =
        handle.solve_pairs(span_of(sources, count, "sources"), span_of(targets, count, "targets"), options_of(options));
    std::ranges::copy(pairs.distances, out.begin());
    write_summary(summary, summary_of(std::move(pairs.summary)));
  });
}
