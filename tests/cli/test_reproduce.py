# SPDX-License-Identifier: Apache-2.0
"""`mlmq reproduce` from the user's point of view: figures of tiny graphs on the simulator, from the sweep to the files.

Needs a Python with numpy and matplotlib.
"""

import csv
import importlib
import json
import os
import re
import resource
import shutil
import sqlite3
import struct
import sys
import warnings
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "plots"), os.path.join(ROOT, "tests", "plots"),
                os.path.join(ROOT, "tests", "support")]

import figure_checks  # noqa: E402  in tests/plots
import program_test  # noqa: E402  in this folder
import reproduction  # noqa: E402  in plots
import share  # noqa: E402  in tests/support
import style  # noqa: E402
import synthetic  # noqa: E402  in tests/plots
from program_test import ProgramTest  # noqa: E402

TINY = ("--workloads", "road5", "road6")


def rows_of(png):
    """Returns the filtered rows of a PNG file written by matplotlib (8 bits, RGBA, not interlaced). The rows of a blank
    picture are equal."""
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", png[16:29])
    assert (depth, colour, interlaced) == (8, 6, 0)
    data, at = b"", 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += 12 + length
    raw = zlib.decompress(data)
    stride = 4 * width + 1
    return [raw[row * stride + 1:(row + 1) * stride] for row in range(height)]


class Reproducing(ProgramTest):
    def reproduce(self, *arguments, **settings):
        # A long sweep prints its progress on stderr.
        code, output, errors = self.run_long("reproduce", *arguments, **settings)
        self.assertEqual(code, 0, f"mlmq reproduce {arguments}: {output}{errors}")
        return output

    def run_long(self, *arguments, **settings):
        process = self.start(*arguments, **settings)
        output, errors = process.communicate(timeout=500)
        return process.returncode, output.decode(), errors.decode()

    def simulated(self, *figures, database="r.sqlite"):
        return self.reproduce(*figures, "--device", "simt", *TINY, "--db", database, "--output", "out")

    def check_figure(self, stem):
        """Checks that both pictures exist and are not blank; returns the rows of the table."""
        with open(self.path(f"out/{stem}.png"), "rb") as file:
            rows = rows_of(file.read())
        self.assertGreater(len(set(rows)), 20, f"{stem}.png is blank")
        svg = self.read(f"out/{stem}.svg").decode()
        self.assertTrue(svg.rstrip().endswith("</svg>"))
        self.assertGreater(svg.count("<path"), 20)
        with open(self.path(f"out/{stem}.csv"), newline="", encoding="utf-8") as file:
            # Our numbers come before those of the paper.
            return list(csv.DictReader(file))[::-1]

    def test_figures_from_sweeps_to_files(self):
        output = self.simulated("mlmq/table4", "mlmq/fig10")
        self.assertIn("modelled times", output)

        table = {row["measure"]: row for row in self.check_figure("mlmq_table4")}
        self.assertEqual((table["USA-road-d.NY.vertices"]["paper"], table["USA-road-d.NY.vertices"]["ours"]),
                         ("264000.0", ""))
        self.assertEqual(table["USA-road-d.NY.vertices"]["note"], "not among the graphs")
        info = self.succeed("graph", "info", "road6")
        self.assertIn(str(int(float(table["road6.vertices"]["ours"]))), info)

        rows = {row["measure"]: row for row in self.check_figure("mlmq_fig10")}
        measured = {measure: row for measure, row in rows.items() if row["ours"]}
        self.assertEqual(set(measured), {"small_speedup", "small_warps", "small_work", "large_speedup", "large_warps",
                                         "large_work_saved"})
        for row in measured.values():
            self.assertGreater(float(row["ours"]), 0, row)
        self.assertIn(rows["verdict"]["verdict"], ("holds", "partly", "differs"))
        self.assertIn(f"The paper's findings: {rows['verdict']['verdict']}", output)
        self.assertIn(f"{rows['finding_1']['verdict']}: {rows['finding_1']['what']}", output)
        self.assertEqual((rows["small_work"]["note"], rows["large_work_saved"]["note"]), ("road5", "road6"))
        self.assertIn(rows["small_work"]["what"], output)  # the table is printed too

        # The timelines count every vertex.
        with sqlite3.connect(self.path("r.sqlite")) as connection:
            least = connection.execute(
                """SELECT f.value, sum(p.value) FROM timeline p JOIN trial t ON t.id = p.trial
                   JOIN workload_feature f ON f.workload = t.workload AND f.name = 'm'
                   WHERE p.name = 'vertices' GROUP BY t.id""").fetchall()
            self.assertEqual(len(least), 12)  # 6 configurations on 2 workloads
            for vertices, read in least:
                self.assertGreaterEqual(read, 0.9 * vertices)  # road graphs are almost connected
            (most,) = connection.execute("SELECT max(value) FROM timeline WHERE name = 'active_warps'").fetchone()
            self.assertLessEqual(most, 4 * 32)

        # The second run measures nothing and draws the same picture.
        before = self.read("out/mlmq_fig10.png")
        again = self.simulated("mlmq/fig10")
        self.assertIn(", 0 in this run", again)
        self.assertEqual(self.read("out/mlmq_fig10.png"), before)

        # Draw from the recorded data without running anything.
        output = self.reproduce("mlmq/fig10", "--recorded", "--db", "r.sqlite", "--output", "out")
        self.assertIn("recorded", output)
        self.assertNotIn("in this run", output)
        self.assertNotEqual(self.read("out/mlmq_fig10.png"), before)  # the picture says so
        self.refuse("reproduce", "mlmq/fig8", "--recorded", "--db", "r.sqlite", "--device", "H100", "--output", "out",
                    says=("H100", "simt"), prints=True)

        # Another device has trials, but not of this figure.
        self.write("other.yaml", program_test.SMALL_SPACE)
        self.succeed("sweep", "other.yaml", "--db", "r.sqlite", "--device", "simt:1x8", "--workloads", "road5")
        self.reproduce("mlmq/fig10", "--recorded", "--db", "r.sqlite", "--output", "out")

        # A record without one trial is incomplete; without a series or a kind of measurement it is of no use.
        self.assertIn('"incomplete": false', self.read("out/mlmq_fig10.json").decode())
        recorded = ("mlmq/fig10", "--recorded", "--db", "r.sqlite", "--output", "part")
        self.remove_trials("label LIKE '%l2=bucket%wb=32%' AND label LIKE '%threads=512%'",
                           "workload = (SELECT max(workload) FROM trial) AND measurement = 'time'")
        self.reproduce(*recorded)
        self.assertIn('"incomplete": true', self.read("part/mlmq_fig10.json").decode())
        self.remove_trials("label LIKE '%l2=bucket%wb=32%' AND label LIKE '%threads=512%'")
        self.reproduce(*recorded)
        self.assertIn('"incomplete": true', self.read("part/mlmq_fig10.json").decode())
        self.remove_trials("label LIKE '%solver=adds%'")
        self.refuse("reproduce", *recorded, says="4 of 6 configurations (none with solver=adds);", code=1)

    def remove_trials(self, configurations, condition="1"):
        """Removes trials that meet a condition, of configurations that meet another, from r.sqlite."""
        with sqlite3.connect(self.path("r.sqlite")) as connection:
            removed = connection.execute(
                f"DELETE FROM trial WHERE configuration IN (SELECT id FROM configuration WHERE {configurations}) AND "
                f"{condition}")
            self.assertGreater(removed.rowcount, 0)
        connection.close()

    def test_simulations_and_path_finding(self):
        # The small workloads for the third paper's figures are files that list the workloads with their queries.
        output = self.reproduce("pq/table1", "pq/table3", "--device", "simt", "--db", "r.sqlite", "--output", "out")
        self.assertIn("2 of 2 figures drawn", output)
        rows = {row["measure"]: row for row in self.check_figure("pq_table1")}
        for queue in ("cb_seq", "cb_seq_sp", "cb_par", "heap", "splay"):
            for measure in ("rate", "comparisons", "moves"):
                self.assertGreater(float(rows[f"{measure}_{queue}"]["ours"]), 0)
            self.assertEqual(rows[f"dram_{queue}"]["ours"], "")
        # The paper's number is of a larger model.
        self.assertEqual(rows["rate_heap"]["paper"], "")
        self.assertIn("20400000.0", self.read("out/pq_table1.csv").decode())
        rows = {row["measure"]: row for row in self.check_figure("pq_table3")}
        for queue in ("cb_seq", "cb_seq_sp", "cb_par", "heap", "splay"):
            self.assertGreater(float(rows[f"rate_16_{queue}"]["ours"]), 0)
            self.assertEqual(rows[f"rate_64_{queue}"]["note"], "not measured")

    def test_budget(self):
        code, output, errors = self.run_long("reproduce", "mlmq/table4", "--device", "simt", *TINY, "--budget", "600us",
                                             "--db", "b.sqlite", "--output", "out")
        self.assertIn("stopped; rerun this command to continue", output)
        # A trial may or may not finish in this time; without one, the command reports that it has nothing to draw.
        if code == 0:
            self.assertIn('"incomplete": true', self.read("out/mlmq_table4.json").decode())
        else:
            self.assertIn("no finished trials", errors)
        self.assertIn("2 of 2 trials done", self.simulated("mlmq/table4", database="b.sqlite"))
        self.assertIn('"incomplete": false', self.read("out/mlmq_table4.json").decode())

        # A figure without recorded data is reported in one line, and the others are drawn.
        recorded = ("--recorded", "--db", "b.sqlite", "--output", "out")
        output = self.succeed("reproduce", "mlmq/fig10", "mlmq/table4", *recorded)
        lines = output.splitlines()
        self.assertRegex(lines[0], r"^mlmq/fig10: not on record: 6 of 6 configurations .*, timelines; ")
        self.assertTrue(lines[1].startswith("mlmq/table4: "), output)
        self.assertEqual(lines[-1], "1 of 2 figures drawn in out")
        # The table is long: it has some rows, a summary, and the name of the file with all rows.
        self.assertRegex(output, r"\n… \d+ more rows in mlmq_table4.csv\n")
        self.assertLess(len(lines), 25)
        # The command fails when there is nothing to draw.
        self.refuse("reproduce", "mlmq/fig10", *recorded, says="timelines", code=1)
        code, output, _ = self.run_program("reproduce", "mlmq/fig10", "mlmq/fig11", *recorded)
        self.assertEqual((code, output.count("not on record")), (1, 2))

    def test_list(self):
        lines = self.succeed("reproduce", "--list").splitlines()
        names = [line.split()[0] for line in lines]
        self.assertEqual(len(names), 34 + 3)  # those of the papers, and three of our own
        self.assertLess(names.index("mlmq/fig9"), names.index("mlmq/fig10"))
        self.assertIn("Speed-up over ADDS on many graphs", "\n".join(lines))

    def test_mistakes(self):
        self.refuse("reproduce", says="--list")
        self.refuse("reproduce", "mlmq/fig33", says=("no figure 'mlmq/fig33'", "did you mean 'mlmq/fig3'"))
        self.refuse("reproduce", "mlmq/fig9", "--recorded", "--quick", says="cannot be combined with")
        self.refuse("reproduce", "mlmq/fig9", "--recorded", "--workers", "2", says="cannot be combined with")
        self.refuse("reproduce", "mlmq/fig9", "--device", "cpu", says="need a GPU or the simulator")
        self.refuse("reproduce", "mlmq/fig9", "--workloads", "road5", "--quick", says="cannot be combined")
        self.refuse("reproduce", "mlmq/fig9", "--budget", "-1", says="--budget")
        self.refuse("reproduce", "mlmq/fig9", "--device", "simt", environment={"MLMQ_PYTHON": "/nowhere"},
                    says=("/nowhere", "python3-matplotlib"))
        self.assertEqual(self.names(), [])

    def test_figures_that_would_write_the_same_files(self):
        self.succeed("new", "figure", "mine")
        shutil.copy(self.path("mine/mine.yaml"), self.path("mine/copy.yaml"))
        self.refuse("reproduce", "mine/mine.yaml", "mine/copy.yaml", "--recorded", "--output", "out",
                    says=("mine/mine.yaml and mine/copy.yaml would both be drawn as mine_fig1.svg",))
        text = self.read("mine/mine.yaml").decode()
        self.write("mine/copy.yaml", text.replace("figure: mine/fig1", "figure: mlmq/fig9"))
        self.refuse("reproduce", "mine/copy.yaml", "mlmq", "--recorded", "--output", "out",
                    says=("mine/copy.yaml and ", "would both be drawn as mlmq_fig9.svg"))
        self.assertFalse(os.path.exists(self.path("out")))

    def test_record_that_lacks_something(self):
        # The selectors' record has no sweep over an adaptive Δ.
        record = os.path.join(ROOT, "experiments", "recorded", "results.trials")
        code, _, errors = self.run_program("reproduce", "own/fig1", "--recorded", "--db", record, "--output", "out")
        self.assertEqual(code, 1, errors)
        self.assertRegex(errors, r"\Amlmq: own/fig1: not on record: 26 of 26 configurations.*"
                                 r"; measure it with 'mlmq reproduce own/fig1 --device cuda:0' \(about \d GPU min")
        self.assertEqual(os.listdir(self.path("out")), [])

    def test_a_figure_that_lacks_trials_does_not_end_the_others(self):
        with open(os.path.join(ROOT, "experiments", "mlmq_fig9.yaml"), encoding="utf-8") as file:
            sweep = file.read()
        # Without the program that the figure compares with.
        self.write("lacking.yaml", re.sub(r"(?m)^  - \{solver: adds.*\n(     .*\n)*", "", sweep))
        with open(os.path.join(ROOT, "experiments", "figures", "mlmq_fig9.yaml"), encoding="utf-8") as file:
            figure = file.read()
        self.write("own.yaml", figure.replace("mlmq/fig9", "own/fig9").replace("../mlmq_fig9.yaml", "lacking.yaml"))
        code, output, errors = self.run_program("reproduce", "own.yaml", "mlmq/fig9", *TINY, "--device", "simt")
        self.assertEqual(code, 1, errors)
        self.assertRegex(output, r"(?m)^own/fig9: not measured yet: .*; rerun the command to continue$")
        self.assertIn("1 of 2 figures drawn", output)
        self.assertIn("mlmq_fig9.svg", os.listdir(self.path("out/reproduce")))

    def test_recorded_workloads(self):
        self.reproduce("mlmq/fig9", *TINY, "--device", "simt", "--db", "r.sqlite")
        self.reproduce("mlmq/fig9", "--recorded", "--db", "r.sqlite", "--workloads", "road5", "--output", "one")
        with open(self.path("one/mlmq_fig9.json"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["workloads"]), 1)
        self.reproduce("mlmq/fig9", "--recorded", "--db", "r.sqlite", "--workloads", "graphs/road?", "--output", "two")
        with open(self.path("two/mlmq_fig9.json"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["workloads"]), 2)
        self.refuse("reproduce", "mlmq/fig9", "--recorded", "--db", "r.sqlite", "--workloads", "road7", code=1,
                    says="no workload 'road7'; did you mean 'road5'")

    def test_selectors_choose_among_queues_that_were_tried_on_all_graphs(self):
        """Draws a figure from a search that has tried other parameters on each graph."""
        queues = [synthetic.configuration(l1, l2, threads=256) for l1 in ("none", "vector")
                  for l2 in ("vector", "bucket")]
        database = synthetic.Database(self.path("search.sqlite"))
        device = database.device("NVIDIA H200")
        for index in range(8):
            graph = database.graph(f"g{index}", "mesh", vertices=1000 << index)
            others = [queues[3] | {"delta": float(index + 1)}, queues[3] | {"reduction": "core"}, {"solver": "adds"}]
            for place, parameters in enumerate([*queues, *others]):
                database.trial(device, graph, parameters, 10.0 - place - index % 2, experiment="search")
        database.close()
        with open(os.path.join(ROOT, "experiments", "figures", "mlmq_fig12.yaml"), encoding="utf-8") as file:
            figure = file.read()
        sweep = os.path.join(ROOT, "experiments", "mlmq_fig12.yaml")
        self.write("own.yaml", figure.replace("mlmq/fig12", "own/fig12").replace("../mlmq_fig12.yaml", sweep)
                   + "recorded: [search]\n")
        self.reproduce("own.yaml", "--recorded", "--db", "search.sqlite", "--output", "out")
        with open(self.path("out/own_fig12.picks.csv"), newline="", encoding="utf-8") as file:
            picks = list(csv.DictReader(file))
        labels = {synthetic.label_of(parameters) for parameters in queues}
        for column in ("pick", "fixed", "forest", "same_split"):
            self.assertLessEqual({row[column] for row in picks}, labels, column)
        self.assertEqual(len(picks), 8)
        with open(self.path("out/own_fig12.csv"), newline="", encoding="utf-8") as file:
            rows = {row["measure"]: row for row in reversed(list(csv.DictReader(file)))}
        # The queue with its best parameters on each graph takes 5 or 6 ms, the best of those on all graphs 6 or 7.
        self.assertAlmostEqual(float(rows["fixed_mean"]["ours"]), (6 / 7 + 5 / 6) / 2)

    def test_shipped_record(self):
        """Every figure is drawn within the limits of size and time, or reported in one line, without a picture."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        output = self.reproduce("all", "--recorded", "--output", "out",
                                environment={"PYTHONWARNINGS": "error::UserWarning"})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime  # of processor time
        # Two figures are drawn at a time, in less than a minute on two idle cores. Cores that are shared are slower.
        self.assertLess(seconds, 200)
        names = [line.split()[0] for line in self.succeed("reproduce", "--list").splitlines()]
        left_out = re.findall(r"(?m)^(\S+): not on record: [^;]+; measure it with 'mlmq reproduce (\S+) "
                              r"--device cuda:0' \(about \d+ GPU min\)$", output)
        self.assertTrue(all(first == second for first, second in left_out), output)
        drawn = [name for name in names if (name, name) not in left_out]
        self.assertEqual(drawn, names, output)
        files = [name for name in os.listdir(self.path("out")) if not name.endswith(".picks.csv")]
        self.assertEqual(sorted(files),
                         sorted(name.replace("/", "_") + ending for name in drawn
                                for ending in (".csv", ".json", ".pdf", ".png", ".svg")))
        for name in drawn:
            self.check_files(name.replace("/", "_"))
        for name in share.share_of(drawn):
            self.check_parts(name.replace("/", "_"))

    def check_files(self, stem):
        self.check_figure(stem)
        limits = {"png": style.MOST_PNG_BYTES, "svg": style.MOST_VECTOR_BYTES, "pdf": style.MOST_VECTOR_BYTES}
        self.assertLessEqual(max(limits.values()), 1_000_000)
        for ending, most in limits.items():
            self.assertLessEqual(os.path.getsize(self.path(f"out/{stem}.{ending}")), most)
        width, height = struct.unpack(">II", self.read(f"out/{stem}.png")[16:24])
        self.assertLessEqual(max(width, height), 2400)

    def check_parts(self, stem):
        """Draws the figure again, in this process, and looks at its parts."""
        request = reproduction.read_request(reproduction.Path(self.path(f"out/{stem}.json")))
        self.addCleanup(setattr, style, "layout", style.layout)
        with warnings.catch_warnings(), reproduction.trials_of(request) as trials:
            warnings.simplefilter("error", UserWarning)
            for in_column in (False, True):
                style.layout = style.Layout(in_column)
                figure, *_ = importlib.import_module(stem).draw(request, trials)
                self.assertEqual(figure_checks.faults(figure), [], f"{stem}, in a column: {in_column}")

    def test_no_recorded_data(self):
        # A copy of the installed files, without recorded data.
        for folder in ("kernels", "experiments", "plots"):
            os.makedirs(self.path("share"), exist_ok=True)
            shutil.copytree(os.path.join(ROOT, folder), self.path(f"share/{folder}"),
                            ignore=shutil.ignore_patterns("recorded"))
        self.refuse("reproduce", "mlmq/fig9", "--recorded", environment={"MLMQ_KERNELS": self.path("share/kernels")},
                    says=("experiments/recorded/results.trials", "--device simt"), prints=True)


if __name__ == "__main__":
    program_test.main()
