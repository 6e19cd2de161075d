#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the verdicts on the papers' findings: the rules by which they are judged, and that the verdict on each
finding of each figure depends on the recorded numbers.

usage: test_verdicts.py MLMQ [UNITTEST ARGUMENTS]
"""

from __future__ import annotations

import dataclasses
import importlib
import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice, product
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
from plots_test import PLOTS  # noqa: E402  (it makes plots/ importable)

import numpy as np  # noqa: E402
import adds_timeline  # noqa: E402
import mlmq_fig10  # noqa: E402
import pq_fig5  # noqa: E402
import reproduction  # noqa: E402
import results  # noqa: E402
import style  # noqa: E402
import verdicts  # noqa: E402
from verdicts import DIFFERS, HOLDS, PARTLY, Finding, Verdict  # noqa: E402

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))
import share  # noqa: E402

PAPERS = ("mlmq", "adds", "pq")


class Rules(unittest.TestCase):
    def judged(self, lead: Sequence[float], ours: float | str | None = None, paper: Sequence[float] = (),
               **more: float) -> Verdict:
        """Judges a finding, with a number of the paper if `paper` is given."""
        finding = Finding("a finding", np.array(lead), "measure" if paper else "", **more)
        return verdicts.judge(finding, {"measure": ours, "other": 1.0}, {"measure": paper, "other": [9.0]})

    def test_holds_from_four_fifths_of_the_inputs(self) -> None:
        # In the mean the paper's side is behind.
        self.assertEqual(self.judged([1.01] * 4 + [0.1]),
                         Verdict(HOLDS, "4 of 5 inputs, 0.636× in the mean"))
        self.assertEqual(self.judged([1.01] * 79 + [0.1] * 21).name, DIFFERS)
        self.assertEqual(self.judged([1.01] * 80 + [0.1] * 20).name, HOLDS)

    def test_partly_by_the_geometric_mean(self) -> None:
        self.assertEqual(self.judged([4.0, 0.5]), Verdict(PARTLY, "1 of 2 inputs, 1.41× in the mean"))
        self.assertEqual(self.judged([2.0, 0.5]).name, DIFFERS)  # the mean is 1
        self.assertEqual(self.judged([1.0, 1.0]).name, DIFFERS)
        self.assertEqual(self.judged([0.9, 0.9, 0.9, 2.0]).name, PARTLY)

    def test_unknown_inputs_do_not_count(self) -> None:
        self.assertEqual(self.judged([np.nan, 2.0, 0.25]), Verdict(DIFFERS, "1 of 2 inputs, 0.707× in the mean"))
        self.assertEqual(self.judged([np.nan, 2.0]).name, HOLDS)
        self.assertEqual(self.judged([np.nan, np.nan]), Verdict("", "not on record"))
        self.assertEqual(self.judged([]), Verdict("", "not on record"))

    def test_a_count_or_a_time_may_be_zero(self) -> None:
        self.assertEqual(self.judged([0.0, 3.0]).name, DIFFERS)
        self.assertEqual(self.judged([np.inf]), Verdict(HOLDS, "far above what is needed"))
        self.assertEqual(self.judged([np.inf, 1e-3]).name, PARTLY)

    def test_number_of_the_paper(self) -> None:
        for number, expected in ((4.9, DIFFERS), (5.0, HOLDS), (40.0, HOLDS), (40.1, DIFFERS)):
            self.assertEqual(self.judged([], number, [10.0, 20.0]).name, expected, number)
        self.assertEqual(self.judged([], 12.34, [10.0, 20.0]), Verdict(HOLDS, "here 12.3, paper 10 to 20"))
        self.assertEqual(self.judged([], 1234.4, [1e4]).numbers, "here 1,234, paper 10,000")
        self.assertEqual(self.judged([], 70.0, [10.0, 20.0], factor=4).name, HOLDS)
        self.assertEqual(self.judged([], 32.0, [32.0], factor=1).name, HOLDS)
        self.assertEqual(self.judged([], 64.0, [32.0], factor=1).name, DIFFERS)
        self.assertEqual(self.judged([], 0.0, [32.0]).name, DIFFERS)
        for missing in (None, "a name"):
            self.assertEqual(self.judged([2.0], missing, [10.0]), Verdict("", "not on record"))

    def test_order_and_number(self) -> None:
        self.assertEqual(self.judged([2.0, 3.0], 12.0, [10.0]),
                         Verdict(HOLDS, "2 of 2 inputs, 2.45× in the mean; here 12, paper 10"))
        # The order holds, but by far more or less than in the paper.
        self.assertEqual(self.judged([2.0, 3.0], 30.0, [10.0]).name, PARTLY)
        self.assertEqual(self.judged([2.0, 0.1], 12.0, [10.0]).name, DIFFERS)
        # A paper without a number for a device is not compared.
        self.assertEqual(verdicts.judge(Finding("f", np.array([2.0]), "measure"), {"measure": 1.0}, {}).name, HOLDS)

    def test_limits(self) -> None:
        self.assertEqual(self.judged([1.6, 1.7], limit=verdicts.MUCH),
                         Verdict(HOLDS, "2 of 2 inputs, 1.65× in the mean, 1.5× needed"))
        # Ahead, but not by much.
        self.assertEqual(self.judged([1.4], limit=verdicts.MUCH), Verdict(PARTLY, "1.4×, 1.5× needed"))
        self.assertEqual(self.judged([0.9], limit=verdicts.MUCH).name, DIFFERS)
        alike = verdicts.alike(np.array([3.0, 5.0, np.nan, 2.0]), np.array([6.1, 4.0, 1.0, 2.0]))
        np.testing.assert_allclose(alike, [3 / 6.1, 0.8, np.nan, 1])
        self.assertEqual(self.judged(alike, limit=verdicts.ALIKE).name, PARTLY)
        self.assertEqual(self.judged(alike[1:], limit=verdicts.ALIKE).name, HOLDS)
        self.assertEqual(self.judged(alike[:1], limit=verdicts.ALIKE).name, DIFFERS)

    def test_leads_of_one_number(self) -> None:
        self.assertEqual(self.judged(verdicts.single(60.0, 50.0)), Verdict(HOLDS, "1.2× what is needed"))
        self.assertEqual(self.judged(verdicts.single(40.0, 50.0)).name, DIFFERS)
        self.assertEqual(self.judged(verdicts.below(40.0, 50.0)).name, HOLDS)
        self.assertEqual(self.judged(verdicts.below(0.0, 50.0)).name, HOLDS)
        self.assertEqual(self.judged(verdicts.below(60.0, 50.0)).name, DIFFERS)
        for lead in (verdicts.single(None, 1), verdicts.below(None, 1)):
            self.assertEqual(self.judged(lead).name, "")

    def test_verdict_on_a_figure(self) -> None:
        for names, expected in (((HOLDS, HOLDS), HOLDS), ((HOLDS, PARTLY), PARTLY), ((PARTLY,), PARTLY),
                                ((HOLDS, DIFFERS), PARTLY), ((HOLDS, DIFFERS, DIFFERS), DIFFERS),
                                ((DIFFERS, DIFFERS, HOLDS, HOLDS), PARTLY), ((DIFFERS,), DIFFERS),
                                ((HOLDS, ""), PARTLY), (("", DIFFERS, DIFFERS, HOLDS), DIFFERS), (("",), ""), ((), "")):
            self.assertEqual(verdicts.overall(names), expected, names)


@dataclasses.dataclass(frozen=True)
class Quantity:
    """Numbers of one kind: times, those of a counter, of a feature of workloads, or of a timeline."""

    kind: str
    name: str = ""  # "": all of the kind


TIMES, COUNTERS = Quantity("times"), Quantity("counter")
TIMELINE, BEGINNING = Quantity("timeline"), Quantity("beginning of the timeline")
Inputs = frozenset[tuple[str, str]]  # by hash of the workload, and query


@dataclasses.dataclass(frozen=True)
class Scaling:
    """Multiplies a quantity of some configurations on some inputs. None: of all."""

    quantity: Quantity
    factor: float
    configurations: frozenset[str] | None = None  # by hash
    inputs: Inputs | None = None
    to_the_power: float = 1.0  # before the multiplication; 0.001 makes numbers about equal

    def of(self, quantity: Quantity, values: np.ndarray, times: results.Times) -> np.ndarray:
        """Returns scaled numbers, which are shaped like the times."""
        if quantity.kind != self.quantity.kind or self.quantity.name not in ("", quantity.name):
            return values
        rows = [row for row, instance in enumerate(times.inputs)
                if self.inputs is None or (instance.workload_hash, instance.query) in self.inputs]
        columns = [column for column, configuration in enumerate(times.configurations)
                   if self.configurations is None or configuration.hash in self.configurations]
        result = values.copy()
        result[np.ix_(rows, columns)] = values[np.ix_(rows, columns)] ** self.to_the_power * self.factor
        return result

    def of_times(self, times: results.Times) -> results.Times:
        """Returns scaled times. A run that was stopped at its time limit is one that finishes if it is faster."""
        milliseconds = self.of(TIMES, times.milliseconds, times)
        if times.limits is None:
            return dataclasses.replace(times, milliseconds=milliseconds)
        limits = self.of(TIMES, times.limits, times)
        finished = limits < times.limits
        return dataclasses.replace(times, milliseconds=np.where(finished, limits, milliseconds),
                                   limits=np.where(finished, np.nan, limits))


UNCHANGED = Scaling(TIMES, 1.0)
FEW_INPUTS = 16
MOST_SCALINGS = 2000  # of a figure
# Findings that hold by the bounds of stopped runs: other times of the others leave them undecided, but cannot make them
# differ.
BY_BOUNDS = {"pq/table3": ["On 1024², each sequential circular buffer is more than ten times as slow as the fastest "
                           "queue (section IV-B2)"]}
FAR = (1000.0, 0.001)
# For numbers that should be alike: in small steps.
NEAR = tuple(factor for power in range(1, 9) for factor in (1.5**power, 1.5**-power))


class Record:
    """The recorded numbers of a figure, which are read once, and what its script finds when some are multiplied."""

    def __init__(self, request: reproduction.Request, trials: reproduction.Trials) -> None:
        self.request = request
        self.trials = trials
        self.draw = importlib.import_module(request.figure.replace("/", "_")).draw
        self.quantities: dict[Quantity, None] = {TIMES: None}  # those that the script reads, in order
        self.tables = [trials.times]  # times of the device, and of the processors
        self.base: list[tuple[str, Verdict]] = []  # findings and their verdicts without scaling
        self.effective: set[Quantity] = set()  # quantities that have changed a verdict or its numbers
        self._cached: dict[tuple[object, ...], object] = {}
        self._originals = {name: getattr(results, name) for name in ("choose_device", "times_of", "counts_of",
                                                                     "reported_by", "feature_of", "reached_of",
                                                                     "half_widths_of")}
        self._timeline, self._cells = mlmq_fig10.timeline_of, pq_fig5.timeline_of
        self._parallelism = adds_timeline.parallelism_of

    def drawn(self, scaling: Scaling) -> tuple[Mapping[str, reproduction.Ours], Sequence[Finding]]:
        """Returns our numbers and the findings; none if the scaled record lacks what the figure shows."""
        with ExitStack() as stack:
            self._replace(stack, scaling)
            try:
                figure, ours, findings = self.draw(
                    self.request, dataclasses.replace(self.trials, times=scaling.of_times(self.trials.times)))
            except results.NotOnRecord:
                return {}, []
            style.plt.close(figure)
        return ours, findings

    def findings(self, scaling: Scaling) -> list[tuple[str, Verdict]]:
        """Returns the findings' statements and verdicts."""
        ours, findings = self.drawn(scaling)
        judged = reproduction.judged(self.request, ours, findings)
        found = [(finding.statement, verdict) for finding, verdict in zip(findings, judged)]
        self.base = self.base or found
        if found != self.base:
            self.effective.add(scaling.quantity)
        return found

    def once(self, name: str, *arguments: object) -> object:
        """Returns what a function of `results` returns for these arguments, which is called once."""
        key = (name, *(argument.id if isinstance(argument, results.Device) else
                       tuple(argument.inputs) if isinstance(argument, results.Times) else argument
                       for argument in arguments))
        if key not in self._cached:
            self._cached[key] = self._originals[name](self.trials.connection, *arguments)
        return self._cached[key]

    def _replace(self, stack: ExitStack, scaling: Scaling) -> None:
        """Replaces what reads the record by scaled numbers, and what takes long by nothing."""
        def times_of(_: object, device: results.Device, *arguments: object) -> results.Times:
            times = self.once("times_of", device, *arguments)
            if all(times is not table for table in self.tables):
                self.tables.append(times)
            return scaling.of_times(times)

        def choose_device(_: object, *arguments: object) -> results.Device:
            return self.once("choose_device", *arguments)

        def counts_of(_: object, device: results.Device, problem: str, times: results.Times, counter: str,
                      per: str = "") -> np.ndarray:
            quantity = Quantity("counter", counter)
            self.quantities.update({COUNTERS: None, quantity: None})
            return scaling.of(quantity, self.once("counts_of", device, problem, times, counter, per), times)

        def reported_by(_: object, device: results.Device, problem: str, times: results.Times, counter: str,
                        measurement: str = "time") -> np.ndarray:
            quantity = Quantity("counter", f"{counter} of {measurement}")
            self.quantities.update({COUNTERS: None, quantity: None})
            values = self.once("reported_by", device, problem, times, counter, measurement)
            if measurement == "time":
                # A run that finishes when scaled reports what the others do.
                finished = np.isfinite(times.milliseconds) & np.isnan(values)
                values = np.where(finished, np.fmax.reduce(values, axis=1)[:, None], values)
            return scaling.of(quantity, values, times)

        def feature_of(_: object, times: results.Times, name: str) -> np.ndarray:
            quantity = Quantity("feature", name)
            self.quantities[quantity] = None
            values = np.broadcast_to(self.once("feature_of", times, name)[:, None], times.milliseconds.shape)
            return scaling.of(quantity, values, times)[:, 0]

        def factors_of(times: results.Times, row: int, column: int, intervals: int) -> np.ndarray:
            ones = np.ones(times.milliseconds.shape)
            whole, part = (float(scaling.of(quantity, ones, times)[row, column]) for quantity in (TIMELINE, BEGINNING))
            return whole * np.where(np.arange(intervals) < intervals // 2, part, 1.0)

        def timeline_of(trials: reproduction.Trials, row: int, column: int) -> mlmq_fig10.Timeline | None:
            self.quantities.update({TIMELINE: None, BEGINNING: None})
            if ("timeline", row, column) not in self._cached:
                self._cached["timeline", row, column] = self._timeline(self.trials, row, column)
            if (line := self._cached["timeline", row, column]) is None:
                return None
            factors = factors_of(trials.times, row, column, len(line.warps))
            return dataclasses.replace(line, vertices=line.vertices * factors, warps=line.warps * factors,
                                       best_ms=float(trials.times.milliseconds[row, column]))

        def parallelism_of(trials: reproduction.Trials, row: int, column: int) -> np.ndarray | None:
            if ("parallelism", row, column) not in self._cached:
                self._cached["parallelism", row, column] = self._parallelism(self.trials, row, column)
            if (values := self._cached["parallelism", row, column]) is None:
                return None
            return values * factors_of(trials.times, row, column, len(values))

        def cells_of(trials: reproduction.Trials) -> tuple[int, dict[str, list[int]]] | None:
            self.quantities[TIMELINE] = None
            recorded = self._cells(trials)
            if recorded is None or scaling.quantity != TIMELINE:
                return recorded
            row, curves = recorded
            cells = set(range(int(pq_fig5.SIDE.match(trials.times.inputs[row].workload)[1]) ** 2))
            free = sorted(cells.difference(curves["blocked"]))
            # A search visits its path at least, and all free cells at most.
            return row, curves | {f"search {search}": free if scaling.factor > 1 else curves[f"path {search}"]
                                  for search in range(pq_fig5.SEARCHES)}

        def reached_of(_: object, times: results.Times) -> np.ndarray:
            return self.once("reached_of", times)

        def half_widths_of(_: object, *arguments: object) -> np.ndarray:
            return self.once("half_widths_of", *arguments)

        stack.enter_context(mock.patch.multiple(results, choose_device=choose_device, times_of=times_of,
                                                counts_of=counts_of, reported_by=reported_by, feature_of=feature_of,
                                                reached_of=reached_of, half_widths_of=half_widths_of))
        stack.enter_context(mock.patch.object(mlmq_fig10, "timeline_of", timeline_of))
        stack.enter_context(mock.patch.object(adds_timeline, "parallelism_of", parallelism_of))
        stack.enter_context(mock.patch.object(pq_fig5, "timeline_of", cells_of))
        stack.enter_context(mock.patch.multiple(style, finish=mock.DEFAULT, legend_below=mock.DEFAULT))
        stack.enter_context(mock.patch.object(style.Axes, "text"))

    def scalings(self) -> Iterator[Scaling]:
        """Yields those that turn most verdicts first. Quantities without effect on all inputs are left out of the
        finer ones."""
        (main, columns), (coarse, single) = configuration_groups(self.tables), input_groups(self.trials.times)
        every = list(self.quantities)
        by_column = [quantity for quantity in every if quantity.kind != "feature"]
        yield from scalings_of([TIMES, COUNTERS], FAR, main, [None])
        yield from scalings_of(every, FAR, [None], [None, *coarse])
        few = [TIMES] if TIMES in self.effective and len(single) <= FEW_INPUTS else []
        yield from scalings_of(few, FAR, main, coarse + single)
        yield from scalings_of(by_column, FAR, main, [None])
        yield from (Scaling(quantity, 1.0, to_the_power=0.001) for quantity in every)
        yield from scalings_of(by_column, FAR, columns, [None])
        by_column = [quantity for quantity in by_column if quantity in self.effective]
        yield from scalings_of(by_column, NEAR, main, [None])
        yield from scalings_of(by_column, FAR, columns, coarse + single)


def scalings_of(quantities: Sequence[Quantity], factors: Sequence[float],
                configurations: Sequence[frozenset[str] | None], inputs: Sequence[Inputs | None]) -> Iterator[Scaling]:
    return (Scaling(quantity, factor, columns, rows)
            for columns, rows, quantity, factor in product(configurations, inputs, quantities, factors))


def configuration_groups(tables: Sequence[results.Times]) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Returns the configurations of each family, solver and queue, and those of each value of any parameter, and with
    it."""
    main: dict[tuple[object, ...], set[str]] = {}
    further: dict[tuple[object, ...], set[str]] = {}
    configurations = {configuration.hash: configuration for times in tables for configuration in times.configurations}
    for configuration in configurations.values():
        parameters = configuration.parameters
        for key in (("family", configuration.family), ("solver", parameters.get("solver")),
                    ("queue", parameters.get("queue"))):
            main.setdefault(key, set()).add(configuration.hash)
        for name, value in parameters.items():
            for key in ((name, value), (name, value not in (None, "none"), "is set")):
                further.setdefault(key, set()).add(configuration.hash)
    first = dict.fromkeys(map(frozenset, main.values()))
    return list(first), list(first | dict.fromkeys(map(frozenset, further.values())))


def input_groups(times: results.Times) -> tuple[list[Inputs], list[Inputs]]:
    """Returns the inputs of each class and each half, and each input by itself."""
    names = [(instance.workload_hash, instance.query) for instance in times.inputs]
    coarse: dict[object, set[tuple[str, str]]] = {}
    for place, (name, instance) in enumerate(zip(names, times.inputs)):
        for key in (instance.workload_class, 2 * place < len(names)):
            coarse.setdefault(key, set()).add(name)
    return list(dict.fromkeys(map(frozenset, coarse.values()))), [frozenset([name]) for name in names]


PROGRAM = ""


class Recorded(unittest.TestCase):
    """The figures of the papers from the record that comes with the program."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        # The program writes the requests and calls a Python that draws nothing.
        subprocess.run([PROGRAM, "reproduce", *PAPERS, "--recorded", "--output", folder.name], check=True,
                       stdout=subprocess.DEVNULL, env=os.environ | {"MLMQ_PYTHON": "true"})
        cls.requests = [reproduction.read_request(file) for file in sorted(Path(folder.name).glob("*.json"))]

    def test_all_figures_are_there(self) -> None:
        stems = {request.figure.replace("/", "_") for request in self.requests}
        scripts = {script.stem for paper in PAPERS for script in PLOTS.glob(f"{paper}_*.py")
                   if script.stem[-1].isdigit()}
        self.assertEqual(stems, scripts)

    def test_every_verdict_follows_the_numbers(self) -> None:
        for request in self.requests:
            if not share.is_in_share(request.figure):
                continue
            with self.subTest(request.figure), reproduction.trials_of(request) as trials:
                record = Record(request, trials)
                unturned = self.unturned(record)
                self.assertEqual(unturned, {}, "no scaling of the record gives these findings the missing verdict")

    def unturned(self, record: Record) -> dict[str, str]:
        """Returns the findings that no scaling makes hold at least partly, or differ, and what is missing."""
        seen: dict[str, set[bool]] = {}

        def note(findings: Sequence[tuple[str, Verdict]]) -> None:
            for statement, verdict in findings:
                seen.setdefault(statement, set()).update({verdict.name != DIFFERS} if verdict.name else set())

        base = record.findings(UNCHANGED)
        self.assertEqual(len({statement for statement, _ in base}), len(base), "two findings with one statement")
        self.assertTrue(base, "not on record")
        self.assertEqual([statement for statement, verdict in base if not verdict.name], [], "not on record")
        note(base)
        for scaling in islice(record.scalings(), MOST_SCALINGS):
            if all(len(verdict) == 2 for verdict in seen.values()):
                break
            note(record.findings(scaling))
        return {statement: "differs" if True in verdict else "holds or partly"
                for statement, verdict in seen.items()
                if len(verdict) < 2 and statement not in BY_BOUNDS.get(record.request.figure, [])}

    def test_measures_have_numbers_of_the_paper(self) -> None:
        for request in self.requests:
            stated = {number.measure for number in request.paper if not isinstance(number.value, str)}
            with self.subTest(request.figure), reproduction.trials_of(request) as trials:
                ours, findings = Record(request, trials).drawn(UNCHANGED)
                for finding in findings:
                    self.assertIn(finding.measure, stated | {""}, finding.statement)
                    self.assertIn(finding.measure, {*ours, ""}, finding.statement)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = sys.argv.pop(1)
    unittest.main()
