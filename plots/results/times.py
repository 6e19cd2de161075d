# SPDX-License-Identifier: Apache-2.0
"""Median times of inputs and configurations, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import style  # before numpy: says what to do when that is missing

import numpy as np

from results.records import Configuration, Input, ResultsError, full_name

NEAR_BEST = 0.9  # the threshold of MLMQ §5.5


@dataclass
class Times:
    """Median times: `milliseconds[i, c]` of configuration c on input i, NaN if it failed or was not tried."""

    inputs: list[Input]
    configurations: list[Configuration]
    milliseconds: np.ndarray
    unsolved: list[Input]  # inputs that no configuration solved; they are not among `inputs`
    # Time limits of stopped trials, whose times would have been longer; NaN for other trials. None: no trial was
    # stopped.
    limits: np.ndarray | None = None
    unfit: frozenset[int] = frozenset()  # configurations that the device could not run on any input
    tried: np.ndarray | None = None  # whether each configuration was tried on each input; None: all were

    def without_unfit(self) -> "Times":
        """Returns the times without the configurations that the device cannot run."""
        return self.of_configurations([column for column in range(len(self.configurations))
                                       if column not in self.unfit])

    def of_configurations(self, columns: Sequence[int]) -> "Times":
        """Returns these configurations, by index, on the inputs that at least one of them has solved."""
        solved = ~np.isnan(self.milliseconds[:, columns]).all(axis=1)
        kept = np.ix_(solved, columns)
        return Times(inputs=[instance for instance, ok in zip(self.inputs, solved) if ok],
                     configurations=[self.configurations[column] for column in columns],
                     milliseconds=self.milliseconds[kept],
                     unsolved=self.unsolved + [instance for instance, ok in zip(self.inputs, solved) if not ok],
                     limits=None if self.limits is None else self.limits[kept],
                     unfit=frozenset(place for place, column in enumerate(columns) if column in self.unfit),
                     tried=None if self.tried is None else self.tried[kept])

    def of_workloads(self, names: Sequence[str]) -> "Times":
        """Returns the inputs whose workloads have these full names, in this order.

        @raises ResultsError for a workload that is not among the inputs.
        """
        row_of = {full_name(instance): row for row, instance in enumerate(self.inputs)}
        missing = [name for name in names if name not in row_of]
        if missing:
            raise ResultsError(f"the evaluation is of '{missing[0]}', of which the database has no times")
        return self.of_rows([row_of[name] for name in names])

    def of_rows(self, rows: Sequence[int]) -> "Times":
        """Returns these inputs, by index, in this order."""
        return Times(inputs=[self.inputs[row] for row in rows], configurations=self.configurations,
                     milliseconds=self.milliseconds[rows], unsolved=self.unsolved,
                     limits=None if self.limits is None else self.limits[rows], unfit=self.unfit,
                     tried=None if self.tried is None else self.tried[rows])

    def of_family(self, *names: str) -> list[int]:
        """Returns the configurations of these families, by index."""
        return [index for index, configuration in enumerate(self.configurations) if configuration.family in names]

    def where(self, **parameters: object) -> list[int]:
        """Returns the configurations with these parameter values, by index; None: without the parameter."""
        return [index for index, configuration in enumerate(self.configurations)
                if all(configuration.parameters.get(name) == value for name, value in parameters.items())]

    def of_queues(self) -> list[int]:
        """Returns the configurations of multi-level queues, by index, whatever their queues and parameters. Like the
        paper's they search the whole graph, not a reduced one."""
        return [index for index, configuration in enumerate(self.configurations)
                if "l2" in configuration.parameters and configuration.parameters.get("reduction", "none") == "none"]

    def tried_everywhere(self) -> list[int]:
        """Returns the configurations that were tried on all inputs, by index."""
        return [index for index in range(len(self.configurations)) if self.tried is None or self.tried[:, index].all()]

    def best_of(self, columns: Sequence[int]) -> np.ndarray:
        """Returns the best time of each input among some configurations; NaN if none of them has a time."""
        best = np.full(len(self.inputs), np.nan)
        for column in columns:
            best = np.fmin(best, self.milliseconds[:, column])
        return best

    def fastest_of(self, columns: Sequence[int]) -> list[int | None]:
        """Returns for each input the fastest of some configurations; None if none of them has a time."""
        chosen: list[int | None] = []
        for row in self.milliseconds:
            solved = [column for column in columns if not np.isnan(row[column])]
            chosen.append(min(solved, key=lambda column: row[column]) if solved else None)
        return chosen

    def best(self) -> np.ndarray:
        """Returns the best time of each input."""
        return np.nanmin(self.milliseconds, axis=1)

    def relative(self) -> np.ndarray:
        """Returns best time of the input / time, or 0 without a time (MLMQ §5.5)."""
        best = self.best()[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(self.milliseconds == best, 1.0, best / self.milliseconds)
        return np.nan_to_num(ratio, nan=0.0)

    def ceilings(self) -> np.ndarray:
        """Returns upper bounds of relative(): best time / limit for a trial stopped at a limit, else the value."""
        relative = self.relative()
        if self.limits is None:
            return relative
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = np.minimum(self.best()[:, None] / self.limits, 1.0)
        return np.where(np.isnan(self.milliseconds) & ~np.isnan(self.limits), bound, relative)

    def mean_over_queries(self) -> tuple["Times", list[int]]:
        """Returns one input per workload, that of its first query, with mean times over all of its
        queries (NaN if the time for a query is missing), and the indices of these first inputs."""
        rows: dict[str, list[int]] = {}
        unsolved = {instance.workload_hash for instance in self.unsolved}  # for one of their queries
        for row, instance in enumerate(self.inputs):
            if instance.workload_hash not in unsolved:
                rows.setdefault(instance.workload_hash, []).append(row)
        first = [members[0] for members in rows.values()]
        means = np.array([self.milliseconds[members].mean(axis=0) for members in rows.values()]).reshape(
            len(rows), len(self.configurations))
        limits = None
        if self.limits is not None:
            # For a configuration that was stopped for some queries, the mean is longer than that of times and limits.
            bounded = np.where(np.isnan(self.milliseconds), self.limits, self.milliseconds)
            limits = np.array([bounded[members].mean(axis=0) for members in rows.values()]).reshape(means.shape)
            limits[~np.isnan(means)] = np.nan
        tried = None if self.tried is None else np.array(
            [self.tried[members].all(axis=0) for members in rows.values()]).reshape(means.shape)
        solved = ~np.isnan(means).all(axis=1)
        kept_rows = [row for row, ok in zip(first, solved) if ok]
        lost = [self.inputs[row] for row, ok in zip(first, solved) if not ok]
        return Times(inputs=[self.inputs[row] for row in kept_rows], configurations=self.configurations,
                     milliseconds=means[solved], unsolved=self.unsolved + lost,
                     limits=None if limits is None else limits[solved], unfit=self.unfit,
                     tried=None if tried is None else tried[solved]), kept_rows

    def noun(self) -> str:
        """Returns the noun for the workloads."""
        return style.noun(instance.kind for instance in [*self.inputs, *self.unsolved])

    def counted(self, rows: Sequence[int]) -> str:
        """Describes the number of workloads, or the number of inputs if a workload has several."""
        workloads = len({self.inputs[row].workload_hash for row in rows})
        return style.plural(len(rows), self.noun() if workloads == len(rows) else "input")

    def families(self) -> dict[str, list[int]]:
        """Returns the configurations of each family, by index, families in the order of style.family_order."""
        members: dict[str, list[int]] = {}
        for index, configuration in enumerate(self.configurations):
            members.setdefault(configuration.family, []).append(index)
        return {name: members[name] for name in sorted(members, key=style.family_order)}

    def best_fixed(self, among: Sequence[int] | None = None) -> int:
        """Returns the configuration with the highest mean relative performance, of those that were tried on all inputs
        if there are any; in a tie, that with the first label."""
        means = self.relative().mean(axis=0)
        everywhere = set(self.tried_everywhere())
        return max(range(len(means)) if among is None else among,
                   key=lambda c: (c in everywhere, round(float(means[c]), 12), -c))
