# SPDX-License-Identifier: Apache-2.0
"""PHOLD's event rates over the events per entity, one panel per rate λ: Fig. 7 and Fig. 8 of the third paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pq_queues  # before numpy: says what to do when that is missing
import results
import style
from pq_queues import BUFFERS, NAMES, OURS, Panel
from reproduction import Finding, Ours, Request, Trials
from verdicts import ALIKE, alike

import numpy as np

RATES = (0.1, 0.001, 0.00001)  # λ
NAMES_OF_RATES = {0.1: "10⁻¹", 0.001: "10⁻³", 0.00001: "10⁻⁵"}
TABLE_1 = {"events": 128.0, "rate": 0.1}  # the settings of Table I
ALIKE_UP_TO = 530  # events of an entity, by section IV-B2


def models(trials: Trials, entity_count: float) -> tuple[np.ndarray, float]:
    """Returns which inputs are models with the paper's lookahead and `entity_count` entities, and that number.
    If the record has only the simulator's small models, uses those with the most entities."""
    entities = trials.feature("entities")
    fits = np.isclose(trials.feature("lookahead"), 10)
    if not trials.provenance.modelled or np.any(fits & (entities == entity_count)):
        return fits & (entities == entity_count), entity_count
    most = float(entities[fits].max()) if fits.any() else entity_count
    return fits & (entities == most), most


def event_curves(trials: Trials, entity_count: float) -> tuple[dict[float, Panel], float, list[int]]:
    """Returns by λ and queue the events per second over the events per entity; the number of entities; the inputs."""
    fits, entities = models(trials, entity_count)
    rate, events = trials.feature("rate"), trials.feature("events")
    by_queue, bounds = ({name: pq_queues.best(matrix, columns)
                         for name, columns in pq_queues.columns_of(trials.times).items()}
                        for matrix in (pq_queues.rates(trials, "events"), pq_queues.rate_bounds(trials, "events")))
    panels = {}
    shown: list[int] = []
    for value in RATES:
        rows = [int(row) for row in np.flatnonzero(fits & np.isclose(rate, value))]
        if curves := pq_queues.curves(rows, events, by_queue):
            panels[value] = Panel(curves, pq_queues.curves(rows, events, bounds))
            shown += rows
    return panels, entities, shown


def crossings(curves: Mapping[str, pq_queues.Curve], tag: str) -> dict[str, Ours]:
    """Returns the number of events per entity up to which circular buffers are the fastest."""
    most = max((x for name, curve in curves.items() if name != OURS for x in curve), default=None)
    measured = {
        f"buffers_{tag}": pq_queues.last_where(
            curves, BUFFERS, f"λ {tag}: events of an entity up to which a circular buffer is the fastest"),
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


def buffer_like_heap(panels: Mapping[float, Panel]) -> Finding:
    """Returns what the paper finds about CB-PAR and heaps in all of its simulations."""
    pairs = [(panel, panel.places(lambda x: x <= ALIKE_UP_TO)) for panel in panels.values()]
    return Finding(f"CB-PAR and the heap are about as fast as each other up to {ALIKE_UP_TO} events of an entity "
                   "(section IV-B2)",
                   pq_queues.joined(alike(panel.values("CB-PAR", places), panel.values("heap", places))
                                    for panel, places in pairs), limit=ALIKE)


def draw(request: Request, trials: Trials, entity_count: float,
         findings_of: Callable[[Mapping[float, Panel]], Sequence[Finding]]) -> pq_queues.Drawing:
    """
    @param entity_count number of entities in the paper
    @param findings_of returns the paper's findings about the panels of the figure, by λ
    """
    pq_queues.require_queues(trials)
    panels, entities, shown = event_curves(trials, entity_count)
    if not panels:
        raise results.NotOnRecord(f"{request.database}: no models of {entity_count:,.0f} entities with λ 0.1, 0.001 "
                                  "or 0.00001 on record")
    figure, all_axes = style.new_figure(style.PAGE_INCHES, 2.6, columns=len(panels))
    stated = pq_queues.stated_rates(request, "rate_") if entities == entity_count else {}
    ours: dict[str, Ours] = {}
    for axes, (rate, panel) in zip(all_axes, panels.items()):
        pq_queues.draw_curves(axes, panel.curves)
        if rate == TABLE_1["rate"]:
            for name, value in stated.items():
                pq_queues.diamond(axes, TABLE_1["events"], value, name)
        pq_queues.fit_decades(axes)
        axes.set_title(f"{entities:,.0f} entities, λ = {NAMES_OF_RATES[rate]}", loc="left")
        axes.set_xlabel("events of an entity")
    all_axes[0].set_ylabel(pq_queues.per_second(trials, "events"))
    stated = stated if TABLE_1["rate"] in panels else {}
    names = [name for name in (*NAMES.values(), OURS)
             if name in stated or any(name in panel.curves for panel in panels.values())]
    style.finish(figure, pq_queues.provenance_of(trials, shown),
                 reserved_inches=pq_queues.legend_inches(names, bool(stated)))
    pq_queues.legend(figure, names, "paper, Table I" if stated else "", "ours (calendars)")

    for rate in RATES:
        ours |= crossings(panels[rate].curves if rate in panels else {}, f"{rate:g}")
    in_table = panels[TABLE_1["rate"]].curves if TABLE_1["rate"] in panels else {}
    for name in NAMES.values():
        value = in_table.get(name, {}).get(TABLE_1["events"])
        ours[f"rate_{pq_queues.key_of(name)}"] = Ours(value, "" if value else "not measured",
                                                      f"{name}, 128 events of an entity, λ 0.1", "events/s",
                                                      same_work=entities == entity_count)
    for rate, panel in panels.items():
        of_paper = [value for name, curve in panel.curves.items() if name != OURS for value in curve.values()]
        for label, values in (("the paper's queues", of_paper), (OURS, list(panel.curves.get(OURS, {}).values()))):
            if values:
                ours[f"most_{rate:g}_{label.split()[0]}"] = Ours(max(values), "", f"λ {rate:g}: highest rate, {label}",
                                                                 "events/s")
    return figure, ours, findings_of(panels)
