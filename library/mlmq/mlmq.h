/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * C interface of libmlmq, for C99 and for other languages: everything in mlmq/mlmq.hpp except betweenness and the
 * scenarios of maps.
 *
 *     mlmq_device* device;
 *     mlmq_digraph* roads;
 *     mlmq_solver* solver;
 *     if (mlmq_device_open("auto", &device) != MLMQ_OK || mlmq_digraph_open("roads.gr", NULL, &roads) != MLMQ_OK ||
 *         mlmq_solver_create(device, roads, MLMQ_SSSP, &solver) != MLMQ_OK)
 *       puts(mlmq_last_error());
 *
 * Handles. Every object is a handle, which the caller frees with the function of its type. Handles may be freed in any
 * order: an object keeps alive what it needs. Freeing NULL does nothing. Any number of threads may use a handle, as
 * long as none of them frees it; calls that need the same device wait for each other.
 *
 * Errors. A function that can fail returns a status, and mlmq_last_error() returns a message. After an error, output
 * parameters are unchanged unless documented otherwise, and handles stay usable, except after MLMQ_DEVICE_LOST.
 * Passing NULL for a pointer that must not be NULL is MLMQ_INPUT_ERROR.
 *
 * Long calls. A function whose description says "Long call." may take longer than a second, or wait for a device.
 * mlmq_stop_source_request() can end it.
 *
 * Structures. Each structure begins with its size, so that programs keep working with newer versions of libmlmq. Its
 * init function sets the size and the defaults: mlmq_solve_options_init(&options, sizeof options). Where a function
 * takes options, NULL means the defaults.
 *
 * Strings are UTF-8 and end with a zero. A returned string belongs to the handle that it was obtained from, and is
 * valid as long as the handle.
 */
#ifndef MLMQ_MLMQ_H
#define MLMQ_MLMQ_H

#include <stddef.h>
#include <stdint.h>

/** Marks the functions that the shared library exports. */
#define MLMQ_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup c_errors C: Errors
 * @{ */

/** The result of a call. */
typedef enum mlmq_status {
  MLMQ_OK = 0,
  MLMQ_INPUT_ERROR = 1,      /**< the caller's input is invalid; nothing was done */
  MLMQ_WORK_ERROR = 2,       /**< the input was valid, but the work failed: I/O, a wrong answer */
  MLMQ_UNSUITABLE_ERROR = 3, /**< no configuration for this search can run on the device */
  MLMQ_COMPILE_ERROR = 4,    /**< a kernel could not be compiled; the message is the compiler's log */
  MLMQ_MEMORY_ERROR = 5,     /**< not enough device memory */
  MLMQ_DEVICE_ERROR = 6,     /**< the device failed during the work */
  MLMQ_DEVICE_LOST = 7,      /**< the device failed and cannot be used in this process any more */
  MLMQ_TIME_LIMIT = 8,       /**< the search exceeded its time limit */
  MLMQ_QUEUE_FULL = 9,       /**< a queue was full at its maximum size */
  MLMQ_SEARCH_ERROR = 10,    /**< the search failed for another reason */
  MLMQ_OUT_OF_MEMORY = 11,   /**< not enough host memory */
  MLMQ_STOPPED = 12          /**< a callback returned nonzero, or mlmq_stop_source_request() ended the call */
} mlmq_status;

/** Returns a readable one-line message for the last failed call of this thread, or "" if none failed. Valid until the
 * next failed call. Never NULL. */
MLMQ_API const char* mlmq_last_error(void);
/** Returns the name of a status: "input_error", "out_of_memory", …; "unknown" for an invalid value. */
MLMQ_API const char* mlmq_status_name(mlmq_status status);

/** @} */

/** @defgroup c_general C: General
 * @{ */

/** Returns the version of the library: "0.1.0". */
MLMQ_API const char* mlmq_version(void);

/** Frees memory that a function of this header allocated for the caller, where documented. */
MLMQ_API void mlmq_free(void* memory);

/** Ends calls early: one thread attaches it, another requests the stop. */
typedef struct mlmq_stop_source mlmq_stop_source;

MLMQ_API mlmq_status mlmq_stop_source_create(mlmq_stop_source** source);
/** Frees the handle. Threads that have attached the source are not affected. */
MLMQ_API void mlmq_stop_source_free(mlmq_stop_source* source);
/** Makes later calls of this thread stoppable by `source`, which replaces the attached one. NULL detaches. */
MLMQ_API void mlmq_stop_source_attach(const mlmq_stop_source* source);
/** Ends current and later calls of the threads that have attached `source`: they return MLMQ_STOPPED, searches within
 * milliseconds. Any thread may call this, but no signal handler. */
MLMQ_API void mlmq_stop_source_request(mlmq_stop_source* source);

/** A vertex: an array index from 0 to the number of vertices minus one. */
typedef uint32_t mlmq_vertex;

/** No vertex. */
#define MLMQ_NO_VERTEX UINT32_MAX
/** The distance of an unreachable vertex, for integer distances. */
#define MLMQ_UNREACHABLE UINT32_MAX

/** Type of weights and distances. */
typedef enum mlmq_number_type { MLMQ_UINT32 = 0, MLMQ_FLOAT32 = 1, MLMQ_FLOAT64 = 2 } mlmq_number_type;

/** @} */

/** @defgroup c_devices C: Devices
 * @{ */

/** An open device. */
typedef struct mlmq_device mlmq_device;

/** Properties of a device. */
typedef struct mlmq_device_facts {
  size_t struct_size;
  const char* selector; /**< "cuda:0", "simt", "cpu:4" */
  const char* kind;     /**< "cuda", "simt" or "cpu" */
  const char* name;     /**< "NVIDIA H200" */
  int modelled;         /**< 1: times are computed instead of measured */
  double array_ms;      /**< cost of uploading data, in milliseconds per array; 0 if times are modelled */
  double byte_ms;       /**< cost in milliseconds per byte */
} mlmq_device_facts;
MLMQ_API void mlmq_device_facts_init(mlmq_device_facts* facts, size_t struct_size);

/** Opens a device. MLMQ_INPUT_ERROR for an unknown or absent device, listing the available ones. Long call.
 * @param selector "cuda:0", "cuda:1", … a GPU; "cpu" all processors, "cpu:N" with N threads; "simt" the simulator;
 * "auto" the first GPU, or else the processors. "cuda:all" all GPUs, or a list such as "cuda:0,cuda:1": several
 * devices, for a solver only, which share its searches from many vertices
 * @param device receives the handle */
MLMQ_API mlmq_status mlmq_device_open(const char* selector, mlmq_device** device);
MLMQ_API void mlmq_device_free(mlmq_device* device);
MLMQ_API mlmq_status mlmq_device_get_facts(const mlmq_device* device, mlmq_device_facts* facts);
/** Sets the seed of the simulator's schedule; no effect on other devices. */
MLMQ_API mlmq_status mlmq_device_set_seed(mlmq_device* device, uint64_t seed);

/** Device memory. It keeps the device open. */
typedef struct mlmq_memory mlmq_memory;

/** Allocates device memory, aligned for any number type, for programs without another way to do so. On the simulator it
 * is host memory. MLMQ_INPUT_ERROR for processors. */
MLMQ_API mlmq_status mlmq_device_allocate(const mlmq_device* device, size_t bytes, mlmq_memory** memory);
MLMQ_API void* mlmq_memory_data(const mlmq_memory* memory);
MLMQ_API void mlmq_memory_free(mlmq_memory* memory);
/** Copies from host memory to device memory, which need not come from mlmq_device_allocate(), and waits for the copy.
 * Long call. */
MLMQ_API mlmq_status mlmq_device_write(const mlmq_device* device, void* destination, const void* source, size_t bytes);
/** Copies from device memory to host memory, and waits for the copy. Long call. */
MLMQ_API mlmq_status mlmq_device_read(const mlmq_device* device, void* destination, const void* source, size_t bytes);

/** @} */

/** @defgroup c_graphs C: Graphs
 * @{ */

/** A directed graph with non-negative weights. */
typedef struct mlmq_digraph mlmq_digraph;

/** How to read a graph file. For generated graphs only weight_type has an effect. */
typedef struct mlmq_read_options {
  size_t struct_size;
  uint64_t weight_seed; /**< seed of random weights for a file without weights: integers from 1 to 100 [1] */
  int ignore_weights;   /**< 1: treat the weights of the file as absent [0] */
  int absolute_weights; /**< 1: take the absolute values of negative weights, which are an error otherwise [0] */
  int weight_type;      /**< an mlmq_number_type; -1: integer weights are uint32, decimal ones MLMQ_FLOAT64, if possible
                           with mlmq_digraph_decimal_places(), otherwise MLMQ_FLOAT32 if it represents them exactly
                           [-1] */
  int undirected;       /**< 1: add the reverse of every edge, 0: do not, -1: as the file specifies [-1] */
  /** For a table of edges (.csv): names of its columns, or their numbers from 1 if it has no header. NULL: chosen by
   * the header (docs/reference/graphs.md); mlmq_digraph_note() says which. The direction tells for each line whether
   * its edge leads in one direction or in both. [none] */
  const char* weight_column;
  const char* source_column;    /**< [none] */
  const char* target_column;    /**< [none] */
  const char* direction_column; /**< [none] */
} mlmq_read_options;
MLMQ_API void mlmq_read_options_init(mlmq_read_options* options, size_t struct_size);

/** Opens a graph.
 *
 * Reads a file: DIMACS or Galois (.gr), Matrix Market (.mtx), edge list (.txt, .el, .wel, .snap, .tsv), METIS (.graph,
 * .metis), table of edges (.csv), SciPy matrix (.npz), each optionally compressed (.gz). If there is no such file,
 * generates a graph from a name: "road18", "rmat20", "grid100"; docs/reference/graphs.md has the list. Long call. */
MLMQ_API mlmq_status mlmq_digraph_open(const char* name, const mlmq_read_options* options, mlmq_digraph** graph);

/** Makes the graph with every edge reversed, and the same vertices and ids. A search from a vertex in it finds the
 * distances to that vertex. Long call. */
MLMQ_API mlmq_status mlmq_digraph_reversed(const mlmq_digraph* graph, mlmq_digraph** reversed);

/** Makes a graph from compressed sparse rows, which are copied: the edges of vertex v are at positions offsets[v] to
 * offsets[v + 1] - 1 of targets and weights. MLMQ_INPUT_ERROR for a broken rule, naming the rule and the position.
 * Long call.
 * @param vertices number of vertices
 * @param edges number of edges
 * @param offsets vertices + 1 non-decreasing numbers, from 0 to edges
 * @param targets one per edge, each below vertices
 * @param weight_type type of the weights
 * @param weights one per edge, finite and at least 0, integers at most 4294967293; NULL: all are 1, of type uint32
 * @param name used in messages; NULL: "graph"
 * @param graph receives the handle */
MLMQ_API mlmq_status mlmq_digraph_from_rows(uint64_t vertices, uint64_t edges, const uint64_t* offsets,
                                            const mlmq_vertex* targets, mlmq_number_type weight_type,
                                            const void* weights, const char* name, mlmq_digraph** graph);

/** Returns the graph with decimal places if its float weights allow it, otherwise a handle of the same graph: see
 * mlmq_digraph_decimal_places(). All weights must be the doubles nearest to multiples of 10^-9, and the length of every
 * path must be below 2^32 of the units. mlmq_digraph_open() does this by itself.
 * @param exact receives the handle */
MLMQ_API mlmq_status mlmq_digraph_with_decimal_places(const mlmq_digraph* graph, mlmq_digraph** exact);
/** Returns k if weights and distances are doubles for callers, but searched as whole numbers of 10^-k, without rounding
 * any sum; -1 for other graphs. */
MLMQ_API int mlmq_digraph_decimal_places(const mlmq_digraph* graph);

/** Compressed sparse rows in device memory. */
typedef struct mlmq_device_rows {
  size_t struct_size;
  uint64_t vertices; /**< n, at least 1 */
  uint64_t edges;    /**< m */
  /** n + 1 non-decreasing numbers from 0 to m, aligned to their size */
  const void* offsets;
  unsigned offset_bits; /**< bits per offset: 32 or 64 [32] */
  /** MLMQ_UINT32 or MLMQ_FLOAT32; only mlmq_digraph_from_rows() supports MLMQ_FLOAT64 [MLMQ_UINT32] */
  mlmq_number_type weight_type;
  const void* targets; /**< m 32-bit integers, signed or not, from 0 to n - 1 */
  const void* weights; /**< m numbers, as for mlmq_digraph_from_rows(); NULL: all are 1, of type uint32 */
  /** alternative to targets and weights: m pairs of a target and its weight, 32 bits each [NULL] */
  const void* pairs;
  const char* name; /**< used in messages [NULL: "graph"] */
  /** 1: skip the check; the caller guarantees that the rows are valid, because searching invalid rows may read and
   * write arbitrary memory [0: a kernel checks the rows] */
  int unchecked;
  void* stream;                 /**< the CUstream that writes the arrays; NULL: the default stream */
  void* owner;                  /**< passed to release() [NULL] */
  void (*release)(void* owner); /**< called, by any thread, when the arrays are no longer needed [NULL] */
} mlmq_device_rows;
MLMQ_API void mlmq_device_rows_init(mlmq_device_rows* rows, size_t struct_size);

/** Makes a graph from rows in device memory, without copying: an array is copied only if a configuration needs another
 * layout (docs/guide/library.md). The rows must not change while the graph or anything derived from it is in use.
 * release() is also called after an error. MLMQ_INPUT_ERROR for pointers that are not memory of this device, for a
 * broken rule, and for processors. Long call. */
MLMQ_API mlmq_status mlmq_digraph_from_device(const mlmq_device* device, const mlmq_device_rows* rows,
                                              mlmq_digraph** graph);
MLMQ_API void mlmq_digraph_free(mlmq_digraph* graph);

MLMQ_API const char* mlmq_digraph_name(const mlmq_digraph* graph);
MLMQ_API mlmq_vertex mlmq_digraph_vertex_count(const mlmq_digraph* graph);
MLMQ_API uint64_t mlmq_digraph_edge_count(const mlmq_digraph* graph);
MLMQ_API mlmq_number_type mlmq_digraph_weight_type(const mlmq_digraph* graph);
/** Returns whether the rows are in host memory. Rows of mlmq_digraph_from_device() are copied there when first
 * needed. */
MLMQ_API int mlmq_digraph_on_host(const mlmq_digraph* graph);
/** Returns a suitable vertex for a single search. */
MLMQ_API mlmq_vertex mlmq_digraph_default_source(const mlmq_digraph* graph);
/** Returns how long opening took, in milliseconds, and the size of the file; zeros for a graph that was made in another
 * way. Each pointer may be NULL.
 * @param read_ms reading and checking the file
 * @param build_ms making rows of the file's edges; for a generated graph, generating it
 */
MLMQ_API void mlmq_digraph_open_times(const mlmq_digraph* graph, double* read_ms, double* build_ms,
                                      uint64_t* file_bytes);
/** Returns the number of warnings about a file that was read successfully; usually 0. */
MLMQ_API size_t mlmq_digraph_note_count(const mlmq_digraph* graph);
/** Returns warning i, one line, or NULL if there is none. */
MLMQ_API const char* mlmq_digraph_note(const mlmq_digraph* graph, size_t i);
/** Gets the number of a vertex in the graph's file; for graphs without a file it is the vertex itself. */
MLMQ_API mlmq_status mlmq_digraph_id_of(const mlmq_digraph* graph, mlmq_vertex v, uint64_t* id);
/** Gets the vertex with this id. MLMQ_INPUT_ERROR if there is none, with the range of ids. */
MLMQ_API mlmq_status mlmq_digraph_vertex_of(const mlmq_digraph* graph, uint64_t id, mlmq_vertex* v);
/** Gets what the graph's file calls the vertex: its name if vertices have names, as in a table of edges, or else its id
 * in digits. The caller frees it with mlmq_free(). */
MLMQ_API mlmq_status mlmq_digraph_name_of(const mlmq_digraph* graph, mlmq_vertex v, char** text);
/** Gets the vertex that the graph's file calls so, as for mlmq_digraph_name_of(). MLMQ_INPUT_ERROR if there is none. */
MLMQ_API mlmq_status mlmq_digraph_vertex_named(const mlmq_digraph* graph, const char* name, mlmq_vertex* v);

/** @} */

/** @defgroup c_configurations C: Configurations
 * @{ */

/** A selector: a model that chooses the configuration for a graph or a map. Functions accept NULL for the
 * selector that `mlmq tune` has installed for the device, or else the shipped one. */
typedef struct mlmq_model mlmq_model;

/** Reads a file written by `mlmq selector train` or `mlmq tune`. */
MLMQ_API mlmq_status mlmq_model_read(const char* file, mlmq_model** model);
/** Gets the shipped selector, even if another one is installed. */
MLMQ_API mlmq_status mlmq_model_shipped(mlmq_model** model);
MLMQ_API void mlmq_model_free(mlmq_model* model);

/** Gets the complete configuration for text, with all parameters. The caller frees it with mlmq_free(). */
MLMQ_API mlmq_status mlmq_complete_configuration(const char* text, char** configuration);

/** How a configuration was chosen. */
typedef enum mlmq_chooser {
  MLMQ_CHOSEN_BY_CALLER = 0,   /**< given by the caller */
  MLMQ_CHOSEN_BY_MODEL = 1,    /**< ranked first by the model among those that the device can run */
  MLMQ_CHOSEN_BY_TRIAL = 2,    /**< the fastest of those that were tried */
  MLMQ_CHOSEN_BY_TIMES = 3,    /**< the processors were expected to be faster than the solver's device */
  MLMQ_CHOSEN_BY_STANDARD = 4, /**< the default of the problem for such graphs, or of the library */
  MLMQ_CHOSEN_BY_RULE = 5      /**< a rule for one kind of graph: graphs with hubs, or partitioned search */
} mlmq_chooser;

/** A configuration, and how it was chosen. */
typedef struct mlmq_choice mlmq_choice;

/** Frees a choice that the caller owns, for example of mlmq_solver_choose(). */
MLMQ_API void mlmq_choice_free(mlmq_choice* choice);
/** Returns the configuration as text, with all parameters. */
MLMQ_API const char* mlmq_choice_configuration(const mlmq_choice* choice);
/** Returns the selector of the device that runs it: "cuda:0". */
MLMQ_API const char* mlmq_choice_device(const mlmq_choice* choice);
/** Returns the name of the device that runs it: "NVIDIA H200". */
MLMQ_API const char* mlmq_choice_device_name(const mlmq_choice* choice);
MLMQ_API mlmq_chooser mlmq_choice_chooser(const mlmq_choice* choice);
/** Returns the predicted relative performance, best time / time; NaN if the model does not predict it. */
MLMQ_API double mlmq_choice_predicted(const mlmq_choice* choice);
/** Returns a readable explanation. */
MLMQ_API const char* mlmq_choice_reason(const mlmq_choice* choice);

/** Durations in milliseconds. Steps whose result is reused take 0. */
typedef struct mlmq_solve_times {
  size_t struct_size;
  double features; /**< computing the features that the model needs */
  double choice;   /**< ranking the candidates, and measuring the speed of the processors if needed */
  double upload;   /**< uploading the graph, map or pairs, including memory allocation */
  double compile;  /**< compiling the kernel, or loading it from the cache on disk */
  double prepare;  /**< initialising the queues in device memory */
  double solve;    /**< the search itself, in device time; modelled if mlmq_device_facts.modelled */
  double download; /**< downloading the answer; 0 if a small one was copied as part of the search */
  int compiled;    /**< 1: `compile` includes compilation, not just loading from the cache */
  /** copying the rows of mlmq_digraph_from_device() to the host, if needed; not included in the other times */
  double host_copy;
} mlmq_solve_times;
MLMQ_API void mlmq_solve_times_init(mlmq_solve_times* times, size_t struct_size);

/** Work done in one of the equal intervals of a search. */
typedef struct mlmq_timeline_interval {
  double start_ms;
  double vertices;     /**< number of vertices read from the queues */
  double active_warps; /**< number of working warps */
} mlmq_timeline_interval;

/** Summary of a call: choice, times and counters. */
typedef struct mlmq_summary mlmq_summary;

/** Frees a summary that the caller owns. The summary of a solution or of path answers belongs to that object. */
MLMQ_API void mlmq_summary_free(mlmq_summary* summary);
MLMQ_API size_t mlmq_summary_searches(const mlmq_summary* summary);
/** Returns the choice; if there were many searches, that of the last ones. Belongs to the summary. */
MLMQ_API const mlmq_choice* mlmq_summary_choice(const mlmq_summary* summary);
/** Gets the times; if there were many searches, their sums. */
MLMQ_API mlmq_status mlmq_summary_times(const mlmq_summary* summary, mlmq_solve_times* times);
/** Sets `exact` to 1: a search with a distance that does not fit its type is an MLMQ_SEARCH_ERROR. For programs that
 * were written when such distances were handed over. */
MLMQ_API mlmq_status mlmq_summary_exact(const mlmq_summary* summary, int* exact);
/** Returns the sum over the searches of mlmq_solver_solve_many() of a hash of the source and all distances; 0 with
 * targets, and for other calls. Equal for equal distances, independent of the configuration, the device and the order
 * of the sources. */
MLMQ_API uint64_t mlmq_summary_digest(const mlmq_summary* summary);
/** Returns the number of work counters (docs/reference/parameters.md); 0 unless counters were requested. */
MLMQ_API size_t mlmq_summary_counter_count(const mlmq_summary* summary);
MLMQ_API mlmq_status mlmq_summary_counter(const mlmq_summary* summary, size_t i, const char** name, double* value);
/** Returns the number of intervals, from the first to the last with work; 0 unless a timeline was requested. */
MLMQ_API size_t mlmq_summary_interval_count(const mlmq_summary* summary);
MLMQ_API mlmq_status mlmq_summary_interval(const mlmq_summary* summary, size_t i, mlmq_timeline_interval* interval);
/** Returns the number of configurations that were tried. mlmq_solver_try_out() orders them fastest first,
 * mlmq_solver_solve_many() in the order in which they were tried. */
MLMQ_API size_t mlmq_summary_tried_count(const mlmq_summary* summary);
/** Gets one of the configurations that were tried. Any output pointer may be NULL.
 * @param summary summary of the call that tried them
 * @param i index below mlmq_summary_tried_count()
 * @param configuration receives its text, which belongs to the summary
 * @param searches receives the number of searches
 * @param milliseconds receives the total time of these searches, or for mlmq_solver_try_out() the mean; NaN if none
 *   finished in time */
MLMQ_API mlmq_status mlmq_summary_tried(const mlmq_summary* summary, size_t i, const char** configuration,
                                        size_t* searches, double* milliseconds);

/** @} */

/** @defgroup c_solver C: Searches from one vertex
 * @{ */

/** Kind of search. */
typedef enum mlmq_problem {
  MLMQ_SSSP = 0, /**< lengths are sums of weights */
  MLMQ_BFS = 1   /**< every edge has length 1, whatever its weight: distances are levels, of type uint32 */
} mlmq_problem;

/** Where a search without a given configuration may run. */
typedef enum mlmq_placement {
  /** on the solver's device, or on this machine's processors if they are expected to be faster */
  MLMQ_PLACE_BEST = 0,
  MLMQ_PLACE_DEVICE = 1 /**< on the solver's device */
} mlmq_placement;

/** When to split a graph into parts that fit into the shared memory of the device, if the graph is suitable: most
 * graphs of up to a few million edges are. Splitting takes as long as hundreds of searches. Afterwards, searches of
 * roads and meshes take a half to a sixth of the time, others up to nine tenths. */
typedef enum mlmq_partitioning {
  MLMQ_PARTITION_NEVER = 0,
  /** when searches have taken as long as splitting; kept only if searches become faster. In the same way, an
   * elimination hierarchy is prepared for roads and meshes with integer weights */
  MLMQ_PARTITION_AUTOMATIC = 1,
  MLMQ_PARTITION_ALWAYS = 2 /**< before the first search, which runs on the solver's device */
} mlmq_partitioning;

/** Options of searches from one vertex. */
typedef struct mlmq_solve_options {
  size_t struct_size;
  /** Configurations to try, as text for mlmq_complete_configuration(); "" means all defaults. The first that the device
   * can run is used. None: the configurations that the model ranks. [none] */
  const char* const* configurations;
  size_t configuration_count;
  const mlmq_model* model; /**< used without configurations [NULL] */
  mlmq_placement place;    /**< used without configurations [MLMQ_PLACE_BEST] */
  int counters;            /**< 1: count work, which makes the search slower [0] */
  int timeline;            /**< 1: record when work is done, which makes the search slower; not with counters [0] */
  /** 1: leave the distances in the solver's device memory: mlmq_solution_device_distances() [0] */
  int keep_on_device;
  double time_limit_ms; /**< for the search alone, above 0 [60000] */
  /** A CUstream: if the graph or the answer is in device memory, the search starts after all work that is in the stream
   * now. The search has finished when the function returns. [NULL: the default stream] */
  void* stream;
  mlmq_partitioning partition; /**< used without configurations [MLMQ_PARTITION_AUTOMATIC] */
  /** With 2 or more: how many configurations to compare. The first searches, at most 8 * tries, are answered by those
   * that the model ranks first, up to 2 * tries of them, the more promising ones more often. Then the one that is
   * expected to be the fastest answers all searches, also those of later processes on the same graph and device. Used
   * without configurations, for searches on the solver's device that are neither counted nor partitioned. [0] */
  unsigned tries;
} mlmq_solve_options;
MLMQ_API void mlmq_solve_options_init(mlmq_solve_options* options, size_t struct_size);

/** A graph on a device, to be searched from any number of sources. */
typedef struct mlmq_solver mlmq_solver;
/** The shortest paths from one vertex. */
typedef struct mlmq_solution mlmq_solution;

/** Creates a solver. Cheap: the graph is uploaded by the first search there, or by mlmq_solver_upload(). */
MLMQ_API mlmq_status mlmq_solver_create(const mlmq_device* device, const mlmq_digraph* graph, mlmq_problem problem,
                                        mlmq_solver** solver);
MLMQ_API void mlmq_solver_free(mlmq_solver* solver);
/** Uploads the graph unless it is already on the device. milliseconds may be NULL. Long call. */
MLMQ_API mlmq_status mlmq_solver_upload(mlmq_solver* solver, double* milliseconds);
/** Gets whether the graph is on the solver's device. Long call. */
MLMQ_API mlmq_status mlmq_solver_resident(const mlmq_solver* solver, int* resident);
/** Replaces the weights of the graph, in the order of its edges, for all later searches of this solver; earlier
 * solutions keep theirs. Searches by an elimination hierarchy ("solver=hierarchy" of mlmq_solver_solve_many()) continue
 * at once, with the same order of the vertices; for other searches, the graph is uploaded again when they need it.
 * An input error for another number or type of weights, for an invalid weight, or while mlmq_solver_solve_many() of
 * this solver runs. Long call.
 * @param solver a graph on a device; the graph from which it was made does not change
 * @param type type of the graph's weights
 * @param weights one number per edge, in host memory
 * @param count number of edges */
MLMQ_API mlmq_status mlmq_solver_update_weights(mlmq_solver* solver, mlmq_number_type type, const void* weights,
                                                size_t count);
/** Like mlmq_solver_update_weights(), for weights in memory of the solver's device. They are copied within the device,
 * where a kernel checks them, so they may change after the call. A hierarchy on the device continues without a copy in
 * host memory, which is made when first needed. An input error also for memory of another device, and for processors.
 * Long call.
 * @param type MLMQ_UINT32 or MLMQ_FLOAT32, the type of the graph's weights
 * @param weights one number per edge, aligned to 4 bytes
 * @param count number of edges
 * @param stream the CUstream that writes the weights; NULL: the default stream */
MLMQ_API mlmq_status mlmq_solver_update_weights_from_device(mlmq_solver* solver, mlmq_number_type type,
                                                            const void* weights, size_t count, void* stream);
/** Gets the configuration that mlmq_solver_solve() would try first, without uploading or compiling. The caller frees
 * it. Long call. */
MLMQ_API mlmq_status mlmq_solver_choose(mlmq_solver* solver, const mlmq_solve_options* options, mlmq_choice** choice);
/** Searches from each source with each of the `configurations` that the model ranks first. The solver remembers the
 * fastest and uses it from then on. summary may be NULL; mlmq_summary_tried() returns the times. Long call. */
MLMQ_API mlmq_status mlmq_solver_try_out(mlmq_solver* solver, const mlmq_vertex* sources, size_t source_count,
                                         unsigned configurations, const mlmq_solve_options* options,
                                         mlmq_summary** summary);
/** Searches from source. Searches of one solver share the uploaded graph, the compiled kernels and the queues.
 * Long call. */
MLMQ_API mlmq_status mlmq_solver_solve(mlmq_solver* solver, mlmq_vertex source, const mlmq_solve_options* options,
                                       mlmq_solution** solution);
/** Like mlmq_solver_solve(), but writes the distances directly to `distances`: host memory for `count` numbers of type
 * `type`, one per vertex, of the type that mlmq_solution_type() would return. Undefined after an error. summary may be
 * NULL. Long call. */
MLMQ_API mlmq_status mlmq_solver_solve_into(mlmq_solver* solver, mlmq_vertex source, const mlmq_solve_options* options,
                                            mlmq_number_type type, void* distances, size_t count,
                                            mlmq_summary** summary);

MLMQ_API void mlmq_solution_free(mlmq_solution* solution);
MLMQ_API mlmq_vertex mlmq_solution_source(const mlmq_solution* solution);
/** Returns the type of the distances: that of the weights, or MLMQ_UINT32 for MLMQ_BFS. */
MLMQ_API mlmq_number_type mlmq_solution_type(const mlmq_solution* solution);
/** Returns the number of distances, one per vertex. */
MLMQ_API size_t mlmq_solution_count(const mlmq_solution* solution);
/** Returns the summary, which belongs to the solution. */
MLMQ_API const mlmq_summary* mlmq_solution_summary(const mlmq_solution* solution);
/** Gets the distance of a vertex, or infinity if it is unreachable. */
MLMQ_API mlmq_status mlmq_solution_distance(const mlmq_solution* solution, mlmq_vertex v, double* distance);
/** Gets all distances without a copy: mlmq_solution_count() numbers of mlmq_solution_type(), MLMQ_UNREACHABLE or
 * infinity for unreachable vertices. Valid as long as the solution. Distances that were kept on the device are copied
 * to the host. Long call. */
MLMQ_API mlmq_status mlmq_solution_distances(const mlmq_solution* solution, const void** distances);
/** Copies all distances to memory for `count` numbers of type `type`; MLMQ_INPUT_ERROR for a wrong count or type. */
MLMQ_API mlmq_status mlmq_solution_copy_distances(const mlmq_solution* solution, mlmq_number_type type, void* distances,
                                                  size_t count);

/** An array in device memory. */
typedef struct mlmq_device_array {
  size_t struct_size;
  const void* data;
  size_t count;
  mlmq_number_type type;
  const char* device; /**< selector of the device: "cuda:0" */
} mlmq_device_array;
MLMQ_API void mlmq_device_array_init(mlmq_device_array* array, size_t struct_size);

/** Gets the distances in device memory. Valid as long as the solution: no other search overwrites them.
 * MLMQ_INPUT_ERROR unless mlmq_solve_options.keep_on_device was set. */
MLMQ_API mlmq_status mlmq_solution_device_distances(const mlmq_solution* solution, mlmq_device_array* array);

/** Computes the predecessor of each vertex on a shortest path on the host; MLMQ_NO_VERTEX for the source and for
 * unreachable vertices. Long call.
 * @param solution solution of mlmq_solver_solve()
 * @param threads 0: one per processor
 * @param predecessors memory for `count` vertices
 * @param count the number of vertices of the graph */
MLMQ_API mlmq_status mlmq_solution_predecessors(const mlmq_solution* solution, unsigned threads,
                                                mlmq_vertex* predecessors, size_t count);
/** Gets the vertices of a shortest path from the source to v, including both. *count receives their number, 0 if v is
 * unreachable; the first `capacity` of them are written to `path`, which may be NULL if capacity is 0. Long call. */
MLMQ_API mlmq_status mlmq_solution_path(const mlmq_solution* solution, mlmq_vertex v, mlmq_vertex* path,
                                        size_t capacity, size_t* count);
/** Verifies the distances from the graph alone: *message receives NULL, or an error message that the caller frees with
 * mlmq_free(). Distances that do not fit their type are errors. Long call. */
MLMQ_API mlmq_status mlmq_solution_check(const mlmq_solution* solution, char** message);

/** @} */

/** @defgroup c_batch C: Searches from many vertices
 * @{ */

/** Options of searches from many vertices. */
typedef struct mlmq_batch_options {
  size_t struct_size;
  /** Configurations to try, such as "solver=group,parts=4" (docs/reference/parameters.md); "" means all defaults. The
   * first that the device can run is used. None: the model recommends configurations, and with enough sources the
   * fastest of `tries` is used. [none] */
  const char* const* configurations;
  size_t configuration_count;
  const mlmq_model* model; /**< used without configurations [NULL] */
  /** number of configurations to try in the first searches, unless a model's choice ranks first; 1: try none [3] */
  unsigned tries;
  int check; /**< 1: repeat the searches on processors, and compare [0] */
  /** at least 1; with fewer than 4 * tries times as many sources, no configurations are tried [2048] */
  size_t searches_per_try;
  /** if given, only their distances are computed, and a search ends when they are final [none] */
  const mlmq_vertex* targets;
  size_t target_count;
  double cutoff; /**< at least 0: vertices that are farther count as not reached [infinity] */
  /** device memory for the distances of a block of searches [0: chosen for the device] */
  uint64_t memory_bytes;
  double time_limit_ms; /**< per block of searches, above 0 [600000] */
  int keep_on_device;   /**< 1: mlmq_distance_rows.distances is device memory, nothing is copied to the host [0] */
  void* stream;         /**< like mlmq_solve_options.stream [NULL] */
  /** if the solver has several devices, each searches whole units of this many sources, except for the last; at least
   * 1 [1] */
  size_t searches_together;
} mlmq_batch_options;
MLMQ_API void mlmq_batch_options_init(mlmq_batch_options* options, size_t struct_size);

/** Distances of a block of searches. */
typedef struct mlmq_distance_rows {
  size_t struct_size;
  size_t first;   /**< index of the first row's source among all sources */
  size_t rows;    /**< one per search */
  size_t columns; /**< one per vertex, or one per target */
  mlmq_number_type type;
  int on_device; /**< 1: `distances` is device memory */
  /** row-major; MLMQ_UNREACHABLE or infinity for unreachable vertices; valid during the call */
  const void* distances;
} mlmq_distance_rows;

/** Receives the distances of one block after another, in the order of the sources; of several devices, one at a time,
 * in the order of the sources of each, in threads of theirs. A nonzero return value ends the searches with
 * MLMQ_STOPPED. Must not throw exceptions. May use the solver and its device: such calls wait until the running
 * searches have finished. */
typedef int (*mlmq_take_distances)(const mlmq_distance_rows* rows, void* user);

/** Searches from every source, many at a time: thousands of searches take little longer than hundreds of single ones.
 * Long call.
 * @param solver a graph on a device
 * @param sources source vertices
 * @param source_count number of sources
 * @param options NULL: the defaults
 * @param take receives the distances; NULL: they are not kept
 * @param user passed to `take`
 * @param summary may be NULL */
MLMQ_API mlmq_status mlmq_solver_solve_many(mlmq_solver* solver, const mlmq_vertex* sources, size_t source_count,
                                            const mlmq_batch_options* options, mlmq_take_distances take, void* user,
                                            mlmq_summary** summary);
/** Like mlmq_solver_solve_many(), but writes all distances to `distances`: host memory for `count` numbers of type
 * `type`, one row per source and one column per vertex or target. Undefined after an error. Long call. */
MLMQ_API mlmq_status mlmq_solver_solve_many_into(mlmq_solver* solver, const mlmq_vertex* sources, size_t source_count,
                                                 const mlmq_batch_options* options, mlmq_number_type type,
                                                 void* distances, size_t count, mlmq_summary** summary);

/** Quantities of a search. In brackets: the members of mlmq_reduction that it uses, and its columns. */
typedef enum mlmq_quantity {
  /** the sum of the opportunities within each limit [limits, opportunities; one column per limit] */
  MLMQ_SUMS_WITHIN = 0,
  /** the sum of all opportunities, each times the decay at its distance [opportunities, decay, scale; 1 column] */
  MLMQ_DECAYED_SUM = 1,
  /** the number of vertices up to the first limit, above it and up to the second, … [limits; one column per limit] */
  MLMQ_HISTOGRAM = 2,
  MLMQ_CLOSENESS = 3,    /**< the sum of the distances of all vertices that are reached, and their number [2 columns] */
  MLMQ_ECCENTRICITY = 4, /**< the largest distance of a vertex that is reached [1 column] */
  /** the distances of the nearest members, ascending, then the members themselves, as vertices, not as indices or ids
   * of a file; infinity and -1 if fewer are reached [members, count; 2 * count columns] */
  MLMQ_NEAREST = 5
} mlmq_quantity;

/** How an opportunity counts that is at distance d, with a scale s. */
typedef enum mlmq_decay {
  MLMQ_EXPONENTIAL = 0, /**< exp(-d / s) */
  MLMQ_GAUSSIAN = 1,    /**< exp(-d^2 / (2 s^2)) */
  MLMQ_LINEAR = 2       /**< 1 - d / s, at least 0 */
} mlmq_decay;

/** A quantity of each search. Vertices beyond mlmq_batch_options.cutoff do not count. */
typedef struct mlmq_reduction {
  size_t struct_size;
  mlmq_quantity kind;   /**< [MLMQ_CLOSENESS] */
  const double* limits; /**< distances, ascending; 1 to 128 [NULL] */
  size_t limit_count;
  const double* opportunities; /**< one number per vertex, at least 0; NULL: 1 each [NULL] */
  size_t opportunity_count;
  mlmq_decay decay;           /**< [MLMQ_EXPONENTIAL] */
  double scale;               /**< above 0, in the unit of distances [1] */
  const mlmq_vertex* members; /**< [NULL] */
  size_t member_count;
  size_t count; /**< 1 to 64; only MLMQ_NEAREST uses it [1] */
} mlmq_reduction;
MLMQ_API void mlmq_reduction_init(mlmq_reduction* reduction, size_t struct_size);

/** Searches from every source, and computes quantities from the distances of each search where they are found. Only the
 * results are copied to the host. Long call.
 * @param solver a graph on a device
 * @param sources source vertices
 * @param source_count number of sources
 * @param reductions the quantities
 * @param reduction_count number of quantities, at least 1
 * @param options without targets and keep_on_device; NULL: the defaults
 * @param values one table per quantity, one after another: a row per source. Undefined after an error
 * @param count number of values: source_count times the columns of all quantities
 * @param summary may be NULL */
MLMQ_API mlmq_status mlmq_solver_reduce(mlmq_solver* solver, const mlmq_vertex* sources, size_t source_count,
                                        const mlmq_reduction* const* reductions, size_t reduction_count,
                                        const mlmq_batch_options* options, double* values, size_t count,
                                        mlmq_summary** summary);

/** Computes the distance from sources[i] to targets[i] for each i below `count`, with one search per different source.
 * Long call.
 * @param solver a graph on a device
 * @param sources one vertex per pair
 * @param targets one vertex per pair
 * @param count number of pairs
 * @param options without targets and keep_on_device; NULL: the defaults
 * @param distances one per pair, infinity if there is no path. Undefined after an error
 * @param summary may be NULL; its number of searches is that of different sources */
MLMQ_API mlmq_status mlmq_solver_solve_pairs(mlmq_solver* solver, const mlmq_vertex* sources,
                                             const mlmq_vertex* targets, size_t count,
                                             const mlmq_batch_options* options, double* distances,
                                             mlmq_summary** summary);

/** A sum of quantities along a path that does not exist. */
#define MLMQ_NO_PATH_SUM UINT64_MAX

/** Computes distances like mlmq_solver_solve_pairs(), and the sum of a quantity of the edges along a shortest path from
 * sources[i] to targets[i], such as the length in metres of the fastest route. With several shortest paths, the path
 * counts that mlmq_solution_path() returns; of parallel edges that are equally short, the one with the smallest
 * quantity. Long call.
 * @param solver a graph on a device
 * @param sources one vertex per pair
 * @param targets one vertex per pair
 * @param count number of pairs
 * @param quantities one per edge, in the order of the graph's edges
 * @param quantity_count number of quantities
 * @param options without targets and keep_on_device; NULL: the defaults
 * @param distances one per pair, infinity if there is no path. Undefined after an error
 * @param sums one per pair, MLMQ_NO_PATH_SUM if there is no path. Undefined after an error
 * @param summary may be NULL; its number of searches is that of different sources */
MLMQ_API mlmq_status mlmq_solver_sum_pair_paths(mlmq_solver* solver, const mlmq_vertex* sources,
                                                const mlmq_vertex* targets, size_t count, const uint32_t* quantities,
                                                size_t quantity_count, const mlmq_batch_options* options,
                                                double* distances, uint64_t* sums, mlmq_summary** summary);
/** Like mlmq_solver_sum_pair_paths(), from every source to every target: the results for sources[i] and targets[j] are
 * at index i * target_count + j. Long call.
 * @param solver a graph on a device
 * @param sources source vertices
 * @param source_count number of sources
 * @param targets target vertices
 * @param target_count number of targets
 * @param quantities one per edge, in the order of the graph's edges
 * @param quantity_count number of quantities
 * @param options without targets and keep_on_device; NULL: the defaults
 * @param distances a row per source. Undefined after an error
 * @param sums a row per source. Undefined after an error
 * @param count number of distances and of sums: source_count * target_count
 * @param summary may be NULL; its number of searches is that of different sources */
MLMQ_API mlmq_status mlmq_solver_sum_matrix_paths(mlmq_solver* solver, const mlmq_vertex* sources, size_t source_count,
                                                  const mlmq_vertex* targets, size_t target_count,
                                                  const uint32_t* quantities, size_t quantity_count,
                                                  const mlmq_batch_options* options, double* distances, uint64_t* sums,
                                                  size_t count, mlmq_summary** summary);

/** @} */

/** @defgroup c_grid C: Grid maps
 * @{ */

/** The rule for diagonal steps past blocked cells. */
typedef enum mlmq_corner_rule {
  MLMQ_CORNERS_CUT = 0,  /**< only the end of the step must be free */
  MLMQ_CORNERS_NONE = 1, /**< the cells on both sides must be free, too: the rule of MovingAI's benchmarks */
  /** for mlmq_grid_open(): MLMQ_CORNERS_NONE for a file; for a generated map the rule in its name, or else
   * MLMQ_CORNERS_CUT */
  MLMQ_CORNERS_OF_FILE = 2
} mlmq_corner_rule;

/** A cell of a map: its column from the left and row from the top, both from 0. */
typedef struct mlmq_cell {
  uint32_t x;
  uint32_t y;
} mlmq_cell;

/** Start and goal of a search. */
typedef struct mlmq_grid_pair {
  mlmq_cell start;
  mlmq_cell goal;
} mlmq_grid_pair;

/** The answer for one pair. */
typedef struct mlmq_path_answer {
  double length;     /**< straight + diagonal * sqrt(2); infinity without a path */
  uint32_t straight; /**< number of straight steps */
  uint32_t diagonal;
} mlmq_path_answer;

/** A map in host memory. A straight step has length 1, a diagonal step sqrt(2). */
typedef struct mlmq_grid mlmq_grid;

/** Opens a map.
 *
 * Reads a file in MovingAI's format (.map, .map.gz). If there is no such file, generates a map from a name such as
 * "grid512:density=0.2:eta=1:seed=1" (docs/guide/path-finding.md). Long call. */
MLMQ_API mlmq_status mlmq_grid_open(const char* name, mlmq_corner_rule corners, mlmq_grid** map);
/** Makes a map from an array, which is copied. Long call.
 * @param width 1 to 16384 columns
 * @param height 1 to 16384 rows
 * @param cells nonzero for free cells; cell (x, y) has index y * width + x
 * @param corners rule for diagonal steps
 * @param name used in messages; NULL: "grid"
 * @param map receives the handle */
MLMQ_API mlmq_status mlmq_grid_from_cells(uint32_t width, uint32_t height, const uint8_t* cells,
                                          mlmq_corner_rule corners, const char* name, mlmq_grid** map);
MLMQ_API void mlmq_grid_free(mlmq_grid* map);
MLMQ_API const char* mlmq_grid_name(const mlmq_grid* map);
MLMQ_API uint32_t mlmq_grid_width(const mlmq_grid* map);
MLMQ_API uint32_t mlmq_grid_height(const mlmq_grid* map);
MLMQ_API mlmq_corner_rule mlmq_grid_corners(const mlmq_grid* map);
/** Returns whether the cell is on the map and free. */
MLMQ_API int mlmq_grid_is_free(const mlmq_grid* map, uint32_t x, uint32_t y);
/** Draws starts and goals uniformly from the free cells, and writes them to `pairs`. Long call. */
MLMQ_API mlmq_status mlmq_grid_random_pairs(const mlmq_grid* map, size_t count, uint64_t seed, mlmq_grid_pair* pairs);

/** Options of searches on a map. */
typedef struct mlmq_path_options {
  size_t struct_size;
  /** like in mlmq_solve_options: "algorithm=jump,cells=4" (docs/reference/parameters.md) [none] */
  const char* const* configurations;
  size_t configuration_count;
  const mlmq_model* model; /**< used without configurations [NULL] */
  int counters;            /**< 1: count work, which makes the searches slower [0] */
  int paths;               /**< 1: return the cells of each path, not only its length [0] */
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
/** Gets the configuration that mlmq_path_finder_solve() would try first. The caller frees it. Long call. */
MLMQ_API mlmq_status mlmq_path_finder_choose(const mlmq_path_finder* finder, const mlmq_path_options* options,
                                             mlmq_choice** choice);
/** Searches for all pairs. MLMQ_INPUT_ERROR for a start or goal that is off the map or blocked, naming the pair.
 * Long call. */
MLMQ_API mlmq_status mlmq_path_finder_solve(mlmq_path_finder* finder, const mlmq_grid_pair* pairs, size_t pair_count,
                                            const mlmq_path_options* options, mlmq_path_answers** answers);

MLMQ_API void mlmq_path_answers_free(mlmq_path_answers* answers);
MLMQ_API size_t mlmq_path_answers_count(const mlmq_path_answers* answers);
MLMQ_API mlmq_status mlmq_path_answers_get(const mlmq_path_answers* answers, size_t i, mlmq_path_answer* answer);
/** Copies all answers to memory for `count` answers; MLMQ_INPUT_ERROR if the count does not match. */
MLMQ_API mlmq_status mlmq_path_answers_copy(const mlmq_path_answers* answers, mlmq_path_answer* results, size_t count);
/** Gets the cells of path i from start to goal, including both; see mlmq_solution_path(). MLMQ_INPUT_ERROR unless paths
 * were requested. Long call. */
MLMQ_API mlmq_status mlmq_path_answers_path(const mlmq_path_answers* answers, size_t i, mlmq_cell* path,
                                            size_t capacity, size_t* count);
/** Returns whether all paths are shortest: always, except with mode=paper. */
MLMQ_API int mlmq_path_answers_shortest(const mlmq_path_answers* answers);
/** Returns the summary, which belongs to the answers. */
MLMQ_API const mlmq_summary* mlmq_path_answers_summary(const mlmq_path_answers* answers);
/** Repeats the searches on processors and compares; see mlmq_solution_check(). threads: 0 means one per processor.
 * Long call. */
MLMQ_API mlmq_status mlmq_path_answers_check(const mlmq_path_answers* answers, unsigned threads, char** message);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* MLMQ_MLMQ_H */
