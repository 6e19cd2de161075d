# SPDX-License-Identifier: Apache-2.0
"""External programs as contestants of 'mlmq compare --problem phold|astar', and the script that runs GPUPQ. Scripts
stand in for the programs and for nvcc.
"""

import csv
import io
import os
import pathlib
import subprocess
import sys

import program_test  # in this folder

SIMULATOR = """\
import heapq, random, sys
variant, entities, events, rate, lookahead, until, repeat = sys.argv[1], *map(float, sys.argv[2:])
for run in range(int(repeat)):
    random.seed(run)
    times = [int(random.expovariate(rate)) for _ in range(int(entities * events))]
    heapq.heapify(times)
    executed = 0
    while times[0] < (until if variant != 'early' else until / 2):
        time = heapq.heappop(times)
        executed += 1
        heapq.heappush(times, time + int(lookahead) + int(random.expovariate(rate)))
    if variant == 'loses':
        times.pop()
    print('events', executed - (executed // 4 if variant == 'skips' else 0))
    print('end', times[0])
    print('population', len(times))
    print('time_ms', 2.5 + run)
"""

PATHS = """\
import heapq, math, sys
variant, map_file, pairs, lengths, repeat = sys.argv[1:]
rows = open(map_file).read().split('map\\n')[1].split()
def search(x, y, goal):
    best, queue = {(x, y): 0}, [(0, x, y)]
    while queue:
        length, x, y = heapq.heappop(queue)
        if (x, y) == goal:
            return length
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                column, row = x + dx, y + dy
                if 0 <= row < len(rows) and 0 <= column < len(rows[0]) and rows[row][column] == '.':
                    longer = length + math.hypot(dx, dy)
                    if longer < best.get((column, row), math.inf):
                        best[column, row] = longer
                        heapq.heappush(queue, (longer, column, row))
    return -1
found = [search(a, b, (c, d)) for a, b, c, d in (map(int, line.split()) for line in open(pairs))]
if variant == 'detour':
    found = [1.05 * length for length in found]
if variant == 'wrong':
    found[-1] = 3 * found[-1] + 9
if variant == 'short':
    found.pop()
open(lengths, 'w').writelines(f'{length}\\n' for length in found)
for run in range(int(repeat)):
    print('time_ms', 1.5)
"""

PEERS = """\
peers:
  - problem: phold
    device: cpu
    variable: TEST_SIMULATOR
    variants: {good: right, loses: loses, skips: skips, early: early}
    command: [%(python)s, "{program}", "{variant}", "{entities}", "{events}", "{rate}", "{lookahead}", "{until}",
              "{repeat}"]
  - problem: astar
    device: cpu
    variable: TEST_PATHS
    variants: {good: right, detour: detour, wrong: wrong, short: short}
    command: [%(python)s, "{program}", "{variant}", "{map}", "{pairs}", "{lengths}", "{repeat}"]
    corners: cut
    note: it is slow
""" % {"python": sys.executable}

PHOLD = """\
name: phold
problem: phold
configurations: [{solver: cpu_heap}]
workloads: [{generate: phold, entities: 64, events: 4, queries: {until: 400}}]
measurement: {repeats: 2}
"""

ASTAR = """\
name: astar
problem: astar
configurations: [{solver: cpu_astar}]
workloads: [{generate: grid12, queries: {pairs: 40}}]
measurement: {repeats: 2}
"""


class QueuePeers(program_test.ProgramTest):
    def setUp(self):
        super().setUp()
        for name, text in {"simulator.py": SIMULATOR, "paths.py": PATHS, "peers.yaml": PEERS, "phold.yaml": PHOLD,
                           "astar.yaml": ASTAR}.items():
            self.write(name, text)
        os.environ.update(TEST_SIMULATOR=self.path("simulator.py"), TEST_PATHS=self.path("paths.py"))
        self.addCleanup(os.environ.pop, "TEST_SIMULATOR", None)
        self.addCleanup(os.environ.pop, "TEST_PATHS", None)

    def command(self, problem, *more):
        return ("compare", "--problem", problem, "--configurations", f"{problem}.yaml", "--competitors",
                f"{problem}.yaml", "--device", "cpu", "--peers", "peers.yaml", "--db", "r.sqlite", "--quiet", *more)

    def outcomes(self, problem, *more):
        """Returns outcome and time of each contestant, and the notes."""
        code, output, errors = self.run_program(*self.command(problem, "--format", "csv", *more))
        self.assertEqual(code, 0, errors)
        rows = csv.DictReader(io.StringIO(output))
        return {row["contestant"]: (row["outcome"], row["ms"]) for row in rows
                if row["workload"] != "geometric mean"}, errors

    def test_phold(self):
        rows, errors = self.outcomes("phold")
        self.assertEqual(rows["good"], ("ok", "2.5"), errors)
        self.assertEqual([rows[name][0] for name in ("loses", "skips", "early")], ["wrong_answer"] * 3)
        self.assertIn("its queues hold 255 events at the end, expected 256", errors)
        self.assertRegex(errors, r"it executed \d+ events until 4\d\d, expected \d+ to \d+")
        self.assertRegex(errors, r"it stopped at the virtual time 2\d\d, expected 400")
        # Virtual times that such a program cannot count.
        self.write("phold.yaml", PHOLD.replace("until: 400", "until: 400.5"))
        self.assertEqual(self.outcomes("phold")[0]["good"][0], "constraint")

    def test_astar(self):
        rows, errors = self.outcomes("astar")
        self.assertEqual(rows["good"], ("ok", "1.5"), errors)
        self.assertEqual([rows[name][0] for name in ("detour", "wrong", "short")], ["wrong_answer"] * 3)
        self.assertIn("its lengths are off by 5.0 % on average", errors)
        self.assertRegex(errors, r"search 39: its length is [0-9.]+, the shortest one [0-9.]+")
        self.assertIn("39 lengths for 40 searches", errors)
        self.assertIn("good: it is slow", errors)
        self.write("astar.yaml", ASTAR.replace("grid12", "grid12, corners: none"))
        self.assertEqual(self.outcomes("astar")[0]["good"][0], "constraint")

    def test_mistakes(self):
        os.environ["TEST_SIMULATOR"] = "/nowhere"
        self.assertIn("good: skipped: TEST_SIMULATOR is '/nowhere', which does not exist", self.outcomes("phold")[1])
        del os.environ["TEST_SIMULATOR"]
        self.assertIn("good: skipped: the environment variable TEST_SIMULATOR is not set", self.outcomes("phold")[1])
        for old, new, message in [("{entities}", "{entitles}", "did you mean 'entities'?"),
                                  ("problem: phold", "problem: sort",
                                   "expected sssp or bfs or phold or astar or sssp_batch, got 'sort'"),
                                  ("corners: cut", "delta: [1]", "the problem astar does not have it"),
                                  ("variants: {good: right, loses", "name: good\n    variants: {loses",
                                   "an entry has a name or variants, not both"),
                                  (', "{lengths}"', "", "does not use {lengths}"),
                                  ("loses: loses", "good: loses", "good"),
                                  ("corners: cut", "corner: cut", "did you mean 'corners'?")]:
            self.write("peers.yaml", PEERS.replace(old, new, 1))
            self.refuse(*self.command("phold"), says=["peers.yaml", message])


# Prints what GPUPQ prints at the end, for the environment that the script sets.
FAKE_PROGRAM = """#!/bin/sh
case $0 in
  *astar*)
    od -An -tu4 -v -w12 "$PEER_NUMBERS" > "$CALLS"
    echo "obstacles $PEER_OBSTACLES" >> "$CALLS"
    printf '1.5\\n-1\\n' > "$PEER_LENGTHS" ;;
  *) echo "until $PEER_UNTIL events $PEER_EVENTS" > "$CALLS" ;;
esac
echo
echo 'population 512'
echo '        elapsed simulation time: 123'
echo '  Simulation time: 4.50 ms'
echo '  Event handler:   1.00 ms (avg. 2.00 us)'
echo '  Events total:    678 = 6.78e+02'
"""

FAKE_NVCC = """#!/bin/sh
echo "$*" >> "$NVCC_CALLS"
while [ $# -gt 1 ]; do
  [ "$1" = -o ] && cp "$FAKE_PROGRAM" "$2"
  [ "$1" = -c ] && { cp "$2" "$COMPILED/$2"; cp config.h "$COMPILED/config.h"; touch "${2%.cu}.o"; }
  shift
done
"""


class Gpupq(program_test.ProgramTest):
    def setUp(self):
        super().setUp()
        for name in ("GPUPQ/src", "tools", "compiled"):
            os.makedirs(self.path(name))
        sources = {"config.h.phold_heaps": "#define NUM_LPS 8\n", "config.h.a_star_heaps": "#define NUM_LPS 8\n",
                   "config.h.phold_parallel_heap": "", "des.cu": "", "phold.cu": "", "local_heap_queue.cu": "",
                   "a_star.cu": "v = { .f=f, .pred=p,\n  .node=n };\nfound_goal[agent] = true;\n__syncthreads();\n"
                                "if (better_f) { f[entry.y][entry.x] = entry.f; } __syncthreads();\n"}
        for name, text in sources.items():
            self.write(f"GPUPQ/src/{name}", text)
        for name, text in {"tools/nvcc": FAKE_NVCC, "program": FAKE_PROGRAM}.items():
            self.write(name, text)
            os.chmod(self.path(name), 0o755)
        self.write("two.map", "type octile\nheight 2\nwidth 3\nmap\n.@.\n..T\n")
        self.write("two.pairs", "0 0 2 0\n0 1 1 1\n")
        self.environment = {**os.environ, "PATH": self.path("tools") + ":" + os.environ["PATH"],
                            "NVCC_CALLS": self.path("nvcc.txt"), "CALLS": self.path("calls.txt"),
                            "FAKE_PROGRAM": self.path("program"), "COMPILED": self.path("compiled")}

    def run_script(self, *arguments):
        script = pathlib.Path(__file__).resolve().parents[2] / "experiments" / "peers" / "gpupq.py"
        return subprocess.run([sys.executable, "-B", script, *arguments, "--cache", self.path("cache")],
                              env=self.environment, capture_output=True, text=True, check=False)

    def test_phold(self):
        arguments = (self.path("GPUPQ"), "phold", "heaps", "--entities", "64", "--events", "8", "--rate", "0.1",
                     "--lookahead", "10", "--until", "120", "--repeat", "2")
        run = self.run_script(*arguments)
        self.assertEqual(run.stdout.split("\n")[:5], ["population 512", "end 123", "time_ms 4.50", "handler_ms 1.00",
                                                      "events 678"], run.stderr)
        self.assertEqual(run.stdout.count("time_ms"), 2)
        self.assertEqual(self.read("calls.txt"), b"until 120 events 8\n")
        self.assertIn(b"#define NUM_LPS 64\n", self.read("compiled/config.h"))
        # Built once.
        calls = self.read("nvcc.txt")
        self.run_script(*arguments)
        self.assertEqual(self.read("nvcc.txt"), calls)

    def test_astar(self):
        run = self.run_script(self.path("GPUPQ"), "astar", "heaps", "--map", self.path("two.map"), "--pairs",
                              self.path("two.pairs"), "--lengths", self.path("lengths.txt"))
        self.assertIn("time_ms 4.50\n", run.stdout, run.stderr)
        # Obstacles with their side's draw, then the searches, in threes as od prints them.
        self.assertEqual(self.read("calls.txt").split(),
                         b"1 0 2147483647 2 1 2147483647 0 0 2 0 0 1 1 1 obstacles 2".split())
        self.assertEqual(self.read("lengths.txt"), b"1.5\n-1\n")
        self.assertEqual(self.read("compiled/a_star.cu"), b"v = { .f=f, .node=n,\n  .pred=p };\n"
                         b"found_goal[agent] = true; peer_lengths[sg_agent] = __half2float(curr_vertex->f);\n\n"
                         b"if (better_f) { f[entry.y][entry.x] = entry.f; }\n")

    def test_mistakes(self):
        phold = ("--entities", "64", "--events", "8", "--rate", "0.1", "--lookahead", "10", "--until", "120")
        for folder, queue, more, message in [
                ("GPUPQ", "stacks", phold, "there are a_star_heaps, phold_heaps, phold_parallel_heap"),
                ("GPUPQ", "parallel_heap", phold, "the queue 'parallel_heap' cannot be built"),
                ("tools", "heaps", phold, "this is not a clone of GPUPQ"),
                ("GPUPQ", "heaps", phold[:-1] + ("0.5",), "--until must be a whole number")]:
            run = self.run_script(self.path(folder), "phold", queue, *more)
            self.assertEqual(run.returncode, 1)
            self.assertIn(message, run.stderr)
        self.write("GPUPQ/src/a_star.cu", "another version\n")
        run = self.run_script(self.path("GPUPQ"), "astar", "heaps", "--map", self.path("two.map"), "--pairs",
                              self.path("two.pairs"), "--lengths", self.path("lengths.txt"))
        self.assertIn("is this another version?", run.stderr)
        self.write("tools/nvcc", "#!/bin/sh\necho no such architecture\nexit 1\n")
        self.assertIn("no such architecture", self.run_script(self.path("GPUPQ"), "phold", "heaps", *phold).stderr)


if __name__ == "__main__":
    program_test.main()
