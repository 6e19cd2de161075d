# SPDX-License-Identifier: Apache-2.0
"""Configurations and models, and what was done by a call."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Any, NamedTuple

from ._library import (
    Handle,
    NotCopyable,
    c_char_p,
    c_double,
    c_int,
    c_size_t,
    decoded,
    encoded,
    library,
    solve_times,
    text_of,
    timeline_interval,
    value_of,
)


class Model(NotCopyable):
    """A selector: what says which configuration suits a graph, a map or a simulation.

    Without one, a search is chosen by the selector that ``mlmq tune`` has installed for the device, or else by the shipped
    one.

    Parameters
    ----------
    file : str or path
        Of ``mlmq selector train`` or ``mlmq tune``.
    """

    _instead = "read its file in each process"

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self._handle = Handle.made("model", "model_read", encoded(file))

    @classmethod
    def shipped(cls) -> Model:
        """The shipped one, whatever is installed."""
        model = cls.__new__(cls)
        model._handle = Handle.made("model", "model_shipped")
        return model


def complete_configuration(text: str) -> str:
    """The configuration that a text stands for, with every parameter that it leaves out.

    Raises
    ------
    InputError
        For a name, a value or a combination that there is not.
    """
    return text_of("complete_configuration", encoded(text))


@dataclass(frozen=True)
class Choice:
    """A configuration, and who chose it."""

    configuration: str
    """Complete."""
    device: str
    """Where it runs: "cuda:0"."""
    device_name: str
    """"NVIDIA H200"."""
    by: str
    """"caller", "model", "trial", "times" (the processors were expected to be sooner), "standard" (the
        default) or "rule" (for graphs of one kind)."""
    predicted: float | None
    """Relative performance, best time / time, as the model expects it; None when it does not say."""
    reason: str
    """For a person."""


@dataclass(frozen=True)
class Times:
    """Milliseconds. What was there already takes none."""

    features: float
    """To find what the model knows of a graph."""
    choice: float
    """To rank the candidates, and to find out how fast the processors are where that matters."""
    upload: float
    """To bring the graph, or the map, to the device, device memory included."""
    compile: float
    """To compile the kernel, or to load it from the cache on disk."""
    prepare: float
    """To make the queues in device memory."""
    solve: float
    """What was asked for, on the device's clock; modelled on the simulator."""
    download: float
    """To bring the answer back; 0 where a small one is copied behind the search."""
    mirror: float
    """To bring a graph of arrays on a device to the host, where something needed it there."""
    compiled: bool
    """Whether `compile` is more than loading from the cache."""


class Trial(NamedTuple):
    """What one of the configurations that were tried took."""

    configuration: str
    searches: int
    milliseconds: float
    """Of these searches together; of `Solver.try_out` the mean. NaN: none was finished in time."""


class Interval(NamedTuple):
    """What was done in one of the equal intervals of a search."""

    start_ms: float
    vertices: float
    active_warps: float


_CHOOSERS = ("caller", "model", "trial", "times", "standard", "rule")


def choice_of(pointer: int) -> Choice:
    """A copy of mlmq_choice."""
    get = library()
    predicted = get.mlmq_choice_predicted(pointer)
    return Choice(configuration=decoded(get.mlmq_choice_configuration(pointer)), device=decoded(get.mlmq_choice_device(pointer)),
                  device_name=decoded(get.mlmq_choice_device_name(pointer)), by=_CHOOSERS[get.mlmq_choice_chooser(pointer)],
                  predicted=None if predicted != predicted else predicted, reason=decoded(get.mlmq_choice_reason(pointer)))


class Summarised(NotCopyable):
    """What answers of libmlmq have in common. `_summary` is the address of an mlmq_summary, `_owner` what keeps it."""

    _owner: Any
    _summary: int

    @property
    def choice(self) -> Choice:
        """The configuration, and who chose it: of the last searches, when there were many."""
        return choice_of(library().mlmq_summary_choice(self._summary))

    @property
    def times(self) -> Times:
        """Where the time went: sums, when there were many searches."""
        took = solve_times.made()
        library().mlmq_summary_times(self._summary, took)
        values = {name: getattr(took, name) for name, *_ in took._fields_ if name != "struct_size"}
        values["compiled"] = bool(values["compiled"])
        return Times(**values)

    @property
    def exact(self) -> bool:
        """Whether every distance fits 32 bits.

        Otherwise 4294967294, or an infinite float, stands for all that do not.
        """
        return bool(value_of(c_int, "summary_exact", self._summary))

    @property
    def counters(self) -> dict[str, float]:
        """Work by name, such as "relaxations"; empty unless it was asked for."""
        found = {}
        for i in range(library().mlmq_summary_counter_count(self._summary)):
            name, value = c_char_p(), c_double()
            library().mlmq_summary_counter(self._summary, i, ctypes.byref(name), ctypes.byref(value))
            found[decoded(name.value or b"")] = value.value
        return found

    @property
    def timeline(self) -> list[Interval]:
        """From the first interval to the last in which there was work; empty unless it was asked for."""
        found = []
        for i in range(library().mlmq_summary_interval_count(self._summary)):
            interval = timeline_interval()
            library().mlmq_summary_interval(self._summary, i, interval)
            found.append(Interval(interval.start_ms, interval.vertices, interval.active_warps))
        return found

    @property
    def tried(self) -> list[Trial]:
        """The configurations that were tried before one was kept; mostly none."""
        found = []
        for i in range(library().mlmq_summary_tried_count(self._summary)):
            configuration, searches, milliseconds = c_char_p(), c_size_t(), c_double()
            library().mlmq_summary_tried(self._summary, i, ctypes.byref(configuration), ctypes.byref(searches),
                                         ctypes.byref(milliseconds))
            found.append(Trial(decoded(configuration.value or b""), searches.value, milliseconds.value))
        return found
