# SPDX-License-Identifier: Apache-2.0
"""'problem: kernel': kernels in plain CUDA C++, tuned on the simulator."""

import contextlib
import csv
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "cli"))

import program_test  # noqa: E402
from program_test import ProgramTest, main  # noqa: E402

EXAMPLES = os.path.join(os.path.dirname(TESTS), "experiments", "kernels")

SOURCE = """\
__global__ void twice(int* b, const int* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if variant == 1
  if (i < n) b[i] = a[i] + 1;
#elif variant == 2
  if (i < n) b[i] = a[i] * no_such_name;
#elif variant == 3
  if (i <= n) b[i] = 2 * a[i];
#elif variant == 4
  for (volatile int wait = 0; wait < 1; ) {}
#else
  if (i < n) b[i] = 2 * a[i];
#endif
}

__global__ void twice_reference(int* b, const int* a, int n) {
  for (int i = 0; i < n; ++i) b[i] = a[i] + a[i];
}
"""
EXPERIMENT = """\
name: twice
problem: kernel
kernel:
  source: twice.cu
  function: twice
  block: threads
  grid: ceil(n / threads)
  arguments:
    - {name: b, type: int, size: n, role: out}
    - {name: a, type: int, size: n, fill: random}
    - {name: n, type: int, value: n}
  reference: {function: twice_reference, block: 1, grid: 1, defines: {variant: 0}}
  work: {name: MB, amount: 8 * n / 1e6}
parameters:
  threads: [32, 64]
  variant: [0]
workloads:
  - {n: [100, 200]}
measurement: {warmup: 0, repeats: 2, counters: false, time_limit_ms: 1000}
"""


METRICS = """\
metrics:
  GB/s: 8 * n / (time_ms * 1e6)
  threads per ms: threads / time_ms
  MB again: MB
  occupied: 100 * occupancy
  never: registers + 1
"""


class LaunchTest(ProgramTest):
    def check_launches(self, database, name):
        """Checks that the exported header computes the launches of the exported document."""
        self.succeed("db", "export", database, "--format", "launches", "--output", "launches/")
        best = json.loads(self.read(f"launches/{name}_launches.json"))["best"]
        functions = [launch["function"].split("<")[0] for launch in best[0]["launches"]]
        self.write("print.cpp", f"""\
#include "launches/{name}_launches.hpp"
#include <cstdio>
using namespace {name}_launches;
int main() {{
  for (const best_configuration& entry : best) {{
    if (find(entry.size) == nullptr || find(entry.size, "no such device") != nullptr) return 1;
    for (const char* option : entry.options) std::printf("%s\\n", option);
    int position = 0;
    for (const launch& made : {{{", ".join(f"launch_{f}(entry.chosen, entry.size)" for f in functions)}}}) {{
      std::printf("%s %u %u %u %u %u %u %u %u %u %zu %d\\n", entry.functions[position++], made.grid[0], made.grid[1],
                  made.grid[2], made.block[0], made.block[1], made.block[2], made.cluster[0], made.cluster[1],
                  made.cluster[2], made.shared_memory, made.cooperative);
    }}
  }}
}}
""")
        subprocess.run(["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-o", "print", "print.cpp"], check=True,
                       cwd=self.folder)
        lines = []
        for entry in best:
            lines += entry["options"]
            for launch in entry["launches"]:
                numbers = launch["grid"] + launch["block"] + launch["cluster"] + [int(launch["shared_memory"])]
                lines.append(" ".join(map(str, [launch["function"], *numbers, int(launch["cooperative"])])))
        printed = subprocess.run(["./print"], check=True, cwd=self.folder, stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(printed.splitlines(), lines)
        return best


class Kernel(LaunchTest):
    def setUp(self):
        super().setUp()
        self.write("twice.cu", SOURCE)
        self.write("twice.yaml", EXPERIMENT)

    def outcomes(self, database):
        with contextlib.closing(sqlite3.connect(self.path(database))) as opened:
            return opened.execute("SELECT json_extract(c.parameters, '$.variant'), t.outcome, t.message FROM trial t "
                                  "JOIN configuration c ON c.id = t.configuration").fetchall()

    def test_a_sweep_of_a_kernel_that_is_not_compiled_in(self):
        output = self.sweeps("twice.yaml", "--db", "r.sqlite")
        self.assertIn("4 of 4 trials done", output)
        self.assertEqual({outcome for _, outcome, _ in self.outcomes("r.sqlite")}, {"ok"})
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as opened:
            self.assertEqual(opened.execute("SELECT DISTINCT problem FROM configuration").fetchall(),
                             [("kernel:twice",)])
            self.assertEqual(sorted(opened.execute("SELECT name FROM workload").fetchall()), [("n=100",), ("n=200",)])
        # A second run has nothing to do; a changed comment is no change of the code, a changed statement is one.
        self.assertIn("0 in this run", self.sweeps("twice.yaml", "--db", "r.sqlite"))
        self.write("twice.cu", "// A comment.\n" + SOURCE)
        self.assertIn("0 in this run", self.sweeps("twice.yaml", "--db", "r.sqlite"))
        self.write("twice.cu", SOURCE.replace("2 * a[i]", "a[i] * 2"))
        self.assertIn("4 of 4 trials done, 4 in this run", self.sweeps("twice.yaml", "--db", "r.sqlite"))

    def test_wrong_hanging_and_broken_configurations_cost_one_trial_each(self):
        self.write("twice.yaml", EXPERIMENT.replace("variant: [0]", "variant: [1, 2, 3, 4, 0]")
                   .replace("threads: [32, 64]", "threads: [64]").replace("n: [100, 200]", "n: 128"))
        code, output, errors = self.run_program("sweep", "twice.yaml", "--db", "r.sqlite", "--device", self.simulated)
        self.assertEqual(code, 0, errors)
        results = {variant: (outcome, message) for variant, outcome, message in self.outcomes("r.sqlite")}
        # Variant 3 stays within bounds, since there are as many threads as elements.
        self.assertEqual({variant: outcome for variant, (outcome, _) in results.items()},
                         {0: "ok", 1: "wrong_answer", 2: "compile_error", 3: "ok", 4: "timeout"}, results)
        self.assertIn("numbers are wrong", results[1][1])
        self.assertIn("no_such_name", results[2][1])
        self.assertIn("twice.cu:6", results[2][1])

    def test_faults_of_the_machine_are_no_results(self):
        # Each compiler fails once; the sweep stops with its reason, and continues when it works again.
        for fault, message in (("kill -9 $$", "the compiler was ended by signal 9 (Killed)"),
                               ("echo 'g++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1",
                                "Killed signal terminated program cc1plus"),
                               ("echo 'x.cu:3: fatal error: error writing to /x.s: No space left on device'; exit 1",
                                "No space left on device"),
                               ("echo 'cc1plus: out of memory allocating 65536 bytes' >&2; exit 1", "out of memory"),
                               ("echo 'g++: fatal error: cannot execute as: vfork: Cannot allocate memory'; exit 1",
                                "Cannot allocate memory")):
            with self.subTest(fault), tempfile.TemporaryDirectory() as folder:
                self.write("broken", "#!/bin/sh\ncase \"$*\" in *-dumpfullversion*|*' -shared '*.cpp) "
                           f"exec g++ \"$@\";; esac\n{fault}\n")
                os.chmod(self.path("broken"), 0o755)
                sweep = ("sweep", "twice.yaml", "--db", f"{folder}/r.sqlite", "--device", self.simulated)
                self.refuse(*sweep, says=message, code=1,
                            environment={"CXX": self.path("broken"), "MLMQ_CACHE": f"{folder}/cache"})
                self.assertIn("4 of 4 trials done, 4 in this run", self.succeed(*sweep))
        # These are the source's own.
        self.write("twice.yaml", EXPERIMENT.replace("variant: [0]", "variant: [2, 5, 6, 0]"))
        self.write("twice.cu", "#if variant == 5\n#error x: No space left on device\n#elif variant == 6\n"
                   "static_assert(false, \"x: No space left on device\");\n#endif\n" + SOURCE)
        self.sweeps("twice.yaml", "--db", "r.sqlite")
        self.assertEqual({variant: outcome for variant, outcome, _ in self.outcomes("r.sqlite")},
                         {0: "ok", 2: "compile_error", 5: "compile_error", 6: "compile_error"})

    def test_a_source_that_the_compiler_never_finishes_has_limits(self):
        self.write("twice.yaml", EXPERIMENT.replace("variant: [0]", "variant: [0, 5]").replace("[32, 64]", "[32]")
                   .replace("[100, 200]", "[100]"))
        self.write("twice.cu", "#if variant == 5\n#include \"/dev/zero\"\n#endif\n" + SOURCE)
        self.sweeps("twice.yaml", "--db", "r.sqlite")
        results = {variant: (outcome, message) for variant, outcome, message in self.outcomes("r.sqlite")}
        self.assertEqual(results[0][0], "ok")
        self.assertEqual(results[5][0], "compile_error")
        self.assertIn("the compiler needs more than", results[5][1])

    def test_an_access_out_of_bounds_is_found(self):
        self.write("twice.yaml", EXPERIMENT.replace("variant: [0]", "variant: [3]"))
        self.run_program("sweep", "twice.yaml", "--db", "r.sqlite", "--device", self.simulated)
        for _, outcome, message in self.outcomes("r.sqlite"):
            self.assertEqual(outcome, "crashed")
            self.assertIn("twice.cu:8", message)

    def test_a_scalar_that_its_type_cannot_hold(self):
        self.write("twice.yaml", EXPERIMENT.replace("type: int, value: n", "type: unsigned char, value: 3 * n"))
        self.run_program("sweep", "twice.yaml", "--db", "r.sqlite", "--device", self.simulated)
        for _, outcome, message in self.outcomes("r.sqlite"):
            self.assertEqual(outcome, "constraint")
            self.assertRegex(message, r"twice.yaml:11: '3 \* n' is [36]00, which unsigned char cannot hold")

    def query(self, sql, database="r.sqlite"):
        with contextlib.closing(sqlite3.connect(self.path(database))) as opened:
            return opened.execute(sql).fetchall()

    def test_metrics_are_formulas_over_what_is_on_record(self):
        self.write("twice.yaml", EXPERIMENT + METRICS)
        self.sweeps("twice.yaml", "--db", "r.sqlite")
        rows = self.query("SELECT workload, json_extract(parameters, '$.threads'), median_ms, metrics, occupancy, "
                          "shared_bytes, registers FROM result")
        self.assertEqual(len(rows), 4)
        for workload, threads, median, metrics, occupancy, shared, registers in rows:
            n = int(workload.split("=")[1])
            # A simulated device has no registers, so a metric that mentions them is absent.
            expected = {"GB/s": 8 * n / (median * 1e6), "threads per ms": threads / median, "MB again": 8 * n / 1e6,
                        "occupied": 100 * occupancy}
            computed = json.loads(metrics)
            self.assertEqual(set(computed), set(expected))
            for name, value in expected.items():
                self.assertAlmostEqual(computed[name] / value, 1, places=12)
            self.assertTrue(0 < occupancy <= 1)
            self.assertEqual((shared, registers), (0, None))
        self.assertRegex(self.succeed("db", "status", "r.sqlite"), r"GB/s +MB again +occupied +threads per ms")
        best = json.loads(self.succeed("db", "status", "r.sqlite", "--format", "json"))["best"][0]
        self.assertEqual(best["metrics"]["MB again"], 0.0008)
        self.assertIn("metric.GB/s", self.succeed("db", "export", "r.sqlite").splitlines()[0])
        self.assertIn('"GB/s"', self.succeed("db", "export", "r.sqlite", "--format", "t4", "--output", "t4/"
                                             ) and self.read("t4/" + os.listdir(self.path("t4"))[0]).decode())

    def test_changed_metrics_are_computed_without_measuring_again(self):
        self.sweeps("twice.yaml", "--db", "r.sqlite")
        self.assertEqual(self.query("SELECT count(*) FROM metric"), [(0,)])
        self.write("twice.yaml", EXPERIMENT + METRICS)
        self.assertIn("0 in this run", self.sweeps("twice.yaml", "--db", "r.sqlite"))
        self.assertEqual(self.query("SELECT count(*) FROM metric"), [(16,)])
        self.write("twice.yaml", EXPERIMENT + "metrics: {GB/s: 2 * n}\n")
        self.sweeps("twice.yaml", "--db", "r.sqlite")
        self.assertEqual(self.query("SELECT DISTINCT name, value FROM metric ORDER BY value"),
                         [("GB/s", 200), ("GB/s", 400)])
        self.succeed("db", "merge", "merged.sqlite", "r.sqlite")
        merged = self.path("merged.sqlite")
        with contextlib.closing(sqlite3.connect(merged)) as opened:
            self.assertEqual(opened.execute("SELECT sum(value) FROM metric").fetchall(), [(1200,)])
            self.assertEqual(opened.execute("SELECT DISTINCT name FROM kernel_function").fetchall(), [("twice",)])
        self.write("twice.yaml", EXPERIMENT + "metrics:\n  GB/s: 8 * m / time_ms\n")
        self.refuse("sweep", "twice.yaml", "--db", "r.sqlite", "--device", self.simulated,
                    says=("twice.yaml:21: in '8 * m / time_ms' at 5", "unknown name 'm'"))

    def test_objectives_other_than_time(self):
        space = EXPERIMENT.replace("threads: [32, 64]", "threads: [32, 64, 96, 128]").replace(
            "n: [100, 200]", "n: 200").replace("  grid:", "  shared_memory: 4096 // threads\n  grid:")
        several = ("metrics: {wide: threads, distance: abs(threads - 96)}\n"
                   "objective: [{maximize: wide}, {minimize: distance}, {minimize: shared_bytes}]\n")
        self.write("twice.yaml", space + several)
        output = self.sweeps("twice.yaml", "--db", "r.sqlite")
        self.assertIn("4 of 4 trials done", output)
        status = self.succeed("db", "status", "r.sqlite")
        self.assertRegex(status, r"threads=128\S* .* wide ")
        front = status[status.index("Pareto front of twice"):]
        self.assertEqual(re.findall(r"threads=\d+", front), ["threads=128", "threads=96"])
        best = json.loads(self.succeed("db", "status", "r.sqlite", "--format", "json"))["best"]
        self.assertEqual([(entry["best_by"], entry["metrics"]["wide"]) for entry in best], [("wide", 128)])
        launches = self.check_launches("r.sqlite", "twice")
        self.assertEqual([entry["parameters"]["threads"] for entry in launches], [128])
        self.succeed("db", "export", "r.sqlite", "--experiment", "twice", "--format", "t4", "--output", "t4/")
        results = json.loads(self.read("t4/" + os.listdir(self.path("t4"))[0]))["results"]
        self.assertEqual(results[0]["objectives"], ["wide", "distance", "shared_bytes"])
        replayed = self.succeed("replay", "r.sqlite", "--seeds", "3", "--budget", "4")
        self.assertIn("best wide 128", replayed)

        # A strategy follows the first one, and resumes by it.
        search = space + "metrics: {distance: abs(threads - 96)}\nobjective: {minimize: distance}\n"
        self.write("twice.yaml", search + "strategy: {name: local, budget: 4, seed: 2}\n")
        self.sweeps("twice.yaml", "--db", "s.sqlite")
        best = json.loads(self.succeed("db", "status", "s.sqlite", "--format", "json"))["best"]
        self.assertEqual([(entry["best_by"], entry["metrics"]["distance"]) for entry in best], [("distance", 0)])
        self.assertIn("0 in this run", self.sweeps("twice.yaml", "--db", "s.sqlite"))

    def test_mistakes_in_objectives(self):
        for objective, message in (("fastest", "expected time, or {minimize: fastest}"),
                                   ("{minimize: time, maximize: MB}", "give either 'minimize' or 'maximize'"),
                                   ("[]", "the list is empty"),
                                   ("[time, {maximize: time}]", "'time' occurs twice"),
                                   ("{maximize: nothing}", "unknown name 'nothing'")):
            self.write("twice.yaml", EXPERIMENT + f"objective: {objective}\n")
            self.refuse("sweep", "twice.yaml", "--db", "x.sqlite", "--device", self.simulated,
                        says=("twice.yaml:20", message))
        self.write("twice.yaml", EXPERIMENT.replace("repeats: 2,", "repeats: 2, finalists: 2,") +
                   "objective: {maximize: MB}\n")
        self.refuse("sweep", "twice.yaml", "--db", "x.sqlite", "--device", self.simulated,
                    says="'finalists' compares times")

    def test_launch_code_of_the_fastest_configurations(self):
        block = "block: [threads // 2, 'min(2, 2 + variant)']"
        self.write("twice.yaml", EXPERIMENT.replace("block: threads", block).replace(
            "  grid: ceil(n / threads)", "  grid: ['max(ceil(n / threads), 1 ^ 2)', 1, (n > 150) + 1]\n"
            "  shared_memory: 8 * (threads - 24)\n  defines: {number: int}"))
        source = SOURCE.replace("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * blockDim.x * blockDim.y + "
                                "threadIdx.y * blockDim.x + threadIdx.x").replace(
                                    "if (i < n)", "if (blockIdx.z == 0 && i < n)")
        self.write("twice.cu", source + "#ifdef number\n#endif\n")
        self.sweeps("twice.yaml", "--db", "r.sqlite")
        best = self.check_launches("r.sqlite", "twice")
        self.assertEqual([entry["sizes"] for entry in best], [{"n": 100}, {"n": 200}])
        self.assertEqual(best[1]["launches"][0]["grid"][2], 2)
        self.assertIn("-Dnumber=int", best[0]["options"])
        self.assertEqual(best[0]["launches"][0]["arguments"], ["b", "a", "n"])
        self.write("s.yaml", program_test.SMALL_SPACE.replace("road6", "road4"))
        self.sweeps("s.yaml", "--db", "s.sqlite")
        self.refuse("db", "export", "s.sqlite", "--format", "launches", says="the problem 'sssp' has no launches")
        self.sweeps("s.yaml", "--db", "r.sqlite")
        self.refuse("db", "export", "r.sqlite", "--format", "launches", says="choose one with --experiment")

    def test_sizes_on_the_command_line(self):
        self.assertIn("2 of 2 trials done", self.sweeps("twice.yaml", "--db", "r.sqlite", "--workloads", "n=50"))
        self.refuse("sweep", "twice.yaml", "--db", "x.sqlite", "--workloads", "m=50", says="unknown size 'm'")
        self.refuse("sweep", "twice.yaml", "--db", "x.sqlite", "--workloads", "n=50,n=60", says="given twice")

    def test_expected_results_from_a_file(self):
        self.write("raw.bin", b"".join(i.to_bytes(4, "little") for i in range(100)))
        self.write("right.bin", b"".join((2 * i).to_bytes(4, "little") for i in range(100)))
        text = EXPERIMENT.replace("fill: random", "file: raw.bin").replace("n: [100, 200]", "n: 100").replace(
            "{function: twice_reference, block: 1, grid: 1, defines: {variant: 0}}", "{files: {b: right.bin}}")
        self.write("twice.yaml", text)
        self.sweeps("twice.yaml", "--db", "r.sqlite")
        self.assertEqual({outcome for _, outcome, _ in self.outcomes("r.sqlite")}, {"ok"})
        self.write("right.bin", b"\1" * 400)
        code, _, errors = self.run_program("sweep", "twice.yaml", "--db", "wrong.sqlite", "--device", self.simulated)
        self.assertEqual(code, 1, errors)
        self.assertEqual({outcome for _, outcome, _ in self.outcomes("wrong.sqlite")}, {"wrong_answer"})
        self.write("twice.yaml", text.replace("right.bin", "short.bin"))
        self.write("short.bin", b"\1")
        code, _, errors = self.run_program("sweep", "twice.yaml", "--db", "x.sqlite", "--device", self.simulated)
        self.assertEqual(code, 2, errors)
        self.assertIn("short.bin: it has 1 bytes, expected 100 numbers of 4 bytes", errors)

    def test_arrays_from_csv_files_named_after_a_size(self):
        self.write("set1.csv", "b,a\n" + "".join(f"{2 * i},{i}\n" for i in range(100)))
        self.write("set2.csv", "b,a\n" + "".join(f"{2 * i + 2},{i + 1}\n" for i in range(100)))
        text = EXPERIMENT.replace("fill: random", "file: set.csv").replace(
            "{n: [100, 200]}", "{n: 100, set: [set1, set2]}").replace(
            "{function: twice_reference, block: 1, grid: 1, defines: {variant: 0}}", "{files: {b: set.csv}}")
        self.write("twice.yaml", text)
        self.assertIn("4 of 4 trials done", self.sweeps("twice.yaml", "--db", "r.sqlite"))
        self.assertEqual(self.query("SELECT DISTINCT outcome FROM trial"), [("ok",)])
        # Other contents are another workload.
        self.write("set2.csv", "b,a\n" + "".join(f"{2 * i + 4},{i + 2}\n" for i in range(100)))
        self.assertIn("2 in this run", self.sweeps("twice.yaml", "--db", "r.sqlite"))

    def test_expected_results_from_a_command(self):
        self.write("twice.py", """\
import json, os, struct
data = os.environ["MLMQ_DATA"]
n = json.load(open(data + "/sizes.json"))["n"]
content = open(data + "/a.npy", "rb").read()
start = 10 + content[8] + 256 * content[9]
assert b"'<i4'" in content[:start] and f"({n},)".encode() in content[:start] and start % 64 == 0, content[:start]
a = struct.unpack(f"<{n}i", content[start:])
with open(data + "/expected/b.npy", "wb") as file:
    file.write(content[:start] + struct.pack(f"<{n}i", *(2 * x for x in a)))
""")
        text = EXPERIMENT.replace("{function: twice_reference, block: 1, grid: 1, defines: {variant: 0}}",
                                  f"{{command: '{sys.executable} twice.py'}}")
        self.write("twice.yaml", text)
        self.sweeps("twice.yaml", "--db", "r.sqlite")
        self.assertEqual(self.query("SELECT outcome, count(*) FROM trial GROUP BY 1"), [("ok", 4)])
        self.write("twice.cu", SOURCE.replace("2 * a[i]", "2 * a[i] + 1"))
        self.run_program("sweep", "twice.yaml", "--db", "r.sqlite", "--device", self.simulated)
        self.assertEqual(self.query("SELECT DISTINCT outcome FROM result"), [("wrong_answer",)])
        code, _, errors = self.run_program("verify", "r.sqlite", "--no-commands")
        self.assertEqual(code, 1)
        self.assertIn("commands are refused (--no-commands)", errors)
        for arguments in (("sweep", "twice.yaml", "--db", "x.sqlite"),
                          ("tune", "--space", "twice.yaml", "--device", self.simulated, "--record", "none")):
            self.refuse(*arguments, "--no-commands", says="commands are refused (--no-commands)")
        self.refuse("sweep", "twice.yaml", "--db", "x.sqlite", says="commands are refused",
                    environment={"MLMQ_NO_COMMANDS": "1"})
        self.assertFalse(os.path.exists(self.path("x.sqlite")))
        for command, message in (("kill -SEGV $$", "was ended by signal 11 (Segmentation fault)"),
                                 ("exit 3", "twice.yaml:3: the reference 'exit 3' ended with exit status 3"),
                                 ("true", "did not write $MLMQ_DATA/expected/b.npy"),
                                 ("cp $MLMQ_DATA/sizes.json $MLMQ_DATA/expected/b.npy", "b.npy: it has")):
            self.write("twice.yaml", text.replace(f"{sys.executable} twice.py", command))
            self.refuse("sweep", "twice.yaml", "--db", "y.sqlite", "--device", self.simulated, says=message)

    def test_restrictions_over_sizes_are_those_of_each_workload(self):
        self.write("twice.cu", SOURCE + "#ifdef vec\n#endif\n")
        self.write("twice.yaml", EXPERIMENT.replace("variant: [0]", "variant: [0]\n  vec: [1, 2, 4]").replace(
            "n: [100, 200]", "n: [128, 96, 7]") + 'restrictions: ["n % (threads * vec) == 0"]\n')
        planned = self.succeed("sweep", "twice.yaml", "--dry-run", "--device", self.simulated)
        self.assertIn("up to 5 configurations for each workload, 6 trials", planned)
        _, output, errors = self.run_program("sweep", "twice.yaml", "--db", "r.sqlite", "--device", self.simulated)
        self.assertIn("6 of 6 trials done", output)
        self.assertIn("n=7: no configuration satisfies the restrictions", errors)
        self.assertEqual(self.query("SELECT DISTINCT workload, count(*), sum(outcome = 'ok') FROM result GROUP BY 1"),
                         [("n=128", 5, 5), ("n=96", 1, 1)])
        self.write("learn.yaml", self.read("twice.yaml").decode().replace("name: twice\n", "name: learn\n").replace(
            "{n: [128, 96, 7]}", "{n: [128, 96]}") + "strategy: {name: local, budget: 4}\n")
        self.succeed("sweep", "learn.yaml", "--db", "l.sqlite", "--device", self.simulated)
        self.assertEqual(self.query("SELECT workload, count(*) FROM result GROUP BY 1", "l.sqlite"),
                         [("n=128", 4), ("n=96", 1)])
        self.write("twice.yaml", EXPERIMENT + 'restrictions: ["n > 1000"]\n')
        self.refuse("sweep", "twice.yaml", "--db", "x.sqlite", "--device", self.simulated,
                    says="no configuration satisfies the restriction 'n > 1000'")

    def test_the_time_of_a_sweep_is_not_quadratic_in_workloads(self):
        def seconds_of(count):
            sizes = ", ".join(map(str, range(1, count + 1)))
            self.write("twice.yaml", EXPERIMENT.replace("100, 200", sizes).replace("[32, 64]", "[32]"))
            before = os.times()
            self.assertIn(f"{count} of {count} trials done", self.sweeps("twice.yaml", "--db", f"r{count}.sqlite"))
            after = os.times()
            return after.children_user + after.children_system - before.children_user - before.children_system

        # Processor time, which other programs hardly change. It was 3.4 times as much.
        self.assertLess(seconds_of(800), 3 * seconds_of(400))

    def test_spaces_beyond_counting(self):
        parameters = "".join(f"\n  p{i}: [0, 1, 2, 3]" for i in range(70))
        self.write("twice.cu", SOURCE + "".join(f"#ifdef p{i}\n#endif\n" for i in range(70)))
        text = EXPERIMENT.replace("variant: [0]", "variant: [0]" + parameters).replace("n: [100, 200]", "n: 100")
        self.write("twice.yaml", text)
        self.refuse("sweep", "twice.yaml", "--db", "r.sqlite", "--device", self.simulated,
                    says="more than 2^63 configurations for 1 query make more than 2^63 trials")
        self.write("twice.yaml", text + "strategy: {name: random, count: 2}\n")
        planned = self.succeed("sweep", "twice.yaml", "--dry-run", "--device", self.simulated)
        self.assertIn("the space has more than 2^63 configurations\n2 configurations, 2 trials", planned)
        self.assertIn("2 of 2 trials done", self.sweeps("twice.yaml", "--db", "r.sqlite"))

    def test_values_with_commas_and_blanks(self):
        self.write("twice.cu", "template <int a, int b> struct tile { enum { x = a }; };\n" + SOURCE.replace(
            "b[i] = 2 * a[i]", "b[i] = shape::x * static_cast<number>(a[i])"))
        shapes = ["tile<2,8>", "tile<2, 16>"]
        self.write("twice.yaml", EXPERIMENT.replace(
            "variant: [0]", f"variant: [0]\n  shape: {json.dumps(shapes)}\n  number: [unsigned int, int]"))
        self.assertIn("16 of 16 trials done", self.sweeps("twice.yaml", "--db", "r.sqlite"))
        rows = self.query("SELECT DISTINCT configuration, parameters, outcome FROM result")
        self.assertEqual(len(rows), 8)
        for label, parameters, outcome in rows:
            self.assertEqual(outcome, "ok")
            named = json.loads(parameters)
            number = '"unsigned int"' if named["number"] == "unsigned int" else "int"
            self.assertEqual(label, f'number={number},shape="{named["shape"]}",threads={named["threads"]},variant=0')
        exported = list(csv.DictReader(self.succeed("db", "export", "r.sqlite").splitlines()))
        self.assertEqual({row["parameter.shape"] for row in exported}, set(shapes))

    def test_a_define_cannot_replace_a_parameter(self):
        self.write("twice.yaml", EXPERIMENT.replace("  block: threads", "  defines: {variant: 0}\n  block: threads"))
        self.refuse("sweep", "twice.yaml", "--db", "r.sqlite", "--device", self.simulated,
                    says="twice.yaml:6: 'variant': it is also a parameter")

    def test_an_infinite_expression_is_a_constraint_of_its_configuration(self):
        for text in (EXPERIMENT.replace("grid: ceil(n / threads)", "grid: ceil(n / (threads - 32))"),
                     EXPERIMENT.replace("8 * n / 1e6", "8 * n / (threads - 32)"),
                     EXPERIMENT.replace("int, value: n}", "int, value: n + 0 / (threads - 32)}")):
            self.write("twice.yaml", text.replace("reference: {function: twice_reference, block: 1, grid: 1, "
                                                  "defines: {variant: 0}}", "reference: none"))
            self.run_program("sweep", "twice.yaml", "--db", "r.sqlite", "--device", self.simulated)
            outcomes = self.query("SELECT json_extract(parameters, '$.threads'), outcome FROM result ORDER BY 1, 2")
            self.assertEqual(outcomes, [(32, "constraint"), (32, "constraint"), (64, "ok"), (64, "ok")])
            os.remove(self.path("r.sqlite"))

    def test_what_a_first_file_lacks_is_in_comments_with_its_text(self):
        self.write("a.cu", """\
#include <cuda_fp16.h>
#include "types.h"
typedef unsigned int count_t;
using real = float;
struct params { float alpha; int m; };
template <typename T, int unroll = 4, bool checks = true>
__global__ __launch_bounds__(256, 2) __attribute__((noinline))
void gemv(real* __restrict__ y,            // result
          const T* __restrict__ A, const std::size_t pitch, count_t rows, float (*box)[16], int& r, void* v,
          const float* const* p, params q, float3 shift, bool flag = false)
{
  if (WIDTH) y[0] = A[0];
}
__global__ void other(int* a);
__global__ void other(int* a) {}
""")
        self.succeed("sweep", "--init", "a.cu", "a.yaml")
        text = self.read("a.yaml").decode()
        for part in ('function: "gemv<float, unroll, checks>"', "{name: y, type: float, size: pitch * rows, role: out}",
                     "{name: A, type: float, size: pitch * rows, fill: random}",
                     "{name: pitch, type: size_t, value: pitch}",
                     "{name: rows, type: unsigned, value: rows}", "# TODO: the argument 'float(* box)[16]'",
                     "# TODO: the argument 'int& r'", "# TODO: the argument 'void* v'",
                     "# TODO: the argument 'const float* const* p'", "{name: q, type: params, value: 1}  # TODO: ",
                     "{name: shift, type: float3, value: 1}", "{name: flag, type: bool, value: 1}", "WIDTH: [1, 2, 4]",
                     "checks: {values: [true, false], bind: launch}", "# TODO: the kernel other is not described here",
                     "# TODO: types, macros and kernels in types.h are not described here"):
            self.assertIn(part, text)
        self.write("long.cu", "__global__ /*" + " " * 150000 + "*/ void k(" +
                   ", ".join(f"int a{i}" for i in range(3000)) + ", float* b) {}\n" + "_" * 500000 + "\n")
        self.succeed("sweep", "--init", "long.cu", "long.yaml")
        self.assertIn("{name: a2999, type: int, value: a2999}", self.read("long.yaml").decode())

    def test_a_first_file_from_the_source(self):
        self.write("add.cu", """\
#ifndef ITEMS
#define ITEMS 1
#endif
__constant__ float weights[4];
/* __global__ void other(int x) */
template <typename T, int block_threads>
__global__ void __launch_bounds__(1024) add(T* __restrict__ c, const T* a, const T *b, int n, float scale) {
  for (int item = 0; item < ITEMS; ++item) {
    const int i = (blockIdx.x * ITEMS + item) * block_threads + threadIdx.x;
    if (i < n) c[i] = scale * a[i] * weights[0] + b[i];
  }
}
""")
        self.assertIn("check the lines marked with TODO", self.succeed("sweep", "--init", "add.cu", "add.yaml"))
        text = self.read("add.yaml").decode()
        for part in ('function: "add<float, block_threads>"', "block: block_threads", "ITEMS: [1, 2, 4]",
                     "{name: c, type: float, size: n, role: out}", "{name: a, type: float, size: n, fill: random}",
                     "{name: n, type: int, value: n}", "{name: scale, type: float, value: 1}", "TODO",
                     "{name: weights, type: float, size: 4, fill: random}",
                     "block_threads: {values: [64, 128, 256], bind: launch}"):
            self.assertIn(part, text)
        code, _, errors = self.run_program("sweep", "add.yaml", "--db", "r.sqlite", "--workloads", "n=300", "--device",
                                           self.simulated)
        self.assertEqual((code, program_test.without_progress(errors)),
                         (0, "mlmq: note: n=300: results are not checked: 'reference' is 'none'\n"))
        self.assertEqual(self.query("SELECT outcome, count(*) FROM trial GROUP BY 1"), [("ok", 9)])
        self.refuse("sweep", "--init", "add.cu", "add.yaml", says="add.yaml: already exists")
        self.write("none.cu", "int main() {}\n")
        self.refuse("sweep", "--init", "none.cu", "none.yaml", says="none.cu: it has no function of the form")
        # Every example gives a file that is read without an error.
        for name in sorted(os.listdir(EXAMPLES)):
            if name.endswith(".cu"):
                self.succeed("sweep", "--init", os.path.join(EXAMPLES, name), f"first_{name}.yaml")
                self.succeed("sweep", f"first_{name}.yaml", "--dry-run", "--device", self.simulated)

    def test_structures_and_units_in_the_last_place(self):
        self.write("twice.cu", """\
struct item { int key; double value; };
__global__ void twice(item* b, float* c, const item* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  b[i] = a[i];
  c[i] = __int_as_float(__float_as_int(1.0f) + steps * (i % 2));
}
__global__ void reference(item* b, float* c, const item* a, int n) {
  for (int i = 0; i < n; ++i) {
    b[i] = a[i];
    c[i] = 1;
  }
}
""")
        self.write("twice.yaml", EXPERIMENT.replace("twice_reference", "reference").replace(
            "{name: b, type: int, size: n, role: out}\n    - {name: a, type: int, size: n, fill: random}",
            "{name: b, type: bytes(16), size: n, role: out}\n    - {name: c, type: float, size: n, role: out, "
            "tolerance: {ulp: 3}}\n    - {name: a, type: bytes(16), size: n, fill: random, maximum: 256}").replace(
                "defines: {variant: 0}", "defines: {steps: 0}").replace("variant: [0]", "steps: [0, 3, 4, -3, -4]"))
        self.run_program("sweep", "twice.yaml", "--db", "r.sqlite", "--device", self.simulated)
        outcomes = dict(self.query("SELECT DISTINCT json_extract(parameters, '$.steps'), outcome FROM result"))
        self.assertEqual(outcomes, {0: "ok", 3: "ok", -3: "ok", 4: "wrong_answer", -4: "wrong_answer"})

    def test_a_reference_in_another_file_needs_no_symbols(self):
        self.write("twice.cu", "__constant__ int two[1];\n" + SOURCE.replace("2 * a[i]", "two[0] * a[i]"))
        self.write("right.cu", "__global__ void right(int* b, const int* a, int n) {\n"
                               "  for (int i = 0; i < n; ++i) b[i] = a[i] + a[i];\n}\n")
        text = EXPERIMENT.replace("function: twice_reference", "source: right.cu, function: right")
        symbols = "  symbols: [{name: two, type: int, size: 1, fill: random, minimum: 2, maximum: 3}]\n"
        self.write("twice.yaml", text.replace("  reference:", symbols + "  reference:"))
        self.assertIn("4 of 4 trials done", self.sweeps("twice.yaml", "--db", "r.sqlite"))

    def test_a_variable_named_like_a_parameter_is_explained(self):
        self.write("twice.cu", SOURCE.replace("  const int i =", "  const int threads = blockDim.x;\n  const int i ="))
        self.run_program("sweep", "twice.yaml", "--db", "r.sqlite", "--device", self.simulated)
        for _, outcome, message in self.outcomes("r.sqlite"):
            self.assertEqual(outcome, "compile_error")
            self.assertTrue(message.startswith("twice.cu declares 'threads', which is also a parameter"), message)

    def test_recorded_trials_are_repeated(self):
        self.sweeps("twice.yaml", "--db", "r.sqlite")
        output = self.succeed("verify", "r.sqlite")
        self.assertIn("4 of 4 finished trials run again; wrong answers: 0, different outcomes: 0", output)
        self.write("twice.cu", SOURCE.replace("2 * a[i]", "3 * a[i]"))
        code, output, _ = self.run_program("verify", "r.sqlite")
        self.assertEqual(code, 1, output)
        self.assertIn("wrong_answer", output)

    def test_tuning(self):
        self.write("twice.yaml", EXPERIMENT.replace("n: [100, 200]", "n: [32, 64, 100, 200]"))
        output = self.succeed("tune", "--space", "twice.yaml", "--device", self.simulated, "--folder", "o", "--sample",
                              "0", "--record", "none")
        self.assertIn("8 of 8 trials done", output)
        self.assertIn("Learned from 4 workloads", output)
        stored = json.loads(self.read("o/selector.json").split(b"\n")[0])["about"]
        self.assertEqual(stored["problem"], "kernel:twice")
        self.assertTrue(json.loads(self.read("o/model.json"))["candidates"])

    def test_tuning_shows_metrics_and_follows_the_objective(self):
        self.write("twice.yaml", EXPERIMENT + "metrics: {wide: threads}\nobjective: {maximize: wide}\n")
        output = self.succeed("tune", "--space", "twice.yaml", "--device", self.simulated, "--folder", "o", "--sample",
                              "0", "--record", "none")
        table = output[output.index("best by"):].splitlines()
        self.assertRegex(table[0], r"configuration +median ms +wide$")
        self.assertRegex(table[2], r"^n=100 .* wide +threads=64\S* +\S+ +64$")
        self.assertIn("\n".join(table[1:3]), self.read("o/summary.txt").decode())
        listed = json.loads(self.succeed("tune", "--space", "twice.yaml", "--device", self.simulated, "--folder", "o",
                                         "--sample", "0", "--record", "none", "--format", "json"))["best"]
        self.assertEqual([(row["best_by"], row["metrics"]["wide"]) for row in listed], [("wide", 64)] * 2)
        ranked = self.succeed("db", "query", "--format", "csv", "SELECT value, relative_performance FROM relative "
                              "WHERE objective = 'wide' AND workload = 'n=100' ORDER BY 1", "o/results.sqlite")
        self.assertEqual(ranked.split()[1:], ["32,0.5", "64,1"])

    def test_a_comparison_of_configurations(self):
        self.refuse("compare", "--problem", "kernel", "--device", self.simulated, says="name it with --configurations")
        listed = "configurations: [{threads: 32, variant: 0}, {threads: 64, variant: 0}]\n"
        parameters = "parameters:\n  threads: [32, 64]\n  variant: [0]\n"
        self.assertIn(parameters, EXPERIMENT)
        inner = "  parameters: {threads: [32, 64], variant: [0]}\n"
        self.write("twice.yaml", EXPERIMENT.replace(parameters, inner + listed))
        output = self.succeed("compare", "--problem", "kernel", "--configurations", "twice.yaml", "--device",
                              self.simulated, "--peers", "none")
        self.assertRegex(output, r"n=100 +sizes .* ok, modelled")

    def test_a_kernel_without_its_experiment_file(self):
        self.refuse("selector", "predict", "n=5", "--problem", "kernel", says="no size is known")
        self.refuse("solve", "n=5", "--problem", "kernel", "--device", self.simulated, says="use 'mlmq sweep'")

    def test_mistakes(self):
        sweep = ("sweep", "twice.yaml", "--db", "x.sqlite", "--device", self.simulated)
        for old, new, message in (("source: twice.cu", "source: none.cu", "source: there is no file"),
                                  ("grid: ceil(n / threads)", "grid: ceil(m / threads)", "unknown name 'm'"),
                                  ("type: int, size: n, role", "type: integer, size: n, role", "unknown type"),
                                  ("problem: kernel", "problem: sssp", "the problem 'sssp' takes no key 'kernel'"),
                                  ("- {n: [100, 200]}", "- {generate: road6}", "")):
            self.write("twice.yaml", EXPERIMENT.replace(old, new))
            self.refuse(*sweep, says=message)

    def test_texts_reach_no_shell(self):
        command = "touch planted"
        for old, new in (("function: twice", f"function: twice; {command}"),
                         ("source: twice.cu", f"source: twice.cu;{command}"),
                         ("source: twice.cu", f"source: '|{command}'"),
                         ("function: twice", f"function: twice\n  options: ['; {command}']"),
                         ("function: twice", f"function: twice\n  defines: {{'X; {command}': 1}}")):
            self.write("twice.yaml", EXPERIMENT.replace(old, new, 1))
            self.refuse("sweep", "twice.yaml", "--db", "x.sqlite", "--device", self.simulated)
        options = f"function: twice\n  options: ['-DX=$({command})', '-DY=`{command}`', '-DZ=1;{command}']"
        self.write("twice.yaml", EXPERIMENT.replace("function: twice", options, 1))
        self.succeed("sweep", "twice.yaml", "--db", "x.sqlite", "--device", self.simulated)
        self.assertFalse(os.path.exists(self.path("planted")))


class Examples(LaunchTest):
    def check_example(self, name):
        shutil.copytree(EXAMPLES, self.path("kernels"))
        output = self.succeed("sweep", f"kernels/{name}.yaml", "--db", "r.sqlite", "--device", "simt:1x32")
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as opened:
            outcomes = dict(opened.execute("SELECT outcome, count(*) FROM trial GROUP BY 1").fetchall())
            functions = opened.execute("SELECT DISTINCT name, shared_bytes FROM kernel_function").fetchall()
        self.assertEqual(set(outcomes), {"ok"}, output)
        return functions

    def test_vector_add(self):
        self.check_example("vector_add")

    def test_matmul(self):
        self.check_example("matmul")

    def test_convolution(self):
        self.check_example("convolution")

    def test_transpose(self):
        self.check_example("transpose")

    def test_stencil(self):
        self.check_example("stencil")

    def test_cholesky(self):
        self.check_example("cholesky")

    def test_spmv_with_a_selector_over_matrices(self):
        self.check_example("spmv")
        output = self.succeed("tune", "--space", "kernels/spmv.yaml", "--device", "simt:1x32", "--folder", "o",
                              "--sample", "0", "--record", "r.sqlite")
        self.assertIn("Learned from 4 workloads", output)
        features = json.loads(self.read("o/model.json"))["inputs"]["features"]
        self.assertTrue(features and set(features) <= {"rows", "entries", "longest"}, features)
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as opened:
            self.assertEqual(opened.execute("SELECT count(DISTINCT json_extract(parameters, '$.format')) FROM "
                                            "configuration").fetchall(), [(3,)])

    def test_matrices_are_those_of_the_script(self):
        shutil.copytree(EXAMPLES, self.path("kernels"))
        os.makedirs(self.path("written"))
        script = os.path.join(EXAMPLES, "matrices", "make_matrices.py")
        subprocess.run([sys.executable, "-B", script, self.path("written")], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(len(os.listdir(self.path("written"))), 4)
        for name in os.listdir(self.path("written")):
            self.assertEqual(self.read(f"written/{name}"), self.read(f"kernels/matrices/{name}"))

    def test_examples_are_short(self):
        for name in os.listdir(EXAMPLES):
            if name.endswith(".yaml"):
                with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
                    self.assertLessEqual(len(file.readlines()), 40, name)
                self.assertTrue(hasattr(self, f"test_{name[:-5]}") or name == "spmv.yaml", name)

    def test_histogram(self):
        self.check_example("histogram")

    def test_reduction(self):
        functions = self.check_example("reduction")
        best = self.check_launches("r.sqlite", "add_parts")
        self.assertEqual([launch["function"].split("<")[0] for launch in best[0]["launches"]], ["add_parts", "add_up"])
        self.assertIn(("add_parts<float, 64>", 8), functions)
        self.assertIn(("add_up<int, 128>", 16), functions)


if __name__ == "__main__":
    main()
