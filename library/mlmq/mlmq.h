/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * libmlmq in C, for C99 and for other languages: what mlmq/mlmq.hpp has, except betweenness and the scenarios of maps.
 *
 *     mlmq_device* device;
 *     mlmq_digraph* roads;
 *     mlmq_solver* solver;
 *     if (mlmq_device_open("auto", &device) != MLMQ_OK || mlmq_digraph_open("roads.gr", NULL, &roads) != MLMQ_OK ||
 *         mlmq_solver_create(device, roads, MLMQ_SSSP, &solver) != MLMQ_OK)
 *       puts(mlmq_last_error());
 *
 * Handles. An object is a handle that the caller frees with the function of its name. Handles may be freed in any order:
 * what an object needs stays alive with it. Freeing NULL does nothing. A handle may be used by any number of threads, as
 * long as none of them frees it; those that need the same device wait for each other.
 *
 * Errors. A function that can fail returns a status, and mlmq_last_error() says more. After an error, nothing has been
 * written to what a pointer was to receive, unless its description says so, and the handles can be used on, unless it was
 * MLMQ_DEVICE_LOST. A pointer that must not be NULL is MLMQ_INPUT_ERROR when it is.
 *
 * Structures. Each begins with its size, so that a program goes on working with a newer libmlmq. The init function of a
 * structure sets the size and the defaults: mlmq_solve_options_init(&options, sizeof options). Where a function takes
 * options, NULL means the defaults.
 *
 * Strings are UTF-8 and end with a zero. Those that are returned belong to the handle that they are of, and live as long.
 */
#ifndef MLMQ_MLMQ_H
#define MLMQ_MLMQ_H

#include <stddef.h>
#include <stdint.h>

/** What the shared library offers; all else in it is hidden. */
#define MLMQ_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup c_errors C: Errors
 * @{ */

/** How a call ended. */
typedef enum mlmq_status {
  MLMQ_OK = 0,
  MLMQ_INPUT_ERROR = 1,      /**< the caller's input cannot be used; nothing was done */
  MLMQ_WORK_ERROR = 2,       /**< the input was fine, but the work failed: I/O, a wrong answer */
  MLMQ_UNSUITABLE_ERROR = 3, /**< no such search can run on this device */
  MLMQ_COMPILE_ERROR = 4,    /**< a kernel could not be compiled; the message is the compiler's log */
  MLMQ_MEMORY_ERROR = 5,     /**< the device has not enough memory */
  MLMQ_DEVICE_ERROR = 6,     /**< the device failed while it worked */
  MLMQ_DEVICE_LOST = 7,      /**< so did it, and nothing runs on it in this process any more */
  MLMQ_TIME_LIMIT = 8,       /**< the search was not finished in time */
  MLMQ_QUEUE_FULL = 9,       /**< a queue was full at its largest size */
  MLMQ_SEARCH_ERROR = 10,    /**< the search was started and has no answer, for another reason */
  MLMQ_OUT_OF_MEMORY = 11,   /**< this machine has not enough memory */
  MLMQ_STOPPED = 12          /**< a callback returned this, or mlmq_stop_source_request() ended the call */
} mlmq_status;

/** One line for a person: of the last call of this thread that failed. It is valid until the next one that fails, and ""
 * when there was none. Never NULL. */
MLMQ_API const char* mlmq_last_error(void);
/** "input_error", "out_of_memory", …: as the constants are called. "unknown" for what is none. */
MLMQ_API const char* mlmq_status_name(mlmq_status status);

/** @} */

/** @defgroup c_general C: General
 * @{ */

/** "0.1.0". */
MLMQ_API const char* mlmq_version(void);

/** Frees what a function of this header says is to be freed so. */
MLMQ_API void mlmq_free(void* memory);

/** Ends calls early. One thread attaches it, another thread requests the stop. */
typedef struct mlmq_stop_source mlmq_stop_source;

MLMQ_API mlmq_status mlmq_stop_source_create(mlmq_stop_source** source);
/** Threads that have attached the source keep what they need of it. */
MLMQ_API void mlmq_stop_source_free(mlmq_stop_source* source);
/** Makes later calls of this thread stoppable by `source`, in place of the source attached before. NULL detaches. */
MLMQ_API void mlmq_stop_source_attach(const mlmq_stop_source* source);
/** Ends the calls of the threads that have attached `source`: they return MLMQ_STOPPED, searches within milliseconds, and so
 * do later calls. Any thread may call this, but no signal handler. */
MLMQ_API void mlmq_stop_source_request(mlmq_stop_source* source);

/** A vertex: 0 to the number of vertices less one, the index of arrays. */
typedef uint32_t mlmq_vertex;

/** Stands for no vertex. */
#define MLMQ_NO_VERTEX UINT32_MAX
/** The distance of a vertex that no path leads to, where distances are whole numbers. */
#define MLMQ_UNREACHABLE UINT32_MAX

/** Type of weights and distances. */
typedef enum mlmq_number_type { MLMQ_UINT32 = 0, MLMQ_FLOAT32 = 1, MLMQ_FLOAT64 = 2 } mlmq_number_type;

/** @} */

/** @defgroup c_devices C: Devices
 * @{ */

/** A device that is open. */
typedef struct mlmq_device mlmq_device;

/** What is known of a device. */
typedef struct mlmq_device_facts {
  size_t struct_size;
  const char* selector; /**< "cuda:0", "simt", "cpu:4" */
  const char* kind;     /**< "cuda", "simt" or "cpu" */
  const char* name;     /**< "NVIDIA H200" */
  int modelled;         /**< 1: its times are computed, not measured */
  double array_ms;      /**< what it takes to bring data there, for each array; 0 where times are modelled */
  double byte_ms;       /**< the same for each byte */
} mlmq_device_facts;
MLMQ_API void mlmq_device_facts_init(mlmq_device_facts* facts, size_t struct_size);

/** Opens a device. MLMQ_INPUT_ERROR for one that is unknown or absent, saying what there is.
 * @param selector "cuda:0", "cuda:1", … a GPU; "cpu" all processors, "cpu:N" with N threads; "simt" the simulator; "auto"
 *   the first GPU, or else the processors
 * @param device gets the handle */
MLMQ_API mlmq_status mlmq_device_open(const char* selector, mlmq_device** device);
MLMQ_API void mlmq_device_free(mlmq_device* device);
MLMQ_API mlmq_status mlmq_device_get_facts(const mlmq_device* device, mlmq_device_facts* facts);
/** The schedule of the simulator; of no effect on other devices. */
MLMQ_API mlmq_status mlmq_device_set_seed(mlmq_device* device, uint64_t seed);

/** Memory of a device, which it keeps open. */
typedef struct mlmq_memory mlmq_memory;

/** Memory on the device, for those who have no other way to get some; aligned for any number. Of the simulator this is host
 * memory. MLMQ_INPUT_ERROR for processors. */
MLMQ_API mlmq_status mlmq_device_allocate(const mlmq_device* device, size_t bytes, mlmq_memory** memory);
MLMQ_API void* mlmq_memory_data(const mlmq_memory* memory);
MLMQ_API void mlmq_memory_free(mlmq_memory* memory);
/** Copies from host memory to that of the device, from whomever it is, and waits for it. */
MLMQ_API mlmq_status mlmq_device_write(const mlmq_device* device, void* to, const void* from, size_t bytes);
/** Copies from the memory of the device to that of the host, and waits for it. */
MLMQ_API mlmq_status mlmq_device_read(const mlmq_device* device, void* to, const void* from, size_t bytes);

/** @} */

/** @defgroup c_graphs C: Graphs
 * @{ */

/** A directed graph with weights of at least 0. */
typedef struct mlmq_digraph mlmq_digraph;

/** What to do with a graph file; of no effect on what is generated, except weight_type. */
typedef struct mlmq_read_options {
  size_t struct_size;
  uint64_t weight_seed; /**< of the weights of a file that has none: whole numbers from 1 to 100 [1] */
  int ignore_weights;   /**< 1: treat the weights of the file as absent [0] */
  int absolute_weights; /**< 1: take the absolute values of negative weights, which are an error otherwise [0] */
  int weight_type;      /**< an mlmq_number_type; -1: whole numbers are uint32, decimal ones float32 [-1] */
  int undirected;       /**< 1: add the reverse of every edge, 0: do not, -1: as the file says [-1] */
} mlmq_read_options;
MLMQ_API void mlmq_read_options_init(mlmq_read_options* options, size_t struct_size);

/** Opens a graph.
 *
 * A file: DIMACS or Galois (.gr), Matrix Market (.mtx), edge list (.txt, .el, .wel, .snap, .tsv), each also compressed (.gz).
 * Or, when there is no file of this name, something to generate: "road18", "rmat20", "grid100". */
MLMQ_API mlmq_status mlmq_digraph_open(const char* name, const mlmq_read_options* options, mlmq_digraph** graph);

/** Compressed sparse rows, which are copied: the edges of vertex v are at positions offsets[v] to offsets[v + 1] - 1 of
 * targets and weights. MLMQ_INPUT_ERROR says which rule is broken, and where.
 * @param vertices how many
 * @param edges how many
 * @param offsets vertices + 1 numbers that do not fall, from 0 to edges
 * @param targets edges numbers below vertices
 * @param weight_type of the weights
 * @param weights edges numbers, finite and at least 0, whole ones at most 4294967293; NULL: all are 1, of type uint32
 * @param name for messages; NULL: "graph"
 * @param graph gets the handle */
MLMQ_API mlmq_status mlmq_digraph_from_rows(uint64_t vertices, uint64_t edges, const uint64_t* offsets,
                                            const mlmq_vertex* targets, mlmq_number_type weight_type,
                                            const void* weights, const char* name, mlmq_digraph** graph);

/** Compressed sparse rows in the memory of a device. */
typedef struct mlmq_device_rows {
  size_t struct_size;
  uint64_t vertices; /**< n, at least 1 */
  uint64_t edges;    /**< m */
  /** n + 1 numbers that do not fall, from 0 to m, at an address that is a multiple of their size */
  const void* offsets;
  unsigned offset_bits;         /**< of each: 32 or 64 [32] */
  mlmq_number_type weight_type; /**< or MLMQ_FLOAT32; MLMQ_FLOAT64 only mlmq_digraph_from_rows() takes [MLMQ_UINT32] */
  const void* targets;          /**< m numbers of 32 bits, signed or not, each from 0 to n - 1 */
  const void* weights;          /**< m numbers, as for mlmq_digraph_from_rows(); NULL: all are 1, of type uint32 */
  const void* pairs; /**< in place of targets and weights: m times a target and its weight, 32 bits each [NULL] */
  const char* name;  /**< for messages [NULL: "graph"] */
  int unchecked;     /**< 1: the caller promises that the rows keep the rules; a search of rows that do not may read and
                         write anywhere [0: a kernel makes sure] */
  void* stream;      /**< a CUstream in which the arrays are written; NULL: the default stream */
  void* owner;       /**< given to release() [NULL] */
  void (*release)(void* owner); /**< called, by any thread, when the arrays are not needed any more [NULL] */
} mlmq_device_rows;
MLMQ_API void mlmq_device_rows_init(mlmq_device_rows* rows, size_t struct_size);

/** Rows that stay where they are: no array is copied unless a configuration needs another layout (docs/guide/library.md, on
 * the device). They must not change as long as the graph, or what was made of it, is used. After an error release() is
 * called, too. MLMQ_INPUT_ERROR for pointers that are not memory of this device, for a broken rule, and for processors. */
MLMQ_API mlmq_status mlmq_digraph_from_device(const mlmq_device* device, const mlmq_device_rows* rows,
                                              mlmq_digraph** graph);
MLMQ_API void mlmq_digraph_free(mlmq_digraph* graph);

MLMQ_API const char* mlmq_digraph_name(const mlmq_digraph* graph);
MLMQ_API mlmq_vertex mlmq_digraph_vertex_count(const mlmq_digraph* graph);
MLMQ_API uint64_t mlmq_digraph_edge_count(const mlmq_digraph* graph);
MLMQ_API mlmq_number_type mlmq_digraph_weight_type(const mlmq_digraph* graph);
/** Whether the rows are in host memory: those of mlmq_digraph_from_device() are once something has needed them there. */
MLMQ_API int mlmq_digraph_on_host(const mlmq_digraph* graph);
/** A vertex that is good to start from when any will do. */
MLMQ_API mlmq_vertex mlmq_digraph_default_source(const mlmq_digraph* graph);
/** What a person should know of a file that could be read all the same, one line each; mostly none. */
MLMQ_API size_t mlmq_digraph_note_count(const mlmq_digraph* graph);
/** NULL when there is no note i. */
MLMQ_API const char* mlmq_digraph_note(const mlmq_digraph* graph, size_t i);
/** The number that the graph's file has for a vertex; for what has no file the vertex itself. */
MLMQ_API mlmq_status mlmq_digraph_id_of(const mlmq_digraph* graph, mlmq_vertex v, uint64_t* id);
/** The vertex with this id. MLMQ_INPUT_ERROR when there is none, saying which ids there are. */
MLMQ_API mlmq_status mlmq_digraph_vertex_of(const mlmq_digraph* graph, uint64_t id, mlmq_vertex* v);

/** @} */

/** @defgroup c_configurations C: Configurations
 * @{ */

/** A selector: what says which configuration suits a graph, a map or a simulation. Functions that take one take NULL for
 * the one that `mlmq tune` has installed for the device, or else the shipped one. */
typedef struct mlmq_model mlmq_model;

/** A file of `mlmq selector train` or `mlmq tune`. */
MLMQ_API mlmq_status mlmq_model_read(const char* file, mlmq_model** model);
/** The shipped one, whatever is installed. */
MLMQ_API mlmq_status mlmq_model_shipped(mlmq_model** model);
MLMQ_API void mlmq_model_free(mlmq_model* model);

/** The configuration that text stands for, with every parameter that it leaves out. The caller frees it with mlmq_free(). */
MLMQ_API mlmq_status mlmq_complete_configuration(const char* text, char** configuration);

/** Who chose a configuration. */
typedef enum mlmq_chooser {
  MLMQ_CHOSEN_BY_CALLER = 0,   /**< it was given */
  MLMQ_CHOSEN_BY_MODEL = 1,    /**< the model ranked it first of what the device can run */
  MLMQ_CHOSEN_BY_TRIAL = 2,    /**< it was the fastest of those that were tried */
  MLMQ_CHOSEN_BY_TIMES = 3,    /**< expected times spoke for the processors instead of the solver's device */
  MLMQ_CHOSEN_BY_STANDARD = 4, /**< the default, for want of anything better */
  MLMQ_CHOSEN_BY_RULE = 5      /**< a rule for graphs of one kind: levels of a graph with hubs, or the graph in parts */
} mlmq_chooser;

/** A configuration, and who chose it. */
typedef struct mlmq_choice mlmq_choice;

/** Only for what the caller owns: mlmq_solver_choose(). */
MLMQ_API void mlmq_choice_free(mlmq_choice* choice);
/** As text, with all parameters. */
MLMQ_API const char* mlmq_choice_configuration(const mlmq_choice* choice);
/** Where it runs: "cuda:0". */
MLMQ_API const char* mlmq_choice_device(const mlmq_choice* choice);
/** Of where it runs: "NVIDIA H200". */
MLMQ_API const char* mlmq_choice_device_name(const mlmq_choice* choice);
MLMQ_API mlmq_chooser mlmq_choice_chooser(const mlmq_choice* choice);
/** Relative performance, best time / time, as the model expects it; NaN when it does not say. */
MLMQ_API double mlmq_choice_predicted(const mlmq_choice* choice);
/** For a person. */
MLMQ_API const char* mlmq_choice_reason(const mlmq_choice* choice);

/** Milliseconds. What was there already takes none. */
typedef struct mlmq_solve_times {
  size_t struct_size;
  double features; /**< to find what the model knows of a graph */
  double choice;   /**< to rank the candidates, and to find out how fast the processors are where that matters */
  double upload;   /**< to bring the graph, the map or the pairs to the device, device memory included */
  double compile;  /**< to compile the kernel, or to load it from the cache on disk */
  double prepare;  /**< to make the queues in device memory */
  double solve;    /**< what was asked for, on the device's clock; modelled where mlmq_device_facts says so */
  double download; /**< to bring the answer back; 0 where a small one is copied behind the search */
  double mirror; /**< to bring the rows of mlmq_digraph_from_device() to the host, where something needed them there */
  int compiled;  /**< 1: `compile` is more than loading from the cache */
} mlmq_solve_times;
MLMQ_API void mlmq_solve_times_init(mlmq_solve_times* times, size_t struct_size);

/** What was done in one of the equal intervals of a search. */
typedef struct mlmq_timeline_interval {
  double start_ms;
  double vertices;     /**< read from the queues */
  double active_warps; /**< how many warps were at work */
} mlmq_timeline_interval;

/** What was done by a call, and how long it took. */
typedef struct mlmq_summary mlmq_summary;

/** Only for what the caller owns: not that of a solution, of path answers or of a run, which goes with these. */
MLMQ_API void mlmq_summary_free(mlmq_summary* summary);
MLMQ_API size_t mlmq_summary_searches(const mlmq_summary* summary);
/** Of the last searches, when there were many. Goes with the summary. */
MLMQ_API const mlmq_choice* mlmq_summary_choice(const mlmq_summary* summary);
/** Sums, when there were many. */
MLMQ_API mlmq_status mlmq_summary_times(const mlmq_summary* summary, mlmq_solve_times* times);
/** Whether every distance fits its type. Otherwise the largest whole number below MLMQ_UNREACHABLE, or an infinite float,
 * stands for all that do not. Distances that were kept on the device are brought to the host. */
MLMQ_API mlmq_status mlmq_summary_exact(const mlmq_summary* summary, int* exact);
/** Work by name ("relaxations"; docs/reference/parameters.md); none unless it was asked for. */
MLMQ_API size_t mlmq_summary_counter_count(const mlmq_summary* summary);
MLMQ_API mlmq_status mlmq_summary_counter(const mlmq_summary* summary, size_t i, const char** name, double* value);
/** From the first interval to the last in which there was work; none unless it was asked for. */
MLMQ_API size_t mlmq_summary_interval_count(const mlmq_summary* summary);
MLMQ_API mlmq_status mlmq_summary_interval(const mlmq_summary* summary, size_t i, mlmq_timeline_interval* interval);
/** The configurations that were tried: by mlmq_solver_try_out() the fastest first, by mlmq_solver_solve_many() in the order in
 * which they were tried. */
MLMQ_API size_t mlmq_summary_tried_count(const mlmq_summary* summary);
/** One of the configurations that were tried. Any pointer but the summary may be NULL.
 * @param summary of the call that tried them
 * @param i from 0 to mlmq_summary_tried_count() less one
 * @param configuration its text, which goes with the summary
 * @param searches how many it did
 * @param milliseconds of these searches together, or of mlmq_solver_try_out() the mean; NaN: none was finished in time */
MLMQ_API mlmq_status mlmq_summary_tried(const mlmq_summary* summary, size_t i, const char** configuration,
                                        size_t* searches, double* milliseconds);

/** @} */

/** @defgroup c_solver C: Searches from one vertex
 * @{ */

/** What is searched for. */
typedef enum mlmq_problem {
  MLMQ_SSSP = 0, /**< lengths are sums of weights */
  MLMQ_BFS = 1   /**< every edge has length 1, whatever its weight: distances are levels, of type uint32 */
} mlmq_problem;

/** Where a search may run whose configuration is not given. */
typedef enum mlmq_placement {
  MLMQ_PLACE_BEST = 0,  /**< on the solver's device, or on this machine's processors if that is expected to be sooner */
  MLMQ_PLACE_DEVICE = 1 /**< on the solver's device */
} mlmq_placement;

/** When a graph is split into parts that lie in the shared memory of the device, where that suits it: most graphs of up
 * to a few million edges. Splitting takes as long as hundreds of searches; those of roads and meshes then take a half to a
 * sixth of the time, others up to nine tenths. */
typedef enum mlmq_partitioning {
  MLMQ_PARTITION_NEVER = 0,
  MLMQ_PARTITION_AUTOMATIC = 1, /**< when searches have taken as long as splitting will; kept if they are faster then */
  MLMQ_PARTITION_ALWAYS = 2     /**< before the first search, which is on the solver's device */
} mlmq_partitioning;

/** Options of searches from one vertex. */
typedef struct mlmq_solve_options {
  size_t struct_size;
  /** None: what the model ranks first among what the device can run. Otherwise the first of these that the device can run,
   * as text for mlmq_complete_configuration(); "" is all defaults. [none] */
  const char* const* configurations;
  size_t configuration_count;
  const mlmq_model* model; /**< used without configurations [NULL] */
  mlmq_placement place;    /**< used without configurations [MLMQ_PLACE_BEST] */
  int counters;            /**< 1: count work, which makes the search slower [0] */
  int timeline;            /**< 1: record when work is done, which makes it slower; not with counters [0] */
  int keep_on_device; /**< 1: leave the distances in the memory of the solver's device: mlmq_solution_device_distances() [0] */
  double time_limit_ms; /**< for the search alone, above 0 [60000] */
  /** A CUstream: where the graph or the answer is in device memory, the search begins after all work that is in it now. The
   * search has ended when the function returns. [NULL: the default stream] */
  void* stream;
  mlmq_partitioning partition; /**< used without configurations [MLMQ_PARTITION_AUTOMATIC] */
} mlmq_solve_options;
MLMQ_API void mlmq_solve_options_init(mlmq_solve_options* options, size_t struct_size);

/** A graph on a device, to be searched from any number of sources. */
typedef struct mlmq_solver mlmq_solver;
/** Shortest paths from one vertex. */
typedef struct mlmq_solution mlmq_solution;

/** Cheap: the graph is brought to the device by the first search there, or by mlmq_solver_upload(). */
MLMQ_API mlmq_status mlmq_solver_create(const mlmq_device* device, const mlmq_digraph* graph, mlmq_problem problem,
                                        mlmq_solver** solver);
MLMQ_API void mlmq_solver_free(mlmq_solver* solver);
/** Brings the graph to the device now, unless it is there. milliseconds may be NULL. */
MLMQ_API mlmq_status mlmq_solver_upload(mlmq_solver* solver, double* milliseconds);
/** Whether the graph is on the solver's device. */
MLMQ_API mlmq_status mlmq_solver_resident(const mlmq_solver* solver, int* resident);
/** What mlmq_solver_solve() would choose now, without anything being uploaded or compiled. The caller frees it. */
MLMQ_API mlmq_status mlmq_solver_choose(mlmq_solver* solver, const mlmq_solve_options* options, mlmq_choice** choice);
/** Searches from each source with each of the `configurations` that the model ranks first, and remembers the fastest: from
 * then on this solver chooses it. summary may be NULL; mlmq_summary_tried() has the times. */
MLMQ_API mlmq_status mlmq_solver_try_out(mlmq_solver* solver, const mlmq_vertex* sources, size_t source_count,
                                         unsigned configurations, const mlmq_solve_options* options,
                                         mlmq_summary** summary);
/** Searches from source. Sources of one solver share the uploaded graph, the compiled kernels and the queues. */
MLMQ_API mlmq_status mlmq_solver_solve(mlmq_solver* solver, mlmq_vertex source, const mlmq_solve_options* options,
                                       mlmq_solution** solution);
/** The same with the distances written straight to `distances`, host memory for `count` numbers of type `type`: one for each
 * vertex, of the type that mlmq_solution_type() would say. After an error they are undefined. summary may be NULL. */
MLMQ_API mlmq_status mlmq_solver_solve_into(mlmq_solver* solver, mlmq_vertex source, const mlmq_solve_options* options,
                                            mlmq_number_type type, void* distances, size_t count,
                                            mlmq_summary** summary);

MLMQ_API void mlmq_solution_free(mlmq_solution* solution);
MLMQ_API mlmq_vertex mlmq_solution_source(const mlmq_solution* solution);
/** Of the distances: that of the weights, or MLMQ_UINT32 for MLMQ_BFS. */
MLMQ_API mlmq_number_type mlmq_solution_type(const mlmq_solution* solution);
/** How many distances: one for each vertex. */
MLMQ_API size_t mlmq_solution_count(const mlmq_solution* solution);
/** Goes with the solution. */
MLMQ_API const mlmq_summary* mlmq_solution_summary(const mlmq_solution* solution);
/** The distance of a vertex; infinity where no path leads. */
MLMQ_API mlmq_status mlmq_solution_distance(const mlmq_solution* solution, mlmq_vertex v, double* distance);
/** All of them, without a copy: mlmq_solution_count() numbers of mlmq_solution_type(), MLMQ_UNREACHABLE or infinity where no
 * path leads. Valid as long as the solution. Distances that were kept on the device are brought to the host. */
MLMQ_API mlmq_status mlmq_solution_distances(const mlmq_solution* solution, const void** distances);
/** The same, copied to memory for `count` numbers of type `type`; MLMQ_INPUT_ERROR when these are not the solution's. */
MLMQ_API mlmq_status mlmq_solution_copy_distances(const mlmq_solution* solution, mlmq_number_type type, void* distances,
                                                  size_t count);

/** Numbers in the memory of a device. */
typedef struct mlmq_device_array {
  size_t struct_size;
  const void* data;
  size_t count;
  mlmq_number_type type;
  const char* device; /**< the selector: "cuda:0" */
} mlmq_device_array;
MLMQ_API void mlmq_device_array_init(mlmq_device_array* array, size_t struct_size);

/** The distances in the memory of the device that searched. Valid as long as the solution: no other search writes there.
 * MLMQ_INPUT_ERROR unless they were kept there: mlmq_solve_options.keep_on_device. */
MLMQ_API mlmq_status mlmq_solution_device_distances(const mlmq_solution* solution, mlmq_device_array* array);

/** For each vertex the one before it on a shortest path; MLMQ_NO_VERTEX for the source and where no path leads. Computed here
 * and now.
 * @param solution of mlmq_solver_solve()
 * @param threads 0: one for each processor
 * @param before memory for `count` vertices
 * @param count the number of vertices of the graph */
MLMQ_API mlmq_status mlmq_solution_predecessors(const mlmq_solution* solution, unsigned threads, mlmq_vertex* before,
                                                size_t count);
/** The vertices of a shortest path from the source to v, both included. *count is how many there are, 0 where no path leads;
 * the first `capacity` of them are written to `path`, which may be NULL when capacity is 0. */
MLMQ_API mlmq_status mlmq_solution_path(const mlmq_solution* solution, mlmq_vertex v, mlmq_vertex* path,
                                        size_t capacity, size_t* count);
/** Proves the distances right by the graph alone: *message is NULL, or what is wrong, which the caller frees with
 * mlmq_free(). Distances that do not fit their type are wrong. */
MLMQ_API mlmq_status mlmq_solution_check(const mlmq_solution* solution, char** message);

/** @} */

/** @defgroup c_batch C: Searches from many vertices
 * @{ */

/** Options of searches from many vertices. */
typedef struct mlmq_batch_options {
  size_t struct_size;
  /** None: what suits the graph, and the fastest of `tries` where there are enough sources. Otherwise the first of these that
   * the device can run, such as "solver=group,parts=4" (docs/reference/parameters.md); "" is all defaults. [none] */
  const char* const* configurations;
  size_t configuration_count;
  const mlmq_model* model;    /**< used without configurations [NULL] */
  unsigned tries;             /**< so many configurations are tried in the first searches; 1: without trying [3] */
  int check;                  /**< 1: search once more on processors, and compare [0] */
  size_t searches_per_try;    /**< at least 1; who has fewer than four times as many for each try does without [2048] */
  const mlmq_vertex* targets; /**< only their distances are wanted, and a search ends when they are final [none] */
  size_t target_count;
  double cutoff; /**< at least 0: what is farther counts as not reached [infinity] */
  /** for the distances of the searches that are done together [0: as much as suits the device] */
  uint64_t memory_bytes;
  double time_limit_ms; /**< for the searches that are done together, above 0 [600000] */
  int keep_on_device;   /**< 1: mlmq_distance_rows.distances is device memory, nothing is brought to the host [0] */
  void* stream;         /**< as in mlmq_solve_options [NULL] */
} mlmq_batch_options;
MLMQ_API void mlmq_batch_options_init(mlmq_batch_options* options, size_t struct_size);

/** Distances of some of the searches. */
typedef struct mlmq_distance_rows {
  size_t struct_size;
  size_t first;   /**< the place of the first row's source among all sources */
  size_t rows;    /**< one for each search */
  size_t columns; /**< one for each vertex, or for each target */
  mlmq_number_type type;
  int on_device;         /**< 1: `distances` is memory of the device */
  const void* distances; /**< row by row; MLMQ_UNREACHABLE or infinity where no path leads; valid during the call */
} mlmq_distance_rows;

/** Called with the distances of some searches after the other, in the order of the sources, each once. Not 0 ends the
 * searches with MLMQ_STOPPED. No exception may leave it. It may use the solver and its device: such a call waits until the
 * searches under way have ended. */
typedef int (*mlmq_take_distances)(const mlmq_distance_rows* rows, void* user);

/** Searches from every source, many at a time: thousands take little longer than hundreds one after the other.
 * @param solver a graph on a device
 * @param sources vertices to search from
 * @param source_count how many
 * @param options NULL: the defaults
 * @param take gets the distances; NULL: they are not kept
 * @param user given to `take`
 * @param summary NULL: not wanted */
MLMQ_API mlmq_status mlmq_solver_solve_many(mlmq_solver* solver, const mlmq_vertex* sources, size_t source_count,
                                            const mlmq_batch_options* options, mlmq_take_distances take, void* user,
                                            mlmq_summary** summary);
/** The same with all distances written to `distances`: host memory for `count` numbers of type `type`, a row for each source
 * and a column for each vertex, or target. After an error they are undefined. */
MLMQ_API mlmq_status mlmq_solver_solve_many_into(mlmq_solver* solver, const mlmq_vertex* sources, size_t source_count,
                                                 const mlmq_batch_options* options, mlmq_number_type type,
                                                 void* distances, size_t count, mlmq_summary** summary);

/** @} */

/** @defgroup c_grid C: Grid maps
 * @{ */

/** Whether a diagonal step may pass a blocked cell on one side (or both). */
typedef enum mlmq_corner_rule {
  MLMQ_CORNERS_CUT = 0,    /**< it needs its end free */
  MLMQ_CORNERS_NONE = 1,   /**< and both cells beside it: the rule of MovingAI's benchmarks */
  MLMQ_CORNERS_OF_FILE = 2 /**< for mlmq_grid_open(): as the file or the text says */
} mlmq_corner_rule;

/** A cell of a map, by its column from the left and its row from the top, both from 0. */
typedef struct mlmq_cell {
  uint32_t x;
  uint32_t y;
} mlmq_cell;

/** A search: from where to where. */
typedef struct mlmq_grid_pair {
  mlmq_cell start;
  mlmq_cell goal;
} mlmq_grid_pair;

/** What was found for one pair. */
typedef struct mlmq_path_answer {
  double length;     /**< straight + diagonal * sqrt(2); infinity without a path */
  uint32_t straight; /**< steps of the path */
  uint32_t diagonal;
} mlmq_path_answer;

/** A map in the memory of the host. A straight step is 1 long, a diagonal one sqrt(2). */
typedef struct mlmq_grid mlmq_grid;

/** Opens a map.
 *
 * A file in MovingAI's format: .map, or .map.gz. Or, when there is no file of this name, a map to generate, such as
 * "grid512:density=0.2:eta=1:seed=1" (docs/guide/path-finding.md). */
MLMQ_API mlmq_status mlmq_grid_open(const char* name, mlmq_corner_rule corners, mlmq_grid** map);
/** A map from an array, which is copied.
 * @param width 1 to 16384 columns
 * @param height 1 to 16384 rows
 * @param cells of each cell whether it is free (not 0); the cell (x, y) is number y * width + x
 * @param corners which diagonal steps are legal
 * @param name for messages; NULL: "grid"
 * @param map gets the handle */
MLMQ_API mlmq_status mlmq_grid_from_cells(uint32_t width, uint32_t height, const uint8_t* cells,
                                          mlmq_corner_rule corners, const char* name, mlmq_grid** map);
MLMQ_API void mlmq_grid_free(mlmq_grid* map);
MLMQ_API const char* mlmq_grid_name(const mlmq_grid* map);
MLMQ_API uint32_t mlmq_grid_width(const mlmq_grid* map);
MLMQ_API uint32_t mlmq_grid_height(const mlmq_grid* map);
MLMQ_API mlmq_corner_rule mlmq_grid_corners(const mlmq_grid* map);
/** Whether the cell is on the map, and free. */
MLMQ_API int mlmq_grid_is_free(const mlmq_grid* map, uint32_t x, uint32_t y);
/** Starts and goals drawn from the free cells, each as likely as the others, written to `pairs`. */
MLMQ_API mlmq_status mlmq_grid_random_pairs(const mlmq_grid* map, size_t count, uint64_t seed, mlmq_grid_pair* pairs);

/** Options of searches on a map. */
typedef struct mlmq_path_options {
  size_t struct_size;
  /** as in mlmq_solve_options: "algorithm=jump,cells=4" (docs/reference/parameters.md) [none] */
  const char* const* configurations;
  size_t configuration_count;
  const mlmq_model* model; /**< used without configurations [NULL] */
  int counters;            /**< 1: count work, which makes the searches slower [0] */
  int paths;               /**< 1: the cells of each path too, not its length alone [0] */
  double time_limit_ms;    /**< for all searches together, above 0 [60000] */
} mlmq_path_options;
MLMQ_API void mlmq_path_options_init(mlmq_path_options* options, size_t struct_size);

/** A map on a device, for any number of searches. */
typedef struct mlmq_path_finder mlmq_path_finder;
/** The answers for all pairs, in their order. */
typedef struct mlmq_path_answers mlmq_path_answers;

MLMQ_API mlmq_status mlmq_path_finder_create(const mlmq_device* device, const mlmq_grid* map,
                                             mlmq_path_finder** finder);
MLMQ_API void mlmq_path_finder_free(mlmq_path_finder* finder);
/** What mlmq_path_finder_solve() would choose now. The caller frees it. */
MLMQ_API mlmq_status mlmq_path_finder_choose(const mlmq_path_finder* finder, const mlmq_path_options* options,
                                             mlmq_choice** choice);
/** Searches for all pairs. MLMQ_INPUT_ERROR for a start or a goal that is off the map or on an obstacle, saying which. */
MLMQ_API mlmq_status mlmq_path_finder_solve(mlmq_path_finder* finder, const mlmq_grid_pair* pairs, size_t pair_count,
                                            const mlmq_path_options* options, mlmq_path_answers** answers);

MLMQ_API void mlmq_path_answers_free(mlmq_path_answers* answers);
MLMQ_API size_t mlmq_path_answers_count(const mlmq_path_answers* answers);
MLMQ_API mlmq_status mlmq_path_answers_get(const mlmq_path_answers* answers, size_t i, mlmq_path_answer* answer);
/** All of them, written to memory for `count`; MLMQ_INPUT_ERROR when there are not as many. */
MLMQ_API mlmq_status mlmq_path_answers_copy(const mlmq_path_answers* answers, mlmq_path_answer* found, size_t count);
/** The cells of path i from start to goal, both included: as mlmq_solution_path(). MLMQ_INPUT_ERROR unless they were asked for. */
MLMQ_API mlmq_status mlmq_path_answers_path(const mlmq_path_answers* answers, size_t i, mlmq_cell* path,
                                            size_t capacity, size_t* count);
/** Whether no path is longer than it has to be: always, except in mode=paper. */
MLMQ_API int mlmq_path_answers_shortest(const mlmq_path_answers* answers);
/** Goes with the answers. */
MLMQ_API const mlmq_summary* mlmq_path_answers_summary(const mlmq_path_answers* answers);
/** Searches once more on processors: as mlmq_solution_check(). threads: 0: one for each processor. */
MLMQ_API mlmq_status mlmq_path_answers_check(const mlmq_path_answers* answers, unsigned threads, char** message);

/** @} */

/** @defgroup c_phold C: PHOLD, the benchmark of discrete-event simulation
 * @{ */

/** What is simulated (docs/guide/simulations.md). Times are in units of virtual time. */
typedef struct mlmq_phold_model {
  size_t struct_size;
  uint64_t entities; /**< 1 to 2^24 [1024] */
  uint64_t events;   /**< of each entity, on average: 1 to 2^24, and 2^30 of all entities at most [128] */
  double rate;       /**< of the exponential delays: 10^-6 to 1000 [0.1] */
  double lookahead;  /**< least time between an event and the one that it creates: 0.001 to 10^5 [10] */
  uint64_t seed;     /**< of all draws, below 2^63 [1] */
} mlmq_phold_model;
MLMQ_API void mlmq_phold_model_init(mlmq_phold_model* model, size_t struct_size);

/** Options of simulations. */
typedef struct mlmq_phold_options {
  size_t struct_size;
  /** as in mlmq_solve_options: "solver=queues,queue=heap" (docs/reference/parameters.md) [none] */
  const char* const* configurations;
  size_t configuration_count;
  const mlmq_model* model; /**< used without configurations [NULL] */
  int counters;            /**< 1: count work, which makes the simulation slower [0] */
  double time_limit_ms;    /**< for the simulation alone, above 0 [60000] */
} mlmq_phold_options;
MLMQ_API void mlmq_phold_options_init(mlmq_phold_options* options, size_t struct_size);

/** A model on a device. */
typedef struct mlmq_phold_simulator mlmq_phold_simulator;
/** What was executed. Events and hash are the same on every device, with every queue. */
typedef struct mlmq_phold_run mlmq_phold_run;

MLMQ_API mlmq_status mlmq_phold_simulator_create(const mlmq_device* device, const mlmq_phold_model* model,
                                                 mlmq_phold_simulator** simulator);
MLMQ_API void mlmq_phold_simulator_free(mlmq_phold_simulator* simulator);
/** The model as text, as for `mlmq solve`. */
MLMQ_API const char* mlmq_phold_simulator_name(const mlmq_phold_simulator* simulator);
/** What a run would choose now. The caller frees it. */
MLMQ_API mlmq_status mlmq_phold_simulator_choose(const mlmq_phold_simulator* simulator,
                                                 const mlmq_phold_options* options, mlmq_choice** choice);
/** Executes all events before the virtual time `end`, from the beginning. */
MLMQ_API mlmq_status mlmq_phold_simulator_run_until(mlmq_phold_simulator* simulator, double end,
                                                    const mlmq_phold_options* options, mlmq_phold_run** run);
/** The same until the virtual time, in whole lookaheads, in which a model that has run for long executes at least `count`
 * events. */
MLMQ_API mlmq_status mlmq_phold_simulator_run_events(mlmq_phold_simulator* simulator, double count,
                                                     const mlmq_phold_options* options, mlmq_phold_run** run);

MLMQ_API void mlmq_phold_run_free(mlmq_phold_run* run);
MLMQ_API uint64_t mlmq_phold_run_events(const mlmq_phold_run* run);
MLMQ_API uint64_t mlmq_phold_run_hash(const mlmq_phold_run* run);
/** The virtual time before which all events were executed. */
MLMQ_API double mlmq_phold_run_end(const mlmq_phold_run* run);
/** Goes with the run. */
MLMQ_API const mlmq_summary* mlmq_phold_run_summary(const mlmq_phold_run* run);
/** Simulates once more on processors, which may take long: as mlmq_solution_check(). */
MLMQ_API mlmq_status mlmq_phold_run_check(const mlmq_phold_run* run, char** message);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* MLMQ_MLMQ_H */
