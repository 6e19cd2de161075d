# SPDX-License-Identifier: Apache-2.0
"""'mlmq db': damaged databases, merging, formats of other tools."""

import contextlib
import csv
import io
import itertools
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import statistics
import subprocess

import interchange  # in this folder
import program_test
from program_test import DEVICE, SMALL_SPACE, SMALL_TRIALS, ProgramTest, samples, with_deltas

NOBODY = 65534


class Databases(ProgramTest):
    """Damaged and foreign databases."""

    def setUp(self):
        super().setUp()
        self.write("s.yaml", SMALL_SPACE)

    def sweep(self, database="r.sqlite", **settings):
        return self.succeed("sweep", "s.yaml", "--db", database, "--device", DEVICE, **settings)

    def every_command_refuses(self, name, *parts, code=2):
        for arguments in (["db", "status", name], ["db", "export", name], ["db", "query", "SELECT 1", name],
                          ["selector", "train", name], ["selector", "evaluate", name]):
            self.refuse(*arguments, says=[name, *parts], code=code)

    def change(self, name, statement):
        with contextlib.closing(sqlite3.connect(self.path(name))) as database:
            database.execute(statement)
            database.commit()

    def test_metrics_mention_features_and_counters_of_counting_runs(self):
        self.write("s.yaml", SMALL_SPACE +
                   "metrics: {edges/ms: nnz / time_ms, pops per vertex: pops / m, twice: 2 * wb}\n")
        self.sweep()
        metrics = "json_extract(r.metrics, '$.\"{}\"')"
        query = ("SELECT r.median_ms, k.value, (SELECT value FROM workload_feature f JOIN workload w ON "
                 "w.id = f.workload WHERE w.hash = r.workload_hash AND f.name = '{}'), " + metrics + ", " +
                 metrics.format("twice") + ", json_extract(r.parameters, '$.wb') FROM result r "
                 "LEFT JOIN work_count k ON k.workload_hash = r.workload_hash AND k.configuration_hash = "
                 "r.configuration_hash AND k.counter = 'pops' WHERE r.measurement = 'time'")
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            rates = database.execute(query.format("nnz", "edges/ms")).fetchall()
            pops = database.execute(query.format("m", "pops per vertex")).fetchall()
        self.assertEqual(len(rates), SMALL_TRIALS // 2)
        for median, _, edges, rate, twice, buffer in rates:
            self.assertAlmostEqual(rate * median / edges, 1)
            self.assertEqual(twice, None if buffer is None else 2 * buffer)  # inactive without an L1 queue
        for _, popped, vertices, per_vertex, _, _ in pops:
            self.assertAlmostEqual(per_vertex * vertices / popped, 1)

    def test_wrong_files(self):
        self.every_command_refuses("none.sqlite", "no such database")
        self.write("text.sqlite", "this is no database, and it is a good deal longer than a header\n" * 20)
        self.every_command_refuses("text.sqlite", "not an SQLite database")
        self.write("zeros.sqlite.gz", bytes(1 << 24))
        self.every_command_refuses("zeros.sqlite.gz", "not an SQLite database")
        self.sweep("longer.sqlite")
        self.write("longer.sqlite.gz", self.read("longer.sqlite") + bytes(1 << 24))
        self.every_command_refuses("longer.sqlite.gz", "larger than its header says")
        self.write("empty.sqlite.gz", "")
        self.every_command_refuses("empty.sqlite.gz", "empty")
        self.write("empty.sqlite", "")
        self.every_command_refuses("empty.sqlite", "empty")
        os.mkdir(self.path("folder"))
        self.every_command_refuses("folder", "folder")
        self.change("other.sqlite", "CREATE TABLE t (a)")
        self.every_command_refuses("other.sqlite", "another program")
        for name in ("text.sqlite", "folder", "other.sqlite"):
            self.refuse("sweep", "s.yaml", "--db", name, "--device", "simt", says=name)
        self.refuse("sweep", "s.yaml", "--db", "text.sqlite/a/r.sqlite", "--device", "simt", code=1, says="text.sqlite")
        self.refuse("sweep", "s.yaml", "--db", "/proc/none/r.sqlite", "--device", "simt", code=1, says="/proc/none")

    def test_versions_and_damage(self):
        self.sweep()
        whole = self.read("r.sqlite")
        for version in (99, 5, -1):
            self.write("v.sqlite", whole)
            self.change("v.sqlite", f"PRAGMA user_version = {version}")
            before = self.read("v.sqlite")
            self.every_command_refuses("v.sqlite", f"version {version}")
            self.refuse("sweep", "s.yaml", "--db", "v.sqlite", "--device", "simt",
                        says=["v.sqlite", f"version {version}"])
            self.assertEqual(self.read("v.sqlite"), before)
        for length in (50, 5000, len(whole) // 2):
            self.write("cut.sqlite", whole[:length])
            self.every_command_refuses("cut.sqlite", "damaged")
            self.refuse("sweep", "s.yaml", "--db", "cut.sqlite", "--device", "simt", says=["cut.sqlite", "damaged"])
            self.assertEqual(self.read("cut.sqlite"), whole[:length])

    def test_code_in_databases_is_not_run(self):
        """Triggers are ignored; another object in place of a table or view is refused."""
        self.sweep()
        whole = self.read("r.sqlite")
        for event in ("INSERT", "UPDATE", "DELETE"):
            for table in ("trial", "sample", "counter", "workload", "configuration", "session", "experiment_trial"):
                self.change("r.sqlite", f"CREATE TRIGGER t_{event}_{table} AFTER {event} ON {table} BEGIN "
                            "UPDATE workload SET origin = 'changed by a trigger'; END")
        self.write("s.yaml", SMALL_SPACE.replace("threads: [64]", "threads: [64, 128]"))
        self.sweep()
        self.succeed("db", "merge", "r.sqlite", self.write("v.sqlite", whole))
        self.succeed("db", "merge", "m.sqlite", "r.sqlite", "v.sqlite")
        for name in ("r.sqlite", "m.sqlite"):
            origins = json.loads(self.succeed("db", "query", "--format", "json",
                                              "SELECT count(*) AS n FROM workload WHERE origin LIKE 'changed%'", name))
            self.assertEqual(origins[0]["n"], 0)
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS trial FROM n"
        for name, *statements in (("result", "DROP VIEW result", f"CREATE VIEW result AS {endless}"),
                                  ("sample", "DROP TABLE sample", f"CREATE VIEW sample AS {endless}"),
                                  ("latest", "DROP VIEW latest")):
            self.write("v.sqlite", whole)
            for statement in statements:
                self.change("v.sqlite", statement)
            self.every_command_refuses("v.sqlite", name, "changed by another program")
            self.refuse("db", "merge", "m.sqlite", "v.sqlite", says=[name, "changed by another program"])
            self.refuse("sweep", "s.yaml", "--db", "v.sqlite", "--device", "simt", says=name)

    def test_questions(self):
        self.sweep()
        for sql, parts in [("SELEC 1", "SELEC"), ("SELECT * FROM trail", "did you mean 'trial'?"),
                           ("SELECT x FROM trial", "x"), ("SELECT 1; SELECT 2", "one"), ("DELETE FROM trial", "SELECT"),
                           ("DROP TABLE trial", "SELECT"), ("ATTACH 'x' AS y", "SELECT"),
                           ("PRAGMA user_version = 3", "SELECT"), (" ", "empty"),
                           ("SELECT *\nFROM\nnothing", "nothing"), ("SELECT '\udcff' FROM \udcff", "query")]:
            self.refuse("db", "query", sql, "r.sqlite", says=parts)
        self.refuse("db", "query", "SELECT 1", "r.sqlite", "--format", "jsn", says="did you mean 'json'?")
        self.refuse("db", "export", "r.sqlite", "--format", "xml", says=["'xml'", "kernel-tuner-cache"])
        self.refuse("db", "export", "r.sqlite", "--experiment", "smal", says="did you mean 'small'?")
        self.refuse("db", "status", "r.sqlite", "--experiment", "smal", says="did you mean 'small'?")
        self.refuse("db", "export", "r.sqlite", "--format", "t4", says="--output")
        self.refuse("selector", "train", "r.sqlite", "--problem", "bfs", says="'bfs'")
        self.refuse("selector", "train", "r.sqlite", "--device", "H200", says=["'H200'", "simt"])
        os.mkfifo(self.path("pipe"))
        for output, code in [(".", 2), ("s.yaml/m.json", 2), ("none/m.json", 2), ("/proc/m.json", 1), ("pipe", 2)]:
            self.refuse("selector", "train", "r.sqlite", "--output", output, says=output, code=code)
            if output.endswith(".json"):
                table = output.replace(".json", ".csv")
                self.refuse("db", "export", "r.sqlite", "--output", table, says=table, code=code)
        self.refuse("db", "export", "r.sqlite", "--output", "m.json", says="--output m.json: a file that ends in .json")
        self.assertEqual([name for name in self.names() if not name.startswith("r.sqlite")], ["pipe", "s.yaml"])

    def as_nobody(self):
        """Returns settings that run the program without root's privileges, or skips the test."""
        settings = {}
        if os.geteuid() == 0:
            cache = self.path("cache")  # the shared cache belongs to root, which would cause a warning
            os.mkdir(cache, 0o700)
            os.chown(cache, NOBODY, NOBODY)
            settings = {"user": NOBODY, "group": NOBODY, "extra_groups": [], "environment": {"MLMQ_CACHE": cache}}
            try:
                usable = self.run_program("doctor", **settings)[0] == 0
            except (OSError, subprocess.SubprocessError):
                usable = False
            if not usable:
                self.skipTest("the program cannot be run by an ordinary user here")
        return settings

    def test_names_are_those_of_files(self):
        for name in ("file:r.sqlite", "file:r.sqlite?mode=memory", ":memory:", "a?b#c%41.sqlite", "file:%72.sqlite"):
            with self.subTest(name):
                self.sweep(name)
                self.assertIn(str(SMALL_TRIALS), self.succeed("db", "query", "SELECT count(*) AS n FROM result", name))
                self.succeed("db", "merge", name + ".merged", name)
                files = {re.sub("-(wal|shm)$", "", entry) for entry in self.names()}
                self.assertEqual(files, {"s.yaml", name, name + ".merged"})
                for file in set(self.names()) - {"s.yaml"}:
                    os.remove(self.path(file))

    def copied(self, name, count):
        """Writes a database with the trials of r.sqlite on `count` devices."""
        shutil.copy(self.path("r.sqlite"), self.path(name))
        with contextlib.closing(sqlite3.connect(self.path(name))) as database:
            for table, values in (("device", {"id": "id + 1000 * k", "hash": "hash || k"}),
                                  ("trial", {"id": "id + 1000 * k", "device": "device + 1000 * k"}),
                                  ("counter", {"trial": "trial + 1000 * k"}),
                                  ("sample", {"trial": "trial + 1000 * k"})):
                columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
                database.execute(
                    "WITH RECURSIVE copies(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM copies WHERE k + 1 < ?) "
                    f"INSERT INTO {table} SELECT {', '.join(values.get(c, c) for c in columns)} FROM {table}, copies",
                    (count,))
            database.commit()

    def peak_kilobytes(self, *arguments):
        process = self.start(*arguments)
        process.stdout.close()
        process.stderr.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss

    def test_an_export_needs_no_more_memory_for_more_trials(self):
        self.sweep("r.sqlite")
        peaks = {}
        for count in (100, 5000):
            self.copied(f"{count}.sqlite", count)
            peaks[count] = self.peak_kilobytes("db", "export", f"{count}.sqlite", "--quiet", "--output", f"{count}.csv")
            with open(self.path(f"{count}.csv"), encoding="utf-8", newline="") as file:
                self.assertEqual(sum(1 for _ in csv.reader(file)), 1 + count * SMALL_TRIALS)
        # The larger table is a file of 37 MB.
        self.assertLess(peaks[5000], peaks[100] + 20_000)

    def test_read_only_folder(self):
        os.mkdir(self.path("d"))
        self.sweep("d/r.sqlite")
        rows = "SELECT count(*) AS n FROM result"
        os.chmod(self.folder, 0o755)
        os.chmod(self.path("d/r.sqlite"), 0o444)
        os.chmod(self.path("d"), 0o555)
        self.addCleanup(os.chmod, self.path("d"), 0o755)
        ordinary = self.as_nobody()
        self.assertIn(str(SMALL_TRIALS), self.succeed("db", "query", rows, "d/r.sqlite", **ordinary))
        self.refuse("sweep", "s.yaml", "--db", "d/r.sqlite", "--device", "simt", code=1, says="d/r.sqlite", **ordinary)
        self.refuse("sweep", "s.yaml", "--db", "d/new.sqlite", "--device", "simt", code=1, says="d/new.sqlite",
                    **ordinary)
        self.refuse("selector", "train", "d/r.sqlite", "--output", "d/m.json", code=1, says="d/m.json", **ordinary)
        self.refuse("graph", "generate", "road6", "d/a.gr", code=1, says="d/a.gr", **ordinary)
        self.assertIn("r.sqlite", os.listdir(self.path("d")))
        self.assertFalse([name for name in os.listdir(self.path("d")) if not name.startswith("r.sqlite")])

    def check_full(self, database, **limits):
        """Checks that a sweep on a full disk ends with a one-line error, and resumes when there is room."""
        self.sweep("reference.sqlite")
        self.refuse("sweep", "s.yaml", "--db", database, "--device", "simt", code=1, says=[database, "full"],
                    prints=True, **limits)

    def finish(self, database):
        self.sweep(database)
        self.check_same_results(database, "reference.sqlite")

    def test_limited_file_size(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
        try:
            self.check_full("r.sqlite", preexec_fn=limit)
        except subprocess.SubprocessError:
            self.skipTest("file sizes cannot be limited")
        self.finish("r.sqlite")
        self.succeed("selector", "train", "r.sqlite")
        before = self.read("model.json")
        self.refuse("graph", "generate", "road14", "big.gr", code=1, says="big.gr: cannot be written", preexec_fn=limit)
        self.assertEqual(self.read("model.json"), before)
        self.assertFalse([name for name in self.names() if "big" in name])

    def test_full_disk(self):
        os.mkdir(self.path("disk"))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "none", self.path("disk")],
                                 stderr=subprocess.DEVNULL, check=False) if shutil.which("mount") else None
        if mounted is None or mounted.returncode != 0:
            self.skipTest("nothing can be mounted here")
        self.addCleanup(subprocess.run, ["umount", self.path("disk")], check=False)
        self.check_full("disk/r.sqlite")
        self.refuse("graph", "generate", "road14", "disk/a.gr", code=1, says="disk/a.gr: cannot be written")
        self.assertFalse([name for name in os.listdir(self.path("disk")) if "a.gr" in name])
        subprocess.run(["mount", "-o", "remount,size=20m", self.path("disk")], check=True)
        self.finish("disk/r.sqlite")


class Merging(ProgramTest):
    """Separately measured parts of a sweep merge into the whole sweep."""

    def setUp(self):
        super().setUp()
        self.write("s.yaml", SMALL_SPACE)

    def sweep(self, database, *arguments):
        return self.sweeps("s.yaml", "--db", database, *arguments)

    def test_shards_in_any_order_are_the_sweep(self):
        self.sweep("whole.sqlite")
        shards = [f"{index}.sqlite" for index in (1, 2, 3)]
        counts = []
        for index, shard in enumerate(shards, 1):
            counts.append(int(self.sweep(shard, "--shard", f"{index}/3").split()[0]))
        self.assertEqual(sum(counts), SMALL_TRIALS)
        self.assertLess(max(counts), SMALL_TRIALS)
        for number, order in enumerate(itertools.permutations(shards)):
            output = self.succeed("db", "merge", f"merged{number}.sqlite", *order)
            self.assertIn(f"{SMALL_TRIALS} new trials", output)
            self.check_same_results(f"merged{number}.sqlite", "whole.sqlite")
        before = samples(self.path("merged0.sqlite"))
        self.assertIn(f"0 new trials and 0 results of pending trials from 3 databases, {SMALL_TRIALS} already present, "
                      "0 replaced", self.succeed("db", "merge", "merged0.sqlite", *shards))
        self.assertEqual(samples(self.path("merged0.sqlite")), before)
        # The whole database has the same trials, to the last digits of modelled times, so nothing conflicts.
        self.succeed("db", "merge", "merged0.sqlite", "whole.sqlite")
        self.check_same_results("merged0.sqlite", "whole.sqlite")
        # A merged sweep behaves like any other: all its trials are done.
        self.assertIn(f"{SMALL_TRIALS} of {SMALL_TRIALS} trials done, 0 in this run", self.sweep("merged1.sqlite"))

    def test_shards_of_workloads_read_no_others(self):
        self.write("list.yaml", "workloads:\n  - {generate: [road7, rmat7], weights: [own, pareto]}\n")
        arguments = ("--workloads", "list.yaml", "--shard-by", "workloads")
        self.sweep("whole.sqlite", *arguments)
        names = []
        for index in (1, 2):
            self.sweep(f"{index}.sqlite", *arguments, "--shard", f"{index}/2")
            with contextlib.closing(sqlite3.connect(self.path(f"{index}.sqlite"))) as database:
                names.append({row[0] for row in database.execute("SELECT name FROM workload")})
        self.assertEqual([len(some) for some in names], [2, 2])
        self.assertEqual(names[0] | names[1],
                         {"road7", "rmat7", "road7:weights=pareto", "rmat7:weights=pareto"})
        self.succeed("db", "merge", "merged.sqlite", "1.sqlite", "2.sqlite")
        self.check_same_results("merged.sqlite", "whole.sqlite")

    def test_a_dry_run_counts_and_records_nothing(self):
        self.write("list.yaml", "workloads:\n  - {generate: [road7, rmat7], weights: [own, pareto]}\n"
                                "  - {generate: del7, queries: {source: [0, 1]}}\n")
        output = self.succeed("sweep", "s.yaml", "--device", DEVICE, "--db", "none.sqlite", "--workloads", "list.yaml",
                              "--dry-run")
        rows = {line.split()[0]: line.split()[1:4] for line in output.splitlines()}
        self.assertEqual(rows["road"], ["1", "2", "2"])
        self.assertEqual(rows["mesh"], ["1", "1", "2"])
        self.assertEqual(rows["all"], ["3", "5", "6"])
        self.assertFalse(os.path.exists(self.path("none.sqlite")))
        counts = re.search(r"(\d+) configurations, (\d+) trials", output)
        self.assertEqual(int(counts[2]), 6 * int(counts[1]))
        self.refuse("sweep", "s.yaml", "--device", "simt", "--shard-by", "edges", says="edges")

    def test_mistakes(self):
        for wrong in ("0/2", "3/2", "2", "a/b", ""):
            self.refuse("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt", "--shard", wrong)
        self.sweep("a.sqlite", "--shard", "1/2")
        self.refuse("db", "merge", "out.sqlite", "a.sqlite", "none.sqlite", says=["none.sqlite", "out.sqlite"])
        self.refuse("db", "merge", "a.sqlite", "a.sqlite",
                    says="'output' would overwrite a.sqlite, which 'inputs' reads")
        self.refuse("db", "merge", "out.sqlite", "a.sqlite", "--duplicates", "both", says=["'both'", "earliest"])
        # Reading a database may leave log files in the folder of the database.
        self.assertEqual({name.removesuffix("-wal").removesuffix("-shm") for name in self.names()},
                         {"a.sqlite", "s.yaml"})


class Interchange(ProgramTest):
    """Results in the formats of other tools."""

    FAILURES = ("compile_error", "launch_error", "timeout", "wrong_answer", "overflow", "crashed", "constraint")

    def setUp(self):
        super().setUp()
        self.write("s.yaml", with_deltas("[1, 2, 4, 8, 16]"))
        self.sweeps("s.yaml", "--db", "r.sqlite", "--workloads", "road6")
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            trials = database.execute("SELECT id FROM trial WHERE measurement = 'time' ORDER BY id").fetchall()
            for (trial,), outcome in zip(trials, self.FAILURES):
                database.execute("UPDATE trial SET outcome = ?, message = 'why', median_ms = NULL, spread = NULL "
                                 "WHERE id = ?", (outcome, trial))
            database.commit()
        self.count = len(trials)
        self.assertEqual(self.count, 12)

    def exported(self, form, database="r.sqlite", **settings):
        """Exports to `form`; returns the text of the file (not of the table of configurations) and the messages."""
        code, _, errors = self.run_program("db", "export", database, "--format", form, "--output", "out/", **settings)
        self.assertEqual(code, 0, errors)
        file = next(name for name in sorted(os.listdir(self.path("out"))) if not name.endswith(".configurations.csv"))
        text = self.read(f"out/{file}").decode()
        shutil.rmtree(self.path("out"))
        return text, errors

    def test_kernel_tuner(self):
        text, errors = self.exported("kernel-tuner-cache")
        self.assertEqual(errors, "")
        self.assertEqual(interchange.cache_problems(text), [])
        cache = json.loads(text)["cache"]
        self.assertEqual(len(cache), self.count)
        self.assertEqual(sum("__error__" in entry for entry in cache.values()), len(self.FAILURES))
        for old, new, problem in [('"compile_time":', '"compile":', "compile_time"), ("+00:00", "", "timestamp"),
                                  ('{"schema_version":"1.1.0",', "{", "schema_version"),
                                  ('"problem_size":', '"problem_size":"a","size":', "problem_size"),
                                  ('"time":"InvalidConfig"', '"time":null', "error")]:
            self.assertIn(old, text)
            self.assertIn(problem, " ".join(interchange.cache_problems(text.replace(old, new))))

    def test_t4(self):
        text, _ = self.exported("t4")
        self.assertEqual(interchange.t4_problems(text), [])
        results = json.loads(text)["results"]
        self.assertEqual(len(results), self.count)
        self.assertEqual(sum(entry["invalidity"] != "correct" for entry in results), len(self.FAILURES))
        for old, new, problem in [('"invalidity": "timeout"', '"invalidity": "late"', "invalidity"),
                                  ('"compilation":', '"compile":', "compilation"),
                                  ('"correctness": 1', '"correctness": "1"', "correctness")]:
            self.assertIn(old, text)
            self.assertIn(problem, " ".join(interchange.t4_problems(text.replace(old, new))))

    def test_compact_records(self):
        self.succeed("db", "compact", "c.sqlite", "r.sqlite")
        ok = self.count - len(self.FAILURES)
        exported = {}
        for form in ("csv", "kernel-tuner-cache", "t4"):
            exported[form], errors = self.exported(form, "c.sqlite")
            self.assertRegex(errors,
                             rf"\Amlmq: note: the samples of {self.count} of \d+ trials are empty because [^\n]*\n\Z")
            self.assertIn("samples_dropped", errors)
        # The export contains no invented samples and states the number of real ones.
        for row in csv.DictReader(io.StringIO(exported["csv"])):
            if row["measurement"] == "time":
                self.assertEqual((row["samples_ms"], row["samples_dropped"]), ("", "2"))
        text = exported["kernel-tuner-cache"]
        self.assertEqual(interchange.cache_problems(text), [])
        entries = json.loads(text)["cache"].values()
        self.assertEqual({(tuple(entry["times"]), entry["samples_dropped"]) for entry in entries}, {((), 2)})
        self.assertEqual(sum(isinstance(entry["time"], float) for entry in entries), ok)
        self.assertEqual(interchange.t4_problems(exported["t4"]), [])
        for entry in json.loads(exported["t4"])["results"]:
            self.assertEqual(entry["times"]["runtimes"], [])
            self.assertIn({"name": "samples_dropped", "value": 2, "unit": ""}, entry["measurements"])

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(self.exported("csv")[0])))
        self.assertEqual(len(rows), 2 * self.count)
        timed = [row for row in rows if row["measurement"] == "time" and row["outcome"] == "ok"]
        self.assertEqual(len(timed), self.count - len(self.FAILURES))
        for row in timed:
            self.assertAlmostEqual(statistics.median(json.loads(row["samples_ms"])), float(row["median_ms"]), 12)
            self.assertEqual(row["parameter.delta"] == "", row["parameter.l2"] == "vector")
        self.assertEqual({row["samples_dropped"] for row in rows}, {"0"})


if __name__ == "__main__":
    program_test.main()
