# SPDX-License-Identifier: Apache-2.0
"""PHOLD, the benchmark of discrete-event simulation: how many events a device executes in a second, with which queues."""

from __future__ import annotations

from typing import Any

from ._library import Handle, NotCopyable, decoded, library, phold_model, phold_options, set_configurations, text_of
from .device import Device
from .errors import InputError
from .summary import Choice, Model, Summarised, choice_of


class PholdRun(Summarised):
    """What was executed. Events and hash are the same on every device, with every queue."""

    _instead = "copy or pickle its numbers"

    def __init__(self, handle: Handle) -> None:
        self._handle = self._owner = handle
        self._summary = library().mlmq_phold_run_summary(handle.pointer)

    @property
    def events(self) -> int:
        """How many events were executed."""
        return library().mlmq_phold_run_events(self._handle)

    @property
    def hash(self) -> int:
        """Of all executed events: entity, number, identity and time."""
        return library().mlmq_phold_run_hash(self._handle)

    @property
    def end(self) -> float:
        """The virtual time before which all events were executed."""
        return library().mlmq_phold_run_end(self._handle)

    @property
    def events_per_second(self) -> float:
        """By ``times.solve``, which includes the creation of the events at the start."""
        return self.events / self.times.solve * 1e3

    def check(self) -> str:
        """Simulates once more on processors, which may take long: "", or what is wrong."""
        return text_of("phold_run_check", self._handle)

    def __repr__(self) -> str:
        return f"PholdRun(events={self.events}, end={self.end:g})"


class PholdSimulator(NotCopyable):
    """A model on a device (docs/guide/simulations.md).

    Parameters
    ----------
    device : Device or str
        As for `Solver`.
    entities : int
        1 to 2**24.
    events : int
        Of each entity, on average: 1 to 2**24, and 2**30 of all entities at most.
    rate : float
        Of the exponential delays: 1e-6 to 1000.
    lookahead : float
        Least virtual time between an event and the one that it creates: 0.001 to 1e5.
    seed : int
        Of all draws, below 2**63.

    Raises
    ------
    InputError
        For a model that there is not.
    """

    _instead = "make one in each process"

    def __init__(self, device: Device | str = "auto", *, entities: int = 1024, events: int = 128, rate: float = 0.1,
                 lookahead: float = 10, seed: int = 1) -> None:
        model = phold_model.made()
        for name, value in (("entities", entities), ("events", events), ("seed", seed)):
            if not 0 <= value < 1 << 64:
                raise InputError(f"{name}: {value}, expected a whole number from 0 on")
            setattr(model, name, value)
        model.rate, model.lookahead = rate, lookahead
        self.device = Device.of(device)
        self._handle = Handle.made("phold_simulator", "phold_simulator_create", self.device._handle, model)

    @property
    def name(self) -> str:
        """The model as text, as for ``mlmq solve``."""
        return decoded(library().mlmq_phold_simulator_name(self._handle))

    @staticmethod
    def _options(configurations: Any, model: Model | None, time_limit_ms: float = 60_000, counters: bool = False) -> Any:
        options = phold_options.made()
        set_configurations(options, configurations, model)
        options.time_limit_ms, options.counters = time_limit_ms, bool(counters)
        return options

    def choose(self, *, configurations: Any = None, model: Model | None = None) -> Choice:
        """What a run would choose now."""
        made = Handle.made("choice", "phold_simulator_choose", self._handle, self._options(configurations, model))
        return choice_of(made.pointer)

    def run_until(self, end: float, **options: Any) -> PholdRun:
        """Executes all events before the virtual time `end`, from the beginning.

        Parameters
        ----------
        end : float
        configurations, model, time_limit_ms, counters
            As in `Solver.solve`; configurations are those of the problem phold.
        """
        return PholdRun(Handle.made("phold_run", "phold_simulator_run_until", self._handle, end, self._options(
            options.pop("configurations", None), options.pop("model", None), **options)))

    def run_events(self, count: float, **options: Any) -> PholdRun:
        """The same until a model that has run for long would execute at least `count` events, in whole lookaheads."""
        return PholdRun(Handle.made("phold_run", "phold_simulator_run_events", self._handle, count, self._options(
            options.pop("configurations", None), options.pop("model", None), **options)))

    def __repr__(self) -> str:
        return f"PholdSimulator({self.name!r}, device={self.device.selector!r})"
