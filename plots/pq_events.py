# SPDX-License-Identifier: Apache-2.0
"""PHOLD's event rates over the events per entity, one panel per rate λ: Fig. 7 and Fig. 8 of the third paper."""

from __future__ import annotations

import pq_queues  # before numpy: says what to do when that is missing
import results
import style
from pq_queues import OURS, TREES, Curve
from reproduction import Ours, Request, Trials

import numpy as np

RATES = (0.1, 0.001, 0.00001)  # λ
NAMES_OF_RATES = {0.1: "10⁻¹", 0.001: "10⁻³", 0.00001: "10⁻⁵"}
TABLE_1 = {"events": 128.0, "rate": 0.1}  # the settings of Table I


def models(trials: Trials, entity_count: float) -> tuple[np.ndarray, float]:
    """Returns which inputs are models with the paper's lookahead and `entity_count` entities, and that number.
    If the record has only the simulator's small models, uses those with the most entities."""
    entities = trials.feature("entities")
    fits = np.isclose(trials.feature("lookahead"), 10)
    if not trials.provenance.modelled or np.any(fits & (entities == entity_count)):
        return fits & (entities == entity_count), entity_count
    most = float(entities[fits].max()) if fits.any() else entity_count
    return fits & (entities == most), most


def event_curves(trials: Trials, entity_count: float) -> tuple[dict[float, dict[str, Curve]], float, list[int]]:
    """Returns by λ and queue the events per second over the events per entity; the number of entities; the inputs."""
    fits, entities = models(trials, entity_count)
    rate, events = trials.feature("rate"), trials.feature("events")
    matrix = pq_queues.rates(trials, "events")
    by_queue = {name: pq_queues.best(matrix, columns) for name, columns in pq_queues.columns_of(trials.times).items()}
    panels = {}
    shown: list[int] = []
    for value in RATES:
        rows = [int(row) for row in np.flatnonzero(fits & np.isclose(rate, value))]
        if curves := pq_queues.curves(rows, events, by_queue):
            panels[value] = curves
            shown += rows
    return panels, entities, shown


def crossings(curves: dict[str, Curve], tag: str) -> dict[str, Ours]:
    """Returns the number of events per entity up to which circular buffers are the fastest."""
    buffers = [name for name in pq_queues.NAMES.values() if name not in TREES]
    most = max((x for name, curve in curves.items() if name != OURS for x in curve), default=None)
    measured = {
        f"buffers_{tag}": pq_queues.last_where(
            curves, buffers, f"λ {tag}: events of an entity up to which a circular buffer is the fastest"),
        f"sequential_{tag}": pq_queues.last_where(
            curves, pq_queues.SEQUENTIAL,
            f"λ {tag}: events of an entity up to which a sequential circular buffer is the fastest"),
        f"cb_seq_{tag}": pq_queues.last_where(
            curves, ("CB-SEQ",), f"λ {tag}: events of an entity up to which CB-SEQ is the fastest")}
    description = f"λ {tag}: fastest queue of the paper at the most events of an entity"
    measured[f"fastest_at_most_{tag}"] = (Ours(None, "not measured", description) if most is None else
                                          Ours(pq_queues.fastest(curves, most), f"{most:g} events of an entity",
                                               description))
    return measured


def draw(request: Request, trials: Trials, entity_count: float) -> pq_queues.Drawing:
    """@param entity_count: number of entities in the paper."""
    pq_queues.require_queues(trials)
    panels, entities, shown = event_curves(trials, entity_count)
    if not panels:
        raise results.NotOnRecord(f"{request.database}: no models of {entity_count:,.0f} entities with λ 0.1, 0.001 "
                                  "or 0.00001 on record")
    figure, all_axes = style.new_figure(style.PAGE_INCHES, 2.6, columns=len(panels))
    stated = pq_queues.stated_rates(request, "rate_") if entities == entity_count else {}
    ours: dict[str, Ours] = {}
    for axes, (rate, curves) in zip(all_axes, panels.items()):
        pq_queues.draw_curves(axes, curves)
        if rate == TABLE_1["rate"]:
            for name, value in stated.items():
                pq_queues.diamond(axes, TABLE_1["events"], value, name)
        pq_queues.fit_decades(axes)
        axes.set_title(f"{entities:,.0f} entities, λ = {NAMES_OF_RATES[rate]}", loc="left")
        axes.set_xlabel("events of an entity")
    all_axes[0].set_ylabel(pq_queues.per_second(trials, "events"))
    stated = stated if TABLE_1["rate"] in panels else {}
    names = [name for name in (*pq_queues.NAMES.values(), OURS)
             if name in stated or any(name in curves for curves in panels.values())]
    style.finish(figure, pq_queues.provenance_of(trials, shown),
                 reserved_inches=pq_queues.legend_inches(names, bool(stated)))
    pq_queues.legend(figure, names, "paper, Table I" if stated else "", "ours (calendars)")

    for rate in RATES:
        ours |= crossings(panels.get(rate, {}), f"{rate:g}")
    in_table = panels.get(TABLE_1["rate"], {})
    for name in pq_queues.NAMES.values():
        value = in_table.get(name, {}).get(TABLE_1["events"])
        ours[f"rate_{pq_queues.key_of(name)}"] = Ours(value, "" if value else "not measured",
                                                      f"{name}, 128 events of an entity, λ 0.1", "events/s",
                                                      same_work=entities == entity_count)
    for rate, curves in panels.items():
        of_paper = [value for name, curve in curves.items() if name != OURS for value in curve.values()]
        for label, values in (("the paper's queues", of_paper), (OURS, list(curves.get(OURS, {}).values()))):
            if values:
                ours[f"most_{rate:g}_{label.split()[0]}"] = Ours(max(values), "", f"λ {rate:g}: highest rate, {label}",
                                                                 "events/s")
    return figure, ours
