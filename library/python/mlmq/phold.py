# SPDX-License-Identifier: Apache-2.0
"""PHOLD, a benchmark of discrete-event simulation: the rate of events that a device executes with various queues."""

from __future__ import annotations

from typing import Any

from ._c_interface import phold_model, phold_options
from ._library import Handle, NotCopyable, decoded, initialized, library, set_configurations, text_of
from .device import Device
from .errors import InputError
from .summary import Choice, Model, Summarised, choice_of


class PholdRun(Summarised):
    """A finished simulation. Events and hash are the same on every device, with every queue."""

    _instead = "copy or pickle its numbers"

    def __init__(self, handle: Handle) -> None:
        self._handle = self._owner = handle
        self._summary = library().mlmq_phold_run_summary(handle.pointer)

    @property
    def events(self) -> int:
        """The number of executed events."""
        return library().mlmq_phold_run_events(self._handle)

    @property
    def hash(self) -> int:
        """A hash of all executed events: entity, number, identity and time."""
        return library().mlmq_phold_run_hash(self._handle)

    @property
    def end(self) -> float:
        """The virtual time before which all events were executed."""
        return library().mlmq_phold_run_end(self._handle)

    @property
    def events_per_second(self) -> float:
        """Events per second of ``times.solve``, which includes creating the initial events."""
        return self.events / self.times.solve * 1e3

    def check(self) -> str:
        """Repeats the simulation on processors, which may take long. Returns "" or an error message."""
        return text_of("phold_run_check", self._handle)

    def __repr__(self) -> str:
        return f"PholdRun(events={self.events}, end={self.end:g})"


class PholdSimulator(NotCopyable):
    """A model on a device (docs/guide/simulations.md).

    Parameters
    ----------
    device : Device or str
        See `Solver`.
    entities : int
        1 to 2**24.
    events : int
        Events per entity, on average: 1 to 2**24; at most 2**30 in total.
    rate : float
        Rate of the exponential delays: 1e-6 to 1000.
    lookahead : float
        Minimum virtual time between an event and the event it creates: 0.001 to 1e5.
    seed : int
        Seed of all random draws, below 2**63.

    Raises
    ------
    InputError
        For an invalid model.
    """

    _instead = "make one in each process"

    def __init__(self, device: Device | str = "auto", *, entities: int = 1024, events: int = 128, rate: float = 0.1,
                 lookahead: float = 10, seed: int = 1) -> None:
        model = initialized(phold_model)
        for name, value in (("entities", entities), ("events", events), ("seed", seed)):
            if not 0 <= value < 1 << 64:
                raise InputError(f"{name}: {value}, expected a whole number from 0 on")
            setattr(model, name, value)
        model.rate, model.lookahead = rate, lookahead
        self.device = Device.of(device)
        self._handle = Handle.create("phold_simulator", "phold_simulator_create", self.device._handle, model)

    @property
    def name(self) -> str:
        """The model as text, in the syntax of ``mlmq solve``."""
        return decoded(library().mlmq_phold_simulator_name(self._handle))

    @staticmethod
    def _options(configurations: Any, model: Model | None, time_limit_ms: float = 60_000,
                 counters: bool = False) -> Any:
        options = initialized(phold_options)
        set_configurations(options, configurations, model)
        options.time_limit_ms, options.counters = time_limit_ms, bool(counters)
        return options

    def choose(self, *, configurations: Any = None, model: Model | None = None) -> Choice:
        """Returns the configuration that a run would try first."""
        made = Handle.create("choice", "phold_simulator_choose", self._handle, self._options(configurations, model))
        return choice_of(made.pointer)

    def run_until(self, end: float, **options: Any) -> PholdRun:
        """Executes all events before the virtual time `end`, from the start of the simulation.

        Parameters
        ----------
        end : float
        configurations, model, time_limit_ms, counters
            See `Solver.solve`; configurations are those of the problem phold.
        """
        return PholdRun(Handle.create("phold_run", "phold_simulator_run_until", self._handle, end, self._options(
            options.pop("configurations", None), options.pop("model", None), **options)))

    def run_events(self, count: float, **options: Any) -> PholdRun:
        """Like `run_until`, with the smallest multiple of the lookahead by which about `count` events are executed.

        At least `count`, for a model in steady state.
        """
        return PholdRun(Handle.create("phold_run", "phold_simulator_run_events", self._handle, count, self._options(
            options.pop("configurations", None), options.pop("model", None), **options)))

    def __repr__(self) -> str:
        return f"PholdSimulator({self.name!r}, device={self.device.selector!r})"
