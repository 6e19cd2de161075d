#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and runs GPUPQ, the public program of the paper "Performance Evaluation of Priority Queues for Fine-Grained
Parallel Tasks on GPUs", as a peer of 'mlmq compare' for phold and astar.

usage: gpupq.py SOURCE phold QUEUE --entities N --events M --rate R --lookahead L --until T [--repeat K]
       gpupq.py SOURCE astar QUEUE --map FILE --pairs FILE --lengths FILE [--repeat K]

SOURCE is a clone of github.com/philipp-andelfinger/GPUPQ, which stays unchanged. QUEUE is the ending of one of its
files src/config.h.PROBLEM_QUEUE, which has the authors' settings; sizes and limits are added to it. Programs are kept
in --cache. Needs nvcc (CUDA 13 works; it brings the CUB that is used instead of CUB 1.4.1, which it refuses).

FILE of --pairs has a line "START_COLUMN START_ROW GOAL_COLUMN GOAL_ROW" for each search. Each run prints a line
"time_ms X", and for phold "events", "end" (the least time of an event at the end) and "population" (events in queues).
--lengths receives a line for each search, -1 where no path was found.
"""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

# Appended to the authors' settings. The host evaluates MAX_TS and MAX_WCT before each step, so functions end a run at
# once when its work is done; GPUPQ itself would only look every two seconds.
PHOLD_SETTINGS = """
#undef NUM_LPS
#define NUM_LPS {entities}
#undef PHOLD_POPULATION
#define PHOLD_POPULATION peer_events()
#undef PHOLD_LAMBDA
#define PHOLD_LAMBDA {rate}
#undef LOOKAHEAD
#define LOOKAHEAD {lookahead}
#undef MAX_TS
#define MAX_TS peer_until()
long peer_until();
int peer_events();
"""
ASTAR_SETTINGS = """
#undef NUM_LPS
#define NUM_LPS {concurrent}
#undef NUM_AGENTS
#define NUM_AGENTS {searches}
#undef A_STAR_GRID_X
#define A_STAR_GRID_X {width}
#undef A_STAR_GRID_Y
#define A_STAR_GRID_Y {height}
#undef A_STAR_OBSTACLES
#define A_STAR_OBSTACLES peer_obstacles()
#undef MAX_WCT
#define MAX_WCT peer_time_limit()
long peer_time_limit();
int peer_obstacles();
#ifdef __CUDACC__
extern __device__ float peer_lengths[{searches}];
#endif
"""
COMMON_SETTINGS = """
#undef MAX_EVENTS
#define MAX_EVENTS 0
#undef VERBOSE
#define VERBOSE 0
"""

# Our main program. GPUPQ draws its map and its searches with rand(): obstacles as column, row and side, then the
# columns and rows of starts and goals. This rand() returns the numbers of a file instead. RAND_MAX as a draw of a side
# gives one cell.
MAIN = """
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "config.h"
#include "queue_item.h"
#include "queue.cuh"
#include "queue.h"
#include "model.h"
#include "util.cuh"
#include "des.h"

#ifdef _A_STAR
extern __device__ int completed_sg_agents;
extern __device__ int next_sg_agent;
__device__ float peer_lengths[NUM_AGENTS];

static FILE* numbers = nullptr;
extern "C" int rand() noexcept {
  int number = 0;
  if (numbers == nullptr) numbers = fopen(getenv("PEER_NUMBERS"), "rb");
  if (fread(&number, sizeof number, 1, numbers) != 1) {
    fprintf(stderr, "GPUPQ draws more numbers than expected\\n");
    exit(3);
  }
  return number;
}
extern "C" void srand(unsigned) noexcept {}
int peer_obstacles() { return atoi(getenv("PEER_OBSTACLES")); }

// The time limit of a run in seconds: negative once all searches have ended.
long peer_time_limit() {
  int completed = 0;
  CudaSafeCall(cudaMemcpyFromSymbol(&completed, completed_sg_agents, sizeof completed));
  if (completed < NUM_AGENTS) return 3600;
  // Blocks without a search have counted on, and GPUPQ reads as many goals at the end.
  const int searches = NUM_AGENTS;
  CudaSafeCall(cudaMemcpyToSymbol(next_sg_agent, &searches, sizeof searches));
  return -1;
}
#else
long peer_until() { return atol(getenv("PEER_UNTIL")); }
int peer_events() { return atoi(getenv("PEER_EVENTS")); }

__device__ unsigned long long peer_population;
static __global__ void add_lengths() {
  const int lp = threadIdx.x + blockDim.x * blockIdx.x;
  if (lp < NUM_LPS) atomicAdd(&peer_population, (unsigned long long)queue_length(lp));
}
#endif

int main() {
  des_init();
#ifdef _A_STAR
  static std::vector<float> lengths(NUM_AGENTS, -1.0f);
  CudaSafeCall(cudaMemcpyToSymbol(peer_lengths, lengths.data(), sizeof(float) * NUM_AGENTS));
#endif
  des_run();
#ifdef _A_STAR
  CudaSafeCall(cudaMemcpyFromSymbol(lengths.data(), peer_lengths, sizeof(float) * NUM_AGENTS));
  FILE* const file = fopen(getenv("PEER_LENGTHS"), "w");
  for (const float length : lengths) fprintf(file, "%.9g\\n", length);
  fclose(file);
#else
  add_lengths<<<(NUM_LPS + 255) / 256, 256>>>();
  unsigned long long population = 0;
  CudaSafeCall(cudaMemcpyFromSymbol(&population, peer_population, sizeof population));
  printf("\\npopulation %llu\\n", population);
#endif
  des_finish();
  return 0;
}
"""

QUEUE_FILES = {"cb": ["local_array_queue.cu", "sort.cu"], "heaps": ["local_heap_queue.cu"],
               "splays": ["local_splay_queue.cu"]}


def fail(message):
    sys.exit(f"gpupq.py: {message}")


def replace_once(text, pattern, replacement, file):
    text, count = re.subn(pattern, replacement, text)
    if count != 1:
        fail(f"{file}: expected one place that matches '{pattern}', found {count}; is this another version?")
    return text


def adapt_astar(text):
    """Returns a_star.cu with members initialised in their order, which C++20 requires, and lengths kept. Without two
    barriers that not all threads of a block reach: since Volta, threads of a warp arrive at a barrier one by one. The
    cells of a block's threads differ, so that nothing needs these barriers."""
    text = replace_once(text, r"(\.pred\s*=\s*\w+),(\s*)(\.node\s*=\s*\w+)", r"\3,\2\1", "a_star.cu")
    text = replace_once(text, r"__syncthreads\(\);(\s*if \(better_f\))", r"\1", "a_star.cu")
    text = replace_once(text, r"(\[entry\.y\]\[entry\.x\] = entry\.f;\s*\})\s*__syncthreads\(\);", r"\1", "a_star.cu")
    return replace_once(text, r"found_goal\[agent\]\s*=\s*true;",
                        r"\g<0> peer_lengths[sg_agent] = __half2float(curr_vertex->f);", "a_star.cu")


def build(source, problem, queue, settings, cache, architecture):
    """Returns the path of the program with these settings, built if it is not in the cache."""
    code = source / "src"
    base = code / f"config.h.{'a_star' if problem == 'astar' else problem}_{queue}"
    if not base.is_file():
        names = sorted(file.name.removeprefix("config.h.") for file in code.glob("config.h.*"))
        fail(f"no settings {base}; there are {', '.join(names) or 'none: this is not a clone of GPUPQ'}")
    kind = queue.partition("-")[0]
    if kind not in QUEUE_FILES:
        fail(f"the queue '{queue}' cannot be built: CUDA 12 removed what GPUPQ's parallel heap needs")
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.access(nvcc, os.X_OK):
        fail("nvcc is not on PATH")
    config = base.read_text() + settings
    files = ["des.cu", "a_star.cu" if problem == "astar" else "phold.cu"]
    files += QUEUE_FILES[kind]
    flags = ["-O3", "-std=c++17", f"-arch={architecture}", "-rdc=true", "--expt-extended-lambda", "-Xptxas", "-dlcm=ca",
             "-w", "-DmemoryClockRate=major", "-DclockRate=major"]  # members that CUDA 13 no longer has
    texts = {file: (code / file).read_text() for file in files}
    if problem == "astar":
        texts["a_star.cu"] = adapt_astar(texts["a_star.cu"])
    key = hashlib.sha256("\0".join([nvcc, *flags, config, MAIN, *texts.values()]).encode()).hexdigest()[:16]
    program = cache / f"gpupq-{problem}-{queue}-{key}"
    if program.is_file():
        return program
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for header in [*code.glob("*.cuh"), *code.glob("*.hxx"), *code.glob("*.h")]:
            shutil.copy(header, folder)
        (folder / "config.h").write_text(config)
        (folder / "peer_main.cu").write_text(MAIN)
        for file, text in texts.items():
            (folder / file).write_text(text)

        def compile_file(file):
            return subprocess.run([nvcc, *flags, f"-I{source}/lib/moderngpu/src", "-c", file], cwd=folder,
                                  capture_output=True, text=True)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            runs = list(pool.map(compile_file, [*files, "peer_main.cu"]))
        objects = [pathlib.Path(file).with_suffix(".o").name for file in [*files, "peer_main.cu"]]
        # With a library of its own, since LD_LIBRARY_PATH may name an older one.
        runs.append(subprocess.run([nvcc, f"-arch={architecture}", *objects, "-lcudadevrt", "-Xcompiler",
                                    "-static-libstdc++,-static-libgcc", "-o", "program"],
                                   cwd=folder, capture_output=True, text=True))
        for run in runs:
            if run.returncode != 0:
                fail("nvcc failed:\n" + (run.stdout + run.stderr)[-4000:])
        kept = program.with_name(f"{program.name}.{os.getpid()}")
        shutil.copy(folder / "program", kept)
        kept.rename(program)  # so that another process never sees half a file
    return program


def read_map(file):
    """Returns width, height and the list of (column, row) of blocked cells of a map in MovingAI's format."""
    lines = pathlib.Path(file).read_text().splitlines()
    rows = lines[lines.index("map") + 1:]
    return len(rows[0]), len(rows), [(column, row) for row, cells in enumerate(rows)
                                     for column, cell in enumerate(cells) if cell not in ".G"]


def run(program, environment, repeat):
    # Modules are loaded before the clock starts.
    environment = {**os.environ, "CUDA_MODULE_LOADING": "EAGER", **environment}
    names = {"Simulation time:": "time_ms", "Events total:": "events", "elapsed simulation time:": "end",
             "population": "population", "Event handler:": "handler_ms", "Queue post:": "insert_ms",
             "Get min:": "minimum_ms"}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repeat):
            result = subprocess.run([program], env=environment, cwd=folder, capture_output=True, text=True)
            if result.returncode != 0:
                fail(f"GPUPQ ended with {result.returncode}: {(result.stdout + result.stderr)[-1000:]}")
            for line in result.stdout.splitlines():
                for label, name in names.items():
                    if line.strip().startswith(label):
                        print(name, line.strip().removeprefix(label).split()[0])
            if "failed at" in result.stderr:
                fail(result.stderr[-1000:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("problem", choices=["phold", "astar"])
    parser.add_argument("queue")
    for name in ["entities", "events", "lookahead", "until"]:
        parser.add_argument(f"--{name}", type=float)
    parser.add_argument("--rate")
    for name in ["map", "pairs", "lengths"]:
        parser.add_argument(f"--{name}")
    parser.add_argument("--concurrent", type=int, help="searches at a time [as many as Table III of the paper has]")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--build-only", action="store_true")
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser()
    parser.add_argument("--cache", type=pathlib.Path, default=cache / "mlmq" / "peers", help="folder of built programs")
    options = parser.parse_args()
    if options.problem == "phold":
        values = {name: getattr(options, name) for name in ["entities", "events", "lookahead", "until"]}
        for name, value in values.items():
            if value is None or value != int(value):
                fail(f"--{name} must be a whole number: GPUPQ counts time and events in integers")
        settings = PHOLD_SETTINGS.format(**{name: int(value) for name, value in values.items()}, rate=options.rate)
        environment = {"PEER_UNTIL": str(int(options.until)), "PEER_EVENTS": str(int(options.events))}
    else:
        width, height, blocked = read_map(options.map)
        lines = pathlib.Path(options.pairs).read_text().splitlines()
        searches = [[int(word) for word in line.split()] for line in lines]
        concurrent = min(len(searches), options.concurrent or max(1, 32768 * 64 * 64 // (width * height)))
        settings = ASTAR_SETTINGS.format(concurrent=concurrent, searches=len(searches), width=width, height=height)
        environment = {"PEER_LENGTHS": os.path.abspath(options.lengths), "PEER_OBSTACLES": str(len(blocked))}
    settings += COMMON_SETTINGS
    program = build(options.source.resolve(), options.problem, options.queue, settings, options.cache, options.arch)
    if options.build_only:
        return
    with tempfile.TemporaryDirectory() as folder:
        if options.problem == "astar":
            environment["PEER_NUMBERS"] = os.path.join(folder, "numbers")
            drawn = [number for column, row in blocked for number in (column, row, 2**31 - 1)]
            drawn += [number for search in searches for number in search]
            pathlib.Path(environment["PEER_NUMBERS"]).write_bytes(struct.pack(f"{len(drawn)}i", *drawn))
        run(program, environment, options.repeat)


if __name__ == "__main__":
    main()
