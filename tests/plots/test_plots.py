#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of plots/: the written files, and errors for bad input."""

from __future__ import annotations

import dataclasses
import json
import re
import sqlite3
import stat
import subprocess
import sys
import unittest
from contextlib import closing

# This import must come first: it adds plots/ to the path.
from plots_test import BARE, CONFIGURATIONS, FAST, Files, PICKS, PLAIN, PLOTS, TIMES, build, picks_text, pixels

import figure_checks
import relative_performance_cdf
import results
import style
import summary
import numpy as np
from synthetic import Database, configuration, label_of

SCRIPTS = ("relative_performance_cdf.py", "configurations_by_class.py", "queue_table.py", "summary.py", "adds_delta.py")


class Figures(Files):
    def test_files_sizes_and_determinism(self) -> None:
        build(self.database, "simt", "Simulated H200").close()
        picks = self.folder / "picks.csv"
        picks.write_text(picks_text(PICKS))
        first, again = self.folder / "a" / "b", self.folder / "again"
        runs = self.at_once([
            call for folder in (first, again) for call in (
                ("relative_performance_cdf.py", self.database, "--output", folder / "cdf.svg", "--selector", picks),
                ("configurations_by_class.py", self.database, "--output", folder / "class.png"))])
        self.assertEqual([(run.returncode, run.stderr) for run in runs], [(0, "")] * 4)
        self.assertEqual([run.stdout.split() for run in runs],
                         [[str(folder / name) for name in names] for folder in (first, again)
                          for names in (["cdf.svg", "cdf.png"], ["class.png"])])
        self.assertEqual(sorted(file.name for file in first.iterdir()), ["cdf.png", "cdf.svg", "class.png"])
        for file in first.iterdir():
            self.assertEqual(file.read_bytes(), (again / file.name).read_bytes(), file.name)
        # There are 5 curves: 3.5 in wide; 2.6 in, 7 lines of 0.14 in, and 0.1 in high; at 300 pixels per inch.
        self.assertEqual(pixels(first / "cdf.png"), (1050, 1104))
        self.assertEqual(pixels(first / "class.png"), (2160, 819))
        self.assertGreater((first / "cdf.png").stat().st_size, 10_000)

    def test_missing_counters_are_said(self) -> None:
        build(self.database, counters=False).close()
        run = self.script("configurations_by_class.py", self.database, "--output", self.folder / "class.png")
        self.assertEqual(run.returncode, 0)
        self.assertRegex(run.stderr, r"\Aconfigurations_by_class\.py: note: the sweep did not count [^\n]*no counter "
                                     r"'pops'[^\n]*\n\Z")
        self.assertEqual(pixels(self.folder / "class.png"), (2160, 819))

    def test_many_families(self) -> None:
        database = Database(self.database)
        device, graph = database.device("NVIDIA H200"), database.graph("g", "road")
        for l1 in ("none", "vector", "near_far", "filter", "slf"):
            for l2 in ("vector", "bucket", "heap", "multi_heap"):
                database.trial(device, graph, configuration(l1, l2), 1.0 + len(l1) + len(l2))
        database.close()
        files = [self.folder / f"{script}.png" for script in SCRIPTS[:2]]
        for file, run in zip(files, self.at_once([(script, self.database, "--output", file)
                                                  for script, file in zip(SCRIPTS, files)])):
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(pixels(file)[0], 2160)


class Tuned(Files):
    """The plots of the evaluation that `mlmq tune` stored."""

    def setUp(self) -> None:
        super().setUp()
        self.tuned = self.folder / "selector.json"

    def evaluate(self, names: dict[str, str], ways: dict[str, dict[str, list[str]]]) -> None:
        """Writes the file. names: hash by workload name; ways: per method, names of CONFIGURATIONS by workload."""
        labels = [label_of(configuration) for configuration in CONFIGURATIONS.values()]
        order = list(CONFIGURATIONS)
        best = {name: min(value for value in times.values() if value) for (name, _), times in TIMES.items()}
        stored = []
        for way, choices in ways.items():
            relative = [float(np.mean([best[name] / TIMES[key][choice] for choice in choices[name]]))
                        for name in names for key in TIMES if key[0] == name]
            stored.append({"name": way, "mean_relative": float(np.mean(relative)), "near_best": 0.5,
                           "worst": min(relative), "choices": [[order.index(choice) for choice in choices[name]]
                                                               for name in names], "relative": relative})
        stored.append({"name": "best measured", "mean_relative": 1, "near_best": 1, "worst": 1, "choices": [],
                       "relative": []})
        about = {"device": "NVIDIA H200", "evaluation": {
            "selector_way": "new selector", "workloads": [f"{name} ({hash_[:8]})" for name, hash_ in names.items()],
            "configurations": labels, "ways": stored}}
        self.tuned.write_text(json.dumps({"format": "mlmq-tuned-selector", "about": about}) + "\n{}\n")

    def build_and_evaluate(self, kind: str = "simt", device: str = "Simulated H200") -> None:
        build(self.database, kind, device).close()
        with results.open_database(self.database) as connection:
            names = dict(connection.execute("SELECT name, hash FROM workload ORDER BY name DESC"))
        self.evaluate(names, {"shipped selector": {name: ["WIDE"] for name in names},
                              "new selector": {"r1": ["FAST", "FAST"], "r2": ["PLAIN", "FAST"], "m1": ["WIDE"],
                                               "p1": ["PLAIN"]},
                              "best fixed configuration": {name: ["FAST"] for name in names}})

    def test_figure_has_the_stored_scores(self) -> None:
        self.build_and_evaluate()
        with results.open_database(self.database) as connection:
            times = results.times_of(connection, results.choose_device(connection, "sssp", None), "sssp")
        evaluation = results.read_tuned(self.tuned)
        curves = relative_performance_cdf.evaluated_curves(times.of_workloads(evaluation.workloads), evaluation)
        shown = {curve.name: (curve.mean_text, curve.width) for curve in curves}
        self.assertEqual(shown["new selector"], ("0.975 ± 0.08", 1.8))  # 1, (0.8 + 1) / 2, 1, 1
        self.assertEqual(shown["best fixed configuration"][0], f"{(1 + 1 + 0.8 + 0.5) / 4:.3f} ± 0.37")
        self.assertEqual(shown["shipped selector"][0], f"{(0.5 + 0.5 + 1 + 0.25) / 4:.3f} ± 0.50")
        self.assertIn("L1V-L2V", shown)
        fixed = dataclasses.replace(evaluation, selector_strategy="best fixed configuration")
        drawn = [(curve.look, curve.width) for curve in
                 relative_performance_cdf.evaluated_curves(times.of_workloads(evaluation.workloads), fixed)]
        self.assertEqual(len(set(drawn)), len(drawn), "two curves look alike")
        self.assertEqual(relative_performance_cdf._notes(curves)[-1:],
                         ["families: each at its best configuration, known in hindsight"])
        run = self.script("relative_performance_cdf.py", self.database, "--tuned", self.tuned,
                          "--output", self.folder / "a.png")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        run = self.script("relative_performance_cdf.py", self.database, "--tuned", self.tuned, "--evaluation", "x.csv",
                          "--output", self.folder / "a.png")
        self.assertEqual(run.returncode, 2)
        self.assertIn("its own evaluation", run.stderr)

    def test_mistakes(self) -> None:
        self.build_and_evaluate()
        self.evaluate({"r1": "0" * 32}, {"new selector": {"r1": ["FAST"]}})
        run = self.script("relative_performance_cdf.py", self.database, "--tuned", self.tuned,
                          "--output", self.folder / "a.png")
        self.assertEqual(run.returncode, 2)
        self.assertIn("'r1 (00000000)', of which the database has no times", run.stderr)
        for content in ("", "{}\n", '{"about": {"evaluation": {"ways": [{}]}}}\n'):
            self.tuned.write_text(content)
            with self.assertRaisesRegex(results.ResultsError, "not a selector as `mlmq tune` writes it"):
                results.read_tuned(self.tuned)
        self.tuned.write_text('{"about": {}}\n')
        self.assertIsNone(results.read_tuned(self.tuned))

    def test_what_cannot_run_is_not_drawn(self) -> None:
        database = Database(self.database)
        device = database.device("NVIDIA H200")
        large = configuration("filter", "vector")
        for name in ("w1", "w2"):
            graph = database.graph(name, "road")
            database.trial(device, graph, FAST, 1.0)
            database.trial(device, graph, PLAIN, 2.0 if name == "w1" else None,
                           outcome="ok" if name == "w1" else "constraint")
            database.trial(device, graph, large, None, outcome="constraint")
        database.close()
        with results.open_database(self.database) as connection:
            times = results.times_of(connection, results.choose_device(connection, "sssp", None), "sssp")
        self.assertEqual([times.configurations[column].label for column in times.unfit], [label_of(large)])
        fitting = times.without_unfit()
        self.assertEqual({one.label for one in fitting.configurations}, {label_of(FAST), label_of(PLAIN)})
        self.assertEqual({curve.name for curve in relative_performance_cdf.curves_of(fitting, None)},
                         {"best fixed: L1V-L2DQ", "L1V-L2DQ", "L1V-L2V"})
        self.assertTrue(np.array_equal(fitting.milliseconds, [[1, 2], [1, np.nan]], equal_nan=True)
                        or np.array_equal(fitting.milliseconds, [[2, 1], [np.nan, 1]], equal_nan=True))

    def summary(self, *more: object) -> str:
        text = self.folder / "summary.txt"
        text.write_text("graphs   count\nall          4\n```\n")
        output = self.folder / "summary.md"
        run = self.script("summary.py", self.database, *more, "--tuned", self.tuned, "--text", text, "--output", output)
        self.assertEqual((run.returncode, run.stderr, run.stdout), (0, "", f"{output}\n"))
        return output.read_text()

    def test_text(self) -> None:
        self.build_and_evaluate()
        (self.folder / "relative_performance_cdf.png").write_bytes(b"")
        text = self.summary()
        name = {key: f"c{1 + sorted(map(label_of, CONFIGURATIONS.values())).index(label_of(one))}"
                for key, one in CONFIGURATIONS.items()}
        for part in ("# Results on Simulated H200\n",
                     "- Device: Simulated H200 (simt, sm_90)\n", "**modelled by the simulator**",
                     "- Graphs: 4\n", "- Configurations: 4\n", "- Trials of time: 16 (ok 15, timeout 1)\n",
                     "- Trials of counters: 15 (ok 15)\n",
                     "| graph | class | vertices | edges | best | best ms | shipped selector | new selector | best "
                     "fixed configuration |\n",
                     f"| r2 | road | 100 | 400 | {name['FAST']} L1V-L2DQ | 2.000 | {name['WIDE']}: 0.500 | "
                     f"{name['PLAIN']}, {name['FAST']}: 0.900 | {name['FAST']}: 1.000 |\n",
                     "| mean ± 95 % |  |  |  |  |  | 0.562 ± 0.50 | 0.975 ± 0.08 | 0.825 ± 0.37 |\n",
                     f"| {name['FAST']} | L1V-L2DQ delta=8 | `{label_of(FAST)}` |\n",
                     "\n````text\ngraphs   count\nall          4\n```\n````\n",
                     "- [relative_performance_cdf.png](relative_performance_cdf.png): Distribution of"):
            self.assertIn(part, text)
        self.assertNotIn(label_of(BARE), text)  # the summary does not name it

    def test_workloads_that_are_no_graphs(self) -> None:
        database = Database(self.database)
        device = database.device("NVIDIA H200")
        for name in ("w1", "w2"):
            database.trial(device, database.workload(name, "", "phold"), FAST, 2.0, query="until=100", problem="pdes")
        database.close()
        self.tuned.write_text('{"about": {}}\n')
        text = self.summary("--problem", "pdes")
        for part in ("- Workloads: 2\n", "\n## Workloads\n", "| workload | class | best | best ms |\n",
                     "| w2 | (no class) | c1 L1V-L2DQ | 2.000 |\n"):
            self.assertIn(part, text)
        self.assertNotIn("mean", text)

    def test_cells_and_fences(self) -> None:
        self.assertEqual(summary.cell("a|b\nc"), "a\\|b c")
        self.assertEqual(summary.fenced("a\n"), ["```text", "a", "```"])


class Packages(unittest.TestCase):
    def test_missing(self) -> None:
        """Every script says in one line which package is missing, whichever it imports first."""
        hide = ("import runpy, sys\nsys.modules['numpy'] = sys.modules['matplotlib'] = None\n"
                "sys.argv = sys.argv[1:]\nsys.path.insert(0, sys.argv.pop(0))\n"
                "runpy.run_path(sys.argv[0], run_name='__main__')\n")
        scripts = [script for script in sorted(PLOTS.glob("*.py")) if script.read_text().startswith("#!")]
        self.assertIn(PLOTS / "queue_table.py", scripts)
        running = [(script, subprocess.Popen([sys.executable, "-c", hide, PLOTS, script, "x"], stderr=subprocess.PIPE,
                                             text=True)) for script in scripts]
        for script, process in running:
            with self.subTest(script.name):
                errors = process.communicate()[1]
                self.assertRegex(errors, f"^{script.name}: .* has no (numpy|matplotlib); install the packages .*\n$")
                self.assertEqual(process.returncode, 2)


class Errors(Files):
    def each(self, *parts: str, status: int = 2) -> None:
        """Checks that every script refuses the database for the same reason."""
        (self.folder / "picks.csv").write_text(picks_text(PICKS))
        (self.folder / "evaluation.txt").write_text("")
        output = self.folder / "out" / "file.png"
        (self.folder / "selector.json").write_text('{"about": {}}\n')
        tuned = ("--tuned", self.folder / "selector.json", "--text", self.folder / "evaluation.txt")
        extra = {"queue_table.py": (), "summary.py": ("--output", output, *tuned)}
        calls = [(script, self.database, *extra.get(script, ("--output", output))) for script in SCRIPTS]
        for script, run in zip(SCRIPTS, self.in_turn(calls)):
            with self.subTest(script):
                self.refused(run, script, *parts, status=status)
        self.assertFalse(output.parent.exists())

    def test_missing_file(self) -> None:
        self.each("results.sqlite", "no such file")
        self.assertFalse(self.database.exists())

    def test_not_a_database(self) -> None:
        self.database.write_text("this is no database, it is a text of some length\n" * 100)
        self.each("results.sqlite", "not a database")

    def test_no_finished_trials(self) -> None:
        database = Database(self.database)
        database.trial(database.device("NVIDIA H200"), database.graph("g", "road"), FAST, outcome="crashed")
        database.close()
        self.each("no finished trials of problem 'sssp'", status=3)

    def test_several_devices(self) -> None:
        database = build(self.database)
        database.trial(database.device("NVIDIA A100"), database.graph("r1", "road"), FAST, 1.0)
        database.close()
        self.each("'NVIDIA A100', 'NVIDIA H200'", "--device")

    def refuse(self, script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        return self.script(script, self.database, "--output", self.folder / "f.png", *arguments)

    def test_other_databases_devices_and_problems(self) -> None:
        build(self.database).close()
        cdf = "relative_performance_cdf.py"
        self.refused(self.refuse(cdf, "--device", "RTX"), "RTX", "'NVIDIA H200'")
        self.refused(self.refuse(cdf, "--problem", "bfs"), "no finished trials of problem 'bfs'", status=3)
        self.database.unlink()
        self.database.write_bytes(b"")
        self.refused(self.refuse(cdf), "not one of mlmq's results")
        with closing(sqlite3.connect(self.database)) as other:  # views of these names, but of other tables
            for view in ("latest", "relative", "work_count"):
                other.execute(f"CREATE VIEW {view} AS SELECT 1 AS graph")
            other.commit()
        self.refused(self.refuse(cdf), "not one of mlmq's results")

    def test_devices_of_one_name_are_told_apart_by_hash(self) -> None:
        database = build(self.database)
        twin = database.device("NVIDIA H200", hash_="0123456789abcdef")
        database.trial(twin, database.graph("r1", "road"), FAST, 9.0)
        database.close()
        self.refused(self.refuse("relative_performance_cdf.py", "--device", "H200"), "0123456789ab")
        self.assertEqual(self.load("0123456789ab").best().tolist(), [9])

    def test_picks(self) -> None:
        build(self.database).close()
        file = self.folder / "picks.csv"
        for text, part in {
                "workload,query\n": "no column 'pick'",
                "workload,query,pick,best_ms\nr1,x,y,z\n": "not a table of picks",
                "workload,query,pick\nr1,x\n": "line 2 is too short",
                picks_text({"r1": "FAST"}): "no pick for graph 'r2', source=0",
                picks_text(PICKS) + "zz,road,source=0,a,1,b,1,1\n": "1 pick too many for graph 'zz', source=0",
        }.items():
            with self.subTest(part):
                file.write_text(text)
                self.refused(self.refuse("relative_performance_cdf.py", "--selector", file), "picks.csv", part)
        file.unlink()
        self.refused(self.refuse("relative_performance_cdf.py", "--selector", file), "No such file")

    def test_names_of_figures(self) -> None:
        build(self.database).close()
        run = self.script("configurations_by_class.py", self.database, "--output", self.folder / "f.gif")
        self.assertEqual(run.returncode, 2)
        self.assertIn("does not end in .png, .svg or .pdf", run.stderr)
        for script in ("configurations_by_class.py", "relative_performance_cdf.py"):
            run = self.script(script, self.database, "--output", self.folder / "f.pdf", "--width", "column")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            box = re.search(rb"/MediaBox \[ 0 0 ([0-9.]+) ", (self.folder / "f.pdf").read_bytes())
            self.assertAlmostEqual(float(box[1]), 72 * style.COLUMN_INCHES)
        (self.folder / "taken").write_text("")
        run = self.script("configurations_by_class.py", self.database, "--output", self.folder / "taken" / "f.png")
        self.refused(run, "taken")


class Checks(unittest.TestCase):
    """The checks of figures that other tests use."""

    def test_texts_that_overlap(self):
        figure, (axes,) = style.new_figure(4, 3, is_table=True)
        self.addCleanup(style.plt.close, figure)
        axes.text(0.5, 0.5, "first")
        self.assertEqual([fault for fault in figure_checks.faults(figure) if "overlap" in fault], [])
        axes.text(0.52, 0.5, "second")
        self.assertIn("texts overlap: 'first', 'second'", figure_checks.faults(figure))


class Scripts(Files):
    def test_help_and_executable(self) -> None:
        for script, run in zip(SCRIPTS, self.at_once([(script, "--help") for script in SCRIPTS])):
            with self.subTest(script):
                self.assertTrue((PLOTS / script).stat().st_mode & stat.S_IXUSR)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertIn("--device", run.stdout)
        run = self.script("performance_over_budget.py", "--help")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertTrue((PLOTS / "performance_over_budget.py").stat().st_mode & stat.S_IXUSR)


if __name__ == "__main__":
    unittest.main()
