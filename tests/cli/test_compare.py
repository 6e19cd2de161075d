# SPDX-License-Identifier: Apache-2.0
"""'mlmq compare' from the user's point of view: contestants of this program on the simulator and on processors; shell
scripts as external programs.
"""

import contextlib
import csv
import io
import json
import os
import re
import signal
import sqlite3
import time

import program_test  # in this folder

OURS = """\
name: short list
problem: sssp
configurations:
  - {l1: vector, l2: bucket, delta: 8, threads: 64}
  - {l1: none, l2: vector, threads: 64}
workloads:
  - {generate: road6, queries: {source: 0}}
  - {generate: del6, queries: {source: 0}}
measurement: {warmup: 1, repeats: 4, time_limit_ms: 5000, seed: 1}
"""

COMPETITORS = """\
name: competitors
problem: sssp
configurations:
  - {solver: near_far, threads: 64}
  - {solver: near_far, threads: 128}
  - {solver: bellman_ford, threads: 64}
  - {solver: delta_stepping, cpu_delta: 4}
  - {solver: delta_stepping, cpu_delta: 16}
  - {solver: dijkstra}
  - {solver: bfs}
workloads: [{generate: road6}]
"""

# Bellman and Ford's algorithm on the edge list, in a language that every system has. The reported times are invented:
# 1.5, 2.5, … ms.
GOOD = """\
#!/bin/sh
graph=$1 source=$2 repeat=$3 threads=$4
echo "$0 $*" >> "$CALLS"
i=0
while [ $i -lt $repeat ]; do i=$((i + 1)); echo "time $i.5 ms"; done
awk -v source=$source '
  { from[NR] = $1; to[NR] = $2; weight[NR] = $3 }
  END {
    distance[source] = 0
    do {
      changed = 0
      for (i = 1; i <= NR; i++) {
        if (!(from[i] in distance)) continue
        candidate = distance[from[i]] + weight[i]
        if (!(to[i] in distance) || candidate < distance[to[i]]) { distance[to[i]] = candidate; changed = 1 }
      }
    } while (changed)
    for (v in distance) { reached++; sum += distance[v]; if (distance[v] > largest) largest = distance[v] }
    printf "reached %d\\nsum %d\\nlargest %d\\nwork %d\\n", reached, sum, largest, 2 * reached
  }' "$graph"
"""

# Also waits for $PAUSE seconds.
SLOW = GOOD.replace("i=0\n", "sleep $PAUSE\ni=0\n", 1)

PEER = """\
  - name: {name}
    device: cpu
    {program}
    command: ["{{program}}", "{{graph}}", "{{source}}", "{{repeat}}", "{{threads}}"]
    format: wel
    time_limit_s: {limit}
    time: {{pattern: 'time ([0-9.]+) ms', unit: ms}}
    work: 'work ([0-9]+)'
    answer: {{reached: 'reached ([0-9]+)', sum: 'sum ([0-9]+)', largest: 'largest ([0-9]+)'}}
"""


class Compare(program_test.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("ours.yaml", OURS)
        self.write("competitors.yaml", COMPETITORS)
        self.entries = []
        os.environ.update(CALLS=self.path("calls.txt"), PAUSE="0")
        self.addCleanup(os.environ.pop, "CALLS")
        self.addCleanup(os.environ.pop, "PAUSE")

    def script(self, name, text):
        self.write(name, text)
        os.chmod(self.path(name), 0o755)

    def peer(self, name, text=None, more="", limit=30, program=None):
        if text is not None:
            self.script(name + ".sh", text)
        self.entries.append(PEER.format(name=name, program=program or f"program: ./{name}.sh", limit=limit) + more)
        self.write("peers.yaml", "peers:\n" + "".join(self.entries))

    def command(self, *more, devices="cpu", peers="peers.yaml"):
        return ("compare", "--configurations", "ours.yaml", "--competitors", "competitors.yaml", "--device", devices,
                "--peers", peers, "--db", "r.sqlite", *more)

    def table(self, *more, **settings):
        """Returns the rows as dictionaries, by workload and contestant, and the remaining output."""
        code, output, errors = self.run_program(*self.command("--format", "csv", *more, **settings))
        self.assertEqual(code, 0, errors)
        rows = list(csv.DictReader(io.StringIO(output)))
        return {(row["workload"], row["class"] if row["workload"] == "geometric mean" else "", row["device"].split()[0],
                 row["contestant"]): row for row in rows}, errors

    def query(self, text):
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            return database.execute(text).fetchall()

    def contestant(self, rows, name, workload="road6"):
        matches = [row for key, row in rows.items() if key[0] == workload and key[3] == name]
        self.assertEqual(len(matches), 1, (name, sorted(rows)))
        return matches[0]

    def test_for_programs(self):
        noted = PEER.format(name="good", program="program: ./good.sh", limit=30) + "    note: counts its sleep\n"
        self.script("good.sh", GOOD)
        self.write("peers.yaml", "peers:\n" + noted)
        arguments = self.command("--workloads", "road6", "--quiet")
        code, output, errors = self.run_program(*arguments, "--format", "json")
        self.assertEqual(code, 0, errors)
        rows = {row["contestant"]: row for row in json.loads(output) if row["workload"] == "road6"}
        self.assertEqual((rows["good"]["outcome"], rows["dijkstra"]["outcome"]), ("ok", "ok"))
        self.assertIn("good: counts its sleep\n", errors)
        # Only the table is printed, with full configurations as in the record.
        code, table, errors = self.run_program(*arguments, "--output", "-")
        self.assertEqual(code, 0, errors)
        self.assertNotIn("counts its sleep", table)
        self.assertIn("counts its sleep", errors)
        _, full, _ = self.run_program(*arguments, "--format", "json", "--verbose")
        labels = {label for label, in self.query("SELECT label FROM configuration")}
        in_full = {row["contestant"]: row["configuration"] for row in json.loads(full) if row["workload"] == "road6"}
        self.assertIn(in_full["delta_stepping"].split(" (best")[0], labels)
        self.assertNotIn(rows["delta_stepping"]["configuration"].split(" (best")[0], labels)

    def test_ids_of_the_file(self):
        """Peers count vertices from 0, whatever ids the file uses; the table and the database have the file's ids."""
        self.peer("good", GOOD)
        self.write("a.wel", "900 7 1\n7 20 2\n20 21 9\n")
        self.write("ours.yaml",
                   OURS[:OURS.index("workloads:")] + "workloads: [{file: a.wel, queries: {source: [900, 20]}}]\n"
                   "measurement: {warmup: 0, repeats: 2, time_limit_ms: 5000, seed: 1}\n")
        code, output, errors = self.run_program(*self.command("--format", "csv"))
        self.assertEqual(code, 0, errors)
        rows = [row for row in csv.DictReader(io.StringIO(output)) if row["contestant"] == "good"]
        self.assertEqual([row["outcome"] for row in rows if row["workload"] == "a"], ["ok", "ok"])
        self.assertEqual({query for query, in self.query("SELECT DISTINCT query FROM trial")},
                         {"source=20", "source=900"})
        # The script is called with the graph and the source.
        self.assertEqual({line.split()[2] for line in self.read("calls.txt").decode().splitlines()}, {"1", "3"})

    def test_ours_and_competitors(self):
        rows, notes = self.table(devices="simt,cpu", peers="none")
        contestants = {key[3] for key in rows if key[0] == "road6"}
        self.assertTrue({"near_far", "bellman_ford", "delta_stepping", "dijkstra"} < contestants, contestants)
        # The shipped selector may choose a configuration of mlmq or a competitor.
        self.assertTrue("mlmq selected = best" in contestants or
                        ("mlmq best" in contestants and any(n.startswith("mlmq selected") for n in contestants)),
                        contestants)
        self.assertNotIn("bfs", contestants)  # it supports only unit weights
        near_far = self.contestant(rows, "near_far")
        self.assertEqual((near_far["outcome"], near_far["runs"]), ("ok, modelled", "4"))
        self.assertTrue(near_far["configuration"].endswith("(best of 2)"))
        self.assertGreaterEqual(float(near_far["pops/vertex"]), 1)
        ours = self.contestant(rows, "mlmq selected = best" if "mlmq selected = best" in contestants else "mlmq best")
        self.assertAlmostEqual(float(near_far["/ best"]), float(near_far["ms"]) / float(ours["ms"]))
        # Modelled and measured times are not compared.
        self.assertEqual(self.contestant(rows, "dijkstra")["/ best"], "")
        self.assertIn("modelled times", notes)
        # The best parameter set is the one with the shortest time in the preceding sweep.
        best = self.query("SELECT configuration FROM result WHERE configuration LIKE '%near_far%' AND workload = "
                          "'road6' AND trial IN (SELECT trial FROM experiment_trial JOIN experiment e ON e.id = "
                          "experiment WHERE e.name = 'compare candidates') ORDER BY median_ms LIMIT 1")[0][0]
        threads = re.search(r"threads=\d+", best).group()
        self.assertIn(threads, near_far["configuration"])
        # There is one mean per class.
        self.assertEqual(self.contestant(
            {key: row for key, row in rows.items() if key[1] == "road"}, "near_far", "geometric mean")["outcome"],
            "1 of 1, modelled")
        # The database has every sample in one experiment, and answers were checked.
        trials = self.query("SELECT t.id, t.outcome, count(s.ordinal) FROM trial t JOIN experiment_trial x ON x.trial "
                            "= t.id JOIN experiment e ON e.id = x.experiment LEFT JOIN sample s ON s.trial = t.id "
                            "WHERE e.name = 'compare' AND t.measurement = 'time' GROUP BY t.id")
        self.assertEqual({(outcome, samples) for _, outcome, samples in trials}, {("ok", 4)})
        self.assertEqual(len(trials), len([key for key in rows if key[0] != "geometric mean"]))
        self.assertEqual(self.query("SELECT count(*) FROM experiment WHERE name = 'compare'"), [(1,)])
        # The second run measures nothing.
        before = self.query("SELECT id, finished_at FROM trial ORDER BY id")
        again, _ = self.table(devices="simt,cpu", peers="none")
        self.assertEqual((again, before), (rows, self.query("SELECT id, finished_at FROM trial ORDER BY id")))

    def test_better_configuration_on_record(self):
        # The best configurations of a sweep with this workload and device join the short list.
        self.write("ours.yaml", OURS.replace("  - {l1: vector, l2: bucket, delta: 8, threads: 64}\n", "").replace(
            "  - {generate: del6, queries: {source: 0}}\n", ""))
        # This is faster than the program's default configuration, which is compared too.
        self.write("sweep.yaml",
                   OURS.replace("delta: 8, threads: 64", "delta: 8, threads: 64, ell_width: 4, read_first: false")
                   .replace("  - {generate: del6, queries: {source: 0}}\n", ""))
        self.succeed("sweep", "sweep.yaml", "--db", "r.sqlite", "--device", "simt")
        best = self.query("SELECT configuration FROM relative WHERE relative_performance = 1")[0][0]
        rows, _ = self.table(devices="simt", peers="none")
        labels = self.query("SELECT DISTINCT c.label FROM configuration c JOIN trial t ON t.configuration = c.id JOIN "
                            "experiment_trial x ON x.trial = t.id JOIN experiment e ON e.id = x.experiment WHERE "
                            "e.name = 'compare'")
        self.assertIn((best,), labels)

    def test_peers(self):
        self.peer("good", GOOD, "    warmup: 1\n")
        self.peer("twice", GOOD, "    turns: 2\n")
        self.peer("absent")
        self.peer("unset", program="variable: MLMQ_PEER_OF_TEST")
        self.peer("hanging", "#!/bin/sh\necho hello\nsleep 60\n", limit=1)
        self.peer("crashing", "#!/bin/sh\necho bad luck >&2\nkill -ABRT $$\n")
        self.peer("wrong", GOOD.replace("sum %d", "sum 1%d"))
        self.peer("garbage", "#!/bin/sh\nhead -c 5000 /dev/urandom\n")
        rows, notes = self.table("--workloads", "road6")
        good = self.contestant(rows, "good")
        self.assertEqual((good["outcome"], good["ms"], good["runs"], good["pops/vertex"]), ("ok", "2.5", "4", "2"))
        twice = self.contestant(rows, "twice")
        self.assertEqual((twice["outcome"], twice["ms"], twice["runs"]), ("ok", "2", "4"))
        self.assertEqual([self.contestant(rows, name)["outcome"] for name in ("hanging", "crashing", "wrong",
                                                                              "garbage")],
                         ["timeout", "crashed", "wrong_answer", "launch_error"])
        for name in ("hanging", "crashing", "wrong", "garbage"):
            self.assertEqual((self.contestant(rows, name)["ms"], self.contestant(rows, name)["runs"]), ("", "0"))
        self.assertNotIn("absent", {key[3] for key in rows})
        self.assertRegex(notes, r"(?m)^absent: skipped: no executable file .*/absent\.sh$")
        self.assertRegex(notes, r"(?m)^unset: skipped: the environment variable MLMQ_PEER_OF_TEST is not set")
        self.assertRegex(notes, r"(?m)^hanging on road6, .*: timeout: killed after 1 s; its last output: hello$")
        self.assertRegex(notes, r"(?m)^crashing on road6, .*: crashed: was ended by signal 6 \(Aborted\); .*bad luck$")
        self.assertRegex(notes, r"(?m)^wrong on road6, .*: wrong_answer: its distances add up to 1\d+, expected \d+$")
        # A program that failed gets no more runs; each program has its own number of runs. The graph is written once.
        calls = [line.split() for line in self.read("calls.txt").decode().splitlines()]
        turns = [os.path.basename(call[0])[:-3] for call in calls]
        self.assertEqual((turns.count("good"), turns.count("twice"), turns.count("wrong")), (4, 2, 1))
        self.assertEqual({(os.path.basename(call[0]), call[3]) for call in calls},
                         {("good.sh", "2"), ("twice.sh", "2"), ("wrong.sh", "1")})
        self.assertEqual(len({call[1] for call in calls}), 1)
        self.assertFalse(os.path.exists(calls[0][1]))
        # The result is recorded under a configuration of the solver "peer".
        self.assertEqual(self.query("SELECT configuration, outcome FROM result WHERE configuration LIKE '%peer=good%'"),
                         [("peer=good,solver=peer", "ok")])
        self.assertEqual(self.query("SELECT milliseconds FROM sample s JOIN result r ON r.trial = s.trial WHERE "
                                    "r.configuration = 'peer=good,solver=peer'"), [(2.5,)] * 4)

    def test_peers_are_no_candidates_of_the_selector(self):
        # The program with the shortest reported time.
        self.peer("good", GOOD.replace("time $i.5 ms", "time 0.000001 ms"))
        self.table()
        self.succeed("selector", "train", "r.sqlite", "--output", "m.json", "--tolerance", "0")
        labels = [candidate["label"] for candidate in json.loads(self.read("m.json"))["candidates"]]
        self.assertTrue(labels)
        self.assertFalse([label for label in labels if "peer" in label], labels)

    def test_parameter_of_a_peer(self):
        # The script's time is its Δ: the smallest Δ is the best in the list.
        timed = GOOD.replace('echo "time $i.5 ms"', 'echo "time $4.5 ms"')
        self.script("delta.sh", timed)
        entry = PEER.format(name="delta", program="program: ./delta.sh", limit=30).replace("{threads}", "{delta}")
        self.entries = [entry + "    delta: [4, 0.5, 2]\n"]
        self.write("peers.yaml", "peers:\n" + self.entries[0])
        rows, _ = self.table("--workloads", "road6")
        delta = self.contestant(rows, "delta")
        self.assertEqual(delta["configuration"], "delta=0.5 (best of 3)")
        calls = [line.split() for line in self.read("calls.txt").decode().splitlines()]
        self.assertEqual(len(calls), 3 + 4)
        values = [int(call[4]) for call in calls]
        self.assertEqual(values[3:], [min(values)] * 4)
        # Δ is in units of the weights, which average some tens.
        self.assertAlmostEqual(values[0] / values[2], 2, delta=0.2)

    def test_new_peer_is_measured_with_the_others(self):
        self.peer("good", GOOD)
        self.table("--workloads", "road6")
        self.peer("late", GOOD)
        rows, _ = self.table("--workloads", "road6")
        self.assertEqual(self.contestant(rows, "late")["runs"], "4")
        calls = self.read("calls.txt").decode().splitlines()
        self.assertEqual((len(calls), sum("late" in line for line in calls)), (12, 4))

    def test_breadth_first_search(self):
        self.peer("hops", GOOD, "    problem: bfs\n")  # the weights in its file are 1
        self.peer("weighted", GOOD)
        rows, notes = self.table("--workloads", "road6", "--problem", "bfs")
        self.assertEqual(self.contestant(rows, "hops")["outcome"], "ok")
        self.assertEqual(self.contestant(rows, "bfs")["outcome"], "ok")
        self.assertNotIn("weighted", {key[3] for key in rows})
        self.assertNotIn("weighted", notes)

    def test_inputs_that_cannot_be_used(self):
        # All graphs are read before the first measurement: a damaged one is reported early, even as the last by name.
        self.peer("good", GOOD)
        os.mkdir(self.path("folder"))
        self.write("folder/a.wel", "0 1 5\n1 2 7\n")
        self.write("folder/b.el", "This is no graph.\n")
        self.write("folder/negative.gr", "p sp 3 2\na 1 2 5\na 2 3 -7\n")
        self.write("folder/z.wel", "0 1 5\n1 2\n")
        rows, notes = self.table("--workloads", "folder", "road6")
        self.assertEqual({key[0] for key in rows} - {"geometric mean"}, {"a", "road6"})
        self.assertEqual(self.contestant(rows, "good", "road6")["outcome"], "ok")
        for name in ("b.el:1: ", "negative.gr:3: ", "z.wel:2: "):
            self.assertEqual(len(re.findall(r"(?m)^left out: .*/folder/" + re.escape(name), notes)), 1, notes)
        self.assertIn("--negative-weights absolute", notes)
        rows, notes = self.table("--workloads", "folder", "--negative-weights", "absolute", devices="cpu:1,cpu:2")
        self.assertEqual({key[0] for key in rows} - {"geometric mean"}, {"a", "negative"})
        self.assertEqual(notes.count("left out: "), 2, notes)
        self.assertIn("negative.gr: negative weights: 1, taken as their absolute values", notes)
        self.refuse(*self.command("--workloads", "folder/b.el", "folder/z.wel"), says="no workload can be used")
        self.refuse(*self.command("--workloads", "folder", "--negative-weights", "drop"), says="--negative-weights")

    def test_table_after_an_error(self):
        # During the second workload, the database loses a table that every result needs.
        breaking = GOOD.replace("i=0\n", "[ $(wc -l < \"$CALLS\") -gt 5 ] && python3 -c 'import os, sqlite3; "
                                "sqlite3.connect(os.environ[\"BROKEN\"]).execute(\"DROP TABLE counter\")' 2> "
                                "/dev/null\ni=0\n", 1)
        os.environ["BROKEN"] = self.path("r.sqlite")
        self.addCleanup(os.environ.pop, "BROKEN")
        self.peer("good", breaking)
        code, output, errors = self.run_program(*self.command("--format", "csv"))
        self.assertEqual(code, 1, errors)
        self.assertIn("counter", errors.splitlines()[-1])
        rows = [row for row in csv.DictReader(io.StringIO(output)) if row["contestant"] == "good"]
        self.assertEqual([(row["workload"], row["runs"]) for row in rows if row["workload"] != "geometric mean"],
                         [("road6", "4")])

    def test_table_that_cannot_be_written(self):
        code, output, errors = self.run_program(*self.command("--workloads", "road6", "--output", "/dev/full",
                                                              peers="none"))
        self.assertEqual(code, 1, errors)
        self.assertRegex(output, r"(?m)^road6 ")
        self.assertIn("/dev/full", errors)

    def test_interrupted(self):
        self.peer("slow", SLOW)
        process = self.start(*self.command(), environment={"PAUSE": "0.3"})
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline and process.poll() is None:
            if os.path.exists(self.path("calls.txt")) and len(self.read("calls.txt").decode().splitlines()) >= 5:
                break  # the first workload is done, the second one begun
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=240)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("stopped; rerun this command to continue", output.decode())
        self.assertIn("road6", output.decode())
        self.assertNotIn("\ndel6", output.decode())
        self.assertEqual(self.query("SELECT count(*) FROM trial WHERE state = 'running'"), [(0,)])
        first = self.query("SELECT t.id, t.finished_at FROM trial t JOIN workload w ON w.id = t.workload WHERE w.name "
                           "= 'road6'")
        rows, _ = self.table()
        self.assertEqual({self.contestant(rows, "slow", workload)["outcome"] for workload in ("road6", "del6")}, {"ok"})
        self.assertEqual({row["runs"] for key, row in rows.items() if key[0] != "geometric mean"}, {"4"})
        self.assertEqual(first, self.query(
            "SELECT t.id, t.finished_at FROM trial t JOIN workload w ON w.id = t.workload WHERE w.name = 'road6'"))

    def test_interrupted_in_a_long_run(self):
        # The command does not wait for a run on the simulator that takes minutes.
        self.write("long.yaml",
                   OURS[:OURS.index("workloads:")] + "workloads: [{generate: road18, queries: {source: 0}}]\n"
                   + "measurement: {warmup: 0, repeats: 1, time_limit_ms: 100000, counters: false}\n")
        process = self.start("compare", "--configurations", "long.yaml", "--competitors", "competitors.yaml", "--peers",
                             "none", "--device", "simt", "--db", "r.sqlite", "--grace", "0.5s")
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(sqlite3.OperationalError):  # there may be no database yet, or no table in it
                if os.path.exists(self.path("r.sqlite")) and self.query("SELECT count(*) FROM trial WHERE state = "
                                                                        "'running'") == [(1,)]:
                    break
            time.sleep(0.1)
        time.sleep(1)  # the variant has been loaded, or is being compiled; the run takes more than a minute
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=240)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("stopped; rerun this command to continue", output.decode())
        # The stopped trial has no outcome: the command did not wait for its end. No worker is charged for it, and it
        # stays pending until the comparison is resumed.
        self.assertEqual(self.query("SELECT count(*) FROM trial WHERE state = 'running' OR outcome IS NOT NULL"),
                         [(0,)])
        self.refuse(*self.command("--grace", "0"), says="--grace")

    def test_budget(self):
        self.peer("good", GOOD)
        command = self.command("--format", "csv")
        code, output, errors = self.run_program(*command, "--budget", "60us")
        self.assertEqual((code, len(output.splitlines())), (0, 1), errors)
        self.assertIn("the --budget is spent", errors)
        rows, notes = self.table("--budget", "4min")
        self.assertNotIn("--budget", notes)
        self.assertEqual({self.contestant(rows, "good", workload)["runs"] for workload in ("road6", "del6")}, {"4"})
        self.refuse(*self.command("--budget", "0"), says="--budget")
        # A budget does not split workloads: the second one starts when the first one is finished.
        ids = dict(self.query("SELECT e.name || ' ' || w.name, CASE w.name WHEN 'road6' THEN max(t.id) ELSE min(t.id) "
                              "END FROM trial t JOIN workload w ON w.id = t.workload JOIN experiment_trial x ON "
                              "x.trial = t.id JOIN experiment e ON e.id = x.experiment GROUP BY e.name, w.name"))
        self.assertLess(ids["compare road6"], ids["compare candidates del6"])

    def test_one_file_with_several_weights(self):
        # Unfinished candidates for one kind of weights do not become candidates for the other.
        self.succeed("graph", "generate", "road6", "g.gr")
        self.write("ours.yaml", OURS[:OURS.index("workloads:")] + "workloads:\n"
                                                                  "  - {file: g.gr, weights: [unit, skewed], queries: "
                                                                  "{source: 0}}\n"
                   + OURS[OURS.index("measurement:"):])
        rows, _ = self.table(peers="none")
        self.assertEqual({key[0] for key in rows} - {"geometric mean"}, {"g:weights=unit", "g:weights=skewed"})
        workloads = self.query("SELECT count(DISTINCT t.workload) FROM trial t JOIN experiment_trial x ON x.trial = "
                               "t.id JOIN "
                            "experiment e ON e.id = x.experiment WHERE e.name = 'compare candidates' GROUP BY e.id")
        self.assertEqual(workloads, [(1,), (1,)])

    def test_killed(self):
        self.peer("slow", SLOW)
        process = self.start(*self.command("--workloads", "road6"), environment={"PAUSE": "0.2"})
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline and not os.path.exists(self.path("calls.txt")):
            time.sleep(0.01)
        process.kill()
        process.communicate()
        rows, _ = self.table("--workloads", "road6")
        self.assertEqual({row["runs"] for key, row in rows.items() if key[0] != "geometric mean"}, {"4"})

    def test_turns(self):
        for name in "abc":
            self.peer(name, GOOD)
        rows, _ = self.table("--workloads", "road6", "--repeats", "8")
        self.assertEqual({self.contestant(rows, name)["runs"] for name in "abc"}, {"8"})
        turns = [os.path.basename(line.split()[0])[0] for line in self.read("calls.txt").decode().splitlines()]
        rounds = {"".join(turns[i:i + 3]) for i in range(0, 24, 3)}
        self.assertEqual((len(turns), {"".join(sorted(turns_of_round)) for turns_of_round in rounds}), (24, {"abc"}))
        self.assertGreater(len(rounds), 2)

    def test_rest_of_another_comparison(self):
        # Unfinished candidates of one problem and workload do not become candidates of another comparison.
        delta = PEER.format(name="delta", program="program: ./delta.sh", limit=30).replace("{threads}", "{delta}")
        self.script("delta.sh", GOOD)
        self.write("peers.yaml", "peers:\n" + delta + "    delta: [1, 2]\n")
        self.table("--workloads", "road6")
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            removed_trials = ("trial IN (SELECT trial FROM experiment_trial x JOIN experiment e ON e.id = x.experiment "
                              "WHERE "
                    "e.name = 'compare candidates')")
            database.execute(f"DELETE FROM sample WHERE {removed_trials}")
            database.execute("UPDATE trial SET state = 'pending', outcome = NULL, finished_at = NULL, median_ms = "
                             "NULL, "
                             f"spread = NULL WHERE {removed_trials.replace('trial IN', 'id IN', 1)}")
            database.commit()
        count = self.query("SELECT count(*) FROM trial WHERE state = 'pending'")
        self.assertGreater(count[0][0], 4)
        rows, _ = self.table("--workloads", "road6", "--problem", "bfs")
        self.assertEqual(self.contestant(rows, "bfs")["outcome"], "ok")
        rows, _ = self.table("--workloads", "del6")
        self.assertEqual(self.contestant(rows, "delta", "del6")["outcome"], "ok")
        self.assertEqual(self.query("SELECT count(*) FROM trial WHERE state = 'pending'"), count)
        self.table("--workloads", "road6", "--repeats", "3")  # the external program needs them
        self.assertEqual(self.query("SELECT count(*) FROM trial WHERE state = 'pending'"), [(0,)])

    def test_formats(self):
        self.peer("absent")
        output = self.succeed(*self.command("--workloads", "road6"))
        self.assertRegex(output, r"\Aworkload +class +device")
        self.assertIn("absent: skipped", output)
        output = self.succeed(*self.command("--workloads", "road6", "--format", "markdown"))
        self.assertRegex(output, r"\A\| workload \| class \|")
        self.assertRegex(output, r"(?m)^- absent: skipped")
        self.succeed(*self.command("--workloads", "road6", "--output", "t.txt"))
        self.assertTrue(self.read("t.txt").startswith(b"workload"))
        again = self.succeed(*self.command("--workloads", "road6", "--name", "again"))
        self.assertIn("dijkstra", again)
        self.assertEqual(self.query("SELECT count(*) FROM experiment WHERE name = 'again'"), [(1,)])

    def test_mistakes(self):
        self.peer("good", GOOD)
        self.refuse(*self.command("--format", "cvs"), says="'cvs' is not one of table")
        self.refuse(*self.command(devices="gpu"), says="gpu")
        self.refuse(*self.command(peers="none.yaml"), says="none.yaml")
        self.refuse(*self.command("--problem", "apsp"), says="apsp")
        self.refuse(*self.command("--repeats", "0"), says="'0' is not a whole number from 1")
        self.refuse(*self.command("--workloads", "nowhere.gr"), says="nowhere.gr")
        self.write("peers.yaml", "peers:\n  - {name: a, devise: cpu}\n")
        self.refuse(*self.command(), says=["peers.yaml:2", "did you mean 'device'?"])
        self.write("ours.yaml", OURS.replace("delta: 8", "detla: 8"))
        self.refuse(*self.command(peers="none"), says=["ours.yaml:4", "detla"])
        self.assertNotIn("r.sqlite", self.names())


if __name__ == "__main__":
    program_test.main()
