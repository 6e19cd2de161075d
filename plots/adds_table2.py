#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many graphs have which average degree and which diameter: ADDS Table 2. The diameter is the estimate of the
feature hops."""

from __future__ import annotations

import adds_graphs  # before numpy: says what to do when that is missing
import reproduction
import style
import tables
from reproduction import Finding, Ours, Request, Trials
from verdicts import single

import numpy as np

DEGREES = (4, 8, 16, 32, 64)
DIAMETERS = (40, 80, 160, 320, 640)


def effective_number(counts: np.ndarray) -> float:
    """Returns the number of equally frequent ranges that have the same entropy."""
    shares = counts[counts > 0] / counts.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    trials = adds_graphs.with_reach(trials)
    # Counts each graph once, whatever its number of queries.
    graphs = list({instance.workload_hash: row for row, instance in enumerate(trials.times.inputs)}.values())
    ours: dict[str, Ours] = {}
    findings = []
    rows = []
    for key, name, feature, edges in (("degree", "average degree", "avg_nnz", DEGREES),
                                      ("diameter", "diameter (estimate)", "hops", DIAMETERS)):
        counts = adds_graphs.distribution(trials.feature(feature)[graphs], edges)
        names = adds_graphs.bin_names(edges, unit="")
        rows += [(name, names), ("graphs", [f"{count} ({style.percent(count / len(graphs))})" for count in counts])]
        for place, (count, bin_name) in enumerate(zip(counts, names)):
            ours[f"{key}_{place}"] = Ours(float(100 * count / len(graphs)), style.plural(int(count), "graph"),
                                          f"graphs with {name} {bin_name}", "%")
        findings.append(Finding(f"The graphs are diverse in {key} (section 6.1)",
                                single(effective_number(counts), len(counts) / 2)))
    figure = tables.draw([""] * 6, rows)
    figure.axes[0].set_title(f"{len(graphs)} graphs by degree and diameter", loc="left")
    style.finish(figure, trials.provenance)
    return figure, ours, findings


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
