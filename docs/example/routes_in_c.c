/* SPDX-License-Identifier: Apache-2.0
 * Shortest routes in a small town, in C: routes_in_c [DEVICE] */
#include <math.h>
#include <mlmq/mlmq.h>
#include <stdio.h>
#include <stdlib.h>

/* Five places; minutes by car. A ferry of length 0 connects 2 and 3; place 4 has no connection. */
enum { PLACES = 5, ROADS = 8 };
static const uint64_t offsets[PLACES + 1] = {0, 2, 4, 6, 8, 8};
static const mlmq_vertex targets[ROADS] = {1, 2, 0, 2, 1, 3, 2, 1};
static const uint32_t minutes[ROADS] = {4, 9, 4, 3, 3, 0, 0, 5};

/* Ends the program where something has failed: with 2 for wrong input, 1 for the rest. */
static void must(mlmq_status status) {
  if (status == MLMQ_OK) return;
  fprintf(stderr, "routes_in_c: %s\n", mlmq_last_error());
  exit(status == MLMQ_INPUT_ERROR ? 2 : 1);
}

static void show(mlmq_solver* solver, mlmq_vertex source) {
  mlmq_solution* answer;
  must(mlmq_solver_solve(solver, source, NULL, &answer));
  for (mlmq_vertex v = 0; v < PLACES; ++v) {
    double length;
    mlmq_vertex path[PLACES];
    size_t count;
    must(mlmq_solution_distance(answer, v, &length));
    must(mlmq_solution_path(answer, v, path, PLACES, &count));
    printf("%u to %u: %g, %s", (unsigned)source, (unsigned)v, length, isinf(length) ? "no way" : "");
    for (size_t i = 0; i < count; ++i) printf(i == 0 ? "%u" : " > %u", (unsigned)path[i]);
    printf("\n");
  }
  mlmq_solution_free(answer);
}

/* Called with the rows of some sources. */
static int add(const mlmq_distance_rows* rows, void* user) {
  const uint32_t* distances = rows->distances;
  double* total = user;
  for (size_t i = 0; i < rows->rows * rows->columns; ++i) {
    if (distances[i] != MLMQ_UNREACHABLE) *total += distances[i];
  }
  return 0;
}

int main(int argc, char** argv) {
  mlmq_digraph* town;
  mlmq_device* device;
  mlmq_solver* solver;
  must(mlmq_device_open(argc > 1 ? argv[1] : "auto", &device));
  must(mlmq_digraph_from_rows(PLACES, ROADS, offsets, targets, MLMQ_UINT32, minutes, "town", &town));
  must(mlmq_solver_create(device, town, MLMQ_SSSP, &solver));
  show(solver, 0);
  show(solver, 3); /* nothing is uploaded or compiled again */

  const mlmq_vertex sources[PLACES] = {0, 1, 2, 3, 4};
  double total = 0;
  must(mlmq_solver_solve_many(solver, sources, PLACES, NULL, add, &total, NULL));
  printf("all to all: %g\n", total);

  mlmq_solver_free(solver);
  mlmq_digraph_free(town);
  mlmq_device_free(device);
  return 0;
}
