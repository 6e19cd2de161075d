# SPDX-License-Identifier: Apache-2.0
"""The program on a GPU: solving, sweeping and comparing; kernels that fail in the middle; two processes on one GPU;
missing NVML; the cache of machine code; compute-sanitizer.

Without a usable GPU, no test runs and the exit status is 77. $MLMQ_TEST_DEVICE names the GPU [cuda:0].
"""

import contextlib
import glob
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(os.path.dirname(here), "cli")]  # where program_test.py is installed, and where it is

import program_test  # noqa: E402
from program_test import TIME_LIMIT_S, ProgramTest, planted_kernels, without_progress  # noqa: E402

DEVICE = os.environ.get("MLMQ_TEST_DEVICE", "cuda:0")
ON_GPU = DEVICE.startswith("cuda")

# On a GPU, this many runs take seconds, so that another event can happen meanwhile; the simulator needs only a few.
MANY = 400 if ON_GPU else 8

SPACE = """\
name: on a gpu
problem: sssp
parameters:
  l1: [none, vector]
  delta: [4, 16]
  threads: [64]
workloads:
  - {generate: road12, queries: {source: [0, 7]}}
  - {generate: rmat12, queries: {source: 0}}
measurement: {warmup: 1, repeats: 3, time_limit_ms: 2000, counters: true, seed: 1}
"""
# Times and counters of each of four configurations on each of three sources.
TRIALS = 24

# A loop that ends by itself after 40 s, so that no failing test leaves a kernel running forever.
ENDLESS = "for (const u64 end = simt::clock_ns() + 40000000000ull; simt::clock_ns() < end;) {}"
NOWHERE = "simt::store(reinterpret_cast<u32*>(u64{64}), 1u);"


class GpuTest(ProgramTest):
    """Base of the tests; contains no test."""

    def solve_here(self, graph, *arguments, **settings):
        return self.succeed("solve", graph, "--device", DEVICE, "--check", *arguments, **settings)

    def sweep(self, *arguments, **settings):
        return self.succeed("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE, *arguments, **settings)

    def rows(self, sql):
        with contextlib.closing(sqlite3.connect(f"file:{self.path('r.sqlite')}?mode=ro", uri=True)) as database:
            return database.execute(sql).fetchall()

    def check_each_trial_once(self, count):
        self.assertEqual(self.rows("SELECT count(*), count(DISTINCT workload || '/' || query || '/' || configuration "
                                   "|| '/' || measurement), sum(state = 'done' AND outcome = 'ok') FROM trial"),
                         [(count, count, count)])

    def workers_of(self, process):
        listing = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], stdout=subprocess.PIPE, check=False)
        return [int(word) for word in listing.stdout.split()]

    def wait_for(self, condition):
        deadline = time.monotonic() + TIME_LIMIT_S
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)


class Solving(GpuTest):
    """Answers and printed output."""

    def test_answers(self):
        for graph in ("road14", "del14", "rmat14", "grid40", "path1"):
            for problem in ("sssp", "bfs"):
                out = self.solve_here(graph, "--problem", problem)
                self.assertIn("every distance is right", out)
                if ON_GPU:
                    self.assertIn(f"({DEVICE})", out)
                    self.assertNotIn("modelled", out)

    def test_same_distances_as_processors(self):
        for graph in ("road12", "rmat12"):
            self.solve_here(graph, "--source", "3", "--output", "gpu.txt")
            self.succeed("solve", graph, "--device", "cpu", "--source", "3", "--output", "cpu.txt")
            self.assertEqual(self.read("gpu.txt"), self.read("cpu.txt"))

    def test_automatic_place(self):
        for graph in ("road8", "road16"):
            self.assertIn("every distance is right", self.succeed("solve", graph, "--device", "auto", "--check"))

    def test_instrumentation(self):
        self.assertIn("l2_writes", self.solve_here("road12", "--counters"))
        self.solve_here("road12", "--timeline", "t.csv")
        self.assertGreater(len(self.read("t.csv").splitlines()), 2)
        self.assertIn("to be the fastest, after", self.solve_here("road12", "--tries", "3"))

    def test_parts(self):
        for graph in ("road14", "del14"):
            out = self.solve_here(graph, "--partition", "--repeat", "3")
            self.assertIn("solver=partitioned", out)
            self.assertIn("every distance is right", out)
        for way in ("arcs=shared", "part_work=groups,part_order=window,part_window=24", "part_work=pulled_groups"):
            out = self.solve_here("road14", "--config", f"solver=partitioned,slot_arcs=4,threads=768,{way}")
            self.assertIn("every distance is right", out)
        # It has few hops for its size.
        self.assertNotIn("solver=partitioned", self.solve_here("rmat18", "--partition"))

    @unittest.skipUnless(ON_GPU, "it says what a driver says")
    def test_wrong_devices(self):
        self.refuse("solve", "road8", "--device", "cuda:77", says="this machine has")


class Sweeping(GpuTest):
    """Sweeps and the recorded facts of the device."""

    @unittest.skipUnless(ON_GPU, "simulators have no UUID")
    def test_one_visible_gpu_keeps_its_selector(self):
        """As a worker of a sweep on a machine with several GPUs."""
        def gpus(**variables):
            document = json.loads(self.succeed("doctor", "--format", "json", environment=variables))
            cuda = next(backend for backend in document["backends"] if backend["name"] == "cuda")
            return {fact["name"]: fact["text"] for fact in cuda["facts"] if fact["name"].startswith("cuda:")}

        uuid = gpus()[DEVICE].rpartition(", ")[2]
        for selector in (DEVICE, "cuda:5"):
            variables = {"CUDA_VISIBLE_DEVICES": uuid, "MLMQ_FIRST_GPU": selector.removeprefix("cuda:")}
            visible = gpus(**variables)
            self.assertEqual(list(visible), [selector])
            self.assertTrue(visible[selector].endswith(uuid), visible)
            output = self.succeed("solve", "road10", "--device", selector, "--check", environment=variables)
            self.assertIn("every distance is right", output)

    def test_sweep(self):
        self.write("s.yaml", SPACE)
        self.assertIn(f"{TRIALS} of {TRIALS} trials done, {TRIALS} in this run", self.sweep())
        self.check_each_trial_once(TRIALS)
        self.assertIn(f"{TRIALS} of {TRIALS} trials done, 0 in this run", self.sweep())
        self.succeed("selector", "train", "r.sqlite", "--output", "model.json")
        self.assertIn("every distance is right", self.solve_here("road13", "--model", "model.json"))

    def test_other_sources_with_the_same_instructions(self):
        """Their times are taken over. The simulator has no instructions and measures everything again."""
        times = ("SELECT workload, query, configuration, median_ms FROM result WHERE measurement = 'time' "
                 "ORDER BY workload, query, configuration")
        self.write("s.yaml", SPACE)
        self.sweep()
        before = self.rows(times)
        empty_statement = ";"
        output = self.sweep(environment=planted_kernels(self.path("kernels"), empty_statement))
        self.assertIn(f"{TRIALS} of {TRIALS} trials done, {TRIALS} in this run", output)
        taken_over = self.rows("SELECT count(*) FROM result WHERE message LIKE 'not measured: the instructions%'")
        self.assertEqual(taken_over, [(TRIALS // 2 if ON_GPU else 0,)])
        if ON_GPU:
            self.assertEqual(self.rows(times), before)

    def environments(self):
        return [json.loads(text) for (text,) in self.rows("SELECT environment FROM trial WHERE measurement = 'time'")]

    def test_without_nvml(self):
        self.write("s.yaml", SPACE)
        self.sweep(environment={"MLMQ_NVML": "/nonexistent/libnvidia-ml.so.1"})
        self.check_each_trial_once(TRIALS)
        for environment in self.environments():
            self.assertNotIn("sm_clock_mhz", environment)

    @unittest.skipUnless(ON_GPU, "NVML knows no simulator")
    def test_with_nvml(self):
        self.write("s.yaml", SPACE.replace("repeats: 3", "repeats: 100"))
        self.sweep()
        clocks = [environment.get("sm_clock_mhz") for environment in self.environments()]
        if not any(clocks):
            self.skipTest("no NVML on this machine")
        self.assertTrue(all(50 < clock < 6000 for clock in clocks if clock), clocks)

    @unittest.skipUnless(ON_GPU, "a simulator has neither")
    def test_hardware_counters_and_energy(self):
        self.write("s.yaml", SPACE.replace("counters: true", "hardware_counters: [dram, l2], energy: true"))
        self.sweep()
        for measurement, names in (("hardware", {"dram_read_bytes", "dram_written_bytes", "l2_sectors",
                                                 "l2_sectors_read", "l2_sectors_written"}),
                                   ("energy", {"energy_mj", "power_w", "idle_power_w"})):
            with self.subTest(measurement):
                trials = self.rows("SELECT outcome, message, counters FROM result "
                                   f"WHERE measurement = '{measurement}'")
                self.assertEqual(len(trials), TRIALS // 2)
                if all(outcome == "constraint" for outcome, _, _ in trials):
                    self.skipTest(trials[0][1])  # no library, or no permission
                for outcome, message, counters in trials:
                    self.assertEqual(outcome, "ok", message)
                    self.assertEqual(set(json.loads(counters)), names)
                    self.assertGreater(max(json.loads(counters).values()), 0)

    def test_two_sweeps_on_one_gpu(self):
        self.write("s.yaml", SPACE.replace("delta: [4, 16]", "delta: [1, 2, 4, 8, 16, 32]"))
        command = ("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE)
        processes = [self.start(*command) for _ in range(2)]
        done, measured = [], []
        for process in processes:
            output, errors = process.communicate(timeout=TIME_LIMIT_S)
            self.assertEqual((process.returncode, without_progress(errors.decode())), (0, ""), output)
            match = re.match(rf"(\d+) of {3 * TRIALS} trials done, (\d+) in this run", output.decode())
            self.assertIsNotNone(match, output)
            done.append(int(match.group(1)))
            measured.append(int(match.group(2)))
        # The sweep that ends first may leave its last trial to the other one.
        self.assertEqual((max(done), sum(measured)), (3 * TRIALS, 3 * TRIALS))
        self.check_each_trial_once(3 * TRIALS)

    def test_two_solves_on_one_gpu(self):
        processes = [self.start("solve", "road16", "--device", DEVICE, "--check", "--repeat", str(MANY // 2),
                                "--source", source)
                     for source in ("1", "2")]
        for process in processes:
            output, errors = process.communicate(timeout=TIME_LIMIT_S)
            self.assertEqual((process.returncode, errors), (0, b""))
            self.assertIn(b"every distance is right", output)

    def test_compare(self):
        self.write("ours.yaml", SPACE.replace("repeats: 3", "repeats: 5"))
        self.write("competitors.yaml", "name: competitors\nproblem: sssp\nconfigurations:\n  - {solver: near_far}\n"
                   "  - {solver: adds}\n  - {solver: delta_stepping}\nworkloads: [{generate: road12}]\n")
        code, out, errors = self.run_program(
            "compare", "--configurations", "ours.yaml", "--competitors", "competitors.yaml", "--device",
            f"{DEVICE},cpu", "--peers", "none", "--db", "r.sqlite", "--format", "csv")
        self.assertEqual(code, 0, errors)
        for name in ("mlmq selected", "near_far", "adds", "delta_stepping"):
            self.assertIn(name, out)


class Failing(GpuTest):
    """Kernels that fail, and processes that die in the middle of one."""

    ALONE = True

    PLANTED = f"""
#if MLMQ_HEAVY_DEGREE == 11
  {ENDLESS}
#elif MLMQ_HEAVY_DEGREE == 12
  {NOWHERE}
#elif MLMQ_HEAVY_DEGREE == 13
  auto elsewhere = arguments;
  elsewhere.source = 1;
  return mlmq::run_search(elsewhere);
#endif
"""

    def setUp(self):
        super().setUp()
        if not ON_GPU:
            self.skipTest("the simulator finds such kernels itself: tests/cli/test_faults.py")

    def planted(self, body):
        return planted_kernels(self.path("kernels"), body)

    def test_sweep_goes_on(self):
        """Each failing configuration costs only its own trial; a new worker opens the device again."""
        self.write("s.yaml", SPACE.replace("delta: [4, 16]", "heavy_degree: [11, 12, 13, 14, 15]").replace(
            "l1: [none, vector]", "l1: [none]").replace("  - {generate: rmat12, queries: {source: 0}}\n", "").replace(
            "[0, 7]", "[0]").replace("counters: true", "counters: false").replace("2000", "300"))
        out = self.sweep(environment=self.planted(self.PLANTED))
        self.assertIn("5 of 5 trials done, 5 in this run", out)
        outcomes = {degree: rest for degree, *rest in self.rows(
            "SELECT json_extract(c.parameters, '$.heavy_degree'), t.outcome, t.attempt, t.crashes, t.message "
            "FROM trial t JOIN configuration c ON c.id = t.configuration")}
        self.assertEqual(outcomes[11][:3], ["timeout", 2, 2], outcomes)
        self.assertEqual(outcomes[12][:3], ["crashed", 2, 2], outcomes)
        self.assertEqual(outcomes[13][:3], ["wrong_answer", 1, 0], outcomes)
        for degree in (14, 15):
            self.assertEqual(outcomes[degree][:3], ["ok", 1, 0], outcomes)

    def test_solve_ends(self):
        """A kernel that does not end costs twice the limit and three seconds, and then the process ends."""
        began = time.monotonic()
        self.refuse("solve", "road8", "--device", DEVICE, "--time-limit", "200ms", "--config", "heavy_degree=11",
                    says="did not react to its abort word", code=1, environment=self.planted(self.PLANTED))
        self.assertLess(time.monotonic() - began, 30)

    def test_solve_after_illegal_address(self):
        planted = self.planted(self.PLANTED)
        self.refuse("solve", "road8", "--device", DEVICE, "--config", "heavy_degree=12", says="illegal", code=1,
                    environment=planted)
        self.assertIn("every distance is right", self.solve_here("road8", "--config", "heavy_degree=14",
                                                                 environment=planted))

    def test_compare_starts_again(self):
        """A process cannot use a lost device again: the program restarts itself and resumes where it stopped."""
        self.write("ours.yaml", SPACE.replace("delta: [4, 16]", "heavy_degree: [14, 12]").replace(
            "l1: [none, vector]", "l1: [none]").replace("counters: true", "counters: false").replace(
            "  - {generate: rmat12, queries: {source: 0}}\n", "").replace("[0, 7]", "[0]"))
        self.write("competitors.yaml", "name: competitors\nproblem: sssp\nconfigurations:\n  - {solver: adds}\n"
                   "workloads: [{generate: road12}]\n")
        code, output, errors = self.run_program(
            "compare", "--configurations", "ours.yaml", "--competitors", "competitors.yaml", "--device", DEVICE,
            "--peers", "none", "--db", "r.sqlite", "--format", "csv", environment=self.planted(self.PLANTED))
        self.assertEqual(code, 0, errors)
        self.assertIn("continuing in a new process", errors)
        self.assertIn("adds", output)
        self.assertEqual({outcome for outcome, in self.rows(
            "SELECT t.outcome FROM trial t JOIN configuration c ON c.id = t.configuration "
            "WHERE json_extract(c.parameters, '$.heavy_degree') = 12")}, {"crashed"})

    def test_worker_killed_in_a_kernel(self):
        self.write("s.yaml",
                   SPACE.replace("counters: true", "counters: false").replace("repeats: 3", f"repeats: {MANY}"))
        process = self.start("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE)
        kills = 0
        while kills < 3 and process.poll() is None:
            with contextlib.suppress(sqlite3.Error, IndexError, ProcessLookupError):
                if self.rows("SELECT count(*) FROM trial WHERE state = 'running'") == [(1,)]:
                    os.kill(self.workers_of(process)[0], signal.SIGKILL)
                    kills += 1
            time.sleep(0.3)
        output, errors = process.communicate(timeout=TIME_LIMIT_S)
        self.assertEqual((process.returncode, without_progress(errors.decode())), (0, ""), output)
        self.assertGreaterEqual(kills, 1)
        self.check_each_trial_once(TRIALS // 2)

    def test_supervisor_killed_in_a_kernel(self):
        self.write("s.yaml",
                   SPACE.replace("counters: true", "counters: false").replace("repeats: 3", f"repeats: {MANY}"))
        process = self.start("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE)
        running = [(0,)]
        while running == [(0,)] and process.poll() is None:
            time.sleep(0.05)
            with contextlib.suppress(sqlite3.Error):
                running = self.rows("SELECT count(*) FROM trial WHERE state = 'running'")
        workers = self.workers_of(process)
        process.kill()
        process.communicate()
        self.wait_for(lambda: not any(os.path.exists(f"/proc/{worker}") for worker in workers))
        self.sweep()
        self.check_each_trial_once(TRIALS // 2)


class Caching(GpuTest):
    """Machine code in the cache: reused, and checked before use."""

    def setUp(self):
        super().setUp()
        if not ON_GPU:
            self.skipTest("the simulator's cache: tests/cli")
        self.cache = {"MLMQ_CACHE": self.path("cache")}
        self.first = self.solve_here("road10", "--config", "threads=64", environment=self.cache)

    def variants(self):
        return sorted(glob.glob(self.path("cache/cuda/*.cubin")))

    def again(self):
        return self.solve_here("road10", "--config", "threads=64", environment=self.cache)

    def test_used_again(self):
        self.assertRegex(self.first, r"kernel +\d+ ms to compile")
        self.assertRegex(self.again(), r"kernel +\d+ ms to load from the cache")

    def test_damaged(self):
        """A truncated, zeroed, altered or empty cache file is compiled again, and the answer is right."""
        def truncate(data):
            return data[: len(data) // 2]

        def zero(data):
            return bytes(len(data))

        def flip(data):
            middle = len(data) // 2
            return data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1:]

        for damage in (truncate, zero, flip, lambda data: b""):
            for file in self.variants():
                with open(file, "rb") as opened:
                    data = opened.read()
                with open(file, "wb") as opened:
                    opened.write(damage(data))
            self.assertRegex(self.again(), r"kernel +\d+ ms to compile")
            self.assertRegex(self.again(), r"kernel +\d+ ms to load from the cache")


class Shipped(GpuTest):
    """Machine code that is shipped with the program."""

    def setUp(self):
        super().setUp()
        if not ON_GPU:
            self.skipTest("the simulator compiles for this machine")
        report = self.succeed("doctor")
        self.architecture = re.search(rf"{DEVICE}: .*?, (sm_\d+),", report).group(1)
        if "compiler: NVRTC cannot" in report:
            self.skipTest("no NVRTC on this machine, with which to make what is shipped")
        self.cache = {"MLMQ_CACHE": self.path("cache")}
        self.without = {**self.cache, "MLMQ_MACHINE_CODE": self.path("shipped"),
                        "MLMQ_NVRTC": "/nonexistent/libnvrtc.so"}

    def fill(self, *only):
        words = [word for name in only for word in ("--only", name)]
        self.succeed("cache", "fill", "--architectures", self.architecture, "--output", self.path("shipped"), *words,
                     environment={"MLMQ_CACHE": self.path("cache of the builder")})

    def test_first_searches_compile_nothing(self):
        """With an empty cache and no NVRTC, the selector chooses and every kernel that a search needs is shipped."""
        self.fill("sssp", "bfs", "push_pull", "reverse_rows", "features", "ell_rows", "finish_distances",
                  "compare_words")
        for graph in ("road12", "rmat12", "del12"):
            for problem in ("sssp", "bfs"):
                out = self.solve_here(graph, "--problem", problem, environment=self.without)
                self.assertRegex(out, r"kernel +\d+ ms to load")
                self.assertIn("every distance is right", out)
        self.assertEqual(glob.glob(self.path("cache/cuda/*.cubin")), [])

    def test_rules_need_their_kernels(self):
        """A rule's suggestion without a shipped kernel is skipped in favour of the selector's choice."""
        self.fill("bfs", "features", "ell_rows", "finish_distances", "compare_words")
        out = self.solve_here("rmat12", "--problem", "bfs", environment=self.without)
        self.assertNotIn("push_pull", out)
        self.assertIn("every distance is right", out)

    def test_what_is_not_shipped(self):
        self.fill("ell_rows")
        self.refuse("solve", "road8", "--device", DEVICE, "--config", "threads=64", says="nor shipped with the program",
                    code=1, environment=self.without)

    def test_damaged(self):
        """Without shipped kernels, a compiler compiles them."""
        self.fill("ell_rows", "finish_distances")
        with open(self.path(f"shipped/{self.architecture}.kernels"), "r+b") as stored:
            stored.write(b"damaged")
        out = self.solve_here("road8", "--config", "threads=64",
                              environment={**self.cache, "MLMQ_MACHINE_CODE": self.path("shipped")})
        self.assertRegex(out, r"kernel +\d+ ms to compile")


class Sanitizers(GpuTest):
    """compute-sanitizer reports no error in searches. One test per tool."""

    CONFIGURATIONS = (
        "l0=none,l1=none,l2=vector,threads=64",
        "l0=vector,l1=vector,l2=bucket,threads=64,ell_width=4",
        "l1=vector,l1_sharing=block,l2=bucket,threads=128,split_degree=16",
        "l1=near_far,l2=heap,threads=64",
        "l1=filter,l2=multi_heap,threads=64,ell_overflow=queued,ell_width=2",
        "l1=slf,l2=vector,threads=96",
        "solver=near_far,threads=128",
        "solver=adds,threads=128",
        "l1=vector,l2=bucket,threads=64,delta_mode=adaptive",
        "solver=partitioned,threads=128,parts=3",
        "solver=partitioned,threads=128,parts=3,part_work=groups,part_order=window",
        "solver=partitioned,threads=128,parts=3,part_work=pulled_groups",
        "solver=near_pull,threads=128",
        "solver=near_pull,threads=64,pull_share=1048576,near_limit=0.1",
    )
    LEVELS = ("solver=push_pull,threads=128", "solver=push_pull,threads=64,pull_edges=0,one_block_graph=0,one_block=0")

    def check_with(self, tool, *options, environment=None):
        if not ON_GPU:
            self.skipTest("not for the simulator, which checks by itself")
        program = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
        if not os.path.exists(program):
            self.skipTest("no compute-sanitizer on this machine")
        running = []
        for graph in ("road6", "rmat6"):
            for label in (*self.CONFIGURATIONS, *self.LEVELS):
                # A lock orders the accesses to a block's queue. racecheck knows no locks; the simulator's race detector
                # does.
                if tool == "racecheck" and "l1_sharing=block" in label:
                    continue
                command = [program, "--tool", tool, *options, "--error-exitcode", "9", program_test.PROGRAM, "solve",
                           graph, "--device", DEVICE, "--config", label, "--check",
                           "--problem", "bfs" if label in self.LEVELS else "sssp"]
                running.append((command, subprocess.Popen(
                    command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, "MLMQ_CACHE": program_test.CACHE, **(environment or {})})))
                # Run one process per processor, but at most 8: their contexts must not fill the GPU.
                while sum(process.poll() is None for _, process in running) >= min(8, os.cpu_count() or 1):
                    time.sleep(0.05)
        for command, process in running:
            output = process.communicate(timeout=TIME_LIMIT_S)[0].decode(errors="replace")
            self.assertEqual(process.returncode, 0, f"{' '.join(command)}\n{output[-4000:]}")
            self.assertIn("every distance is right", output)
            self.assertRegex(output, r"ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards")
        print(f"{tool}: {len(running)} searches, nothing found")

    def test_memcheck(self):
        self.check_with("memcheck")

    def test_racecheck(self):
        # Variants whose synchronisation racecheck understands: kernels/simt/cuda.cuh.
        self.check_with("racecheck", environment={"MLMQ_RACECHECK": "1"})

    def test_synccheck(self):
        self.check_with("synccheck")


def main():
    if len(sys.argv) > 1 and ON_GPU:
        doctor = subprocess.run([sys.argv[1], "doctor"], stdout=subprocess.PIPE, check=False).stdout.decode()
        if not re.search(r"^cuda +usable", doctor, flags=re.MULTILINE):
            print("skipped: no usable GPU")
            sys.exit(77)
    program_test.main()


if __name__ == "__main__":
    main()
