# SPDX-License-Identifier: Apache-2.0
"""Configurations, models, and the summary of a call."""

from __future__ import annotations

import ctypes
import os
from ctypes import c_char_p, c_double, c_size_t
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from . import _c_interface
from ._c_interface import solve_times, timeline_interval
from ._library import Closable, Handle, NotCopyable, decoded, encoded, initialized, library, text_of


class Model(Closable):
    """A selector: a model that chooses the configuration for a graph or a map.

    By default, searches use the selector that ``mlmq tune`` has installed for the device, or else the shipped one.

    Parameters
    ----------
    file : str or path
        A file written by ``mlmq selector train`` or ``mlmq tune``.
    """

    _instead = "read its file in each process"

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self._handle = Handle.create("model", "model_read", encoded(file))

    @classmethod
    def shipped(cls) -> Model:
        """Returns the shipped selector, even if another one is installed."""
        model = cls.__new__(cls)
        model._handle = Handle.create("model", "model_shipped")
        return model


def complete_configuration(text: str) -> str:
    """Returns the complete configuration for a text, with all parameters.

    Raises
    ------
    InputError
        For an unknown name, an invalid value, or an unsupported combination.
    """
    return text_of("complete_configuration", encoded(text))


@dataclass(frozen=True)
class Choice:
    """A configuration, and how it was chosen."""

    configuration: str
    """With all parameters."""
    device: str
    """Selector of the device that runs it: "cuda:0"."""
    device_name: str
    """Name of the device that runs it: "NVIDIA H200"."""
    chosen_by: str
    """"caller", "model", "trial", "times" (the processors were expected to be faster), "standard" (the default) or
    "rule" (for one kind of graph)."""
    predicted: float | None
    """Predicted relative performance, best time / time; None if the model does not predict it."""
    reason: str
    """A readable explanation."""


@dataclass(frozen=True)
class Times:
    """Durations in milliseconds. Steps whose result is reused take 0."""

    features: float
    """Computing the features that the model needs."""
    choice: float
    """Ranking the candidates, and measuring the speed of the processors if needed."""
    upload: float
    """Uploading the graph or map, including memory allocation."""
    compile: float
    """Compiling the kernel, or loading it from the cache on disk."""
    prepare: float
    """Initialising the queues in device memory."""
    solve: float
    """The search itself, in device time; modelled on the simulator."""
    download: float
    """Downloading the answer; 0 if a small one was copied as part of the search."""
    compiled: bool
    """Whether `compile` includes compilation, not just loading from the cache."""
    host_copy: float
    """Copying a graph of device arrays to the host, if needed; not included in the other times."""


class Trial(NamedTuple):
    """Time of a configuration that was tried."""

    configuration: str
    searches: int
    milliseconds: float
    """Total time of these searches, or for `Solver.try_out` the mean. NaN: none finished in time."""


class Interval(NamedTuple):
    """Work done in one of the equal intervals of a search."""

    start_ms: float
    vertices: float
    active_warps: float


_CHOOSERS = {
    _c_interface.CHOSEN_BY_CALLER: "caller",
    _c_interface.CHOSEN_BY_MODEL: "model",
    _c_interface.CHOSEN_BY_TRIAL: "trial",
    _c_interface.CHOSEN_BY_TIMES: "times",
    _c_interface.CHOSEN_BY_STANDARD: "standard",
    _c_interface.CHOSEN_BY_RULE: "rule",
}


def choice_of(pointer: int) -> Choice:
    """Copies an mlmq_choice."""
    lib = library()
    predicted = lib.mlmq_choice_predicted(pointer)
    return Choice(configuration=decoded(lib.mlmq_choice_configuration(pointer)),
                  device=decoded(lib.mlmq_choice_device(pointer)),
                  device_name=decoded(lib.mlmq_choice_device_name(pointer)),
                  chosen_by=_CHOOSERS[lib.mlmq_choice_chooser(pointer)],
                  predicted=None if predicted != predicted else predicted,
                  reason=decoded(lib.mlmq_choice_reason(pointer)))


class Summarised(NotCopyable):
    """Base of results. `_summary` is the address of an mlmq_summary, which `_owner` keeps alive."""

    _owner: Any
    _summary: int

    @property
    def choice(self) -> Choice:
        """The configuration, and how it was chosen; if there were many searches, that of the last ones."""
        return choice_of(library().mlmq_summary_choice(self._summary))

    @property
    def times(self) -> Times:
        """The times of the steps; if there were many searches, their sums."""
        durations = initialized(solve_times)
        library().mlmq_summary_times(self._summary, durations)
        values = {field.name: getattr(durations, field.name) for field in fields(Times)}
        values["compiled"] = bool(values["compiled"])
        return Times(**values)

    @property
    def counters(self) -> dict[str, float]:
        """Work by counter name, such as "relaxations"; empty unless counters were requested."""
        counters = {}
        for i in range(library().mlmq_summary_counter_count(self._summary)):
            name, value = c_char_p(), c_double()
            library().mlmq_summary_counter(self._summary, i, ctypes.byref(name), ctypes.byref(value))
            counters[decoded(name.value or b"")] = value.value
        return counters

    @property
    def timeline(self) -> list[Interval]:
        """The intervals from the first to the last with work; empty unless a timeline was requested."""
        intervals = []
        for i in range(library().mlmq_summary_interval_count(self._summary)):
            interval = timeline_interval()
            library().mlmq_summary_interval(self._summary, i, interval)
            intervals.append(Interval(interval.start_ms, interval.vertices, interval.active_warps))
        return intervals

    @property
    def tried(self) -> list[Trial]:
        """The configurations that were tried before one was chosen; usually empty."""
        trials = []
        for i in range(library().mlmq_summary_tried_count(self._summary)):
            configuration, searches, milliseconds = c_char_p(), c_size_t(), c_double()
            library().mlmq_summary_tried(self._summary, i, ctypes.byref(configuration), ctypes.byref(searches),
                                         ctypes.byref(milliseconds))
            trials.append(Trial(decoded(configuration.value or b""), searches.value, milliseconds.value))
        return trials
