/* SPDX-License-Identifier: Apache-2.0
 * The C interface as a C program sees it: strict C99, linked with libmlmq.so. test_c_interface DEVICE... */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlmq/mlmq.h"

static int failures = 0;

static void check(int right, const char* condition, int line) {
  if (right) return;
  printf("line %d: %s; last error: %s\n", line, condition, mlmq_last_error());
  ++failures;
}
#define CHECK(what) check((what) ? 1 : 0, #what, __LINE__)

/* The call must succeed; otherwise the rest of the test makes no sense. */
static void must(mlmq_status status, const char* call, int line) {
  if (status == MLMQ_OK) return;
  printf("line %d: %s: %s: %s\n", line, call, mlmq_status_name(status), mlmq_last_error());
  exit(1);
}
#define MUST(call) must((call), #call, __LINE__)

/* The call must fail with this status and a message that contains this text. */
static void fails(mlmq_status status, mlmq_status expected, const char* text, const char* call, int line) {
  if (status == expected && strstr(mlmq_last_error(), text) != NULL) return;
  printf("line %d: %s: %s, expected %s with '%s'; last error: %s\n", line, call, mlmq_status_name(status),
         mlmq_status_name(expected), text, mlmq_last_error());
  ++failures;
}
#define FAILS(call, expected, text) fails((call), (expected), (text), #call, __LINE__)

/* Five vertices: an edge of length 0 joins 2 and 3; vertex 4 is isolated. */
static const uint64_t offsets[] = {0, 2, 4, 6, 8, 8};
static const mlmq_vertex targets[] = {1, 2, 0, 2, 1, 3, 2, 1};
static const uint32_t weights[] = {4, 9, 4, 3, 3, 0, 0, 5};
static const float decimals[] = {4.5F, 9, 4, 3, 3, 0, 0, 5};
static const uint32_t expected[] = {0, 4, 7, 7, MLMQ_UNREACHABLE};
enum { VERTICES = 5, EDGES = 8 };

static mlmq_digraph* town(void) {
  mlmq_digraph* graph = NULL;
  MUST(mlmq_digraph_from_rows(VERTICES, EDGES, offsets, targets, MLMQ_UINT32, weights, "town", &graph));
  return graph;
}

static void test_graphs(void) {
  mlmq_digraph* graph = town();
  CHECK(strcmp(mlmq_digraph_name(graph), "town") == 0);
  CHECK(mlmq_digraph_vertex_count(graph) == VERTICES);
  CHECK(mlmq_digraph_edge_count(graph) == EDGES);
  CHECK(mlmq_digraph_weight_type(graph) == MLMQ_UINT32);
  CHECK(mlmq_digraph_on_host(graph));
  CHECK(mlmq_digraph_note_count(graph) == 0);
  CHECK(mlmq_digraph_note(graph, 0) == NULL);
  uint64_t id = 99;
  mlmq_vertex v = 99;
  MUST(mlmq_digraph_id_of(graph, 3, &id));
  CHECK(id == 3);
  MUST(mlmq_digraph_vertex_of(graph, 4, &v));
  CHECK(v == 4);
  FAILS(mlmq_digraph_vertex_of(graph, 5, &v), MLMQ_INPUT_ERROR, "town");
  CHECK(v == 4);
  FAILS(mlmq_digraph_id_of(graph, 5, &id), MLMQ_INPUT_ERROR, "vertex 5");
  mlmq_digraph_free(graph);
  mlmq_digraph_free(NULL);

  graph = NULL;
  MUST(mlmq_digraph_from_rows(VERTICES, EDGES, offsets, targets, MLMQ_FLOAT32, decimals, NULL, &graph));
  CHECK(mlmq_digraph_weight_type(graph) == MLMQ_FLOAT32);
  CHECK(strcmp(mlmq_digraph_name(graph), "graph") == 0);
  mlmq_digraph_free(graph);

  mlmq_read_options options;
  mlmq_read_options_init(&options, sizeof options);
  CHECK(options.weight_seed == 1 && options.undirected == -1 && options.weight_type == -1);
  options.weight_type = MLMQ_FLOAT32;
  MUST(mlmq_digraph_open("road8", &options, &graph));
  CHECK(mlmq_digraph_weight_type(graph) == MLMQ_FLOAT32);
  CHECK(mlmq_digraph_default_source(graph) < mlmq_digraph_vertex_count(graph));
  double read_ms = -1;
  double build_ms = -1;
  uint64_t file_bytes = 1;
  mlmq_digraph_open_times(graph, &read_ms, &build_ms, &file_bytes);
  CHECK(read_ms == 0 && build_ms > 0 && file_bytes == 0);
  mlmq_digraph_open_times(graph, NULL, NULL, NULL);
  mlmq_digraph_free(graph);
  MUST(mlmq_digraph_open("road8", NULL, &graph));
  CHECK(mlmq_digraph_weight_type(graph) == MLMQ_UINT32);
  mlmq_digraph_free(graph);

  mlmq_digraph* none = NULL;
  FAILS(mlmq_digraph_open("no such file", NULL, &none), MLMQ_INPUT_ERROR, "no such file");
  FAILS(mlmq_digraph_open(NULL, NULL, &none), MLMQ_INPUT_ERROR, "name: NULL");
  FAILS(mlmq_digraph_open("road8", NULL, NULL), MLMQ_INPUT_ERROR, "graph: NULL");
  options.weight_type = 9;
  FAILS(mlmq_digraph_open("road8", &options, &none), MLMQ_INPUT_ERROR, "type: 9");
  options.weight_type = -1;
  options.undirected = 2;
  FAILS(mlmq_digraph_open("road8", &options, &none), MLMQ_INPUT_ERROR, "undirected: 2");
  FAILS(mlmq_digraph_from_rows(VERTICES, EDGES - 1, offsets, targets, MLMQ_UINT32, weights, NULL, &none),
        MLMQ_INPUT_ERROR, "graph");
  FAILS(mlmq_digraph_from_rows(0, 0, offsets, targets, MLMQ_UINT32, weights, NULL, &none), MLMQ_INPUT_ERROR,
        "no vertices");
  FAILS(mlmq_digraph_from_rows(UINT64_MAX, 0, offsets, targets, MLMQ_UINT32, weights, NULL, &none), MLMQ_INPUT_ERROR,
        "18446744073709551615 vertices");
  FAILS(mlmq_digraph_from_rows(3, EDGES, offsets, targets, MLMQ_UINT32, weights, NULL, &none), MLMQ_INPUT_ERROR,
        "graph");
  FAILS(mlmq_digraph_from_rows(VERTICES, EDGES, offsets, NULL, MLMQ_UINT32, weights, NULL, &none), MLMQ_INPUT_ERROR,
        "targets: NULL");
  FAILS(mlmq_digraph_from_rows(VERTICES, EDGES, offsets, targets, (mlmq_number_type)9, weights, NULL, &none),
        MLMQ_INPUT_ERROR, "type: 9");
  CHECK(none == NULL);
}

/* Distances of 8 bytes: from a solution, in the caller's memory, and row by row. */
static void test_doubles(void) {
  const double lengths[] = {4.1, 9, 4, 3, 3, 0, 0, 5};
  mlmq_digraph* graph = NULL;
  MUST(mlmq_digraph_from_rows(VERTICES, EDGES, offsets, targets, MLMQ_FLOAT64, lengths, NULL, &graph));
  CHECK(mlmq_digraph_weight_type(graph) == MLMQ_FLOAT64);
  mlmq_device* device = NULL;
  MUST(mlmq_device_open("cpu:1", &device));
  mlmq_solver* solver = NULL;
  MUST(mlmq_solver_create(device, graph, MLMQ_SSSP, &solver));
  mlmq_solution* solution = NULL;
  MUST(mlmq_solver_solve(solver, 0, NULL, &solution));
  CHECK(mlmq_solution_type(solution) == MLMQ_FLOAT64);
  const void* distances = NULL;
  MUST(mlmq_solution_distances(solution, &distances));
  const double* const right = distances;
  CHECK(right[0] == 0 && right[1] == 4.1); /* float32 cannot hold this value */
  double copy[VERTICES];
  MUST(mlmq_solution_copy_distances(solution, MLMQ_FLOAT64, copy, VERTICES));
  CHECK(memcmp(copy, right, sizeof copy) == 0);
  float narrow[VERTICES];
  FAILS(mlmq_solution_copy_distances(solution, MLMQ_FLOAT32, narrow, VERTICES), MLMQ_INPUT_ERROR, "are float64");
  memset(copy, 0, sizeof copy);
  MUST(mlmq_solver_solve_into(solver, 0, NULL, MLMQ_FLOAT64, copy, VERTICES, NULL));
  CHECK(memcmp(copy, right, sizeof copy) == 0);
  FAILS(mlmq_solver_solve_into(solver, 0, NULL, MLMQ_FLOAT32, narrow, VERTICES, NULL), MLMQ_INPUT_ERROR, "float64");
  const mlmq_vertex sources[] = {0, 1};
  double matrix[2 * VERTICES];
  MUST(mlmq_solver_solve_many_into(solver, sources, 2, NULL, MLMQ_FLOAT64, matrix, 2 * VERTICES, NULL));
  CHECK(memcmp(matrix, right, sizeof copy) == 0);
  CHECK(matrix[VERTICES + 1] == 0);
  mlmq_solution_free(solution);
  mlmq_solver_free(solver);
  mlmq_device_free(device);
  mlmq_digraph_free(graph);
}

static void test_structures(void) {
  mlmq_solve_options options;
  mlmq_choice* choice = NULL;
  mlmq_device* device = NULL;
  mlmq_solver* solver = NULL;
  mlmq_digraph* graph = town();
  MUST(mlmq_device_open("cpu:1", &device));
  MUST(mlmq_solver_create(device, graph, MLMQ_SSSP, &solver));

  memset(&options, 0, sizeof options);
  FAILS(mlmq_solver_choose(solver, &options, &choice), MLMQ_INPUT_ERROR, "call mlmq_solve_options_init() first");
  memset(&options, 0xAB, sizeof options);
  FAILS(mlmq_solver_choose(solver, &options, &choice), MLMQ_INPUT_ERROR, "struct_size");

  /* A program that was made for a newer library: fields unknown to this library must keep init's values. */
  struct {
    mlmq_solve_options options;
    double unknown;
  } newer;
  mlmq_solve_options_init(&newer.options, sizeof newer);
  CHECK(newer.options.struct_size == sizeof newer && newer.unknown == 0);
  CHECK(newer.options.time_limit_ms == 60000);
  MUST(mlmq_solver_choose(solver, &newer.options, &choice));
  mlmq_choice_free(choice);
  newer.unknown = 1;
  FAILS(mlmq_solver_choose(solver, &newer.options, &choice), MLMQ_INPUT_ERROR, "built for a newer version");

  /* The library writes no more than the struct holds. */
  struct {
    mlmq_solve_times times;
    double beyond;
  } values;
  mlmq_solution* solution = NULL;
  MUST(mlmq_solver_solve(solver, 0, NULL, &solution));
  values.beyond = 7;
  mlmq_solve_times_init(&values.times, sizeof values.times);
  MUST(mlmq_summary_times(mlmq_solution_summary(solution), &values.times));
  CHECK(values.beyond == 7 && values.times.struct_size == sizeof values.times);
  values.times.struct_size = 8;
  FAILS(mlmq_summary_times(mlmq_solution_summary(solution), &values.times), MLMQ_INPUT_ERROR, "mlmq_solve_times");

  mlmq_solution_free(solution);
  mlmq_solver_free(solver);
  mlmq_device_free(device);
  mlmq_digraph_free(graph);
}

/* Distances that do not fit their type are an error. */
static void test_too_far(const char* selector) {
  const uint64_t rows[] = {0, 1, 2, 2};
  const uint32_t ends[] = {1, 2};
  const uint32_t long_weights[] = {4294967293U, 4294967293U};
  mlmq_device* device = NULL;
  mlmq_digraph* graph = NULL;
  mlmq_solver* solver = NULL;
  mlmq_solution* solution = NULL;
  MUST(mlmq_device_open(selector, &device));
  MUST(mlmq_digraph_from_rows(3, 2, rows, ends, MLMQ_UINT32, long_weights, NULL, &graph));
  MUST(mlmq_solver_create(device, graph, MLMQ_SSSP, &solver));
  FAILS(mlmq_solver_solve(solver, 0, NULL, &solution), MLMQ_SEARCH_ERROR, "beyond 32 bits");
  uint32_t out[3];
  FAILS(mlmq_solver_solve_into(solver, 0, NULL, MLMQ_UINT32, out, 3, NULL), MLMQ_SEARCH_ERROR, "beyond 32 bits");
  MUST(mlmq_solver_solve(solver, 1, NULL, &solution));
  mlmq_solution_free(solution);
  mlmq_solver_free(solver);
  mlmq_digraph_free(graph);
  mlmq_device_free(device);
}

static void test_solving(const char* selector) {
  mlmq_device* device = NULL;
  mlmq_solver* solver = NULL;
  mlmq_solution* solution = NULL;
  mlmq_digraph* graph = town();
  MUST(mlmq_device_open(selector, &device));

  mlmq_device_facts facts;
  mlmq_device_facts_init(&facts, sizeof facts);
  MUST(mlmq_device_get_facts(device, &facts));
  CHECK(strncmp(facts.selector, facts.kind, strlen(facts.kind)) == 0);
  CHECK(facts.modelled == (strcmp(facts.kind, "simt") == 0));
  MUST(mlmq_device_set_seed(device, 5));

  MUST(mlmq_solver_create(device, graph, MLMQ_SSSP, &solver));
  mlmq_solve_options options;
  mlmq_solve_options_init(&options, sizeof options);
  options.place = MLMQ_PLACE_DEVICE;
  options.counters = 1;
  options.partition = (mlmq_partitioning)3;
  FAILS(mlmq_solver_solve(solver, 0, &options, &solution), MLMQ_INPUT_ERROR, "3 is not an mlmq_partitioning");
  options.partition = MLMQ_PARTITION_NEVER;
  MUST(mlmq_solver_solve(solver, 0, &options, &solution));
  int resident = 0;
  MUST(mlmq_solver_resident(solver, &resident));
  CHECK(resident == 1);
  double upload = -1;
  MUST(mlmq_solver_upload(solver, &upload));
  CHECK(upload == 0);

  CHECK(mlmq_solution_source(solution) == 0);
  CHECK(mlmq_solution_type(solution) == MLMQ_UINT32);
  CHECK(mlmq_solution_count(solution) == VERTICES);
  const void* view = NULL;
  MUST(mlmq_solution_distances(solution, &view));
  CHECK(memcmp(view, expected, sizeof expected) == 0);
  uint32_t copy[VERTICES];
  MUST(mlmq_solution_copy_distances(solution, MLMQ_UINT32, copy, VERTICES));
  CHECK(memcmp(copy, expected, sizeof expected) == 0);
  FAILS(mlmq_solution_copy_distances(solution, MLMQ_FLOAT32, copy, VERTICES), MLMQ_INPUT_ERROR, "uint32");
  FAILS(mlmq_solution_copy_distances(solution, MLMQ_UINT32, copy, 4), MLMQ_INPUT_ERROR, "expected 5");
  double distance = -1;
  MUST(mlmq_solution_distance(solution, 3, &distance));
  CHECK(distance == 7);
  MUST(mlmq_solution_distance(solution, 4, &distance));
  CHECK(isinf(distance));
  FAILS(mlmq_solution_distance(solution, 5, &distance), MLMQ_INPUT_ERROR, "vertex 5");

  mlmq_vertex before[VERTICES];
  const mlmq_vertex right_before[] = {MLMQ_NO_VERTEX, 0, 1, 2, MLMQ_NO_VERTEX};
  MUST(mlmq_solution_predecessors(solution, 1, before, VERTICES));
  CHECK(memcmp(before, right_before, sizeof before) == 0);
  FAILS(mlmq_solution_predecessors(solution, 1, before, 3), MLMQ_INPUT_ERROR, "expected 5");
  mlmq_vertex path[VERTICES] = {9, 9, 9, 9, 9};
  size_t count = 99;
  const mlmq_vertex right_path[] = {0, 1, 2, 9, 9};
  MUST(mlmq_solution_path(solution, 3, NULL, 0, &count));
  CHECK(count == 4);
  MUST(mlmq_solution_path(solution, 3, path, 3, &count));
  CHECK(count == 4 && memcmp(path, right_path, sizeof path) == 0);
  MUST(mlmq_solution_path(solution, 4, path, VERTICES, &count));
  CHECK(count == 0);
  char* message = (char*)path;
  MUST(mlmq_solution_check(solution, &message));
  CHECK(message == NULL);

  const mlmq_summary* summary = mlmq_solution_summary(solution);
  const mlmq_choice* choice = mlmq_summary_choice(summary);
  CHECK(strlen(mlmq_choice_configuration(choice)) > 0);
  CHECK(strcmp(mlmq_choice_device(choice), facts.selector) == 0);
  CHECK(strcmp(mlmq_choice_device_name(choice), facts.name) == 0);
  /* The model is for GPUs, and the simulator is one. */
  const int by_model = facts.modelled;
  CHECK(mlmq_choice_chooser(choice) == (by_model ? MLMQ_CHOSEN_BY_MODEL : MLMQ_CHOSEN_BY_STANDARD));
  CHECK(isnan(mlmq_choice_predicted(choice)) == !by_model && strlen(mlmq_choice_reason(choice)) > 0);
  mlmq_solve_times times;
  mlmq_solve_times_init(&times, sizeof times);
  MUST(mlmq_summary_times(summary, &times));
  CHECK(times.solve > 0);
  /* Programs that were compiled before host_copy was added. */
  times.host_copy = -1;
  times.struct_size = offsetof(mlmq_solve_times, host_copy);
  MUST(mlmq_summary_times(summary, &times));
  CHECK(times.host_copy == -1);
  int exact = 0;
  MUST(mlmq_summary_exact(summary, &exact));
  CHECK(exact == 1);
  CHECK(mlmq_summary_searches(summary) == 1);
  CHECK(mlmq_summary_counter_count(summary) > 0);
  const char* name = NULL;
  double value = -1;
  MUST(mlmq_summary_counter(summary, 0, &name, &value));
  CHECK(strlen(name) > 0 && value >= 0);
  FAILS(mlmq_summary_counter(summary, 10000, &name, &value), MLMQ_INPUT_ERROR, "counter 10000");

  /* The objects that the solution came from may have been freed. */
  FAILS(mlmq_solver_update_weights(solver, MLMQ_UINT32, weights, 2), MLMQ_INPUT_ERROR, "2 new weights");
  FAILS(mlmq_solver_update_weights(solver, MLMQ_FLOAT32, decimals, EDGES), MLMQ_INPUT_ERROR, "float32");
  uint32_t longer[EDGES];
  for (int i = 0; i < EDGES; ++i) longer[i] = 10 * weights[i];
  MUST(mlmq_solver_update_weights(solver, MLMQ_UINT32, longer, EDGES));
  uint32_t distances[VERTICES];
  MUST(mlmq_solver_solve_into(solver, 0, NULL, MLMQ_UINT32, distances, VERTICES, NULL));
  for (int i = 0; i < VERTICES; ++i)
    CHECK(distances[i] == (expected[i] == MLMQ_UNREACHABLE ? MLMQ_UNREACHABLE : 10 * expected[i]));
  mlmq_solver_free(solver);
  mlmq_device_free(device);
  mlmq_digraph_free(graph);
  MUST(mlmq_solution_distance(solution, 2, &distance));
  CHECK(distance == 7);
  MUST(mlmq_solution_check(solution, &message));
  CHECK(message == NULL);
  mlmq_solution_free(solution);
}

static void test_options(const char* selector) {
  mlmq_device* device = NULL;
  mlmq_solver* solver = NULL;
  mlmq_solution* solution = NULL;
  mlmq_digraph* graph = town();
  MUST(mlmq_device_open(selector, &device));
  MUST(mlmq_solver_create(device, graph, MLMQ_BFS, &solver));
  const int on_processors = strncmp(selector, "cpu", 3) == 0;
  const char* const configurations[] = {on_processors ? "solver=dijkstra" : "solver=near_far,threads=128"};

  mlmq_solve_options options;
  mlmq_solve_options_init(&options, sizeof options);
  options.configurations = configurations;
  options.configuration_count = 1;
  mlmq_choice* choice = NULL;
  MUST(mlmq_solver_choose(solver, &options, &choice));
  CHECK(mlmq_choice_chooser(choice) == MLMQ_CHOSEN_BY_CALLER);
  char* complete = NULL;
  MUST(mlmq_complete_configuration(configurations[0], &complete));
  CHECK(strcmp(mlmq_choice_configuration(choice), complete) == 0);
  mlmq_free(complete);
  mlmq_choice_free(choice);
  MUST(mlmq_solver_solve(solver, 1, &options, &solution));
  const uint32_t levels[] = {1, 0, 1, 2, MLMQ_UNREACHABLE};
  const void* view = NULL;
  MUST(mlmq_solution_distances(solution, &view));
  CHECK(memcmp(view, levels, sizeof levels) == 0);
  mlmq_solution_free(solution);
  solution = NULL;

  if (!on_processors) {
    options.timeline = 1;
    MUST(mlmq_solver_solve(solver, 1, &options, &solution));
    const mlmq_summary* summary = mlmq_solution_summary(solution);
    mlmq_timeline_interval interval = {-1, -1, -1};
    CHECK(mlmq_summary_interval_count(summary) > 0);
    MUST(mlmq_summary_interval(summary, 0, &interval));
    CHECK(interval.vertices >= 1 && interval.start_ms >= 0);
    FAILS(mlmq_summary_interval(summary, 1u << 20, &interval), MLMQ_INPUT_ERROR, "interval 1048576");
    mlmq_solution_free(solution);
    solution = NULL;
    options.timeline = 0;
  }

  FAILS(mlmq_solver_solve(solver, 5, NULL, &solution), MLMQ_INPUT_ERROR, "source 5");
  FAILS(mlmq_solver_solve(NULL, 0, NULL, &solution), MLMQ_INPUT_ERROR, "solver: NULL");
  FAILS(mlmq_solver_create(device, graph, (mlmq_problem)7, &solver), MLMQ_INPUT_ERROR, "problem: 7");
  options.counters = 3;
  FAILS(mlmq_solver_solve(solver, 0, &options, &solution), MLMQ_INPUT_ERROR, "counters: 3");
  options.counters = 0;
  options.time_limit_ms = -1;
  FAILS(mlmq_solver_solve(solver, 0, &options, &solution), MLMQ_INPUT_ERROR, "time limit");
  options.time_limit_ms = 1000;
  const char* const unknown[] = {"solver=telepathy"};
  options.configurations = unknown;
  FAILS(mlmq_solver_solve(solver, 0, &options, &solution), MLMQ_INPUT_ERROR, "telepathy");
  const char* const elsewhere[] = {on_processors ? "solver=near_far" : "solver=dijkstra"};
  options.configurations = elsewhere;
  FAILS(mlmq_solver_solve(solver, 0, &options, &solution), MLMQ_UNSUITABLE_ERROR, "");
  options.configurations = NULL;
  FAILS(mlmq_solver_solve(solver, 0, &options, &solution), MLMQ_INPUT_ERROR, "configurations: NULL");
  CHECK(solution == NULL);
  mlmq_model* model = NULL;
  FAILS(mlmq_model_read("no such model", &model), MLMQ_INPUT_ERROR, "no such model");
  mlmq_device* none = NULL;
  FAILS(mlmq_device_open("gpu of my dreams", &none), MLMQ_INPUT_ERROR, "gpu of my dreams");

  mlmq_solver_free(solver);
  mlmq_digraph_free(graph);
  mlmq_device_free(device);
}

/* The calls that a callback has recorded. */
struct seen {
  uint32_t distances[3 * VERTICES];
  size_t rows;
  size_t columns;
  size_t stop_after;
};

static int take(const mlmq_distance_rows* rows, void* user) {
  struct seen* seen = user;
  CHECK(rows->struct_size == sizeof *rows);
  CHECK(rows->first == seen->rows && rows->type == MLMQ_UINT32 && rows->on_device == 0);
  seen->columns = rows->columns;
  memcpy(seen->distances + rows->first * rows->columns, rows->distances, rows->rows * rows->columns * sizeof(uint32_t));
  seen->rows += rows->rows;
  return seen->stop_after != 0 && seen->rows >= seen->stop_after;
}

static void test_many(const char* selector) {
  mlmq_device* device = NULL;
  mlmq_solver* solver = NULL;
  mlmq_digraph* graph = town();
  MUST(mlmq_device_open(selector, &device));
  MUST(mlmq_solver_create(device, graph, MLMQ_SSSP, &solver));
  const mlmq_vertex sources[] = {3, 0, 4};
  const uint32_t right[] = {7,
                            3,
                            0,
                            0,
                            MLMQ_UNREACHABLE,
                            0,
                            4,
                            7,
                            7,
                            MLMQ_UNREACHABLE,
                            MLMQ_UNREACHABLE,
                            MLMQ_UNREACHABLE,
                            MLMQ_UNREACHABLE,
                            MLMQ_UNREACHABLE,
                            0};
  struct seen seen;
  memset(&seen, 0, sizeof seen);
  mlmq_summary* summary = NULL;
  MUST(mlmq_solver_solve_many(solver, sources, 3, NULL, take, &seen, &summary));
  CHECK(seen.rows == 3 && seen.columns == VERTICES && memcmp(seen.distances, right, sizeof right) == 0);
  CHECK(mlmq_summary_searches(summary) == 3 && mlmq_summary_tried_count(summary) == 0);
  const uint64_t digest = mlmq_summary_digest(summary);
  CHECK(strlen(mlmq_choice_configuration(mlmq_summary_choice(summary))) > 0);
  mlmq_summary_free(summary);

  uint32_t matrix[3 * VERTICES];
  MUST(mlmq_solver_solve_many_into(solver, sources, 3, NULL, MLMQ_UINT32, matrix, 3 * VERTICES, &summary));
  CHECK(memcmp(matrix, right, sizeof right) == 0);
  CHECK(digest != 0 && mlmq_summary_digest(summary) == digest);
  mlmq_summary_free(summary);
  MUST(mlmq_solver_solve_many(solver, sources, 2, NULL, NULL, NULL, &summary));
  CHECK(mlmq_summary_digest(summary) != digest);
  mlmq_summary_free(summary);
  FAILS(mlmq_solver_solve_many_into(solver, sources, 3, NULL, MLMQ_UINT32, matrix, 14, NULL), MLMQ_INPUT_ERROR,
        "3 rows of 5");
  FAILS(mlmq_solver_solve_many_into(solver, sources, 3, NULL, MLMQ_FLOAT32, matrix, 15, NULL), MLMQ_INPUT_ERROR,
        "float32");

  /* One row per call; stops after the first. */
  mlmq_batch_options options;
  mlmq_batch_options_init(&options, sizeof options);
  CHECK(isinf(options.cutoff) && options.tries == 3 && options.searches_per_try == 2048);
  options.memory_bytes = VERTICES * sizeof(uint32_t);
  memset(&seen, 0, sizeof seen);
  seen.stop_after = 1;
  summary = NULL;
  FAILS(mlmq_solver_solve_many(solver, sources, 3, &options, take, &seen, &summary), MLMQ_STOPPED, "callback");
  CHECK(seen.rows == 1 && summary == NULL);

  const mlmq_vertex requested_targets[] = {2, 0};
  const uint32_t right_targets[] = {0, 7, 7, 0, MLMQ_UNREACHABLE, MLMQ_UNREACHABLE};
  options.memory_bytes = 0;
  options.targets = requested_targets;
  options.target_count = 2;
  options.check = 1;
  MUST(mlmq_solver_solve_many_into(solver, sources, 3, &options, MLMQ_UINT32, matrix, 6, &summary));
  CHECK(memcmp(matrix, right_targets, sizeof right_targets) == 0);
  CHECK(mlmq_summary_digest(summary) == 0);
  mlmq_summary_free(summary);
  options.cutoff = 6;
  MUST(mlmq_solver_solve_many_into(solver, sources, 3, &options, MLMQ_UINT32, matrix, 6, NULL));
  CHECK(matrix[0] == 0 && matrix[1] == MLMQ_UNREACHABLE && matrix[2] == MLMQ_UNREACHABLE);
  options.cutoff = -1;
  FAILS(mlmq_solver_solve_many_into(solver, sources, 3, &options, MLMQ_UINT32, matrix, 6, NULL), MLMQ_INPUT_ERROR,
        "cutoff");
  options.cutoff = 6;
  options.target_count = 3;
  options.targets = NULL;
  FAILS(mlmq_solver_solve_many(solver, sources, 3, &options, NULL, NULL, NULL), MLMQ_INPUT_ERROR, "targets: NULL");
  FAILS(mlmq_solver_solve_many(solver, sources, 0, NULL, NULL, NULL, NULL), MLMQ_INPUT_ERROR, "");

  mlmq_reduction within;
  mlmq_reduction nearest;
  mlmq_reduction_init(&within, sizeof within);
  mlmq_reduction_init(&nearest, sizeof nearest);
  CHECK(within.kind == MLMQ_CLOSENESS && within.scale == 1 && within.count == 1);
  const double limits[] = {3, 7};
  const double opportunities[] = {1, 0.5, 0, 2, 8};
  within.kind = MLMQ_SUMS_WITHIN;
  within.limits = limits;
  within.limit_count = 2;
  within.opportunities = opportunities;
  within.opportunity_count = VERTICES;
  nearest.kind = MLMQ_NEAREST;
  nearest.members = requested_targets;
  nearest.member_count = 2;
  const mlmq_reduction* const reductions[] = {&within, &nearest};
  double values[3 * 4];
  mlmq_batch_options_init(&options, sizeof options);
  options.check = 1;
  MUST(mlmq_solver_reduce(solver, sources, 3, reductions, 2, &options, values, 12, &summary));
  const double right_values[] = {2.5, 3.5, 1, 3.5, 8, 8, 0, 2, 0, 0, INFINITY, -1};
  for (int i = 0; i < 12; ++i) CHECK(values[i] == right_values[i]);
  CHECK(mlmq_summary_searches(summary) == 3);
  mlmq_summary_free(summary);
  FAILS(mlmq_solver_reduce(solver, sources, 3, reductions, 2, NULL, values, 11, NULL), MLMQ_INPUT_ERROR, "3 rows of 4");
  within.opportunity_count = 2;
  FAILS(mlmq_solver_reduce(solver, sources, 3, reductions, 2, NULL, values, 12, NULL), MLMQ_INPUT_ERROR, "2 numbers");
  within.struct_size = 0;
  FAILS(mlmq_solver_reduce(solver, sources, 3, reductions, 2, NULL, values, 12, NULL), MLMQ_INPUT_ERROR,
        "mlmq_reduction");
  const mlmq_vertex ends[] = {0, 3, 2};
  MUST(mlmq_solver_solve_pairs(solver, sources, ends, 3, NULL, values, &summary));
  CHECK(values[0] == 7 && values[1] == 7 && isinf(values[2]));
  mlmq_summary_free(summary);
  const mlmq_vertex beyond[] = {0, 3, 5};
  FAILS(mlmq_solver_solve_pairs(solver, sources, beyond, 3, NULL, values, NULL), MLMQ_INPUT_ERROR, "target 5");
  const uint32_t quantities[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
  uint64_t sums[3 * 2];
  MUST(mlmq_solver_sum_pair_paths(solver, sources, ends, 3, quantities, 8, &options, values, sums, &summary));
  CHECK(values[0] == 7 && values[1] == 7 && isinf(values[2]));
  CHECK(sums[0] == 1010100 && sums[1] == 101001 && sums[2] == MLMQ_NO_PATH_SUM);
  CHECK(mlmq_summary_searches(summary) == 3);
  mlmq_summary_free(summary);
  MUST(mlmq_solver_sum_matrix_paths(solver, sources, 3, ends, 2, quantities, 8, &options, values, sums, 6, NULL));
  const uint64_t right_sums[] = {1010100, 0, 0, 101001, MLMQ_NO_PATH_SUM, MLMQ_NO_PATH_SUM};
  CHECK(memcmp(sums, right_sums, sizeof right_sums) == 0);
  CHECK(values[0] == 7 && values[1] == 0 && values[2] == 0 && values[3] == 7 && isinf(values[4]) && isinf(values[5]));
  FAILS(mlmq_solver_sum_pair_paths(solver, sources, ends, 3, quantities, 7, NULL, values, sums, NULL), MLMQ_INPUT_ERROR,
        "quantities: 7 numbers, but");
  FAILS(mlmq_solver_sum_matrix_paths(solver, sources, 3, ends, 2, NULL, 8, NULL, values, sums, 6, NULL),
        MLMQ_INPUT_ERROR, "quantities: NULL");
  FAILS(mlmq_solver_sum_matrix_paths(solver, sources, 3, ends, 2, quantities, 8, NULL, values, NULL, 6, NULL),
        MLMQ_INPUT_ERROR, "sums: NULL");
  FAILS(mlmq_solver_sum_matrix_paths(solver, sources, 3, ends, 2, quantities, 8, NULL, values, sums, 5, NULL),
        MLMQ_INPUT_ERROR, "5 results, expected 3 rows of 2");
  mlmq_digraph* reversed = NULL;
  MUST(mlmq_digraph_reversed(graph, &reversed));
  CHECK(mlmq_digraph_edge_count(reversed) == mlmq_digraph_edge_count(graph));
  mlmq_digraph_free(reversed);

  /* Trials of configurations: enough sources for two rounds. */
  mlmq_vertex many[64];
  memset(many, 0, sizeof many);
  mlmq_batch_options_init(&options, sizeof options);
  options.tries = 2;
  options.searches_per_try = 4;
  MUST(mlmq_solver_solve_many(solver, many, 64, &options, NULL, NULL, &summary));
  if (strcmp(selector, "simt") == 0) {
    CHECK(mlmq_summary_tried_count(summary) == 2);
    const char* configuration = NULL;
    size_t searches = 0;
    double milliseconds = 0;
    MUST(mlmq_summary_tried(summary, 1, &configuration, &searches, &milliseconds));
    CHECK(strlen(configuration) > 0 && searches == 4 && milliseconds > 0);
  }
  FAILS(mlmq_summary_tried(summary, 2, NULL, NULL, NULL), MLMQ_INPUT_ERROR, "trial 2");
  mlmq_summary_free(summary);

  mlmq_solver_free(solver);
  mlmq_device_free(device);
  mlmq_digraph_free(graph);
}

static void test_into(const char* selector) {
  mlmq_device* device = NULL;
  mlmq_solver* solver = NULL;
  mlmq_digraph* graph = town();
  MUST(mlmq_device_open(selector, &device));
  MUST(mlmq_solver_create(device, graph, MLMQ_SSSP, &solver));
  uint32_t out[VERTICES];
  mlmq_summary* summary = NULL;
  MUST(mlmq_solver_solve_into(solver, 0, NULL, MLMQ_UINT32, out, VERTICES, &summary));
  CHECK(memcmp(out, expected, sizeof expected) == 0);
  CHECK(mlmq_summary_searches(summary) == 1);
  mlmq_summary_free(summary);
  FAILS(mlmq_solver_solve_into(solver, 0, NULL, MLMQ_FLOAT32, out, VERTICES, NULL), MLMQ_INPUT_ERROR, "");
  FAILS(mlmq_solver_solve_into(solver, 0, NULL, MLMQ_UINT32, out, 4, NULL), MLMQ_INPUT_ERROR, "");
  mlmq_solver_free(solver);
  mlmq_device_free(device);
  mlmq_digraph_free(graph);
}

static int released = 0;
static void release(void* owner) { *(int*)owner += 1; }

static void test_device_arrays(void) {
  mlmq_device* device = NULL;
  mlmq_memory* memory = NULL;
  MUST(mlmq_device_open("simt", &device));
  const uint32_t narrow[] = {0, 2, 4, 6, 8, 8};
  const size_t ends = sizeof narrow;
  const size_t lengths = ends + sizeof targets;
  MUST(mlmq_device_allocate(device, lengths + sizeof weights, &memory));
  char* const data = mlmq_memory_data(memory);
  MUST(mlmq_device_write(device, data, narrow, sizeof narrow));
  MUST(mlmq_device_write(device, data + ends, targets, sizeof targets));
  MUST(mlmq_device_write(device, data + lengths, weights, sizeof weights));

  mlmq_device_rows rows;
  mlmq_device_rows_init(&rows, sizeof rows);
  CHECK(rows.offset_bits == 32 && rows.unchecked == 0);
  rows.vertices = VERTICES;
  rows.edges = EDGES;
  rows.offsets = data;
  rows.targets = data + ends;
  rows.weights = data + lengths;
  rows.owner = &released;
  rows.release = release;
  mlmq_digraph* graph = NULL;
  mlmq_solver* solver = NULL;
  mlmq_solution* solution = NULL;
  MUST(mlmq_digraph_from_device(device, &rows, &graph));
  MUST(mlmq_solver_create(device, graph, MLMQ_SSSP, &solver));
  mlmq_digraph_free(graph);
  mlmq_solve_options options;
  mlmq_solve_options_init(&options, sizeof options);
  options.keep_on_device = 1;
  MUST(mlmq_solver_solve(solver, 0, &options, &solution));
  mlmq_device_array array;
  mlmq_device_array_init(&array, sizeof array);
  MUST(mlmq_solution_device_distances(solution, &array));
  CHECK(array.count == VERTICES && array.type == MLMQ_UINT32 && strcmp(array.device, "simt") == 0);
  uint32_t distances[VERTICES];
  MUST(mlmq_device_read(device, distances, array.data, sizeof distances));
  CHECK(memcmp(distances, expected, sizeof expected) == 0);
  mlmq_solve_times times;
  mlmq_solve_times_init(&times, sizeof times);
  MUST(mlmq_summary_times(mlmq_solution_summary(solution), &times));
  CHECK(times.download == 0);
  const void* view = NULL;
  MUST(mlmq_solution_distances(solution, &view));
  CHECK(memcmp(view, expected, sizeof expected) == 0);
  CHECK(released == 0);
  mlmq_solution_free(solution);

  const uint32_t longer[EDGES] = {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000};
  mlmq_memory* longer_memory = NULL;
  MUST(mlmq_device_allocate(device, sizeof longer, &longer_memory));
  void* const longer_data = mlmq_memory_data(longer_memory);
  MUST(mlmq_device_write(device, longer_data, longer, sizeof longer));
  FAILS(mlmq_solver_update_weights_from_device(solver, MLMQ_UINT32, longer_data, 2, NULL), MLMQ_INPUT_ERROR,
        "2 new weights");
  FAILS(mlmq_solver_update_weights_from_device(solver, MLMQ_UINT32, longer, EDGES, NULL), MLMQ_INPUT_ERROR,
        "the new weights");
  MUST(mlmq_solver_update_weights_from_device(solver, MLMQ_UINT32, longer_data, EDGES, NULL));
  mlmq_memory_free(longer_memory);
  MUST(mlmq_solver_solve_into(solver, 0, NULL, MLMQ_UINT32, distances, VERTICES, NULL));
  for (int i = 0; i < VERTICES; ++i) CHECK(distances[i] == MLMQ_UNREACHABLE || distances[i] % 1000 == 0);
  mlmq_solver_free(solver);
  CHECK(released == 1);

  rows.targets = weights; /* host memory, and 9 is not a vertex */
  FAILS(mlmq_digraph_from_device(device, &rows, &graph), MLMQ_INPUT_ERROR, "");
  CHECK(released == 2);
  mlmq_memory_free(memory);
  mlmq_device_free(device);
}

static void test_grid(const char* selector) {
  static const uint8_t cells[] = {1, 1, 1, 0, 0, 1, 1, 1, 1};
  mlmq_grid* map = NULL;
  mlmq_device* device = NULL;
  mlmq_path_finder* finder = NULL;
  mlmq_path_answers* answers = NULL;
  MUST(mlmq_device_open(selector, &device));
  MUST(mlmq_grid_from_cells(3, 3, cells, MLMQ_CORNERS_NONE, "room", &map));
  CHECK(mlmq_grid_width(map) == 3 && mlmq_grid_height(map) == 3 && strcmp(mlmq_grid_name(map), "room") == 0);
  CHECK(mlmq_grid_corners(map) == MLMQ_CORNERS_NONE);
  CHECK(mlmq_grid_is_free(map, 2, 1) && !mlmq_grid_is_free(map, 0, 1) && !mlmq_grid_is_free(map, 3, 0));
  MUST(mlmq_path_finder_create(device, map, &finder));
  mlmq_path_options options;
  mlmq_path_options_init(&options, sizeof options);
  options.paths = 1;
  const mlmq_grid_pair pairs[] = {{{0, 0}, {0, 2}}, {{1, 0}, {1, 0}}};
  MUST(mlmq_path_finder_solve(finder, pairs, 2, &options, &answers));
  CHECK(mlmq_path_answers_count(answers) == 2 && mlmq_path_answers_shortest(answers));
  mlmq_path_answer answer;
  MUST(mlmq_path_answers_get(answers, 0, &answer));
  CHECK(answer.length == 6 && answer.straight == 6 && answer.diagonal == 0);
  mlmq_path_answer all_answers[2];
  MUST(mlmq_path_answers_copy(answers, all_answers, 2));
  CHECK(all_answers[0].length == 6 && all_answers[1].length == 0 && all_answers[1].straight == 0);
  FAILS(mlmq_path_answers_copy(answers, all_answers, 1), MLMQ_INPUT_ERROR, "expected 2");
  mlmq_cell path[7];
  size_t count = 0;
  MUST(mlmq_path_answers_path(answers, 0, path, 7, &count));
  CHECK(count == 7 && path[0].x == 0 && path[0].y == 0 && path[3].x == 2 && path[3].y == 1 && path[6].y == 2);
  FAILS(mlmq_path_answers_get(answers, 2, &answer), MLMQ_INPUT_ERROR, "pair 2");
  char* message = NULL;
  MUST(mlmq_path_answers_check(answers, 1, &message));
  CHECK(message == NULL);
  CHECK(mlmq_summary_searches(mlmq_path_answers_summary(answers)) == 2);
  mlmq_path_answers_free(answers);
  const mlmq_grid_pair blocked[] = {{{0, 1}, {0, 2}}};
  FAILS(mlmq_path_finder_solve(finder, blocked, 1, NULL, &answers), MLMQ_INPUT_ERROR, "");
  mlmq_choice* choice = NULL;
  MUST(mlmq_path_finder_choose(finder, NULL, &choice));
  CHECK(strlen(mlmq_choice_configuration(choice)) > 0);
  mlmq_choice_free(choice);
  mlmq_grid_pair drawn[4];
  MUST(mlmq_grid_random_pairs(map, 4, 1, drawn));
  for (int i = 0; i < 4; ++i) CHECK(mlmq_grid_is_free(map, drawn[i].start.x, drawn[i].start.y));
  mlmq_path_finder_free(finder);
  mlmq_grid_free(map);
  FAILS(mlmq_grid_from_cells(3, 3, cells, MLMQ_CORNERS_OF_FILE, NULL, &map), MLMQ_INPUT_ERROR, "corners");
  MUST(mlmq_grid_open("grid16:density=0.2:seed=2", MLMQ_CORNERS_OF_FILE, &map));
  CHECK(mlmq_grid_corners(map) == MLMQ_CORNERS_CUT);
  mlmq_grid_free(map);
  mlmq_device_free(device);
}

int main(int argc, char** argv) {
  CHECK(strlen(mlmq_version()) >= 5);
  CHECK(strcmp(mlmq_last_error(), "") == 0);
  CHECK(strcmp(mlmq_status_name(MLMQ_STOPPED), "stopped") == 0);
  CHECK(strcmp(mlmq_status_name((mlmq_status)99), "unknown") == 0);
  test_graphs();
  test_doubles();
  test_structures();
  for (int i = 1; i < argc; ++i) {
    test_too_far(argv[i]);
    test_solving(argv[i]);
    test_options(argv[i]);
    test_many(argv[i]);
    test_into(argv[i]);
    test_grid(argv[i]);
  }
  test_device_arrays();
  if (failures == 0) printf("all right\n");
  return failures != 0;
}
