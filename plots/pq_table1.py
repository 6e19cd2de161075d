#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Work of each queue per event of PHOLD with 32,768 entities, 128 events per entity and λ = 0.1: Table I of the third
paper. DRAM transactions need hardware counters and are left out without them; the paper's profiler has further rows."""

from __future__ import annotations

import pq_events  # before numpy: says what to do when that is missing
import pq_queues
import pq_tables
import reproduction
import results
import style
from pq_queues import NAMES, OURS, digits, key_of
from reproduction import Ours, Request, Trials

import numpy as np

# Rows of the paper: measure, name, and whether the row is measured here.
ROWS = (("rate", "events per second", True), ("comparisons", "comparisons per event", True),
        ("moves", "writes per event", True), ("dram", "DRAM transactions per event", True),
        ("enqueueing", "share of enqueueing", False), ("instructions", "instructions", False),
        ("ipc", "instructions per cycle", False), ("occupancy", "achieved occupancy", False),
        ("warp_efficiency", "warp efficiency", False), ("hit_rate", "global hit rate", False))


NOTE = "Left out: the instructions, occupancy and hit rates of the paper's profiler."
NO_DRAM = "Left out: DRAM transactions, whose hardware counters are not on record."


def chosen_row(trials: Trials) -> int | None:
    """Returns the input of the table; on the simulator, the one with the most events per entity."""
    fits, _ = pq_events.models(trials, 32768)
    events = trials.feature("events")
    fits &= np.isclose(trials.feature("rate"), pq_events.TABLE_1["rate"])
    if not trials.provenance.modelled or np.any(fits & (events == pq_events.TABLE_1["events"])):
        fits &= events == pq_events.TABLE_1["events"]
    rows = np.flatnonzero(fits)
    return int(max(rows, key=lambda row: events[row])) if len(rows) else None


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    row = chosen_row(trials)
    if row is None:
        raise results.NotOnRecord(
            f"{request.database}: no model of 32,768 entities with 128 events of each and λ 0.1 on record")
    pq_queues.require_queues(trials)
    columns = pq_queues.columns_of(trials.times)
    matrix = pq_queues.rates(trials, "events")
    executed = trials.counts("events")
    transactions = pq_queues.dram_transactions(trials)
    cells: dict[str, dict[str, float]] = {name: {} for name, _, _ in ROWS}
    for name in (*NAMES.values(), OURS):
        rates = {column: matrix[row, column] for column in columns.get(name, []) if np.isfinite(matrix[row, column])}
        if not rates:
            continue
        column = max(rates, key=lambda candidate: rates[candidate])  # the faster of the two directions, in all rows
        cells["rate"][name] = float(rates[column])
        values = {counter: trials.counts(counter)[row, column] / executed[row, column]
                  for counter in ("comparisons", "moves")} | {"dram": transactions[row, column]}
        for counter, value in values.items():
            if np.isfinite(value):
                cells[counter][name] = float(value)
    entities, events = trials.feature("entities")[row], trials.feature("events")[row]
    model = "" if (entities, events) == (32768, 128) else f"{entities:g} entities, {events:g} events of each"
    ours: dict[str, Ours] = {}
    rows = []
    for measure, text, measured in ROWS:
        for name in NAMES.values():
            value = cells[measure].get(name)
            reason = "not measured" if measured else "the profiler's; not counted here"
            ours[f"{measure}_{key_of(name)}"] = Ours(value, model if value is not None else reason, f"{text}, {name}",
                                                    same_work=not model)
        if measured and (cells[measure] or measure != "dram"):
            stated = [None if model else request.number(f"{measure}_{key_of(name)}") for name in NAMES.values()]
            values = [cells[measure].get(name) for name in (*NAMES.values(), OURS)]
            rows.append(pq_tables.Row(text, [digits(value) if value is not None else "" for value in stated] + [""],
                                      [digits(value) if value is not None else "–" for value in values]))
    if OURS in cells["rate"]:
        ours["rate_ours"] = Ours(cells["rate"][OURS], "", "events per second, this program's best", "events/s")
    figure = pq_tables.table([*NAMES.values(), "this program"], rows)
    figure.axes[0].set_title(f"{entities:,.0f} entities, {events:,.0f} events of each, λ = 10⁻¹" +
                             (" (times modelled)" if trials.provenance.modelled else ""), loc="left")
    provenance = pq_queues.provenance_of(trials, [row]).noting(NOTE)
    style.finish(figure, provenance if cells["dram"] else provenance.noting(NO_DRAM))
    return figure, ours


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
