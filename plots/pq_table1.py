#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Work of each queue per event of PHOLD with 32,768 entities, 128 events per entity and λ = 0.1: Table I of the third
paper. Rows of hardware counters are left out where these are not on record. The paper's profiler looked at the kernel
that enqueues; here a kernel does everything, so that of these numbers only the order of the queues is compared."""

from __future__ import annotations

from collections.abc import Sequence

import pq_events  # before numpy: says what to do when that is missing
import pq_queues
import pq_tables
import reproduction
import results
import style
from pq_queues import BUFFERS, NAMES, OURS, TREES, digits, key_of
from reproduction import Finding, Ours, Request, Trials
from verdicts import ALIKE, MUCH, alike

import numpy as np

# Rows: measure, name, and whether it is the paper's quantity.
ROWS = (("rate", "events per second", True), ("enqueueing", "share of enqueueing", True),
        ("comparisons", "comparisons per event", True),
        ("moves", "writes per event", True), ("dram", "DRAM transactions per event", True),
        ("instructions", "warp instructions per event", False), ("ipc", "instructions per cycle", False),
        ("occupancy", "achieved occupancy", False), ("warp_efficiency", "share of active lanes", False),
        ("hit_rate", "L1 hit rate of loads", False))
COUNTED = ("rate", "enqueueing", "comparisons", "moves")  # without hardware counters

NOTE = ("The last five rows are of whole runs, where one kernel does everything; the paper has them of its kernel that "
        "enqueues.")
NO_HARDWARE = "Left out: the paper's rows of hardware counters, which are not on record."


def hardware_rows(trials: Trials) -> dict[str, np.ndarray]:
    """Returns the rows that come from hardware counters, by measure."""
    def counted(name: str) -> np.ndarray:
        return trials.reported(name, "hardware")

    instructions = counted("warp_instructions")
    return {"dram": pq_queues.dram_transactions(trials), "instructions": instructions / trials.reported("events"),
            "ipc": instructions / counted("active_cycles"), "occupancy": counted("achieved_occupancy"),
            "warp_efficiency": counted("thread_instructions") / (32 * instructions),
            "hit_rate": counted("l1_load_hits") / counted("l1_load_sectors")}


def chosen_rows(trials: Trials) -> list[int]:
    """Returns the inputs of the table's model, those with work counts first; on the simulator, of the model with the
    most events per entity. Runs with hardware counters may be shorter ones."""
    fits, _ = pq_events.models(trials, 32768)
    events = trials.feature("events")
    fits &= np.isclose(trials.feature("rate"), pq_events.TABLE_1["rate"])
    if not trials.provenance.modelled or np.any(fits & (events == pq_events.TABLE_1["events"])):
        fits &= events == pq_events.TABLE_1["events"]
    rows = np.flatnonzero(fits & (events == np.max(events[fits], initial=0)))
    comparisons = trials.counts("comparisons")
    return sorted((int(row) for row in rows), key=lambda row: bool(np.isnan(comparisons[row]).all()))


def findings_of(request: Request, cells: dict[str, dict[str, float]]) -> list[Finding]:
    """@param cells numbers by measure and queue"""
    def over(measure: str, names: Sequence[str], others: Sequence[str]) -> np.ndarray:
        """Returns the numbers of some queues over those of others, for each pair."""
        found = cells[measure]
        return np.array([found.get(name, np.nan) / found.get(other, np.nan)
                         for name in names for other in others if name != other])

    rates = np.array([cells["rate"].get(name, np.nan) for name in NAMES.values()])
    comparisons = {name: request.number(f"comparisons_{key_of(name)}") for name in NAMES.values()}
    near_paper = [alike(cells["comparisons"].get(name, np.nan), value)
                  for name, value in comparisons.items() if value is not None]
    return [Finding("The queues are about as fast as each other (section IV-B1)", alike(rates, np.fmax.reduce(rates)),
                    limit=ALIKE),
            Finding("CB-SEQ and CB-PAR are faster than the heap (section IV-B1)",
                    over("rate", ("CB-SEQ", "CB-PAR"), ("heap",))),
            Finding("Enqueueing takes most of the time, except with the splay tree (section IV-B1)",
                    np.array([cells["enqueueing"].get(name, np.nan) / 0.5
                              for name in NAMES.values() if name != "splay"] +
                             [0.5 / cells["enqueueing"].get("splay", np.nan)])),
            Finding("Comparisons for an event are about those of the paper (Table I)", np.array(near_paper),
                    limit=ALIKE),
            Finding("Trees compare less than circular buffers (section IV-B1)", over("comparisons", BUFFERS, TREES)),
            Finding("The splay tree compares more than the heap (section IV-B1)",
                    over("comparisons", ("splay",), ("heap",))),
            Finding("Trees execute much fewer instructions than circular buffers (section IV-B1)",
                    over("instructions", BUFFERS, TREES), limit=MUCH),
            Finding("CB-SEQ has a much higher occupancy than CB-PAR (section IV-B1)",
                    over("occupancy", ("CB-SEQ",), ("CB-PAR",)), limit=MUCH),
            Finding("CB-PAR has a much larger share of active lanes than CB-SEQ (section IV-B1)",
                    over("warp_efficiency", ("CB-PAR",), ("CB-SEQ",)), limit=MUCH),
            Finding("The heap has the largest share of active lanes (section IV-B1)",
                    over("warp_efficiency", ("heap",), list(NAMES.values()))),
            Finding("The splay tree has a much smaller share of active lanes than the heap (section IV-B1)",
                    over("warp_efficiency", ("heap",), ("splay",)), limit=MUCH),
            Finding("CB-SEQ finds more of its loads in the cache than the heap (section IV-B1)",
                    over("hit_rate", ("CB-SEQ",), ("heap",))),
            Finding("The heap has the fewest instructions per cycle (section IV-B1)",
                    over("ipc", list(NAMES.values()), ("heap",)))]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    model_rows = chosen_rows(trials)
    if not model_rows:
        raise results.NotOnRecord(
            f"{request.database}: no model of 32,768 entities with 128 events of each and λ 0.1 on record")
    row = model_rows[0]
    pq_queues.require_queues(trials)
    columns = pq_queues.columns_of(trials.times)
    matrix = pq_queues.rates(trials, "events")
    executed = trials.counts("events")
    hardware = hardware_rows(trials)
    cells: dict[str, dict[str, float]] = {name: {} for name, _, _ in ROWS}
    for name in (*NAMES.values(), OURS):
        rates = {column: matrix[row, column] for column in columns.get(name, []) if np.isfinite(matrix[row, column])}
        if not rates:
            continue
        column = max(rates, key=lambda candidate: rates[candidate])  # the faster of the two directions, in all rows
        cells["rate"][name] = float(rates[column])
        values = {counter: trials.counts(counter)[row, column] / executed[row, column]
                  for counter in ("comparisons", "moves")}
        values["enqueueing"] = trials.counts("insertion_ns")[row, column] / trials.counts("window_ns")[row, column]
        for measure, counted in hardware.items():
            values[measure] = next((counted[i, column] for i in model_rows if np.isfinite(counted[i, column])), np.nan)
        for counter, value in values.items():
            if np.isfinite(value):
                cells[counter][name] = float(value)
    entities, events = trials.feature("entities")[row], trials.feature("events")[row]
    model = "" if (entities, events) == (32768, 128) else f"{entities:g} entities, {events:g} events of each"
    ours: dict[str, Ours] = {}
    rows = []
    for measure, text, is_papers in ROWS:
        found = cells[measure]
        for name in NAMES.values():
            value = found.get(name)
            reason = "not measured" if value is None else model if is_papers else "whole run"
            ours[f"{measure}_{key_of(name)}"] = Ours(value, reason, f"{text}, {name}",
                                                     same_work=not model and (is_papers or value is None))
        if found or measure in COUNTED:
            stated = [None if model or not is_papers else request.number(f"{measure}_{key_of(name)}")
                      for name in NAMES.values()]
            values = [found.get(name) for name in (*NAMES.values(), OURS)]
            rows.append(pq_tables.Row(text, [digits(value) if value is not None else "" for value in stated] + [""],
                                      [digits(value) if value is not None else "–" for value in values]))
    if OURS in cells["rate"]:
        ours["rate_ours"] = Ours(cells["rate"][OURS], "", "events per second, this program's best", "events/s")
    figure = pq_tables.table([*NAMES.values(), "this program"], rows)
    figure.axes[0].set_title(f"{entities:,.0f} entities, {events:,.0f} events of each, λ = 10⁻¹" +
                             (" (times modelled)" if trials.provenance.modelled else ""), loc="left")
    has_hardware = any(cells[measure] for measure in hardware)
    style.finish(figure, pq_queues.provenance_of(trials, [row]).noting(NOTE if has_hardware else NO_HARDWARE))
    return figure, ours, findings_of(request, cells)


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
